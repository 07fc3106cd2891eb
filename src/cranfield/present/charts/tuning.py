"""Charts of tuning: the mean of every setting with its band, which settings the folds chose, and selection bias."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from cranfield.present.charts.style import (
    ACCENT,
    DARK,
    INK,
    LIGHT,
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
from cranfield.tuning.curve import column_of

if TYPE_CHECKING:
    from cranfield.tuning import SelectionBias, TunedFamily, Tuning

MOST_FAMILIES = 4
MOST_SETTINGS = 60


def curve(result: Tuning, family: str | None = None, apart: float = 0.07, **options: Any) -> Drawing:
    """Mean score over the parameter with its band; ringed are the settings the folds chose, filled the final one.

    One numeric parameter gives a curve, two a heat map, anything else a list of settings. On a curve the number of
    folds stands above a ring, except where one that more folds chose is nearer than the share `apart` of the axis.
    """
    every = [result[family]] if family is not None else list(result.families)
    chosen = _foremost(every, lambda one: one.held_out_mean)
    panels: list[Drawing] = [_panel(result, one, apart, options) for one in chosen]
    plot = (
        panels[0]
        if len(panels) == 1
        else alt.vconcat(*panels, spacing=26).resolve_legend(color="independent").resolve_scale(color="independent")
    )
    return finish(
        plot,
        _finding(every),
        f"{_details(result)}; band: 95% of resampled topic sets; rings: settings chosen, with the number of folds "
        f"where there is room{_left(every, 'with the best held-out means')}",
    )


def _foremost(families: list[TunedFamily], by: Callable[[TunedFamily], float]) -> list[TunedFamily]:
    """As many families as one chart has room for, those first by something, in their own order."""
    kept = {one.name for one in sorted(families, key=by, reverse=True)[:MOST_FAMILIES]}
    return [one for one in families if one.name in kept]


def _left(families: list[TunedFamily], which: str) -> str:
    left = len(families) - MOST_FAMILIES
    return f"; drawn: the {MOST_FAMILIES} families {which}, {left} further not drawn" if left > 0 else ""


def _finding(chosen: list[TunedFamily]) -> str:
    if len(chosen) > 1:
        best = max(chosen, key=lambda one: one.held_out_mean)
        return say.BEST_HELD_OUT(
            family=best.name, families=plural(len(chosen), "family", "families"), mean=number(best.held_out_mean, 4)
        )
    one = chosen[0]
    folds = len(one.choices)
    return (
        f"{one.name}: {round(one.agreement * folds)} of {plural(folds, 'fold')} choose {one.final}; "
        f"in-sample {number(one.in_sample_mean, 4)}, held-out {number(one.held_out_mean, 4)}"
    )


def _details(result: Tuning) -> str:
    return f"{result.measure} over {plural(len(result.folds.topics), 'topic')}, {result.folds.description}"


def _panel(result: Tuning, one: TunedFamily, apart: float, options: dict[str, Any]) -> Drawing:
    frame = one.curve(**options)
    parameters = [column_of(name) for name in one.family.parameters]
    numeric = [name for name in parameters if frame[name].dtype.is_numeric() and frame[name].n_unique() > 1]
    varying = [name for name in parameters if frame[name].n_unique() > 1]
    if len(varying) == 1 and numeric == varying:
        return _line(frame, varying[0], result.measure, one.name, apart)
    if len(varying) == 2 and frame.height == frame.select(varying).n_unique():
        return _heat(frame, varying[0], varying[1], result.measure, one.name)
    return _list(frame, result.measure, one.name)


def _with_room(frame: pl.DataFrame, apart: float) -> list[str]:
    """The settings whose number of folds can be written above them: the most chosen first, none near another."""
    values = frame["parameter"]
    nearest = apart * (float(values.max()) - float(values.min()))  # type: ignore[arg-type]
    kept: dict[str, float] = {}
    chosen = frame.filter(pl.col("folds") > 0).sort("folds", "parameter", descending=[True, False])
    for name, value in chosen.select("setting", "parameter").iter_rows():
        if all(abs(value - other) >= nearest for other in kept.values()):
            kept[name] = value
    return list(kept)


def _line(frame: pl.DataFrame, parameter: str, measure: str, family: str, apart: float) -> Drawing:
    data = frame.select(pl.col(parameter).alias("parameter"), "setting", "mean", "lower", "upper", "folds", "final")
    data = data.with_columns(labelled=pl.col("setting").is_in(_with_room(data, apart)))
    x = alt.X("parameter:Q", title=f"{family}: {parameter}", scale=alt.Scale(zero=False, nice=False, padding=12))
    base = alt.Chart(rows(data.sort("parameter"))).encode(x=x)
    y = alt.Y("mean:Q", title=f"mean {measure}", scale=alt.Scale(zero=False))
    return alt.layer(
        base.mark_area(color=LIGHT, opacity=0.45).encode(
            y=alt.Y("lower:Q", title=f"mean {measure}", scale=alt.Scale(zero=False)), y2="upper:Q"
        ),
        base.mark_line(color=DARK, strokeWidth=2.2).encode(y=y),
        base.mark_point(color=DARK, filled=True, size=22, opacity=1).encode(y=y),
        base.transform_filter("datum.folds > 0")
        .mark_point(color=ACCENT, strokeWidth=2)
        .encode(
            y=y,
            size=alt.Size("folds:Q", scale=alt.Scale(range=[60, 420]), legend=None),
        ),
        base.transform_filter("datum.final").mark_point(color=ACCENT, filled=True, size=60, opacity=1).encode(y=y),
        base.transform_filter("datum.labelled")
        .transform_calculate(text="datum.folds + ' ×'")
        .mark_text(dy=-19, color=ACCENT, fontWeight="bold")
        .encode(y=y, text="text:N"),
    ).properties(width=WIDTH, height=240)


def _heat(frame: pl.DataFrame, first: str, second: str, measure: str, family: str) -> Drawing:
    data = frame.select(pl.col(first).alias("first"), pl.col(second).alias("second"), "mean", "folds", "final")
    base = alt.Chart(rows(data)).encode(
        x=alt.X("first:O", title=f"{family}: {first}", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("second:O", title=second, sort="descending"),
    )
    tones = alt.Scale(range=["#f1f4f7", "#8fa6bb", DARK])
    return alt.layer(
        base.mark_rect().encode(
            color=alt.Color("mean:Q", title=f"mean {measure}", scale=tones, legend=alt.Legend(gradientLength=160))
        ),
        base.transform_filter("datum.folds > 0").mark_point(color=ACCENT, strokeWidth=2.5, size=120).encode(),
        base.transform_filter("datum.final").mark_point(color=ACCENT, filled=True, size=70, opacity=1).encode(),
    ).properties(width=44 * data["first"].n_unique(), height=alt.Step(30))


def _list(frame: pl.DataFrame, measure: str, family: str) -> Drawing:
    data = (
        frame.top_k(MOST_SETTINGS, by="mean")
        .sort("mean", descending=True)
        .select("setting", "mean", "lower", "upper", "folds", "final")
    )
    names = data["setting"].to_list()
    base = alt.Chart(rows(data)).encode(y=alt.Y("setting:N", sort=names, axis=names_axis()))
    left = f", the {MOST_SETTINGS} best of {frame.height} settings" if frame.height > MOST_SETTINGS else ""
    title = f"{family}: mean {measure}{left}"
    x = alt.X("mean:Q", title=title, scale=alt.Scale(zero=False))
    return alt.layer(
        base.mark_rule(color=LIGHT, strokeWidth=4).encode(
            x=alt.X("lower:Q", title=title, scale=alt.Scale(zero=False)), x2="upper:Q"
        ),
        base.mark_point(color=DARK, filled=True, size=40, opacity=1).encode(x=x),
        base.transform_filter("datum.folds > 0").mark_point(color=ACCENT, strokeWidth=2, size=150).encode(x=x),
        base.transform_filter("datum.final").mark_point(color=ACCENT, filled=True, size=70, opacity=1).encode(x=x),
    ).properties(width=WIDTH, height=step(len(names)))


def folds(result: Tuning) -> Drawing:
    """Training and held-out mean of every fold's choice: the gap is what tuning promises too much."""
    frame = result.to_frame().filter(pl.col("fold") != "all")
    every = list(result.families)
    families = [one.name for one in _foremost(every, lambda one: one.optimism)]
    panels = []
    for name in families:
        data = frame.filter(pl.col("family") == name)
        data = data.unpivot(
            ["train_mean", "held_out_mean"], index=["fold", "chosen"], variable_name="on", value_name="mean"
        ).with_columns(pl.col("on").replace({"train_mean": "training topics", "held_out_mean": "held-out topics"}))
        order = list(dict.fromkeys(data["fold"].to_list()))
        kinds = ["training topics", "held-out topics"]
        base = alt.Chart(rows(data)).encode(
            x=alt.X("fold:N", sort=order, title=f"{name}: fold", axis=alt.Axis(labelAngle=0, labelOverlap=True))
        )
        panels.append(
            alt.layer(
                base.mark_line(color="#9aa5b1").encode(
                    y=alt.Y("mean:Q", title=f"mean {result.measure}", scale=alt.Scale(zero=False)), detail="fold:N"
                ),
                base.mark_point(filled=True, size=60, opacity=1).encode(
                    y=alt.Y("mean:Q", title=f"mean {result.measure}", scale=alt.Scale(zero=False)),
                    color=alt.Color("on:N", title=None, scale=alt.Scale(domain=kinds, range=["#8fa6bb", DARK])),
                    shape=alt.Shape("on:N", title=None, scale=alt.Scale(domain=kinds, range=["circle", "square"])),
                ),
            ).properties(width=min(WIDTH, max(160, 40 * len(order))), height=180)
        )
    plot: Drawing = panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=24)
    worst = max(result.families, key=lambda one: one.optimism)
    return finish(
        plot,
        say.PROMISES_TOO_MUCH(optimism=number(worst.optimism, 4), family=worst.name)
        if worst.optimism > 0
        else say.PROMISES_NO_MORE(),
        f"{_details(result)}; the gap between the two is the promise{_left(every, 'that promise most too much')}",
    )


