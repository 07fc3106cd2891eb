"""Charts of scores: how topics differ, how systems spread, and two systems topic by topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from cranfield.core.answer import sentence
from cranfield.core.charts import style
from cranfield.core.errors import ArgumentError
from cranfield.core.labels import plural, positions
from cranfield.questions.compare.topics import BEATS_ON

if TYPE_CHECKING:
    from cranfield.questions.standardise.apply import Standardised
    from cranfield.questions.standardise.fit import Standardisation
    from cranfield.scores.matrix import ScoreMatrix, Scores

TOPICS_DIFFER = sentence(
    "charts.topics-differ",
    "Topics differ: mean {measure} from {low} (topic {hard}) to {high} (topic {easy})",
    "there are two topics or more, and not all have the same mean",
)
HIGHEST_MEAN = sentence(
    "charts.highest-mean", "{system} has the highest mean {measure}: {mean}", "no other system has a mean as high"
)
HIGHEST_MEAN_SHARED = sentence(
    "charts.highest-mean-shared",
    "{systems} systems share the highest mean {measure}: {mean}",
    "two systems or more have the highest mean",
)
MOST_WIDTH = 13 * 50
"""Width of a chart of topics: that of 50 topics, all of them named."""
MOST_TOPICS = 150
"""Most topics of one chart; of more, an even selection is drawn, which the subtitle states."""
SAME_MEAN = 0.0005
"""Topic means that differ by less are the same to the digits of a title."""


def _spread(matrix: ScoreMatrix, by: str) -> pl.DataFrame:
    """Five numbers per topic (or system), in order of the mean."""
    quantile = pl.col("value").quantile
    return (
        matrix.to_long()
        .group_by(by, maintain_order=True)
        .agg(
            mean=pl.col("value").mean(),
            lowest=pl.col("value").min(),
            highest=pl.col("value").max(),
            lower_quartile=quantile(0.25, "linear"),
            median=quantile(0.5, "linear"),
            upper_quartile=quantile(0.75, "linear"),
        )
        .sort("mean", by, descending=[True, False])
    )


def _in_order(frame: pl.DataFrame, topics: list[str]) -> pl.DataFrame:
    """The topics in this order; those it lacks come last."""
    place = {topic: k for k, topic in enumerate(topics)}
    return frame.sort(pl.col("topic").replace_strict(place, default=len(place), return_dtype=pl.Int64))


def _thinned(frame: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    if frame.height <= MOST_TOPICS:
        return frame, ""
    keep = [round(k * (frame.height - 1) / (MOST_TOPICS - 1)) for k in range(MOST_TOPICS)]
    return frame[keep], f"; every {frame.height / MOST_TOPICS:.1f}th of {frame.height:,} drawn"


def _boxes(
    frame: pl.DataFrame, title: str, height: int = 220, marked: str | None = None, order_by: str = "score"
) -> style.Drawing:
    """Columns from smallest to largest, the middle half thick, the median marked; one of them in another colour."""
    order = frame["topic"].to_list()
    label = style.topics_axis(f"topics, by mean {order_by}")
    base = alt.Chart(style.rows(frame)).encode(x=alt.X("topic:N", sort=order, axis=label))
    thick = max(2, min(9, 480 // max(1, len(order))))
    tone: dict[str, Any] = {}
    if marked is not None:
        chosen = alt.datum["topic"] == marked
        tone["color"] = alt.when(chosen).then(alt.value(style.ACCENT)).otherwise(alt.value(style.BAR))
    return alt.layer(
        base.mark_rule(color=style.LIGHT, strokeWidth=max(1, thick // 3)).encode(
            y=alt.Y("lowest:Q", title=title), y2="highest:Q"
        ),
        base.mark_bar(color=style.BAR, width=thick).encode(y="lower_quartile:Q", y2="upper_quartile:Q", **tone),
        base.mark_tick(color=style.INK, width=thick + 2, thickness=2).encode(y="median:Q"),
    ).properties(width=max(120, min(MOST_WIDTH, 14 * len(order))), height=height)


def _one(scores: ScoreMatrix | Scores, measure: str | None) -> ScoreMatrix:
    """The matrix itself, or that of the measure named (the first unless named)."""
    if not isinstance(scores, Mapping):
        return scores
    return scores[measure] if measure is not None else next(iter(scores.values()))


def topics(scores: ScoreMatrix | Scores, measure: str | None = None, marked: str | None = None) -> style.Drawing:
    """How the systems scored on each topic, easiest first (after Sakai 2016, Fig. 1); one may be marked."""
    matrix = _one(scores, measure)
    frame = _spread(matrix, "topic")
    easy, hard = frame.row(0, named=True), frame.row(-1, named=True)
    shown, note = _thinned(frame)
    if marked is not None and marked not in shown["topic"]:
        shown = frame.filter(pl.col("topic").is_in([*shown["topic"], marked]))
    if frame.height == 1:
        finding = f"Topic {easy['topic']}: mean {matrix.measure} {style.number(easy['mean'])}"
    elif easy["mean"] == hard["mean"]:
        finding = f"All topics: mean {matrix.measure} {style.number(easy['mean'])}"
    else:
        finding = TOPICS_DIFFER(
            measure=matrix.measure, low=style.number(hard["mean"]), hard=hard["topic"], high=style.number(easy["mean"]),
            easy=easy["topic"],
        )  # fmt: skip
    details = (
        f"{matrix.measure} of {plural(matrix.n_systems, 'system')} on {plural(matrix.n_topics, 'topic')}: "
        f"range, middle half, median{'' if marked is None else f'; marked: topic {marked}'}{note}"
    )
    return style.finish(_boxes(shown, matrix.measure, marked=marked), finding, details)


def systems(scores: ScoreMatrix | Scores, measure: str | None = None) -> style.Drawing:
    """How each system's scores spread over topics, best mean first."""
    matrix = _one(scores, measure)
    frame = _spread(matrix, "system")
    names = frame["system"].to_list()
    base = alt.Chart(style.rows(frame)).encode(y=alt.Y("system:N", sort=names, axis=style.names_axis()))
    plot = alt.layer(
        base.mark_rule(color=style.LIGHT, strokeWidth=2).encode(
            x=alt.X("lowest:Q", title=f"{matrix.measure}, one score per topic"), x2="highest:Q"
        ),
        base.mark_bar(color=style.BAR, height=8).encode(x="lower_quartile:Q", x2="upper_quartile:Q"),
        base.mark_tick(color=style.INK, height=11, thickness=2).encode(x="median:Q"),
        base.mark_point(filled=True, color=style.INK, size=26, opacity=1).encode(x="mean:Q"),
    ).properties(width=style.WIDTH, height=style.step(len(names)))
    best = frame.row(0, named=True)
    tied = int((frame["mean"] == best["mean"]).sum())
    known = {"measure": matrix.measure, "mean": style.number(best["mean"])}
    finding = HIGHEST_MEAN(system=best["system"], **known) if tied == 1 else HIGHEST_MEAN_SHARED(systems=tied, **known)
    details = (
        f"{plural(matrix.n_systems, 'system')} on {plural(matrix.n_topics, 'topic')}: range, middle half, "
        "median (tick), mean (dot)"
    )
    return style.finish(plot, finding, details)


