"""Bounds of scores over all levels of the unjudged documents: smallest and largest mean and difference.

An unjudged document may have any level from non-relevant to the highest of the collection. For a mean, these are the
unjudged documents that the run itself retrieves down to the cutoff of the measure; for a difference, those that either
of the two runs retrieves. All other documents are as judged, or not relevant. Topics are independent, so the bounds of
a mean over topics are the means of the bounds.

Measures that are a weighted sum of gains divided by that of the ideal ranking (`WEIGHTED`) have exact bounds, for means
and for differences. Those of AP are exact for means. For a difference no assignment of levels exceeds them, but perhaps
none reaches them: the best case of one run and the worst case of the other need not agree. The same holds for RR
and Success.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from cranfield.core.elementary import log2_of_whole, power
from cranfield.core.errors import ArgumentError
from cranfield.measures.evaluation import Evaluator
from cranfield.measures.graded import discount, highest_gain
from cranfield.measures.judgments import Floats, Hits, Ints, Judgments, ratio
from cranfield.measures.ranking import JudgedRanking

WEIGHTED = ("P", "R", "RBP", "DCG", "nDCG")
BOUNDED = (*WEIGHTED, "AP", "RR", "Success")
"""Measures with known bounds."""
MOST_CELLS = 1_000_000_000
"""Pairs × topics × documents that are worth the wait."""
_CHUNK = 2_000_000
_ITERATIONS = 60
Ends = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class Open:
    """The unjudged documents of one run: topic, rank, and a number that equal documents of a topic share."""

    topic: Ints
    rank: Ints
    document: Ints

    def until(self, cutoff: int | None) -> Open:
        """Those of the first `cutoff` ranks."""
        if cutoff is None:
            return self
        keep = self.rank <= cutoff
        return Open(self.topic[keep], self.rank[keep], self.document[keep])


@dataclass(frozen=True, eq=False)
class Ideal:
    """The denominator of a weighted measure: Σ over gain steps of `step` × `weight`[documents with at least that gain].

    Attributes
    ----------
    steps : rise of the gain from one level to the next
    known : topics × steps, judged documents with at least that gain
    weight : sum of the weights of the first n ranks, by n; empty where nothing is divided
    """

    steps: Floats
    known: Ints
    weight: Floats

    @property
    def top(self) -> float:
        """The highest gain."""
        return float(self.steps.sum())

    def sums(self, topic: int, most: int) -> Floats:
        """Steps × numbers of further documents from 0 to `most`: the sum of weights of the ideal ranking."""
        if not self.weight.size:
            return np.zeros((len(self.steps), most + 1))
        at = self.known[topic][:, None] + np.arange(most + 1)
        return np.asarray(self.weight[np.minimum(at, len(self.weight) - 1)])


def largest(fixed: Floats, coefficients: Floats, ideal: Ideal, topic: int) -> Floats:
    """The most that (fixed + Σ gain·coefficient) / ideal can be, for every row, over all gains of the documents.

    A row of `coefficients` has one per document, NaN where there is none. If j documents have the highest gain, the
    denominator depends on j alone, so the j largest coefficients are best. Gains in between matter only where the ratio
    is positive: it is quasi-concave there, and Dinkelbach's method finds its maximum. The layers of the gain are then
    chosen one by one. This works because the sum of the largest coefficients is concave and the ideal's marginal weight
    falls with the documents above.
    """
    ordered = -np.sort(-coefficients, axis=1)  # NaN last
    there = np.isfinite(ordered).sum(axis=1)
    width = int(there.max(initial=0))
    sums = np.concatenate([np.zeros((len(fixed), 1)), np.nan_to_num(ordered[:, :width]).cumsum(axis=1)], axis=1)
    possible = np.arange(width + 1) <= there[:, None]
    if not ideal.weight.size:
        return np.asarray(fixed + ideal.top * np.where(possible, sums, -np.inf).max(axis=1))
    weights = ideal.sums(topic, width)
    whole = (ideal.steps[:, None] * weights).sum(axis=0)
    value = np.divide(fixed[:, None] + ideal.top * sums, whole, out=np.zeros_like(sums), where=whole > 0)
    best = np.asarray(np.where(possible, value, -np.inf).max(axis=1))
    if len(ideal.steps) == 1:
        return best
    for _ in range(_ITERATIONS):
        part, total = fixed.copy(), np.zeros(len(fixed))
        for step, weight in zip(ideal.steps, weights, strict=True):
            gain = np.where(possible, sums - best[:, None] * weight, -np.inf)
            at = gain.argmax(axis=1)
            part += step * np.take_along_axis(sums, at[:, None], axis=1)[:, 0]
            total += step * weight[at]
        better = np.divide(part, total, out=np.zeros_like(part), where=total > 0)
        risen = (best > 0) & (better > best)
        if not risen.any():
            break
        best = np.where(risen, better, best)
    return best


@dataclass(frozen=True, eq=False)
class WeightedBounds:
    """Bounds of a measure that is a weighted sum of gains, possibly divided by that of the ideal ranking.

    Attributes
    ----------
    fixed : topics × systems, the sum over judged documents
    beyond : topics × systems, weight of the ranks below the end of the ranking (RBP without a cutoff)
    unjudged : of every system
    weigh : the weight of a rank
    """

    fixed: Floats
    beyond: Floats
    unjudged: tuple[Open, ...]
    weigh: Callable[[Ints], Floats]
    ideal: Ideal

    def scores(self) -> Ends:
        """Topics × systems, each of both ends."""
        lower, upper = np.empty_like(self.fixed), np.empty_like(self.fixed)
        for at, own in enumerate(self.unjudged):
            weights = self.weigh(own.rank)
            ends = np.searchsorted(own.topic, np.arange(len(self.fixed) + 1))
            for topic, (start, end) in enumerate(pairwise(ends.tolist())):
                fixed, free = self.fixed[topic, at : at + 1], weights[None, start:end]
                upper[topic, at] = largest(fixed, free, self.ideal, topic)[0] + self.beyond[topic, at]
                lower[topic, at] = -largest(-fixed, -free, self.ideal, topic)[0]
        return lower, upper

    def differences(self, a: Ints, b: Ints, topic: int) -> Ends:
        """Both ends of the differences of some pairs on one topic."""
        inside = [np.flatnonzero(own.topic == topic) for own in self.unjudged]
        width = max((len(rows) for rows in inside), default=0)
        documents = sorted(
            {int(one) for own, rows in zip(self.unjudged, inside, strict=True) for one in own.document[rows]}
        )
        number = {document: at for at, document in enumerate(documents)}
        systems = len(self.unjudged)
        table = np.zeros((len(documents) + 1, systems))  # the last row is nobody's document
        held = np.full((systems, width), len(documents))
        for at, (own, rows) in enumerate(zip(self.unjudged, inside, strict=True)):
            codes = [number[int(one)] for one in own.document[rows]]
            held[at, : len(codes)] = codes
            table[codes, at] = self.weigh(own.rank[rows])
        lower, upper = np.empty(len(a)), np.empty(len(a))
        for start in range(0, len(a), max(1, _CHUNK // max(width, 1))):
            part = slice(start, start + max(1, _CHUNK // max(width, 1)))
            one, two = a[part], b[part]
            mine = table[held[one], one[:, None]] - table[held[one], two[:, None]]
            mine[held[one] == len(documents)] = np.nan
            theirs = -table[held[two], two[:, None]]
            theirs[(held[two] == len(documents)) | (table[held[two], one[:, None]] > 0)] = np.nan  # counted above
            free = np.concatenate([mine, theirs], axis=1)
            fixed = self.fixed[topic, one] - self.fixed[topic, two]
            upper[part] = largest(fixed, free, self.ideal, topic) + self.beyond[topic, one]
            lower[part] = -largest(-fixed, -free, self.ideal, topic) - self.beyond[topic, two]
        return lower, upper


@dataclass(frozen=True, eq=False)
class PrecisionBounds:
    """Bounds of AP.

    With j further relevant documents, AP is S / (R + j), S the sum of precisions. S is largest with the j shallowest
    unjudged documents relevant, and smallest with the j deepest: moving a relevant document up raises S.

    Attributes
    ----------
    most, least : by topic and system, S with 0, 1, … further relevant documents
    known : R of every topic
    cutoff : where the denominator ends (tool=ntcir), or None
    """

    most: list[list[Floats]]
    least: list[list[Floats]]
    known: Floats
    cutoff: int | None

    def _by(self, sums: Floats, topic: int) -> Floats:
        known = self.known[topic] + np.arange(len(sums))
        return ratio(sums, known if self.cutoff is None else np.minimum(known, self.cutoff))

    def scores(self) -> Ends:
        """Topics × systems, each of both ends."""
        upper = [[self._by(one, topic).max() for one in row] for topic, row in enumerate(self.most)]
        lower = [[self._by(one, topic).min() for one in row] for topic, row in enumerate(self.least)]
        return np.array(lower), np.array(upper)

    def differences(self, a: Ints, b: Ints, topic: int) -> Ends:
        """Both ends of the differences of some pairs on one topic: the best sum of one, and the other's as judged."""
        row = self.most[topic]
        ends = [
            (-self._most(row[j], row[i], topic), self._most(row[i], row[j], topic))
            for i, j in zip(a.tolist(), b.tolist(), strict=True)
        ]
        lower, upper = np.array(ends, dtype=np.float64).reshape(-1, 2).T
        return lower, upper

    def _most(self, best: Floats, other: Floats, topic: int) -> float:
        """The most by which one can lead; documents of the other alone raise R and nothing else."""
        free = len(best) + len(other) - 1
        sums = np.concatenate([best, np.full(free - len(best), best[-1])]) - other[0]
        return float(self._by(sums, topic).max())


