"""One topic of a collection: every system on it, its place among the topics, and what two systems retrieved."""

from __future__ import annotations

import shlex
from typing import Any, ClassVar
from urllib.parse import urlencode

from cranfield.collection.pools import judged_counts
from cranfield.errors import quietly
from cranfield.executors import Progress
from cranfield.labels import positions
from cranfield.present.view.rankings import rankings
from cranfield.present.view.topic import topic_answer
from cranfield.records import record
from cranfield.settings import Settings, setting, shared
from cranfield.web.server.data import Dataset
from cranfield.web.server.library import by_measure, read_lines, warnings_of
from cranfield.web.server.outcome import Outcome
from cranfield.web.server.page import page


@record(kw_only=True)
class TopicSettings(Settings):
    """One topic: the scores of all systems on it, how hard it is among the others, and two ranked lists with grades."""

    takes: ClassVar[str] = "scores"
    by_one_measure: ClassVar[bool] = True
    brief: ClassVar[str] = "One topic: all systems on it, how hard it is, and two ranked lists with grades."

    measure: str | None = shared.one_measure()
    topic: str = setting(help="A topic.", flags=(), part="view")
    a: str | None = setting(None, "A system whose ranked list to show.", flags=(), part="view", usual="the best")
    b: str | None = setting(None, "The list beside it.", flags=(), part="view", usual="the second best")


def look_at_topic(question: Any, dataset: Dataset, progress: Progress) -> Outcome:
    """The topic by the scores, and by judgments and runs where there are any."""
    contents = dataset.require_valid(progress)
    matrix = dataset.matrix(question.measure)
    positions("topic", [question.topic], matrix.topics)
    counts, lists = None, None
    if contents.has_runs:
        runs = {run.system: run for run in dataset.runs()}
        chosen = [name for name in (question.a, question.b) if name]
        positions("system", chosen, list(runs))
        best = sorted(runs, key=lambda name: -matrix.system_means[matrix.systems.index(name)])
        pair = [question.a or next(name for name in best if name not in chosen)]
        pair.append(question.b or next(name for name in best if name not in pair))
        with quietly():
            lists = rankings(dataset.qrels(), [runs[name] for name in pair], question.topic)
        rows = judged_counts(dataset.qrels(), matrix.topics).iter_rows(named=True)
        counts = {row["topic"]: row for row in rows}
    said = topic_answer(matrix, question.topic, counts=counts, lists=lists)
    words = [(name, value) for name, value in question.query() if name != "topic"]
    links = [f"/topic?{urlencode([*words, ('topic', topic)])}" for topic in said.extra["hardest"]]
    python = (
        *read_lines(by_measure(question, dataset), dataset),
        f"scores.select(topics=[{question.topic!r}]).to_wide()",
    )
    before, files = dataset.score_files(matrix.measure)
    command = tuple(before) or (shlex.join(["cranfield", "convert", *files]),)
    return Outcome(said, command, python, warnings_of(said.warnings), links={"topics": links})


page(
    "topic",
    "Topic",
    TopicSettings,
    heading="One topic",
    doing="Looking at a topic of",
    nothing="Choose a topic on the page of a dataset.",
    template="topic.html",
    answer=look_at_topic,
    place=None,
)
