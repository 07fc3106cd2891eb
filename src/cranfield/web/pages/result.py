"""`Result`: what every page shows and every download is made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from cranfield.errors import UnknownNameError
from cranfield.present.tables import Sheet, is_number, render, text_rows

TABLE_FORMATS = {"csv": "csv", "json": "json", "tex": "latex", "md": "markdown"}
"""Endings of a table's downloads, and the formats they stand for."""
CHART_FORMATS = ("svg", "pdf")
MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "tex": "application/x-tex",
    "md": "text/markdown; charset=utf-8",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "html": "text/html; charset=utf-8",
}
MOST_ROWS = 250
"""Rows a page shows of a table; downloads hold them all."""


@dataclass(frozen=True)
class Table:
    """A table of a page: its heading, and the answer the downloads are made of."""

    name: str
    heading: str
    answer: Sheet
    links: tuple[str, ...] = ()
    """An address for every row, where rows lead somewhere."""
    first: tuple[str, ...] = ()
    """Columns the page puts before the others; downloads keep the order of the command line."""

    @property
    def _rows(self) -> pl.DataFrame:
        rows = self.answer.rows
        before = [name for name in self.first if name in rows.columns]
        return rows.select(*before, pl.exclude(before)) if before else rows

    @property
    def columns(self) -> list[tuple[str, bool]]:
        """Names and whether they hold numbers."""
        return [(name, is_number(dtype)) for name, dtype in self._rows.schema.items()]

    def shown(self) -> list[list[str]]:
        """The rows as people read them, the first of very many."""
        few = self._rows.head(MOST_ROWS)
        return text_rows(Sheet(self.answer.command, few, digits=self.answer.digits))

    @property
    def left_out(self) -> int:
        """Rows the page does not show."""
        return max(0, self.answer.rows.height - MOST_ROWS)


@dataclass(frozen=True)
class Chart:
    """A chart of a page, drawn when its image is asked for.

    Parameters
    ----------
    name, heading, alt : its file, its caption, and what it shows in words
    source : the result it is drawn from
    kind, options : which chart of that result, see `cranfield.present.charts.chart`
    """

    name: str
    heading: str
    alt: str
    source: object
    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """What was found: a headline, sentences, tables, charts, and how to get the same elsewhere.

    The first table is the answer proper, the one the API gives as `rows`.
    """

    headline: str
    sentences: tuple[str, ...]
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...]
    command: tuple[str, ...]
    python: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        return self.tables[0].answer.signature

    def table(self, name: str) -> Table:
        """A table by name."""
        for table in self.tables:
            if table.name == name:
                return table
        raise UnknownNameError("table", name, [table.name for table in self.tables])

    def chart(self, name: str) -> Chart:
        """A chart by name."""
        for chart in self.charts:
            if chart.name == name:
                return chart
        raise UnknownNameError("chart", name, [chart.name for chart in self.charts])

    def to_dict(self) -> dict[str, Any]:
        """The envelope of the command line's JSON, with the headline, the further tables and both ways to repeat it."""
        first, *others = (json.loads(render(table.answer, "json")) for table in self.tables)
        return {
            **first,
            "headline": self.headline,
            "tables": {table.name: other["rows"] for table, other in zip(self.tables[1:], others, strict=True)},
            "warnings": list(self.warnings),
            "command_line": list(self.command),
            "python": list(self.python),
        }


def table_bytes(table: Table, ending: str) -> bytes:
    """A table as a file."""
    if ending not in TABLE_FORMATS:
        raise UnknownNameError("format", ending, [*TABLE_FORMATS, *CHART_FORMATS])
    return render(table.answer, TABLE_FORMATS[ending]).encode()  # type: ignore[arg-type]
