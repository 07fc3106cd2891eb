"""Which systems differ: leaderboard and pairs, each of which leads to the pair topic by topic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from cranfield.core.answer import answer
from cranfield.core.errors import UnknownNameError
from cranfield.core.executors import Progress
from cranfield.core.options import setting
from cranfield.core.question import Page
from cranfield.questions.compare.question import CompareQuestion
from cranfield.web.server.data import Dataset
from cranfield.web.server.outcome import Outcome, ask_library
from cranfield.web.server.page import answers


@answers(CompareQuestion)
def compare(question: CompareQuestion, dataset: Dataset, progress: Progress) -> Outcome:
    """The comparison, with an address for every pair."""
    outcome = ask_library(question, dataset, progress)
    rows = outcome.answer.sheet("pairs").rows
    words = urlencode(question.query())
    several = len(outcome.answer.extra["comparisons"]) > 1
    links = [
        f"/compare/pair?{words}&{urlencode({'a': a, 'b': b, **({'by': measure} if several else {})})}"
        for measure, a, b in rows.select("measure", "system_a", "system_b").iter_rows()
    ]
    return replace(outcome, links={"pairs": links})


@dataclass(frozen=True, kw_only=True)
class PairQuestion(CompareQuestion):
    """The comparison, and the two systems to look at."""

    page = Page(
        name="pair",
        title="Two systems",
        address="/compare/pair",
        heading="Two systems, topic by topic",
        doing="Comparing the systems of",
        nothing="Choose two systems on the compare page.",
        brief="Two systems topic by topic.",
        template="pair.html",
    )

    a: str = setting(help="First system.", flags=(), part="view")
    b: str = setting(help="System to compare it with.", flags=(), part="view")
    by: str | None = setting(
        None, "Measure to show, where several were compared.", usual="the first", flags=(), part="view", label="by"
    )


@answers(PairQuestion, starts_from=CompareQuestion)
def look_at_pair(question: PairQuestion, dataset: Dataset, progress: Progress, comparison: Outcome) -> Outcome:
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
