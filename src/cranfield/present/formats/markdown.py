"""Markdown: a pipe table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.present.formats import FORMATS, OutputFormat, by_sections

if TYPE_CHECKING:
    from cranfield.present.tables import Sheet


def to_markdown(sheet: Sheet) -> str:
    """A pipe table, numbers flush right."""
    from cranfield.present.tables import is_number, text_rows

    align = ["---:" if is_number(dtype) else ":---" for dtype in sheet.rows.dtypes]
    lines = [sheet.rows.columns, align, *text_rows(sheet)]
    escaped = [[part.replace("|", "\\|").replace("\n", " ") for part in line] for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in escaped)


def write(sheet: Sheet, width: int | None = None) -> bytes:
    """Its tables, one below the other."""
    return sheet.texts["markdown"].encode() if "markdown" in sheet.texts else by_sections(sheet, to_markdown)


FORMATS.register(
    OutputFormat(
        "markdown", "a pipe table with rounded numbers", (".md",), write,
        label="Markdown", media_type="text/markdown; charset=utf-8", rank=40,
    )
)  # fmt: skip
