"""The answer of `preferences`: who is preferred, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.labels import plural
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    from cranfield.questions.preferences.preferences import PreferenceRanking

PREFERRED = sentence(
    "preferences.preferred",
    "{system} is preferred to every other system",
    "the system differs from all others after Holm's correction, and is the strongest",
)
MAY_BE_BEST = sentence(
    "preferences.may-be-best",
    "{count} of {systems} systems may be the most preferred{leader}",
    "two systems or more may have rank 1; the leader is named where one has the highest strength",
)
NOTES = (
    "strength: log odds of being preferred; the mean is 0. share: chance to be preferred to another system at random.",
    "lower, upper: {level} interval per system, with topics as clusters. rank_lower, rank_upper: for all at once.",
)


def headline(result: PreferenceRanking) -> str:
    """Who leads, and whether that is decided."""
    first, best = result.rows.row(0, named=True), result.rows.filter(pl.col("rank_lower") == 1).height
    if best == 1:
        return PREFERRED(system=first["system"])
    alone = result.rows.filter(pl.col("rank") == 1).height == 1
    return MAY_BE_BEST(count=best, systems=result.rows.height, leader=f"; {first['system']} leads" if alone else "")


def preferences_answer(result: PreferenceRanking, question: Any) -> Answer:
    """The ranking, and every pair."""
    said = headline(result)
    how = (result.signature, result.settings, result.warnings)
    sizes = f"{plural(result.n_comparisons, 'comparison')} on {plural(result.n_topics, 'topic')}"
    notes = tuple(note.format(level=f"{1 - result.alpha:.0%}") for note in NOTES)

    def ranking() -> Sheet:
        rows = result.rows.select(pl.lit("preference").alias("measure"), pl.all())
        return Sheet("preferences", rows, *how, title=f"{said} ({sizes})", notes=notes, hidden=("measure",))

    def pairs() -> Sheet:
        rows = result.pairs.select(pl.lit("preference").alias("measure"), pl.all())
        note = ("difference: of strengths. chance: a is preferred to b. p_adjusted: Holm, over all pairs.",)
        return Sheet("preferences", rows, *how, title=f"{said} ({sizes})", notes=note, hidden=("measure",))

    sheets = {"ranking": ranking, "pairs": pairs}
    if getattr(question, "show", "ranking") == "pairs":
        sheets = {"pairs": pairs, "ranking": ranking}
    alt = "One dot with whiskers per system: its strength and interval."
    return Answer(headline=said, sheets=sheets, charts=(Chart("strengths", "Strengths", alt, result, "strengths"),))
