"""Boundaries of looks: how small p must be at each, so that all looks together keep the level.

The standardised sum of differences after n_1 < n_2 < … topics is a Brownian motion observed at those times. The density
of paths that have crossed no boundary is integrated numerically from look to look (Armitage, McPherson & Rowe 1969).
So looks need not be equally spaced.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from cranfield.core.defaults import ALPHA, SPENDING, Spending
from cranfield.core.errors import ArgumentError
from cranfield.core.options import one_of, share

Array = NDArray[np.float64]
_FAR = 10.0
"""Paths beyond so many standard deviations are ignored: fewer than one in 10²²."""
_MOST_NODES = 1000


def spent(fraction: ArrayLike, spending: Spending = SPENDING, alpha: float = ALPHA) -> Array:
    """The two-sided level that may be spent after a share t of the planned topics (Lan & DeMets 1983).

    ``obrien-fleming``: 4 − 4·Φ(z_{α/4}/√t), very little at first. ``pocock``: α·log(1 + (e − 1)t), nearly even.
    Each is two one-sided spending functions of α/2; both reach α at t = 1.

    >>> spent([0.2, 0.6, 1.0], "pocock").round(4).tolist()
    [0.0148, 0.0354, 0.05]
    >>> spent([0.2, 0.6, 1.0]).round(4).tolist()
    [0.0, 0.0076, 0.05]
    """
    one_of("spending", spending, Spending)
    t = np.minimum(np.asarray(fraction, dtype=np.float64), 1.0)
    if spending == "pocock":
        return np.asarray(alpha * np.log1p((math.e - 1) * t))
    return np.asarray(4 * ndtr(ndtri(alpha / 4) / np.sqrt(t)))


def family_spent(fraction: ArrayLike, spending: Spending, alpha: float, pairs: int) -> Array:
    """The level that a family of C pairs may spend, each spending its α/C: C·α(t; α/C).

    With O'Brien–Fleming-like spending this is less than one pair alone would spend at the same time.

    >>> family_spent([0.6, 1.0], "obrien-fleming", 0.05, 10).round(4).tolist()
    [0.0019, 0.05]
    """
    return pairs * spent(fraction, spending, alpha / pairs)


def spending_boundaries(fraction: Sequence[float], spending: Spending = SPENDING, alpha: float = ALPHA) -> Array:
    """Boundaries for |z| at looks after these shares of the planned topics.

    Reject as soon as |z_k| ≥ c_k, with c_k such that P(cross at k and not before) = α(t_k) − α(t_{k−1}) under the null.
    A share above 1 (more topics than planned at the last look) spends the rest of the level.

    Examples
    --------
    Five equal looks at the two-sided level of .05:

    >>> spending_boundaries([0.2, 0.4, 0.6, 0.8, 1.0]).round(3).tolist()
    [4.877, 3.357, 2.68, 2.29, 2.031]
    >>> spending_boundaries([0.2, 0.4, 0.6, 0.8, 1.0], "pocock").round(3).tolist()
    [2.438, 2.427, 2.41, 2.397, 2.386]
    """
    return np.array(_boundaries(tuple(_check_times(fraction).tolist()), spending, alpha))


@lru_cache(maxsize=1024)
def _boundaries(times: tuple[float, ...], spending: Spending, alpha: float) -> tuple[float, ...]:
    budget = np.diff(spent(times, spending, alpha), prepend=0.0)
    bounds: list[float] = []
    path = _Path.start(times[0])
    for k, allowance in enumerate(budget):
        if k:
            path = path.onward(times[k], bounds[-1])
        bounds.append(_solve(path.crossing, float(allowance)))
    return tuple(bounds)


@dataclass(frozen=True)
class Stopping:
    """Probabilities of stopping at each look, for the better system (`upper`) and for the worse one (`lower`)."""

    upper: Array
    lower: Array

    @property
    def each(self) -> Array:
        """Either way, look by look."""
        return np.asarray(self.upper + self.lower)

    @property
    def total(self) -> float:
        """At any look, either way."""
        return float(self.each.sum())

    def expected(self, topics: ArrayLike) -> float:
        """Expected topics; look k comes after `topics[k]`, and the last look always stops."""
        n = np.asarray(topics, dtype=np.float64)
        return float(n[-1] - (self.each * (n[-1] - n)).sum())


def stopping(fraction: ArrayLike, bounds: ArrayLike, drift: float = 0.0) -> Stopping:
    """Probability that |z| first crosses its boundary at each look.

    Parameters
    ----------
    fraction : times of the looks, as shares of the planned topics
    bounds : the boundary of |z| at each
    drift : expected z when all planned topics are in, √n·δ/σ_t

    Examples
    --------
    Five looks at 1.96 reject a true null 14% of the time (Armitage, McPherson & Rowe 1969).

    >>> round(stopping([0.2, 0.4, 0.6, 0.8, 1.0], [1.959964] * 5).total, 3)
    0.142
    """
    times, c = _check_times(fraction), np.asarray(bounds, dtype=np.float64)
    path = _Path.start(times[0])
    upper, lower = np.empty(len(times)), np.empty(len(times))
    for k, bound in enumerate(c):
        if k:
            path = path.onward(times[k], c[k - 1])
        upper[k], lower[k] = path.sides(bound, drift)
    return Stopping(upper, lower)


@dataclass(frozen=True)
class _Path:
    """Density of the paths that have crossed no boundary: places, weights, and the time of the next look."""

    places: Array
    weights: Array
    before: float
    now: float

    @classmethod
    def start(cls, time: float) -> _Path:
        return cls(np.zeros(1), np.ones(1), 0.0, float(time))

    def sides(self, bound: float, drift: float) -> tuple[float, float]:
        """Probabilities of being above and below the boundary at the next look."""
        weights = self.weights * np.exp(drift * self.places - drift**2 * self.before / 2)
        gap = self.now - self.before
        edge, step = bound * math.sqrt(self.now), math.sqrt(gap)
        # A matrix product would have processor-dependent last digits.
        up = (weights * ndtr((self.places + drift * gap - edge) / step)).sum()
        down = (weights * ndtr((-edge - self.places - drift * gap) / step)).sum()
        return float(up), float(down)

    def crossing(self, bound: float) -> float:
        """Probability of being beyond the boundary on either side, under the null."""
        return sum(self.sides(bound, 0.0))

    def onward(self, time: float, bound: float) -> _Path:
        """The density after a look within its boundary; `time` is that of the following look."""
        reach = min(bound, _FAR) * math.sqrt(self.now)
        gap = self.now - self.before
        narrow = min(math.sqrt(gap), math.sqrt(time - self.now))
        nodes, each = _legendre(min(_MOST_NODES, 60 + math.ceil(16 * reach / narrow)))
        places = reach * nodes
        density = (np.exp(-np.square(places[:, None] - self.places) / (2 * gap)) * self.weights).sum(axis=1)
        return _Path(places, reach * each * density / math.sqrt(2 * math.pi * gap), self.now, float(time))


@lru_cache(maxsize=64)
def _legendre(count: int) -> tuple[Array, Array]:
    """Nodes and weights of Gauss–Legendre quadrature, by Newton's method on the three-term recurrence.

    The usual eigenvalue method has processor-dependent last digits.

    >>> nodes, weights = _legendre(60)
    >>> expected = np.polynomial.legendre.leggauss(60)
    >>> float(max(abs(nodes - expected[0]).max(), abs(weights - expected[1]).max())) < 1e-14
    True
    """
    nodes = -np.cos(np.pi * (np.arange(1, count + 1) - 0.25) / (count + 0.5))
    for _ in range(5):
        nodes = nodes - np.divide(*_polynomial(nodes, count))
    nodes = (nodes - nodes[::-1]) / 2
    slope = _polynomial(nodes, count)[1]
    return nodes, 2 / ((1 - np.square(nodes)) * np.square(slope))


def _polynomial(x: Array, degree: int) -> tuple[Array, Array]:
    """Legendre's polynomial and its derivative."""
    before, now = np.ones_like(x), x
    for k in range(2, degree + 1):
        before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
    return now, degree * (x * now - before) / (np.square(x) - 1)


