"""Chart of a gate: the difference by every measure, its bounds, and the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from cranfield.core.charts.style import ACCENT, DARK, Drawing, finish, names_axis, rows, step

if TYPE_CHECKING:
    from cranfield.questions.gate.gate import Gate


def gate(result: Gate) -> Drawing:
    """A dot with whiskers for every measure, and a line at the threshold."""
    frame = result.to_frame().select("measure", "difference", "lower", "upper", "verdict")
    names = frame["measure"].to_list()
    title = f"{result.candidate} minus {result.baseline}, with one-sided {1 - result.alpha:.0%} bounds"
    base = alt.Chart(rows(frame)).encode(y=alt.Y("measure:N", sort=names, axis=names_axis()))
    scale = alt.Scale(zero=True, nice=True, padding=12)
    whiskers = base.mark_rule(strokeWidth=2, color=DARK).encode(
        x=alt.X("lower:Q", title=title, scale=scale), x2="upper:Q"
    )
    dots = base.mark_point(filled=True, size=60, opacity=1, color=DARK).encode(x=alt.X("difference:Q", title=title))
    thresholds = rows(pl.DataFrame({"threshold": list(result.thresholds)}))
    line = alt.Chart(thresholds).mark_rule(color=ACCENT, strokeDash=[4, 3])
    line = line.encode(x=alt.X("threshold:Q", title=title))
    plot = alt.layer(line, whiskers, dots).properties(width=380, height=step(len(names)))
    detail = f"threshold {', '.join(f'{one:g}' for one in result.thresholds)}; {result.checks[0].n_topics} topics"
    return finish(plot, f"{result.verdict.capitalize()}: {result.candidate} against {result.baseline}", detail)
