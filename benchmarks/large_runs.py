"""Runs of many topics, one process each: seconds, processor seconds and memory, beside pytrec_eval.

"times ours" is the ratio of processor seconds. The small case is 20 runs of 50 topics × 1,000 documents. Beside stands
what the columnar parser takes alone: the bytes of the file through polars into the six columns, in blocks of 8 MB,
where ours goes from the same bytes to scores. Set CRANFIELD_BENCH_LARGE=1 for 1, 10 and 100 million lines, which take
5 GB of disk.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.evaluate import ours, pytrec_eval_one_by_one
from benchmarks.generate import write_qrels, write_runs
from benchmarks.harness import Row, fresh_process

SIZES = [(6980, 100), (6980, 1000), (100_000, 200)]
LARGE = [(1000, 1000), (10_000, 1000), (100_000, 1000)]
OURS, PEER = "cranfield", "pytrec_eval"
SMALL_RUNS, SMALL = 20, f"{OURS}, 20 runs of 50 topics × 1,000 documents"
WITH_PEER = 20_000_000
"""Lines up to which pytrec_eval is run beside; it holds the whole run in dictionaries."""


def write_large(folder: Path, n_topics: int, depth: int) -> tuple[str, str]:
    """A run whose topics rank the same documents under changing numbers, and one judgment for each topic."""
    rng = np.random.default_rng(1)
    documents = rng.permutation(8_000_000)[:depth].tolist()
    scores = (-np.sort(-rng.random(depth)) * 30).tolist()
    lines = [f"TOPIC0 Q0 {d} {r} {s:.6f} run\n" for r, (d, s) in enumerate(zip(documents, scores, strict=True), 1)]
    block = "".join(lines).encode()
    run, qrels = folder / f"{n_topics}x{depth}", folder / f"{n_topics}x{depth}.qrels"
    with run.open("wb") as stream:
        for topic in range(n_topics):
            stream.write(block.replace(b"TOPIC0", b"%06d" % topic))
    qrels.write_text("".join(f"{t:06d} 0 {documents[t % depth]} 1\n" for t in range(n_topics)))
    return str(run), str(qrels)


def floor(path: str) -> float:
    """Processor seconds of the columnar parser alone."""
    import polars as pl

    from cranfield.collection.lines import RUN_COLUMNS
    from cranfield.core.files import line_blocks, open_bytes

    used = time.process_time()
    with open_bytes(path) as stream:
        for block in line_blocks(stream, 1 << 23):
            pl.read_csv(block, has_header=False, separator=" ", quote_char=None, schema=RUN_COLUMNS)
    return time.process_time() - used


def small_case() -> Row:
    """What a line costs in runs of ordinary size."""
    lines = SMALL_RUNS * 50 * 1000
    with tempfile.TemporaryDirectory() as scratch:
        paths = write_runs(Path(scratch, "runs"), n_runs=SMALL_RUNS, compress=False)
        measured = fresh_process(ours, write_qrels(Path(scratch, "qrels")), paths)
    seconds, used = measured.value
    return Row(
        SMALL, seconds, 1.0, measured.peak_mb, f"{used:.2f} s of processor time, {used / lines * 1e9:.0f} ns a line"
    )


def said(rows: Sequence[Row]) -> str:
    """What a line costs beside the small case, and what the peer takes beside us."""
    costs = {row.what: int(found[1]) for row in rows if (found := re.search(r"(\d+) ns a line", row.note))}
    small = costs.pop(SMALL)
    beside = ", ".join(f"{cost / small:.2f} times that at {what.partition(', ')[2]}" for what, cost in costs.items())
    clock = {row.what: row.seconds for row in rows}
    peers = ", ".join(
        f"{row.seconds / clock[f'{OURS}, {size}']:.1f} times ({row.ratio:.1f} of the processor time) at {size}"
        for row in rows
        if row.ratio and (size := row.what.removeprefix(f"{PEER}, ")) != row.what
    )
    return (
        f"A line costs {small} ns of processor time in the small case, and {beside}; 1.3 times is the most promised.\n"
        f"By the clock, pytrec_eval takes {peers}; for the first three 1.5, 4 and 4 times are promised."
    )


def run() -> list[Row]:
    """Each size in its own temporary directory."""
    rows = [small_case()]
    for n_topics, depth in SIZES + (LARGE if os.environ.get("CRANFIELD_BENCH_LARGE") else []):
        lines = n_topics * depth
        with tempfile.TemporaryDirectory() as scratch:
            path, qrels = write_large(Path(scratch), n_topics, depth)
            mine = fresh_process(ours, qrels, [path])
            seconds, used = mine.value
            alone = fresh_process(floor, path).value
            what = f"{n_topics:,} topics × {depth:,} documents"
            note = (
                f"{used:.2f} s of processor time, {used / lines * 1e9:.0f} ns a line; the columnar parser alone "
                f"{alone:.2f} s"
            )
            rows.append(Row(f"{OURS}, {what}", seconds, 1.0, mine.peak_mb, note))
            if lines <= WITH_PEER:
                peer = fresh_process(pytrec_eval_one_by_one, qrels, [path])
                theirs, they_used = peer.value
                note = f"{they_used:.2f} s of processor time"
                rows.append(Row(f"{PEER}, {what}", theirs, they_used / used, peer.peak_mb, note))
    return rows
