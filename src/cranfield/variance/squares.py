"""Sums of squares of a topic × system matrix, whole and with each topic left out, in closed form.

Notation of EVIA 2014 §4: n topics, m systems; S_A between systems, S_B between topics, S_E1 within systems,
S_E2 residual of the two-way model. The leave-one-topic-out versions cost no more than the whole: dropping
topic i from n values takes n/(n−1)·(distance to the mean)² off their sum of squares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Squares:
    """Sums of squares for `n` topics and `m` systems: single numbers, or one entry per left-out topic."""

    n: int
    m: int
    between_systems: Array
    between_topics: Array
    within: Array
    residual: Array

    @property
    def mean_between_systems(self) -> Array:
        """V_A (EVIA eq. 3)."""
        return self.between_systems / (self.m - 1)

    @property
    def mean_between_topics(self) -> Array:
        """V_B (EVIA eq. 6)."""
        return self.between_topics / (self.n - 1)

    @property
    def mean_within(self) -> Array:
        """V_E1 (EVIA eq. 3, AIRS eq. 1)."""
        return self.within / (self.m * (self.n - 1))

    @property
    def mean_residual(self) -> Array:
        """V_E2 (EVIA eq. 6)."""
        return self.residual / ((self.m - 1) * (self.n - 1))


def squares(x: Array) -> Squares:
    """The sums of squares of the whole matrix."""
    n, m = x.shape
    systems, topics, grand = x.mean(axis=0), x.mean(axis=1), x.mean()
    residual = x - topics[:, None] - systems + grand
    return Squares(
        n,
        m,
        between_systems=np.asarray(n * np.square(systems - grand).sum()),  # EVIA eq. 2
        between_topics=np.asarray(m * np.square(topics - grand).sum()),  # EVIA eq. 5
        within=np.asarray(np.square(x - systems).sum()),  # EVIA eq. 2
        residual=np.asarray(np.square(residual).sum()),  # EVIA eq. 5
    )


def squares_without_each_topic(x: Array) -> Squares:
    """The sums of squares of the n matrices that lack one topic each."""
    n, m = x.shape
    whole = squares(x)
    systems, topics, grand = x.mean(axis=0), x.mean(axis=1), x.mean()
    residual = x - topics[:, None] - systems + grand
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