def _solve(probability: Callable[[float], float], wanted: float) -> float:
    """The boundary at which a decreasing probability equals `wanted`; infinite if `wanted` is 0."""
    if wanted <= 0:
        return math.inf
    low, high = 0.0, 1.0
    while probability(high) > wanted:
        low, high = high, 2 * high
        if high > 64:
            return math.inf
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if probability(middle) > wanted else (low, middle)
        if high - low < 1e-13 * high:
            break
    return high


def nominal(bounds: ArrayLike) -> Array:
    """The two-sided p-values of boundaries of |z|: 2·Φ(−c)."""
    return np.asarray(2 * ndtr(-np.asarray(bounds, dtype=np.float64)))


def tuned_rho(n_topics: float, alpha: float) -> float:
    """The ρ that makes the confidence sequence narrowest after `n_topics` topics.

    The half-width depends on x = nρ² by (x + 1)/x·log((x + 1)/α²), which is minimal where x = log((x + 1)/α²).

    >>> round(tuned_rho(50, 0.05), 4)
    0.4053
    """
    x = -2 * math.log(alpha)
    for _ in range(100):  # the slope 1/(x + 1) is below 1: it converges
        x = math.log1p(x) - 2 * math.log(alpha)
    return math.sqrt(x / n_topics)


def sequence_half_width(
    n_topics: ArrayLike, sd: ArrayLike, rho: float, alpha: float, *, student: bool = False
) -> Array:
    r"""Half the width of the asymptotic confidence sequence of a mean after n topics.

    σ̂·√(2(nρ² + 1)/(n²ρ²)·log(√(nρ² + 1)/α)): the intervals of all n hold together with probability 1 − α,
    asymptotically (Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas, "Time-uniform central limit theory and asymptotic
    confidence sequences", Annals of Statistics 2024).

    σ̂ is uncertain with few topics. With `student` the half-width in standard errors, z, becomes the t quantile with
    n − 1 degrees of freedom and the same tail probability. Without it the family-wise error of 190 pairs of 20 equal
    systems is .19 instead of at most .05 (looks from the 10th topic on).

    >>> sequence_half_width([25, 50, 100], 0.2, tuned_rho(50, 0.05), 0.05).round(4).tolist()
    [0.1231, 0.0858, 0.0613]
    """
    n = np.asarray(n_topics, dtype=np.float64)
    x = n * rho**2
    errors = np.sqrt(2 * (x + 1) / x * (np.log1p(x) / 2 - math.log(alpha)))
    if student:
        errors = -stdtrit(n - 1, ndtr(-errors))
    return np.asarray(np.asarray(sd) / np.sqrt(n) * errors)


