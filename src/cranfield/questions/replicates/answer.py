"""The answer of `replicates`: system effects, pairs, agreement of the splits, and comparison with other tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    from cranfield.questions.replicates.replicate import Replicates

FIXED_TOPICS = "With the interaction, topics are fixed: the inference is to other documents, not to other topics."
TABLES = {
    "systems": (
        "System effects, averaged over the splits",
        "System effects with intervals, averaged over {splits} splits into {partitions} partitions",
    ),
    "pairs": ("Pairs over all splits", "Pairs of systems over {splits} splits into {partitions} partitions"),
    "agreement": ("Agreement of the splits", "Agreement of {splits} splits into {partitions} partitions"),
    "comparison": (
        "The same pairs by other tests",
        "Pairs separated by replicates and by tests on the whole collection",
    ),
    "splits": ("Each split", "Each of the {splits} splits into {partitions} partitions"),
    "anova": ("Analysis of variance", "Analysis of variance of each of {splits} splits into {partitions} partitions"),
    "teams": (
        "Pairs within teams",
        "Decisions on pairs within teams: model of all runs, model of the team, randomisation test",
    ),
}
"""A heading and a title for every table."""


def replicates_answer(result: Replicates, question: Any = None) -> Answer:
    """Effects with intervals, pairs, agreement over splits, and the same pairs by other tests."""
    effects = "Dots with whiskers: each system's effect with its interval, averaged over the splits."
    votes = "Map: how many splits make the same decision on each pair."
    methods = "Bars: pairs separated by replicates and by tests on the whole collection."
    return Answer(
        headline=result.summary(),
        sentences=(FIXED_TOPICS,) if result.settings["interaction"] else (),
        sheets={name: lambda name=name: table_of(result, name, question) for name in TABLES},
        charts=(
            Chart("effects", "System effects", effects, result, "effects"),
            Chart("agreement-chart", "Agreement of the splits", votes, result, "agreement"),
            Chart("methods", "Compared with other tests", methods, result, "methods"),
        ),
        on_page=("systems", "pairs", "agreement", "comparison", "splits"),
    )


def table_of(result: Replicates, show: str, question: Any) -> Sheet:
    """One of the tables."""
    heading, title = TABLES[show]
    known = result.settings
    title = title.format(splits=known["n_splits"], partitions=known["n_partitions"])
    if len(result.measures) == 1:
        title = f"{result.measures[0]}: {title[0].lower()}{title[1:]}"
    notes = result.summary().splitlines() if show in ("systems", "pairs", "agreement") else []
    if show == "teams":
        rows, more = _teams(result, question)
        notes += more
    else:
        rows = result.to_frame(show)  # type: ignore[arg-type]
    if result.settings["interaction"] and show != "anova":
        notes.append(FIXED_TOPICS)
    return Sheet(
        "replicates", rows, result.signature, {**result.settings, "show": show}, result.warnings, title,
        notes=tuple(notes), hidden=("measure",) if len(result.measures) == 1 else (), heading=heading,
    )  # fmt: skip


def _teams(result: Replicates, question: Any) -> tuple[pl.DataFrame, list[str]]:
    """Decisions on pairs of one team, and how long the intervals of each model are."""
    from cranfield.collection.teams import read_teams, teams_by_prefix

    file, prefix = getattr(question, "teams", None), getattr(question, "team_prefix", None)
    first = next(iter(result.by_measure.values())).data
    grouping = read_teams(file) if file else teams_by_prefix(first.systems, first.tags, prefix or "")
    by_measure = result.teams(grouping)
    notes = []
    for measure, each in by_measure.items():
        notes.append(f"{measure}: {each.n_teams} teams with two runs or more, {each.n_pairs} pairs.")
        notes += [
            f"{measure}: mean interval length {model} teams {without:.4f} without interaction, {with_:.4f} with it."
            for _, model, without, with_ in each.lengths.iter_rows()
        ]
    return pl.concat([each.triples for each in by_measure.values()]), notes
