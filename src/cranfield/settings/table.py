"""The table of a paper: the settings of `table`."""

from __future__ import annotations

from typing import ClassVar

from cranfield import defaults
from cranfield.errors import ArgumentError
from cranfield.records import record
from cranfield.settings import shared
from cranfield.settings.base import setting
from cranfield.settings.compare import CORRECTIONS, TESTS
from cranfield.settings.evaluate import RunsOrScores


@record(kw_only=True)
class TableSettings(RunsOrScores):
    """The table of a paper: systems by measures, means, significance marks, the best in bold, and a caption.

    With baselines a mark († ‡ …) says which of them a system differs from; without, letters say which systems it is
    better than. The caption names test, correction, family and number of topics.

    \b
    Examples:
      cranfield table qrels.txt runs/ -m AP -m nDCG@10 --baseline bm25 --format latex
      cranfield table scores.csv --baseline bm25 --baseline rm3 --intervals --wins --explain
    """

    command: ClassVar[str] = "table"
    brief: ClassVar[str] = "The table of a paper, with marks and caption."
    takes: ClassVar[str] = "scores"
    answered_by: ClassVar[str] = "cranfield.paper:paper_table"
    counts: ClassVar[str] = "resamples"
    place: ClassVar[int] = 85

    measure: tuple[str, ...] | None = shared.measures()
    system: tuple[str, ...] | None = shared.systems()
    baseline: tuple[str, ...] | None = setting(
        None, "Compare every system with this one; repeatable.", "--baseline", "-b", usual="all pairs", metavar="SYSTEM"
    )
    test: str = setting(defaults.TEST, "Which test; `cranfield help tests` says when to use which.", choices=TESTS)
    correction: str | None = setting(
        None, "Adjustment for many comparisons; the Tukey tests have their own.", choices=CORRECTIONS,
        usual=defaults.CORRECTION,
    )  # fmt: skip
    across_measures: bool = setting(False, "Correct over the comparisons of all measures as one family.")
    alpha: float = shared.alpha()
    intervals: bool = setting(False, "Show the interval of every mean.")
    wins: bool = setting(False, "Count the topics won, tied and lost against every baseline.")
    n_resamples: int = shared.n_resamples()
    seed: int = shared.seed()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()
    memory: float = shared.memory()
    explain: bool = setting(
        False, "Also print the sentences for the methods section: test, why, and references.", part="view"
    )
    digits: int = setting(4, "Decimals of the means.", least=1, most=12, part="view")

    def check_together(self) -> None:
        """Wins need somebody to win against."""
        if self.wins and not self.baseline:
            raise ArgumentError("`wins` counts topics against a baseline; name one with `baseline`")
