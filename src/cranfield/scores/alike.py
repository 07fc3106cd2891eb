"""Runs that are nearly the same: pairs of systems whose scores hardly differ on any topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranfield.scores.matrix import ScoreMatrix

if TYPE_CHECKING:
    import polars as pl

NEARLY = 0.1
"""Systems are nearly the same when they are less than this share of the usual distance apart."""


def distances(matrix: ScoreMatrix) -> NDArray[np.float64]:
    """How far apart two systems are: their mean absolute difference over topics, systems × systems.

    >>> x = ScoreMatrix([[.5, .5, .1], [.3, .2, .9]], "12", "abc", "AP")
    >>> distances(x).round(3).tolist()
    [[0.0, 0.05, 0.5], [0.05, 0.0, 0.55], [0.5, 0.55, 0.0]]
    """
    values = matrix.values
    distance = np.zeros((matrix.n_systems, matrix.n_systems))
    for row in values:  # a topic at a time: all at once would take systems² × topics numbers
        distance += np.abs(row[:, None] - row[None, :])
    return distance / matrix.n_topics


def near_identical(matrix: ScoreMatrix, *, share: float = NEARLY) -> pl.DataFrame:
    """Pairs of systems that score nearly the same on every topic, the closest first.

    A pair counts when its mean absolute difference over topics, Σ|x_ti − x_tj| / n, is at most `share` of the median
    over all pairs: usually two settings of one engine, or the same run handed in twice. Columns: system_a, system_b,
    distance, equal_topics (on how many topics the two scores are the same).

    >>> x = ScoreMatrix([[.50, .50, .1, .7], [.30, .29, .9, .1]], "12", "abcd", "AP")
    >>> near_identical(x).rows()
    [('a', 'b', 0.0050000000000000044, 1)]
    """
    import polars as pl

    schema = {"system_a": pl.String, "system_b": pl.String, "distance": pl.Float64, "equal_topics": pl.Int64}
    distance = distances(matrix)
    a, b = np.triu_indices(matrix.n_systems, 1)
    distance = distance[a, b]
    if not len(distance):
        return pl.DataFrame(schema=schema)
    near = np.flatnonzero(distance <= share * np.median(distance))
    near = near[np.argsort(distance[near], kind="stable")]
    a, b, distance = a[near], b[near], distance[near]
    equal = (matrix.values[:, a] == matrix.values[:, b]).sum(axis=0)
    names = np.array(matrix.systems, dtype=object)
    columns = [names[a].tolist(), names[b].tolist(), distance, equal]
    return pl.DataFrame(dict(zip(schema, columns, strict=True)), schema=schema)
