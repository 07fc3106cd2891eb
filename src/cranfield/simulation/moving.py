"""A margin moved to another mean: its distribution function composed with that of a Beta distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_WIDEST = 40.0
"""The search for log a ends here: the mean is then the smallest or largest score but for 1e-15."""
_HALVINGS = 60


def moved_quantile(u: Array, tilt: Array) -> Array:
    """Where in the old margin the quantile u of the moved one lies.

    The moved distribution is B(F(x)), with B = Beta(a, 1) for a tilt log a > 0, which raises the mean, and Beta(1, 1/a)
    for a tilt below 0, which lowers it; a tilt of 0 moves nothing. So the quantile is Q(B⁻¹(u)), with
    B⁻¹(u) = u^(1/a), or 1 − (1 − u)^a.

    >>> moved_quantile(np.array([0.25, 0.25]), np.array([np.log(2), 0.0])).tolist()
    [0.5, 0.25]
    """
    with np.errstate(under="ignore"):
        raised = u ** np.exp(-np.maximum(tilt, 0.0))
        lowered = 1 - (1 - u) ** np.exp(np.minimum(tilt, 0.0))
    return np.asarray(np.where(tilt > 0, raised, lowered))


def _weights(steps: Array, tilt: Array) -> Array:
    """B(k/T) − B((k−1)/T) for every tilt: the weight of the k-th smallest score."""
    power = np.exp(np.abs(tilt))[:, None]
    with np.errstate(under="ignore"):
        below = np.where((tilt > 0)[:, None], steps**power, 1 - (1 - steps) ** power)
    return np.diff(below, axis=1)


def solve_tilt(ordered: Array, target: Array) -> Array:
    """The tilt at which the margin has the wanted mean, one per row, by bisection.

    Parameters
    ----------
    ordered : rows × topics
        A system's scores in ascending order.
    target : one per row
        The mean wanted, strictly between the smallest and the largest score.

    >>> ordered = np.array([[0.0, 0.2, 0.7]])
    >>> tilt = solve_tilt(ordered, np.array([0.5]))
    >>> bool(np.isclose((_weights(np.linspace(0, 1, 4)[None], tilt) * ordered).sum(), 0.5))
    True
    """
    steps = np.linspace(0, 1, ordered.shape[1] + 1)[None]
    low, high = np.full(len(ordered), -_WIDEST), np.full(len(ordered), _WIDEST)
    # A margin that is there already stays exactly as it is.
    there = np.abs(ordered.mean(axis=1) - target) <= 1e-12
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        short = np.einsum("ij,ij->i", _weights(steps, middle), ordered) < target
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.where(there, 0.0, (low + high) / 2)
