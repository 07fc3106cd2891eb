"""Measures that tell highly from partially relevant documents: nDCG, Q, ERR, RBP, and trec_eval's gain measures."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from cranfield.core.elementary import log2, log2_of_whole, power
from cranfield.core.errors import DataError
from cranfield.measures.judgments import Floats, Hits, Ints, Judgments, check_exponential, ratio
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import Between, Cutoff, Gains, Level, OpenFraction, Positive, measure

_SAKAI = "Sakai 2014, PROMISE"
_DCG = "Järvelin & Kekäläinen 2002, TOIS; Burges et al. 2005, ICML (discount)"
_BUCKLEY = "Buckley 2008, trec_eval 9 (experimental)"


def discount(rank: Ints) -> Floats:
    """1 / log2(rank + 1), Burges et al. 2005 ("Microsoft version")."""
    return 1 / log2_of_whole(rank + 1)


def dcg(hits: Hits, cutoff: int | None) -> Floats:
    """Discounted cumulative gain of each topic."""
    inside = hits.until(cutoff)
    return inside.total(inside.gain * discount(inside.rank))


def dcg_original(hits: Hits, cutoff: int | None) -> Floats:
    """The same with no discount at ranks 1 and 2, then 1 / log2(rank): Järvelin & Kekäläinen 2002, base 2."""
    inside = hits.until(cutoff)
    return inside.total(inside.gain / log2_of_whole(np.maximum(inside.rank, 2)))


@measure(
    "nDCG",
    aliases=("MSnDCG",),
    family="trec_eval, NTCIREVAL",
    citation="Burges et al. 2005, ICML; Järvelin & Kekäläinen 2002, TOIS (tool=ntcir)",
)
def ndcg(
    ranking: JudgedRanking,
    *,
    gains: Gains = "linear",
    cutoff: Cutoff | None = None,
    tool: Literal["trec", "ntcir"] = "trec",
) -> Floats:
    """Σ gain / log2(rank+1) over that of the ideal ranking; tool=ntcir: no discount at ranks 1, 2, then log2(rank)."""
    kernel = dcg if tool == "trec" else dcg_original
    judgments = ranking.judgments
    best = judgments.cached(("ndcg", tool, gains, cutoff), lambda: kernel(judgments.ideal(gains), cutoff))
    return ratio(kernel(ranking.gains(gains), cutoff), best)


@measure("nG", family="NTCIREVAL", citation=_SAKAI)
def normalised_gain(
    ranking: JudgedRanking, *, gains: Gains = "linear", cutoff: Annotated[int, Between(1, 1)]
) -> Floats:
    """Gain of the first document / highest gain of the topic; at rank 1 only."""
    top = ranking.gains(gains).until(cutoff)
    return ratio(top.total(top.gain), _best_gain(ranking.judgments.ideal(gains)))


def _best_gain(ideal: Hits) -> Floats:
    return ideal.first(ideal.gain)


def blended_ratio(hits: Hits, ideal: Hits, beta: float) -> Floats:
    """BR(r) = (β·cg(r) + count(r)) / (β·cg*(r) + r) at each relevant document (Sakai 2007, eq. 3)."""
    best = ideal.running(ideal.gain)
    known = np.diff(ideal.starts)[hits.topic]
    at = ideal.starts[hits.topic] + np.minimum(hits.rank, known) - 1  # cg* stays constant after R
    return (beta * hits.running(hits.gain) + hits.position + 1) / (beta * best[at] + hits.rank)


def q_measure(hits: Hits, ideal: Hits, beta: float, cutoff: int | None) -> Floats:
    """Sum of the blended ratios / R, or / min(k, R) with a cutoff."""
    inside = hits.until(cutoff)
    known = ideal.count()
    return ratio(
        inside.total(blended_ratio(inside, ideal, beta)), known if cutoff is None else np.minimum(known, cutoff)
    )


@measure("Q", aliases=("Q-measure",), family="NTCIREVAL", citation="Sakai 2007, Information Processing & Management 43")
def q(ranking: JudgedRanking, *, gains: Gains = "linear", beta: Positive = 1.0, cutoff: Cutoff | None = None) -> Floats:
    """AP with the blended ratio (β·cg(r) + count(r)) / (β·cg*(r) + r) for precision; Q@k divides by min(k, R)."""
    return q_measure(ranking.gains(gains), ranking.judgments.ideal(gains), beta, cutoff)


@measure("P+", aliases=("P-plus", "Pplus"), family="NTCIREVAL", citation="Sakai 2007, IPSJ TOD 48")
def p_plus(
    ranking: JudgedRanking, *, gains: Gains = "linear", beta: Positive = 1.0, cutoff: Cutoff | None = None
) -> Floats:
    """Mean blended ratio of the relevant documents down to the first of the highest level in the list."""
    hits = ranking.gains(gains).until(cutoff)
    highest = np.zeros(ranking.n_topics, dtype=np.int64)
    np.maximum.at(highest, hits.topic, hits.level)
    best = hits.where(hits.level == highest[hits.topic])
    preferred = best.first(best.rank.astype(np.float64))
    inside = hits.where(hits.rank <= preferred[hits.topic])
    return ratio(inside.total(blended_ratio(inside, ranking.judgments.ideal(gains), beta)), inside.count())


def cascade(hits: Hits, top_gain: float, cutoff: int | None) -> Floats:
    """Σ (1/r)·stop(r)·Π_{above}(1 − stop), stop = gain / (highest gain + 1) (Chapelle et al. 2009, eq. 4)."""
    inside = hits.until(cutoff)
    stop = inside.gain / (top_gain + 1)
    return inside.total(stop * inside.product_above(1 - stop) / inside.rank)


def highest_gain(judgments: Judgments, gains: str, top: int | None = None) -> float:
    """The gain of the highest level: of the gain list, of `top`, or of the collection's highest level."""
    highest = judgments.highest_gain(gains)
    if top is None or gains not in ("linear", "exp"):
        return highest
    if judgments.top_level > top:
        raise DataError(f"the judgments go up to level {judgments.top_level}, above top={top}; raise top or omit it")
    if gains == "exp":
        check_exponential(top, "top is")
    return float(top if gains == "linear" else 2.0**top - 1)


