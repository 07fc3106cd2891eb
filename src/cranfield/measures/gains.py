"""trec_eval's gain measures beside nDCG: DCG itself, nDCG averaged over ranks, and G."""

from __future__ import annotations

import numpy as np

from cranfield.elementary import log2, log2_of_whole
from cranfield.measures.graded import dcg, discount
from cranfield.measures.hits import Floats, Hits, Ints, ratio
from cranfield.measures.parameters import Cutoff, Gains, Level
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import measure

_DCG = "Järvelin & Kekäläinen 2002, TOIS; Burges et al. 2005, ICML (discount)"
_BUCKLEY = "Buckley 2008, trec_eval 9 (experimental)"


@measure("DCG", family="trec_eval", citation=_DCG)
def discounted_gain(ranking: JudgedRanking, *, gains: Gains = "linear", cutoff: Cutoff | None = None) -> Floats:
    """Σ gain / log2(rank+1), not normalised."""
    return dcg(ranking.gains(gains), cutoff)


@measure("IDCG", family="trec_eval", citation=_DCG)
def ideal_discounted_gain(ranking: JudgedRanking, *, gains: Gains = "linear", cutoff: Cutoff | None = None) -> Floats:
    """DCG of the ideal ranking, by which nDCG divides."""
    return dcg(ranking.judgments.ideal(gains), cutoff)


def _sums(hits: Hits) -> Floats:
    """DCG down to each document."""
    return hits.running(hits.gain * discount(hits.rank))


def _at(ideal: Hits, sums: Floats, topic: Ints, rank: Ints) -> Floats:
    """A running sum over the ideal ranking at given ranks; it stays constant below its last document."""
    known = np.diff(ideal.starts)[topic]
    value = np.zeros(len(topic))
    some = (known > 0) & (rank > 0)
    value[some] = sums[(ideal.starts[topic] + np.minimum(rank, known) - 1)[some]]
    return value


@measure("nDCGrel", family="trec_eval", citation=_BUCKLEY)
def ndcg_at_relevant(ranking: JudgedRanking, *, gains: Gains = "linear") -> Floats:
    """Mean over the documents with a gain of nDCG at their rank; for those not retrieved, of DCG / ideal DCG."""
    hits, ideal = ranking.gains(gains), ranking.judgments.ideal(gains)
    own, best = _sums(hits), _sums(ideal)
    known = ideal.count()
    at_rank = hits.total(ratio(own, _at(ideal, best, hits.topic, hits.rank)))
    at_end = ratio(dcg(hits, None), dcg(ideal, None))
    return ratio(at_rank + (known - hits.count()) * at_end, known)


@measure("RnDCG", family="trec_eval", citation=_BUCKLEY)
def ndcg_at_level_changes(ranking: JudgedRanking, *, gains: Gains = "linear", rel: Level = 1) -> Floats:
    """Mean nDCG at the ranks where the ideal ranking steps down to a lower gain, and at the end of a longer list."""
    hits, ideal = ranking.gains(gains), ranking.judgments.ideal(gains)
    known, retrieved = np.diff(ideal.starts), ranking.retrieved
    own, best = _sums(hits), _sums(ideal)
    last = np.append(ideal.gain[1:] != ideal.gain[:-1], True) | np.append(ideal.topic[1:] != ideal.topic[:-1], True)
    steps = ideal.where(last[: len(ideal)])
    at_steps = ratio(_up_to(hits, own, steps.topic, steps.rank), best[last[: len(ideal)]])
    longer = (retrieved > known + 1) & (known > 0)
    at_end = np.where(longer, ratio(dcg(hits, None), dcg(ideal, None)), 0.0)
    value = ratio(steps.total(at_steps) + at_end, steps.count() + longer)
    return np.where(ranking.judgments.relevant(rel) > 0, value, 0.0)


def _up_to(hits: Hits, sums: Floats, topic: Ints, rank: Ints) -> Floats:
    """A running sum over documents retrieved, down to given ranks."""
    width = int(max(hits.rank.max(initial=0), rank.max(initial=0))) + 1
    place = np.searchsorted(hits.topic * width + hits.rank, topic * width + rank, side="right")
    value = np.zeros(len(topic))
    some = place > hits.starts[topic]
    value[some] = sums[place[some] - 1]
    return value


@measure("binG", family="trec_eval", citation=_BUCKLEY)
def binary_gain(ranking: JudgedRanking, *, rel: Level = 1) -> Floats:
    """Σ over relevant documents retrieved of 1 / log2(2 + documents above that are not relevant) / R."""
    relevant = ranking.relevant(rel)
    return ratio(
        relevant.total(1 / log2_of_whole(relevant.rank + 1 - relevant.position)), ranking.judgments.relevant(rel)
    )


@measure("G", family="trec_eval", citation=_BUCKLEY)
def gain_against_ideal(ranking: JudgedRanking, *, gains: Gains = "linear") -> Floats:
    """Σ gain / log2(2 + ideal gain so far − gain so far) / Σ ideal gain; every rank costs the ideal at least 1."""
    hits, ideal = ranking.gains(gains), ranking.judgments.ideal(gains)
    known = np.diff(ideal.starts)[hits.topic]
    cost = _at(ideal, ideal.running(np.maximum(ideal.gain, 1.0)), hits.topic, hits.rank)
    cost += np.maximum(hits.rank - known, 0)
    share = hits.gain / log2(2 + cost - hits.running(hits.gain))
    return ratio(hits.total(share), ideal.total(ideal.gain))
