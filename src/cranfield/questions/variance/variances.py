"""`variances`: variances of past scores, by collection and pooled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA
from cranfield.core.errors import DataError, notify, quietly
from cranfield.core.results import Result, signature
from cranfield.questions.variance import estimate
from cranfield.questions.variance.answer import variances_answer
from cranfield.questions.variance.estimate import Teams, VarianceEstimate, estimate_variance, pool_variances
from cranfield.questions.variance.estimators import ESTIMATORS
from cranfield.questions.variance.question import VarianceQuestion
from cranfield.questions.variance.table import AnovaTable, anova_table
from cranfield.scores.doors import ScoresLike, as_collections
from cranfield.scores.matrix import Scores

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings


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
