"""A run judged block by block: what the judgments say of it is gathered, and the rows are forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cranfield.collection.packed import Ids, PackedRun
from cranfield.collection.streaming import RunStream
from cranfield.collection.types import Run
from cranfield.measures.hits import Ints
from cranfield.measures.judgments import Judgments
from cranfield.measures.ranking import JudgedRanking, NoRanking

Judge = Callable[[Run | PackedRun], tuple[JudgedRanking, list[str]]]


@dataclass
class _Gathered:
    """The judged documents met so far, which are never more than the judgments."""

    retrieved: Ints
    topic: list[Ints] = field(default_factory=list)
    rank: list[Ints] = field(default_factory=list)
    document: list[Ints] = field(default_factory=list)
    unjudged_topics: dict[str, None] = field(default_factory=dict)
    unranked: list[NoRanking] = field(default_factory=list)

    def add(self, ranking: JudgedRanking, unjudged_topics: list[str]) -> None:
        self.retrieved += ranking.retrieved
        self.topic.append(ranking.topic)
        self.rank.append(ranking.rank)
        self.document.append(ranking.document)
        self.unjudged_topics.update(dict.fromkeys(unjudged_topics))


def judge_stream(stream: RunStream, judgments: Judgments, judge: Judge) -> tuple[JudgedRanking, list[str]]:
    """The rankings of a file of any size, judged, and its topics without judgments: as `judge` gives them of the whole.

    The ranking lacks the ids of its documents, which none of our measures asks for.
    """
    gathered = _Gathered(np.zeros(judgments.n_topics, dtype=np.int64))
    for rows in stream.parts():
        if rows is None:
            gathered = _Gathered(np.zeros(judgments.n_topics, dtype=np.int64))
            continue
        try:
            gathered.add(*judge(rows if isinstance(rows, PackedRun) else Run(rows, stream.path)))
        except NoRanking as error:
            gathered.unranked.append(error)
    if gathered.unranked:
        raise _together(gathered.unranked, stream.system)
    topic, rank, document = (
        np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
        for parts in (gathered.topic, gathered.rank, gathered.document)
    )
    if (topic[1:] < topic[:-1]).any():
        order = np.argsort(topic, kind="stable")  # a topic's documents stand together, by rank
        topic, rank, document = topic[order], rank[order], document[order]
    start = np.concatenate([[0], np.cumsum(gathered.retrieved)[:-1]])
    row = start[topic] + rank - 1
    ranking = JudgedRanking(judgments, gathered.retrieved, topic, rank, document, row, start, Ids.of([]))
    return ranking, list(gathered.unjudged_topics)


def _together(errors: list[NoRanking], system: str) -> NoRanking:
    """What is wrong with the ranks of all blocks, as if they were one."""
    missing = [one for one in errors if one.rank is None]
    if missing:
        return NoRanking(system, sum(one.count for one in missing), missing[0].topic)
    first = min(errors, key=lambda one: one.number)
    return NoRanking(system, sum(one.count for one in errors), first.topic, first.rank, first.number)
