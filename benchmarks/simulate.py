"""Simulations of tests: 10,000 pairs × 50 topics through five tests, and 1,000 fitted pair copulas.

Scores of 40 systems on 50 topics are made here. `simulate_tests` draws every pair twice, as it is and swapped by a
coin, and runs t, randomisation (saddlepoint), bootstrap (B = 999), Wilcoxon and sign tests on both. Targets: both under
a minute on two cores. The note says how many seconds of processor time it took, which a busy machine changes little.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Row, fresh_process

TRIALS, TOPICS, SYSTEMS, COPULAS = 10_000, 50, 40, 1000


def _timed(function: Callable[[], Any]) -> tuple[float, float]:
    start, used = time.perf_counter(), time.process_time()
    function()
    return time.perf_counter() - start, time.process_time() - used


def five_tests() -> tuple[float, float]:
    """Seconds, and seconds of processor time, for 10,000 pairs."""
    from cranfield import simulate_tests

    scores = _scores()
    return _timed(lambda: simulate_tests(scores, n_topics=TOPICS, n_trials=TRIALS))


def copulas() -> tuple[float, float]:
    """Seconds, and seconds of processor time, for 1,000 pair copulas, all families."""
    from cranfield.core.executors import map_in_order
    from cranfield.questions.simulate.copula import fit_pair, library

    library()
    values, rng = np.asarray(_scores().values), np.random.default_rng(1)
    pairs = [rng.permutation(SYSTEMS)[:2] for _ in range(COPULAS)]
    return _timed(lambda: list(map_in_order(partial(fit_pair, values), pairs)))


def _scores() -> Any:
    from cranfield import ScoreMatrix

    rng = np.random.default_rng(1)
    topic = rng.beta(0.8, 2.0, (TOPICS, 1))
    values = topic ** np.linspace(0.4, 3.0, SYSTEMS) * rng.beta(6, 2, (TOPICS, SYSTEMS))
    return ScoreMatrix(values, map(str, range(TOPICS)), [f"s{j:02}" for j in range(SYSTEMS)], "AP")


def run() -> list[Row]:
    """Each once, in a separate process, its imports not counted."""
    rows = []
    jobs = {f"{TRIALS:,} pairs × {TOPICS} topics, five tests": five_tests, f"{COPULAS:,} pair copulas": copulas}
    for what, function in jobs.items():
        measured = fresh_process(function)
        seconds, used = measured.value
        rows.append(Row(what, seconds, None, measured.peak_mb, f"{used:.0f} s of processor time"))
    return rows
