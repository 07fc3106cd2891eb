"""Charts of simulations: rates of tests against topics, and the power that recommendations reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from cranfield.core.charts import style
from cranfield.core.charts.style import DARK, LIGHT, LINES, WIDTH, Drawing, finish, given, rows
from cranfield.questions.evaluate import charts as scores

if TYPE_CHECKING:
    from cranfield.questions.simulate.design import SimulatedDesign
    from cranfield.questions.simulate.scores import SimulatedScores
    from cranfield.questions.simulate.tests import SimulatedTests

TITLES = {
    "type1": "type I error",
    "family-wise": "family-wise error",
    "false-discovery": "false discovery rate",
    "power": "power",
}


def rates(result: SimulatedTests) -> Drawing:
    """The rate of every test against the number of topics, with a band for the level.

    For the level and difference of the title: type I error (for corrected families the error rate that the correction
    bounds), or power.
    """
    spoken = result.named()
    level, difference, of_power = spoken["alpha"], spoken["difference"], spoken["kind"] == "power"
    frame = result.rows.filter(pl.col("kind") == "power") if of_power else result.levels()
    frame = frame.filter((pl.col("alpha") == level) & (pl.col("difference") == difference))
    tests, left = _drawn(result, frame["test"].unique(maintain_order=True).to_list())
    shown = frame.filter(pl.col("test").is_in(tests)).select("test", "topics", "rate", "lower", "upper", "kind")
    title = ", or ".join(TITLES[kind] for kind in shown["kind"].unique(maintain_order=True))
    shown = shown.with_columns(at=pl.col("topics") + _beside(shown, tests)).drop("kind")
    scales = style.series_scales(tests)
    axis = alt.Y("rate:Q", title=title, scale=alt.Scale(zero=True))
    sizes = alt.Axis(values=shown["topics"].unique().sort().to_list(), format="d")
    base = alt.Chart(rows(shown)).encode(
        x=alt.X("at:Q", title="topics", scale=alt.Scale(padding=20, nice=False), axis=sizes),
        color=alt.Color("test:N", title=None, scale=scales["color"], legend=LINES),
    )
    dash = alt.StrokeDash("test:N", title=None, scale=scales["strokeDash"], legend=LINES)
    layers = [
        base.mark_line(strokeWidth=2).encode(y=axis, strokeDash=dash),
        base.mark_rule(strokeWidth=1.2).encode(y=alt.Y("lower:Q", title=title), y2="upper:Q"),
        base.mark_point(filled=True, size=50, opacity=1).encode(y=axis),
    ]
    if not of_power:
        # The range of an exact test: the level with its Monte-Carlo error.
        half = 2.576 * (level * (1 - level) / result.settings["n_trials"]) ** 0.5
        band = alt.Chart(rows([{"low": max(0.0, level - half), "high": level + half, "level": level}]))
        layers.insert(0, band.mark_rect(color=LIGHT, opacity=0.4).encode(y=alt.Y("low:Q", title=title), y2="high:Q"))
        layers.insert(1, band.mark_rule(color=style.INK, strokeDash=[2, 3]).encode(y=alt.Y("level:Q", title=title)))
    known = result.settings
    what = f"families of {known['n_systems']} systems" if known["n_systems"] > 2 else "pairs"
    details = (
        f"{result.measure}; {known['n_trials']:,} simulated {what} per point ({known['mode']}), level {given(level)}, "
        f"true difference {given(difference)}; bars: 99% Monte-Carlo intervals"
    )
    if not of_power:  # where some hypotheses are false, a correction need not reach the level
        details += "; band: range of an exact test" if difference == 0 else "; band: around the level"
    if left:
        details += f"; not drawn: {', '.join(left)}"
    return finish(alt.layer(*layers).properties(width=WIDTH, height=300), result.summary(), details)


def _beside(shown: pl.DataFrame, tests: list[str]) -> pl.Expr:
    """Horizontal offsets of the tests, so that their bars do not overlap."""
    sizes = shown["topics"].to_list()
    step = 0.012 * (max(sizes) - min(sizes) or 1)
    steps = {test: (place - (len(tests) - 1) / 2) * step for place, test in enumerate(tests)}
    return pl.col("test").replace_strict(steps, return_dtype=pl.Float64)


def _drawn(result: SimulatedTests, tests: list[str]) -> tuple[list[str], list[str]]:
    """The tests that are drawn, those of the title first, and those that are not."""
    over = result.too_often()
    named = over["test"].unique(maintain_order=True).to_list()
    if over.height:
        named += [*result.keepers(over["alpha"][0]), *result.below(over["alpha"][0])]
    chosen = list(dict.fromkeys([*named, *tests]))[: style.MOST_SERIES]
    return [test for test in tests if test in chosen], [test for test in tests if test not in chosen]


def reached(result: SimulatedDesign) -> Drawing:
    """The power reached by every pilot's recommendation, by recommended topics; a rule at the promised power."""
    promised = float(result.rows["promised"][0])
    scale = alt.Scale(zero=False, padding=20)
    x = alt.X("topics:Q", title="recommended topics", scale=scale, axis=style.whole_axis())
    base = alt.Chart(rows(result.rows)).encode(x=x)
    promise, lower, reached = (
        alt.Y(f"{name}:Q", title="power reached", scale=alt.Scale(domain=[0, 1]))
        for name in ("promised", "lower", "reached")
    )
    rule = alt.Chart(rows([{"promised": promised}])).mark_rule(color=style.ACCENT, strokeDash=[6, 3])
    plot = alt.layer(
        rule.encode(y=promise),
        base.mark_rule(color=LIGHT).encode(y=lower, y2="upper:Q"),
        base.mark_point(filled=True, size=55, color=DARK, opacity=1).encode(y=reached),
    ).properties(width=WIDTH, height=280)
    known = result.settings
    systems = style.plural(known["n_systems"], "system")
    details = (
        f"{result.measure}; {systems}, smallest difference {given(known['min_diff'])}; "
        f"{known['n_trials']:,} collections per point; dashed: promised power, {given(promised)}"
    )
    return finish(plot, result.summary(), details)


def systems(result: SimulatedScores) -> Drawing:
    """The simulated scores of every system."""
    return scores.systems(result.scores)
