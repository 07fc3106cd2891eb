"""The table of a paper: the settings of `table`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError
from cranfield.core.page import Page
from cranfield.core.question import HelpGroup, Takes, setting
from cranfield.measures.options import RunsOrScores
from cranfield.questions.compare import question as comparing

if TYPE_CHECKING:
    from cranfield.questions.table.table import PaperTable


@dataclass(frozen=True, kw_only=True)
class TableQuestion(RunsOrScores):
    """The table of a paper: systems by measures, means, significance marks, the best in bold, and a caption.

    With baselines a mark († ‡ …) says which of them a system differs from; without, letters say which systems it is
    better than. The caption names test, correction, family and number of topics.

    \b
    Examples:
      cranfield table qrels.txt runs/ -m AP -m nDCG@10 --baseline bm25 --format latex
      cranfield table scores.csv --baseline bm25 --baseline rm3 --intervals --wins --explain
    """

    command: ClassVar[str] = "table"
    group: ClassVar[HelpGroup] = "Compare"
    aliases: ClassVar[tuple[str, ...]] = ("latex", "paper")
    brief: ClassVar[str] = "The table of a paper, with marks and caption."
    takes: ClassVar[Takes] = "scores"
    counts: ClassVar[str] = "resamples"
    place: ClassVar[int] = 85
    page = Page(
        name="table",
        title="Table",
        place=24,
        heading="The table of the paper",
        lead="Systems by measures, with marks for significant differences and a caption that names test, correction "
        "and topics: download it as LaTeX.",
        button="Set the table",
        doing="Setting the table of",
    )

    measure: tuple[str, ...] | None = shared.measures()
    system: tuple[str, ...] | None = shared.systems()
    baseline: tuple[str, ...] | None = comparing.baseline()
    test: str | None = comparing.test()
    correction: str | None = comparing.correction()
    across_measures: bool = comparing.across_measures()
    alpha: float = shared.alpha()
    show_intervals: bool = setting(False, "Show the interval of every mean.", "--intervals", label="Intervals")
    wins: bool = setting(False, "Count the topics won, tied and lost against every baseline.")
    n_resamples: int | None = shared.n_resamples(None, usual="100000, or what the family needs")
    seed: int = shared.seed()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()
    memory: float = shared.memory()
    explain: bool = setting(
        False, "Also print the sentences for the methods section: test, why, and references.", part="view"
    )
    digits: int = setting(4, "Decimals of the means.", least=1, most=12, part="view")

    @staticmethod
    def verb() -> Callable[..., PaperTable]:
        """The public function that answers it."""
        from cranfield.questions.table.table import table

        return table

    def check_together(self) -> None:
        """Wins need somebody to win against."""
        if self.wins and not self.baseline:
            raise ArgumentError("`wins` counts topics against a baseline; name one with `baseline`")
