"""Charts of agreement: rank correlation, what standardisation changes, and factors without single systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from cranfield.present.charts.fonts import text_width
from cranfield.present.charts.style import (
    ACCENT,
    DARK,
    INK,
    LABEL_SIZE,
    WIDTH,
    Drawing,
    finish,
    names_axis,
    number,
    plural,
    rows,
    step,
)
from cranfield.sentences import charts as say

if TYPE_CHECKING:
    from cranfield.design import StandardisationEffect
    from cranfield.scores import Correlation
    from cranfield.scores.correlation import Correlations
    from cranfield.standardise import Robustness

NAMES = {"tau": "Kendall's τ", "tau_b": "τ_b", "tau_ap": "τ_AP", "tau_ap_b": "τ_AP,b"}


def _tau(result: Correlation) -> float | None:
    """Kendall's τ; None where all systems tie on one side, which makes it 0 whatever the other side is."""
    return None if result.values.get("tau_b", 0.0) is None else result.values.get("tau")


def correlation(result: Correlation) -> Drawing:
    """Rank correlation coefficients with their intervals."""
    tau = _tau(result)
    finding = (
        "All systems tie on one side: no rank correlation"
        if tau is None
        else say.ORDERS_AGREE(systems=plural(result.n_systems, "system"), tau=number(tau))
    )
    over = "" if result.n_topics is None else f", {plural(result.n_topics, 'topic')}"
    details = f"{result.reference} and {result.estimate}{over}; intervals at {1 - result.alpha:.0%}, cut at ±1"
    return finish(_coefficients(result), finding, details)


MOVED_MOST = 8
"""Systems named in a scatter of ranks."""
_MOVED_UP = pl.col("reference") > pl.col("estimate")


def ranks(result: Correlation, size: int = 400) -> Drawing:
    """The rank of every system by one order against its rank by the other; on the diagonal nothing moves."""
    return finish(_scatter(result, size), *_moves(result), width=size + 60)


def ranks_of_several(result: Correlations, size: int | None = None) -> Drawing:
    """The same for several measures, side by side."""
    every = result.correlations
    if len(every) == 1:
        return ranks(every[0], size or 400)
    shown = every[:MOST_SCATTERS]
    size = size or (260 if len(shown) > 2 else 320)
    left = f"; {plural(len(every) - len(shown), 'further pair')} of measures not drawn" if len(every) > 4 else ""
    finding, details = _moves(every[0])
    plot = alt.concat(*(_scatter(one, size) for one in shown), columns=2, spacing=34)
    return finish(plot, f"{every[0].reference}: {finding}", f"{details}{left}", width=2 * size + 80)


MOST_SCATTERS = 4


def _moves(result: Correlation) -> tuple[str, str]:
    """The system that moves most, and what else to know about a scatter of ranks."""
    moved = [abs(a - b) for a, b in zip(*result.ranks, strict=True)]
    most = max(moved)
    tau = _tau(result)
    known = "no rank correlation: all systems tie on one side" if tau is None else f"τ = {number(tau)}"
    finding = (
        f"No system changes its rank ({known})"
        if not most
        else f"{result.systems[moved.index(most)]} moves {plural(most, 'rank')}, none more ({known})"
    )
    named = f"; named: the {MOVED_MOST} that move most" if len(moved) > MOVED_MOST else ""
    return finding, f"{plural(result.n_systems, 'system')}; on the line: the same rank on both sides{named}"


