"""The table of a paper: the settings of `table`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core.errors import ArgumentError
from cranfield.core.options import setting
from cranfield.core.question import Bar, Files, HelpGroup, Page, Place, Question
from cranfield.questions.compare.question import FamilyQuestion

if TYPE_CHECKING:
    from cranfield.core.answer import Answer
    from cranfield.questions.table.table import PaperTable


@dataclass(frozen=True, kw_only=True)
class TableQuestion(FamilyQuestion):
    """Table for a paper: systems by measures, means, significance marks, the best in bold, and a caption.

    With baselines, marks († ‡ …) show which of them a system differs from. Without, letters show which systems it is
    better than. The caption names test, correction, family and number of topics. With a column
    `seed`, the table adds the spread over seeds, and marks compare recipes (see across).

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

    def read(self, files: Files, bar: Bar) -> tuple[Any, ...] | None:
        """A table with training seeds is for `across`: marks are then about recipes."""
        from cranfield.questions.across.files import several_in_file

        paths = list(files["scores"])
        found = several_in_file(paths[0]) if len(paths) == 1 else None
        if found is None or found.what != "seeds":
            return None
        from cranfield.questions.across.question import AcrossQuestion

        known = ("measure", "system", "missing", "baseline", "alpha", "n_resamples", "seed", "topic_groups", "digits")
        if other := next((name for name in self.changed() if name not in known), None):
            raise ArgumentError(f"`{other}` does not apply to a table with training seeds. Leave it out.")
        taken = {name: value for name, value in self.changed().items() if name != "digits"}
        asked = AcrossQuestion(**taken, show="table")
        return asked, *asked.read(files, bar)

    def ask(self, *data: Any, **more: Any) -> Any:
        """The table; of training seeds by `across`."""
        first, *rest = data
        return first.ask(*rest) if isinstance(first, Question) else super().ask(*data, **more)

    def answer(self, result: Any, *data: Any) -> Answer:
        """What the result says, the table first."""
        said = super().answer(result, *data)
        return replace(said, sheets={"table": said.sheets["table"], **said.sheets})

    def check_together(self) -> None:
        """Wins need somebody to win against."""
        if self.wins and not self.baseline:
            raise ArgumentError("`wins` counts topics against a baseline. Name one with `baseline`.")
