"""Fisher's randomisation test for all pairs at once, and the randomised Tukey HSD."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.grid import GridScores
from cranfield.comparison.pairs import Pairs, tally
from cranfield.comparison.resampled import Resampled, Resampling, extreme, monte_carlo, pairwise
from cranfield.executors import map_in_order
from cranfield.resampling import (
    PERMUTATIONS,
    SIGNS,
    Block,
    all_signs,
    blocks,
    draw_signs,
    pieces,
    product,
    rows_within,
    signed_bytes,
    signed_sums,
)

Array = NDArray[np.float64]


def randomisation(scores: GridScores, pairs: Pairs, how: Resampling) -> Resampled:
    """Fisher's randomisation test of every pair with the same sign flips for all.

    Under the null hypothesis the two systems are exchangeable: on each topic their scores might as well be
    swapped. One sign matrix S (resamples × topics) times the scores gives, as differences of columns, the flipped
    sums of every pair (INLS 509, "Fisher's Randomization Test"). All 2ⁿ flips are enumerated when they are no more
    than `n_resamples`: p = count/2ⁿ. Else p = (b + 1)/(B + 1).

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    pairs : the comparisons
    how : resamples, seed, alternative, statistic

    Examples
    --------
    The ten folds of INLS 509, one-sided: 208 of the 1,024 flips reach the observed difference of .07.

    >>> a = [.2, .3, .1, .4, 1, .8, .3, .1, 0, .9]
    >>> b = [.5, .3, .1, .4, 1, .9, .1, .2, .5, .8]
    >>> pair = Pairs(np.array([1]), np.array([0]))
    >>> result = randomisation(GridScores.of(np.array([a, b]).T), pair, Resampling(alternative="greater"))
    >>> float(result.p[0]), result.exact
    (0.203125, True)
    """
    n = scores.n_topics
    exact = n < 63 and 2**n <= how.n_resamples
    total = 2**n if exact else how.n_resamples
    observed = pairwise(scores, pairs, how)
    systems = np.ascontiguousarray(scores.values.T)
    rows = rows_within(how.memory, signed_bytes(len(systems), n), how.workers)
    work = partial(_count_flips, systems, pairs, observed, scores.tolerance, exact, rows, how.settings_alone)
    counts = sum(
        map_in_order(
            work, blocks(total), executor=how.executor, workers=how.workers, progress=how.progress, weight=len
        ),
        start=np.zeros(len(pairs), dtype=np.int64),
    )
    if exact:
        smallest = (2 if how.alternative == "two-sided" else 1) / total
        return Resampled(counts / total, smallest, True, total)
    return Resampled(monte_carlo(counts, total), 1 / (total + 1), False, total)


def _count_flips(
    systems: Array,
    pairs: Pairs,
    observed: Array,
    tolerance: float,
    exact: bool,
    rows: int,
    how: Resampling,
    block: Block,
) -> NDArray[np.int64]:
    """How many sign flips of a block are at least as extreme as what was observed, for every pair."""
    n = systems.shape[1]
    counts = np.zeros(len(pairs), dtype=np.int64)
    rng = block.generator(how.seed, SIGNS)
    for start, stop in pieces(block, rows):
        if how.on_means and not exact:
            sums = signed_sums(systems, rng, stop - start)
            counts += tally(sums, pairs, observed, how.alternative, tolerance)
            continue
        flips = all_signs(start, stop, n) if exact else draw_signs(rng, stop - start, n)
        if how.on_means:
            counts += tally(product(systems, flips.T), pairs, observed, how.alternative, tolerance)
        else:
            counts += _swapped(systems, pairs, observed, flips > 0, how, tolerance)
    return counts


def _swapped(
    systems: Array, pairs: Pairs, observed: Array, keep: NDArray[np.bool_], how: Resampling, tolerance: float
) -> NDArray[np.int64]:
    """Counts for a statistic other than the mean: swap the scores of each pair and summarise both sides."""
    counts = np.empty(len(pairs), dtype=np.int64)
    for at, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        first = np.where(keep, systems[a], systems[b])
        second = np.where(keep, systems[b], systems[a])
        difference = np.asarray(how.statistic(first, axis=1)) - np.asarray(how.statistic(second, axis=1))
        counts[at] = extreme(difference, float(observed[at]), how.alternative, tolerance)
    return counts


def randomised_tukey(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> Resampled:
    """The randomised Tukey HSD test: every pair against the largest difference that chance alone produces.

    Under the null hypothesis all systems are exchangeable: on each topic their scores are permuted. The statistic
    is the largest minus the smallest system mean; p of a pair = (1 + resamples whose range reaches the pair's
    difference)/(B + 1), which controls the family-wise error (Carterette, TOIS 30(1), 2012). The simultaneous
    interval is the difference ± the range that the test requires, so a pair is significant exactly when its
    interval leaves out 0. Exchangeable means equal spread too: with very unequal variances the family-wise error
    rises above alpha (to .12 in simulation, docs/compare.md).

    Examples
    --------
    >>> scores = GridScores.of([[.5, .2, .3], [.7, .5, .2], [.5, .1, .4], [.6, .2, .3]])
    >>> pairs = Pairs(np.array([0, 0, 1]), np.array([1, 2, 2]))
    >>> result = randomised_tukey(scores, pairs, Resampling(n_resamples=9999), alpha=.05)
    >>> result.p.round(2).tolist()
    [0.09, 0.2, 0.99]
    """
    n, m = scores.values.shape
    total = how.n_resamples
    difference = pairwise(scores, pairs, how)
    # Small stretches: permuting is fastest while the copies stay in the cache.
    rows = min(rows_within(how.memory, 8 * 2 * n * m, how.workers), max(1, 2**18 // (n * m)))
    ranges = map_in_order(
        partial(_ranges, scores.values, rows, how.settings_alone),
        blocks(total),
        executor=how.executor,
        workers=how.workers,
        progress=how.progress,
        weight=len,
    )
    widest = np.sort(np.concatenate(list(ranges)))
    p = monte_carlo(total - np.searchsorted(widest, np.abs(difference) - scores.tolerance, side="left"), total)
    # p ≤ alpha ⟺ at most alpha·(B+1) − 1 ranges reach the difference ⟺ it passes the next largest range.
    allowed = max(math.floor(alpha * (total + 1) + 1e-9) - 1, 0)
    half = widest[total - 1 - allowed] + scores.tolerance if allowed < total else 0.0
    scale = n if how.on_means else 1
    return Resampled(p, 1 / (total + 1), False, total, (difference - half) / scale, (difference + half) / scale)


def _ranges(values: Array, rows: int, how: Resampling, block: Block) -> Array:
    """The largest minus the smallest system value of every permutation of a block."""
    n, m = values.shape
    rng = block.generator(how.seed, PERMUTATIONS)
    widest = []
    for start, stop in pieces(block, rows):
        shuffled = np.tile(values, (stop - start, 1))
        rng.permuted(shuffled, axis=1, out=shuffled)
        stacked = shuffled.reshape(stop - start, n, m)
        summaries = stacked.sum(axis=1) if how.on_means else np.asarray(how.statistic(stacked, axis=1))
        widest.append(summaries.max(axis=1) - summaries.min(axis=1))
    return np.concatenate(widest)
