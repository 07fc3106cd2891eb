"""How processor time grows: each quantity doubled four times, and the exponent of the fitted power (1 is linear).

Small sizes flatter an exponent (what is constant weighs more), so a cliff shows as an exponent well above 1.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.generate import write_qrels, write_runs
from benchmarks.harness import Row

DOUBLINGS = 4


def fitted(sizes: list[int], seconds: list[float]) -> float:
    """The exponent b of seconds = a · size^b by least squares on logarithms.

    >>> round(fitted([1, 2, 4], [3.0, 12.0, 48.0]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _used(work: Callable[[], Any]) -> float:
    best = np.inf
    for _ in range(2):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return float(best)


def _scores(n_topics: int, n_systems: int) -> Any:
    from cranfield import ScoreMatrix

    rng = np.random.default_rng(1)
    values = rng.random((n_topics, 1)) / 2 + rng.random((n_topics, n_systems)) / 4
    return ScoreMatrix(values, [str(t) for t in range(n_topics)], [f"s{s}" for s in range(n_systems)], "AP")


def _evaluate(folder: Path, n_runs: int, n_topics: int) -> Callable[[], Any]:
    from cranfield import evaluate

    paths = write_runs(folder / f"{n_runs}-{n_topics}", n_runs=n_runs, n_topics=n_topics, compress=False)
    qrels = write_qrels(folder / f"{n_runs}-{n_topics}.qrels", n_topics=n_topics)
    return lambda: evaluate(qrels, paths, ["AP", "nDCG@10", "P@10"])


def _remarked(folder: Path, n_topics: int) -> Callable[[], Any]:
    from cranfield import evaluate

    [path] = write_runs(folder / f"remarked-{n_topics}", n_runs=1, n_topics=n_topics, compress=False)
    qrels = write_qrels(folder / f"remarked-{n_topics}.qrels", n_topics=n_topics)
    Path(path).write_bytes(Path(path).read_bytes() + b"# one remark\n")
    return lambda: evaluate(qrels, path, ["AP"])


def _ntcir(folder: Path, n_topics: int) -> Callable[[], Any]:
    from cranfield import read_qrels

    path = folder / f"{n_topics}.ntcir"
    path.write_text("".join(f"{t:05d} doc-{d:06d} L{d % 3}\n" for t in range(n_topics) for d in range(200)))
    return lambda: read_qrels(path).frame


def _printed(n_topics: int, form: str) -> Callable[[], Any]:
    from cranfield.core.answer import answer
    from cranfield.core.formats import render

    scores = _scores(n_topics, 20)
    return lambda: render(answer(scores).sheet("topics"), form)


def _trec(n_topics: int) -> Callable[[], Any]:
    from cranfield import Scores
    from cranfield.trec_eval.evaluation import trec_lines

    scores = Scores([_scores(n_topics, 1)])
    return lambda: list(trec_lines(scores, "s0", topics=True))


def _read(folder: Path, n_topics: int) -> Callable[[], Any]:
    from cranfield import read_scores, write_scores

    path = folder / f"{n_topics}.csv"
    write_scores(_scores(n_topics, 20), path)
    return lambda: read_scores(path)


def _compare(n_topics: int, n_systems: int, **how: Any) -> Callable[[], Any]:
    from cranfield import compare

    scores = _scores(n_topics, n_systems)
    return lambda: compare(scores, **how)


def _variance(n_topics: int, n_systems: int) -> Callable[[], Any]:
    from cranfield import variances

    scores = _scores(n_topics, n_systems)
    return lambda: variances(scores)


def run() -> list[Row]:
    """One row per quantity: the largest size, its seconds, and the exponent."""
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(scratch)
        quantities: dict[str, tuple[int, Callable[[int], Callable[[], Any]]]] = {
            "topics of a run (1,000 documents each)": (100, lambda n: _evaluate(folder, 1, n)),
            "runs (50 topics × 1,000 documents)": (5, lambda n: _evaluate(folder, n, 50)),
            "topics of a run with one comment line": (100, lambda n: _remarked(folder, n)),
            "topics of NTCIR's judgments (200 documents each)": (400, lambda n: _ntcir(folder, n)),
            "topics printed as trec_eval does": (10_000, _trec),
            "topics × 20 systems printed as a table": (500, lambda n: _printed(n, "table")),
            "topics × 20 systems printed as CSV": (1_000, lambda n: _printed(n, "csv")),
            "topics × 20 systems read from CSV": (1_000, lambda n: _read(folder, n)),
            "pairs of systems, t-test, 50 topics": (20, lambda n: _compare(50, n, test="t")),
            "topics, randomisation, 3 systems": (1_000, lambda n: _compare(n, 3)),
            "systems, variance, 50 topics": (100, lambda n: _variance(50, n)),
            "topics, variance, 20 systems": (2_000, lambda n: _variance(n, 20)),
        }
        rows = []
        for what, (first, make) in quantities.items():
            sizes = [first * 2**step for step in range(DOUBLINGS + 1)]
            seconds = [_used(make(size)) for size in sizes]
            counted = [n * (n - 1) // 2 for n in sizes] if what.startswith("pairs") else sizes
            note = f"{counted[0]:,} to {counted[-1]:,}; exponent {fitted(counted, seconds):.2f}"
            rows.append(Row(what, seconds[-1], note=note))
    return rows


def said(rows: Sequence[Row]) -> str:
    """The quantity that grows fastest."""
    exponents = {row.what: float(row.note.rpartition(" ")[2]) for row in rows}
    steepest = max(exponents, key=lambda what: exponents[what])
    return f"The steepest is {steepest}: exponent {exponents[steepest]:.2f}. A cliff would be well above 1."
