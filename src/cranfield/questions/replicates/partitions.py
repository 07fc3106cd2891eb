"""Which partition a document falls in, and scores on all partitions of all splits from one pass over a ranking.

The partition is a seeded hash of the document's id, the same on every machine and in every version. The partitions are
laid side by side: topic i of partition k of split s becomes a separate topic. So one call of a measure scores them all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core.errors import ArgumentError
from cranfield.measures.evaluation import Evaluator
from cranfield.measures.judgments import Floats, Ints, Judgments, Mask
from cranfield.measures.ranking import JudgedRanking

Hashes = NDArray[np.uint64]
MOST_PARTITIONS = 20
"""With more, nearly every topic lacks relevant documents in some partition."""
_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_WORD = (1 << 64) - 1
_JUDGED_TOGETHER = 2_000_000
"""Judged documents laid side by side at a time, to bound memory; never changes a result."""
_BLOCKS_TOGETHER = 60_000
"""Partitions laid side by side at a time: their numbers fit 16 bits, which sort fast."""


def document_hash(document: str) -> int:
    """The first 8 bytes of BLAKE2b of the document id (UTF-8), as a little-endian number.

    >>> f"{document_hash('FT911-1'):016x}"
    '432f600300d72d89'
    """
    return int.from_bytes(hashlib.blake2b(document.encode()).digest()[:8], "little")


class DocumentHashes(dict[str, int]):
    """A cache of hashes of document ids."""

    def __missing__(self, document: str) -> int:
        value = self[document] = document_hash(document)
        return value

    def of(self, documents: Iterable[str]) -> Hashes:
        """The hash of every document."""
        return np.fromiter(map(self.__getitem__, documents), dtype=np.uint64)


def splitmix64(values: Hashes) -> Hashes:
    """The splitmix64 step and finaliser (Steele, Lea & Flood 2014, OOPSLA) of every 64-bit word.

    >>> hex(splitmix64(np.zeros(1, dtype=np.uint64))[0])
    '0xe220a8397b1dcdaf'
    """
    z = np.atleast_1d(values) + np.uint64(_GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(_FIRST)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(_SECOND)
    return np.asarray(z ^ (z >> np.uint64(31)))


def mix64(hashes: Hashes, seed: int, split: int) -> Hashes:
    """Each hash mixed with seed and split: splitmix64(h ⊕ splitmix64(splitmix64(seed) ⊕ split))."""
    key = splitmix64(np.array([seed & _WORD], dtype=np.uint64)) ^ np.uint64(split & _WORD)
    return splitmix64(hashes ^ splitmix64(key))


def assign(hashes: Hashes, partitions: int, *, seed: int, split: int) -> NDArray[np.int64]:
    """The partition, 0 … x−1, of every document: mix64(h, seed, split) mod x.

    It needs no list of the corpus; seed and split determine it.

    >>> hashes = DocumentHashes().of(["FT911-1", "FT911-2", "FT911-3", "FT911-4"])
    >>> assign(hashes, 2, seed=1, split=1).tolist(), assign(hashes, 2, seed=1, split=2).tolist()
    ([0, 1, 1, 0], [0, 1, 1, 1])
    """
    return (mix64(hashes, seed, split) % np.uint64(partitions)).astype(np.int64)


def check_partitions(partitions: int) -> int:
    """The number of partitions, checked."""
    if isinstance(partitions, bool) or not isinstance(partitions, int) or not 2 <= partitions <= MOST_PARTITIONS:
        raise ArgumentError(
            f"`n_partitions` must be a whole number from 2 to {MOST_PARTITIONS}; got {partitions!r}. Write 2."
        )
    return partitions


@dataclass(frozen=True, eq=False)
class SideBySide:
    """The judgments of all partitions of some splits, as if they were topics of one collection.

    Topic i of partition k of the s-th split has number (s·x + k)·n + i.

    Parameters
    ----------
    splits : numbers of the splits
    partitions, seed : how documents are assigned
    whole : the judgments of the whole collection
    judgments : the same judgments, once per split, by partition
    number : splits × judged documents; the number in `judgments` of each judged document of the whole
    """

    splits: tuple[int, ...]
    partitions: int
    seed: int
    whole: Judgments
    judgments: Judgments
    number: Ints

    @classmethod
    def of(cls, whole: Judgments, hashes: Hashes, splits: Sequence[int], partitions: int, seed: int) -> SideBySide:
        """Lay the judgments side by side; `hashes` are those of the judged documents."""
        n, subtopics = whole.n_topics, whole.subtopics
        block = blocks_of(hashes, splits, partitions, seed)
        topic = (block * n + whole.topic).ravel()
        order = np.argsort(topic, kind="stable")
        place = np.empty(topic.size, dtype=np.int64)
        place[order] = np.arange(topic.size)
        number: Ints = place.reshape(block.shape)
        blocks = len(splits) * partitions
        document = number[:, subtopics.document].ravel()
        by_document = np.argsort(document, kind="stable")
        subtopic = block[:, subtopics.document] * len(subtopics.labels) + subtopics.subtopic
        laid = replace(
            subtopics,
            document=document[by_document],
            subtopic=subtopic.ravel()[by_document],
            level=np.tile(subtopics.level, len(splits))[by_document],
            labels=subtopics.labels * blocks,
            topic=(np.arange(blocks)[:, None] * n + subtopics.topic).ravel(),
        )
        judgments = replace(
            whole,
            topics=whole.topics * blocks,
            topic=topic[order],
            documents=whole.documents.gather(order % len(whole.topic)),
            subtopics=laid,
            _memory={},
        )
        return cls(tuple(splits), partitions, seed, whole, judgments, number)

    def ranking(self, ranking: JudgedRanking, hashes: Hashes) -> JudgedRanking:
        """The ranking of every partition of every split; `hashes` are those of all documents retrieved."""
        n, count = self.whole.n_topics, len(self.splits)
        parts = assigned(hashes, self.splits, self.partitions, self.seed)
        # Rows are sorted by topic and rank, so a document's rank in its partition is a running count within its
        # topic and partition.
        before = np.concatenate([[0], np.cumsum(ranking.retrieved)])
        hit, first = ranking.row, before[ranking.topic]
        mine = parts[:, hit]
        rank = np.empty(mine.shape, dtype=np.int64)
        retrieved = np.empty((count, self.partitions, n), dtype=np.int64)
        upto = np.zeros((count, len(hashes) + 1), dtype=np.int32)
        for part in range(self.partitions):
            np.cumsum(parts == part, axis=1, dtype=np.int32, out=upto[:, 1:])
            retrieved[:, part] = np.diff(upto[:, before], axis=1)
            np.copyto(rank, upto[:, hit + 1] - upto[:, first], where=mine == part)
        block = mine + np.arange(count, dtype=np.uint16)[:, None] * np.uint16(self.partitions)
        order = np.argsort(block.ravel(), kind="stable")  # block, topic, rank; 16 bits sort by radix
        start = np.cumsum(retrieved.ravel()) - retrieved.ravel()
        topic = (block.astype(np.int64) * n + ranking.topic).ravel()[order]
        rank = rank.ravel()[order]
        return JudgedRanking(
            self.judgments,
            retrieved.ravel(),
            topic,
            rank,
            self.number[:, ranking.document].ravel()[order],
            start[topic] + rank - 1,
            start,
            ranking.ids,
            partial(self._arranged, parts, ranking.places),
        )

    def _arranged(self, parts: NDArray[np.uint16], places: Ints | None) -> Ints:
        """Positions of all documents retrieved, block by block."""
        block = parts + np.arange(len(parts), dtype=np.uint16)[:, None] * np.uint16(self.partitions)
        order: Ints = np.argsort(block.ravel(), kind="stable") % max(parts.shape[1], 1)
        return order if places is None else places[order]


def assigned(hashes: Hashes, splits: Sequence[int], partitions: int, seed: int) -> NDArray[np.uint16]:
    """splits × documents: the partition, from 0, each document falls in."""
    parts = np.empty((len(splits), len(hashes)), dtype=np.uint16)
    for at, split in enumerate(splits):
        parts[at] = assign(hashes, partitions, seed=seed, split=split)
    return parts


def blocks_of(hashes: Hashes, splits: Sequence[int], partitions: int, seed: int) -> Ints:
    """splits × documents: the number s·x + k of the partition each document falls in."""
    return assigned(hashes, splits, partitions, seed) + np.arange(len(splits))[:, None] * partitions


class PartitionScorer:
    """Scores runs on the whole collection and on every partition of every split.

    Parameters
    ----------
    evaluator : judgments and measures
    splits : numbers of the splits
    partitions, seed : how documents are assigned
    hashes : hashes of document ids known so far
    """

    def __init__(
        self, evaluator: Evaluator, splits: Sequence[int], partitions: int, seed: int, hashes: DocumentHashes
    ) -> None:
        self.evaluator, self.partitions, self._hashes = evaluator, partitions, hashes
        self._splits, self._seed = list(splits), seed
        judgments = evaluator.judgments
        judged = hashes.of(judgments.documents.to_list())
        at_once = max(1, min(_JUDGED_TOGETHER // max(len(judged), 1), _BLOCKS_TOGETHER // partitions))
        self._layouts = [
            SideBySide.of(judgments, judged, splits[at : at + at_once], partitions, seed)
            for at in range(0, len(splits), at_once)
        ]

    def __reduce__(self) -> tuple[type[PartitionScorer], tuple[Any, ...]]:
        return type(self), (self.evaluator, self._splits, self.partitions, self._seed, DocumentHashes())

    @property
    def n_splits(self) -> int:
        """How many splits."""
        return len(self._splits)

    def score(self, ranking: JudgedRanking) -> Floats:
        """Measures × splits × partitions × topics."""
        hashes = self._hashes.of(ranking.ids.to_list())
        if (places := ranking.places) is not None:
            hashes = hashes[places]
        n = ranking.n_topics
        scored = [(self.evaluator.score(one.ranking(ranking, hashes)), len(one.splits)) for one in self._layouts]
        return np.concatenate([part.reshape(-1, count, self.partitions, n) for part, count in scored], axis=1)


def relevant_counts(
    judgments: Judgments, hashes: Hashes, rel: int, splits: Sequence[int], partitions: int, seed: int
) -> Ints:
    """splits × topics × partitions: documents with at least the level, to any subtopic."""
    relevant = np.unique(judgments.subtopics.document[judgments.subtopics.level >= rel])
    block = blocks_of(hashes[relevant], splits, partitions, seed)
    n = judgments.n_topics
    counts = np.bincount((block * n + judgments.topic[relevant]).ravel(), minlength=len(splits) * partitions * n)
    return counts.reshape(len(splits), partitions, n).transpose(0, 2, 1)


def choose_splits(
    judgments: Judgments, hashes: Hashes, levels: Sequence[int], wanted: int, partitions: int, seed: int, limit: int
) -> tuple[list[int], Mask]:
    """The first `wanted` splits, of 1 … limit, in which every partition has relevant documents of every topic.

    Topics without any relevant document do not count. Also returns the topics that fail most often.
    """
    chosen: list[int] = []
    blame = np.zeros(judgments.n_topics, dtype=np.int64)
    step = 64
    for first in range(1, limit + 1, step):
        numbers = range(first, min(first + step, limit + 1))
        empty = np.zeros((len(numbers), judgments.n_topics), dtype=np.bool_)
        for level in levels:
            counts = relevant_counts(judgments, hashes, level, numbers, partitions, seed)
            empty |= (counts == 0).any(axis=2) & (counts.sum(axis=2) > 0)
        blame += empty.sum(axis=0)
        chosen += [first + int(at) for at in np.flatnonzero(~empty.any(axis=1))]
        if len(chosen) >= wanted:
            break
    return chosen[:wanted], blame == max(blame.max(initial=0), 1)
