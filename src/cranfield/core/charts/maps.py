"""Maps of systems by systems: one tone per class, equal neighbours drawn as one block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from cranfield.core.charts.style import INK, names_axis, rows

GUIDED = 20
"""Systems from which on thin lines guide the eye from a cell to its names."""


def block_map(
    names: Sequence[str], table: Sequence[Sequence[str]], tones: Mapping[str, str], spaced: bool = True
) -> alt.Chart:
    """A systems × systems map of named classes; an empty name stays white.

    Neighbours of one class in a row become one block, so a map of 129 systems has hundreds of marks, not 16,641.
    """
    m = len(names)
    blocks = []
    for i, row in enumerate(table):
        start = 0
        for j in range(1, m + 1):
            if j == m or row[j] != row[start]:
                if row[start]:
                    blocks.append({"system": names[i], "from": start, "to": j, "class": row[start]})
                start = j
    shown = [name for name in tones if any(block["class"] == name for block in blocks)]
    size = map_size(m)
    every = 1 if m <= 12 else 5 if m <= 60 else 10
    # Columns are counted: names would not fit, and the rows carry them.
    lines = m > GUIDED
    columns = alt.Axis(
        orient="top", grid=lines, gridColor=INK, gridOpacity=0.16, zindex=int(lines), ticks=False, domain=False,
        format="d", values=[k + 0.5 for k in range(m) if k == 0 or (k + 1) % every == 0],
        labelExpr="floor(datum.value) + 1",
    )  # fmt: skip
    drawn: alt.Chart = (
        alt.Chart(rows(blocks))
        .mark_rect()
        .encode(
            y=alt.Y(
                "system:N",
                sort=list(names),
                scale=alt.Scale(domain=list(names), paddingInner=0.08 if spaced and m <= 60 else 0, paddingOuter=0),
                axis=names_axis(
                    # The rank beside a name is the number of its column.
                    labelExpr=f"datum.label + ' · ' + (round(datum.index * {m - 1}) + 1)" if m > 1 else "datum.label",
                    **_guides(m, every),
                ),
            ),
            x=alt.X(
                "from:Q", scale=alt.Scale(domain=[0, m], nice=False), title="the same systems, by number", axis=columns
            ),
            x2="to:Q",
            color=alt.Color(
                "class:N",
                scale=alt.Scale(domain=shown, range=[tones[name] for name in shown]),
                title=None,
                legend=alt.Legend(
                    symbolType="square", symbolStrokeColor=INK, symbolStrokeWidth=0.5, symbolSize=110, columns=6
                ),
            ),
        )
        .properties(width=size, height=size)
    )
    return drawn


def _guides(m: int, every: int) -> dict[str, Any]:
    """Thin lines along every few rows, as along the numbered columns."""
    if m <= GUIDED:
        return {}
    numbered = f"round(datum.index * {m - 1}) == 0 || (round(datum.index * {m - 1}) + 1) % {every} == 0"
    seen = {"condition": {"test": numbered, "value": 0.16}, "value": 0}
    return {"grid": True, "gridColor": INK, "gridOpacity": seen, "zindex": 1}


def how_to_read(m: int) -> str:
    """What to tell somebody in front of a map of m systems."""
    guides = ", and thin lines guide the eye" if m > 60 else ""
    return "" if m <= 12 else f"; a column is the system with that number beside its name{guides}"


def map_size(m: int) -> int:
    """Side of a map of m systems: every row tall enough for its name."""
    return max(120, 16 * m) if m <= 50 else 12 * m
