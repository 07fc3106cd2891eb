"""Scores with fewer judged documents: every run is ordered and matched once, then masked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core.elementary import power
from cranfield.core.resampling import grid_step, product, to_grid
from cranfield.measures.evaluation import Evaluator
from cranfield.measures.judgments import Judgments
from cranfield.measures.ranking import JudgedRanking, condensed
from cranfield.questions.compare.classical import paired_t
from cranfield.questions.compare.corrections import adjust, at_most
from cranfield.questions.compare.family import GridScores, Pairs
from cranfield.scores.rank_coefficients import rank_correlations, systems_above
from cranfield.scores.tau_interval import LEAST_SYSTEMS, TauInterval, TopicNoise, hull

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PartialJudgments:
    """The judgments of some documents, and the position of each among them (−1 for the others)."""

    judgments: Judgments
    number: NDArray[np.int64]

    @classmethod
    def of(cls, whole: Judgments, kept: Mask) -> PartialJudgments:
        """Only the documents of a mask; all topics stay, even those without judgments."""
        number = np.where(kept, np.cumsum(kept) - 1, -1)
        chosen = whole.subtopics.where(kept[whole.subtopics.document])
        chosen = replace(chosen, document=number[chosen.document])
        topic, documents = whole.topic[kept], whole.documents.filter(kept)
        return cls(replace(whole, topic=topic, documents=documents, subtopics=chosen, _memory={}), number)

    def judge(self, ranking: JudgedRanking) -> JudgedRanking:
        """The same ranking, in which only these documents are judged."""
        number = self.number[ranking.document]
        mine = number >= 0
        kept = {name: getattr(ranking, name)[mine] for name in ("topic", "rank", "row")}
        return replace(ranking, judgments=self.judgments, document=number[mine], **kept, _memory={})


@dataclass(frozen=True, eq=False)
class Views:
    """Measures of full lists and of condensed lists."""

    plain: Evaluator
    condensed: Evaluator | None

    @property
    def whole(self) -> str:
        """The view of the measures asked for: full lists, unless only judged documents count."""
        return "condensed list" if self.plain.judged_only else "full list"

    @property
    def names(self) -> list[tuple[str, str]]:
        """Measure and view of every layer of `scores`."""
        names = [(str(measure), self.whole) for measure in self.plain.measures]
        if self.condensed is not None:
            names += [(str(measure), "condensed list") for measure in self.condensed.measures]
        return names

    def scores(self, rankings: list[JudgedRanking], kept: Mask) -> Array:
        """Views × topics (in byte order of their labels) × systems, with only the documents of the mask judged."""
        topics = self.plain.topics
        by_label = sorted(range(len(topics)), key=lambda at: topics[at].encode())
        part = PartialJudgments.of(self.plain.judgments, kept)
        columns = []
        for ranking in rankings:
            mine = part.judge(ranking)
            layers = [self.plain.score(mine)]
            if self.condensed is not None:
                layers.append(self.condensed.score(condensed(mine)))
            columns.append(np.concatenate(layers))
        return np.stack(columns, axis=2)[:, by_label]


def judged_weight(ranking: JudgedRanking, kept: Mask, p: float) -> Array:
    """Σ (1 − p)·p^(rank − 1) over the judged documents, for each topic; one minus it is RBP's residual."""
    mine = kept[ranking.document]
    weight = (1 - p) * power(p, ranking.rank[mine] - 1)
    return np.asarray(np.bincount(ranking.topic[mine], weight, minlength=ranking.n_topics), dtype=np.float64)


def judged_share(ranking: JudgedRanking, kept: Mask, depth: int) -> float:
    """Share of judged documents among the first `depth` of every topic."""
    top = np.minimum(ranking.retrieved, depth).sum()
    return float((kept[ranking.document] & (ranking.rank <= depth)).sum() / top) if top else 0.0


