"""Rank intervals read off the pairs that differ, for each system by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.grid import GridScores
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


def marginal_ranks(scores: GridScores, how: Resampling, alpha: float) -> RankIntervals:
    """Intervals for the true rank of each system, each right by itself with probability 1 − alpha.

    For system i only its m − 1 differences to the others matter. Those are significant whose |u_ij| passes the
    1 − alpha quantile, over flips that all of them share, of the largest |u_ij| (u as in `best_set`): the marginal
    confidence sets of Mogstad, Romano, Shaikh & Wilhelm (Review of Economic Studies 91, 2024), with flips for their
    bootstrap: right for the question "which rank may this system have", not for the whole table at once.

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
