"""Tests that need no resampling: paired and unpaired t, Wilcoxon's signed ranks, and the sign test.

Every function takes scores on the exact grid and pairs, and gives a p-value per pair. Two systems with the same
scores on every topic get p = 1 from each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from cranfield.core.defaults import Alternative
from cranfield.questions.compare.grid import GridScores, tied_ranks
from cranfield.questions.compare.pairs import Pairs

Array = NDArray[np.float64]
TINY = float(np.finfo(np.float64).tiny)
"""A p-value too small for a double is reported as the smallest positive one, never as 0."""
EXACT_RANKS = 50
"""Wilcoxon: exact up to so many non-zero differences without ties, as scipy's ``method="auto"``."""
EXACT_TIED_RANKS = 13
"""Wilcoxon: exact up to so many non-zero differences with ties among them."""


@dataclass(frozen=True)
class Differences:
    """Mean and standard deviation (n − 1) of the topic-wise differences of every pair; sd is 0 if all are equal."""

    mean: Array
    sd: Array
    n_topics: int

    @property
    def error(self) -> Array:
        """Standard error of the mean difference."""
        return np.asarray(self.sd / np.sqrt(self.n_topics))


def differences(scores: GridScores, pairs: Pairs) -> Differences:
    """Mean and standard deviation of the topic-wise differences, for every pair."""
    n = scores.n_topics
    mean = pairs.of(scores.sums) / n
    sd = np.empty(len(pairs))
    for at, a, b in pairs.chunks(n):
        each = scores.values[:, a] - scores.values[:, b]
        constant = np.ptp(each, axis=0) <= 2 * scores.step
        each -= mean[at]
        each *= each
        sd[at] = np.where(constant, 0.0, np.sqrt(each.sum(axis=0) / (n - 1)))
    return Differences(mean, sd, n)


def tail(value: Array, cdf: Callable[[Array], Array], alternative: Alternative) -> Array:
    """P-value of a statistic whose null distribution is symmetric about 0."""
    if alternative == "two-sided":
        return 2 * cdf(-np.abs(value))
    return cdf(-value) if alternative == "greater" else cdf(value)


