"""Sources of runs, and a run judged block by block: what the judgments say of it is gathered, the rows forgotten.

What several workers gathered from sections of one file is joined to what one would have gathered from all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from cranfield.collection.lines import Noticed
from cranfield.collection.packed import Ids, PackedRun
from cranfield.collection.readers import read_run
from cranfield.collection.streaming import RunSection, RunStream, in_turn, topic_sections
from cranfield.collection.types import Run
from cranfield.core.defaults import SystemName
from cranfield.core.files import STDIN, is_read_once, whole_path
from cranfield.measures.judgments import Ints, Judgments
from cranfield.measures.ranking import JudgedRanking, NoRanking

SECTION = 1 << 26
"""Bytes of a run file from which other workers get it in sections, of about so many bytes each."""
Unit = Run | str | RunSection
Judge = Callable[[Run | PackedRun], tuple[JudgedRanking, list[str]]]


@dataclass
class Gathered:
    """The judged documents met so far (topic, rank, document), which are never more than the judgments."""

    retrieved: Ints
    rows: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)
    unjudged_topics: dict[str, None] = field(default_factory=dict)
    unranked: list[NoRanking] = field(default_factory=list)

    def add(self, ranking: JudgedRanking, unjudged_topics: list[str]) -> None:
        self.retrieved += ranking.retrieved
        self.rows.append((ranking.topic, ranking.rank, ranking.document))
        self.unjudged_topics.update(dict.fromkeys(unjudged_topics))

    def ranking(self, judgments: Judgments, system: str) -> JudgedRanking:
        """What was gathered, as a ranking without the ids of its documents, which none of our measures needs."""
        if missing := [error for error in self.unranked if error.rank is None]:
            raise NoRanking(system, sum(error.count for error in missing), missing[0].topic)
        if self.unranked:
            first = min(self.unranked, key=lambda error: error.number)
            count = sum(error.count for error in self.unranked)
            raise NoRanking(system, count, first.topic, first.rank, first.number)
        none = np.zeros(0, dtype=np.int64)
        topic, rank, document = map(np.concatenate, zip(*(self.rows or [(none, none, none)]), strict=True))
        if (topic[1:] < topic[:-1]).any():
            order = np.argsort(topic, kind="stable")  # a topic's documents stand together, by rank
            topic, rank, document = topic[order], rank[order], document[order]
        start = np.concatenate([[0], np.cumsum(self.retrieved)[:-1]])
        row = start[topic] + rank - 1
        return JudgedRanking(judgments, self.retrieved, topic, rank, document, row, start, Ids.of([]))


@dataclass(frozen=True)
class JudgedSection:
    """What a section of a run file has to say: its judged documents, and what was noticed in its blocks.

    Nothing is gathered where only the whole file can tell.
    """

    section: RunSection
    gathered: Gathered | None
    blocks: list[Noticed]


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
    rows = [row for part in parts for row in part.rows]
    return Gathered(retrieved.sum(axis=0), rows, dict.fromkeys(topics))


def gather(stream: RunStream, judgments: Judgments, judge: Judge) -> Gathered:
    """The judged documents of a file of any size, or of a section of it."""
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


def sent(sources: Iterable[Run | str], lenient: bool, name: SystemName) -> Iterable[Run | str]:
    """Sources as another process or machine can open them: files by their whole paths, standard input read here."""
    if not isinstance(sources, list):
        return sources
    return [
        open_run(source, lenient, name) if isinstance(source, Run) or source == STDIN else whole_path(source)
        for source in sources
    ]


def open_run(source: Run | str, lenient: bool, name: SystemName) -> Run:
    """A run as it is, or read from its file."""
    return source if isinstance(source, Run) else read_run(source, lenient=lenient, name=name)


def read_again(sources: Iterable[Run | str], lenient: bool, name: SystemName, number: int) -> Run | None:
    """The run of a number once more; None for one that is gone by now (a pipe, an iterator)."""
    if not isinstance(sources, list):
        return None
    source = sources[number]
    return None if isinstance(source, str) and is_read_once(source) else open_run(source, lenient, name)


def in_sections(sources: Iterable[Run | str]) -> Iterable[Unit]:
    """The units of work of other workers: runs, and of large files their sections."""
    if not isinstance(sources, list):
        return sources
    return [
        unit
        for source in sources
        for unit in ([] if isinstance(source, Run) else topic_sections(source, SECTION)) or [source]
    ]
