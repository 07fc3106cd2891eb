"""`Outcome`: an answer for page and API, with the same question as a command and in Python.

`ask_library` makes one: it hands the data to the library and asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, TypeVar

import polars as pl

from cranfield.core import pages
from cranfield.core.answer import Answer, answer
from cranfield.core.errors import UnknownNameError, quietly
from cranfield.core.executors import Progress
from cranfield.core.formats import downloads
from cranfield.core.question import Question
from cranfield.core.tables import Sheet
from cranfield.questions.across.question import CollectedQuestion
from cranfield.web.server.data import Dataset

Asked = TypeVar("Asked", bound=Question)
Lines = tuple[str, ...]
CHART_FORMATS = ("svg", "pdf")
_MEDIA_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "html": "text/html; charset=utf-8"}
_SENTENCES = re.compile(r"(?<=[\w)\]%]\.) (?=[A-Z\d])")
"""Between two sentences of a headline."""
MOST_ROWS = 250
"""Rows a page shows of a table; downloads hold them all."""


@dataclass(frozen=True, eq=False)
class Table(pages.Table):
    """A sheet on a page.

    Attributes
    ----------
    links : an address for every row, where rows lead somewhere
    known : what the page says already
    first : columns the page puts before the others; downloads keep the order of the command line
    """

    links: Sequence[str] = ()
    known: tuple[str, ...] = ()
    first: tuple[str, ...] = ()

    @cached_property
    def visible(self) -> Sheet:
        """The rows as people read them, the first of very many."""
        shown = super().visible
        before = [name for name in self.first if name in shown.rows.columns]
        return replace(shown, rows=shown.rows.select(*before, pl.exclude(before))) if before else shown

    @property
    def link_column(self) -> int:
        """The column whose cells lead somewhere: the first that is no measure."""
        return 1 if self.links and self.columns[0][0] == "measure" else 0

    @property
    def notes(self) -> list[str]:
        """The lines below it that the page does not have elsewhere, with the names of columns as its head has them."""
        named = [name for name in self.frame.columns if "_" in name]
        notes = [note for note in self.sheet.notes if note and note not in self.known]
        return [reduce(lambda text, name: text.replace(name, name.replace("_", " ")), named, note) for note in notes]


@dataclass(frozen=True, eq=False)
class Outcome:
    """An answer, with how to get the same elsewhere.

    Parameters
    ----------
    answer : what the result says
    command, python : the same question in a terminal and in Python, one line each
    warnings : what to know before relying on it
    links : for a table, by name: an address for every row
    file : a document to download instead of tables
    """

    answer: Answer
    command: tuple[str, ...]
    python: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    links: Mapping[str, Sequence[str]] = field(default_factory=dict)
    file: str = ""

    def __post_init__(self) -> None:
        for name in self.answer.shown:  # made now, in the job, not when the page is drawn
            self.answer.sheet(name)

    @property
    def said(self) -> list[str]:
        """The headline in pieces, as a page shows it: its first sentence, then the others, then the further lines."""
        first, *lines = self.answer.headline.splitlines() or [""]
        return [*_SENTENCES.split(first), *lines]

    def table(self, name: str) -> Table:
        """A table by name."""
        lines = self.answer.headline.splitlines()
        known = (*lines, *(f"{line}." for line in lines), *self.answer.sentences)
        first = self.answer.extra.get("first_columns", {}).get(name, ())
        sheet = self.answer.sheet(name)
        heading = sheet.heading or sheet.title or name
        return Table(name, heading, sheet, MOST_ROWS, self.links.get(name, ()), known, first)

    @property
    def tables(self) -> list[Table]:
        """The tables a page shows; a note that several have stands below the first."""
        shown: list[Table] = []
        for name in self.answer.shown:
            said = tuple(note for one in shown for note in one.sheet.notes)
            table = self.table(name)
            shown.append(replace(table, known=(*table.known, *said)))
        return shown

    def to_dict(self) -> dict[str, Any]:
        """The envelope of the command line's JSON, with the headline, the further tables and both ways to repeat it."""
        said = {"warnings": list(self.warnings), "command_line": list(self.command), "python": list(self.python)}
        return {**self.answer.to_dict(), **said}

    def table_bytes(self, name: str, ending: str) -> bytes:
        """A table as a file."""
        formats = downloads()
        if ending not in formats:
            raise unknown_ending(ending)
        return formats[ending].write(self.answer.sheet(name))


