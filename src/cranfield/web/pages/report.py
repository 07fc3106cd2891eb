"""The whole story of a collection in one HTML file."""

from __future__ import annotations

import dataclasses
from typing import Any

import polars as pl

from cranfield.defaults import REPORT_SECTIONS
from cranfield.executors import Progress
from cranfield.isolated_process import run_isolated
from cranfield.measures.registry import no_imports
from cranfield.present.answer import Answer
from cranfield.present.tables import Sheet
from cranfield.settings.report import ReportSettings
from cranfield.web.server.data import Dataset
from cranfield.web.server.library import imports, literal
from cranfield.web.server.outcome import Outcome
from cranfield.web.server.page import page


def build(material: dict[str, Any], settings: dict[str, Any], progress: Progress) -> tuple[str, str, str, list[str]]:
    """Title, headline, page and section titles of a report; runs in a process of its own, since it draws charts."""
    from cranfield.present.report import build_report

    with no_imports():
        made = build_report(**material, **settings, progress=progress)
    return made.title, made.headline, made.html, [section.title for section in made.sections]


def write_report(question: Any, dataset: Dataset, progress: Progress) -> Outcome:
    """The report, to open and to download."""
    contents = dataset.require_valid(progress)
    settings = {name: value for name, value in question.changed().items() if question.of(name).part == "question"}
    material: dict[str, Any]
    if contents.has_runs:
        material = {"qrels": dataset.qrels(), "runs": dataset.runs(), "lenient": dataset.lenient}
    else:
        dataset.matrix()  # says so where there are several collections
        material = {"scores": contents.scores, "source": dataset.name}
    title, headline, html, sections = run_isolated(build, material, settings, progress=progress)
    rows = pl.DataFrame({"section": range(1, len(sections) + 1), "title": sections})
    told = {"data": dataset.name, **settings}
    answer = Answer(
        title,
        {"sections": lambda: Sheet("report", rows, f"report: {title}", told, heading="What is in it")},
        sentences=(headline,),
    )
    command, python = _elsewhere(question, dataset, contents.has_runs)
    return Outcome(answer, command, python, file=html)


def _elsewhere(question: Any, dataset: Dataset, judged: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The same from the command line and from Python."""
    lists = {name: value for name in ("measures", "skip") if (value := getattr(question, name))}
    plain = [f"{name}={list(value)!r}" for name, value in lists.items()]
    call = dataclasses.replace(question, measures=None, skip=None).call
    if judged:
        qrels, runs = dataset.run_files()
        made = call(f"qrels={qrels!r}", f"runs={literal(runs)}", *plain)
        files, names = [qrels, *runs], ["build_report"]
    else:
        files, names = dataset.score_files(None)[1], ["build_report", "read_scores"]
        made = call(f"read_scores({literal(files)})", *plain)
    command = (*dataset.first_words(), question.words(*files)) if judged else (question.words(*files),)
    return command, (imports(*names), f"{made}.write('report.html')")


def stages(question: Any, dataset: Dataset | None) -> list[str]:
    """The sections in the order in which they are written."""
    judged = dataset is not None and (contents := dataset.peek()) is not None and contents.has_runs
    unwritten = {*(question.skip or ()), "reuse", "methods", *(() if judged else ("replicates",))}
    return [f"section {name}" for name in REPORT_SECTIONS if name not in unwritten]


page(
    "report",
    "Report",
    ReportSettings,
    heading="The whole story in one file",
    lead="Data, leaderboard, which systems differ, what the collection can detect, what the next one needs: an HTML "
    "file to mail and open anywhere.",
    button="Write the report",
    doing="Writing the report on",
    nothing="This takes a little while: choose data and write it.",
    brief="Build a report; once it is done, `/files/report/report.html` with the same settings is the report itself.",
    template="report.html",
    waits=True,
    answer=write_report,
    stages=stages,
    place=60,
)
