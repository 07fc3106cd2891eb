"""Measures made for incomplete judgments: they pass over what nobody judged."""

from __future__ import annotations

import numpy as np

from cranfield.elementary import power
from cranfield.measures.hits import Floats, ratio
from cranfield.measures.parameters import Level, OpenFraction
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import measure

_SMOOTHING = 0.00001  # trec_eval's ε


@measure("Bpref", family="trec_eval", citation="Buckley & Voorhees 2004, SIGIR; formula of trec_eval since 8.0")
def bpref(ranking: JudgedRanking, *, rel: Level = 1) -> Floats:
    """Mean over R of 1 − min(n, R)/min(N, R), n of the N judged non-relevant documents standing above."""
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
    """AP expected from judgments on a random sample of the pool, whose other documents have a negative level."""
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
    """How much RBP could still rise: (1−p)·Σ p^(rank−1) over unjudged documents + p^retrieved; 0 with all judged."""
    hits = ranking.hits
    judged = hits.where(hits.level >= 0)
    retrieved = ranking.retrieved
    beyond: Floats = power(p, retrieved)
    # Σ over all ranks is (1 − p^n) / (1 − p); what the judged documents hold is taken off.
    weight: Floats = power(p, judged.rank - 1)
    open_weight = 1 - beyond - (1 - p) * judged.total(weight)
    return np.where(judged.count() == retrieved, 0.0, beyond + np.maximum(open_weight, 0.0))
