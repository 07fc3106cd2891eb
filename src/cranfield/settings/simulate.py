"""Scores with known truth: the settings of `simulate tests`, `simulate design` and `simulate scores`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from cranfield import defaults
from cranfield.errors import ArgumentError, with_extra
from cranfield.records import record
from cranfield.settings import shared
from cranfield.settings.base import REQUIRED, Settings, known_as, registered, setting

_TESTS, _CORRECTIONS = "cranfield.comparison.tests:TESTS", "cranfield.comparison.corrections:CORRECTIONS"


def n_trials(default: int, help: str) -> Any:
    """How many collections are simulated."""
    return setting(default, help, least=1, most=10_000_000)


def copulas_there(name: str, value: str) -> None:
    """Refuse copulas where the package that fits them is missing."""
    if value == "copula" and find_spec("pyvinecopulib") is None:
        raise ArgumentError(f"`{name}` 'copula' needs pyvinecopulib; install it with: {with_extra('simulate')}")


def mode() -> Any:
    """How scores are made."""
    return setting(
        defaults.SIMULATION_MODE,
        "resample: topics drawn with replacement. copula: fitted margins and copulas (needs the extra simulate).",
        choices=defaults.names(defaults.SimulationMode),
        check=copulas_there,
    )


@record(kw_only=True)
class SimulateTestsSettings(Settings):
    """Which test keeps its level on scores like these, and which finds most?

    Makes pairs of systems with known true means out of your scores (or families, with --correction) and counts what
    the tests say: true hypotheses rejected (type1), differences found (power), and found the wrong way round (type3).

    \b
    Examples:
      cranfield simulate tests scores.csv --topics 50
      cranfield simulate tests scores.csv --topics 50 --difference 0 --difference 0.02 --plot rates.svg
      cranfield simulate tests scores.csv --systems 10 --correction holm --test t --test randomisation
    """

    command: ClassVar[str] = "simulate tests"
    brief: ClassVar[str] = "Error rates and power of tests on scores like yours."
    takes: ClassVar[str] = "scores"
    by_one_measure: ClassVar[bool] = True
    answered_by: ClassVar[str] = "cranfield.simulation:simulate_tests"
    counts: ClassVar[str] = "trials"
    place: ClassVar[int] = 174

    n_topics: tuple[int, ...] = setting(
        defaults.SIMULATED_TOPICS, "Topics of a simulated collection; repeatable.", metavar="N", least=2, most=100_000
    )
    difference: tuple[float, ...] = setting(
        (0.0,), "True difference of the means; 0 for type I errors; repeatable.", metavar="D", check=shared.not_negative
    )
    tests: tuple[str, ...] = setting(
        defaults.SIMULATED_TESTS, "Which test; repeatable.", "--test", choices=registered(_TESTS), what="test",
        read=known_as(_TESTS),
    )  # fmt: skip
    alpha: tuple[float, ...] = setting(
        (defaults.ALPHA,), "Significance level; repeatable.", check=shared.share, label="Significance levels (α)"
    )
    n_systems: int | None = setting(
        None, "Systems of a family, all pairs of which are tested.", metavar="M", usual="pairs; 5 with a correction",
        least=2, most=10_000,
    )  # fmt: skip
    correction: str | None = setting(
        None, "Adjustment for the pairs of a family.", choices=registered(_CORRECTIONS), usual="pairs, no family",
        read=known_as(_CORRECTIONS),
    )  # fmt: skip
    n_trials: int = n_trials(defaults.TRIALS, "Simulated collections of every size and difference.")
    n_resamples: int = shared.n_resamples(defaults.SIMULATED_RESAMPLES, "Resamples of a bootstrap test.")
    mode: str = mode()
    seed: int = shared.seed()
    work: Path | None = shared.work()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()
    measure: str | None = shared.one_measure()
    system: tuple[str, ...] | None = shared.systems(shared.ONLY_SYSTEMS)
    missing: str = shared.missing()
    show: str = setting(
        "rates",
        "rates: one row per test, size, difference and level. pairs: type I error with and without exchangeable pairs.",
        choices=defaults.names(defaults.SimulatedTestsShow), part="view", on_page=False,
    )  # fmt: skip


@record(kw_only=True)
class SimulateDesignSettings(Settings):
    """Would a collection of the recommended size have the promised power, and intervals of the promised width?

    Draws pilots from the scores, asks `design recommend` for a number of topics, draws collections of that size with
    a known difference, counts how often it is found, and measures how wide the intervals of pairs are.

    Example: cranfield simulate design scores.csv --systems 20 --min-diff 0.1
    """

    command: ClassVar[str] = "simulate design"
    brief: ClassVar[str] = "Does a recommended number of topics deliver?"
    takes: ClassVar[str] = "scores"
    by_one_measure: ClassVar[bool] = True
    answered_by: ClassVar[str] = "cranfield.simulation:simulate_design"
    counts: ClassVar[str] = "pilots"
    place: ClassVar[int] = 175

    n_systems: int = shared.n_systems(default=REQUIRED)
    min_diff: float = shared.min_diff(default=REQUIRED)
    n_topics: int | None = setting(
        None, "Topics of a pilot.", metavar="N", usual="as many as the scores have", least=5, most=100_000
    )
    power: float = shared.power()
    alpha: float = shared.alpha("Family-wise level of the tests.")
    baseline: bool = setting(False, "Systems will only be compared with one of them.")
    n_pilots: int = setting(defaults.PILOTS, "How many pilots.", least=1, most=100_000)
    n_trials: int = n_trials(defaults.DESIGN_TRIALS, "Simulated collections for every pilot.")
    seed: int = shared.seed()
    work: Path | None = shared.work()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()
    measure: str | None = shared.one_measure()
    system: tuple[str, ...] | None = shared.systems(shared.ONLY_SYSTEMS)
    missing: str = shared.missing()


@record(kw_only=True)
class SimulateScoresSettings(Settings):
    """Scores like these, with true means that are known.

    Topics are drawn with replacement, or with --mode copula from fitted margins and a vine copula. Without --difference
    every system keeps its mean, which is then the truth. With -o the truth is written beside the scores
    (simulated.truth.parquet).

    Example: cranfield simulate scores scores.csv --topics 200 --systems 20 -o simulated.parquet
    """

    command: ClassVar[str] = "simulate scores"
    brief: ClassVar[str] = "Scores like yours, with their truth."
    takes: ClassVar[str] = "scores"
    by_one_measure: ClassVar[bool] = True
    answered_by: ClassVar[str] = "cranfield.simulation:simulate_scores"
    place: ClassVar[int] = 176

    n_topics: int | None = setting(
        None, "How many topics.", metavar="N", usual="as many as the scores have", least=1, most=10_000_000
    )
    n_systems: int | None = setting(None, "How many systems.", metavar="M", usual="all", least=2, most=1_000_000)
    difference: float | None = setting(
        None, "Give all systems one mean, and half of them this much more.", metavar="D", check=shared.not_negative,
        usual="every system keeps its own mean",
    )  # fmt: skip
    mode: str = mode()
    seed: int = shared.seed()
    measure: str | None = shared.one_measure()
    system: tuple[str, ...] | None = shared.systems(shared.ONLY_SYSTEMS)
    missing: str = shared.missing()
    show: str = setting(
        "scores", "scores: one row per system and topic. truth: the true mean of every system.",
        choices=defaults.names(defaults.SimulatedScoresShow), part="view", on_page=False,
    )  # fmt: skip
