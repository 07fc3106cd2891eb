"""What standardisation says: factors, standardised scores, how far systems move, and what it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.present.answer import Answer, Chart, answers
from cranfield.present.tables import Sheet

if TYPE_CHECKING:
    from cranfield.design.standardisation import StandardisationEffect
    from cranfield.standardise import Robustness, Standardisation, Standardised


@answers("Standardisation")
def factors_answer(result: Standardisation, settings: Any) -> Answer:
    """The factors of every topic and measure."""
    told = {"measures": list(result), "version": result.version, "provenance": list(result.provenance)}
    sheet = Sheet(
        "standardise fit", result.to_frame(), result.signature, told, result.warnings,
        title="Standardisation factors", heading="Factors of every topic",
    )  # fmt: skip
    return Answer(f"Factors of {sheet.rows.height} topics and measures", {"factors": lambda: sheet})


@answers("Standardised")
def scores_answer(result: Standardised, settings: Any) -> Answer:
    """The standardised scores, and how many were clipped."""
    factors = getattr(settings, "factors", None)
    told = {"factors": factors} if factors is not None else {}
    told |= {"to": result.to, **({"a": result.a, "b": result.b} if result.to == "ab" else {})}
    told["counts"] = [vars(count) for count in result.counts]
    alt = "Boxes: standardised scores of every topic."
    return Answer(
        headline="Standardised scores",
        sentences=tuple(result.clipping()),
        sheets={
            "scores": lambda: Sheet(
                "standardise apply", result.to_frame(), result.signature, told, result.warnings,
                title="Standardised scores", notes=tuple(result.clipping()), heading="Standardised scores",
            )
        },
        charts=(Chart("topics-chart", "Standardised scores by topic", alt, result, "topics"),),
    )  # fmt: skip


@answers("Robustness")
def robustness_answer(result: Robustness, settings: Any) -> Answer:
    """Systems by factors fitted with and without them."""
    notes = tuple(
        f"{row['measure']}: left-out means move by {row['mean_difference']:.4f} on average and "
        f"{row['largest_difference']:.4f} at most, single scores by up to {row['largest_topic_difference']:.4f}; "
        f"{row['ranks_changed']} of {row['left_out']} change rank, by {row['largest_rank_change']} at most; "
        f"lowest tau {row['lowest_tau']:.4f}"
        for row in _moves(result).iter_rows(named=True)
    )
    command, title = "standardise robustness", "Left-out systems by factors fitted with and without them"
    shown = Sheet(command, _narrow(result.to_frame()), result.signature, title=title, notes=notes)
    told = {"to": result.to, "a": result.a, "b": result.b, "summary": _moves(result).to_dicts()}
    sheet = Sheet(command, result.to_frame(), result.signature, told, result.warnings, sections=(shown,), heading=title)
    alt = "Dots: how far every system moves when factors are fitted without it."
    return Answer("\n".join(notes), {"systems": lambda: sheet}, (Chart("moves", title, alt, result, "robustness"),))


def _moves(result: Robustness) -> pl.DataFrame:
    """One row per measure: how far means and ranks move."""
    rows: Any = getattr(result, "moves", result.summary)()
    return pl.DataFrame(rows)


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


@answers("StandardisationEffect")
def effect_answer(result: StandardisationEffect, settings: Any) -> Answer:
    """Variance, ranking and design before and after: in one table for machines, in three for people."""
    rows = list(result.variance.iter_rows(named=True))
    bars = "Bars: raw and standardised, free of scale."
    return Answer(
        headline="\n".join(
            f"{row['measure']}: variance {row['variance_raw']:.4f} raw, {row['variance_standardised']:.4f} standardised"
            for row in rows
        ),
        sentences=tuple(
            f"{row['measure']}: the two rankings of the systems agree with τ = {row['tau']:.3f}." for row in rows
        ),
        sheets={
            "all": lambda: _sheet(result, result.to_frame(), sections=_sections(result)),
            "effect": lambda: _sheet(result, result.variance, heading="Variance and ranking, raw and standardised"),
            "scale-free": lambda: _free(result, heading="Free of scale"),
            "topics": lambda: _sheet(
                result, result.topics, heading="Topics needed (one-way ANOVA), exact and published",
                notes=(_OTHER_SCALE.format("standardised"),), digits={"min_diff": 2},
            ),
        },
        charts=(Chart("effect-chart", "What changes", bars, result, "effect"),),
        on_page=("effect", "scale-free", "topics"),
    )  # fmt: skip


_OTHER_SCALE = "The same min_diff is another difference on another scale: do not compare raw with {} here."


def _sheet(result: StandardisationEffect, rows: pl.DataFrame, **more: Any) -> Sheet:
    return Sheet("standardise effect", rows, result.signature, result.settings, result.warnings, **more)


def _free(result: StandardisationEffect, **more: Any) -> Sheet:
    note = (
        "blocked_f: variance between systems over residual variance. topics: needed by "
        f"{result.scale_free['systems'][0]} systems when best and worst differ by {result.settings['fraction']:g} sd "
        "between systems (blocked, exact)."
    )
    return _sheet(result, result.scale_free, notes=(note,), digits={"blocked_f": 2}, **more)


def _sections(result: StandardisationEffect) -> tuple[Sheet, ...]:
    """The tables for people, narrow enough for a terminal."""
    alpha = result.settings["alpha"]
    sizes = ["measure", "systems", "topics", "variance_raw", "variance_standardised", "clipped", "tied_topics"]
    short = {"variance_raw": "raw", "variance_standardised": "standardised"}
    ranking = ["measure", "tau", "published_lower", "published_upper", "bootstrap_lower", "bootstrap_upper"]
    narrow = {name: name.replace("published", "pub").replace("bootstrap", "boot") for name in ranking}
    shorter = {"standardised": "std", "standardised_published": "std_published"}
    name = "standardise effect"
    return (
        Sheet(name, result.variance.select(sizes).rename(short), title="Variance, raw and standardised"),
        Sheet(
            name, result.variance.select(ranking).rename(narrow), title="Agreement of the two rankings of the systems",
            notes=(
                "pub: tau ± z·√(2(2m+5)/(9m(m-1))), the published interval, which can pass 1. "
                f"boot: quantiles {alpha / 2:g} and {1 - alpha / 2:g} over resampled topics.",
            ),
        ),
        Sheet(
            name, result.scale_free, notes=_free(result).notes, digits={"blocked_f": 2},
            title="Free of scale: the only fair comparison of raw and standardised",
        ),
        Sheet(
            name, result.topics.rename(shorter), result.signature, notes=(_OTHER_SCALE.format("std"),),
            title="Topics needed (one-way ANOVA), exact and published", digits={"min_diff": 2},
        ),
    )  # fmt: skip
