"""The margin of a system as a distribution, chosen by AIC: truncated normal, Beta, Beta kernel, or on few values.

Precision at 10 has eleven values, average precision has too many to list.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from cranfield.core.errors import DataError
from cranfield.measures.names import recognise

Array = NDArray[np.float64]
POINTS = 2000
"""Quantiles kept of a margin, evenly spaced in probability."""
EDGE = 1e-4
"""Distance of scores from 0 and 1 in the likelihood, where a Beta density is 0 or infinite."""
FEW_VALUES = 30
"""An unknown measure with at most so many distinct scores is discrete."""
_ROUNDED = 5e-4
"""Scores may have been printed with three decimals."""
_GRID = np.linspace(0, 1, 1001)
_LEVELS = (np.arange(POINTS) + 0.5) / POINTS


@dataclass(frozen=True, eq=False)
class Margin:
    """A fitted margin: its name, its AIC, and its quantiles at (k + ½)/`POINTS`."""

    name: str
    aic: float
    quantiles: Array
    discrete: bool = False

    @property
    def mean(self) -> float:
        """The mean of the distribution."""
        return float(self.quantiles.mean())

    def at(self, u: Array) -> Array:
        """The quantile function."""
        if self.discrete:
            return self.quantiles[np.minimum((u * POINTS).astype(np.int64), POINTS - 1)]
        return np.interp(u, _LEVELS, self.quantiles)


def inside(values: Array) -> Array:
    """Scores clipped away from 0 and 1, for the likelihood."""
    return np.clip(values, EDGE, 1 - EDGE)


def fit_margin(values: Array, support: Array | None = None) -> Margin:
    """The margin of one system's scores in [0, 1].

    Parameters
    ----------
    values : the scores on all topics
    support : every value that the measure can take (`support_of`); None for a continuous margin

    Notes
    -----
    Truncated normal and Beta by maximum likelihood, with two parameters each. The Beta kernel is the mean of Beta
    densities with modes at the scores, Beta(x/h + 1, (1 − x)/h + 1). Discrete measures have a geometric kernel: a score
    x gives a value s the weight λ^(steps from x to s) (Wang & van Ryzin, Biometrika 68, 1981).
    Evenly spaced values also have the Beta-binomial distribution, with two parameters. Bandwidths maximise the
    leave-one-out likelihood; −2 times its logarithm serves as AIC.

    >>> fit_margin(np.random.default_rng(1).beta(2, 5, 200)).name
    'beta'
    """
    if support is not None:
        place = nearest(values, support)
        fitted = [_geometric(place, support)]
        if np.allclose(np.diff(support), support[1] - support[0]):
            fitted.append(_beta_binomial(place, support))
        return min(fitted, key=lambda margin: margin.aic)
    x = inside(values)
    return min((_normal(x), _beta(x), _kernel(x)), key=lambda margin: margin.aic)


def _normal(x: Array) -> Margin:
    def loss(parameters: Array) -> float:
        mean, sd = parameters[0], np.exp(parameters[1])
        inside = special.ndtr((1 - mean) / sd) - special.ndtr(-mean / sd)
        if not inside > 1e-12:
            return 1e10
        return float(np.sum((x - mean) ** 2) / (2 * sd**2) + len(x) * np.log(sd * inside * np.sqrt(2 * np.pi)))

    best = optimize.minimize(loss, [x.mean(), np.log(x.std())], method="Nelder-Mead")
    mean, sd = best.x[0], np.exp(best.x[1])
    low, high = special.ndtr(-mean / sd), special.ndtr((1 - mean) / sd)
    quantiles = np.clip(mean + sd * special.ndtri(low + _LEVELS * (high - low)), 0, 1)
    return Margin("truncated normal", 2 * best.fun + 4, quantiles)


def _beta(x: Array) -> Margin:
    logs = np.log(x).sum(), np.log1p(-x).sum()

    def loss(parameters: Array) -> float:
        a, b = np.exp(np.clip(parameters, -20, 20))
        return float(len(x) * special.betaln(a, b) - (a - 1) * logs[0] - (b - 1) * logs[1])

    mean, variance = x.mean(), x.var()
    total = max(mean * (1 - mean) / variance - 1, 0.1)
    best = optimize.minimize(loss, np.log([mean * total, (1 - mean) * total]), method="Nelder-Mead")
    a, b = np.exp(best.x)
    return Margin("beta", 2 * best.fun + 4, np.asarray(special.betaincinv(a, b, _LEVELS)))


def _kernel(x: Array) -> Margin:
    n = len(x)
    log_x, log_rest = np.log(x), np.log1p(-x)

    def loss(log_h: float) -> float:
        h = np.exp(log_h)
        a, b = x / h + 1, (1 - x) / h + 1
        logs = (a - 1)[None] * log_x[:, None] + (b - 1)[None] * log_rest[:, None] - special.betaln(a, b)[None]
        np.fill_diagonal(logs, -np.inf)
        return float(-(special.logsumexp(logs, axis=1) - np.log(n - 1)).sum())

    best = optimize.minimize_scalar(loss, bounds=(np.log(1e-4), np.log(1.0)), method="bounded")
    h = np.exp(best.x)
    cdf = special.betainc((x / h + 1)[:, None], ((1 - x) / h + 1)[:, None], _GRID).mean(axis=0)
    rising = np.maximum.accumulate(cdf)
    kept = np.concatenate([[True], np.diff(rising) > 0])
    return Margin("beta kernel", 2 * best.fun, np.interp(_LEVELS, rising[kept], _GRID[kept]))


def _geometric(place: NDArray[np.int64], support: Array) -> Margin:
    """A margin on the values of the support, from the positions of the scores there."""
    steps = np.abs(np.arange(len(support))[None] - place[:, None])

    def weights(share: float) -> Array:
        raw = share**steps
        return np.asarray(raw / raw.sum(axis=1, keepdims=True))

    def loss(share: float) -> float:
        each = weights(share)[:, place]
        np.fill_diagonal(each, 0.0)
        return float(-np.log(np.maximum(each.sum(axis=0) / (len(place) - 1), 1e-300)).sum())

    best = optimize.minimize_scalar(loss, bounds=(0.001, 0.999), method="bounded")
    cdf = np.cumsum(weights(best.x).mean(axis=0))
    at = np.minimum(np.searchsorted(cdf, _LEVELS), len(support) - 1)
    return Margin("geometric kernel", 2 * best.fun, support[at], discrete=True)


def _beta_binomial(place: NDArray[np.int64], support: Array) -> Margin:
    """P(k) = C(n, k) B(k + a, n − k + b)/B(a, b): hits among n documents whose chance is drawn from Beta(a, b)."""
    n = len(support) - 1
    hits = np.arange(n + 1)
    counts = np.bincount(place, minlength=n + 1)
    ways = -np.log(n + 1) - special.betaln(hits + 1, n - hits + 1)

    def logs(parameters: Array) -> Array:
        a, b = np.exp(np.clip(parameters, -8, 8))
        return np.asarray(ways + special.betaln(hits + a, n - hits + b) - special.betaln(a, b))

    best = optimize.minimize(lambda parameters: -float(counts @ logs(parameters)), [0.0, 0.0], method="Nelder-Mead")
    at = np.minimum(np.searchsorted(np.cumsum(np.exp(logs(best.x))), _LEVELS), n)
    return Margin("beta-binomial", 2 * best.fun + 4, support[at], discrete=True)


def support_of(measure: str, values: Array) -> Array | None:
    """Every value that a measure can take, in ascending order; None for one that can take any between 0 and 1.

    P@k takes 0, 1/k, …, 1; RR@k takes 0, 1/k, …, 1/2, 1; Success is 0 or 1. RR without a cutoff takes the observed
    values. So does an unknown measure with at most 30 distinct scores.

    >>> support_of("P_5", np.array([0.2, 0.4])).tolist()
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    >>> support_of("AP", np.linspace(0, 1, 99)) is None
    True
    """
    low, high = float(values.min()), float(values.max())
    if low < 0 or high > 1:
        raise DataError(
            f"{measure}: margins need scores between 0 and 1; the scores range from {low:g} to {high:g}. "
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
        shown = [f"{value:g}" for value in support]
        few = shown if len(shown) <= 6 else [*shown[:3], "…", shown[-1]]
        raise DataError(
            f"{measure} cannot be {values[far][0]:g}: its values are {', '.join(few)}. "
            "Correct the name of the measure, or use mode 'resample'."
        )
    return support


def nearest(values: Array, support: Array) -> NDArray[np.int64]:
    """The position of the nearest value of the support, for every score."""
    return np.asarray(np.searchsorted((support[1:] + support[:-1]) / 2, values), dtype=np.int64)
