"""What all results share: tables for papers and notebooks, a chart, a summary, and how they came about.

Every result has `to_frame`, `to_dict`, `to_pandas`, `to_latex`, `to_markdown`, `settings`, `summary`, `chart`,
`warnings` and `signature`. What draws and prints is imported when somebody wants a picture or a table, not before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cranfield.core.errors import ArgumentError

if TYPE_CHECKING:
    import polars as pl

    from cranfield.core.answer import Answer, Drawings
    from cranfield.core.charts.style import Drawing
    from cranfield.core.question import Question


class Result:
    """A result that can draw itself, be put into a paper, and show itself in a notebook."""

    if TYPE_CHECKING:  # every result says these itself

        @property
        def settings(self) -> Mapping[str, Any]:
            """The settings in force, defaults included."""

        @property
        def signature(self) -> str:
            """One line for a paper's footnote."""

        @property
        def warnings(self) -> tuple[str, ...]:
            """What to know before relying on it, one sentence each."""

    def answer(self, question: Question | None = None) -> Answer:
        """What it says, as every skin shows it, for the question it answers (or as that is usually asked)."""
        raise NotImplementedError

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        return {}

    def to_frame(self) -> pl.DataFrame:
        """The result's main table as a polars frame."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values: settings, rows, signature and warnings."""
        return {
            "signature": self.signature,
            "settings": dict(self.settings),
            "rows": self.to_frame().to_dicts(),
            "warnings": list(self.warnings),
        }

    def to_pandas(self) -> Any:
        """The main table as a pandas frame; pandas is all it takes."""
        try:
            import pandas
        except ImportError:
            raise ArgumentError("to_pandas needs pandas; install it with: pip install pandas") from None
        frame = self.to_frame()
        return pandas.DataFrame({name: frame[name].to_list() for name in frame.columns}, columns=frame.columns)

    def to_latex(self) -> str:
        """The main table for a paper (booktabs), with the signature as a comment."""
        return self._rendered("latex")

    def to_markdown(self) -> str:
        """The main table as a pipe table."""
        return self._rendered("markdown")

    def _rendered(self, format: str) -> str:
        from cranfield.core.formats import render

        return render(self.answer().sheet(), format)

    def summary(self) -> str:
        """The finding in one line."""
        line = repr(self).partition("\n")[0]
        inside = line.removeprefix(f"{type(self).__name__}(")
        return inside.removesuffix(")") if inside != line else line

    def chart(
        self, kind: str | None = None, *, title: str | None = None, width: int | None = None, **options: Any
    ) -> Drawing:
        """The result as an altair chart, which notebooks show and `cranfield.save_chart` writes.

        Parameters
        ----------
        kind : str, optional
            Which of its charts; docs/charts.md lists them. A name that does not exist is told with those that do.
        title : str, optional
            A title of your own instead of the finding; ``""`` for none.
        width : int, optional
            Width of the plot itself in pixels; names and numbers beside it come on top.
        options
            What that chart takes.
        """
        from cranfield.core.charts import chart

        return chart(self, kind, title=title, width=width, **options)

    def _repr_html_(self) -> str:
        from cranfield.core.notebook import result_html

        return result_html(self)
