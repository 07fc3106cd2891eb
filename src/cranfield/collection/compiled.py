"""The compiled parser of lines, where it was built; the environment variable CRANFIELD_PURE=1 switches it off.

It is optional: without it `collection.lines` hands the same bytes to polars and gets the same rows, more slowly.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

OFF = "CRANFIELD_PURE"
Columns = Callable[[bytes, str, str], tuple[Any, Any] | None]


def _found() -> Any:
    if os.environ.get(OFF, "") not in ("", "0"):
        return None
    try:
        from cranfield.collection import _columns
    except ImportError:
        return None
    return _columns if hasattr(_columns, "judgments") else None  # one of an older source counts as none


_module = _found()
columns: Columns | None = _module and _module.columns
"""Lines of fields as a record batch of the Arrow C data interface; None at a doubt.

Its arguments are the bytes; a letter for each field (``s`` text, ``l`` and ``i`` whole numbers of 64 and 32 bits, ``g``
doubles, ``-`` left out); and the characters with which no line may begin.
"""


class JudgedLines(NamedTuple):
    """What all lines of a run hold for measures; pairs of 64-bit whole numbers as bytes.

    Parameters
    ----------
    tag : the run tag, the same on every line
    unjudged_topics : the topics without judgments
    retrieved : the first row of each judged topic among the judgments, and how many documents the run has for it
    hits : rank and row of each judged document, topics in the order of the file
    """

    tag: str
    unjudged_topics: dict[str, None]
    retrieved: bytes
    hits: bytes


class Judge:
    """Parses a run, ranks its documents by score and looks them up among judgments in one go; None at a doubt.

    `rows` is how many judgments there are.
    """

    def __init__(self, index: Any, rows: int) -> None:
        self._index, self.rows = index, rows

    def __call__(self, data: bytes) -> JudgedLines | None:
        found = None if has_old_ends(data) else _module.judged(self._index, data)
        return found and JudgedLines(*found)


def judge_of(lines: bytes) -> Judge | None:
    """What judges runs by lines of judgments; None where not built, or at a doubt.

    Every line has four fields, the first and the third topic and document.
    """
    found = None if columns is None or has_old_ends(lines) else _module.judgments(lines)
    return found and Judge(*found)


def has_old_ends(data: bytes) -> bool:
    """Whether lines may end in CR alone, which is a blank to the columnar parsers.

    >>> has_old_ends(b"1 a\\r2 b\\r"), has_old_ends(b"1 a\\r\\n2 b\\r\\n")
    (True, False)
    """
    return b"\r" in data and b"\n" not in data.rstrip()
