"""Sums of squares of a topic × system matrix, whole and with each topic or each group of systems left out.

Notation of Sakai (2014a), §4: n topics, m systems; S_A between systems, S_B between topics, S_E1 within systems,
S_E2 residual of the two-way model. The versions with something left out are in closed form and cost no more than the
whole: dropping topic i from n values takes n/(n−1)·(distance to the mean)² off their sum of squares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Squares:
    """Sums of squares for `n` topics and `m` systems: single numbers, or one entry per left-out topic or group."""

    n: int
    m: int
    between_systems: Array
    between_topics: Array
    within: Array
    residual: Array

    @property
    def mean_between_systems(self) -> Array:
        """V_A (Sakai (2014a), eq. 3)."""
        return self.between_systems / (self.m - 1)

    @property
    def mean_between_topics(self) -> Array:
        """V_B (Sakai (2014a), eq. 6)."""
        return self.between_topics / (self.n - 1)

    @property
    def mean_within(self) -> Array:
        """V_E1 (Sakai (2014a), eq. 3, Sakai (2016), eq. 1)."""
        return self.within / (self.m * (self.n - 1))

    @property
    def mean_residual(self) -> Array:
        """V_E2 (Sakai (2014a), eq. 6)."""
        return self.residual / ((self.m - 1) * (self.n - 1))


def _centred(x: Array) -> tuple[Array, Array, Array, Array]:
    """Means of systems, of topics and of all scores, and what they leave of each score."""
    systems, topics, grand = x.mean(axis=0), x.mean(axis=1), np.asarray(x.mean())
    return systems, topics, grand, x - topics[:, None] - systems + grand


def squares(x: Array) -> Squares:
    """The sums of squares of the whole matrix."""
    n, m = x.shape
    systems, topics, grand, residual = _centred(x)
    return Squares(
        n,
        m,
        between_systems=np.asarray(n * np.square(systems - grand).sum()),  # Sakai (2014a), eq. 2
        between_topics=np.asarray(m * np.square(topics - grand).sum()),  # Sakai (2014a), eq. 5
        within=np.asarray(np.square(x - systems).sum()),  # Sakai (2014a), eq. 2
        residual=np.asarray(np.square(residual).sum()),  # Sakai (2014a), eq. 5
    )


def squares_without_each_topic(x: Array) -> Squares:
    """The sums of squares of the n matrices that lack one topic each."""
    n, m = x.shape
    whole = squares(x)
    systems, topics, grand, residual = _centred(x)
    shrink = n / (n - 1)
    means = systems - (x - systems) / (n - 1)  # row i: system means without topic i
    return Squares(
        n - 1,
        m,
        between_systems=(n - 1) * np.square(means - means.mean(axis=1, keepdims=True)).sum(axis=1),
        between_topics=whole.between_topics - shrink * m * np.square(topics - grand),
        within=whole.within - shrink * np.square(x - systems).sum(axis=1),
        residual=whole.residual - shrink * np.square(residual).sum(axis=1),
    )


def squares_without_each_group(x: Array, group: NDArray[np.intp]) -> Squares:
    """The sums of squares without each group of systems; `group` has the number of each system's group, from 0.

    With r the two-way residuals and ρ_i their sum over the m_g systems of a group in topic i, the residual sum of
    squares loses Σr² over the group and Σρ_i²/(m − m_g): for one system m/(m−1)·Σ_i r_ij².
    """
    n, m = x.shape
    whole = squares(x)
    systems, topics, grand, residual = _centred(x)
    left = m - group_sums(np.ones(m), group)
    effects, sums = group_sums(systems - grand, group), group_sums(residual, group)
    lost = group_sums(np.square(systems - grand), group) + np.square(effects) / left
    means = (topics - grand)[:, None] - sums / left  # column g: topic means without group g, centred
    return Squares(
        n,
        left,  # an array, because groups differ in size; the formulas take both
        between_systems=whole.between_systems - n * lost,
        between_topics=left * np.square(means).sum(axis=0),
        within=whole.within - group_sums(np.square(x - systems).sum(axis=0), group),
        residual=whole.residual
        - group_sums(np.square(residual).sum(axis=0), group)
        - np.square(sums).sum(axis=0) / left,
    )


def group_sums(values: Array, group: NDArray[np.intp]) -> Array:
    """Sums over the last axis, group by group.

    >>> group_sums(np.array([[1.0, 2.0, 4.0]]), np.array([0, 1, 0])).tolist()
    [[5.0, 2.0]]
    """
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(int(group.max()) + 1))
    return np.add.reduceat(values[..., order], starts, axis=-1)
