"""The tuning page's question, put to the library: parameters chosen on training topics, scored on held-out ones."""

from __future__ import annotations

from typing import Any

from cranfield import defaults
from cranfield.executors import Progress
from cranfield.present.tables import Sheet
from cranfield.tuning import HoldOut, LeaveOneOut, NFold, split_families, tune
from cranfield.web.pages.comparisons import read_lines
from cranfield.web.pages.questions import TuningQuestion
from cranfield.web.pages.result import Chart, Result, Table
from cranfield.web.pages.snippets import command_line, python_call
from cranfield.web.server.data import Dataset


def answer_tuning(question: TuningQuestion, dataset: Dataset, progress: Progress) -> Result:
    """Every family's choice per fold, its held-out scores, and the curve over its parameters."""
    dataset.require_valid(progress)
    families: list[Any] = []
    for name, scores in dataset.collections(question.measure).items():
        families += split_families(scores.only(), question.pattern, name=name)
    found = tune(families, _splitter(question), progress=progress)
    curve = found.curve(n_resamples=question.resamples, seed=question.seed, alpha=question.alpha, progress=progress)
    settings = {"measure": found.measure, "folds": found.folds.description, "seed": question.seed}

    def table(key: str, heading: str, rows: Any) -> Table:
        return Table(key, heading, Sheet("tune", rows, found.signature, settings, found.warnings))

    best = max(found.families, key=lambda one: one.held_out_mean)
    options = {"n_resamples": question.resamples, "seed": question.seed, "alpha": question.alpha}
    return Result(
        headline=f"Expect {best.held_out_mean:.4f} {found.measure} of {best.name} on unseen topics",
        sentences=tuple(_sentence(one) for one in found.families[:5]),
        tables=(
            table("families", "Families", found.summary()),
            table("folds", "Fold by fold", found.to_frame()),
            table("curve", "Every setting", curve),
            table("held-out", "Held-out scores", found.held_out.to_wide()),
        ),
        charts=(
            Chart("curve-chart", "The parameter", "Curve: mean over the parameter with a band; chosen settings ringed.",
                  found, "curve", options),
            Chart("folds-chart", "What the folds chose", "Points: the setting chosen in every fold.", found, "folds"),
        ),
        command=_command(question, dataset),
        python=_python(question, dataset),
        warnings=(*dataset.warnings(found.measure), *found.warnings),
    )  # fmt: skip


def _sentence(family: Any) -> str:
    folds = len(family.choices)
    edge = f" {' and '.join(family.at_edge)} lies at the edge of what was tried." if family.at_edge else ""
    return (
        f"{family.name}: use {family.final}, chosen in {round(family.agreement * folds)} of {folds} folds; its mean on "
        f"all topics, {family.in_sample_mean:.4f}, is {family.optimism:.4f} too good.{edge}"
    )


def _splitter(question: TuningQuestion) -> NFold | LeaveOneOut | HoldOut:
    if question.split == "leave-one-out":
        return LeaveOneOut()
    if question.split == "holdout":
        return HoldOut(question.share, question.repeats, question.stratified, question.seed)
    return NFold(question.folds, question.repeats, question.stratified, question.seed)


def _command(question: TuningQuestion, dataset: Dataset) -> tuple[str, ...]:
    before, words = dataset.score_words(question.measure)
    options: dict[str, Any] = {
        "--measure": None if before else question.measure,
        "--folds": question.folds if question.split == "folds" and question.folds != defaults.FOLDS else None,
        "--leave-one-out": question.split == "leave-one-out",
        "--holdout": question.share if question.split == "holdout" else None,
        "--repeats": question.repeats if question.repeats != 1 else None,
        "--stratified": question.stratified and question.split != "leave-one-out",
        "--pattern": question.pattern,
        "--seed": question.seed if question.seed != defaults.SEED else None,
    }
    return (*before, command_line(f"tune {words}", options))


def _python(question: TuningQuestion, dataset: Dataset) -> tuple[str, ...]:
    if question.split == "leave-one-out":
        splitter = "LeaveOneOut()"
    else:
        kind, first = ("HoldOut", question.share) if question.split == "holdout" else ("NFold", question.folds)
        rest = {"n_repeats": question.repeats, "stratified": question.stratified, "seed": question.seed}
        usual = {"n_repeats": 1, "stratified": False, "seed": defaults.SEED}
        changed = {name: value for name, value in rest.items() if value != usual[name]}
        splitter = python_call(kind, f"{first:g}", **changed)
    first_line, read = read_lines(dataset, question.measure, splitter.partition("(")[0], "tune")
    if question.pattern is None:
        return (first_line, read, f"tune(scores, {splitter})")
    split = f"from cranfield.tuning import split_families\nfamilies = split_families(scores, {question.pattern!r})"
    return (first_line, *split.splitlines()[:1], read, split.splitlines()[1], f"tune(families, {splitter})")
