"""Rank intervals read off the pairs that differ: for all systems at once, or for each system by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.grid import GridScores
from cranfield.comparison.pairs import Pairs
from cranfield.comparison.resampled import Resampling
from cranfield.comparison.westfall_young import critical_value, pair_scale
from cranfield.executors import map_in_order
from cranfield.resampling import SIGNS, Block, blocks, check_resamples, pieces, signed_sums

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]
_ROWS = 128
"""Flips handled together; a system's statistics against all others then stay in the processor's cache."""


@dataclass(frozen=True)
class RankIntervals:
    """The best and the worst rank that each system may have.

    Attributes
    ----------
    lower : one per system, 1 + the number of systems significantly better
    upper : one per system, the number of systems − the number significantly worse
    """

    lower: Integers
    upper: Integers


def simultaneous_ranks(pairs: Pairs, difference: Array, significant: Bools, n_systems: int) -> RankIntervals:
    """Intervals for the true ranks of all systems, right together with the confidence of the decisions on pairs.

    The true rank of system i is 1 + the number of systems with a higher true mean, and systems that tie share all
    their ranks. When every significant difference has the right sign, at least as many systems as are significantly
    better are truly better, and as many as are significantly worse are truly worse, for all systems at once. So with
    decisions on all pairs of family-wise error alpha (holm, bonferroni, westfall-young, tukey) all intervals hold
    together with probability 1 − alpha (Mogstad, Romano, Shaikh & Wilhelm, Review of Economic Studies 91, 2024, from
    whose construction this differs in that any such decisions serve). With bh or by, or without correction,
    they hold no such promise.

    Parameters
    ----------
    pairs : all pairs of systems
    difference : one per pair, `a` minus `b`
    significant : one per pair
    n_systems : number of systems

    Examples
    --------
    Three systems; the first is better than the last, and nothing else is known.

    >>> pairs = Pairs(np.array([0, 0, 1]), np.array([1, 2, 2]))
    >>> ranks = simultaneous_ranks(pairs, np.array([0.1, 0.3, 0.2]), np.array([False, True, False]), 3)
    >>> list(zip(ranks.lower.tolist(), ranks.upper.tolist()))
    [(1, 2), (1, 3), (2, 3)]
    """
    won = significant & (difference > 0)
    lost = significant & (difference < 0)
    better = np.bincount(pairs.b[won], minlength=n_systems) + np.bincount(pairs.a[lost], minlength=n_systems)
    worse = np.bincount(pairs.a[won], minlength=n_systems) + np.bincount(pairs.b[lost], minlength=n_systems)
    return RankIntervals(1 + better.astype(np.int64), n_systems - worse.astype(np.int64))


def marginal_ranks(scores: GridScores, how: Resampling, alpha: float) -> RankIntervals:
    """Intervals for the true rank of each system, each right by itself with probability 1 − alpha.

    For system i only its m − 1 differences to the others matter. Those are significant whose |u_ij| passes the
    1 − alpha quantile, over flips that all of them share, of the largest |u_ij| (u as in `best_set`): the marginal
    confidence sets of Mogstad, Romano, Shaikh & Wilhelm (2024), with flips for their bootstrap. Narrower than
    `simultaneous_ranks`: right for the question "which rank may this system have", not for the whole table at once.

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    how : resamples, seed; the statistic must be the mean
    alpha : one minus the level of an interval

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = GridScores.of(rng.normal(size=(50, 5)) + [2.0, 1.0, 0.1, 0.1, 0.0])
    >>> ranks = marginal_ranks(scores, Resampling(n_resamples=2000), alpha=0.05)
    >>> list(zip(ranks.lower.tolist(), ranks.upper.tolist()))
    [(1, 1), (2, 2), (3, 5), (3, 5), (3, 5)]
    """
    total = check_resamples(how.n_resamples)
    m = scores.values.shape[1]
    scale = pair_scale(scores)
    systems = np.ascontiguousarray(scores.values.T)
    largest = np.empty((m, total))

    def fill(block: Block) -> None:
        rng = block.generator(how.seed, SIGNS)
        for start, stop in pieces(block, _ROWS):
            values = signed_sums(systems, rng, stop - start)
            work = np.empty_like(values)
            for i in range(m):
                np.subtract(values, values[i], out=work)
                np.abs(work, out=work)
                work *= scale[i, :, None]
                largest[i, start:stop] = work.max(axis=0)

    done = map_in_order(fill, blocks(total), executor="threads", workers=how.workers, progress=how.progress, weight=len)
    for _ in done:
        pass
    largest.sort(axis=1)
    critical = np.array([critical_value(row, alpha) for row in largest])
    # Row i: how far system i is ahead of every other.
    ahead = scores.sums[:, None] - scores.sums[None, :]
    passed = (np.abs(ahead) - scores.tolerance) * scale > critical[:, None]
    return RankIntervals(1 + (passed & (ahead < 0)).sum(axis=1), m - (passed & (ahead > 0)).sum(axis=1))


def true_ranks(means: Array) -> RankIntervals:
    """The ranks that systems with these true means have; systems that tie share all the ranks they occupy.

    >>> ranks = true_ranks(np.array([0.3, 0.5, 0.3]))
    >>> ranks.lower.tolist(), ranks.upper.tolist()
    ([2, 1, 2], [3, 1, 3])
    """
    ordered = np.sort(means)
    above = len(means) - np.searchsorted(ordered, means, side="right")
    below = np.searchsorted(ordered, means, side="left")
    return RankIntervals(1 + above.astype(np.int64), len(means) - below.astype(np.int64))
