"""`JudgedRanking`: one run's rankings with their judgments. Every measure is a function of it.

`prepare` makes judgments ready, `judge` orders a run and finds its judged documents, by `DocumentIndex`, without
comparing strings pair by pair.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.collection.groups import GroupSet, member_rows
from cranfield.collection.intents import Intents
from cranfield.collection.matched import Matched
from cranfield.collection.types import Qrels, Run
from cranfield.core.defaults import ORDER, RankingOrder
from cranfield.core.errors import DataError
from cranfield.core.labels import natural_sorted
from cranfield.measures.judgments import (
    DocumentGroups,
    Hits,
    Ints,
    Judgments,
    Mask,
    Memory,
    SubtopicJudgments,
)

_MIX = np.uint64(0x9E3779B97F4A7C15)
_SPARSE = 3  # at least 8 slots per key: lookups end after one or two probes
_PROBES = 16
"""Slots a lookup visits before it bisects; only ids crafted to share slots need more."""
_ATTEMPTS = 8
"""Seeds tried. The first works unless ids are crafted to collide."""


def topic_numbers(topics: pl.Series, numbers: Mapping[str, int]) -> tuple[Ints, list[str]]:
    """The number of each row's topic (−1 for a topic without one), and the labels that have none.

    Rows of a topic mostly stand together, so only the first row of each stretch is looked up.
    """
    rows = len(topics)
    changes = np.flatnonzero((topics.slice(1) != topics.slice(0, max(rows - 1, 0))).to_numpy()) + 1
    starts = np.concatenate([np.zeros(min(rows, 1), dtype=np.int64), changes])
    labels = topics[starts].to_list()
    number_of = np.array([numbers.get(label, -1) for label in labels], dtype=np.int64)
    unjudged_topics = dict.fromkeys(label for label in labels if label not in numbers)
    return np.repeat(number_of, np.diff(np.append(starts, rows))), list(unjudged_topics)


def _equal(one: pl.Series, other: pl.Series) -> Mask:
    same: Mask = (one == other).to_numpy()
    return same


class DocumentIndex:
    """Where each (topic, document) pair stands among the judged ones.

    Pairs are found by a 64-bit hash in open-addressing tables, for all rows of a run together. Each topic has its own
    table, so that its rows access one small stretch of memory. The ids found are then compared, so that documents with
    equal hashes are not confused.

    Parameters
    ----------
    topic : topic number of each judgment
    document : document id of each judgment; a pair may occur more than once
    """

    def __init__(self, topic: Ints, document: pl.Series) -> None:
        for self._seed in range(_ATTEMPTS):
            keys = self._keys(topic, document)
            order = np.lexsort((keys, topic))
            ordered, its_topic = keys[order], topic[order]
            new = np.ones(len(keys), dtype=np.bool_)
            new[1:] = (ordered[1:] != ordered[:-1]) | (its_topic[1:] != its_topic[:-1])
            number = np.cumsum(new) - 1
            again = ~new
            first = order[new][number[again]]
            if _equal(document[order[again]], document[first]).all():
                break
        else:
            raise DataError(
                "the judged document ids collide under every hash. Rename some documents in the qrels file."
            )

        self.topic = its_topic[new]
        """Topic number of each judged document, ascending."""
        self.document = document[order[new]]
        """Id of each judged document."""
        self.of_judgment = np.empty(len(topic), dtype=np.int64)
        """Number of the judged document of each judgment."""
        self.of_judgment[order] = number
        self._key = ordered[new]

        count = np.bincount(self.topic, minlength=1)
        bits = np.frexp(count)[1] + _SPARSE
        room = (1 << bits) + count + 1  # so that probing ends in the table where it began
        self._shift = (64 - bits).astype(np.uint64)
        self._base = np.cumsum(room) - room
        step = np.arange(len(self._key))
        slot = np.maximum.accumulate(self._slots(self.topic, self._key) - step) + step  # placed in order of the keys
        self._number_in = np.full(int(room.sum()), -1, dtype=np.int32)
        self._number_in[slot] = step

    def _slots(self, topic: Ints, keys: NDArray[np.uint64]) -> Ints:
        """Where to look first; any place for a topic without judgments, whose number is not found there."""
        shift, base = self._shift.take(topic, mode="clip"), self._base.take(topic, mode="clip")
        slots: Ints = (keys >> shift).view(np.int64) + base
        return slots

    def _keys(self, topic: Ints, document: pl.Series) -> NDArray[np.uint64]:
        keys: NDArray[np.uint64] = document.hash(self._seed).to_numpy() + topic.astype(np.uint64) * _MIX
        return keys

    def find(self, topic: Ints, document: pl.Series) -> Ints:
        """The number of each row's judged document, or −1 for an unjudged one."""
        keys = self._keys(topic, document)
        slot = self._slots(topic, keys)
        numbers = self._number_in[slot]
        todo = np.flatnonzero(numbers >= 0)
        todo = todo[self._key[numbers[todo]] != keys[todo]]
        for _ in range(_PROBES):  # another key sits in the slot: look at the next one
            if not todo.size:
                break
            slot[todo] += 1
            numbers[todo] = self._number_in[slot[todo]]
            todo = todo[numbers[todo] >= 0]
            todo = todo[self._key[numbers[todo]] != keys[todo]]
        if todo.size:
            numbers[todo] = self._bisected(topic[todo], keys[todo])
        rows = np.flatnonzero(numbers >= 0)
        number = numbers[rows].astype(np.int64)
        same = _equal(document[rows], self.document[number])
        same &= self.topic[number] == topic[rows]
        numbers[rows[~same]] = -1
        return numbers.astype(np.int64)

    def _bisected(self, topic: Ints, keys: NDArray[np.uint64]) -> Ints:
        """The same by bisection among the keys of the topic, with a bound on the time."""
        low, high = np.searchsorted(self.topic, topic), np.searchsorted(self.topic, topic, side="right")
        end = high
        for _ in range(int((high - low).max()).bit_length()):
            middle = (low + high) // 2
            below = (self._key.take(middle, mode="clip") < keys) & (low < high)
            low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
        found = (low < end) & (self._key.take(low, mode="clip") == keys)
        return np.where(found, low, -1)


