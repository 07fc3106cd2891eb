"""The tests of `compare` once more, written apart from it and for many trials: docs/validate.py measures with these.

`tests/test_validation.py` holds them against `compare`: the same statistic, and with the same resamples the same
critical value, sets, intervals and probabilities. Resamples are shared by a few trials in a row (`Shared`), because
drawing them would take most of the time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Array = NDArray[np.float64]
Small = NDArray[np.float32]
Places = NDArray[np.intp]
KAPPA = 0.5
TRIALS_SHARED = 10
"""Trials in a row that share their resamples."""
_CHUNK = 1024
"""Pairs handled together, so that they stay in the processor's cache."""


class Shared:
    """Resamples, drawn anew every ten trials."""

    def __init__(self, draw: Callable[[np.random.Generator], Array]) -> None:
        self.draw, self.used, self.kept = draw, 0, np.empty(0)

    def next(self, rng: np.random.Generator) -> Array:
        """Those of this trial."""
        if self.used % TRIALS_SHARED == 0:
            self.kept = self.draw(rng)
        self.used += 1
        return self.kept


def topic_shares(n: int, resamples: int) -> Shared:
    """w ~ Multinomial(n, 1/n)/n, resamples × topics."""
    return Shared(lambda rng: rng.multinomial(n, np.full(n, 1 / n), resamples) / n)


def signs(n: int, resamples: int) -> Shared:
    """Random signs, resamples × topics."""
    return Shared(lambda rng: rng.choice([-1.0, 1.0], (resamples, n)))


def place_of(alpha: float, resamples: int) -> int:
    """Which of the ascending values is the critical one: the ⌈(1 − α)(B + 1)⌉-th, counted from 0."""
    return math.ceil((1 - alpha) * (resamples + 1) - 1e-9) - 1


def mean_variance(x: Array) -> float:
    """v0, the mean variance of a pair: twice the sum of the residual variances over m − 1."""
    return float(2 * (x - x.mean(axis=1, keepdims=True)).var(axis=0, ddof=1).sum() / (x.shape[1] - 1))


@dataclass(frozen=True)
class Family:
    """Max-t of a family: d, the error and T of every pair, and c. `own` has c_a of every system, if asked for."""

    d: Array
    error: Array
    statistic: Array
    critical: float
    own: Array | None = None


def max_t(x: Array, a: Places, b: Places, weights: Array, alpha: float, *, each: bool = False) -> Family:
    """Max-t with moderated variance, by the formula: E is formed, and nothing is shared between pairs."""
    n, m = x.shape
    added = KAPPA * mean_variance(x)
    w = weights.astype(np.float32)
    largest, own = np.zeros(len(w), np.float32), np.zeros((m, len(w)), np.float32)
    mean, error = np.empty(len(a)), np.empty(len(a))
    for start in range(0, len(a), _CHUNK):
        at = slice(start, start + _CHUNK)
        difference = x[:, a[at]] - x[:, b[at]]
        mean[at] = difference.mean(axis=0)
        error[at] = np.sqrt((difference.var(axis=0, ddof=1) + added) / n)
        centred = ((difference - mean[at]) * math.sqrt(n / (n - 1))).astype(np.float32)
        e = w @ centred
        below = w @ np.square(centred)
        np.square(e, out=e)
        below -= e
        below *= n / (n - 1)
        below += np.float32(added)
        e /= below
        np.maximum(largest, e.max(axis=1), out=largest)
        if each:
            for system in range(m):
                inside = (a[at] == system) | (b[at] == system)
                if inside.any():
                    np.maximum(own[system], e[:, inside].max(axis=1), out=own[system])
    place = place_of(alpha, len(w))
    c = math.sqrt(n * float(np.partition(largest, place)[place]))
    of_systems = np.sqrt(n * np.partition(own, place, axis=1)[:, place].astype(np.float64)) if each else None
    return Family(mean, error, np.abs(mean) / error, c, of_systems)


def ranks(found: Family, a: Places, b: Places, m: int) -> tuple[Places, Places]:
    """Rank intervals: from 1 + the systems significantly better at c_a to m − those significantly worse."""
    assert found.own is not None
    t = np.zeros((m, m))
    t[a, b], t[b, a] = found.d / found.error, -found.d / found.error
    passed = np.abs(t) > found.own[:, None]
    return 1 + (passed & (t < 0)).sum(axis=1), m - (passed & (t > 0)).sum(axis=1)


def inverted(d: Array, flips: Array, level: float) -> tuple[Array, Array]:
    """Intervals by inverting the randomisation test: order statistics of the mean differences over sets of topics."""
    chosen = (flips < 0).astype(np.float64)
    size = chosen.sum(axis=1)
    means = (chosen @ d)[size > 0] / size[size > 0, None]
    k = math.floor(level / 2 * (len(flips) + 1) + 1e-9)
    ordered = np.partition(means, [k - 1, len(means) - k], axis=0)
    return ordered[k - 1], ordered[len(means) - k]


def probabilities(x: Array, a: Places, b: Places, margin: float) -> tuple[Array, Array, Array]:
    """The Bayesian view: P(better by more than the margin), P(within), P(worse) of every pair."""
    n = len(x)
    difference = x[:, a] - x[:, b]
    residual = mean_variance(x) / 2
    systems = max(n * x.mean(axis=0).var(ddof=1) - residual, 0.0) / n
    v = (difference.var(axis=0, ddof=1) + KAPPA * 2 * residual) / ((1 + KAPPA) * n)
    omega = 2 * systems / (2 * systems + v)
    if systems == 0:
        nothing = np.zeros(len(v))
        return nothing, np.ones(len(v)), nothing
    centre, spread = omega * difference.mean(axis=0), np.sqrt(omega * v)
    better, worse = ndtr((centre - margin) / spread), ndtr((-centre - margin) / spread)
    return better, 1 - better - worse, worse
