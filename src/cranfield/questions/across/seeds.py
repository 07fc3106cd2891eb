"""Two claims about a system trained with several seeds: this trained system, and this recipe."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

Array = NDArray[np.float64]


class Recipe(NamedTuple):
    """The difference of two recipes, with topics and seeds as samples."""

    difference: float
    lower: float
    upper: float
    p: float
    df: float


class SeedSpread(NamedTuple):
    """One system over its seeds: variance of the seeds' means, residual mean square, and number of seeds."""

    variance: float
    residual: float
    n_seeds: int


def seed_spread(scores: Array) -> SeedSpread:
    """The spread of one system, topics × seeds; a single seed has none."""
    n, r = scores.shape
    if r < 2:
        return SeedSpread(0.0, 0.0, r)
    means = scores.mean(axis=0)
    residual = scores - scores.mean(axis=1, keepdims=True) - means + scores.mean()
    return SeedSpread(float(means.var(ddof=1)), float(np.square(residual).sum() / ((n - 1) * (r - 1))), r)


def recipe(first: Array, second: Array, alpha: float) -> Recipe:
    r"""Do two recipes differ, seeds drawn as well as topics?

    .. math:: \mathrm{Var} = \frac{S_T^2}{n} + \sum_j \Bigl[\frac{S_{R,j}^2}{R_j} - \frac{MS_{res,j}}{n R_j}\Bigr]

    S_T² is the variance over topics of the seed-averaged differences, S²_R,j the variance over seeds of system j's
    means, MS_res,j its topic × seed residual mean square. The variance is at least S_T²/n. Degrees of freedom by
    Satterthwaite.

    Parameters
    ----------
    first, second : topics × seeds each, on the same topics

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first, second = rng.normal(0.5, 0.1, (50, 3)), rng.normal(0.3, 0.1, (50, 3))
    >>> found = recipe(first, second, 0.05)
    >>> found.lower < 0.2 < found.upper
    True
    """
    d = first.mean(axis=1) - second.mean(axis=1)
    n = len(d)
    of_topics = float(d.var(ddof=1)) / n
    terms = [seed_spread(first), seed_spread(second)]
    of_seeds = sum(one.variance / one.n_seeds - one.residual / (n * one.n_seeds) for one in terms if one.n_seeds > 1)
    variance = max(of_topics + of_seeds, of_topics)
    shares = [of_topics**2 / (n - 1)]
    shares += [(one.variance / one.n_seeds) ** 2 / (one.n_seeds - 1) for one in terms if one.n_seeds > 1]
    mean = float(d.mean())
    if variance == 0:
        return Recipe(mean, mean, mean, 1.0, float(n - 1))
    df = variance**2 / sum(shares) if sum(shares) > 0 else float(n - 1)
    error = math.sqrt(variance)
    half = float(stdtrit(df, 1 - alpha / 2)) * error
    p = max(float(2 * stdtr(df, -abs(mean) / error)), np.finfo(float).tiny)
    return Recipe(mean, mean - half, mean + half, p, df)


def recipe_across(first: Sequence[Array], second: Sequence[Array], weights: Array, alpha: float) -> Recipe:
    """Recipes over several collections: the seed term from the variance over seeds of the weighted mean.

    Parameters
    ----------
    first, second : per collection topics × seeds; seeds in the same order in every collection
    weights : one per collection
    """
    topics, df_topics, mean, seeds, shares = 0.0, 0.0, 0.0, 0.0, []
    for x, y, w in zip(first, second, weights, strict=True):
        d = x.mean(axis=1) - y.mean(axis=1)
        own = float(w) ** 2 * float(d.var(ddof=1)) / len(d)
        topics += own
        df_topics += own**2 / (len(d) - 1)
        mean += float(w) * float(d.mean())
    for side in (first, second):
        r = side[0].shape[1]
        if r < 2:
            continue
        total = np.asarray(sum(w * values.mean(axis=0) for w, values in zip(weights, side, strict=True)))
        spread = float(total.var(ddof=1)) / r
        noise = sum(
            w**2 * seed_spread(values).residual / (len(values) * r) for w, values in zip(weights, side, strict=True)
        )
        seeds += spread - float(noise)
        shares.append(spread**2 / (r - 1))
    variance = max(topics + seeds, topics)
    if variance == 0:
        return Recipe(mean, mean, mean, 1.0, 1.0)
    df = variance**2 / (df_topics + sum(shares))
    error = math.sqrt(variance)
    half = float(stdtrit(df, 1 - alpha / 2)) * error
    return Recipe(
        mean, mean - half, mean + half, max(float(2 * stdtr(df, -abs(mean) / error)), np.finfo(float).tiny), df
    )
