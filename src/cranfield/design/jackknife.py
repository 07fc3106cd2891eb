"""How sure is a number of topics that came from past scores? The answer itself, with each past topic left out once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.defaults import ALPHA, POWER
from cranfield.design.power import BLOCKED, FTest, exact_power
from cranfield.design.solve import power_at, solve
from cranfield.resampling import sample_covariance
from cranfield.scores import ScoreMatrix
from cranfield.variance.squares import squares, squares_without_each_topic
from cranfield.variance.unbiased_epsilon import (
    Moments,
    check_systems,
    check_topics,
    difference_variances,
    mean_traces,
    moments,
    moments_without_each_topic,
    ratio,
    without_bias,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Past:
    """What past scores say for k systems: residual variance and ε, whole and with each topic left out.

    Attributes
    ----------
    variance, epsilon : float
        V_E2 and the unbiased ε, pooled over collections with the weights n − 1.
    variances, epsilons : array
        The same without each topic in turn.
    collection : array
        Which collection each left-out topic belongs to.
    sizes : tuple of int
        Topics of each collection.
    """

    variance: float
    epsilon: float
    variances: Array
    epsilons: Array
    collection: NDArray[np.intp]
    sizes: tuple[int, ...]

    @property
    def df(self) -> int:
        """Degrees of freedom: topics less one per collection."""
        return sum(self.sizes) - len(self.sizes)


def past_scores(matrices: Sequence[ScoreMatrix], n_systems: int) -> Past:
    """The residual variance and ε for `n_systems` systems of one or more past collections, in closed form.

    >>> x = ScoreMatrix(np.random.default_rng(1).normal(size=(40, 6)), map(str, range(40)), "abcdef", "AP")
    >>> past = past_scores([x], 6)
    >>> len(past.variances), round(past.epsilon, 2)
    (40, 1.0)
    """
    values = [x.require(what="a design").canonical().values for x in matrices]
    for x in values:
        check_systems(x.shape[1], n_systems)
        check_topics(len(x) - 1)  # one will be left out
    size = max(float(np.abs(x - x.mean(axis=0)).max()) for x in values)
    parts = [_parts(x / size, n_systems) for x in values]
    weights = np.asarray([len(x) - 1 for x in values], dtype=np.float64)
    whole = sum(weight * part[0] for weight, part in zip(weights, parts, strict=True))
    # Row: V_E2, a, b; one column per topic left out.
    left = [
        (whole[:, None] - weight * part[0][:, None] + (weight - 1) * part[1]) / (weights.sum() - 1)
        for weight, part in zip(weights, parts, strict=True)
    ]
    everything = np.concatenate(left, axis=1)
    variance, a, b = whole / weights.sum()
    return Past(
        float(variance) * size**2,
        float(ratio(a, b, n_systems)),
        everything[0] * size**2,
        ratio(everything[1], everything[2], n_systems),
        np.repeat(np.arange(len(values)), [len(x) for x in values]),
        tuple(len(x) for x in values),
    )


def _parts(x: Array, k: int) -> tuple[Array, Array]:
    """V_E2, a and b of one collection: whole (3), and without each topic (3 × n)."""
    n = len(x)
    sums = moments(difference_variances(sample_covariance(x)))

    def row(variance: Array, sums: Moments, n: int) -> Array:
        return np.asarray([variance, *without_bias(*mean_traces(sums, k), n)])

    return (
        row(squares(x).mean_residual, sums, n),
        row(squares_without_each_topic(x).mean_residual, moments_without_each_topic(x), n - 1),
    )


def blocked_interval(
    past: Past,
    n_systems: int,
    min_diff: float,
    *,
    power: float = POWER,
    alpha: float = ALPHA,
    confidence: float | None = None,
) -> tuple[float, float] | None:
    """Both ends of the topics a blocked ANOVA with the unbiased ε takes, at confidence 1 − alpha unless given.

    With n̂ the size as a real number: log n̂ ± t·s, s the standard error of the leave-one-topic-out jackknife of log n̂
    and t of the degrees of freedom of the past topics. Variance and ε are estimated anew without each topic, so that
    the uncertainty of both counts. Systems are taken as they are. None where a topic holds all the variance.

    >>> x = ScoreMatrix(np.random.default_rng(1).normal(0.4, 0.1, (40, 6)), map(str, range(40)), "abcdef", "AP")
    >>> [round(end) for end in blocked_interval(past_scores([x], 6), 6, 0.1)]
    [19, 30]
    """
    if not (past.variances > 1e-12 * past.variance).all():
        return None
    variances = np.concatenate([[past.variance], past.variances])
    cells = {
        name: np.full(len(variances), value)
        for name, value in (
            ("n_systems", float(n_systems)),
            ("min_diff", min_diff),
            ("alpha", alpha),
            ("power", power),
            ("n_topics", np.nan),
        )
    }
    cells |= {"variance": variances, "epsilon": np.concatenate([[past.epsilon], past.epsilons])}
    logs = np.log(_real_topics(BLOCKED, cells))
    squared = 0.0
    for number, n in enumerate(past.sizes):
        here = logs[1:][past.collection == number]
        squared += (n - 1) / n * float(np.square(here - here.mean()).sum())
    level = 1 - alpha if confidence is None else confidence
    reach = min(float(stdtrit(past.df, (1 + level) / 2)) * math.sqrt(squared), 50.0)
    return math.exp(logs[0] - reach), math.exp(logs[0] + reach)


def _real_topics(test: FTest, cells: dict[str, Array]) -> Array:
    """Topics as a real number: where the power, drawn through all sizes, just reaches the target; to 1e-6."""
    high = solve(test, exact_power, cells, "n_topics")
    low = np.maximum(high - 1, 1.001)
    for _ in range(20):
        middle = (low + high) / 2
        reached = power_at(test, exact_power, {**cells, "n_topics": middle}) >= cells["power"]
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return high
