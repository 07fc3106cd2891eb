"""How near a share that was counted in simulated trials is to the true rate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]
CONFIDENCE = 0.99
"""Of a single interval; many are looked at together."""


def rate_interval(outcomes: NDArray[np.bool_], cluster: int = 1) -> tuple[float, float, float]:
    """The share of trials that are true, with its interval by Clopper and Pearson (Biometrika 26, 1934).

    Trials that share a pair come `cluster` in a row. They count as the number of independent trials that has the
    observed variance between pairs; if all trials agree, a pair counts once.

    >>> [round(x, 4) for x in rate_interval(np.arange(1000) < 50)]
    [0.05, 0.0339, 0.0705]
    """
    rate = float(outcomes.mean())
    return _interval(rate, len(outcomes) / _inflation(outcomes, cluster, rate))


def _inflation(outcomes: NDArray[np.bool_], cluster: int, rate: float) -> float:
    """How many times the variance of the rate is that of independent trials; at least 1."""
    means = _cluster_means(outcomes, cluster)
    if cluster == 1 or len(means) < 2 or rate in (0.0, 1.0):
        return min(cluster, len(outcomes))
    return max(1.0, float(means.var(ddof=1)) / len(means) / (rate * (1 - rate) / len(outcomes)))


def mean_interval(shares: Array, cluster: int = 1) -> tuple[float, float, float]:
    """The mean of shares, one per trial, with its interval.

    It is that of `rate_interval` for as many trials as would have the standard error that is seen; where all shares
    agree, for as many as there are clusters.

    >>> [round(x, 3) for x in mean_interval(np.array([0.2, 0.4, 0.3, 0.3] * 25))]
    [0.3, 0.282, 0.319]
    """
    means, mean = _cluster_means(shares, cluster), float(shares.mean())
    variance = float(means.var(ddof=1)) / len(means) if np.ptp(means) > 0 else 0.0
    return _interval(mean, mean * (1 - mean) / variance if variance > 0 else len(means))


def _cluster_means(outcomes: NDArray[Any], cluster: int) -> Array:
    """The mean of every whole cluster; of all outcomes where there is none."""
    whole = len(outcomes) // cluster
    if whole == 0:
        return np.array([outcomes.mean()])
    return np.asarray(outcomes[: whole * cluster].reshape(whole, cluster).mean(axis=1))


def _interval(rate: float, trials: float) -> tuple[float, float, float]:
    """A rate seen in so many independent trials, and its ends."""
    hits, tail = rate * trials, (1 - CONFIDENCE) / 2
    lower = 0.0 if hits == 0 else float(special.betaincinv(hits, trials - hits + 1, tail))
    upper = 1.0 if rate == 1 else float(special.betaincinv(hits + 1, trials - hits, 1 - tail))
    return rate, min(lower, rate), max(upper, rate)


def binomial_bounds(level: float, trials: int, outside: float = 0.001) -> tuple[float, float]:
    """Between which shares a test of exact level stays but for the given probability on each side.

    >>> [round(bound, 4) for bound in binomial_bounds(0.05, 2000)]
    [0.0355, 0.0655]
    """
    k = np.arange(trials + 1)
    at_most = np.asarray(special.bdtr(k, trials, level))
    low = int(np.searchsorted(at_most, outside))
    high = int(np.searchsorted(at_most, 1 - outside))
    return low / trials, high / trials
