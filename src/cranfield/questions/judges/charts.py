"""Charts of judges: scores by people and machines, ranks, decisions and bias."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from cranfield.core.charts.style import (
    ACCENT,
    LIGHT,
    LINES,
    WIDTH,
    Drawing,
    finish,
    names_axis,
    rows,
    series_scales,
    step,
    whole_axis,
)  # fmt: skip
from cranfield.core.errors import ArgumentError
from cranfield.questions.judges import plan_answer
from cranfield.questions.judges.answer import headline

if TYPE_CHECKING:
    from cranfield.questions.judges.judges import Judging
    from cranfield.questions.judges.plan import JudgesDesign

DECISIONS = ("both", "only_human", "only_machine", "opposite", "neither")


def _first(result: Judging, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(judge=result.settings["machine"][0])


def _details(result: Judging) -> str:
    known = result.settings
    return f"{known['machine'][0]} and {known['human'][0]}, {known['measure']}, {known['n_topics']} shared topics"


def scores(result: Judging) -> Drawing:
    """Mean score of each system by people and by the first machine, with ± 2 standard errors over topics."""
    shown = _first(result, result.score_rows)
    ends = [shown[name] for name in ("human", "machine")]
    low, high = (min(float(one.min()) for one in ends), max(float(one.max()) for one in ends))  # type: ignore[arg-type]
    base = alt.Chart(rows(shown))
    across, up = (f"mean by {result.settings[role][0]}" for role in ("human", "machine"))
    x = alt.X("human:Q", title=across, scale=alt.Scale(zero=False))
    y = alt.Y("machine:Q", title=up, scale=alt.Scale(zero=False))
    line = pl.DataFrame({"human": [low, high], "machine": [low, high]})
    plot = alt.layer(
        alt.Chart(rows(line)).mark_line(color="#c3ccd5", strokeDash=[4, 4]).encode(x=x, y=y),
        base.mark_rule(color="#c3ccd5").encode(x=alt.X("human_lower:Q", title=across), x2="human_upper:Q", y=y),
        base.mark_rule(color="#c3ccd5").encode(x=x, y=alt.Y("machine_lower:Q", title=up), y2="machine_upper:Q"),
        base.mark_point(filled=True, size=50, opacity=0.9).encode(x=x, y=y, tooltip=["system:N"]),
    ).properties(width=WIDTH, height=WIDTH * 0.7)
    return finish(plot, headline(result), f"{_details(result)}; bars are ± 2 standard errors over topics")


def slopes(result: Judging) -> Drawing:
    """Rank of each system by people and by the first machine."""
    shown = _first(result, result.score_rows)
    ranked = shown.select(
        "system",
        pl.col("human").rank("min", descending=True).alias("people"),
        pl.col("machine").rank("min", descending=True).alias("machine"),
    ).with_columns(moved=(pl.col("people").cast(pl.Int64) - pl.col("machine").cast(pl.Int64)).abs())
    long = ranked.unpivot(["people", "machine"], index=["system", "moved"], variable_name="by", value_name="rank")
    plot = (
        alt.Chart(rows(long))
        .mark_line(point=True)
        .encode(
            x=alt.X("by:N", title=None, sort=["people", "machine"], axis=alt.Axis(labelAngle=0)),
            y=alt.Y("rank:Q", title="rank", scale=alt.Scale(reverse=True, zero=False), axis=whole_axis()),
            detail="system:N",
            opacity=alt.Opacity("moved:Q", legend=None, scale=alt.Scale(range=[0.25, 1])),
            tooltip=["system:N", "rank:Q"],
        )
        .properties(width=WIDTH * 0.6, height=max(240, min(9 * shown.height, 900)))
    )
    return finish(plot, headline(result), f"{_details(result)}; bolder lines moved further")


def decisions(result: Judging) -> Drawing:
    """How many pairs of systems people and machines decide alike."""
    if result.decision_rows.is_empty():
        raise ArgumentError("People and machines share no topic. Judge some twice and ask for the chart again.")
    base = alt.Chart(rows(result.decision_rows.select("judge", "decision", "pairs", "share")))
    plot = base.mark_bar().encode(
        x=alt.X("pairs:Q", title="pairs of systems", axis=whole_axis()),
        y=alt.Y("judge:N", axis=names_axis()),
        color=alt.Color("decision:N", title=None, sort=list(DECISIONS), scale=alt.Scale(domain=list(DECISIONS))),
        order=alt.Order("decision:N"),
        tooltip=["judge:N", "decision:N", "pairs:Q", "share:Q"],
    ).properties(width=WIDTH, height=40 * result.decision_rows["judge"].n_unique())  # fmt: skip
    return finish(plot, headline(result), f"{_details(result)}; paired t-tests with Holm's correction")


def bias(result: Judging) -> Drawing:
    """Bias of every judge towards every group, with intervals over topics."""
    if result.bias_rows.is_empty():
        raise ArgumentError("No groups are declared. Give `system_groups` and ask for the chart again.")
    shown = result.bias_rows.with_columns(label=pl.concat_str("group", pl.lit(" by "), "judge"))
    base = alt.Chart(rows(shown)).encode(y=alt.Y("label:N", axis=names_axis(), sort=None))
    title = "mean above what human scores predict"
    plot = alt.layer(
        base.mark_rule().encode(x=alt.X("lower:Q", title=title), x2="upper:Q"),
        base.mark_point(filled=True, size=60).encode(x=alt.X("difference:Q", title=title)),
        alt.Chart(rows(pl.DataFrame({"zero": [0.0]}))).mark_rule(color="#c3ccd5").encode(x="zero:Q"),
    ).properties(width=WIDTH, height=step(max(shown.height, 1)))
    return finish(plot, headline(result), f"{_details(result)}; intervals over topics")


def _series(count: int) -> str:
    return f"{count:,} machine topics" if count else "people alone"


def widths(result: JudgesDesign) -> Drawing:
    """Width of the interval of an average difference against human topics."""
    known = result.settings
    shown = result.curve_rows.with_columns(
        series=pl.col("machine_topics").map_elements(_series, return_dtype=pl.String)
    ).select("series", "topics", "width")
    kept = shown["series"].unique(maintain_order=True).to_list()
    scales = series_scales(kept)
    base = alt.Chart(rows(shown)).encode(
        x=alt.X("topics:Q", title="human topics", scale=alt.Scale(type="log", nice=False), axis=whole_axis()),
        y=alt.Y("width:Q", title=f"width of the interval ({known['measure']})"),
        color=alt.Color("series:N", title=None, scale=scales["color"], legend=LINES),
    )
    lines = base.mark_line(strokeWidth=2).encode(
        strokeDash=alt.StrokeDash("series:N", title=None, scale=scales["strokeDash"], legend=LINES)
    )
    points = result.rows.filter(pl.col("topics").is_not_null()).select("topics", "width", "machine_topics")
    marks = alt.Chart(rows(points)).mark_point(size=60, color=ACCENT).encode(
        x="topics:Q", y="width:Q", tooltip=["machine_topics:Q", "topics:Q", "width:Q"]
    )  # fmt: skip
    plot = alt.layer(lines, marks).properties(width=WIDTH, height=280)
    return finish(plot, plan_answer.headline(result), f"{_pilot(result)}; rings: topics that reach the goal")


def _pilot(result: JudgesDesign) -> str:
    known = result.settings
    return f"{known['measure']}, average pair of {known['n_systems']} systems, pilot of {known['pilot_topics']} topics"


def costs(result: JudgesDesign) -> Drawing:
    """Cost of every mix, the cheapest marked."""
    shown = result.rows.filter(pl.col("cost").is_not_null())
    if shown.is_empty():
        raise ArgumentError("No prices are given. Give `price_human` and ask for the chart again.")
    labelled = shown.with_columns(
        mix=pl.concat_str("topics", pl.lit(" + "), "machine_topics"),
        mark=pl.when("cheapest").then(pl.lit("cheapest")).otherwise(pl.lit("other")),
    )
    order = labelled["mix"].to_list()
    plot = alt.Chart(rows(labelled.select("mix", "cost", "mark"))).mark_bar().encode(
        x=alt.X("cost:Q", title="cost of all judgments"),
        y=alt.Y("mix:N", sort=order, title="topics by people + by machine", axis=names_axis()),
        color=alt.Color("mark:N", legend=None, scale=alt.Scale(domain=["cheapest", "other"], range=[ACCENT, LIGHT])),
    ).properties(width=WIDTH, height=step(len(order)))  # fmt: skip
    return finish(plot, plan_answer.headline(result), _pilot(result))
