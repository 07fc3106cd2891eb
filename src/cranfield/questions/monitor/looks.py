"""One look at all pairs, by planned boundaries or by confidence sequences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from cranfield.core.defaults import FamilyCorrection, Spending
from cranfield.core.results import check_finite, check_interval, check_p, claim
from cranfield.questions.compare.classical import careful_t, hall_inverse
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

    `lower` and `upper` are the ends of the intervals, `t` what is compared with the boundary (NaN where there is no
    variance). `level` is the largest `p` that decides a pair. `decided` is +1 where the first system is better, −1
    where the second is, and 0 where the pair is undecided. `spent` is the part of alpha that all C pairs have used,
    C·α(t; α/C), while none is decided (None for unplanned looks).
    """

    n_topics: int
    difference: Array
    sd: Array
    lower: Array
    upper: Array
    t: Array
    p: Array
    level: float
    decided: NDArray[np.int64]
    spent: float | None

    def __post_init__(self) -> None:
        what = f"the look at {self.n_topics} topics"
        check_finite(what, difference=self.difference, sd=self.sd, level=self.level, spent=self.spent)
        varies = self.sd > 0
        told = np.stack([self.t, self.lower, self.upper])[:, varies]
        claim(not np.isnan(told).any(), what, "no t or no interval of a difference that varies")
        check_interval(what, "difference", told[1], self.difference[varies], told[2])
        check_p(what, self.p)


class Found(NamedTuple):
    """What a look finds of every pair: t, its p-value, the ends of the interval, and the level that decides."""

    t: Array
    p: Array
    lower: Array
    upper: Array
    level: float


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
        self, k: int, each: Differences, skewed: Array, decided: NDArray[np.bool_], correction: FamilyCorrection
    ) -> Found:
        """After look k, by the paired t-test, with Hall's transformation where that is more careful."""
        n = each.n_topics
        t = careful_t(_ratio(each), skewed, n)
        p = _no_variance(2 * stdtr(n - 1, -np.abs(t)), each)
        level = strictest = float(self.at(0)[k])
        if correction == "holm":
            count = int(decided.sum())
            level = float(self.at(count)[k])
            while (more := int((decided | (at_most(p, level) & (each.mean != 0))).sum())) > count:
                count = more
                level = float(self.at(min(count, self.count - 1))[k])
        quantile = -float(stdtrit(n - 1, strictest / 2)) if strictest > 0 else np.inf
        low, high = (np.maximum(side * hall_inverse(side * quantile, skewed, n), quantile) for side in (1, -1))
        with np.errstate(invalid="ignore"):  # no boundary and no spread
            return Found(t, p, *_around(each, low * each.error, high * each.error), level)


class Anytime:
    """Running minima of anytime p-values, adjusted for the family, and the confidence sequences."""

    def __init__(self, most: int, alpha: float, count: int) -> None:
        self.alpha, self.each = alpha, alpha / count
        self.rho = tuned_rho(most, self.each)
        self.lowest = np.ones(count)

    def look(
        self, k: int, each: Differences, skewed: Array, decided: NDArray[np.bool_], correction: FamilyCorrection
    ) -> Found:
        """After look k: adjusted p-values and confidence sequences."""
        del k, skewed, decided
        p = _no_variance(anytime_p(each.mean, each.sd, each.n_topics, self.rho, student=True), each)
        self.lowest = np.minimum(self.lowest, p)
        half = sequence_half_width(each.n_topics, each.sd, self.rho, self.each, student=True)
        return Found(_ratio(each), adjust(self.lowest, correction), *_around(each, half, half), self.alpha)


def snapped(scores: GridScores, pairs: Pairs) -> Differences:
    """The differences of all pairs; means within the rounding of the grid count as equal."""
    each = differences(scores, pairs)
    return replace(each, mean=np.where(np.abs(each.mean) * each.n_topics <= scores.tolerance, 0.0, each.mean))


def _ratio(each: Differences) -> Array:
    """t of the paired difference: 0 where all topics tie, NaN where all have the same difference."""
    t = np.divide(each.mean, each.error, out=np.full(len(each.mean), np.nan), where=each.sd > 0)
    return np.where((each.sd == 0) & (each.mean == 0), 0.0, t)


def _around(each: Differences, low: Array, high: Array) -> tuple[Array, Array]:
    """The ends of the intervals; none for constant differences."""
    constant = _constant(each)
    return np.where(constant, np.nan, each.mean - low), np.where(constant, np.nan, each.mean + high)


def _constant(each: Differences) -> NDArray[np.bool_]:
    return np.asarray((each.sd == 0) & (each.mean != 0))


def _no_variance(p: Array, each: Differences) -> Array:
    """The p-values, those of constant differences by the sign test."""
    p = np.where(_constant(each), 2.0 ** (1 - each.n_topics), p)
    return np.maximum(p, np.finfo(np.float64).tiny)
