"""How work grows: runs, topics and resamples by decades, in processor seconds of one process."""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.generate import write_qrels, write_runs
from benchmarks.harness import Row
from cranfield import ScoreMatrix, build_report, compare, evaluate, simulate_tests
from cranfield.core.errors import quietly

DEPTH = 1000
RUNS, TOPICS, RESAMPLES, TRIALS = (1, 10, 100), (10, 100, 1000), (1_000, 10_000, 100_000), (100, 1_000, 10_000)
COMPARED, RANKED, REPORTED = (100, 1_000, 10_000), (10, 100, 1_000), (3, 30, 300)


def processor_seconds(function: Callable[..., Any], *args: Any, **more: Any) -> float:
    """Processor time of a call, of all threads of this process."""
    start = time.process_time()
    with quietly():
        function(*args, **more)
    return time.process_time() - start


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The slope of log seconds on log size over the last decade, where constant costs matter least.

    >>> exponent([1, 10, 100], [1.0, 2.0, 20.0])
    1.0
    """
    return math.log(seconds[-1] / seconds[-2]) / math.log(sizes[-1] / sizes[-2])


def random_scores(n_topics: int, n_systems: int) -> ScoreMatrix:
    """Scores of systems that do not differ, on topics that do not either."""
    values = np.random.default_rng(1).beta(2, 3, (n_topics, n_systems))
    return ScoreMatrix(values, [str(t) for t in range(n_topics)], [f"s{i}" for i in range(n_systems)], "AP")


def measure() -> dict[str, tuple[tuple[int, ...], list[float]]]:
    """Sizes and processor seconds, by what grows."""
    grown: dict[str, tuple[tuple[int, ...], list[float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        files = write_runs(home / "runs", n_runs=10, n_topics=50, depth=DEPTH, compress=False)
        qrels = write_qrels(home / "qrels.txt")
        evaluate(qrels, files[0], "AP")  # what is loaded on first use
        seconds = []
        for count in RUNS:
            folder = home / f"runs{count}"
            folder.mkdir()
            for number in range(count):
                os.link(files[number % 10], folder / f"run{number:04d}")
            seconds.append(processor_seconds(evaluate, qrels, folder, workers=1))
        grown["runs"] = RUNS, seconds
        seconds = []
        for count in TOPICS:
            run = write_runs(home / f"topics{count}", n_runs=1, n_topics=count, depth=DEPTH, compress=False)
            judged = write_qrels(home / f"qrels{count}.txt", n_topics=count, n_judged=100)
            seconds.append(processor_seconds(evaluate, judged, run, workers=1))
        grown["topics"] = TOPICS, seconds
    scores = random_scores(50, 50)
    timed = [processor_seconds(compare, scores, test="bootstrap", n_resamples=n, workers=1) for n in RESAMPLES]
    grown["resamples"] = RESAMPLES, timed
    settings = {"tests": ["t", "wilcoxon"], "n_topics": 50, "workers": 1}
    timed = [processor_seconds(simulate_tests, scores, n_trials=n, **settings) for n in TRIALS]
    grown["datasets"] = TRIALS, timed
    timed = [processor_seconds(compare, random_scores(n, 20), workers=1) for n in COMPARED]
    grown["compared topics"] = COMPARED, timed
    timed = [processor_seconds(compare, random_scores(50, m), workers=1) for m in RANKED]
    grown["compared systems"] = RANKED, timed
    build_report(random_scores(50, 3))  # what is loaded on first use
    timed = [processor_seconds(build_report, random_scores(50, m), workers=1) for m in REPORTED]
    grown["reported systems"] = REPORTED, timed
    return grown


WHAT = {
    "runs": "evaluate, runs of 50 topics × 1,000 documents",
    "topics": "evaluate, topics of one run, 1,000 documents each",
    "resamples": "compare, bootstrap of 50 systems × 50 topics (1,225 pairs)",
    "datasets": "simulate tests (t, Wilcoxon), datasets of 50 topics",
    "compared topics": "compare or leaderboard (randomisation), topics of 20 systems",
    "compared systems": "compare or leaderboard (randomisation), systems on 50 topics",
    "reported systems": "report, systems on 50 topics",
}
"""What grows, in words."""


def run() -> list[Row]:
    """One row per size; the last of each kind has the exponent."""
    rows = []
    for name, (sizes, seconds) in measure().items():
        for size, took in zip(sizes, seconds, strict=True):
            note = f"exponent {exponent(sizes, seconds):.2f}" if size == sizes[-1] else ""
            rows.append(Row(f"{WHAT[name]}: {size:,}", took, note=note))
    return rows
