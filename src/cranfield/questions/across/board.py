"""The leaderboard over collections, the sources of variance, and what one collection decides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.questions.across.claims import pair_variance
from cranfield.questions.across.collected import Collected
from cranfield.questions.across.seeds import seed_spread

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


class Interval(NamedTuple):
    """The mean of every system with its own interval."""

    mean: Array
    lower: Array
    upper: Array


def mean_intervals(data: Collected, claim: str, alpha: float) -> Interval:
    """Each system's mean over collections, with a t interval for the claim; Satterthwaite where variances add up."""
    means = data.system_means
    k = len(means)
    mean = data.overall
    if claim == "like_these":
        error, df = means.std(axis=0, ddof=1) / math.sqrt(k), np.full(len(mean), float(k - 1))
    else:
        variance, shares = np.zeros(len(mean)), np.zeros(len(mean))
        for values, weight in zip(data.averaged, data.weights, strict=True):
            n = len(values)
            own = weight**2 * values.var(axis=0, ddof=1) / n
            variance += own
            shares += own**2 / (n - 1)
        if claim == "recipe":
            seeds = seed_spread(data.units, data.runs, data.weights)
            variance = np.maximum(variance + seeds.added, variance)
            shares += seeds.raw**2 / seeds.df
        df = np.maximum(np.divide(variance**2, shares, out=np.ones(len(mean)), where=shares > 0), 1.0)
        error = np.sqrt(variance)
    half = np.asarray(stdtrit(df, 1 - alpha / 2)) * error
    return Interval(mean, mean - half, mean + half)


def ranks(values: Array) -> Integers:
    """The rank of every value, the largest first; equal ones share the best.

    >>> ranks(np.array([0.3, 0.5, 0.3])).tolist()
    [2, 1, 2]
    """
    return np.asarray(1 + (values[None, :] > values[:, None]).sum(axis=1), dtype=np.int64)


def mean_ranks(means: Array) -> Array:
    """The mean over collections of each system's rank; equal ones share the mean of their ranks.

    >>> mean_ranks(np.array([[0.3, 0.5, 0.3]])).tolist()
    [2.5, 1.0, 2.5]
    """
    better = (means[:, None, :] > means[:, :, None]).sum(axis=2)
    equal = (means[:, None, :] == means[:, :, None]).sum(axis=2)
    return np.asarray((better + (equal + 1) / 2).mean(axis=0))


def interquartile_means(data: Collected) -> Array:
    """The mean of each system's results over collections and seeds, without the lowest and the highest quarter.

    Agarwal et al., NeurIPS 2021. Of n results, ⌊n/4⌋ are left out on either side.
    """
    ordered = [np.sort(data.means[:, at], axis=None) for at in data.runs]
    return np.array([values[len(values) // 4 : len(values) - len(values) // 4].mean() for values in ordered])


def rank_ends(better: NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """Simultaneous rank intervals: one more than the systems significantly better, to all but those worse.

    Parameters
    ----------
    better : systems × systems, whether the first is significantly better than the second
    """
    m = len(better)
    return np.asarray(1 + better.sum(axis=0), dtype=np.int64), np.asarray(m - better.sum(axis=1), dtype=np.int64)


def standardised(means: Array) -> Array:
    """The mean over collections of z scores; each collection is centred and divided by its spread over systems.

    A collection on which all systems are equal adds 0.

    >>> standardised(np.array([[0.1, 0.3], [0.5, 0.5]])).round(4).tolist()
    [-0.3536, 0.3536]
    """
    centred = means - means.mean(axis=1, keepdims=True)
    spread = means.std(axis=1, ddof=1, keepdims=True)
    return np.asarray(np.divide(centred, spread, out=np.zeros_like(means), where=spread > 1e-15).mean(axis=0))


class Source(NamedTuple):
    """A source of variance."""

    component: str
    variance: float


def sources(data: Collected) -> list[Source]:
    r"""Variance components by expected mean squares; a negative estimate is 0.

    ``collection`` and ``system`` are main effects, ``interaction`` is how much a system's advantage depends on the
    collection. ``topic`` is the residual variance of one score (topic × system) within a collection, and ``seed`` the
    variance of a system's mean over training seeds. With means alone, ``interaction`` includes the topics' error.
    """
    means = data.system_means
    k, m = means.shape
    found: list[Source] = []
    noise = 0.0
    # Of groups of topics: the variance that one topic would have if the mean of as many varied as much.
    errors = np.array([pair_variance(values) / 2 / len(values) for values in data.averaged])
    residual = errors * [len(topics) for topics in data.topics] if len(errors) else errors
    if len(residual):
        noise = float(errors.mean())
    if k > 1:
        rows, columns = means.mean(axis=1), means.mean(axis=0)
        rest = means - rows[:, None] - columns[None, :] + means.mean()
        error = float(np.square(rest).sum() / ((k - 1) * (m - 1)))
        found = [
            Source("collection", max(float(rows.var(ddof=1)) - error / m, 0.0)),
            Source("system", max(float(columns.var(ddof=1)) - error / k, 0.0)),
            Source("interaction", max(error - noise, 0.0)),
        ]
    elif len(residual):
        found = [Source("system", max(float(means[0].var(ddof=1)) - noise, 0.0))]
    if len(residual):
        found.append(Source("topic", float(residual.mean())))
    if data.with_seeds and data.scores is not None:
        spread = seed_spread(data.units, data.runs, data.weights)
        trained = spread.n_seeds > 1
        found.append(Source("seed", float(spread.variance[trained].mean())))
    return found


def interaction_share(data: Collected) -> float | None:
    """How much of the variance of a difference over collections is interaction, not the topics' error.

    None for one collection and for means alone.
    """
    if len(data.collections) < 2 or data.scores is None:
        return None
    known = dict(sources(data))
    noise = float(np.mean([pair_variance(values) / 2 / len(values) for values in data.averaged]))
    total = known["interaction"] + noise
    rounding = (1e-12 * float(np.abs(data.system_means).max())) ** 2
    return known["interaction"] / total if total > rounding else None


def leaders(data: Collected) -> list[dict[str, object]]:
    """Per collection: its leader, and the leader of the mean over all other collections."""
    means = data.system_means
    k = len(means)
    rows: list[dict[str, object]] = []
    for at, name in enumerate(data.collections):
        first, second = _two_best(means[at])
        others = None if k == 1 else np.delete(data.weights, at) @ np.delete(means, at, axis=0)
        without = None if others is None else data.systems[_two_best(others)[0]]
        rows.append(
            {
                "measure": data.measure,
                "collection": name,
                "topics": len(data.topics[at]) if data.topics else None,
                "mean": float(means[at].mean()),
                "best": data.systems[first],
                "best_mean": float(means[at, first]),
                "second": data.systems[second],
                "second_mean": float(means[at, second]),
                "leader_without": without,
            }
        )
    return rows


def _two_best(values: Array) -> Sequence[int]:
    return np.argsort(-values, kind="stable")[:2].tolist()  # type: ignore[no-any-return]
