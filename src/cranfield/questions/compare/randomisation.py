"""Fisher's randomisation test, for every pair by the method that resolves its p-value, and the randomised Tukey HSD."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cranfield.core.resampling import (
    BLOCK,
    PERMUTATIONS,
    SIGNS,
    Block,
    all_signs,
    check_resamples,
    draw_signs,
    pieces,
    product,
    rows_within,
    signed_bytes,
    signed_sums,
)
from cranfield.questions.compare.classical import TINY
from cranfield.questions.compare.family import GridScores, Pairs, tally
from cranfield.questions.compare.flips import enumerated_p, saddlepoint
from cranfield.questions.compare.lattice import WIDEST, WIDEST_COARSE, find_lattice, lattice_p
from cranfield.questions.compare.resampled import Resampling, extreme, monte_carlo, pairwise, resolution
from cranfield.questions.compare.tests import PValues

Array = NDArray[np.float64]

ENOUGH = 200
"""Flips that Monte Carlo must count for its p-value to stand: a relative standard error of 1/√200, 7%."""
PLENTY = 5000
"""Flips beyond which counting more is idle: a relative standard error of 1/√5000, 1.4%."""
MOST_WORK = 2_000_000_000
"""Flips counted over all pairs together, about, before every pair is given fewer; reached by 250 systems or more."""
FEW = 1024
"""Flips that are listed one by one instead, for a p-value without error."""


def resolved(scores: GridScores, pairs: Pairs, how: Resampling) -> PValues:
    """Fisher's randomisation test of the mean, for every pair by the method that resolves its p-value.

    With B = `n_resamples`, n the number of topics on which the two systems differ, and p̃ the saddlepoint value:

    1. ``enumerated``: all flips, where 2ⁿ ≤ B; and where no more than about 1,024 flips reach the observed sum,
       these alone (p = k/2ⁿ, exact, at any depth).
    2. ``exact lattice``: the exact distribution by convolution, where the scores lie on a lattice and that is cheap.
    3. ``monte carlo``: (b + 1)/(B′ + 1), where b ≥ 200 flips reached the observed sum, a relative standard error of
       7% at most. B′ = min(B, 5,000/p̃) in whole blocks: every pair counts about 5,000 flips or sees all B (with
       hundreds of systems fewer, but 400 at least). Nothing random decides B′, so each of these is a valid
       Monte-Carlo p-value.
    4. ``saddlepoint``: the rest, whose p-values are below what B flips resolve.

    P-values rise across the seam between 3 and 4. Monte Carlo needs b ≥ 200, so its values are at least 201/(B + 1).
    Saddlepoint values stay below 201/(B + 1). Only flips can change with the seed, so p-values under the seam, which
    decide large families, do not.

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    pairs : the comparisons
    how : resamples, seed, alternative; the statistic must be the mean

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> values = rng.beta(1, 3, (40, 4)) + [0, 0.02, 0.1, 0.4]
    >>> from cranfield.questions.compare.family import all_pairs
    >>> result = resolved(GridScores.of(values), all_pairs(4), Resampling(n_resamples=5000))
    >>> sorted(result.method)
    ['enumerated', 'monte carlo', 'monte carlo', 'saddlepoint', 'saddlepoint', 'saddlepoint']
    """
    most = check_resamples(how.n_resamples)
    seam = (ENOUGH + 1) / (most + 1)
    rough = saddlepoint(scores, pairs, how.alternative, how.workers)
    method = np.full(len(pairs), "saddlepoint", dtype=object)
    p = np.minimum(rough, np.nextafter(seam, 0))

    # In powers of two, because 2ⁿ is too large for a double from 1,024 topics on.
    nonzero = differing_topics(scores, pairs)
    one_side = rough / 2 if how.alternative == "two-sided" else np.clip(np.minimum(rough, 1 - rough), TINY, None)
    reach = np.log2(one_side) + nonzero
    listed = (nonzero <= np.log2(most)) | (reach <= np.log2(FEW))
    at = np.flatnonzero(listed)
    if len(at):
        p[at] = enumerated_p(scores, pairs, at, 2 ** reach[at], how.alternative, how.workers)
        method[at] = "enumerated"

    rest = np.flatnonzero(~listed)
    lattice = find_lattice(scores) if len(rest) else None
    if lattice is not None:
        for widest in (WIDEST, WIDEST_COARSE) if lattice.coarse else (WIDEST,):
            # What flips can resolve is left to them; only what they cannot is worth a wide convolution.
            at = rest if widest == WIDEST else rest[rough[rest] < seam]
            chosen = Pairs(pairs.a[at], pairs.b[at])
            exact = lattice_p(lattice, chosen, how.alternative, widest=widest, workers=how.workers)
            narrow = ~np.isnan(exact)
            p[at[narrow]] = exact[narrow]
            method[at[narrow]] = "exact lattice"
            rest = rest[method[rest] == "saddlepoint"]

    # Half the seam and above: which side of it a pair is on is for the flips to say, not for an approximation.
    rest = rest[rough[rest] >= seam / 2]
    if len(rest):
        counts, flips = count_flips(scores, Pairs(pairs.a[rest], pairs.b[rest]), rough[rest], how)
        enough = (counts >= ENOUGH) | (flips < most)
        stands = rest[enough]
        p[stands] = np.maximum((counts[enough] + 1) / (flips[enough] + 1), seam)
        method[stands] = "monte carlo"
    listed_all = not {"monte carlo", "saddlepoint"} & set(method)
    every = scores.n_topics < 63 and 2**scores.n_topics <= most
    total = 2**scores.n_topics if every else 0 if listed_all else most
    return PValues(p, resolution(scores.n_topics, how.alternative), listed_all, total, method=method.tolist())


def differing_topics(scores: GridScores, pairs: Pairs) -> NDArray[np.int64]:
    """On how many topics the two systems of every pair differ by more than rounding."""
    count = np.empty(len(pairs), dtype=np.int64)
    for at, a, b in pairs.chunks(scores.n_topics):
        count[at] = (np.abs(scores.values[:, a] - scores.values[:, b]) > 2 * scores.step).sum(axis=0)
    return count


def flips_for(p: Array, n_resamples: int) -> NDArray[np.int64]:
    """How many flips a pair with about this p-value is given: enough to count 5,000, in whole blocks, at most B.

    >>> flips_for(np.array([1.0, 0.5, 0.05, 0.01]), 100_000).tolist()
    [5120, 10240, 100000, 100000]
    """

    def given(plenty: float) -> NDArray[np.int64]:
        return np.asarray(np.minimum(np.ceil(plenty / p / BLOCK) * BLOCK, n_resamples), dtype=np.int64)

    flips = given(PLENTY)
    for plenty in (PLENTY / 2, PLENTY / 4, PLENTY / 8, 2 * ENOUGH):
        if flips.sum() <= MOST_WORK:
            break
        flips = given(plenty)
    return flips


def count_flips(
    scores: GridScores, pairs: Pairs, rough: Array, how: Resampling
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many random flips reach the observed sum, and how many were drawn, for every pair.

    Parameters
    ----------
    rough : about the p-value of every pair; decides how many flips it is given (`flips_for`)

    Returns
    -------
    counts, flips : one of each per pair
    """
    n = scores.n_topics
    flips = flips_for(rough, how.n_resamples)
    # Pairs that need most come first, so that every block serves a leading stretch of them.
    order = np.argsort(-flips, kind="stable")
    ordered = Pairs(pairs.a[order], pairs.b[order])
    observed = ordered.of(scores.sums)
    needed = flips[order]
    systems = np.ascontiguousarray(scores.values.T)
    rows = rows_within(how.memory, signed_bytes(len(systems), n), how.workers)
    shared = (systems, ordered, observed, needed, scores.tolerance, rows)
    counts = np.zeros(len(pairs), dtype=np.int64)
    for _, reached in how.over_blocks(_count_block, *shared, total=int(needed[0])):
        counts[: len(reached)] += reached
    back = np.empty_like(counts)
    back[order] = counts
    return back, flips


