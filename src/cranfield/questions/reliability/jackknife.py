"""How sure is the ratio behind Eρ²? The two-way jackknife: each topic and each system left out once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def log_ratio_spread(x: Array) -> tuple[float, float] | None:
    """Standard error and degrees of freedom of log r, r = (MS_s/MS_e − 1)/n, of a topic × system matrix.

    s² = v_t + v_s, the jackknife variances of log r over topics and over systems, with s⁴/(v_t²/(n−1) + v_s²/(m−1))
    degrees of freedom. None where a ratio is not above 0, or where leaving one out leaves too little.

    >>> x = np.random.default_rng(1).normal(size=(30, 8)) + np.arange(8)
    >>> s, df = log_ratio_spread(x)
    >>> round(s, 2), round(df, 1)
    (0.4, 9.1)
    """
    n, m = x.shape
    if n < 3 or m < 3:
        return None
    systems, grand = x.mean(axis=0), x.mean()
    squared = (x - x.mean(axis=1)[:, None] - systems + grand) ** 2
    total, between = squared.sum(), (systems - grand) ** 2
    # Leaving one out takes k/(k−1) times its own squares off a sum of squares.
    residuals = (total - n / (n - 1) * squared.sum(axis=1)) / ((n - 2) * (m - 1))
    left = ((n * systems - x) / (n - 1)).var(axis=1, ddof=1) * (n - 1)
    by_topic = _ratios(left, residuals, n - 1)
    residuals = (total - m / (m - 1) * squared.sum(axis=0)) / ((n - 1) * (m - 2))
    by_system = _ratios(n * (between.sum() - m / (m - 1) * between) / (m - 2), residuals, n)
    whole = _ratios(n * between.sum() / (m - 1), total / ((n - 1) * (m - 1)), n)
    if min(whole, by_topic.min(), by_system.min()) <= 0:
        return None
    v_t, v_s = (np.log(one).var() * (len(one) - 1) for one in (by_topic, by_system))
    if v_t + v_s <= 0:
        return None
    df = (v_t + v_s) ** 2 / (v_t**2 / (n - 1) + v_s**2 / (m - 1))
    return float(np.sqrt(v_t + v_s)), float(df)


def _ratios(systems: Array, residual: Array, n: int) -> Array:
    """(MS_s/MS_e − 1)/n; 0 where no residual variance is left."""
    return np.where(residual > 0, systems / np.where(residual > 0, residual, 1.0) - 1, 0.0) / n
