"""Two systems of a comparison, topic by topic."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cranfield.errors import UnknownNameError
from cranfield.executors import Progress
from cranfield.present.answer import answer
from cranfield.records import record
from cranfield.settings import setting
from cranfield.settings.compare import CompareSettings
from cranfield.web.server.data import Dataset
from cranfield.web.server.outcome import Outcome
from cranfield.web.server.page import page


@record(kw_only=True)
class PairSettings(CompareSettings):
    """The comparison, and the two systems to look at."""

    a: str = setting(help="A system.", flags=(), part="view")
    b: str = setting(help="The system it is held against.", flags=(), part="view")
    by: str | None = setting(
        None, "By which of the measures compared.", usual="the first", flags=(), part="view", label="by"
    )


def look_at_pair(question: Any, dataset: Dataset, progress: Progress, comparison: Outcome) -> Outcome:
    """The pair in the comparison, and its difference on every topic."""
    comparisons = comparison.answer.extra["comparisons"]
    if question.by is not None and question.by not in comparisons:
        raise UnknownNameError("measure", question.by, comparisons)
    result = comparisons[question.by or next(iter(comparisons))].pair(question.a, question.b)
    *before, call = comparison.python
    pick = f"[{result.comparison.measure!r}]" if len(comparisons) > 1 else ""
    python = (*before, f"{call}{pick}.pair({question.a!r}, {question.b!r})")
    said = answer(result, question)
    said = replace(said, extra={**said.extra, "comparisons": comparisons})
    return Outcome(said, comparison.command, python, comparison.warnings)


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
