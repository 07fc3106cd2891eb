"""The hull: the interval of τ between the orders of systems that unlimited topics would give.

Few topics blur near-equal systems. τ of few topics is therefore biased, mostly downwards, and a bootstrap over topics
adds the same noise again. The hull joins the bootstrap around τ with a second one around τ corrected for that noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cranfield.core import resampling
from cranfield.core.defaults import MEMORY_MB
from cranfield.core.executors import map_in_order
from cranfield.scores.rank_coefficients import rank_correlations

Array = NDArray[np.float64]
Coefficients = Mapping[str, Array]

LEAST_SYSTEMS = 5
"""Systems below which there is no interval: S and N, two matrices over systems, are then hardly known."""
LEAST_APART = 50
"""Topics on either side below which two topic sets of their own get no interval: it would cover .87 for .95."""
NARROW = ("tau", "tau_b")
"""The coefficients for which the narrow form covers; all others take the wide form."""
_SMALLEST_EIGENVALUE = 0.02
_LARGEST_FACTOR = 3.0
_SINGULAR = 1e-12
"""1 − r² up to which two vectors of means are one and the same, but for rounding."""
_PLACES = 12
"""Decimals kept: elementary functions differ in their last bits from processor to processor."""


@dataclass(frozen=True, eq=False)
class RankedScores:
    """One side: topics × systems on the exact grid, their sums, and how far rounding alone can part two sums."""

    grid: Array
    totals: Array
    tolerance: float

    @classmethod
    def of(cls, values: Array) -> RankedScores:
        # Scores that are all tiny get a unit of their own, a power of two, so that the grid does not wipe them out.
        _, exponent = math.frexp(float(np.abs(values).max()))
        own, n = np.ldexp(values, -exponent) if exponent < 0 else values, len(values)
        grid = resampling.to_grid(own, n)
        return cls(grid, np.asarray(grid.sum(axis=0)), resampling.grid_step(own, n) * n)


@dataclass(frozen=True)
class TauInterval:
    """τ corrected for topic noise, and the ends of the interval; None where there is none."""

    corrected: float | None = None
    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True, eq=False)
class TopicNoise:
    """For every topic the squares and products of both sides' scores, centred across systems: what N is made of.

    `products` is None for topic sets of their own, whose noise is independent.
    """

    squares: tuple[Array, Array]
    products: Array | None

    @classmethod
    def of(cls, x: Array, y: Array, shared: bool) -> TopicNoise:
        a, b = (side - side.mean(axis=1, keepdims=True) for side in (x, y))
        return cls((_exact(a, a), _exact(b, b)), _exact(a, b) if shared else None)

    def factors(self, sums: tuple[Array, Array], weights: tuple[Array, Array] | None = None) -> Array:
        """k = r(T)/r(S) for every row of sums (rows × systems), over topics drawn so often, or over all topics.

        S is the covariance over systems of the two vectors of means, and N that of their topic noise. T is the part of
        S without noise: T = S^½·clip(S^−½(S − N)S^−½)·S^½ with eigenvalues kept within [.02, 1]. Written out for
        S = D(1 r; r 1)D, whose eigenvectors are known, so that no library's eigenvalues decide about last bits.
        """
        n = [len(own) for own in self.squares]
        one = (np.ones((1, n[0])), np.ones((1, n[1]))) if weights is None else weights
        x, y = (side - side.mean(axis=1, keepdims=True) for side in sums)
        xx, yy, xy = (x * x).sum(axis=1), (y * y).sum(axis=1), (x * y).sum(axis=1)
        known = (xx > 0) & (yy > 0) & (xy > 0)
        xx, yy = np.where(known, xx, 1.0), np.where(known, yy, 1.0)
        root = np.sqrt(xx) * np.sqrt(yy)
        r = np.minimum(xy / root, 1.0)
        known &= 1 - r * r > _SINGULAR
        r = np.where(known, r, 0.0)
        # N in units of S: (n·Q/A − 1)/(n − 1), Q the weighted squares, A those of the sums.
        noise = [
            np.maximum(count * resampling.product(own_weights, squares[:, None])[:, 0] / length - 1, 0) / (count - 1)
            for count, own_weights, squares, length in zip(n, one, self.squares, (xx, yy), strict=True)
        ]
        joint = np.zeros(len(r))
        if self.products is not None:
            drawn = resampling.product(one[0], self.products[:, None])[:, 0]
            joint = (n[0] * drawn - xy) / root / (n[0] - 1)
        total, apart = (noise[0] + noise[1]) / 2, (noise[0] - noise[1]) / 2
        a, c = 1 - (total + joint) / (1 + r), 1 - (total - joint) / (1 - r)
        b = -apart / np.sqrt(1 - r * r)
        centre, spread = (a + c) / 2, np.sqrt(np.square((a - c) / 2) + b * b)
        high, low = (np.clip(centre + sign * spread, _SMALLEST_EIGENVALUE, 1) for sign in (1, -1))
        stretch = np.divide((high - low) / 2, spread, out=np.ones(len(r)), where=spread > 0)
        middle = (high + low) / 2
        along = (1 + r) * (middle + stretch * (a - centre))
        across = (1 - r) * (middle + stretch * (c - centre))
        tilt = np.sqrt(1 - r * r) * stretch * b
        mean = (along + across) / 2
        rest = np.sqrt(np.maximum((mean + tilt) * (mean - tilt), np.finfo(float).tiny))
        true = (along - across) / 2 / rest
        k = np.divide(true, r, out=np.ones(len(r)), where=known)
        return np.where(known, np.clip(k, 1 / _LARGEST_FACTOR, _LARGEST_FACTOR), 1.0)


def _exact(a: Array, b: Array) -> Array:
    """Σ_j a_ij·b_ij for every topic, on a grid with a separate unit: weighted sums of it are exact in any order."""
    sums = np.asarray((a * b).sum(axis=1))
    unit = float(np.ldexp(1.0, int(np.frexp(float(np.abs(sums).max(initial=0.0)))[1])))
    return resampling.to_grid(sums / unit, len(sums)) * unit


def corrected_tau(tau: Array, factors: Array) -> Array:
    """τ_d = (2/π)·asin(k·sin(πτ/2)): τ as it would be without topic noise, by way of a normal correlation.

    >>> corrected_tau(np.array([0.5, 1.0]), np.array([1.1, 1.1])).round(3).tolist()
    [0.567, 1.0]
    """
    return np.asarray(2 / math.pi * np.arcsin(np.clip(factors * np.sin(math.pi * tau / 2), -1, 1)))


def hull(
    tau: float,
    factor: float,
    drawn: Array,
    drawn_factors: Array,
    n_topics: int,
    alpha: float,
    jackknife: float | None = None,
) -> TauInterval:
    r"""The interval of τ between the true means, from resampled topics.

    Let h = max(τ̂ − q_{α/2}, q_{1−α/2} − τ̂) of the resampled τ*, and s_d the standard deviation of the resampled τ_d*.
    With t of n − 1 degrees of freedom, the hull is

    .. math:: [\min(\hat\tau - h,\ \tau_d - t s_d),\ \max(\hat\tau + h,\ \tau_d + t s_d)],

    cut at ±1. The wide form is for τ_AP and for two topic sets. It takes H = max(h, t·max(s_d, s_b, √((s_b² +
    s_J²)/2))) to both sides of τ̂ and τ_d. s_b is the standard deviation of τ*, s_J that of the jackknife.

    Parameters
    ----------
    tau, factor : the coefficient, and k of `TopicNoise.factors`
    drawn, drawn_factors : both in every resample
    n_topics : of the smaller side
    jackknife : s_J, for the wide form

    References
    ----------
    Kendall, "Rank Correlation Methods", for τ = (2/π)·asin ρ. The hull is cranfield's own; docs/standardise.md has its
    coverage.

    Examples
    --------
    >>> found = hull(0.8, 1.05, np.linspace(0.6, 0.9, 101), np.full(101, 1.05), 50, 0.05)
    >>> [round(end, 2) for end in (found.corrected, found.lower, found.upper)]
    [0.97, 0.61, 1.0]
    """
    from scipy.special import stdtrit

    if math.isnan(tau):
        return TauInterval()
    middle = _rounded(float(corrected_tau(np.asarray([tau]), np.asarray([factor]))[0]))
    # Where a resample leaves the coefficient undefined, the others alone would tell too little.
    if len(drawn) < 2 or np.isnan(drawn).any():
        return TauInterval(middle)
    t = float(stdtrit(n_topics - 1, 1 - alpha / 2))
    low, high = np.quantile(drawn, [alpha / 2, 1 - alpha / 2])
    h = max(tau - float(low), float(high) - tau)
    spread = float(np.std(corrected_tau(drawn, drawn_factors), ddof=1))
    if jackknife is None:
        ends = min(tau - h, middle - t * spread), max(tau + h, middle + t * spread)
    else:
        own = float(np.var(drawn, ddof=1))
        reach = max(h, t * max(spread, math.sqrt(own), math.sqrt((own + jackknife**2) / 2)))
        ends = min(tau, middle) - reach, max(tau, middle) + reach
    # Rounding must not push an end past the estimate.
    lower, upper = min(_rounded(max(ends[0], -1.0)), tau), max(_rounded(min(ends[1], 1.0)), tau)
    return TauInterval(middle, lower, upper)


def _rounded(value: float) -> float:
    return round(value, _PLACES) + 0.0


def tau_intervals(
    x: RankedScores,
    y: RankedScores,
    point: Mapping[str, float],
    *,
    shared: bool,
    alpha: float,
    n_resamples: int,
    seed: int,
    workers: int | None = None,
    executor: Executor | None = None,
) -> dict[str, TauInterval]:
    """The interval of every coefficient; `shared` says whether both sides have the same topics.

    The same for any number of workers. Without resamples, with fewer than 5 systems and for fewer than 50 topics that
    are not shared there are no ends; with fewer than 5 systems no corrected value either.
    """
    n, m = min(len(x.grid), len(y.grid)), x.grid.shape[1]
    if n < 2 or m < LEAST_SYSTEMS:
        return {name: TauInterval() for name in point}
    noise = TopicNoise.of(x.grid, y.grid, shared)
    factor = float(noise.factors((x.totals[None], y.totals[None]))[0])
    drawn: dict[str, Array] = {name: np.empty(0) for name in point}
    factors = np.empty(0)
    spreads: dict[str, float] = {}
    if n_resamples and (shared or n >= LEAST_APART):
        rows = resampling.rows_within(MEMORY_MB, 24 * (len(x.grid) + len(y.grid)), workers)
        work = partial(resample, x, y, noise, shared, seed, rows)
        done = list(map_in_order(work, resampling.blocks(n_resamples), executor=executor, workers=workers))
        drawn = {name: np.concatenate([part[name] for part, _ in done]) for name in point}
        factors = np.concatenate([part for _, part in done])
        spreads = _jackknife(x, y, shared)
    wide = {name: None if shared and name in NARROW else spreads.get(name, math.nan) for name in point}
    return {name: hull(value, factor, drawn[name], factors, n, alpha, wide[name]) for name, value in point.items()}


def resample(
    x: RankedScores, y: RankedScores, noise: TopicNoise, shared: bool, seed: int, rows: int, block: resampling.Block
) -> tuple[Coefficients, Array]:
    """The coefficients and factors of a block of resamples of topics."""
    topics, others = block.generator(seed, resampling.TOPICS), block.generator(seed, resampling.OTHER_TOPICS)
    sums: list[tuple[Array, Array]] = []
    factors: list[Array] = []
    for start, stop in resampling.pieces(block, rows):
        weights = resampling.draw_weights(topics, stop - start, len(x.grid))
        other = weights if shared else resampling.draw_weights(others, stop - start, len(y.grid))
        pair = _sums(weights, x.grid), _sums(other, y.grid)
        sums.append(pair)
        factors.append(noise.factors(pair, (weights, other)))
    first, second = (np.concatenate(each) for each in zip(*sums, strict=True))
    return rank_correlations(first, second, (x.tolerance, y.tolerance)), np.concatenate(factors)


def _sums(weights: Array, grid: Array) -> Array:
    return np.ascontiguousarray(resampling.product(grid.T, weights.T).T)


def _jackknife(x: RankedScores, y: RankedScores, shared: bool) -> dict[str, float]:
    """s_J of every coefficient: one topic left out at a time, of both sides or of each in turn."""

    def left_out(of_x: bool, of_y: bool) -> dict[str, float]:
        n = len(x.grid if of_x else y.grid)
        parts = []
        for start in range(0, n, resampling.BLOCK):
            rows = slice(start, min(start + resampling.BLOCK, n))
            size = (rows.stop - start, len(x.totals))
            first = x.totals - x.grid[rows] if of_x else np.broadcast_to(x.totals, size)
            second = y.totals - y.grid[rows] if of_y else np.broadcast_to(y.totals, size)
            parts.append(rank_correlations(first, second, (x.tolerance, y.tolerance)))
        every = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        return {name: (n - 1) ** 2 / n * float(np.var(one, ddof=1)) for name, one in every.items()}

    every = (left_out(True, True),) if shared else (left_out(True, False), left_out(False, True))
    return {name: math.sqrt(sum(one[name] for one in every)) for name in every[0]}
