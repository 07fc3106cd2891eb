"""Tests that need no resampling: paired and unpaired t, Wilcoxon's signed ranks, the sign test, and Tukey's HSD.

Every test takes scores on the exact grid and pairs, and gives a p-value per pair. Two systems with the same
scores on every topic get p = 1 from each of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from cranfield.core.defaults import Alternative
from cranfield.questions.compare.family import GridScores, Pairs, differences, identical, residual_variance, tied_ranks
from cranfield.questions.compare.tests import PValues

Array = NDArray[np.float64]
TINY = float(np.finfo(np.float64).tiny)
"""A p-value too small for a double is reported as the smallest positive one, never as 0."""
EXACT_RANKS = 50
"""Wilcoxon: exact up to so many non-zero differences without ties, as scipy's ``method="auto"``."""
EXACT_TIED_RANKS = 13
"""Wilcoxon: exact up to so many non-zero differences with ties among them."""

LIMIT = 4.0
"""Trouble is where the skewness is this large, divided by √topics, on average over the pairs.

With equal means and a mild skewness γ the signed-rank statistic is off by about √(3n)·γ/(12√π) standard errors
(Edgeworth): a test at .05 then rejects .06 of the time from γ√n = 3.6 on. `docs/asymmetry_study.py` simulates hits and
false alarms."""
_SYMMETRIC = 1e-8
"""Below this skewness Hall's interval is the t interval, and its formula divides by next to nothing."""
FEWEST_TOPICS = 25
"""With fewer, the skewness of a sample says little, and tests err little."""
NODES = 96
"""Points at which the tail is computed; between them its logarithm is interpolated."""
_STEP = 0.1
_Z = np.arange(-20.0, 10.0, _STEP)


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


# ── skewed differences: trouble for tests of ranks and signs that are read as tests of means ──


def skewness(values: Array, a: NDArray[np.intp], b: NDArray[np.intp], sd: Array) -> Array:
    """The skewness g₁ of the topic-wise differences of every pair, 0 where they do not spread.

    With centred scores x, Σ(x_a − x_b)³ = Σx_a³ − 3Σx_a²x_b + 3Σx_a x_b² − Σx_b³: two matrix products serve all pairs.

    Parameters
    ----------
    values : topics × systems
    a, b : the systems of every pair
    sd : the standard deviation (n − 1) of every pair's differences

    >>> x = np.array([[0.0, 0.1], [0.0, 0.1], [0.0, 0.1], [0.0, 0.9]])
    >>> skewness(x, np.array([1]), np.array([0]), np.array([0.4])).round(3).tolist()
    [1.155]
    """
    n = len(values)
    x = values - values.mean(axis=0)
    binary = -int(np.frexp(np.abs(x).max())[1])  # a power of two changes no digit, and no cube is then too large
    x, sd = np.ldexp(x, binary), np.ldexp(sd, binary)
    mixed, cubes = (x * x).T @ x, (x**3).sum(axis=0)
    third = cubes[a] - 3 * mixed[a, b] + 3 * mixed[b, a] - cubes[b]
    spread = sd**3 * (1 - 1 / n) ** 1.5
    lowest = 1e-9 * (float(np.abs(x).max()) or 1.0) ** 3
    return np.asarray(np.divide(third / n, spread, out=np.zeros(len(a)), where=spread > lowest))


def hall(t: Any, skewness: Any, n: int) -> Any:
    """Hall's transformation of t (JRSS B 54, 1992): t·(1 + x + x²/3) + γ/(6√n), x = γt/(3√n). It rises with t.

    A sample with too few of the rare large differences has a mean too small and a spread too small; t allows for
    neither. γ = mean((d − d̄)³)/s³, and n is the number of topics. Products instead of powers: a vast t is infinite
    then, not an OverflowError.
    """
    x = skewness * t / (3 * math.sqrt(n))
    return t * (1 + x + x * x / 3) + skewness / (6 * math.sqrt(n))


def hall_inverse(t: float, skewness: Any, n: int) -> Any:
    """The t whose transformation is this: √n·(3/γ)·(∛(1 + γ(t/√n − γ/(6n))) − 1), ∛ the real cube root.

    >>> float(hall_inverse(hall(2.0, -1.5, 50), -1.5, 50).round(9))
    2.0
    """
    symmetric = np.abs(skewness) < _SYMMETRIC
    g = np.where(symmetric, 1.0, skewness) / math.sqrt(n)
    return np.where(symmetric, t, 3 / g * (np.cbrt(1 + g * (t - g / 6)) - 1))


def careful_t(t: Array, skewness: Array, n: int) -> Array:
    """t, or Hall's transformation of it where that is nearer to 0, but never beyond 0.

    >>> careful_t(np.array([-3.0, 3.0, 0.1]), np.array([2.0, 2.0, -2.0]), 25).round(2).tolist()
    [-1.89, 3.0, 0.03]
    """
    return np.asarray(np.sign(t) * np.clip(np.sign(t) * hall(t, skewness, n), 0.0, np.abs(t)))


def asymmetric(skewness: Array, n_topics: int) -> bool:
    """Whether differences are so skewed that tests of ranks and signs reject equal means too often.

    >>> asymmetric(np.array([0.2, -0.8]), 50), asymmetric(np.array([0.2, -1.2]), 50)
    (False, True)
    """
    return n_topics >= FEWEST_TOPICS and float(np.abs(skewness).mean()) * math.sqrt(n_topics) >= LIMIT


# ── Tukey's HSD with topics as blocks, and the studentised range behind it ──


