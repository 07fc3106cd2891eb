"""What a small command costs, beside importing the numerical libraries it needs (median processor seconds).

A command on a few lines of data does next to no work, so this is the time from the keystroke to the answer. The note
says how many times the cost of ``python -c "import …"`` with its libraries that is; 1.6 is the most we allow ourselves.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import Row, compiling

ROUNDS = 7
FRAMES, SPECIAL, BOTH = "numpy, polars", "numpy, scipy.special", "numpy, polars, scipy.special"
DESIGN = ["--variance", "0.05", "--min-diff", "0.1"]
COMMANDS: list[tuple[list[str], str]] = [
    (["--help"], ""),
    (["evaluate", "qrels", "a.run"], FRAMES),
    (["evaluate", "qrels", "a.run", "--format", "json"], FRAMES),
    (["trec_eval", "qrels", "a.run"], FRAMES),
    (["design", "anova", *DESIGN, "--systems", "5"], SPECIAL),
    (["design", "ttest", *DESIGN, "--format", "json"], SPECIAL),
    (["compare", "scores.csv", "--test", "t"], BOTH),
    (["variance", "scores.csv"], BOTH),
]


def processor_seconds(words: list[str], folder: str, rounds: int = ROUNDS) -> float:
    """The median of user and system time of a Python process, its children included."""
    used = []
    for _ in range(rounds):
        with subprocess.Popen(
            [sys.executable, *words],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=compiling(f"{folder}/compiled"),
        ) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, words
        used.append(usage.ru_utime + usage.ru_stime)
    return statistics.median(used)


def write_small(folder: Path) -> None:
    """Judgments, a run and scores of a few lines."""
    topics = [str(401 + number) for number in range(5)]
    (folder / "qrels").write_text("".join(f"{t} 0 d{d} {d % 2}\n" for t in topics for d in range(6)))
    (folder / "a.run").write_text("".join(f"{t} Q0 d{d} {d + 1} {9 - d} a\n" for t in topics for d in range(6)))
    rows = (f"{s},{t},AP,{(i * 7 + j * 3) % 10 / 10}\n" for j, s in enumerate("abc") for i, t in enumerate(topics))
    (folder / "scores.csv").write_text("system,topic,measure,value\n" + "".join(rows))


def run() -> list[Row]:
    """Every command, after the libraries alone."""
    with tempfile.TemporaryDirectory() as scratch:
        write_small(Path(scratch))
        alone = {names: processor_seconds(["-c", f"import {names}"], scratch) for names in (FRAMES, SPECIAL, BOTH)}
        rows = [Row(f"import {names}", seconds) for names, seconds in alone.items()]
        for words, libraries in COMMANDS:
            seconds = processor_seconds(["-m", "cranfield", *words], scratch)
            note = f"{seconds / alone[libraries]:.2f} times importing {libraries}" if libraries else "nothing numerical"
            rows.append(Row(f"cranfield {' '.join(words)}", seconds, note=note))
    return rows
