"""`monitor`: topics come in batches; which pairs are decided, and may one stop?"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.comparison.classical import Differences, differences, student
from cranfield.comparison.corrections import adjust, at_most
from cranfield.comparison.grid import GridScores
from cranfield.comparison.pairs import Pairs, against, all_pairs
from cranfield.defaults import ALPHA, FAMILY_CORRECTION, LOOKS, SPENDING, FamilyCorrection, Spending
from cranfield.errors import ArgumentError, DataError, UnknownNameError, notify
from cranfield.labels import positions, summary
from cranfield.monitoring.anytime import anytime_p, sequence_half_width, tuned_rho
from cranfield.monitoring.boundaries import (
    check_alpha,
    check_looks,
    family_spent,
    nominal,
    spending_boundaries,
    spent,
)
from cranfield.monitoring.result import Look, Monitoring
from cranfield.scores import ScoreMatrix
from cranfield.scores.doors import ScoresLike, as_matrix_list
from cranfield.scores.matrix import inherited, mask
from cranfield.sentences import monitoring as say

Array = NDArray[np.float64]
_FEW_TOPICS = 10
"""Below so many topics an asymptotic confidence sequence promises more than it keeps."""


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
    """Which pairs of systems are decided by the topics so far, if one looks after every batch and stops when it is?

    Stopping at the first significant test rejects true nulls far too often: .142 of the time with five looks at .05.

    *Planned looks* (the default): a group-sequential paired t-test. A spending function says how much of the level is
    used up when n of `max_topics` topics are in (Lan & DeMets 1983), so that batches need not be of equal size; the
    boundary is turned into a nominal level for the p-value of the t-test, which corrects for few topics (Pocock 1977).

    *Unplanned looks* (``anytime=True``): the asymptotic confidence sequence of Waudby-Smith et al. (2024) and its
    p-value, valid however often one looks and for however long. Corrected for few topics by t quantiles, as
    above. It costs width.

    The family is all C pairs, or all systems against the baseline. ``bonferroni`` tests each pair at α/C. ``holm``
    starts there and, whenever pairs are decided, passes their share on: with r decided the others are tested at
    α/(C − r), with boundaries as if that had been their level from the start (Maurer & Bretz 2013); for anytime
    p-values it is Holm's procedure on their running minimum. A decision, once made, stays. Intervals are repeated
    confidence intervals at α/C: all of them, at all looks, hold together with probability 1 − α. They can hold 0 for
    a pair that Holm decides. A pair with the same difference on all n topics has no variance to go by: its p-value is
    the sign test's 2^(1−n), and it has no interval.

    Parameters
    ----------
    batches : ScoreMatrix or several
        The scores of each batch of topics in the order they came, the same systems in each.
    per_look : int, optional
        Cut the scores, which must then be in one piece, into batches of so many topics in the order they have.
    looks : int
        Planned looks, of the size of the first batch; counts only when `max_topics` is not given.
    max_topics : int, optional
        Topics at which the last look is planned (and for which a confidence sequence is tuned).
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
    >>> x = make_scores(60, 3, system_effects=[0, 0, 0.1])
    >>> batches = [x.select(topics=x.topics[k : k + 20]) for k in (0, 20)]
    >>> result = monitor(batches, max_topics=60)
    >>> result.summary()
    'score: after 40 of 60 topics (look 2) 1 of 3 pairs are decided; go on'
    """
    check_alpha(alpha)
    check_looks(looks)
    if correction not in get_args(FamilyCorrection):
        raise UnknownNameError("correction", str(correction), get_args(FamilyCorrection))
    spent(1.0, spending, alpha)
    listed = _aligned(cut(as_matrix_list(batches, argument="batches"), per_look))
    first = listed[0]
    sizes = np.cumsum([batch.n_topics for batch in listed])
    most = _check_most(max_topics, sizes, looks * first.n_topics, anytime)
    systems = first.systems
    if baseline is None:
        pairs = all_pairs(len(systems))
    else:
        pairs = against(positions("system", [baseline], systems), len(systems))
    test = _Anytime(most, alpha, len(pairs)) if anytime else _Planned(sizes / most, spending, alpha, len(pairs))
    decided = np.zeros(len(pairs), dtype=np.int64)
    made: list[Look] = []
    for k, n in enumerate(sizes):
        seen = np.concatenate([batch.values for batch in listed[: k + 1]])
        each = _snapped(GridScores.of(seen), pairs)
        p, level, half = test.look(k, each, decided != 0, correction)
        new = (decided == 0) & at_most(p, level) & (each.mean != 0)
        decided = np.where(new, np.sign(each.mean).astype(np.int64), decided)
        used = None if anytime else float(family_spent(n / most, spending, alpha, len(pairs)))
        made.append(Look(int(n), each.mean, each.sd, half, p, level, decided, used))
    so_far = _so_far(listed)
    warnings = (*inherited([so_far]), *_warnings(first.measure, int(sizes[0]), anytime, made))
    result = Monitoring(
        first.measure, systems, pairs, tuple(made), looks, int(most), spending, anytime, alpha, baseline, correction,
        so_far, per_look, warnings,
    )  # fmt: skip
    notify(result.warnings)
    return result


class _Planned:
    """Nominal levels of the looks so far, at whatever level the family leaves to a pair."""

    def __init__(self, times: Array, spending: Spending, alpha: float, count: int) -> None:
        self.times, self.spending, self.alpha, self.count = times, spending, alpha, count
        self.levels: dict[int, Array] = {}

    def at(self, decided: int) -> Array:
        """The nominal levels of all looks when so many pairs are decided."""
        if decided not in self.levels:
            level = self.alpha / max(1, self.count - decided)
            self.levels[decided] = nominal(spending_boundaries(self.times.tolist(), self.spending, level))
        return self.levels[decided]

    def look(
        self, k: int, each: Differences, decided: NDArray[np.bool_], correction: FamilyCorrection
    ) -> tuple[Array, float, Array]:
        """P-values, the level they are held to, and half-widths, after look k."""
        n = each.n_topics
        p = student(each.mean, each.error, n - 1, "two-sided", (each.sd == 0) & (each.mean == 0))
        p = _no_variance(p, each)
        strictest = float(self.at(0)[k])
        level = strictest
        if correction == "holm":
            count = int(decided.sum())
            level = float(self.at(count)[k])
            while (more := int((decided | (at_most(p, level) & (each.mean != 0))).sum())) > count:
                count = more
                level = float(self.at(min(count, self.count - 1))[k])
        quantile = -float(stdtrit(n - 1, strictest / 2)) if strictest > 0 else np.inf
        with np.errstate(invalid="ignore"):
            half = np.where(_constant(each), np.nan, quantile * each.error)
        return p, level, half


class _Anytime:
    """Running minima of anytime p-values, adjusted for the family, and half-widths of the confidence sequences."""

    def __init__(self, most: int, alpha: float, count: int) -> None:
        self.alpha, self.each = alpha, alpha / count
        self.rho = tuned_rho(most, self.each)
        self.lowest = np.ones(count)

    def look(
        self, k: int, each: Differences, decided: NDArray[np.bool_], correction: FamilyCorrection
    ) -> tuple[Array, float, Array]:
        """Adjusted p-values, alpha, and half-widths, after look k."""
        del k, decided
        p = _no_variance(anytime_p(each.mean, each.sd, each.n_topics, self.rho, student=True), each)
        self.lowest = np.minimum(self.lowest, p)
        half = sequence_half_width(each.n_topics, each.sd, self.rho, self.each, student=True)
        half = np.where(_constant(each), np.nan, half)
        return adjust(self.lowest, correction), self.alpha, half


def _snapped(scores: GridScores, pairs: Pairs) -> Differences:
    """The differences of all pairs; means that rounding to the grid has set apart are equal again."""
    each = differences(scores, pairs)
    return replace(each, mean=np.where(np.abs(each.mean) * each.n_topics <= scores.tolerance, 0.0, each.mean))


def _constant(each: Differences) -> NDArray[np.bool_]:
    return np.asarray((each.sd == 0) & (each.mean != 0))


def _no_variance(p: Array, each: Differences) -> Array:
    """The p-values, those of constant differences by the sign test."""
    p = np.where(_constant(each), 2.0 ** (1 - each.n_topics), p)
    return np.maximum(p, np.finfo(np.float64).tiny)


def cut(batches: list[ScoreMatrix], per_look: int | None) -> list[ScoreMatrix]:
    """The one batch there is in pieces of so many topics; the last may be smaller."""
    if per_look is None:
        return batches
    if isinstance(per_look, bool) or per_look != int(per_look) or per_look < 1:
        raise ArgumentError(f"`per_look` must be a whole number of at least 1; got {per_look!r}. Write 10.")
    if len(batches) > 1:
        raise ArgumentError(f"`per_look` cuts one table into batches, and there are {len(batches)}; leave it out.")
    whole = batches[0]
    starts = range(0, whole.n_topics, int(per_look))
    return [whole.select(topics=whole.topics[start : start + int(per_look)]) for start in starts]


def _so_far(batches: list[ScoreMatrix]) -> ScoreMatrix:
    first = batches[0]
    topics = [topic for batch in batches for topic in batch.topics]
    return ScoreMatrix(
        np.concatenate([batch.values for batch in batches]),
        topics,
        first.systems,
        first.measure,
        filled=np.concatenate([mask(batch) for batch in batches]),
        left_out=dict.fromkeys(text for batch in batches for text in batch.left_out),
    )


def _aligned(batches: list[ScoreMatrix]) -> list[ScoreMatrix]:
    """The batches over the same systems in the same order, once they are known to hold other topics each."""
    if not batches:
        raise ArgumentError("`batches` is empty; pass the scores of at least one batch of topics.")
    first = batches[0].require(what="the first look").canonical()
    aligned, seen = [first], set(first.topics)
    for number, batch in enumerate(batches[1:], 2):
        batch.require(topics=1, what=f"batch {number}", tiny=True)
        if batch.measure != first.measure:
            raise DataError(f"batch {number} holds {batch.measure} scores, the first {first.measure}; use one measure")
        if unmatched := sorted(set(batch.systems) ^ set(first.systems)):
            raise DataError(
                f"batch {number} and the first differ in {len(unmatched)} systems ({summary(unmatched)}); "
                "score the same systems on every batch"
            )
        if twice := sorted(seen & set(batch.topics)):
            raise DataError(
                f"batch {number} repeats {len(twice)} topics of earlier batches ({summary(twice)}); "
                "pass only what is new in each batch"
            )
        seen |= set(batch.topics)
        aligned.append(batch.select(topics=sorted(batch.topics, key=str.encode), systems=first.systems))
    return aligned


def _check_most(max_topics: int | None, sizes: NDArray[np.int64], planned: int, anytime: bool) -> int:
    if max_topics is None:
        most = planned
    elif isinstance(max_topics, bool) or max_topics != int(max_topics) or max_topics < 2:
        raise ArgumentError(f"`max_topics` must be a whole number of at least 2; got {max_topics!r}. Write 50.")
    else:
        most = int(max_topics)
    past = np.flatnonzero(sizes >= most)
    if not anytime and len(past) and past[0] < len(sizes) - 1:
        raise DataError(
            f"batch {past[0] + 1} reaches the {most} topics planned, and nothing is left to spend on the "
            f"{len(sizes) - 1 - past[0]} after it; plan more (`max_topics`) before looking, or use anytime=True"
        )
    return most


def _warnings(measure: str, first: int, anytime: bool, looks: list[Look]) -> tuple[str, ...]:
    notes: tuple[str, ...] = ()
    if anytime and first < _FEW_TOPICS:
        notes += (say.EARLY(measure=measure, first=first, least=_FEW_TOPICS),)
    blind = [number for number, look in enumerate(looks, 1) if np.isposinf(look.half).any()]
    if blind:
        notes += (say.BLIND(measure=measure, looks=", ".join(map(str, blind))),)
    return notes