def _range_tail(width: Array, n_means: int) -> Array:
    """P(range of m standard normals > width), accurate also where it is tiny.

    With z the smallest value and Q the upper tail of the normal distribution: m ∫ φ(z) Q(z)^(m−1) {1 − (1 −
    Q(z+w)/Q(z))^(m−1)} dz, by the trapezoidal rule. It converges geometrically for an integrand that fades out at both
    ends.
    """
    log_q = special.log_ndtr(-_Z)
    weight = np.log(n_means) - _Z**2 / 2 - np.log(2 * np.pi) / 2 + (n_means - 1) * log_q
    ratio = np.exp(special.log_ndtr(-(_Z + width[..., None])) - log_q)
    inside = -np.expm1((n_means - 1) * np.log1p(-np.minimum(ratio, 1 - 1e-16)))
    return np.asarray((np.exp(weight) * inside).sum(axis=-1) * _STEP)


def exact_tail(q: Array, n_means: int, df: float) -> Array:
    """P(studentised range of m means with ν degrees of freedom > q), by quadrature for each q.

    ∫ P(range > q·s) f(s) ds with s² = χ²_ν/ν, over x = log s by the trapezoidal rule.
    """
    spread = 1 / np.sqrt(2 * df)
    x = np.linspace(-14 * spread, 7 * spread, 161)
    if df < 20:  # skewed: the lower end fades out like s^ν
        x = np.linspace(-45 / df, 7 * spread, 401)
    density = np.exp(np.log(2) + df / 2 * np.log(df / 2) - special.gammaln(df / 2) + df * x - df / 2 * np.exp(2 * x))
    weights = density * (x[1] - x[0])
    # A sum and no product of BLAS, whose last bits depend on the processor.
    tails = np.array([(_range_tail(value * np.exp(x), n_means) * weights).sum() for value in np.ravel(q)])
    return np.asarray(np.clip(tails, 0.0, 1.0).reshape(np.shape(q)))


def studentised_range_tail(q: Array, n_means: int, df: float) -> Array:
    """P(studentised range > q) for many q at once.

    The logarithm of `exact_tail` is interpolated by a Chebyshev polynomial through 96 points on [0, max q]. For 2 to
    300 means and 4 or more degrees of freedom the relative error is below 1e-6 for tails above 1e-12. It was checked
    against scipy.stats.studentized_range and `exact_tail`.

    >>> float(studentised_range_tail(np.array([3.877]), 3, 10)[0].round(4))  # 3.877 in the tables
    0.05
    """
    q = np.asarray(q, dtype=np.float64)
    top = float(q.max(initial=0.0))
    if q.size <= NODES or top == 0:
        return np.where(q == 0, 1.0, exact_tail(q, n_means, df))
    from numpy.polynomial.chebyshev import Chebyshev, chebpts1, chebvander

    # As Chebyshev.interpolate, with sums in place of its product of BLAS (see `exact_tail`).
    places = chebpts1(NODES)
    values = np.log(np.maximum(exact_tail((places + 1) / 2 * top, n_means, df), 1e-300))
    coefficients = (chebvander(places, NODES - 1) * values[:, None]).sum(axis=0) * 2 / NODES
    coefficients[0] /= 2
    logs = Chebyshev(coefficients, domain=[0, top])
    return np.where(q == 0, 1.0, np.minimum(np.exp(logs(q)), 1.0))


def critical_value(alpha: float, n_means: int, df: float) -> float:
    """The q whose tail is alpha, by bisection to the last bits.

    >>> round(critical_value(0.05, 3, 10), 4)
    3.8768
    """
    low, high = 0.0, 1.0
    while exact_tail(np.array(high), n_means, df) > alpha:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        if exact_tail(np.array(middle), n_means, df) > alpha:
            low = middle
        else:
            high = middle
    return high


def tukey(scores: GridScores, pairs: Pairs, alpha: float) -> PValues:
    """Tukey's HSD with topics as blocks: q = |difference|/√(V_E2/n), m means, (m−1)(n−1) degrees of freedom.

    Controls the family-wise error over all pairs under normal errors of one variance; with very unequal variances
    it rises (to .12 in simulation, docs/compare_tables.md). For two systems it is the paired t-test.
    """
    n, m = scores.values.shape
    difference, error = pairs.of(scores.sums) / n, np.sqrt(residual_variance(scores) / n)
    p = _tukey_p(difference, error, n, m, scores.step)
    half = critical_value(alpha, m, float((m - 1) * (n - 1))) * error if error > 0 else 0.0
    return PValues(p, 0.0, False, 0, difference - half, difference + half)


def tukey_of_families(families: list[GridScores], pairs: Pairs) -> Array:
    """Families × pairs: the p-values of `tukey` for many families of one size, which share the table of the tail."""
    n, m = families[0].values.shape
    difference = np.stack([pairs.of(scores.sums) / n for scores in families])
    error = np.sqrt(np.array([[residual_variance(scores) / n] for scores in families]))
    return _tukey_p(difference, error, n, m, families[0].step)


def _tukey_p(difference: Array, error: Array, n: int, m: int, step: float) -> Array:
    """The tail of |difference|/error; without a residual all differences but 0 are certain."""
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(error > 0, np.abs(difference) / error, 0.0)
    tail = np.maximum(studentised_range_tail(q, m, float((m - 1) * (n - 1))), TINY)
    return np.where(error > 0, tail, np.where(np.abs(difference) <= 2 * step, 1.0, TINY))
