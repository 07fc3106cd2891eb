"""Files to scores by command: 60 runs × 50 topics × 1,000 documents, imports included, beside pytrec_eval.

"times ours" is the ratio of processor seconds, start included; the note has the ratio by the clock, which two idle
cores make larger. Python files are compiled beforehand, as those of an installed package are. trec_eval's own program
is in the table, one process per run, where it is on the PATH (or TREC_EVAL names it). The columnar parser reads the
same files into six columns and does nothing with them; one small run shows what of ours is the start.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.generate import write_qrels, write_runs
from benchmarks.harness import Row, compiling
from benchmarks.start import write_small

RUNS, DISTINCT, REPEATS, REPEATS_OF_PROGRAM = 60, 4, 5, 1
PEER = """
import glob, gzip, sys
import pytrec_eval
with open(sys.argv[1]) as stream:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(stream), {"map", "ndcg_cut.10", "P.10"})
results = []
for path in sorted(glob.glob(sys.argv[2] + "/*")):
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as stream:
        results.append(evaluator.evaluate(pytrec_eval.parse_run(stream)))
"""

COLUMNAR = """
import glob, sys
import polars as pl
from cranfield.collection.lines import RUN_COLUMNS
for path in sorted(glob.glob(sys.argv[2] + "/*")):
    pl.read_csv(path, has_header=False, separator=" ", quote_char=None, schema=RUN_COLUMNS)
"""
OURS, PEERS, FLOOR, START, PROGRAM = (
    "cranfield evaluate -q -o scores.csv",
    "pytrec_eval, run after run",
    "columnar parser alone",
    "cranfield evaluate, one small run",
    "trec_eval, one process per run",
)


def measured(words: list[str], compiled: str) -> tuple[float, float, float]:
    """Seconds, processor seconds and peak megabytes of a command, its children included."""
    start = time.perf_counter()
    with subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=compiling(compiled)
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3


def run() -> list[Row]:
    """Ours, pytrec_eval in one process, and trec_eval where it is."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "runs")
        folder.mkdir()
        paths = write_runs(Path(scratch, "made"), n_runs=DISTINCT, compress=False)
        for number in range(RUNS):
            os.link(paths[number % DISTINCT], folder / f"run{number:02d}")
        write_small(Path(scratch))
        Path(scratch, "qrels").rename(Path(scratch, "qrels-small"))
        qrels = write_qrels(Path(scratch, "qrels"))
        out = str(Path(scratch, "scores.csv"))
        commands = {
            OURS: [sys.executable, "-m", "cranfield", "evaluate", qrels, str(folder), "-q", "-o", out],
            PEERS: [sys.executable, "-c", PEER, qrels, str(folder)],
            FLOOR: [sys.executable, "-c", COLUMNAR, qrels, str(folder)],
            START: [sys.executable, "-m", "cranfield", "evaluate", f"{scratch}/qrels-small", f"{scratch}/a.run"],
        }
        if program := os.environ.get("TREC_EVAL") or shutil.which("trec_eval"):
            asked = f"{shlex.quote(program)} -q -m map -m ndcg_cut.10 -m P.10 {shlex.quote(qrels)}"
            loop = f"for run in {shlex.quote(str(folder))}/*; do {asked} $run; done"
            commands[PROGRAM] = ["sh", "-c", loop]
        compiled = str(Path(scratch, "compiled"))
        tries = {name: [measured(words, compiled)] for name, words in commands.items()}
        for turn in range(REPEATS):  # in turn, so that all meet the same neighbours
            for name, words in commands.items():
                if name != PROGRAM or turn < REPEATS_OF_PROGRAM:
                    tries[name].append(measured(words, compiled))
    best = {name: tuple(map(min, zip(*each, strict=True))) for name, each in tries.items()}
    quick, ours, _ = best[OURS]
    return [
        Row(name, seconds, used / ours, peak, f"{used:.2f} s of processor time; {seconds / quick:.1f} by the clock")
        for name, (seconds, used, peak) in best.items()
    ]


def said(rows: Sequence[Row]) -> str:
    """How near to the floor, and to what was promised."""
    clock = {row.what: row.seconds for row in rows}
    used = {row.what: row.ratio or 1.0 for row in rows}
    return (
        f"{RUNS} runs of 50,000 lines take {clock[OURS]:.2f} s by the clock, {clock[START]:.2f} s of them the start. "
        f"pytrec_eval takes {clock[PEERS] / clock[OURS]:.1f} times that by the clock (on two idle cores: 5 promised) "
        f"and {used[PEERS]:.1f} times our processor time. The columnar parser alone, on the same files and all cores, "
        f"takes {clock[FLOOR]:.2f} s by the clock ({used[FLOOR]:.1f} times our processor time) and has scored nothing."
    )
