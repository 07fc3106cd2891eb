"""Standardised scores: the settings of `standardise`, and of `correlate`."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from cranfield import defaults
from cranfield.records import record
from cranfield.settings import shared
from cranfield.settings.base import Settings, setting
from cranfield.settings.variance import estimators


@record(kw_only=True)
class StandardisedScores(Settings):
    """How scores are standardised."""

    takes: ClassVar[str] = "scores"

    to: str = setting(
        defaults.STANDARDISE_TO, "ab: clip(A*z + B, 0, 1); cdf: normal probability; z.",
        choices=defaults.names(defaults.StandardiseTo), label="Standardise to",
    )  # fmt: skip
    a: float = setting(defaults.STANDARDISE_A, "A of std-AB.", label="A of std-AB", least=-1e6, most=1e6)
    b: float = setting(defaults.STANDARDISE_B, "B of std-AB.", label="B of std-AB", least=-1e6, most=1e6)
    measure: str | None = shared.measure()
    system: tuple[str, ...] | None = shared.systems(shared.ONLY_SYSTEMS)
    missing: str = shared.missing()


@record(kw_only=True)
class FitSettings(Settings):
    """Fit standardisation factors: every topic's mean and standard deviation over the systems given.

    With -o the factors are kept with their version and history, for `standardise apply` on any later run.
    """

    command: ClassVar[str] = "standardise fit"
    brief: ClassVar[str] = "Fit standardisation factors to scores."
    takes: ClassVar[str] = "scores"
    answered_by: ClassVar[str] = "cranfield.standardise:fit_standardisation"
    place: ClassVar[int] = 130

    measure: str | None = shared.measure()
    system: tuple[str, ...] | None = shared.systems(shared.ONLY_SYSTEMS)
    missing: str = shared.missing()
    trec: bool = setting(False, "Write the file of trec_eval's -Z option.", part="view")


@record(kw_only=True)
class ApplySettings(StandardisedScores):
    """Standardise the scores of any systems, known or new, by saved factors."""

    command: ClassVar[str] = "standardise apply"
    brief: ClassVar[str] = "Standardise scores by saved factors."
    place: ClassVar[int] = 131

    factors: str = setting(help="Factors written by `standardise fit`, or a -Z file.", metavar="FILE")


@record(kw_only=True)
class RobustnessSettings(StandardisedScores):
    """How far systems move when factors are fitted without them: each in turn, a team, or those named."""

    command: ClassVar[str] = "standardise robustness"
    brief: ClassVar[str] = "How far systems move when factors are fitted without them."
    answered_by: ClassVar[str] = "cranfield.standardise:standardisation_robustness"
    place: ClassVar[int] = 132

    leave_out: tuple[str, ...] | None = setting(
        None, "Leave out this system; repeat to leave out several together.", metavar="SYSTEM"
    )
    teams: Path | None = shared.teams()


@record(kw_only=True)
class EffectSettings(StandardisedScores):
    """Raw and standardised scores side by side: variances, rank agreement, topics needed.

    Three tables: variances with tau between the two rankings; a comparison that no change of scale can flatter;
    and the topics needed for every number of systems and difference. In JSON, CSV and parquet they are one table
    with a column `table`.
    """

    command: ClassVar[str] = "standardise effect"
    brief: ClassVar[str] = "What standardisation does to variance, ranking and design."
    answered_by: ClassVar[str] = "cranfield.design:standardisation_effect"
    place: ClassVar[int] = 133

    factors: str | None = setting(
        None, "Saved factors.", metavar="FILE", usual="fitted on the scores given", on_page=False
    )
    n_systems: tuple[int, ...] = setting(
        defaults.EFFECT_SYSTEMS,
        "Systems to compare; repeatable.",
        usual="2 10 20 30 50",
        on_page=False,
        check=shared.whole,
    )
    min_diff: tuple[float, ...] = setting(
        defaults.EFFECT_MIN_DIFFS,
        "Smallest difference to detect; repeatable.",
        usual=".02 .05 .10 .20",
        on_page=False,
        check=shared.positive,
    )
    fraction: float = setting(
        1.0, "Scale-free difference, in standard deviations between systems.", more=True, check=shared.positive
    )
    alpha: float = shared.alpha(more=True)
    power: float = shared.power(more=True)
    estimator: str = setting(
        defaults.ANOVA_VARIANCE, "Variance estimator.", "--estimator", "--variance-method", choices=estimators,
        on_page=False,
    )  # fmt: skip
    n_resamples: int = shared.n_resamples(defaults.RANK_RESAMPLES, "Bootstrap samples of topics; 0 for none.", least=0)
    seed: int = shared.seed()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()


@record(kw_only=True)
class CorrelateSettings(Settings):
    """Rank correlation between two orders of the same systems: tau, tau_b, tau_AP and tau_AP,b, with intervals.

    Score files rank systems by their mean. An order is a text file with one system per line, the best first, or a
    system and its score on each line; it has no topics and so no bootstrap interval.
    """

    command: ClassVar[str] = "correlate"
    brief: ClassVar[str] = "How far two rankings of systems agree."
    answered_by: ClassVar[str] = "cranfield.scores:correlate"
    place: ClassVar[int] = 90

    reference: str = setting(
        help="Reference: a score file, or an order of systems.", argument=True, metavar="A", part="source"
    )
    estimate: str = setting(help="Score file or order to compare with it.", argument=True, metavar="B", part="source")
    measure: str | None = shared.measure("Measure of A (and of B, unless given).", usual="all in common")
    other_measure: str | None = setting(None, "Measure of B, when not that of A.", part="source", metavar="NAME")
    alpha: float = shared.alpha()
    n_resamples: int = shared.n_resamples(defaults.RANK_RESAMPLES, "Bootstrap samples of topics; 0 for none.", least=0)
    seed: int = shared.seed()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()
    missing: str = shared.missing()
