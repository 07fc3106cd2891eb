"""Further measures of NTCIREVAL: EBR, iRBU, the NCU family, P- and O-measure; and graded average precision."""

from __future__ import annotations

import numpy as np

from cranfield.core.elementary import power
from cranfield.measures.graded import blended_ratio, highest_gain
from cranfield.measures.judgments import Floats, Hits, ratio
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import Cutoff, Gains, Level, OpenFraction, Positive, measure

_NTCIR = "NTCIREVAL"
_NCU = "Sakai & Robertson 2008, EVIA"
_IRBU = "Sakai & Zeng 2019, SIGIR-AP"
_EBR = "Sakai 2019, NTCIREVAL 190111"


def stopping(hits: Hits, top_gain: float) -> Floats:
    """Probability to stop at each document: gain/(highest gain + 1), after no stop above."""
    stop = hits.gain / (top_gain + 1)
    chance: Floats = stop * hits.product_above(1 - stop)
    return chance


def _ebr(hits: Hits, ideal: Hits, top_gain: float, beta: float, cutoff: int | None) -> Floats:
    inside = hits.until(cutoff)
    return inside.total(stopping(inside, top_gain) * blended_ratio(inside, ideal, beta))


def expected_utility(hits: Hits, top_gain: float, p: float, cutoff: int | None) -> Floats:
    """p^rank, expected over the document at which the searcher stops."""
    inside = hits.until(cutoff)
    return inside.total(stopping(inside, top_gain) * power(p, inside.rank))


@measure("EBR", family=_NTCIR, citation=_EBR)
def ebr(
    ranking: JudgedRanking,
    *,
    gains: Gains = "exp",
    beta: Positive = 1.0,
    top: Level | None = None,
    cutoff: Cutoff | None = None,
) -> Floats:
    """Expected blended ratio where the searcher stops: ERR with Q's blended ratio in place of 1/rank."""
    judgments = ranking.judgments
    return _ebr(ranking.gains(gains), judgments.ideal(gains), highest_gain(judgments, gains, top), beta, cutoff)


@measure("nEBR", family=_NTCIR, citation=_EBR)
def nebr(
    ranking: JudgedRanking,
    *,
    gains: Gains = "exp",
    beta: Positive = 1.0,
    top: Level | None = None,
    cutoff: Cutoff | None = None,
) -> Floats:
    """EBR / EBR of the ideal ranking."""
    ideal, scale = ranking.judgments.ideal(gains), highest_gain(ranking.judgments, gains, top)
    return ratio(_ebr(ranking.gains(gains), ideal, scale, beta, cutoff), _ebr(ideal, ideal, scale, beta, cutoff))


@measure("iRBU", family=_NTCIR, citation=_IRBU)
def irbu(
    ranking: JudgedRanking,
    *,
    gains: Gains = "exp",
    p: OpenFraction = 0.99,
    top: Level | None = None,
    cutoff: Cutoff | None = None,
) -> Floats:
    """Expected utility p^rank where the searcher stops: ERR with p^rank in place of 1/rank."""
    return expected_utility(ranking.gains(gains), highest_gain(ranking.judgments, gains, top), p, cutoff)


@measure("niRBU", family=_NTCIR, citation=_IRBU)
def nirbu(
    ranking: JudgedRanking,
    *,
    gains: Gains = "exp",
    p: OpenFraction = 0.99,
    top: Level | None = None,
    cutoff: Cutoff | None = None,
) -> Floats:
    """Ratio of iRBU to that of the ideal ranking."""
    scale = highest_gain(ranking.judgments, gains, top)
    best = expected_utility(ranking.judgments.ideal(gains), scale, p, cutoff)
    return ratio(expected_utility(ranking.gains(gains), scale, p, cutoff), best)


@measure("nRBP", family=_NTCIR, citation="Moffat & Zobel 2008, TOIS 27; normalised as in NTCIREVAL")
def normalised_rbp(
    ranking: JudgedRanking, *, p: OpenFraction = 0.8, gains: Gains = "linear", cutoff: Cutoff | None = None
) -> Floats:
    """RBP / RBP of the ideal ranking."""
    hits, ideal = ranking.gains(gains).until(cutoff), ranking.judgments.ideal(gains).until(cutoff)
    return ratio(hits.total(hits.gain * power(p, hits.rank - 1)), ideal.total(ideal.gain * power(p, ideal.rank - 1)))


@measure("O-measure", family=_NTCIR, citation="Sakai 2006, IPSJ TOD 47")
def o_measure(
    ranking: JudgedRanking, *, gains: Gains = "linear", beta: Positive = 1.0, cutoff: Cutoff | None = None
) -> Floats:
    """Blended ratio at the first relevant document."""
    hits = ranking.gains(gains).until(cutoff)
    return hits.first(blended_ratio(hits, ranking.judgments.ideal(gains), beta))


