"""Compatibility: how much a ranking resembles the best one, by rank-biased overlap."""

from __future__ import annotations

import numpy as np

from cranfield.core.elementary import power
from cranfield.measures.judgments import Floats, Ints, ratio
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import OpenFraction, measure


def ideal_ranks(ranking: JudgedRanking) -> Ints:
    """The rank of each relevant document retrieved in the best ranking.

    The best ranking goes by level. Documents of one level keep the order of the ranking, those not retrieved last.
    """
    relevant, ideal = ranking.relevant(1), ranking.judgments.ideal("linear")
    width = ranking.judgments.top_level + 1
    place = relevant.topic * width + width - 1 - relevant.level  # by topic, highest level first
    known = ideal.topic * width + width - 1 - ideal.gain.astype(np.int64)
    higher = np.searchsorted(known, place) - ideal.starts[relevant.topic]
    order = np.argsort(place, kind="stable")
    above = np.empty(len(place), dtype=np.int64)
    above[order] = np.arange(len(place)) - np.searchsorted(place[order], place[order])
    ranks: Ints = higher + above + 1
    return ranks


@measure(
    "Compat", aliases=("Compatibility",), family="ir_measures", citation="Clarke, Vtyurina & Smucker 2021, TOIS 39"
)
def compatibility(ranking: JudgedRanking, *, p: OpenFraction = 0.95, normalize: bool = True) -> Floats:
    """Rank-biased overlap with the best ranking, ties of a level in the system's favour; / that of the best itself."""
    relevant = ranking.relevant(1)
    known = ranking.judgments.relevant(1).astype(np.int64)
    depth = np.maximum(ranking.retrieved, known)
    # A document common to both lists from depth m on adds Σ p^(d−1)/d over d = m, …, depth.
    depths = np.arange(1.0, int(depth.max(initial=0)) + 1)
    sums = np.concatenate([[0.0], np.add.accumulate(power(p, np.arange(len(depths))) / depths)])
    both = np.maximum(relevant.rank, ideal_ranks(ranking))
    score = relevant.total(sums[depth[relevant.topic]] - sums[both - 1])
    if not normalize:
        return ratio(score * (1 - p), 1 - power(p, depth))
    ideal = ranking.judgments.ideal("linear")
    return ratio(score, ideal.total(sums[depth[ideal.topic]] - sums[ideal.rank - 1]))
