"""Resampling topics with replacement: the shift and the studentised test, percentile intervals, rank intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cranfield.core.defaults import Alternative
from cranfield.core.executors import map_in_order
from cranfield.core.resampling import (
    BLOCK,
    TOPICS,
    Block,
    blocks,
    draw_topics,
    draw_weights,
    pieces,
    product,
    rows_within,
)
from cranfield.questions.compare.family import GridScores, Pairs, count_true, differences, tally, tied_ranks
from cranfield.questions.compare.resampled import Resampling, monte_carlo, pairwise
from cranfield.questions.compare.tests import PValues

Array = NDArray[np.float64]
_SMALL_STRETCH = 2**20
"""Numbers copied at once when a statistic other than the mean needs every resampled score."""


def bootstrap_values(scores: GridScores, how: Resampling, systems: Sequence[int] | None = None) -> Array:
    """The sum (or other statistic) of every system in every resample of topics: systems × resamples.

    For means one product of weights and scores gives the sums, exact on the grid; every system sees the same
    resamples.
    """
    n = scores.n_topics
    chosen = np.ascontiguousarray((scores.values if systems is None else scores.values[:, list(systems)]).T)
    out = np.empty((len(chosen), how.n_resamples))
    rows = rows_within(how.memory / 2, 8 * (3 * n + len(chosen)), how.workers)
    for block, values in how.over_blocks(_block_values, chosen, rows):
        out[:, block.start : block.stop] = values
    return out


def _block_values(systems: Array, rows: int, how: Resampling, block: Block) -> Array:
    """The resampled values of a block: systems × resamples."""
    n = systems.shape[1]
    out = np.empty((len(systems), len(block)))
    rng = block.generator(how.seed, TOPICS)
    if not how.on_means:
        rows = min(rows, max(1, _SMALL_STRETCH // systems.size))
    for start, stop in pieces(block, rows):
        place = slice(start - block.start, stop - block.start)
        if how.on_means:
            out[:, place] = product(systems, draw_weights(rng, stop - start, n).T)
        else:
            out[:, place] = how.statistic(systems[:, draw_topics(rng, stop - start, n)], axis=2)
    return out


def _tiles(n_systems: int, pairs: Pairs, how: Resampling) -> Iterator[tuple[list[int], NDArray[np.intp]]]:
    """Systems that fit into memory together, and the places of the pairs among them; usually all at once."""
    most = max(2, int(how.memory * 1e6 / 2 / (8 * how.n_resamples)))
    if n_systems <= most:
        yield list(range(n_systems)), np.arange(len(pairs))
        return
    width = most // 2
    a, b = pairs.a // width, pairs.b // width
    low, high = np.minimum(a, b), np.maximum(a, b)
    for first, second in sorted(set(zip(low.tolist(), high.tolist(), strict=True))):
        systems = sorted(
            {s for tile in (first, second) for s in range(tile * width, min((tile + 1) * width, n_systems))}
        )
        yield systems, np.flatnonzero((low == first) & (high == second))


def _tile_pairs(pairs: Pairs, systems: list[int], places: NDArray[np.intp]) -> Pairs:
    lookup = np.asarray(systems)
    return Pairs(np.searchsorted(lookup, pairs.a[places]), np.searchsorted(lookup, pairs.b[places]))


def percentile_intervals(
    values: Array, pairs: Pairs, alpha: float, workers: int | None = None, alternative: Alternative = "two-sided"
) -> tuple[Array, Array]:
    """The alpha/2 and 1 − alpha/2 quantiles (linear interpolation) of the resampled differences of every pair.

    For a one-sided alternative the alpha (or 1 − alpha) quantile, and an open end towards the alternative. Always on
    threads of this process: to send the values elsewhere would cost more than to sort them here.
    """
    chunks = [(a, b) for _, a, b in pairs.chunks(values.shape[1])]
    beyond = alpha if alternative == "two-sided" else 2 * alpha
    bounds = map_in_order(partial(_pair_quantiles, values, beyond), chunks, executor="threads", workers=workers)
    lower, upper = (np.concatenate(ends) for ends in zip(*bounds, strict=True))
    if alternative == "greater":
        upper = np.full_like(upper, np.inf)
    elif alternative == "less":
        lower = np.full_like(lower, -np.inf)
    return lower, upper


def _pair_quantiles(
    values: Array, alpha: float, chunk: tuple[NDArray[np.intp], NDArray[np.intp]]
) -> tuple[Array, Array]:
    return quantiles(values[chunk[0]] - values[chunk[1]], alpha)


def quantiles(values: Array, alpha: float) -> tuple[Array, Array]:
    """The alpha/2 and 1 − alpha/2 quantiles of every row, which is used up: one partition for both ends."""
    last = values.shape[1] - 1
    places = [alpha / 2 * last, (1 - alpha / 2) * last]
    below = [math.floor(place) for place in places]
    values.partition(sorted({i for at in below for i in (at, min(at + 1, last))}), axis=1)
    low, high = (
        values[:, at] + (place - at) * (values[:, min(at + 1, last)] - values[:, at])
        for at, place in zip(below, places, strict=True)
    )
    return low, high


def bootstrap_shift(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> PValues:
    """The bootstrap-shift test with percentile intervals, the same resamples of topics for every pair.

    The bootstrap distribution of the difference T is shifted to mean 0: T′ = T − mean(T). p is the share of T′ at least
    as extreme as the observed difference, by (b + 1)/(B + 1) (Arguello, INLS 509). It uses the sample variance for the
    true one, so with few topics it rejects too often.
    """
    p, lower, upper = (np.empty(len(pairs)) for _ in range(3))
    observed = pairwise(scores, pairs, how)
    scale = scores.n_topics if how.on_means else 1
    for systems, places in _tiles(scores.n_systems, pairs, how):
        values = bootstrap_values(scores, how, systems)
        inside = _tile_pairs(pairs, systems, places)
        centre = inside.of(values.mean(axis=1))
        counts = tally(values, inside, observed[places], how.alternative, centre=centre)
        p[places] = monte_carlo(counts, how.n_resamples)
        if how.percentiles:
            low, high = percentile_intervals(values, inside, alpha, how.workers, how.alternative)
            lower[places], upper[places] = low / scale, high / scale
    ends = (lower, upper) if how.percentiles else (None, None)
    return PValues(p, 1 / (how.n_resamples + 1), False, how.n_resamples, *ends)


def bootstrap_t(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> PValues:
    """The studentised bootstrap test, with percentile intervals of the difference.

    T* = (d̄* − d̄)/se* of every resample against t = d̄/se, where se = sd/√n of the resampled or observed
    differences; p = share of T* at least as extreme as t, by (b + 1)/(B + 1) (Efron & Tibshirani 1993, ch. 16;
    Sakai, SIGIR 2006). A resample without spread (se* = 0) counts as extreme when its mean is off on that side.
    """
    n = scores.n_topics
    counts = np.zeros(len(pairs), dtype=np.int64)
    constant = np.zeros(len(pairs), dtype=np.bool_)
    # Differences and their squares of as many pairs as a third of the memory holds; usually of all.
    size = max(1, int(how.memory * 1e6 / 3 / (16 * n)))
    starts = range(0, len(pairs), size)
    for turn, start in enumerate(starts):
        places = slice(start, start + size)
        chosen = Pairs(pairs.a[places], pairs.b[places])
        counts[places] = _count_studentised(scores, chosen, how, turn, len(starts))
        constant[places] = differences(scores, chosen).sd == 0
    p = monte_carlo(counts, how.n_resamples)
    smallest = 1 / (how.n_resamples + 1)
    # Without any spread t is infinite, and 0/0 in every resample; its limit is what a tiny spread gives.
    total = pairs.of(scores.sums)
    towards = (total != 0) if how.alternative == "two-sided" else (total > 0) == (how.alternative == "greater")
    p = np.where(constant, np.where(towards & (total != 0), smallest, 1.0), p)
    if not how.percentiles:
        return PValues(p, smallest, False, how.n_resamples)
    lower, upper = np.empty(len(pairs)), np.empty(len(pairs))
    quiet = replace(how, progress=None)
    for systems, members in _tiles(scores.n_systems, pairs, how):
        inside = _tile_pairs(pairs, systems, members)
        values = bootstrap_values(scores, quiet, systems)
        low, high = percentile_intervals(values, inside, alpha, how.workers, how.alternative)
        lower[members], upper[members] = low / n, high / n
    return PValues(p, smallest, False, how.n_resamples, lower, upper)


def _count_studentised(scores: GridScores, pairs: Pairs, how: Resampling, turn: int, turns: int) -> NDArray[np.int64]:
    """How many resamples have a T* at least as extreme as the observed t, for every pair."""
    n = scores.n_topics
    prepared = [(at, _studentised(scores, a, b)) for at, a, b in pairs.chunks(BLOCK // 2)]
    rows = rows_within(how.memory / 3, 8 * (3 * n + 4 * pairs.chunk_size(BLOCK // 2)), how.workers)

    def report(done: int, total: int) -> None:
        if how.progress:
            how.progress(turn * total + done, turns * total)

    told = replace(how, progress=report)
    counts = np.zeros(len(pairs), dtype=np.int64)
    for _, extremes in told.over_blocks(_count_block, prepared, len(pairs), n, rows):
        counts += extremes
    return counts


def _count_block(
    prepared: list[tuple[slice, _Studentised]], n_pairs: int, n: int, rows: int, how: Resampling, block: Block
) -> NDArray[np.int64]:
    counts = np.zeros(n_pairs, dtype=np.int64)
    rng = block.generator(how.seed, TOPICS)
    for start, stop in pieces(block, rows):
        weights = draw_weights(rng, stop - start, n)
        for at, pair in prepared:
            total = product(pair.each, weights.T)
            off = total - pair.total[:, None]
            limit = _error_of_sum(product(pair.squares, weights.T), total, n, pair.unit[:, None])
            limit *= pair.t[:, None]
            if how.alternative == "two-sided":
                hits = np.abs(off, out=off) >= np.abs(limit, out=limit)
            else:
                hits = off >= limit if how.alternative == "greater" else off <= limit
            counts[at] += count_true(hits)
    return counts


@dataclass(frozen=True)
class _Studentised:
    """A few pairs' differences, their sum, their squares in units of `unit`, and the observed t."""

    each: Array
    total: Array
    squares: Array
    unit: Array
    t: Array


