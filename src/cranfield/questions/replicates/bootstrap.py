"""Replicated scores: the two-way model in closed form, and the residual bootstrap of its system effects.

Scores are rows, one per (topic, partition) pair, with one column per system. If a topic lacks a partition, all systems
lack it. So the cell counts are proportional and the estimates have a closed form.
"""

from __future__ import annotations

import math
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import special

from cranfield.core.defaults import PAIR_P, REPLICATES_RESAMPLES, RESAMPLE, RESIDUALS, SEED, PairP, Resample, Residuals
from cranfield.core.errors import DataError
from cranfield.core.executors import map_in_order
from cranfield.core.options import at_least, one_of
from cranfield.core.resampling import RESIDUAL_CELLS, RESIDUAL_ROWS, Block, blocks, generator, grid_step, to_grid
from cranfield.questions.compare.family import Pairs, count_true
from cranfield.questions.compare.resampled import monte_carlo

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Replicated:
    """Replicated scores of one split: one row per (topic, partition) pair, one column per system.

    Values lie on the exact grid, so sums do not depend on the order of adding.

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
    def rescaling(self) -> float:
        """√(N/(N−p)), which undoes the shrinkage of residuals by least squares; √(x/(x−1)) with x partitions each."""
        size, n, m = self.residuals.size, len(self.topics), len(self.systems)
        return math.sqrt(size / (size - (n + m - 1 if self.interaction is None else n * m)))

    @property
    def shared(self) -> float:
        """The share of the residual sum of squares common to all systems (topic × partition)."""
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

    With interaction the fitted value of a cell is its mean. s_j is the unweighted mean of system j's cell means minus
    the grand mean (sum-to-zero constraints). Without interaction s_j is the mean of system j's rows minus the mean of
    all rows. μ + t_i is the mean of topic i's rows. Balanced scores give the same s_j either way.

    Assumes that every system has the same (topic, partition) pairs. Voorhees et al. (2017), slides "ANOVA Model of
    Retrieval Score" and "Bootstrap ANOVA".

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
    by_topic = cells.mean(axis=1)  # every row of a topic has all systems, so the mean of cell means is that of rows
    centre = float(by_topic.mean())
    if not interaction:
        by_system = scores.values.mean(axis=0) - scores.values.mean()
        residuals = scores.values - by_topic[scores.topic][:, None] - by_system
        return Fit(centre, by_topic - centre, by_system, None, residuals, np.ones(len(scores.topic), dtype=np.int64))
    if scores.values.size == cells.size:
        raise DataError(
            "every topic has relevant documents in one partition only, so nothing is replicated. "
            "Use fewer partitions, or the model without interaction."
        )
    weights = int(np.lcm.reduce(scores.per_topic)) // scores.per_topic[scores.topic]
    by_system = cells.mean(axis=0)
    both = cells - by_topic[:, None] - by_system + centre
    residuals = scores.values - cells[scores.topic]
    return Fit(centre, by_topic - centre, by_system - centre, both, residuals, weights // np.gcd.reduce(weights))


def anova_table(scores: Replicated, *, interaction: bool = True) -> pl.DataFrame:
    """Sources of variation: degrees of freedom, sums of squares, mean squares, F against the residual, and p.

    All cells of a topic hold the same number of scores. So the sums of squares are orthogonal and add up to the
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
        f = mean / left if source != "residual" and mean is not None and left > 0 else None
        p = None if f is None else max(float(special.fdtrc(df, sources[-1][1], f)), float(np.finfo(float).tiny))
        rows.append((source, df, squares, mean, f, p))
    rows.append(("total", values.size - 1, math.fsum(part[2] for part in sources), None, None, None))
    numbers = dict.fromkeys(("sum_of_squares", "mean_square", "f", "p"), pl.Float64)
    return pl.DataFrame(rows, schema={"source": pl.String, "df": pl.Int64, **numbers}, orient="row")


_DRAWN_TOGETHER = 1 << 20
"""Residuals drawn per call, to bound memory. It must not change: results of a seed depend on it."""


