"""HTML: a table to put on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.core.formats import FORMATS, OutputFormat, by_sections, text_writer

if TYPE_CHECKING:
    from cranfield.core.tables import Sheet


def to_html(sheet: Sheet) -> str:
    """A table with its title as caption, and the notes and the signature below it."""
    from html import escape

    from cranfield.core.tables import text_rows

    def cell(text: str, right: bool) -> str:
        align = ' style="text-align: right"' if right else ""
        return f"<td{align}>{escape(text)}</td>"

    numeric = [dtype.is_numeric() for dtype in sheet.rows.dtypes]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in sheet.rows.columns)
    body = [
        "<tr>" + "".join(cell(text, right) for text, right in zip(row, numeric, strict=True)) + "</tr>"
        for row in text_rows(sheet)
    ]
    caption = [f"<caption>{escape(sheet.title)}</caption>"] if sheet.title else []
    notes = [f"<p>{escape(note)}</p>" for note in (*sheet.notes, sheet.signature) if note]
    lines = ["<table>", *caption, f"<thead><tr>{head}</tr></thead>", "<tbody>", *body, "</tbody>", "</table>", *notes]
    return "\n".join(lines) + "\n"


FORMATS.register(
    OutputFormat(
        "html", "a table for a web page, with rounded numbers, notes and the signature", (".html", ".htm"),
        text_writer("html", by_sections(to_html)), media_type="text/html; charset=utf-8", rank=60,
    )
)  # fmt: skip
