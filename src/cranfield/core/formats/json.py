"""JSON: the rows in an envelope that says how they came about."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cranfield.core.formats import FORMATS, OutputFormat, text_writer

if TYPE_CHECKING:
    from cranfield.core.tables import Sheet

SCHEMA = 1
"""Version of the envelope; docs/formats.md says what it holds and when the number changes."""


def to_json(sheet: Sheet) -> str:
    """The envelope as text."""
    return json.dumps(envelope(sheet), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def envelope(sheet: Sheet) -> dict[str, Any]:
    """The JSON envelope: schema, command, signature, settings, rows and warnings."""
    return {
        "schema": SCHEMA,
        "command": sheet.command,
        **{key: _said(value) for key, value in sheet.top.items()},
        "signature": sheet.signature,
        "settings": {key: _said(value) for key, value in sheet.settings.items()},
        "rows": [{k: _plain(v) for k, v in row.items()} for row in sheet.for_machines.iter_rows(named=True)],
        "warnings": list(sheet.warnings),
    }


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
