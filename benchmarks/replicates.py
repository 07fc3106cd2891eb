"""Replicates on a TREC-8-sized track, beside pytrec_eval evaluating it once and statsmodels refitting the model.

129 generated runs × 50 topics × 1000 documents, AP and P@10, 11 splits × 2 partitions, B = 10,000, reading
included; each in a separate process, its imports not counted. Target: at most 5 times pytrec_eval's time to read
and evaluate the same runs once. The bootstrap alone is compared, per replicate, with one refit by statsmodels of
the model without interaction (with it, a refit of 6,450 parameters is out of reach). Target: 1,000 times faster.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.generate import write_qrels, write_runs
from benchmarks.harness import Row, fresh_process

RUNS, RESAMPLES = 129, 10_000


def ours(qrels: str, paths: list[str]) -> float:
    """Seconds for the whole job with cranfield."""
    from cranfield import replicate

    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = replicate(qrels, paths, ["AP", "P@10"], n_resamples=RESAMPLES)
    assert len(found.pairs) == RUNS * (RUNS - 1)
    return time.perf_counter() - start


def theirs(qrels: str, paths: list[str]) -> float:
    """Seconds to read all runs and evaluate them once, on the whole collection, with pytrec_eval."""
    import pytrec_eval

    start = time.perf_counter()
    with Path(qrels).open() as stream:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(stream), {"map", "P_10"})
    found: list[Any] = []
    for path in paths:
        with Path(path).open() as stream:
            found.append(evaluator.evaluate(pytrec_eval.parse_run(stream)))
    return time.perf_counter() - start


def our_replicate() -> float:
    """Seconds for one bootstrap replicate of all effects, in a job of 10,000."""
    from cranfield.questions.replicates.bootstrap import Bootstrap, Replicated, bootstrap_effects

    scores = Replicated.of(_scores())
    start = time.perf_counter()
    bootstrap_effects(scores, Bootstrap(RESAMPLES))
    return (time.perf_counter() - start) / RESAMPLES


def their_refit() -> float:
    """Seconds for one refit by statsmodels of the model without interaction, its design matrix made beforehand."""
    import statsmodels.api as sm

    values = _scores()
    n, m, x = values.shape
    design = np.zeros((values.size, n + m - 1))
    topic, system = np.repeat(np.arange(n), m * x), np.tile(np.repeat(np.arange(m), x), n)
    design[np.arange(values.size), topic] = 1
    design[system > 0, n + system[system > 0] - 1] = 1
    start = time.perf_counter()
    for _ in range(3):
        sm.OLS(values.ravel(), design).fit(method="qr")
    return (time.perf_counter() - start) / 3


def _scores() -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).random((50, RUNS, 2))


def run() -> list[Row]:
    """The better of two for each, taken in turn."""
    with tempfile.TemporaryDirectory() as scratch:
        paths = write_runs(Path(scratch, "runs"), n_runs=RUNS, compress=False)
        qrels = write_qrels(Path(scratch, "qrels"))
        turns = [(fresh_process(ours, qrels, paths), fresh_process(theirs, qrels, paths)) for _ in range(2)]
    mine, peer = (min(each, key=lambda measured: measured.value) for each in zip(*turns, strict=True))
    replicate, refit = (min(fresh_process(f).value for _ in range(2)) for f in (our_replicate, their_refit))
    what = "129 runs, 11 splits × 2 partitions, B = 10,000"
    return [
        Row("cranfield.replicate, AP and P@10", mine.value, 1.0, mine.peak_mb, what),
        Row("pytrec_eval, once on the whole", peer.value, peer.value / mine.value, peer.peak_mb, "read and evaluate"),
        Row("cranfield, one bootstrap replicate", replicate, 1.0, None, "with interaction, 6,450 parameters"),
        Row("statsmodels OLS, one refit", refit, refit / replicate, None, "without interaction, 178 parameters, qr"),
    ]
