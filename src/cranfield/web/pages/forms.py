"""Pages that differ a little from the command line: gate, reuse, cost, simulated scores, standardisation, tuning."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from cranfield.core.answer import answer
from cranfield.core.errors import ArgumentError, quietly
from cranfield.core.executors import Progress
from cranfield.core.labels import plural, summary
from cranfield.core.options import setting
from cranfield.core.question import Takes
from cranfield.questions.cost.question import CostQuestion
from cranfield.questions.gate.question import GateQuestion
from cranfield.questions.monitor.question import MonitorQuestion
from cranfield.questions.reuse.question import ReuseQuestion
from cranfield.questions.simulate.question import SimulateScoresQuestion
from cranfield.questions.standardise.fit import fit_standardisation
from cranfield.questions.standardise.question import ApplyQuestion, EffectQuestion
from cranfield.questions.tune.families import split_families
from cranfield.questions.tune.question import TuneQuestion
from cranfield.web.server.data import Dataset
from cranfield.web.server.outcome import Outcome, ask_library, by_measure, imports, literal, warnings_of
from cranfield.web.server.page import answers

ENDS = "-_.0123456789"
MOST_DRAWN = 1_000_000
"""Scores that the page draws at once."""


@dataclass(frozen=True, kw_only=True)
class GateForm(GateQuestion):
    """The settings of `gate`, about two systems of a dataset."""

    takes: ClassVar[Takes] = "scores"


answers(GateForm)(ask_library)


@dataclass(frozen=True, kw_only=True)
class ReuseForm(ReuseQuestion):
    """The settings of `reuse`, with teams told apart by the names of their runs."""

    team_ends: str = setting(
        ENDS, "A team's name ends before the first of these characters in the run tag.", flags=(), part="source",
        label="A team's name ends at",
    )  # fmt: skip


@answers(ReuseForm)
def reused(question: ReuseForm, dataset: Dataset, progress: Progress) -> Outcome:
    """Each team left out in turn; a class of characters, unlike a pattern of the user's, is matched in no time."""
    if not question.team_ends:
        raise ArgumentError(f"`team_ends` is empty. Enter the characters that end a team's name, such as {ENDS}")
    known = dataset.require_valid(progress)
    if known.has_runs and (lost := [run.tag for run in dataset.runs() if run.tag[:1] in question.team_ends]):
        raise ArgumentError(
            f"no team is left of {plural(len(lost), 'run tag')} ({summary(lost)}): `team_ends` has the first "
            "character. Remove it from `team_ends`."
        )
    return ask_library(replace(question, team_prefix=f"[^{re.escape(question.team_ends)}]+"), dataset, progress)


@dataclass(frozen=True, kw_only=True)
class CostForm(CostQuestion):
    """The settings of `cost`, about the runs of a dataset."""

    takes: ClassVar[Takes] = "runs"

    files: tuple[str, ...] = setting((), on_page=False, part="source")
    collection: tuple[str, ...] | None = setting(None, on_page=False, part="source")
    measures: tuple[str, ...] = setting(
        (), "Measure to evaluate by; repeatable.", "--measure", "-m", usual="the first in the data"
    )


@answers(CostForm)
def priced(question: CostForm, dataset: Dataset, progress: Progress) -> Outcome:
    """The price of every depth; with a budget the difference is the answer, and one that was typed is ignored."""
    dataset.require_valid(progress)
    question = replace(question, measures=question.measures or tuple(dataset.measures()[:1]))
    if question.budget is not None:
        question = replace(question, min_diff=None)
    with quietly():
        result = question.ask([(dataset.qrels(), dataset.runs())], progress=progress)
    qrels, runs = dataset.run_files()
    call = question.call(f"[({qrels!r}, {literal(runs)})]")
    said = answer(result, question)
    command = (*dataset.first_words(), question.words(qrels, *runs))
    return Outcome(said, command, (imports("cost"), call), said.warnings)


