"""Markdown: a pipe table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cranfield.core.formats import FORMATS, OutputFormat, by_sections, text_writer

if TYPE_CHECKING:
    from cranfield.core.tables import Sheet


_TAG = re.compile(r"<(?=[A-Za-z/!?])")
"""What opens a tag, a comment or an address in Markdown; the sign of "p < 0.05" does not."""


def plain_text(text: str) -> str:
    """Text that Markdown shows literally: no name becomes a tag, a link or another cell.

    >>> plain_text("<b>a|b</b>, p < 0.05"), plain_text("[x](y)")
    ('&lt;b>a\\\\|b&lt;/b>, p < 0.05', '[x]\\\\(y)')
    """
    return _TAG.sub("&lt;", " ".join(text.splitlines())).replace("|", "\\|").replace("](", "]\\(")


def name_text(name: str) -> str:
    """A name set as code, or as plain text where code could not hold it.

    >>> name_text("bm25"), name_text("<b>`x`")
    ('`bm25`', '&lt;b>`x`')
    """
    return plain_text(name) if re.search(r"[`<|\n\r\u2028\u2029]", name) else f"`{name}`"


def to_markdown(sheet: Sheet) -> str:
    """A pipe table, numbers flush right."""
    from cranfield.core.tables import text_rows

    align = ["---:" if dtype.is_numeric() else ":---" for dtype in sheet.rows.dtypes]
    lines = [sheet.rows.columns, align, *text_rows(sheet)]
    escaped = [map(plain_text, line) for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in escaped)


FORMATS.register(
    OutputFormat(
        "markdown", "a pipe table with rounded numbers", (".md",), text_writer("markdown", by_sections(to_markdown)),
        label="Markdown", media_type="text/markdown; charset=utf-8", rank=40,
    )
)  # fmt: skip
