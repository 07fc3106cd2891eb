"""What a system is judged by: the mean of its scores, or another summary of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from cranfield.defaults import StatisticName
from cranfield.errors import ArgumentError, DataError, UnknownNameError

Statistic = Callable[..., Any]
"""Takes an array and ``axis``, and summarises along that axis, as ``numpy.median`` does."""

GEOMETRIC_FLOOR = 1e-5
"""Scores below it count as it in a geometric mean, as in trec_eval's gm_map."""


def mean(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """The arithmetic mean."""
    return np.asarray(np.sum(values, axis=axis) / values.shape[axis])


def median(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """The median (of an even number of scores: the mean of the middle two)."""
    return np.asarray(np.median(values, axis=axis))


def geometric_mean(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """exp of the mean logarithm, with scores below .00001 counted as .00001 (trec_eval's gm_map).

    >>> float(geometric_mean(np.array([0.0, 0.1]), 0).round(12))
    0.001
    """
    # Logarithms on a grid, so that the same scores in another order give the same sum to the last bit.
    logs = np.ldexp(np.rint(np.ldexp(np.log(np.maximum(values, GEOMETRIC_FLOOR)), 36)), -36)
    return np.asarray(np.exp(np.sum(logs, axis=axis) / values.shape[axis]))


_NAMED: dict[str, Statistic] = {"mean": mean, "median": median, "geometric-mean": geometric_mean}


def find_statistic(statistic: StatisticName | Statistic) -> tuple[str, Statistic]:
    """The name and the function of a statistic, tried once on a small array."""
    if isinstance(statistic, str):
        if statistic not in _NAMED:
            raise UnknownNameError("statistic", statistic, get_args(StatisticName))
        return statistic, _NAMED[statistic]
    name = getattr(statistic, "__name__", type(statistic).__name__)
    if not callable(statistic):
        raise ArgumentError(f"`statistic` must be a name or a function of (values, axis); got {statistic!r}")
    try:
        shape = np.shape(statistic(np.full((2, 3, 4), 0.5), axis=1))
    except TypeError as error:
        raise ArgumentError(f"`statistic` {name} must take (values, axis): {error}") from None
    if shape != (2, 4):
        raise ArgumentError(
            f"`statistic` {name} must summarise along `axis`: from a (2, 3, 4) array along axis 1 it made {shape}, "
            "expected (2, 4)"
        )
    return name, FiniteStatistic(name, statistic)


@dataclass(frozen=True)
class FiniteStatistic:
    """A statistic refused as soon as it gives no number: NaN is never as extreme as anything, so p would be tiny."""

    name: str
    function: Statistic

    def __call__(self, values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        """The statistic along an axis."""
        statistics = np.asarray(self.function(values, axis=axis), dtype=np.float64)
        if not np.isfinite(statistics).all():
            wrong = statistics[~np.isfinite(statistics)].flat[0]
            raise DataError(
                f"`statistic` {self.name} gave {wrong} for some of the scores; it must give a number for all"
            )
        return statistics
