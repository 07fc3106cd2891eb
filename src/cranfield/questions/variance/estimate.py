"""`estimate_variance` and `pool_variances`: variance estimates for designing a test collection."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from cranfield.collection.teams import read_teams
from cranfield.core.answer import sentence
from cranfield.core.defaults import ALPHA, ASSURANCE, ESTIMATOR
from cranfield.core.errors import ArgumentError, DataError, notify
from cranfield.core.labels import is_several, repr_of
from cranfield.core.resampling import sample_covariance
from cranfield.core.results import Result, check_finite, check_interval, claim, signature
from cranfield.questions.variance.answer import estimate_answer
from cranfield.questions.variance.estimators import ESTIMATORS, Estimator
from cranfield.questions.variance.sphericity import mean_greenhouse_geisser, pooled_epsilon
from cranfield.questions.variance.squares import (
    Array,
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
from cranfield.scores.doors import ScoresLike, as_matrix
from cranfield.scores.matrix import ScoreMatrix, inherited

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

NO_INTERVAL = sentence(
    "variance.no-interval",
    "{measure}: no interval for the {estimator} variance: {problem}.",
    "there are fewer than three topics, no variance remains without a topic, system or team, or the ends overflow",
)
TOPICS_ALONE = sentence(
    "variance.topics-alone",
    "{measure}: the interval of the {estimator} variance reflects topics only; including {groups} takes at least 3.",
    "a collection has fewer than three systems, or teams where they are given, or one team has all systems but one",
    measured="sizes teams",
)
_LONGEST_REACH = 300.0
"""Of an interval on the scale of logarithms; e³⁰⁰ is nearly all a double can hold."""
_LARGEST_LOG = 700.0
"""e⁷⁰⁰ is a double, e⁷¹⁰ is not."""
_NO_VARIANCE = 1e-12
"""A standard deviation below this share of the largest score is rounding error. The same holds for a variance without
a topic or a system, relative to the whole."""
Teams = Mapping[str, str] | str | os.PathLike[str]
"""The team of each system, or a file that `read_teams` reads."""


@dataclass(frozen=True, eq=False)
class Stratum:
    """One collection of an estimate."""

    collection: str
    n_topics: int
    n_systems: int
    variance: float
    without_each_topic: Array | None
    without_each_group: Without | None
    scores: ScoreMatrix
    teams: Mapping[str, str] | None = None

    @property
    def covariance(self) -> Array:
        """Covariances of the systems over topics; made when asked for, because thousands of systems have many."""
        return sample_covariance(self.scores.values)


@dataclass(frozen=True, eq=False)
class VarianceEstimate(Result):
    """A variance estimated from past scores; get one from `estimate_variance` or `pool_variances`.

    Attributes
    ----------
    variance : float
        The variance σ̂² of a system's score over topics, by the estimator.
    lower, upper : float or None
        Interval with confidence 1 − alpha: jackknife of the logarithm over topics and systems, or teams. None for
        `percentile95`, and with too few topics.
    n_topics, n_systems : int
        Size of the past data; topics are added up when pooled, systems are None when the collections differ.
    strata : tuple of Stratum
        The collections behind the estimate, one unless pooled.
    error : LogError or None
        Standard error of the logarithm, with its degrees of freedom; None where there is no interval.
    warnings, inherited : tuple of str
        All warnings; those inherited from the past scores.
    """

    estimator: str
    measure: str
    collection: str
    variance: float
    lower: float | None
    upper: float | None
    n_topics: int
    n_systems: int | None
    alpha: float = ALPHA
    strata: tuple[Stratum, ...] = field(default=(), repr=False)
    warnings: tuple[str, ...] = ()
    inherited: tuple[str, ...] = field(default=(), repr=False)
    error: LogError | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        what = f"{self.measure}: the {self.estimator} variance"
        check_finite(what, variance=self.variance, lower=self.lower, upper=self.upper)
        claim(self.variance > 0 and (self.lower or 0) >= 0, what, "a variance that is not above 0")
        check_interval(what, "variance", self.lower, self.variance, self.upper)

    @property
    def variance_of_difference(self) -> float:
        """σ_t², the variance of the difference of two systems: 2σ² (Sakai (2014a), §3.2).

        `percentile95` measures this directly; its `variance` is half of it.
        """
        return 2 * self.variance

    def assured(self, assurance: float = ASSURANCE) -> VarianceEstimate | None:
        """The estimate at V̂·exp(t_df·s): the true variance is below it with this assurance. None without interval.

        Examples
        --------
        >>> from cranfield import make_scores
        >>> estimate = estimate_variance(make_scores(50, 10, seed=1), "residual")
        >>> estimate.variance < estimate.assured(0.8).variance < estimate.upper
        True
        """
        if self.error is None:
            return None
        above = self.variance * math.exp(min(self.error.reach(assurance), _LONGEST_REACH))
        return replace(self, variance=above, lower=None, upper=None) if above < math.inf else None

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature(
            "variance estimate", estimator=self.estimator, measure=self.measure,
            collections=[stratum.collection for stratum in self.strata] or None, topics=self.n_topics,
            systems=self.n_systems,
        )  # fmt: skip

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force."""
        return {name: getattr(self, name) for name in ("estimator", "measure", "collection", "alpha")}

    def epsilon(self, n_systems: int | None = None) -> float:
        """The unbiased ε of the past scores for comparisons of `n_systems` systems.

        1 means that all differences between systems have the same variance, as a blocked F-test assumes. See
        `unbiased_epsilon`. Collections are pooled with the weights n − 1. A `DataError` with fewer than three topics,
        or with too few past systems.
        """
        k = n_systems or min(stratum.n_systems for stratum in self.strata)
        return 1.0 if k == 2 else pooled_epsilon([(one.covariance, one.n_topics) for one in self.strata], k)

    def greenhouse_geisser(self, n_systems: int | None = None) -> float:
        """The Greenhouse–Geisser ε, biased low with few topics; for display beside `epsilon`, not for designs.

        Collections are averaged with the weights n − 1.
        """
        k = n_systems or min(stratum.n_systems for stratum in self.strata)
        values = [1.0 if k == 2 else mean_greenhouse_geisser(stratum.covariance, k) for stratum in self.strata]
        return float(np.average(values, weights=[stratum.n_topics - 1 for stratum in self.strata]))

    def to_frame(self) -> pl.DataFrame:
        """One row: collection, measure, topics, systems, method, variance, variance_of_difference, lower, upper."""
        row = {
            "collection": self.collection, "measure": self.measure, "topics": self.n_topics,
            "systems": self.n_systems, "method": self.estimator, "variance": self.variance,
            "variance_of_difference": self.variance_of_difference, "lower": self.lower, "upper": self.upper,
        }  # fmt: skip
        return pl.DataFrame([row], schema_overrides={"systems": pl.Int64, "lower": pl.Float64, "upper": pl.Float64})

    def to_dict(self) -> dict[str, Any]:
        """The row as a dictionary, with signature and warnings."""
        everything = super().to_dict()
        (row,) = everything.pop("rows")
        return {**row, "alpha": self.alpha, **everything}

    def __repr__(self) -> str:
        interval = "" if self.lower is None else f" [{self.lower:.4f}, {self.upper:.4f}]"
        return (
            f"VarianceEstimate({self.estimator}: {self.variance:.6f}{interval}, "
            f"{self.measure}, {self.n_topics} topics, {self.collection})"
        )

    answer = estimate_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.variance import charts

        return {"estimators": charts.estimators}


