"""`simulate_power`: power to separate best from worst, with real scores as the population."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.core.defaults import ALPHA, SEED
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.resampling import generator
from cranfield.questions.design.grid import count, positive, probability
from cranfield.scores.matrix import ScoreMatrix

Array = NDArray[np.float64]

_BLOCK = 100
"""Trials drawn from one generator."""


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
