"""Parameters chosen on training topics, scored on held-out ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cranfield import defaults
from cranfield.errors import quietly
from cranfield.executors import Progress
from cranfield.present.answer import Answer, Chart
from cranfield.present.tables import Sheet
from cranfield.settings import Settings, setting, shared
from cranfield.settings.tuning import TuneSettings
from cranfield.tuning import HoldOut, LeaveOneOut, NFold, split_families, tune
from cranfield.web.server.data import Dataset
from cranfield.web.server.library import read_lines
from cranfield.web.server.outcome import Outcome
from cranfield.web.server.page import page


@dataclass(frozen=True, kw_only=True)
class TuningQuestion(Settings):
    """The settings of `tune`, with one choice for the way topics are held out."""

    takes = "scores"

    measure: str | None = shared.measure("Measure to tune for; the dataset's first unless named.", usual="")
    pattern: str | None = setting(
        None, "How systems are named, such as {family}-mu{mu}. Blank: name(parameter=value,…), one file per family.",
        label="How systems are named",
    )  # fmt: skip
    split: str = setting(
        "folds", "How topics are held out.", choices=("folds", "leave-one-out", "holdout"), label="Hold out"
    )
    folds: int = setting(defaults.FOLDS, "With split=folds.", least=-1000, most=1000)
    share: float = setting(defaults.HOLDOUT, "With split=holdout.", label="Share held out", least=-1e9, most=1e9)
    n_repeats: int = setting(1, "Draw the folds anew so many times.", least=-100, most=100, more=True)
    stratified: bool = setting(
        False, "Give every fold its share of hard and easy topics.", label="Stratified", more=True
    )
    alpha: float = shared.alpha("One minus the level of the band.", more=True)
    n_resamples: int = setting(
        defaults.CURVE_RESAMPLES, "Resamples of topics behind the band.", least=1, most=100_000, more=True
    )
    seed: int = shared.seed()

    @property
    def splitter(self) -> NFold | LeaveOneOut | HoldOut:
        """How topics are held out."""
        if self.split == "leave-one-out":
            return LeaveOneOut()
        if self.split == "holdout":
            return HoldOut(self.share, self.n_repeats, self.stratified, self.seed)
        return NFold(self.folds, self.n_repeats, self.stratified, self.seed)

    def as_typed(self) -> TuneSettings:
        """The question as the command line asks it."""
        drawn = self.split != "leave-one-out"
        return TuneSettings(
            folds=self.folds if self.split == "folds" and self.folds != defaults.FOLDS else None,
            leave_one_out=not drawn,
            holdout=self.share if self.split == "holdout" else None,
            n_repeats=self.n_repeats if drawn else 1,
            stratified=self.stratified and drawn,
            pattern=self.pattern,
            seed=self.seed,
        )


def tuned(question: Any, dataset: Dataset, progress: Progress) -> Outcome:
    """Every family's choice per fold, its held-out scores, and the curve over its parameters."""
    dataset.require_valid(progress)
    families: list[Any] = []
    for name, scores in dataset.collections(question.measure).items():
        families += split_families(scores.only(), question.pattern, name=name)
    options = {"n_resamples": question.n_resamples, "seed": question.seed, "alpha": question.alpha}
    with quietly():
        result = tune(families, question.splitter, progress=progress)
        curve = result.curve(**options, progress=progress)
    settings = {"measure": result.measure, "folds": result.folds.description, "seed": question.seed}

    def sheet(heading: str, rows: Any) -> Sheet:
        return Sheet("tune", rows, result.signature, settings, result.warnings, heading=heading)

    best = max(result.families, key=lambda one: one.held_out_mean)
    band = "Curve: mean over the parameter with a band; chosen settings ringed."
    answer = Answer(
        headline=f"Expect {best.held_out_mean:.4f} {result.measure} of {best.name} on unseen topics",
        sentences=tuple(_sentence(one) for one in result.families[:5]),
        sheets={
            "families": lambda: sheet("Families", result.summary()),
            "folds": lambda: sheet("Fold by fold", result.to_frame()),
            "curve": lambda: sheet("Every setting", curve),
            "held-out": lambda: sheet("Held-out scores", result.held_out.to_wide()),
        },
        charts=(
            Chart("curve-chart", "The parameter", band, result, "curve", options),
            Chart("folds-chart", "What the folds chose", "Points: the setting chosen in every fold.", result, "folds"),
        ),
    )
    return Outcome(answer, *_elsewhere(question, dataset), result.warnings)


def _sentence(family: Any) -> str:
    folds = len(family.choices)
    edge = f" {' and '.join(family.at_edge)} lies at the edge of what was tried." if family.at_edge else ""
    return (
        f"{family.name}: use {family.final}, chosen in {round(family.agreement * folds)} of {folds} folds; its mean on "
        f"all topics, {family.in_sample_mean:.4f}, is {family.optimism:.4f} too good.{edge}"
    )


def _elsewhere(question: Any, dataset: Dataset) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The same from the command line and from Python."""
    before, files = dataset.score_files(question.measure)
    typed = question.as_typed()
    words = (typed if before else replace(typed, measure=question.measure)).words(*files)
    if question.split == "leave-one-out":
        name, splitter = "LeaveOneOut", "LeaveOneOut()"
    else:
        name, first = ("HoldOut", question.share) if question.split == "holdout" else ("NFold", question.folds)
        usual = ("n_repeats", "stratified", "seed")
        changed = [
            f"{one}={getattr(question, one)!r}" for one, value in usual.items() if getattr(question, one) != value
        ]
        splitter = f"{name}({', '.join([f'{first:g}', *changed])})"
    first_line, read = read_lines(question, dataset, name, "tune")
    if question.pattern is None:
        return (*before, words), (first_line, read, f"tune(scores, {splitter})")
    families = f"families = split_families(scores, {question.pattern!r})"
    more = "from cranfield.tuning import split_families"
    return (*before, words), (first_line, more, read, families, f"tune(families, {splitter})")


page(
    "tuning",
    "Tuning",
    TuningQuestion,
    heading="What would the tuned system do?",
    lead="The systems are settings of a family, such as bm25(k1=0.9,b=0.4): each is chosen on training topics and "
    "scored on topics it never saw.",
    button="Tune",
    doing="Tuning on",
    nothing="Choose data: score files whose systems are settings.",
    brief="What would the tuned systems do on unseen topics?",
    answer=tuned,
    place=50,
)
