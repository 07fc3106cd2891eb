"""From the splits' p-values to one decision per pair: votes, agreement and merged p-values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.comparison.corrections import adjust, at_most
from cranfield.defaults import (
    ALPHA,
    DECIDE,
    MERGE,
    REPLICATES_CORRECTION,
    Decide,
    Merge,
)
from cranfield.errors import UnknownNameError
from cranfield.invariants import check_finite, check_p

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
    if method not in get_args(Merge):
        raise UnknownNameError("merge", str(method), get_args(Merge))
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
    alpha, decide : the rule
    """

    difference: Floats
    p: Floats
    p_adjusted: Floats
    split_p: Floats
    ahead: Ints
    behind: Ints
    n_splits: int
    alpha: float
    decide: Decide

    def __post_init__(self) -> None:
        check_finite("the splits", difference=self.difference)
        check_p("the splits", self.p, self.p_adjusted)
        check_p("the splits", self.split_p)

    @property
    def merged(self) -> Mask:
        """Significant by the merged p-value, corrected for the family."""
        return at_most(self.p_adjusted, self.alpha)

    @property
    def majority(self) -> Mask:
        """More than half of the splits find the pair different, in the direction of the mean difference."""
        return np.asarray(2 * self._votes > self.n_splits)

    @property
    def unanimous(self) -> Mask:
        """All splits find the pair different, in one direction."""
        return np.asarray(self._votes == self.n_splits)

    @property
    def _votes(self) -> Ints:
        return np.where(self.difference >= 0, self.ahead, self.behind)

    @property
    def decided(self) -> Mask:
        """Different by the chosen rule."""
        by = {"merged": self.merged, "majority": self.majority, "unanimous": self.unanimous}
        return np.asarray(by[self.decide])

    @property
    def direction(self) -> Ints:
        """1 where `a` is the better of a pair that is decided, −1 where `b` is, 0 where none is shown to be."""
        return np.where(self.decided, np.sign(self.difference), 0).astype(np.int64)


def decide_pairs(
    p: Floats,
    difference: Floats,
    *,
    alpha: float = ALPHA,
    correction: str = REPLICATES_CORRECTION,
    merge: Merge = MERGE,
    decide: Decide = DECIDE,
) -> Decisions:
    """Votes at the corrected p-values of each split, and the merged p-value (merged first, then corrected).

    Parameters
    ----------
    p : splits × pairs, uncorrected
    difference : splits × pairs, `a` minus `b`

    Examples
    --------
    >>> p = np.array([[.001, .5], [.002, .01], [.2, .01]])
    >>> difference = np.array([[.1, .1], [.1, .1], [.1, -.1]])
    >>> decided = decide_pairs(p, difference, correction="none")
    >>> decided.ahead.tolist(), decided.behind.tolist(), decided.p.tolist()
    ([2, 1], [0, 1], [0.004, 1.0])
    """
    if decide not in get_args(Decide):
        raise UnknownNameError("decide", str(decide), get_args(Decide))
    mean = difference.mean(axis=0)
    # The direction decided on is that of the mean difference; a split that points the other way says nothing for it.
    merged = merge_p(p, np.sign(difference) == np.sign(mean), merge)
    split_p = np.stack([adjust(each, correction) for each in p])
    votes = at_most(split_p, alpha)
    return Decisions(
        mean,
        merged,
        adjust(merged, correction),
        split_p,
        (votes & (difference > 0)).sum(axis=0),
        (votes & (difference < 0)).sum(axis=0),
        len(p),
        alpha,
        decide,
    )


def agreement_table(decisions: Decisions) -> pl.DataFrame:
    """How many pairs the splits agree on: 11:0, 10:1, … as in the slides "Agreement Over Different Splits".

    A split says of a pair: `a` is better, `b` is better, or neither is shown. The larger side of "10:1" is the
    commonest of the three; opposite directions never agree. `both_directions` counts the pairs that some splits
    decide one way and others the other way.
    """
    neither = decisions.n_splits - decisions.ahead - decisions.behind
    most = np.maximum(np.maximum(decisions.ahead, decisions.behind), neither)
    conflict = (decisions.ahead > 0) & (decisions.behind > 0)
    least = min(int(most.min(initial=decisions.n_splits)), -(-(decisions.n_splits + 1) // 2))
    rows = []
    total = len(most)
    for side in range(decisions.n_splits, least - 1, -1):
        chosen = most == side
        rows.append(
            (
                f"{side}:{decisions.n_splits - side}",
                int(chosen.sum()),
                chosen.sum() / total,
                int((chosen & (neither == side)).sum()),
                int((chosen & (neither != side)).sum()),
                int((chosen & conflict).sum()),
            )
        )
    some = most < decisions.n_splits
    rows.append(("any disagreement", int(some.sum()), some.sum() / total, int((some & (neither == most)).sum()),
                 int((some & (neither != most)).sum()), int((some & conflict).sum())))  # fmt: skip
    schema = {"agreement": pl.String, "pairs": pl.Int64, "share": pl.Float64, "undecided": pl.Int64}
    return pl.DataFrame(rows, schema=schema | {"different": pl.Int64, "both_directions": pl.Int64}, orient="row")
