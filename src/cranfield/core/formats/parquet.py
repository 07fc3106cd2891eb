"""Parquet: the rows as a typed binary table."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from cranfield.core.formats import FORMATS, OutputFormat

if TYPE_CHECKING:
    from cranfield.core.tables import Sheet


def write(sheet: Sheet, width: int | None = None) -> bytes:
    """The rows as a parquet file's bytes."""
    out = io.BytesIO()
    sheet.for_machines.write_parquet(out)
    return out.getvalue()


FORMATS.register(
    OutputFormat(
        "parquet", "the rows as a typed binary table", (".parquet",), write,
        offered=False, media_type="application/vnd.apache.parquet", rank=70,
    )
)  # fmt: skip
