"""What all results share: a chart, and a rich view in notebooks.

Drawing belongs to the room `present`, below all others. This module is the one doorway to it: it asks for that room by
name, when somebody wants a picture and not before, so that no other room imports it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


class Result:
    """A result that can draw itself and show itself in a notebook."""

    def chart(self, kind: str | None = None, **options: Any) -> Any:
        """The result as an altair chart, which notebooks show and `cranfield.save_chart` writes.

        Parameters
        ----------
        kind : str, optional
            Which of its charts; docs/charts.md lists them. A name that does not exist is told with those that do.
        options
            What that chart takes.
        """
        return importlib.import_module("cranfield.present.charts").chart(self, kind, **options)

    def _view(self) -> tuple[str, list[pl.DataFrame]]:
        """A heading and tables for the notebook."""
        return repr(self).partition("\n")[0], [self.to_frame()]  # type: ignore[attr-defined]

    def _repr_html_(self) -> str:
        html: str = importlib.import_module("cranfield.present.page").result_html(self, *self._view())
        return html
