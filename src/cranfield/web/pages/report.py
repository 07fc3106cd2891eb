"""The report of a collection: one HTML file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from cranfield.core.answer import Answer
from cranfield.core.defaults import REPORT_SECTIONS
from cranfield.core.executors import Progress, run_isolated
from cranfield.core.tables import Sheet
from cranfield.measures.registry import no_imports
from cranfield.questions.report.question import ReportQuestion
from cranfield.web.server.data import Dataset
from cranfield.web.server.outcome import Lines, Outcome, imports, literal
from cranfield.web.server.page import answers


def build(material: dict[str, Any], settings: dict[str, Any], progress: Progress) -> tuple[str, str, str, list[str]]:
    """Title, headline, page and section titles of a report; runs in a separate process, since it draws charts."""
    from cranfield.reports.report import report

    with no_imports():
        made = report(**material, **settings, progress=progress)
    return made.title, made.headline, made.html, [section.title for section in made.sections]


def stages(question: ReportQuestion, dataset: Dataset | None) -> list[str]:
    """The sections in the order in which they are written."""
    contents = None if dataset is None else dataset.peek()
    judged, twice = (False, False) if contents is None else (contents.has_runs, contents.has_machine)
    unwritten = {*(question.skip or ()), "reuse", "methods", *(() if judged else ("replicates",))}
    unwritten |= set() if twice else {"judges"}
    return [f"section {name}" for name in REPORT_SECTIONS if name not in unwritten]


@answers(ReportQuestion, stages=stages)
def write_report(question: ReportQuestion, dataset: Dataset, progress: Progress) -> Outcome:
    """The report, to open and to download."""
    contents = dataset.require_valid(progress)
    settings = {name: value for name, value in question.changed().items() if question.of(name).part == "question"}
    material: dict[str, Any]
    if contents.has_runs:
        material = {"qrels": dataset.qrels(), "runs": dataset.runs(), "lenient": dataset.lenient}
    else:
        dataset.matrix()  # says so where there are several collections
        material = {"scores": contents.scores, "source": dataset.name}
    if contents.has_machine:
        judges = dataset.judges()
        second = list(judges.people.values())[1:] or None
        material |= {"machine": list(judges.machines.values()), "second": second, "system_groups": judges.groups}
    title, headline, html, sections = run_isolated(build, material, settings, progress=progress)
    rows = pl.DataFrame({"section": range(1, len(sections) + 1), "title": sections})
    told = {"data": dataset.name, **settings}
    sheet = Sheet("report", rows, f"report: {title}", told, heading="What is in it")
    answer = Answer(title, {"sections": lambda: sheet}, sentences=(headline,))
    return Outcome(answer, *_elsewhere(question, dataset, contents.has_runs), file=html)


def _elsewhere(question: ReportQuestion, dataset: Dataset, judged: bool) -> tuple[Lines, Lines]:
    """The same from the command line and from Python."""
    lists = {"measures": question.measures, "skip": question.skip}
    plain = [f"{name}={list(value)!r}" for name, value in lists.items() if value]
    if (contents := dataset.peek()) is not None and contents.has_machine:
        judges = dataset.judges()
        people, machines = judges.files
        groups = Path(judges.groups_file) if judges.groups_file else None
        second = tuple(people[1:]) or None
        question = replace(question, machine=tuple(machines), second=second, system_groups=groups)
    call = replace(question, measures=None, skip=None).call
    if judged:
        qrels, runs = dataset.run_files()
        made = call(f"qrels={qrels!r}", f"runs={literal(runs)}", *plain)
        command = (*dataset.first_words(), question.words(qrels, *runs))
        return command, (imports("report"), f"{made}.write('report.html')")
    files = dataset.score_files(None)[1]
    made = call(f"read_scores({literal(files)})", *plain)
    return (question.words(*files),), (imports("read_scores", "report"), f"{made}.write('report.html')")
