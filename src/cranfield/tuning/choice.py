"""The array layer: the best setting on the training topics of every fold, all folds at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.tuning.folds import Folds, Positions

Array = NDArray[np.float64]

_AT_ONCE = 2**16
"""Sums held at once: few enough to stay in the processor's cache; the folds are taken in turn."""


@dataclass(frozen=True)
class Choice:
    """Per fold: the column chosen, and whether others did as well."""

    column: Positions
    tied: NDArray[np.bool_]


def best(sums: Array, tolerance: float) -> Choice:
    """The first column of every row whose sum is within `tolerance` of the row's largest.

    >>> best(np.array([[0.1, 0.3, 0.3], [0.2, 0.1, 0.0]]), 0.0).column.tolist()
    [1, 0]
    """
    near = sums >= sums.max(axis=1, keepdims=True) - tolerance
    rows, column = np.arange(len(sums)), near.argmax(axis=1)
    near[rows, column] = False
    return Choice(column, near.any(axis=1))


def choose(values: Array, folds: Folds, tolerance: float) -> Choice:
    """The best column on the training topics of every fold: the argmax of the training means.

    The sum over the training topics is the sum over all topics less that over the held-out ones, so
    leave-one-out costs no more than one pass over the scores. On the exact grid the difference has no rounding
    error: a fold's held-out scores cancel to the last bit and cannot influence its choice (they only help to set
    the unit of the grid, some 1e-12 for scores up to 1).

    Parameters
    ----------
    values : topics × settings, whole numbers (scores in units of the exact grid), topics in the folds' order
    tolerance : sums this close are tied; the first setting is then taken
    """
    total = values.sum(axis=0)
    size = max(1, _AT_ONCE // values.shape[1])
    parts = []
    for start in range(0, len(folds), size):
        stop = start + size
        if folds.train is None:
            sums = total - _sums(values, folds.held_out[start:stop])
        else:
            sums = _sums(values, folds.train[start:stop])
        parts.append(best(sums, tolerance))
    return Choice(
        np.concatenate([part.column for part in parts]),
        np.concatenate([part.tied for part in parts]),
    )


def _sums(values: Array, topics: Sequence[Positions]) -> Array:
    """The sum of every column over each of these sets of topics: sets × columns."""
    if all(len(some) == 1 for some in topics):
        return values[np.concatenate(topics)]
    out = np.empty((len(topics), values.shape[1]))
    for row, some in enumerate(topics):
        np.sum(values[some], axis=0, out=out[row])
    return out


def mean_per_topic(topic: Positions, score: Array, n_topics: int) -> Array:
    """The mean score of every topic over the folds that held it out; NaN for a topic never held out."""
    times = np.bincount(topic, minlength=n_topics)
    sums = np.bincount(topic, weights=score, minlength=n_topics)
    return np.asarray(np.divide(sums, times, out=np.full(n_topics, np.nan), where=times > 0))