@dataclass(frozen=True, eq=False)
class SeparateBounds:
    """Bounds of a measure that every further relevant document raises or leaves (RR, Success)."""

    lower: Floats
    upper: Floats

    def scores(self) -> Ends:
        """Topics × systems, each of both ends."""
        return self.lower, self.upper

    def differences(self, a: Ints, b: Ints, topic: int) -> Ends:
        """Both ends of the differences of some pairs on one topic."""
        low, high = self.lower[topic], self.upper[topic]
        return low[a] - high[b], high[a] - low[b]


@dataclass(frozen=True, eq=False)
class UnjudgedBounds:
    """The smallest and largest means and differences that unjudged documents allow.

    Attributes
    ----------
    topics, systems : labels
    lower, upper : topics × systems, bounds of every score
    """

    topics: tuple[str, ...]
    systems: tuple[str, ...]
    lower: Floats
    upper: Floats
    kind: WeightedBounds | PrecisionBounds | SeparateBounds = field(repr=False)
    documents: int = 0

    def means(self, systems: Sequence[str], topics: Sequence[str]) -> Ends:
        """Both ends of the mean of each system over these topics."""
        rows, columns = self._places(self.topics, topics), self._places(self.systems, systems)
        at = np.ix_(rows, columns)
        return self.lower[at].mean(axis=0), self.upper[at].mean(axis=0)

    def differences(self, system_a: Sequence[str], system_b: Sequence[str], topics: Sequence[str]) -> Ends:
        """Both ends of the mean difference of each pair over these topics."""
        a, b = self._places(self.systems, system_a), self._places(self.systems, system_b)
        if (cells := len(a) * len(topics) * 2 * self.documents) > MOST_CELLS:
            raise ArgumentError(
                f"bounds of {len(a):,} differences need {cells:,} steps; at most {MOST_CELLS:,} are done. Choose "
                "systems or baselines, or a measure with a cutoff such as nDCG@10."
            )
        ends = [self.kind.differences(a, b, topic) for topic in self._places(self.topics, topics)]
        lower, upper = (np.mean([one[side] for one in ends], axis=0) for side in (0, 1))
        return lower, upper

    @staticmethod
    def _places(labels: tuple[str, ...], wanted: Sequence[str]) -> Ints:
        at = {label: number for number, label in enumerate(labels)}
        return np.array([at[label] for label in wanted], dtype=np.int64)


