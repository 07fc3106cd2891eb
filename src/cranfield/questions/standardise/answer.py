"""The answers of `standardise`: factors, standardised scores, robustness and effect."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    from cranfield.questions.standardise.apply import Standardised
    from cranfield.questions.standardise.effect import StandardisationEffect
    from cranfield.questions.standardise.fit import Standardisation
    from cranfield.questions.standardise.robustness import Robustness

SEPARATES = sentence(
    "standardise.separates",
    "{measure}: F is {raw} with raw scores, {standardised} with standardised ones",
    "both F of the blocked analysis of variance are defined; unlike variances they do not depend on the scale",
)
NO_F = sentence(
    "standardise.no-f",
    "{measure}: F is not defined; systems and topics explain every score",
    "a residual sum of squares is 0, raw or standardised",
)
RANKINGS_AGREE = sentence(
    "standardise.rankings-agree",
    "{measure}: τ = {tau:.3f}{interval} between the raw and the standardised ranking.",
    "Kendall's τ between raw and standardised means is that; the interval, if there is one, is of unlimited topics",
    always=True,
    measured="tau",
)
LEFT_OUT = sentence(
    "standardise.left-out",
    "{measure}: means of left-out systems move by {mean_difference:.4f} on average, {largest_difference:.4f} at most; "
    "single scores by up to {largest_topic_difference:.4f}. {ranks_changed} of {left_out} change rank, by at most "
    "{largest_rank_change}; lowest tau {lowest_tau:.4f}",
    "each system was scored by factors fitted with and without it",
    always=True,
)

TOPICS_NEEDED = "Topics needed (one-way ANOVA), exact and published"
SCALE_FREE = "Scale-free: the only fair comparison of raw and standardised"
SCALES = "min_diff depends on the scale: do not compare raw with standardised here."


def factors_answer(result: Standardisation, question: Any = None) -> Answer:
    """The factors of every topic."""
    shown = {"measures": list(result), "version": result.version, "provenance": list(result.provenance)}

    def sheet() -> Sheet:
        return Sheet(
            "standardise fit", result.to_frame(), result.signature, shown, result.warnings,
            title="Standardisation factors", heading="Factors of every topic", read_back=True,
        )  # fmt: skip

    return Answer(headline=f"Standardisation factors by {', '.join(result)}", sheets={"factors": sheet})


def standardised_answer(result: Standardised, question: Any = None) -> Answer:
    """The scores in standard units."""
    counts = [vars(count) for count in result.counts]
    asked = {} if question is None else {"factors": question.factors}
    how = {"to": result.to, **({"a": result.a, "b": result.b} if result.to == "ab" else {})}

    def sheet() -> Sheet:
        return Sheet(
            "standardise apply", result.to_frame(), result.signature, {**asked, **how, "counts": counts},
            result.warnings, title="Standardised scores", notes=tuple(result.clipping()),
            heading="Standardised scores", read_back=True,
        )  # fmt: skip

    alt = "Boxes: standardised scores of every topic."
    chart = Chart("topics-chart", "Standardised scores by topic", alt, result, "topics")
    return Answer(
        headline="Standardised scores", sheets={"scores": sheet}, charts=(chart,), sentences=tuple(result.clipping())
    )


def robustness_answer(result: Robustness, question: Any = None) -> Answer:
    """How far systems move when they are left out."""
    name, title = "standardise robustness", "Left-out systems by factors fitted with and without them"
    summary = result.by_measure().to_dicts()
    notes = tuple(LEFT_OUT(**{place: row[place] for place in LEFT_OUT.places}) for row in summary)
    how = {} if question is None else {"to": question.to, "a": question.a, "b": question.b}

    def sheet() -> Sheet:
        narrow = Sheet(name, _narrow(result.to_frame()), result.signature, title=title, notes=notes)
        return Sheet(
            name, result.to_frame(), result.signature, {**how, "summary": summary}, result.warnings, sections=(narrow,)
        )

    chart = Chart("robustness", "Robustness", "Dots: each system with and without itself.", result, "robustness")
    return Answer(headline=title, sheets={"robustness": sheet}, charts=(chart,))


def _narrow(rows: pl.DataFrame) -> pl.DataFrame:
    """The table for people: short names, and no column that says the same in every row."""
    if rows["measure"].n_unique() == 1:
        rows = rows.drop("measure")
    if (rows["left_out"] == rows["system"]).all():
        rows = rows.drop("left_out")
    if (rows["tied_topics"] == 0).all():
        rows = rows.drop("tied_topics")
    short = {"difference": "change", "max_difference": "max_change", "tied_topics": "ties"}
    return rows.rename({"mean_left_out": "mean_out", "rank_left_out": "rank_out", **short}, strict=False)


def effect_answer(result: StandardisationEffect, question: Any = None) -> Answer:
    """Raw and standardised scores side by side: variances, rank agreement, topics needed."""
    sections = _effect_sections(result)

    def part(rows: pl.DataFrame, heading: str = "", **more: Any) -> Sheet:
        how = (result.signature, result.settings, result.warnings)
        return Sheet("standardise effect", rows, *how, heading=heading, **more)

    topics = partial(part, result.topics_needed, TOPICS_NEEDED, notes=(SCALES,), digits={"min_diff": 2})
    free = {"notes": sections[2].notes, "digits": sections[2].digits}
    rows = list(result.variance.iter_rows(named=True))
    shown = ("variance", "scale-free", "topics")
    return Answer(
        headline="\n".join(_separates(result, row["measure"]) for row in rows),
        sentences=tuple(_agreement(row, result.settings["alpha"]) for row in rows),
        sheets={
            "effect": lambda: part(result.to_frame(), sections=sections),
            "variance": lambda: part(result.variance, "Variance and ranking, raw and standardised"),
            "scale-free": lambda: part(result.scale_free, "Scale-free comparison", **free),
            "topics": topics,
        },
        charts=(Chart("effect-chart", "What changes", "Bars: raw and standardised, scale-free.", result, "effect"),),
        on_page=shown,
        in_notebook=shown,
    )


def _separates(result: StandardisationEffect, measure: str) -> str:
    """The F before and after."""
    found = result.scale_free.filter(pl.col("measure") == measure)
    ratio = dict(found.select("scores", "blocked_f").iter_rows())
    raw, standardised = ratio.pop("raw"), next(iter(ratio.values()))
    if raw is None or standardised is None:
        return NO_F(measure=measure)
    return SEPARATES(measure=measure, raw=f"{raw:.1f}", standardised=f"{standardised:.1f}")


def _effect_sections(result: StandardisationEffect) -> tuple[Sheet, ...]:
    """The tables for people, narrow enough for a terminal."""
    name, alpha, fraction = "standardise effect", result.settings["alpha"], result.settings["fraction"]
    sizes = ["measure", "systems", "topics", "variance_raw", "variance_standardised", "clipped", "tied_topics"]
    short = {"variance_raw": "raw", "variance_standardised": "standardised"}
    ranking = ["measure", "tau", "tau_corrected", "tau_lower", "tau_upper"]
    notes = [f"tau_corrected: topic noise removed. lower, upper: {1 - alpha:.0%} interval, unlimited topics."]
    if result.settings["published"]:
        ranking += ["published_lower", "published_upper"]
        notes += ["published: tau ± z·√(2(2m+5)/(9m(m-1))), cut at ±1. It assumes two unrelated orders."]
    shorter = {"standardised": "std", "standardised_published": "std_published"}
    free = (
        "blocked_f: variance between systems over residual variance. topics: needed to compare "
        f"{result.scale_free['systems'][0]} systems if best and worst differ by {fraction:g} × between_sd "
        "(blocked, exact).",
    )
    titles = ("Variance, raw and standardised", "Agreement of the two rankings of the systems", SCALE_FREE)
    return (
        Sheet(name, result.variance.select(sizes).rename(short), title=titles[0]),
        Sheet(name, result.variance.select(ranking), title=titles[1], notes=tuple(notes)),
        Sheet(name, result.scale_free, title=titles[2], notes=free, digits={"blocked_f": 2}),
        Sheet(
            name, result.topics_needed.rename(shorter), result.signature, title=TOPICS_NEEDED, notes=(SCALES,),
            digits={"min_diff": 2},
        ),
    )  # fmt: skip


def _agreement(row: Mapping[str, Any], alpha: float) -> str:
    """τ between both rankings, with its interval."""
    low, high = row["tau_lower"], row["tau_upper"]
    interval = "" if low is None else f" ({1 - alpha:.0%} interval {low:.3f} to {high:.3f})"
    return RANKINGS_AGREE(measure=row["measure"], tau=row["tau"], interval=interval)
