"""Intervals by inverting the randomisation test: the values that sign flips do not reject as the true difference.

A flip reverses the differences of some topics, the set A. Subtract the true difference δ. The flipped sum is then as
large as the observed one exactly when the mean difference over A is at most δ. The one-sided test at level a therefore
rejects the values below the ⌊a·2ⁿ⌋-th smallest of the means over sets of topics ("typical values": Hartigan,
JASA 64, 1969), and no search is needed. With B random flips it is the ⌊a·(B + 1)⌋-th smallest.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cranfield.core.defaults import Alternative
from cranfield.core.resampling import SIGNS, Block, all_signs, pieces, product, rows_within, signed_bytes, signed_sums
from cranfield.questions.compare.family import GridScores, Pairs
from cranfield.questions.compare.resampled import Resampling

Array = NDArray[np.float64]
MOST_FLIPS = 40_000
"""Random flips behind an interval."""
LEAST_BEYOND = 10
"""Random flips that must lie beyond an end; with fewer the end is luck."""


def can_invert(n_topics: int, n_resamples: int, level: float, alternative: Alternative) -> bool:
    """Whether there are enough flips for intervals of level 1 − `level`.

    >>> [can_invert(n, 100_000, 0.05, "two-sided") for n in (5, 6, 50)], can_invert(50, 199, 0.05, "two-sided")
    ([False, True, True], False)
    """
    listed = _listed(n_topics, n_resamples)
    total = 2.0**n_topics if listed else min(n_resamples, MOST_FLIPS) + 1
    return _beyond(level, alternative, total) >= (1 if listed else LEAST_BEYOND)


def inverted(
    scores: GridScores, pairs: Pairs, how: Resampling, level: float, sizes: Array | None = None
) -> tuple[Array, Array]:
    """Both ends of the interval of every mean difference, level 1 − `level` for each pair by itself.

    All sets of topics are listed where 2ⁿ ≤ B; else 40,000 of them at most are drawn, with the flips of the test.

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    pairs : the comparisons
    how : resamples, seed, alternative (one-sided: the interval is open on one side); `can_invert` must allow it
    level : one minus the level of an interval
    sizes : one per row of the scores, where rows are groups of topics: its topics relative to the average group

    Examples
    --------
    Six differences: the two-sided test at .05 rejects what is beyond the smallest and the largest mean of a set.

    >>> d = np.array([[0.1, 0.3, 0.2, 0.4, 0.2, 0.6]]).T
    >>> scores = GridScores.of(np.hstack([d, np.zeros((6, 1))]))
    >>> [end.round(4).tolist() for end in inverted(scores, Pairs(np.array([0]), np.array([1])), Resampling(), 0.05)]
    [[0.1], [0.6]]
    """
    n = scores.n_topics
    listed = _listed(n, how.n_resamples)
    total = 2**n if listed else min(how.n_resamples, MOST_FLIPS)
    k = _beyond(level, how.alternative, total + (not listed))
    # The signed sum of ones tells how many topics a set has.
    columns = np.vstack([scores.values.T, np.ones(n) if sizes is None else sizes])
    sums = np.concatenate(
        [found for _, found in how.over_blocks(_sums_of_block, columns, listed, total=total)], axis=1
    )  # fmt: skip
    size = n - sums[-1]
    some = size > 1e-9
    lower, upper = np.empty(len(pairs)), np.empty(len(pairs))
    observed = scores.sums
    for at, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        means = (observed[a] - observed[b] - (sums[a] - sums[b]))[some] / size[some]
        ordered = np.partition(means, [k - 1, len(means) - k])
        lower[at], upper[at] = ordered[k - 1], ordered[len(means) - k]
    if how.alternative == "greater":
        upper[:] = np.inf
    elif how.alternative == "less":
        lower[:] = -np.inf
    return lower, upper


def _listed(n_topics: int, n_resamples: int) -> bool:
    return n_topics < 63 and 2**n_topics <= n_resamples


def _beyond(level: float, alternative: Alternative, total: float) -> int:
    """How many means of sets lie beyond an end, with the end itself."""
    return math.floor(level / (2 if alternative == "two-sided" else 1) * total + 1e-9)


def _sums_of_block(columns: Array, listed: bool, how: Resampling, block: Block) -> Array:
    """Sums of every column with the signs of a block of flips: columns × flips."""
    n = columns.shape[1]
    if listed:
        return np.asarray(product(columns, all_signs(block.start, block.stop, n).T))
    rng = block.generator(how.seed, SIGNS)
    rows = rows_within(how.memory, signed_bytes(len(columns), n), how.workers)
    parts = [signed_sums(columns, rng, stop - start) for start, stop in pieces(block, rows)]
    return np.concatenate(parts, axis=1)
