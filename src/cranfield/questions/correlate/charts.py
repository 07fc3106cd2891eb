"""Charts of `correlate`: coefficients with intervals, and ranks on both sides."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from cranfield.core.answer import sentence
from cranfield.core.charts import style
from cranfield.core.charts.style import DARK, LABEL_SIZE, Drawing, finish, number, plural, rows, text_width

if TYPE_CHECKING:
    from cranfield.questions.correlate.correlate import Correlation, Correlations

NAMES = {"tau": "Kendall's τ", "tau_b": "τ_b", "tau_ap": "τ_AP", "tau_ap_b": "τ_AP,b"}
MOVED_MOST = 8
"""Systems named in a scatter of ranks."""
SHIFTS = (0, -1, 1, -2, 2)
"""Lines by which a name may stand above or below its dot."""
MOST_SCATTERS = 4
ORDERS_AGREE = sentence(
    "charts.orders-agree",
    "τ = {tau} between the two orders of {systems}",
    "Kendall's τ between the two orders is defined, and that",
)
SEVERAL_ORDERS_AGREE = sentence(
    "charts.several-orders-agree",
    "τ between the orders ranges from {lowest} to {highest}",
    "several pairs of orders were correlated; the lowest and highest τ that is defined, which differ",
)
SEVERAL_ORDERS_ALIKE = sentence(
    "charts.several-orders-alike",
    "τ = {tau} for every pair of orders",
    "several pairs of orders were correlated; all τ that are defined are this, to three decimals",
)


def _tau(result: Correlation) -> float | None:
    """Kendall's τ; None where all systems tie on one side, which makes it 0."""
    return None if result.values.get("tau_b", 0.0) is None else result.values.get("tau")


def _every(result: Correlation | Correlations) -> tuple[Correlation, ...]:
    from cranfield.questions.correlate.correlate import Correlations

    return result.correlations if isinstance(result, Correlations) else (result,)


def coefficients(result: Correlation | Correlations) -> Drawing:
    """Rank correlation coefficients with their intervals; those of several measures one below the other."""
    every = _every(result)
    one = every[0]
    known = [number(tau) for tau in sorted(tau for tau in map(_tau, every) if tau is not None)]
    systems = plural(one.n_systems, "system")
    if not known:
        finding = "All systems tie on one side: no rank correlation"
    elif len(every) == 1:
        finding = ORDERS_AGREE(systems=systems, tau=known[0])
    elif known[0] == known[-1]:
        finding = SEVERAL_ORDERS_ALIKE(tau=known[0])
    else:
        finding = SEVERAL_ORDERS_AGREE(lowest=known[0], highest=known[-1])
    over = "" if one.n_topics is None else f", {plural(one.n_topics, 'topic')}"
    what = f"{one.reference} and {one.estimate}{over}" if len(every) == 1 else systems
    parts = [_coefficients(one).properties(title=f"{one.reference} and {one.estimate}") for one in every]
    plot = _coefficients(one) if len(every) == 1 else alt.vconcat(*parts)
    return finish(plot, finding, f"{what}; {1 - one.alpha:.0%} intervals for unlimited topics")


def ranks(result: Correlation | Correlations, size: int | None = None) -> Drawing:
    """The rank of every system by one order against its rank by the other; on the diagonal nothing moves.

    Several measures stand side by side.
    """
    every = _every(result)
    finding, details = _moves(every[0])
    if len(every) == 1:
        size = size or 400
        return finish(_scatter(every[0], size), finding, details, width=size + 60)
    shown = every[:MOST_SCATTERS]
    size = size or (260 if len(shown) > 2 else 320)
    left = f"; {plural(len(every) - len(shown), 'further pair')} of measures not drawn" if len(every) > 4 else ""
    plot = alt.concat(*(_scatter(one, size) for one in shown), columns=2, spacing=34)
    return finish(plot, f"{every[0].reference}: {finding}", f"{details}{left}", width=2 * size + 80)


def _moves(result: Correlation) -> tuple[str, str]:
    """The system that moves most, and what else to know about a scatter of ranks."""
    moved = [abs(a - b) for a, b in zip(*result.ranks, strict=True)]
    most = max(moved)
    tau = _tau(result)
    known = "no rank correlation: all systems tie on one side" if tau is None else f"τ = {number(tau)}"
    finding = f"No system changes rank ({known})"
    if most:
        finding = f"{result.systems[moved.index(most)]} moves most, by {plural(most, 'rank')} ({known})"
    named = f"; named: up to {MOVED_MOST} that move most" if len(moved) > MOVED_MOST else ""
    return finding, f"{plural(result.n_systems, 'system')}; on the line: the same rank on both sides{named}"


