"""What all results share: tables for papers and notebooks, a chart, a summary, and how they came about.

Every result has `to_frame`, `to_dict`, `to_pandas`, `to_latex`, `to_markdown`, `settings`, `summary`, `chart`,
`warnings` and `signature`. Presenting belongs to the room `present`, below all others. This module is the one doorway
to it: it asks for that room by name, when somebody wants a picture or a table and not before, so that no other room
imports it.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cranfield.errors import ArgumentError

if TYPE_CHECKING:
    import polars as pl


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
            pandas = importlib.import_module("pandas")
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
        text: str = importlib.import_module("cranfield.present.page").result_text(self, format)
        return text

    def summary(self) -> str:
        """The finding in one line."""
        line = repr(self).partition("\n")[0]
        inside = line.removeprefix(f"{type(self).__name__}(")
        return inside.removesuffix(")") if inside != line else line

    def chart(
        self, kind: str | None = None, *, title: str | None = None, width: int | None = None, **options: Any
    ) -> Any:
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
        draw = importlib.import_module("cranfield.present.charts").chart
        return draw(self, kind, title=title, width=width, **options)

    def _repr_html_(self) -> str:
        html: str = importlib.import_module("cranfield.present.page").result_html(self)
        return html
