"""A recommendation in Markdown, to be pasted into a track overview."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from cranfield.scores import ScoreMatrix
from cranfield.sentences import design as say

_DIGITS = {"power": 3, "min_diff": 3, "min_diff_pair": 3, "width_average_pair": 3, "width_percentile95_pair": 3}


def text_of(
    measure: str,
    promise: str,
    rows: pl.DataFrame,
    sizes: pl.DataFrame,
    collections: Mapping[str, ScoreMatrix],
    settings: Mapping[str, Any],
    warnings: Sequence[str],
) -> str:
    """The number, its promise and its uncertainty; every way of asking; what other numbers of topics do; caveats."""
    best = rows.row(0, named=True)
    level, systems = f"{1 - settings['alpha']:.0%}", settings["n_systems"]
    interval = ""
    if best["topics_lower"] is not None:
        interval = f" {say.SAMPLE_INTERVAL(level=level, lower=best['topics_lower'], upper=best['topics_upper'])}"
    past = ", ".join(f"{name} ({x.n_topics} topics × {x.n_systems} systems)" for name, x in collections.items())
    two = "a system and the baseline" if settings["baseline"] else "best and worst"
    parts = [
        f"# How many topics for {measure}?",
        f"**{say.CREATE(topics=best['topics'])}** {promise}{interval}",
        f"Variances come from {past}.",
        "## Every way of asking",
        _markdown(_with_interval(rows), {"variance": 4, "epsilon": 3}),
        *[f"{number}. {question}" for number, question in enumerate(rows["question"], 1)],
        "## What a given number of topics does",
        _markdown(sizes, _DIGITS),
        f"`power`: to show that {two} of {systems} systems differ when they are {settings['min_diff']:g} apart, after "
        f"correction. `min_diff`: the difference shown with power {settings['power']:g}. `min_diff_pair`: the same for "
        f"one pair named beforehand, an average one. `width_…`: width to expect of the {level} interval of a "
        "difference, for an average pair of systems and for one with a larger variance than 95% of the pairs.",
    ]
    if warnings:
        parts.append("## Caveats")
        parts += [f"- {text[0].upper()}{text[1:]}" for text in warnings]
    return _joined(parts) + "\n"


def _joined(parts: list[str]) -> str:
    """Paragraphs with a line between them, but list items right below one another."""
    lines = [parts[0]]
    for before, part in itertools.pairwise(parts):
        together = _is_item(before) and _is_item(part)
        lines.append(("\n" if together else "\n\n") + part)
    return "".join(lines)


def _is_item(part: str) -> bool:
    return part.startswith("- ") or part.split(". ")[0].isdigit()


def _with_interval(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows numbered, with both ends of the interval in one column, narrow enough for a page."""
    ends = zip(rows["topics_lower"], rows["topics_upper"], strict=True)
    interval = ["" if low is None else f"{low}–{high}" for low, high in ends]
    return rows.select(
        pl.int_range(1, pl.len() + 1).alias("no"), "design", "estimator", "variance", "epsilon", "topics"
    ).with_columns(pl.Series("interval", interval))


def _markdown(frame: pl.DataFrame, digits: Mapping[str, int]) -> str:
    """A pipe table, padded so that it also reads well on a terminal."""

    def shown(name: str, value: Any) -> str:
        return "" if value is None else f"{value:.{digits[name]}f}" if name in digits else str(value)

    columns = [[name, *(shown(name, value) for value in frame[name])] for name in frame.columns]
    widths = [max(map(len, column)) for column in columns]
    right = [dtype.is_numeric() for dtype in frame.dtypes]
    lines = [
        " | ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(line, widths, right, strict=True))
        for line in zip(*columns, strict=True)
    ]
    rule = " | ".join("-" * (w - 1) + ":" if r else "-" * w for w, r in zip(widths, right, strict=True))
    return "\n".join(f"| {line} |" for line in [lines[0], rule, *lines[1:]])
