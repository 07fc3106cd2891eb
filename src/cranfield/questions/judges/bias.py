"""Do machine judgments favour a group of systems, such as those built on the judging model?

A lenient machine stretches or shifts all scores; a plain difference in differences mistakes that for bias. So machine
means are regressed on human means over the systems outside the group, and the group's mean residual is its bias.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
LEAST_TOPICS = 3
"""Topics below which the jackknife says nothing."""
_PLACES = 12
"""Decimals of a residual: rounding must not look like a bias that is the same on every topic."""


class Bias(NamedTuple):
    """The bias of a judge towards a group: machine units above what human scores predict, over topics."""

    difference: float
    lower: float
    upper: float
    p: float


def group_residual(human: Array, machine: Array, group: Bools) -> Array:
    """Mean residual of the group for every row of means (rows × systems), regressed over the other systems.

    >>> human = np.array([[0.1, 0.2, 0.3, 0.4]]); machine = 0.5 * human + [0.2, 0.2, 0.2, 0.25]
    >>> group_residual(human, machine, np.array([False, False, False, True])).round(6).tolist()
    [0.05]
    """
    x, y = human[:, ~group], machine[:, ~group]
    dx, dy = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    spread = (dx * dx).sum(axis=1)
    slope = np.divide((dx * dy).sum(axis=1), spread, out=np.zeros(len(x)), where=spread > 0)
    expected = y.mean(axis=1) + slope * (human[:, group].mean(axis=1) - x.mean(axis=1))
    return np.asarray(machine[:, group].mean(axis=1) - expected)


def group_bias(human: Array, machine: Array, group: Bools, alpha: float, placebo: Array | None = None) -> Bias:
    """The bias towards a group with its topic jackknife interval, t with n − 1 degrees of freedom.

    Parameters
    ----------
    human, machine : topics × systems, scores under both judgments
    group : one per system
    placebo : the scores under a second person's judgments; its residual is subtracted
    """
    n = len(human)

    def residuals(means: tuple[Array, ...]) -> Array:
        own = group_residual(means[0], means[1], group)
        beyond = own - group_residual(means[0], means[2], group) if len(means) > 2 else own
        return np.round(beyond, _PLACES) + 0.0

    sides = (human, machine) if placebo is None else (human, machine, placebo)
    value = float(residuals(tuple(side.mean(axis=0, keepdims=True) for side in sides))[0])
    left_out = residuals(tuple((side.sum(axis=0) - side) / (n - 1) for side in sides))
    error = math.sqrt((n - 1) / n * float(np.square(left_out - left_out.mean()).sum()))
    half = float(stdtrit(n - 1, 1 - alpha / 2)) * error
    if error == 0:
        t = 0.0 if value == 0 else math.inf
    else:
        t = abs(value) / error
    p = max(float(2 * stdtr(n - 1, -t)), np.finfo(float).tiny)
    return Bias(value, value - half, value + half, p)


def permutation_p(
    human: Array, machine: Array, group: Bools, teams: NDArray[np.intp], n_resamples: int, seed: int
) -> float:
    """The share of permutations of teams whose group residual is as large: whole teams join or leave the group."""
    means = human.mean(axis=0, keepdims=True), machine.mean(axis=0, keepdims=True)
    observed = abs(float(group_residual(*means, group)[0]))
    inside = np.array([group[teams == team].any() for team in range(int(teams.max()) + 1)])
    rng = np.random.default_rng(seed)
    counts = possible = 0
    for _ in range(n_resamples):
        chosen = rng.permutation(inside)[teams]
        if (~chosen).sum() >= 2:  # fewer systems outside make no regression
            possible += 1
            counts += abs(float(group_residual(*means, chosen)[0])) >= observed * (1 - 1e-9)
    return (1 + counts) / (1 + possible)