@dataclass(frozen=True, eq=False)
class JudgedRanking(Memory):
    """The rankings of one system for all topics, judged.

    Most documents of a ranking are unjudged and only take up ranks. Only the judged ones are rows (`hits`), with their
    ranks, beside the number of documents retrieved for each topic.

    Parameters
    ----------
    judgments : what is known of the documents
    retrieved : how many documents were retrieved for each topic
    topic, rank, document : topic number, rank and document number of each judged document retrieved
    row : where each of them stands in `documents`
    start : where each topic's documents begin in `documents`
    ids : ids of all documents retrieved
    arranged : the rows of `ids` by topic and rank, or a function that computes them on first use; None if they are in
        that order
    """

    judgments: Judgments
    retrieved: Ints
    topic: Ints
    rank: Ints
    document: Ints
    row: Ints
    start: Ints
    ids: pl.Series
    arranged: Ints | Callable[[], Ints] | None = None
    _memory: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def n_topics(self) -> int:
        """How many topics the judgments have."""
        return self.judgments.n_topics

    def matched(self, system: str) -> Matched:
        """How many of the documents of this system are judged."""
        return Matched(system, len(self.document), int(self.retrieved.sum()))

    def keep(self, rows: Ints | Mask, **changes: Any) -> JudgedRanking:
        """The ranking with only these of its judged documents, and with other changes."""
        kept = {name: getattr(self, name)[rows] for name in ("topic", "rank", "document", "row")}
        return replace(self, **{**kept, **changes}, _memory={})

    @property
    def condensed(self) -> JudgedRanking:
        """The ranking without unjudged documents (Sakai 2007, SIGIR): the rest move up."""

        def compute() -> JudgedRanking:
            kept = np.flatnonzero(self.judgments.judged[self.document])
            topic, document = self.topic[kept], self.document[kept]
            retrieved = np.bincount(topic, minlength=self.n_topics)
            start = np.cumsum(retrieved) - retrieved
            row = np.arange(len(kept))
            ids = self.judgments.documents.gather(document)
            return JudgedRanking(self.judgments, retrieved, topic, row - start[topic] + 1, document, row, start, ids)

        return self.cached("condensed", compute)

    @property
    def documents(self) -> pl.Series:
        """Ids of all documents retrieved, by topic and rank (computed on first use)."""
        places = self.places
        return self.cached("documents", lambda: self.ids if places is None else self.ids[places])

    @property
    def places(self) -> Ints | None:
        """The rows of `ids` by topic and rank; None if they are in that order."""
        return self.cached("places", self.arranged) if callable(self.arranged) else self.arranged

    @property
    def hits(self) -> Hits:
        """The judged documents retrieved, worth their relevance level."""

        def compute() -> Hits:
            level = self.judgments.level[self.document]
            gain = level.clip(0).astype(np.float64)
            return Hits(self.topic, self.rank, level, gain, self.document, self.n_topics)

        return self.cached("hits", compute)

    def relevant(self, rel: int = 1) -> Hits:
        """The documents retrieved that have at least this level, each worth 1."""

        def compute() -> Hits:
            chosen = self.hits.where(self.hits.level >= rel)
            return chosen.worth(np.ones(len(chosen)))

        return self.cached(("relevant", rel), compute)

    def gains(self, gains: str = "linear") -> Hits:
        """The documents retrieved that have a positive gain, worth that gain."""

        def compute() -> Hits:
            gain = self.judgments.gains_of(self.hits.level, gains)
            return self.hits.worth(gain).where(gain > 0)

        return self.cached(("gains", gains), compute)

    def top(self, depth: int, unjudged: int = 0) -> NDArray[np.int64]:
        """The relevance levels of the first documents, one row per topic; unjudged and absent ones count as given."""
        grid = np.full((self.n_topics, depth), unjudged, dtype=np.int64)
        inside = self.hits.until(depth)
        grid[inside.topic, inside.rank - 1] = inside.level
        return grid


