"""How near a share that was counted in simulated trials is to the true rate."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]
CONFIDENCE = 0.99
"""Of a single interval; many are looked at together."""


def rate_interval(outcomes: NDArray[np.bool_], cluster: int = 1) -> tuple[float, float, float]:
    """The share of trials that are true, with its interval by Clopper and Pearson (Biometrika 26, 1934).

    Trials that share a pair (`cluster` of them in a row) count for as many independent ones as have the variance that
    is seen between the pairs.

    >>> [round(x, 4) for x in rate_interval(np.arange(1000) < 50)]
    [0.05, 0.0339, 0.0705]
    """
    trials, rate = len(outcomes), float(outcomes.mean())
    effective = trials / _inflation(outcomes, cluster, rate)
    hits, tail = rate * effective, (1 - CONFIDENCE) / 2
    lower = 0.0 if hits == 0 else float(special.betaincinv(hits, effective - hits + 1, tail))
    upper = 1.0 if rate == 1 else float(special.betaincinv(hits + 1, effective - hits, 1 - tail))
    return rate, min(lower, rate), max(upper, rate)


def _inflation(outcomes: NDArray[np.bool_], cluster: int, rate: float) -> float:
    """How many times the variance of the rate is that of independent trials; at least 1."""
    whole = len(outcomes) // cluster
    if cluster == 1 or whole < 2 or rate in (0.0, 1.0):
        return 1.0
    means = outcomes[: whole * cluster].reshape(whole, cluster).mean(axis=1)
    return max(1.0, float(means.var(ddof=1)) / whole / (rate * (1 - rate) / len(outcomes)))


def mean_interval(shares: Array, cluster: int = 1) -> tuple[float, float, float]:
    """The mean of shares, one per trial, with its normal interval, within [0, 1].

    >>> [round(x, 3) for x in mean_interval(np.array([0.2, 0.4, 0.3, 0.3] * 25))]
    [0.3, 0.282, 0.318]
    """
    whole = max(1, len(shares) // cluster)
    means = shares[: whole * cluster].reshape(whole, cluster).mean(axis=1)
    mean = float(shares.mean())
    spread = float(means.std(ddof=1)) if whole > 1 else 0.5
    # Shares that are all alike say little more than that others are rare.
    least = math.sqrt(max(mean * (1 - mean), 1 / len(shares)) / len(shares)) if spread == 0 else 0.0
    half = float(special.ndtri((1 + CONFIDENCE) / 2)) * max(spread / math.sqrt(whole), least)
    return mean, max(0.0, mean - half), min(1.0, mean + half)


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
