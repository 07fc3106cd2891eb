"""Charts of tuning: the mean of every setting with its band, which settings the folds chose, and selection bias."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from cranfield.core.answer import sentence
from cranfield.core.charts import style
from cranfield.core.charts.style import ACCENT, DARK, LIGHT, WIDTH, Drawing, finish, number, plural, rows
from cranfield.questions.tune.held_out import column_of

if TYPE_CHECKING:
    from cranfield.questions.tune.held_out import TunedFamily
    from cranfield.questions.tune.selection_bias import SelectionBias
    from cranfield.questions.tune.tune import Tuning

PROMISES_TOO_MUCH = sentence(
    "charts.promises-too-much",
    "In-sample tuning overestimates {family} by {optimism}",
    "held-out scores of some family are lower than its best setting's mean; the family with the largest gap",
)
PROMISES_NO_MORE = sentence(
    "charts.promises-no-more",
    "No in-sample mean is above its held-out mean",
    "no held-out mean is lower than the best setting's mean on the same topics",
)
BEST_HELD_OUT = sentence(
    "charts.best-held-out",
    "{family} has the best held-out mean of {families}: {mean}",
    "there are two families or more; no held-out mean is higher",
)
DECLARED_BETTER = sentence(
    "charts.declared-better",
    "Tested in-sample, an equally good system is declared better in {inside:.0%} of experiments; held out, in "
    "{outside:.0%}",
    "shares of simulated experiments with equally good settings",
    always=True,
)

MOST_FAMILIES = 4
MOST_SETTINGS = 60


def curve(result: Tuning, family: str | None = None, apart: float = 0.07, **options: Any) -> Drawing:
    """Mean score by parameter value with a band; rings mark chosen settings, a filled point the final one.

    One numeric parameter gives a curve, two give a heat map, and others a list. A curve shows the number of folds
    above a ring, unless a more frequent choice is nearer than the share `apart` of the axis.
    """
    every = [result[family]] if family is not None else list(result.families)
    chosen = _foremost(every, lambda one: one.held_out_mean)
    panels: list[Drawing] = [_panel(result, one, apart, options) for one in chosen]
    plot = panels[0]
    if len(panels) > 1:
        plot = alt.vconcat(*panels, spacing=26).resolve_legend(color="independent").resolve_scale(color="independent")
    how = "band: 95% of resampled topic sets; rings: chosen settings, with the number of folds"
    left = _left(every, "with the best held-out means")
    return finish(plot, _finding(every), f"{_details(result)}; {how}{left}")


def _foremost(families: list[TunedFamily], by: Callable[[TunedFamily], float]) -> list[TunedFamily]:
    """The largest families by `by`, at most `MOST_FAMILIES`, in their own order."""
    kept = {one.name for one in sorted(families, key=by, reverse=True)[:MOST_FAMILIES]}
    return [one for one in families if one.name in kept]


def _left(families: list[TunedFamily], which: str) -> str:
    left = len(families) - MOST_FAMILIES
    return f"; drawn: the {MOST_FAMILIES} families {which}, {left} more not drawn" if left > 0 else ""


def _finding(chosen: list[TunedFamily]) -> str:
    if len(chosen) > 1:
        best, families = max(chosen, key=lambda one: one.held_out_mean), plural(len(chosen), "family", "families")
        return BEST_HELD_OUT(family=best.name, families=families, mean=number(best.held_out_mean, 4))
    one = chosen[0]
    return (
        f"{one.name}: {one.n_chosen} of {plural(len(one.choices), 'fold')} choose {one.final}; "
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
    """The settings that get a label: the most chosen first, none near another."""
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
    y, lower = (alt.Y(f"{name}:Q", title=f"mean {measure}", scale=alt.Scale(zero=False)) for name in ("mean", "lower"))
    size = alt.Size("folds:Q", scale=alt.Scale(range=[60, 420]), legend=None)
    rings, final = base.transform_filter("datum.folds > 0"), base.transform_filter("datum.final")
    counted = base.transform_filter("datum.labelled").transform_calculate(text="datum.folds + ' ×'")
    return alt.layer(
        base.mark_area(color=LIGHT, opacity=0.45).encode(y=lower, y2="upper:Q"),
        base.mark_line(color=DARK, strokeWidth=2.2).encode(y=y),
        base.mark_point(color=DARK, filled=True, size=22, opacity=1).encode(y=y),
        rings.mark_point(color=ACCENT, strokeWidth=2).encode(y=y, size=size),
        final.mark_point(color=ACCENT, filled=True, size=60, opacity=1).encode(y=y),
        counted.mark_text(dy=-19, color=ACCENT, fontWeight="bold").encode(y=y, text="text:N"),
    ).properties(width=WIDTH, height=240)


def _heat(frame: pl.DataFrame, first: str, second: str, measure: str, family: str) -> Drawing:
    data = frame.select(pl.col(first).alias("first"), pl.col(second).alias("second"), "mean", "folds", "final")
    base = alt.Chart(rows(data)).encode(
        x=alt.X("first:O", title=f"{family}: {first}", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("second:O", title=second, sort="descending"),
    )
    tones, legend = alt.Scale(range=[style.WASH, style.BAR, DARK]), alt.Legend(gradientLength=160)
    return alt.layer(
        base.mark_rect().encode(color=alt.Color("mean:Q", title=f"mean {measure}", scale=tones, legend=legend)),
        base.transform_filter("datum.folds > 0").mark_point(color=ACCENT, strokeWidth=2.5, size=120).encode(),
        base.transform_filter("datum.final").mark_point(color=ACCENT, filled=True, size=70, opacity=1).encode(),
    ).properties(width=44 * data["first"].n_unique(), height=alt.Step(30))


def _list(frame: pl.DataFrame, measure: str, family: str) -> Drawing:
    data = frame.top_k(MOST_SETTINGS, by="mean").sort("mean", descending=True)
    data = data.select("setting", "mean", "lower", "upper", "folds", "final")
    names = data["setting"].to_list()
    base = alt.Chart(rows(data)).encode(y=alt.Y("setting:N", sort=names, axis=style.names_axis()))
    left = f", the {MOST_SETTINGS} best of {frame.height} settings" if frame.height > MOST_SETTINGS else ""
    title = f"{family}: mean {measure}{left}"
    x, lower = (alt.X(f"{name}:Q", title=title, scale=alt.Scale(zero=False)) for name in ("mean", "lower"))
    return alt.layer(
        base.mark_rule(color=LIGHT, strokeWidth=4).encode(x=lower, x2="upper:Q"),
        base.mark_point(color=DARK, filled=True, size=40, opacity=1).encode(x=x),
        base.transform_filter("datum.folds > 0").mark_point(color=ACCENT, strokeWidth=2, size=150).encode(x=x),
        base.transform_filter("datum.final").mark_point(color=ACCENT, filled=True, size=70, opacity=1).encode(x=x),
    ).properties(width=WIDTH, height=style.step(len(names)))


def folds(result: Tuning) -> Drawing:
    """Training and held-out mean of every fold's choice; the gap is the optimism."""
    kinds = {"train_mean": "training topics", "held_out_mean": "held-out topics"}
    frame = result.to_frame().filter(pl.col("fold") != "all").rename(kinds)
    every = list(result.families)
    color, shape = (
        alt.Scale(domain=[*kinds.values()], range=each) for each in ([style.BAR, DARK], ["circle", "square"])
    )
    look = {"color": alt.Color("on:N", title=None, scale=color), "shape": alt.Shape("on:N", title=None, scale=shape)}
    y = alt.Y("mean:Q", title=f"mean {result.measure}", scale=alt.Scale(zero=False))
    panels: list[Drawing] = []
    for one in _foremost(every, lambda one: one.optimism):
        data = frame.filter(pl.col("family") == one.name)
        data = data.unpivot([*kinds.values()], index=["fold", "chosen"], variable_name="on", value_name="mean")
        order = list(dict.fromkeys(data["fold"].to_list()))
        axis = alt.Axis(labelAngle=0, labelOverlap=True)
        base = alt.Chart(rows(data)).encode(x=alt.X("fold:N", sort=order, title=f"{one.name}: fold", axis=axis), y=y)
        panels.append(
            alt.layer(
                base.mark_line(color=style.EDGE).encode(detail="fold:N"),
                base.mark_point(filled=True, size=60, opacity=1).encode(**look),
            ).properties(width=min(WIDTH, max(160, 40 * len(order))), height=180)
        )
    plot = panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=24)
    worst = max(every, key=lambda one: one.optimism)
    finding = PROMISES_NO_MORE()
    if worst.optimism > 0:
        finding = PROMISES_TOO_MUCH(optimism=number(worst.optimism, 4), family=worst.name)
    left = _left(every, "with the largest optimism")
    return finish(plot, finding, f"{_details(result)}; the gap is the optimism{left}")


