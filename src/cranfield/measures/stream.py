"""Sources of runs, and runs judged block by block: judged documents are gathered, other rows discarded.

Sections of one file that several workers gathered are joined to the result for the whole file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from cranfield.collection.compiled import Judge, JudgedLines, judge_of
from cranfield.collection.lines import Noticed
from cranfield.collection.readers import read_run
from cranfield.collection.streaming import RunSection, RunStream, in_turn, topic_sections
from cranfield.collection.types import Qrels, Run
from cranfield.core.defaults import SystemName
from cranfield.core.files import STDIN, is_read_once, whole_path
from cranfield.measures.judgments import Ints, Judgments
from cranfield.measures.ranking import DocumentIndex, JudgedRanking, NoRanking

SECTION = 1 << 26
"""Run files above this many bytes go to other workers in sections of about this size."""
Unit = Run | str | RunSection
JudgeRun = Callable[[Run], tuple[JudgedRanking, list[str]]]


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
        return JudgedRanking(judgments, self.retrieved, topic, rank, document, row, start, pl.Series(dtype=pl.String))


@dataclass(frozen=True)
class JudgedSection:
    """The judged documents of a section of a run file, and the remarks on its blocks.

    `gathered` is None where the whole file is needed.
    """

    section: RunSection
    gathered: Gathered | None
    blocks: list[Noticed]


def join_sections(sections: Sequence[JudgedSection]) -> Gathered | None:
    """The judged documents of the whole file.

    None where a section needs the whole file, or where a topic lies in two sections. None also where a line number must
    be reported, because only the first section knows its line numbers.
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


def gather(stream: RunStream, judgments: Judgments, index: DocumentIndex, judge: JudgeRun) -> Gathered:
    """The judged documents of a file of any size, or of a section of it."""
    gathered = Gathered(np.zeros(judgments.n_topics, dtype=np.int64))
    for rows in stream.parts():
        if rows is None:
            gathered = Gathered(np.zeros(judgments.n_topics, dtype=np.int64))
            continue
        if isinstance(rows, JudgedLines):
            return of_lines(rows, judgments, index)
        try:
            with in_turn(len(rows)):
                gathered.add(*judge(Run(rows, stream.path)))
        except NoRanking as error:
            gathered.unranked.append(error)
        del rows  # not to be held while the next are read
    return gathered


def of_lines(found: JudgedLines, judgments: Judgments, index: DocumentIndex) -> Gathered:
    """The judged documents of lines that were judged at once, by their numbers."""
    (first, count), (rank, row) = (
        np.frombuffer(pairs, dtype=np.int64).reshape(-1, 2).T for pairs in (found.retrieved, found.hits)
    )
    retrieved = np.zeros(judgments.n_topics, dtype=np.int64)
    retrieved[judgments.topic[index.of_judgment[first]]] = count
    document = index.of_judgment[row]
    return Gathered(retrieved, [(judgments.topic[document], rank, document)], found.unjudged_topics)


def judge_lines(qrels: Qrels) -> Judge | None:
    """What may judge a whole file by score while its lines are parsed; None where a label is no field of a line."""
    lines = qrels.frame.select(pl.format("{} 0 {} 0", "topic", "document").str.join("\n")).item().encode()
    if lines.count(b" ") > 3 * len(qrels) or any(blank in lines for blank in (b"\t", b"\r", b"\v", b"\f")):
        return None
    judge = judge_of(lines)
    return judge if judge and judge.rows == len(qrels) else None


def sent(sources: Iterable[Run | str], lenient: bool, name: SystemName) -> Iterable[Run | str]:
    """Sources that another process or machine can open: files by absolute path, standard input as a run."""
    if not isinstance(sources, list):
        return sources
    return [
        open_run(source, lenient, name) if isinstance(source, Run) or source == STDIN else whole_path(source)
        for source in sources
    ]


def open_run(source: Run | str, lenient: bool, name: SystemName) -> Run:
    """A run in memory, or read from its file."""
    return source if isinstance(source, Run) else read_run(source, lenient=lenient, name=name)


def read_again(sources: Iterable[Run | str], lenient: bool, name: SystemName, number: int) -> Run | None:
    """The run of a number once more; None for one that cannot be read twice (a pipe, an iterator)."""
    if not isinstance(sources, list):
        return None
    source = sources[number]
    return None if isinstance(source, str) and is_read_once(source) else open_run(source, lenient, name)


def in_sections(sources: Iterable[Run | str]) -> Iterable[Unit]:
    """The units of work for other workers: runs, and sections of large files."""
    if not isinstance(sources, list):
        return sources
    return [
        unit
        for source in sources
        for unit in ([] if isinstance(source, Run) else topic_sections(source, SECTION)) or [source]
    ]