def condensed(ranking: JudgedRanking) -> JudgedRanking:
    """The ranking without its unjudged documents (Sakai 2007)."""
    retrieved = np.bincount(ranking.topic, minlength=ranking.n_topics)
    start = np.concatenate([[0], np.cumsum(retrieved)[:-1]])
    places = np.arange(len(ranking.topic))  # judged documents stand by topic and rank
    rank, order = places - start[ranking.topic] + 1, ranking.places
    arranged = ranking.row if order is None else order[ranking.row]
    return replace(ranking, retrieved=retrieved, rank=rank, row=places, start=start, arranged=arranged, _memory={})


def prepare(qrels: Qrels, intents: Intents | None = None) -> tuple[Judgments, DocumentIndex]:
    """Judgments ready for use, and the index that finds a ranking's documents among them."""
    if not len(qrels):
        raise DataError(f"{qrels.name}: holds no judgments")
    topics = qrels.topics
    numbers = {label: number for number, label in enumerate(topics)}
    frame = qrels.frame
    topic, _ = topic_numbers(frame["topic"], numbers)
    index, level = DocumentIndex(topic, frame["document"]), frame["relevance"].to_numpy().astype(np.int64)
    labels = natural_sorted(frame["subtopic"].unique().to_list())
    code, _ = topic_numbers(frame["subtopic"], {label: number for number, label in enumerate(labels)})
    subtopics = _subtopics(topic, labels, code, index.of_judgment, level)
    groups = tuple(_placed(one, numbers, index) for one in qrels.groups)
    judgments = Judgments(topics, index.topic, index.document, subtopics, int(level.max()), intents, groups)
    return judgments, index


def _placed(groups: GroupSet, numbers: Mapping[str, int], index: DocumentIndex) -> DocumentGroups:
    """A set of groups beside the judged documents."""
    topics, documents = member_rows(groups)
    topic, _ = topic_numbers(topics, numbers)
    kept = np.flatnonzero(topic >= 0)
    document = index.find(topic[kept], documents.gather(kept))
    excess, known = np.zeros((len(index.topic), len(groups.target))), np.zeros(len(index.topic), dtype=np.bool_)
    excess[document] = np.array(list(groups.members.values()))[kept] - 1 / len(groups.target)
    known[document] = True
    with_groups = np.bincount(index.topic[known], minlength=len(numbers)) > 0
    return DocumentGroups(groups.name, groups.ordinal, np.array(groups.target), excess, known, with_groups)


def _subtopics(topic: Ints, labels: list[str], code: Ints, document: Ints, level: Ints) -> SubtopicJudgments:
    """Number the subtopics topic by topic; `code` says which label each judgment has."""
    pairs, number = np.unique(topic * len(labels) + code, return_inverse=True)
    order = np.lexsort((number, document))
    names: NDArray[np.int64] = pairs % len(labels)
    return SubtopicJudgments(
        document[order], number[order], level[order], tuple(labels[at] for at in names), pairs // len(labels)
    )


class NoRanking(DataError):
    """The rank column of a run is no ranking: ranks are missing, or (with `rank`) occur twice."""

    def __init__(self, system: str, count: int, topic: str, rank: int | None = None, number: int = 0) -> None:
        self.system, self.count, self.topic, self.rank, self.number = system, count, topic, rank, number
        what = f"rank {rank} occurs twice for topic {topic} ({count} duplicate ranks in all)"
        if rank is None:
            what = f"{count} documents have no integer in the rank column, the first for topic {topic}"
        super().__init__(f"{system}: {what}; order by score or by file instead (order='score', order='file')")

    def __reduce__(self) -> tuple[type[NoRanking], tuple[str, int, str, int | None, int]]:
        return NoRanking, (self.system, self.count, self.topic, self.rank, self.number)


