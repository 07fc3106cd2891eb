"""Charts of designs: topics against systems, what a number of topics can detect, power."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import altair as alt

from cranfield.core.answer import sentence
from cranfield.core.charts import style
from cranfield.core.charts.style import Drawing, finish, given, number, plural, rows
from cranfield.core.defaults import POWER
from cranfield.core.errors import ArgumentError
from cranfield.core.labels import joined
from cranfield.questions.design.result import ARGUMENTS

if TYPE_CHECKING:
    from cranfield.questions.design.result import Design

DETECT = sentence(
    "charts.detect",
    "{topics} detect {what} with probability {power}",
    "power of the design with that variance",
    always=True,
)
MOST_POWERS = 3
"""Power curves of one chart."""
APART = 0.06
"""Power between two points of a curve that can both be labelled: a line of text in a chart 300 pixels high."""
LONG_NAMES = 60
"""Characters of all names of a legend that fit beside each other; longer ones stand below each other."""


def default(design: Design) -> Drawing:
    """The chart that fits what the design varies."""
    if "width" in design.rows.columns:
        return detectable(design)
    several = "systems" in design.rows.columns and design.rows["systems"].n_unique() > 1
    return systems(design) if several else power(design)


def _solved(design: Design) -> Design:
    """Of a grid, the cells that have an answer (a design with none is an error before it comes here)."""
    return replace(design, rows=design.rows.drop_nulls(design.solved_for))


def _series(design: Design, but: tuple[str, ...]) -> tuple[list[dict[str, Any]], str]:
    """The rows that become curves, each with a distinctive name; a note on rows left out."""
    columns = [name for name in ARGUMENTS if name in design.rows.columns and name not in but]
    distinct = design.rows.unique(subset=columns, keep="first", maintain_order=True) if columns else design.rows.head(1)
    varying = [name for name in columns if distinct[name].n_unique() > 1] or columns[:1]
    if "measure" in varying:
        varying = [name for name in varying if name not in ("variance", "variance_of_difference")]

    def named(row: dict[str, Any]) -> str:
        values = ((name.replace("_", " "), row[name]) for name in varying)
        return ", ".join(value if isinstance(value, str) else f"{name} {given(value)}" for name, value in values)

    listed = [{**row, "series": named(row)} for row in distinct.head(style.MOST_SERIES).iter_rows(named=True)]
    left = distinct.height - len(listed)
    return listed, f"; {left} further designs not drawn" if left > 0 else ""


def _encoding(names: list[str]) -> dict[str, Any]:
    scales = style.series_scales(names)
    long = sum(map(len, names)) > LONG_NAMES
    legend = None if len(names) < 2 else alt.Legend(**style.LINES.to_dict(), columns=1) if long else style.LINES
    return {
        "color": alt.Color("series:N", scale=scales["color"], title=None, legend=legend),
        "strokeDash": alt.StrokeDash("series:N", scale=scales["strokeDash"], title=None, legend=legend),
    }


def _about(design: Design) -> str:
    first = design.rows.row(0, named=True)
    parts = [design.what, f"alpha {first['alpha']:g}"]
    if "power" in first and design.solved_for != "power":
        asked = [f"{power:g}" for power in design.rows["power"].unique().sort()]
        parts.append(f"power {joined(asked) if len(asked) <= MOST_POWERS else f'{asked[0]} to {asked[-1]}'}")
    if "method" in first:
        parts.append(f"{first['method']} method")
    if design.settings.get("epsilon") is not None:
        parts.append("F-test corrected by ε")
    return ", ".join(parts)


def systems(design: Design) -> Drawing:
    """Topics needed against the number of systems compared (Sakai (2014a), Fig. 2)."""
    design = _solved(design)
    if "systems" not in design.rows.columns:
        raise ArgumentError(
            f"the {design.what} has no number of systems to draw. Use the chart 'power' or 'detectable'."
        )
    listed, note = _series(design, but=("systems", "epsilon", design.solved_for, "topics"))
    data = [{"series": row["series"], **point} for row in listed for point in design.curve("systems", row).to_dicts()]
    names = [row["series"] for row in listed]
    plot = (
        alt.Chart(rows(data))
        .mark_line(strokeWidth=2.2, point=alt.OverlayMarkDef(size=34))
        .encode(
            x=alt.X("systems:Q", title="systems compared", axis=style.whole_axis()),
            y=alt.Y("topics:Q", title="topics needed", axis=style.whole_axis()),
            **_encoding(names),
        )
        .properties(width=style.WIDTH, height=320)
    )
    own = [point for point in data if point["series"] == names[0] and point["topics"] is not None]
    few, many = own[0], own[-1]
    finding = f"{plural(few['systems'], 'system')} need {plural(few['topics'], 'topic')}"
    if many is not few:
        finding += f", {plural(many['systems'], 'system')} need {many['topics']:,}"
    else:
        note += "; give several numbers of systems for a curve"
    only = f"; {names[0]}" if len(names) > 1 else f"; min diff {given(listed[0]['min_diff'])}"
    return finish(plot, finding, f"{_about(design)}{only}{note}")


def _same_curve(row: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two rows differ in topics and power alone."""
    return all(row[name] == other[name] for name in ARGUMENTS if name in other and name not in ("topics", "power"))


