"""Golden files: how they are read, written and compared."""

from __future__ import annotations

import difflib
import json
import math
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

EXPECTED = Path(__file__).parent / "expected"
_NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def older(package: str, than: tuple[int, int]) -> bool:
    """Whether a package here is older than the one that the golden files were written with."""
    return tuple(int(part) for part in version(package).split(".")[:2]) < than


def check(name: str, text: str, *, update: bool) -> None:
    """Fail with a unified diff unless `text` is what the golden file of this name holds; or write it."""
    path = EXPECTED / name
    if not text.strip():
        raise AssertionError(f"{name} would be empty. A golden file holds what was printed; look why nothing was.")
    if update:
        path.parent.mkdir(exist_ok=True)
        fresh = path.with_name(f".{name}.fresh")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)  # a process that is killed while it writes leaves the old file whole
        return
    if not path.is_file():
        raise AssertionError(f"there is no golden file {path.name}; make it with --update-golden, and read it.")
    expected = path.read_text(encoding="utf-8")
    if expected != text and not (older("scipy", (1, 17)) and close(expected, text)):
        raise AssertionError(f"{name} is not what it was:\n{difference(expected, text, name)}")


def close(expected: str, actual: str) -> bool:
    """Whether two texts differ in the last digits of numbers at most, as they do with another scipy."""
    numbers = [[float(one) for one in _NUMBER.findall(text)] for text in (expected, actual)]
    same_words = _NUMBER.sub("", expected) == _NUMBER.sub("", actual)
    return same_words and all(math.isclose(a, b, rel_tol=1e-8, abs_tol=1e-12) for a, b in zip(*numbers, strict=True))


def difference(expected: str, actual: str, name: str) -> str:
    """A unified diff of two texts."""
    lines = difflib.unified_diff(
        expected.splitlines(), actual.splitlines(), f"expected/{name}", f"now/{name}", lineterm="", n=1
    )
    return "\n".join(lines)


def as_json(value: Any) -> str:
    """JSON for a golden file: compact, and yet one line per row, so that a diff can be read."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
