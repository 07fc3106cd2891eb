"""JSON: the rows in an envelope that says how they came about."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cranfield.core.formats import FORMATS, OutputFormat, text_writer

if TYPE_CHECKING:
    import polars as pl

    from cranfield.core.demand import Demand
    from cranfield.core.tables import Sheet

SCHEMA = 1
"""Version of the envelope; docs/formats.md says what it holds and when the number changes."""
JSON_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["schema", "command", "signature", "settings", "rows", "warnings"],
    "properties": {
        "schema": {"const": SCHEMA},
        "command": {"type": "string"},
        "signature": {"type": "string"},
        "settings": {"type": "object"},
        "rows": {"type": "array", "items": {"type": "object"}},
        "warnings": {"type": "array", "items": {"type": "string"}},
    },
}
"""The envelope as JSON Schema; docs/json.md prints it. Further keys may come."""


_SLICE = 20_000
"""Rows that are held as Python objects at a time; they take fifty times the memory of the frame."""
_COPIES = 3
"""How often the text is in memory at its height: in pieces, whole, and as bytes."""


def to_json(sheet: Sheet) -> str:
    """The envelope as text, its rows made in slices; one that does not fit into memory is refused."""
    frame = sheet.for_machines
    begin, end = _text(_head(sheet))[:-2], _text(_tail(sheet))[2:]
    pieces: list[str] = []
    for start in range(0, frame.height, _SLICE):
        rows = _text(_rows(frame[start : start + _SLICE]))[2:-2]  # without the brackets of the list
        pieces.append("  " + rows.replace("\n", "\n  "))
        if start == 0:
            _demand(frame.height, len(rows) / min(frame.height, _SLICE)).foretell()
    listed = "[\n" + ",\n".join(pieces) + "\n  ]" if pieces else "[]"
    return f'{begin},\n  "rows": {listed},\n{end}\n'


def _text(content: Any) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def _demand(height: int, size: float) -> Demand:
    from cranfield.core.demand import Demand

    instead = "CSV or parquet take a tenth"
    return Demand(f"JSON of {height:,} rows", 0, _COPIES * height * size / 1e6, instead)


def envelope(sheet: Sheet) -> dict[str, Any]:
    """The JSON envelope: schema, command, signature, settings, rows and warnings."""
    return {**_head(sheet), "rows": _rows(sheet.for_machines), **_tail(sheet)}


def _head(sheet: Sheet) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "command": sheet.command,
        **{key: _said(value) for key, value in sheet.top.items()},
        "signature": sheet.signature,
        "settings": {key: _said(value) for key, value in sheet.settings.items()},
    }


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    return [{k: _plain(v) for k, v in row.items()} for row in frame.iter_rows(named=True)]


def _tail(sheet: Sheet) -> dict[str, Any]:
    return {"warnings": list(sheet.warnings)}


def _plain(value: Any) -> Any:
    """JSON has no infinity or NaN: scores that are such (a standardised one) are strings, never dropped."""
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def _said(value: Any) -> Any:
    """A setting or a fact beside the rows, its numbers `steady`."""
    from cranfield.core.tables import steady

    if isinstance(value, Mapping):
        return {key: _said(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_said(part) for part in value]
    if isinstance(value, float):
        return None if math.isinf(value) else _plain(steady(value))
    return value


FORMATS.register(
    OutputFormat(
        "json", "the rows in an envelope with command, signature, settings and warnings", (".json",),
        text_writer("json", to_json), label="JSON", media_type="application/json", rank=20,
    )
)  # fmt: skip
