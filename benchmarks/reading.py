"""Reading 40 gzipped runs of a TREC track, beside pytrec_eval's parser.

Uses the TREC-COVID round-5 runs when they lie in ../shared, otherwise generated runs of the same size. Every
reader keeps all runs in memory; each works in a separate process, its imports not counted.
"""

from __future__ import annotations

import gzip
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.generate import write_runs
from benchmarks.harness import Row, fresh_process

REAL = Path(__file__).resolve().parents[2] / "shared/data/runs/trec-covid-r5/runs"


def ours(paths: list[str]) -> float:
    """Seconds to read all runs with cranfield."""
    from cranfield import read_runs

    start = time.perf_counter()
    runs = list(read_runs(paths))
    seconds = time.perf_counter() - start
    assert len(runs) == len(paths)
    return seconds


def theirs(paths: list[str]) -> float:
    """Seconds to read all runs with pytrec_eval's parser."""
    import pytrec_eval

    start = time.perf_counter()
    runs: list[Any] = []
    for path in paths:
        with gzip.open(path, "rt") as stream:
            runs.append(pytrec_eval.parse_run(stream))
    return time.perf_counter() - start


def run() -> list[Row]:
    """Best of three for each reader, taken in turn."""
    with tempfile.TemporaryDirectory() as scratch:
        if REAL.is_dir():
            paths, what = [str(p) for p in sorted(REAL.iterdir())], "40 TREC-COVID runs"
        else:
            paths, what = write_runs(Path(scratch), n_runs=40), "40 generated runs"
        rows = []
        for name, reader in (("cranfield.read_runs", ours), ("pytrec_eval.parse_run", theirs)):
            results = [fresh_process(reader, paths) for _ in range(3)]
            rows.append((name, min(r.value for r in results), min(r.peak_mb for r in results)))
    base = rows[0][1]
    return [Row(name, seconds, seconds / base, peak, what) for name, seconds, peak in rows]
