"""Measures as their definitions read, one document after the other, for the tests to compare with.

Nothing here is shared with `cranfield.measures`: files are split by hand, rankings are lists, sums are `math.fsum`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, log, log2
from pathlib import Path

Judged = Mapping[str, Mapping[str, Mapping[str, int]]]
"""Level by topic, document and subtopic."""
CUTOFF = 3
DEPTH = 1000


def read_judgments(path: Path) -> dict[str, dict[str, dict[str, int]]]:
    found: dict[str, dict[str, dict[str, int]]] = {}
    for topic, subtopic, document, level in _fields(path):
        found.setdefault(topic, {}).setdefault(document, {})[subtopic] = int(level)
    return found


def read_ranking(path: Path) -> dict[str, list[str]]:
    """Documents by score, highest first, ties by the bytes of the id, largest first."""
    found: dict[str, list[tuple[float, bytes, str]]] = {}
    for topic, _, document, _, score, _ in _fields(path):
        found.setdefault(topic, []).append((float(score), document.encode(), document))
    return {topic: [document for *_, document in sorted(rows, reverse=True)] for topic, rows in found.items()}


def _fields(path: Path) -> Iterator[list[str]]:
    for line in path.read_bytes().decode().replace("\r\n", "\n").split("\n"):
        if fields := [field for field in line.replace("\t", " ").split(" ") if field]:
            yield fields


def divided(above: float, below: float) -> float:
    return above / below if below else 0.0


@dataclass
class Topic:
    """One topic of one run."""

    ranking: Sequence[str]
    subtopics: Mapping[str, Mapping[str, int]]
    highest: int
    """The highest level of the whole collection."""

    @cached_property
    def level(self) -> dict[str, int]:
        return {document: max(each.values()) for document, each in self.subtopics.items()}

    @cached_property
    def levels(self) -> list[int | None]:
        return [self.level.get(document) for document in self.ranking]

    @cached_property
    def relevant(self) -> list[int]:
        """The ranks of the relevant documents."""
        return [rank for rank, level in enumerate(self.levels, 1) if level is not None and level >= 1]

    @property
    def R(self) -> int:
        return sum(level >= 1 for level in self.level.values())

    @property
    def ideal(self) -> list[int]:
        return sorted((level for level in self.level.values() if level > 0), reverse=True)

    @property
    def gains(self) -> list[int]:
        return [max(level or 0, 0) for level in self.levels]

    def precision(self, rank: int) -> float:
        return sum(one <= rank for one in self.relevant) / rank

    def blended(self, rank: int) -> float:
        return (sum(self.gains[:rank]) + sum(one <= rank for one in self.relevant)) / (sum(self.ideal[:rank]) + rank)

    def continued(self, depth: int, keep: Callable[[float, int, float], float]) -> float:
        """Expected gain per document seen, from the chance to continue after a gain, at a rank, with gains so far."""
        gains = [gain / max(self.highest, 1) for gain in self.gains][:depth]
        gains += [0.0] * (depth - len(gains))
        seen, so_far, above, below = 1.0, 0.0, [], []
        for rank, gain in enumerate(gains, 1):
            above.append(seen * gain)
            below.append(seen)
            so_far += gain
            seen *= keep(gain, rank, so_far)
        return fsum(above) / fsum(below)

    # subtopics
    @cached_property
    def of(self) -> dict[str, list[str]]:
        """The subtopics that each document is relevant to."""
        return {document: [s for s, level in each.items() if level >= 1] for document, each in self.subtopics.items()}

    @property
    def known(self) -> set[str]:
        return {one for each in self.of.values() for one in each}

    def novelty(self, ranking: Sequence[str], alpha: float = 0.5) -> list[float]:
        seen: dict[str, int] = {}
        values = []
        for document in ranking:
            values.append(fsum((1 - alpha) ** seen.get(one, 0) for one in self.of.get(document, ())))
            for one in self.of.get(document, ()):
                seen[one] = seen.get(one, 0) + 1
        return values

    @cached_property
    def greedy(self) -> list[str]:
        left, chosen = {document for document, each in self.of.items() if each}, list[str]()
        while left:
            chosen.append(max(left, key=lambda one: (self.novelty([*chosen, one])[-1], one.encode())))
            left.remove(chosen[-1])
        return chosen

    def global_gain(self, document: str) -> float:
        each = self.subtopics.get(document, {})
        return fsum(max(level, 0) / len(self.known) for one, level in each.items() if one in self.known)


def dcg(gains: Sequence[float]) -> float:
    return fsum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


def dcg_original(gains: Sequence[float]) -> float:
    return fsum(gain / max(log2(rank), 1) for rank, gain in enumerate(gains, 1))


def stops(levels: Sequence[int], highest: int) -> list[float]:
    """The chance to stop at each rank, with exponential gains."""
    going, values = 1.0, []
    for level in levels:
        stop = (2.0**level - 1) / 2.0**highest
        values.append(going * stop)
        going *= 1 - stop
    return values


def err(levels: Sequence[int], highest: int) -> float:
    return fsum(stop / rank for rank, stop in enumerate(stops(levels, highest), 1))


def irbu(levels: Sequence[int], highest: int) -> float:
    return fsum(stop * 0.99**rank for rank, stop in enumerate(stops(levels, highest), 1))


def rbp(levels: Sequence[int]) -> float:
    return fsum(level * 0.8**at for at, level in enumerate(levels))


def ebr(t: Topic) -> float:
    gains, ideal = ([2.0**level - 1 for level in levels] for levels in (t.gains, t.ideal))
    total = []
    for rank, stop in enumerate(stops(t.gains, t.highest), 1):
        above = sum(gain > 0 for gain in gains[:rank])
        total.append(stop * (fsum(gains[:rank]) + above) / (fsum(ideal[:rank]) + rank))
    return fsum(total)


def discounted(novelty: Sequence[float]) -> float:
    return fsum(value / log2(rank + 1) for rank, value in enumerate(novelty, 1))


def over_rank(novelty: Sequence[float]) -> float:
    return fsum(value / rank for rank, value in enumerate(novelty, 1))


def bpref(t: Topic) -> float:
    N = sum(0 <= level < 1 for level in t.level.values())
    total = []
    for rank in t.relevant:
        above = sum(level == 0 for level in t.levels[:rank])
        total.append(1 - (min(above, t.R) / min(N, t.R) if above else 0))
    return divided(fsum(total), t.R)


def inf_ap(t: Topic) -> float:
    total = []
    for rank in t.relevant:
        above = t.levels[: rank - 1]
        pooled, relevant = sum(one is not None for one in above), sum((one or 0) >= 1 for one in above)
        other = sum(one == 0 for one in above)
        share = (relevant + 1e-5) / (relevant + other + 2e-5)
        total.append(1 / rank + (rank - 1) / rank * divided(pooled, rank - 1) * share)
    return divided(fsum(total), t.R)


def interpolated(t: Topic, recall: float) -> float:
    wanted = math.floor(recall * t.R + 0.5)
    ranks = t.relevant[max(wanted, 1) - 1 :] if wanted <= len(t.relevant) else []
    return max((t.precision(rank) for rank in ranks), default=0.0)


def accuracy(t: Topic) -> float:
    pairs = [rank - 1 - at for at, rank in enumerate(t.relevant)]
    others = len(t.ranking) - len(pairs)
    return 0.0 if not pairs else 1 - divided(sum(pairs), others * len(pairs))


def p_plus(t: Topic) -> float:
    highest = max((t.gains[rank - 1] for rank in t.relevant), default=0)
    inside = [rank for rank in t.relevant if rank <= t.gains.index(highest) + 1]
    return divided(fsum(map(t.blended, inside)), len(inside))


def q(gains: Sequence[float], ideal: Sequence[float], known: int) -> float:
    ratios = [
        (fsum(gains[:rank]) + sum(one > 0 for one in gains[:rank])) / (fsum(ideal[:rank]) + rank)
        for rank, gain in enumerate(gains, 1)
        if gain > 0
    ]
    return divided(fsum(ratios), known)


def rndcg(t: Topic) -> float:
    ideal = t.ideal
    if not t.R:
        return 0.0
    steps = [rank for rank, gain in enumerate(ideal, 1) if rank == len(ideal) or ideal[rank] != gain]
    values = [dcg(t.gains[:rank]) / dcg(ideal[:rank]) for rank in steps]
    values += [dcg(t.gains) / dcg(ideal)] if len(t.ranking) > len(ideal) + 1 else []
    return divided(fsum(values), len(values))


def gain_against_ideal(t: Topic) -> float:
    ideal, total = t.ideal, []
    for rank in t.relevant:
        cost = sum(max(one, 1) for one in ideal[:rank]) + max(rank - len(ideal), 0)
        total.append(t.gains[rank - 1] / log2(2 + cost - sum(t.gains[:rank])))
    return divided(fsum(total), sum(ideal))


def compat(t: Topic) -> float:
    """Rank-biased overlap, depth by depth, with the ideal order that puts what the system has first first."""
    ranks = {document: rank for rank, document in enumerate(t.ranking, 1)}
    known = [document for document, level in t.level.items() if level >= 1]
    best = sorted(known, key=lambda one: (-t.level[one], ranks.get(one, math.inf)))

    def overlap(list: Sequence[str]) -> float:
        depths = range(1, max(len(t.ranking), len(best)) + 1)
        return fsum(0.95 ** (d - 1) * len({*list[:d]} & {*best[:d]}) / d for d in depths)

    return divided(overlap(t.ranking), overlap(best))


def at(t: Topic, k: int) -> Topic:
    return Topic(t.ranking[:k], t.subtopics, t.highest)


def patience(rank: int) -> float:
    return ((rank + 1) / (rank + 2)) ** 2


K = CUTOFF
MEASURES: dict[str, Callable[[Topic], float]] = {
    "AP": lambda t: divided(fsum(map(t.precision, t.relevant)), t.R),
    f"AP@{K}": lambda t: divided(fsum(map(t.precision, at(t, K).relevant)), t.R),
    f"AP(tool=ntcir)@{K}": lambda t: divided(fsum(map(t.precision, at(t, K).relevant)), min(K, t.R)),
    f"P@{K}": lambda t: len(at(t, K).relevant) / K,
    f"R@{K}": lambda t: divided(len(at(t, K).relevant), t.R),
    "Rprec": lambda t: divided(len(at(t, t.R).relevant), t.R),
    "RR": lambda t: 1 / t.relevant[0] if t.relevant else 0.0,
    f"Success@{K}": lambda t: float(bool(at(t, K).relevant)),
    "SetP": lambda t: divided(len(t.relevant), len(t.ranking)),
    "SetR": lambda t: divided(len(t.relevant), t.R),
    "SetF": lambda t: divided(2 * len(t.relevant), t.R + len(t.ranking)),
    f"RelP@{K}": lambda t: divided(len(at(t, K).relevant), min(K, t.R)),
    "SetRelP": lambda t: divided(len(t.relevant), min(len(t.ranking), t.R)),
    "SetAP": lambda t: divided(len(t.relevant) ** 2, t.R * len(t.ranking)),
    "Utility": lambda t: 2.0 * len(t.relevant) - len(t.ranking),
    "YAAP": lambda t: log((1 + (s := fsum(map(t.precision, t.relevant)))) / (1 + t.R - s)),
    "NumTopics": lambda t: 1.0,
    "NumRet": lambda t: float(len(t.ranking)),
    "NumRel": lambda t: float(t.R),
    "NumRelRet": lambda t: float(len(t.relevant)),
    "NumNonrelRet": lambda t: float(sum(level == 0 for level in t.levels)),
    "Judged": lambda t: divided(sum(level is not None for level in t.levels), len(t.ranking)),
    "Accuracy": accuracy,
    f"Unjudged@{K}": lambda t: sum(level is None or level < 0 for level in t.levels[:K]) / K,
    "IPrec(recall=0.5)": lambda t: interpolated(t, 0.5),
    "IPrecAvg": lambda t: fsum(interpolated(t, tenth / 10) for tenth in range(11)) / 11,
    "Bpref": bpref,
    "infAP": inf_ap,
    "RBPresidual": lambda t: (
        fsum(0.2 * 0.8**i for i, level in enumerate(t.levels) if level is None or level < 0) + 0.8 ** len(t.levels)
        if any(level is None or level < 0 for level in t.levels) else 0.0
    ),
    "nDCG": lambda t: divided(dcg(t.gains), dcg(t.ideal)),
    f"nDCG@{K}": lambda t: divided(dcg(t.gains[:K]), dcg(t.ideal[:K])),
    f"nDCG(tool=ntcir)@{K}": lambda t: divided(dcg_original(t.gains[:K]), dcg_original(t.ideal[:K])),
    "nG@1": lambda t: divided(sum(t.gains[:1]), sum(t.ideal[:1])),
    "Q": lambda t: q(t.gains, t.ideal, t.R),
    f"Q@{K}": lambda t: q(t.gains[:K], t.ideal, min(K, t.R)),
    "P+": p_plus,
    "ERR": lambda t: err(t.gains, t.highest),
    f"ERR@{K}": lambda t: err(t.gains[:K], t.highest),
    f"nERR@{K}": lambda t: divided(err(t.gains[:K], t.highest), err(t.ideal[:K], t.highest)),
    "RBP": lambda t: 0.2 * divided(rbp(t.gains), t.highest),
    f"nRBP@{K}": lambda t: divided(rbp(t.gains[:K]), rbp(t.ideal[:K])),
    "DCG": lambda t: dcg(t.gains),
    "IDCG": lambda t: dcg(t.ideal),
    f"NCG@{K}": lambda t: divided(sum(t.gains[:K]), sum(t.ideal[:K])),
    "nDCGrel": lambda t: divided(
        fsum(dcg(t.gains[:rank]) / dcg(t.ideal[:rank]) for rank in t.relevant)
        + (t.R - len(t.relevant)) * divided(dcg(t.gains), dcg(t.ideal)), t.R
    ),
    "RnDCG": rndcg,
    "binG": lambda t: divided(fsum(1 / log2(2 + rank - 1 - at) for at, rank in enumerate(t.relevant)), t.R),
    "G": gain_against_ideal,
    "EBR": ebr,
    "nEBR": lambda t: divided(MEASURES["EBR"](t), fsum(stops(t.ideal, t.highest))),
    "iRBU": lambda t: irbu(t.gains, t.highest),
    "niRBU": lambda t: divided(irbu(t.gains, t.highest), irbu(t.ideal, t.highest)),
    "O-measure": lambda t: t.blended(t.relevant[0]) if t.relevant else 0.0,
    "P-measure": lambda t: t.blended(t.gains.index(max(t.gains)) + 1) if t.relevant else 0.0,
    "NCUrb-P": lambda t: divided(
        fsum(0.95**at * t.precision(rank) for at, rank in enumerate(t.relevant)), fsum(0.95**i for i in range(t.R))
    ),
    "NCUrb-BR": lambda t: divided(
        fsum(0.95**at * t.blended(rank) for at, rank in enumerate(t.relevant)), fsum(0.95**i for i in range(t.R))
    ),
    "NCUgu-P": lambda t: divided(fsum(t.gains[rank - 1] * t.precision(rank) for rank in t.relevant), sum(t.ideal)),
    "NCUgu-BR": lambda t: divided(fsum(t.gains[rank - 1] * t.blended(rank) for rank in t.relevant), sum(t.ideal)),
    "GAP": lambda t: divided(fsum(
        sum(one >= least for one in t.gains[:rank]) / rank
        for rank in t.relevant for least in range(1, t.gains[rank - 1] + 1)
    ), sum(t.ideal)),
    "INSQ": lambda t: t.continued(DEPTH, lambda gain, rank, so_far: patience(rank)),
    "INST": lambda t: t.continued(DEPTH, lambda gain, rank, so_far: ((rank + 1 - so_far) / (rank + 2 - so_far)) ** 2),
    f"BPM@{K}": lambda t: t.continued(K, lambda gain, rank, so_far: float(so_far < 1)),
    f"SDCG@{K}": lambda t: dcg(t.gains[:K]) / dcg([max(t.highest, 1)] * K),
    f"NERR8@{K}": lambda t: t.continued(K, lambda gain, rank, so_far: 1 - gain),
    f"NERR9@{K}": lambda t: t.continued(K, lambda gain, rank, so_far: (1 - gain) * rank / (rank + 1)),
    "NERR10": lambda t: t.continued(DEPTH, lambda gain, rank, so_far: 0.9 * (1 - gain)),
    "NERR11": lambda t: t.continued(DEPTH, lambda gain, rank, so_far: (1 - gain) * patience(rank)),
    "Compat": compat,
    f"alpha-DCG@{K}": lambda t: divided(
        discounted(t.novelty(t.ranking[:K])), len(t.known) * fsum(0.5**i / log2(i + 2) for i in range(K))
    ),
    f"alpha-nDCG@{K}": lambda t: divided(discounted(t.novelty(t.ranking[:K])), discounted(t.novelty(t.greedy[:K]))),
    f"ERR-IA@{K}": lambda t: divided(
        over_rank(t.novelty(t.ranking[:K])), len(t.known) * fsum(0.5**i / (i + 1) for i in range(K))
    ),
    f"nERR-IA@{K}": lambda t: divided(over_rank(t.novelty(t.ranking[:K])), over_rank(t.novelty(t.greedy[:K]))),
    "NRBP": lambda t: divided(0.75 * fsum(v * 0.5**i for i, v in enumerate(t.novelty(t.ranking))), len(t.known)),
    "nNRBP": lambda t: divided(
        fsum(v * 0.5**i for i, v in enumerate(t.novelty(t.ranking))),
        fsum(v * 0.5**i for i, v in enumerate(t.novelty(t.greedy))),
    ),
    "AP-IA": lambda t: divided(fsum(MEASURES["AP"](_one(t, s)) for s in t.known), len(t.known)),
    f"P-IA@{K}": lambda t: divided(fsum(MEASURES[f"P@{K}"](_one(t, s)) for s in t.known), len(t.known)),
    f"strec@{K}": lambda t: divided(len({s for d in t.ranking[:K] for s in t.of.get(d, ())}), len(t.known)),
    "I-rec": lambda t: divided(len({s for d in t.ranking for s in t.of.get(d, ())}), len(t.known)),
    "D-nDCG": lambda t: divided(dcg([t.global_gain(d) for d in t.ranking]), dcg(_global(t))),
    "D-Q": lambda t: q([t.global_gain(d) for d in t.ranking], _global(t), len(_global(t))),
    "D#-nDCG": lambda t: (MEASURES["I-rec"](t) + MEASURES["D-nDCG"](t)) / 2,
    "D#-Q": lambda t: (MEASURES["I-rec"](t) + MEASURES["D-Q"](t)) / 2,
}  # fmt: skip
"""Every measure that there is, by its name with a cutoff or without."""


def _one(t: Topic, subtopic: str) -> Topic:
    """The topic as if it had one subtopic."""
    only = {d: {subtopic: each[subtopic]} for d, each in t.subtopics.items() if subtopic in each}
    return Topic(t.ranking, only, t.highest)


def _global(t: Topic) -> list[float]:
    return sorted((gain for d in t.subtopics if (gain := t.global_gain(d)) > 0), reverse=True)


def evaluate(judgments: Judged, ranking: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], float]:
    """Every measure of every judged topic."""
    highest = max(max((level for d in each.values() for level in d.values()), default=0) for each in judgments.values())
    topics = {name: Topic(ranking.get(name, ()), each, max(highest, 0)) for name, each in judgments.items()}
    return {(name, measure): by(topic) for name, topic in topics.items() for measure, by in MEASURES.items()}