def _scatter(result: Correlation, size: int) -> Drawing:
    frame = pl.DataFrame({"system": result.systems, "reference": result.ranks[0], "estimate": result.ranks[1]})
    frame = frame.with_columns(moved=(pl.col("reference") - pl.col("estimate")).abs())
    m = result.n_systems
    scale = alt.Scale(domain=[0.5, m + 0.5], nice=False)
    every = max(1, -(-m // 10))
    ticks = [1, *range(every if every > 1 else 2, m + 1, every)]
    x = alt.X("reference:Q", title=f"rank by {result.reference}", scale=scale, axis=alt.Axis(values=ticks, format="d"))
    down_scale = alt.Scale(domain=[m + 0.5, 0.5], nice=False)
    y = alt.Y(
        "estimate:Q",
        title=f"rank by {result.estimate}",
        scale=down_scale,
        axis=alt.Axis(values=ticks, format="d"),
    )
    base = alt.Chart(rows(frame)).encode(x=x, y=y)
    line = alt.Chart(rows([{"reference": 0.5, "estimate": 0.5}, {"reference": m + 0.5, "estimate": m + 0.5}]))
    named = frame.filter(pl.col("moved") > 0).top_k(MOVED_MOST, by="moved")
    # A name stands on the side away from the diagonal, where there are no dots, unless it would reach into the axis.
    room = [x * size / m > text_width(name, LABEL_SIZE) + 7 for name, x, *_ in named.iter_rows()]
    rightwards = _MOVED_UP | ~pl.Series(room, dtype=pl.Boolean)
    up, down = (_apart(named.filter(one), size / m, left) for one, left in ((rightwards, 0), (~rightwards, 1)))
    labels = [
        mark.encode(x=x, y=alt.Y("label:Q", scale=down_scale), text="system:N")
        for part, mark in (
            (up, alt.Chart(rows(up)).mark_text(align="left", dx=7)),
            (down, alt.Chart(rows(down)).mark_text(align="right", dx=-7)),
        )
        if part.height
    ]
    return alt.layer(
        line.mark_line(color="#9aa5b1", strokeDash=[4, 3]).encode(x=x, y=y),
        base.mark_point(filled=True, size=50 if m <= 60 else 28, color=DARK, opacity=0.85),
        *labels,
    ).properties(width=size, height=size)


def _apart(named: pl.DataFrame, pixels: float, leftwards: int) -> pl.DataFrame:
    """The rows with the height of their names, in ranks: one that would stand on another moves below it."""
    placed: list[tuple[float, float, float]] = []
    heights = {}
    for system, x, y, _ in named.sort("estimate", "system").iter_rows():
        width = text_width(system, LABEL_SIZE) + 7
        left, height = x * pixels - leftwards * width, y * pixels
        for start, end, taken in placed:
            if start < left + width and left < end:
                height = max(height, taken + LABEL_SIZE + 1)
        placed.append((left, left + width, height))
        heights[system] = height / pixels
    return named.with_columns(label=pl.col("system").replace_strict(heights, return_dtype=pl.Float64))


def correlations(result: Correlations) -> Drawing:
    """The same for several measures, one below the other."""
    every = result.correlations
    if len(every) == 1:
        return correlation(every[0])
    taus = sorted(tau for tau in map(_tau, every) if tau is not None)
    known = [number(tau) for tau in taus]
    if not known:
        finding = "All systems tie on one side: no rank correlation"
    elif known[0] == known[-1]:
        finding = say.SEVERAL_ORDERS_ALIKE(tau=known[0])
    else:
        finding = say.SEVERAL_ORDERS_AGREE(lowest=known[0], highest=known[-1])
    parts = [_coefficients(one).properties(title=f"{one.reference} and {one.estimate}") for one in every]
    details = f"{plural(every[0].n_systems, 'system')}; intervals at {1 - every[0].alpha:.0%}, cut at ±1"
    return finish(alt.vconcat(*parts), finding, details)


def _coefficients(result: Correlation) -> Drawing:
    """Dots with whiskers, one row per coefficient and interval."""
    frame = result.to_frame().with_columns(
        name=pl.col("coefficient").replace(NAMES)
        + pl.when(pl.col("interval").is_not_null())
        .then(pl.concat_str(pl.lit(", "), "interval", pl.lit(" interval"), ignore_nulls=True))
        .otherwise(pl.lit("")),
        low=pl.col("lower").clip(lower_bound=-1),
        high=pl.col("upper").clip(upper_bound=1),
    )
    names = frame["name"].to_list()
    base = alt.Chart(rows(frame.select("name", "value", "low", "high"))).encode(
        y=alt.Y("name:N", sort=names, axis=names_axis())
    )
    scale = alt.Scale(domain=[min(0.0, *frame["low"].drop_nulls(), *frame["value"].drop_nulls(), 0.0), 1])
    return alt.layer(
        base.mark_rule(strokeWidth=2, color="#7d8b99").encode(
            x=alt.X("low:Q", scale=scale, title="rank correlation"), x2="high:Q"
        ),
        base.mark_point(filled=True, size=75, color=DARK, opacity=1).encode(
            x=alt.X("value:Q", scale=scale, title="rank correlation")
        ),
        base.mark_text(dy=-10).encode(x="value:Q", text=alt.Text("value:Q", format=".3f")),
    ).properties(width=WIDTH, height=alt.Step(34))


def standardisation_effect(result: StandardisationEffect) -> Drawing:
    """What standardisation changes free of scale: the blocked F before and after, one line per measure."""
    frame = result.scale_free.select("measure", "scores", "blocked_f", "topics").with_columns(
        kind=pl.when(pl.col("scores") == "raw").then(pl.lit("raw")).otherwise(pl.lit("standardised"))
    )
    measures = list(dict.fromkeys(frame["measure"].to_list()))
    base = alt.Chart(rows(frame)).encode(
        y=alt.Y("measure:N", sort=measures, title=None, axis=alt.Axis(ticks=False, domain=False))
    )
    title = "F of the blocked analysis of variance (larger: systems easier to tell apart)"
    plot = alt.layer(
        base.mark_line(color="#9aa5b1", strokeWidth=2).encode(x=alt.X("blocked_f:Q", title=title), detail="measure:N"),
        base.mark_point(filled=True, size=90, opacity=1).encode(
            x=alt.X("blocked_f:Q", title=title),
            color=alt.Color(
                "kind:N", title=None, scale=alt.Scale(domain=["raw", "standardised"], range=["#8fa6bb", DARK])
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
    ).properties(width=WIDTH, height=alt.Step(46))
    first = frame.filter(pl.col("measure") == measures[0])
    raw, std = (first.filter(pl.col("kind") == kind).row(0, named=True) for kind in ("raw", "standardised"))
    if raw["blocked_f"] is None or std["blocked_f"] is None:
        finding = f"The F for {measures[0]} is not defined: systems and topics explain every score"
    else:
        before, after = raw["blocked_f"], std["blocked_f"]
        change = "raises" if after > before else "lowers" if after < before else "does not change"
        places = next(k for k in range(1, 16) if before == after or f"{before:.{k}f}" != f"{after:.{k}f}" or k == 15)
        finding = say.F_CHANGES(
            change=change, measure=measures[0], before=number(before, places), after=number(after, places)
        )
    row = result.variance.row(0, named=True)
    return finish(
        plot,
        finding,
        f"{plural(row['systems'], 'system')} on {plural(row['topics'], 'topic')}; F does not change "
        "when scores are rescaled",
    )


def robustness(result: Robustness, most: int = 40) -> Drawing:
    """How far each system's standardised mean moves when the factors are fitted without it."""
    frame = result.to_frame().select("measure", "system", "left_out", "difference", "rank", "rank_left_out")
    total = frame.height
    frame = (
        frame.with_columns(size=pl.col("difference").abs()).top_k(most, by="size").sort("difference", descending=True)
    )
    names = frame["system"].to_list()
    bars = (
        alt.Chart(rows(frame.drop("size")))
        .mark_bar(height=9)
        .encode(
            y=alt.Y("system:N", sort=names, axis=names_axis()),
            x=alt.X("difference:Q", title="change of the standardised mean"),
            color=alt.when(alt.datum.difference > 0).then(alt.value(DARK)).otherwise(alt.value(ACCENT)),
        )
    )
    zero = alt.Chart(rows([{"zero": 0}])).mark_rule(color=INK).encode(x="zero:Q")
    row = result.by_measure().row(0, named=True)
    finding = say.LEFT_OUT(
        difference=number(row["largest_difference"], 4), ranks=plural(row["largest_rank_change"], "rank")
    )
    cut = f"; the {most} that move most of {total}" if total > most else ""
    return finish(
        alt.layer(bars, zero).properties(width=WIDTH, height=step(len(names))),
        finding,
        f"{row['measure']}: {plural(row['left_out'], 'system')} left out in turn, factors fitted again{cut}",
    )
