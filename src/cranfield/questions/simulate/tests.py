"""`simulate_tests`: type I error and power of tests on scores like yours."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy import special

from cranfield.core import defaults
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, SEED, SimulationMode
from cranfield.core.errors import ArgumentError, notify
from cranfield.core.executors import Progress
from cranfield.core.options import at_least, not_negative, one_of, share
from cranfield.core.results import Result, check_frame, signature
from cranfield.core.work_files import WorkFile
from cranfield.questions.compare.compare import check
from cranfield.questions.compare.corrections import CORRECTIONS
from cranfield.questions.compare.tests import TESTS
from cranfield.questions.simulate.answer import rates_answer, tests_headline
from cranfield.questions.simulate.population import Population
from cranfield.questions.simulate.question import copulas_there
from cranfield.questions.simulate.trials import BLOCK, CONFIDENCE, KIND, Plan, Source, job_of, rates_of, run_blocks
from cranfield.scores.doors import ScoresLike

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

_HELD = {"nothing": "type1", "family-wise error": "family-wise", "false discovery rate": "false-discovery"}
"""The error rate compared with the level, by what a correction controls."""
FAMILY = 5
"""Default number of systems with a correction."""
LARGEST_TRIAL = 50_000
"""Most numbers of one simulated collection; a block holds a few hundred, and a job can be cancelled after each."""


@dataclass(frozen=True, eq=False)
class SimulatedTests(Result):
    """Error rates and power of significance tests on simulated scores; get one from `simulate_tests`.

    Attributes
    ----------
    all_rows : polars frame
        One row per test, topics, difference, level, kind and sort of pairs; see `to_frame` and `pairs_frame`.
    """

    measure: str
    all_rows: pl.DataFrame
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_frame(f"{self.measure}: the simulated tests", self.all_rows, "rate")

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        named = {name.removeprefix("n_"): value for name, value in self.settings.items()}
        if named["correction"] not in (None, "none") and (own := _of_families(named["tests"])):
            named["correction"] = f"{named['correction']} (not of {', '.join(own)})"
        return signature("simulated tests", **named)

    @property
    def rows(self) -> pl.DataFrame:
        """The rows of all pairs."""
        return self.all_rows.filter(pl.col("pairs") == "all").drop("pairs")

    def to_frame(self) -> pl.DataFrame:
        """One row per test, topics, difference, alpha and kind.

        rate with lower and upper, its 99% Monte-Carlo interval. Kinds: ``type1``, true hypotheses rejected; ``power``,
        real differences found, whichever way; ``type3``, found the wrong way round. With a correction: ``family-wise``,
        trials in which any true hypothesis is rejected; ``false-discovery``, the mean share of false ones among the
        rejected.
        """
        return self.rows

    def pairs_frame(self) -> pl.DataFrame:
        """Type I error by sort of pairs: all, exchangeable ones, and others where the mode tells them apart."""
        return self.all_rows.filter(pl.col("kind") == "type1")

    def levels(self) -> pl.DataFrame:
        """The error rates that are compared with a level.

        Type I error of pairs. For corrected families the rate that the correction controls: family-wise error or false
        discovery rate. Tests of whole families have a family-wise error.
        """
        held = _HELD[CORRECTIONS[self.settings["correction"] or "none"].controls]
        families = pl.col("test").is_in(_of_families(self.rows["test"].unique().to_list()))
        return self.rows.filter(pl.col("kind") == pl.when(families).then(pl.lit("family-wise")).otherwise(pl.lit(held)))

    def too_often(self) -> pl.DataFrame:
        """The rows whose rate is significantly above the level, the worst first.

        The distance from a rate to the lower end of its 99% interval is multiplied by the Bonferroni factor of all
        rows, z(1 − .005/rows)/z(.995).
        """
        held = self.levels()
        over = held.filter(_end("lower", held.height) > pl.col("alpha"))
        return over.sort(pl.col("rate") / pl.col("alpha"), descending=True, maintain_order=True)

    def keepers(self, alpha: float) -> list[str]:
        """The tests to use instead of the one that exceeds this level most, the nearest to the level first.

        Their own 99% interval is nowhere above the level, and they are not shown to be below it (`below`). Where the
        other test is worst, their interval lies below its interval.
        """
        here, not_those = self._at(alpha), {*self._above(alpha), *self.below(alpha)}
        worst = self.too_often().filter(pl.col("alpha") == alpha).row(0, named=True)
        there = (pl.col("topics") == worst["topics"]) & (pl.col("difference") == worst["difference"])
        less = here.filter(there & (pl.col("upper") < worst["lower"]))["test"].to_list()
        far = {
            test: abs(here.filter(pl.col("test") == test)["rate"].mean() - alpha)  # type: ignore[operator]
            for test in less
            if test not in not_those
        }
        return sorted(far, key=far.__getitem__)

    def below(self, alpha: float) -> dict[str, float]:
        """The conservative tests, each with its lowest rate.

        With all hypotheses true, one of their rates is significantly below the level (Bonferroni over all rows, as in
        `too_often`). Their own 99% interval is nowhere above it. If some hypotheses are false, a correction need
        not reach the level.
        """
        here, above = self._at(alpha).filter(pl.col("difference") == 0), self._above(alpha)
        low = here.filter(_end("upper", self.levels().height) < pl.col("alpha")).sort("rate", maintain_order=True)
        return {
            test: rate
            for test, rate in low.unique("test", keep="first", maintain_order=True).select("test", "rate").iter_rows()
            if test not in above
        }

    def _at(self, alpha: float) -> pl.DataFrame:
        return self.levels().filter(pl.col("alpha") == alpha)

    def _above(self, alpha: float) -> list[str]:
        """The tests whose own 99% interval lies above this level anywhere."""
        return self._at(alpha).filter(pl.col("lower") > pl.col("alpha"))["test"].to_list()

    def named(self) -> dict[str, Any]:
        """The row that the headline is about.

        The rate that exceeds its level most; if none does, the highest relative to its level. Without type I errors,
        the highest power with the fewest topics.
        """
        held, over = self.levels(), self.too_often()
        if over.height:
            return over.row(0, named=True)
        if (held["difference"] == 0).any():
            by_level = pl.col("rate") / pl.col("alpha")
            return held.sort(by_level, descending=True, maintain_order=True).row(0, named=True)
        power = self.rows.filter(pl.col("kind") == "power")
        return power.sort("topics", "rate", descending=[False, True], maintain_order=True).row(0, named=True)

    def summary(self) -> str:
        """The sentence to take away."""
        return tests_headline(self)

    def __repr__(self) -> str:
        return f"SimulatedTests({self.measure}: {self.summary()})\n{self.rows}"

    answer = rates_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.simulate import charts

        return {"rates": charts.rates}


def _end(name: str, n_rows: int) -> pl.Expr:
    """An end of the 99% interval, simultaneous over `n_rows` rows."""
    tail = (1 - CONFIDENCE) / 2
    wider = float(special.ndtri(1 - tail / max(n_rows, 1)) / special.ndtri(1 - tail))
    return pl.col("rate") + wider * (pl.col(name) - pl.col("rate"))


def _of_families(tests: list[str]) -> list[str]:
    """Those of the tests that correct for the family themselves."""
    return [test for test in tests if TESTS[test].corrects_family]


def simulate_tests(
    scores: ScoresLike,
    *,
    n_topics: int | Sequence[int] = defaults.SIMULATED_TOPICS,
    difference: float | Sequence[float] = (0.0,),
    tests: str | Sequence[str] = defaults.SIMULATED_TESTS,
    alpha: float | Sequence[float] = (ALPHA,),
    n_systems: int | None = None,
    correction: str | None = None,
    n_trials: int = defaults.TRIALS,
    n_resamples: int = defaults.SIMULATED_RESAMPLES,
    mode: SimulationMode = defaults.SIMULATION_MODE,
    seed: int = SEED,
    work: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> SimulatedTests:
    """Which type I error and power do significance tests have on scores like these?

    Every trial makes two systems (or a family) with known true means from past scores and applies every test. The
    worst tenth of the systems and duplicate systems are dropped, as in the published simulations.

    ``resample`` draws two systems, and topics with replacement, which keeps all dependence and asymmetry of the data.
    The second system's margin F is moved to the mean of the first plus the difference. Its distribution function is
    composed with that of a Beta distribution: B(F(x)) with B = Beta(a, 1) or Beta(1, a). The mean determines a. All
    scores are scores of that system. Pairs with equal means are also drawn with both scores swapped at random
    on every topic, which makes them exchangeable. There, tests that assume symmetric differences keep their level
    (`SimulatedTests.pairs_frame`).

    ``copula`` (extra ``simulate``) is the procedure of Urbano et al. (2019): margins are fitted to the systems and a
    copula to both, each by AIC. Without a difference both systems have the margin of the first. With one, the first is
    from the lower three quarters of the systems. The second is one of the ten with means nearest to the target, and
    its margin is moved there. Families have a vine copula and the margin of the first system, which is moved for the
    better half.

    Parameters
    ----------
    scores : ScoreMatrix or whatever `as_scores` takes, by one measure
    n_topics : int or several
        Sizes of the simulated collections.
    difference : float or several
        True differences; 0 for type I errors. In families half of the systems are better by as much.
    tests : names of tests, as in `compare`
    alpha : levels
    n_systems, correction : families instead of pairs
        Every trial has so many systems (5 with a correction unless given), and all pairs are tested and corrected.
    n_trials : simulated collections of every size and difference
    n_resamples : of tests that draw resamples; the randomisation test draws none (saddlepoint) from 20 topics on
    mode : ``"resample"`` or ``"copula"``
    work : a file of finished parts, from which an interrupted simulation, or one with more trials, resumes
    seed, workers, executor, progress : as in `compare`; workers and executor never change a result

    References
    ----------
    Urbano & Nagler, "Stochastic simulation of test collections" (SIGIR 2018); Urbano, Lima & Hanjalic, "Statistical
    significance testing in information retrieval: an empirical analysis of type I, type II and type III errors"
    (SIGIR 2019).

    Examples
    --------
    >>> from cranfield import make_scores
    >>> result = simulate_tests(make_scores(50, 10), n_topics=25, tests="t", n_trials=512)
    >>> row = result.rows.row(0, named=True)
    >>> row["kind"], 0.02 < row["rate"] < 0.09
    ('type1', True)
    """
    check_arguments(simulate_tests, locals())
    copulas_there("mode", mode)
    plan = _plan(n_topics, difference, tests, alpha, n_systems, correction, n_trials, n_resamples, mode, seed)
    population = Population.of(scores)
    settings = {
        "measure": population.measure,
        "mode": mode,
        "n_topics": list(plan.n_topics),
        "difference": list(plan.difference),
        "tests": list(plan.tests),
        "alpha": list(plan.alpha),
        "n_systems": plan.n_systems,
        "correction": plan.correction,
        "n_trials": n_trials,
        "n_resamples": n_resamples if any(TESTS[test].resamples for test in plan.tests) else None,
        "seed": seed,
    }
    about = {name: value for name, value in settings.items() if name != "n_trials"}
    cluster = _admit(population, plan, mode)
    source = partial(_source, population, plan, mode, workers, executor)
    with WorkFile(work, {} if work is None else job_of(population.measure, population.values, about), KIND) as file:
        blocks = run_blocks(plan, source, file, workers=workers, executor=executor, progress=progress)
    cells = zip(plan.cells, zip(*blocks, strict=True), strict=True)
    listed = [row for cell, parts in cells for row in rates_of(plan, cell, parts, cluster)]
    frame = pl.DataFrame(listed, infer_schema_length=None)
    result = SimulatedTests(population.measure, frame, settings, (*population.warnings, *file.warnings))
    notify(result.warnings)
    return result


def _plan(
    n_topics: Any, difference: Any, tests: Any, alpha: Any, n_systems: int | None, correction: str | None,
    n_trials: int, n_resamples: int, mode: str, seed: int,
) -> Plan:  # fmt: skip
    """The settings, checked."""
    one_of("mode", mode, SimulationMode)
    chosen = tuple(dict.fromkeys(TESTS.canonical(one) for one in _several(tests)))
    correction = None if correction is None else CORRECTIONS.canonical(correction)
    m = (2 if correction is None else FAMILY) if n_systems is None else n_systems
    at_least("n_systems", m, 2, FAMILY)
    if m > 2 and correction is None:
        correction = "none"
    for test in chosen:
        if TESTS[test].corrects_family and m == 2:
            raise ArgumentError(f"test {test!r} is for families of systems. Give `n_systems`, such as {FAMILY}.")
        # A correction applies to the other tests; if there are none, it is refused.
        alone = all(TESTS[one].corrects_family for one in chosen)
        check(test, None if TESTS[test].corrects_family and not alone else correction, "two-sided")
    sizes = tuple(dict.fromkeys(int(n) for n in _several(n_topics)))
    differences = tuple(dict.fromkeys(float(one) for one in _several(difference)))
    levels = tuple(dict.fromkeys(float(level) for level in _several(alpha)))
    for n in sizes:
        at_least("n_topics", n, 2, 50)
    for one in differences:
        not_negative("difference", one)
    for level in levels:
        share("alpha", level)
    at_least("n_trials", n_trials, 1, defaults.TRIALS)
    at_least("n_resamples", n_resamples, 1, defaults.SIMULATED_RESAMPLES)
    for name, given in (("n_topics", sizes), ("difference", differences), ("tests", chosen), ("alpha", levels)):
        if not given:
            raise ArgumentError(f"`{name}` is empty. Give at least one.")
    most = max(max(sizes) * m, m * (m - 1) // 2 * len(chosen) * len(levels))
    if most > LARGEST_TRIAL:
        raise ArgumentError(
            f"a simulated collection of {max(sizes):,} topics and {m:,} systems needs {most:,} numbers; at most "
            f"{LARGEST_TRIAL:,} are allowed. Lower `n_topics` or `n_systems`."
        )
    exchangeable = m == 2 and mode == "resample"
    return Plan(sizes, differences, chosen, levels, m, correction, n_resamples, n_trials, seed, exchangeable)


def _admit(population: Population, plan: Plan, mode: SimulationMode) -> int:
    """Refuse impossible draws; returns how many consecutive trials share fitted systems."""
    population.enough(plan.n_systems)
    if mode == "resample":
        for one in plan.difference:
            population.admit(plan.n_systems, one)
        return 1
    from cranfield.questions.simulate.copula import CLUSTER, library

    library()
    return CLUSTER


def _source(
    population: Population, plan: Plan, mode: SimulationMode, workers: int | None, executor: Executor | None,
    blocks: Sequence[int],
) -> Source:  # fmt: skip
    """What these blocks of trials are drawn from."""
    if mode == "resample":
        return population
    from cranfield.questions.simulate.copula import PairCopulas, VineFamilies

    if plan.n_systems == 2:
        return PairCopulas.of(population, plan.seed, BLOCK, blocks, plan.difference, workers, executor)
    return VineFamilies.of(population, plan.n_systems, plan.seed, BLOCK, blocks, workers, executor)


def _several(given: Any) -> list[Any]:
    return [given] if isinstance(given, (str, int, float, np.number)) else list(given)
