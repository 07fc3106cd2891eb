"""Two systems of a comparison, topic by topic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from cranfield.errors import ArgumentError
from cranfield.executors import Progress
from cranfield.labels import positions
from cranfield.present.answer import Answer, Chart
from cranfield.present.tables import Sheet, p_text
from cranfield.settings import setting
from cranfield.settings.compare import CompareSettings
from cranfield.web.server.data import Dataset
from cranfield.web.server.outcome import Outcome
from cranfield.web.server.page import page


@dataclass(frozen=True, kw_only=True)
class PairSettings(CompareSettings):
    """The comparison, and the two systems to look at."""

    a: str = setting(help="A system.", flags=(), part="view")
    b: str = setting(help="The system it is held against.", flags=(), part="view")


def look_at_pair(question: Any, dataset: Dataset, progress: Progress, comparison: Outcome) -> Outcome:
    """The pair in the comparison, and its difference on every topic."""
    matrix = next(iter(dataset.scores(question.measure).values()))
    a, b = question.a, question.b
    at, other = positions("system", [a, b], matrix.systems)
    if a == b:
        raise ArgumentError(f"a pair needs two systems; got {a!r} twice. Choose another.")
    values = matrix.values[:, at] - matrix.values[:, other]
    second = b if b not in ("topic", "difference") else f"{b} "
    columns = {"topic": matrix.topics, a: matrix.values[:, at], second: matrix.values[:, other], "difference": values}
    topics = pl.DataFrame(columns).sort("difference", descending=True)
    pairs = comparison.answer.sheet("pairs")
    both = pl.Series([a, b]).implode()
    mine = pairs.rows.filter(
        pl.col("system_a").is_in(both) & pl.col("system_b").is_in(both) & (pl.col("measure") == matrix.measure)
    )
    sheets = {
        "topics": lambda: Sheet("compare", topics, pairs.signature, pairs.settings, heading="Topic by topic"),
    }
    sentence = "This pair was not tested: with a baseline, only systems against it are."
    if mine.height:
        sheets = {"pair": lambda: replace(_part(pairs, mine), heading="The pair in the comparison"), **sheets}
        row = mine.row(0, named=True)
        verdict = "differ significantly" if row["significant"] else "are not shown to differ"
        sentence = f"{row['system_a']} and {row['system_b']} {verdict}: adjusted p {p_text(row['p_adjusted'])}."
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    alt = f"Bars: the difference of {a} and {b} on every topic, largest first."
    answer = Answer(
        headline=f"{a} beats {b} on {wins} of {matrix.n_topics} topics and loses on {losses}",
        sentences=(sentence,),
        sheets=sheets,
        charts=(Chart("topics-chart", "Topic by topic", alt, matrix, "difference", {"a": a, "b": b}),),
        extra=comparison.answer.extra,
    )
    *before, call = comparison.python
    difference = f"scores.values[:, scores.systems.index({a!r})] - scores.values[:, scores.systems.index({b!r})]"
    python = (*before, f"result = {call}", difference)
    return Outcome(answer, comparison.command, python, comparison.warnings)


def _part(sheet: Sheet, rows: pl.DataFrame) -> Sheet:
    """Some rows of a table, with the marks that belong to them."""
    keys = ["measure", "system_a", "system_b"]
    kept = sheet.rows.select(keys).with_row_index().join(rows.select(keys), on=keys)["index"].to_list()
    marks = {name: [texts[at] for at in kept] for name, texts in sheet.superscripts.items()}
    return replace(sheet, rows=rows, superscripts=marks)


page(
    "pair",
    "Two systems",
    PairSettings,
    address="/compare/pair",
    heading="Two systems, topic by topic",
    doing="Comparing the systems of",
    nothing="Choose two systems on the compare page.",
    brief="Two systems topic by topic.",
    template="pair.html",
    answer=look_at_pair,
    starts_from="compare",
    place=None,
)
