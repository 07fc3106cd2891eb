"""How sure is a number of topics that came from past scores? The answer itself, with topics and systems left out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.core.defaults import ALPHA, POWER
from cranfield.core.resampling import sample_covariance
from cranfield.questions.design.power import BLOCKED, exact_power
from cranfield.questions.design.solve import power_at, solve
from cranfield.questions.variance import sphericity as sphere
from cranfield.questions.variance.squares import (
    LogError,
    Without,
    enough_groups,
    log_error,
    numbered_groups,
    pooled_groups,
    squares,
    squares_without_each_group,
    squares_without_each_topic,
)
from cranfield.scores.matrix import ScoreMatrix

Array = NDArray[np.float64]
_LONGEST_REACH = 50.0
"""Of an interval on the scale of logarithms: e⁵⁰ topics are more than anyone asks for."""


@dataclass(frozen=True)
class Past:
    """What past scores say for k systems: residual variance and ε, whole and with topics and systems left out.

    Attributes
    ----------
    variance, epsilon : float
        V_E2 and the unbiased ε, pooled over collections with the weights n − 1.
    variances, epsilons : array
        The same without each topic of each collection in turn, then without each system or team.
    sizes : tuple of int
        Topics of each collection.
    members : array or None
        Systems of each group that is left out; None where there are too few, and the design has no interval.
    """

    variance: float
    epsilon: float
    variances: Array
    epsilons: Array
    sizes: tuple[int, ...]
    members: Array | None


def past_scores(
    matrices: Sequence[ScoreMatrix], n_systems: int, teams: Sequence[Mapping[str, str] | None] | None = None
) -> Past:
    """The residual variance and ε for `n_systems` systems of one or more past collections, in closed form.

    >>> x = ScoreMatrix(np.random.default_rng(1).normal(size=(40, 6)), map(str, range(40)), "abcdef", "AP")
    >>> past = past_scores([x], 6)
    >>> len(past.variances), round(past.epsilon, 2)
    (46, 1.0)
    """
    ordered = [x.require(what="a design").canonical() for x in matrices]
    values = [x.values for x in ordered]
    for x in values:
        sphere.check_systems(x.shape[1], n_systems)
        sphere.check_topics(len(x) - 1)  # one will be left out
    groups = [numbered_groups(x.systems, one) for x, one in zip(ordered, teams or [None] * len(ordered), strict=True)]
    size = max(float(np.abs(x - x.mean(axis=0)).max()) for x in values)
    parts = [_parts(x / size, n_systems) for x in values]
    weights = np.asarray([len(x) - 1 for x in values], dtype=np.float64)
    whole = sum(weight * part[0] for weight, part in zip(weights, parts, strict=True))
    # Row: V_E2, a, b; one column per topic left out.
    left = [
        (whole[:, None] - weight * part[0][:, None] + (weight - 1) * part[1]) / (weights.sum() - 1)
        for weight, part in zip(weights, parts, strict=True)
    ]
    members = None
    # ε for k systems takes products of up to four different systems, so as many must stay.
    if all(enough_groups(group, min(n_systems, 4)) for _, group in groups):
        without = [
            Without(names, np.bincount(group).astype(np.float64), _without_groups(x / size, n_systems, group))
            for x, (names, group) in zip(values, groups, strict=True)
        ]
        pooled, members = pooled_groups(weights, [part[0] for part in parts], without)
        left.append(pooled)
    everything = np.concatenate(left, axis=1)
    variance, a, b = whole / weights.sum()
    return Past(
        float(variance) * size**2, float(sphere.ratio(a, b, n_systems)), everything[0] * size**2,
        sphere.ratio(everything[1], everything[2], n_systems), tuple(len(x) for x in values), members,
    )  # fmt: skip


def _parts(x: Array, k: int) -> tuple[Array, Array]:
    """V_E2, a and b of one collection: whole (3), and without each topic (3 × n)."""
    n = len(x)
    sums = sphere.moments(sphere.difference_variances(sample_covariance(x)))

    def row(variance: Array, sums: sphere.Moments, n: int) -> Array:
        return np.asarray([variance, *sphere.without_bias(*sphere.mean_traces(sums, k), n)])

    return (
        row(squares(x).mean_residual, sums, n),
        row(squares_without_each_topic(x).mean_residual, sphere.moments_without_each_topic(x), n - 1),
    )


def _without_groups(x: Array, k: int, group: NDArray[np.intp]) -> Array:
    """V_E2, a and b of one collection without each group of systems (3 × groups)."""
    variances = squares_without_each_group(x, group).mean_residual
    sums = sphere.moments_without_each_group(sphere.difference_variances(sample_covariance(x)), group)
    return np.asarray(
        [variances, *zip(*(sphere.without_bias(*sphere.mean_traces(one, k), len(x)) for one in sums), strict=True)]
    )


@dataclass(frozen=True)
class Size:
    """Topics as a real number: the logarithm of the size, and its error."""

    log: float
    error: LogError

    def at(self, probability: float) -> float:
        """The size that lies at this probability; the estimate at .5."""
        return math.exp(self.log + max(min(self.error.reach(probability), _LONGEST_REACH), -_LONGEST_REACH))


def blocked_size(
    past: Past, n_systems: int, min_diff: float, *, power: float = POWER, alpha: float = ALPHA
) -> Size | None:
    """The topics a blocked ANOVA with the unbiased ε takes, and how sure they are.

    With n̂ the size as a real number: log n̂ ± t_df·s, s and df of the two-way jackknife of log n̂ (`log_error`).
    Variance and ε are estimated anew without each topic and each system or team, so that the uncertainty of both
    counts. None where one of them holds all the variance, or where there are too few systems.

    >>> x = ScoreMatrix(np.random.default_rng(1).normal(0.4, 0.1, (40, 6)), map(str, range(40)), "abcdef", "AP")
    >>> size = blocked_size(past_scores([x], 6), 6, 0.1)
    >>> [round(size.at(p)) for p in (0.025, 0.5, 0.975)]
    [18, 24, 30]
    """
    if past.members is None or not (past.variances > 1e-12 * past.variance).all():
        return None
    asked = {"n_systems": float(n_systems), "min_diff": min_diff, "alpha": alpha, "power": power, "n_topics": np.nan}
    cells = {name: np.full(len(past.variances) + 1, value) for name, value in asked.items()}
    cells["variance"] = np.concatenate([[past.variance], past.variances])
    cells["epsilon"] = np.concatenate([[past.epsilon], past.epsilons])
    # Topics as a real number: where the power, drawn through all sizes, just reaches the target; to 1e-6.
    high = solve(cells, "n_topics", BLOCKED, exact_power)
    low = np.maximum(high - 1, 1.001)
    for _ in range(20):
        middle = (low + high) / 2
        reached = power_at(BLOCKED, exact_power, {**cells, "n_topics": middle}) >= power
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    whole, *parts = np.split(np.log(high), np.cumsum([1, *past.sizes]))
    return Size(float(whole[0]), log_error(float(whole[0]), parts[:-1], parts[-1], past.members))
