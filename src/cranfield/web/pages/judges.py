"""Machine judgments beside those of people: the files of a dataset say by their names who judged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from cranfield.core.answer import answer
from cranfield.core.errors import quietly
from cranfield.core.executors import Progress
from cranfield.core.options import setting
from cranfield.questions.judges.question import JudgesQuestion
from cranfield.web.server.data import Dataset
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


@answers(JudgesForm)
def judged(question: JudgesForm, dataset: Dataset, progress: Progress) -> Outcome:
    """Every machine beside the people, with the groups and the teams of the dataset."""
    dataset.require_valid(progress)
    question, found = by_measure(question, dataset), dataset.judges()
    with quietly():
        result = question.ask(
            found.people, found.machines, dataset.runs(), system_groups=found.groups, teams=dataset.teams
        )
    people, machines = found.files
    groups = Path(found.groups_file) if found.groups_file else None
    asked = replace(question, human=tuple(people), machine=tuple(machines), system_groups=groups)
    runs = dataset.run_files()[1]
    said = answer(result, question)
    python = asked.call(repr(people), repr(machines), literal(runs))
    command = *dataset.first_words(), asked.words(*runs)
    return Outcome(said, command, (imports("judges"), python), said.warnings)