def difference(
    scores: ScoreMatrix | Scores, a: str | None = None, b: str | None = None, measure: str | None = None
) -> style.Drawing:
    """Two systems topic by topic: a bar for each difference, largest first."""
    matrix = _one(scores, measure)
    if a is None or b is None:
        if matrix.n_systems != 2:
            raise ArgumentError(f"there are {matrix.n_systems} systems; name the two to subtract as `a` and `b`.")
        a, b = matrix.systems[0], matrix.systems[1]
    at, other = positions("system", [a, b], matrix.systems)
    values = matrix.values[:, at] - matrix.values[:, other]
    frame = pl.DataFrame({"topic": matrix.topics, "difference": values}).sort("difference", descending=True)
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    shown, note = _thinned(frame)
    order = shown["topic"].to_list()
    axis = style.topics_axis("topics, by difference", orient="bottom", offset=4)
    tone = alt.when(alt.datum.difference > 0).then(alt.value(style.BETTER)).otherwise(alt.value(style.WORSE))
    bars = (
        alt.Chart(style.rows(shown))
        .mark_bar()
        .encode(
            x=alt.X("topic:N", sort=order, axis=axis),
            y=alt.Y("difference:Q", title=f"difference in {matrix.measure}"),
            color=tone,
        )
    )
    mean = float(values.mean())
    rule = alt.Chart(style.rows([{"mean": mean}])).mark_rule(color=style.INK, strokeDash=[4, 3]).encode(y="mean:Q")
    width = max(160, min(style.WIDTH, 14 * len(order)))
    finding = BEATS_ON(a=a, b=b, wins=wins, topics=matrix.n_topics, losses=losses)
    details = f"{matrix.measure} of {a} minus {b}; dashed: mean difference {mean:+.4f}{note}"
    return style.finish(alt.layer(bars, rule).properties(width=width, height=260), finding, details)


