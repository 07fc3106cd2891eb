"""Scores with known truth: the settings of `simulate tests`, `simulate design` and `simulate scores`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError, with_extra
from cranfield.core.page import Page
from cranfield.core.question import REQUIRED, HelpGroup, Question, Takes, group, setting
from cranfield.questions.compare.question import corrections, tests

group(
    "simulate",
    "Which test keeps its level on my scores? Does my design deliver?",
    "Scores with known truth, made from yours: which test keeps its level, and does a design deliver?",
)


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


@dataclass(frozen=True, kw_only=True)
class SimulateTestsQuestion(Question):
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
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Error rates and power of tests on scores like yours."
    takes: ClassVar[Takes] = "scores"
    by_one_measure: ClassVar[bool] = True
    counts: ClassVar[str] = "trials"
    place: ClassVar[int] = 174
    page = Page(
        name="simulate",
        title="Simulate",
        place=44,
        heading="Which test keeps its level on my scores?",
        lead="Pairs of systems whose truth is known are made out of your scores, and every test is asked about them: "
        "how often it sees a difference that is not there, or misses one that is.",
        button="Simulate",
        doing="Simulating scores like those of",
        nothing="This takes a little while, and can be cancelled: choose data and start it.",
        waits=True,
        leads_to=lambda: (SimulateDesignQuestion, SimulateScoresQuestion),
    )

    n_topics: tuple[int, ...] = setting(
        defaults.SIMULATED_TOPICS, "Topics of a simulated collection; repeatable.", metavar="N", least=2, most=100_000
    )
    difference: tuple[float, ...] = setting(
        (0.0,), "True difference of the means; 0 for type I errors; repeatable.", metavar="D", check=shared.not_negative
    )
    tests: tuple[str, ...] = setting(
        defaults.SIMULATED_TESTS, "Which test; repeatable.", "--test", registry=tests, what="test",
    )  # fmt: skip
    alpha: tuple[float, ...] = setting(
        (defaults.ALPHA,), "Significance level; repeatable.", check=shared.share, label="Significance levels (α)"
    )
    n_systems: int | None = setting(
        None, "Systems of a family, all pairs of which are tested.", metavar="M", usual="pairs; 5 with a correction",
        least=2, most=10_000,
    )  # fmt: skip
    correction: str | None = setting(
        None, "Adjustment for the pairs of a family.", registry=corrections, usual="pairs, no family",
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

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers it."""
        from cranfield.questions.simulate.tests import simulate_tests

        return simulate_tests


@dataclass(frozen=True, kw_only=True)
class SimulateDesignQuestion(Question):
    """Would a collection of the recommended size have the promised power, and intervals of the promised width?

    Draws pilots from the scores, asks `design recommend` for a number of topics, draws collections of that size with
    a known difference, counts how often it is found, and measures how wide the intervals of pairs are.

    Example: cranfield simulate design scores.csv --systems 20 --min-diff 0.1
    """

    command: ClassVar[str] = "simulate design"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Does a recommended number of topics deliver?"
    takes: ClassVar[Takes] = "scores"
    by_one_measure: ClassVar[bool] = True
    counts: ClassVar[str] = "pilots"
    place: ClassVar[int] = 175
    page = Page(
        name="simulate-design",
        title="Simulate a design",
        address="/simulate/design",
        heading="Does the recommended number of topics deliver?",
        lead="Pilots are drawn from your scores, topics recommended from each, and collections of that size drawn with "
        "a difference that is known: how often is it found, and how wide are the intervals?",
        button="Simulate",
        doing="Simulating designs from",
        nothing="This takes a little while, and can be cancelled: choose data, say what you want to see, and start it.",
        waits=True,
        leads_to=lambda: (SimulateTestsQuestion, SimulateScoresQuestion),
    )

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

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers it."""
        from cranfield.questions.simulate.design import simulate_design

        return simulate_design


@dataclass(frozen=True, kw_only=True)
class SimulateScoresQuestion(Question):
    """Scores like these, with true means that are known.

    Topics are drawn with replacement, or with --mode copula from fitted margins and a vine copula. Without --difference
    every system keeps its mean, which is then the truth. With -o the truth is written beside the scores
    (simulated.truth.parquet).

    Example: cranfield simulate scores scores.csv --topics 200 --systems 20 -o simulated.parquet
    """

    command: ClassVar[str] = "simulate scores"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Scores like yours, with their truth."
    takes: ClassVar[Takes] = "scores"
    by_one_measure: ClassVar[bool] = True
    place: ClassVar[int] = 176
    page = Page(
        name="simulate-scores",
        title="Simulated scores",
        address="/simulate/scores",
        heading="Scores like mine, with known truth",
        lead="Topics and systems drawn out of your scores, as many as you like, with the true means beside them: "
        "for trying out methods.",
        button="Draw",
        doing="Drawing scores like those of",
        nothing="Choose data and say how much to draw.",
        waits=True,
        leads_to=lambda: (SimulateTestsQuestion, SimulateDesignQuestion),
    )

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

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers it."""
        from cranfield.questions.simulate.scores import simulate_scores

        return simulate_scores

    def beside(self) -> str | None:
        """The truth of scores in a file goes into a file beside it."""
        return "truth" if self.show == "scores" else None
