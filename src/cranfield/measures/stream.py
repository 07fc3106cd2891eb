"""A run judged block by block: what the judgments say of it is gathered, and the rows are forgotten.

What several workers gathered from sections of one file is joined to what one would have gathered from all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from cranfield.collection.packed import Ids, PackedRun
from cranfield.collection.parsed import Noticed
from cranfield.collection.streaming import NeedsWhole, RunSection, RunStream, in_turn
from cranfield.collection.types import Run
from cranfield.measures.hits import Ints
from cranfield.measures.judgments import Judgments
from cranfield.measures.ranking import JudgedRanking, NoRanking
from cranfield.records import record

Judge = Callable[[Run | PackedRun], tuple[JudgedRanking, list[str]]]


@dataclass
class Gathered:
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

    def ranking(self, judgments: Judgments) -> JudgedRanking:
        """What was gathered, as a ranking.

        It lacks the ids of its documents, which none of our measures asks for.
        """
        topic, rank, document = (
            np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
            for parts in (self.topic, self.rank, self.document)
        )
        if (topic[1:] < topic[:-1]).any():
            order = np.argsort(topic, kind="stable")  # a topic's documents stand together, by rank
            topic, rank, document = topic[order], rank[order], document[order]
        start = np.concatenate([[0], np.cumsum(self.retrieved)[:-1]])
        row = start[topic] + rank - 1
        return JudgedRanking(judgments, self.retrieved, topic, rank, document, row, start, Ids.of([]))


@record
class JudgedSection:
    """What a section of a run file has to say: its judged documents, and what was noticed in its blocks.

    Nothing is gathered where only the whole file can tell.
    """

    section: RunSection
    gathered: Gathered | None
    blocks: list[Noticed]


def judge_stream(stream: RunStream, judgments: Judgments, judge: Judge) -> tuple[JudgedRanking, list[str]]:
    """The rankings of a file of any size, judged, and its topics without judgments: as `judge` gives them of all."""
    gathered = _gather(stream, judgments, judge)
    if gathered.unranked:
        raise _together(gathered.unranked, stream.system)
    return gathered.ranking(judgments), list(gathered.unjudged_topics)


def judge_section(stream: RunStream, judgments: Judgments, judge: Judge) -> JudgedSection:
    """What the stream of a section has to say."""
    assert stream.section is not None
    try:
        gathered = _gather(stream, judgments, judge)
    except NeedsWhole:
        return JudgedSection(stream.section, None, [])
    return JudgedSection(stream.section, None if gathered.unranked else gathered, stream.blocks)


def join_sections(sections: Sequence[JudgedSection]) -> Gathered | None:
    """What one worker would have gathered from the whole file.

    None where a section could not tell, where a topic stands in two of them, or where the number of a line would have
    to be told, which sections after the first do not know.
    """
    if any(block.markup for section in sections[1:] for block in section.blocks):
        return None
    parts = [one.gathered for one in sections if one.gathered is not None]
    topics = [topic for part in parts for topic in part.unjudged_topics]
    retrieved = np.stack([part.retrieved for part in parts]) if parts else np.zeros((1, 0), dtype=np.int64)
    if len(parts) < len(sections) or len(set(topics)) < len(topics) or ((retrieved > 0).sum(axis=0) > 1).any():
        return None
    return Gathered(
        retrieved.sum(axis=0),
        [one for part in parts for one in part.topic],
        [one for part in parts for one in part.rank],
        [one for part in parts for one in part.document],
        dict.fromkeys(topics),
    )


def _gather(stream: RunStream, judgments: Judgments, judge: Judge) -> Gathered:
    gathered = Gathered(np.zeros(judgments.n_topics, dtype=np.int64))
    for rows in stream.parts():
        if rows is None:
            gathered = Gathered(np.zeros(judgments.n_topics, dtype=np.int64))
            continue
        try:
            with in_turn(len(rows)):
                gathered.add(*judge(rows if isinstance(rows, PackedRun) else Run(rows, stream.path)))
        except NoRanking as error:
            gathered.unranked.append(error)
        del rows  # not to be held while the next are read
    return gathered


def _together(errors: list[NoRanking], system: str) -> NoRanking:
    """What is wrong with the ranks of all blocks, as if they were one."""
    missing = [one for one in errors if one.rank is None]
    if missing:
        return NoRanking(system, sum(one.count for one in missing), missing[0].topic)
    first = min(errors, key=lambda one: one.number)
    return NoRanking(system, sum(one.count for one in errors), first.topic, first.rank, first.number)
