"""`variances`: variances of past scores, by collection and pooled; `anova_table`: the two-way analysis behind them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.special import fdtrc

from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA
from cranfield.core.errors import DataError, notify, quietly
from cranfield.core.results import Result, check_finite, check_frame, check_interval, check_shares, signature
from cranfield.questions.variance import estimate
from cranfield.questions.variance.answer import table_answer, variances_answer
from cranfield.questions.variance.estimate import Teams, VarianceEstimate, estimate_variance, pool_variances
from cranfield.questions.variance.estimators import ESTIMATORS
from cranfield.questions.variance.question import VarianceQuestion
from cranfield.questions.variance.sphericity import ratio, traces, without_bias
from cranfield.questions.variance.squares import squares
from cranfield.scores.doors import ScoresLike, as_collections, as_matrix
from cranfield.scores.matrix import Scores, inherited

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

_NUMBERS = ["mean_square", "f", "p", "p_gg", "p_unbiased", "eta_squared", "partial_eta_squared", "omega_squared"]
_COLUMNS = {
    **dict.fromkeys(("collection", "measure", "source"), pl.String), "sum_of_squares": pl.Float64, "df": pl.Int64,
    **dict.fromkeys(_NUMBERS, pl.Float64),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class AnovaTable(Result):
    """Two-way analysis of variance without replication: systems, topics, residual, total.

    `epsilon` is the Greenhouse–Geisser ε of the systems and `p_gg` in the systems' row the p-value with
    degrees of freedom multiplied by it; `epsilon_unbiased` and `p_unbiased` are the same with the unbiased ε (None
    below three topics).
    """

    measure: str
    collection: str
    n_topics: int
    n_systems: int
    epsilon: float
    sources: tuple[dict[str, Any], ...]
    epsilon_unbiased: float | None = None
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        what = f"{self.measure}: the ANOVA"
        check_interval(what, "epsilon", 0, self.epsilon, 1 + 1e-9)
        check_finite(what, unbiased_epsilon=self.epsilon_unbiased)
        rows = self.to_frame()
        check_frame(what, rows)
        check_shares(what, "eta squared", rows["eta_squared"].drop_nulls())

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        named = {name.removeprefix("n_"): value for name, value in self.settings.items()}
        return signature("two-way ANOVA", **named, epsilon=round(self.epsilon, 4))

    @property
    def settings(self) -> dict[str, Any]:
        """What was analysed."""
        return {name: getattr(self, name) for name in ("measure", "collection", "n_topics", "n_systems")}

    def to_frame(self) -> pl.DataFrame:
        """Source, sum of squares, d.f., mean square, F, p, p_gg, p_unbiased and effect sizes, one row per source."""
        labels = {"collection": self.collection, "measure": self.measure}
        return pl.DataFrame([{**labels, **row} for row in self.sources], schema=_COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """The table as plain Python values."""
        return {**super().to_dict(), "epsilon": self.epsilon, "epsilon_unbiased": self.epsilon_unbiased}

    def __repr__(self) -> str:
        size = f"{self.n_topics} topics × {self.n_systems} systems, systems F = {self.sources[0]['f']:.2f}"
        return f"AnovaTable({self.measure}, {self.collection}: {size}, epsilon = {self.epsilon:.3f})"

    answer = table_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.variance import charts

        return {"sources": charts.sources}


def anova_table(scores: ScoresLike, *, collection: str | None = None) -> AnovaTable:
    """Which share of the variance of scores is due to systems, to topics, and to interaction and noise?

    Sums of squares as in Sakai (2014a), eqs. 2 and 5, with F = V_A/V_E2 and V_B/V_E2. Effect sizes: η² = SS/SS_total,
    partial η² = SS/(SS + SS_E2), ω² = (SS − df·V_E2)/(SS_total + V_E2). A p-value too small for a double is shown
    as the smallest one, never as 0.

    Examples
    --------
    >>> from cranfield import ScoreMatrix
    >>> x = ScoreMatrix([[0.2, 0.3], [0.5, 0.4], [0.8, 0.9]], ["1", "2", "3"], ["a", "b"], "AP")
    >>> anova_table(x)
    AnovaTable(AP, scores: 3 topics × 2 systems, systems F = 0.25, epsilon = 1.000)
    """
    matrix = as_matrix(scores).require(what="an analysis of variance").canonical()
    sums = squares(matrix.values)
    n, m = sums.n, sums.m
    error, error_df = float(sums.mean_residual), (m - 1) * (n - 1)
    if error <= (1e-12 * float(np.abs(matrix.values).max())) ** 2:
        raise DataError(
            f"{matrix.measure}: the residual variance is zero, so there is no F statistic. Check the scores"
        )
    total = float(sums.between_systems + sums.between_topics + sums.residual)
    of_squares = traces(matrix.values)
    epsilon = float(ratio(*of_squares, m))
    unbiased = float(ratio(*without_bias(*of_squares, n), m)) if n > 2 else None

    def p_value(df: float, df_error: float, f: float) -> float:
        return max(float(fdtrc(df, df_error, f)), sys.float_info.min)

    rows: list[dict[str, Any]] = []
    residual = float(sums.residual)
    for source, array, df in [("systems", sums.between_systems, m - 1), ("topics", sums.between_topics, n - 1)]:
        ss = float(array)
        f = ss / df / error
        p_gg, p_unbiased = (
            None if source != "systems" or e is None else p_value(e * df, e * error_df, f) for e in (epsilon, unbiased)
        )
        rows.append({
            "source": source, "sum_of_squares": ss, "df": df, "mean_square": ss / df, "f": f,
            "p": p_value(df, error_df, f), "p_gg": p_gg, "p_unbiased": p_unbiased, "eta_squared": ss / total,
            "partial_eta_squared": ss / (ss + residual), "omega_squared": (ss - df * error) / (total + error),
        })  # fmt: skip
    rest = {"source": "residual", "sum_of_squares": residual, "df": error_df, "mean_square": error}
    rows += [rest | {"eta_squared": residual / total}, {"source": "total", "sum_of_squares": total, "df": n * m - 1}]
    return AnovaTable(matrix.measure, collection or "scores", n, m, epsilon, tuple(rows), unbiased, inherited([matrix]))


@dataclass(frozen=True, eq=False)
class Variances(Result):
    """Variances of past scores by several estimators; get one from `variances`.

    Attributes
    ----------
    estimates : one `VarianceEstimate` per measure, estimator and collection; with several collections also pooled
    collections : the scores behind them
    teams : the file of teams, or their number, if intervals leave out teams instead of systems
    """

    estimates: tuple[VarianceEstimate, ...]
    collections: Mapping[str, Scores] = field(repr=False)
    alpha: float = ALPHA
    warnings: tuple[str, ...] = ()
    teams: str | None = None

    def __iter__(self) -> Iterator[VarianceEstimate]:
        return iter(self.estimates)

    @cached_property
    def tables(self) -> tuple[AnovaTable, ...]:
        """The two-way analysis of variance of every collection and measure."""
        return tuple(
            anova_table(matrix, collection=name)
            for name, scores in self.collections.items()
            for matrix in scores.values()
        )

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force."""
        estimators = list(dict.fromkeys(one.estimator for one in self.estimates))
        return VarianceQuestion.in_force(self, collections=list(self.collections), estimator=estimators)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature("variance estimates", collections=list(self.collections), alpha=self.alpha, teams=self.teams)

    def to_frame(self) -> pl.DataFrame:
        """One row per estimate; see `VarianceEstimate.to_frame`."""
        return pl.concat([one.to_frame() for one in self.estimates])

    def anova(self) -> pl.DataFrame:
        """The analyses of variance below one another; see `AnovaTable.to_frame`."""
        return pl.concat([table.to_frame() for table in self.tables])

    def __repr__(self) -> str:
        return f"Variances({len(self.estimates)} estimates, {', '.join(self.collections)})\n{self.to_frame()}"

    answer = variances_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.variance import charts

        return {"estimators": charts.estimators, "sources": charts.sources}


