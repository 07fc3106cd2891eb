"""Tuning without fooling yourself: the settings of `tune` and `selection-bias`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from cranfield import defaults
from cranfield.records import record
from cranfield.settings import shared
from cranfield.settings.base import Settings, setting
from cranfield.settings.evaluate import RunsOrScores


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


@record(kw_only=True)
class Splitting(Settings):
    """How topics are held out."""

    folds: int | None = folds()
    leave_one_out: bool = leave_one_out()
    holdout: float | None = holdout()
    n_repeats: int | None = n_repeats()


@record(kw_only=True)
class TuneSettings(Splitting, RunsOrScores):
    """Tune parameters without fooling yourself: what would the tuned system do on unseen topics?

    The systems in the score files (or the runs) are settings, such as bm25(k1=0.9,b=0.4). In every fold the setting
    with the best mean on the training topics is scored on the held-out topics; all families share the folds.

    Example: cranfield tune bm25.csv ql.csv --folds 10 --held-out tuned.csv
    """

    command: ClassVar[str] = "tune"
    brief: ClassVar[str] = "Tune parameters without fooling yourself."
    takes: ClassVar[str] = "families"
    by_one_measure: ClassVar[bool] = True
    answered_by: ClassVar[str] = "cranfield.tuning:tune"
    place: ClassVar[int] = 110

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
        defaults.CURVE_RESAMPLES, "Resamples of topics behind the band of --show curve.", least=1, most=1_000_000,
        part="view", more=True,
    )  # fmt: skip


@record(kw_only=True)
class SelectionBiasSettings(Splitting):
    """Simulate tuning among equally good settings: how much better than an untuned equal does the best look?

    The truth is an advantage of 0. Tested in-sample, on the topics it was chosen on, the tuned system looks
    better; tested on held-out topics it does not.

    Example: cranfield selection-bias --settings 50 --topics 50 --folds 10
    """

    command: ClassVar[str] = "selection-bias"
    brief: ClassVar[str] = "What tuning on the test topics does, simulated."
    answered_by: ClassVar[str] = "cranfield.tuning:selection_bias"
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
