"""The report page's question, put to the library: the whole story of a collection in one HTML file."""

from __future__ import annotations

from typing import Any

import polars as pl

from cranfield.executors import Progress
from cranfield.present.tables import Sheet
from cranfield.scores import Scores
from cranfield.web.pages.comparisons import files_literal, imports
from cranfield.web.pages.questions import ReportQuestion
from cranfield.web.pages.result import Result, Table
from cranfield.web.pages.snippets import command_line, python_call
from cranfield.web.server.data import Dataset
from cranfield.web.server.isolated_process import run_apart

_ARGUMENT = {"resamples": "n_resamples", "systems": "n_systems", "measure": "measures"}


def build(material: dict[str, Any], settings: dict[str, Any], progress: Progress) -> tuple[str, str, str, list[str]]:
    """Title, headline, page and section titles of a report; runs in a process of its own, since it draws charts."""
    from cranfield.present.report import build_report

    made = build_report(**material, **settings, progress=progress)
    return made.title, made.headline, made.html, [section.title for section in made.sections]


def answer_report(question: ReportQuestion, dataset: Dataset, progress: Progress) -> Result:
    """The report, to open and to download."""
    contents = dataset.require_valid(progress)
    material: dict[str, Any]
    settings = {_ARGUMENT.get(name, name): value for name, value in _changed(question).items()}
    if contents.has_runs:
        material = {"qrels": dataset.qrels(), "runs": list(dataset.runs()), "lenient": dataset.lenient}
    else:
        scores = dataset.matrix(question.measure[0]) if question.measure and len(question.measure) == 1 else None
        material = {"scores": Scores([scores]) if scores else contents.scores, "source": dataset.name}
        if scores is None:
            dataset.matrix()  # says so where there are several collections
    title, headline, html, sections = run_apart(build, material, settings, progress=progress)
    rows = pl.DataFrame({"section": range(1, len(sections) + 1), "title": sections})
    answer = Sheet("report", rows, f"report: {title}", {"data": dataset.name, **settings})
    return Result(
        headline=title,
        sentences=(headline,),
        tables=(Table("sections", "What is in it", answer),),
        charts=(),
        command=_command(question, dataset, contents.has_runs),
        python=_python(question, dataset, contents.has_runs),
        extra={"html": html},
    )


def _changed(question: ReportQuestion) -> dict[str, Any]:
    return question.model_dump(exclude={"data"}, exclude_defaults=True)


def _command(question: ReportQuestion, dataset: Dataset, judged: bool) -> tuple[str, ...]:
    options = {f"--{name.replace('_', '-')}": value for name, value in _changed(question).items()}
    words = dataset.run_words() if judged else dataset.score_words(None)[1]
    return (*dataset.first_words(), command_line(f"report {words}", options))


def _python(question: ReportQuestion, dataset: Dataset, judged: bool) -> tuple[str, ...]:
    options = {_ARGUMENT.get(name, name): value for name, value in _changed(question).items()}
    several = {name: options.pop(name) for name in ("measures", "skip") if name in options}
    plain = "".join(f", {name}={value!r}" for name, value in several.items())
    if not judged:
        files = files_literal(dataset.score_words(None)[1])
        call = python_call("build_report", f"read_scores({files}){plain}", **options)
        return imports("build_report", "read_scores"), f"{call}.write('report.html')"
    qrels, _, runs = dataset.run_words().partition(" ")
    call = python_call("build_report", f"qrels={qrels!r}, runs={files_literal(runs)}{plain}", **options)
    return imports("build_report"), f"{call}.write('report.html')"