def _studentised(scores: GridScores, a: NDArray[np.intp], b: NDArray[np.intp]) -> _Studentised:
    n = scores.n_topics
    each = np.ascontiguousarray((scores.values[:, a] - scores.values[:, b]).T)
    # Squares are scaled pair by pair by a power of two, so that sums of n of them are exact and small
    # differences lose nothing; their sums then do not depend on blocks or threads either.
    exponent = np.frexp(np.max(each * each, axis=1))[1]
    places = 53 - math.ceil(math.log2(n))
    squares = np.rint(np.ldexp(each * each, places - exponent[:, None]))
    unit = np.ldexp(1.0, exponent - places)
    total = each.sum(axis=1)
    error = _error_of_sum(squares.sum(axis=1), total.copy(), n, unit)
    t = np.divide(total, error, out=np.zeros_like(total), where=error > 0)
    return _Studentised(each, total, squares, unit, t)


def _error_of_sum(squares: Array, total: Array, n: int, unit: Array) -> Array:
    """Standard error of the sum of n differences, from their squares (in units) and their sum; both are used up."""
    squares *= unit * (n / (n - 1))
    total *= total
    total *= 1 / (n - 1)
    squares -= total
    np.maximum(squares, 0.0, out=squares)
    return np.sqrt(squares, out=squares)