def bounds_of(evaluator: Evaluator, rankings: Sequence[JudgedRanking], systems: Sequence[str]) -> list[UnjudgedBounds]:
    """The bounds by every measure of the evaluator, from the judged rankings of the systems."""
    unknown = [str(one) for one in evaluator.measures if one.name not in BOUNDED]
    if unknown:
        raise ArgumentError(
            f"`unjudged`: bounds of {', '.join(unknown)} are not known. Choose among {', '.join(BOUNDED)}."
        )
    cutoffs = [one.get("cutoff") for one in evaluator.measures]
    depth = None if None in cutoffs else max(int(one) for one in cutoffs if one is not None)
    unjudged = _unjudged(rankings, depth)
    found = []
    for measure in evaluator.measures:
        cutoff = measure.get("cutoff")
        mine = tuple(own.until(None if cutoff is None else int(cutoff)) for own in unjudged)
        asked = {name: measure.get(name) for name in measure.definition.parameters}
        kind = _KINDS[measure.name](evaluator.judgments, rankings, mine, asked)
        lower, upper = kind.scores()
        counts = [np.bincount(own.topic, minlength=1).max(initial=0) for own in mine]
        found.append(UnjudgedBounds(evaluator.topics, tuple(systems), lower, upper, kind, int(max(counts, default=0))))
    return found


