"""The files people have, by command: 60 runs × 50 topics × 1,000 documents of each shape, beside pytrec_eval.

Ids are as long as those of the tracks named, scores are as tools write them. "times ours" is by the clock, start
included; the note has the processor time and, first, our own clock with one worker. Runs are repeated in turn, and the
shortest of each counts.
"""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.by_command import PEER, measured
from benchmarks.harness import Row

RUNS, DISTINCT, REPEATS = 60, 2, 2
TOPICS, DEPTH, DOCUMENTS, JUDGED = 50, 1000, 20_000, 1000
LINES = RUNS * TOPICS * DEPTH
PROMISED, AT_LEAST = 4.0, 3.0


@dataclass(frozen=True)
class Shape:
    """How a file writes documents, scores and lines."""

    document: Callable[[int], str] = "doc-{:07d}".format
    score: Callable[[float], str] = "{:.6f}".format
    between: str = " "
    end: str = "\n"
    packed: bool = False


def _hexadecimal(number: int) -> int:
    """A number whose 128 bits look like any."""
    return (number + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC834 % 2**128


SHAPES = {
    "doc-0000001, six decimals": Shape(),
    "TREC newswire (FT911-3)": Shape(lambda at: f"FT{911 + at % 40}-{at}"),
    "ClueWeb12 ids (25 bytes)": Shape(lambda at: f"clueweb12-{at % 1912:04d}wb-{at % 98:02d}-{at:05d}"),
    "MS MARCO passages (7 digits)": Shape(lambda at: str(_hexadecimal(at) % 8_841_823)),
    "MS MARCO v2.1 segments (40 bytes)": Shape(
        lambda at: (
            f"msmarco_v2.1_doc_{at % 60:02d}_{_hexadecimal(at) % 10**9:09d}#{at % 10}_{_hexadecimal(at) % 10**9:09d}"
        )
    ),
    "BEIR, ArguAna ids (33 bytes)": Shape(
        lambda at: f"test-environment-{_hexadecimal(at) % 26**6:010x}-pro{at % 90:02d}b"
    ),
    "BEIR, TREC-COVID ids (8 bytes)": Shape(lambda at: f"{_hexadecimal(at):032x}"[:8]),
    "UUIDs (36 bytes)": Shape(lambda at: str(uuid.UUID(int=_hexadecimal(at)))),
    "URLs (55 bytes)": Shape(lambda at: f"https://www.example.org/archive/2024/articles/{at:05d}.htm"),
    "17 digits, as Python prints": Shape(score=repr),
    "17 digits of probabilities": Shape(score=lambda score: repr(score / 1e5)),
    "1.234567e+01": Shape(score="{:e}".format),
    "negative scores": Shape(score=lambda score: f"{score - 40:.6f}"),
    "whole numbers": Shape(score=lambda score: str(round(score * 1e4))),
    "tabs": Shape(between="\t"),
    "CRLF": Shape(end="\r\n"),
    "ClueWeb12 ids, 17 digits": Shape(
        lambda at: f"clueweb12-{at % 1912:04d}wb-{at % 98:02d}-{at:05d}", lambda score: repr(score)
    ),
    "gzip": Shape(packed=True),
}


def write(folder: Path, shape: Shape) -> tuple[str, str]:
    """Judgments and runs of a shape, in a folder: the file and the folder of runs."""
    rng = np.random.default_rng(32)
    names = [shape.document(at) for at in range(DOCUMENTS)]
    assert len(set(names)) == DOCUMENTS
    between, end = shape.between, shape.end
    qrels, runs = folder / "qrels", folder / "runs"
    runs.mkdir(parents=True)
    with qrels.open("w") as stream:
        for topic in range(TOPICS):
            for at, level in zip(rng.permutation(DOCUMENTS)[:JUDGED], rng.choice([0, 0, 0, 1, 2], JUDGED), strict=True):
                stream.write(f"{401 + topic} 0 {names[at]} {level}\n")
    for number in range(DISTINCT):
        lines = []
        for topic in range(TOPICS):
            scores = -np.sort(-rng.gamma(2.0, 3.0, DEPTH))
            for rank, (at, score) in enumerate(
                zip(rng.permutation(DOCUMENTS)[:DEPTH].tolist(), scores.tolist(), strict=True), 1
            ):
                fields = (str(401 + topic), "Q0", names[at], str(rank), shape.score(score), "run")
                lines.append(between.join(fields) + end)
        data = "".join(lines).encode()
        made = folder / f"made{number}"
        made.write_bytes(gzip.compress(data, 6, mtime=0) if shape.packed else data)
        for copy in range(number, RUNS, DISTINCT):
            os.link(made, runs / f"run{copy:02d}{'.gz' * shape.packed}")
    return str(qrels), str(runs)


def run() -> list[Row]:
    """A row for each shape."""
    rows = []
    chosen = os.environ.get("CRANFIELD_BENCH_SHAPES", "")
    for name, shape in SHAPES.items():
        if chosen not in name:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            qrels, runs = write(Path(scratch), shape)
            ours = [sys.executable, "-m", "cranfield", "evaluate", qrels, runs, "-q", "-o", f"{scratch}/scores.csv"]
            commands = [ours, [*ours, "--workers", "1"], [sys.executable, "-c", PEER, qrels, runs]]
            compiled = str(Path(tempfile.gettempdir(), "cranfield-bench-compiled"))
            measured(ours, compiled)
            tries = [[measured(words, compiled) for words in commands] for _ in range(REPEATS)]
        (clock, used, peak), (one, _, _), (peer, peer_used, _) = (
            tuple(map(min, zip(*each, strict=True))) for each in zip(*tries, strict=True)
        )
        note = (
            f"one worker {one:.2f} s; {used / LINES * 1e9:.0f} ns of processor time a line, "
            f"pytrec_eval {peer_used / used:.1f} times that"
        )
        rows.append(Row(name, clock, peer / clock, peak, note))
    return rows


def said(rows: Sequence[Row]) -> str:
    """The slowest shapes, and what was promised."""
    ratios = {row.what: row.ratio or 0.0 for row in rows}
    worst = min(ratios, key=lambda name: ratios[name])
    fast = sum(ratio >= PROMISED for ratio in ratios.values())
    return (
        f"pytrec_eval takes at least {PROMISED:.0f} times our time for {fast} of {len(rows)} shapes; the least is "
        f"{ratios[worst]:.1f} times ({worst}). On two idle cores {PROMISED:.0f} times are promised, and {AT_LEAST:.0f} "
        "in the worst case."
    )