def rank_intervals(
    scores: GridScores, alpha: float, how: Resampling
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Percentile intervals of every system's rank over resamples of topics, and the resampled values themselves.

    In each resample systems are ranked by their mean (or other statistic); equal ones share all the ranks they
    occupy. The interval runs from the alpha/2 quantile of the best rank to the 1 − alpha/2 quantile of the worst.
    It says how firmly the order rests on these topics; it is not a test between neighbours.

    Returns
    -------
    lower, upper : the ranks
    values : systems × resamples, as from `bootstrap_values`
    """
    values = bootstrap_values(scores, how)
    tolerance = scores.tolerance if how.on_means else scores.step
    best = np.zeros((scores.n_systems, scores.n_systems), dtype=np.int64)
    worst = np.zeros_like(best)
    at = np.arange(scores.n_systems)[:, None]
    for block in blocks(how.n_resamples):
        first, last = tied_ranks(values[:, block.start : block.stop], tolerance)
        np.add.at(best, (at, first - 1), 1)
        np.add.at(worst, (at, last - 1), 1)
    low = np.argmax(np.cumsum(best, axis=1) >= alpha / 2 * how.n_resamples, axis=1) + 1
    high = np.argmax(np.cumsum(worst, axis=1) >= (1 - alpha / 2) * how.n_resamples, axis=1) + 1
    return low, high, values
