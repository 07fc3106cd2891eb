"""Generalisability theory: variance components of scores, and Eρ² and Φ for any number of topics.

Both coefficients are n·r/(1 + n·r) for a ratio r of components: σ²_s/σ²_e for Eρ² and σ²_s/(σ²_q + σ²_e) for Φ.
So an interval for the ratio gives one for the coefficient at any n, and one for the topics needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, fdtri

from cranfield.core.errors import ArgumentError, DataError
from cranfield.questions.variance.squares import (
    LogError,
    log_error,
    squares,
    squares_without_each_group,
    squares_without_each_topic,
)
from cranfield.scores.doors import ScoresLike, as_matrix_list
from cranfield.scores.matrix import ScoreMatrix

Coefficient = Literal["erho2", "phi"]
COEFFICIENTS: Final[tuple[Coefficient, ...]] = ("erho2", "phi")
_LARGEST = 1e70
_ROUNDING = 1e-12
"""A standard deviation below this share of the largest score is rounding, not variance."""
SYSTEMS, TOPICS = "systems", "topics"


@dataclass(frozen=True)
class Components:
    """Variance components of topic × system scores, and the size of the data.

    Attributes
    ----------
    estimated_systems, estimated_topics, residual : float
        Estimates of σ²_s, σ²_q and σ²_e; the first two can fall below 0, and `systems` and `topics` are then 0.
    n_topics, n_systems : float
        The size of the data; for pooled collections of different sizes, harmonic means.
    df_systems, df_topics, df_residual : int
        Degrees of freedom of the three mean squares.
    spread : LogError, optional
        Standard error and degrees of freedom of log(σ²_s/σ²_e) by the two-way jackknife, if it exists.
    """

    estimated_systems: float
    estimated_topics: float
    residual: float
    n_topics: float
    n_systems: float
    df_systems: int
    df_topics: int
    df_residual: int
    spread: LogError | None = None

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

    Several collections are pooled component by component, before negative estimates are set to 0. The weights are the
    degrees of freedom of each: m − 1, n − 1 and (m − 1)(n − 1). This assumes the same components in all collections.
    Sizes become harmonic means with the same weights, which is exact for equal sizes.

    Parameters
    ----------
    scores : ScoreMatrix or several
        One matrix per collection, all of the same measure.
    drop : float
        Share of worst systems to drop from each collection first.

    Examples
    --------
    >>> x = ScoreMatrix([[1, 2], [3, 6], [5, 7]], ["1", "2", "3"], ["a", "b"], "AP")
    >>> components = variance_components(x)
    >>> round(components.systems, 4), round(components.topics, 4), round(components.residual, 4)
    (1.8333, 5.0, 0.5)
    """
    matrices = as_matrix_list(scores)
    if not matrices:
        raise ArgumentError("`scores` is empty. Pass at least one ScoreMatrix.")
    measures = list(dict.fromkeys(matrix.measure for matrix in matrices))
    if len(measures) > 1:
        raise DataError(f"cannot pool scores of different measures: {', '.join(measures)}; choose one of them")
    each = [_of_one(matrix, drop) for matrix in matrices]
    systems, topics, residual, n, m = np.asarray([found for found, _ in each]).T
    by_systems, by_topics = m - 1, n - 1
    by_both = by_systems * by_topics
    return Components(
        float(np.average(systems, weights=by_systems)), float(np.average(topics, weights=by_topics)),
        float(np.average(residual, weights=by_both)), _harmonic(n, by_systems), _harmonic(m, by_topics),
        int(by_systems.sum()), int(by_topics.sum()), int(by_both.sum()),
        log_ratio_spread(each[0][1]) if len(each) == 1 else None,
    )  # fmt: skip


def log_ratio_spread(x: NDArray[np.float64]) -> LogError | None:
    """Error of log r, r = (MS_s/MS_e − 1)/n, by the two-way jackknife: each topic and each system left out once.

    None where a ratio is not above 0, or where leaving one out leaves too little.

    >>> error = log_ratio_spread(np.random.default_rng(1).normal(size=(30, 8)) + np.arange(8))
    >>> round(error.size, 2), round(error.df, 1)
    (0.4, 9.1)
    """
    n, m = x.shape
    if n < 3 or m < 3:
        return None
    ratios = []
    for sums in (squares(x), squares_without_each_topic(x), squares_without_each_group(x, np.arange(m))):
        left = sums.mean_residual > 0
        ratios.append(np.where(left, sums.mean_between_systems / np.where(left, sums.mean_residual, 1) - 1, 0) / sums.n)
    if min(float(one.min()) for one in ratios) <= 0:
        return None
    whole, by_topic, by_system = map(np.log, ratios)
    error = log_error(float(whole), [by_topic], by_system, np.ones(m))
    return error if error.size > 0 else None


def _harmonic(sizes: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    if np.ptp(sizes) == 0:
        return float(sizes[0])
    return float(1 / np.average(1 / sizes, weights=weights))


def _of_one(scores: ScoreMatrix, drop: float) -> tuple[tuple[float, float, float, int, int], NDArray[np.float64]]:
    """The three components with the numbers of topics and systems behind them, and the scaled scores."""
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
            f"{matrix.measure}: the largest absolute score is {largest:g}, and its fourth power overflows. Scale the "
            "scores first"
        )
    table = squares(matrix.values)
    n, m, residual = table.n, table.m, float(table.mean_residual)
    if residual <= (_ROUNDING * largest) ** 2:
        raise DataError(
            f"{matrix.measure}: the residual variance is zero, because systems and topics explain every score. Check "
            "the scores"
        )
    systems = _excess(float(table.mean_between_systems), residual) / n
    topics = _excess(float(table.mean_between_topics), residual) / m
    return (systems, topics, residual, n, m), matrix.values / largest