def _unjudged(rankings: Sequence[JudgedRanking], depth: int | None) -> list[Open]:
    """The unjudged documents of every run; equal ones of a topic have one number."""
    frames = []
    for at, ranking in enumerate(rankings):
        topic = np.repeat(np.arange(ranking.n_topics), ranking.retrieved)
        rank = np.arange(len(topic)) - ranking.start[topic] + 1
        free = np.ones(len(topic), dtype=np.bool_)
        free[ranking.row] = False
        rows = np.flatnonzero(free if depth is None else free & (rank <= depth))
        columns = {"run": np.full(len(rows), at), "topic": topic[rows], "rank": rank[rows]}
        frames.append(pl.DataFrame({**columns, "document": ranking.documents.gather(rows)}))
    together = pl.concat(frames).with_columns(number=pl.struct("topic", "document").rank("dense").cast(pl.Int64))
    return [
        Open(*(own[name].to_numpy().astype(np.int64) for name in ("topic", "rank", "number")))
        for own in (together.filter(run=at) for at in range(len(rankings)))
    ]


def _weighted(
    judgments: Judgments,
    rankings: Sequence[JudgedRanking],
    unjudged: tuple[Open, ...],
    asked: dict[str, Any],
    name: str,
) -> WeightedBounds:
    cutoff, rel = asked.get("cutoff"), asked.get("rel")
    binary = name in ("P", "R") or rel is not None
    gains, scale = asked.get("gains", "linear"), 1.0
    weigh: Callable[[Ints], Floats]
    weigh = discount if asked.get("tool") != "ntcir" else _original
    if name in ("P", "R"):
        share = 1.0 / (cutoff or 1) if name == "P" else 1.0

        def weigh(rank: Ints) -> Floats:
            return np.full(len(rank), share)

    elif name == "RBP":
        p, scale = asked["p"], 1.0 if binary else highest_gain(judgments, gains)

        def weigh(rank: Ints) -> Floats:
            return np.asarray((1 - p) * power(p, rank - 1) / scale)

    hits = [(one.relevant(rel or 1) if binary else one.gains(gains)).until(cutoff) for one in rankings]
    fixed = np.column_stack([_total(one, weigh) for one in hits])
    beyond = np.zeros_like(fixed)
    if name == "RBP" and cutoff is None:
        beyond = np.column_stack([power(asked["p"], one.retrieved) for one in rankings])
    levels = np.ones(1) if binary else _positive(judgments.gains_of(np.arange(max(judgments.top_level, 0) + 1), gains))
    if binary and judgments.top_level < (rel or 1):  # no document of the collection has that level
        unjudged = tuple(Open(own.topic[:0], own.rank[:0], own.document[:0]) for own in unjudged)
    steps = np.diff(levels, prepend=0.0)
    known, weight = np.zeros((judgments.n_topics, len(steps)), dtype=np.int64), np.zeros(0)
    if name in ("R", "nDCG"):
        worth = (
            (judgments.level >= (rel or 1)).astype(np.float64) if binary else judgments.gains_of(judgments.level, gains)
        )
        for at, level in enumerate(levels):
            known[:, at] = np.bincount(judgments.topic[worth >= level], minlength=judgments.n_topics)
        free = 2 * max((int(np.bincount(own.topic).max()) for own in unjudged if len(own.topic)), default=0)
        ranks = int(known.max(initial=0)) + free
        each = weigh(np.arange(1, ranks + 1))
        if name == "nDCG" and cutoff is not None:
            each[cutoff:] = 0.0
        weight = np.concatenate([[0.0], each.cumsum()])
    return WeightedBounds(fixed, beyond, unjudged, weigh, Ideal(steps, known, weight))


