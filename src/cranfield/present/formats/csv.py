"""Comma-separated values at full precision."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from cranfield.present.formats import FORMATS, OutputFormat

if TYPE_CHECKING:
    import polars as pl

    from cranfield.present.tables import Sheet


def to_csv(rows: pl.DataFrame, separator: str = ",") -> str:
    """One line per row, after a line of names: every number reads back to the same double."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow(rows.columns)
    for row in rows.iter_rows():
        writer.writerow(["" if v is None else repr(v) if isinstance(v, float) else v for v in row])
    return out.getvalue()


def write(sheet: Sheet, width: int | None = None) -> bytes:
    """The rows in UTF-8."""
    return sheet.texts["csv"].encode() if "csv" in sheet.texts else to_csv(sheet.rows).encode()


FORMATS.register(
    OutputFormat(
        "csv", "comma-separated rows at full precision, with a header", (".csv",), write,
        label="CSV", media_type="text/csv; charset=utf-8", rank=30,
    )
)  # fmt: skip
