"""Measures of the C/W/L framework: how likely a searcher continues after each rank (Moffat et al. 2017).

Every rank has a probability to continue, c. Rank r is seen with weight w(r) ∝ c(1)·…·c(r−1), and the score is
Σ w(r)·gain(r). A gain lies between 0 and 1: (level − min_rel) / (max_rel − min_rel).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np

from cranfield.core.errors import ArgumentError
from cranfield.measures.graded import discount
from cranfield.measures.judgments import Floats, Hits
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import Between, Cutoff, Level, OpenFraction, Positive, measure

_CWL = "cwl_eval"
_NERR = "Azzopardi, Mackenzie & Moffat 2021, ICTIR, eq. "
_BLOCK = 1 << 18
"""About how many cells of topics × ranks are held at once."""
DEPTH = 1000
"""Ranks that count without a cutoff, as in cwl_eval."""
LowLevel = Annotated[int, Between(0)]
Wanted = Annotated[float, Between(0.5)]
"""Gain that the searcher wants; below 0.5 a probability of `INST` may exceed 1."""


def scaled(ranking: JudgedRanking, min_rel: int, max_rel: int | None) -> Hits:
    """The documents retrieved that have a positive gain, with gains between 0 and 1."""
    top = max(ranking.judgments.top_level, 1) if max_rel is None else max_rel
    if top <= min_rel:
        raise ArgumentError(f"`max_rel` must be above `min_rel`; got {top} and {min_rel}")
    gain = (ranking.hits.level.clip(min_rel, top) - min_rel) / (top - min_rel)
    return ranking.hits.worth(gain).where(gain > 0)


def expected_gain(hits: Hits, depth: int, continues: Callable[[Floats, Floats], Floats]) -> Floats:
    """Σ w(r)·gain(r), from the gains of all ranks and the ranks to the probabilities to continue."""
    value = np.zeros(hits.n_topics)
    rank = np.arange(1.0, depth + 1)
    inside = hits.until(depth)
    step = max(_BLOCK // depth, 1)
    for first in range(0, hits.n_topics, step):
        rows = slice(*inside.starts[[first, min(first + step, hits.n_topics)]])
        gain = np.zeros((min(step, hits.n_topics - first), depth))
        gain[inside.topic[rows] - first, inside.rank[rows] - 1] = inside.gain[rows]
        seen = np.ones_like(gain)
        np.multiply.accumulate(continues(gain, rank)[:, :-1], axis=1, out=seen[:, 1:])
        # Summed rank by rank, so that every machine has the same bytes.
        value[first : first + step] = _last(seen * gain) / _last(seen)
    return value


def _last(values: Floats) -> Floats:
    """The sum of each row, added one by one."""
    sums: Floats = np.add.accumulate(values, axis=1)[:, -1]
    return sums


def _patience(rank: Floats, T: float) -> Floats:
    """((r + 2T − 1) / (r + 2T))², INSQ's probability to continue."""
    kept: Floats = ((rank + 2 * T - 1) / (rank + 2 * T)) ** 2
    return kept


@measure("INSQ", family=_CWL, citation="Moffat, Scholer & Thomas 2012, ADCS")
def insq(ranking: JudgedRanking, *, T: Positive = 1.0, min_rel: LowLevel = 0, max_rel: Level | None = None) -> Floats:
    """Expected gain per document seen; continues with ((r+2T−1)/(r+2T))², T the gain wanted; 1000 ranks."""
    return expected_gain(
        scaled(ranking, min_rel, max_rel), DEPTH, lambda gain, rank: np.broadcast_to(_patience(rank, T), gain.shape)
    )


@measure("INST", family=_CWL, citation="Moffat, Bailey, Scholer & Thomas 2015, ADCS")
def inst(ranking: JudgedRanking, *, T: Wanted = 1.0, min_rel: LowLevel = 0, max_rel: Level | None = None) -> Floats:
    """As INSQ, with the gain still missing: continues with ((r+T+T(r)−1)/(r+T+T(r)))², T(r) = T − gain so far."""

    def continues(gain: Floats, rank: Floats) -> Floats:
        place = rank + T + (T - np.add.accumulate(gain, axis=1))
        kept: Floats = ((place - 1) / place) ** 2
        return kept

    return expected_gain(scaled(ranking, min_rel, max_rel), DEPTH, continues)


@measure("BPM", family=_CWL, citation="Zhang et al. 2017, SIGIR (static model)")
def bpm(
    ranking: JudgedRanking,
    *,
    T: Positive = 1.0,
    min_rel: LowLevel = 0,
    max_rel: Level | None = None,
    cutoff: Cutoff,
) -> Floats:
    """Mean gain down to the rank where the gain reaches T, or down to rank k."""
    return expected_gain(
        scaled(ranking, min_rel, max_rel),
        cutoff,
        lambda gain, _: (np.add.accumulate(gain, axis=1) < T).astype(np.float64),
    )


@measure("SDCG", family=_CWL, citation="Järvelin & Kekäläinen 2002, TOIS; scaled as in cwl_eval")
def sdcg(ranking: JudgedRanking, *, min_rel: LowLevel = 0, max_rel: Level | None = None, cutoff: Cutoff) -> Floats:
    """DCG@k / that of k documents of the highest level, which need not exist."""
    hits = scaled(ranking, min_rel, max_rel).until(cutoff)
    return hits.total(hits.gain * discount(hits.rank)) / float(discount(np.arange(1, cutoff + 1)).sum())


@measure("NERR8", family=_CWL, citation=_NERR + "8")
def nerr8(ranking: JudgedRanking, *, min_rel: LowLevel = 0, max_rel: Level | None = None, cutoff: Cutoff) -> Floats:
    """Expected gain per document seen; continues with 1 − gain, down to rank k."""
    return expected_gain(scaled(ranking, min_rel, max_rel), cutoff, lambda gain, _: 1 - gain)


@measure("NERR9", family=_CWL, citation=_NERR + "9")
def nerr9(ranking: JudgedRanking, *, min_rel: LowLevel = 0, max_rel: Level | None = None, cutoff: Cutoff) -> Floats:
    """Expected gain per document seen; continues with (1 − gain)·r/(r+1), down to rank k."""
    return expected_gain(scaled(ranking, min_rel, max_rel), cutoff, lambda gain, rank: (1 - gain) * rank / (rank + 1))


@measure("NERR10", family=_CWL, citation=_NERR + "10")
def nerr10(
    ranking: JudgedRanking, *, p: OpenFraction = 0.9, min_rel: LowLevel = 0, max_rel: Level | None = None
) -> Floats:
    """Expected gain per document seen; continues with p·(1 − gain), as RBP; 1000 ranks."""
    return expected_gain(scaled(ranking, min_rel, max_rel), DEPTH, lambda gain, _: p * (1 - gain))


@measure("NERR11", family=_CWL, citation=_NERR + "11")
def nerr11(ranking: JudgedRanking, *, T: Positive = 1.0, min_rel: LowLevel = 0, max_rel: Level | None = None) -> Floats:
    """Expected gain per document seen; continues with (1 − gain)·((r+2T−1)/(r+2T))², as INSQ; 1000 ranks."""
    return expected_gain(scaled(ranking, min_rel, max_rel), DEPTH, lambda gain, rank: (1 - gain) * _patience(rank, T))
