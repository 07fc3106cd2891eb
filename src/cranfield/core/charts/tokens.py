"""The colours and sizes of the one file of tokens, for charts: by day, and what each of them is by night."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

_TEXT = (Path(__file__).parent.parent / "templates" / "tokens.css").read_text("utf-8")
_ROOT = 16
"""Pixels of 1rem."""


def _named(time: str) -> dict[str, str]:
    return dict(re.findall(rf"--{time}-([\w-]+): ([^;]+);", _TEXT))


DAY, NIGHT = _named("day"), _named("night")
SIZES = {name: round(_ROOT * float(rem), 1) for name, rem in re.findall(r"--(text[\w-]*): ([\d.]+)rem", _TEXT)}


@lru_cache(maxsize=1)
def night_style() -> str:
    """Rules that give the colours of a drawing their counterparts on dark screens; paper stays white.

    >>> night_style().startswith("@media screen and (prefers-color-scheme: dark)"), "#1d2733" in night_style()
    (True, True)
    """
    pairs = dict(
        zip(" ".join(DAY[name] for name in NIGHT).split(), " ".join(NIGHT.values()).split(), strict=True)
    )  # fmt: skip
    rules = "".join(
        f'svg [{what}="{day}"] {{ {what}: {night}; }}\n' for day, night in pairs.items() for what in ("fill", "stroke")
    )
    return f"@media screen and (prefers-color-scheme: dark) {{\n{rules}}}\n"
