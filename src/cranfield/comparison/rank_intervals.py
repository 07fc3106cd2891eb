"""Rank intervals read off the pairs that differ, for each system by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.board_flips import BoardFlips, board_flips
from cranfield.comparison.grid import GridScores
from cranfield.comparison.resampled import Resampling
from cranfield.comparison.westfall_young import critical_value

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]


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


def marginal_ranks(scores: GridScores, how: Resampling, alpha: float, flips: BoardFlips | None = None) -> RankIntervals:
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
    flips : the flips, where they are drawn already

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = GridScores.of(rng.normal(size=(50, 5)) + [2.0, 1.0, 0.1, 0.1, 0.0])
    >>> ranks = marginal_ranks(scores, Resampling(n_resamples=2000), alpha=0.05)
    >>> list(zip(ranks.lower.tolist(), ranks.upper.tolist()))
    [(1, 1), (2, 2), (3, 5), (3, 5), (3, 5)]
    """
    flips = flips or board_flips(scores, how)
    m = scores.n_systems
    critical = np.array([critical_value(np.sort(row), alpha) for row in flips.apart])
    # Row i: how far system i is ahead of every other.
    ahead = scores.sums[:, None] - scores.sums[None, :]
    passed = (np.abs(ahead) - scores.tolerance) * flips.scale > critical[:, None]
    return RankIntervals(1 + (passed & (ahead < 0)).sum(axis=1), m - (passed & (ahead > 0)).sum(axis=1))