def _excess(mean_square: float, residual: float) -> float:
    """Mean square minus residual; a difference by rounding error is 0."""
    return 0.0 if abs(mean_square - residual) <= _ROUNDING * residual else mean_square - residual


@dataclass(frozen=True)
class Ratio:
    """A ratio of variance components with its interval; none of the three is below 0."""

    value: float
    lower: float
    upper: float

    def at(self, n_topics: float) -> tuple[float, float, float]:
        """The coefficient n·r/(1 + n·r) with its interval, with `n_topics` topics."""
        value, lower, upper = (n_topics * r / (1 + n_topics * r) for r in (self.value, self.lower, self.upper))
        return value, lower, upper

    def topics_for(self, target: float) -> tuple[int | None, int | None, int | None]:
        """Topics that reach the target: ⌈π/((1 − π)·r)⌉, fewest and most; None where no number does (up to 2⁵³)."""
        needed, most, fewest = (_topics(target, r) for r in (self.value, self.lower, self.upper))
        return needed, fewest, most


def _topics(target: float, ratio: float) -> int | None:
    if ratio <= 0:
        return None
    needed = target / (1 - target) / ratio
    return max(1, math.ceil(needed * (1 - 1e-12))) if needed <= 2**53 else None


def ratio(coefficient: Coefficient, components: Components, alpha: float) -> Ratio:
    """The ratio behind a coefficient: estimate and two-sided interval at confidence 1 − alpha.

    Eρ²: r·exp(±t·s) with s and the degrees of freedom of `Components.spread`, the two-way jackknife of log r. Without
    a spread, Feldt (1965): x = (MS_s/(MS_e·F_{1−a; m−1, (m−1)(n−1)}) − 1)/n at a = α/2 and 1 − α/2; exact for normal
    scores.

    Φ (Arteaga, Jeyaratnam & Franklin 1982), approximate: with F_∞, F_e and F_q the quantiles for m − 1 and ∞,
    (m − 1)(n − 1) and n − 1 degrees of freedom,
    x = m·(MS_s² − F_∞·MS_s·MS_e + (F_∞ − F_e)·F_e·MS_e²) / (n·((m − 1)·F_∞·MS_s·MS_e + F_q·MS_s·MS_q)).

    Examples
    --------
    Brennan's example (10 persons, 12 items): 80% intervals .729 [.541, .876] and .672 [.457, .845].

    >>> book = Components(0.6258, 0.8840, 2.7872, 12, 10, 9, 11, 99)
    >>> [[round(x, 3) for x in ratio(name, book, 0.20).at(12)] for name in COEFFICIENTS]
    [[0.729, 0.541, 0.876], [0.672, 0.457, 0.845]]
    """
    noise = components.residual + (components.topics if coefficient == "phi" else 0.0)
    value = components.systems / noise
    if coefficient == "erho2" and components.spread is not None:
        factor = math.exp(min(components.spread.reach(1 - alpha / 2), 700.0))
        return Ratio(value, value / factor, value * factor)
    limit = _arteaga if coefficient == "phi" else _feldt
    lower, upper = (max(0.0, limit(components, at)) for at in (1 - alpha / 2, alpha / 2))
    return Ratio(value, min(lower, value), max(upper, value))


def _feldt(c: Components, probability: float) -> float:
    ms_s, _, ms_e = c.mean_squares
    return (ms_s / (ms_e * _f_quantile(probability, c.df_systems, c.df_residual)) - 1) / c.n_topics


def _arteaga(c: Components, probability: float) -> float:
    ms_s, ms_q, ms_e = c.mean_squares
    f_inf = _f_quantile(probability, c.df_systems, math.inf)
    f_e = _f_quantile(probability, c.df_systems, c.df_residual)
    f_q = _f_quantile(probability, c.df_systems, c.df_topics)
    if ms_s <= f_e * ms_e:  # where the formula passes 0, as Feldt's does; further down it turns round
        return 0.0
    s, q = ms_s / ms_e, ms_q / ms_e  # both parts divided by MS_s·MS_e: no product of tiny or huge scores is left
    above = s - f_inf + (f_inf - f_e) * f_e / s
    below = (c.n_systems - 1) * f_inf + f_q * q
    return c.n_systems * above / (c.n_topics * below)


def _f_quantile(probability: float, between: float, error: float) -> float:
    if math.isinf(error):
        return float(chdtri(between, 1 - probability)) / between
    return float(fdtri(between, error, probability))


def check_topics(n_topics: int | Sequence[int]) -> tuple[int, ...]:
    """The numbers of topics as a tuple, once each is known to be a whole number of at least 1."""
    listed = (n_topics,) if isinstance(n_topics, (int, float)) else tuple(n_topics)
    for n in listed:
        if isinstance(n, bool) or n != int(n) or n < 1:
            raise ArgumentError(f"`n_topics` must be a whole number of at least 1; got {n!r}. Write 50.")
    return tuple(int(n) for n in listed)


def check_share(name: str, value: float, usual: float) -> None:
    """Refuse a level or a coefficient that is not between 0 and 1."""
    if isinstance(value, bool) or not 0 < value < 1:
        raise ArgumentError(f"`{name}` must be between 0 and 1; got {value!r}. Write {usual:.2f}.")
