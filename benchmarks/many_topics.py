"""Scores of 5,000 topics × 100 systems (with CRANFIELD_BENCH_LARGE=1 100,000): what was announced, what it took.

Processor seconds and resident peak of one process that holds the scores; "announced" is what is said before the
work begins, where anything is.
"""

from __future__ import annotations

import os
import time
import warnings
from typing import Any

import numpy as np

from benchmarks.harness import Row, fresh_process

TOPICS = 100_000 if os.environ.get("CRANFIELD_BENCH_LARGE") else 5_000
SYSTEMS = 100
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "leaderboard, t-test": ("compare", {"test": "t"}),
    "compare, randomisation": ("compare", {}),
    "compare, Wilcoxon": ("compare", {"test": "wilcoxon"}),
    "compare, bootstrap, 10,000 resamples": ("compare", {"test": "bootstrap", "n_resamples": 10_000}),
    "compare, Westfall–Young": ("compare", {"test": "t", "correction": "westfall-young"}),
    "tune": ("tune", {}),
    "tune, bands of the curve": ("curve", {}),
    "standardise effect": ("standardisation_effect", {}),
    "variance": ("variances", {}),
}


def ask(name: str, how: dict[str, Any]) -> tuple[float, str]:
    """Processor seconds of a question, and what was announced."""
    import cranfield
    from cranfield.core import resources

    resources.A_WHILE = 0.0  # so that all is said
    told: list[str] = []
    rng = np.random.default_rng(1)
    values = rng.beta(1, 2, (TOPICS, 1)) * 0.6 + rng.normal(0, 0.15, (TOPICS, SYSTEMS)) + np.linspace(0, 0.01, SYSTEMS)
    labels = [f"q{i:06d}" for i in range(TOPICS)], [f"bm25(k1={i})" for i in range(SYSTEMS)]
    scores = cranfield.ScoreMatrix(values.clip(0, 1), *labels, "AP")
    function = getattr(cranfield, "tune" if name == "curve" else name)
    with warnings.catch_warnings(), resources.announced_to(told.append):
        warnings.simplefilter("ignore")
        start = time.process_time()
        result = function(scores, **how)
        if name == "curve":
            start = time.process_time()
            result.curve()
    took = time.process_time() - start
    return took, ", ".join(text.split("takes about ")[1].split(";")[0] for text in told)


def run() -> list[Row]:
    """One row per question."""
    rows = []
    for what, (name, how) in ASKED.items():
        done = fresh_process(ask, name, how)
        took, said = done.value
        rows.append(Row(what, took, None, done.peak_mb, f"announced: {said}" if said else ""))
    return rows
