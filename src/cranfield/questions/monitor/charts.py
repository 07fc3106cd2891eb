"""Charts of looks: the paths of pairs between the boundaries, their intervals, and when a plan stops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from cranfield.core.answer import sentence
from cranfield.core.charts import style
from cranfield.core.charts.style import DARK, INK, LIGHT, WIDTH, Drawing, finish, given, number, plural, rows
from cranfield.questions.monitor.answer import headline

if TYPE_CHECKING:
    from cranfield.questions.monitor.monitor import Monitoring
    from cranfield.questions.monitor.planned import SequentialDesign
    from cranfield.questions.monitor.reestimation import Reestimate

ON_AVERAGE = sentence(
    "charts.looks-take",
    "{looks} {topics} topics on average and {most:,} at most; one look takes {fixed:,}",
    "on average if the difference is min_diff, by the joint distribution of the looks",
    always=True,
)
MOST_PATHS = 60
"""Most paths drawn: those nearest to a decision, half of them decided where there are enough."""
MOST_ROWS = 40
MOST_LABELS = 6
_KINDS = ["decided", "undecided"]
_TONES = alt.Scale(domain=_KINDS, range=[DARK, style.BAR])


def path(result: Monitoring) -> Drawing:
    """The t statistic of every pair over the looks, between the boundaries made and to come."""
    bounds = result.plan().filter(pl.col("t").is_not_null()).select("topics", "t", "made")
    mirrored = pl.concat([bounds.with_columns(side=pl.lit(1)), bounds.with_columns(-pl.col("t"), side=pl.lit(-1))])
    paths = _strongest(result)
    where = alt.X("topics:Q", title="topics so far", scale=alt.Scale(nice=False, padding=16), axis=style.whole_axis())
    title = "t of the paired difference"
    # The first bounds can be very large, so the axis covers the paths and the last bounds.
    largest, least = max(paths["t"].abs(), default=1.0), min(bounds["t"], default=2.0)
    top = 1.15 * max(largest, 1.2 * least)
    y = alt.Y("t:Q", title=title, scale=alt.Scale(domain=[-top, top], nice=False))
    boundary = alt.Chart(rows(mirrored)).encode(x=where, y=y, detail="side:N")
    lines = alt.Chart(rows(paths)).encode(x=where, y=y, detail="pair:N")
    color = alt.Color("kind:N", title=None, scale=_TONES)
    labels = alt.Chart(rows(_labelled(paths))).mark_text(align="right", dx=-6, dy=-7)
    # A single look has no line of boundaries: its two are drawn across.
    across = alt.Chart(rows(mirrored)).mark_rule(color=INK, strokeWidth=1.6, strokeDash=[5, 3], clip=True).encode(y=y)
    plot = alt.layer(
        *([across] if bounds.height == 1 else []),
        boundary.mark_line(color=INK, strokeWidth=1.6, strokeDash=[5, 3], clip=True),
        boundary.mark_point(color=INK, filled=True, size=36, opacity=1, clip=True).transform_filter("datum.made"),
        boundary.mark_point(color=INK, size=36, opacity=1, fill=style.PAPER, clip=True).transform_filter("!datum.made"),
        lines.mark_line(strokeWidth=1.6, opacity=0.8).encode(color=color),
        lines.mark_point(filled=True, size=22, opacity=1).encode(color=color),
        labels.encode(x=where, y=y, text="pair:N"),
    ).properties(width=WIDTH, height=320)
    count = len(result.pairs)
    left = f"; the {MOST_PATHS} of {count:,} pairs nearest to a decision" if count > MOST_PATHS else ""
    kind = f"{result.spending} spending of {result.alpha:g} up to {plural(result.max_topics, 'topic')}"
    kind = "confidence sequences, unplanned looks" if result.anytime else kind
    details = f"{kind}; dashed: boundary of the first pair (open points: future looks){left}"
    return finish(plot, headline(result), details)


def _strongest(result: Monitoring) -> pl.DataFrame:
    """The paths of the pairs to draw, each with its name and whether it is decided in the end."""
    frame = result.paths().filter(pl.col("t").is_not_null())
    frame = frame.with_columns(pair=pl.concat_str("system_a", pl.lit(" − "), "system_b"))
    ends = _nearest(_last(result), MOST_PATHS).select("pair", "kind")
    return frame.join(ends, on="pair", maintain_order="left").select("look", "topics", "pair", "t", "kind")


def _last(result: Monitoring) -> pl.DataFrame:
    """The last look, with a name for each pair and whether it is decided."""
    decided = pl.col("decision").str.ends_with("better")
    return result.last().with_columns(
        pair=pl.concat_str("system_a", pl.lit(" − "), "system_b"),
        kind=pl.when(decided).then(pl.lit("decided")).otherwise(pl.lit("undecided")),
    )


def _nearest(frame: pl.DataFrame, most: int) -> pl.DataFrame:
    """The pairs whose interval ends nearest to 0 for its width, decided and undecided ones."""
    if frame.height <= most:
        return frame
    reach = pl.min_horizontal(pl.col("lower").abs(), pl.col("upper").abs()) / (pl.col("upper") - pl.col("lower"))
    reach = reach.fill_nan(float("inf"))  # a look at which nothing can be decided has endless intervals
    decided, undecided = (frame.filter(pl.col("kind") == kind).sort(reach, maintain_order=True) for kind in _KINDS)
    first = min(decided.height, max(most // 2, most - undecided.height))
    return pl.concat([decided.head(first), undecided.head(most - first)])


def _labelled(paths: pl.DataFrame) -> pl.DataFrame:
    last = paths.filter(pl.col("topics") == paths["topics"].max())
    return last if last.height <= MOST_LABELS else last.head(0)


def intervals(result: Monitoring) -> Drawing:
    """The difference of each pair at the last look with its repeated interval; decided pairs stand out."""
    shown = _nearest(_last(result), MOST_ROWS).sort("difference", descending=True, maintain_order=True)
    shown = shown.select("pair", "difference", "lower", "upper", "kind")
    names = shown["pair"].to_list()
    base = alt.Chart(rows(shown)).encode(y=alt.Y("pair:N", sort=names, axis=style.names_axis()))
    title = f"difference in {result.measure}"
    x = result.scores.values
    bounded = bool(x.min() >= 0 and x.max() <= 1)  # then no difference is beyond 1
    ends = [value for name in ("lower", "upper") for value in shown[name] if value is not None]
    scale = alt.Scale(domain=[max(-1, min(ends)), min(1, max(ends))]) if bounded and ends else alt.Undefined
    zero = alt.Chart(rows([{"zero": 0}])).mark_rule(color=INK).encode(x="zero:Q")
    color = alt.Color("kind:N", title=None, scale=_TONES)
    lower, difference = (alt.X(f"{name}:Q", title=title, scale=scale) for name in ("lower", "difference"))
    plot = alt.layer(
        zero,
        base.mark_rule(strokeWidth=3, color=LIGHT, clip=True).encode(x=lower, x2="upper:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=difference, color=color),
    ).properties(width=WIDTH, height=style.step(len(names)))
    every = len(result.pairs)
    left = f"; the {MOST_ROWS} of {every:,} pairs nearest to a decision" if every > MOST_ROWS else ""
    level = f"{1 - result.alpha:.0%}"
    details = f"look {len(result.looks)}; lines: {level} simultaneous intervals over pairs and looks{left}"
    return finish(plot, headline(result), details)


def stops(result: SequentialDesign, most_labels: int = 8) -> Drawing:
    """The probability of stopping at each look, with and without a difference; many looks have no numbers."""
    frame = result.looks_frame()
    kinds = [f"difference {given(result.min_diff)}", "no difference"]
    long = frame.rename(dict(zip(("stop_alternative", "stop_null"), kinds, strict=True)))
    long = long.unpivot(kinds, index="topics", variable_name="kind", value_name="chance").select(
        "topics", "chance", "kind"
    )
    color = alt.Color("kind:N", title=None, scale=alt.Scale(domain=kinds, range=[DARK, LIGHT]))
    base = alt.Chart(rows(long)).encode(
        x=alt.X("topics:O", title="topics at the look", axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("kind:N", sort=kinds),
    )
    bars = base.mark_bar().encode(y=alt.Y("chance:Q", title="probability of stopping at this look"), color=color)
    numbers = base.mark_text(dy=-6).encode(y="chance:Q", text=alt.Text("chance:Q", format=".3f"))
    plot = alt.layer(bars, *([numbers] if result.looks <= most_labels else [])).properties(width=WIDTH, height=260)
    finding = ON_AVERAGE(
        looks="1 look takes" if result.looks == 1 else f"{result.looks} looks take",
        topics=number(result.expected_alternative, 1), most=result.topics_max, fixed=result.topics_fixed,
    )  # fmt: skip
    details = f"{result.spending} spending, alpha {result.alpha:g}, power {result.power:g}"
    return finish(plot, finding, f"{details}, variance of the difference {given(result.variance_of_difference)}")


def needed(result: Reestimate) -> Drawing:
    """The present topics and the topics needed, with their interval."""
    names = ["present", "needed in all"]
    listed = [
        {"what": names[0], "topics": result.data_topics},
        {"what": names[1], "topics": result.n_topics, "lower": result.topics_lower, "upper": result.topics_upper},
    ]
    base = alt.Chart(rows(listed)).encode(y=alt.Y("what:N", sort=names, title=None))
    x = alt.X("topics:Q", title="topics", scale=alt.Scale(zero=True), axis=style.whole_axis())
    plot = alt.layer(
        base.mark_bar(color=LIGHT).encode(x=x),
        base.mark_rule(strokeWidth=2, color=DARK).encode(x=alt.X("lower:Q", title="topics"), x2="upper:Q"),
        base.mark_text(align="left", dx=5, dy=-8).encode(x=x, text="topics:Q"),
    ).properties(width=WIDTH, height=alt.Step(40))
    spread = f"variance of the difference {number(result.variance_of_difference, 4)}, blinded"
    return finish(plot, result.summary(), f"{spread}; line: {1 - result.alpha:.0%} interval")
