"""`Case`: the collection a report is about, and what its sections compute once and share."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from cranfield.collection.doors import QrelsLike, RunsLike, as_qrels, as_runs, skipped_files
from cranfield.collection.pools import judged_share, top_of
from cranfield.collection.readers import read_run
from cranfield.collection.types import Qrels, Run
from cranfield.core.defaults import MEASURES
from cranfield.core.errors import ArgumentError, CranfieldError, DataError, quietly
from cranfield.core.executors import map_in_order
from cranfield.core.files import NamedFile, is_file
from cranfield.core.labels import plural
from cranfield.measures.doors import scores_or_evaluated
from cranfield.measures.evaluation import evaluate
from cranfield.questions.compare.compare import compare
from cranfield.questions.compare.comparison import Comparison
from cranfield.questions.compare.measures import MeasureComparisons
from cranfield.questions.variance.estimate import VarianceEstimate
from cranfield.questions.variance.estimators import ESTIMATORS
from cranfield.questions.variance.variances import Variances, variances
from cranfield.reports.view.data import JUDGED_DEPTH, opening, view_data
from cranfield.reports.view.topic import TOP, top_documents
from cranfield.scores.doors import ScoresLike, as_scores
from cranfield.scores.matrix import ScoreMatrix, Scores

MOST_MEASURES = 6
"""Measures that are compared with each other; further ones stand in the tables of means."""
ONE_MEASURE = 250
"""Of more systems than this a report carries the pairs by one measure only."""
MOST_TEXT = 1_500_000_000
"""Bytes of runs, as text, that a report holds in memory; more are read whenever they are looked at."""


@dataclass(frozen=True)
class Material:
    """What a report is made of: scores, with judgments and runs where there are any."""

    scores: Scores
    source: str
    problems: tuple[str, ...]
    qrels: Qrels | None = None
    runs: tuple[Run | str, ...] = ()

    @classmethod
    def of_scores(cls, scores: ScoresLike, measures: Sequence[str] | None, source: str | None) -> Material:
        """Scores as they are."""
        listed = scores_or_evaluated(as_scores(scores), measure=None if measures is None else list(measures))
        origins = [matrix.provenance[0] for matrix in listed.values() if matrix.provenance]
        steps = dict.fromkeys(step for matrix in listed.values() for step in matrix.provenance[1:])
        return cls(listed, source or next(iter(origins), "scores"), tuple(steps))

    @classmethod
    def of_runs(
        cls,
        qrels: QrelsLike,
        runs: RunsLike,
        measures: Sequence[str] | None,
        source: str | None,
        scoring: Mapping[str, Any],
        workers: int | None,
    ) -> Material:
        """The scores of runs."""
        judged, sources = as_qrels(qrels), as_runs(runs)
        files = list(sources)
        if not files:
            raise ArgumentError("`runs` is empty; give at least one run.")
        with quietly():
            files = _held(files, scoring, workers)
            scored = evaluate(judged, files, list(measures or MEASURES), **scoring, workers=workers)
        where = source or f"{Path(judged.name).name} ({plural(len(files), 'run')})"
        return cls(scored, where, (*skipped_files(sources), *scored.warnings), judged, tuple(files))


def _held(files: Sequence[Run | str], scoring: Mapping[str, Any], workers: int | None) -> list[Run | str]:
    """The runs, read into memory because several sections use them, unless they are too large."""
    names = [file for file in files if isinstance(file, str)]
    texts = [Path(file.place if isinstance(file, NamedFile) else file) for file in names]
    if not all(is_file(file) for file in texts):
        return list(files)
    if sum(file.stat().st_size * (1 if file.suffix in ("", ".txt", ".run") else 5) for file in texts) > MOST_TEXT:
        return list(files)
    read = partial(read_run, lenient=scoring["lenient"], name=scoring["name"])
    done = iter(map_in_order(read, names, executor="threads", workers=workers))
    return [next(done) if isinstance(file, str) else file for file in files]


@dataclass(frozen=True, eq=False)
class Case:
    """A collection, and what is asked about it; everything that several sections need is computed once."""

    material: Material
    title: str
    scoring: Mapping[str, Any]
    teams: Mapping[str, str] | None
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
    workers: int | None
    judges: Mapping[str, Any] = field(default_factory=dict)
    """The judgments of machines and of second persons, and groups of systems, as `report` takes them."""
    across: Any = None
    documents: str | os.PathLike[str] | None = None

    @property
    def scores(self) -> Scores:
        """The scores by every measure."""
        return self.material.scores

    @property
    def main(self) -> ScoreMatrix:
        """Those of the measure the report is told by: the first."""
        return next(iter(self.scores.values()))

    @property
    def measure(self) -> str:
        """Its name."""
        return self.main.measure

    @property
    def judgments(self) -> Qrels:
        """The judgments; a `DataError` when the report is made from scores."""
        if self.material.qrels is None:
            raise DataError("there are no judgments and runs, only scores")
        return self.material.qrels

    def runs(self) -> Iterator[Run]:
        """The runs, read one at a time."""
        for run in self.material.runs:
            lenient, name = self.scoring["lenient"], self.scoring["name"]
            yield read_run(run, lenient=lenient, name=name) if isinstance(run, str) else run

    def _compared(self, matrix: ScoreMatrix) -> Comparison:
        asked: dict[str, Any] = {"alpha": self.alpha, "n_resamples": self.n_resamples, "seed": self.seed}
        with quietly():
            compared: Comparison = compare(
                matrix.require(what="a comparison of systems"), **asked, workers=self.workers
            )
            return compared

    @cached_property
    def comparison(self) -> Comparison:
        """All pairs by the first measure, as `compare` has them."""
        return self._compared(self.main)

    @cached_property
    def comparisons(self) -> MeasureComparisons:
        """The measures side by side (the first few)."""
        others = [self._compared(matrix) for matrix in list(self.scores.values())[1:MOST_MEASURES]]
        return MeasureComparisons((self.comparison, *others), False)

    @cached_property
    def variances(self) -> Variances:
        """Every estimate of the main measure's variance."""
        with quietly():
            return variances({"this collection": self.main}, estimator=ESTIMATORS.names, alpha=self.alpha)

    def variance(self, estimator: str) -> VarianceEstimate:
        """One of them."""
        return next(one for one in self.variances if one.estimator == estimator)

    @cached_property
    def tops(self) -> tuple[Run, ...]:
        """The runs without what stands deeper than anything but measures looks at, in the order they are scored in."""
        return tuple(top_of(run, max(JUDGED_DEPTH, TOP), self.scoring["order"]) for run in self.runs())

    @cached_property
    def judged_shares(self) -> dict[str, float]:
        """The judged share of the top of every run; empty without judgments."""
        if self.material.qrels is None:
            return {}
        return dict(judged_share(self.material.qrels, self.tops, depth=JUDGED_DEPTH, order="file").iter_rows())

    @cached_property
    def view(self) -> dict[str, Any] | None:
        """The data of the linked view, with the top of every run where that is not too much; None without one."""
        try:
            with quietly():
                several = self.comparison.n_systems <= ONE_MEASURE
                shown = list(self.comparisons.values()) if several else [self.comparison]
                known: dict[str, Any] = {"judged": self.judged_shares, "teams": self.teams}
                data = view_data(shown, self.scores, title=self.title, qrels=self.material.qrels, **known)
                if self.material.qrels is not None:
                    data["rankings"] = top_documents(
                        self.judgments, self.tops, data["topics"], data["systems"], "file", self.documents
                    )
                return data
        except CranfieldError:
            return None

    @property
    def findings(self) -> list[str]:
        """What the view says first: who leads, how many pairs differ, whether measures agree, what was judged."""
        return opening(self.comparison) if self.view is None else self.view["measures"][0]["sentences"]