def bias(result: SelectionBias) -> Drawing:
    """The apparent advantage of a tuned system, in-sample and held-out."""
    frame = result.to_frame().select("tested", "advantage", "lower", "upper", "declared_better")
    base = alt.Chart(rows(frame)).encode(
        y=alt.Y("tested:N", sort=["in-sample", "held-out"], title=None, axis=alt.Axis(ticks=False, domain=False))
    )
    title = "advantage over an equally good, untuned system (true value 0)"
    plot = alt.layer(
        alt.Chart(rows([{"zero": 0}])).mark_rule(color=style.INK).encode(x="zero:Q"),
        base.mark_rule(strokeWidth=2, color=style.EDGE).encode(x=alt.X("lower:Q", title=title), x2="upper:Q"),
        base.mark_point(filled=True, size=80, color=DARK, opacity=1).encode(x=alt.X("advantage:Q", title=title)),
        base.mark_text(dy=-11).encode(x="advantage:Q", text=alt.Text("advantage:Q", format="+.4f")),
    ).properties(width=WIDTH, height=alt.Step(44))
    inside, outside = frame["declared_better"]
    finding = DECLARED_BETTER(inside=inside, outside=outside)
    details = (
        f"{plural(result.n_settings, 'setting')} on {plural(result.n_topics, 'topic')}, "
        f"{plural(len(result.in_sample), 'experiment')}; lines: 95% of the experiments"
    )
    return finish(plot, finding, details)
