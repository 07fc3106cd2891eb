"""`monitor`: decide pairs of systems while topics come in batches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, FAMILY_CORRECTION, LOOKS, SPENDING, FamilyCorrection, Spending
from cranfield.core.errors import ArgumentError, DataError, notify
from cranfield.core.labels import positions, summary
from cranfield.core.options import at_least, one_of
from cranfield.core.results import Result, signature
from cranfield.questions.compare.classical import skewness
from cranfield.questions.compare.corrections import at_most
from cranfield.questions.compare.family import GridScores, Pairs, against, all_pairs
from cranfield.questions.monitor.answer import monitoring_answer
from cranfield.questions.monitor.boundaries import (
    check_looks,
    family_spent,
    nominal,
    sequence_half_width,
    spending_boundaries,
    tuned_rho,
)  # fmt: skip
from cranfield.questions.monitor.looks import Anytime, Look, Planned, snapped
from cranfield.questions.monitor.question import MonitorQuestion
from cranfield.scores.doors import ScoresLike, as_matrix_list
from cranfield.scores.matrix import ScoreMatrix, inherited, mask

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

_FEW_TOPICS = 10
"""With fewer topics an asymptotic confidence sequence exceeds its level."""
SO_FAR = sentence(
    "monitoring.so-far",
    "{measure}: after {topics:,}{of} topics (look {look:,}) {decided:,} of {pairs} decided; {decision}",
    "as `monitoring.decided`",
    always=True,
    measured="monitor",
)
EARLY = sentence(
    "monitoring.early",
    "{measure}: the first look has {first} topics. A confidence sequence is asymptotic; start with {least} or more.",
    "looks are not planned, and the first has fewer than `least` topics",
    measured="monitor",
)
BLIND = sentence(
    "monitoring.blind",
    "{measure}: look {looks} is too early to spend any of the level. It has no intervals.",
    "the boundary of these looks is infinite",
)


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
        spending = None if self.anytime else self.spending
        return MonitorQuestion.in_force(
            self, measure=self.measure, looks=self.planned_looks, spending=spending, pairs=len(self.pairs)
        )

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        what = "confidence sequences, unplanned looks" if self.anytime else "group-sequential paired t-tests"
        names = ("max_topics", "spending", "correction", "alpha", "pairs")
        used = {name: self.settings[name] for name in names}
        return signature(what, measure=self.measure, topics=[look.n_topics for look in self.looks], **used)

    def to_frame(self) -> pl.DataFrame:
        """One row per look and pair.

        measure, look, topics, system_a, system_b, difference, lower, upper, p, boundary, decision, spent. With planned
        looks `p` is that of the paired t-test with Hall's transformation, and it must not exceed `boundary`. With
        unplanned looks `p` is anytime-valid and adjusted for the family, and the boundary is alpha. `decision` is
        ``stop: a better``, ``stop: b better``, ``go on``, or ``stop: undecided`` at the end of the plan.
        """
        return pl.concat([self._look_frame(number, look) for number, look in enumerate(self.looks, 1)])

    def _look_frame(self, number: int, look: Look) -> pl.DataFrame:
        rest = "stop: undecided" if self._ended(look) else "go on"
        words = {1: "stop: a better", -1: "stop: b better", 0: rest}
        lower, upper = (np.where(np.isfinite(end), end, np.nan) for end in (look.lower, look.upper))
        names, count = np.asarray(self.systems), len(self.pairs)
        return pl.DataFrame(
            {
                "measure": [self.measure] * count,
                "look": [number] * count,
                "topics": [look.n_topics] * count,
                "system_a": names[self.pairs.a].tolist(),
                "system_b": names[self.pairs.b].tolist(),
                "difference": look.difference,
                "lower": pl.Series(lower).fill_nan(None),
                "upper": pl.Series(upper).fill_nan(None),
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
        """One row per look, made or to come in steps of the first batch, with its boundary.

        look, topics, made (whether it has taken place), boundary (the nominal level of the first pair to be decided,
        at α divided by the pairs), t (the same as a bound for |t| of the paired t-test) and spent. Unplanned looks have
        only t, the bound of the confidence sequence. A look too early to spend anything has no bound.
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
        """One row per look and pair: topics, system_a, system_b, decision and t, which the boundary is for.

        t is null where all topics have the same difference.
        """
        frame = self.to_frame().select("look", "topics", "system_a", "system_b", "decision")
        return frame.with_columns(t=pl.Series(np.concatenate([look.t for look in self.looks])).fill_nan(None))

    def forecast(self) -> pl.DataFrame:
        """Total topics that each undecided pair needs, if means and variances stay the same.

        Columns system_a, system_b, topics (null beyond a thousand times the present number) and in_plan (whether this
        is within the planned maximum). Planned looks: when the t-test passes the boundary of the last look. Unplanned
        looks: when the confidence sequence excludes 0. Differences due to chance make it too low: use it
        to plan the next batch, never to decide.
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
        a, b = (names[side[open_pairs]].tolist() for side in (self.pairs.a, self.pairs.b))
        in_plan = [n is not None and n <= self.max_topics for n in needed]
        schema = {"system_a": pl.String, "system_b": pl.String, "topics": pl.Int64, "in_plan": pl.Boolean}
        return pl.DataFrame([a, b, needed, in_plan], schema=schema)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        known = {"decision": self.decision, "topics_left": self.topics_left}
        return {**super().to_dict(), **known, "forecast": self.forecast().to_dicts()}

    def summary(self) -> str:
        """One sentence: how many pairs are decided, and whether to go on."""
        return SO_FAR(measure=self.measure, look=len(self.looks), decision=self.decision, **self.progress())

    def progress(self) -> dict[str, Any]:
        """Topics and decided pairs so far, for a sentence."""
        of = "" if self.anytime else f" of {self.max_topics:,}"
        pairs = f"{len(self.pairs):,} {'pair is' if len(self.pairs) == 1 else 'pairs are'}"
        return {"topics": self.n_topics, "of": of, "decided": self.n_decided, "pairs": pairs}

    def __repr__(self) -> str:
        return f"Monitoring({self.summary()})\n{self.to_frame()}"

    def _view(self) -> tuple[str, list[pl.DataFrame]]:
        return self.summary(), [self.last()]

    answer = monitoring_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.monitor import charts

        return {"path": charts.path, "intervals": charts.intervals}


def monitor(
    batches: ScoresLike,
    *,
    per_look: int | None = None,
    looks: int = LOOKS,
    max_topics: int | None = None,
    spending: Spending = SPENDING,
    anytime: bool = False,
    alpha: float = ALPHA,
    baseline: str | None = None,
    correction: FamilyCorrection = FAMILY_CORRECTION,
) -> Monitoring:
    """Which pairs of systems are decided by the topics so far, with a look after every batch?

    Stopping at the first significant test inflates type I error: .142 with five looks at .05.

    *Planned looks* (the default): a group-sequential paired t-test. A spending function gives the level used up after
    n of `max_topics` topics (Lan & DeMets 1983), so batches may differ in size. The boundary becomes a nominal level
    for the p-value of the t-test, which corrects for few topics (Pocock 1977). Hall's transformation (1992) replaces t
    where it is nearer to 0: by t alone, skewed differences would be decided too often.

    *Unplanned looks* (``anytime=True``): the asymptotic confidence sequence of Waudby-Smith et al. (2024) and its
    p-value, valid for any number of looks. It is corrected for few topics by t quantiles. Its intervals are wider.

    The family is all C pairs, or all systems against the baseline. ``bonferroni`` tests each pair at α/C. ``holm``
    starts there and passes on the share of decided pairs: with r decided, the others are tested at α/(C − r). Their
    boundaries are those of that level from the start (Maurer & Bretz 2013). For anytime p-values it is Holm's procedure
    on their running minimum. A decision is final.

    Intervals are simultaneous repeated confidence intervals at α/C: for normal differences they hold for all pairs and
    looks with probability 1 − α. They can contain 0 for a pair that Holm decides. A pair with the same difference on
    all n topics has no variance: its p-value is that of the sign test, 2^(1−n), and it has no interval.

    The levels are approximate. The measured type I error at .05 is at most .06 (O'Brien–Fleming), .08 (Pocock) and .07
    (anytime), on TREC scores and with exponential differences.

    Parameters
    ----------
    batches : ScoreMatrix or several
        The scores of each batch of topics, in order, with the same systems in each.
    per_look : int, optional
        Cut a single table into batches of this many topics, in its order.
    looks : int
        Planned looks, of the size of the first batch; used only without `max_topics`.
    max_topics : int, optional
        Topics at the last planned look; a confidence sequence is tuned for this number.
    spending : {"obrien-fleming", "pocock"}
    anytime : bool
        Unplanned looks.
    alpha : float
    baseline : str, optional
        Compare every system with this one only.
    correction : {"holm", "bonferroni"}

    References
    ----------
    Webber, Moffat & Zobel, "Statistical power in retrieval experimentation" (CIKM 2008) for the question; Jennison &
    Turnbull (2000) for group-sequential tests and repeated intervals; Maurer & Bretz, "Multiple testing in group
    sequential trials using graphical approaches", Statistics in Biopharmaceutical Research 5 (2013).

    Examples
    --------
    >>> from cranfield.scores.synthetic import make_scores
    >>> x = make_scores(60, 3, system_effects=[0, 0, 0.11])
    >>> batches = [x.select(topics=x.topics[k : k + 20]) for k in (0, 20)]
    >>> result = monitor(batches, max_topics=60)
    >>> result.summary()
    'score: after 40 of 60 topics (look 2) 1 of 3 pairs are decided; go on'
    """
    check_arguments(monitor, locals())
    check_looks(looks, alpha)
    one_of("correction", correction, FamilyCorrection)
    one_of("spending", spending, Spending)
    listed = _aligned(cut(as_matrix_list(batches, argument="batches"), per_look))
    first = listed[0]
    sizes = np.cumsum([batch.n_topics for batch in listed])
    most = _check_most(max_topics, sizes, looks * first.n_topics, anytime)
    systems, m = first.systems, first.n_systems
    pairs = all_pairs(m) if baseline is None else against(positions("system", [baseline], systems), m)
    test = Anytime(most, alpha, len(pairs)) if anytime else Planned(sizes / most, spending, alpha, len(pairs))
    decided = np.zeros(len(pairs), dtype=np.int64)
    made: list[Look] = []
    for k, n in enumerate(sizes):
        seen = np.concatenate([batch.values for batch in listed[: k + 1]])
        each = snapped(GridScores.of(seen), pairs)
        # γ = mean((d − d̄)³)/s³ with the s of t, not g₁.
        skewed = skewness(seen, pairs.a, pairs.b, each.sd) * (1 - 1 / n) ** 1.5
        found = test.look(k, each, skewed, decided != 0, correction)
        new = (decided == 0) & at_most(found.p, found.level) & (each.mean != 0)
        decided = np.where(new, np.sign(each.mean).astype(np.int64), decided)
        used = None if anytime else float(family_spent(n / most, spending, alpha, len(pairs)))
        ends = (found.lower, found.upper)
        made.append(Look(int(n), each.mean, each.sd, *ends, found.t, found.p, found.level, decided, used))
    so_far = _so_far(listed)
    warnings = (*inherited([so_far]), *_warnings(first.measure, int(sizes[0]), anytime, made))
    result = Monitoring(
        first.measure, systems, pairs, tuple(made), looks, int(most), spending, anytime, alpha, baseline, correction,
        so_far, per_look, warnings,
    )  # fmt: skip
    notify(result.warnings)
    return result


def cut(batches: list[ScoreMatrix], per_look: int | None) -> list[ScoreMatrix]:
    """A single batch cut into batches of `per_look` topics; the last may be smaller."""
    if per_look is None:
        return batches
    at_least("per_look", per_look, 1, 10)
    if len(batches) > 1:
        raise ArgumentError(f"`per_look` cuts one table into batches; there are {len(batches)} tables. Omit it.")
    whole = batches[0]
    starts = range(0, whole.n_topics, int(per_look))
    return [whole.select(topics=whole.topics[start : start + int(per_look)]) for start in starts]


def _so_far(batches: list[ScoreMatrix]) -> ScoreMatrix:
    topics = [topic for batch in batches for topic in batch.topics]
    values, filled = np.concatenate([one.values for one in batches]), np.concatenate([mask(one) for one in batches])
    left_out = dict.fromkeys(text for batch in batches for text in batch.left_out)
    return ScoreMatrix(values, topics, batches[0].systems, batches[0].measure, filled=filled, left_out=left_out)


def _aligned(batches: list[ScoreMatrix]) -> list[ScoreMatrix]:
    """The batches with the same systems in the same order; refuses repeated topics."""
    if not batches:
        raise ArgumentError("`batches` is empty. Give the scores of at least one batch of topics.")
    first = batches[0].require(what="the first look").canonical()
    aligned, seen = [first], set(first.topics)
    for number, batch in enumerate(batches[1:], 2):
        batch.require(topics=1, what=f"batch {number}", tiny=True)
        if batch.measure != first.measure:
            raise DataError(
                f"batch {number} has {batch.measure} scores, the first has {first.measure}. Use one measure."
            )
        if unmatched := sorted(set(batch.systems) ^ set(first.systems)):
            raise DataError(
                f"batch {number} and the first differ in {len(unmatched)} systems ({summary(unmatched)}). "
                "Score the same systems on every batch."
            )
        if twice := sorted(seen & set(batch.topics)):
            raise DataError(
                f"batch {number} repeats {len(twice)} topics of earlier batches ({summary(twice)}). "
                "Give only new topics in each batch."
            )
        seen |= set(batch.topics)
        aligned.append(batch.select(topics=sorted(batch.topics, key=str.encode), systems=first.systems))
    return aligned


def _check_most(max_topics: int | None, sizes: NDArray[np.int64], planned: int, anytime: bool) -> int:
    most = planned if max_topics is None else max_topics
    at_least("max_topics", most, 2, 50)
    past = np.flatnonzero(sizes >= most)
    if not anytime and len(past) and past[0] < len(sizes) - 1:
        raise DataError(
            f"batch {past[0] + 1} reaches the {most} planned topics, so later batches have no level left. "
            f"Plan more topics (`max_topics`) in advance, or use anytime=True."
        )
    return int(most)


def _warnings(measure: str, first: int, anytime: bool, looks: list[Look]) -> Iterable[str]:
    if anytime and first < _FEW_TOPICS:
        yield EARLY(measure=measure, first=first, least=_FEW_TOPICS)
    blind = [str(number) for number, look in enumerate(looks, 1) if np.isposinf(look.upper).any()]
    if blind:
        yield BLIND(measure=measure, looks=", ".join(blind))
