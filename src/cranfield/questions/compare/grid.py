"""Scores on the exact grid: what every test of this package starts from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core.resampling import grid_step, own_unit, to_grid

Array = NDArray[np.float64]


@dataclass(frozen=True)
class GridScores:
    """Scores (topics × systems) rounded so that all sums and differences of sums over topics are exact.

    Sums then do not depend on the order of adding, on blocks or on threads. Values that were equal before
    rounding can be a few steps apart after it, so ties are recognised within `step`-sized tolerances.
    """

    values: Array
    step: float

    @classmethod
    def of(cls, scores: ArrayLike) -> GridScores:
        """Round scores to the grid on which sums of 2n of them are exact.

        Scores that are all tiny are rounded in a unit of their own, so that none is wiped out.

        >>> (GridScores.of([[1e-20], [3e-20]]).values * 1e20).ravel().round(9).tolist()
        [1.0, 3.0]
        """
        values = np.asarray(scores, dtype=np.float64)
        terms = 2 * len(values)
        unit = own_unit(values)
        return cls(to_grid(values / unit, terms) * unit, grid_step(values / unit, terms) * unit)

    @property
    def n_topics(self) -> int:
        """How many topics."""
        return len(self.values)

    @property
    def n_systems(self) -> int:
        """How many systems."""
        return int(self.values.shape[1])

    @property
    def sums(self) -> Array:
        """The exact sum of every system's scores."""
        return np.asarray(self.values.sum(axis=0))

    @property
    def tolerance(self) -> float:
        """How far apart two differences of sums can be that were equal before rounding."""
        return 2 * self.n_topics * self.step


def tied_ranks(values: Array, tolerance: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Best and worst rank of every row within its column, the largest value first; equal values share both.

    >>> best, worst = tied_ranks(np.array([[0.5], [0.75], [0.5]]), 0)
    >>> best.ravel().tolist(), worst.ravel().tolist()
    ([2, 1, 2], [3, 1, 3])
    """
    order = np.argsort(-values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    place = np.arange(1, len(values) + 1)[:, None]
    edge = np.ones((1, values.shape[1]), dtype=np.bool_)
    opens = np.concatenate([edge, ordered[:-1] - ordered[1:] > tolerance])
    closes = np.concatenate([opens[1:], edge])
    best, worst = np.empty(values.shape, dtype=np.int64), np.empty(values.shape, dtype=np.int64)
    first = np.maximum.accumulate(np.where(opens, place, 0), axis=0)
    last = np.minimum.accumulate(np.where(closes, place, len(values))[::-1], axis=0)[::-1]
    np.put_along_axis(best, order, first, axis=0)
    np.put_along_axis(worst, order, last, axis=0)
    return best, worst
