"""Family-wise error by the flips themselves: Westfall and Young's step-down maximum over all pairs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cranfield.core.resampling import (
    SIGNS,
    Block,
    all_signs,
    check_resamples,
    pieces,
    product,
    rows_within,
    signed_bytes,
    signed_sums,
)
from cranfield.questions.compare.family import GridScores, Pairs, all_pairs, count_true
from cranfield.questions.compare.resampled import Resampling, critical_value

Array = NDArray[np.float64]


def as_t(u: float, n_topics: int) -> float:
    """Student's t from u = Σd/√Σd².

    >>> round(as_t(2.0, 50), 3)
    2.064
    """
    left = n_topics - u * u
    return math.inf if left <= 0 else u * math.sqrt((n_topics - 1) / left)


def standardised(scores: GridScores, pairs: Pairs) -> Array:
    """1/√Σd² for every pair, 0 where there is no difference; times the sum of differences it is the statistic.

    u = Σd/√Σd² and t = u·√((n − 1)/(n − u²)): with n the same for all pairs, the one orders as the other, and
    flipping signs changes the numerator alone.
    """
    squares = np.empty(len(pairs))
    for at, a, b in pairs.chunks(scores.n_topics):
        each = scores.values[:, a] - scores.values[:, b]
        largest = np.abs(each).max(axis=0)
        each /= np.where(largest > 0, largest, 1.0)
        squares[at] = np.sqrt((each * each).sum(axis=0)) * largest
    return np.divide(1.0, squares, out=np.zeros_like(squares), where=squares > 0)


def pair_scale(scores: GridScores) -> Array:
    """`standardised` of every two systems, systems × systems, 0 on the diagonal.

    >>> pair_scale(GridScores.of([[0.0, 3.0], [0.0, 4.0]])).tolist()
    [[0.0, 0.2], [0.2, 0.0]]
    """
    pairs = all_pairs(scores.n_systems)
    scale = np.zeros((scores.n_systems, scores.n_systems))
    scale[pairs.a, pairs.b] = scale[pairs.b, pairs.a] = standardised(scores, pairs)
    return scale


def westfall_young(scores: GridScores, pairs: Pairs, how: Resampling) -> Array:
    """P-values adjusted by the step-down maximum of t over sign flips that all pairs share.

    t* = d̄*/√((Σd²/n − d̄*²)/(n − 1)) of every pair under every flip. Pairs are taken from the most to the least
    significant. For each, count the flips whose maximum over the remaining pairs reaches the pair's statistic: (b +
    1)/(B + 1), or b/2ⁿ when all flips are taken. The adjusted p-value is the running maximum (Westfall & Young 1993,
    algorithm 2.8).

    Controls the family-wise error when the differences of the pairs that do not differ are jointly symmetric about
    0. It uses that pairs share systems and topics, so it usually finds more than Holm, and 10,000 flips serve a
    family of any size. A pair's p-value depends on the whole family.

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    pairs : the family
    how : resamples, seed, alternative; the statistic must be the mean

    Examples
    --------
    >>> scores = GridScores.of([[.5, .2, .3], [.7, .5, .2], [.5, .1, .4], [.6, .2, .3], [.9, .5, .4], [.4, .3, .4]])
    >>> pairs = Pairs(np.array([0, 0, 1]), np.array([1, 2, 2]))
    >>> westfall_young(scores, pairs, Resampling()).tolist()
    [0.03125, 0.09375, 0.8125]
    """
    n = scores.n_topics
    most = check_resamples(how.n_resamples)
    exact = n < 63 and 2**n <= most
    total = 2**n if exact else most
    scale = standardised(scores, pairs)
    sums = pairs.of(scores.sums)
    sums = {"two-sided": np.abs(sums), "greater": sums, "less": -sums}[how.alternative]
    order = np.argsort(-sums * scale, kind="stable")
    ordered = Pairs(pairs.a[order], pairs.b[order])
    observed = (sums[order] - scores.tolerance) * scale[order]
    scale = scale[order]
    systems = np.ascontiguousarray(scores.values.T)
    rows = rows_within(how.memory, signed_bytes(len(systems), n), how.workers)
    shared = (systems, ordered, scale, observed, exact, rows)
    counts = np.zeros(len(pairs), dtype=np.int64)
    for _, reached in how.over_blocks(_step_down, *shared, total=total):
        counts += reached
    stepped = counts / total if exact else (counts + 1) / (total + 1)
    adjusted = np.empty(len(pairs))
    adjusted[order] = np.maximum.accumulate(stepped)
    return adjusted


def _step_down(
    systems: Array, pairs: Pairs, scale: Array, observed: Array, exact: bool, rows: int, how: Resampling, block: Block
) -> NDArray[np.int64]:
    """Of a block: how many flips reach each pair's statistic by the maximum from it downwards."""
    n = systems.shape[1]
    reached = np.zeros(len(pairs), dtype=np.int64)
    rng = block.generator(how.seed, SIGNS)
    for start, stop in pieces(block, rows):
        count = stop - start
        values = product(systems, all_signs(start, stop, n).T) if exact else signed_sums(systems, rng, count)
        largest = np.full(count, -np.inf)
        # From the least significant pair upwards the maximum over the remaining ones only grows.
        for at, a, b in reversed(list(pairs.chunks(count))):
            statistic = values[a]
            statistic -= values[b]
            if how.alternative == "two-sided":
                np.abs(statistic, out=statistic)
            statistic *= (-scale if how.alternative == "less" else scale)[at, None]
            np.maximum(statistic[-1], largest, out=statistic[-1])
            for row in range(len(statistic) - 2, -1, -1):
                np.maximum(statistic[row], statistic[row + 1], out=statistic[row])
            largest = statistic[0].copy()
            reached[at] += count_true(statistic >= observed[at, None])
    return reached


