"""Answer of `recommend`: the table of designs, a short paragraph, and Markdown for a track overview."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart, sentence
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
    "The number of topics, {topics:,}, has the interval {lower:,} to {upper:,}. With {assured:,}, power is at least "
    "{power:g} with about {assurance:.0%} assurance.",
    "a jackknife interval exists",
    measured="sizes teams",
)
SYSTEMS_SAMPLED = sentence(
    "design.systems-sampled",
    "Past {sampled} are treated as a sample of future ones.",
    "the interval comes from leaving out systems, or teams where they are given, as well as topics",
)
BUDGET = sentence(
    "design.budget",
    "{budget:,} judgments are {per_topic:,} for each of {topics:,} topics. `cost` weighs depth against topics.",
    "the budget has at least one judgment for every topic",
)
LITTLE_BUDGET = sentence(
    "design.little-budget",
    "{budget:,} judgments are fewer than {topics:,} topics. Detect a larger difference, or raise the budget.",
    "the budget has less than one judgment for every topic",
)
WIDTH = 79
"""Columns of the paragraph below the table."""
_SIZES = "What other numbers of topics achieve"
_DIGITS = {"power": 3, "min_diff": 3, "min_diff_pair": 3, "width_average_pair": 3, "width_percentile95_pair": 3}


def headline(result: Recommendation) -> str:
    """The recommended number of topics."""
    return RECOMMENDED(topics=result.n_topics, measure=result.measure)


def recommendation_answer(result: Recommendation, question: Any = None) -> Answer:
    """The recommended design among all others, and what other numbers of topics achieve."""
    facts = {**result.settings, "recommended": result.n_topics, "what_topics_buy": result.sizes.to_dicts()}

    def sheet(rows: pl.DataFrame, **more: Any) -> Sheet:
        return Sheet("design recommend", rows, result.signature, facts, result.warnings, top=result.top(), **more)

    def designs() -> Sheet:
        heading = "All designs and estimators"
        said = " ".join([result.promise, *_sentences(result), f"Variances come from {result.past}."])
        columns = f"interval: {_level(result)} interval of topics. assured: topics for the wanted assurance."
        notes = (textwrap.fill(said, WIDTH), columns)
        narrow = sheet(_narrow(result.rows), title=headline(result), notes=notes, heading=heading)
        texts = {"markdown": f"{result.text}\n{result.signature}\n"}
        return sheet(
            result.rows, digits={"variance": 6, "epsilon": 3}, heading=heading, sections=(narrow,), texts=texts
        )

    chart = Chart(
        "recommendation", "Topics by design and estimator",
        "Bars: topics for each design and estimator, the recommended one first.", result, "recommendation",
    )  # fmt: skip
    return Answer(
        headline=headline(result),
        sentences=(result.promise, *_sentences(result)),
        sheets={"designs": designs, "sizes": lambda: sheet(result.sizes, digits=_DIGITS, heading=_SIZES)},
        charts=(chart,),
        in_notebook=("designs", "sizes"),
        extra={"text": result.text},
    )


def _level(result: Recommendation) -> str:
    return f"{1 - result.settings['alpha']:.0%}"


def _sentences(result: Recommendation) -> tuple[str, ...]:
    """The interval, and what the budget gives to a topic."""
    budget = result.settings["budget"]
    if budget is None:
        return _interval_sentence(result)
    per_topic = result.rows["per_topic"][0]
    said = (BUDGET if per_topic else LITTLE_BUDGET)(budget=budget, topics=result.n_topics, per_topic=per_topic)
    return (*_interval_sentence(result), said)


def _interval_sentence(result: Recommendation) -> tuple[str, ...]:
    if result.lower is None or result.assured is None:
        return ()
    asked = {name: result.settings[name] for name in ("power", "assurance")}
    said = SAMPLE_INTERVAL(
        topics=result.n_topics, lower=result.lower, upper=result.upper, assured=result.assured, **asked
    )
    if not result.of_systems:
        return (said,)
    sampled = "systems" if result.settings["teams"] is None else "teams"
    return (f"{said} {SYSTEMS_SAMPLED(sampled=sampled)}",)


def text_of(result: Recommendation) -> str:
    """Markdown: the number with its power and interval, all designs, other numbers of topics, and caveats."""
    from cranfield.core.formats import to_markdown

    settings, rows = result.settings, result.rows
    two = "a system and the baseline" if settings["baseline"] else "best and worst"
    numbered = _narrow(rows).insert_column(0, pl.int_range(1, rows.height + 1, eager=True).alias("no"))
    numbered = numbered.with_columns(rows["variance"], rows["epsilon"])
    digits = {**_DIGITS, "epsilon": 3}
    tables = [to_markdown(Sheet("", table, digits=digits)).rstrip() for table in (numbered, result.sizes)]
    parts = [
        f"# How many topics for {result.measure}?",
        " ".join([f"**{CREATE(topics=result.n_topics)}**", result.promise, *_sentences(result)]),
        f"Variances come from {result.past}.",
        "## All designs",
        tables[0],
        "\n".join(f"{number}. {question}" for number, question in enumerate(rows["question"], 1)),
        f"## {_SIZES}",
        tables[1],
        f"`power`: power to detect a difference of {settings['min_diff']:g} between {two} of {settings['n_systems']} "
        f"systems, after correction. `min_diff`: the difference detected with power {settings['power']:g}. "
        "`min_diff_pair`: the same for one average pair chosen in advance. "
        f"`width_…`: expected width of the {_level(result)} interval of a difference, for an average pair and for the "
        "95th percentile of the pairs.",
    ]
    if result.warnings:
        parts += ["## Caveats", "\n".join(f"- {text[0].upper()}{text[1:]}" for text in result.warnings)]
    return "\n\n".join(parts) + "\n"


def _narrow(rows: pl.DataFrame) -> pl.DataFrame:
    """The columns that fit a page: both ends of the interval are in one."""
    ends = zip(rows["topics_lower"], rows["topics_upper"], strict=True)
    interval = pl.Series("interval", ["" if low is None else f"{low}–{high}" for low, high in ends])
    design = pl.col("design").str.replace("Geisser ε", "Geisser")
    more = [name for name in ("per_topic",) if name in rows.columns]
    return rows.select(design, "estimator", "topics", interval, pl.col("topics_assured").alias("assured"), *more)
