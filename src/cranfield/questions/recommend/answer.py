"""What a recommendation says: its numbers, and a text in Markdown to be pasted into a track overview."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart
from cranfield.core.sentences import sentence
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    from cranfield.questions.recommend.recommend import Recommendation


RECOMMENDED = sentence(
    "design.recommended",
    "{topics:,} topics by {measure}",
    "min_diff is a difference that two means can have; others are refused",
)
CREATE = sentence(
    "design.create", "Create {topics:,} topics.", "min_diff is a difference that two means can have; others are refused"
)
SAMPLE_INTERVAL = sentence(
    "design.sample-interval",
    "{topics:,} topics [{lower:,}, {upper:,}]; with {assured:,}, power is at least {power:g} with about "
    "{assurance:.0%} assurance.",
    "an interval could be jackknifed; how often interval and assurance hold is simulated: docs/advice.md",
)
SYSTEMS_SAMPLED = sentence(
    "design.systems-sampled",
    "{sampled} are taken as a sample of those to come.",
    "the interval comes from leaving out systems, or teams where they are given, as well as topics",
)
_DIGITS = {"power": 3, "min_diff": 3, "min_diff_pair": 3, "width_average_pair": 3, "width_percentile95_pair": 3}


def headline(result: Recommendation) -> str:
    """The recommended number of topics."""
    return RECOMMENDED(topics=result.n_topics, measure=result.measure)


def recommendation_answer(result: Recommendation, settings: Any) -> Answer:
    """The recommended design among all others, and what other numbers of topics would do."""
    facts = {**result.settings, "recommended": result.n_topics, "what_topics_buy": result.sizes.to_dicts()}
    top = result.top()

    def sheet(rows: pl.DataFrame, **more: Any) -> Sheet:
        return Sheet("design recommend", rows, result.signature, facts, result.warnings, top=top, **more)

    chart = Chart(
        "recommendation", "Topics by design and estimator",
        "Bars: the topics that each design and estimator asks for, the recommended one first.",
        result, "recommendation",
    )  # fmt: skip
    return Answer(
        headline=headline(result),
        sentences=(result.promise, *_interval_sentence(result)),
        sheets={
            "designs": lambda: sheet(
                result.rows, digits={"variance": 6, "epsilon": 3}, heading="Every design and estimator"
            ),
            "sizes": lambda: sheet(result.sizes, digits=_DIGITS, heading="What a given number of topics does"),
        },
        charts=(chart,),
        in_notebook=("designs", "sizes"),
        extra={"text": result.text},
    )


def _interval_sentence(result: Recommendation) -> tuple[str, ...]:
    if result.lower is None or result.assured is None:
        return ()
    asked = {name: result.settings[name] for name in ("power", "assurance")}
    said = SAMPLE_INTERVAL(
        topics=result.n_topics, lower=result.lower, upper=result.upper, assured=result.assured, **asked
    )
    if not result.of_systems:
        return (said,)
    sampled = "Systems" if result.settings["teams"] is None else "Teams"
    return (f"{said} {SYSTEMS_SAMPLED(sampled=sampled)}",)


def text_of(result: Recommendation) -> str:
    """The number, its promise and its uncertainty; every way of asking; what other numbers of topics do; caveats."""
    settings = result.settings
    level, systems = f"{1 - settings['alpha']:.0%}", settings["n_systems"]
    two = "a system and the baseline" if settings["baseline"] else "best and worst"
    parts = [
        f"# How many topics for {result.measure}?",
        " ".join([f"**{CREATE(topics=result.n_topics)}**", result.promise, *_interval_sentence(result)]),
        f"Variances come from {result.past}.",
        "## Every way of asking",
        _markdown(_with_interval(result.rows), {"variance": 4, "epsilon": 3}),
        *[f"{number}. {question}" for number, question in enumerate(result.rows["question"], 1)],
        "## What a given number of topics does",
        _markdown(result.sizes, _DIGITS),
        f"`power`: to show that {two} of {systems} systems differ when they are {settings['min_diff']:g} apart, after "
        f"correction. `min_diff`: the difference shown with power {settings['power']:g}. `min_diff_pair`: the same for "
        f"one pair named beforehand, an average one. `width_…`: width to expect of the {level} interval of a "
        "difference, for an average pair of systems and for one with a larger variance than 95% of the pairs.",
    ]
    if result.warnings:
        parts.append("## Caveats")
        parts += [f"- {text[0].upper()}{text[1:]}" for text in result.warnings]
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
        pl.int_range(1, pl.len() + 1).alias("no"), "design", "estimator", "variance", "epsilon", "topics",
        pl.Series("interval", interval), assured="topics_assured",
    )  # fmt: skip


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
