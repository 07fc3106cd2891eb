"""How far scores are from the sphericity that a blocked F-test assumes: the Greenhouse–Geisser ε."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cranfield.resampling import cross_products

Array = NDArray[np.float64]


def greenhouse_geisser(covariance: Array) -> float:
    """ε = tr(Σ̃)² / ((m−1)·tr(Σ̃²)) with Σ̃ the doubly centred m × m covariance of the systems.

    1 when all pairwise differences have the same variance, 1/(m−1) at worst (Greenhouse and Geisser 1959).
    NaN when there is no variance at all.

    >>> greenhouse_geisser(np.eye(4)), greenhouse_geisser(1e300 * np.eye(4)), greenhouse_geisser(1e-300 * np.eye(4))
    (1.0, 1.0, 1.0)
    """
    m = len(covariance)
    centred = covariance - covariance.mean(axis=0) - covariance.mean(axis=1, keepdims=True) + covariance.mean()
    _, exponent = math.frexp(float(np.abs(centred).max()))
    centred = np.ldexp(centred, -exponent)  # a power of two, so that no square is too large or too small
    squared = float(np.square(centred).sum())
    return float(np.trace(centred)) ** 2 / ((m - 1) * squared) if squared > 0 else float("nan")


def traces(scores: Array) -> tuple[Array, Array]:
    """(tr S)² and tr S² of all systems, S their doubly centred covariance, in a unit of their own.

    tr S² is the sum of the squared products of all columns of the centred scores, or of all rows: whichever are fewer.

    >>> squared_trace, trace_of_square = traces(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> round(float(squared_trace / trace_of_square), 6)
    2.0
    """
    n, m = scores.shape
    centred = scores - scores.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    centred /= float(np.abs(centred).max()) or 1.0
    products = cross_products(centred if m < n else centred.T) / (n - 1)
    return np.asarray(np.trace(products) ** 2), np.asarray(np.square(products).sum())
