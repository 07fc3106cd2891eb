"""Chart of a recommendation: topics by design and estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from cranfield.core.charts.style import BAR, DARK, INK, WIDTH, Drawing, finish, given, plural, rows, whole_axis

if TYPE_CHECKING:
    from cranfield.questions.recommend.recommend import Recommendation


def recommendation(result: Recommendation) -> Drawing:
    """The recommended number of topics among those that other estimators and methods give."""
    frame = result.rows.with_columns(
        name=pl.concat_str(
            "design",
            pl.lit(" · "),
            "estimator",
            pl.when(pl.col("method") == "published").then(pl.lit(" · published")).otherwise(pl.lit("")),
        )
    ).select("name", "topics", "topics_lower", "topics_upper")
    frame = frame.with_columns(chosen=pl.int_range(pl.len()) == 0)
    names = frame["name"].to_list()
    tone = alt.when(alt.datum.chosen).then(alt.value(DARK)).otherwise(alt.value(BAR))
    base = alt.Chart(rows(frame)).encode(
        y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False))
    )
    plot = alt.layer(
        base.mark_bar(height=14).encode(x=alt.X("topics:Q", title="topics needed", axis=whole_axis()), color=tone),
        base.mark_rule(strokeWidth=1.5, color=INK).encode(x="topics_lower:Q", x2="topics_upper:Q"),
        base.mark_text(align="left", dx=6, dy=-1, baseline="middle", fontWeight="bold")
        .encode(x=alt.X("label_at:Q"), text=alt.Text("topics:Q", format=",d"))
        .transform_calculate(label_at="max(datum.topics, datum.topics_upper)"),
    ).properties(width=WIDTH - 60, height=alt.Step(24))
    settings = result.settings
    asked = f"smallest difference {given(settings['min_diff'])}, power {settings['power']:g}"
    details = f"{plural(settings['n_systems'], 'system')}, {asked}, alpha {settings['alpha']:g}; lines: interval"
    return finish(plot, result.summary(), details, width=WIDTH + 120)
