"""A chart with a title and a width of one's own: the same for every chart, after it is drawn."""

from __future__ import annotations

from typing import Any

import altair as alt

from cranfield.defaults import CHART_WIDTHS
from cranfield.errors import ArgumentError
from cranfield.present.charts.style import Drawing, folded

_PARTS = ("hconcat", "vconcat", "concat")


def dressed(drawing: Drawing, title: str | None = None, width: int | None = None) -> Drawing:
    """The chart under this title (none if empty), its plots scaled to this width in all."""
    drawn = drawing.copy(deep=True)
    natural = _natural(drawn)
    if width is not None:
        if not CHART_WIDTHS[0] <= width <= CHART_WIDTHS[1]:
            raise ArgumentError(f"`width` must be from {CHART_WIDTHS[0]} to {CHART_WIDTHS[1]} pixels; got {width:g}.")
        _scale(drawn, width / natural)
    if title == "":
        drawn.title = alt.Undefined
        return drawn
    own = drawn.title
    finding = title if title is not None else " ".join(own.text)
    details = "" if own.subtitle is alt.Undefined else " ".join(own.subtitle)
    drawn.title = folded(finding, details, max(natural if width is None else width, 300))
    return drawn


def _parts(drawn: Any) -> tuple[str, list[Any]]:
    """How a drawing is put together from others, and from which."""
    for name in _PARTS:
        if isinstance(parts := getattr(drawn, name, None), list):
            return name, parts
    spec = getattr(drawn, "spec", None)
    return ("facet", [spec]) if isinstance(spec, (alt.Chart, alt.LayerChart)) else ("", [])


def _natural(drawn: Any) -> float:
    """The width of all plots beside each other, in pixels."""
    how, parts = _parts(drawn)
    if not parts:
        own = _own(drawn)
        return own if own is not None else 0.0
    widths = [_natural(part) for part in parts]
    columns = drawn.columns if how == "concat" and isinstance(drawn.columns, int) else len(parts)
    return sum(widths[:columns]) if how in ("hconcat", "concat") else max(widths)


def _own(drawn: Any) -> float | None:
    """The width that a plot without parts asks for; None where it takes a step per column."""
    for one in (drawn, *(getattr(drawn, "layer", None) or ())):
        if isinstance(one.width, (int, float)):
            return float(one.width)
    return None


def _scale(drawn: Any, factor: float) -> None:
    """Every plot wider or narrower by this factor; a square one in both directions."""
    for part in _parts(drawn)[1]:
        _scale(part, factor)
    for one in (drawn, *(getattr(drawn, "layer", None) or ())):
        wide, high = getattr(one, "width", None), getattr(one, "height", None)
        if isinstance(wide, (int, float)):
            one.width = max(1, round(wide * factor))
            if high == wide:
                one.height = one.width
                _thin(one)


def _thin(drawn: Any) -> None:
    """Names of a map that has become too small for all of them: those that fit."""
    y = getattr(drawn.encoding, "y", None)
    if isinstance(y, alt.Y) and isinstance(y["axis"], alt.Axis):
        y["axis"].labelOverlap = True
