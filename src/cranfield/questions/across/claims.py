"""Two claims about several collections, never mixed.

*These collections*: topics are drawn again within each collection; the collections stay. *Collections like these*:
the collections are a sample too. The first needs scores by topic; the second only means, and many collections.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from cranfield.core.resampling import TOPICS, blocks, draw_weights
from cranfield.questions.compare.family import GridScores, Pairs
from cranfield.questions.compare.intervals import simultaneous_intervals
from cranfield.questions.compare.max_t import max_t
from cranfield.questions.compare.resampled import Resampling

Array = NDArray[np.float64]
Positions = NDArray[np.intp]

KAPPA = 0.5
"""The share of the mean variance of a pair that moderates the variance of every pair, as in max-t."""
GAUSSIAN = 1_000
"""Topics of a collection from which its resampled means are drawn from their normal limit, which is much faster."""


class Claim(NamedTuple):
    """Differences of a family of pairs with simultaneous intervals; one value per pair."""

    difference: Array
    lower: Array
    upper: Array
    p: Array
    p_adjusted: Array

    def with_stricter(self, other: Claim) -> Claim:
        """The same, decided only where the other claim is decided too."""
        return self._replace(
            lower=np.minimum(self.lower, other.lower),
            upper=np.maximum(self.upper, other.upper),
            p=np.maximum(self.p, other.p),
            p_adjusted=np.maximum(self.p_adjusted, other.p_adjusted),
        )


def these_collections(
    collections: Sequence[Array],
    weights: Array,
    a: Positions,
    b: Positions,
    *,
    alpha: float,
    n_resamples: int,
    seed: int,
) -> Claim:
    r"""All pairs on these collections: the stratified bootstrap maximum with moderated variance.

    With w_k the weight of collection k, d_k and s_k² the mean and variance of a pair's differences on its n_k topics:

    .. math:: d = \sum_k w_k d_k,\quad \mathrm{error}^2 = \sum_k w_k^2\,(s_k^2 + \kappa v_{0k})/n_k

    v_{0k} is the mean variance of a pair on collection k. Topics are drawn with replacement within each collection. On
    a collection of 1,000 topics or more, the drawn means come from their normal limit.

    Parameters
    ----------
    collections : topics × systems each, systems in the same order
    weights : one per collection, summing to 1
    a, b : the systems of every pair

    References
    ----------
    Romano & Wolf, Econometrica 73 (2005); Smyth, SAGMB 3 (2004).
    """
    difference, variance, added = np.zeros(len(a)), np.zeros(len(a)), 0.0
    strata: list[tuple[int, float, Array, Array]] = []
    gaussian: list[tuple[float, Array]] = []
    fixed = np.zeros(len(a))
    for values, weight in zip(collections, weights, strict=True):
        n = len(values)
        d = values[:, a] - values[:, b]
        mean = d.mean(axis=0)
        difference += weight * mean
        own = weight**2 * d.var(axis=0, ddof=1) / n
        variance += own
        added += weight**2 * KAPPA * pair_variance(values) / n
        if n >= GAUSSIAN:
            gaussian.append((float(weight), _root(values) / math.sqrt(n)))
            fixed += own
            continue
        e = (d - mean) * math.sqrt(n / (n - 1))
        strata.append((n, float(weight), e, e * e))
    if added == 0:
        nothing = np.full(len(a), np.inf)
        return Claim(difference, -nothing, nothing, np.ones(len(a)), np.ones(len(a)))
    error = np.sqrt(variance + added)
    t = np.abs(difference) / error * (1 - 1e-9)
    maxima, own = [], np.zeros(len(a))
    for block in blocks(n_resamples):
        rng = block.generator(seed, TOPICS)
        total, spread = np.zeros((len(block), len(a))), np.zeros((len(block), len(a))) + fixed
        for weight, root in gaussian:
            systems = rng.standard_normal((len(block), len(root))) @ root
            total += weight * (systems[:, a] - systems[:, b])
        for n, weight, e, squares in strata:
            w = draw_weights(rng, len(block), n) / n
            mean = w @ e
            total += weight * mean
            spread += weight**2 * np.maximum(w @ squares - mean**2, 0) / (n - 1)
        statistic = np.abs(total) / np.sqrt(spread + added)
        maxima.append(statistic.max(axis=1))
        own += (statistic >= t).sum(axis=0)
    ascending = np.sort(np.concatenate(maxima))
    count = len(ascending)
    at = math.ceil((1 - alpha) * (count + 1) - 1e-9) - 1
    half = (float(ascending[at]) if at < count else math.inf) * error / (1 - 1e-9)
    beyond = count - np.searchsorted(ascending, t, side="left")
    return Claim(difference, difference - half, difference + half, (1 + own) / (count + 1), (1 + beyond) / (count + 1))


def _root(values: Array) -> Array:
    """A square root of the covariance of the systems' scores: standard normal rows times it have that covariance."""
    covariance = np.atleast_2d(np.cov(values, rowvar=False))
    size, vectors = np.linalg.eigh(covariance)
    # The symmetric root does not depend on the signs of the eigenvectors, which differ between processors.
    return np.asarray((vectors * np.sqrt(np.maximum(size, 0.0))) @ vectors.T)


