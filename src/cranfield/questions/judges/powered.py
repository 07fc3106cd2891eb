"""Prediction-powered means and differences: human topics, and machine-judged topics that sharpen them.

n topics have human scores y and machine scores f, N further topics machine scores only. The estimate corrects the
machine's mean by its error on the human topics, weighted by λ. So it is unbiased for any machine (Angelopoulos et al.,
"Prediction-powered inference", Science 382, 2023; PPI++, 2023).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.core.resampling import OTHER_TOPICS, TOPICS, blocks, draw_weights, product

Array = NDArray[np.float64]

LEAST_TOPICS = 15
"""Human topics below which the powered estimate is not offered."""
LEAST_CORRELATION = 0.5
"""Median correlation of human and machine differences below which the machine adds too little."""
KAPPA = 0.5
"""The share of the mean variance that moderates every variance of a family, as in max-t."""
NO_VARIANCE = 1e-24
_ROWS = 256
"""Resamples at a time, to bound memory."""
_PLACES = 10
"""Decimals of a resampled statistic."""


class Strata(NamedTuple):
    """Groups of topics that were sampled at different rates.

    Attributes
    ----------
    human, others : the stratum of every human topic and of every further topic, from 0
    shares : each stratum's share of all topics
    """

    human: NDArray[np.intp]
    others: NDArray[np.intp]
    shares: Array

    @classmethod
    def one(cls, n: int, more: int) -> Strata:
        """All topics in one stratum: the human topics are a random sample."""
        return cls(np.zeros(n, np.intp), np.zeros(more, np.intp), np.ones(1))

    @property
    def spare(self) -> float:
        """(n − S)/(n − S − 1): the price of estimating λ from the same topics."""
        left = len(self.human) - len(self.shares)
        return left / (left - 1)


class Powered(NamedTuple):
    """One value per column (a system, or a pair of systems).

    Attributes
    ----------
    estimate, error : the powered estimate and its standard error
    weight : λ, how far the machine is trusted; 0 is human only
    correlation : of human and machine scores over the human topics, within strata
    human, human_error : the mean of the human topics alone, and its standard error
    freedom, human_freedom : degrees of freedom of both errors; n − 2 and n − 1 without strata
    """

    estimate: Array
    error: Array
    weight: Array
    correlation: Array
    human: Array
    human_error: Array
    freedom: Array
    human_freedom: Array

    def effective_topics(self, n: int) -> Array:
        """Human topics that alone would give intervals as narrow: n·(w_human/w)², t quantiles included."""
        ratio = np.divide(self.human_error, self.error, out=np.ones(len(self.error)), where=self.error > 0)
        wider = stdtrit(self.human_freedom, 0.975) / stdtrit(self.freedom, 0.975)
        return np.asarray(n * (ratio * wider) ** 2)

    def interval(self, alpha: float) -> tuple[Array, Array]:
        """Each column's own t interval."""
        half = stdtrit(self.freedom, 1 - alpha / 2) * self.error
        return self.estimate - half, self.estimate + half


