"""`Hits` and `Judgments`: judged documents as columns.

Sums over `Hits` go by topic; `Judgments` are ready to judge rankings and to build ideal ones.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.collection.intents import Intents
from cranfield.core.errors import DataError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
_Thing = TypeVar("_Thing")
HIGHEST_EXPONENTIAL = 900
"""The highest level with an exponential gain: 2^900 is about 10^271, and many of them still have a finite sum."""


class Memory:
    """Values computed once: shared by all rankings (judgments) or all measures (a ranking)."""

    _memory: dict[Hashable, Any]

    def cached(self, key: Hashable, compute: Callable[[], _Thing]) -> _Thing:
        """The value of `compute`, computed once."""
        if key not in self._memory:
            self._memory[key] = compute()
        known: _Thing = self._memory[key]
        return known


@dataclass(frozen=True, eq=False)
class Hits:
    """Documents of rankings, one row each, by topic and within a topic by rank.

    Parameters
    ----------
    topic : which topic (its number), ascending
    rank : place in the ranking, from 1, ascending within a topic
    level : relevance level
    gain : the gain of the document
    document : which judged document (its number in the judgments)
    n_topics : how many topics there are, those without rows included
    """

    topic: Ints
    rank: Ints
    level: Ints
    gain: Floats
    document: Ints
    n_topics: int

    def __len__(self) -> int:
        return len(self.topic)

    def where(self, mask: Mask) -> Hits:
        """The rows chosen by a mask."""
        rows = np.flatnonzero(mask)
        return Hits(
            self.topic[rows], self.rank[rows], self.level[rows], self.gain[rows], self.document[rows], self.n_topics
        )

    def until(self, cutoff: int | None) -> Hits:
        """The rows of the first `cutoff` ranks; all without one."""
        return self if cutoff is None else self.where(self.rank <= cutoff)

    def worth(self, gain: Floats) -> Hits:
        """The same rows with other gains."""
        return replace(self, gain=gain)

    @cached_property
    def starts(self) -> Ints:
        """Where each topic's rows begin, and the end of the last one."""
        return np.searchsorted(self.topic, np.arange(self.n_topics + 1))

    @cached_property
    def position(self) -> Ints:
        """How many rows of the same topic stand above each row."""
        return np.arange(len(self)) - self.starts[self.topic]

    def count(self) -> Floats:
        """Rows of each topic."""
        return np.diff(self.starts).astype(np.float64)

    def total(self, values: Floats) -> Floats:
        """Sum of the values of each topic, taken in order of rank."""
        return sum_by(self.topic, values, self.n_topics)

    def first(self, values: Floats) -> Floats:
        """The value of each topic's first row; 0 for a topic without rows."""
        first_values = np.zeros(self.n_topics)
        top = self.position == 0
        first_values[self.topic[top]] = values[top]
        return first_values

    def counted(self, mask: Mask) -> Ints:
        """How many chosen rows of the same topic stand at or above each row."""
        seen: Ints = np.concatenate([[0], np.cumsum(mask)])
        counts: Ints = seen[1:] - seen[self.starts[self.topic]]
        return counts

    def running(self, values: Floats) -> Floats:
        """Sum of the values of the same topic at or above each row.

        Each topic is summed on its own, so a topic's scores do not depend on the other topics.
        """
        return np.add.accumulate(self._grid(values, 0.0), axis=1)[self.topic, self.position]

    def product_above(self, values: Floats) -> Floats:
        """Product of the values of the same topic above each row (1 for the first)."""
        grid = np.multiply.accumulate(self._grid(values, 1.0), axis=1)
        above = np.maximum(self.position - 1, 0)
        return np.where(self.position == 0, 1.0, grid[self.topic, above])

    def _grid(self, values: Floats, empty: float) -> Floats:
        width = int(np.diff(self.starts).max(initial=0))
        grid = np.full((self.n_topics, width), empty)
        grid[self.topic, self.position] = values
        return grid


def sum_by(group: Ints, values: Floats, groups: int) -> Floats:
    """Sum of the values of each group, taken in the order given."""
    return np.bincount(group, weights=values, minlength=groups).astype(np.float64, copy=False)


