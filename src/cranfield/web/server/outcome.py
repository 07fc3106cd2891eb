"""`Outcome`: an answer as a page shows it and the API gives it, with how to get the same elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import polars as pl

from cranfield.errors import UnknownNameError
from cranfield.present.answer import Answer
from cranfield.present.formats import downloads
from cranfield.present.tables import Sheet, is_number, text_rows

CHART_FORMATS = ("svg", "pdf")
_MEDIA_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "html": "text/html; charset=utf-8"}
MOST_ROWS = 250
"""Rows a page shows of a table; downloads hold them all."""


@dataclass(frozen=True)
class Table:
    """A sheet on a page."""

    name: str
    sheet: Sheet
    links: Sequence[str] = ()
    """An address for every row, where rows lead somewhere."""
    known: tuple[str, ...] = ()
    """What the page says already."""
    first: tuple[str, ...] = ()
    """Columns the page puts before the others; downloads keep the order of the command line."""

    @property
    def _rows(self) -> pl.DataFrame:
        rows = self.sheet.for_people.rows
        before = [name for name in self.first if name in rows.columns]
        return rows.select(*before, pl.exclude(before)) if before else rows

    @property
    def heading(self) -> str:
        """What stands above it."""
        return self.sheet.heading or self.sheet.title or self.name

    @property
    def columns(self) -> list[tuple[str, bool]]:
        """Names and whether they hold numbers."""
        return [(name, is_number(dtype)) for name, dtype in self._rows.schema.items()]

    @property
    def link_column(self) -> int:
        """The column whose cells lead somewhere: the first that is no measure."""
        return 1 if self.links and self.columns[0][0] == "measure" else 0

    def shown(self) -> list[list[str]]:
        """The rows as people read them, the first of very many."""
        return text_rows(replace(self.sheet, rows=self._rows.head(MOST_ROWS)))

    @property
    def left_out(self) -> int:
        """Rows the page does not show."""
        return max(0, self.sheet.rows.height - MOST_ROWS)

    @property
    def notes(self) -> list[str]:
        """The lines below it that the page does not have elsewhere, with the names of columns as its head has them."""
        named = [name for name in self.sheet.rows.columns if "_" in name]
        notes = [note for note in self.sheet.notes if note and note not in self.known]
        return [reduce(lambda text, name: text.replace(name, name.replace("_", " ")), named, note) for note in notes]


@dataclass(frozen=True, eq=False)
class Outcome:
    """An answer, with how to get the same elsewhere.

    Parameters
    ----------
    answer : what the result says
    command, python : the same question in a terminal and in Python, one line each
    warnings : what to know before relying on it
    links : for a table, by name: an address for every row
    file : a document to download instead of tables
    """

    answer: Answer
    command: tuple[str, ...]
    python: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    links: Mapping[str, Sequence[str]] = field(default_factory=dict)
    file: str = ""

    def __post_init__(self) -> None:
        for name in self.answer.shown:  # made now, in the job, not when the page is drawn
            self.answer.sheet(name)

    def table(self, name: str) -> Table:
        """A table by name."""
        known = (*self.answer.headline.splitlines(), *self.answer.sentences)
        first = self.answer.extra.get("first_columns", {}).get(name, ())
        return Table(name, self.answer.sheet(name), self.links.get(name, ()), known, first)

    @property
    def tables(self) -> list[Table]:
        """The tables a page shows; a note that several have stands below the first."""
        shown: list[Table] = []
        for name in self.answer.shown:
            said = tuple(note for one in shown for note in one.sheet.notes)
            table = self.table(name)
            shown.append(replace(table, known=(*table.known, *said)))
        return shown

    def to_dict(self) -> dict[str, Any]:
        """The envelope of the command line's JSON, with the headline, the further tables and both ways to repeat it."""
        said = {"warnings": list(self.warnings), "command_line": list(self.command), "python": list(self.python)}
        return {**self.answer.to_dict(), **said}

    def table_bytes(self, name: str, ending: str) -> bytes:
        """A table as a file."""
        formats = downloads()
        if ending not in formats:
            raise unknown_ending(ending)
        return formats[ending].write(self.answer.sheet(name))


def unknown_ending(ending: str) -> UnknownNameError:
    """The error that lists what tables and charts can be downloaded as."""
    return UnknownNameError("format", ending, [*downloads(), *CHART_FORMATS])


def media_type(ending: str) -> str:
    """What a download of this ending is."""
    known = downloads().get(ending)
    return known.media_type if known is not None else _MEDIA_TYPES[ending.rpartition(".")[2]]
