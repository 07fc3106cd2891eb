"""Scores for a question in one step: given directly, or evaluated from judgments and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from cranfield.collection.doors import QrelsLike, RunsLike
from cranfield.core.defaults import MEASURES
from cranfield.core.errors import ArgumentError, quietly
from cranfield.measures.evaluation import evaluate
from cranfield.measures.names import MeasuresLike, recognise
from cranfield.scores.doors import ScoresLike, as_scores
from cranfield.scores.matrix import Scores

_MOST_UNKNOWN = 20  # more names without a known measure must be documents, even if all topics share them


def scores_or_evaluated(
    scores: ScoresLike | RunsLike,
    qrels: QrelsLike | None = None,
    measure: MeasuresLike | None = None,
    *,
    workers: int | None = None,
) -> Scores:
    """Given scores (see `as_scores`) or, with judgments, the scores of runs (see `evaluate`).

    A measure may have any of its names: ``map`` finds scores named AP.

    >>> runs = {"a": {"1": {"d1": 2.0, "d2": 1.0}}, "b": {"1": {"d2": 2.0, "d1": 1.0}}}
    >>> scores_or_evaluated(runs, {"1": {"d1": 1}}, "RR").only().values.tolist()
    [[1.0, 0.5]]
    """
    if qrels is None:
        _refuse_runs(scores, measure)
        return as_scores(cast("ScoresLike", scores), measure=cast("str | Sequence[str] | None", measure))
    with quietly():  # the scores hold the warnings of evaluation, and every result repeats them
        return evaluate(qrels, cast("RunsLike", scores), MEASURES if measure is None else measure, workers=workers)


def _refuse_runs(scores: Any, measure: Any) -> None:
    """Refuse runs without judgments, whose documents would be taken for measures."""
    if isinstance(scores, Scores) or not isinstance(scores, Mapping):
        return
    topics = [topic for system in scores.values() if isinstance(system, Mapping) for topic in system.values()]
    if not topics or not all(isinstance(topic, Mapping) for topic in topics):
        return
    inside = {frozenset(map(str, topic)) for topic in topics}
    names = set().union(*inside)
    wanted = [] if measure is None else list(map(str, measure if isinstance(measure, (list, tuple)) else [measure]))
    strange = names.isdisjoint(wanted) if wanted else len(inside) > 1 or len(names) > _MOST_UNKNOWN
    if strange and not any(map(recognise, names)):
        shown = min(names, default="")
        raise ArgumentError(
            f"`scores` looks like runs without judgments: {shown!r} is not a measure and may be a document. "
            "To evaluate runs, add the judgments: qrels=…, measure=…"
        )
