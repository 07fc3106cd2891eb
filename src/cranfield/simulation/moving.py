"""A margin moved to another mean: its distribution function composed with that of a Beta distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_WIDEST = 40.0
"""The search for log a ends here: the mean is then the smallest or largest score but for 1e-15."""
_STEPS = 100
"""More than bisection alone would need; Newton's method ends after some six."""
_TOGETHER = 1 << 20
"""Numbers worked on at a time."""


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


def solve_tilt(ordered: Array, target: Array) -> Array:
    """The tilt at which the margin has the wanted mean, one per row.

    With scores x₁ ≤ … ≤ x_T the mean is x_T − Σ B(k/T)(x_{k+1} − x_k) over k < T. A mean is lowered as its mirror
    image 1 − x is raised, so that B(s) = s^a, and log a is found by Newton's method, which falls back on bisection
    where it would leave the bracket.

    Parameters
    ----------
    ordered : rows × topics
        A system's scores in ascending order.
    target : one per row
        The mean wanted, strictly between the smallest and the largest score.

    >>> tilt = solve_tilt(np.array([[0.0, 0.2, 0.7]]), np.array([0.5]))
    >>> below = np.array([0, 1 / 3, 2 / 3, 1]) ** np.exp(tilt)
    >>> bool(np.isclose(np.diff(below) @ [0.0, 0.2, 0.7], 0.5))
    True
    """
    tilt = np.zeros(len(ordered))
    means = ordered.mean(axis=1)
    # A margin that is there already stays exactly as it is.
    away = np.flatnonzero(np.abs(means - target) > 1e-12 * (ordered[:, -1] - ordered[:, 0]))
    size = max(1, _TOGETHER // ordered.shape[1])
    for start in range(0, len(away), size):
        rows = away[start : start + size]
        gaps = np.diff(ordered[rows], axis=1)
        raised = target[rows] > means[rows]
        gaps = np.where(raised[:, None], gaps, gaps[:, ::-1])
        left = np.where(raised, ordered[rows, -1] - target[rows], target[rows] - ordered[rows, 0])
        tilt[rows] = np.where(raised, 1, -1) * _raise(gaps, left)
    return tilt


def _raise(gaps: Array, left: Array) -> Array:
    """log a ≥ 0 at which Σ (k/T)^a gap_k, which falls with a, is what is left up to the largest score."""
    topics = gaps.shape[1] + 1
    logs = np.log(np.arange(1, topics) / topics)
    low, high = np.zeros(len(gaps)), np.full(len(gaps), _WIDEST)
    at, open_ = low.copy(), np.arange(len(gaps))
    with np.errstate(under="ignore", over="ignore"):
        for _ in range(_STEPS):
            here = at[open_]
            powers = np.exp(here)[:, None] * logs
            terms = np.exp(powers) * gaps[open_]
            total = terms.sum(axis=1)
            slope = np.einsum("ij,ij->i", terms, powers)
            above = total > left[open_]
            low[open_] = np.where(above, here, low[open_])
            high[open_] = np.where(above, high[open_], here)
            # Newton's step for the logarithm of the sum, which is nearer to a line than the sum itself.
            there = slope < 0  # where all terms are 0 there is no step, and bisection goes on
            some, falls = np.where(there, total, 1.0), np.where(there, slope, -1.0)
            step = np.where(there, here - np.log(some / left[open_]) * some / falls, np.inf)
            inside = (step > low[open_]) & (step < high[open_])
            at[open_] = np.where(inside, step, (low[open_] + high[open_]) / 2)
            open_ = open_[np.abs(at[open_] - here) > 1e-13 * np.maximum(1.0, here)]
            if not len(open_):
                break
    return at
