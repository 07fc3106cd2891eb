"""Charts of reuse: ranks that teams lose without their own judgments, by team and by pool depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from cranfield.core.charts import style
from cranfield.core.charts.style import LINES, WIDTH, Drawing, finish, plural, rows, series_scales
from cranfield.core.sentences import sentence
from cranfield.questions.reuse.answer import headline

if TYPE_CHECKING:
    from cranfield.questions.reuse.reuse import Reuse

MOST_TEAMS = 80
LOSES_UP_TO = sentence(
    "charts.loses-up-to",
    "{series}: without its team's judgments a run loses {losses}",
    "the most ranks that a left-out team's run loses at the shallowest and deepest pools; `no rank` where none does",
    always=True,
)


def _series(result: Reuse) -> pl.DataFrame:
    plain = pl.col("view") == "full list"
    condensed = pl.concat_str("measure", pl.lit(", condensed"))
    return result.rows.with_columns(series=pl.when(plain).then("measure").otherwise(condensed))


def _kept(frame: pl.DataFrame) -> list[str]:
    return list(dict.fromkeys(frame["series"].to_list()))[: style.MOST_SERIES]


def drops(result: Reuse) -> Drawing:
    """The most ranks a run of each team loses at the deepest pool, by every measure."""
    frame = _series(result)
    depth = frame["depth"].max()
    frame = frame.filter(pl.col("depth") == depth)
    kept = _kept(frame)
    first = frame.filter(pl.col("series") == kept[0])
    order = first.sort("rank_drop", descending=True, maintain_order=True)["team"].to_list()[:MOST_TEAMS]
    shown = frame.filter(pl.col("series").is_in(kept) & pl.col("team").is_in(order)).select(
        "team", "series", "rank_drop", "unique_relevant", "score_change"
    )
    scales = series_scales(kept)
    title = "most ranks lost by a run"
    base = alt.Chart(rows(shown)).encode(y=alt.Y("team:N", sort=order, axis=style.names_axis()))
    plot = alt.layer(
        base.mark_rule(color="#c3ccd5").encode(x=alt.X("min(rank_drop):Q", title=title), x2="max(rank_drop):Q"),
        base.mark_point(filled=True, size=60, opacity=0.9).encode(
            x=alt.X("rank_drop:Q", title=title, axis=style.whole_axis(), scale=alt.Scale(padding=14)),
            color=alt.Color("series:N", title=None, scale=scales["color"]),
            shape=alt.Shape("series:N", title=None, scale=scales["shape"]),
        ),
    ).properties(width=WIDTH, height=style.step(len(order)))
    return finish(plot, headline(result), _details(result, frame, len(order)))


def _details(result: Reuse, frame: pl.DataFrame, teams: int) -> str:
    left = result.settings["n_teams"] - teams
    more = f"; {left} more teams not drawn" if teams < frame["team"].n_unique() else ""
    return f"{_counts(result)}; left of 0: all runs of the team gain ranks{more}"


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
    )
    scales = series_scales(kept)
    base = alt.Chart(rows(worst)).encode(
        x=alt.X("depth:Q", title="pool depth", scale=alt.Scale(padding=16), axis=style.whole_axis()),
        y=alt.Y("rank_drop:Q", title="most ranks lost by a run", axis=style.whole_axis()),
        color=alt.Color("series:N", title=None, scale=scales["color"], legend=LINES),
    )
    plot = alt.layer(
        base.mark_line(strokeWidth=2).encode(
            strokeDash=alt.StrokeDash("series:N", title=None, scale=scales["strokeDash"], legend=LINES)
        ),
        base.mark_point(filled=True, size=55, opacity=1),
    ).properties(width=WIDTH, height=260)
    first = worst.filter(pl.col("series") == kept[0])
    shallow, deep = first.row(0, named=True), first.row(-1, named=True)
    ends = (deep,) if first.height == 1 else (shallow, deep)
    losses = " and ".join(f"{_lost(end['rank_drop'])} at depth {end['depth']}" for end in ends)
    text = LOSES_UP_TO(series=kept[0], losses=losses)
    return finish(plot, text, f"{_counts(result)}; each team left out in turn")
