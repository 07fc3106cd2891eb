"""A pair topic by topic: wins, ties and losses, and where the two systems differ most."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.core.answer import sentence
from cranfield.core.errors import ArgumentError
from cranfield.core.labels import positions
from cranfield.core.results import Result

if TYPE_CHECKING:
    import polars as pl

    from cranfield.core.answer import Answer, Drawings
    from cranfield.core.question import Question
    from cranfield.questions.compare.comparison import Comparison
    from cranfield.scores.matrix import ScoreMatrix

MOST_PAIRS = 100
"""Pairs that are shown topic by topic; a table of more would be read by nobody."""
WINS = sentence(
    "comparison.wins",
    "{measure}: {a} wins {wins}, ties {ties} and loses {losses} topics against {b}",
    "the first has the higher, the same and the lower score on that many topics",
    always=True,
)
BEATS_ON = sentence(
    "comparison.beats-on",
    "{a} beats {b} on {wins} of {topics} topics and loses on {losses}",
    "the first has the higher and the lower score on that many topics",
    always=True,
)


def wins_ties_losses(scores: ScoreMatrix, system: str, other: str) -> tuple[int, int, int]:
    """Topics on which the system scores higher than the other, the same, and lower.

    >>> from cranfield import ScoreMatrix
    >>> x = ScoreMatrix([[.5, .2], [.3, .3], [.1, .4], [.6, .5]], "1234", ["a", "b"], "AP")
    >>> wins_ties_losses(x, "a", "b")
    (2, 1, 1)
    """
    difference = scores.values[:, scores.systems.index(system)] - scores.values[:, scores.systems.index(other)]
    return int((difference > 0).sum()), int((difference == 0).sum()), int((difference < 0).sum())


@dataclass(frozen=True, eq=False)
class PairTopics(Result):
    """Two systems of a comparison topic by topic; get one from `Comparison.pair`.

    Attributes
    ----------
    comparison : the comparison they belong to
    system_a, system_b : the two; differences are those of the first minus the second
    """

    comparison: Comparison = field(repr=False)
    system_a: str
    system_b: str

    def __post_init__(self) -> None:
        positions("system", [self.system_a, self.system_b], self.comparison.systems)
        if self.system_a == self.system_b:
            raise ArgumentError(f"a pair needs two systems; got {self.system_a!r} twice. Choose another.")

    @property
    def at(self) -> int | None:
        """The place of the pair among those of the comparison, whichever way round; None where it was not tested."""
        wanted = {self.system_a, self.system_b}
        pairs = zip(self.comparison.system_a, self.comparison.system_b, strict=True)
        return next((number for number, pair in enumerate(pairs) if {*pair} == wanted), None)

    @property
    def wins_ties_losses(self) -> tuple[int, int, int]:
        """Topics on which the first system scores higher than the second, the same, and lower."""
        return wins_ties_losses(self.comparison.scores, self.system_a, self.system_b)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the comparison, and the two systems."""
        return {**self.comparison.settings, "system_a": self.system_a, "system_b": self.system_b}

    @property
    def signature(self) -> str:
        """One line for a footnote: that of the comparison."""
        return self.comparison.signature

    @property
    def warnings(self) -> tuple[str, ...]:
        """Those of the comparison."""
        return self.comparison.warnings

    def to_frame(self) -> pl.DataFrame:
        """One row per topic, the largest difference first: measure, systems, topic, both scores, difference."""
        import polars as pl

        scores = self.comparison.scores
        first, second = (scores.values[:, scores.systems.index(name)] for name in (self.system_a, self.system_b))
        order = np.argsort(-np.abs(first - second), kind="stable")
        columns: dict[str, Any] = {
            "measure": [scores.measure] * len(order),
            "system_a": [self.system_a] * len(order),
            "system_b": [self.system_b] * len(order),
            "topic": [scores.topics[at] for at in order],
            "score_a": first[order],
            "score_b": second[order],
            "difference": (first - second)[order],
        }
        return pl.DataFrame(columns)

    def summary(self) -> str:
        """How many topics the first system wins, ties and loses."""
        wins, ties, losses = self.wins_ties_losses
        return WINS(
            measure=self.comparison.measure, a=self.system_a, wins=wins, ties=ties, losses=losses, b=self.system_b
        )

    def __repr__(self) -> str:
        return f"PairTopics({self.summary()})"

    def answer(self, question: Question | None = None) -> Answer:
        """What the result says, as every skin shows it."""
        from cranfield.questions.compare.answer import pair_answer

        return pair_answer(self, question)

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.compare import charts

        return {"topics": charts.pair_topics}


def every_pair(comparison: Comparison) -> list[PairTopics]:
    """Every pair of a comparison topic by topic; an error where they would be too many to read."""
    if len(comparison.pairs) > MOST_PAIRS:
        raise ArgumentError(
            f"{len(comparison.pairs):,} pairs are too many to list by topic (at most {MOST_PAIRS}). Choose two systems "
            "with `system`, or a `baseline`."
        )
    return [PairTopics(comparison, a, b) for a, b in zip(comparison.system_a, comparison.system_b, strict=True)]
