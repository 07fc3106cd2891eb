"""The G-study: what systems, topics and the residual contribute to the variance of scores."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import ArgumentError, DataError
from cranfield.scores import ScoreMatrix
from cranfield.scores.doors import ScoresLike, as_matrix_list
from cranfield.variance.squares import squares

_LARGEST = 1e70
_ROUNDING = 1e-12
"""A standard deviation below this share of the largest score is rounding, not variance."""
SYSTEMS, TOPICS = "systems", "topics"


@dataclass(frozen=True)
class Components:
    """Variance components of topic × system scores, and how much data stands behind them.

    Attributes
    ----------
    estimated_systems, estimated_topics, residual : float
        Estimates of σ²_s, σ²_q and σ²_e; the first two can fall below 0, and `systems` and `topics` are then 0.
    n_topics, n_systems : float
        The size of the data; for pooled collections of different sizes, harmonic means.
    df_systems, df_topics, df_residual : int
        Degrees of freedom of the three mean squares.
    """

    estimated_systems: float
    estimated_topics: float
    residual: float
    n_topics: float
    n_systems: float
    df_systems: int
    df_topics: int
    df_residual: int

    @property
    def systems(self) -> float:
        """σ²_s, not below 0."""
        return max(self.estimated_systems, 0.0)

    @property
    def topics(self) -> float:
        """σ²_q, not below 0."""
        return max(self.estimated_topics, 0.0)

    @property
    def negative(self) -> tuple[str, ...]:
        """Which of ``systems`` and ``topics`` were estimated below 0."""
        estimates = {SYSTEMS: self.estimated_systems, TOPICS: self.estimated_topics}
        return tuple(name for name, value in estimates.items() if value < 0)

    @property
    def mean_squares(self) -> tuple[float, float, float]:
        """MS_s, MS_q and MS_e: those of the data or, pooled, what the estimates amount to with data of this size."""
        return (
            self.residual + self.n_topics * self.estimated_systems,
            self.residual + self.n_systems * self.estimated_topics,
            self.residual,
        )

    @property
    def shares(self) -> dict[str, float]:
        """Each component as a share of their sum."""
        parts = {SYSTEMS: self.systems, TOPICS: self.topics, "residual": self.residual}
        total = sum(parts.values())
        return {name: part / total for name, part in parts.items()}


def without_worst(scores: ScoreMatrix, drop: float) -> ScoreMatrix:
    """The matrix without the share `drop` of its systems that have the lowest means (rounded down; ties by label).

    >>> x = ScoreMatrix([[0.1, 0.4, 0.3], [0.2, 0.4, 0.3]], ["1", "2"], ["a", "b", "c"], "AP")
    >>> without_worst(x, 0.34).systems
    ('b', 'c')
    """
    if isinstance(drop, bool) or not 0 <= drop < 1:
        raise ArgumentError(
            f"`drop` must be a share from 0 to below 1; got {drop!r}. Write 0.25 for the worst quarter."
        )
    gone = math.floor(drop * scores.n_systems + 1e-9)
    if not gone:
        return scores
    means = np.round(scores.system_means, 12)  # the same means, summed in another order, stay tied
    worst = sorted(range(scores.n_systems), key=lambda j: (means[j], scores.systems[j].encode()))[:gone]
    return scores.drop(systems=[scores.systems[j] for j in worst])


def variance_components(scores: ScoresLike, *, drop: float = 0.0) -> Components:
    """Variance components of systems, topics and residual, from one collection or pooled over several.

    σ²_s = (MS_s − MS_e)/n, σ²_q = (MS_q − MS_e)/m and σ²_e = MS_e, from the two-way table of n topics and m systems
    without replication (Brennan 2001, §3.1; Cornfield & Tukey 1956). A negative estimate becomes 0.

    Several collections are pooled component by component, each with its own degrees of freedom as weights
    (m − 1, n − 1 and (m − 1)(n − 1)), before negative estimates are cut: this takes the components for the same in all
    of them. Sizes become harmonic means with the same weights, which is exact when all have the same size.

    Parameters
    ----------
    scores : ScoreMatrix or several
        One matrix per collection, all of the same measure.
    drop : float
        Share of worst systems left out of each collection first.

    Examples
    --------
    >>> x = ScoreMatrix([[1, 2], [3, 6], [5, 7]], ["1", "2", "3"], ["a", "b"], "AP")
    >>> components = variance_components(x)
    >>> round(components.systems, 4), round(components.topics, 4), round(components.residual, 4)
    (1.8333, 5.0, 0.5)
    """
    matrices = as_matrix_list(scores)
    if not matrices:
        raise ArgumentError("`scores` is empty; pass at least one ScoreMatrix.")
    measures = list(dict.fromkeys(matrix.measure for matrix in matrices))
    if len(measures) > 1:
        raise DataError(f"cannot pool scores of different measures: {', '.join(measures)}; choose one of them")
    each = [_of_one(matrix, drop) for matrix in matrices]
    by_systems = np.asarray([one[5] for one in each])
    by_topics = np.asarray([one[6] for one in each])
    systems, topics, residual, n, m = np.asarray([one[:5] for one in each]).T
    return Components(
        float(np.average(systems, weights=by_systems)),
        float(np.average(topics, weights=by_topics)),
        float(np.average(residual, weights=by_systems * by_topics)),
        _harmonic(n, by_systems),
        _harmonic(m, by_topics),
        int(by_systems.sum()),
        int(by_topics.sum()),
        int((by_systems * by_topics).sum()),
    )


def _harmonic(sizes: NDArray[np.float64], weights: NDArray[np.int64]) -> float:
    if np.ptp(sizes) == 0:
        return float(sizes[0])
    return float(1 / np.average(1 / sizes, weights=weights))


def _of_one(scores: ScoreMatrix, drop: float) -> tuple[float, float, float, int, int, int, int]:
    kept = without_worst(scores.require(what="a study of reliability"), drop)
    if kept.n_systems < 2:
        raise DataError(
            f"{scores.measure}: dropping {drop:g} of {scores.n_systems} systems leaves {kept.n_systems}; "
            "a study of reliability needs at least 2. Drop fewer."
        )
    matrix = kept.canonical()
    largest = float(np.abs(matrix.values).max())
    if largest > _LARGEST:  # intervals of components square variances
        raise DataError(
            f"{matrix.measure}: the largest score in size is {largest:g}, and its fourth power is too large for a "
            "double; scale the scores first"
        )
    table = squares(matrix.values)
    n, m, residual = table.n, table.m, float(table.mean_residual)
    if residual <= (_ROUNDING * float(np.abs(matrix.values).max())) ** 2:
        raise DataError(
            f"{matrix.measure}: systems and topics explain every score, so the residual variance is zero and there is "
            "nothing to generalise from; check the scores"
        )
    systems = _excess(float(table.mean_between_systems), residual) / n
    topics = _excess(float(table.mean_between_topics), residual) / m
    return systems, topics, residual, n, m, m - 1, n - 1


def _excess(mean_square: float, residual: float) -> float:
    """What a mean square has beyond the residual; two that differ by rounding alone are the same."""
    return 0.0 if abs(mean_square - residual) <= _ROUNDING * residual else mean_square - residual
