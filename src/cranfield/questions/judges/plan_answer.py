"""The answer of `design judges`: human topics for every number of machine topics, and the cheapest mix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.labels import plural
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    from cranfield.questions.judges.plan import JudgesDesign

CHEAPEST = sentence(
    "judges.cheapest-mix",
    "Cheapest mix: {topics} by people, {more} further by machine (cost {cost:,.0f})",
    "prices are given, and this mix of those listed costs least",
)
INSTEAD = sentence(
    "judges.instead",
    "With {more} further machine topics, people judge {topics} instead of {alone}",
    "no prices are given, and both numbers reach the goal",
)
SAVES_NONE = sentence(
    "judges.saves-none",
    "People must judge {topics}; {more} further machine topics save none",
    "no prices are given, and the most machine topics leave as many human topics as none do",
)
NOT_REACHED = sentence(
    "judges.not-reached",
    "No number of human topics up to 20,000 reaches this goal",
    "no listed mix reaches the width or the power",
)
EXPLAINED = sentence(
    "judges.explained",
    "In the pilot, the correlation of human and machine differences is {rho:.2f} (average pair).",
    "estimated from the pilot, adjusted for its number of topics",
    always=True,
)


def plan_answer(result: JudgesDesign) -> Answer:
    """The needed topics, and the width against them."""
    known = result.settings
    goal = f"width {known['width']:g}" if known["width"] is not None else (
        f"difference {known['min_diff']:g} with power {known['power']:g}"
    )  # fmt: skip
    pilot = f"pilot of {plural(known['pilot_topics'], 'topic')} and {plural(known['n_systems'], 'system')}"
    title = f"{headline(result)}. {known['measure']}, {goal}, {pilot}."
    said = EXPLAINED(rho=result.pilot.explained**0.5)

    notes = (
        f"topics: human topics for an average pair; lower and upper: {100 * (1 - known['alpha']):g}% jackknife over "
        "pilot topics (coverage of 95% intervals in simulations: at least 91%). machine_topics: further topics that "
        "only the machine judges.",
        "Human topics must be a random sample of all topics.",
    )

    def sheet() -> Sheet:
        return Sheet(
            "design judges", result.rows, result.signature, known, result.warnings, title, notes=(said, *notes),
            heading="Human and machine topics", dispensable=("topics_lower", "topics_upper"),
        )  # fmt: skip

    charts = [Chart("widths", "Width", "Lines: interval width against human topics.", result, "widths")]
    if result.rows["cost"].count():
        charts.append(Chart("costs", "Cost", "Line: cost of every mix; the cheapest is marked.", result, "costs"))
    return Answer(headline=headline(result), sentences=(said,), sheets={"mixes": sheet}, charts=tuple(charts))


def headline(result: JudgesDesign) -> str:
    """The cheapest mix; without prices, what the most machine topics save."""
    reached = result.rows.filter(pl.col("topics").is_not_null())
    if reached.is_empty():
        return NOT_REACHED()
    best = reached.filter(pl.col("cheapest").fill_null(False))
    if best.height:
        row = best.row(0, named=True)
        return CHEAPEST(topics=plural(row["topics"], "topic"), more=f"{row['machine_topics']:,}", cost=row["cost"])
    last = reached.row(-1, named=True)
    alone = result.rows.row(0, named=True)["topics"]
    if alone is not None and alone <= last["topics"]:
        return SAVES_NONE(topics=plural(alone, "topic"), more=f"{last['machine_topics']:,}")
    return INSTEAD(
        more=f"{last['machine_topics']:,}", topics=plural(last["topics"], "topic"),
        alone="over 20,000" if alone is None else f"{alone:,}",
    )  # fmt: skip
