"""The two-way model of replicated scores, with and without interaction: least squares in closed form.

Scores are held as rows, one per (topic, partition) pair, with one column per system. A topic may lack partitions, but
then for every system alike; so the cell counts are proportional and the estimates stay closed form.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import special

from cranfield.core.errors import DataError
from cranfield.core.resampling import grid_step, to_grid
from cranfield.scores.matrix import ScoreMatrix

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Replicated:
    """Replicated scores of one split: one row per (topic, partition) pair, one column per system.

    Values lie on the exact grid, so that all sums below are the same for any order of adding.

    Parameters
    ----------
    values : rows × systems
    topic : number of each row's topic, ascending; every topic from 0 to the last has at least one row
    """

    values: Floats
    topic: Ints

    @classmethod
    def of(cls, values: ArrayLike, available: Mask | None = None) -> Replicated:
        """From topics × systems × partitions, of which only the available (topic, partition) pairs count."""
        cube = np.asarray(values, dtype=np.float64)
        n, m, x = cube.shape
        rows = cube.transpose(0, 2, 1).reshape(n * x, m)
        topic = np.repeat(np.arange(n), x)
        if available is not None:
            kept = available.ravel()
            rows, topic = rows[kept], np.unique(topic[kept], return_inverse=True)[1]
        return cls(to_grid(rows, 2 * rows.size), topic.astype(np.int64))

    @classmethod
    def of_matrix(cls, scores: ScoreMatrix) -> Replicated:
        """From a score matrix with partitions, topics and systems in byte order of their labels."""
        if scores.partitions is None or len(scores.partitions) < 2:
            raise DataError(
                f"{scores.measure}: a replicated analysis needs scores on at least 2 partitions; "
                "compare topic × system scores with `compare`"
            )
        return cls.of(scores.canonical().values)

    @property
    def n_systems(self) -> int:
        """How many systems."""
        return int(self.values.shape[1])

    @cached_property
    def per_topic(self) -> Ints:
        """How many partitions each topic has."""
        return np.bincount(self.topic)

    @property
    def n_topics(self) -> int:
        """How many topics."""
        return len(self.per_topic)

    @property
    def balanced(self) -> bool:
        """Whether every topic has the same number of partitions."""
        return bool((self.per_topic == self.per_topic[0]).all())

    @property
    def tolerance(self) -> float:
        """How far apart two system means can be that were equal before the scores were put on the grid."""
        return 2 * grid_step(self.values, 2 * self.values.size)

    @cached_property
    def cell_means(self) -> Floats:
        """Mean over the partitions of every (topic, system): topics × systems."""
        sums = np.add.reduceat(self.values, np.searchsorted(self.topic, np.arange(self.n_topics)), axis=0)
        return np.asarray(sums / self.per_topic[:, None])

    def select(self, systems: ArrayLike) -> Replicated:
        """The same rows of some systems only."""
        return Replicated(self.values[:, np.asarray(systems)], self.topic)


@dataclass(frozen=True, eq=False)
class Fit:
    """The fitted model y_ijk = μ + t_i + s_j [+ (ts)_ij] + ε_ijk, every effect summing to zero.

    Parameters
    ----------
    mean : μ
    topics : t_i, a value per topic
    systems : s_j, a value per system
    interaction : (ts)_ij, topics × systems; None for the model without it
    residuals : rows × systems
    weights : how much each row counts in a system's effect, as whole numbers without a common divisor
    """

    mean: float
    topics: Floats
    systems: Floats
    interaction: Floats | None
    residuals: Floats
    weights: Ints

    @property
    def n_parameters(self) -> int:
        """p: free parameters of the model."""
        n, m = len(self.topics), len(self.systems)
        return n + m - 1 if self.interaction is None else n * m

    @property
    def rescaling(self) -> float:
        """√(N/(N−p)): what least squares took out of the residuals' spread. √(x/(x−1)) with x partitions each."""
        size = self.residuals.size
        return math.sqrt(size / (size - self.n_parameters))

    @property
    def shared(self) -> float:
        """The share of the residual sum of squares that all systems have in common: topic × partition."""
        total = float((self.residuals**2).sum())
        means = self.residuals.mean(axis=1)
        return float((means**2).sum() * self.residuals.shape[1] / total) if total > 0 else 0.0

    @property
    def spread(self) -> float:
        """The largest residual variance of a system divided by the smallest; 1 where all are 0."""
        squares = (self.residuals**2).sum(axis=0)
        if squares.max() == 0:
            return 1.0
        return float(squares.max() / squares.min()) if squares.min() > 0 else math.inf


