"""Prediction-powered means and differences: human topics, and machine-judged topics that sharpen them.

n topics have human scores y and machine scores f, N further topics machine scores only. The estimate corrects the
machine's mean by its error on the human topics, weighted by λ, so that it is unbiased whatever the machine is worth
(Angelopoulos et al., "Prediction-powered inference", Science 382, 2023; PPI++, 2023).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.core.resampling import OTHER_TOPICS, TOPICS, blocks, draw_weights

Array = NDArray[np.float64]

LEAST_TOPICS = 15
"""Human topics below which the powered estimate is not offered."""
LEAST_CORRELATION = 0.5
"""Median correlation of human and machine differences below which the machine adds too little."""
KAPPA = 0.5
"""The share of the mean variance that moderates every variance of a family, as in max-t."""
NO_VARIANCE = 1e-24


class Powered(NamedTuple):
    """One value per column (a system, or a pair of systems).

    Attributes
    ----------
    estimate, error : the powered estimate and its standard error
    weight : λ, how far the machine is trusted; 0 is human only
    correlation : of human and machine scores over the human topics
    human, human_error : the mean of the human topics alone, and its standard error
    """

    estimate: Array
    error: Array
    weight: Array
    correlation: Array
    human: Array
    human_error: Array

    def effective_topics(self, n: int) -> Array:
        """Human topics that alone would give intervals as narrow: n·(w_human/w)², t quantiles included."""
        ratio = np.divide(self.human_error, self.error, out=np.ones(len(self.error)), where=self.error > 0)
        wider = float(stdtrit(n - 1, 0.975) / stdtrit(n - 2, 0.975))
        return np.asarray(n * (ratio * wider) ** 2)

    def interval(self, n: int, alpha: float) -> tuple[Array, Array]:
        """Each column's own t interval with n − 2 degrees of freedom."""
        half = float(stdtrit(n - 2, 1 - alpha / 2)) * self.error
        return self.estimate - half, self.estimate + half


def powered(y: Array, f: Array, others: Array) -> Powered:
    r"""Prediction-powered means of every column.

    .. math:: \lambda = \mathrm{clip}\Bigl(\frac{\mathrm{cov}(y, f)}{(1 + n/N)\,\mathrm{var}(f)}, 0, 1\Bigr),\quad
       \hat\theta = \overline{y - \lambda f} + \lambda \bar f_N,\quad
       \widehat{\mathrm{var}} = \frac{SS(y - \lambda f)}{(n - 2)\,n} + \lambda^2 \frac{\mathrm{var}(f_N)}{N}

    Parameters
    ----------
    y, f : n topics × columns, human and machine scores of the same topics
    others : N topics × columns, machine scores of further topics

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.normal(size=(220, 1)); human = truth + 0.1; machine = truth + rng.normal(0, 0.3, (220, 1))
    >>> found = powered(human[:20], machine[:20], machine[20:])
    >>> bool(found.error[0] < found.human_error[0]), round(float(found.effective_topics(20)[0])) > 60
    (True, True)
    """
    n, more = len(y), len(others)
    every = np.concatenate([f, others])
    dy, df = y - y.mean(axis=0), f - f.mean(axis=0)
    cov = (dy * df).sum(axis=0) / (n - 1)
    var_f, var_y, own_f = every.var(axis=0, ddof=1), dy.var(axis=0, ddof=1), df.var(axis=0, ddof=1)
    known = var_f > NO_VARIANCE
    weight = np.clip(np.divide(cov, (1 + n / more) * var_f, out=np.zeros(len(cov)), where=known), 0, 1)
    e = y - weight * f
    estimate = e.mean(axis=0) + weight * others.mean(axis=0)
    variance = n * e.var(axis=0) / ((n - 2) * n) + weight**2 * others.var(axis=0, ddof=1) / more
    both = np.sqrt(own_f * var_y)
    rho = np.divide(cov, both, out=np.zeros(len(cov)), where=both > NO_VARIANCE)
    return Powered(estimate, np.sqrt(variance), weight, rho, y.mean(axis=0), np.sqrt(var_y / n))


def offered(n: int, correlations: Array) -> bool:
    """Whether the powered estimate is worth offering: enough human topics, and a machine that follows them."""
    return n >= LEAST_TOPICS and float(np.median(correlations)) >= LEAST_CORRELATION


class PoweredFamily(NamedTuple):
    """A family of powered differences: critical value, moderated errors, adjusted p."""

    critical: float
    error: Array
    p: Array
    p_adjusted: Array


def powered_max_t(y: Array, f: Array, others: Array, *, alpha: float, n_resamples: int, seed: int) -> PoweredFamily:
    """The studentised bootstrap maximum of the powered differences, with moderated variance.

    The n and the N topics are resampled separately; λ is fixed at its estimate. Every variance is moderated by half
    the mean variance over the family, as in `cranfield.questions.compare.max_t`.
    """
    found = powered(y, f, others)
    n, more = len(y), len(others)
    added = KAPPA * float(np.mean(found.error**2))
    if added == 0:
        return PoweredFamily(math.inf, np.full(y.shape[1], np.inf), np.ones(y.shape[1]), np.ones(y.shape[1]))
    error = np.sqrt(found.error**2 + added)
    e = y - found.weight * f
    e = (e - e.mean(axis=0)) * math.sqrt(n / (n - 2))
    g = (others - others.mean(axis=0)) * found.weight * math.sqrt(more / (more - 1))
    t = np.abs(found.estimate) / error * (1 - 1e-9)
    maxima, own = [], np.zeros(len(t))
    for block in blocks(n_resamples):
        first, second = block.generator(seed, TOPICS), block.generator(seed, OTHER_TOPICS)
        w, v = draw_weights(first, len(block), n) / n, draw_weights(second, len(block), more) / more
        at_e, at_g = w @ e, v @ g
        variance = (w @ e**2 - at_e**2) / (n - 2) + (v @ g**2 - at_g**2) / (more - 1)
        statistic = np.abs(at_e + at_g) / np.sqrt(np.maximum(variance, 0) + added)
        maxima.append(statistic.max(axis=1))
        own += (statistic >= t).sum(axis=0)
    ascending = np.sort(np.concatenate(maxima))
    total = len(ascending)
    at = math.ceil((1 - alpha) * (total + 1) - 1e-9) - 1
    critical = float(ascending[at]) if at < total else math.inf
    beyond = total - np.searchsorted(ascending, t, side="left")
    return PoweredFamily(critical, error, (1 + own) / (total + 1), (1 + beyond) / (total + 1))
