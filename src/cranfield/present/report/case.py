"""`Case`: the collection a report is about, and what its sections compute once and share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cranfield.defaults import ORDER, SYSTEM_NAME
from cranfield.errors import DataError, quietly
from cranfield.labels import summary
from cranfield.present.view.data import JUDGED_DEPTH
from cranfield.present.view.rankings import TOP

if TYPE_CHECKING:
    from cranfield.collection import Qrels, Run
    from cranfield.comparison.comparison import Comparison
    from cranfield.comparison.measures import MeasureComparisons
    from cranfield.scores import ScoreMatrix, Scores
    from cranfield.variance import VarianceEstimate, Variances

MOST_MEASURES = 6
"""Measures that are compared with each other; further ones stand in the tables of means."""


@dataclass(frozen=True, eq=False)
class Case:
    """A collection's scores, with judgments and runs where there are any, and the questions asked of it."""

    scores: Scores
    sources: str
    problems: tuple[str, ...]
    qrels: Qrels | None
    runs: tuple[Run | str, ...]
    alpha: float
    power: float
    min_diff: float
    n_systems: int
    n_resamples: int | None
    seed: int
    n_partitions: int
    n_splits: int
    replicate_resamples: int
    depths: tuple[int, ...]
    workers: int | None = None
    scoring: Mapping[str, Any] = field(default_factory=dict)
    teams: Mapping[str, str] | None = None
    _known: dict[str, Comparison] = field(default_factory=dict, repr=False)

    @property
    def main(self) -> ScoreMatrix:
        """The measure the report is told by: the first."""
        return next(iter(self.scores.values()))

    @property
    def measure(self) -> str:
        """Its name."""
        return self.main.measure

    @property
    def judgments(self) -> Qrels:
        """The judgments; a `DataError` when the report is made from scores."""
        if self.qrels is None:
            raise DataError("there are no judgments and runs, only scores")
        return self.qrels

    def comparison(self, measure: str | None = None) -> Comparison:
        """All pairs by a measure, as `compare` has them."""
        from cranfield.comparison import compare

        name = measure or self.measure
        if name not in self._known:
            matrix = self.scores[name].require(what="a comparison of systems")
            with quietly():
                self._known[name] = compare(
                    matrix, alpha=self.alpha, n_resamples=self.n_resamples, seed=self.seed, workers=self.workers
                )
        return self._known[name]

    def comparisons(self) -> MeasureComparisons:
        """The measures side by side (the first few)."""
        from cranfield.comparison.measures import MeasureComparisons

        return MeasureComparisons(tuple(self.comparison(name) for name in list(self.scores)[:MOST_MEASURES]), False)

    @cached_property
    def variances(self) -> Variances:
        """Every estimate of the main measure's variance."""
        from cranfield.variance import variances
        from cranfield.variance.estimators import ESTIMATORS

        with quietly():
            return variances({"this collection": self.main}, estimator=ESTIMATORS.names, alpha=self.alpha)

    def variance(self, estimator: str) -> VarianceEstimate:
        """One of them."""
        return next(one for one in self.variances if one.estimator == estimator)

    @cached_property
    def judged_shares(self) -> dict[str, float]:
        """The judged share of the top of every run; empty without judgments."""
        from cranfield.collection.coverage import judged_share

        if self.qrels is None or not self.runs:
            return {}
        return dict(judged_share(self.qrels, self.tops, depth=JUDGED_DEPTH, order="file").iter_rows())

    @cached_property
    def tops(self) -> tuple[Run, ...]:
        """The runs without what stands deeper than anything but measures looks at, in the order they are scored in."""
        from cranfield.collection.pools import top_of

        order = self.scoring.get("order", ORDER)
        return tuple(top_of(run, max(JUDGED_DEPTH, TOP), order) for run in self.run_objects())

    def run_objects(self) -> Iterator[Run]:
        """The runs, read one at a time."""
        from cranfield.collection import read_run

        lenient, name = self.scoring.get("lenient", False), self.scoring.get("name", SYSTEM_NAME)
        for run in self.runs:
            yield read_run(run, lenient=lenient, name=name) if isinstance(run, str) else run


def named(labels: Iterable[str], most: int = 4) -> str:
    """A few names for a sentence."""
    return summary(list(labels), most)