def measures(scores: Scores) -> style.Drawing:
    """Every measure's topics in one column (the first four)."""
    listed = list(scores.values())
    if len(listed) == 1:
        return topics(listed[0])
    shown = listed[:4]
    first = shown[0]
    order = _spread(first, "topic")["topic"].to_list()
    panels = [
        _boxes(_thinned(_in_order(_spread(matrix, "topic"), order))[0], matrix.measure, 130, order_by=first.measure)
        for matrix in shown
    ]
    left = f"; {len(listed) - len(shown)} further measures not drawn" if len(listed) > len(shown) else ""
    return style.finish(
        alt.vconcat(*panels, spacing=18),
        f"{plural(len(listed), 'measure')} of {plural(first.n_systems, 'system')}, topic by topic",
        f"{plural(first.n_topics, 'topic')}, easiest by {first.measure} first: range, middle half, median{left}",
    )


def standardised(result: Standardised, raw: ScoreMatrix | Scores | None = None) -> style.Drawing:
    """Scores per topic before and after standardisation, topics in the same order (Sakai 2016, Fig. 1)."""
    from cranfield.scores.matrix import ScoreMatrix as Matrix

    after = next(iter(result.scores.values()))
    panels: list[tuple[str, ScoreMatrix]] = [(after.measure, after)]
    if raw is not None:
        before = raw if isinstance(raw, Matrix) else raw[after.measure.partition("(")[2].removesuffix(")")]
        panels.insert(0, (f"{before.measure}, raw", before))
    order = _spread(panels[0][1], "topic")["topic"].to_list()
    drawn = []
    for title, matrix in panels:
        frame = _in_order(_spread(matrix, "topic"), order)
        drawn.append(_boxes(_thinned(frame)[0], title, 170, order_by=panels[0][0]))
    spread = [float(matrix.topic_means.max() - matrix.topic_means.min()) for _, matrix in panels]
    if len(panels) == 2:
        finding = (
            f"Topic means range over {style.number(spread[0])} before and {style.number(spread[1])} after: "
            "standardisation removes topic difficulty"
        )
    elif spread[0] < SAME_MEAN:
        finding = "Every topic has the same standardised mean: topic difficulty is removed"
    else:
        finding = f"Standardised topic means range over {style.number(spread[0])}"
    count = next((count for count in result.counts), None)
    clipped = 0 if count is None else count.below + count.above
    details = (
        f"{plural(after.n_systems, 'system')} on {plural(after.n_topics, 'topic')}"
        f"{', easiest raw topic first' if len(panels) == 2 else ''}; "
        f"{clipped} of {after.values.size:,} scores clipped"
    )
    return style.finish(alt.vconcat(*drawn, spacing=20), finding, details)


def factors(result: Standardisation, measure: str | None = None) -> style.Drawing:
    """Mean and standard deviation of the standardising systems on every topic: what a raw score is measured by."""
    name = measure or next(iter(result))
    chosen = result[name]
    frame = pl.DataFrame(
        {"topic": chosen.topics, "mean": chosen.mean, "low": chosen.mean - chosen.sd, "high": chosen.mean + chosen.sd}
    ).sort("mean", descending=True)
    shown, note = _thinned(frame)
    label = style.topics_axis("topics, by mean score")
    base = alt.Chart(style.rows(shown)).encode(x=alt.X("topic:N", sort=shown["topic"].to_list(), axis=label))
    drawn = alt.layer(
        base.mark_rule(color=style.LIGHT, strokeWidth=2).encode(y=alt.Y("low:Q", title=name), y2="high:Q"),
        base.mark_circle(color=style.INK, opacity=1).encode(y="mean:Q"),
    ).properties(width=max(120, min(style.WIDTH, 14 * shown.height)), height=220)
    low, high = float(chosen.mean.min()), float(chosen.mean.max())
    finding = f"Topic means of the standardising systems range from {style.number(low)} to {style.number(high)}"
    details = f"{name}; dots: mean, lines: one standard deviation each way; {plural(len(chosen.topics), 'topic')}{note}"
    return style.finish(drawn, finding, details)
