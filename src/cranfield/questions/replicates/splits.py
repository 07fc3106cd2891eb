"""One measure's analysis: every split bootstrapped, p-values merged, and one decision per pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl

from cranfield.core.answer import sentence
from cranfield.core.defaults import ALPHA, DECIDE, MERGE, REPLICATES_CORRECTION, Decide, Merge
from cranfield.core.executors import map_in_order
from cranfield.core.options import one_of, share
from cranfield.core.results import check_finite, check_interval, check_p
from cranfield.core.work_files import WorkFile
from cranfield.questions.compare.corrections import adjust, at_most
from cranfield.questions.compare.family import Pairs, all_pairs
from cranfield.questions.replicates.bootstrap import Bootstrap, Floats, Ints, Mask, anova_table, bootstrap_effects
from cranfield.questions.replicates.partitioned import Partitioned, Split

CAP = 0.99
"""Cap on p-values in the Cauchy combination; without it a single p of 1 makes the result 1."""


def merge_p(p: Floats, agrees: Mask, method: Merge = MERGE) -> Floats:
    """One p-value per pair from those of many splits.

    Parameters
    ----------
    p : splits × pairs, uncorrected
    agrees : splits × pairs; whether the split's difference has the direction to be decided. If not, its p-value
        counts as 1.
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
    """How pairs are decided: level, correction, and how splits are combined."""

    alpha: float = ALPHA
    correction: str = REPLICATES_CORRECTION
    merge: Merge = MERGE
    decide: Decide = DECIDE

    def __post_init__(self) -> None:
        share("alpha", self.alpha)
        adjust([], self.correction)
        one_of("decide", self.decide, Decide)
        one_of("merge", self.merge, Merge)

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
        # The direction is that of the mean difference; p counts as 1 in a split that points the other way.
        merged = merge_p(p, np.sign(difference) == np.sign(mean), self.merge)
        split_p = np.stack([adjust(each, self.correction) for each in p])
        votes = at_most(split_p, self.alpha)
        ahead, behind = (votes & (difference > 0)).sum(axis=0), (votes & (difference < 0)).sum(axis=0)
        return Decisions(mean, merged, adjust(merged, self.correction), split_p, ahead, behind, len(p), self)


@dataclass(frozen=True, eq=False)
class Decisions:
    """The decisions of many splits on every pair. Differences are `a` minus `b`; directions are kept apart.

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
        """1 where `a` is significantly better, −1 where `b` is, 0 where the pair is undecided."""
        return np.where(self.decided, np.sign(self.difference), 0).astype(np.int64)


def agreement_table(decisions: Decisions) -> pl.DataFrame:
    """How many pairs the splits agree on: 11:0, 10:1, … as in the slides "Agreement Over Different Splits".

    A split decides for `a`, for `b`, or for neither. The larger side of "10:1" is the most frequent of the three;
    opposite directions never agree. `both_directions` counts the pairs that splits decide in opposite directions.
    """
    n = decisions.n_splits
    neither = n - decisions.ahead - decisions.behind
    most = np.maximum(np.maximum(decisions.ahead, decisions.behind), neither)
    conflict = (decisions.ahead > 0) & (decisions.behind > 0)
    least = min(int(most.min(initial=n)), -(-(n + 1) // 2))
    groups = {f"{side}:{n - side}": most == side for side in range(n, least - 1, -1)} | {"any disagreement": most < n}
    kinds = {"undecided": neither == most, "different": neither != most, "both_directions": conflict}
    rows = [
        {"agreement": name, "pairs": int(chosen.sum()), "share": int(chosen.sum()) / len(most)}
        | {kind: int((chosen & also).sum()) for kind, also in kinds.items()}
        for name, chosen in groups.items()
    ]
    return pl.DataFrame(rows)


DIFFERENT = sentence(
    "replicates.different",
    "{measure}: {different:,} of {pairs:,} pairs differ ({share:.1%}); mean interval length {length:.4f}",
    "pairs that the splits together separate by their rule; about other documents, not about other topics",
    always=True,
    measured="replicates_tables.md#calibration",
)


@dataclass(frozen=True, eq=False)
class SplitEffects:
    """Results of one split: a value per system, and a p-value per pair (the earlier system minus the later)."""

    effects: Floats
    lower: Floats
    upper: Floats
    p: Floats
    shared: float
    spread: float

    def __post_init__(self) -> None:
        check_finite("a split", effect=self.effects, lower=self.lower, upper=self.upper, shared=self.shared)
        check_interval("a split", "effect", self.lower, self.effects, self.upper)
        check_p("a split", self.p)

    @property
    def lengths(self) -> Floats:
        """Length of every system's interval."""
        return self.upper - self.lower


