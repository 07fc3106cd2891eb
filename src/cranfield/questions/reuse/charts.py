"""Charts of reuse: ranks that teams lose without their own judgments, by team and by pool depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from cranfield.core.answer import sentence
from cranfield.core.charts import style
from cranfield.core.charts.style import LINES, WIDTH, Drawing, finish, plural, rows, series_scales
from cranfield.questions.cost.pools import LOW_SHARE
from cranfield.questions.reuse.answer import headline

if TYPE_CHECKING:
    from cranfield.questions.reuse.reuse import Reuse

MOST_TEAMS = 80
PALE = 0.3
"""Opacity of the points of pools that are judged in part."""
LOSES_UP_TO = sentence(
    "charts.loses-up-to",
    "{series}: without its team's judgments a run loses {losses}",
    "the most ranks that a left-out team's run loses at the shallowest and deepest pools that are 90% judged; "
    "`no rank` where none does",
    always=True,
)


def _series(result: Reuse) -> pl.DataFrame:
    plain = pl.col("view") == "full list"
    condensed = pl.concat_str("measure", pl.lit(", condensed"))
    return result.rows.with_columns(series=pl.when(plain).then("measure").otherwise(condensed))


def _kept(frame: pl.DataFrame) -> list[str]:
    return list(dict.fromkeys(frame["series"].to_list()))[: style.MOST_SERIES]


def drops(result: Reuse) -> Drawing:
    """The most ranks a run of each team loses at the pool of the headline, by every measure."""
    frame = _series(result)
    depth = result.sound_depth or min(result.shares)
    frame = frame.filter(pl.col("depth") == depth)
    kept = _kept(frame)
    first = frame.filter(pl.col("series") == kept[0])
    order = first.sort("rank_drop", descending=True, maintain_order=True)["team"].to_list()[:MOST_TEAMS]
    shown = frame.filter(pl.col("series").is_in(kept) & pl.col("team").is_in(order)).select(
        "team", "series", "rank_drop", "unique_relevant", "score_change"
    )
    scales = series_scales(kept)
    ends = (int(min(0, *shown["rank_drop"])), int(max(1, *shown["rank_drop"])))
    x = alt.X(
        "rank_drop:Q", title="most ranks lost by a run of the team", scale=alt.Scale(domain=ends, padding=14),
        axis=style.whole_axis(),
    )  # fmt: skip
    if ends[0] < 0:
        x = x.title("← ranks gained by every run of the team · most ranks lost by a run →")
        x = x.axis(style.whole_axis(labelExpr=f"{style.BETWEEN} ? '' : format(abs(datum.value), ',d')"))
    plot = (
        alt.Chart(rows(shown))
        .mark_point(filled=True, size=50, opacity=1)
        .encode(
            x=x,
            y=alt.Y("team:N", sort=order, axis=style.names_axis(grid=True), scale=alt.Scale(paddingInner=0.35)),
            yOffset=alt.YOffset("series:N", sort=kept),
            color=alt.Color("series:N", title=None, scale=scales["color"]),
            shape=alt.Shape("series:N", title=None, scale=scales["shape"]),
        )
        .properties(width=WIDTH, height=alt.Step(max(16, 6 * len(kept)), **{"for": "position"}))
    )
    return finish(plot, headline(result), _details(result, frame, len(order)))


def _details(result: Reuse, frame: pl.DataFrame, teams: int) -> str:
    left = result.settings["n_teams"] - teams
    more = f"; {left} more teams not drawn" if teams < frame["team"].n_unique() else ""
    return f"{_counts(result)}{more}"


def _counts(result: Reuse) -> str:
    runs, teams, topics = (plural(result.settings[f"n_{name}s"], name) for name in ("system", "team", "topic"))
    return f"{runs.replace('system', 'run')} of {teams} on {topics}"


def _lost(drop: int) -> str:
    """Ranks lost at most; a run can also gain."""
    return f"up to {plural(drop, 'rank')}" if drop > 0 else "no rank"


def depths(result: Reuse) -> Drawing:
    """The worst rank drop at every pool depth, by every measure."""
    frame = _series(result)
    kept = _kept(frame)
    worst = (
        frame.filter(pl.col("series").is_in(kept))
        .group_by("series", "depth", maintain_order=True)
        .agg(pl.col("rank_drop").max(), pl.col("tau").min())
        .sort("series", "depth")
        .with_columns(judged=pl.col("depth").replace_strict(dict(result.shares), return_dtype=pl.Float64))
        .with_columns(sound=pl.col("judged") >= LOW_SHARE)
    )
    scales = series_scales(kept)
    sizes = alt.Axis(values=worst["depth"].unique().sort().to_list(), format="d")
    y = alt.Y("rank_drop:Q", title="most ranks lost by a run", axis=style.whole_axis(), scale=alt.Scale(zero=True))
    layers = []
    for place, series in enumerate(kept):  # lines that meet run side by side
        aside = 3 * (place - (len(kept) - 1) / 2)
        base = alt.Chart(rows(worst.filter(pl.col("series") == series))).encode(
            x=alt.X("depth:Q", title="pool depth", scale=alt.Scale(padding=16, nice=False), axis=sizes),
            y=y,
            color=alt.Color("series:N", title=None, scale=scales["color"], legend=LINES),
        )
        dash = alt.StrokeDash("series:N", title=None, scale=scales["strokeDash"], legend=LINES)
        sound = alt.condition(alt.datum.sound, alt.value(1.0), alt.value(PALE))
        layers.append(base.mark_line(strokeWidth=2, xOffset=aside, yOffset=aside).encode(strokeDash=dash))
        dots = base.mark_point(filled=True, size=55, xOffset=aside, yOffset=aside)
        layers.append(dots.encode(opacity=sound))
    plot = alt.layer(*layers).properties(width=WIDTH, height=260)
    details = f"{_counts(result)}; each team left out in turn"
    if not worst["sound"].all():
        details += f"; pale points: pools less than {LOW_SHARE:.0%} judged"
    first = worst.filter((pl.col("series") == kept[0]) & pl.col("sound"))
    if first.is_empty():
        return finish(plot, headline(result), details)
    shallow, deep = first.row(0, named=True), first.row(-1, named=True)
    ends = (deep,) if first.height == 1 else (shallow, deep)
    if len({_lost(end["rank_drop"]) for end in ends}) == 1 < len(ends):
        losses = f"{_lost(deep['rank_drop'])} at depths {shallow['depth']} and {deep['depth']}"
    else:
        losses = " and ".join(f"{_lost(end['rank_drop'])} at depth {end['depth']}" for end in ends)
    text = LOSES_UP_TO(series=kept[0], losses=losses)
    return finish(plot, text, details)
