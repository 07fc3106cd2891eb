"""Charts of variances: estimates, and sources of variation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from cranfield.core.answer import sentence
from cranfield.core.charts.style import DARK, EDGE, INK, WIDTH, Drawing, finish, number, plural, rows
from cranfield.core.errors import ArgumentError
from cranfield.questions.variance.answer import headline
from cranfield.questions.variance.estimators import ESTIMATORS

if TYPE_CHECKING:
    from cranfield.questions.variance.estimate import VarianceEstimate
    from cranfield.questions.variance.variances import AnovaTable, Variances

MOST_MEASURES = 6
ESTIMATORS_DIFFER = sentence(
    "charts.estimators-differ",
    "Estimators of the {measure} variance differ {ratio:.1f}-fold: {low}, {high}",
    "two estimators or more, of one measure; the largest is more than 5% above the smallest, which is above 0",
)


def estimators(estimates: VarianceEstimate | Iterable[VarianceEstimate]) -> Drawing:
    """Estimates of σ² side by side, with their intervals (Sakai (2014a), Fig. 1); of each measure the pooled ones."""
    listed = list(estimates) if isinstance(estimates, Iterable) else [estimates]
    if not listed:
        raise ArgumentError("`estimates` is empty. Give at least one variance estimate.")
    chosen: dict[tuple[str, str], VarianceEstimate] = {}
    for one in listed:
        key = (one.measure, one.estimator)
        if key not in chosen or len(one.strata) > len(chosen[key].strata):
            chosen[key] = one
    measures = list(dict.fromkeys(measure for measure, _ in chosen))
    kept = [one for one in chosen.values() if one.measure in measures[:MOST_MEASURES]]
    frame = pl.concat([one.to_frame() for one in kept]).select(
        "measure", "method", "variance", "lower", "upper", "topics"
    )
    order = sorted(ESTIMATORS, key=lambda name: ESTIMATORS[name].holds_topics)
    base = alt.Chart(rows(frame)).encode(
        y=alt.Y("method:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False))
    )
    title = "variance σ² of a system's score"
    plot: Drawing = alt.layer(
        base.mark_rule(strokeWidth=2, color=EDGE).encode(x=alt.X("lower:Q", title=title), x2="upper:Q"),
        base.mark_point(filled=True, size=75, color=DARK, opacity=1).encode(
            x=alt.X("variance:Q", title=title, scale=alt.Scale(zero=True))
        ),
        base.mark_text(align="center", dy=-10, color=INK).encode(
            x="variance:Q", text=alt.Text("variance:Q", format=".4f")
        ),
    ).properties(width=WIDTH if len(measures) == 1 else 400, height=alt.Step(34))
    if len(measures) > 1:
        plot = plot.facet(
            row=alt.Row("measure:N", sort=measures, title=None, header=alt.Header(labelAngle=0, labelAlign="left"))
        ).resolve_scale(y="independent")
    low, high = min(kept, key=lambda e: e.variance), max(kept, key=lambda e: e.variance)
    first = kept[0]
    if len(kept) == 1:
        finding = headline(first)
    elif len(measures) == 1 and high.variance > 1.05 * low.variance > 0:
        finding = ESTIMATORS_DIFFER(
            measure=first.measure, ratio=high.variance / low.variance,
            low=f"{low.estimator} {number(low.variance, 4)}", high=f"{high.estimator} {number(high.variance, 4)}",
        )  # fmt: skip
    else:
        finding = (
            f"Variances range from {number(low.variance, 4)} ({low.measure}, {low.estimator}) to "
            f"{number(high.variance, 4)} ({high.measure}, {high.estimator})"
        )
    where = f"pooled over {plural(len(first.strata), 'collection')}, " if len(first.strata) > 1 else ""
    level = (
        f"bars: {1 - first.alpha:.0%} jackknife interval"
        if frame["lower"].is_not_null().any()
        else "no interval for this estimator"
    )
    left = f"; {len(measures) - MOST_MEASURES} further measures not drawn" if len(measures) > MOST_MEASURES else ""
    return finish(plot, finding, f"{where}{plural(first.n_topics, 'topic')}; {level}{left}")


def sources(result: AnovaTable | Variances) -> Drawing:
    """Shares of variation due to systems, topics and residual; of several tables, the first."""
    table: AnovaTable = result if not hasattr(result, "tables") else result.tables[0]
    parts = table.to_frame().filter(pl.col("source") != "total").select("source", share="eta_squared")
    order = parts["source"].to_list()
    base = alt.Chart(rows(parts)).encode(y=alt.Y("source:N", sort=order, title=None))
    plot = alt.layer(
        base.mark_bar(color=DARK).encode(
            x=alt.X("share:Q", title="share of the sum of squares", axis=alt.Axis(format=".0%"))
        ),
        base.mark_text(align="left", dx=5).encode(x="share:Q", text=alt.Text("share:Q", format=".1%")),
    ).properties(width=WIDTH, height=alt.Step(30))
    largest = parts.sort("share", descending=True).row(0, named=True)
    finding = (
        f"{largest['source'].capitalize()} account for {largest['share']:.0%} of the variation of {table.measure}"
        if largest["source"].endswith("s")
        else f"The {largest['source']} accounts for {largest['share']:.0%} of the variation of {table.measure}"
    )
    return finish(
        plot,
        finding,
        f"{table.collection}: {plural(table.n_topics, 'topic')} × "
        f"{plural(table.n_systems, 'system')}; Greenhouse–Geisser ε = {number(table.epsilon)}",
    )
