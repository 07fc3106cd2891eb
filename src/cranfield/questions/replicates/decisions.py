"""From the splits' p-values to one decision per pair: votes, agreement and merged p-values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.core.defaults import ALPHA, DECIDE, MERGE, REPLICATES_CORRECTION, Decide, Merge
from cranfield.core.errors import ArgumentError, UnknownNameError
from cranfield.core.invariants import check_finite, check_p
from cranfield.questions.compare.corrections import adjust, at_most

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
CAP = 0.99
"""P-values above it count as it in the Cauchy combination, which a single 1 would else drag to 1."""


def merge_p(p: Floats, agrees: Mask, method: Merge = MERGE) -> Floats:
    """One p-value per pair from those of many splits.

    Parameters
    ----------
    p : splits × pairs, uncorrected
    agrees : splits × pairs; whether the split's difference has the direction that is being decided. One that has
        not speaks for nothing: its p-value counts as 1.
    method : ``"twice-median"``: 2·median, valid under any dependence (Rüger 1978; DiCiccio, DiCiccio & Romano
        2020). ``"cauchy"``: the tail of the mean of tan((½ − p)π), p capped at .99; approximately valid in the
        tail under dependence (Liu & Xie 2020). A single split keeps its p-value.

    Examples
    --------
    >>> p = np.array([[.001], [.02], [.03]])
    >>> merge_p(p, np.ones((3, 1), dtype=bool)).tolist()
    [0.04]
    >>> merge_p(p, np.ones((3, 1), dtype=bool), "cauchy").round(4).tolist()
    [0.0028]
    """
    in_direction = np.where(agrees, p, 1.0)
    if len(in_direction) == 1:
        return np.asarray(in_direction[0])
    if method == "twice-median":
        return np.asarray(np.minimum(1.0, 2 * np.median(in_direction, axis=0)))
    capped = np.minimum(in_direction, CAP)
    statistic = np.mean(1 / np.tan(np.pi * capped), axis=0)  # tan((½ − p)π) = cot(πp), accurate for tiny p
    # P(Cauchy > t) = arctan(1/t)/π for t > 0, which keeps its digits where ½ − arctan(t)/π loses them.
    with np.errstate(divide="ignore"):
        tail = np.arctan(1 / statistic) / np.pi
    return np.asarray(np.where(statistic > 0, tail, np.where(statistic == 0, 0.5, 1 + tail)))


@dataclass(frozen=True)
class Rule:
    """How pairs are decided: level, correction, and what many splits amount to."""

    alpha: float = ALPHA
    correction: str = REPLICATES_CORRECTION
    merge: Merge = MERGE
    decide: Decide = DECIDE

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ArgumentError(f"`alpha` must be between 0 and 1, both excluded; got {self.alpha}. Write 0.05.")
        adjust([], self.correction)
        for kind, value, known in (("decide", self.decide, Decide), ("merge", self.merge, Merge)):
            if value not in get_args(known):
                raise UnknownNameError(kind, str(value), get_args(known))

    def __call__(self, p: Floats, difference: Floats) -> Decisions:
        """Votes at the corrected p-values of each split, and the merged p-value (merged first, then corrected).

        Parameters
        ----------
        p : splits × pairs, uncorrected
        difference : splits × pairs, `a` minus `b`

        Examples
        --------
        >>> p = np.array([[.001, .5], [.002, .01], [.2, .01]])
        >>> difference = np.array([[.1, .1], [.1, .1], [.1, -.1]])
        >>> decided = Rule(correction="none")(p, difference)
        >>> decided.ahead.tolist(), decided.behind.tolist(), decided.p.tolist()
        ([2, 1], [0, 1], [0.004, 1.0])
        """
        mean = difference.mean(axis=0)
        # The direction decided on is that of the mean difference; a split that points the other way speaks for nothing.
        merged = merge_p(p, np.sign(difference) == np.sign(mean), self.merge)
        split_p = np.stack([adjust(each, self.correction) for each in p])
        votes = at_most(split_p, self.alpha)
        ahead, behind = (votes & (difference > 0)).sum(axis=0), (votes & (difference < 0)).sum(axis=0)
        return Decisions(mean, merged, adjust(merged, self.correction), split_p, ahead, behind, len(p), self)


@dataclass(frozen=True, eq=False)
class Decisions:
    """What many splits say of every pair. Differences are `a` minus `b`; directions are kept apart throughout.

    Parameters
    ----------
    difference : a value per pair, the mean over the splits
    p, p_adjusted : merged over the splits, then corrected
    split_p : splits × pairs, corrected within each split
    ahead, behind : votes: the splits that find `a` significantly better, and significantly worse
    n_splits : how many splits
    rule : what decides
    """

    difference: Floats
    p: Floats
    p_adjusted: Floats
    split_p: Floats
    ahead: Ints
    behind: Ints
    n_splits: int
    rule: Rule

    def __post_init__(self) -> None:
        check_finite("the splits", difference=self.difference)
        check_p("the splits", self.p, self.p_adjusted)
        check_p("the splits", self.split_p)

    @property
    def by_rule(self) -> dict[str, Mask]:
        """Which pairs are different by each rule, in the direction of the mean difference.

        merged: by the merged p-value, corrected for the family. majority, unanimous: more than half of the splits, or
        all of them, find the pair different.
        """
        votes = np.where(self.difference >= 0, self.ahead, self.behind)
        merged = at_most(self.p_adjusted, self.rule.alpha)
        return {"merged": merged, "majority": 2 * votes > self.n_splits, "unanimous": votes == self.n_splits}

    @property
    def decided(self) -> Mask:
        """Different by the chosen rule."""
        return self.by_rule[self.rule.decide]

    @property
    def direction(self) -> Ints:
        """1 where `a` is the better of a pair that is decided, −1 where `b` is, 0 where none is shown to be."""
        return np.where(self.decided, np.sign(self.difference), 0).astype(np.int64)


def agreement_table(decisions: Decisions) -> pl.DataFrame:
    """How many pairs the splits agree on: 11:0, 10:1, … as in the slides "Agreement Over Different Splits".

    A split says of a pair: `a` is better, `b` is better, or neither is shown. The larger side of "10:1" is the
    commonest of the three; opposite directions never agree. `both_directions` counts the pairs that some splits
    decide one way and others the other way.
    """
    n = decisions.n_splits
    neither = n - decisions.ahead - decisions.behind
    most = np.maximum(np.maximum(decisions.ahead, decisions.behind), neither)
    conflict = (decisions.ahead > 0) & (decisions.behind > 0)
    least = min(int(most.min(initial=n)), -(-(n + 1) // 2))
    groups = {f"{side}:{n - side}": most == side for side in range(n, least - 1, -1)} | {"any disagreement": most < n}

    def count(also: Mask) -> list[int]:
        return [int((chosen & also).sum()) for chosen in groups.values()]

    pairs = count(np.ones_like(conflict))
    columns = {"agreement": list(groups), "pairs": pairs, "share": [number / len(most) for number in pairs]}
    columns |= {"undecided": count(neither == most), "different": count(neither != most)}
    return pl.DataFrame(columns | {"both_directions": count(conflict)})