def bias(result: SelectionBias) -> Drawing:
    """How much better than it is a tuned system looks, tested on its tuning topics and on held-out ones."""
    frame = result.to_frame().select("tested", "advantage", "lower", "upper", "declared_better")
    base = alt.Chart(rows(frame)).encode(
        y=alt.Y("tested:N", sort=["in-sample", "held-out"], title=None, axis=alt.Axis(ticks=False, domain=False))
    )
    title = "score above an equally good, untuned system (the truth is 0)"
    zero = alt.Chart(rows([{"zero": 0}])).mark_rule(color=INK).encode(x="zero:Q")
    plot = alt.layer(
        zero,
        base.mark_rule(strokeWidth=2, color="#7d8b99").encode(x=alt.X("lower:Q", title=title), x2="upper:Q"),
        base.mark_point(filled=True, size=80, color=DARK, opacity=1).encode(x=alt.X("advantage:Q", title=title)),
        base.mark_text(dy=-11).encode(x="advantage:Q", text=alt.Text("advantage:Q", format="+.4f")),
    ).properties(width=WIDTH, height=alt.Step(44))
    inside, outside = frame.row(0, named=True), frame.row(1, named=True)
    finding = say.DECLARED_BETTER(inside=inside["declared_better"], outside=outside["declared_better"])
    details = (
        f"{plural(result.n_settings, 'setting')} on {plural(result.n_topics, 'topic')}, "
        f"{plural(len(result.in_sample), 'experiment')}; lines: 95% of the experiments"
    )
    return finish(plot, finding, details)
