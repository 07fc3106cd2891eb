"""The view as HTML: the map that needs no script, and the script and style that bring it to life."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from cranfield import core
from cranfield.core.labels import plural
from cranfield.questions.compare.answer import how_many_differ
from cranfield.questions.compare.comparison import Comparison

SIDE = 620
"""Width and height of the cells together, in units of the drawing."""
MOST_NAMED = 60
"""Up to so many systems every name stands beside its row; of more, ranks do."""
LEVELS = 6
"""Shades of the half that shows sizes."""
LETTER = 6.9
"""Width of a letter of a name."""


def still_map(comparisons: Iterable[Comparison]) -> Markup:
    """The map of the first comparison: decisions above the diagonal, sizes below; "" where it has baselines.

    >>> from cranfield import compare, make_scores
    >>> drawn = still_map([compare(make_scores(n_topics=20, n_systems=4, seed=3))])
    >>> drawn.startswith('<svg class="still-map" viewBox='), "Bigger" in drawn
    (True, False)
    """
    comparison = next(iter(comparisons))
    if comparison.baselines:
        return Markup("")
    n, names = comparison.n_systems, comparison.systems
    upper = np.triu_indices(n, 1)
    looks = {
        "better": comparison.significant & (comparison.difference > 0),
        "worse": comparison.significant & (comparison.difference < 0),
        "same": ~comparison.significant & comparison.equivalent,
    }
    decided, size = {name: np.zeros((n, n), bool) for name in looks}, np.zeros((n, n))
    for name, cells in looks.items():
        decided[name][upper] = cells
    size[upper] = np.abs(comparison.difference)
    widest = float(size.max()) or 1.0
    shade = np.ceil(LEVELS * np.sqrt(size.T / widest)).astype(int)
    cell, left = SIDE / n, 10 + (LETTER * min(32, max(map(len, names))) if n <= MOST_NAMED else 26)
    paths = [_path(cells, f"still-{name}", 1.0, cell, left) for name, cells in decided.items()]
    paths += [
        _path(shade == level, "still-size", 0.08 + 0.72 * level / LEVELS, cell, left) for level in range(1, LEVELS + 1)
    ]
    step = 1 if n <= MOST_NAMED else 5 if n <= 100 else 10
    labels = [
        f'<text x="{left - 4:.0f}" y="{max((at + 0.5) * cell + 3.8, 10):.1f}">'
        f"{escape(_short(name, n, comparison.rank[at]))}</text>"
        for at, name in enumerate(names)
        if at == 0 or (at + 1) % step == 0
    ]
    title = f"Map of all pairs by {comparison.measure}: {how_many_differ(comparison)}"
    green = "" if comparison.margin is None else f", green where equivalent within ±{comparison.margin:g}"
    legend = f"Above the diagonal: blue where the row is better{green}. Below: the darker, the larger the difference."
    height = SIDE + 22
    return Markup(
        f'<svg class="still-map" viewBox="0 0 {left + SIDE + 2:.0f} {height}" role="img" aria-label="{escape(title)}">'
        f'<rect class="still-none" x="{left:.1f}" y="0" width="{SIDE}" height="{SIDE}"/>{"".join(paths)}'
        f'<path class="still-self" d="M{left:.1f} 0L{left + SIDE:.1f} {SIDE}"/>'
        f'<g class="still-names">{"".join(labels)}</g>'
        f'<text class="still-legend" x="{left:.1f}" y="{SIDE + 16}">{legend}</text></svg>'
    )


def _short(name: str, n: int, rank: int) -> str:
    if n > MOST_NAMED:
        return str(rank)
    return name if len(name) <= 32 else f"{name[:31]}…"


def _path(cells: NDArray[np.bool_], kind: str, opacity: float, cell: float, left: float) -> str:
    """All cells of one look as one path: neighbours in a row are one rectangle."""
    pieces = []
    for row, line in enumerate(cells):
        ends = np.flatnonzero(np.diff(np.concatenate(([False], line, [False])).astype(np.int8)))
        for start, end in ends.reshape(-1, 2).tolist():
            x, y, width = left + start * cell, row * cell, (end - start) * cell
            pieces.append(f"M{x:.1f} {y:.2f}h{width:.1f}v{cell:.2f}h-{width:.1f}z")
    return f'<path class="{kind}" fill-opacity="{opacity:.2f}" d="{"".join(pieces)}"/>' if pieces else ""


ASSETS = Path(__file__).parent / "assets"
PARTS = ("core", "marks", "board", "panels", "start")
"""The parts of the script, in order."""


@lru_cache(maxsize=1)
def script() -> str:
    """The whole script; it leaves no name behind on the page."""
    parts = "\n".join((ASSETS / f"{name}.js").read_text("utf-8") for name in PARTS)
    return f'(() => {{\n"use strict";\n{parts}\n}})();\n'


@lru_cache(maxsize=1)
def style() -> str:
    """The whole style."""
    return (ASSETS / "view.css").read_text("utf-8")


@lru_cache(maxsize=1)
def tokens() -> str:
    """The colours and sizes that page, report and view share."""
    return (Path(core.__file__).parent / "templates" / "tokens.css").read_text("utf-8")


def script_hash() -> str:
    """The script as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()}'"


def size_text(data: Mapping[str, Any]) -> str:
    """How large a collection is.

    >>> size_text({"topics": ["1"], "systems": ["a", "b"], "teams": None})
    '1 topic · 2 systems'
    """
    parts = [plural(len(data["topics"]), "topic"), plural(len(data["systems"]), "system")]
    if data["teams"] is not None:
        parts.append(plural(len({team for team in data["teams"] if team}), "team"))
    return " · ".join(parts)


def view_html(
    data: Mapping[str, Any],
    still: str,
    *,
    tools: str = "",
    source: str = "",
    first: str = "",
    rankings: str = "",
    topic_page: str = "",
    carried: bool = False,
    told: bool = False,
) -> Markup:
    """The view's place on a page; its headline and `still`, which is HTML, are all there is without a script.

    Parameters
    ----------
    data : what `view_data` gave
    tools : HTML beside the title, such as a form
    source, first, rankings : where the script asks for the data, by which measure first, and for ranked lists
    topic_page : the address of the pages of single topics, to which measure and topic are added
    carried : whether the page carries data and script itself, to need no server
    told : whether the page has said what the first measure finds, and the view need not
    """
    from cranfield.core.charts.export import script_json
    from cranfield.core.pages import environment

    page = environment().get_template("view.html").render(
        data=data, size=size_text(data), still=Markup(still), tools=Markup(tools), source=source, first=first,
        rankings=rankings, topic_page=topic_page, told=told,
        payload=Markup(script_json(data) if carried else ""), script=Markup(script() if carried else ""),
    )  # fmt: skip
    return Markup(page)