def anytime_p(mean: ArrayLike, sd: ArrayLike, n_topics: ArrayLike, rho: float, *, student: bool = False) -> Array:
    """The smallest alpha whose confidence sequence excludes 0 after n topics; at most 1, and never 0.

    √(nρ² + 1)·exp(−n²ρ²·d̄²/(2σ̂²(nρ² + 1))), the inverse of the half-width. It is anytime-valid, and so is its running
    minimum.
    `student` corrects for few topics as in `sequence_half_width`.

    >>> round(float(anytime_p(0.0858, 0.2, 50, tuned_rho(50, 0.05))), 3)
    0.05
    """
    n, d, s = (np.asarray(value, dtype=np.float64) for value in (n_topics, mean, sd))
    x = n * rho**2
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.where(d == 0, 0.0, np.abs(d) / s * np.sqrt(n))
    if student:
        errors = -ndtri(stdtr(n - 1, -errors))
    logarithm = np.log1p(x) / 2 - x * np.square(errors) / (2 * (x + 1))
    return np.asarray(np.maximum(np.exp(np.minimum(logarithm, 0.0)), np.finfo(np.float64).tiny))


def _check_times(fraction: ArrayLike) -> Array:
    times = np.asarray(fraction, dtype=np.float64)
    if times.ndim != 1 or not len(times) or not (np.diff(times, prepend=0.0) > 0).all():
        raise ArgumentError(f"`fraction` must increase from look to look, starting above 0; got {times.tolist()}.")
    return times


def check_looks(looks: int, alpha: float) -> None:
    """Refuse an invalid number of looks or level."""
    if isinstance(looks, bool) or not isinstance(looks, (int, np.integer)) or not 1 <= looks <= 100:
        raise ArgumentError(f"`looks` must be a whole number from 1 to 100; got {looks!r}. Write 5.")
    share("alpha", alpha)