@dataclass(frozen=True)
class Bootstrap:
    """How to bootstrap. The number of workers never changes a result.

    Parameters
    ----------
    n_resamples : how often residuals are drawn, B
    residuals : ``"rescaled"`` by √(N/(N−p)), or ``"raw"`` as published
    resample : whole (topic, partition) ``"rows"``, or ``"cells"`` as published
    p : ``"difference"``, or ``"effect"`` as published
    interaction : whether the model has a topic × system term
    seed : of the random draws
    workers, executor : threads to use, or any `concurrent.futures.Executor`
    """

    n_resamples: int = REPLICATES_RESAMPLES
    residuals: Residuals = RESIDUALS
    resample: Resample = RESAMPLE
    p: PairP = PAIR_P
    interaction: bool = True
    seed: int = SEED
    workers: int | None = None
    executor: Executor | None = None

    @property
    def settings_alone(self) -> Bootstrap:
        """The same without workers and executor, to be sent with a unit of work."""
        return replace(self, workers=1, executor=None)

    def __post_init__(self) -> None:
        for name, choices in (("residuals", Residuals), ("resample", Resample), ("p", PairP)):
            one_of(name, getattr(self, name), choices)
        blocks(self.n_resamples)
        at_least("seed", self.seed, 0, SEED)


@dataclass(frozen=True, eq=False)
class Effects:
    """System effects of one split, with their bootstrap distribution.

    Parameters
    ----------
    fit : the fitted model
    deviations : systems × resamples; how far each resampled system mean lies from the fitted one
    tolerance : two system means no further apart count as equal
    how : the bootstrap's settings
    """

    fit: Fit
    deviations: Floats
    tolerance: float
    how: Bootstrap

    @property
    def effects(self) -> Floats:
        """s_j, the estimates from the scores themselves."""
        return self.fit.systems

    @cached_property
    def resampled(self) -> Floats:
        """s*_j of every resample, centred: systems × resamples."""
        return np.asarray(self.effects[:, None] + (self.deviations - self.deviations.mean(axis=0)))

    def intervals(self, alpha: float) -> tuple[Floats, Floats]:
        """The alpha/2 and 1 − alpha/2 quantiles of every system's resampled effects.

        Slides "Confidence Intervals on s_j": the 2.5% and 97.5% quantiles give the 95% interval.
        """
        lower, upper = np.quantile(self.resampled, [alpha / 2, 1 - alpha / 2], axis=1)
        return lower, upper

    def p_values(self, pairs: Pairs) -> Floats:
        """Two-sided p-value of every pair by the chosen rule; see `difference_p` and `effect_p`."""
        return difference_p(self, pairs) if self.how.p == "difference" else effect_p(self, pairs)


def difference_p(effects: Effects, pairs: Pairs) -> Floats:
    """Two-sided share of the bootstrapped differences that lie beyond 0: 2·(b + 1)/(B + 1), at most 1.

    b counts the resamples in which the system with the lower estimate does at least as well as the other.
    """
    order = np.argsort(-effects.effects, kind="stable")
    means = (effects.effects[:, None] + effects.deviations)[order]
    size, total = means.shape
    counts = np.zeros((size, size), dtype=np.int64)
    for better in range(size - 1):
        counts[better, better + 1 :] = count_true(means[better] - effects.tolerance <= means[better + 1 :])
    place = np.empty(size, dtype=np.int64)
    place[order] = np.arange(size)
    first, second = place[pairs.a], place[pairs.b]
    chosen = counts[np.minimum(first, second), np.maximum(first, second)]
    return np.minimum(1.0, 2 * monte_carlo(chosen, total))


