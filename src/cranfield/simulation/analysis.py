"""`simulate_tests`: which test keeps its level on my scores, and which one finds most?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from cranfield.comparison.analysis import check
from cranfield.comparison.corrections import CORRECTIONS
from cranfield.comparison.pairs import all_pairs
from cranfield.comparison.tests import TESTS
from cranfield.defaults import (
    ALPHA,
    SEED,
    SIMULATED_RESAMPLES,
    SIMULATED_TESTS,
    SIMULATED_TOPICS,
    SIMULATION_MODE,
    TRIALS,
    SimulationMode,
    names,
)
from cranfield.errors import ArgumentError, UnknownNameError, notify
from cranfield.executors import Progress
from cranfield.scores.doors import ScoresLike
from cranfield.settings.simulate import copulas_there
from cranfield.simulation.blocks import KIND, job_of, run_blocks
from cranfield.simulation.population import Population
from cranfield.simulation.result import SimulatedTests
from cranfield.simulation.trials import BLOCK, Outcome, Plan, Source
from cranfield.truth.rates import mean_interval, rate_interval
from cranfield.work_files import WorkFile

FAMILY = 5
"""Systems of a simulated collection when a correction is asked for and their number is not."""
LARGEST_TRIAL = 50_000
"""Numbers of one simulated collection; a block holds a few hundred at a time, and a cancelled job ends after one."""


def simulate_tests(
    scores: ScoresLike,
    *,
    n_topics: int | Sequence[int] = SIMULATED_TOPICS,
    difference: float | Sequence[float] = (0.0,),
    tests: str | Sequence[str] = SIMULATED_TESTS,
    alpha: float | Sequence[float] = (ALPHA,),
    n_systems: int | None = None,
    correction: str | None = None,
    n_trials: int = TRIALS,
    n_resamples: int = SIMULATED_RESAMPLES,
    mode: SimulationMode = SIMULATION_MODE,
    seed: int = SEED,
    work: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> SimulatedTests:
    """How often do significance tests err on scores like these, and how often do they find a real difference?

    Every trial makes two systems (or a family) with known true means out of past scores and hands them to every test.
    The worst tenth of the systems and copies of others are left out, as in the published simulations.

    ``resample`` draws two systems, and topics with replacement, so that every dependence and asymmetry of the data is
    kept. The second system's margin F is moved to the mean of the first, plus the difference: its distribution
    function is composed with that of a Beta distribution, B(F(x)) with B = Beta(a, 1) or Beta(1, a), a solved for the
    mean. All scores remain ones that the system really had. Pairs of equal means are also drawn with both scores
    swapped by a coin on every topic, which makes them exchangeable: tests that assume symmetric differences look
    innocent there (`SimulatedTests.pairs_frame`).

    ``copula`` (extra ``simulate``) is the procedure of Urbano, Lima & Hanjalic (SIGIR 2019): margins are fitted to the
    systems and a copula to both, each by AIC. Without a difference both systems have the margin of the first. With one,
    the first is of the lower three quarters of the systems, and the second one of the ten whose means are nearest to
    the one wanted, its margin moved there. Families have a vine copula and the margin of the first for all, which is
    moved for the better half.

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
    work : a file that keeps what is finished: an interrupted simulation goes on from there, and so does one of more
        trials
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
        outcomes = list(
            zip(*run_blocks(plan, source, file, workers=workers, executor=executor, progress=progress), strict=True)
        )
    listed = [
        row for cell, parts in zip(plan.cells, outcomes, strict=True) for row in _rows(plan, cell, parts, cluster)
    ]
    frame = pl.DataFrame(listed, infer_schema_length=None)
    result = SimulatedTests(population.measure, frame, settings, (*population.warnings, *file.warnings))
    notify(result.warnings)
    return result


