"""Variances of several past collections at once, pooled by measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cranfield.defaults import ALPHA
from cranfield.errors import DataError, notify, quietly
from cranfield.results import Result
from cranfield.scores import Scores
from cranfield.scores.doors import ScoresLike, as_collections
from cranfield.settings.variance import VarianceSettings
from cranfield.signature import signature
from cranfield.variance.estimate import VarianceEstimate, estimate_variance, pool_variances
from cranfield.variance.estimators import ESTIMATORS
from cranfield.variance.table import AnovaTable, anova_table

if TYPE_CHECKING:
    import polars as pl
else:
    from cranfield.lazy import polars as pl


@dataclass(frozen=True, eq=False)
class Variances(Result):
    """How much past scores vary, by every estimator asked for; get one from `variances`.

    Attributes
    ----------
    estimates : one `VarianceEstimate` per measure, estimator and collection; with several collections also pooled
    collections : the scores behind them
    """

    estimates: tuple[VarianceEstimate, ...]
    collections: Mapping[str, Scores] = field(repr=False)
    alpha: float = ALPHA
    warnings: tuple[str, ...] = ()

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
        return VarianceSettings.in_force(self, collections=list(self.collections), estimator=estimators)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature("variance estimates", collections=list(self.collections), alpha=self.alpha)

    def to_frame(self) -> pl.DataFrame:
        """One row per estimate; see `VarianceEstimate.to_frame`."""
        return pl.concat([estimate.to_frame() for estimate in self.estimates])

    def anova(self) -> pl.DataFrame:
        """The analyses of variance below one another; see `AnovaTable.to_frame`."""
        return pl.concat([table.to_frame() for table in self.tables])

    def __repr__(self) -> str:
        return f"Variances({len(self.estimates)} estimates, {', '.join(self.collections)})\n{self.to_frame()}"


def variances(
    collections: ScoresLike,
    *,
    estimator: str | Sequence[str] | None = None,
    alpha: float = ALPHA,
) -> Variances:
    """How much do past scores vary, collection by collection and pooled, by one estimator or by all?

    Parameters
    ----------
    collections : past scores by the name of their collection, or those of one, each in any form that `as_scores` takes
    estimator : one or several, see `estimate_variance`; all unless given, and then an estimator that finds no
        variance is left out with a warning
    alpha : intervals have confidence 1 − alpha

    References
    ----------
    As in `estimate_variance`; pooling is RD-003 eq. 11.

    Examples
    --------
    >>> from cranfield import ScoreMatrix
    >>> x = ScoreMatrix([[0.2, 0.3], [0.5, 0.4], [0.8, 0.8]], ["1", "2", "3"], ["a", "b"], "AP")
    >>> variances(x, estimator=["within", "residual"]).to_frame()["variance"].round(4).to_list()
    [0.08, 0.005]
    """
    named = as_collections(collections, argument="collections")
    chosen = [estimator] if isinstance(estimator, str) else estimator
    estimates: list[VarianceEstimate] = []
    without: dict[str, DataError] = {}
    with quietly():  # gathered below, once
        for name in chosen or ESTIMATORS:
            try:
                of_measures = collection_variances(named, name, alpha=alpha)
            except DataError as error:
                if chosen:
                    raise
                without[name] = error
                continue
            for several in of_measures.values():
                estimates += [*several, pool_variances(several)] if len(several) > 1 else several
    if not estimates:
        raise next(iter(without.values()))
    estimates.sort(key=lambda estimate: estimate.measure)
    said = [text for one in estimates for text in one.warnings]
    said += [f"no {name} estimate: {error}" for name, error in without.items()]
    result = Variances(tuple(estimates), named, alpha, tuple(dict.fromkeys(said)))
    notify(result.warnings)
    return result


def collection_variances(
    collections: Mapping[str, Scores], estimator: str, *, alpha: float = ALPHA
) -> dict[str, list[VarianceEstimate]]:
    """For every measure: the estimate of each collection that has it, in the order given."""
    estimates: dict[str, list[VarianceEstimate]] = {}
    for name, scores in collections.items():
        for measure, matrix in scores.items():
            estimates.setdefault(measure, []).append(estimate_variance(matrix, estimator, alpha=alpha, collection=name))
    return estimates


def pooled_variances(
    collections: Mapping[str, Scores], estimators: Sequence[str], *, alpha: float = ALPHA
) -> dict[str, list[VarianceEstimate]]:
    """For every estimator: one estimate per measure, pooled over the collections that have it."""
    return {
        estimator: [
            pool_variances(several) for several in collection_variances(collections, estimator, alpha=alpha).values()
        ]
        for estimator in estimators
    }
