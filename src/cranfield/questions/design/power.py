"""Power of the tests and expected width of the intervals, for whole arrays of designs at once.

One function serves every exact power: the two-sided t-test is the F-test with one degree of freedom between,
so a design gives its degrees of freedom and noncentrality λ. `simulate_power` takes real scores as the population.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.special import stdtrit

from cranfield.core.defaults import ALPHA, SEED
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.resampling import generator
from cranfield.questions.design.grid import count, positive, probability
from cranfield.scores.matrix import ScoreMatrix

Array = NDArray[np.float64]
HUGE = 1e10
"""A noncentrality from which the numerator of F′ is as good as constant; the series of the library would take long."""
_SHARES = 16
"""Equally likely variances that stand for all pairs where these differ."""
_SERIES_FROM = 5_000.0
_BLOCK = 100
"""Trials drawn from one generator."""


@dataclass(frozen=True)
class FTest:
    """An F-test as the designs see it: degrees of freedom and noncentrality from n topics, m systems.

    Parameters
    ----------
    title : what it is called in results
    between, error : degrees of freedom as functions of (n, m)
    noncentrality : λ per unit of minD²/variance, as a function of n
    comparisons : how many tests share α, as a function of m
    """

    title: str
    between: Callable[[Array, Array], Array]
    error: Callable[[Array, Array], Array]
    noncentrality: Callable[[Array], Array]
    comparisons: Callable[[Array], Array] = np.ones_like


ONE_WAY = FTest("one-way ANOVA", lambda n, m: m - 1, lambda n, m: m * (n - 1), lambda n: n / 2)
"""m independent groups of n topics; best and worst at ±minD/2, the others at the mean (Sakai (2014a), §3.1)."""
BLOCKED = FTest("blocked (two-way) ANOVA", lambda n, m: m - 1, lambda n, m: (m - 1) * (n - 1), lambda n: n / 2)
"""The same n topics for all m systems; the variance is then V_E2."""
PAIRED = FTest("paired t-test", lambda n, m: np.ones_like(n), lambda n, m: n - 1, lambda n: n)
"""n differences; the variance is that of a difference."""
ALL_PAIRS = replace(PAIRED, title="all pairs, corrected", comparisons=lambda m: m * (m - 1) / 2)
"""One of all m(m−1)/2 pairs after correction; the variance is that of a difference."""
WITH_BASELINE = replace(PAIRED, title="comparisons with a baseline, corrected", comparisons=lambda m: m - 1)
"""One of the m − 1 comparisons with a baseline after correction."""
TWO_SAMPLE = FTest("two-sample t-test", lambda n, m: np.ones_like(n), lambda n, m: 2 * (n - 1), lambda n: n / 2)
"""Two groups of n topics each; the variance is that of a score."""


def critical_f(between: Array, error: Array, alpha: Array) -> Array:
    """F_α(φ_A, φ_E), also for an α so small that 1 − α rounds to 1."""
    critical = np.asarray(special.fdtri(between, error, 1 - alpha))
    tiny = alpha < 1e-8
    if np.any(tiny):
        # F = (φ_E/φ_A)·y/(1−y) with y beta-distributed; both parts are found from the upper tail.
        with np.errstate(divide="ignore", over="ignore"):  # where next to no degrees of freedom are left: infinite
            upper = special.betainccinv(between / 2, error / 2, alpha) / special.betaincinv(
                error / 2, between / 2, alpha
            )
            critical = np.where(tiny, error / between * upper, critical)
    return critical


def exact_power(between: Array, error: Array, noncentrality: Array, critical: Array) -> Array:
    """P(F′(φ_A, φ_E, λ) ≥ F_α), with the non-central F distribution, for a critical value F_α.

    For a huge λ the numerator χ′²(φ_A, λ) is λ + φ_A, and the power is P(χ²(φ_E) ≤ φ_E·(λ + φ_A)/(φ_A·F_α)).

    >>> between, error, alpha = np.full(2, 3.0), np.full(2, 2.0), np.full(2, 1e-9)
    >>> ends = np.array([0.9999e10, 1.0001e10])  # on both sides of where the series is left
    >>> exact_power(between, error, ends, critical_f(between, error, alpha)).round(4).tolist()
    [0.9643, 0.9643]
    """
    power = np.asarray(1 - special.ncfdtr(between, error, np.minimum(noncentrality, HUGE), critical))
    huge = noncentrality > HUGE
    if np.any(huge):
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # certain, or a cell without an answer
            reached = special.gammainc(error / 2, error * (noncentrality + between) / (2 * between * critical))
        power = np.where(huge, reached, power)
    # Where the lower tail underflows (below 1e-300) the library answers NaN for some arguments; there the
    # approximation gives the same 1.
    lost = np.isnan(power)
    if lost.any():
        power = np.where(lost, normal_power(between, error, noncentrality, critical, sign=1), power)
    return power


def normal_power(between: Array, error: Array, noncentrality: Array, critical: Array, sign: int) -> Array:
    """The normal approximation to the power of an F-test: `sign` −1 as in the published spreadsheet, +1 as derived.

    A radicand that is not positive (possible with −1 at very small n) counts as power 0: "not reached".
    """
    noncentrality = np.minimum(noncentrality, 1e150)  # certainty; its square is still a number
    with np.errstate(invalid="ignore", divide="ignore"):  # a cell without an answer may be infinite or NaN
        c = (between + 2 * noncentrality) / (between + noncentrality)
        star = (between + noncentrality) ** 2 / (between + 2 * noncentrality)
        radicand = c / between + sign * critical / error
        top = np.sqrt(critical / error * (2 * error - 1)) - np.sqrt(c / between * (2 * star - 1))
        z = top / np.sqrt(radicand)
    return np.where(radicand <= 0, 0.0, special.ndtr(-z))


def published_t_power(between: Array, error: Array, noncentrality: Array, critical: Array) -> Array:
    """The papers' normal approximation to the power of a two-sided t-test with `error` degrees of freedom.

    Noncentrality and critical value are those of the F-test, λ² and t²; `between` is 1, for the common signature.
    """
    w = np.sqrt(critical)
    shift, spread = np.sqrt(noncentrality), np.sqrt(1 + w**2 / (2 * error))
    edge = w * (1 - 1 / (4 * error))
    return np.asarray(special.ndtr((-edge - shift) / spread) + special.ndtr((shift - edge) / spread))


def effective_epsilon(epsilon: Array, between: Array, noncentrality: Array) -> Array:
    """What multiplies degrees of freedom and λ of the statistic when the effect has an average direction.

    Let Σ be the doubly centred covariance and d an effect. The systems' sum of squares has mean n·d′d + tr Σ and
    variance 2·tr Σ² + 4n·d′Σd; over all directions d′Σd is d′d·tr Σ/φ_A on average. A multiple of a non-central
    chi-square with this mean and variance has φ_A and λ multiplied by (φ_A + 2λ)/(φ_A/ε + 2λ): ε itself without an
    effect, nearer to 1 the larger it is. Plain ε (Muller and Barton 1989) puts the effect where scores vary most and
    asks for too many topics: 71 instead of the 62 that simulation needs for 20 systems of Terabyte 2006.

    >>> float(effective_epsilon(np.array(0.4), np.array(19.0), np.array(0.0)))
    0.4
    """
    with np.errstate(invalid="ignore"):  # a cell without an answer may be infinite
        return np.asarray((between + 2 * noncentrality) / (between / epsilon + 2 * noncentrality))


def spread_shares(spread: Array) -> Array:
    """Variances of pairs as multiples of their mean: quantiles of a gamma distribution, one column per cell.

    `spread` is the coefficient of variation; with 0 all shares are 1.

    >>> spread_shares(np.array([0.0, 0.5]))[[0, -1]].round(2).tolist()
    [[1.0, 0.29], [1.0, 2.12]]
    """
    middles = (np.arange(_SHARES) + 0.5)[:, None] / _SHARES
    shape = 1 / np.square(np.maximum(spread, 1e-3))
    shares = special.gammaincinv(shape, middles)
    return np.asarray(np.where(spread > 1e-3, shares / shares.mean(axis=0), 1.0))


def root_variance_factor(df: Array) -> Array:
    """E(√V)/σ for a variance V with `df` degrees of freedom: √(2/φ)·Γ((φ+1)/2)/Γ(φ/2) (Sakai (2014b), eq. 8).

    By log-gamma, and by its series in 1/φ where the two logarithms would cancel: exact at any size.
    """
    df = np.asarray(df, dtype=np.float64)
    small, large = np.minimum(df, _SERIES_FROM), np.maximum(df, _SERIES_FROM)
    direct = np.sqrt(2 / small) * np.exp(special.gammaln((small + 1) / 2) - special.gammaln(small / 2))
    series = 1 - 1 / (4 * large) + 1 / (32 * large**2) + 5 / (128 * large**3)
    return np.where(df <= _SERIES_FROM, direct, series)


def expected_width(n: Array, variance_of_difference: Array, alpha: Array, df: Array) -> Array:
    """E(2·MOE) = 2·t(φ; α)·E(√V)/√n (Sakai (2014b), eq. 7), with φ = n − 1 for pairs and 2(n − 1) for two groups."""
    t = -special.stdtrit(df, alpha / 2)
    return np.asarray(2 * t * root_variance_factor(df) * np.sqrt(variance_of_difference / n))


@dataclass(frozen=True)
class SimulatedPower:
    """Share of trials in which best against worst was significant, with its Monte-Carlo standard error.

    Attributes
    ----------
    power, error : float
    false : float
        Share of trials in which two of the systems with equal means were declared different (family-wise).
    trials : int
    """

    power: float
    error: float
    false: float
    trials: int


def simulate_power(
    population: ScoreMatrix,
    n_topics: int,
    min_diff: float,
    *,
    n_systems: int | None = None,
    alpha: float = ALPHA,
    baseline: bool = False,
    trials: int = 2000,
    seed: int = SEED,
) -> SimulatedPower:
    """How often does a collection of `n_topics` topics show that the best of k systems beats the worst?

    Every trial draws k systems of the population and `n_topics` topics with replacement. It removes each system's
    mean and puts the first system at +minD/2, the second at −minD/2 and all others at 0, the least favourable case. It
    runs the paired t-test on every pair, or on every pair with the second system (`baseline`), with Holm's correction.
    All other properties of the scores (skew, ties, unequal variances, similar systems) are kept.

    Parameters
    ----------
    population : ScoreMatrix
        Scores to draw topics and systems from.
    n_topics, min_diff, n_systems, alpha, baseline
        The design under test, as in `design_all_pairs`; all systems of the population unless `n_systems` is given.
    trials, seed : int

    Examples
    --------
    Normal scores with equal variances: 47 topics are designed for 20 systems, minD = .10 and a variance of
    differences of .02.

    >>> values = np.random.default_rng(1).normal(0.4, 0.1, size=(5000, 20))
    >>> population = ScoreMatrix(values, map(str, range(5000)), map(str, range(20)), "AP")
    >>> 0.75 < simulate_power(population, 47, 0.10, trials=500).power < 0.87
    True
    """
    x = population.require(what="a simulation of power").canonical().values
    n, m = int(count("n_topics", n_topics)), x.shape[1]
    k = m if n_systems is None else int(count("n_systems", n_systems))
    if k > m:
        raise ArgumentError(f"`n_systems` is {k}, but the population has {m} systems; draw at most {m}.")
    difference, level = positive("min_diff", min_diff), probability("alpha", alpha)
    if trials < 1 or trials != int(trials):
        raise ArgumentError(f"`trials` must be a whole number of at least 1; got {trials}.")
    if float(np.ptp(x)) == 0:
        raise DataError(f"{population.measure}: all scores are {x.flat[0]:g}. There is nothing to draw")
    residuals = x - x.mean(axis=0)
    shift = np.zeros(k)
    shift[0], shift[1] = difference / 2, -difference / 2
    first, second = _comparisons(k, baseline)
    # |t| that Holm asks of the largest, the second largest, …
    critical = -stdtrit(n - 1, level / (2 * np.arange(len(first), 0, -1)))
    wanted = int(np.flatnonzero((first == 0) & (second == 1))[0])
    equal = (first > 1) & (second > 1)
    hits = wrong = 0
    for block, start in enumerate(range(0, trials, _BLOCK)):
        random = generator(seed, n, k, block)
        size = min(_BLOCK, trials - start)
        systems = random.random((_BLOCK, m)).argsort(axis=1)[:size, None, :k]
        topics = random.integers(len(x), size=(_BLOCK, n))[:size, :, None]
        rejected = _holm(np.abs(_t_statistics(residuals[topics, systems] + shift, first, second)), critical)
        hits += int(rejected[:, wanted].sum())
        wrong += int(rejected[:, equal].any(axis=1).sum())
    power = hits / trials
    return SimulatedPower(power, math.sqrt(max(power * (1 - power), 1 / trials) / trials), wrong / trials, trials)


def _comparisons(k: int, baseline: bool) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The pairs that are tested; best against worst, (0, 1), is always one of them."""
    if baseline:
        first = np.asarray([j for j in range(k) if j != 1])
        return first, np.ones_like(first)
    first, second = np.triu_indices(k, k=1)
    return first, second


def _t_statistics(scores: Array, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
    """Paired t of the given pairs for scores (trials, topics, systems); 0 for systems that are the same."""
    n = scores.shape[1]
    means = scores.mean(axis=1)
    centred = scores - means[:, None]
    products = np.swapaxes(centred, 1, 2) @ centred
    own = np.diagonal(products, axis1=1, axis2=2)
    squares = np.maximum(own[:, first] + own[:, second] - 2 * products[:, first, second], 0.0)
    differences = means[:, first] - means[:, second]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = differences / np.sqrt(squares / (n * (n - 1)))
    return np.asarray(np.where(np.abs(differences) < 1e-12, 0.0, t))


def _holm(statistics: Array, critical: Array) -> NDArray[np.bool_]:
    """Which statistics are significant after Holm: each of the larger ones passes its own bar."""
    order = np.argsort(-statistics, axis=1)
    passed = np.logical_and.accumulate(np.take_along_axis(statistics, order, axis=1) >= critical, axis=1)
    rejected = np.zeros_like(passed)
    np.put_along_axis(rejected, order, passed, axis=1)
    return rejected