def _scatter(result: Correlation, size: int) -> Drawing:
    frame = pl.DataFrame({"system": result.systems, "reference": result.ranks[0], "estimate": result.ranks[1]})
    frame = frame.with_columns(moved=(pl.col("reference") - pl.col("estimate")).abs())
    m = result.n_systems
    every = max(1, -(-m // 10))
    axis = alt.Axis(values=[1, *range(every if every > 1 else 2, m + 1, every)], format="d")
    across, down = (alt.Scale(domain=ends, nice=False) for ends in ([0.5, m + 0.5], [m + 0.5, 0.5]))
    x = alt.X("reference:Q", title=f"rank by {result.reference}", scale=across, axis=axis)
    y = alt.Y("estimate:Q", title=f"rank by {result.estimate}", scale=down, axis=axis)
    base = alt.Chart(rows(frame)).encode(x=x, y=y)
    line = alt.Chart(rows([{"reference": 0.5, "estimate": 0.5}, {"reference": m + 0.5, "estimate": m + 0.5}]))
    named = _named(frame, size / m)
    labels = []
    for left in (False, True):
        part = [one for one in named if one["left"] == left]
        text = alt.Chart(rows(part)).mark_text(align="right" if left else "left", dx=-7 if left else 7)
        labels += [text.encode(x=x, y=alt.Y("label:Q", scale=down), text="system:N")] if part else []
    return alt.layer(
        line.mark_line(color=style.EDGE, strokeDash=[4, 3]).encode(x=x, y=y),
        base.mark_point(filled=True, size=50 if m <= 60 else 28, color=DARK, opacity=0.85),
        *labels,
    ).properties(width=size, height=size)


def _named(frame: pl.DataFrame, pixels: float) -> list[dict[str, Any]]:
    """The systems that move most, each with the side and the height (in ranks) of its name.

    A name stands away from the diagonal where there is room: it stays inside and covers no other name and no dot. One
    without room anywhere is left out.
    """
    edge = pixels * frame.height
    dots = [(x * pixels, y * pixels) for x, y in frame.select("reference", "estimate").iter_rows()]
    taken: list[tuple[float, float, float]] = []
    named = []
    for system, x, y, _ in frame.filter(pl.col("moved") > 0).top_k(MOVED_MOST, by="moved").iter_rows():
        across, width = x * pixels, text_width(system, LABEL_SIZE) + 7
        for shift, left in product(SHIFTS, (x < y, x > y)):
            height = y * pixels + shift * LABEL_SIZE
            start = across - width if left else across
            end = start + width
            clear = all(abs(height - at) > LABEL_SIZE or end < begin or stop < start for begin, stop, at in taken)
            beside = [dot for dot, at in dots if abs(height - at) <= LABEL_SIZE / 2 + 2 and dot != across]
            covers = any(start - 3 < dot < end + 3 for dot in beside)
            if clear and start >= 0 and end <= edge and not covers:
                taken.append((start, end, height))
                named.append({"system": system, "reference": x, "label": height / pixels, "left": left})
                break
    return named


def _coefficients(result: Correlation) -> Drawing:
    """Dots with whiskers, one row per coefficient."""
    frame = result.to_frame().with_columns(name=pl.col("coefficient").replace(NAMES), low="lower", high="upper")
    if result.published is not None:
        name = pl.concat_str(pl.col("name"), pl.lit(", published interval"))
        ends = frame.filter(pl.col("coefficient") == "tau")
        ends = ends.with_columns(name=name, low="published_lower", high="published_upper")
        frame = pl.concat([ends, frame])
    axis = style.names_axis()
    base = alt.Chart(rows(frame.select("name", "value", "low", "high")))
    base = base.encode(y=alt.Y("name:N", sort=frame["name"].to_list(), axis=axis))
    scale = alt.Scale(domain=[min(0.0, *frame["low"].drop_nulls(), *frame["value"].drop_nulls(), 0.0), 1])
    low, value = (alt.X(f"{name}:Q", scale=scale, title="rank correlation") for name in ("low", "value"))
    return alt.layer(
        base.mark_rule(strokeWidth=2, color=style.EDGE).encode(x=low, x2="high:Q"),
        base.mark_point(filled=True, size=75, color=DARK, opacity=1).encode(x=value),
        base.mark_text(dy=-10).encode(x="value:Q", text=alt.Text("value:Q", format=".3f")),
    ).properties(width=style.WIDTH, height=alt.Step(34))
