"""The replicates page's question, put to the library: document partitions and what they say about the systems."""

from __future__ import annotations

from typing import Any

import polars as pl

from cranfield import defaults
from cranfield.executors import Progress
from cranfield.present.tables import Sheet
from cranfield.replicates import replicate
from cranfield.web.pages.comparisons import files_literal, imports
from cranfield.web.pages.questions import ReplicatesQuestion
from cranfield.web.pages.result import Chart, Result, Table
from cranfield.web.pages.snippets import command_line, python_call
from cranfield.web.server.data import Dataset

_ARGUMENT = {"resamples": "n_resamples", "partitions": "n_partitions", "splits": "n_splits"}
TOPICS_FIXED = "With the interaction term topics are fixed: the inference is to other documents, not to other topics."


def answer_replicates(question: ReplicatesQuestion, dataset: Dataset, progress: Progress) -> Result:
    """Effects with intervals, pairs, agreement over splits, and the same pairs by other tests."""
    dataset.require_valid(progress)
    settings = _settings(question)
    found = replicate(
        dataset.qrels(), dataset.runs(), _measure(question), **settings, lenient=dataset.lenient, progress=progress
    )

    def table(name: str, heading: str, rows: pl.DataFrame) -> Table:
        rows = rows.drop("measure", strict=False)
        return Table(name, heading, Sheet("replicates", rows, found.signature, found.settings, found.warnings))

    effects = "Dots with whiskers: each system's effect with its interval, averaged over the splits."
    votes = "Bars: how many pairs the splits agree on, and how strongly."
    methods = "Bars: pairs separated by replicates and by tests on the whole collection."
    return Result(
        headline=found.summary()[0],
        sentences=(TOPICS_FIXED,) if question.interaction else (),
        tables=(
            table("systems", "System effects, averaged over the splits", found.systems),
            table("pairs", "Pairs over all splits", found.pairs),
            table("agreement", "Agreement of the splits", found.agreement),
            table("comparison", "The same pairs by other tests", found.comparison()),
            table("splits", "The splits one by one", found.splits),
        ),
        charts=(
            Chart("effects", "System effects", effects, found, "effects"),
            Chart("agreement-chart", "Agreement of the splits", votes, found, "agreement"),
            Chart("methods", "Beside other tests", methods, found, "methods"),
        ),
        command=_command(question, dataset),
        python=_python(question, dataset),
        warnings=found.warnings,
    )


def _measure(question: ReplicatesQuestion) -> str:
    return question.measure or defaults.MEASURES[0]


def _settings(question: ReplicatesQuestion) -> dict[str, Any]:
    """The library's arguments."""
    given = question.model_dump(exclude={"data", "measure"})
    return {_ARGUMENT.get(name, name): value for name, value in given.items()}


def _changed(question: ReplicatesQuestion) -> dict[str, Any]:
    return question.model_dump(exclude={"data", "measure"}, exclude_defaults=True)


def _command(question: ReplicatesQuestion, dataset: Dataset) -> tuple[str, ...]:
    changed = _changed(question)
    options = {f"--{name}": value for name, value in changed.items() if name != "interaction"}
    options |= {"--no-interaction": not question.interaction, "--lenient": dataset.lenient}
    words = f"replicates {dataset.run_words()} -m {_measure(question)}"
    return (*dataset.first_words(), command_line(words, options))


def _python(question: ReplicatesQuestion, dataset: Dataset) -> tuple[str, ...]:
    qrels, _, runs = dataset.run_words().partition(" ")
    options = {_ARGUMENT.get(name, name): value for name, value in _changed(question).items()}
    call = python_call("replicate", repr(qrels), files_literal(runs), repr(_measure(question)), **options)
    return imports("replicate"), call