def student(mean: Array, error: Array, df: Array | float, alternative: Alternative, same: NDArray[np.bool_]) -> Array:
    """P-value of mean/error by Student's t; 1 for pairs that are the `same`, `TINY` (a bound) for an error of 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, mean / error)
    p = np.maximum(tail(t, lambda x: np.asarray(special.stdtr(df, x)), alternative), TINY)
    one_sided_zero = (t > 0) if alternative == "greater" else (t < 0) if alternative == "less" else (t != 0)
    p = np.where(np.isinf(t), np.where(one_sided_zero, TINY, 1.0), p)
    return np.where(same, 1.0, p)


def paired_t(scores: GridScores, pairs: Pairs, alternative: Alternative) -> Array:
    """Student's paired t-test: t = mean(d)/(sd(d)/√n), n − 1 degrees of freedom.

    Assumes that the mean difference is nearly normal. A constant non-zero difference has no smallest p; it is given
    `TINY`, the smallest number there is, as a bound.
    """
    paired = differences(scores, pairs)
    same = (paired.sd == 0) & (paired.mean == 0)
    return student(paired.mean, paired.error, paired.n_topics - 1, alternative, same)


def two_samples(scores: GridScores, pairs: Pairs, pooled: bool) -> tuple[Array, Array]:
    """Standard error and degrees of freedom of the difference of two independent means of n topics each."""
    n = scores.n_topics
    variance = np.where(np.ptp(scores.values, axis=0) == 0, 0.0, scores.values.var(axis=0, ddof=1))
    va, vb = variance[pairs.a], variance[pairs.b]
    if pooled:
        df = np.full(len(pairs), 2.0 * (n - 1))
    else:
        total = va + vb
        share = np.divide(va, total, out=np.full_like(total, 0.5), where=total > 0)
        # Welch–Satterthwaite, written with shares so that tiny variances do not underflow when squared.
        df = (n - 1) / (share**2 + (1 - share) ** 2)
    return np.sqrt((va + vb) / n), df


def unpaired_t(scores: GridScores, pairs: Pairs, alternative: Alternative, pooled: bool = True) -> Array:
    """The two-sample t-test, with pooled variance or Welch's; it ignores that systems share their topics.

    Kept because a published comparison used it (Voorhees' replicates study, its "t-test" rows); on shared topics
    it has far less power than the paired test.
    """
    error, df = two_samples(scores, pairs, pooled)
    mean = pairs.of(scores.sums) / scores.n_topics
    return student(mean, error, df, alternative, identical(scores, pairs))


def identical(scores: GridScores, pairs: Pairs) -> NDArray[np.bool_]:
    """Which pairs have the same score on every topic."""
    same = np.empty(len(pairs), dtype=np.bool_)
    for at, a, b in pairs.chunks(scores.n_topics):
        same[at] = (scores.values[:, a] == scores.values[:, b]).all(axis=0)
    return same


def sign(scores: GridScores, pairs: Pairs, alternative: Alternative) -> Array:
    """The sign test: topics won against topics lost, binomial with probability one half; ties are dropped.

    The two-sided p is twice the smaller tail, at most 1. All topics tied: p = 1.
    """
    won, lost = np.empty(len(pairs)), np.empty(len(pairs))
    for at, a, b in pairs.chunks(scores.n_topics):
        first, second = scores.values[:, a], scores.values[:, b]
        won[at], lost[at] = (first > second).sum(axis=0), (first < second).sum(axis=0)
    n = won + lost
    if alternative == "two-sided":
        p = np.minimum(1.0, 2 * _at_most(np.minimum(won, lost), n))
    else:
        p = _at_most(lost if alternative == "greater" else won, n)
    return np.where(n == 0, 1.0, np.maximum(p, TINY))


def _at_most(k: Array, n: Array) -> Array:
    """P(at most k of n fair coins show heads) = I_½(n − k, k + 1)."""
    return np.where(k >= n, 1.0, special.betainc(np.maximum(n - k, 1), k + 1, 0.5))


def wilcoxon(scores: GridScores, pairs: Pairs, alternative: Alternative) -> Array:
    """Wilcoxon's signed-rank test; zero differences are dropped, tied ones share their mean rank.

    Exact with at most 50 non-zero differences and no ties, and with at most 13 when there are ties; else the
    normal approximation with its variance corrected for ties and no continuity correction: the methods behind
    ``scipy.stats.wilcoxon(zero_method="wilcox", method="auto")``, chosen pair by pair. It tests the symmetry of
    the differences about 0, which is not a statement about means when they are skewed.
    """
    p = np.empty(len(pairs))
    for at, a, b in pairs.chunks(scores.n_topics):
        p[at] = _signed_ranks(scores.values[:, a] - scores.values[:, b], 2 * scores.step, alternative)
    return p


def _signed_ranks(each: Array, tolerance: float, alternative: Alternative) -> Array:
    """Wilcoxon's p for every column of differences; sizes within the tolerance are tied."""
    zero = np.abs(each) <= tolerance
    zeros = zero.sum(axis=0)
    best, worst = tied_ranks(np.where(zero, 0.0, -np.abs(each)), tolerance)
    ranks = np.where(zero, 0.0, (best + worst) / 2 - zeros)
    group = np.where(zero, 1, worst - best + 1).astype(np.float64)
    n = len(each) - zeros
    plus = np.where(each > 0, ranks, 0.0).sum(axis=0)
    # Σ(t³ − t) over groups of ties: each of the t members brings t² − 1.
    ties = (group**2 - 1).sum(axis=0)
    variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(n == 0, 0.0, (plus - n * (n + 1) / 4) / np.sqrt(variance))
    p = np.maximum(tail(z, lambda x: np.asarray(special.ndtr(x)), alternative), TINY)
    for j in np.flatnonzero((n > 0) & (n <= np.where(ties > 0, EXACT_TIED_RANKS, EXACT_RANKS))):
        doubled = np.sort(np.rint(2 * ranks[~zero[:, j], j]).astype(int))
        p[j] = _exact_rank_tail(tuple(doubled.tolist()), round(2 * plus[j]), alternative)
    return np.where(n == 0, 1.0, p)


@lru_cache(maxsize=1024)
def _rank_counts(doubled: tuple[int, ...]) -> Array:
    """How many of the 2ⁿ sign vectors give each sum of (doubled) positive ranks; exact, for n ≤ 50."""
    counts = np.zeros(sum(doubled) + 1)
    counts[0] = 1
    for rank in doubled:
        counts[rank:] += counts[:-rank].copy()
    return np.cumsum(counts)


def _exact_rank_tail(doubled: tuple[int, ...], plus: int, alternative: Alternative) -> float:
    below = _rank_counts(doubled)
    at_most = float(below[plus] / below[-1])
    # The null distribution is symmetric: as many sign vectors reach `plus` as stay at its mirror image.
    at_least = float(below[len(below) - 1 - plus] / below[-1])
    if alternative == "two-sided":
        return min(1.0, 2 * min(at_most, at_least))
    return at_least if alternative == "greater" else at_most