def variances(
    collections: ScoresLike,
    *,
    estimator: str | Sequence[str] | None = None,
    alpha: float = ALPHA,
    teams: Teams | None = None,
) -> Variances:
    """How much do past scores vary, in each collection and pooled, by one estimator or by all?

    Parameters
    ----------
    collections : past scores by the name of their collection, or those of one, each in any form that `as_scores` takes
    estimator : one or several, see `estimate_variance`. The default is all; those without a variance are dropped with
        a warning
    alpha : intervals have confidence 1 − alpha
    teams : the team of each system, or a file of them; intervals then leave out teams instead of systems

    References
    ----------
    As in `estimate_variance`; pooling is Sakai (2014b), eq. 11.

    Examples
    --------
    >>> from cranfield import ScoreMatrix
    >>> x = ScoreMatrix([[0.2, 0.3, 0.4], [0.5, 0.4, 0.6], [0.8, 0.8, 0.7]], "123", "abc", "AP")
    >>> variances(x, estimator=["within", "residual"]).to_frame()["variance"].round(4).to_list()
    [0.0611, 0.0094]
    """
    check_arguments(variances, locals())
    named = as_collections(collections, argument="collections")
    chosen = [estimator] if isinstance(estimator, str) else estimator
    grouping = estimate.team_of(teams)
    estimates: list[VarianceEstimate] = []
    without: dict[str, DataError] = {}
    with quietly():  # gathered below, once
        for name in chosen or ESTIMATORS:
            try:
                of_measures = collection_variances(named, name, alpha, grouping)
            except DataError as error:
                if chosen:
                    raise
                without[name] = error
                continue
            for several in of_measures:
                estimates += [*several, pool_variances(several)] if len(several) > 1 else several
    if not estimates:
        raise next(iter(without.values()))
    estimates.sort(key=lambda one: one.measure)
    said = [text for one in estimates for text in one.warnings]
    said += [f"no {name} estimate: {error}" for name, error in without.items()]
    result = Variances(tuple(estimates), named, alpha, tuple(dict.fromkeys(said)), estimate.named_teams(teams))
    notify(result.warnings)
    return result


def collection_variances(
    collections: Mapping[str, Scores], estimator: str, alpha: float, teams: Mapping[str, str] | None = None
) -> list[list[VarianceEstimate]]:
    """For every measure: the estimate of each collection that has it, in the order given."""
    estimates: dict[str, list[VarianceEstimate]] = {}
    for name, scores in collections.items():
        for measure, matrix in scores.items():
            one = estimate_variance(matrix, estimator, alpha=alpha, collection=name, teams=teams)
            estimates.setdefault(measure, []).append(one)
    return list(estimates.values())


def pooled_variances(
    collections: Mapping[str, Scores], estimator: str, alpha: float, teams: Mapping[str, str] | None = None
) -> list[VarianceEstimate]:
    """One estimate per measure, pooled over the collections that have it."""
    return [pool_variances(several) for several in collection_variances(collections, estimator, alpha, teams)]
