"""Tukey's HSD with topics as blocks, and the distribution behind it: the studentised range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from cranfield.questions.compare.classical import TINY
from cranfield.questions.compare.grid import GridScores
from cranfield.questions.compare.pairs import Pairs
from cranfield.questions.compare.tests import PValues

Array = NDArray[np.float64]
NODES = 96
"""Points at which the tail is computed; between them its logarithm is interpolated."""
_STEP = 0.1
_Z = np.arange(-20.0, 10.0, _STEP)


def residual_variance(scores: GridScores) -> float:
    """V_E2, the variance left when both topics and systems are taken out (two-way ANOVA without interaction).

    Exactly 0 when every system differs from every other by a constant.
    """
    values = scores.values
    n, m = values.shape
    from_first = values - values[:, :1]
    if (np.ptp(from_first, axis=0) <= 2 * scores.step).all():
        return 0.0
    left = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    return float((left**2).sum() / ((m - 1) * (n - 1)))


def _range_tail(width: Array, n_means: int) -> Array:
    """P(range of m standard normals > width), accurate also where it is tiny.

    With z the smallest value and Q the upper tail of the normal distribution:
    m ∫ φ(z) Q(z)^(m−1) {1 − (1 − Q(z+w)/Q(z))^(m−1)} dz, by the trapezoidal rule (which converges
    geometrically for an integrand that fades out at both ends).
    """
    log_q = special.log_ndtr(-_Z)
    weight = np.log(n_means) - _Z**2 / 2 - np.log(2 * np.pi) / 2 + (n_means - 1) * log_q
    ratio = np.exp(special.log_ndtr(-(_Z + width[..., None])) - log_q)
    inside = -np.expm1((n_means - 1) * np.log1p(-np.minimum(ratio, 1 - 1e-16)))
    return np.asarray((np.exp(weight) * inside).sum(axis=-1) * _STEP)


def exact_tail(q: Array, n_means: int, df: float) -> Array:
    """P(studentised range of m means with ν degrees of freedom > q), by quadrature for each q.

    ∫ P(range > q·s) f(s) ds with s² = χ²_ν/ν, over x = log s by the trapezoidal rule.
    """
    spread = 1 / np.sqrt(2 * df)
    x = np.linspace(-14 * spread, 7 * spread, 161)
    if df < 20:  # skewed: the lower end fades out like s^ν
        x = np.linspace(-45 / df, 7 * spread, 401)
    density = np.exp(np.log(2) + df / 2 * np.log(df / 2) - special.gammaln(df / 2) + df * x - df / 2 * np.exp(2 * x))
    weights = density * (x[1] - x[0])
    # A sum and no product of BLAS, whose last bits depend on the processor.
    tails = np.array([(_range_tail(value * np.exp(x), n_means) * weights).sum() for value in np.ravel(q)])
    return np.asarray(np.clip(tails, 0.0, 1.0).reshape(np.shape(q)))


def studentised_range_tail(q: Array, n_means: int, df: float) -> Array:
    """P(studentised range > q) for many q at once.

    The logarithm of `exact_tail` is interpolated by a Chebyshev polynomial through 96 points on [0, max q]. For
    2 to 300 means and 4 or more degrees of freedom the relative error is below 1e-6 wherever the tail is above
    1e-12 (checked against scipy.stats.studentized_range and against `exact_tail`).

    >>> float(studentised_range_tail(np.array([3.877]), 3, 10)[0].round(4))  # 3.877 in the tables
    0.05
    """
    q = np.asarray(q, dtype=np.float64)
    top = float(q.max(initial=0.0))
    if q.size <= NODES or top == 0:
        return np.where(q == 0, 1.0, exact_tail(q, n_means, df))
    from numpy.polynomial.chebyshev import Chebyshev, chebpts1, chebvander

    # As Chebyshev.interpolate, with sums in place of its product of BLAS (see `exact_tail`).
    places = chebpts1(NODES)
    values = np.log(np.maximum(exact_tail((places + 1) / 2 * top, n_means, df), 1e-300))
    coefficients = (chebvander(places, NODES - 1) * values[:, None]).sum(axis=0) * 2 / NODES
    coefficients[0] /= 2
    logs = Chebyshev(coefficients, domain=[0, top])
    return np.where(q == 0, 1.0, np.minimum(np.exp(logs(q)), 1.0))


def critical_value(alpha: float, n_means: int, df: float) -> float:
    """The q whose tail is alpha, by bisection to the last bits.

    >>> round(critical_value(0.05, 3, 10), 4)
    3.8768
    """
    low, high = 0.0, 1.0
    while exact_tail(np.array(high), n_means, df) > alpha:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        if exact_tail(np.array(middle), n_means, df) > alpha:
            low = middle
        else:
            high = middle
    return high


def tukey(scores: GridScores, pairs: Pairs, alpha: float) -> PValues:
    """Tukey's HSD with topics as blocks: q = |difference|/√(V_E2/n), m means, (m−1)(n−1) degrees of freedom.

    Controls the family-wise error over all pairs under normal errors of one variance; with very unequal variances
    it rises (to .12 in simulation, docs/compare.md). For two systems it is the paired t-test.
    """
    n, m = scores.values.shape
    difference, error = pairs.of(scores.sums) / n, np.sqrt(residual_variance(scores) / n)
    p = _tukey_p(difference, error, n, m, scores.step)
    half = critical_value(alpha, m, float((m - 1) * (n - 1))) * error if error > 0 else 0.0
    return PValues(p, 0.0, False, 0, difference - half, difference + half)


def tukey_of_families(families: list[GridScores], pairs: Pairs) -> Array:
    """Families × pairs: the p-values of `tukey` for many families of one size, which share the table of the tail."""
    n, m = families[0].values.shape
    difference = np.stack([pairs.of(scores.sums) / n for scores in families])
    error = np.sqrt(np.array([[residual_variance(scores) / n] for scores in families]))
    return _tukey_p(difference, error, n, m, families[0].step)


def _tukey_p(difference: Array, error: Array, n: int, m: int, step: float) -> Array:
    """The tail of |difference|/error; without a residual all differences but 0 are certain."""
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(error > 0, np.abs(difference) / error, 0.0)
    tail = np.maximum(studentised_range_tail(q, m, float((m - 1) * (n - 1))), TINY)
    return np.where(error > 0, tail, np.where(np.abs(difference) <= 2 * step, 1.0, TINY))