def _topics(sizes: list[int]) -> str:
    """Numbers of topics: "26, 33 and 44 topics"."""
    *others, last = sizes
    return joined([*(f"{size:,}" for size in others), plural(last, "topic")])


def _labelled(spots: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The points of a curve with room for a label, with their labels."""
    shown: list[dict[str, Any]] = []
    for spot in sorted(spots, key=lambda spot: spot["power"]):
        if not shown or spot["power"] - shown[-1]["power"] >= APART:
            shown.append({**spot, "text": plural(int(spot["topics"]), "topic")})
    return shown


def power(design: Design) -> Drawing:
    """Power against the number of topics, by the exact method and by the papers' (Sakai (2014a), §3.1)."""
    design = _solved(design)
    if "width" in design.rows.columns:
        raise ArgumentError("an interval has no power to draw. Use the chart 'detectable'.")
    # A curve runs over topics and power; rows that differ in these alone are points on it.
    listed, _ = _series(design, but=("topics", "power"))
    listed = listed[:MOST_POWERS]
    data, marks = [], []
    for row in listed:
        own = [other for other in design.rows.to_dicts() if _same_curve(row, other)]
        sizes = sorted({one["topics"] for one in own})
        for point in design.curve("power", max(own, key=lambda one: one["topics"])).to_dicts():
            method = point.pop("method")
            if len(listed) == 1 or method == "exact":
                named = method if len(listed) == 1 else f"{row['series']}: {_topics(sizes)}"
                data.append({"series": named, **point})
        marks += [(one, {"topics": one["topics"], "power": one["achieved_power"]}) for one in own]
    cut = design.rows.height - len(marks)
    note = f"; {plural(cut, 'further design')} not drawn" if cut > 0 else ""
    scale, axis = alt.Scale(domain=[0, 1]), alt.Axis(format=".0%")
    y = alt.Y("power:Q", title="power (probability of detection)", scale=scale, axis=axis)
    layers = [_lines(data, y)]
    if design.solved_for != "power":
        targets = [{"power": target} for target in sorted({float(one["power"]) for one, _ in marks})]
        layers.append(alt.Chart(rows(targets)).mark_rule(color=style.FAINT, strokeDash=[4, 3]).encode(y="power:Q"))
    spots = [spot for _, spot in marks]
    layers.append(_dots(spots, "power:Q", 90))
    if len(listed) == 1:  # of several curves the legend says the topics: they may run close
        layers.append(_texts(_labelled(spots), align="left", dx=9, dy=12).encode(x="topics:Q", y="power:Q"))
    first = listed[0]
    by = f" in mean {first['measure']}" if "measure" in first else ""
    what = f"a difference of {given(first['min_diff'])}{by}"
    among = f" among {plural(first['systems'], 'system')}" if "systems" in first else ""
    reached = [one for one in marks if _same_curve(first, one[0])]
    shown = sorted(reached, key=lambda one: one[1]["topics"]) if len(reached) <= MOST_POWERS else reached[:1]
    finding = DETECT(
        topics=_topics([int(spot["topics"]) for _, spot in shown]),
        what=f"{what}{among}", power=joined([number(spot["power"], 2) for _, spot in shown]),
    )  # fmt: skip
    spread = "" if "variance" not in first else f"; variance {number(first['variance'], 4)}"
    return finish(
        alt.layer(*layers).properties(width=style.WIDTH, height=300), finding, f"{_about(design)}{spread}{note}"
    )


def detectable(design: Design) -> Drawing:
    """What a number of topics can do: smallest detectable difference and interval width (Sakai (2014a), Fig. 3)."""
    design = _solved(design)
    row = design.rows.row(0, named=True)
    among = f" among {row['systems']} systems" if "systems" in row else ""
    names = {
        "width": f"width of the {1 - row['alpha']:.0%} interval of a difference",
        "min_diff": f"smallest difference detected with power {row.get('power', POWER):g}{among}",
    }
    data = [{"series": names[point.pop("what")], **point} for point in design.curve("detectable", row).to_dicts()]
    cut = design.rows.height - 1
    note = f"; {plural(cut, 'further design')} not drawn" if cut > 0 else ""
    details = f"{_about(replace(design, rows=design.rows.head(1)))}{note}"
    at = min({point["topics"] for point in data}, key=lambda n: abs(n - row["topics"]))
    marks = [{**point, "text": number(point["value"])} for point in data if point["topics"] == at]
    highest = max(point["value"] for point in marks)
    y = alt.Y("value:Q", title=row.get("measure") or "score units")
    # The lowest number stands below its curve, the others above: curves may run close. They fall, so there is room
    # above them on the right and below them on the left, unless that is where the axis is.
    sizes = [p["topics"] for p in data]
    inside = at - min(sizes) > 0.15 * (max(sizes) - min(sizes))
    below: dict[str, Any] = {"align": "right", "dx": -7, "dy": 12} if inside else {"align": "left", "dx": 9, "dy": 12}
    above: dict[str, Any] = {"align": "left", "dx": 9, "dy": -9}
    lowest = min(range(len(marks)), key=lambda k: marks[k]["value"]) if len(marks) > 1 else None
    texts = [
        _texts([mark], **(below if k == lowest else above)).encode(x="topics:Q", y="value:Q")
        for k, mark in enumerate(marks)
        if k == 0 or mark["text"] != marks[0]["text"]
    ]
    first, unit = marks[0], f" {row['measure']}" if row.get("measure") else ""
    finding = f"With {plural(at, 'topic')} the {first['series']} is {number(first['value'])}{unit}"
    layers = [_lines([p for p in data if p["value"] <= 4 * highest], y), _dots(marks, "value:Q", 80), *texts]
    return finish(alt.layer(*layers).properties(width=style.WIDTH, height=300), finding, details)


def _lines(data: list[dict[str, Any]], y: alt.Y) -> Any:
    """A curve over topics for every series."""
    x = alt.X("topics:Q", title="topics", axis=style.whole_axis())
    names = list(dict.fromkeys(point["series"] for point in data))
    return alt.Chart(rows(data)).mark_line(strokeWidth=2.2).encode(x=x, y=y, **_encoding(names))


def _dots(marks: list[dict[str, Any]], y: str, size: int) -> Any:
    points = alt.Chart(rows(marks)).mark_point(filled=True, size=size, color=style.ACCENT, opacity=1)
    return points.encode(x="topics:Q", y=y)


def _texts(marks: list[dict[str, Any]], **place: Any) -> Any:
    return alt.Chart(rows(marks)).mark_text(color=style.ACCENT, fontWeight="bold", **place).encode(text="text:N")