def unknown_ending(ending: str) -> UnknownNameError:
    """The error that lists what tables and charts can be downloaded as."""
    return UnknownNameError("format", ending, [*downloads(), *CHART_FORMATS])


def media_type(ending: str) -> str:
    """What a download of this ending is."""
    known = downloads().get(ending)
    return known.media_type if known is not None else _MEDIA_TYPES[ending.rpartition(".")[2]]


# ── the answer of the library ─────────────────────────────────────────────────────────────────────────────────────


def ask_library(question: Question, dataset: Dataset, progress: Progress) -> Outcome:
    """What the public function of the question answers about the dataset."""
    dataset.require_valid(progress)
    question = by_measure(question, dataset)
    material = material_of(question, dataset)
    if dataset.lenient and question.takes == "runs":
        question = changed(question, lenient=True)
    with quietly():
        result = question.ask(*material, **({"progress": progress} if question.counts else {}))
    said = answer(result, question)
    command, python = snippets(question, dataset)
    return Outcome(said, command, python, warnings_of(said.warnings, material))


def measure_of(question: Question) -> Any:
    """The measure that a question names, or several, or none."""
    return getattr(question, "measure", None)


def changed(question: Asked, **settings: Any) -> Asked:
    """The question with other settings."""
    return replace(question, **settings)


def by_measure(question: Asked, dataset: Dataset) -> Asked:
    """The question with its measure named: where it is about one and the address names none, the first of the data.

    A question may prefer another measure that the data have.

    Any other question that names no measure is about all of them, as on the command line.
    """
    known = dataset.measures()
    if not question.by_one_measure or measure_of(question) or len(known) < 2:
        return question
    first = question.prefers if question.prefers in known else known[0]
    return changed(question, measure=[first] if question.of("measure").several else first)


def material_of(question: Question, dataset: Dataset) -> tuple[Any, ...]:
    """What the question is about, as the public function takes it."""
    if isinstance(question, CollectedQuestion):
        return dataset.collected(question), question.missing
    if question.takes == "scores":
        return (dataset.scores(measure_of(question)),)
    if question.takes in ("collections", "batches"):
        return (dataset.collections(measure_of(question)),)
    return (dataset.qrels(), dataset.runs()) if question.takes == "runs" else ()


def warnings_of(said: Lines, material: Iterable[object] = ()) -> Lines:
    """What to know: about the data first, then about the result, each once."""
    before = [text for one in material for text in getattr(one, "warnings", ())]
    return tuple(dict.fromkeys((*before, *said)))


def snippets(question: Question, dataset: Dataset) -> tuple[Lines, Lines]:
    """The same question in a terminal and in Python."""
    function = question.verb().__name__
    if question.takes == "runs":
        qrels, runs = dataset.run_files()
        call = question.call(repr(qrels), literal(runs))
        return (*dataset.first_words(), question.words(qrels, *runs)), (imports(function), call)
    before, files = dataset.score_files(measure_of(question))
    python = read_lines(question, dataset, function)
    if before:
        question = changed(question, measure=None)  # the scores have no other measures then
    return (*before, question.words(*files)), (*python, question.call("scores"))


def read_lines(question: Question, dataset: Dataset, *names: str) -> Lines:
    """Python that imports the names, and reads the scores the page used as `scores`."""
    named = measure_of(question)
    if isinstance(question, CollectedQuestion):
        return imports(*names), f"scores = {literal(dataset.score_files(named)[1])}"
    files, measures = literal(dataset.score_files(named)[1]), dataset.measures_used(named)
    if question.takes in ("collections", "past", "batches"):
        wanted = f", measure={measures[0]!r}" if len(measures) == 1 else ""
        return imports(*names, "read_collections"), f"scores = read_collections({files}{wanted})"
    if len(measures) == 1:
        pick = f"[{measures[0]!r}]"
    elif named:
        pick = f".select(measures={measures!r})"
    else:
        pick = ".only()" if len(dataset.measures()) == 1 else ""
    return imports(*names, "read_scores"), f"scores = read_scores({files}){pick}"


def imports(*names: str) -> str:
    """The line that imports these names."""
    return f"from cranfield import {', '.join(sorted(names))}"


def literal(files: list[str]) -> str:
    """Names of files as Python."""
    return repr(files[0] if len(files) == 1 else files)
