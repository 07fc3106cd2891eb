"""The values that a measure can take: precision at 10 has eleven, average precision has too many to list."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import DataError
from cranfield.measures.names import recognise

Array = NDArray[np.float64]
FEW_VALUES = 30
"""Scores of a measure we do not know that have no more distinct values than this can take just these."""
_ROUNDED = 5e-4
"""Scores may have been printed with three decimals."""


def support_of(measure: str, values: Array) -> Array | None:
    """Every value that a measure can take, in ascending order; None for one that can take any between 0 and 1.

    P@k takes 0, 1/k, …, 1; RR@k takes 0, 1/k, …, 1/2, 1; Success is 0 or 1. RR
    without a cutoff takes the values that are seen. So does a measure that is not known by its name and has at most 30
    distinct scores.

    >>> support_of("P_5", np.array([0.2, 0.4])).tolist()
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    >>> support_of("AP", np.linspace(0, 1, 99)) is None
    True
    """
    low, high = float(values.min()), float(values.max())
    if low < 0 or high > 1:
        raise DataError(
            f"{measure}: margins are fitted to scores between 0 and 1; there are scores from {low:g} to {high:g}. "
            "Use mode 'resample'."
        )
    known = recognise(measure)
    name, cutoff = (known.name, known.cutoff) if known is not None else (None, None)
    if name == "P" and cutoff:
        support = np.arange(cutoff + 1) / cutoff
    elif name == "RR" and cutoff:
        support = np.concatenate([[0.0], 1 / np.arange(cutoff, 0, -1.0)])
    elif name == "Success":
        support = np.array([0.0, 1.0])
    else:
        seen = np.unique(values)
        return seen if name == "RR" or len(seen) <= FEW_VALUES else None
    near = nearest(values, support)
    far = np.abs(support[near] - values) > _ROUNDED
    if far.any():
        raise DataError(
            f"{measure} cannot be {values[far][0]:g}: its values are {_few(support)}. "
            "Give the measure its right name, or use mode 'resample'."
        )
    return support


def nearest(values: Array, support: Array) -> NDArray[np.int64]:
    """The position of the nearest value of the support, for every score."""
    return np.asarray(np.searchsorted((support[1:] + support[:-1]) / 2, values), dtype=np.int64)


def _few(support: Array) -> str:
    shown = [f"{value:g}" for value in support]
    return ", ".join(shown) if len(shown) <= 6 else ", ".join([*shown[:3], "…", shown[-1]])
