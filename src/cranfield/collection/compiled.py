"""The compiled parser of lines, where it was built; the environment variable CRANFIELD_PURE=1 switches it off.

It is optional: without it `collection.lines` hands the same bytes to polars and gets the same rows, more slowly.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

OFF = "CRANFIELD_PURE"
Columns = Callable[[bytes, str, str], tuple[Any, Any] | None]


def _found() -> Columns | None:
    if os.environ.get(OFF, "") not in ("", "0"):
        return None
    try:
        from cranfield.collection import _columns
    except ImportError:
        return None
    return _columns.columns


columns: Columns | None = _found()
"""Lines of fields as a record batch of the Arrow C data interface; None at a doubt.

Its arguments are the bytes; a letter for each field (``s`` text, ``l`` and ``i`` whole numbers of 64 and 32 bits, ``g``
doubles, ``-`` left out); and the characters with which no line may begin.
"""
