"""Tuning without fooling yourself: the settings of `tune` and `selection-bias`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError, UnknownNameError
from cranfield.core.page import Page
from cranfield.core.question import Bar, Files, HelpGroup, Question, Takes, setting
from cranfield.measures.options import RunsOrScores

if TYPE_CHECKING:
    from cranfield.questions.compare.question import CompareQuestion
    from cranfield.questions.tune.families import Family
    from cranfield.questions.tune.tune import Tuning


def folds(**more: Any) -> Any:
    """How many folds."""
    usual = f"{defaults.FOLDS} folds, drawn {defaults.REPEATS} times"
    return setting(None, "N-fold cross-validation.", metavar="N", usual=usual, least=2, most=1_000_000, **more)


def leave_one_out(**more: Any) -> Any:
    """Whether each topic is a fold of its own."""
    return setting(False, "Hold out one topic at a time.", **more)


def holdout(**more: Any) -> Any:
    """The share of a single hold-out."""
    help = "Hold out this share of the topics, once."
    return setting(None, help, metavar="SHARE", label="Share held out", check=shared.share, **more)


def n_repeats(**more: Any) -> Any:
    """How often folds are drawn."""
    usual = f"1; {defaults.REPEATS} unless folds or a hold-out are named"
    return setting(
        None, "How many times to draw the folds (or the hold-out) anew.", least=1, most=100_000, usual=usual, **more
    )


def one_family(**more: Any) -> Any:
    """Whether systems whose names tell no settings are settings all the same."""
    return setting(
        False, "Take all systems of a file as settings of one family, whatever their names.", part="source", **more
    )


def stratified(**more: Any) -> Any:
    """Whether folds are alike in difficulty."""
    return setting(False, "Give every fold its share of hard and easy topics, by mean score.", **more)


def pattern(**more: Any) -> Any:
    """How the names of systems tell families and settings."""
    return setting(
        None, "How systems are named, such as '{family}-mu{mu}'.", part="source",
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
    """Tune parameters without fooling yourself: what would the tuned system do on unseen topics?

    The systems in the score files (or the runs) are settings, such as bm25(k1=0.9,b=0.4). In every fold the setting
    with the best mean on the training topics is scored on the held-out topics; all families share the folds.

    Example: cranfield tune bm25.csv ql.csv --folds 10 --held-out tuned.csv
    """

    command: ClassVar[str] = "tune"
    group: ClassVar[HelpGroup] = "Compare"
    aliases: ClassVar[tuple[str, ...]] = ("tuning", "cross-validate")
    brief: ClassVar[str] = "Tune parameters without fooling yourself."
    takes: ClassVar[Takes] = "families"
    by_one_measure: ClassVar[bool] = True
    place: ClassVar[int] = 110
    slow: ClassVar[Mapping[str, str]] = {"curve": "resampling topics"}
    page = Page(
        name="tuning",
        title="Tuning",
        place=50,
        heading="What would the tuned system do?",
        lead="The systems are settings of a family, such as bm25(k1=0.9,b=0.4): each is chosen on training topics and "
        "scored on topics it never saw.",
        button="Tune",
        doing="Tuning on",
        nothing="Every system counts as a setting of its family: systems called bm25(k1=0.9) and bm25(k1=1.2) are two "
        "settings of bm25, and the better one on the training topics is chosen. Systems of different makers are no "
        "settings of each other; compare those on the compare page. Say how your systems are named, then tune.",
        brief="What would the tuned systems do on unseen topics?",
        waits=True,
    )

    stratified: bool = stratified()
    pattern: str | None = pattern()
    one_family: bool = one_family()
    measure: str | None = shared.one_measure("Tune for this measure." + shared.WIDE)
    system: tuple[str, ...] | None = shared.systems("Use these settings, or all of these families; repeatable.")
    seed: int = shared.seed()
    show: str = setting(
        defaults.TUNING_VIEW,
        "folds: one row per fold. summary: one row per family. curve: every setting's mean with a band from "
        "resampled topics, and how often it was chosen.",
        choices=defaults.names(defaults.TuningView),
        part="view",
        on_page=False,
    )
    held_out: Path | None = setting(
        None, "Write the held-out scores, to be compared.", metavar="FILE", part="view", on_page=False
    )
    alpha: float = shared.alpha(part="view")
    n_resamples: int = setting(
        defaults.CURVE_RESAMPLES, "Resamples of topics behind the band of the curve.", least=1, most=1_000_000,
        part="view", more=True,
    )  # fmt: skip

    @staticmethod
    def verb() -> Callable[..., Any]:
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

    measure = question.measure[0] if isinstance(question.measure, tuple) else question.measure
    named: dict[str, Any] = {"pattern": question.pattern, "one_family": question.one_family}
    if not holds_judgments(files, question):
        families = read_families(list(files), measure=measure, missing=cast(Any, question.holes), **named)
    elif measure is None:
        usual = defaults.MEASURES[0]
        raise ArgumentError(f"tuning is for one measure; name it with --measure, such as --measure {usual}")
    else:
        families = list(as_families(split_families(evaluated(files, question, bar).only(), **named)))
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
    """Simulate tuning among equally good settings: how much better than an untuned equal does the best look?

    The truth is an advantage of 0. Tested in-sample, on the topics it was chosen on, the tuned system looks
    better; tested on held-out topics it does not.

    Example: cranfield selection-bias --settings 50 --topics 50 --folds 10
    """

    command: ClassVar[str] = "selection-bias"
    group: ClassVar[HelpGroup] = "Compare"
    brief: ClassVar[str] = "What tuning on the test topics does, simulated."
    counts: ClassVar[str] = "experiments"
    place: ClassVar[int] = 120

    n_settings: int = setting(defaults.BIAS_SETTINGS, "Equally good settings.", least=2, most=100_000)
    n_topics: int = setting(defaults.BIAS_TOPICS, "Topics.", least=2, most=1_000_000)
    sd: float = setting(
        defaults.BIAS_SD, "Spread of a setting's scores on a topic about the topic's ease.", check=shared.positive
    )
    correlation: float = setting(
        0.0, "Correlation of that spread between settings; near 1 for neighbours on a grid.", least=0, most=1
    )
    n_experiments: int = setting(defaults.BIAS_EXPERIMENTS, "Experiments to simulate.", least=2, most=10_000_000)
    alpha: float = shared.alpha()
    seed: int = shared.seed()

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers it."""
        from cranfield.questions.tune.selection_bias import selection_bias

        return selection_bias
