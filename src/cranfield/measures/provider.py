"""Our measures in ir_measures: ``register()`` lets ``ir_measures.calc`` and its siblings compute with cranfield."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from cranfield.collection.types import QRELS_SCHEMA, RUN_SCHEMA, Qrels, Run
from cranfield.core.errors import ArgumentError
from cranfield.measures.evaluation import Evaluator
from cranfield.measures.irm import library as ir_measures
from cranfield.measures.names import Measure, make, parse_measure

NAME = "cranfield"
"""The name of the provider in ir_measures' registry."""
_IMPLIED = {"ERR": "top=4", "IPrec": "tool=trec9"}
"""What ir_measures' names imply: gdeval's highest level, and the rounding of pytrec_eval (trec_eval 9)."""


def as_ours(measure: object) -> Measure | None:
    """Our measure for one of ir_measures; None where we have none.

    >>> import ir_measures
    >>> as_ours(ir_measures.nDCG(judged_only=True) @ 10), as_ours(ir_measures.ERR @ 20)
    (Measure('nDCG(judged_only=True)@10'), Measure('ERR(top=4)@20'))
    """
    try:
        ours = parse_measure(str(measure))
        name, value = _IMPLIED.get(ours.name, "=").split("=")
        return make(ours.definition, {name: value, **dict(ours.parameters)}, str(ours)) if name else ours
    except ArgumentError:
        return None


def register(*, first: bool = True) -> Any:
    """Make ir_measures compute with our measures, and return the provider.

    ir_measures 0.4 does not load entry points, so this has to be called once. It can be called again.

    Parameters
    ----------
    first : also ask us before the other providers in ``ir_measures.calc``; else only ``providers.registry`` knows us

    Examples
    --------
    >>> import ir_measures
    >>> from cranfield.measures.provider import register
    >>> provider = register(first=False)
    >>> provider.calc_aggregate([ir_measures.AP], {"1": {"a": 1, "b": 1}}, {"1": {"x": 2.0, "a": 1.0}})
    {AP: 0.25}
    """
    ours, library = provider(), ir_measures()
    library.providers.registry[NAME] = ours
    others = [one for one in library.DefaultPipeline.providers if one is not ours]
    library.DefaultPipeline.providers[:] = [ours, *others] if first else others
    return ours


def unregister() -> None:
    """Undo `register`."""
    library = ir_measures()
    library.providers.registry.pop(NAME, None)
    pipeline = library.DefaultPipeline.providers
    pipeline[:] = [one for one in pipeline if getattr(one, "NAME", "") != NAME]


@cache
def provider() -> Any:
    """The provider: an instance of ir_measures' ``Provider`` (the entry point of the group ir_measures.providers)."""
    library = ir_measures()
    metric_of, converters = library.Metric, library.util

    class CranfieldEvaluator(library.Evaluator):  # type: ignore[misc, name-defined]
        """Judgments and measures, prepared once to score any number of runs."""

        def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
            self._wanted = list(measures)
            judged = _qrels(converters.QrelsConverter(qrels).as_namedtuple_iter())
            super().__init__(self._wanted, set(judged.topics))
            ours = [_needed(measure) for measure in self._wanted]
            self._evaluator = Evaluator(judged, ours) if len(judged) else None
            rows = {} if self._evaluator is None else {one: at for at, one in enumerate(self._evaluator.measures)}
            self._rows = [rows.get(one, 0) for one in ours]

        def iter_calc(self, run: Any) -> Iterator[Any]:
            """Metrics by topic, also of topics that the run lacks; for these, `Accuracy` has none (ir_measures)."""
            done = set()
            for metric in self._iter_calc(run):
                done.add((metric.measure, metric.query_id))
                yield metric
            for measure in self._wanted:
                for topic in sorted(self.qrel_qids) if measure.NAME != "Accuracy" else ():
                    if (measure, topic) not in done:
                        yield metric_of(query_id=topic, measure=measure, value=measure.DEFAULT)

        def _iter_calc(self, run: Any) -> Iterator[Any]:
            ranked = _run(converters.RunConverter(run).as_namedtuple_iter())
            if self._evaluator is None or not len(ranked):
                return
            ranking = self._evaluator.judge(ranked)
            values = self._evaluator.score(ranking)
            for measure, row in zip(self._wanted, self._rows, strict=True):
                defined = ranking.retrieved > 0
                if measure.NAME == "Accuracy":
                    ours = self._evaluator.measures[row]
                    defined = ranking.relevant(int(ours.get("rel") or 1)).until(ours.cutoff).count() > 0
                for at in np.flatnonzero(defined).tolist():
                    value = float(values[row, at])
                    yield metric_of(query_id=self._evaluator.topics[at], measure=measure, value=value)

    class CranfieldProvider(library.Provider):  # type: ignore[misc, name-defined]
        """cranfield: every measure of ir_measures that it knows."""

        def supports(self, measure: Any) -> bool:
            """Whether we have the measure, with these parameters."""
            measure.validate_params()
            return as_ours(measure) is not None

        def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
            return CranfieldEvaluator(measures, qrels)

    CranfieldProvider.NAME = NAME
    return CranfieldProvider()


def _needed(measure: object) -> Measure:
    ours = as_ours(measure)
    if ours is None:
        raise ValueError(f"unsupported measure {measure}")  # as every provider of ir_measures answers
    return ours


def _qrels(rows: Iterable[Any]) -> Qrels:
    """Judgments; of several for one document and subtopic the last counts, as in ir_measures."""
    last = {
        (str(row.query_id), str(getattr(row, "iteration", "0")), str(row.doc_id)): int(row.relevance) for row in rows
    }
    columns = [[key[at] for key in last] for at in range(3)]
    values = dict(zip(("topic", "subtopic", "document"), columns, strict=True)) | {"relevance": list(last.values())}
    return Qrels(pl.DataFrame(values, schema=QRELS_SCHEMA))


def _run(rows: Iterable[Any]) -> Run:
    """A run; of several scores for a document the last counts, as in ir_measures."""
    last = {(str(row.query_id), str(row.doc_id)): float(row.score) for row in rows}
    topics, documents = [key[0] for key in last], [key[1] for key in last]
    ranks = range(1, len(last) + 1)
    columns = {"topic": topics, "document": documents, "rank": list(ranks), "score": list(last.values())}
    return Run(pl.DataFrame(columns, schema=RUN_SCHEMA), NAME)