def estimate_variance(
    scores: ScoresLike,
    estimator: str = ESTIMATOR,
    *,
    alpha: float = ALPHA,
    collection: str | None = None,
    teams: Teams | None = None,
) -> VarianceEstimate:
    r"""How much do scores vary? An estimate for designing the next collection.

    ============== ========================================================== =====================================
    estimator      formula                                                    estimates
    ============== ========================================================== =====================================
    within         V_E1 = Σ(x_ij − x̄_j)² / (m(n−1)), Sakai (2016), eq. 1          σ² of the one-way model, unbiased
    one_way        (m−1)/(mn)·(V_A − V_E1) + V_E1, Sakai (2014a), eq. 4            σ² plus between-system variance
    two_way        (m−1)/(mn)·(V_A − V_E2) + (V_B − V_E2)/m + V_E2, eq. 7     the same by two-way ANOVA
    residual       V_E2 = Σ(x_ij − x̄_i − x̄_j + x̄)² / ((m−1)(n−1))             σ² once topics are blocked (paired)
    percentile95   95th percentile of the pairwise difference variances, /2   σ_t²/2, Sakai (2014b), §3.2
    ============== ========================================================== =====================================

    The first three include the variance between topics; `residual` and `percentile95` do not. They therefore differ by
    factors. Systems of a real comparison share their topics.

    The interval is V̂·exp(±t_df·s). Topics and systems both count as samples: s² = v_t + v_s, the jackknife variances of
    log V̂ with each topic, and each system or team, left out; df = s⁴/(v_t²/(n−1) + v_s²/(m−1)). It covers the variance
    of similar systems, not of these alone. With fewer than 3 systems or teams it reflects topics only, with a warning.
    `percentile95` has none.

    Parameters
    ----------
    scores : ScoreMatrix, or whatever `as_scores` takes
        By one measure; at least two topics and two systems.
    estimator : {"within", "one_way", "two_way", "residual", "percentile95"}
    alpha : float
        The interval has confidence 1 − alpha.
    collection : str, optional
        A name for the data, shown in tables.
    teams : mapping from system to team, or a file that `read_teams` reads, optional
        Leave out teams instead of systems (delete-group jackknife). Systems of one team are often similar; leaving out
        single systems then makes the interval too narrow.

    References
    ----------
    Sakai (2014b), "Designing test collections that provide tight confidence intervals", §3.2. Sakai (2014a), "Topic
    set size design with variance estimates from two-way ANOVA", eqs. 1–8. Sakai (2016), "The effect of score
    standardisation on topic set size design", eq. 1. Busing, Meijer and van der Leeden, "Delete-m jackknife for
    unequal m", Statistics and Computing 9 (1999).

    Examples
    --------
    >>> from cranfield import ScoreMatrix
    >>> x = ScoreMatrix([[0.2, 0.3, 0.4], [0.5, 0.4, 0.6], [0.8, 0.8, 0.7]], "123", "abc", "AP")
    >>> [round(estimate_variance(x, name).variance, 4) for name in ("within", "two_way", "residual")]
    [0.0611, 0.06, 0.0094]
    """
    entry = ESTIMATORS[estimator]
    if not 0 < alpha < 1:
        raise ArgumentError(f"`alpha` must be between 0 and 1; got {alpha:g}. Write 0.05 for 95% intervals.")
    matrix = as_matrix(scores).require(what="a variance estimate").canonical()
    x = matrix.values
    n, m = x.shape
    mapping = team_of(teams)
    names, group = numbered_groups(matrix.systems, mapping)
    without, without_group = None, None
    if entry.of_scores is not None:
        variance = entry.of_scores(x)
    elif entry.of_squares is None:
        raise ArgumentError(f"estimator {estimator!r} is registered without a function of squares or scores.")
    else:
        variance = float(entry.of_squares(squares(x)))
        if n > 2:
            without = entry.of_squares(squares_without_each_topic(x))
        if enough_groups(group):
            left = entry.of_squares(squares_without_each_group(x, group))
            without_group = Without(names, np.bincount(group).astype(np.float64), left)
    if variance <= (_NO_VARIANCE * float(np.abs(x).max())) ** 2:
        raise DataError(
            f"{matrix.measure}: {_why_zero(entry, x)}, so there is no variance. Give scores of other systems or topics."
        )
    stratum = Stratum(collection or "scores", n, m, variance, without, without_group, matrix, mapping)
    return _from_strata(estimator, matrix.measure, stratum.collection, (stratum,), alpha, inherited([matrix]))


