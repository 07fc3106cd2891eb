"""`leaderboard`: the systems in order of merit, with what the order is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl

from cranfield.collection.doors import QrelsLike, RunsLike
from cranfield.core.arguments import check_arguments
from cranfield.core.errors import notify, quietly
from cranfield.core.results import Result
from cranfield.questions.compare.answer import comparison_answer, leader
from cranfield.questions.compare.compare import Options, compare_measures
from cranfield.questions.compare.comparison import Comparison
from cranfield.questions.compare.measures import MeasureComparisons
from cranfield.questions.leaderboard.question import LeaderboardQuestion
from cranfield.scores.doors import ScoresLike

if TYPE_CHECKING:
    from cranfield.core.answer import Answer, Drawings
    from cranfield.core.question import Question


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(MeasureComparisons):
    """The systems by one measure or several, best first; the comparisons behind it by measure, as in a mapping."""

    def to_frame(self) -> pl.DataFrame:
        """One row per measure and system; see `Comparison.leaderboard`."""
        return self.leaderboard()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: settings, rows, signature and warnings."""
        return Result.to_dict(self)

    def summary(self) -> str:
        """Who leads by every measure, and who may be the best."""
        return "; ".join(leader(comparison, f" by {measure}") for measure, comparison in self.items())

    def __repr__(self) -> str:
        return f"Leaderboard({self.summary()})\n{self.to_frame()}"

    def answer(self, question: Question | None = None) -> Answer:
        """What the result says, as every skin shows it."""
        return comparison_answer(self, question or LeaderboardQuestion())

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name: those of a comparison, of the first measure, and the curves of all."""
        from cranfield.questions.compare import charts

        of_one = {name: partial(charts.of_first, draw) for name, draw in Comparison.drawings().items()}
        return {**of_one, **MeasureComparisons.drawings()}


def leaderboard(
    scores: ScoresLike | QrelsLike | None = None,
    runs: RunsLike | None = None,
    *,
    qrels: QrelsLike | None = None,
    measure: str | Sequence[str] | None = None,
    **options: Unpack[Options],
) -> Leaderboard:
    """Who leads, and who may be the best? Means with intervals, rank intervals, groups, and the set of the best.

    Takes what `compare` takes, and gives the same comparisons as a leaderboard.

    >>> bm25, ours = [.2, .3, .1, .4, .5, .3, .2], [.4, .5, .2, .6, .6, .5, .3]
    >>> leaderboard({"bm25": bm25, "ours": ours}, measure="AP").to_frame()["system"].to_list()
    ['ours', 'bm25']
    """
    check_arguments(leaderboard, locals())
    with quietly():
        found = compare_measures(scores, runs, qrels=qrels, measure=measure, **options)
    result = Leaderboard(found.comparisons, found.across_measures)
    notify(result.warnings)
    return result
