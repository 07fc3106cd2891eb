"""The pair map as a drawing that needs no script: it fits its box, on the screen and on paper."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

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
        f'<text x="{left - 4:.0f}" y="{(at + 0.5) * cell + 3.8:.1f}">'
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
            pieces.append(f"M{x:.1f} {y:.1f}h{width:.1f}v{cell:.2f}h-{width:.1f}z")
    return f'<path class="{kind}" fill-opacity="{opacity:.2f}" d="{"".join(pieces)}"/>' if pieces else ""
