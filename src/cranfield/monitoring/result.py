"""`Monitoring`: what every look at a growing set of topics says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.comparison.pairs import Pairs
from cranfield.defaults import FamilyCorrection, Spending
from cranfield.invariants import check_finite, check_p, claim
from cranfield.monitoring.anytime import sequence_half_width, tuned_rho
from cranfield.monitoring.boundaries import family_spent, nominal, spending_boundaries
from cranfield.results import Result
from cranfield.scores import ScoreMatrix
from cranfield.sentences import monitoring as say
from cranfield.settings.monitor import MonitorSettings
from cranfield.signature import signature

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Look:
    """What is known after so many topics, an entry per pair.

    `level` is what `p` must not exceed, `decided` +1 where the first system is better, −1 where the second is and 0
    where nothing is decided yet; `spent` is how much of alpha all C pairs together have used up, C·α(t; α/C), while
    none is decided (None for unplanned looks).
    """

    n_topics: int
    difference: Array
    sd: Array
    half: Array
    p: Array
    level: float
    decided: NDArray[np.int64]
    spent: float | None

    def __post_init__(self) -> None:
        what = f"the look at {self.n_topics} topics"
        check_finite(what, difference=self.difference, sd=self.sd, level=self.level, spent=self.spent)
        claim(not (self.half < 0).any(), what, "an interval that ends before it begins")
        check_p(what, self.p)


@dataclass(frozen=True, eq=False)
class Monitoring(Result):
    """All looks so far at all pairs; get one from `monitor`.

    `scores` are those of all batches together.
    """

    measure: str
    systems: tuple[str, ...]
    pairs: Pairs
    looks: tuple[Look, ...]
    planned_looks: int
    max_topics: int
    spending: Spending
    anytime: bool
    alpha: float
    baseline: str | None
    correction: FamilyCorrection
    scores: ScoreMatrix = field(repr=False)
    per_look: int | None = None
    warnings: tuple[str, ...] = field(default=())

    @property
    def n_topics(self) -> int:
        """Topics so far."""
        return self.looks[-1].n_topics

    @property
    def topics_left(self) -> int | None:
        """Topics that may still come as planned; None for unplanned looks."""
        return None if self.anytime else max(0, self.max_topics - self.n_topics)

    @property
    def n_decided(self) -> int:
        """Pairs decided so far."""
        return int(np.count_nonzero(self.looks[-1].decided))

    @property
    def decision(self) -> str:
        """For the family: ``stop`` when every pair is decided or the planned topics are in, else ``go on``."""
        return "stop" if self.n_decided == len(self.pairs) or self._ended(self.looks[-1]) else "go on"

    def _ended(self, look: Look) -> bool:
        return not self.anytime and look.n_topics >= self.max_topics

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force, defaults included."""
        return MonitorSettings.in_force(
            self,
            measure=self.measure,
            looks=self.planned_looks,
            spending=None if self.anytime else self.spending,
            pairs=len(self.pairs),
        )

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        what = "confidence sequences, unplanned looks" if self.anytime else "group-sequential paired t-tests"
        return signature(
            what,
            measure=self.measure,
            topics=[look.n_topics for look in self.looks],
            max_topics=self.max_topics,
            spending=None if self.anytime else self.spending,
            correction=self.correction,
            alpha=self.alpha,
            pairs=len(self.pairs),
        )

    def to_frame(self) -> pl.DataFrame:
        """One row per look and pair.

        measure, look, topics, system_a, system_b, difference, lower, upper, p, boundary, decision, spent. With planned
        looks `p` is that of the paired t-test and `boundary` what it must not exceed at this look; with unplanned looks
        `p` is anytime-valid and adjusted for the family, and the boundary is alpha. `decision` is ``stop: a better``,
        ``stop: b better``, ``go on``, or ``stop: undecided`` at the end of the plan.
        """
        return pl.concat([self._look_frame(number, look) for number, look in enumerate(self.looks, 1)])

    def _look_frame(self, number: int, look: Look) -> pl.DataFrame:
        rest = "stop: undecided" if self._ended(look) else "go on"
        words = {1: "stop: a better", -1: "stop: b better", 0: rest}
        known = np.isfinite(look.half)
        names = np.asarray(self.systems)
        count = len(self.pairs)
        return pl.DataFrame(
            {
                "measure": [self.measure] * count,
                "look": [number] * count,
                "topics": [look.n_topics] * count,
                "system_a": names[self.pairs.a].tolist(),
                "system_b": names[self.pairs.b].tolist(),
                "difference": look.difference,
                "lower": pl.Series(look.difference - look.half).set(pl.Series(~known), None),
                "upper": pl.Series(look.difference + look.half).set(pl.Series(~known), None),
                "p": look.p,
                "boundary": [look.level] * count,
                "decision": [words[int(sign)] for sign in look.decided],
                "spent": pl.Series([look.spent] * count, dtype=pl.Float64),
            }
        )

    def last(self) -> pl.DataFrame:
        """The rows of the last look only."""
        return self._look_frame(len(self.looks), self.looks[-1])

    def plan(self) -> pl.DataFrame:
        """One row per look, those so far and those to come in steps of the first batch: what p must not exceed.

        look, topics, made (whether it has taken place), boundary (the nominal level of the first pair to be decided,
        at α divided by the pairs), t (the same as a bound for |t| of the paired t-test) and spent. Unplanned looks have
        t only: the bound is that of the confidence sequence, and nothing is spent. A look so early that nothing may be
        spent has no bound.
        """
        made = [look.n_topics for look in self.looks]
        ahead = [*range(made[-1] + made[0], self.max_topics, made[0]), self.max_topics]
        sizes = np.asarray(made + [n for n in ahead if n > made[-1]], dtype=np.float64)
        each = self.alpha / len(self.pairs)
        if self.anytime:
            rho = tuned_rho(self.max_topics, each)
            bound = sequence_half_width(sizes, 1.0, rho, each, student=True) * np.sqrt(sizes)
            level, used = np.full(len(sizes), np.nan), np.full(len(sizes), np.nan)
        else:
            share = (sizes / self.max_topics).tolist()
            level = nominal(spending_boundaries(share, self.spending, each))
            used = family_spent(share, self.spending, self.alpha, len(self.pairs))
            bound = np.where(level > 0, -stdtrit(sizes - 1, np.maximum(level, 1e-300) / 2), np.nan)
        columns = {"boundary": level, "t": np.where(np.isfinite(bound), bound, np.nan), "spent": used}
        count = len(sizes)
        start = {"look": range(1, count + 1), "topics": sizes.astype(np.int64), "made": sizes <= made[-1]}
        return pl.DataFrame(start | {name: pl.Series(values).fill_nan(None) for name, values in columns.items()})

    def paths(self) -> pl.DataFrame:
        """One row per look and pair: topics, system_a, system_b, t of the paired t-test and decision.

        t is empty where all topics have the same difference.
        """
        rows = []
        for look in self.looks:
            with np.errstate(divide="ignore", invalid="ignore"):
                t = np.where(look.sd > 0, look.difference * np.sqrt(look.n_topics) / look.sd, np.nan)
            t = np.where((look.sd == 0) & (look.difference == 0), 0.0, t)
            rows.append(pl.Series("t", t).fill_nan(None))
        return (
            self.to_frame().select("look", "topics", "system_a", "system_b", "decision").with_columns(pl.concat(rows))
        )

    def forecast(self) -> pl.DataFrame:
        """How many topics in all each undecided pair would take, if difference and spread stayed as they are.

        Columns system_a, system_b, topics (empty beyond a thousand times those there are) and in_plan (whether that is
        within the planned maximum). Planned looks: when the t-test would pass the boundary of the last look; unplanned
        ones: when the confidence sequence would leave 0. A lead that is luck makes it too hopeful: use it to plan the
        next batch, never to decide.
        """
        last = self.looks[-1]
        open_pairs = np.flatnonzero(last.decided == 0)
        ahead = np.unique(np.geomspace(last.n_topics, 1000 * last.n_topics, 5000).astype(np.int64))
        level = self.alpha / max(1, len(open_pairs) if self.correction == "holm" else len(self.pairs))
        if self.anytime:
            rho = tuned_rho(self.max_topics, self.alpha / len(self.pairs))
            reach = sequence_half_width(ahead, 1.0, rho, level, student=True)
        else:
            times = [look.n_topics / self.max_topics for look in self.looks if look.n_topics < self.max_topics]
            final = nominal(spending_boundaries([*times, 1.0], self.spending, level))[-1]
            reach = -stdtrit(ahead - 1.0, final / 2) / np.sqrt(ahead)
        names = np.asarray(self.systems)
        needed = []
        for at in open_pairs:
            enough = reach * last.sd[at] < abs(last.difference[at])
            needed.append(int(ahead[enough.argmax()]) if last.sd[at] > 0 and enough.any() else None)
        return pl.DataFrame(
            {
                "system_a": names[self.pairs.a[open_pairs]].tolist(),
                "system_b": names[self.pairs.b[open_pairs]].tolist(),
                "topics": needed,
                "in_plan": [n is not None and n <= self.max_topics for n in needed],
            },
            schema={"system_a": pl.String, "system_b": pl.String, "topics": pl.Int64, "in_plan": pl.Boolean},
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "settings": self.settings,
            "signature": self.signature,
            "decision": self.decision,
            "topics_left": self.topics_left,
            "rows": self.to_frame().to_dicts(),
            "forecast": self.forecast().to_dicts(),
            "warnings": list(self.warnings),
        }

    def summary(self) -> str:
        """One sentence: how many pairs are decided, and whether to go on."""
        of = "" if self.anytime else f" of {self.max_topics}"
        pairs = "1 pair is" if len(self.pairs) == 1 else f"{len(self.pairs):,} pairs are"
        return say.SO_FAR(
            measure=self.measure, topics=self.n_topics, of=of, look=len(self.looks), decided=self.n_decided,
            pairs=pairs, decision=self.decision,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"Monitoring({self.summary()})\n{self.to_frame()}"

    def _view(self) -> tuple[str, list[pl.DataFrame]]:
        return self.summary(), [self.last()]
