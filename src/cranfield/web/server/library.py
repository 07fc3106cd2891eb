"""The common way of a page: hand the data to the library, ask, and say how to do the same elsewhere."""

from __future__ import annotations

import dataclasses
from typing import Any

from cranfield.errors import quietly
from cranfield.executors import Progress
from cranfield.present.answer import answer
from cranfield.web.server.data import Dataset
from cranfield.web.server.outcome import Outcome


def ask_library(question: Any, dataset: Dataset, progress: Progress) -> Outcome:
    """What the public function of the question answers about the dataset."""
    dataset.require_valid(progress)
    question = by_measure(question, dataset)
    material = material_of(question, dataset)
    if dataset.lenient and question.takes == "runs":
        question = dataclasses.replace(question, lenient=True)
    with quietly():
        result = question.ask(*material, **({"progress": progress} if question.counts else {}))
    said = answer(result, question)
    command, python = snippets(question, dataset)
    return Outcome(said, command, python, warnings_of(said.warnings, material))


def by_measure(question: Any, dataset: Dataset) -> Any:
    """The question with its measure named: where it is about one and the address names none, the first of the data.

    Any other question that names no measure is about all of them, as on the command line.
    """
    known = dataset.measures()
    if not question.by_one_measure or question.measure or len(known) < 2:
        return question
    return dataclasses.replace(question, measure=known[:1] if question.of("measure").several else known[0])


def material_of(question: Any, dataset: Dataset) -> tuple[Any, ...]:
    """What the question is about, as the public function takes it."""
    if question.takes == "scores":
        return (dataset.scores(question.measure),)
    if question.takes in ("collections", "batches"):
        return (dataset.collections(question.measure),)
    if question.takes == "runs":
        return dataset.qrels(), dataset.runs()
    return ()


def warnings_of(said: tuple[str, ...], material: tuple[Any, ...] = ()) -> tuple[str, ...]:
    """What to know: about the data first, then about the result, each once."""
    before = [text for one in material for text in getattr(one, "warnings", ())]
    return tuple(dict.fromkeys((*before, *said)))


def snippets(question: Any, dataset: Dataset) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The same question in a terminal and in Python."""
    function = question.answered_by.rpartition(":")[2]
    if question.takes == "runs":
        qrels, runs = dataset.run_files()
        call = question.call(repr(qrels), literal(runs))
        return (*dataset.first_words(), question.words(qrels, *runs)), (imports(function), call)
    before, files = dataset.score_files(question.measure)
    python = read_lines(question, dataset, function)
    if before:
        question = dataclasses.replace(question, measure=None)  # the scores have no other measures then
    return (*before, question.words(*files)), (*python, question.call("scores"))


def read_lines(question: Any, dataset: Dataset, *names: str) -> tuple[str, str]:
    """Python that imports the names, and reads the scores the page used as `scores`."""
    _, files = dataset.score_files(question.measure)
    measures = dataset.measures_used(question.measure)
    if question.takes in ("collections", "past", "batches"):
        wanted = f", measure={measures[0]!r}" if len(measures) == 1 else ""
        return imports(*names, "read_collections"), f"scores = read_collections({literal(files)}{wanted})"
    if len(measures) == 1:
        pick = f"[{measures[0]!r}]"
    elif question.measure:
        pick = f".select(measures={measures!r})"
    else:
        pick = ".only()" if len(dataset.measures()) == 1 else ""
    return imports(*names, "read_scores"), f"scores = read_scores({literal(files)}){pick}"


def imports(*names: str) -> str:
    """The line that imports these names."""
    return f"from cranfield import {', '.join(sorted(names))}"


def literal(files: list[str]) -> str:
    """Names of files as Python."""
    return repr(files[0] if len(files) == 1 else files)
