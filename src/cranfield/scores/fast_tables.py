"""Long tables of scores through a columnar parser, which gives up at the first doubt.

What it accepts, `text_tables.read_table` and `parse_long` read to the same columns; property tests keep it so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.files import BOM
from cranfield.labels import CONTROL
from cranfield.scores.frames import long_columns

if TYPE_CHECKING:
    import polars as pl
else:
    from cranfield.lazy import polars as pl

_LARGE = 1 << 16
"""Bytes below which the careful way is quick enough, and says more about what is odd."""


def header_of(data: bytes) -> tuple[list[str], str, int] | None:
    """The names of the columns, the separator, and where the rows begin; None where quotes or line ends are not plain.

    >>> header_of(b"# made by hand\\nsystem,topic,value\\nbm25,1,0.5\\n")
    (['system', 'topic', 'value'], ',', 34)
    """
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        line = data[at:end]
        if b'"' in line or b"\r" in line.rstrip(b"\r"):
            return None
        if line.strip() and not line.startswith(b"#"):
            text = line.rstrip(b"\r").decode()
            separator = next((mark for mark in "\t,;" if mark in text), None)
            if separator is None or not any(part.strip() for part in text.split(separator)):
                return None
            return text.split(separator), separator, end + 1
        at = end + 1
    return None


def long_table(data: bytes) -> pl.DataFrame | None:
    """The columns of a large long table: the labels as text, ``value`` as numbers; None at any doubt."""
    head = header_of(data) if len(data) >= _LARGE else None
    if head is None or b'"' in data:
        return None
    names, separator, begin = head
    parts = long_columns(names)
    if parts is None or len(set(names)) < len(names) or CONTROL.search("".join(names)):
        return None
    body = memoryview(data)[begin:].tobytes()
    if body.startswith(BOM):
        return None  # it belongs to the first label, and the parser would take it off
    if not body.endswith(b"\n"):
        body += b"\n"  # else the parser would pass over a separator that ends it
    if b"\r" in body:
        body = body.replace(b"\r\n", b"\n")
        if b"\r" in body:
            return None
    schema = {name: pl.Float64 if name == parts["value"] else pl.String for name in names}
    try:
        frame = pl.read_csv(body, has_header=False, separator=separator, quote_char=None, schema=schema)
    except (pl.exceptions.PolarsError, ValueError):
        return None
    if not frame.height or any(frame.null_count().row(0)) or not frame[parts["value"]].is_finite().all():
        return None
    columns = {part: frame[name] for part, name in parts.items()}
    for name in (name for name in names if name != parts["value"]):
        labels = frame[name].unique()
        blank = name in parts.values() and (labels.str.strip_chars() == "").any()
        if blank or labels.str.contains(CONTROL.pattern).any():
            return None
    return pl.DataFrame([column.alias(part) for part, column in columns.items()])
