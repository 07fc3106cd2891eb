"""Topics for max-t: the power of the test that large families get, from a critical value found on past scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, ndtr, ndtri

from cranfield.core.defaults import ALPHA, SEED
from cranfield.core.errors import ArgumentError
from cranfield.core.resampling import generator
from cranfield.questions.compare.family import GridScores, Pairs, all_pairs
from cranfield.questions.compare.max_t import KAPPA, max_t, mean_variance
from cranfield.questions.compare.resampled import Resampling
from cranfield.questions.design.power import SimulatedPower, spread_shares
from cranfield.scores.matrix import ScoreMatrix

Array = NDArray[np.float64]

GRID: Final = (12, 25, 50, 100, 200)
"""Numbers of topics at which the critical value is found; between them it is interpolated over 1/n."""
SUBSETS: Final = 12
"""Random subsets of past systems behind each critical value."""
RESAMPLES: Final = 999
MOST_PAIRS: Final = 3_000_000
"""Pairs times subsets beyond which fewer subsets are drawn: large families vary less."""
MOST_TOPICS: Final = 1_000_000_000
TRIAL_RESAMPLES: Final = 399
"""Resamples of a simulated test."""
_STREAM, _TRIALS = 61, 62
_QUANTILES: Final = 32
"""Equally likely values of s²/σ² that stand for its distribution."""


@dataclass(frozen=True)
class CriticalValues:
    """c by number of topics, for k systems like the past ones."""

    sizes: tuple[int, ...]
    values: tuple[float, ...]

    def at(self, n: float) -> float:
        """c for this many topics: linear in 1/n, constant outside the grid."""
        inverse = [1 / size for size in reversed(self.sizes)]
        return float(np.interp(1 / n, inverse, list(reversed(self.values))))


def critical_values(
    past: Sequence[ScoreMatrix], n_systems: int, *, alpha: float, baseline: bool, seed: int, sizes: Iterable[int] = GRID
) -> CriticalValues:
    """The mean critical value of max-t on random subsets of past systems, topics drawn with replacement to each size.

    With fewer past systems than `n_systems`, c of all of them is found. The number of independent comparisons that
    it stands for, α over the normal tail beyond c, is then scaled by the number of pairs.
    """
    listed = list(past)
    found: dict[int, float] = {}
    sizes = tuple(sizes)
    for n in sizes:
        values = []
        for number in range(_subsets(n_systems)):
            whole = listed[number % len(listed)].canonical().values
            k = min(n_systems, whole.shape[1])
            rng = generator(seed, _STREAM, number)
            # The same systems at every size: c then changes smoothly with it.
            systems = rng.permutation(whole.shape[1])[:k]
            topics = rng.integers(0, len(whole), n)
            scores = GridScores.of(whole[topics][:, systems])
            if k < 2 or mean_variance(scores) == 0:
                continue
            pairs = _family(k, baseline)
            how = Resampling(n_resamples=RESAMPLES, seed=seed + number, percentiles=False)
            maximum = max_t(scores, pairs, how, alpha).maximum
            assert maximum is not None
            values.append(_stretched(maximum.critical(alpha), len(pairs), comparisons(n_systems, baseline), alpha))
        if values:
            found[n] = float(np.mean(values))
    if not found:
        raise ArgumentError("past scores that are all equal give no critical value. Give scores that differ.")
    return CriticalValues(tuple(found), tuple(found.values()))


def comparisons(n_systems: int, baseline: bool) -> int:
    """The size of the family.

    >>> comparisons(20, False), comparisons(20, True)
    (190, 19)
    """
    return n_systems - 1 if baseline else n_systems * (n_systems - 1) // 2


def _family(k: int, baseline: bool) -> Pairs:
    """The comparisons; the second system is the baseline, so that the first pair is always (0, 1)."""
    if not baseline:
        return all_pairs(k)
    others = np.asarray([j for j in range(k) if j != 1])
    return Pairs(others, np.ones_like(others))


def _subsets(k: int) -> int:
    return int(np.clip(MOST_PAIRS // (k * k * GRID[-1]), 4, SUBSETS))


def _stretched(c: float, pairs: int, wanted: int, alpha: float) -> float:
    """c of a larger family, by the number of independent comparisons that c stands for."""
    if pairs == wanted:
        return c
    effective = alpha / (2 * float(ndtr(-c)))
    return float(-ndtri(alpha / (2 * max(effective * wanted / pairs, 1.0))))


@dataclass(frozen=True)
class MaxTPower:
    r"""Power of max-t for a difference between two systems, averaged over pairs.

    T = |d|/√((s² + κ·v0)/n) with κ = ½ and v0 the mean variance of a pair. For a pair of variance σ² = u·v0 and
    s² = w·σ², power is P(\|N(δ√n, σ²)\| > c·√((w·u + κ)·v0)), averaged over w (a χ² with n − 1 degrees of freedom over
    n − 1) and over u (a gamma distribution with mean 1 and the spread of the past pairs).

    Attributes
    ----------
    critical : c by number of topics
    spread : coefficient of variation of the pairs' variances, as in `design_all_pairs`
    """

    critical: CriticalValues
    spread: float

    def power(self, n: int, min_diff: float, variance: float) -> float:
        """Power with n topics, for `variance` the mean variance of a difference, v0.

        >>> MaxTPower(CriticalValues((50,), (3.0,)), 0.0).power(50, 0.0, 0.02) < 0.01
        True
        """
        u = spread_shares(np.array([self.spread]))  # shares × 1
        tail = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
        w = chdtri(n - 1, tail) / (n - 1)
        bound = self.critical.at(n) * np.sqrt(w * u + KAPPA)
        shift = min_diff * math.sqrt(n / variance)
        reached = ndtr((shift - bound) / np.sqrt(u)) + ndtr((-shift - bound) / np.sqrt(u))
        return float(reached.mean())

    def topics(self, min_diff: float, variance: float, power: float) -> int:
        """The smallest number of topics with that power."""

        def enough(n: int) -> bool:
            return self.power(n, min_diff, variance) >= power

        high = 4
        while not enough(high):
            high *= 2
            if high > MOST_TOPICS:
                raise ArgumentError(
                    f"`min_diff` = {min_diff:g} needs more than {MOST_TOPICS:,} topics. Give a larger one."
                )
        low = 1  # no test has a single topic
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return high

    def min_diff(self, n: int, variance: float, power: float) -> float:
        """The difference that n topics detect with that power."""
        low, high = 0.0, math.sqrt(variance / n)
        while self.power(n, high, variance) < power:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if self.power(n, middle, variance) >= power else (middle, high)
        return high


def max_t_power(
    past: Mapping[str, ScoreMatrix], n_systems: int, *, alpha: float, baseline: bool, seed: int, spread: float
) -> MaxTPower:
    """The power of max-t for so many systems like the past ones."""
    found = critical_values(list(past.values()), n_systems, alpha=alpha, baseline=baseline, seed=seed)
    return MaxTPower(found, spread)


def simulate_max_t_power(
    population: ScoreMatrix,
    n_topics: int,
    min_diff: float,
    *,
    n_systems: int,
    alpha: float = ALPHA,
    baseline: bool = False,
    trials: int = 200,
    seed: int = SEED,
    n_resamples: int = TRIAL_RESAMPLES,
) -> SimulatedPower:
    """How often does max-t show that the best of k systems beats the worst? The twin of `simulate_power`.

    The trials are the same: k systems, topics with replacement, equal means but for ±minD/2 of the first two.

    >>> values = np.random.default_rng(1).normal(0.4, 0.1, size=(500, 12))
    >>> scores = ScoreMatrix(values, map(str, range(500)), map(str, range(12)), "AP")
    >>> 0.5 < simulate_max_t_power(scores, 40, 0.10, n_systems=10, trials=50).power <= 1
    True
    """
    x = population.canonical().values
    residuals = x - x.mean(axis=0)
    shift = np.zeros(n_systems)
    shift[0], shift[1] = min_diff / 2, -min_diff / 2
    pairs = _family(n_systems, baseline)
    equal = (pairs.a > 1) & (pairs.b > 1)
    hits = wrong = 0
    for trial in range(trials):
        rng = generator(seed, _TRIALS, trial)
        systems = rng.permutation(x.shape[1])[:n_systems]
        scores = GridScores.of(residuals[rng.integers(0, len(x), n_topics)][:, systems] + shift)
        how = Resampling(n_resamples=n_resamples, seed=seed + trial, percentiles=False)
        maximum = max_t(scores, pairs, how, alpha).maximum
        assert maximum is not None
        rejected = maximum.statistic > maximum.critical(alpha)
        hits += bool(rejected[0])
        wrong += bool(rejected[equal].any())
    power = hits / trials
    return SimulatedPower(power, math.sqrt(max(power * (1 - power), 1 / trials) / trials), wrong / trials, trials)