def analyse_split(how: Bootstrap, alpha: float, split: Split) -> dict[str, Any]:
    """Fit and bootstrap one split; returns the fields of `SplitEffects`."""
    found = bootstrap_effects(split.scores, how, split.number)
    lower, upper = found.intervals(alpha)
    # With few topics or many ties all resampled effects can lie on one side; the interval must hold its estimate.
    lower, upper = np.minimum(lower, found.effects), np.maximum(upper, found.effects)
    p = found.p_values(all_pairs(split.scores.n_systems))
    return vars(SplitEffects(found.effects, lower, upper, p, found.fit.shared, found.fit.spread))


def analyse_splits(
    splits: Sequence[Split],
    how: Bootstrap,
    alpha: float,
    name: str = "",
    work: WorkFile | None = None,
    finished: Callable[[], None] | None = None,
) -> tuple[SplitEffects, ...]:
    """The effects of every split; splits in the work file are not computed again."""
    file = work or WorkFile(None, {})
    named = {f"{name} split {split.number}": split for split in splits}
    m = splits[0].scores.n_systems
    needed: dict[str, type | tuple[int, ...]] = {
        "effects": (m,), "lower": (m,), "upper": (m,), "p": (m * (m - 1) // 2,), "shared": float, "spread": float
    }  # fmt: skip
    todo = [split for key, split in named.items() if file.get(key, needed, SplitEffects) is None]
    unit = partial(analyse_split, how.settings_alone, alpha)
    computed = map_in_order(unit, todo, executor=how.executor, workers=how.workers)
    results = []
    for key in named:
        results.append(SplitEffects(**(file.get(key) or file.put(key, next(computed)))))
        if finished:
            finished()
    return tuple(results)


def decide_effects(effects: Sequence[SplitEffects], rule: Rule) -> Decisions:
    """The combined decisions on every pair (the earlier system minus the later)."""
    pairs = all_pairs(len(effects[0].effects))
    return rule(np.stack([split.p for split in effects]), np.stack([pairs.of(split.effects) for split in effects]))


@dataclass(frozen=True, eq=False)
class MeasureReplicates:
    """The replicated analysis by one measure.

    Parameters
    ----------
    data : the scores
    effects : the results of each split
    how, rule : settings
    """

    data: Partitioned
    effects: tuple[SplitEffects, ...]
    how: Bootstrap
    rule: Rule

    @property
    def measure(self) -> str:
        """The measure's name."""
        return self.data.whole.measure

    @property
    def system_effects(self) -> Floats:
        """Mean over the splits of every system's effect."""
        return np.asarray(np.mean([split.effects for split in self.effects], axis=0))

    @cached_property
    def pairs(self) -> Pairs:
        """Every two systems once, in byte order of their names."""
        return all_pairs(len(self.data.systems))

    @cached_property
    def decisions(self) -> Decisions:
        """The combined decisions on every pair."""
        return decide_effects(self.effects, self.rule)

    @property
    def mean_length(self) -> float:
        """Mean length of the intervals over systems and splits."""
        return float(np.mean([split.lengths for split in self.effects]))

    @property
    def n_different(self) -> int:
        """Pairs found different by the rule."""
        return int(self.decisions.decided.sum())

    def summary(self) -> str:
        """Pairs found different, and how long the intervals are."""
        different, total = self.n_different, len(self.pairs)
        length = self.mean_length
        return DIFFERENT(measure=self.measure, different=different, pairs=total, share=different / total, length=length)

    def _frame(self, columns: dict[str, Any] | pl.DataFrame) -> pl.DataFrame:
        return pl.DataFrame(columns).insert_column(0, pl.lit(self.measure).alias("measure"))

    def systems_frame(self) -> pl.DataFrame:
        """One row per system, best first: effect and interval of a split, averaged over the splits."""
        order = np.argsort(-self.system_effects, kind="stable")
        columns = {
            "mean": self.data.whole.system_means,
            "effect": self.system_effects,
            "lower": np.mean([split.lower for split in self.effects], axis=0),
            "upper": np.mean([split.upper for split in self.effects], axis=0),
        }
        names = {"system": [self.data.systems[at] for at in order]}
        return self._frame(names | {name: values[order] for name, values in columns.items()})

    def pairs_frame(self) -> pl.DataFrame:
        """One row per pair, `system_a` the one with the higher mean effect, by rank of a and then of b."""
        found = self.decisions
        rank = np.empty(len(self.data.systems), dtype=np.int64)
        rank[np.argsort(-self.system_effects, kind="stable")] = np.arange(len(rank))
        straight = rank[self.pairs.a] < rank[self.pairs.b]
        a, b = np.where(straight, self.pairs.a, self.pairs.b), np.where(straight, self.pairs.b, self.pairs.a)
        order = np.lexsort((rank[b], rank[a]))
        names = np.array(self.data.systems, dtype=object)
        columns = {
            "system_a": names[a],
            "system_b": names[b],
            "difference": np.where(straight, found.difference, -found.difference),
            "p": found.p,
            "p_adjusted": found.p_adjusted,
            "votes": np.where(straight, found.ahead, found.behind),
            "against": np.where(straight, found.behind, found.ahead),
            "decision": np.where(found.decided, "different", "undecided").astype(object),
        }
        ordered = {name: values[order] for name, values in columns.items()}
        return self._frame({name: each.tolist() if each.dtype == object else each for name, each in ordered.items()})

    def agreement_frame(self) -> pl.DataFrame:
        """How many pairs the splits agree on; see `agreement_table`."""
        return self._frame(agreement_table(self.decisions))

    def splits_frame(self) -> pl.DataFrame:
        """One row per split: topics used and short, interval lengths, pairs found different, nature of the residuals.

        `shared` is the share of the residual sum of squares common to all systems (topic × partition). `spread` is
        the largest residual variance of a system divided by the smallest; null where a system has no residuals.
        """
        splits, lengths = self.data.splits, np.array([each.lengths for each in self.effects])
        spread = pl.Series([each.spread for each in self.effects], dtype=pl.Float64)
        return self._frame(
            {
                "split": [split.number for split in splits],
                "topics": [len(split.topics) for split in splits],
                "short": [len(split.short) for split in splits],
                "length": [float(each.mean()) for each in lengths],
                "shortest": lengths.min(axis=1),
                "longest": lengths.max(axis=1),
                "different": (self.decisions.split_p <= self.rule.alpha).sum(axis=1),
                "shared": [each.shared for each in self.effects],
                "spread": spread.set(spread.is_infinite(), None),
            }
        )

    def anova_frame(self) -> pl.DataFrame:
        """The ANOVA table of every split."""
        tables = {one.number: anova_table(one.scores, interaction=self.how.interaction) for one in self.data.splits}
        return self._frame(
            pl.concat(table.insert_column(0, pl.lit(number).alias("split")) for number, table in tables.items())
        )
