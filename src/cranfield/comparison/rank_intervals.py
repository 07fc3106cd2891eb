"""Rank intervals that hold for all systems at once, read off the pairs that differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.pairs import Pairs

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

    @property
    def may_lead(self) -> Bools:
        """Which systems no other is significantly better than.

        They hold all the best systems, but there are more of them than `best_set` needs: this is one of many
        statements that hold together, that one stands alone.
        """
        return np.asarray(self.lower == 1)


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
