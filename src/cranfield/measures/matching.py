"""Finding the judged documents of a ranking without comparing strings pair by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.collection.packed import Ids
from cranfield.measures.hits import Ints, Mask

if TYPE_CHECKING:
    import polars as pl
else:
    from cranfield.lazy import polars as pl

Documents: TypeAlias = "pl.Series | Ids"
"""Ids of documents, as text or packed in words."""
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SPARSE = 3  # at least 8 slots per key: lookups end after one or two probes


def topic_numbers(topics: pl.Series, numbers: Mapping[str, int]) -> tuple[Ints, list[str]]:
    """The number of each row's topic (−1 for a topic without one), and the labels that have none.

    Rows of a topic mostly stand together, so only the first row of each stretch is looked up.
    """
    rows = len(topics)
    changes = (topics.slice(1) != topics.slice(0, max(rows - 1, 0))).arg_true().to_numpy().astype(np.int64) + 1
    starts = np.concatenate([np.zeros(min(rows, 1), dtype=np.int64), changes])
    return stretch_numbers(topics.gather(starts).to_list(), np.diff(np.append(starts, rows)), numbers)


def stretch_numbers(labels: Sequence[str], lengths: Ints, numbers: Mapping[str, int]) -> tuple[Ints, list[str]]:
    """The same for stretches of rows, each of one topic.

    >>> topic, unknown = stretch_numbers(["7", "x"], np.array([2, 1]), {"7": 0})
    >>> topic.tolist(), unknown
    ([0, 0, -1], ['x'])
    """
    number_of = np.array([numbers.get(label, -1) for label in labels], dtype=np.int64)
    unjudged_topics = dict.fromkeys(label for label in labels if label not in numbers)
    return np.repeat(number_of, lengths), list(unjudged_topics)


def documents_of(ids: Documents) -> pl.Series:
    """Document ids as a column of text."""
    return pl.Series("document", ids.to_list(), dtype=pl.String) if isinstance(ids, Ids) else ids


def _hashed(ids: Documents, seed: int) -> NDArray[np.uint64]:
    if isinstance(ids, Ids):
        return ids.hashes if seed == 0 else ids.hashed(seed)
    hashes: NDArray[np.uint64] = ids.hash(seed).to_numpy()
    return hashes


def _equal(one: Documents, other: Documents) -> Mask:
    if isinstance(one, Ids) and isinstance(other, Ids):
        return one.equal(other)
    same: Mask = (documents_of(one) == documents_of(other)).to_numpy()
    return same


class DocumentIndex:
    """Where each (topic, document) pair stands among the judged ones.

    Pairs are found by a 64-bit hash in open-addressing tables, one for each topic, so that the rows of a topic look
    into one small stretch of memory, and all rows of a run at once; then the ids of the rows found are compared, so
    that two documents with one hash are never taken for each other.

    Parameters
    ----------
    topic : topic number of each judgment
    document : document id of each judgment; a pair may occur more than once
    """

    def __init__(self, topic: Ints, document: Documents) -> None:
        self._seed = -1
        same = False
        while not same:  # two judged pairs with one hash: hash anew; in practice the first seed serves
            self._seed += 1
            keys = self._keys(topic, document)
            order = np.lexsort((keys, topic))
            ordered, its_topic = keys[order], topic[order]
            new = np.ones(len(keys), dtype=np.bool_)
            new[1:] = (ordered[1:] != ordered[:-1]) | (its_topic[1:] != its_topic[:-1])
            number = np.cumsum(new) - 1
            again = ~new
            first = order[new][number[again]]
            same = bool(_equal(document.gather(order[again]), document.gather(first)).all())

        self.topic = its_topic[new]
        """Topic number of each judged document, ascending."""
        self.document = document.gather(order[new])
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
        """Where to look first; for a topic without judgments anywhere, as its number will not be found there."""
        shift, base = self._shift.take(topic, mode="clip"), self._base.take(topic, mode="clip")
        slots: Ints = (keys >> shift).view(np.int64) + base
        return slots

    @cached_property
    def _in_the_other_form(self) -> tuple[DocumentIndex, Ints]:
        """The same for ids in words where these are text, and for text where they are words; and the numbers here.

        Words hold no NUL and no endless ids, so that a judged document with such an id is not among them.
        """
        ids: Documents
        if isinstance(self.document, Ids):
            kept, ids = np.arange(len(self.topic)), documents_of(self.document)
        else:
            texts = self.document.to_list()
            kept = np.array([at for at, one in enumerate(texts) if Ids.can_hold(one)], dtype=np.int64)
            ids = Ids.of([texts[at] for at in kept])
        other = DocumentIndex(self.topic[kept], ids)
        return other, kept[np.argsort(other.of_judgment)]

    def _keys(self, topic: Ints, document: Documents) -> NDArray[np.uint64]:
        return _hashed(document, self._seed) + topic.astype(np.uint64) * _MIX

    def find(self, topic: Ints, document: Documents) -> Ints:
        """The number of each row's judged document, or −1 for an unjudged one."""
        if isinstance(document, Ids) != isinstance(self.document, Ids):
            other, numbers_here = self._in_the_other_form
            found = other.find(topic, document)
            found[found >= 0] = numbers_here[found[found >= 0]]
            return found
        keys = self._keys(topic, document)
        slot = self._slots(topic, keys)
        numbers = self._number_in[slot]
        todo = np.flatnonzero(numbers >= 0)
        todo = todo[self._key[numbers[todo]] != keys[todo]]
        while todo.size:  # another key sits in the slot: look at the next one
            slot[todo] += 1
            numbers[todo] = self._number_in[slot[todo]]
            todo = todo[numbers[todo] >= 0]
            todo = todo[self._key[numbers[todo]] != keys[todo]]
        rows = np.flatnonzero(numbers >= 0)
        number = numbers[rows].astype(np.int64)
        same = _equal(document.gather(rows), self.document.gather(number))
        same &= self.topic[number] == topic[rows]
        numbers[rows[~same]] = -1
        return numbers.astype(np.int64)
