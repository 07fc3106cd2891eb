"""Scores for a question in one step: given as they are, or made of judgments and runs first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cranfield.collection.doors import QrelsLike, RunsLike
from cranfield.defaults import MEASURES
from cranfield.errors import quietly
from cranfield.measures.evaluation import evaluate
from cranfield.measures.names import recognise
from cranfield.scores.doors import ScoresLike, as_scores
from cranfield.scores.matrix import Scores


def scores_or_evaluated(
    scores: ScoresLike | RunsLike,
    qrels: QrelsLike | None = None,
    measure: Any = None,
    *,
    argument: str = "scores",
    workers: int | None = None,
) -> Scores:
    """Scores as they are (see `as_scores`) or, when judgments are given, those of runs (see `evaluate`).

    A measure may go by any of its names: ``map`` finds scores that are called AP.

    >>> runs = {"a": {"1": {"d1": 2.0, "d2": 1.0}}, "b": {"1": {"d2": 2.0, "d1": 1.0}}}
    >>> scores_or_evaluated(runs, {"1": {"d1": 1}}, "RR").only().values.tolist()
    [[1.0, 0.5]]
    """
    if qrels is None:
        return as_scores(scores, measure=_present(scores, measure), argument=argument)
    with quietly():  # what evaluation has to say is in the scores, and in every result made of them
        return evaluate(qrels, scores, list(MEASURES) if measure is None else measure, workers=workers)


def _present(scores: Any, measure: Any) -> Any:
    """The names of measures as the scores have them."""
    if measure is None or not isinstance(scores, Scores):
        return measure
    listed: Sequence[Any] = measure if isinstance(measure, (list, tuple)) else [measure]
    return [_name_in(scores, str(one)) for one in listed]


def _name_in(scores: Scores, name: str) -> str:
    if name in scores or (meant := recognise(name)) is None:
        return name
    same = [one for one in scores if recognise(one) == meant]
    return same[0] if len(same) == 1 else name