def interval_critical_t(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> float:
    """The t for simultaneous intervals d̄ ± t·se of all differences, for any true differences.

    The quantile of the largest |t| over the family under flips of the differences *about their means*. A test may flip
    the differences themselves, because its null hypothesis says that they are 0; an interval may not: large true
    differences make all flipped sums follow one another, and the maximum too small (simulated coverage .85 instead of
    .95). For a one-sided alternative the largest t.

    Examples
    --------
    Twice as many systems, wider intervals; by Bonferroni it would be 2.8 and 3.3.

    >>> values = np.random.default_rng(1).normal(size=(50, 8))
    >>> how = Resampling(n_resamples=2000)
    >>> [round(interval_critical_t(GridScores.of(values[:, :m]), all_pairs(m), how, 0.05), 1) for m in (4, 8)]
    [2.7, 3.2]
    """
    n = scores.n_topics
    centred = GridScores.of(scores.values - scores.sums / n)
    scale = standardised(centred, pairs)
    systems = np.ascontiguousarray(centred.values.T)
    rows = rows_within(how.memory, signed_bytes(len(systems), n), how.workers)
    maxima = [largest for _, largest in how.over_blocks(_largest, systems, pairs, scale, rows)]
    return as_t(critical_value(np.sort(np.concatenate(maxima)), alpha), n)


def _largest(systems: Array, pairs: Pairs, scale: Array, rows: int, how: Resampling, block: Block) -> Array:
    """The largest statistic over the family, of every flip of a block."""
    rng = block.generator(how.seed, SIGNS)
    maxima = []
    for start, stop in pieces(block, rows):
        values = signed_sums(systems, rng, stop - start)
        top = np.zeros(stop - start)
        for at, a, b in pairs.chunks(stop - start):
            statistic = values[a]
            statistic -= values[b]
            if how.alternative == "two-sided":
                np.abs(statistic, out=statistic)
            statistic *= scale[at, None]
            np.maximum(top, statistic.max(axis=0), out=top)
        maxima.append(top)
    return np.concatenate(maxima)