def effect_p(effects: Effects, pairs: Pairs) -> Floats:
    """Position of one system's estimate in the other's bootstrap distribution, two-sided; the larger of both ways.

    The published rule. It ignores the variance of the first system's estimate, so it rejects too often.
    """
    total = effects.deviations.shape[1]
    better_is_a = pairs.of(effects.effects) >= 0
    better = np.where(better_is_a, pairs.a, pairs.b)
    worse = np.where(better_is_a, pairs.b, pairs.a)
    ordered = np.sort(effects.resampled, axis=1)
    counts = np.empty((2, len(pairs)), dtype=np.int64)
    for system in range(len(ordered)):
        mine = np.flatnonzero(better == system)
        bound = effects.effects[worse[mine]] + effects.tolerance
        counts[0, mine] = np.searchsorted(ordered[system], bound, side="right")
        mine = np.flatnonzero(worse == system)
        bound = effects.effects[better[mine]] - effects.tolerance
        counts[1, mine] = total - np.searchsorted(ordered[system], bound, side="left")
    return np.minimum(1.0, 2 * monte_carlo(counts.max(axis=0), total))


def bootstrap_effects(scores: Replicated, how: Bootstrap, *key: int) -> Effects:
    """Fit the model and bootstrap its residuals.

    Residuals are drawn with replacement and added to the fit, and the system effects are estimated again. A system's
    effect is a (weighted) mean, so the new estimate is the old one plus the same mean of the drawn residuals. Nothing
    is refitted; for ``rows`` one matrix product serves all systems and resamples.

    Parameters
    ----------
    scores : the replicated scores
    how : settings
    key : numbers that select the random stream, with the seed (the split)

    Examples
    --------
    >>> scores = Replicated.of([[[.2, .4], [.6, .8]], [[.1, .3], [.1, .1]]])
    >>> raw = bootstrap_effects(scores, Bootstrap(1000, residuals="raw"))
    >>> rescaled = bootstrap_effects(scores, Bootstrap(1000))
    >>> lengths = [np.subtract(*fitted.intervals(.05)[::-1]) for fitted in (raw, rescaled)]
    >>> (lengths[1] / lengths[0]).round(12).tolist()  # √(x/(x−1)) with x = 2
    [1.414213562373, 1.414213562373]
    """
    model = fit(scores, interaction=how.interaction)
    total = int(model.weights.sum())
    # On this grid any weighted sum of `total` residuals is exact, so threads and blocks cannot change it.
    residuals = to_grid(model.residuals, total)
    draw, stream = (_rows, RESIDUAL_ROWS) if how.resample == "rows" else (_cells, RESIDUAL_CELLS)
    work = partial(draw, residuals, model.weights, (how.seed, stream, *key))
    drawn = map_in_order(work, blocks(how.n_resamples), executor=how.executor, workers=how.workers)
    sums = np.concatenate(list(drawn), axis=1)
    scale = (model.rescaling if how.residuals == "rescaled" else 1.0) / total
    return Effects(model, sums * scale, scores.tolerance, how)


def _rows(residuals: Floats, weights: NDArray[np.int64], key: tuple[int, ...], block: Block) -> Floats:
    """Weighted sums of whole rows drawn with replacement: systems × resamples."""
    rows = len(residuals)
    drawn = generator(*key, block.index).integers(rows, size=(len(block), rows))
    drawn += np.arange(len(block))[:, None] * rows
    heavy = None if (weights == 1).all() else np.tile(weights, len(block)).astype(np.float64)
    counts = np.bincount(drawn.ravel(), weights=heavy, minlength=len(block) * rows).reshape(len(block), rows)
    return np.asarray(residuals.T @ counts.T.astype(np.float64, copy=False))


def _cells(residuals: Floats, weights: NDArray[np.int64], key: tuple[int, ...], block: Block) -> Floats:
    """Weighted sums of residuals drawn from all cells, independently for each system."""
    rows, systems = residuals.shape
    pool = residuals.ravel()
    rng = generator(*key, block.index)
    step = max(1, _DRAWN_TOGETHER // pool.size)
    sums = np.empty((systems, len(block)))
    for start in range(0, len(block), step):
        stop = min(start + step, len(block))
        drawn = rng.integers(pool.size, size=((stop - start) * systems, rows))
        values = np.take(pool, drawn, mode="clip")  # always in range; clip saves the check
        if (weights != 1).any():
            values *= weights
        sums[:, start:stop] = values.sum(axis=1).reshape(stop - start, systems).T
    return sums
