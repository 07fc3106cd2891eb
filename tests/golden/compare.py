"""Golden files: how they are read, written and compared."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

EXPECTED = Path(__file__).parent / "expected"


def check(name: str, text: str, *, update: bool) -> None:
    """Fail with a unified diff unless `text` is what the golden file of this name holds; or write it."""
    path = EXPECTED / name
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    if not path.is_file():
        raise AssertionError(f"there is no golden file {path.name}; make it with --update-golden, and read it.")
    expected = path.read_text(encoding="utf-8")
    if expected != text:
        raise AssertionError(f"{name} is not what it was:\n{difference(expected, text, name)}")


def difference(expected: str, actual: str, name: str) -> str:
    """A unified diff of two texts."""
    lines = difflib.unified_diff(
        expected.splitlines(), actual.splitlines(), f"expected/{name}", f"now/{name}", lineterm="", n=1
    )
    return "\n".join(lines)


def as_json(value: Any) -> str:
    """JSON for a golden file: compact, and yet one line per row, so that a diff can be read."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
