"""The collection at a glance: the data of the linked view that a dataset's page shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from cranfield.collection.coverage import judged_share
from cranfield.errors import quietly
from cranfield.executors import Progress
from cranfield.present.answer import answer
from cranfield.present.view.data import JUDGED_DEPTH, view_data
from cranfield.records import record
from cranfield.settings.compare import LeaderboardSettings
from cranfield.web.server.data import Dataset
from cranfield.web.server.library import by_measure, material_of, snippets, warnings_of
from cranfield.web.server.outcome import Outcome
from cranfield.web.server.page import page


@record(kw_only=True)
class ViewQuestion(LeaderboardSettings):
    """The settings of `leaderboard`; the view fetches one measure after the other."""

    by_one_measure: ClassVar[bool] = True


@dataclass(frozen=True, eq=False)
class ViewOutcome(Outcome):
    """A leaderboard, with the data of the view."""

    view: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The leaderboard as everywhere, and the view's data."""
        return {**super().to_dict(), "view": self.view}


def look(question: Any, dataset: Dataset, progress: Progress) -> ViewOutcome:
    """All pairs of the systems, and everything the view shows of them."""
    contents = dataset.require_valid(progress)
    question = by_measure(question, dataset)
    material = material_of(question, dataset)
    with quietly():
        result = question.ask(*material, progress=progress)
        comparisons = list(result.values()) if isinstance(result, Mapping) else [result]
        assert contents.scores is not None  # there was something to compare
        judged: dict[str, Any] = {}
        if contents.has_runs:
            shares = judged_share(dataset.qrels(), dataset.runs(), depth=JUDGED_DEPTH)
            judged = {"qrels": dataset.qrels(), "judged": dict(shares.iter_rows())}
        scores = contents.scores if comparisons[0].measure in contents.scores else material[0]
        data = view_data(comparisons, scores, title=dataset.title, teams=dataset.teams, **judged)
    said = dataclasses.replace(answer(result, question), on_page=("leaderboard",))
    command, python = snippets(question, dataset)
    return ViewOutcome(said, command, python, warnings_of(said.warnings, material), view=data)


page(
    "view",
    "View",
    ViewQuestion,
    heading="The collection at a glance",
    doing="Comparing the systems of",
    brief="The leaderboard, and in `view` everything the linked view of a collection shows, packed for the page.",
    answer=look,
    place=None,
)
