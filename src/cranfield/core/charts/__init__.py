"""Every result as a chart: `chart` finds the drawing that fits; `export.save_chart` writes it."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cranfield.core.errors import ArgumentError, UnknownNameError
from cranfield.core.resources import check_charts, check_drawing
from cranfield.core.results import Result

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings
    from cranfield.core.charts.style import Drawing

check_charts()


def chart(
    result: object, kind: str | None = None, *, title: str | None = None, width: int | None = None, **options: Any
) -> Drawing:
    """The drawing of a result.

    Parameters
    ----------
    result : any result of cranfield, or a list of results that one chart compares
    kind : str, optional
        Which of its charts; `kinds` lists them. The first is drawn when left out.
    title : str, optional
        A title of your own instead of the finding; ``""`` for neither title nor second line, as papers want it.
    width : int, optional
        Width of the plot itself in pixels; names and numbers beside it come on top. A map stays square.
    options
        What that chart takes, such as the two systems of a ``difference``.
    """
    check_drawing()
    known = drawings_of(result)
    if kind is not None and kind not in known:
        raise UnknownNameError("chart", kind, known)
    drawn = known[kind or next(iter(known))](result, **options)
    if title is None and width is None:
        return drawn
    from cranfield.core.charts.style import dressed

    return dressed(drawn, title, width)


def kinds(result: object) -> tuple[str, ...]:
    """The names of the charts a result has."""
    return tuple(drawings_of(result))


def drawings_of(result: object) -> Drawings:
    """What draws a result (of a list, its first), by the names of the charts."""
    first = result[0] if isinstance(result, list) and result else result
    if not isinstance(first, Result) or not first.drawings():
        raise ArgumentError(f"a {type(result).__name__} has no chart; results of cranfield have.")
    return first.drawings()


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