def ratio(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """Part by whole, and 0 where the whole is 0 (a topic without relevant documents scores 0)."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole != 0)


@dataclass(frozen=True, eq=False)
class SubtopicJudgments:
    """The same judgments taken subtopic by subtopic, one row per (document, subtopic) pair, by document.

    Parameters
    ----------
    document : number of the judged document, ascending
    subtopic : number of the subtopic; subtopics of different topics have different numbers
    level : relevance level of the document for the subtopic
    labels : label of each subtopic
    topic : topic number of each subtopic, ascending
    """

    document: Ints
    subtopic: Ints
    level: Ints
    labels: tuple[str, ...]
    topic: Ints

    def where(self, mask: Mask) -> SubtopicJudgments:
        """The rows chosen by a mask."""
        return replace(self, document=self.document[mask], subtopic=self.subtopic[mask], level=self.level[mask])


@dataclass(frozen=True, eq=False)
class DocumentGroups:
    """A set of groups beside the judged documents.

    Parameters
    ----------
    name, ordinal : as in `GroupSet`
    target : the probability of each group in a fair ranking
    excess : judged documents × groups: the probability of the group, less that of a document without groups (uniform)
    known : whether each judged document has groups
    topics : whether each topic has documents with groups
    """

    name: str
    ordinal: bool
    target: Floats
    excess: Floats
    known: Mask
    topics: Mask


@dataclass(frozen=True, eq=False)
class Judgments(Memory):
    """The judged documents of every topic.

    Parameters
    ----------
    topics : topic labels, in numeric-aware order
    topic : topic number of each judged document, ascending
    documents : id of each judged document
    subtopics : the judgments subtopic by subtopic
    top_level : highest relevance level of the collection, which sets the scale of `ERR` and `RBP`
    intents : probability of each subtopic, when given
    groups : sets of groups of the documents
    """

    topics: tuple[str, ...]
    topic: Ints
    documents: pl.Series
    subtopics: SubtopicJudgments
    top_level: int
    intents: Intents | None = None
    groups: tuple[DocumentGroups, ...] = ()
    _memory: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def n_topics(self) -> int:
        """How many topics."""
        return len(self.topics)

    @property
    def topic_number(self) -> dict[str, int]:
        """The number of each topic label."""
        return self.cached("numbers", lambda: {label: number for number, label in enumerate(self.topics)})

    @property
    def judged(self) -> Mask:
        """Whether each document has a level that is not negative, for any subtopic."""

        def compute() -> Mask:
            known = np.zeros(len(self.topic), dtype=np.bool_)
            known[self.subtopics.document[self.subtopics.level >= 0]] = True
            return known

        return self.cached("judged", compute)

    @property
    def level(self) -> Ints:
        """Relevance level of each judged document; an error when a document is judged for several subtopics."""
        return self.cached("level", self._levels)

    def _levels(self) -> Ints:
        rows = np.bincount(self.subtopics.document, minlength=len(self.topic))
        if len(rows) and rows.max() > 1:
            at = int(rows.argmax())
            raise DataError(
                f"topic {self.topics[self.topic[at]]}: document {self.documents[at]} is judged for {rows[at]} "
                "subtopics, but AP, nDCG and their like need one judgment per document. Use a diversity measure such "
                "as alpha-nDCG@10, or qrels with one line per document"
            )
        return self.subtopics.level  # one row per document, in the order of the documents

    def relevant(self, rel: int = 1) -> Floats:
        """How many documents of each topic have at least this level: R."""
        return self.cached(("relevant", rel), lambda: self._count(self.level >= rel))

    def nonrelevant(self, rel: int = 1) -> Floats:
        """How many documents of each topic are judged below the level but not negative."""
        return self.cached(("nonrelevant", rel), lambda: self._count((self.level >= 0) & (self.level < rel)))

    def _count(self, chosen: Mask) -> Floats:
        return np.bincount(self.topic[chosen], minlength=self.n_topics).astype(np.float64)

    def gains_of(self, level: Ints, gains: str) -> Floats:
        """The gain of each of these levels; a negative level gains nothing."""
        if gains == "linear":
            return level.clip(0).astype(np.float64)
        table = self.cached(("gains", gains), lambda: gain_table(gains, self.top_level))
        return np.where(level < 0, 0.0, table[level.clip(0)])

    def highest_gain(self, gains: str) -> float:
        """The gain of the highest level of the collection, or the highest of a list."""
        return float(max(self.top_level, 0) if gains == "linear" else gain_table(gains, self.top_level).max())

    def ideal(self, gains: str) -> Hits:
        """The best possible ranking: every document with a gain, the highest first."""
        return self.cached(("ideal", gains), lambda: self.ranked(self.gains_of(self.level, gains)))

    def ranked(self, gain: Floats) -> Hits:
        """The judged documents with a positive gain, ranked by it."""
        chosen = np.flatnonzero(gain > 0)
        chosen = chosen[np.lexsort((-gain[chosen], self.topic[chosen]))]
        topic = self.topic[chosen]
        starts = np.searchsorted(topic, np.arange(self.n_topics))
        rank = np.arange(len(chosen)) - starts[topic] + 1
        return Hits(topic, rank, np.zeros_like(topic), gain[chosen], chosen, self.n_topics)


def gain_table(gains: str, top_level: int) -> Floats:
    """The gain of levels 0, 1, … up to the highest of the collection: exponential, from a list, or from a mapping.

    >>> gain_table("exp", 3).tolist(), gain_table("1:3", 2).tolist(), gain_table("{0:1,2:5}", 3).tolist()
    ([0.0, 1.0, 3.0, 7.0], [0.0, 1.0, 3.0], [1.0, 1.0, 5.0, 3.0])
    """
    if gains.startswith("{"):
        table = np.arange(max(top_level, 0) + 1.0)
        for level, gain in (pair.split(":") for pair in gains.strip("{}").split(",")):
            if int(level) < len(table):
                table[int(level)] = float(gain)
        return table
    if gains == "exp":
        check_exponential(top_level, "the judgments go up to")
        return np.ldexp(1.0, np.arange(max(top_level, 0) + 1)) - 1
    listed = [0.0, *(float(part) for part in gains.split(":"))]
    if top_level >= len(listed):
        raise DataError(
            f"gains {gains} stop at level {len(listed) - 1}, but the judgments go up to level {top_level}; "
            "give a gain for every level"
        )
    return np.array(listed)


def check_exponential(level: int, what: str) -> None:
    """Refuse a level whose exponential gain, or a sum of such gains, would overflow.

    >>> check_exponential(2000, "the judgments go up to")
    Traceback (most recent call last):
    cranfield.DataError: the judgments go up to level 2,000; exponential gains (2^level − 1) stop at level 900. Use linear gains or a list such as 1:3:7
    """  # noqa: E501
    if level > HIGHEST_EXPONENTIAL:
        raise DataError(
            f"{what} level {level:,}; exponential gains (2^level − 1) stop at level {HIGHEST_EXPONENTIAL}. Use linear "
            "gains or a list such as 1:3:7"
        )
