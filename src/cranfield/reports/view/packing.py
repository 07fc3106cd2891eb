"""Many numbers in little text: arrays as base64 of their bytes, smallest byte first."""

from __future__ import annotations

import base64
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Kind = Literal["f4", "u2", "u1"]
DOUBLES = "8:"
"""Before the text of numbers that 32 bits would lose."""
_FLOATS = np.finfo(np.float32)


def pack(values: ArrayLike, kind: Kind = "f4") -> str:
    """The values as 32-bit floats, or as whole numbers of 16 or 8 bits; as doubles if one is too large or too small.

    >>> pack([0.5, 0.25])
    'AAAAPwAAgD4='
    >>> unpack(pack([0.5, 0.25])).tolist()
    [0.5, 0.25]
    >>> unpack(pack([0.5, 1e300])).tolist()
    [0.5, 1e+300]
    """
    if kind == "f4":
        size = np.abs(np.asarray(values, dtype=np.float64))
        if np.any(np.isfinite(size) & (size > 0) & ((size < _FLOATS.tiny) | (size > _FLOATS.max))):
            return DOUBLES + _text(values, "f8")
    return _text(values, kind)


def _text(values: ArrayLike, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=f"<{kind}").tobytes()).decode()


def unpack(text: str, kind: Kind = "f4") -> NDArray[Any]:
    """The values again."""
    if text.startswith(DOUBLES):
        return np.frombuffer(base64.b64decode(text.removeprefix(DOUBLES)), dtype="<f8")
    return np.frombuffer(base64.b64decode(text), dtype=f"<{kind}")


def pack_p(p: ArrayLike) -> str:
    """P-values as `pack` has them; one too small for 32 bits becomes the smallest there is, never 0.

    >>> float(unpack(pack_p([1e-300]))[0]) > 0
    True
    """
    return pack(np.maximum(p, np.finfo(np.float32).tiny))