@measure("ERR", family="gdeval, NTCIREVAL", citation="Chapelle et al. 2009, CIKM")
def err(
    ranking: JudgedRanking, *, gains: Gains = "exp", top: Level | None = None, cutoff: Cutoff | None = None
) -> Floats:
    """Expected 1/rank at which the searcher stops, stopping with probability gain / (highest gain + 1)."""
    return cascade(ranking.gains(gains), highest_gain(ranking.judgments, gains, top), cutoff)


@measure("nERR", family="NTCIREVAL", citation="Chapelle et al. 2009, CIKM; Sakai & Song 2011, SIGIR")
def nerr(
    ranking: JudgedRanking, *, gains: Gains = "exp", top: Level | None = None, cutoff: Cutoff | None = None
) -> Floats:
    """ERR / ERR of the ideal ranking."""
    judgments = ranking.judgments
    scale = highest_gain(judgments, gains, top)
    best = judgments.cached(("nerr", gains, top, cutoff), lambda: cascade(judgments.ideal(gains), scale, cutoff))
    return ratio(cascade(ranking.gains(gains), scale, cutoff), best)


@measure("RBP", family="ir_measures, NTCIREVAL", citation="Moffat & Zobel 2008, TOIS 27")
def rbp(
    ranking: JudgedRanking,
    *,
    p: OpenFraction = 0.8,
    gains: Gains = "linear",
    rel: Level | None = None,
    cutoff: Cutoff | None = None,
) -> Floats:
    """(1−p)·Σ gain/highest gain·p^(rank−1); with rel, a document of at least that level gains 1 and others 0."""
    hits = ranking.gains(gains) if rel is None else ranking.relevant(rel)
    scale = highest_gain(ranking.judgments, gains) if rel is None else 1.0
    inside = hits.until(cutoff)
    return (1 - p) * inside.total(inside.gain / scale * power(p, inside.rank - 1))


@measure("DCG", family="trec_eval", citation=_DCG)
def discounted_gain(ranking: JudgedRanking, *, gains: Gains = "linear", cutoff: Cutoff | None = None) -> Floats:
    """Σ gain / log2(rank+1), not normalised."""
    return dcg(ranking.gains(gains), cutoff)


@measure("IDCG", family="trec_eval", citation=_DCG)
def ideal_discounted_gain(ranking: JudgedRanking, *, gains: Gains = "linear", cutoff: Cutoff | None = None) -> Floats:
    """DCG of the ideal ranking, by which nDCG divides."""
    return dcg(ranking.judgments.ideal(gains), cutoff)


@measure("NCG", aliases=("nCG",), family="TREC Deep Learning", citation="Järvelin & Kekäläinen 2002, TOIS")
def normalised_cumulative_gain(
    ranking: JudgedRanking, *, gains: Gains = "linear", cutoff: Cutoff | None = None
) -> Floats:
    """Σ gain of the first k / that of the ideal ranking; the order of the first k makes no difference."""
    hits, ideal = ranking.gains(gains).until(cutoff), ranking.judgments.ideal(gains).until(cutoff)
    return ratio(hits.total(hits.gain), ideal.total(ideal.gain))


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
    """Mean over documents with a gain: nDCG at their rank, or DCG / ideal DCG if not retrieved."""
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
