"""Which systems may be the best: multiple comparisons with the best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.core.errors import ArgumentError
from cranfield.core.resampling import SIGNS, Block, pieces, signed_sums
from cranfield.questions.compare.classical import TINY
from cranfield.questions.compare.family import GridScores
from cranfield.questions.compare.resampled import Resampling, monte_carlo
from cranfield.questions.compare.westfall_young import pair_scale

Array = NDArray[np.float64]
_ROWS = 128
"""Flips handled together; a system's statistics against all others then stay in the processor's cache."""


class BestSet(NamedTuple):
    """The systems that may be the best: the p-value of "no other system is better" of each, and whether it is in."""

    p: Array
    member: NDArray[np.bool_]


def _ahead_in_block(systems: Array, scale: Array, how: Resampling, block: Block) -> Array:
    """Of a block of flips: by how much the best of the others is ahead of every system, systems × flips."""
    rng = block.generator(how.seed, SIGNS)
    ahead = np.empty((len(systems), len(block)))
    for start, stop in pieces(block, _ROWS):
        values = signed_sums(systems, rng, stop - start)
        work = np.empty_like(values)
        for i, row in enumerate(scale):
            np.subtract(values, values[i], out=work)
            work *= row[:, None]
            work.max(axis=0, out=ahead[i, start - block.start : stop - block.start])
    return ahead


def best_set(scores: GridScores, how: Resampling, alpha: float) -> BestSet:
    """The systems that may be the best: the truly best one is among them with probability about 1 − alpha.

    The level is that of an average system. One that leads by far on few topics was left out far more often: the set
    held it in .59 of samples at nominal .95 (docs/validation.md, ranks).

    Multiple comparisons with the best (Hsu, Annals of Statistics 9, 1981; 1996, ch. 4), with topics as blocks and by
    sign flips. System i leaves the set when another beats it by more than chance. Let u_ji = Σ(x_j − x_i)/√Σ(x_j −
    x_i)² over topics. The largest u_ji over all j is compared with the largest under flips of the differences: p = (b +
    1)/(B + 1) ≤ alpha. Every system has its own critical value, because differences to it have their own spread and
    correlation.

    Why that suffices without a correction over systems: the set misses the best system only if the test of that one
    system errs. If its differences to equally good systems are jointly symmetric about 0, flips give the distribution
    of their largest u exactly. Worse systems only make it larger. The leader in the data is always a member.

    A system may be far ahead on few topics and a little behind on the others. A sample with too few of those topics
    makes it look worse than it is. Flips assume symmetric differences and do not allow for that. So u_ji is first made
    smaller by the skewness of the differences (`allowing_for_skewness`): the set only grows.

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    how : resamples, seed; the statistic must be the mean
    alpha : one minus the level of the set

    Notes
    -----
    A clear loser is out without flips. By Hoeffding's inequality no pair's u passes x with a probability above
    exp(−x²/2); where m − 1 times that is below alpha/10, this bound stands for the p-value.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = GridScores.of(rng.normal(size=(50, 5)) + [0.0, 0.1, 0.2, 1.5, 1.5])
    >>> best_set(scores, Resampling(n_resamples=2000), alpha=0.05).member.tolist()
    [False, False, False, True, True]
    """
    if not 0 < alpha < 1:
        raise ArgumentError(f"`alpha` must be between 0 and 1; got {alpha:g}. Write 0.05.")
    scale, systems, sums = pair_scale(scores), np.ascontiguousarray(scores.values.T), scores.sums
    flipped = np.concatenate([found for _, found in how.over_blocks(_ahead_in_block, systems, scale)], axis=1)
    # Row i: how far every other system is ahead of system i.
    lead = (sums[None, :] - sums[:, None] - scores.tolerance) * scale
    ahead = np.array([allowing_for_skewness(row, scores.values, i).max() for i, row in enumerate(lead)])
    bound = (len(systems) - 1) * np.exp(-(np.maximum(ahead, 0.0) ** 2) / 2)
    counts = (flipped >= ahead[:, None]).sum(axis=1)
    p = np.where(bound > alpha / 10, monte_carlo(counts, how.n_resamples), np.maximum(bound, TINY))
    leaders = sums >= sums.max() - scores.tolerance
    p[leaders] = 1.0
    return BestSet(np.minimum(p, 1.0), (p > alpha) | leaders)


MORE_SKEWED = 2.0
"""How much more skewed differences are taken to be than they look: few topics show too few of the rare ones."""

FARTHEST = 4.0
"""The t up to which the correction grows. It is an expansion about the centre, and at a t of 1/a turns flat: a system
that is far behind on all topics alike would never be out."""


def allowing_for_skewness(lead: Array, values: Array, behind: int) -> Array:
    """How far every system is ahead of one, u = Σd/√Σd², less what the skewness of the differences may have added.

    Let t be the t statistic of u, n the number of topics, and g the sample skewness of the differences x_j − x_i. Where
    g is negative (system i far ahead on few topics), a = `MORE_SKEWED`·|g|/(3√n), and Hall's transformation (1992) of t
    is

        t − a·s² + a²·s³/3 − a/2,  s = min(t, `FARTHEST`),

    which grows with t; never more than t. The sample skewness of few values is too small on average, so it
    is doubled (simulated coverage: docs/compare_tables.md). Nothing helps where the few topics are missing from the
    sample.

    Parameters
    ----------
    lead : one per system, u of its differences to system `behind`
    values : topics × systems
    behind : which system they are compared with

    Examples
    --------
    The second system loses to the first on most topics and wins by far on a few; the third does not.

    >>> ahead = np.where(np.arange(40) % 10 == 0, 0.4, -0.1)
    >>> values = np.column_stack([np.full(40, 0.5), 0.5 + ahead, 0.5 - ahead])
    >>> [allowing_for_skewness(np.array([2.0, 0.0, 0.0]), values, behind).round(2).tolist() for behind in (1, 2)]
    [[0.96, 0.0, 0.0], [2.0, 0.0, 0.0]]
    """
    less = lead.copy()
    at = np.flatnonzero(lead > 0)
    n = len(values)
    each = values[:, at] - values[:, [behind]]
    each -= each.mean(axis=0)
    largest = np.abs(each).max(axis=0)
    each /= np.where(largest > 0, largest, 1.0)  # skewness has no unit, and cubes of huge scores no double
    square = each * each
    spread = np.sqrt(square.mean(axis=0))
    square *= each
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        skewness = np.where(spread > 0, square.mean(axis=0) / spread**3, 0.0)
        a = MORE_SKEWED * np.maximum(-skewness, 0.0) / (3 * np.sqrt(n))
        u = lead[at]
        t = u * np.sqrt((n - 1) / (n - np.minimum(u * u, n)))
        near = np.minimum(t, FARTHEST)
        halls = t - a * near**2 + a**2 * near**3 / 3 - a / 2
        smaller = (a > 0) & (halls < t) & np.isfinite(halls)
        less[at] = np.where(smaller, halls * np.sqrt(n / (n - 1 + halls**2)), u)
    return less
