"""Finding the judged documents of a ranking without comparing strings pair by pair."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.measures.hits import Ints

_MIX = np.uint64(0x9E3779B97F4A7C15)
_SPARSE = 2  # at least 4 slots per key: lookups end after one or two probes


def topic_numbers(topics: pl.Series, numbers: Mapping[str, int]) -> tuple[Ints, list[str]]:
    """The number of each row's topic (−1 for a topic without one), and the labels that have none.

    Rows of a topic mostly stand together, so only the first row of each stretch is looked up.
    """
    rows = len(topics)
    changes = (topics.slice(1) != topics.slice(0, max(rows - 1, 0))).arg_true().to_numpy().astype(np.int64) + 1
    starts = np.concatenate([np.zeros(min(rows, 1), dtype=np.int64), changes])
    labels = topics.gather(starts).to_list()
    number_of = np.array([numbers.get(label, -1) for label in labels], dtype=np.int64)
    unjudged_topics = dict.fromkeys(label for label in labels if label not in numbers)
    return np.repeat(number_of, np.diff(np.append(starts, rows))), list(unjudged_topics)


class DocumentIndex:
    """Where each (topic, document) pair stands among the judged ones.

    Pairs are found by a 64-bit hash in an open-addressing table, all rows of a run at once; then the strings
    of the rows found are compared, so two documents with one hash are never taken for each other.

    Parameters
    ----------
    topic : topic number of each judgment
    document : document id of each judgment; a pair may occur more than once
    """

    def __init__(self, topic: Ints, document: pl.Series) -> None:
        self._seed = -1
        same = False
        while not same:  # two judged pairs with one hash: hash anew; in practice the first seed serves
            self._seed += 1
            keys = self._keys(topic, document)
            order = np.argsort(keys, kind="stable")
            ordered = keys[order]
            new = np.append(True, ordered[1:] != ordered[:-1])
            representative = order[new][np.cumsum(new) - 1]
            again = ~new
            same = bool(
                (document.gather(order[again]) == document.gather(representative[again])).all()
                and (topic[order[again]] == topic[representative[again]]).all()
            )
        by_key = order[new]
        by_topic = np.argsort(topic[by_key], kind="stable")
        number = np.empty(len(by_key), dtype=np.int64)
        number[by_topic] = np.arange(len(by_key))

        self.topic = topic[by_key][by_topic]
        """Topic number of each judged document, ascending."""
        self.document = document.gather(by_key[by_topic])
        """Id of each judged document."""
        self.of_judgment = np.empty(len(topic), dtype=np.int64)
        """Number of the judged document of each judgment."""
        self.of_judgment[order] = number[np.cumsum(new) - 1]

        bits = max(1, len(by_key).bit_length()) + _SPARSE
        self._shift = np.uint64(64 - bits)
        home = (ordered[new] >> self._shift).astype(np.int64)
        step = np.arange(len(by_key))
        slot = np.maximum.accumulate(home - step) + step  # linear probing, placed in order of the keys
        self._key = np.empty(len(by_key), dtype=np.uint64)
        self._key[number] = ordered[new]
        self._number_in = np.full((1 << bits) + len(by_key) + 1, -1, dtype=np.int32)
        self._number_in[slot] = number

    def _keys(self, topic: Ints, document: pl.Series) -> NDArray[np.uint64]:
        keys: NDArray[np.uint64] = document.hash(self._seed).to_numpy() + topic.astype(np.uint64) * _MIX
        return keys

    def find(self, topic: Ints, document: pl.Series) -> Ints:
        """The number of each row's judged document, or −1 for an unjudged one."""
        keys = self._keys(topic, document)
        slot = (keys >> self._shift).astype(np.int64)
        numbers = self._number_in[slot]
        todo = np.flatnonzero(numbers >= 0)
        todo = todo[self._key[numbers[todo]] != keys[todo]]
        while todo.size:  # another key sits in the slot: look at the next one
            slot[todo] += 1
            numbers[todo] = self._number_in[slot[todo]]
            todo = todo[numbers[todo] >= 0]
            todo = todo[self._key[numbers[todo]] != keys[todo]]
        hit = numbers >= 0
        rows = np.flatnonzero(hit)
        number = numbers[rows]
        same = (document.filter(hit) == self.document.gather(number)).to_numpy()
        same &= self.topic[number] == topic[rows]
        numbers[rows[~same]] = -1
        return numbers.astype(np.int64)