@measure("P-measure", family=_NTCIR, citation="Sakai 2007, IPSJ TOD 48")
def p_measure(
    ranking: JudgedRanking, *, gains: Gains = "linear", beta: Positive = 1.0, cutoff: Cutoff | None = None
) -> Floats:
    """Blended ratio at the first document of the highest level in the list."""
    hits = ranking.gains(gains).until(cutoff)
    highest = np.zeros(ranking.n_topics, dtype=np.int64)
    np.maximum.at(highest, hits.topic, hits.level)
    best = hits.level == highest[hits.topic]
    return hits.where(best).first(blended_ratio(hits, ranking.judgments.ideal(gains), beta)[best])


def _utility(hits: Hits, ideal: Hits, beta: float | None) -> Floats:
    """Precision at each relevant document, or with β the blended ratio."""
    return (hits.position + 1) / hits.rank if beta is None else blended_ratio(hits, ideal, beta)


def _rank_biased(ranking: JudgedRanking, gains: str, gamma: float, beta: float | None) -> Floats:
    hits, ideal = ranking.gains(gains), ranking.judgments.ideal(gains)
    return ratio(hits.total(power(gamma, hits.position) * _utility(hits, ideal, beta)), ideal.total(
        power(gamma, ideal.position)))  # fmt: skip


def _graded_uniform(ranking: JudgedRanking, gains: str, stops: str, beta: float | None) -> Floats:
    hits, ideal, judgments = ranking.gains(gains), ranking.judgments.ideal(gains), ranking.judgments
    stop = judgments.gains_of(hits.level, stops)
    known = judgments.gains_of(judgments.level[ideal.document], stops)
    return ratio(hits.total(stop * _utility(hits, ideal, beta)), ideal.total(known))


@measure("NCUrb-P", aliases=("NCUrbP",), family=_NTCIR, citation=_NCU)
def ncu_rank_biased_precision(ranking: JudgedRanking, *, gains: Gains = "linear", gamma: OpenFraction = 0.95) -> Floats:
    """Σ γ^(relevant documents above) · precision at each relevant document / Σ γ^(i−1) over all R."""
    return _rank_biased(ranking, gains, gamma, None)


@measure("NCUrb-BR", aliases=("NCUrbBR",), family=_NTCIR, citation=_NCU)
def ncu_rank_biased_ratio(
    ranking: JudgedRanking, *, gains: Gains = "linear", gamma: OpenFraction = 0.95, beta: Positive = 1.0
) -> Floats:
    """Σ γ^(relevant documents above) · blended ratio at each relevant document / Σ γ^(i−1) over all R."""
    return _rank_biased(ranking, gains, gamma, beta)


@measure("NCUgu-P", aliases=("NCUguP",), family=_NTCIR, citation=_NCU)
def ncu_graded_precision(ranking: JudgedRanking, *, gains: Gains = "linear", stops: Gains = "linear") -> Floats:
    """Σ stop(level) · precision at each relevant document / Σ stop(level) over all R."""
    return _graded_uniform(ranking, gains, stops, None)


@measure("NCUgu-BR", aliases=("NCUguBR",), family=_NTCIR, citation=_NCU)
def ncu_graded_ratio(
    ranking: JudgedRanking, *, gains: Gains = "linear", stops: Gains = "linear", beta: Positive = 1.0
) -> Floats:
    """Σ stop(level) · blended ratio at each relevant document / Σ stop(level) over all R."""
    return _graded_uniform(ranking, gains, stops, beta)


@measure("GAP", aliases=("Graded-AP",), family="paper", citation="Robertson, Kanoulas & Yilmaz 2010, SIGIR, eq. 5")
def graded_average_precision(ranking: JudgedRanking, *, gains: Gains = "linear") -> Floats:
    """Expected AP over searchers who differ in the lowest level that they call relevant; equal shares by default.

    `gains` holds the shares summed up to a level: the share of searchers for whom that level is relevant. With
    thresholds t of share g(t), GAP = Σ g(t)·(sum of precisions with threshold t) / Σ g(t)·R(t).
    """
    hits, ideal = ranking.gains(gains), ranking.judgments.ideal(gains)
    value = np.zeros(ranking.n_topics)
    steps = np.unique(ideal.gain)
    for share, threshold in zip(np.diff(steps, prepend=0.0), steps, strict=True):
        inside = hits.where(hits.gain >= threshold)
        value += share * inside.total((inside.position + 1) / inside.rank)
    return ratio(value, ideal.total(ideal.gain))
