"""Measures that only ask whether a document is relevant: precision, recall, average precision, counts.

Also interpolated precision at points of recall, and measures that ignore unjudged documents.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from cranfield.core.elementary import log, power
from cranfield.measures.judgments import Floats, ratio
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import Cutoff, Fraction, Level, OpenFraction, Positive, measure

ELEVEN_POINTS = tuple(tenth / 10 for tenth in range(11))
"""Recall 0, 0.1, … 1."""
_SMOOTHING = 0.00001  # trec_eval's ε
_TREC = "Buckley & Voorhees 2005, TREC: Experiment and Evaluation in IR, ch. 3"


@measure("AP", aliases=("MAP",), family="trec_eval, NTCIREVAL", citation=_TREC + "; Sakai 2014, PROMISE (tool=ntcir)")
def average_precision(
    ranking: JudgedRanking, *, rel: Level = 1, cutoff: Cutoff | None = None, tool: Literal["trec", "ntcir"] = "trec"
) -> Floats:
    """Sum of the precision at each relevant document retrieved / R; tool=ntcir divides AP@k by min(k, R)."""
    relevant = ranking.relevant(rel).until(cutoff)
    known = ranking.judgments.relevant(rel)
    if tool == "ntcir" and cutoff is not None:
        known = np.minimum(known, cutoff)
    return ratio(relevant.total((relevant.position + 1) / relevant.rank), known)


@measure("P", aliases=("Precision", "Prec"), family="trec_eval", citation=_TREC)
def precision(ranking: JudgedRanking, *, rel: Level = 1, cutoff: Cutoff) -> Floats:
    """Relevant documents among the first k / k, also for a ranking shorter than k."""
    return ranking.relevant(rel).until(cutoff).count() / cutoff


@measure("R", aliases=("Recall",), family="trec_eval", citation=_TREC)
def recall(ranking: JudgedRanking, *, rel: Level = 1, cutoff: Cutoff) -> Floats:
    """Relevant documents among the first k / R."""
    return ratio(ranking.relevant(rel).until(cutoff).count(), ranking.judgments.relevant(rel))


@measure("Rprec", aliases=("RPrec", "R-precision", "R-prec"), family="trec_eval", citation=_TREC)
def r_precision(ranking: JudgedRanking, *, rel: Level = 1, multiple: Positive = 1.0) -> Floats:
    """Precision at rank R, or at rank ⌊multiple·R + 0.9⌋."""
    relevant = ranking.relevant(rel)
    until = np.floor(multiple * ranking.judgments.relevant(rel) + 0.9)
    return ratio(relevant.where(relevant.rank <= until[relevant.topic]).count(), until)


@measure("RR", aliases=("MRR",), family="trec_eval", citation="Kantor & Voorhees 2000, Information Retrieval 2")
def reciprocal_rank(ranking: JudgedRanking, *, rel: Level = 1, cutoff: Cutoff | None = None) -> Floats:
    """1 / rank of the first relevant document, 0 without one (among the first k)."""
    relevant = ranking.relevant(rel).until(cutoff)
    return relevant.first(1 / relevant.rank)


@measure("Success", aliases=("Hit", "Hits", "hit_rate"), family="trec_eval", citation=_TREC)
def success(ranking: JudgedRanking, *, rel: Level = 1, cutoff: Cutoff) -> Floats:
    """1 when a relevant document is among the first k, else 0."""
    return (ranking.relevant(rel).until(cutoff).count() > 0).astype(np.float64)


@measure("SetP", aliases=("set_precision",), family="trec_eval", citation=_TREC)
def set_precision(ranking: JudgedRanking, *, rel: Level = 1) -> Floats:
    """Relevant documents retrieved / documents retrieved."""
    return ratio(ranking.relevant(rel).count(), ranking.retrieved.astype(np.float64))


@measure("SetR", family="trec_eval", citation=_TREC)
def set_recall(ranking: JudgedRanking, *, rel: Level = 1) -> Floats:
    """Relevant documents retrieved / R."""
    return ratio(ranking.relevant(rel).count(), ranking.judgments.relevant(rel))


@measure(
    "SetF",
    aliases=("F1", "F-measure"),
    family="trec_eval",
    citation="van Rijsbergen 1979, Information Retrieval, ch. 7",
)
def set_f(ranking: JudgedRanking, *, rel: Level = 1, beta: Positive = 1.0) -> Floats:
    """Weighted harmonic mean of SetP and SetR: (1+beta)·P·R / (beta·P + R), as in trec_eval; not beta squared."""
    p, r = set_precision(ranking, rel=rel), set_recall(ranking, rel=rel)
    return ratio((1 + beta) * p * r, beta * p + r)


@measure("RelP", aliases=("R_cap", "capped_recall", "recall_cap", "RCap"), family="trec_eval", citation=_TREC)
def relative_precision(ranking: JudgedRanking, *, rel: Level = 1, cutoff: Cutoff) -> Floats:
    """Relevant documents among the first k / min(k, R): precision by the highest precision possible there."""
    hits = ranking.relevant(rel).until(cutoff).count()
    return ratio(hits, np.minimum(ranking.judgments.relevant(rel), cutoff))


@measure("SetRelP", family="trec_eval", citation=_TREC)
def set_relative_precision(ranking: JudgedRanking, *, rel: Level = 1) -> Floats:
    """Relevant documents retrieved / min(documents retrieved, R)."""
    return ratio(ranking.relevant(rel).count(), np.minimum(ranking.retrieved, ranking.judgments.relevant(rel)))


@measure("SetAP", family="trec_eval", citation=_TREC)
def set_average_precision(ranking: JudgedRanking, *, rel: Level = 1) -> Floats:
    """SetP · SetR: average precision of documents without an order."""
    hits = ranking.relevant(rel).count()
    return ratio(hits * hits, ranking.retrieved * ranking.judgments.relevant(rel))


@measure("Utility", family="trec_eval", citation=_TREC)
def utility(
    ranking: JudgedRanking,
    *,
    rel: Level = 1,
    hit: float = 1.0,
    noise: float = -1.0,
    miss: float = 0.0,
    rest: float = 0.0,
    documents: int = 0,
) -> Floats:
    """hit·(relevant retrieved) + noise·(others retrieved) + miss·(relevant missed) + rest·(others of all documents)."""
    hits, known = ranking.relevant(rel).count(), ranking.judgments.relevant(rel)
    others = ranking.retrieved - hits
    seen: Floats = hit * hits + noise * others
    return seen + miss * (known - hits) + rest * (documents - others - known)


@measure("YAAP", family="trec_eval", citation="Robertson 2012, ECIR (On smoothing average precision)")
def smoothed_average_precision(ranking: JudgedRanking, *, rel: Level = 1) -> Floats:
    """ln((1 + s) / (1 + R − s)), s the sum of the precision at each relevant document retrieved."""
    relevant = ranking.relevant(rel)
    total = relevant.total((relevant.position + 1) / relevant.rank)
    return log((1 + total) / (1 + ranking.judgments.relevant(rel) - total))


@measure("NumTopics", aliases=("NumQ",), family="trec_eval", aggregate="sum", citation=_TREC)
def number_of_topics(ranking: JudgedRanking) -> Floats:
    """1 for every topic (summed over topics)."""
    return np.ones(ranking.n_topics)


@measure("NumRet", family="trec_eval", aggregate="sum", citation=_TREC)
def number_retrieved(ranking: JudgedRanking) -> Floats:
    """Documents retrieved (summed over topics)."""
    return ranking.retrieved.astype(np.float64)


@measure("NumRel", family="trec_eval", aggregate="sum", citation=_TREC)
def number_relevant(ranking: JudgedRanking, *, rel: Level = 1) -> Floats:
    """Relevant documents in the judgments: R (summed over topics)."""
    return ranking.judgments.relevant(rel)


@measure("NumRelRet", family="trec_eval", aggregate="sum", citation=_TREC)
def number_relevant_retrieved(ranking: JudgedRanking, *, rel: Level = 1) -> Floats:
    """Relevant documents retrieved (summed over topics)."""
    return ranking.relevant(rel).count()


@measure("NumNonrelRet", family="trec_eval", aggregate="sum", citation=_TREC)
def number_nonrelevant_retrieved(ranking: JudgedRanking, *, rel: Level = 1) -> Floats:
    """Documents retrieved that were judged and found not relevant (summed over topics)."""
    hits = ranking.hits
    return hits.where((hits.level >= 0) & (hits.level < rel)).count()


@measure("Judged", family="ir_measures", citation="MacAvaney et al. 2022, ECIR (ir_measures)")
def judged(ranking: JudgedRanking, *, cutoff: Cutoff | None = None) -> Floats:
    """Documents with a judgment of any level among the first k / documents among the first k."""
    seen = ranking.retrieved if cutoff is None else np.minimum(ranking.retrieved, cutoff)
    inside = ranking.topic if cutoff is None else ranking.topic[ranking.rank <= cutoff]
    known = np.bincount(inside, minlength=ranking.n_topics).astype(np.float64)
    return ratio(known, seen.astype(np.float64))


@measure("Accuracy", family="ir_measures", citation="MacAvaney et al. 2022, ECIR (ir_measures)")
def accuracy(ranking: JudgedRanking, *, rel: Level = 1, cutoff: Cutoff | None = None) -> Floats:
    """Share of (relevant, other) pairs retrieved in the right order; 1 without others, 0 without relevant documents."""
    relevant = ranking.relevant(rel).until(cutoff)
    seen = ranking.retrieved if cutoff is None else np.minimum(ranking.retrieved, cutoff)
    count = relevant.count()
    above = relevant.total((relevant.rank - 1 - relevant.position).astype(np.float64))
    return np.where(count > 0, 1 - ratio(above, (seen - count) * count), 0.0)


@measure("Unjudged", aliases=("holes", "hole"), family="trec_eval", citation=_TREC)
def unjudged(ranking: JudgedRanking, *, cutoff: Cutoff) -> Floats:
    """Unjudged documents (absent from the judgments, or of a negative level) among the first k / k."""
    hits = ranking.hits
    known = hits.where((hits.level >= 0) & (hits.rank <= cutoff)).count()
    return (np.minimum(ranking.retrieved, cutoff) - known) / cutoff


@measure("IPrec", family="trec_eval", citation=_TREC + "; recall point rounded as by trec_eval 10, or 9")
def interpolated_precision(
    ranking: JudgedRanking, *, rel: Level = 1, recall: Fraction, tool: Literal["trec", "trec9"] = "trec"
) -> Floats:
    """Highest precision from relevant document number round(recall·R) downwards; 0 if it is not retrieved."""
    # Version 10 rounds halves up, as C's lround does; version 9 cut recall·R + 0.9.
    more = 0.5 if tool == "trec" else 0.9
    wanted = np.floor(recall * ranking.judgments.relevant(rel) + more).astype(np.int64)
    relevant = ranking.relevant(rel)
    reached = relevant.count().astype(np.int64)
    best = ranking.cached(("best precision from", rel), lambda: _best_from_here(ranking, rel))
    inside = (wanted <= reached) & (reached > 0)
    value = np.zeros(ranking.n_topics)
    value[inside] = best[(relevant.starts[:-1] + np.maximum(wanted, 1) - 1)[inside]]
    return value


def _best_from_here(ranking: JudgedRanking, rel: int) -> Floats:
    """The highest precision at each relevant document retrieved or a later one of its topic."""
    relevant = ranking.relevant(rel)
    precision = (relevant.position + 1) / relevant.rank
    grid = np.zeros((relevant.n_topics, int(np.diff(relevant.starts).max(initial=0))))
    grid[relevant.topic, relevant.position] = precision
    running = np.maximum.accumulate(grid[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(running[relevant.topic, relevant.position], dtype=np.float64)


def mean_over_points(
    ranking: JudgedRanking, rel: int, points: tuple[float, ...], tool: Literal["trec", "trec9"] = "trec"
) -> Floats:
    """Interpolated precision averaged over points of recall, summed from the highest down (as trec_eval does)."""
    total = np.zeros(ranking.n_topics)
    for point in sorted(points, reverse=True):
        total += interpolated_precision(ranking, rel=rel, recall=point, tool=tool)
    return total / len(points)


@measure("IPrecAvg", aliases=("11pt",), family="trec_eval", citation=_TREC)
def eleven_point_average(ranking: JudgedRanking, *, rel: Level = 1, tool: Literal["trec", "trec9"] = "trec") -> Floats:
    """Interpolated precision averaged over recall 0, 0.1, … 1."""
    return mean_over_points(ranking, rel, ELEVEN_POINTS, tool)


@measure("Bpref", family="trec_eval", citation="Buckley & Voorhees 2004, SIGIR; formula of trec_eval since 8.0")
def bpref(ranking: JudgedRanking, *, rel: Level = 1) -> Floats:
    """Mean over R of 1 − min(n, R)/min(N, R), with n of the N judged non-relevant documents ranked above."""
    hits, judgments = ranking.hits, ranking.judgments
    relevant = hits.level >= rel
    above = hits.counted((hits.level >= 0) & ~relevant)[relevant]
    relevant_hits = hits.where(relevant)
    known, nonrelevant = judgments.relevant(rel)[relevant_hits.topic], judgments.nonrelevant(rel)[relevant_hits.topic]
    # A relevant document with nothing judged non-relevant above it counts 1, also when N = 0.
    lost = ratio(np.minimum(above, known), np.minimum(nonrelevant, known))
    return ratio(relevant_hits.total(1 - lost), judgments.relevant(rel))


@measure("infAP", family="trec_eval", citation="Yilmaz & Aslam 2006, CIKM, eq. 1; a negative level = pooled, unjudged")
def inferred_ap(ranking: JudgedRanking, *, rel: Level = 1) -> Floats:
    """AP estimated from a judged random sample of the pool; its other documents have a negative level."""
    hits = ranking.hits
    is_relevant = hits.level >= rel
    pooled = hits.counted(np.ones(len(hits), dtype=np.bool_))[is_relevant] - 1
    relevant = hits.counted(is_relevant)[is_relevant] - 1
    nonrelevant = hits.counted((hits.level >= 0) & ~is_relevant)[is_relevant]
    relevant_hits = hits.where(is_relevant)
    above = relevant_hits.rank - 1
    # Expected precision at the document: itself, and of those above, the share pooled × the share relevant.
    share_pooled = ratio(pooled, above)
    share_relevant = (relevant + _SMOOTHING) / (relevant + nonrelevant + 2 * _SMOOTHING)
    expected = 1 / relevant_hits.rank + above / relevant_hits.rank * share_pooled * share_relevant
    return ratio(relevant_hits.total(expected), ranking.judgments.relevant(rel))


@measure("RBPresidual", family="trec_eval", citation="Moffat & Zobel 2008, TOIS 27")
def rbp_residual(ranking: JudgedRanking, *, p: OpenFraction = 0.8) -> Floats:
    """Largest possible increase of RBP: (1−p)·Σ p^(rank−1) over unjudged documents + p^retrieved; 0 with all judged."""
    hits = ranking.hits
    judged = hits.where(hits.level >= 0)
    retrieved = ranking.retrieved
    beyond: Floats = power(p, retrieved)
    # Σ over all ranks is (1 − p^n) / (1 − p); what the judged documents hold is taken off.
    weight: Floats = power(p, judged.rank - 1)
    open_weight = 1 - beyond - (1 - p) * judged.total(weight)
    return np.where(judged.count() == retrieved, 0.0, beyond + np.maximum(open_weight, 0.0))