def _original(rank: Ints) -> Floats:
    """Järvelin and Kekäläinen's discount, base 2."""
    return 1 / log2_of_whole(np.maximum(rank, 2))


def _total(hits: Hits, weigh: Callable[[Ints], Floats]) -> Floats:
    return hits.total(hits.gain * weigh(hits.rank))


def _positive(gains: Floats) -> Floats:
    """The different gains above 0, ascending."""
    return np.unique(gains[gains > 0])


def _average_precision(
    judgments: Judgments, rankings: Sequence[JudgedRanking], unjudged: tuple[Open, ...], asked: dict[str, Any]
) -> PrecisionBounds:
    cutoff, rel = asked.get("cutoff"), asked.get("rel", 1)
    most: list[list[Floats]] = [[] for _ in range(judgments.n_topics)]
    least: list[list[Floats]] = [[] for _ in range(judgments.n_topics)]
    for ranking, own in zip(rankings, unjudged, strict=True):
        hits = ranking.relevant(rel).until(cutoff)
        for topic in range(judgments.n_topics):
            relevant = hits.rank[hits.starts[topic] : hits.starts[topic + 1]]
            free = own.rank[own.topic == topic] if judgments.top_level >= rel else own.rank[:0]
            high, low = precision_sums(relevant, free)
            most[topic].append(high)
            least[topic].append(low)
    return PrecisionBounds(most, least, judgments.relevant(rel), cutoff if asked.get("tool") == "ntcir" else None)


def precision_sums(relevant: Ints, free: Ints) -> Ends:
    """Σ precision at relevant documents with the j shallowest, and with the j deepest, of the free ranks relevant.

    >>> most, least = precision_sums(np.array([2]), np.array([1, 3]))
    >>> most.round(4).tolist(), least.round(4).tolist()
    ([0.5, 2.0, 3.0], [0.5, 1.1667, 3.0])
    """
    base = float(((np.arange(len(relevant)) + 1) / relevant).sum())
    above = np.searchsorted(relevant, free)
    tails = np.concatenate([np.cumsum((1 / relevant)[::-1])[::-1], [0.0]])[above]  # Σ 1/rank of relevant ones below
    number = np.arange(1, len(free) + 1)
    rise = (above + number) / free + tails
    deep, its_above, its_tails = free[::-1], above[::-1], tails[::-1]
    below = np.concatenate([[0.0], np.cumsum(1 / deep)[:-1]]) if len(free) else np.zeros(0)
    fall = (its_above + 1) / deep + its_tails + below
    return base + np.concatenate([[0.0], rise.cumsum()]), base + np.concatenate([[0.0], fall.cumsum()])


def _first(
    judgments: Judgments,
    rankings: Sequence[JudgedRanking],
    unjudged: tuple[Open, ...],
    asked: dict[str, Any],
    name: str,
) -> SeparateBounds:
    cutoff, rel = asked.get("cutoff"), asked.get("rel", 1)
    lower = np.zeros((judgments.n_topics, len(rankings)))
    upper = np.zeros_like(lower)
    for at, (ranking, own) in enumerate(zip(rankings, unjudged, strict=True)):
        hits = ranking.relevant(rel).until(cutoff)
        lower[:, at] = hits.first(1 / hits.rank)
        free = np.zeros(judgments.n_topics)
        if judgments.top_level >= rel:
            np.maximum.at(free, own.topic, 1 / own.rank)
        upper[:, at] = np.maximum(lower[:, at], free)
    if name == "Success":
        lower, upper = (lower > 0).astype(np.float64), (upper > 0).astype(np.float64)
    return SeparateBounds(lower, upper)


def _kind(build: Callable[..., Any], name: str) -> Callable[..., Any]:
    return lambda *given: build(*given, name)


_KINDS: dict[str, Callable[..., Any]] = {
    **{name: _kind(_weighted, name) for name in WEIGHTED},
    "AP": _average_precision,
    **{name: _kind(_first, name) for name in ("RR", "Success")},
}
