"""Chart of a checked file: how much there is of what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from cranfield.core.charts.style import ACCENT, DARK, WIDTH, Drawing, finish, rows
from cranfield.core.labels import plural

if TYPE_CHECKING:
    from cranfield.collection.check import FileCheck


def contents(result: FileCheck) -> Drawing:
    """One bar for everything that was counted in the file; a logarithmic axis, since rows are many and systems few."""
    counts = result.to_frame().drop("file", "kind").row(0, named=True)
    shown = [{"what": name, "count": count} for name, count in counts.items() if count is not None]
    base = alt.Chart(rows(shown)).encode(y=alt.Y("what:N", sort=[one["what"] for one in shown], title=None))
    bare = alt.Axis(labels=False, ticks=False, grid=False)  # every bar has its number
    axis = alt.X("count:Q", title="count (logarithmic)", scale=alt.Scale(type="symlog"), axis=bare)
    colour = alt.condition("datum.what == 'problems'", alt.value(ACCENT), alt.value(DARK))
    plot = alt.layer(
        base.mark_bar().encode(x=axis, color=colour),
        base.mark_text(align="left", dx=5).encode(x=axis, text=alt.Text("count:Q", format=",")),
    ).properties(width=WIDTH, height=alt.Step(30))
    if result.problems:
        return finish(plot, f"{plural(result.problems, 'problem')} in {result.path}", result.error)
    return finish(plot, result.summary(), "; ".join(result.notes))
