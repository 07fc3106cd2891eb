"""Parameters chosen on training topics, scored on held-out ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from cranfield import defaults
from cranfield.errors import quietly
from cranfield.executors import Progress
from cranfield.present.answer import answer
from cranfield.records import record
from cranfield.settings import Settings, setting, shared
from cranfield.settings.tuning import TuneSettings
from cranfield.tuning import split_families
from cranfield.web.server.data import Dataset
from cranfield.web.server.library import by_measure, literal, warnings_of
from cranfield.web.server.outcome import Outcome
from cranfield.web.server.page import page


@record(kw_only=True)
class TuningQuestion(Settings):
    """The settings of `tune`, with one choice for the way topics are held out."""

    by_one_measure: ClassVar[bool] = True

    measure: str | None = shared.one_measure("Measure to tune for.")
    pattern: str | None = setting(
        None, "How systems are named, such as {family}-mu{mu}. Blank: name(parameter=value,…), one file per family.",
        label="How systems are named",
    )  # fmt: skip
    split: str = setting(
        "folds", "How topics are held out.", choices=("folds", "leave-one-out", "holdout"), label="Hold out"
    )
    folds: int = setting(defaults.FOLDS, "How many, with folds held out.", least=-1000, most=1000)
    share: float = setting(defaults.HOLDOUT, "With a holdout.", label="Share held out", least=-1e9, most=1e9)
    n_repeats: int | None = setting(
        None, "Draw the folds anew so many times; 10 unless the number of folds is changed.", least=-100, most=100,
        more=True,
    )  # fmt: skip
    one_family: bool = setting(
        False, "Take all systems of a file as settings of one family, whatever their names.", more=True
    )
    stratified: bool = setting(
        False, "Give every fold its share of hard and easy topics.", label="Stratified", more=True
    )
    alpha: float = shared.alpha("One minus the level of the band.", more=True)
    n_resamples: int = setting(
        defaults.CURVE_RESAMPLES, "Resamples of topics behind the band.", least=1, most=100_000, more=True
    )
    seed: int = shared.seed()

    def as_typed(self) -> TuneSettings:
        """The question as the command line asks it."""
        drawn = self.split != "leave-one-out"
        return TuneSettings(
            folds=self.folds if self.split == "folds" and self.folds != defaults.FOLDS else None,
            leave_one_out=not drawn,
            holdout=self.share if self.split == "holdout" else None,
            n_repeats=self.n_repeats if drawn else None,
            stratified=self.stratified and drawn,
            pattern=self.pattern,
            one_family=self.one_family,
            measure=self.measure,
            seed=self.seed,
            alpha=self.alpha,
            n_resamples=self.n_resamples,
        )


def tuned(question: Any, dataset: Dataset, progress: Progress) -> Outcome:
    """Every family's choice per fold, its held-out scores, and the curve over its parameters."""
    dataset.require_valid(progress)
    question = by_measure(question, dataset)
    collections = dataset.collections(question.measure)
    families: list[Any] = []
    for name, scores in collections.items():
        families += split_families(scores.only(), question.pattern, name=name, one_family=question.one_family)
    typed = question.as_typed()
    with quietly():
        result = typed.ask(families, progress=progress)
    said = answer(result, typed)
    before, files = dataset.score_files(question.measure)
    words = (replace(typed, measure=None) if before else typed).words(*files)
    chosen = [
        f"{name}={value!r}" for name in ("measure", "pattern", "one_family") if (value := getattr(question, name))
    ]
    read = f"families = read_families({', '.join([literal(files), *chosen])})"
    python = ("from cranfield.tuning import read_families, tune", read, typed.call("families"))
    return Outcome(said, (*before, words), python, warnings_of(said.warnings, tuple(collections.values())))


page(
    "tuning",
    "Tuning",
    TuningQuestion,
    heading="What would the tuned system do?",
    lead="The systems are settings of a family, such as bm25(k1=0.9,b=0.4): each is chosen on training topics and "
    "scored on topics it never saw.",
    button="Tune",
    doing="Tuning on",
    nothing="Every system counts as a setting of its family: systems called bm25(k1=0.9) and bm25(k1=1.2) are two "
    "settings of bm25, and the better one on the training topics is chosen. Systems of different makers are no "
    "settings of each other; compare those on the compare page. Say how your systems are named, then tune.",
    waits=True,
    brief="What would the tuned systems do on unseen topics?",
    answer=tuned,
    place=50,
)
