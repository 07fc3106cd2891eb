"""What stands first in a report: a summary to paste into an overview paper, and the linked view."""

from __future__ import annotations

from typing import Any

from cranfield.comparison import MeasureComparisons
from cranfield.comparison.tests import TESTS
from cranfield.errors import CranfieldError, quietly
from cranfield.labels import joined, plural
from cranfield.paper.methods import how_found
from cranfield.present.charts.style import number
from cranfield.present.report import collection
from cranfield.present.report.case import Case, named
from cranfield.present.view import view_data
from cranfield.present.view.rankings import top_documents
from cranfield.sentences.design import AVERAGE_PAIR

ONE_MEASURE = 250
"""Of more systems than this a report carries the pairs by one measure only."""


def view_of(case: Case, title: str) -> dict[str, Any] | None:
    """The data of the linked view, with the top of every run where that is not too much; None without a comparison."""
    try:
        with quietly():
            several = case.comparison().n_systems <= ONE_MEASURE
            comparisons = list(case.comparisons().values()) if several else [case.comparison()]
            data = view_data(
                comparisons, case.scores, title=title, qrels=case.qrels, judged=case.judged_shares, teams=case.teams
            )
            if case.qrels is not None:
                data["rankings"] = top_documents(case.qrels, case.tops, data["topics"], data["systems"], "file")
            return data
    except CranfieldError:
        return None


def summary(case: Case, view: dict[str, Any]) -> str:
    """The findings in a paragraph that can be pasted: what was compared, how, and what came out."""
    result = case.comparison()
    teams = f" of {plural(len({team for team in view['teams'] if team}), 'team')}" if view["teams"] else ""
    test = TESTS[result.test].title
    title = f"{view['title']}: " if view["title"] else ""
    ways = how_found(MeasureComparisons((result,), result.across_measures))
    found = f", p by {joined(ways)}" if ways else ""
    said = [
        f"{title}{plural(result.n_systems, 'system')}{teams} were compared on {plural(result.n_topics, 'topic')} by "
        f"{named(list(case.scores), 8)}.",
        *view["measures"][0]["sentences"],
        f"Pairs were tested by {case.measure} with the {test[0].lower()}{test[1:]} over topics ({result.alternative}"
        f"{found}; {result.correction_text()} for {plural(result.family, 'comparison')}).",
    ]
    try:
        here = collection.detects(case, [result.n_topics]).row(0, named=True)
        said.append(
            AVERAGE_PAIR(
                topics=plural(result.n_topics, "topic"),
                apart=number(here["best_to_worst"]),
                measure=case.measure,
                power=case.power,
            )
        )
    except CranfieldError:
        pass
    return " ".join(said)
