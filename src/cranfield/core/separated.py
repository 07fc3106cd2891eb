"""Tables as separated text that reads back without loss."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cranfield.core.errors import DataError

if TYPE_CHECKING:
    import polars as pl

_ROWS = 100_000
"""How many rows of a frame are text at a time: cells take many times the memory of what is written of them."""
_DELICATE = re.compile(r"[\s,;\"#]")


def table_bytes(frame: pl.DataFrame, separator: str, path: str) -> bytes:
    """A table of scores as text, ready for a file: every number and name reads back unchanged."""
    lines = [separator.join(_label(name, separator, path) for name in frame.columns).encode()]
    for part in frame.iter_slices(_ROWS):
        cells = [_cells(column, separator, path) for column in part.iter_columns()]
        lines.append("\n".join(map(separator.join, zip(*cells, strict=True))).encode())
    return b"\n".join([*lines, b""]) if frame.height else lines[0] + b"\n"


def _cells(column: pl.Series, separator: str, path: str) -> list[str]:
    """The cells of a column; each label is checked once."""
    values = column.to_list()
    if column.dtype.is_float():
        return ["" if value is None else repr(value) for value in values]
    written = {value: "" if value is None else _label(str(value), separator, path) for value in dict.fromkeys(values)}
    return [written[value] for value in values]


def _label(label: str, separator: str, path: str) -> str:
    if separator != " ":
        return _quoted(label)
    if len(label.split()) != 1 or label.startswith("#"):
        raise DataError(f"{path}: label {label!r} cannot be written to a blank-separated file; write .csv instead")
    return label


def _quoted(text: str) -> str:
    """Quoted wherever any reader might stumble: separators of other dialects, blanks, quotes, comment marks."""
    return '"' + text.replace('"', '""') + '"' if _DELICATE.search(text) else text
