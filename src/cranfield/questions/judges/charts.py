"""Charts of judges: scores by people and machines, ranks, decisions and bias."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from cranfield.core.charts.style import (
    ACCENT,
    DARK,
    FAINT,
    GRID,
    INK,
    LABEL_SIZE,
    LIGHT,
    LINES,
    SERIES,
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


def _first(result: Judging, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(judge=result.settings["machine"][0])


def _details(result: Judging) -> str:
    known = result.settings
    topics = f"{known['n_topics']} shared topics" if known["n_topics"] else "different topics"
    return f"{known['machine'][0]} and {known['human'][0]}, {known['measure']}, {topics}"


def scores(result: Judging) -> Drawing:
    """Mean score of each system by people and by the first machine, with ± 2 standard errors over topics."""
    shown = _first(result, result.score_rows)
    ends = pl.min_horizontal("human_lower", "machine_lower"), pl.max_horizontal("human_upper", "machine_upper")
    both = shown.select(*ends)
    low, high = float(both.to_series(0).min()), float(both.to_series(1).max())  # type: ignore[arg-type]
    across, up = (f"mean by {result.settings[role][0]}" for role in ("human", "machine"))
    scale = alt.Scale(domain=[low, high], nice=True, zero=False)
    x, y = alt.X("human:Q", title=across, scale=scale), alt.Y("machine:Q", title=up, scale=scale)
    base = alt.Chart(rows(shown)).encode(x=x, y=y)
    equal = alt.Chart(rows([{"human": low, "machine": low}, {"human": high, "machine": high}]))
    plot = alt.layer(
        equal.mark_line(color=FAINT, strokeDash=[4, 4], strokeWidth=1, clip=True).encode(x=x, y=y),
        base.mark_rule(color=LIGHT).encode(x=alt.X("human_lower:Q", title=across), x2="human_upper:Q"),
        base.mark_rule(color=LIGHT).encode(y=alt.Y("machine_lower:Q", title=up), y2="machine_upper:Q"),
        base.mark_point(filled=True, size=50, opacity=0.9, color=DARK).encode(tooltip=["system:N"]),
    ).properties(width=WIDTH, height=WIDTH * 0.7)
    details = f"{_details(result)}; bars: ± 2 standard errors over topics; dashed: equal means"
    return finish(plot, headline(result), details)


MOST_NAMED = 8
"""Systems that the chart of ranks names: those that moved furthest."""


def slopes(result: Judging) -> Drawing:
    """Rank of each system by people and by the first machine."""
    shown = _first(result, result.score_rows)
    people, machine = result.settings["human"][0], result.settings["machine"][0]
    ranked = shown.select(
        "system",
        pl.col("human").rank("min", descending=True).cast(pl.Int64).alias(people),
        pl.col("machine").rank("min", descending=True).cast(pl.Int64).alias(machine),
    ).with_columns(moved=(pl.col(people) - pl.col(machine)).abs())
    width, height = WIDTH * 0.6, max(240, min(9 * shown.height, 900))
    named: dict[str, int] = {}
    least = 1 if shown.height > MOST_NAMED else -1  # few systems are named wherever they stand
    far = ranked.filter(pl.col("moved") > least).sort("moved", "system", descending=[True, False])
    for system, rank in far.select("system", machine).iter_rows():  # names of neighbours would overlap
        if len(named) < MOST_NAMED and all(
            abs(rank - one) * height > LABEL_SIZE * shown.height for one in named.values()
        ):
            named[system] = rank
    long = ranked.unpivot([people, machine], index=["system", "moved"], variable_name="by", value_name="rank")
    apart = next(size for size in (1, 5, 10, 50, 100, 500) if shown.height <= 10 * size or size == 500)
    ticks = [1, *range(max(apart, 2), shown.height + 1, apart)]
    scale = alt.Scale(domain=[shown.height + 0.5, 0.5], nice=False)
    y = alt.Y("rank:Q", title="rank", scale=scale, axis=alt.Axis(values=ticks, format=",d"))
    x = alt.X("by:N", title=None, sort=[people, machine], axis=alt.Axis(labelAngle=0))
    lines = alt.Chart(rows(long)).mark_line(point=alt.OverlayMarkDef(color=DARK), color=DARK).encode(
        x=x, y=y, detail="system:N", tooltip=["system:N", "rank:Q"],
        opacity=alt.Opacity("moved:Q", legend=None, scale=alt.Scale(range=[0.25, 1])),
    )  # fmt: skip
    names = alt.Chart(rows(long.filter(pl.col("system").is_in(list(named)), by=machine))).mark_text(
        align="left", dx=8
    ).encode(x=x, y=y, text="system:N")  # fmt: skip
    plot = alt.layer(lines, names).properties(width=width, height=height)
    return finish(plot, headline(result), f"{_details(result)}; bolder lines moved further", width=int(width))


DECISION_COLOURS = {
    "both": DARK, "opposite": ACCENT, "only_human": SERIES[4], "only_machine": SERIES[2], "neither": GRID,
}  # fmt: skip


def decisions(result: Judging) -> Drawing:
    """A mosaic per machine: pairs that people decide and leave open across, what the machine decides up."""
    if result.decision_rows.is_empty():
        raise ArgumentError("People and machines share no topic. Judge some twice and ask for the chart again.")
    machines = result.settings["machine"]
    tiles = pl.concat([_mosaic(judge, result.decision_rows.filter(judge=judge)) for judge in machines])
    named = list(DECISION_COLOURS)
    colour = alt.Color(
        "decision:N", title=None, scale=alt.Scale(domain=named, range=list(DECISION_COLOURS.values())),
        legend=alt.Legend(columns=len(named), symbolStrokeWidth=0, labelExpr="replace(datum.label, '_', ' ')"),
    )  # fmt: skip
    none = alt.Axis(format="%", tickCount=3)
    base = alt.Chart()
    x, y = alt.X("left:Q", title="share of pairs", axis=none), alt.Y("low:Q", title="share by machine", axis=none)
    plot = alt.layer(
        base.mark_rect(stroke="white", strokeWidth=2).encode(
            x=x, x2="right:Q", y=y, y2="high:Q", color=colour, tooltip=["judge:N", "decision:N", "pairs:Q", "share:Q"]
        ),
        base.mark_text(color=INK).transform_filter("datum.share > 0.03").encode(
            x=alt.X("across:Q"), y=alt.Y("up:Q"), text=alt.Text("pairs:Q", format=","),
            color=alt.condition("datum.decision == 'both'", alt.value("white"), alt.value(INK)),
        ),
        data=rows(tiles),
    ).properties(width=WIDTH if len(machines) == 1 else WIDTH / 2 - 20, height=200)  # fmt: skip
    several = plot.facet(facet=alt.Facet("judge:N", title=None, sort=machines), columns=2, spacing=40)
    details = f"{_details(result)}; left: pairs that people decide, right: pairs they leave open; Holm's correction"
    return finish(several if len(machines) > 1 else plot, headline(result), details)


def _mosaic(judge: str, counted: pl.DataFrame) -> pl.DataFrame:
    """Tiles of one machine: left the pairs that people decide, right the others; areas are shares of all pairs."""
    pairs = dict(counted.select("decision", "pairs").iter_rows())
    total, tiles, left = max(sum(pairs.values()), 1), [], 0.0
    for column in (("both", "only_human", "opposite"), ("only_machine", "neither")):
        size, low = sum(pairs[name] for name in column), 0.0
        for name in column if size else ():
            high, right = low + pairs[name] / size, left + size / total
            tiles.append((judge, name, pairs[name], pairs[name] / total, left, right, low, high))
            low = high
        left += size / total
    names = ("judge", "decision", "pairs", "share", "left", "right", "low", "high")
    return pl.DataFrame(tiles, schema=names, orient="row").with_columns(
        across=(pl.col("left") + pl.col("right")) / 2, up=(pl.col("low") + pl.col("high")) / 2
    )


ROLE_COLOURS = {"machine": DARK, "second person": "#8a8d8f", "beyond a person": ACCENT}


def bias(result: Judging) -> Drawing:
    """Bias of every judge towards every group, with intervals over topics."""
    if result.bias_rows.is_empty():
        raise ArgumentError("No groups are declared. Give `system_groups` and ask for the chart again.")
    beyond = pl.when(role="beyond a person").then(pl.lit(", beyond a person")).otherwise(pl.lit(""))
    shown = result.bias_rows.with_columns(label=pl.concat_str("group", pl.lit(" by "), "judge", beyond)).sort(
        "group", maintain_order=True
    )
    roles = [role for role in ROLE_COLOURS if role in shown["role"]]
    scale = alt.Scale(domain=roles, range=[ROLE_COLOURS[role] for role in roles])
    base = alt.Chart(rows(shown)).encode(
        y=alt.Y("label:N", axis=names_axis(), sort=None), color=alt.Color("role:N", title=None, scale=scale)
    )
    title = "mean above what human scores predict"
    plot = alt.layer(
        alt.Chart(rows([{"zero": 0.0}])).mark_rule(color=FAINT).encode(x="zero:Q"),
        base.mark_rule(strokeWidth=2).encode(x=alt.X("lower:Q", title=title), x2="upper:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=alt.X("difference:Q", title=title)),
    ).properties(width=WIDTH, height=step(shown.height))
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
        x=alt.X(
            "topics:Q",
            title="human topics",
            scale=alt.Scale(type="log", nice=False),
            axis=whole_axis(labelOverlap="greedy"),
        ),
        y=alt.Y("width:Q", title=f"width of the interval ({known['measure']})"),
        color=alt.Color("series:N", title=None, scale=scales["color"], legend=LINES),
    )
    lines = base.mark_line(strokeWidth=2).encode(
        strokeDash=alt.StrokeDash("series:N", title=None, scale=scales["strokeDash"], legend=LINES)
    )
    points = result.rows.filter(pl.col("topics").is_not_null()).select("topics", "width", "machine_topics", "cheapest")
    rings = alt.Chart(rows(points)).mark_point(size=60, color=ACCENT).encode(
        x="topics:Q", y="width:Q", tooltip=["machine_topics:Q", "topics:Q", "width:Q"]
    )  # fmt: skip
    best = alt.Chart(rows(points.filter(pl.col("cheapest").fill_null(False)))).encode(x="topics:Q", y="width:Q")
    marked = best.mark_point(size=90, color=ACCENT, filled=True, opacity=1), best.mark_text(
        text="cheapest", color=ACCENT, dy=14
    )  # fmt: skip
    plot = alt.layer(lines, rings, *marked).properties(width=WIDTH, height=280)
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