@answers(SimulateScoresQuestion)
def draw(question: SimulateScoresQuestion, dataset: Dataset, progress: Progress) -> Outcome:
    """The answer of the library, unless it would be too long for a page."""
    dataset.require_valid(progress)
    past = dataset.matrix(question.measure)
    asked = (question.n_topics or past.n_topics) * (question.n_systems or past.n_systems)
    if asked > MOST_DRAWN:
        raise ArgumentError(
            f"`n_topics` times `n_systems` must be at most {MOST_DRAWN:,} on the page; got {asked:,}. Use the "
            "command line for more."
        )
    return ask_library(question, dataset, progress)


@answers(EffectQuestion)
def standardise(question: EffectQuestion, dataset: Dataset, progress: Progress) -> Outcome:
    """What standardisation changes, with the factors and the scores themselves."""
    outcome = ask_library(question, dataset, progress)
    scores = dataset.scores(question.measure)
    applied = ApplyQuestion(factors="factors.csv", to=question.to, a=question.a, b=question.b)
    with quietly():
        factors = fit_standardisation(scores)
        done = factors.apply(scores, to=question.to, a=question.a, b=question.b)
    said, fitted, made = outcome.answer, answer(factors), answer(done)
    both = replace(
        said,
        sentences=(*said.sentences, *made.sentences),
        sheets={**said.sheets, **fitted.sheets, **made.sheets},
        charts=(*said.charts, *made.charts),
        on_page=(*said.shown, "factors", "scores"),
    )
    files = dataset.score_files(question.measure)[1]
    fit = f"cranfield standardise fit {shlex.join(files)} -o factors.csv"
    changed = [f"{name}={value!r}" for name, value in applied.changed().items() if name in ("to", "a", "b")]
    first, *lines = outcome.python
    imported = first.replace("import ", "import fit_standardisation, ", 1)
    python = (imported, *lines, f"fit_standardisation(scores).apply({', '.join(['scores', *changed])})")
    return replace(outcome, answer=both, command=(*outcome.command, fit, applied.words(*files)), python=python)


@answers(MonitorQuestion)
def monitored(question: MonitorQuestion, dataset: Dataset, progress: Progress) -> Outcome:
    """Several files are batches; one table is the whole plan, cut into its looks, unless the form says otherwise."""
    dataset.require_valid(progress)
    question = by_measure(question, dataset)
    batches = list(dataset.collections(question.measure).values())
    if len(batches) > 1 or question.anytime or question.per_look or question.max_topics:
        return ask_library(question, dataset, progress)
    topics = batches[0].only().n_topics
    cut = replace(question, per_look=max(2, -(-topics // question.looks)), max_topics=max(2, topics))
    outcome = ask_library(cut, dataset, progress)
    said = f"The {topics} topics are taken for all that were planned. If more will come, set “Max topics”."
    return replace(outcome, answer=replace(outcome.answer, sentences=(*outcome.answer.sentences, said)))


@answers(TuneQuestion)
def tuned(question: TuneQuestion, dataset: Dataset, progress: Progress) -> Outcome:
    """Every family's choice per fold, its held-out scores, and the curve over its parameters."""
    dataset.require_valid(progress)
    question = by_measure(question, dataset)
    collections = dataset.collections(question.measure)
    named: dict[str, Any] = {"pattern": question.pattern, "one_family": question.one_family}
    families = [
        family for name, scores in collections.items() for family in split_families(scores.only(), name=name, **named)
    ]
    with quietly():
        result = question.ask(families, progress=progress)
    said = answer(result, question)
    before, files = dataset.score_files(question.measure)
    words = (replace(question, measure=None) if before else question).words(*files)
    chosen = [f"{name}={value!r}" for name, value in {"measure": question.measure, **named}.items() if value]
    read = f"families = read_families({', '.join([literal(files), *chosen])})"
    python = ("from cranfield.tuning import read_families, tune", read, question.call("families"))
    return Outcome(said, (*before, words), python, warnings_of(said.warnings, collections.values()))
