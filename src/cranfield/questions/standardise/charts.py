"""Charts of standardisation: what it does to a design, and how far factors depend on systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from cranfield.core.answer import sentence
from cranfield.core.charts import style
from cranfield.core.labels import plural

if TYPE_CHECKING:
    from cranfield.questions.standardise.effect import StandardisationEffect
    from cranfield.questions.standardise.robustness import Robustness

F_CHANGES = sentence(
    "charts.f-changes",
    "Standardisation {change} the F for {measure} from {before} to {after}",
    "`raises`, `lowers` or `does not change`, as the two values of F are; the factors come from these very scores",
    always=True,
)
LEFT_OUT = sentence(
    "charts.left-out",
    "Leaving a system out moves its mean by at most {difference} and {ranks}",
    "the largest changes over all systems left out in turn",
    always=True,
)


def standardisation_effect(result: StandardisationEffect) -> style.Drawing:
    """What standardisation changes free of scale: the blocked F before and after, one line per measure."""
    frame = result.scale_free.select("measure", "scores", "blocked_f", "topics").with_columns(
        kind=pl.when(pl.col("scores") == "raw").then(pl.lit("raw")).otherwise(pl.lit("standardised"))
    )
    measures = list(dict.fromkeys(frame["measure"].to_list()))
    base = alt.Chart(style.rows(frame)).encode(
        y=alt.Y("measure:N", sort=measures, title=None, axis=alt.Axis(ticks=False, domain=False))
    )
    title = "F of the blocked analysis of variance (larger: systems easier to tell apart)"
    plot = alt.layer(
        base.mark_line(color=style.EDGE, strokeWidth=2).encode(x=alt.X("blocked_f:Q", title=title), detail="measure:N"),
        base.mark_point(filled=True, size=90, opacity=1).encode(
            x=alt.X("blocked_f:Q", title=title),
            color=alt.Color(
                "kind:N", title=None, scale=alt.Scale(domain=["raw", "standardised"], range=[style.BAR, style.DARK])
            ),
            shape=alt.Shape(
                "kind:N", title=None, scale=alt.Scale(domain=["raw", "standardised"], range=["circle", "square"])
            ),
        ),
        *(
            base.transform_filter(alt.datum.kind == kind)
            .mark_text(dy=dy)
            .encode(x="blocked_f:Q", text=alt.Text("blocked_f:Q", format=".1f"))
            for kind, dy in (("raw", 15), ("standardised", -12))  # the two may be close
        ),
    ).properties(width=style.WIDTH, height=alt.Step(46))
    first = frame.filter(pl.col("measure") == measures[0])
    raw, std = (first.filter(pl.col("kind") == kind).row(0, named=True) for kind in ("raw", "standardised"))
    if raw["blocked_f"] is None or std["blocked_f"] is None:
        finding = f"The F for {measures[0]} is not defined: systems and topics explain every score"
    else:
        before, after = raw["blocked_f"], std["blocked_f"]
        change = "raises" if after > before else "lowers" if after < before else "does not change"
        places = next(k for k in range(1, 16) if before == after or f"{before:.{k}f}" != f"{after:.{k}f}" or k == 15)
        finding = F_CHANGES(
            change=change, measure=measures[0], before=style.number(before, places), after=style.number(after, places)
        )
    row = result.variance.row(0, named=True)
    return style.finish(
        plot,
        finding,
        f"{plural(row['systems'], 'system')} on {plural(row['topics'], 'topic')}; F does not change "
        "when scores are rescaled",
    )


def robustness(result: Robustness, most: int = 40) -> style.Drawing:
    """How far each system's standardised mean moves when the factors are fitted without it."""
    frame = result.to_frame().select("measure", "system", "left_out", "difference", "rank", "rank_left_out")
    total = frame.height
    frame = (
        frame.with_columns(size=pl.col("difference").abs()).top_k(most, by="size").sort("difference", descending=True)
    )
    names = frame["system"].to_list()
    bars = (
        alt.Chart(style.rows(frame.drop("size")))
        .mark_bar(height=9)
        .encode(
            y=alt.Y("system:N", sort=names, axis=style.names_axis()),
            x=alt.X("difference:Q", title="change of the standardised mean"),
            color=alt.when(alt.datum.difference > 0).then(alt.value(style.DARK)).otherwise(alt.value(style.BAR)),
        )
    )
    zero = alt.Chart(style.rows([{"zero": 0}])).mark_rule(color=style.INK).encode(x="zero:Q")
    row = result.by_measure().row(0, named=True)
    finding = LEFT_OUT(
        difference=style.number(row["largest_difference"], 4), ranks=plural(row["largest_rank_change"], "rank")
    )
    cut = f"; the {most} that move most of {total}" if total > most else ""
    return style.finish(
        alt.layer(bars, zero).properties(width=style.WIDTH, height=style.step(len(names))),
        finding,
        f"{row['measure']}: {plural(row['left_out'], 'system')} left out in turn, factors fitted again{cut}",
    )
