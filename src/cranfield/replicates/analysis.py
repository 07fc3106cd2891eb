"""One measure's analysis: every split bootstrapped, then one decision per pair."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl

from cranfield.comparison.corrections import adjust
from cranfield.comparison.pairs import Pairs, all_pairs
from cranfield.defaults import ALPHA, DECIDE, MERGE, REPLICATES_CORRECTION, Decide, Merge
from cranfield.errors import ArgumentError
from cranfield.executors import map_in_order
from cranfield.invariants import check_finite, check_interval, check_p
from cranfield.replicates.bootstrap import Bootstrap, bootstrap_effects
from cranfield.replicates.decisions import Decisions, agreement_table, decide_pairs
from cranfield.replicates.model import Floats, Replicated, anova_table
from cranfield.replicates.partitioned import Partitioned, Split
from cranfield.sentences import replicates as say
from cranfield.work_files import WorkFile


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
        decide_pairs(np.ones((1, 0)), np.ones((1, 0)), merge=self.merge, decide=self.decide)

    def __call__(self, p: Floats, difference: Floats) -> Decisions:
        """Decide from splits × pairs."""
        return decide_pairs(
            p, difference, alpha=self.alpha, correction=self.correction, merge=self.merge, decide=self.decide
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class SplitEffects:
    """What one split says: a value per system, and a p-value per pair (the earlier system minus the later)."""

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


def analyse_split(scores: Replicated, how: Bootstrap, alpha: float, number: int) -> SplitEffects:
    """Fit one split, bootstrap it, and keep intervals and p-values."""
    bootstrapped = bootstrap_effects(scores, how, number)
    lower, upper = bootstrapped.intervals(alpha)
    # Of few topics or many ties, resampled effects can all lie to one side; an interval holds its estimate.
    lower, upper = np.minimum(lower, bootstrapped.effects), np.maximum(upper, bootstrapped.effects)
    p = bootstrapped.p_values(all_pairs(scores.n_systems))
    return SplitEffects(bootstrapped.effects, lower, upper, p, bootstrapped.fit.shared, bootstrapped.fit.spread)


def analyse_splits(
    splits: Sequence[Split],
    how: Bootstrap,
    alpha: float,
    *,
    name: str = "",
    work: WorkFile | None = None,
    finished: Callable[[], None] | None = None,
) -> tuple[SplitEffects, ...]:
    """Every split's effects, side by side; a split that the work file holds is not computed again."""
    file = work or WorkFile(None, {})
    keys = [f"{name} split {split.number}" for split in splits]
    each = (splits[0].scores.n_systems,)
    needed: dict[str, type | tuple[int, ...]] = {
        "effects": each, "lower": each, "upper": each, "p": (each[0] * (each[0] - 1) // 2,),
        "shared": float, "spread": float,
    }  # fmt: skip
    todo = [
        (split.scores, split.number)
        for key, split in zip(keys, splits, strict=True)
        if file.get(key, needed, SplitEffects) is None
    ]
    unit = partial(_split_values, how.settings_alone, alpha)
    computed = map_in_order(unit, todo, executor=how.executor, workers=how.workers)
    results = []
    for key in keys:
        part: dict[str, Any] | None = file.get(key)
        if part is None:
            part = file.put(key, next(computed))
        results.append(SplitEffects(**part))
        if finished:
            finished()
    return tuple(results)


def _split_values(how: Bootstrap, alpha: float, split: tuple[Replicated, int]) -> dict[str, Any]:
    """What `SplitEffects` holds, of one split: its scores and its number."""
    return vars(analyse_split(split[0], how, alpha, split[1]))


def decide_effects(effects: Sequence[SplitEffects], rule: Rule) -> Decisions:
    """What the splits together say of every pair (the earlier system minus the later)."""
    pairs = all_pairs(len(effects[0].effects))
    return rule(np.stack([split.p for split in effects]), np.stack([pairs.of(split.effects) for split in effects]))


@dataclass(frozen=True, eq=False)
class MeasureReplicates:
    """The replicated analysis by one measure.

    Parameters
    ----------
    data : the scores
    effects : what each split says
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
        """What the splits together say of every pair."""
        return decide_effects(self.effects, self.rule)

    @property
    def mean_length(self) -> float:
        """Mean length of the intervals over systems and splits."""
        return float(np.mean([split.lengths for split in self.effects]))

    def summary(self) -> str:
        """Pairs found different, and how long the intervals are."""
        different, total = int(self.decisions.decided.sum()), len(self.pairs)
        return say.DIFFERENT(
            measure=self.measure, different=different, pairs=total, share=different / total, length=self.mean_length
        )

    def systems_frame(self) -> pl.DataFrame:
        """One row per system, best first: effect and interval of a split, averaged over the splits."""
        order = np.argsort(-self.system_effects, kind="stable")
        columns = {
            "mean": self.data.whole.system_means,
            "effect": self.system_effects,
            "lower": np.mean([split.lower for split in self.effects], axis=0),
            "upper": np.mean([split.upper for split in self.effects], axis=0),
        }
        head = {"measure": [self.measure] * len(order), "system": [self.data.systems[at] for at in order]}
        return pl.DataFrame(head | {name: values[order] for name, values in columns.items()})

    def pairs_frame(self) -> pl.DataFrame:
        """One row per pair, `system_a` the one with the higher mean effect, by rank of a and then of b."""
        decisions = self.decisions
        rank = np.empty(len(self.data.systems), dtype=np.int64)
        rank[np.argsort(-self.system_effects, kind="stable")] = np.arange(len(rank))
        straight = rank[self.pairs.a] < rank[self.pairs.b]
        a, b = np.where(straight, self.pairs.a, self.pairs.b), np.where(straight, self.pairs.b, self.pairs.a)
        order = np.lexsort((rank[b], rank[a]))
        names = np.array(self.data.systems, dtype=object)
        columns: dict[str, Any] = {
            "measure": [self.measure] * len(order),
            "system_a": names[a][order].tolist(),
            "system_b": names[b][order].tolist(),
            "difference": np.where(straight, decisions.difference, -decisions.difference)[order],
            "p": decisions.p[order],
            "p_adjusted": decisions.p_adjusted[order],
            "votes": np.where(straight, decisions.ahead, decisions.behind)[order],
            "against": np.where(straight, decisions.behind, decisions.ahead)[order],
            "decision": np.where(decisions.decided, "different", "undecided")[order].tolist(),
        }
        return pl.DataFrame(columns)

    def agreement_frame(self) -> pl.DataFrame:
        """How many pairs the splits agree on; see `agreement_table`."""
        return agreement_table(self.decisions).insert_column(0, pl.lit(self.measure).alias("measure"))

    def splits_frame(self) -> pl.DataFrame:
        """One row per split: topics used and short, interval lengths, pairs found different, nature of the residuals.

        `shared` is the share of the residual sum of squares common to all systems (topic × partition), and
        `spread` the largest residual variance of a system divided by the smallest; null, not defined, where a system
        has no residuals at all.
        """
        rows = []
        for at, (split, effects) in enumerate(zip(self.data.splits, self.effects, strict=True)):
            different = int((self.decisions.split_p[at] <= self.rule.alpha).sum())
            lengths = effects.lengths
            rows.append(
                (self.measure, split.number, len(split.topics), len(split.short), float(lengths.mean()),
                 float(lengths.min()), float(lengths.max()), different, effects.shared,
                 effects.spread if math.isfinite(effects.spread) else None)
            )  # fmt: skip
        names = ["measure", "split", "topics", "short", "length", "shortest", "longest", "different"]
        frame = pl.DataFrame(rows, schema=[*names, "shared", "spread"], orient="row")
        return frame.with_columns(pl.col("spread").cast(pl.Float64))

    def anova_frame(self) -> pl.DataFrame:
        """The ANOVA table of every split."""
        tables = [
            anova_table(split.scores, interaction=self.how.interaction).insert_column(
                0, pl.lit(split.number).alias("split")
            )
            for split in self.data.splits
        ]
        return pl.concat(tables).insert_column(0, pl.lit(self.measure).alias("measure"))
