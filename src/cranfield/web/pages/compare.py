"""Which systems differ: leaderboard and pairs, each of which leads to the pair topic by topic."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from cranfield.executors import Progress
from cranfield.settings.compare import CompareSettings
from cranfield.web.server.data import Dataset
from cranfield.web.server.library import ask_library
from cranfield.web.server.outcome import Outcome
from cranfield.web.server.page import page


def compare(question: Any, dataset: Dataset, progress: Progress) -> Outcome:
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


page(
    "compare",
    "Compare",
    CompareSettings,
    heading="Which systems differ?",
    button="Compare",
    doing="Comparing the systems of",
    brief="Which systems differ: every pair, or every system against baselines; the leaderboard is in `tables`.",
    template="compare.html",
    answer=compare,
    live=True,
    place=20,
)
