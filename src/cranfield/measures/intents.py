"""The D-measures of NTCIR: graded relevance to intents, weighted by how probable each intent is."""

from __future__ import annotations

import numpy as np

from cranfield.errors import DataError
from cranfield.measures.graded import dcg, q_measure
from cranfield.measures.hits import Floats, Hits, ratio, sum_by
from cranfield.measures.judgments import Judgments
from cranfield.measures.novelty import covered, relevant_pairs, subtopic_counts
from cranfield.measures.parameters import Cutoff, Fraction, Gains, Positive
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import measure

_SONG = "Sakai & Song 2011, SIGIR"
_FAMILY = "NTCIREVAL"


def probabilities(judgments: Judgments) -> Floats:
    """P(i|q) of each subtopic: as given, else uniform over those of the topic with a relevant document.

    Given probabilities are used as they are: an intent without relevant documents keeps its share.
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


@measure("I-rec", family=_FAMILY, citation=_SONG)
def intent_recall(ranking: JudgedRanking, *, cutoff: Cutoff | None = None) -> Floats:
    """Intents with a relevant document (among the first k) / intents with a relevant document."""
    return covered(ranking, 1, cutoff)


@measure("D-nDCG", family=_FAMILY, citation=_SONG)
def d_ndcg(ranking: JudgedRanking, *, gains: Gains = "linear", cutoff: Cutoff | None = None) -> Floats:
    """nDCG with the global gain Σ P(intent)·gain(intent) of each document."""
    return ratio(dcg(retrieved(ranking, gains), cutoff), dcg(ideal(ranking.judgments, gains), cutoff))


@measure("D-Q", family=_FAMILY, citation=_SONG)
def d_q(
    ranking: JudgedRanking, *, gains: Gains = "linear", beta: Positive = 1.0, cutoff: Cutoff | None = None
) -> Floats:
    """Q with the global gain Σ P(intent)·gain(intent) of each document."""
    return q_measure(retrieved(ranking, gains), ideal(ranking.judgments, gains), beta, cutoff)


@measure("D#-nDCG", family=_FAMILY, citation=_SONG)
def d_sharp_ndcg(
    ranking: JudgedRanking, *, gains: Gains = "linear", weight: Fraction = 0.5, cutoff: Cutoff | None = None
) -> Floats:
    """weight·I-rec + (1−weight)·D-nDCG, half of each by default."""
    relevance = d_ndcg(ranking, gains=gains, cutoff=cutoff)
    return weight * intent_recall(ranking, cutoff=cutoff) + (1 - weight) * relevance


@measure("D#-Q", family=_FAMILY, citation=_SONG)
def d_sharp_q(
    ranking: JudgedRanking, *, gains: Gains = "linear", weight: Fraction = 0.5, cutoff: Cutoff | None = None
) -> Floats:
    """weight·I-rec + (1−weight)·D-Q, half of each by default."""
    relevance = d_q(ranking, gains=gains, cutoff=cutoff)
    return weight * intent_recall(ranking, cutoff=cutoff) + (1 - weight) * relevance
