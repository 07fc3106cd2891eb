"""Where the time of a line goes: nanoseconds of processor time a line, stage by stage, one thread.

A run of 50 topics × 1,000 documents, from its bytes to scores; the shortest of many tries of each stage, and of the
whole. Beside stands the columnar parser (polars, eager, six columns) on the same bytes.
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
WHOLE, COLUMNAR = "all of it", "columnar parser alone"


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
    from cranfield.collection.packed import _Lines, packed_run

    from cranfield.collection.lines import RUN_COLUMNS
    from cranfield.collection.readers import read_qrels
    from cranfield.core.files import check_text
    from cranfield.measures.evaluation import Evaluator

    with tempfile.TemporaryDirectory() as scratch:
        [path] = write_runs(Path(scratch, "run"), n_runs=1, compress=False)
        evaluator = Evaluator(read_qrels(write_qrels(Path(scratch, "qrels"))), ["AP", "nDCG@10", "P@10"])
        data = Path(path).read_bytes()
        lines, packed = _Lines.of(data), packed_run(data)
        assert lines is not None
        assert packed is not None
        ranking = evaluator.judge_with_unjudged_topics(packed)[0]

        def duplicates() -> None:
            packed.documents.__dict__.pop("hashes", None)  # kept for the look-up that follows
            assert not packed.has_duplicates

        def scored() -> None:
            ranking._memory.clear()
            evaluator.score(ranking)

        def whole() -> None:
            rows = packed_run(check_text(Path(path).read_bytes(), path))
            assert rows is not None
            assert not rows.has_duplicates
            evaluator.score(evaluator.judge_with_unjudged_topics(rows)[0])

        def columnar() -> None:
            pl.read_csv(io.BytesIO(data), has_header=False, separator=" ", quote_char=None, schema=RUN_COLUMNS)

        stages: dict[str, Callable[[], Any]] = {
            "reading the file": Path(path).read_bytes,
            "is it text": lambda: check_text(data, path),
            "finding blanks and line ends": lambda: _Lines.of(data),
            "topics": lambda: lines.stretches(0),
            "tag": lambda: lines.constant(5),
            "ranks": lambda: lines.digits(3),
            "ids of documents": lambda: lines.ids(2),
            "scores": lambda: lines.decimals(4),
            "duplicates": duplicates,
            "order, and the judged documents": lambda: evaluator.judge_with_unjudged_topics(packed),
            "measures": scored,
            WHOLE: whole,
            COLUMNAR: columnar,
        }
        taken = {name: _nanoseconds(work) for name, work in stages.items()}
    return [Row(name, one * LINES / 1e9, note=f"{one:.0f} ns a line") for name, one in taken.items()]


def said(rows: Sequence[Row]) -> str:
    """The floor, and how near we are."""
    taken = {row.what: row.seconds / LINES * 1e9 for row in rows}
    parts = sum(taken[name] for name in taken if name not in (WHOLE, COLUMNAR))
    splitting = taken["finding blanks and line ends"]
    return (
        f"From bytes to scores a line takes {taken[WHOLE]:.0f} ns of processor time. The columnar parser takes "
        f"{taken[COLUMNAR]:.0f} ns from the same bytes to six columns, and has looked up and scored nothing by then; "
        f"that was the floor while it read our lines, and all of it is now {taken[WHOLE] / taken[COLUMNAR]:.2f} times "
        f"that. The stages alone, each on data that are in the cache, sum to {parts:.0f} ns. Of these, finding blanks "
        f"and line ends ({splitting:.0f} ns) and six fetches of a word (some 4 ns each) are what numpy cannot do in "
        "less; a compiled line splitter could."
    )
