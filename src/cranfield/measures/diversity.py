"""Diversity over subtopics: novelty as ndeval has it for the TREC Web track, and the D-measures of NTCIR.

The D-measures take graded relevance to intents, weighted by how probable each intent is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cranfield.core.elementary import power
from cranfield.core.errors import DataError
from cranfield.measures.graded import dcg, discount, q_measure
from cranfield.measures.judgments import Floats, Hits, Ints, Judgments, ratio, sum_by
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import Cutoff, Fraction, Gains, Level, Positive, measure

_CLARKE = "Clarke et al. 2008, SIGIR; Clarke et al. 2011, WSDM"
_SONG = "Sakai & Song 2011, SIGIR"
_NDEVAL, _NTCIR = "ndeval", "NTCIREVAL"
_ALPHA = 0.5


@dataclass(frozen=True, eq=False)
class Finds:
    """Relevant (document, subtopic) pairs of a ranking, by topic and rank.

    `earlier` counts the documents above that are relevant to the same subtopic.
    """

    topic: Ints
    rank: Ints
    subtopic: Ints
    earlier: Ints
    n_topics: int

    def until(self, cutoff: int | None) -> Finds:
        """The pairs of the first ranks."""
        if cutoff is None:
            return self
        m = self.rank <= cutoff
        return Finds(self.topic[m], self.rank[m], self.subtopic[m], self.earlier[m], self.n_topics)

    def total(self, values: Floats) -> Floats:
        """Sum of the values of each topic."""
        return sum_by(self.topic, values, self.n_topics)

    def novelty(self, alpha: float) -> Floats:
        """(1 − α)^earlier: the value of another document on the subtopic."""
        return power(1 - alpha, self.earlier)


def relevant_pairs(judgments: Judgments, rel: int) -> tuple[Ints, Ints]:
    """Document and subtopic of every pair with at least this level."""

    def compute() -> tuple[Ints, Ints]:
        chosen = judgments.subtopics.where(judgments.subtopics.level >= rel)
        return chosen.document, chosen.subtopic

    return judgments.cached(("pairs", rel), compute)


def subtopic_counts(judgments: Judgments, rel: int) -> Floats:
    """How many subtopics of each topic have a relevant document: n."""
    _, subtopic = relevant_pairs(judgments, rel)
    topic = judgments.subtopics.topic[np.unique(subtopic)]
    return np.bincount(topic, minlength=judgments.n_topics).astype(np.float64)


def find_pairs(judgments: Judgments, rel: int, topic: Ints, rank: Ints, document: Ints) -> Finds:
    """The relevant (document, subtopic) pairs of a ranking given by its judged documents."""
    of_document, subtopic = relevant_pairs(judgments, rel)
    first = np.searchsorted(of_document, document)
    many = np.searchsorted(of_document, document, side="right") - first
    row = np.repeat(np.arange(len(document)), many)
    at = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many) + np.repeat(first, many)
    subtopics = subtopic[at]
    order = np.argsort(subtopics, kind="stable")  # rows are in order of rank, so each subtopic's finds are too
    starts = np.searchsorted(subtopics[order], subtopics[order])
    earlier = np.empty(len(subtopics), dtype=np.int64)
    earlier[order] = np.arange(len(subtopics)) - starts
    return Finds(topic[row], rank[row], subtopics, earlier, judgments.n_topics)


def finds(ranking: JudgedRanking, rel: int) -> Finds:
    """The relevant (document, subtopic) pairs retrieved."""
    judgments = ranking.judgments
    return ranking.cached(
        ("finds", rel), lambda: find_pairs(judgments, rel, ranking.topic, ranking.rank, ranking.document)
    )


def ideal_finds(judgments: Judgments, rel: int, alpha: float, depth: int | None) -> Finds:
    """The greedy ideal ranking: at each rank the document of highest novelty, ties to the larger id."""

    def compute() -> Finds:
        topic, rank, document = greedy_ranking(judgments, rel, alpha, depth)
        return find_pairs(judgments, rel, topic, rank, document)

    return judgments.cached(("ideal finds", rel, alpha, depth), compute)


def greedy_ranking(judgments: Judgments, rel: int, alpha: float, depth: int | None) -> tuple[Ints, Ints, Ints]:
    """Topic, rank and document of the greedy ideal rankings.

    Documents relevant to the same subtopics differ only in their ids. So each such group is a queue by id, and only the
    heads of the queues compete.
    """
    of_document, subtopic = relevant_pairs(judgments, rel)
    by_id = judgments.cached("ids", judgments.documents.to_list)
    patterns: dict[int, list[int]] = {}
    for document, number in zip(of_document.tolist(), subtopic.tolist(), strict=True):
        patterns.setdefault(document, []).append(number)
    topics: dict[int, dict[tuple[int, ...], list[int]]] = {}
    for document, numbers in patterns.items():
        topics.setdefault(int(judgments.topic[document]), {}).setdefault(tuple(numbers), []).append(document)
    rows: list[tuple[int, int, int]] = []
    for topic, queues in topics.items():
        for queue in queues.values():
            queue.sort(key=lambda document: by_id[document].encode())
        worth = dict.fromkeys((number for pattern in queues for number in pattern), 1.0)
        left = sum(map(len, queues.values()))
        for rank in range(1, min(left, depth or left) + 1):
            pattern = max(
                queues, key=lambda p: (sum(worth[number] for number in p), by_id[queues[p][-1]].encode())
            )  # fmt: skip
            rows.append((topic, rank, queues[pattern].pop()))
            if not queues[pattern]:
                del queues[pattern]
            for number in pattern:
                worth[number] *= 1 - alpha
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    columns = columns[np.lexsort((columns[:, 1], columns[:, 0]))]
    return columns[:, 0], columns[:, 1], columns[:, 2]


def _by_ideal_ideal(value: Floats, weight: Floats, judgments: Judgments, rel: int, alpha: float) -> Floats:
    """Divided by the value of finding all n subtopics at every rank; like ndeval, not divided at k = 1."""
    if len(weight) == 1:
        return value
    best = float(np.sum(power(1 - alpha, np.arange(len(weight))) * weight))
    return ratio(value, best * subtopic_counts(judgments, rel))


def _alpha_dcg(finds: Finds, alpha: float, cutoff: int) -> Floats:
    inside = finds.until(cutoff)
    return inside.total(inside.novelty(alpha) * discount(inside.rank))


def _err_ia(finds: Finds, alpha: float, cutoff: int) -> Floats:
    inside = finds.until(cutoff)
    return inside.total(inside.novelty(alpha) / inside.rank)


def _nrbp(finds: Finds, alpha: float, beta: float) -> Floats:
    return finds.total(finds.novelty(alpha) * power(beta, finds.rank - 1))


@measure("alpha-DCG", family=_NDEVAL, citation=_CLARKE)
def alpha_dcg(ranking: JudgedRanking, *, alpha: Fraction = _ALPHA, rel: Level = 1, cutoff: Cutoff) -> Floats:
    """Σ novelty / log2(rank+1), novelty = Σ over subtopics of (1−α)^(relevant documents above), scaled to at most 1."""
    ranks = np.arange(1, cutoff + 1)
    value = _alpha_dcg(finds(ranking, rel), alpha, cutoff)
    return _by_ideal_ideal(value, discount(ranks), ranking.judgments, rel, alpha)


@measure("alpha-nDCG", aliases=("α-nDCG",), family=_NDEVAL, citation=_CLARKE)
def alpha_ndcg(ranking: JudgedRanking, *, alpha: Fraction = _ALPHA, rel: Level = 1, cutoff: Cutoff) -> Floats:
    """alpha-DCG / that of a greedy ideal ranking."""
    best = _alpha_dcg(ideal_finds(ranking.judgments, rel, alpha, cutoff), alpha, cutoff)
    return ratio(_alpha_dcg(finds(ranking, rel), alpha, cutoff), best)


@measure("ERR-IA", family=_NDEVAL, citation="Chapelle et al. 2011, Information Retrieval 14; scaled as in ndeval 4.5")
def err_ia(ranking: JudgedRanking, *, alpha: Fraction = _ALPHA, rel: Level = 1, cutoff: Cutoff) -> Floats:
    """Σ novelty / rank, scaled to at most 1."""
    value = _err_ia(finds(ranking, rel), alpha, cutoff)
    return _by_ideal_ideal(value, 1 / np.arange(1.0, cutoff + 1), ranking.judgments, rel, alpha)


@measure("nERR-IA", family=_NDEVAL, citation="Chapelle et al. 2011, Information Retrieval 14")
def nerr_ia(ranking: JudgedRanking, *, alpha: Fraction = _ALPHA, rel: Level = 1, cutoff: Cutoff) -> Floats:
    """ERR-IA / that of the greedy ideal ranking of alpha-nDCG."""
    best = _err_ia(ideal_finds(ranking.judgments, rel, alpha, cutoff), alpha, cutoff)
    return ratio(_err_ia(finds(ranking, rel), alpha, cutoff), best)


@measure("NRBP", family=_NDEVAL, citation="Clarke et al. 2009, ICTIR")
def nrbp(ranking: JudgedRanking, *, alpha: Fraction = _ALPHA, beta: Fraction = 0.5, rel: Level = 1) -> Floats:
    """(1 − (1−α)·β)/n · Σ novelty·β^(rank−1), n subtopics with a relevant document."""
    value = (1 - (1 - alpha) * beta) * _nrbp(finds(ranking, rel), alpha, beta)
    return ratio(value, subtopic_counts(ranking.judgments, rel))


@measure("nNRBP", family=_NDEVAL, citation="Clarke et al. 2009, ICTIR")
def nnrbp(ranking: JudgedRanking, *, alpha: Fraction = _ALPHA, beta: Fraction = 0.5, rel: Level = 1) -> Floats:
    """NRBP / that of the greedy ideal ranking of alpha-nDCG."""
    best = _nrbp(ideal_finds(ranking.judgments, rel, alpha, None), alpha, beta)
    return ratio(_nrbp(finds(ranking, rel), alpha, beta), best)


@measure("AP-IA", aliases=("MAP-IA",), family=_NDEVAL, citation="Agrawal et al. 2009, WSDM")
def ap_ia(ranking: JudgedRanking, *, rel: Level = 1) -> Floats:
    """Mean over subtopics of AP with the documents relevant to the subtopic."""
    judgments, pairs = ranking.judgments, finds(ranking, rel)
    _, subtopic = relevant_pairs(judgments, rel)
    known = np.bincount(subtopic, minlength=len(judgments.subtopics.topic))
    return ratio(
        pairs.total((pairs.earlier + 1) / pairs.rank / known[pairs.subtopic]), subtopic_counts(judgments, rel)
    )  # fmt: skip


@measure("P-IA", family=_NDEVAL, citation="Agrawal et al. 2009, WSDM")
def p_ia(ranking: JudgedRanking, *, rel: Level = 1, cutoff: Cutoff) -> Floats:
    """Mean over subtopics of P@k with the documents relevant to the subtopic."""
    inside = finds(ranking, rel).until(cutoff)
    counts = np.bincount(inside.topic, minlength=ranking.n_topics).astype(np.float64)
    return ratio(counts, cutoff * subtopic_counts(ranking.judgments, rel))


def covered(ranking: JudgedRanking, rel: int, cutoff: int | None) -> Floats:
    """The share of subtopics with a relevant document among the first k."""
    inside = finds(ranking, rel).until(cutoff)
    counts = np.bincount(inside.topic[inside.earlier == 0], minlength=ranking.n_topics).astype(np.float64)
    return ratio(counts, subtopic_counts(ranking.judgments, rel))


@measure("strec", aliases=("StRecall", "S-recall"), family=_NDEVAL, citation="Zhai et al. 2003, SIGIR")
def subtopic_recall(ranking: JudgedRanking, *, rel: Level = 1, cutoff: Cutoff) -> Floats:
    """Subtopics with a relevant document among the first k / subtopics with a relevant document."""
    return covered(ranking, rel, cutoff)


def probabilities(judgments: Judgments) -> Floats:
    """P(i|q) of each subtopic: as given, else uniform over those of the topic with a relevant document.

    Given probabilities are not rescaled: an intent without relevant documents keeps its share.
    """
    subtopics = judgments.subtopics
    _, present = relevant_pairs(judgments, 1)
    present = np.unique(present)
    chance = np.zeros(len(subtopics.labels))
    if judgments.intents is None:
        counts = subtopic_counts(judgments, 1)
        chance[present] = 1 / counts[subtopics.topic[present]]
        return chance
    for number in present.tolist():
        topic, intent = judgments.topics[subtopics.topic[number]], subtopics.labels[number]
        if (topic, intent) not in judgments.intents.probability:
            raise DataError(
                f"{judgments.intents.name}: intent {intent} of topic {topic} has relevant documents but no probability"
            )
        chance[number] = judgments.intents.probability[topic, intent]
    return chance


def global_gains(judgments: Judgments, gains: str) -> Floats:
    """Gain of each judged document: Σ over intents of P(i|q)·gain for the intent (Sakai & Song 2011, eq. 5)."""

    def compute() -> Floats:
        subtopics = judgments.subtopics
        gain = judgments.gains_of(subtopics.level, gains)
        weighted = judgments.cached("probabilities", lambda: probabilities(judgments))[subtopics.subtopic] * gain
        return sum_by(subtopics.document, weighted, len(judgments.topic))

    return judgments.cached(("global gains", gains), compute)


def ideal(judgments: Judgments, gains: str) -> Hits:
    """The documents by global gain."""
    return judgments.cached(("global ideal", gains), lambda: judgments.ranked(global_gains(judgments, gains)))


def retrieved(ranking: JudgedRanking, gains: str) -> Hits:
    """The documents retrieved that have a positive global gain, worth that gain."""

    def compute() -> Hits:
        gain = global_gains(ranking.judgments, gains)[ranking.document]
        empty = np.zeros_like(ranking.document)
        hits = Hits(ranking.topic, ranking.rank, empty, gain, ranking.document, ranking.n_topics)
        return hits.where(gain > 0)

    return ranking.cached(("global gains", gains), compute)


@measure("I-rec", family=_NTCIR, citation=_SONG)
def intent_recall(ranking: JudgedRanking, *, cutoff: Cutoff | None = None) -> Floats:
    """Intents with a relevant document (among the first k) / intents with a relevant document."""
    return covered(ranking, 1, cutoff)


@measure("D-nDCG", family=_NTCIR, citation=_SONG)
def d_ndcg(ranking: JudgedRanking, *, gains: Gains = "linear", cutoff: Cutoff | None = None) -> Floats:
    """nDCG with the global gain Σ P(intent)·gain(intent) of each document."""
    return ratio(dcg(retrieved(ranking, gains), cutoff), dcg(ideal(ranking.judgments, gains), cutoff))


@measure("D-Q", family=_NTCIR, citation=_SONG)
def d_q(
    ranking: JudgedRanking, *, gains: Gains = "linear", beta: Positive = 1.0, cutoff: Cutoff | None = None
) -> Floats:
    """Q with the global gain Σ P(intent)·gain(intent) of each document."""
    return q_measure(retrieved(ranking, gains), ideal(ranking.judgments, gains), beta, cutoff)


@measure("D#-nDCG", family=_NTCIR, citation=_SONG)
def d_sharp_ndcg(
    ranking: JudgedRanking, *, gains: Gains = "linear", weight: Fraction = 0.5, cutoff: Cutoff | None = None
) -> Floats:
    """weight·I-rec + (1−weight)·D-nDCG, half of each by default."""
    relevance = d_ndcg(ranking, gains=gains, cutoff=cutoff)
    return weight * intent_recall(ranking, cutoff=cutoff) + (1 - weight) * relevance


@measure("D#-Q", family=_NTCIR, citation=_SONG)
def d_sharp_q(
    ranking: JudgedRanking, *, gains: Gains = "linear", weight: Fraction = 0.5, cutoff: Cutoff | None = None
) -> Floats:
    """weight·I-rec + (1−weight)·D-Q, half of each by default."""
    relevance = d_q(ranking, gains=gains, cutoff=cutoff)
    return weight * intent_recall(ranking, cutoff=cutoff) + (1 - weight) * relevance
