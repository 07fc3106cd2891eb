"""JSON: the rows in an envelope that says how they came about."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from cranfield.present.formats import FORMATS, OutputFormat

if TYPE_CHECKING:
    from cranfield.present.tables import Sheet

SCHEMA = 1
"""Version of the envelope; docs/formats.md says what it holds and when the number changes."""


def to_json(sheet: Sheet) -> str:
    """The JSON envelope: schema, command, signature, settings, rows and warnings."""
    envelope = {
        "schema": SCHEMA,
        "command": sheet.command,
        **sheet.top,
        "signature": sheet.signature,
        "settings": {key: _plain(value) for key, value in sheet.settings.items()},
        "rows": [{k: _plain(v) for k, v in row.items()} for row in sheet.for_machines.iter_rows(named=True)],
        "warnings": list(sheet.warnings),
    }
    return json.dumps(envelope, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """JSON has no infinity or NaN: they are written as strings, never dropped."""
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def write(sheet: Sheet, width: int | None = None) -> bytes:
    """The envelope in UTF-8."""
    return to_json(sheet).encode()


FORMATS.register(
    OutputFormat(
        "json", "the rows in an envelope with command, signature, settings and warnings", (".json",), write,
        label="JSON", media_type="application/json", rank=20,
    )
)  # fmt: skip
