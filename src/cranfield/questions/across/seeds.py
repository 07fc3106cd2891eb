"""The recipe claim: training seeds are a sample as well as topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from cranfield.questions.across.claims import Claim, holm
from cranfield.questions.compare.intervals import simultaneous_intervals

Array = NDArray[np.float64]
Positions = NDArray[np.intp]


FAMILY = 3
"""Trained systems from which a system borrows seed variance from the others."""
ENOUGH_SEEDS = 5
"""Seeds from which a system needs to borrow none: its own variance keeps the level (`docs/recipes_study.py`)."""


class SeedSpread(NamedTuple):
    """Per system: what its seeds tell.

    Attributes
    ----------
    added : the variance that seeds add to its mean
    raw : the same before the topics' noise is taken off
    df : degrees of freedom of `raw`
    variance : estimated variance of one seed's mean, from its own seeds
    n_seeds : how many seeds there are
    """

    added: Array
    raw: Array
    df: Array
    variance: Array
    n_seeds: NDArray[np.int64]


def seed_spread(collections: Sequence[Array], runs: Sequence[slice], weights: Array) -> SeedSpread:
    r"""The seed term of every system over several collections.

    .. math:: \frac{S_{R,j}^2}{R_j} - \sum_k w_k^2\,\frac{MS_{res,jk}}{n_k R_j}

    S²_R,j is the variance over seeds of the weighted mean over collections. MS_res,jk is the topic × seed residual
    mean square on collection k. A system with one seed has none.

    Two or three seeds often agree by chance. So in a family of three or more trained systems, S²_R,j is at least the
    mean of all for a system with fewer than five seeds. It then has the degrees of freedom of all.

    Parameters
    ----------
    collections : topics × runs each; a run is a system trained with one seed
    runs : the columns of every system
    weights : one per collection
    """
    raw, noises = np.zeros(len(runs)), np.zeros(len(runs))
    counts = np.array([at.stop - at.start for at in runs], dtype=np.int64)
    for j, at in enumerate(runs):
        r = int(counts[j])
        if r < 2:
            continue
        total, noise = np.zeros(r), 0.0
        for values, weight in zip(collections, weights, strict=True):
            own = values[:, at]
            means = own.mean(axis=0)
            total += weight * means
            residual = own - own.mean(axis=1, keepdims=True) - means + own.mean()
            noise += weight**2 * float(np.square(residual).sum()) / ((len(own) - 1) * (r - 1)) / (len(own) * r)
        raw[j], noises[j] = float(total.var(ddof=1)) / r, noise
    trained = counts > 1
    variance: Array = np.maximum(raw - noises, 0.0) * counts.astype(np.float64)
    df = np.maximum(counts - 1, 1).astype(np.float64)
    if trained.sum() >= FAMILY:
        pooled = float((raw * counts)[trained].mean())
        borrows = trained & (counts < ENOUGH_SEEDS) & (raw * counts < pooled)
        raw = np.where(borrows, pooled / counts, raw)
        df = np.where(borrows, float((counts[trained] - 1).sum()), df)
    return SeedSpread(raw - noises, raw, df, variance, counts)


def recipes(
    collections: Sequence[Array], runs: Sequence[slice], weights: Array, a: Positions, b: Positions, alpha: float
) -> tuple[Claim, Array]:
    r"""Do recipes differ, seeds drawn as well as topics? Holm over the pairs; degrees of freedom too.

    .. math:: \mathrm{Var} = \sum_k w_k^2\frac{S_{T,k}^2}{n_k} + \sum_j
        \Bigl[\frac{S_{R,j}^2}{R_j} - \sum_k w_k^2\frac{MS_{res,jk}}{n_k R_j}\Bigr]

    S²_T,k is the variance over topics of the seed-averaged differences. The variance is at least its topic term.
    Degrees of freedom by Satterthwaite. `seed_spread` has the seed term.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = np.column_stack([rng.normal(0.5, 0.1, (50, 3)), rng.normal(0.3, 0.1, (50, 3))])
    >>> one = np.array([0]), np.array([1])
    >>> found, df = recipes([scores], [slice(0, 3), slice(3, 6)], np.ones(1), *one, 0.05)
    >>> bool(found.lower[0] < 0.2 < found.upper[0])
    True
    """
    seeds = seed_spread(collections, runs, weights)
    difference, topics, shares = np.zeros(len(a)), np.zeros(len(a)), np.zeros(len(a))
    for values, weight in zip(collections, weights, strict=True):
        averaged = np.column_stack([values[:, at].mean(axis=1) for at in runs])
        n = len(averaged)
        d = averaged[:, a] - averaged[:, b]
        difference += weight * d.mean(axis=0)
        own = weight**2 * d.var(axis=0, ddof=1) / n
        topics += own
        shares += own**2 / (n - 1)
    variance = np.maximum(topics + seeds.added[a] + seeds.added[b], topics)
    of_seeds = seeds.raw**2 / seeds.df
    shares += of_seeds[a] + of_seeds[b]
    least = sum(len(values) - 1 for values in collections)
    df = np.divide(variance**2, shares, out=np.full(len(a), float(least)), where=shares > 0)
    df = np.clip(df, 1.0, float(least))
    error = np.sqrt(variance)
    t = np.divide(difference, error, out=np.zeros(len(a)), where=error > 0)
    p = np.where(error > 0, np.maximum(2 * stdtr(df, -np.abs(t)), np.finfo(float).tiny), 1.0)
    adjusted = holm(p)
    ends = simultaneous_intervals(difference, error, df, adjusted, correction="holm", alpha=alpha)
    return Claim(difference, ends.lower, ends.upper, p, adjusted), df