def powered(y: Array, f: Array, others: Array, strata: Strata | None = None) -> Powered:
    r"""Prediction-powered means of every column.

    .. math:: \lambda = \mathrm{clip}\Bigl(\frac{\mathrm{cov}(y, f)}{(1 + n/N)\,\mathrm{var}(f)}, 0, 1\Bigr),\quad
       \hat\theta = \overline{y - \lambda f} + \lambda \bar f_N,\quad
       \widehat{\mathrm{var}} = \frac{SS(y - \lambda f)}{(n - 2)\,n} + \lambda^2 \frac{\mathrm{var}(f_N)}{N}

    With strata, the estimate of each is weighted by its share of all topics; λ is one for all of them.

    Parameters
    ----------
    y, f : n topics × columns, human and machine scores of the same topics
    others : N topics × columns, machine scores of further topics
    strata : how the human topics were sampled; None for a random sample

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.normal(size=(220, 1)); human = truth + 0.1; machine = truth + rng.normal(0, 0.3, (220, 1))
    >>> found = powered(human[:20], machine[:20], machine[20:])
    >>> bool(found.error[0] < found.human_error[0]), round(float(found.effective_topics(20)[0])) > 40
    (True, True)
    """
    strata = strata or Strata.one(len(y), len(others))
    parts = [(strata.human == at, strata.others == at, share) for at, share in enumerate(strata.shares)]
    top, below = np.zeros(y.shape[1]), np.zeros(y.shape[1])
    for mine, rest, share in parts:
        n, more = int(mine.sum()), int(rest.sum())
        dy, df = (values[mine] - values[mine].mean(axis=0) for values in (y, f))
        top += share**2 * (dy * df).sum(axis=0) / (n - 1) / n
        below += share**2 * np.concatenate([f[mine], others[rest]]).var(axis=0, ddof=1) * (1 / n + 1 / more)
    weight = np.clip(np.divide(top, below, out=np.zeros(len(top)), where=below > NO_VARIANCE), 0, 1)
    e = y - weight * f
    estimate, human, from_others = (np.zeros(y.shape[1]) for _ in range(3))
    of_e, of_y, layers = [], [], []
    for mine, rest, share in parts:
        n, more = int(mine.sum()), int(rest.sum())
        layers.append(e[mine].mean(axis=0) + weight * others[rest].mean(axis=0))
        estimate += share * layers[-1]
        human += share * y[mine].mean(axis=0)
        of_e.append(share**2 * e[mine].var(axis=0, ddof=1) / n)
        of_y.append(share**2 * y[mine].var(axis=0, ddof=1) / n)
        from_others += share**2 * weight**2 * others[rest].var(axis=0, ddof=1) / more
    variance = strata.spare * np.sum(of_e, axis=0) + from_others + _between(strata, np.array(layers))
    counts = np.array([int(mine.sum()) for mine, _, _ in parts])
    return Powered(
        estimate, np.sqrt(variance), weight, _correlation(y, f, strata), human, np.sqrt(np.sum(of_y, axis=0)),
        np.maximum(_freedom(np.array(of_e), counts) - 1, 1.0), _freedom(np.array(of_y), counts),
    )  # fmt: skip


def _freedom(variances: Array, counts: NDArray[np.int_]) -> Array:
    """Satterthwaite's degrees of freedom of a sum of variances, one per stratum; n − 1 for one stratum."""
    total = variances.sum(axis=0)
    shares = np.divide(variances, total, out=np.full(variances.shape, 1 / len(counts)), where=total > 0)
    return np.asarray(np.round(1 / (shares**2 / (counts[:, None] - 1)).sum(axis=0), 9))


def _between(strata: Strata, layers: Array) -> Array:
    """Variance because shares are those of the drawn topics, not of all there could be: Σ W(θ_s − θ)²/(n + N − 1)."""
    shares = strata.shares[:, None]
    spread = (shares * (layers - (shares * layers).sum(axis=0)) ** 2).sum(axis=0)
    return np.asarray(spread / (len(strata.human) + len(strata.others) - 1))


def _correlation(y: Array, f: Array, strata: Strata) -> Array:
    """Correlation of human and machine scores over the human topics, within strata."""
    dy, df = y.copy(), f.copy()
    for at in range(len(strata.shares)):
        mine = strata.human == at
        dy[mine] -= dy[mine].mean(axis=0)
        df[mine] -= df[mine].mean(axis=0)
    both = np.sqrt((dy * dy).sum(axis=0) * (df * df).sum(axis=0))
    return np.asarray(np.divide((dy * df).sum(axis=0), both, out=np.zeros(y.shape[1]), where=both > NO_VARIANCE))


def offered(n: int, correlations: Array) -> bool:
    """Whether the powered estimate is worth offering: enough human topics, and a machine that follows them."""
    return n >= LEAST_TOPICS and float(np.median(correlations)) >= LEAST_CORRELATION


class PoweredFamily(NamedTuple):
    """A family of powered differences: critical value, moderated errors, adjusted p."""

    critical: float
    error: Array
    p: Array
    p_adjusted: Array


