"""Chart of `cost`: topics against judged documents, by pool depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from cranfield.core.charts import style
from cranfield.core.charts.style import Drawing, finish, given, number, rows
from cranfield.questions.cost.answer import headline
from cranfield.questions.cost.pools import LOW_SHARE

if TYPE_CHECKING:
    from cranfield.questions.cost.cost import Cost


def cost(result: Cost) -> Drawing:
    """With a budget, what it detects at each depth; otherwise topics against documents to judge."""
    return _by_depth(result) if "budget" in result.settings else _by_documents(result)


def _apart(frame: pl.DataFrame, whole: pl.DataFrame, x: str, y: str) -> pl.DataFrame:
    """The points whose labels do not cover one another; of close ones the best, or the highest, keeps its own."""
    wide, high = 0.1 * float(whole[x].max()), 0.1 * float(whole[y].max())  # type: ignore[arg-type]
    kept: list[dict[str, Any]] = []
    for row in frame.sort("best", y, descending=True).iter_rows(named=True):
        if all(abs(row[x] - other[x]) > wide or abs(row[y] - other[y]) > high for other in kept):
            kept.append(row)
    return pl.DataFrame(kept, schema=frame.schema)


def _by_depth(result: Cost) -> Drawing:
    """The difference (or width) that the budget achieves at every depth; open points: less than 90% judged."""
    what = "width" if "width" in result.rows.columns else "min_diff"
    frame = result.to_frame().filter(pl.col(what).is_not_null())
    measures = list(dict.fromkeys(frame["measure"].to_list()))
    kept = measures[: style.MOST_SERIES]
    frame = frame.filter(pl.col("measure").is_in(kept)).select(
        pl.col("measure").alias("series"), "depth", pl.col(what).alias("value"), "topics", "best",
        judged=pl.col("judged_share").fill_null(0.0) >= LOW_SHARE,
        text=pl.format("{} topics", pl.col("topics")),
    )  # fmt: skip
    scales = style.series_scales(kept)
    legend = alt.Legend() if len(kept) > 1 else None
    name = "expected width of an interval" if what == "width" else "detectable difference"
    base = alt.Chart(rows(frame)).encode(
        x=alt.X("depth:Q", title="pool depth", scale=alt.Scale(zero=True)),
        y=alt.Y("value:Q", title=name, scale=alt.Scale(zero=True)),
        color=alt.Color("series:N", scale=scales["color"], title=None, legend=legend),
    )
    lines = base.mark_line(strokeWidth=2)
    judged = base.transform_filter(alt.datum.judged).mark_point(filled=True, size=60, opacity=1)
    others = base.transform_filter(~alt.datum.judged).mark_point(filled=False, size=60, opacity=1)
    marked = frame.filter("best")
    at_best = alt.Chart(rows(marked)).encode(x="depth:Q", y="value:Q")
    best = at_best.mark_point(size=230, color=style.ACCENT, strokeWidth=2)
    named = alt.Chart(rows(_apart(marked, frame, "depth", "value"))).encode(x="depth:Q", y="value:Q")
    text = named.mark_text(dy=22).encode(text="text:N")
    left = f"; {len(measures) - len(kept)} further measures not drawn" if len(measures) > len(kept) else ""
    budget = number(result.settings["budget"])
    return finish(
        alt.layer(lines, judged, others, best, text).properties(width=style.WIDTH, height=320),
        headline(result).rstrip("."),
        f"budget {budget}; ringed: best of a measure; open: less than 90% judged{left}",
        alt_text="Deeper pools stand further right; one line per measure.",
    )


def _by_documents(result: Cost) -> Drawing:
    """Topics against judged documents per topic, labelled with the total cost (Sakai 2014a, Fig. 4; 2014b, Fig. 1)."""
    frame = result.to_frame().filter(pl.col("topics").is_not_null())
    measures = list(dict.fromkeys(frame["measure"].to_list()))
    kept = measures[: style.MOST_SERIES]
    frame = frame.filter(pl.col("measure").is_in(kept)).select(
        pl.col("measure").alias("series"), "depth", "pool_per_topic", "topics", "judgments", "cost", "best",
        text=pl.col("cost").map_elements(number, return_dtype=pl.String),
    )  # fmt: skip
    # Every point labelled while few; else the two ends and the best of each measure.
    first, last = pl.col("pool_per_topic").min().over("series"), pl.col("pool_per_topic").max().over("series")
    ends = (pl.col("pool_per_topic") == first) | (pl.col("pool_per_topic") == last) | pl.col("best")
    labelled = frame if frame.height <= 6 else frame.filter(ends) if len(kept) <= 3 else frame.filter(pl.col("best"))
    scales = style.series_scales(kept)
    legend = alt.Legend() if len(kept) > 1 else None
    base = alt.Chart(rows(frame)).encode(
        x=alt.X("pool_per_topic:Q", title="documents to judge per topic", scale=alt.Scale(zero=True)),
        y=alt.Y("topics:Q", title="topics needed", scale=alt.Scale(zero=True), axis=style.whole_axis()),
        color=alt.Color("series:N", scale=scales["color"], title=None, legend=legend),
    )
    lines = base.mark_line(strokeWidth=2).encode(
        strokeDash=alt.StrokeDash("series:N", scale=scales["strokeDash"], title=None, legend=legend)
    )
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(
        shape=alt.Shape("series:N", scale=scales["shape"], title=None, legend=legend)
    )
    best = (
        alt.Chart(rows(frame.filter("best")))
        .mark_point(size=230, color=style.ACCENT, strokeWidth=2)
        .encode(x="pool_per_topic:Q", y="topics:Q")
    )
    labelled = _apart(labelled, frame, "pool_per_topic", "topics")
    # Lines fall from the left, so labels begin above their points; the last one ends within the drawing.
    at_end = pl.col("pool_per_topic") == frame["pool_per_topic"].max()
    texts = (
        alt.Chart(rows(labelled.filter(~at_end))).mark_text(dy=-14, dx=3, align="left"),
        alt.Chart(rows(labelled.filter(at_end))).mark_text(dy=-14),
    )
    named = [one.encode(x="pool_per_topic:Q", y="topics:Q", text="text:N") for one in texts]
    shown = [name for name in ("n_systems", "min_diff", "width", "power", "alpha") if name in result.settings]
    asked = ", ".join(f"{name.removeprefix('n_').replace('_', ' ')} {given(result.settings[name])}" for name in shown)
    left = f"; {len(measures) - len(kept)} further measures not drawn" if len(measures) > len(kept) else ""
    return finish(
        alt.layer(lines, dots, best, *named).properties(width=style.WIDTH, height=320),
        headline(result).rstrip("."),
        f"{asked}; labels: total cost; ringed: cheapest of a measure{left}",
        alt_text="Deeper pools stand further right; one line per measure.",
    )
