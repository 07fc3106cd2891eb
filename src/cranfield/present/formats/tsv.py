"""Tab-separated values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.present.formats import FORMATS, OutputFormat
from cranfield.present.formats.csv import to_csv

if TYPE_CHECKING:
    from cranfield.present.tables import Sheet


def write(sheet: Sheet, width: int | None = None) -> bytes:
    """The rows in UTF-8."""
    return to_csv(sheet.for_machines, "\t", read_back=sheet.read_back).encode()


FORMATS.register(
    OutputFormat(
        "tsv", "tab-separated rows with a header", (".tsv",), write,
        offered=False, media_type="text/tab-separated-values; charset=utf-8", rank=35,
    )
)  # fmt: skip
