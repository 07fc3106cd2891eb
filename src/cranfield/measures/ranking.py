"""`JudgedRanking`: one run's rankings with what the judgments say of them. Every measure is a function of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.collection.matched import Matched
from cranfield.collection.packed import Ids, PackedRun
from cranfield.collection.types import Run
from cranfield.defaults import ORDER, RankingOrder
from cranfield.errors import DataError
from cranfield.measures.hits import Hits, Ints, Mask
from cranfield.measures.judgments import Judgments
from cranfield.measures.matching import DocumentIndex, Documents, documents_of, stretch_numbers, topic_numbers
from cranfield.records import record

if TYPE_CHECKING:
    import polars as pl
else:
    from cranfield.lazy import polars as pl

_Thing = TypeVar("_Thing")


@record(eq=False)
class JudgedRanking:
    """The rankings of one system for all topics, judged.

    Most documents of a ranking are unjudged and only take up ranks; so only the judged ones are kept as rows
    (`hits`), each with its rank, and the number of documents retrieved for each topic.

    Parameters
    ----------
    judgments : what is known of the documents
    retrieved : how many documents were retrieved for each topic
    topic, rank, document : topic number, rank and document number of each judged document retrieved
    row : where each of them stands in `documents`
    start : where each topic's documents begin in `documents`
    ids : ids of all documents retrieved
    arranged : the rows of `ids` topic after topic, in order of rank, or a function that finds them when they are asked
        for; None when they stand so
    """

    judgments: Judgments
    retrieved: Ints
    topic: Ints
    rank: Ints
    document: Ints
    row: Ints
    start: Ints
    ids: Documents
    arranged: Ints | Callable[[], Ints] | None = None
    _memory: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def n_topics(self) -> int:
        """How many topics the judgments have."""
        return self.judgments.n_topics

    def matched(self, system: str) -> Matched:
        """How many of the documents of this system are judged."""
        return Matched(system, len(self.document), int(self.retrieved.sum()))

    def cached(self, key: Hashable, compute: Callable[[], _Thing]) -> _Thing:
        """What `compute` gives, computed once for this ranking and shared by all measures."""
        if key not in self._memory:
            self._memory[key] = compute()
        known: _Thing = self._memory[key]
        return known

    @property
    def documents(self) -> pl.Series:
        """Ids of all documents retrieved, topic after topic, in order of rank (put so when first asked for)."""
        places = self.places
        ids = self.ids if places is None else self.ids.gather(places)
        return self.cached("documents", lambda: documents_of(ids))

    @property
    def places(self) -> Ints | None:
        """The rows of `ids` topic after topic, in order of rank; None when they stand so."""
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


class NoRanking(DataError):
    """The rank column of a run orders nothing: ranks are missing, or (where `rank` is given) occur twice."""

    def __init__(self, system: str, count: int, topic: str, rank: int | None = None, number: int = 0) -> None:
        self.system, self.count, self.topic, self.rank, self.number = system, count, topic, rank, number
        what = (
            f"{count} documents have no integer in the rank column, the first for topic {topic}"
            if rank is None
            else f"rank {rank} occurs twice for topic {topic} ({count} ranks do so in all)"
        )
        super().__init__(f"{system}: {what}; order by score or by file instead (order='score', order='file')")

    def __reduce__(self) -> tuple[type[NoRanking], tuple[str, int, str, int | None, int]]:
        return NoRanking, (self.system, self.count, self.topic, self.rank, self.number)


def judge(
    run: Run | PackedRun,
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
    documents: Documents
    if isinstance(run, PackedRun):
        topic, unjudged_topics = stretch_numbers(run.topics, run.lengths, numbers)
        system, documents, column = run.tag, run.documents, run.column
    else:
        topic, unjudged_topics = topic_numbers(run.frame["topic"], numbers)
        system, documents, column = run.system, run.frame["document"], lambda name: run.frame[name].to_numpy()
    known: Ints | slice = slice(None)
    if unjudged_topics:
        known = np.flatnonzero(topic >= 0)
        documents, topic = documents.gather(known), topic[known]
    if order == "score":
        score = column("score")[known]
        if single_precision:
            with np.errstate(over="ignore"):  # beyond the largest float, scores tie at infinity, as in trec_eval
                score = score.astype(np.float32)
        arranged = _by_score(topic, score, documents)
    elif order == "rank":
        arranged = _by_rank(topic, column("rank")[known], system, judgments.topics)
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


def _by_score(topic: Ints, score: NDArray[np.floating[Any]], documents: Documents) -> Ints | None:
    """The rows by topic, score descending, document id descending (bytes); None when they stand so already."""
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
    ids = documents.gather(inside if arranged is None else arranged[inside])
    neighbours = group[1:] == group[:-1]
    if _before(ids.gather(np.arange(1, len(ids))), ids.gather(np.arange(len(ids) - 1)))[neighbours].all():
        return arranged
    if arranged is None:
        arranged = np.arange(len(topic))
    arranged[inside] = arranged[inside[_by_id(group, ids)]]
    return arranged


def _before(ids: Documents, others: Documents) -> Mask:
    """Where an id comes before the other in the order of their bytes."""
    if isinstance(ids, Ids) and isinstance(others, Ids):
        return ids.before(others)
    below: Mask = (documents_of(ids) < documents_of(others)).to_numpy()
    return below


def _by_id(group: Ints, ids: Documents) -> Ints:
    """The rows by group and, descending, by id."""
    if isinstance(ids, Ids):
        return np.lexsort([*(~word for word in ids.in_order[::-1]), group])
    ties = pl.DataFrame({"group": group, "id": ids})
    return ties.select(pl.arg_sort_by("group", "id", descending=[False, True])).to_series().to_numpy()


def _by_rank(topic: Ints, ranks: NDArray[Any], system: str, topics: tuple[str, ...]) -> Ints | None:
    """The rows by topic and rank column (NaN where there is no rank); an error where it is no ranking."""
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
