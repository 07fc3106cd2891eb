"""Machine judgments beside those of people: the files of a dataset say by their names who judged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cranfield.core.answer import answer
from cranfield.core.errors import quietly
from cranfield.core.executors import Progress
from cranfield.core.options import setting
from cranfield.questions.judges.question import DesignJudgesQuestion, JudgesQuestion
from cranfield.web.server.data import Dataset, Judges
from cranfield.web.server.outcome import Outcome, by_measure, imports, literal
from cranfield.web.server.page import answers


@dataclass(frozen=True, kw_only=True)
class JudgesForm(JudgesQuestion):
    """The settings of `judges`, about the judges of a dataset."""

    human: tuple[str, ...] = setting((), on_page=False, part="source")
    machine: tuple[str, ...] = setting((), on_page=False, part="source")
    sampled: str = setting(
        "unknown", "How human topics were chosen.", choices=("unknown", "random"), label="Human topics"
    )


@dataclass(frozen=True, kw_only=True)
class DesignJudgesForm(DesignJudgesQuestion):
    """The settings of `design judges`, with the judges of a dataset as the pilot."""

    human: tuple[str, ...] = setting((), on_page=False, part="source")
    machine: tuple[str, ...] = setting((), on_page=False, part="source")


@answers(JudgesForm)
def judged(question: JudgesForm, dataset: Dataset, progress: Progress) -> Outcome:
    """Every machine beside the people, with the groups and the teams of the dataset."""
    dataset.require_valid(progress)
    found = dataset.judges()
    groups = Path(found.groups_file) if found.groups_file else None
    asked = replace(question, system_groups=groups)
    return _outcome(asked, dataset, found, system_groups=found.groups, teams=dataset.teams)


@answers(DesignJudgesForm)
def planned(question: DesignJudgesForm, dataset: Dataset, progress: Progress) -> Outcome:
    """Human topics that the next collection needs beside machine topics."""
    dataset.require_valid(progress)
    return _outcome(question, dataset, dataset.judges())


def _outcome(question: JudgesForm | DesignJudgesForm, dataset: Dataset, found: Judges, **material: Any) -> Outcome:
    """The answer about these judges, with the question as a command and in Python."""
    question = by_measure(question, dataset)
    has_runs = dataset.require_valid().has_runs
    with quietly():
        result = question.ask(found.people, found.machines, dataset.runs() if has_runs else None, **material)
    people, machines = found.files
    asked = replace(question, human=tuple(people), machine=tuple(machines))
    runs = dataset.run_files()[1] if has_runs else []
    said = answer(result, question)
    python = asked.call(repr(people), repr(machines), *([literal(runs)] if runs else []))
    command = *dataset.first_words(), asked.words(*runs)
    return Outcome(said, command, (imports(question.verb().__name__), python), said.warnings)