def powered_max_t(
    y: Array, f: Array, others: Array, *, alpha: float, n_resamples: int, seed: int, strata: Strata | None = None
) -> PoweredFamily:
    """The studentised bootstrap maximum of the powered differences, with moderated variance.

    The n and the N topics are resampled separately, each within its stratum, and λ is estimated anew: with λ fixed,
    the family error was .08 for .05. Every variance is moderated by half the mean variance over the family, as in
    `cranfield.questions.compare.max_t`.
    """
    strata = strata or Strata.one(len(y), len(others))
    found = powered(y, f, others, strata)
    added = KAPPA * float(np.mean(found.error**2))
    if added == 0:
        return PoweredFamily(math.inf, np.full(y.shape[1], np.inf), np.ones(y.shape[1]), np.ones(y.shape[1]))
    error = np.sqrt(found.error**2 + added)
    layers = [_Layer.of(y, f, others, found, strata, at) for at in range(len(strata.shares))]
    total_topics = len(y) + len(others)
    means = np.array([layer.mean for layer in layers])
    t = np.round(np.abs(found.estimate) / error * (1 - 1e-9), _PLACES)
    maxima, own = [], np.zeros(len(t))
    for block in blocks(n_resamples):
        first, second = block.generator(seed, TOPICS), block.generator(seed, OTHER_TOPICS)
        weights = [
            (draw_weights(first, len(block), len(one.y)), draw_weights(second, len(block), len(one.g)))
            for one in layers
        ]
        drawn_shares = second.multinomial(total_topics, strata.shares, size=len(block)) / total_topics
        for start in range(0, len(block), _ROWS):
            rows = slice(start, start + _ROWS)
            moments = [layer.moments(w[rows], v[rows]) for layer, (w, v) in zip(layers, weights, strict=True)]
            shift, variance = _resampled(moments, strata)
            if len(layers) > 1:
                shift += (drawn_shares[rows] - strata.shares) @ means
                variance += _between(strata, means)
            # Rounded, because sums of products differ in their last bits from processor to processor.
            statistic = np.round(np.abs(shift) / np.sqrt(np.maximum(variance, 0) + added), _PLACES)
            maxima.append(statistic.max(axis=1))
            own += (statistic >= t).sum(axis=0)
    ascending = np.sort(np.concatenate(maxima))
    total = len(ascending)
    at = math.ceil((1 - alpha) * (total + 1) - 1e-9) - 1
    critical = float(ascending[at]) if at < total else math.inf
    beyond = total - np.searchsorted(ascending, t, side="left")
    return PoweredFamily(critical, error, (1 + own) / (total + 1), (1 + beyond) / (total + 1))


class _Moments(NamedTuple):
    """Of every resample of a stratum (rows × columns): means, variances and covariance of y, f and g."""

    y: Array
    f: Array
    g: Array
    yy: Array
    ff: Array
    gg: Array
    yf: Array
    n: int
    more: int


class _Layer(NamedTuple):
    """The topics of a stratum, centred and scaled so that resamples have the variance that `powered` estimates."""

    y: Array
    f: Array
    g: Array
    mean: Array

    @classmethod
    def of(cls, y: Array, f: Array, others: Array, found: Powered, strata: Strata, at: int) -> _Layer:
        mine, rest = strata.human == at, strata.others == at
        n, more = int(mine.sum()), int(rest.sum())
        e = y[mine] - found.weight * f[mine]
        inner = (f[mine] - f[mine].mean(axis=0)) * math.sqrt(n / (n - 1))
        outer = (others[rest] - others[rest].mean(axis=0)) * math.sqrt(more / (more - 1))
        residual = (e - e.mean(axis=0)) * math.sqrt(n / (n - 1) * strata.spare)
        mean = e.mean(axis=0) + found.weight * others[rest].mean(axis=0)
        return cls(residual + found.weight * inner, inner, outer, mean)

    def moments(self, w: Array, v: Array) -> _Moments:
        """Of resamples that draw the human topics so often, and the others."""
        n, more = len(self.y), len(self.g)
        w, v = w / n, v / more
        y, f, g = product(w, self.y), product(w, self.f), product(v, self.g)
        squares = (product(w, self.y**2) - y * y, product(w, self.f**2) - f * f, product(v, self.g**2) - g * g)
        return _Moments(y, f, g, *squares, product(w, self.y * self.f) - y * f, n, more)


def _resampled(moments: list[_Moments], strata: Strata) -> tuple[Array, Array]:
    """Estimate and variance of every resample, with its own λ, by the formulas of `powered`."""
    top, below = np.zeros(moments[0].y.shape), np.zeros(moments[0].y.shape)
    for one, share in zip(moments, strata.shares, strict=True):
        every = one.n + one.more
        pooled = (one.n * one.ff + one.more * one.gg + one.n * one.more / every * (one.f - one.g) ** 2) / (every - 1)
        top += share**2 * one.yf / (one.n - 1)
        below += share**2 * pooled * (1 / one.n + 1 / one.more)
    weight = np.clip(np.divide(top, below, out=np.zeros(top.shape), where=below > NO_VARIANCE), 0, 1)
    shift, variance = np.zeros(top.shape), np.zeros(top.shape)
    for one, share in zip(moments, strata.shares, strict=True):
        shift += share * (one.y - weight * (one.f - one.g))
        spread = one.yy - 2 * weight * one.yf + weight**2 * one.ff
        variance += share**2 * (strata.spare * spread / (one.n - 1) + weight**2 * one.gg / (one.more - 1))
    return shift, variance
