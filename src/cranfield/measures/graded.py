"""Measures that tell highly from partially relevant documents."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from cranfield.elementary import log2_of_whole, power
from cranfield.errors import DataError
from cranfield.measures.hits import Floats, Hits, Ints, ratio
from cranfield.measures.judgments import Judgments, check_exponential
from cranfield.measures.parameters import Between, Cutoff, Gains, Level, OpenFraction, Positive
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import measure

_SAKAI = "Sakai 2014, PROMISE"


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
        inside.total(blended_ratio(inside, ideal, beta)),
        known if cutoff is None else np.minimum(known, cutoff),
    )


@measure("Q", family="NTCIREVAL", citation="Sakai 2007, Information Processing & Management 43")
def q(ranking: JudgedRanking, *, gains: Gains = "linear", beta: Positive = 1.0, cutoff: Cutoff | None = None) -> Floats:
    """AP with the blended ratio (β·cg(r) + count(r)) / (β·cg*(r) + r) for precision; Q@k divides by min(k, R)."""
    return q_measure(ranking.gains(gains), ranking.judgments.ideal(gains), beta, cutoff)


@measure("P+", family="NTCIREVAL", citation="Sakai 2007, IPSJ TOD 48")
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
        raise DataError(
            f"the judgments go up to level {judgments.top_level}, above top={top}; raise top or leave it out"
        )
    if gains == "exp":
        check_exponential(top, "top is")
    return float(top if gains == "linear" else 2.0**top - 1)


@measure("ERR", family="gdeval, NTCIREVAL", citation="Chapelle et al. 2009, CIKM")
def err(
    ranking: JudgedRanking,
    *,
    gains: Gains = "exp",
    top: Level | None = None,
    cutoff: Cutoff | None = None,
) -> Floats:
    """Expected 1/rank at which the searcher stops, stopping with probability gain / (highest gain + 1)."""
    return cascade(ranking.gains(gains), highest_gain(ranking.judgments, gains, top), cutoff)


@measure("nERR", family="NTCIREVAL", citation="Chapelle et al. 2009, CIKM; Sakai & Song 2011, SIGIR")
def nerr(
    ranking: JudgedRanking,
    *,
    gains: Gains = "exp",
    top: Level | None = None,
    cutoff: Cutoff | None = None,
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
