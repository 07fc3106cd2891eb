"""Group fairness and relevance, the measures of the NTCIR FairWeb tasks: is the ranking as mixed as it should be?"""

from __future__ import annotations

from typing import Literal

import numpy as np

from cranfield.core.answer import sentence
from cranfield.core.elementary import log2
from cranfield.core.errors import DataError
from cranfield.core.labels import plural, summary
from cranfield.measures.graded import cascade, highest_gain
from cranfield.measures.judgments import DocumentGroups, Floats, Judgments
from cranfield.measures.ntcireval import expected_utility, stopping
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import Cutoff, Gains, Level, measure

_CITATION = "Sakai, Kim & Kang 2023, TOIS 42, arXiv 2204.00280"
Ordinal = Literal["nmd", "rnod"]

NO_GROUPS = sentence(
    "measures.no-groups",
    "{name}: {count} relevant document{s} without groups count as spread evenly over them",
    "relevant documents of topics with groups have none themselves",
)


def divergence(kind: str, found: Floats, target: Floats) -> Floats:
    """How far each row of probabilities is from the target, between 0 and 1.

    ``jsd`` is the Jensen–Shannon divergence in bits, for nominal groups. ``nmd`` is the normalised match distance, the
    mean difference of cumulative probabilities. ``rnod`` is the root normalised order-aware divergence (Sakai 2018):
    √(mean over groups i of positive target of Σ_j |i − j|·(p_j − target_j)² / (groups − 1)).

    >>> even, one = np.array([[0.5, 0.5]]), np.array([1.0, 0.0])
    >>> [round(float(divergence(kind, even, one)[0]), 4) for kind in ("jsd", "nmd", "rnod")]
    [0.3113, 0.5, 0.5]
    """
    groups = len(target)
    if kind == "jsd":
        middle = (found + target) / 2
        value = (_entropy_to(found, middle) + _entropy_to(np.broadcast_to(target, found.shape), middle)) / 2
    elif kind == "nmd":
        value = np.abs(np.cumsum(found - target, axis=1)).sum(axis=1) / (groups - 1)
    else:
        place = np.arange(groups)
        weight = np.abs(place[target > 0][:, None] - place).mean(axis=0)
        value = np.sqrt(((found - target) ** 2 * weight).sum(axis=1) / (groups - 1))
    return value.clip(0.0, 1.0)  # rounding, and probabilities that sum to 1 only about


def _entropy_to(found: Floats, middle: Floats) -> Floats:
    """Kullback–Leibler divergence by row, in bits; a probability of 0 adds nothing."""
    some = found > 0
    quotient = np.divide(found, middle, out=np.ones_like(found), where=some)
    total: Floats = (found * log2(quotient)).sum(axis=1)
    return total


def _fairness(
    ranking: JudgedRanking, groups: DocumentGroups, kind: str, gains: str, top: int | None, cutoff: int | None
) -> Floats:
    """Σ over ranks of P(stop there) · (1 − divergence of the mean groups down to there from the target)."""
    hits = ranking.hits
    size = len(groups.target)
    mean = np.empty((len(hits), size))
    for at in range(size):  # documents that are unjudged or have no groups are uniform, an excess of 0
        mean[:, at] = 1 / size + hits.running(groups.excess[hits.document, at]) / hits.rank
    gain = ranking.judgments.gains_of(hits.level, gains)
    chosen = gain > 0 if cutoff is None else (gain > 0) & (hits.rank <= cutoff)
    inside = hits.worth(gain).where(chosen)
    stop = stopping(inside, highest_gain(ranking.judgments, gains, top))
    return inside.total(stop * (1 - divergence(kind, mean[chosen], groups.target)))


def _kind(groups: DocumentGroups, ordinal: str) -> str:
    return ordinal if groups.ordinal else "jsd"


def _sets(judgments: Judgments, measure: str) -> tuple[DocumentGroups, ...]:
    if not judgments.groups:
        raise DataError(f"{measure} needs the groups of documents. Give `groups`, such as nominal=GENDER.gmemb.")
    return judgments.groups


@measure("GF", family="NTCIREVAL", citation=_CITATION)
def group_fairness(
    ranking: JudgedRanking,
    *,
    groups: str = "",
    divergence: Literal["kind", "jsd", "nmd", "rnod"] = "kind",
    gains: Gains = "exp",
    top: Level | None = None,
    cutoff: Cutoff | None = None,
) -> Floats:
    """Σ P(stop at rank) · (1 − divergence of the mean groups down to it from the target): jsd, or rnod if ordinal."""
    known = {one.name: one for one in _sets(ranking.judgments, "GF")}
    if not groups and len(known) > 1:
        raise DataError(f"GF needs one set of groups of {', '.join(known)}. Write GF(groups={next(iter(known))})@10.")
    chosen = known.get(groups) if groups else next(iter(known.values()))
    if chosen is None:
        raise DataError(f"GF: no groups are called {groups!r}. Known: {', '.join(known)}.")
    _refuse_topics(ranking.judgments, chosen.topics, f"groups {chosen.name}")
    kind = _kind(chosen, "rnod") if divergence == "kind" else divergence
    return _fairness(ranking, chosen, kind, gains, top, cutoff)


@measure("GFR", family="NTCIREVAL", citation=_CITATION)
def group_fairness_and_relevance(
    ranking: JudgedRanking,
    *,
    relevance: Literal["ERR", "iRBU"] = "ERR",
    ordinal: Ordinal = "rnod",
    gains: Gains = "exp",
    top: Level | None = None,
    cutoff: Cutoff | None = None,
) -> Floats:
    """Mean of ERR (or iRBU) and of GF for every set of groups that the topic has."""
    judgments = ranking.judgments
    sets, highest, hits = _sets(judgments, "GFR"), highest_gain(judgments, gains, top), ranking.gains(gains)
    _refuse_topics(judgments, np.logical_or.reduce([one.topics for one in sets]), "groups")
    total = cascade(hits, highest, cutoff) if relevance == "ERR" else expected_utility(hits, highest, 0.99, cutoff)
    parts = np.ones(ranking.n_topics)
    for one in sets:
        total = total + np.where(one.topics, _fairness(ranking, one, _kind(one, ordinal), gains, top, cutoff), 0.0)
        parts += one.topics
    return total / parts


def _refuse_topics(judgments: Judgments, fine: np.ndarray, what: str) -> None:
    """Refuse topics without groups, on which fairness has no meaning."""
    lacking = [topic for topic, one in zip(judgments.topics, fine, strict=True) if not one]
    if lacking:
        raise DataError(
            f"{plural(len(lacking), 'topic')} without {what} ({summary(lacking)}). Score such topics apart."
        )


def groups_unknown(judgments: Judgments) -> list[str]:
    """Sets of groups that lack some relevant documents."""
    texts = []
    for one in judgments.groups:
        count = int((~one.known & one.topics[judgments.topic] & (judgments.level >= 1)).sum())
        if count:
            texts.append(NO_GROUPS(name=one.name, count=count, s="s" * (count > 1)))
    return texts
