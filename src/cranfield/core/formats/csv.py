"""Comma- and tab-separated values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cranfield.core.formats import FORMATS, OutputFormat, text_writer

if TYPE_CHECKING:
    import polars as pl

    from cranfield.core.tables import Sheet


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the start of a formula."""


def to_csv(rows: pl.DataFrame, separator: str = ",", *, read_back: bool = False) -> str:
    """One line per row, after a line of names.

    A spreadsheet runs text that begins like a formula, so a name like ``=1+1`` gets a single quote before it. A table
    that cranfield reads back (`read_back`) keeps its names unchanged.
    """
    if read_back:
        from cranfield.core.separated import table_bytes

        return table_bytes(rows, separator, "the table").decode()
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow([inert(name) for name in rows.columns])
    for row in rows.iter_rows():
        writer.writerow(
            [
                "" if v is None else repr(v) if isinstance(v, float) else inert(v) if isinstance(v, str) else v
                for v in row
            ]
        )
    return out.getvalue()


def inert(text: str) -> str:
    """Text that no spreadsheet runs; numbers stay numbers.

    >>> inert("=HYPERLINK(A1)"), inert("-x"), inert("bm25"), inert("-0.5")
    ("'=HYPERLINK(A1)", "'-x", 'bm25', '-0.5')
    """
    if not text.startswith(_FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def _rows(separator: str) -> Callable[[Sheet], str]:
    return lambda sheet: to_csv(sheet.for_machines, separator, read_back=sheet.read_back)


FORMATS.register(
    OutputFormat(
        "csv", "comma-separated rows with a header", (".csv",), text_writer("csv", _rows(",")),
        label="CSV", media_type="text/csv; charset=utf-8", rank=30,
    )
)  # fmt: skip
FORMATS.register(
    OutputFormat(
        "tsv", "tab-separated rows with a header", (".tsv",), text_writer("tsv", _rows("\t")),
        offered=False, media_type="text/tab-separated-values; charset=utf-8", rank=35,
    )
)  # fmt: skip