@dataclass(frozen=True, eq=False)
class Standing:
    """Scores by every view (views × topics × systems) on the exact grid, with sums and resampled sums."""

    values: Array
    grid: Array
    sums: Array
    tolerance: Array
    weights: Array
    drawn: list[Array]

    @classmethod
    def of(cls, values: Array, weights: Array) -> Standing:
        n = values.shape[1]
        grid = np.stack([to_grid(layer, 2 * n) for layer in values])
        tolerance = np.asarray([2 * n * grid_step(layer, 2 * n) for layer in values])
        drawn = [product(weights, layer) for layer in grid]
        return cls(values, grid, grid.sum(axis=1), tolerance, weights, drawn)


def effect(before: Standing, after: Standing, at: int, own: Sequence[int], alpha: float) -> dict[str, Any]:
    """Rank drop, score change, τ with interval, and flips, by one view."""
    tolerance = (float(before.tolerance[at]), float(after.tolerance[at]))
    ranks = [systems_above(side.sums[at][None], float(side.tolerance[at]))[0][0] for side in (before, after)]
    n = before.values.shape[1]
    change = (after.sums[at] - before.sums[at])[own] / n
    tau = float(rank_correlations(before.sums[at][None], after.sums[at][None], tolerance)["tau_b"][0])
    interval = _interval(before, after, at, tau, tolerance, alpha)
    others = [j for j in range(before.values.shape[2]) if j not in own]
    pairs = Pairs(np.repeat(np.asarray(own), len(others)), np.tile(np.asarray(others, dtype=np.intp), len(own)))
    decided = [_decisions(side.values[at], pairs, alpha) for side in (before, after)]
    return {
        "rank_drop": int((ranks[1] - ranks[0])[own].max()),
        "score_change": float(change.min()),
        "tau": None if math.isnan(tau) else tau,
        "lower": interval.lower,
        "upper": interval.upper,
        "pairs": len(pairs),
        "flips": int((decided[0] != decided[1]).sum()),
    }


def _interval(
    before: Standing, after: Standing, at: int, tau: float, tolerance: tuple[float, float], alpha: float
) -> TauInterval:
    """The hull of τ_b; none with too few systems."""
    if before.grid.shape[2] < LEAST_SYSTEMS:
        return TauInterval()
    noise = TopicNoise.of(before.grid[at], after.grid[at], shared=True)
    factor = float(noise.factors((before.sums[at][None], after.sums[at][None]))[0])
    drawn = rank_correlations(before.drawn[at], after.drawn[at], tolerance)["tau_b"]
    factors = noise.factors((before.drawn[at], after.drawn[at]), (before.weights, after.weights))
    return hull(tau, factor, drawn, factors, before.grid.shape[1], alpha)


def _decisions(values: Array, pairs: Pairs, alpha: float) -> NDArray[np.int64]:
    """+1, −1 or 0 for every pair: the first is better, the second, or undecided."""
    scores = GridScores.of(values)
    p = np.asarray(adjust(paired_t(scores, pairs, "two-sided"), "holm"))
    return np.where(at_most(p, alpha), np.sign(pairs.of(scores.sums)), 0).astype(np.int64)


def judged_of(
    system: str, team: str, depth: int, ranking: JudgedRanking, pool: Mask, rest: Mask, cutoff: int, p: float
) -> dict[str, Any]:
    row: dict[str, Any] = {"depth": depth, "team": team, "system": system}
    for suffix, kept in (("", pool), ("_without", rest)):
        row[f"judged{suffix}"] = judged_share(ranking, kept, cutoff)
        row[f"residual{suffix}"] = float(1 - judged_weight(ranking, kept, p).mean())
    return row


def nearest_ranks(
    evaluator: Evaluator, rankings: Sequence[JudgedRanking], members: Mapping[str, list[int]]
) -> NDArray[np.int64]:
    """The best rank any run of each team gives each judged document: documents × teams."""
    nearest = np.full((len(evaluator.judgments.topic), len(members)), np.iinfo(np.int64).max)
    for column, own in enumerate(members.values()):
        for j in own:
            np.minimum.at(nearest[:, column], rankings[j].document, rankings[j].rank)
    return nearest


def highest_levels(evaluator: Evaluator) -> NDArray[np.int64]:
    """The highest level each document has for any subtopic."""
    subtopics = evaluator.judgments.subtopics
    level = np.full(len(evaluator.judgments.topic), -1, dtype=np.int64)
    np.maximum.at(level, subtopics.document, subtopics.level)
    return level
