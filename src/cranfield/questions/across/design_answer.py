"""The answer of `design across`: topics per collection by number of collections, and of seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart
from cranfield.core.sentences import sentence
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    from cranfield.questions.across.design import DesignAcross

CHEAPEST = sentence(
    "across.cheapest",
    "{measure}: {collections} collections of {topics:,} topics detect {difference:g} on collections like these",
    "of the numbers of collections considered, this one needs the fewest topics in all for the wanted power",
    measured="across.md#what-simulation-says",
)
IMPOSSIBLE = sentence(
    "across.impossible",
    "{measure}: {collections} collections are too few to detect {difference:g} on collections like these",
    "no number of topics reaches the wanted power, with as many collections as were considered",
    measured="across.md#what-simulation-says",
)
NOTES = (
    "topics: per collection; empty: no number suffices. For one pair named in advance, by a two-sided t test.",
    "these: the same collections. like_these: others too. recipe: the collections of the scores, by seeds per system.",
)


def design_answer(result: DesignAcross, question: Any = None) -> Answer:
    """One table, and topics against collections."""
    known = result.settings

    def sheet() -> Sheet:
        return Sheet(
            "design across", result.to_frame(), result.signature, known, result.warnings, headline(result), notes=NOTES,
            heading="Topics per collection",
        )  # fmt: skip

    alt = "Lines: topics per collection against the number of collections."
    return Answer(headline(result), {"designs": sheet}, (Chart("topics", "Topics", alt, result, "topics"),))


def headline(result: DesignAcross) -> str:
    """The design for collections like these with the fewest topics in all, by the first measure."""
    measure = result.rows["measure"][0]
    rows = result.rows.filter((pl.col("measure") == measure) & (pl.col("claim") == "like_these"))
    known = rows.filter(pl.col("topics").is_not_null())
    difference = result.settings["min_diff"]
    if known.is_empty():
        return IMPOSSIBLE(measure=measure, collections=max(rows["collections"].to_list()), difference=difference)
    row = known.sort("topics_in_all", maintain_order=True).row(0, named=True)
    return CHEAPEST(measure=measure, collections=row["collections"], topics=row["topics"], difference=difference)
