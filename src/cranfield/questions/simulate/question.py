"""Scores with known truth: the settings of `simulate tests`, `simulate design` and `simulate scores`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError, with_extra
from cranfield.core.options import REQUIRED, setting
from cranfield.core.question import HelpGroup, Page, Place, Question, Takes, group
from cranfield.questions.compare.question import corrections, tests

if TYPE_CHECKING:
    from cranfield.questions.simulate.design import SimulatedDesign
    from cranfield.questions.simulate.scores import SimulatedScores
    from cranfield.questions.simulate.tests import SimulatedTests

group(
    "simulate",
    "Simulate scores with known truth: error rates, power and designs.",
    "Simulate scores like yours, with known truth, to measure error rates and power.",
)


def n_trials(default: int, help: str) -> Any:
    """How many collections are simulated."""
    return setting(default, help, least=1, most=10_000_000)


def copulas_there(name: str, value: str) -> None:
    """Refuse copulas if pyvinecopulib is not installed."""
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
    """Measure type I error and power of tests on scores like yours.

    Makes pairs of systems with known true means from your scores (families with --correction). Counts rejected true
    hypotheses (type1), detected differences (power), and differences detected in the wrong direction (type3).

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
        place=Place.TOOLS,
        order=30,
        heading="Which test keeps its level on my scores?",
        lead="Pairs of systems with known true means are made from your scores, and every test is applied to them. "
        "The result is the type I error and the power of each test.",
        button="Simulate",
        doing="Simulating scores like those of",
        leads_to=lambda: (SimulateDesignQuestion, SimulateScoresQuestion),
    )

    n_topics: tuple[int, ...] = setting(
        defaults.SIMULATED_TOPICS,
        "Number of topics of a simulated collection; repeatable.",
        metavar="N",
        least=2,
        most=100_000,
    )
    difference: tuple[float, ...] = setting(
        (0.0,), "True difference of means; 0 for type I error; repeatable.", metavar="D", check=shared.not_negative
    )
    tests: tuple[str, ...] = setting(
        defaults.SIMULATED_TESTS, "Test to simulate; repeatable.", "--test", registry=tests, what="test",
    )  # fmt: skip
    alpha: tuple[float, ...] = setting(
        (defaults.ALPHA,), "Significance level; repeatable.", check=shared.share, label="Significance levels (α)"
    )
    n_systems: int | None = setting(
        None, "Number of systems of a family; all pairs are tested.", metavar="M", usual="pairs; 5 with a correction",
        least=2, most=10_000,
    )  # fmt: skip
    correction: str | None = setting(
        None, "Correction for the pairs of a family.", registry=corrections, usual="pairs, no family",
    )  # fmt: skip
    n_trials: int = n_trials(defaults.TRIALS, "Number of simulated collections per size and difference.")
    n_resamples: int = shared.n_resamples(defaults.SIMULATED_RESAMPLES, "Number of resamples of a bootstrap test.")
    mode: str = mode()
    seed: int = shared.seed()
    work: Path | None = shared.work()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()
    measure: str | None = shared.one_measure()
    system: tuple[str, ...] | None = shared.systems(shared.ONLY_SYSTEMS)
    missing: str = shared.missing()
    show: defaults.SimulatedTestsShow = shared.show(
        "rates",
        "rates: one row per test, size, difference and level. pairs: type I error of exchangeable and other pairs.",
    )

    @staticmethod
    def verb() -> Callable[..., SimulatedTests]:
        """The public function that answers it."""
        from cranfield.questions.simulate.tests import simulate_tests

        return simulate_tests