def pair_variance(values: Array) -> float:
    """v0: the mean variance of the difference of a pair, 2·V_E2.

    >>> pair_variance(np.array([[0.0, 1.0], [0.0, 3.0], [0.0, 2.0]]))
    1.0
    """
    centred = values - values.mean(axis=1, keepdims=True)
    return float(2 * centred.var(axis=0, ddof=1).sum() / (values.shape[1] - 1))


def like_these(
    means: Array, a: Positions, b: Positions, *, alpha: float, n_resamples: int, seed: int, workers: int | None = 1
) -> Claim:
    """All pairs on collections like these: a pair is decided when both t with Holm and max-t over collections agree.

    The t test has K − 1 degrees of freedom; max-t draws collections with replacement (see `compare.max_t`). Adjusted p
    is the larger of the two, and the interval is the union of both. Either alone exceeds its level on real scores.

    Parameters
    ----------
    means : collections × systems

    Examples
    --------
    >>> means = np.array([[0.1, 0.2], [0.2, 0.3], [0.3, 0.5], [0.2, 0.4]])
    >>> found = like_these(means, np.array([1]), np.array([0]), alpha=0.05, n_resamples=99, seed=1)
    >>> round(float(found.difference[0]), 3), round(float(found.p[0]), 4)
    (0.15, 0.0138)
    """
    d = means[:, a] - means[:, b]
    k = len(d)
    mean, error = d.mean(axis=0), d.std(axis=0, ddof=1) / math.sqrt(k)
    # A difference that is the same on every collection, but for rounding, has no variance to test it by.
    clear = error > 1e-12 * np.maximum(np.abs(means).max(), 1e-300)
    t = np.divide(mean, error, out=np.zeros(len(a)), where=clear)
    p = np.where(clear, np.maximum(2 * stdtr(k - 1, -np.abs(t)), np.finfo(float).tiny), 1.0)
    by_holm = holm(p)
    how = Resampling(n_resamples=n_resamples, seed=seed, percentiles=False, workers=workers)
    found = max_t(GridScores.of(means), Pairs(a, b), how, alpha).maximum
    assert found is not None
    adjusted = np.maximum(by_holm, found.adjusted())
    ends = simultaneous_intervals(mean, error, float(k - 1), by_holm, correction="holm", alpha=alpha)
    low, high = found.intervals(mean, found.critical(alpha), "two-sided")
    return Claim(mean, np.minimum(ends.lower, low), np.maximum(ends.upper, high), p, np.maximum(adjusted, p))


def holm(p: Array) -> Array:
    """P-values adjusted by Holm (1979)."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted


class Components(NamedTuple):
    """Variance components of a table collections × systems: interaction holds the error too."""

    collection: float
    system: float
    interaction: float


def components(means: Array) -> Components:
    """Variance components by expected mean squares; a negative estimate is 0.

    >>> components(np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]))
    Components(collection=1.0, system=0.5, interaction=0.0)
    """
    k, m = means.shape
    rows, columns = means.mean(axis=1), means.mean(axis=0)
    residual = means - rows[:, None] - columns[None, :] + means.mean()
    error = float(np.square(residual).sum() / ((k - 1) * (m - 1)))
    of_rows, of_columns = m * float(rows.var(ddof=1)), k * float(columns.var(ddof=1))
    return Components(max((of_rows - error) / m, 0.0), max((of_columns - error) / k, 0.0), error)


def borda(means: Array) -> Array:
    """MTEB's Borda count: on each collection a system gets as many points as systems it beats, summed.

    >>> borda(np.array([[0.1, 0.3, 0.2], [0.2, 0.2, 0.1]])).tolist()
    [1.0, 3.0, 1.0]
    """
    return np.asarray((means[:, :, None] > means[:, None, :]).sum(axis=2).sum(axis=0), dtype=np.float64)


def replicated(p: Array, alpha: float) -> NDArray[np.int64]:
    """û of every pair: in at least how many of K collections the difference holds (Benjamini & Heller 2008).

    For u = 1, 2, …: (K − u + 1)·p_(u), p_(u) the u-th smallest p-value; counted up until the first above alpha.

    Parameters
    ----------
    p : collections × pairs, one-sided p-values in one direction

    >>> replicated(np.array([[0.001], [0.004], [0.2]]), 0.025).tolist()
    [2]
    """
    k = len(p)
    ordered = np.sort(p, axis=0)
    passed = np.minimum(ordered * np.arange(k, 0, -1)[:, None], 1.0) <= alpha
    return np.asarray(np.cumprod(passed, axis=0).sum(axis=0), dtype=np.int64)