def _count_block(
    systems: Array,
    pairs: Pairs,
    observed: Array,
    needed: NDArray[np.int64],
    tolerance: float,
    rows: int,
    how: Resampling,
    block: Block,
) -> NDArray[np.int64]:
    """How many flips of a block reach the observed sum, for the leading pairs that need this block."""
    many = int(np.searchsorted(-needed, -block.start, side="left"))
    own = Pairs(pairs.a[:many], pairs.b[:many])
    reached = np.zeros(many, dtype=np.int64)
    rng = block.generator(how.seed, SIGNS)
    for start, stop in pieces(block, rows):
        sums = signed_sums(systems, rng, stop - start)
        reached += tally(sums, own, observed[:many], how.alternative, tolerance)
    return reached


def randomisation(scores: GridScores, pairs: Pairs, how: Resampling) -> PValues:
    """Fisher's randomisation test of every pair with the same sign flips for all.

    Under the null hypothesis the two systems are exchangeable: on each topic their scores might as well be swapped. One
    sign matrix S (resamples × topics) times the scores gives the flipped sums of every pair, as differences of columns
    (Arguello, INLS 509). All 2ⁿ flips are enumerated when they are no more than `n_resamples`: p = count/2ⁿ. Else p =
    (b + 1)/(B + 1).

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    pairs : the comparisons
    how : resamples, seed, alternative, statistic

    Examples
    --------
    The ten folds of Arguello (INLS 509), one-sided: 208 of the 1,024 flips reach the observed difference of .07.

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
    shared = (systems, pairs, observed, scores.tolerance, exact, rows)
    counts = np.zeros(len(pairs), dtype=np.int64)
    for _, extremes in how.over_blocks(_count_flips, *shared, total=total):
        counts += extremes
    if exact:
        return PValues(counts / total, resolution(n, how.alternative), True, total)
    return PValues(monte_carlo(counts, total), 1 / (total + 1), False, total)


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


def randomised_tukey(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> PValues:
    """The randomised Tukey HSD test: every pair against the largest difference that chance alone produces.

    Under the null hypothesis all systems are exchangeable: on each topic their scores are permuted. The statistic
    is the largest minus the smallest system mean; p of a pair = (1 + resamples whose range reaches the pair's
    difference)/(B + 1), which controls the family-wise error (Carterette, TOIS 30(1), 2012). The simultaneous
    interval is the difference ± the range that the test requires, so a pair is significant exactly when its
    interval leaves out 0. Exchangeable means equal spread too: with very unequal variances the family-wise error
    rises above alpha (to .12 in simulation, docs/compare_tables.md).

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
    ranges = [block_ranges for _, block_ranges in how.over_blocks(_ranges, scores.values, rows)]
    widest = np.sort(np.concatenate(ranges))
    p = monte_carlo(total - np.searchsorted(widest, np.abs(difference) - scores.tolerance, side="left"), total)
    # p ≤ alpha ⟺ at most alpha·(B+1) − 1 ranges reach the difference ⟺ it passes the next largest range.
    allowed = max(math.floor(alpha * (total + 1) + 1e-9) - 1, 0)
    half = widest[total - 1 - allowed] + scores.tolerance if allowed < total else 0.0
    scale = n if how.on_means else 1
    return PValues(p, 1 / (total + 1), False, total, (difference - half) / scale, (difference + half) / scale)


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
