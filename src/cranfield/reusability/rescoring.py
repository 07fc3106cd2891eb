"""Scores there would be, had fewer documents been judged: every run is ordered and looked up once, then masked."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cranfield.elementary import power
from cranfield.measures.evaluation import Evaluator
from cranfield.measures.judgments import Judgments
from cranfield.measures.ranking import JudgedRanking

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PartialJudgments:
    """The judgments of some documents, and the number each has among them (−1 for those left out)."""

    judgments: Judgments
    number: NDArray[np.int64]

    @classmethod
    def of(cls, whole: Judgments, kept: Mask) -> PartialJudgments:
        """Only the documents chosen by a mask; the topics stay, also those without a judgment left."""
        number = np.where(kept, np.cumsum(kept) - 1, -1)
        chosen = whole.subtopics.where(kept[whole.subtopics.document])
        return cls(
            Judgments(
                whole.topics,
                whole.topic[kept],
                whole.documents.filter(kept),
                replace(chosen, document=number[chosen.document]),
                whole.top_level,
                whole.intents,
            ),
            number,
        )

    def judge(self, ranking: JudgedRanking) -> JudgedRanking:
        """The same ranking, in which only these documents are judged."""
        number = self.number[ranking.document]
        mine = number >= 0
        return JudgedRanking(
            self.judgments,
            ranking.retrieved,
            ranking.topic[mine],
            ranking.rank[mine],
            number[mine],
            ranking.row[mine],
            ranking.start,
            ranking.ids,
            ranking.arranged,
        )


def condensed(ranking: JudgedRanking) -> JudgedRanking:
    """The ranking without its unjudged documents, the others moved up (Sakai 2007)."""
    retrieved = np.bincount(ranking.topic, minlength=ranking.n_topics)
    start = np.concatenate([[0], np.cumsum(retrieved)[:-1]])
    places = np.arange(len(ranking.topic))  # judged documents stand by topic and rank
    return JudgedRanking(
        ranking.judgments,
        retrieved,
        ranking.topic,
        places - start[ranking.topic] + 1,
        ranking.document,
        places,
        start,
        ranking.ids,
        ranking.row if (order := ranking.places) is None else order[ranking.row],
    )


@dataclass(frozen=True, eq=False)
class Views:
    """Measures as they are, and measures of condensed lists."""

    plain: Evaluator
    condensed: Evaluator | None

    @property
    def names(self) -> list[tuple[str, str]]:
        """Measure and view of every layer of `scores`."""
        names = [(str(measure), "full list") for measure in self.plain.measures]
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