def fit(scores: Replicated, *, interaction: bool = True) -> Fit:
    """Least-squares estimates in closed form.

    With interaction the fitted value of a cell is its mean, and s_j is the unweighted mean of system j's cell
    means minus the grand mean of all cells (sum-to-zero constraints). Without it, s_j is the mean of system j's
    rows minus the mean of all rows, and μ + t_i the mean of topic i's rows. Balanced scores give the same s_j
    either way.

    Assumes that every system has the same (topic, partition) pairs. Voorhees, "Using Replicates in Information
    Retrieval Evaluation", slides "ANOVA Model of Retrieval Score" and "Bootstrap ANOVA".

    Examples
    --------
    >>> scores = Replicated.of([[[.2, .4], [.6, .8]], [[.1, .3], [.1, .1]]])  # 2 topics × 2 systems × 2 partitions
    >>> fitted = fit(scores)
    >>> round(fitted.mean, 6), fitted.systems.round(6).tolist(), fitted.interaction.round(6).tolist()
    (0.325, [-0.075, 0.075], [[-0.125, 0.125], [0.125, -0.125]])
    >>> round(fitted.rescaling**2, 12)
    2.0
    """
    cells = scores.cell_means
    if interaction:
        least = int(np.lcm.reduce(scores.per_topic))
        weights = least // scores.per_topic[scores.topic]
        by_topic, by_system = cells.mean(axis=1), cells.mean(axis=0)
        centre = float(by_topic.mean())
        both = cells - by_topic[:, None] - by_system + centre
        residuals = scores.values - cells[scores.topic]
        if scores.values.size == cells.size:
            raise DataError(
                "every topic has relevant documents in one partition only, so nothing is replicated and the model "
                "with interaction leaves no residuals; use fewer partitions, or the model without interaction"
            )
        return Fit(centre, by_topic - centre, by_system - centre, both, residuals, weights // np.gcd.reduce(weights))
    by_topic = cells.mean(axis=1)  # every row of a topic has all systems, so the mean of cell means is that of rows
    by_system = scores.values.mean(axis=0) - scores.values.mean()
    centre = float(by_topic.mean())
    residuals = scores.values - by_topic[scores.topic][:, None] - by_system
    return Fit(centre, by_topic - centre, by_system, None, residuals, np.ones(len(scores.topic), dtype=np.int64))


def anova_table(scores: Replicated, *, interaction: bool = True) -> pl.DataFrame:
    """Sources of variation: degrees of freedom, sums of squares, mean squares, F against the residual, and p.

    All cells of a topic hold the same number of scores, so the sums of squares are orthogonal and add up to the
    total, balanced or not (types I and II agree).

    >>> scores = Replicated.of([[[.2, .4], [.6, .8]], [[.1, .3], [.1, .1]]])
    >>> [(source, df, round(squares, 9)) for source, df, squares, *_ in anova_table(scores).rows()]
    [('topic', 1, 0.245), ('system', 1, 0.045), ('topic × system', 1, 0.125), ('residual', 4, 0.06),
     ('total', 7, 0.475)]
    """
    values, n, m = scores.values, scores.n_topics, scores.n_systems
    count = scores.per_topic[:, None]
    cells = scores.cell_means
    grand = float(values.mean())
    by_topic, by_system = cells.mean(axis=1, keepdims=True), values.mean(axis=0)
    sources = [
        ("topic", n - 1, m * float((count * (by_topic - grand) ** 2).sum())),
        ("system", m - 1, len(values) * float(((by_system - grand) ** 2).sum())),
    ]
    both = float((count * (cells - by_topic - by_system + grand) ** 2).sum())
    within = float(((values - cells[scores.topic]) ** 2).sum())
    if interaction:
        sources += [("topic × system", (n - 1) * (m - 1), both), ("residual", values.size - n * m, within)]
    else:
        sources += [("residual", values.size - n - m + 1, both + within)]
    left = sources[-1][2] / sources[-1][1]
    rows = []
    for source, df, squares in sources:
        mean = squares / df if df else None
        tested = source != "residual" and mean is not None and left > 0
        f = mean / left if tested and mean is not None else None
        p = None if f is None else max(float(special.fdtrc(df, sources[-1][1], f)), float(np.finfo(float).tiny))
        rows.append((source, df, squares, mean, f, p))
    rows.append(("total", values.size - 1, math.fsum(part[2] for part in sources), None, None, None))
    names = {"source": pl.String, "df": pl.Int64, "sum_of_squares": pl.Float64, "mean_square": pl.Float64}
    return pl.DataFrame(rows, schema=names | {"f": pl.Float64, "p": pl.Float64}, orient="row")