def team_of(teams: Teams | None) -> Mapping[str, str] | None:
    """The team of each system, read where a file was given."""
    return teams if teams is None or isinstance(teams, Mapping) else read_teams(teams)


def named_teams(teams: Teams | None) -> str | None:
    """Teams as settings show them: the file, or how many there are.

    >>> named_teams({"a": "uw", "b": "uw", "c": "udel"})
    '2 teams'
    """
    if isinstance(teams, Mapping):
        return f"{len({*teams.values()})} teams"
    return None if teams is None else os.fspath(teams)


def _why_zero(estimator: Estimator, x: Array) -> str:
    if float(np.ptp(x)) == 0:
        return f"all {x.size} scores are {x.flat[0]:g}"
    if estimator.holds_topics:
        return "every system has the same score on all topics"
    return "differences between systems are the same on all topics"


def pool_variances(estimates: Iterable[VarianceEstimate]) -> VarianceEstimate:
    """One variance from several past collections: Σ(n_C − 1)σ̂²_C / Σ(n_C − 1) (Sakai 2014b, eq. 11; 2014a, eq. 8).

    The interval is that of `estimate_variance`, over the topics of each collection and over all systems or teams. A
    system or team in several collections is left out of all of them at once.

    Examples
    --------
    Two halves of the same size count equally.

    >>> from cranfield import ScoreMatrix
    >>> values = [[i / 10, (i * 7 % 10) / 10, (i * 3 % 10) / 10] for i in range(10)]
    >>> x = ScoreMatrix(values, map(str, range(10)), "abc", "AP")
    >>> halves = [estimate_variance(x.select(topics=x.topics[k::2]), "residual") for k in (0, 1)]
    >>> [round(estimate.variance, 4) for estimate in (*halves, pool_variances(halves))]
    [0.0667, 0.1333, 0.1]
    """
    listed: list[Any] = list(estimates) if is_several(estimates) else [estimates]
    if not listed:
        raise ArgumentError("`estimates` is empty. Pass at least one variance estimate.")
    if wrong := [one for one in listed if not isinstance(one, VarianceEstimate)]:
        raise ArgumentError(f"`estimates` must be variance estimates, from estimate_variance; got {repr_of(wrong[0])}.")
    first = listed[0]
    for name in ("estimator", "measure", "alpha"):
        values = list(dict.fromkeys(getattr(estimate, name) for estimate in listed))
        if len(values) > 1:
            raise ArgumentError(f"cannot pool estimates of different {name}: {', '.join(map(str, values))}.")
    strata = tuple(stratum for estimate in listed for stratum in estimate.strata)
    name = "pooled" if len(strata) > 1 else first.collection
    said = dict.fromkeys(
        text if len(listed) == 1 else f"{one.collection}: {text}" for one in listed for text in one.inherited
    )
    return _from_strata(first.estimator, first.measure, name, strata, first.alpha, tuple(said))


