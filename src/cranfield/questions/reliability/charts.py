"""Charts of reliability: coefficients, power and interval width against topics."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from cranfield.core.charts import style
from cranfield.core.charts.style import DARK, WIDTH, Drawing, finish, given, plural, rows, whole_axis
from cranfield.core.errors import quietly
from cranfield.questions.reliability.answer import source

if TYPE_CHECKING:
    from cranfield.questions.reliability.components import Coefficient
    from cranfield.questions.reliability.reliability import Reliability
    from cranfield.questions.reliability.tau import ExpectedTau
    from cranfield.questions.reliability.views import ThreeViews

NAMES: dict[Coefficient, str] = {"erho2": "Eρ² (ranking)", "phi": "Φ (scores)"}
_POINTS = 40
_FIELDS = ("topics", "value", "lower", "upper", "asked")
_SIZES = (5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 125, 150, 200, 250, 300, 400, 500, 750, 1000)


def coefficients(result: Reliability) -> Drawing:
    """Eρ² and Φ against the number of topics, with their bands; marks at the sizes asked for, rules at the targets."""
    needed = [n for n in result.targets_frame()["topics_needed"].to_list() if n is not None]
    here = max(result.n_topics)
    most = max(2 * here, min(1.15 * max(needed, default=0), 8 * here), 10)
    listed = [
        dict(zip(("series", *_FIELDS), (label, n, *result.ratio(name).at(n), n in result.n_topics), strict=True))
        for name, label in NAMES.items()
        for n in _grid(most, (1, *result.n_topics))
    ]
    scales = style.series_scales(list(NAMES.values()))
    series: dict[str, Any] = {"title": None, "legend": style.LINES}
    color = alt.Color("series:N", scale=scales["color"], **series)
    dash = alt.StrokeDash("series:N", scale=scales["strokeDash"], **series)
    layers = _banded(listed, "topics", "reliability", alt.Scale(domain=[0, 1]))
    layers = [one.encode(color=color) for one in layers]
    layers[1] = layers[1].encode(strokeDash=dash)
    if result.target:
        rules = alt.Chart(rows([{"target": target} for target in result.target]))
        y = alt.Y("target:Q", title="reliability", scale=alt.Scale(domain=[0, 1]))
        layers.append(rules.mark_rule(color=style.INK, strokeDash=[2, 3]).encode(y=y))
    return finish(
        alt.layer(*layers).properties(width=WIDTH, height=300),
        result.summary(),
        f"{_from(result)}; bands: {1 - result.alpha:.0%} intervals",
    )


def _grid(most: float, asked: tuple[int, ...]) -> list[int]:
    return sorted({max(1, round(most * k / _POINTS)) for k in range(1, _POINTS + 1)} | {*asked})


def _banded(listed: list[dict[str, Any]], x: str, y: str, scale: Any, **look: Any) -> list[alt.Chart]:
    """A band, a line and points at the sizes asked for, over numbers of topics."""
    topics = alt.X("topics:Q", title=x, scale=alt.Scale(nice=False), axis=whole_axis())
    base, value = alt.Chart(rows(listed)).encode(x=topics), alt.Y("value:Q", title=y, scale=scale)
    return [
        base.mark_area(opacity=0.18, **look).encode(y=alt.Y("lower:Q", title=y, scale=scale), y2="upper:Q"),
        base.mark_line(strokeWidth=2.2, **look).encode(y=value),
        base.transform_filter("datum.asked").mark_point(filled=True, size=60, opacity=1, **look).encode(y=value),
    ]


def _from(result: Reliability) -> str:
    return source(result) if result.collections > 1 else f"from {source(result)}"


def views(result: Reliability | ThreeViews, **options: Any) -> Drawing:
    """Power, interval width and reliability against the number of topics; of several collections, the first."""
    from cranfield.questions.reliability.reliability import Reliability

    if isinstance(result, Reliability):
        sizes = _sizes(max(*result.n_topics, 2), result.n_topics)
        with quietly():
            name, three = next(iter(result.views(n_topics=sizes, **options).items()))
        where = f"{name}, the first of {result.collections} collections" if result.collections > 1 else _from(result)
        frame, asked = three.to_frame(), next(n for n in result.n_topics if n > 1)
    else:
        three, frame = result, result.to_frame()
        where = f"from {plural(three.tau.data_topics, 'topic')} × {plural(three.tau.n_systems, 'system')}"
        asked = frame["topics"][0]
    panels = [
        _panel(
            frame, {"power": "two systems", "power_all_pairs": f"all {three.pairs:,} pairs"},
            f"power for {given(three.min_diff)}", alt.Scale(domain=[0, 1]),
        ),
        _panel(frame, {"width": "interval of a difference"}, "expected width", alt.Scale(zero=True)),
        _panel(
            frame, {"erho2": NAMES["erho2"], "phi": NAMES["phi"], "tau": "τ with other topics"}, "reliability",
            alt.Scale(domain=[0, 1]),
        ),
    ]  # fmt: skip
    finding = replace(three, rows=frame.filter(pl.col("topics") == asked)).summary()
    plot = alt.hconcat(*panels, spacing=30).resolve_scale(color="independent", strokeDash="independent")
    return finish(plot, finding, f"{where}; paired t-test at {three.alpha:g}",
                  width=3 * _WIDTH + 60)  # fmt: skip


_WIDTH = 180


def _sizes(most: int, asked: tuple[int, ...]) -> list[int]:
    return sorted({n for n in _SIZES if n <= 2 * most} | {n for n in asked if n > 1})


def _panel(frame: pl.DataFrame, columns: dict[str, str], title: str, scale: alt.Scale) -> Drawing:
    long = (
        frame.select("topics", *columns)
        .unpivot(list(columns), index="topics", variable_name="series", value_name="value")
        .with_columns(pl.col("series").replace(columns))
    )
    names = list(columns.values())
    legend = alt.Legend(symbolType="stroke", symbolSize=400, orient="bottom", direction="vertical", columns=1)
    x = alt.X("topics:Q", title="topics", axis=whole_axis(tickCount=5))
    base = alt.Chart(rows(long)).encode(x=x, y=alt.Y("value:Q", title=title, scale=scale))
    if len(names) == 1:
        marks: Drawing = alt.layer(
            base.mark_line(color=DARK, strokeWidth=2), base.mark_point(color=DARK, filled=True, size=25, opacity=1)
        )
    else:
        scales = style.series_scales(names)
        color = alt.Color("series:N", title=None, scale=scales["color"], legend=legend)
        dash = alt.StrokeDash("series:N", title=None, scale=scales["strokeDash"], legend=legend)
        marks = alt.layer(
            base.mark_line(strokeWidth=2).encode(color=color, strokeDash=dash),
            base.mark_point(filled=True, size=25, opacity=1).encode(color=color),
        )
    return marks.properties(width=_WIDTH, height=200)


def agreement(result: ExpectedTau) -> Drawing:
    """The τ to expect between two sets of topics against their size, with its band and marks at the sizes asked for."""
    listed = [
        dict(zip(_FIELDS, (n, *result.at(n), n in result.n_topics), strict=True))
        for n in _grid(2 * max(result.n_topics), result.n_topics)
    ]
    layers = _banded(listed, "topics in each", "Kendall's τ between two sets of topics", alt.Undefined, color=DARK)
    plot = alt.layer(*layers).properties(width=WIDTH, height=300)
    seen = f"from halves of {plural(result.data_topics, 'topic')}, {plural(result.n_systems, 'system')}"
    return finish(plot, result.summary(), f"{seen}; band: {1 - result.alpha:.0%} interval")
