"""Looking at a collection: the data of the linked view that a dataset's page shows, and one topic of it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar
from urllib.parse import urlencode

from cranfield.collection.pools import judged_counts, judged_share
from cranfield.core import options as shared
from cranfield.core.answer import answer
from cranfield.core.errors import quietly
from cranfield.core.executors import Progress
from cranfield.core.labels import positions
from cranfield.core.options import setting
from cranfield.core.question import Page, Place, Question, Takes
from cranfield.questions.leaderboard.question import LeaderboardQuestion
from cranfield.reports.view.data import JUDGED_DEPTH, view_data
from cranfield.reports.view.topic import rankings, topic_answer, topics_frame
from cranfield.web.server.data import Dataset
from cranfield.web.server.outcome import Outcome, by_measure, material_of, read_lines, snippets, warnings_of
from cranfield.web.server.page import answers


@dataclass(frozen=True, kw_only=True)
class ViewForm(LeaderboardQuestion):
    """The settings of `leaderboard`; the view fetches one measure after the other."""

    by_one_measure: ClassVar[bool] = True
    page = Page(
        name="view",
        title="Leaderboard and map",
        heading="The collection at a glance",
        doing="Comparing the systems of",
        brief="The leaderboard, and in `view` the packed data of the linked view.",
    )


@dataclass(frozen=True, eq=False)
class ViewOutcome(Outcome):
    """A leaderboard, with the data of the view."""

    view: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The leaderboard as everywhere, and the view's data."""
        return {**super().to_dict(), "view": self.view}


@answers(ViewForm)
def look(question: ViewForm, dataset: Dataset, progress: Progress) -> ViewOutcome:
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
    said = replace(answer(result, question), on_page=("leaderboard",))
    command, python = snippets(question, dataset)
    return ViewOutcome(said, command, python, warnings_of(said.warnings, material), view=data)


@dataclass(frozen=True, kw_only=True)
class TopicQuestion(Question):
    """One topic: the scores of all systems on it, how hard it is among the others, and two ranked lists with grades."""

    takes: ClassVar[Takes] = "scores"
    by_one_measure: ClassVar[bool] = True
    page = Page(
        name="topic",
        title="Topics",
        place=Place.TOPICS,
        heading="Topics",
        doing="Looking at a topic of",
        brief="One topic: all systems on it, how hard it is, and two ranked lists with grades.",
        template="topic.html",
    )

    measure: str | None = shared.one_measure()
    topic: str | None = setting(None, "Topic to show.", flags=(), part="view", usual="the hardest")
    a: str | None = setting(None, "System whose ranked list to show.", flags=(), part="view", usual="the best")
    b: str | None = setting(
        None, "System whose list to show beside it.", flags=(), part="view", usual="the second best"
    )


@answers(TopicQuestion)
def look_at_topic(question: TopicQuestion, dataset: Dataset, progress: Progress) -> Outcome:
    """The topic by the scores, and by judgments and runs where there are any."""
    contents = dataset.require_valid(progress)
    matrix = dataset.matrix(question.measure)
    topic = question.topic or topics_frame(matrix, None)["topic"][0]
    positions("topic", [topic], matrix.topics)
    counts, lists = None, None
    if contents.has_runs:
        runs = {run.system: run for run in dataset.runs()}
        chosen = [name for name in (question.a, question.b) if name]
        positions("system", chosen, list(runs))
        best = sorted(runs, key=lambda name: -matrix.system_means[matrix.systems.index(name)])
        pair = [question.a or next(name for name in best if name not in chosen)]
        pair.append(question.b or next(name for name in best if name not in pair))
        with quietly():
            lists = rankings(dataset.qrels(), [runs[name] for name in pair], topic, titles=dataset.titles())
        rows = judged_counts(dataset.qrels(), matrix.topics).iter_rows(named=True)
        counts = {row["topic"]: row for row in rows}
    said = topic_answer(matrix, topic, counts=counts, lists=lists)
    words = [(name, value) for name, value in question.query() if name != "topic"]
    links = [f"/topic?{urlencode([*words, ('topic', topic)])}" for topic in said.extra["hardest"]]
    pick = f"scores.select(topics=[{topic!r}]).to_wide()"
    python = (*read_lines(by_measure(question, dataset), dataset), pick)
    before, files = dataset.score_files(matrix.measure)
    command = tuple(before) or (shlex.join(["cranfield", "convert", *files]),)
    return Outcome(said, command, python, warnings_of(said.warnings), links={"topics": links})