def _plan(
    n_topics: Any, difference: Any, tests: Any, alpha: Any, n_systems: int | None, correction: str | None,
    n_trials: int, n_resamples: int, mode: str, seed: int,
) -> Plan:  # fmt: skip
    """The settings, checked."""
    if mode not in names(SimulationMode):
        raise UnknownNameError("mode", str(mode), names(SimulationMode))
    chosen = tuple(dict.fromkeys(TESTS.canonical(one) for one in _several(tests)))
    correction = None if correction is None else CORRECTIONS.canonical(correction)
    m = (2 if correction is None else FAMILY) if n_systems is None else n_systems
    if m < 2:
        raise ArgumentError(f"`n_systems` must be at least 2; got {m}. Write {FAMILY}.")
    if m > 2 and correction is None:
        correction = "none"
    for test in chosen:
        if TESTS[test].corrects_family and m == 2:
            raise ArgumentError(f"test {test!r} is for families of systems; give `n_systems`, such as {FAMILY}.")
        # A correction is for the other tests; without any there is nothing to correct.
        alone = all(TESTS[one].corrects_family for one in chosen)
        check(test, None if TESTS[test].corrects_family and not alone else correction, "two-sided")
    sizes = tuple(dict.fromkeys(int(n) for n in _several(n_topics)))
    for n in sizes:
        if n < 2:
            raise ArgumentError(f"`n_topics` must be at least 2; got {n}. Write 50.")
    differences = tuple(dict.fromkeys(float(one) for one in _several(difference)))
    for one in differences:
        if not 0 <= one < float("inf"):
            raise ArgumentError(f"`difference` must be a number of at least 0; got {one:g}. Write {abs(one):g}.")
    levels = tuple(dict.fromkeys(float(level) for level in _several(alpha)))
    for level in levels:
        if not 0 < level < 1:
            raise ArgumentError(f"`alpha` must be between 0 and 1; got {level:g}. Write {ALPHA:g}.")
    for name, count in (("n_trials", n_trials), ("n_resamples", n_resamples)):
        if count < 1:
            raise ArgumentError(f"`{name}` must be a whole number of at least 1; got {count}.")
    for name, given in (("n_topics", sizes), ("difference", differences), ("tests", chosen), ("alpha", levels)):
        if not given:
            raise ArgumentError(f"`{name}` is empty; give at least one.")
    most = max(max(sizes) * m, m * (m - 1) // 2 * len(chosen) * len(levels))
    if most > LARGEST_TRIAL:
        raise ArgumentError(
            f"a simulated collection of {max(sizes):,} topics and {m:,} systems is too large: topics times systems, "
            f"and pairs times tests and levels, may come to {LARGEST_TRIAL:,}; this one comes to {most:,}. "
            "Lower `n_topics` or `n_systems`."
        )
    exchangeable = m == 2 and mode == "resample"
    return Plan(sizes, differences, chosen, levels, m, correction, n_resamples, n_trials, seed, exchangeable)


def _admit(population: Population, plan: Plan, mode: SimulationMode) -> int:
    """Refuse what cannot be drawn; how many trials in a row share the systems that were fitted."""
    population.enough(plan.n_systems)
    if mode == "resample":
        for one in plan.difference:
            population.admit(plan.n_systems, one)
        return 1
    from cranfield.simulation.copula import CLUSTER, library

    library()
    return CLUSTER


def _source(
    population: Population, plan: Plan, mode: SimulationMode, workers: int | None, executor: Executor | None,
    blocks: Sequence[int],
) -> Source:  # fmt: skip
    """What these blocks of trials are drawn from."""
    if mode == "resample":
        return population
    if plan.n_systems == 2:
        from cranfield.simulation.copula import PairCopulas

        return PairCopulas.of(population, plan.seed, BLOCK, blocks, plan.difference, workers, executor)
    from cranfield.simulation.vines import VineFamilies

    return VineFamilies.of(population, plan.n_systems, plan.seed, BLOCK, blocks, workers, executor)


def _several(given: Any) -> list[Any]:
    return [given] if isinstance(given, (str, int, float, np.number)) else list(given)


def _rows(plan: Plan, cell: tuple[int, float, bool], parts: Sequence[Outcome], cluster: int) -> list[dict[str, Any]]:
    """The rows of one cell of the plan."""
    n_topics, difference, swapped = cell
    rejected = np.concatenate([part.rejected for part in parts], axis=2)
    wrong = np.concatenate([part.wrong for part in parts])
    alike = np.concatenate([part.exchangeable for part in parts])
    shifts, inside = plan.shifts(difference), all_pairs(plan.n_systems)
    null = shifts[inside.a] == shifts[inside.b]
    rows: list[dict[str, Any]] = []
    for test, by_level in zip(plan.tests, rejected, strict=True):
        for level, said in zip(plan.alpha, by_level, strict=True):
            head = {"test": test, "topics": n_topics, "difference": difference, "alpha": level}

            def add(kind: str, rate: tuple[float, float, float], pairs: str = "all", head: Any = head) -> None:
                ends = dict(zip(("rate", "lower", "upper"), rate, strict=True))
                rows.append(head | ends | {"kind": kind, "pairs": pairs})

            if plan.n_systems > 2:
                _family_rows(add, said, null, wrong, difference, plan.correction or "none", cluster)
            elif difference == 0:
                one = said[:, 0]
                if swapped:
                    add("type1", rate_interval(one), "exchangeable")
                    continue
                add("type1", rate_interval(one, cluster))
                if cluster > 1:
                    for name, chosen in (("exchangeable", alike), ("not exchangeable", ~alike)):
                        if chosen.any():
                            add("type1", rate_interval(one[chosen], cluster), name)
            else:
                add("power", rate_interval(said[:, 0], cluster))
                add("type3", rate_interval((said & wrong)[:, 0], cluster))
    return rows


def _family_rows(add: Any, said: Any, null: Any, wrong: Any, difference: float, correction: str, cluster: int) -> None:
    """Family-wise error and false discovery of whole families; with a difference also power and type III errors."""
    false = said[:, null]
    add("family-wise", rate_interval(false.any(axis=1), cluster))
    count = np.maximum(said.sum(axis=1), 1)
    add("false-discovery", mean_interval(false.sum(axis=1) / count, cluster))
    if correction == "none":
        add("type1", mean_interval(false.mean(axis=1), cluster))
    if difference > 0:
        add("power", mean_interval(said[:, ~null].mean(axis=1), cluster))
        add("type3", mean_interval((said & wrong)[:, ~null].mean(axis=1), cluster))
