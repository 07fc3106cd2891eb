"""What standardisation says: factors, standardised scores, their robustness, and what standardising changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.present.answer import Answer, Chart, answers
from cranfield.present.tables import Sheet
from cranfield.sentences.standardise import LEFT_OUT

if TYPE_CHECKING:
    import polars as pl

    from cranfield.standardise import Robustness, Standardisation, Standardised


@answers("Standardisation")
def factors_answer(result: Standardisation, settings: Any) -> Answer:
    """The factors of every topic."""
    shown = {"measures": list(result), "version": result.version, "provenance": list(result.provenance)}

    def sheet() -> Sheet:
        return Sheet(
            "standardise fit", result.to_frame(), result.signature, shown, result.warnings,
            title="Standardisation factors", heading="Factors of every topic", read_back=True,
        )  # fmt: skip

    return Answer(headline=f"Standardisation factors by {', '.join(result)}", sheets={"factors": sheet})


@answers("Standardised")
def standardised_answer(result: Standardised, settings: Any) -> Answer:
    """The scores in standard units."""
    counts = [vars(count) for count in result.counts]
    asked = {} if settings is None else {"factors": settings.factors}
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


@answers("Robustness")
def robustness_answer(result: Robustness, settings: Any) -> Answer:
    """How far systems move when they are left out."""
    name, title = "standardise robustness", "Left-out systems by factors fitted with and without them"
    summary = result.by_measure().to_dicts()
    notes = tuple(LEFT_OUT(**{place: row[place] for place in LEFT_OUT.places}) for row in summary)
    how = {} if settings is None else {"to": settings.to, "a": settings.a, "b": settings.b}

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
