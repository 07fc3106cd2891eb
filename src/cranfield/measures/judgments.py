"""`Judgments`: what is known of a collection's documents, ready to judge rankings and to build ideal ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.collection.intents import Intents
from cranfield.collection.types import Qrels, QrelsInWords
from cranfield.errors import DataError
from cranfield.labels import natural_sorted
from cranfield.measures.hits import Floats, Hits, Ints, Mask
from cranfield.measures.matching import DocumentIndex, Documents, stretch_numbers, topic_numbers
from cranfield.records import record

_Thing = TypeVar("_Thing")
HIGHEST_EXPONENTIAL = 900
"""The highest level with an exponential gain: 2^900 is about 10^271, and many of them still have a finite sum."""


@record(eq=False)
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


@record(eq=False)
class Judgments:
    """The judged documents of every topic.

    Parameters
    ----------
    topics : topic labels, in numeric-aware order
    topic : topic number of each judged document, ascending
    documents : id of each judged document
    subtopics : the judgments subtopic by subtopic
    top_level : highest relevance level of the collection, which sets the scale of `ERR` and `RBP`
    intents : probability of each subtopic, when given
    """

    topics: tuple[str, ...]
    topic: Ints
    documents: Documents
    subtopics: SubtopicJudgments
    top_level: int
    intents: Intents | None = None
    _memory: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def n_topics(self) -> int:
        """How many topics."""
        return len(self.topics)

    @property
    def topic_number(self) -> dict[str, int]:
        """The number of each topic label."""
        return self.cached("numbers", lambda: {label: number for number, label in enumerate(self.topics)})

    def cached(self, key: Hashable, compute: Callable[[], _Thing]) -> _Thing:
        """What `compute` gives, computed once for these judgments and shared by all rankings."""
        if key not in self._memory:
            self._memory[key] = compute()
        known: _Thing = self._memory[key]
        return known

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
                "subtopics, and measures like AP and nDCG need one judgment per document; use a diversity measure "
                "such as alpha-nDCG@10 or D-nDCG@10, or qrels with one line per document"
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
        table: Floats = self.cached(("gains", gains), lambda: gain_table(gains, self.top_level))
        chosen: Floats = table[level.clip(0)]
        return chosen

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
    """The gain of levels 0, 1, … up to the highest of the collection: exponential, or from a list.

    >>> gain_table("exp", 3).tolist(), gain_table("1:3", 2).tolist()
    ([0.0, 1.0, 3.0, 7.0], [0.0, 1.0, 3.0])
    """
    if gains == "exp":
        check_exponential(top_level, "the judgments go up to")
        return np.ldexp(1.0, np.arange(max(top_level, 0) + 1)) - 1
    listed = [0.0, *(float(part) for part in gains.split(":"))]
    if top_level >= len(listed):
        raise DataError(
            f"gains {gains} stop at level {len(listed) - 1}, but the judgments go up to level {top_level}; "
            "name a gain for every level"
        )
    return np.array(listed)


def check_exponential(level: int, what: str) -> None:
    """Refuse a level whose exponential gain, or the sum of some, no number of the machine holds.

    >>> check_exponential(2000, "the judgments go up to")
    Traceback (most recent call last):
    cranfield.errors.DataError: the judgments go up to level 2,000; exponential gains (2^level − 1) go up to level 900, so use linear gains or a list such as 1:3:7
    """  # noqa: E501
    if level > HIGHEST_EXPONENTIAL:
        raise DataError(
            f"{what} level {level:,}; exponential gains (2^level − 1) go up to level {HIGHEST_EXPONENTIAL}, so use "
            "linear gains or a list such as 1:3:7"
        )


def prepare(qrels: Qrels, intents: Intents | None = None) -> tuple[Judgments, DocumentIndex]:
    """Judgments ready for use, and the index that finds a ranking's documents among them."""
    if not len(qrels):
        raise DataError(f"{qrels.name}: no judgments at all")
    topics = qrels.topics
    numbers = {label: number for number, label in enumerate(topics)}
    if isinstance(qrels, QrelsInWords):
        packed = qrels.packed
        topic, _ = stretch_numbers(packed.topics, packed.lengths, numbers)
        index, level = DocumentIndex(topic, packed.documents), packed.levels
        labels, code = [packed.subtopic], np.zeros(len(packed), dtype=np.int64)
    else:
        frame = qrels.frame
        topic, _ = topic_numbers(frame["topic"], numbers)
        index, level = DocumentIndex(topic, frame["document"]), frame["relevance"].to_numpy().astype(np.int64)
        labels = natural_sorted(frame["subtopic"].unique().to_list())
        code, _ = topic_numbers(frame["subtopic"], {label: number for number, label in enumerate(labels)})
    subtopics = _subtopics(topic, labels, code, index.of_judgment, level)
    judgments = Judgments(topics, index.topic, index.document, subtopics, int(level.max()), intents)
    return judgments, index


def _subtopics(topic: Ints, labels: list[str], code: Ints, document: Ints, level: Ints) -> SubtopicJudgments:
    """Number the subtopics topic by topic; `code` says which label each judgment has."""
    pairs, number = np.unique(topic * len(labels) + code, return_inverse=True)
    order = np.lexsort((number, document))
    names: NDArray[np.int64] = pairs % len(labels)
    return SubtopicJudgments(
        document[order],
        number[order],
        level[order],
        tuple(labels[at] for at in names),
        pairs // len(labels),
    )
