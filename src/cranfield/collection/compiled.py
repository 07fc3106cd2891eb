"""The compiled parser of lines, where it was built; the environment variable CRANFIELD_PURE=1 switches it off.

It is optional: without it `collection.lines` hands the same bytes to polars and gets the same rows, more slowly.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from cranfield.core.text import old_line_ends

OFF = "CRANFIELD_PURE"
Columns = Callable[[bytes, str, str], tuple[Any, Any] | None]


def _found() -> Any:
    if os.environ.get(OFF, "") not in ("", "0"):
        return None
    try:
        from cranfield.collection import _columns
    except ImportError:
        return None
    return _columns if hasattr(_columns, "judged") else None  # one that was built from an older source counts as none


_module = _found()
columns: Columns | None = _module and _module.columns
"""Lines of fields as a record batch of the Arrow C data interface; None at a doubt.

Its arguments are the bytes; a letter for each field (``s`` text, ``l`` and ``i`` whole numbers of 64 and 32 bits, ``g``
doubles, ``-`` left out); and the characters with which no line may begin.
"""


class JudgedLines(NamedTuple):
    """What all lines of a run hold for measures: 64-bit whole numbers as bytes.

    Parameters
    ----------
    tag : the run tag, the same on every line
    unjudged_topics : the topics without judgments
    retrieved : how many documents each judged topic has
    hits : topic number, rank and document number of each judged document, topics in the order of the file
    """

    tag: str
    unjudged_topics: dict[str, None]
    retrieved: bytes
    hits: bytes


Judge = Callable[[bytes], JudgedLines | None]
"""Parses a run, ranks its documents by score and looks them up in one go; None at a doubt."""


def judge_of(topics: Iterable[str], documents: Iterable[Iterable[str]]) -> Judge | None:
    """What judges lines, from the judged documents of each topic; None where not built, or where ids collide.

    Documents are numbered in the order given, those of all topics together.
    """
    index = columns and _module.index((*map(tuple, documents), tuple(topics)))
    return index and partial(_judged, index)


def _judged(index: Any, data: bytes) -> JudgedLines | None:
    found = None if old_line_ends(data) else _module.judged(index, data)
    return found and JudgedLines(*found)
