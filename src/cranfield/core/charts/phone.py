"""A chart for a phone: the same marks and words, laid out so that the whole image is no wider than the screen.

The drawing engine does not fold text, so the specification is changed. Panels are stacked, titles are folded, names are
cut, legends have one column, and plots shrink until the image fits.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

from cranfield.core.charts import chart, kinds
from cranfield.core.charts.export import spec_title, spec_to_svg, unrepeated
from cranfield.core.charts.style import LABEL_SIZE, TITLE_SIZE, lines_of, text_width

WIDE = 340
"""Width of the whole image: what a page 390 pixels wide leaves to it."""
LEAST = 120
"""A plot is not made narrower than this."""
NAME = 122
"""Room for a name beside a plot; a longer one is cut."""
CUT = 14
"""Characters of a name that a label puts together with something else."""
ENTRY = 190
"""Width of an entry of a legend."""
LINE = LABEL_SIZE + 2
"""Height of a line of names, as the engine sets them."""
GAP = 6
"""Between the names of two rows."""
_TRIES = 4
_PADDING = 26
_SIZE = re.compile(r'<svg[^>]*?\bwidth="([\d.]+)"')


FEWER: dict[str, dict[str, Any]] = {
    "curve": {"apart": 0.12},
    "leaderboard": {"most_groups": 6},
    "ranks": {"size": 230},
    "stops": {"most_labels": 3},
}
"""What a kind of chart is told where there is little room."""


def phone_chart(result: object, kind: str | None = None, *, said: str = "", **options: Any) -> str:
    """The drawing of a result, as `cranfield.core.charts.chart` makes it, as an image for a narrow screen.

    It has no title that only repeats what is `said` above it.
    """
    name = kind or kinds(result)[0]
    spec = chart(result, name, **FEWER.get(name, {}), **options).to_dict()
    return phone_svg(unrepeated(spec, said), spec_title(spec))


def phone_svg(spec: dict[str, Any], title: str) -> str:
    """The specification of a chart as an image for a narrow screen."""
    narrow = _prepared(copy.deepcopy(spec))
    svg = spec_to_svg(narrow, title)
    for _ in range(_TRIES):
        over = _width(svg) - WIDE
        if over <= 0 or not _shrunk(narrow, over + 1):
            break
        svg = spec_to_svg(narrow, title)
    return svg


def _width(svg: str) -> float:
    found = _SIZE.search(svg)
    return float(found[1]) if found else 0.0


def _prepared(spec: dict[str, Any]) -> dict[str, Any]:
    """The specification in one column, with what does not depend on the width in its narrow form."""
    if isinstance(title := spec.get("title"), dict):
        for part, size in (("text", TITLE_SIZE), ("subtitle", LABEL_SIZE)):
            if part in title:
                said = title[part] if isinstance(title[part], str) else " ".join(title[part])
                title[part] = _broken(lines_of(said, WIDE - _PADDING, size, bold=part == "text"), size, part == "text")
    config = spec.setdefault("config", {})
    config.setdefault("axisXQuantitative", {})["tickCount"] = 4
    config.setdefault("legend", {}).update(columns=1, labelLimit=ENTRY + _PADDING)
    _stack(spec)
    for plot in list(_views(spec)):
        _fold_names(plot)
    for view in _views(spec):
        for channel, encoding in view.get("encoding", {}).items():
            if isinstance(encoding, dict):
                _narrow(channel, encoding)
    return spec


def _broken(lines: list[str], size: float, bold: bool) -> list[str]:
    """The lines of a title; a name that is wider than the image goes on in the next one."""
    broken: list[str] = []
    for line in lines:
        rest = line
        while text_width(rest, size, bold) > WIDE - _PADDING:
            end = len(rest) - 1
            while text_width(rest[:end], size, bold) > WIDE - _PADDING:
                end -= 1
            broken.append(rest[:end])
            rest = rest[end:]
        broken.append(rest)
    return broken


def _stack(spec: dict[str, Any]) -> None:
    """Panels below each other; a panel without an axis belongs to the rows beside it and stays."""
    if all(isinstance(part.get("width"), int | float) for part in spec.get("hconcat", [{}])):
        spec["vconcat"] = spec.pop("hconcat")
    if "concat" in spec:
        spec["columns"] = 1


def _narrow(channel: str, encoding: dict[str, Any]) -> None:
    if channel in ("color", "shape", "strokeDash"):
        _narrow_legend(encoding)
    if channel not in ("x", "y") or encoding.get("axis", {}) is None:
        return
    named = encoding.get("type") == "nominal"
    axis = encoding.setdefault("axis", {}) if named else encoding.get("axis", {})
    if named and channel == "x":
        axis["labelOverlap"] = True
    elif named and "datum.index" in axis.get("labelExpr", ""):  # a map: the number beside the name must stay
        axis["labelExpr"] = axis["labelExpr"].replace("datum.label", f"truncate(datum.label, {CUT})")
        axis["labelOverlap"] = True
    elif named:
        axis["labelLimit"] = NAME
    for owner in (encoding, axis):
        if channel == "x" and isinstance(owner.get("title"), str):
            owner["title"] = lines_of(owner["title"], WIDE - NAME - _PADDING, LABEL_SIZE)


def _fold_names(plot: dict[str, Any]) -> None:
    """Names of several words beside the rows of a plot in several lines, for which its rows are made higher."""
    rows = [part["encoding"]["y"] for part in _views(plot) if part.get("encoding", {}).get("y", {}).get("axis", {})]
    rows = [one for one in rows if one.get("type") == "nominal" and isinstance(one.get("sort"), list)]
    if not isinstance(plot.get("height"), dict) or not rows or "labelExpr" in rows[0]["axis"]:
        return
    folded = _folded([str(name) for name in rows[0]["sort"]], NAME)
    if folded:
        most = max(map(len, folded.values()))
        plot["height"]["step"] = max(plot["height"]["step"], LINE * most + GAP)
        for one in rows:
            one["axis"] |= {"labelExpr": _looked_up(folded), "labelOffset": _middle(folded, most)}


def _folded(names: list[str], width: float) -> dict[str, list[str]]:
    """Those of the names that need several lines."""
    return {name: lines for name in names if len(lines := lines_of(name, width, LABEL_SIZE)) > 1}


def _middle(folded: dict[str, list[str]], most: int) -> dict[str, Any]:
    """How much higher a label begins: the engine puts its first line beside the row, not its middle."""

    def of(count: int) -> str:
        return json.dumps([name for name, lines in folded.items() if len(lines) == count])

    tests = [
        {"test": f"indexof({of(count)}, datum.value) >= 0", "value": (1 - count) * LINE / 2}
        for count in range(2, most + 1)
    ]
    return {"condition": tests, "value": 0}


def _looked_up(folded: dict[str, list[str]]) -> str:
    """The lines of a label; with a blank before the names, so that none is what every object has (`__proto__`)."""
    lines = {f" {name}": lines for name, lines in folded.items()}
    return f"{json.dumps(lines)}[' ' + datum.label] || datum.label"


def _narrow_legend(encoding: dict[str, Any]) -> None:
    """A legend of one column, its longer names in several lines."""
    named = encoding.get("scale", {}).get("domain")
    if encoding.get("legend", {}) is None or not isinstance(named, list):
        return
    legend = encoding.setdefault("legend", {})
    legend["columns"] = 1
    if folded := _folded([str(name) for name in named], ENTRY):
        legend["labelExpr"] = _looked_up(folded)


def _views(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The specification and all that it is put together from."""
    yield spec
    for name in ("layer", "hconcat", "vconcat", "concat"):
        for part in spec.get(name, []):
            yield from _views(part)
    if "spec" in spec:
        yield from _views(spec["spec"])


def _shrunk(spec: dict[str, Any], over: float) -> bool:
    """Whether plots could give up so much of their width; a square one gives up height too."""
    done = False
    for view in _views(spec):
        wide = view.get("width")
        if not isinstance(wide, int | float) or wide <= LEAST:
            continue
        done = True
        view["width"] = max(LEAST, int(wide - over))
        if view.get("height") == wide:
            view["height"] = view["width"]
        for mark in (part.get("mark") for part in _views(view)):
            if isinstance(mark, dict) and isinstance(mark.get("width"), int | float):
                mark["width"] = max(1, mark["width"] * view["width"] / wide)
    return done
