"""The chart of `preferences`: strengths with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from cranfield.core.charts.style import DARK, WIDTH, Drawing, finish, names_axis, plural, rows, step
from cranfield.questions.preferences.answer import headline

if TYPE_CHECKING:
    from cranfield.questions.preferences.preferences import PreferenceRanking


def ranked(result: PreferenceRanking) -> Drawing:
    """The strength of every system with its interval, the best on top."""
    order = result.rows["system"].to_list()
    shown = result.rows.select("system", "strength", "lower", "upper", "share")
    base = alt.Chart(rows(shown)).encode(y=alt.Y("system:N", sort=order, axis=names_axis()))
    title = "strength (log odds of being preferred)"
    plot = alt.layer(
        base.mark_rule(strokeWidth=2, color="#7d8b99").encode(x=alt.X("lower:Q", title=title), x2="upper:Q"),
        base.mark_point(filled=True, size=60, color=DARK, opacity=1).encode(
            x=alt.X("strength:Q", title=title), tooltip=["system:N", "share:Q"]
        ),
    ).properties(width=WIDTH, height=step(len(order)))
    sizes = f"{plural(result.n_comparisons, 'comparison')} on {plural(result.n_topics, 'topic')}"
    return finish(plot, headline(result), f"{sizes}; {1 - result.alpha:.0%} intervals, topics as clusters")