def _from_strata(
    estimator: str, measure: str, collection: str, strata: tuple[Stratum, ...], alpha: float, said: tuple[str, ...]
) -> VarianceEstimate:
    """The estimate of all strata; `said` are inherited warnings."""
    weights = np.asarray([stratum.n_topics - 1 for stratum in strata], dtype=np.float64)
    values = np.asarray([stratum.variance for stratum in strata])
    variance = float((weights * values).sum() / weights.sum())  # Sakai (2014b), eq. 11
    lower, upper, problem, error = None, None, None, None
    if ESTIMATORS[estimator].of_squares is not None:
        error, problem = _jackknife_error(strata, weights, values)
        if error is not None:
            reach = error.reach(1 - alpha / 2)
            if reach >= _LONGEST_REACH:
                problem = "its ends overflow at this level"
            elif abs(math.log(variance)) + reach >= _LARGEST_LOG:
                problem = "its ends overflow in this unit of the scores"
            else:
                lower, upper = variance * math.exp(-reach), variance * math.exp(reach)
    systems, named = {stratum.n_systems for stratum in strata}, {"measure": measure, "estimator": estimator}
    warnings = said
    if problem is not None:
        warnings += (NO_INTERVAL(**named, problem=problem),)
    elif error is not None and not error.systems:
        groups = "teams" if any(stratum.teams is not None for stratum in strata) else "systems"
        warnings += (TOPICS_ALONE(**named, groups=groups),)
    notify(warnings)
    return VarianceEstimate(
        estimator, measure, collection, variance, lower, upper, sum(stratum.n_topics for stratum in strata),
        systems.pop() if len(systems) == 1 else None, alpha, strata, warnings, said,
        error if lower is not None else None,
    )  # fmt: skip


def _jackknife_error(strata: tuple[Stratum, ...], weights: Array, values: Array) -> tuple[LogError | None, str | None]:
    """Error of the logarithm of the pooled variance; or the reason why there is none."""
    variance = float((weights * values).sum() / weights.sum())
    topics, groups, members = [], None, None
    for stratum, weight, value in zip(strata, weights, values, strict=True):
        if stratum.without_each_topic is None:
            return None, "it needs at least 3 topics"
        rest = (weights * values).sum() - weight * value
        left = (rest + (weight - 1) * stratum.without_each_topic) / (weights.sum() - 1)
        if not (left > _NO_VARIANCE * value).all():
            return None, "no variance remains without one of the topics"
        topics.append(np.log(left))
    parts = [stratum.without_each_group for stratum in strata if stratum.without_each_group is not None]
    if len(parts) == len(strata):
        pooled, members = pooled_groups(weights, list(values), parts)
        if not (pooled > _NO_VARIANCE * variance).all():
            return None, "no variance remains without one of the systems or teams"
        groups = np.log(pooled)
    return log_error(math.log(variance), topics, groups, members), None
