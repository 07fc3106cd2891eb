"""Golden files: how they are read, written and compared."""

from __future__ import annotations

import difflib
import json
import math
from pathlib import Path
from typing import Any

EXPECTED = Path(__file__).parent / "expected"
SEPARATOR = "\n== exit code "


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
    if not (same_json(expected, text) if name.endswith(".json") else expected == text):
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


def same_json(expected: str, actual: str) -> bool:
    """Whether two golden files of JSON agree: messages exactly, and what is before them as `same_value` says."""
    old, old_separator, old_messages = expected.partition(SEPARATOR)
    new, new_separator, new_messages = actual.partition(SEPARATOR)
    if (old_separator, old_messages) != (new_separator, new_messages):
        return False
    if not old.strip() or not new.strip():
        return old == new
    return same_value(json.loads(old), json.loads(new))


def same_value(old: Any, new: Any) -> bool:
    """Equal in type, names, order and value; floats within a relative 1e-12."""
    if type(old) is not type(new):
        return False
    if isinstance(old, dict):
        return list(old) == list(new) and all(same_value(old[key], new[key]) for key in old)
    if isinstance(old, list):
        return len(old) == len(new) and all(same_value(a, b) for a, b in zip(old, new, strict=True))
    if isinstance(old, float):
        return math.isclose(old, new, rel_tol=1e-12, abs_tol=1e-15)
    return bool(old == new)
