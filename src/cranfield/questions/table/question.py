"""The table of a paper: the settings of `table`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from cranfield.core.errors import ArgumentError
from cranfield.core.page import Page, Place
from cranfield.core.question import HelpGroup, setting
from cranfield.questions.compare.question import FamilyQuestion

if TYPE_CHECKING:
    from cranfield.questions.table.table import PaperTable


@dataclass(frozen=True, kw_only=True)
class TableQuestion(FamilyQuestion):
    """Table for a paper: systems by measures, means, significance marks, the best in bold, and a caption.

    With baselines, marks († ‡ …) show which of them a system differs from. Without, letters show which systems it is
    better than. The caption names test, correction, family and number of topics.

    \b
    Examples:
      cranfield table qrels.txt runs/ -m AP -m nDCG@10 --baseline bm25 --format latex
      cranfield table scores.csv --baseline bm25 --baseline rm3 --show-intervals --wins --explain
    """

    command: ClassVar[str] = "table"
    group: ClassVar[HelpGroup] = "Compare"
    aliases: ClassVar[tuple[str, ...]] = ("latex", "paper")
    brief: ClassVar[str] = "Table for a paper, with significance marks and caption."
    place: ClassVar[int] = 85
    page = Page(
        name="table",
        title="Table",
        place=Place.RESULT,
        order=20,
        heading="The table of the paper",
        lead="Systems by measures, with significance marks and a caption that names test, correction and topics. "
        "Download it as LaTeX.",
        button="Make the table",
        doing="Making the table of",
    )

    show_intervals: bool = setting(
        False, "Show the interval of every mean.", "--show-intervals", "--intervals", label="Intervals"
    )
    wins: bool = setting(False, "Count the topics won, tied and lost against every baseline.")
    explain: bool = setting(False, "Add text for the methods section: test, reasons, references.", part="view")
    digits: int = setting(4, "Decimals of the means.", least=1, most=12, part="view")

    @staticmethod
    def verb() -> Callable[..., PaperTable]:
        """The public function that answers it."""
        from cranfield.questions.table.table import table

        return table

    def check_together(self) -> None:
        """Wins need somebody to win against."""
        if self.wins and not self.baseline:
            raise ArgumentError("`wins` counts topics against a baseline. Name one with `baseline`.")
