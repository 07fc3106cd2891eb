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

from cranfield.core.resampling import OTHER_TOPICS, TOPICS, blocks, draw_weights, product

Array = NDArray[np.float64]

LEAST_TOPICS = 15
"""Human topics below which the powered estimate is not offered."""
LEAST_CORRELATION = 0.5
"""Median correlation of human and machine differences below which the machine adds too little."""
KAPPA = 0.5
"""The share of the mean variance that moderates every variance of a family, as in max-t."""
NO_VARIANCE = 1e-24
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
    of_e, of_y = [], []
    for mine, rest, share in parts:
        n, more = int(mine.sum()), int(rest.sum())
        estimate += share * (e[mine].mean(axis=0) + weight * others[rest].mean(axis=0))
        human += share * y[mine].mean(axis=0)
        of_e.append(share**2 * e[mine].var(axis=0, ddof=1) / n)
        of_y.append(share**2 * y[mine].var(axis=0, ddof=1) / n)
        from_others += share**2 * weight**2 * others[rest].var(axis=0, ddof=1) / more
    variance = strata.spare * np.sum(of_e, axis=0) + from_others
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

    The n and the N topics are resampled separately, each within its stratum; λ is fixed at its estimate. Every variance
    is moderated by half the mean variance over the family, as in `cranfield.questions.compare.max_t`.
    """
    strata = strata or Strata.one(len(y), len(others))
    found = powered(y, f, others, strata)
    added = KAPPA * float(np.mean(found.error**2))
    if added == 0:
        return PoweredFamily(math.inf, np.full(y.shape[1], np.inf), np.ones(y.shape[1]), np.ones(y.shape[1]))
    error = np.sqrt(found.error**2 + added)
    pieces = _pieces(y - found.weight * f, others * found.weight, strata)
    t = np.round(np.abs(found.estimate) / error * (1 - 1e-9), _PLACES)
    maxima, own = [], np.zeros(len(t))
    for block in blocks(n_resamples):
        streams = {key: block.generator(seed, key) for key in (TOPICS, OTHER_TOPICS)}
        shift, variance = np.zeros((len(block), len(t))), np.zeros((len(block), len(t)))
        for stream, values, factor in pieces:
            weights = draw_weights(streams[stream], len(block), len(values)) / len(values)
            mean = product(weights, values)
            shift += mean
            variance += factor * (product(weights, values**2) - mean**2)
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


def _pieces(e: Array, g: Array, strata: Strata) -> list[tuple[int, Array, float]]:
    """What is resampled by itself: the stream, centred values times the stratum's share, the factor of its variance.

    Values are scaled so that the bootstrap has the variance that `powered` estimates.
    """
    found = []
    for stream, values, where, spare in (
        (TOPICS, e, strata.human, strata.spare),
        (OTHER_TOPICS, g, strata.others, 1.0),
    ):
        for at, share in enumerate(strata.shares):
            own = values[where == at]
            k = len(own)
            scale = math.sqrt(k / (k - 1) * spare)
            found.append((stream, (own - own.mean(axis=0)) * (share * scale), spare / (k - 1)))
    return found
