"""One look at all pairs, by planned boundaries or by confidence sequences."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.core.defaults import FamilyCorrection, Spending
from cranfield.core.results import check_finite, check_p, claim
from cranfield.questions.compare.classical import student
from cranfield.questions.compare.corrections import adjust, at_most
from cranfield.questions.compare.family import Differences, GridScores, Pairs, differences
from cranfield.questions.monitor.boundaries import (
    Array,
    anytime_p,
    nominal,
    sequence_half_width,
    spending_boundaries,
    tuned_rho,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Look:
    """The state after n topics, an entry per pair.

    `level` is the largest `p` that decides a pair. `decided` is +1 where the first system is better, −1 where the
    second is, and 0 where the pair is undecided. `spent` is the part of alpha that all C pairs have used,
    C·α(t; α/C), while none is decided (None for unplanned looks).
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


class Planned:
    """Nominal levels of the looks so far, at the level that the family leaves to a pair."""

    def __init__(self, times: Array, spending: Spending, alpha: float, count: int) -> None:
        self.times, self.spending, self.alpha, self.count = times, spending, alpha, count
        self.levels: dict[int, Array] = {}

    def at(self, decided: int) -> Array:
        """The nominal levels of all looks, given the number of decided pairs."""
        if decided not in self.levels:
            level = self.alpha / max(1, self.count - decided)
            self.levels[decided] = nominal(spending_boundaries(self.times.tolist(), self.spending, level))
        return self.levels[decided]

    def look(
        self, k: int, each: Differences, decided: NDArray[np.bool_], correction: FamilyCorrection
    ) -> tuple[Array, float, Array]:
        """P-values, their level, and half-widths, after look k."""
        n = each.n_topics
        p = student(each.mean, each.error, n - 1, "two-sided", (each.sd == 0) & (each.mean == 0))
        p = _no_variance(p, each)
        level = strictest = float(self.at(0)[k])
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


class Anytime:
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
        return adjust(self.lowest, correction), self.alpha, np.where(_constant(each), np.nan, half)


def snapped(scores: GridScores, pairs: Pairs) -> Differences:
    """The differences of all pairs; means within the rounding of the grid count as equal."""
    each = differences(scores, pairs)
    return replace(each, mean=np.where(np.abs(each.mean) * each.n_topics <= scores.tolerance, 0.0, each.mean))


def _constant(each: Differences) -> NDArray[np.bool_]:
    return np.asarray((each.sd == 0) & (each.mean != 0))


def _no_variance(p: Array, each: Differences) -> Array:
    """The p-values, those of constant differences by the sign test."""
    p = np.where(_constant(each), 2.0 ** (1 - each.n_topics), p)
    return np.maximum(p, np.finfo(np.float64).tiny)
