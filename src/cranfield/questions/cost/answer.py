"""Answer of `cost`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.defaults import ASSURANCE, POWER
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    from cranfield.questions.cost.cost import Cost


LOWEST_COST = sentence(
    "design.lowest-cost",
    "Lowest cost for {measure}: {size}.{deepest}",
    "at least 90% of the pool was judged at this depth, and no other such depth costs less",
)
BEST_FOR_BUDGET = sentence(
    "design.best-for-budget",
    "Best for {measure}: {size}; {what} {value:.4f}.",
    "a budget was given, at least 90% of the pool was judged at this depth, and no other such depth gives less",
)
ASSURED = sentence(
    "design.cost-assured",
    "{measure}: with {topics:,} topics, power is at least {power:g} with about {assurance:.0%} assurance.",
    "no budget was given, the design is a test, and the variance at the best depth was estimated from scores",
    measured="sizes",
)
COST_DOUBTFUL = sentence(
    "design.cost-doubtful",
    "Too few judgments to recommend a pool depth.",
    "less than 90% of the pool was judged at every depth",
)


def cost_answer(result: Cost, question: Any = None) -> Answer:
    """Equivalent designs by measure and pool depth, with their costs."""
    notes = (*_findings(result), *_assured(result), *result.notes)
    digits = {"judged_per_topic": 1, "pool_per_topic": 1, "judged_share": 3, "variance": 6, "cost": 0, "ratio": 2}
    title = "Pool depth and cost"
    alt = "Lines: topics needed against documents to judge per topic, one line per measure."
    if "budget" in result.settings:
        title, alt = "Pool depth for the budget", "Lines: detectable difference against pool depth, one per measure."

    def sheet() -> Sheet:
        return Sheet(
            "cost", result.rows, result.signature, result.settings, result.warnings, title, digits, notes, heading=title
        )

    chart = Chart("cost", title, alt, result, "cost")
    return Answer(headline=notes[0], sheets={"cost": sheet}, charts=(chart,), sentences=notes[1:])


def _findings(result: Cost) -> list[str]:
    """The best depth of every measure."""
    budget = "budget" in result.settings
    return [_finding(row, budget) for row in result.best.iter_rows(named=True)] or [COST_DOUBTFUL()]


def headline(result: Cost) -> str:
    """The best depth of the first measure."""
    return _findings(result)[0]


def _assured(result: Cost) -> list[str]:
    """The best depth of every measure with the topics for the wanted assurance."""
    asked = {name: result.settings.get(name, usual) for name, usual in (("power", POWER), ("assurance", ASSURANCE))}
    return [
        ASSURED(measure=row["measure"], topics=row["topics_assured"], **asked)
        for row in result.best.iter_rows(named=True)
        if row.get("topics_assured") is not None
    ]


def _finding(row: dict[str, Any], budget: bool) -> str:
    size = f"{row['topics']:,} topics to depth {row['depth']}, {row['judgments']:,} judgments"
    if not budget:
        deepest = f" The deepest pool costs {row['ratio']:.1f} times as much." if row["ratio"] > 1 else ""
        return LOWEST_COST(measure=row["measure"], size=size, deepest=deepest)
    name = "width" if row.get("width") is not None else "min_diff"
    what = "expected interval width" if name == "width" else "detectable difference"
    return BEST_FOR_BUDGET(measure=row["measure"], size=size, what=what, value=row[name])
