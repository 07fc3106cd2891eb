"""Interpolated precision at points of recall, the curve of the early TREC reports."""

from __future__ import annotations

import numpy as np

from cranfield.measures.hits import Floats
from cranfield.measures.parameters import Fraction, Level
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import measure

ELEVEN_POINTS = tuple(tenth / 10 for tenth in range(11))
"""Recall 0, 0.1, … 1."""
_TREC = "Buckley & Voorhees 2005, TREC: Experiment and Evaluation in IR, ch. 3"


@measure("IPrec", family="trec_eval", citation=_TREC + "; recall point rounded as by trec_eval 10")
def interpolated_precision(ranking: JudgedRanking, *, rel: Level = 1, recall: Fraction) -> Floats:
    """Highest precision at any rank from that of relevant document number round(recall·R) on; 0 when not reached."""
    # Halves are rounded up, as C's lround does.
    wanted = np.floor(recall * ranking.judgments.relevant(rel) + 0.5).astype(np.int64)
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


def mean_over_points(ranking: JudgedRanking, rel: int, points: tuple[float, ...]) -> Floats:
    """Interpolated precision averaged over points of recall, summed from the highest down (as trec_eval does)."""
    total = np.zeros(ranking.n_topics)
    for point in sorted(points, reverse=True):
        total += interpolated_precision(ranking, rel=rel, recall=point)
    return total / len(points)


@measure("IPrecAvg", family="trec_eval", citation=_TREC)
def eleven_point_average(ranking: JudgedRanking, *, rel: Level = 1) -> Floats:
    """Interpolated precision averaged over recall 0, 0.1, … 1."""
    return mean_over_points(ranking, rel, ELEVEN_POINTS)
