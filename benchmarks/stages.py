"""Where the time of a line goes: nanoseconds of processor time a line, stage by stage, one thread.

A run of 50 topics × 1,000 documents, from its bytes to scores; the shortest of many tries of each stage, and of the
whole. The compiled parser judges such a file while it parses. Runs in memory and longer files are frames first: their
stages stand beside, and polars on the same bytes, which parses where the compiled parser is not built.
"""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.generate import write_qrels, write_runs
from benchmarks.harness import Row

LINES, TRIES = 50_000, 60
AT_ONCE, WHOLE, COLUMNAR = "lines to judged documents", "all of it", "polars instead, lines to columns"
STAGES = ("reading the file", "is it text", AT_ONCE, "measures")


def _nanoseconds(work: Callable[[], Any]) -> float:
    best = float("inf")
    for _ in range(TRIES):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best / LINES * 1e9


def run() -> list[Row]:
    """One row per stage; the seconds are those of a run of 50,000 lines."""
    import polars as pl

    from cranfield.collection import compiled
    from cranfield.collection.lines import RUN_COLUMNS, fast_run_block, has_duplicates
    from cranfield.collection.readers import read_qrels
    from cranfield.collection.streaming import RunStream
    from cranfield.collection.types import Run
    from cranfield.core.text import check_text
    from cranfield.measures.evaluation import Evaluator

    with tempfile.TemporaryDirectory() as scratch:
        [path] = write_runs(Path(scratch, "run"), n_runs=1, compress=False)
        evaluator = Evaluator(read_qrels(write_qrels(Path(scratch, "qrels"))), ["AP", "nDCG@10", "P@10"])
        data = Path(path).read_bytes()

        def parsed(data: bytes) -> Run:
            block = fast_run_block(data)
            assert block is not None
            return Run(block.frame)

        rows = parsed(data)
        ranking = evaluator.judge(rows)

        def duplicates(rows: Run) -> None:
            assert not has_duplicates(rows.frame["topic"], rows.frame["document"])

        def scored() -> None:
            ranking._memory.clear()
            evaluator.score(ranking)

        def at_once() -> None:
            assert evaluator.judge_lines is not None
            assert evaluator.judge_lines(data) is not None

        def whole() -> None:
            evaluator.score_stream(RunStream(path, memory=1e9, judge=evaluator.judge_lines))

        def columnar() -> None:
            pl.read_csv(io.BytesIO(data), has_header=False, separator=" ", quote_char=None, schema=RUN_COLUMNS)

        stages: dict[str, Callable[[], Any]] = {
            "reading the file": Path(path).read_bytes,
            "is it text": lambda: check_text(data, path),
            AT_ONCE: at_once,
            "measures": scored,
            WHOLE: whole,
            "frames instead: lines to columns": lambda: parsed(data),
            "frames instead: duplicates": lambda: duplicates(rows),
            "frames instead: order, and the judged documents": lambda: evaluator.judge(rows),
            COLUMNAR: columnar,
        }
        if compiled.columns is None:
            stages.pop(COLUMNAR), stages.pop(AT_ONCE)  # polars is the parser
        taken = {name: _nanoseconds(work) for name, work in stages.items()}
    return [Row(name, one * LINES / 1e9, note=f"{one:.0f} ns a line") for name, one in taken.items()]


def said(rows: Sequence[Row]) -> str:
    """The floor, and how near we are."""
    taken = {row.what: row.seconds / LINES * 1e9 for row in rows}
    parts = sum(taken.get(name, 0) for name in STAGES)
    frames = sum(one for name, one in taken.items() if name.startswith("frames"))
    at_once = f", {taken[AT_ONCE]:.0f} ns of them from lines to judged documents" if AT_ONCE in taken else ""
    return (
        f"From bytes to scores a line takes {taken[WHOLE]:.0f} ns of processor time{at_once}; by frames that takes "
        f"{frames:.0f} ns. The stages alone, each on data that are in the cache, sum to {parts:.0f} ns."
    )
