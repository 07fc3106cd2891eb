"""Scores by parts of the judgments: every run is ordered and looked up once for all parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from cranfield.collection.matched import refuse_other_ids
from cranfield.collection.readers import same_system
from cranfield.collection.types import Qrels, Run
from cranfield.core.defaults import ORDER, RankingOrder
from cranfield.core.errors import DataError
from cranfield.core.executors import map_in_order
from cranfield.measures.evaluation import Evaluator, assemble, evaluate
from cranfield.measures.judgments import Ints
from cranfield.measures.names import Measure
from cranfield.measures.ranking import JudgedRanking
from cranfield.scores.matrix import Scores


def evaluator_of_parts(
    qrels: Qrels, runs: Sequence[Run], measures: Iterable[str | Measure], *, order: RankingOrder = ORDER
) -> Callable[[Qrels], Scores]:
    """A function from a part of the judgments to its scores: those of `evaluate`, without matching again.

    Topics without judgments in the part are dropped without a warning; `qrels` judges every document of a part.

    Examples
    --------
    >>> import polars as pl
    >>> qrels = Qrels(pl.DataFrame({"topic": ["1", "1"], "subtopic": ["0", "0"], "document": ["a", "b"],
    ...                             "relevance": [1, 1]}))
    >>> run = Run(pl.DataFrame({"topic": ["1", "1"], "document": ["b", "a"], "rank": [1, 2], "score": [2.0, 1.0]}))
    >>> scored = evaluator_of_parts(qrels, [run], ["AP"])
    >>> [float(scored(part)["AP"].values[0, 0]) for part in (qrels, Qrels(qrels.frame.head(1)))]
    [1.0, 0.5]
    """
    whole = Evaluator(qrels, measures, order=order)
    if whole.needs_documents:  # such a measure gets the run itself

        def anew(part: Qrels) -> Scores:
            judged = pl.col("topic").is_in(list(part.topics))
            return evaluate(
                part, [replace(run, frame=run.frame.filter(judged)) for run in runs], whole.measures, order=order
            )

        return anew
    places: dict[str, int] = {}
    for number, run in enumerate(runs, 1):
        if run.system in places:
            raise DataError(same_system(run.system, places[run.system], number))
        places[run.system] = number
    judged = list(map_in_order(whole.judge_with_unjudged_topics, runs, executor="threads"))
    matched = [ranking.matched(run.system) for run, (ranking, _) in zip(runs, judged, strict=True)]
    refuse_other_ids(qrels, len(whole.judgments.topic), matched, runs.__getitem__)

    def scored(part: Qrels) -> Scores:
        evaluator = Evaluator(part, whole.measures, order=order)
        topics, documents = _numbers(whole, evaluator)
        outcomes = []
        for run, (ranking, unjudged_topics) in zip(runs, judged, strict=True):
            mine = _by(evaluator, ranking, topics, documents)
            outcomes.append(evaluator.outcome(run.system, mine, evaluator.score(mine), unjudged_topics, run.notes))
        return assemble(evaluator, outcomes, "zero", ())

    return scored


def _numbers(whole: Evaluator, part: Evaluator) -> tuple[Ints, Ints]:
    """The number of every topic and judged document in the part; −1 if it has none."""
    numbers = part.judgments.topic_number
    topics = np.array([numbers.get(topic, -1) for topic in whole.topics], dtype=np.int64)
    return topics, part.find(topics[whole.judgments.topic], whole.judgments.documents)


def _by(evaluator: Evaluator, ranking: JudgedRanking, topics: Ints, documents: Ints) -> JudgedRanking:
    """The ranking, judged by a part."""
    document = documents[ranking.document]
    mine = np.flatnonzero(document >= 0)
    kept = np.flatnonzero(topics >= 0)
    kept = kept[np.argsort(topics[kept])]
    numbers = {"topic": topics[ranking.topic[mine]], "document": document[mine]}
    by_topic = {"retrieved": ranking.retrieved[kept], "start": ranking.start[kept]}
    return ranking.keep(mine, judgments=evaluator.judgments, **numbers, **by_topic)
