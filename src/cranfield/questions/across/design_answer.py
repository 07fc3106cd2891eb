"""The answer of `design across`: topics per collection by number of collections, and of seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart, sentence
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
SEEDS_AGAINST_TOPICS = sentence(
    "across.seeds-against-topics",
    "Recipes: {seeds} seeds per system and {topics:,} topics per collection cost least ({cost:,.0f} topics' worth).",
    "a cost of seeds is given, and some number of seeds reaches the power; no other one considered costs less",
)
SEEDS_LIMIT = sentence(
    "across.seeds-limit",
    "Recipes: no number of topics makes up for {seeds} seeds; {enough} or more are needed.",
    "scores with seeds: the power is reached with more seeds, but not with that many",
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
            "design across", result.to_frame(), result.signature, known, result.warnings, headline(result),
            notes=(*(" ".join(filter(None, (cheapest_seeds(result), too_few_seeds(result)))),), *NOTES),
            heading="Topics per collection",
        )  # fmt: skip

    alt = "Lines: topics per collection against the number of collections."
    further = tuple(filter(None, (cheapest_seeds(result), too_few_seeds(result))))
    charts = (Chart("topics", "Topics", alt, result, "topics"),)
    return Answer(headline(result), {"designs": sheet}, charts, sentences=further)


def _recipes(result: DesignAcross) -> pl.DataFrame:
    first = result.rows["measure"][0]
    return result.rows.filter((pl.col("measure") == first) & (pl.col("claim") == "recipe"))


def cheapest_seeds(result: DesignAcross) -> str:
    """The seeds and topics of a recipe claim that cost least."""
    if "cost" not in result.rows.columns or (known := _recipes(result).drop_nulls("cost")).is_empty():
        return ""
    row = known.sort("cost", maintain_order=True).row(0, named=True)
    return SEEDS_AGAINST_TOPICS(seeds=row["seeds"], topics=row["topics"], cost=row["cost"])


def too_few_seeds(result: DesignAcross) -> str:
    """The largest number of seeds that no number of topics makes up for."""
    rows = _recipes(result)
    without, enough = (rows.filter(pl.col("topics").is_null() == missing)["seeds"] for missing in (True, False))
    if without.is_empty() or enough.is_empty():
        return ""
    return SEEDS_LIMIT(seeds=max(without.to_list()), enough=min(enough.to_list()))


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
