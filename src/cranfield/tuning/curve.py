"""The mean score of every setting with a band from resampled topics: the curve, or heat map, of a tuning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranfield.defaults import MEMORY_MB
from cranfield.errors import ArgumentError
from cranfield.executors import Progress
from cranfield.resampling import BLOCK, check_resamples, own_unit, rows_within, to_grid, topic_weights
from cranfield.scores import ScoreMatrix

if TYPE_CHECKING:
    import polars as pl

    from cranfield.tuning.families import Family

CURVE_COLUMNS = ("family", "setting", "mean", "lower", "upper", "folds", "final")
"""The columns of a curve, but for the parameters, which stand before the mean."""

_AT_ONCE = 2**24
"""Resampled means held at once (128 MB): settings beyond that are taken in turn, on the same resamples."""


def mean_bands(
    scores: ScoreMatrix, *, n_resamples: int, seed: int, alpha: float, progress: Progress | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper end of the bootstrap percentile interval of every system's mean, topics resampled.

    Every system sees the same resamples, and one product of weights and scores gives the means.
    """
    if not 0 < alpha < 1:
        raise ArgumentError(f"`alpha` must be between 0 and 1; got {alpha:g}. Write 0.05.")
    n_resamples = check_resamples(n_resamples)
    ordered = scores.select(topics=sorted(scores.topics, key=str.encode))
    unit = own_unit(ordered.values)
    values = to_grid(ordered.values / unit, scores.n_topics) * unit
    width = max(1, _AT_ONCE // n_resamples)
    rows = min(BLOCK, rows_within(MEMORY_MB, 24 * scores.n_topics, 1))
    lower, upper = np.empty(scores.n_systems), np.empty(scores.n_systems)
    for start in range(0, scores.n_systems, width):
        part = values[:, start : start + width]
        means = np.empty((n_resamples, part.shape[1]))
        done = 0
        for weights in topic_weights(scores.n_topics, n_resamples, seed, rows):
            means[done : done + len(weights)] = weights @ part
            done += len(weights)
        means /= scores.n_topics
        ends = np.quantile(means, [alpha / 2, 1 - alpha / 2], axis=0)
        lower[start : start + width], upper[start : start + width] = ends
        if progress:
            progress(min(start + width, scores.n_systems), scores.n_systems)
    return lower, upper


def column_of(parameter: str) -> str:
    """The column of a parameter: its name, unless a curve has a column of that name already.

    >>> column_of("k1"), column_of("mean")
    ('k1', 'parameter_mean')
    """
    return f"parameter_{parameter}" if parameter in CURVE_COLUMNS else parameter


def parameter_columns(family: Family) -> list[pl.Series]:
    """The parameters of every setting as columns: numbers where all are, otherwise text; null where it has none."""
    import polars as pl

    columns = []
    for parameter in family.parameters:
        values = [setting.get(parameter) for setting in family.settings]
        present = [value for value in values if value is not None]
        if all(isinstance(value, bool) for value in present):
            dtype: pl.DataType = pl.Boolean()
        elif all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in present):
            dtype = pl.Int64() if all(isinstance(value, int) for value in present) else pl.Float64()
        else:
            dtype, values = pl.String(), [None if value is None else str(value) for value in values]
        columns.append(pl.Series(column_of(parameter), values, dtype=dtype, strict=False))
    return columns