def judge(
    run: Run,
    judgments: Judgments,
    index: DocumentIndex,
    *,
    order: RankingOrder = ORDER,
    single_precision: bool = False,
) -> tuple[JudgedRanking, list[str]]:
    """Order a run's documents and look each up in the judgments; also the topics that have no judgments.

    Parameters
    ----------
    order : ``"score"``: score descending, ties by document id descending (trec_eval); ``"rank"``: the rank
        column ascending (ndeval); ``"file"``: as the file has them (NTCIREVAL)
    single_precision : compare scores as 32-bit floats, as trec_eval did before 9.0.8 and pytrec_eval does
    """
    numbers = judgments.topic_number
    topic, unjudged_topics = topic_numbers(run.frame["topic"], numbers)
    documents = run.frame["document"]
    known: Ints | slice = slice(None)
    if unjudged_topics:
        known = np.flatnonzero(topic >= 0)
        documents, topic = documents[known], topic[known]
    if order == "score":
        score = run.frame["score"].to_numpy()[known]
        if single_precision:
            with np.errstate(over="ignore"):  # beyond the largest float, scores tie at infinity, as in trec_eval
                score = score.astype(np.float32)
        arranged = _by_score(topic, score, documents)
    elif order == "rank":
        arranged = _by_rank(topic, run.frame["rank"].to_numpy()[known], run.system, judgments.topics)
    else:
        arranged = None if _ascending(topic) else np.argsort(topic, kind="stable")
    judgment = index.find(topic, documents)
    if arranged is not None:
        topic, judgment = topic[arranged], judgment[arranged]
    start = np.searchsorted(topic, np.arange(judgments.n_topics + 1))
    row = np.flatnonzero(judgment >= 0)
    rank = row - start[topic[row]] + 1
    retrieved = np.diff(start)
    ranking = JudgedRanking(judgments, retrieved, topic[row], rank, judgment[row], row, start[:-1], documents, arranged)
    return ranking, unjudged_topics


def _ascending(values: NDArray[Any]) -> bool:
    return bool((values[1:] >= values[:-1]).all())


def _by_score(topic: Ints, score: NDArray[np.floating[Any]], documents: pl.Series) -> Ints | None:
    """The rows by topic, score descending, document id descending (bytes); None if they are in that order."""
    same = topic[1:] == topic[:-1]
    arranged: Ints | None = None
    if not _ascending(topic) or (same & (score[1:] > score[:-1])).any():
        arranged = np.lexsort((-score, topic))
        topic, score = topic[arranged], score[arranged]
        same = topic[1:] == topic[:-1]
    tied = same & (score[1:] == score[:-1])
    if not tied.any():
        return arranged
    # Only documents with equal scores are compared by id.
    inside = np.flatnonzero(np.append(tied, False) | np.append(False, tied))
    group = np.cumsum(np.append(True, ~tied))[inside]
    ids = documents[inside if arranged is None else arranged[inside]]
    neighbours = group[1:] == group[:-1]
    if (ids.slice(1) < ids.slice(0, len(ids) - 1)).to_numpy()[neighbours].all():
        return arranged
    if arranged is None:
        arranged = np.arange(len(topic))
    arranged[inside] = arranged[inside[_by_id(group, ids)]]
    return arranged


def _by_id(group: Ints, ids: pl.Series) -> Ints:
    """The rows by group and, descending, by id; in this thread, because other runs keep the others busy."""
    ties = pl.DataFrame({"group": group, "id": ids, "row": np.arange(len(ids))})
    return ties.sort("group", "id", descending=[False, True], multithreaded=False)["row"].to_numpy()


def _by_rank(topic: Ints, ranks: NDArray[Any], system: str, topics: tuple[str, ...]) -> Ints | None:
    """The rows by topic and rank column (NaN: no rank); an error where it is not a ranking."""
    if (missing := np.flatnonzero(np.isnan(ranks))).size:
        raise NoRanking(system, len(missing), topics[topic[missing[0]]])
    arranged = None
    if not _ascending(topic) or ((topic[1:] == topic[:-1]) & (ranks[1:] < ranks[:-1])).any():
        arranged = np.lexsort((ranks, topic))
        topic, ranks = topic[arranged], ranks[arranged]
    twice = np.flatnonzero((topic[1:] == topic[:-1]) & (ranks[1:] == ranks[:-1]))
    if twice.size:
        raise NoRanking(system, twice.size, topics[topic[twice[0]]], int(ranks[twice[0]]), int(topic[twice[0]]))
    return arranged