@dataclass(frozen=True, kw_only=True)
class SimulateDesignQuestion(Question):
    """Measure the power and interval width that a recommended number of topics reaches.

    Draws pilots from the scores, recommends a number of topics from each, and draws collections of that size with a
    known difference. Counts how often it is detected, and measures the width of the intervals.

    Example: cranfield simulate design scores.csv --systems 20 --min-diff 0.1
    """

    command: ClassVar[str] = "simulate design"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Power and interval width of recommended topic set sizes."
    takes: ClassVar[Takes] = "scores"
    by_one_measure: ClassVar[bool] = True
    counts: ClassVar[str] = "pilots"
    place: ClassVar[int] = 175
    page = Page(
        name="simulate-design",
        title="Simulate a design",
        address="/simulate/design",
        heading="Does the recommended number of topics reach its power?",
        lead="Pilots are drawn from your scores, and a number of topics is recommended from each. Collections of that "
        "size show the power and the interval width.",
        button="Simulate",
        doing="Simulating designs from",
        nothing="This takes a while and can be cancelled. Choose data and settings, and start it.",
        waits=True,
        leads_to=lambda: (SimulateTestsQuestion, SimulateScoresQuestion),
    )

    n_systems: int = shared.n_systems(default=REQUIRED)
    min_diff: float = shared.min_diff(default=REQUIRED)
    n_topics: int | None = setting(
        None, "Number of topics of a pilot.", metavar="N", usual="as many as the scores have", least=5, most=100_000
    )
    power: float = shared.power()
    alpha: float = shared.alpha("Family-wise level of the tests.")
    baseline: bool = setting(False, "Compare systems with one baseline only.")
    n_pilots: int = setting(defaults.PILOTS, "Number of pilot collections to draw.", least=1, most=100_000)
    n_trials: int = n_trials(defaults.DESIGN_TRIALS, "Number of simulated collections per pilot.")
    seed: int = shared.seed()
    work: Path | None = shared.work()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()
    measure: str | None = shared.one_measure()
    system: tuple[str, ...] | None = shared.systems(shared.ONLY_SYSTEMS)
    missing: str = shared.missing()

    @staticmethod
    def verb() -> Callable[..., SimulatedDesign]:
        """The public function that answers it."""
        from cranfield.questions.simulate.design import simulate_design

        return simulate_design


@dataclass(frozen=True, kw_only=True)
class SimulateScoresQuestion(Question):
    """Simulate scores like yours, with known true means.

    Topics are drawn with replacement, or with --mode copula from fitted margins and a vine copula. Without --difference
    the true mean of every system is its mean in your scores. With -o the true means are written to a second file
    (simulated.truth.parquet).

    Example: cranfield simulate scores scores.csv --topics 200 --systems 20 -o simulated.parquet
    """

    command: ClassVar[str] = "simulate scores"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Simulated scores like yours, with known true means."
    takes: ClassVar[Takes] = "scores"
    by_one_measure: ClassVar[bool] = True
    place: ClassVar[int] = 176
    page = Page(
        name="simulate-scores",
        title="Simulated scores",
        address="/simulate/scores",
        heading="Simulated scores with known truth",
        lead="Topics and systems are drawn from your scores, in any number, with known true means.",
        button="Draw",
        doing="Drawing scores like those of",
        nothing="Choose data and the size of the draw.",
        waits=True,
        leads_to=lambda: (SimulateTestsQuestion, SimulateDesignQuestion),
    )

    n_topics: int | None = setting(
        None, "Topics to simulate.", metavar="N", usual="as many as the scores have", least=1, most=10_000_000
    )
    n_systems: int | None = setting(None, "Systems to simulate.", metavar="M", usual="all", least=2, most=1_000_000)
    difference: float | None = setting(
        None, "Give all systems the same mean, and add this difference to half of them.", metavar="D",
        check=shared.not_negative,
        usual="every system keeps its own mean",
    )  # fmt: skip
    mode: str = mode()
    seed: int = shared.seed()
    measure: str | None = shared.one_measure()
    system: tuple[str, ...] | None = shared.systems(shared.ONLY_SYSTEMS)
    missing: str = shared.missing()
    show: defaults.SimulatedScoresShow = shared.show(
        "scores", "scores: one row per system and topic. truth: the true mean of every system."
    )

    @staticmethod
    def verb() -> Callable[..., SimulatedScores]:
        """The public function that answers it."""
        from cranfield.questions.simulate.scores import simulate_scores

        return simulate_scores

    def beside(self) -> str | None:
        """The true means go into a second file."""
        return "truth" if self.show == "scores" else None
