"""The settings of `tune` and `selection-bias`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError, UnknownNameError
from cranfield.core.options import setting
from cranfield.core.question import Bar, Files, HelpGroup, Page, Place, Question, Takes
from cranfield.measures.options import RunsOrScores

if TYPE_CHECKING:
    from cranfield.questions.compare.question import CompareQuestion
    from cranfield.questions.tune.families import Family
    from cranfield.questions.tune.selection_bias import SelectionBias
    from cranfield.questions.tune.tune import Tuning


def folds(**more: Any) -> Any:
    """How many folds."""
    usual = f"{defaults.FOLDS} folds, drawn {defaults.REPEATS} times"
    return setting(
        None, "Number of folds of cross-validation.", metavar="N", usual=usual, least=2, most=1_000_000, **more
    )


def leave_one_out(**more: Any) -> Any:
    """Whether each topic is one fold."""
    return setting(False, "Hold out one topic at a time.", **more)


def holdout(**more: Any) -> Any:
    """The share of a single hold-out."""
    help = "Hold out this share of the topics once."
    return setting(None, help, metavar="SHARE", label="Share held out", check=shared.share, **more)


def n_repeats(**more: Any) -> Any:
    """How often folds are drawn."""
    usual = f"1; {defaults.REPEATS} unless folds or a hold-out are named"
    return setting(None, "How often to draw the folds or the hold-out.", least=1, most=100_000, usual=usual, **more)


def one_family(**more: Any) -> Any:
    """Whether all systems of a file are settings of one family."""
    return setting(False, "Treat all systems of a file as settings of one family.", part="source", **more)


def stratified(**more: Any) -> Any:
    """Whether folds are balanced by difficulty."""
    return setting(False, "Balance hard and easy topics over the folds, by mean score.", **more)


def pattern(**more: Any) -> Any:
    """The pattern of system names."""
    return setting(
        None, "Pattern of system names, such as '{family}-mu{mu}'.", part="source",
        usual="name(parameter=value,...); a file is a family", **more,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Splitting(Question):
    """How topics are held out."""

    folds: int | None = folds()
    leave_one_out: bool = leave_one_out()
    holdout: float | None = holdout()
    n_repeats: int | None = n_repeats()


@dataclass(frozen=True, kw_only=True)
class TuneQuestion(Splitting, RunsOrScores):
    """Estimate the score of a tuned system on unseen topics, by cross-validation.

    The systems in the score files (or the runs) are settings, such as bm25(k1=0.9,b=0.4). In every fold the setting
    with the best mean on the training topics is scored on the held-out topics. All families share the folds.

    Example: cranfield tune bm25.csv ql.csv --folds 10 --held-out tuned.csv
    """

    command: ClassVar[str] = "tune"
    group: ClassVar[HelpGroup] = "Compare"
    aliases: ClassVar[tuple[str, ...]] = ("tuning", "cross-validate")
    brief: ClassVar[str] = "Tune parameters, and estimate the score on unseen topics."
    takes: ClassVar[Takes] = "families"
    by_one_measure: ClassVar[bool] = True
    place: ClassVar[int] = 110
    slow: ClassVar[Mapping[str, str]] = {"curve": "resampling topics"}
    page = Page(
        name="tuning",
        title="Tuning",
        place=Place.TOOLS,
        order=20,
        heading="How good is the tuned system on unseen topics?",
        lead="The systems are settings of a family, such as bm25(k1=0.9,b=0.4). A setting is chosen on training topics "
        "and scored on held-out topics.",
        button="Tune",
        doing="Tuning on",
        nothing="Every system is a setting of its family: bm25(k1=0.9) and bm25(k1=1.2) are two settings of bm25. "
        "Compare different systems on the compare page. Give the pattern of the names, then tune.",
        brief="Score of tuned systems on unseen topics.",
        waits=True,
    )

    stratified: bool = stratified()
    pattern: str | None = pattern()
    one_family: bool = one_family()
    measure: str | None = shared.one_measure("Tune for this measure." + shared.WIDE)
    system: tuple[str, ...] | None = shared.systems("Setting or family to use; repeatable.")
    seed: int = shared.seed()
    show: defaults.TuningView = shared.show(
        defaults.TUNING_VIEW,
        "folds: one row per fold. summary: one row per family. curve: mean of every setting with a bootstrap band, "
        "and how often it was chosen.",
    )
    held_out: Path | None = setting(
        None, "Write the held-out scores, for `compare`.", metavar="FILE", part="view", on_page=False
    )
    alpha: float = shared.alpha()
    n_resamples: int = setting(
        defaults.CURVE_RESAMPLES, "Topic resamples for the band of the curve.", least=1, most=1_000_000,
        part="view", more=True,
    )  # fmt: skip

    @staticmethod
    def verb() -> Callable[..., Tuning]:
        """The public function that answers it."""
        from cranfield.questions.tune.tune import tune

        return tune

    def read(self, files: Files, bar: Bar) -> tuple[list[Family]]:
        """The families of settings."""
        return (read_families(files["scores"], self, bar),)

    def write_files(self, result: Tuning) -> Iterable[str]:
        """The held-out scores."""
        from cranfield.scores.writers import write_scores

        if self.held_out is None:
            return
        scores = result.held_out
        write_scores(scores, self.held_out)
        yield f"wrote {self.held_out}: {scores.measure}, {scores.n_topics} topics × {scores.n_systems} families"


def read_families(files: Sequence[str], question: TuneQuestion | CompareQuestion, bar: Bar) -> list[Family]:
    """The families of settings in score files, or of runs named after their settings; those wanted where not all."""
    from cranfield.questions.files import evaluated, holds_judgments
    from cranfield.questions.tune.families import as_families, read_families, split_families
    from cranfield.scores.matrix import with_warnings

    measure = question.measure[0] if isinstance(question.measure, tuple) else question.measure
    named: dict[str, Any] = {"pattern": question.pattern, "one_family": question.one_family}
    if not holds_judgments(files, question):
        families = read_families(list(files), measure=measure, missing=cast(Any, question.holes), **named)
    elif measure is None:
        usual = defaults.MEASURES[0]
        raise ArgumentError(f"tuning needs one measure. Name it with --measure, such as --measure {usual}.")
    else:
        families = list(as_families(split_families(with_warnings(evaluated(files, question, bar)), **named)))
    if not question.system:
        return families
    return _wanted(families, [*question.system, *(getattr(question, "baseline", None) or ())])


def _wanted(families: Sequence[Family], names: Sequence[str]) -> list[Family]:
    """The settings called so, and every setting of a family called so."""
    known = dict.fromkeys([*(family.name for family in families), *(x for one in families for x in one.scores.systems)])
    for name in names:
        if name not in known:
            raise UnknownNameError("system", name, known)
    kept = []
    for family in families:
        settings = [one for one in family.settings if {one.label, family.name} & set(names)]
        if settings:
            scores = family.scores.select(systems=[one.label for one in settings])
            kept.append(replace(family, scores=scores, settings=tuple(settings)))
    return kept


@dataclass(frozen=True, kw_only=True)
class SelectionBiasQuestion(Splitting):
    """Simulate tuning among equally good settings, in-sample and on held-out topics.

    The true advantage is 0. On the topics it was chosen on (in-sample) the tuned system looks better; on held-out
    topics it does not.

    Example: cranfield selection-bias --settings 50 --topics 50 --folds 10
    """

    command: ClassVar[str] = "selection-bias"
    group: ClassVar[HelpGroup] = "Compare"
    brief: ClassVar[str] = "Simulate the effect of tuning on the test topics."
    counts: ClassVar[str] = "experiments"
    place: ClassVar[int] = 120

    n_settings: int = setting(defaults.BIAS_SETTINGS, "Number of equally good settings.", least=2, most=100_000)
    n_topics: int = setting(defaults.BIAS_TOPICS, "Number of topics per experiment.", least=2, most=1_000_000)
    sd: float = setting(defaults.BIAS_SD, "Standard deviation of scores around the topic mean.", check=shared.positive)
    correlation: float = setting(0.0, "Correlation between settings; near 1 for neighbours on a grid.", least=0, most=1)
    n_experiments: int = setting(
        defaults.BIAS_EXPERIMENTS, "Number of simulated experiments.", least=2, most=10_000_000
    )
    alpha: float = shared.alpha()
    seed: int = shared.seed()

    @staticmethod
    def verb() -> Callable[..., SelectionBias]:
        """The public function that answers it."""
        from cranfield.questions.tune.selection_bias import selection_bias

        return selection_bias
