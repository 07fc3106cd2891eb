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
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness import Row, compiling

ROUNDS = 3
ARRAYS, FRAMES = "numpy", "numpy, polars"
SPECIAL, BOTH = "numpy, scipy.special", "numpy, polars, scipy.special"
DESIGN = "--variance 0.05 --min-diff 0.1"
COMMANDS = {
    "--help": "",
    "evaluate --help": "",
    "measures": ARRAYS,
    "evaluate qrels a.run": ARRAYS,
    "evaluate qrels a.run --format json": ARRAYS,
    "evaluate qrels a.run b.run -q -o made.csv": ARRAYS,
    "trec_eval qrels a.run": ARRAYS,
    "check qrels a.run": FRAMES,
    "pool qrels a.run b.run --depth 3": FRAMES,
    "convert scores.csv -o made.tsv": FRAMES,
    "standardise fit scores.csv -o made.csv": FRAMES,
    "standardise robustness scores.csv": FRAMES,
    "tune tuned.csv --folds 2": BOTH,
    f"design anova {DESIGN} --systems 5": SPECIAL,
    f"design ttest {DESIGN} --format json": SPECIAL,
    "design interval --variance 0.05 --width 0.1": SPECIAL,
    f"design pairs {DESIGN} --topics 50 --systems 5": SPECIAL,
    "design looks --variance-of-difference 0.04 --min-diff 0.07 --looks 5": BOTH,
    "design recommend scores.csv --systems 3 --min-diff 0.1": BOTH,
    "compare scores.csv --test t": BOTH,
    "leaderboard scores.csv --test t": BOTH,
    "table scores.csv --test t": BOTH,
    "gate scores.csv --baseline a --candidate c --margin 0.9": BOTH,
    "variance scores.csv": BOTH,
    "reliability scores.csv": BOTH,
    "monitor scores.csv": BOTH,
    "correlate scores.csv scores.csv": BOTH,
    "reuse qrels a.run b.run c.run --team-prefix [a-z]": BOTH,
    "standardise effect scores.csv": BOTH,
}
"""Every command that does next to no work on a few lines, and the numerical libraries it needs."""


def processor_seconds(words: list[str], folder: str) -> float:
    """User and system time of a Python process, its children included."""
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
    return usage.ru_utime + usage.ru_stime


def write_small(folder: Path) -> None:
    """Judgments, runs and scores of a few lines."""
    topics = [str(401 + number) for number in range(5)]
    (folder / "qrels").write_text("".join(f"{t} 0 d{d} {d % 2}\n" for t in topics for d in range(6)))
    for shift, system in enumerate("abc"):
        lines = (f"{t} Q0 d{(d + shift) % 6} {d + 1} {9 - d} {system}\n" for t in topics for d in range(6))
        (folder / f"{system}.run").write_text("".join(lines))
    for name, called in (("scores", "{}"), ("tuned", "bm25(k1={})")):
        rows = [
            f"{called.format(s)},{t},AP,{(i * 7 + j * 3) % 10 / 10}\n"
            for j, s in enumerate("abc" if name == "scores" else "123")
            for i, t in enumerate(topics)
        ]
        (folder / f"{name}.csv").write_text("system,topic,measure,value\n" + "".join(rows))


def run() -> list[Row]:
    """The libraries alone and every command, in turn; a first round, which compiles, is not counted."""
    imports = {f"import {names}": ["-c", f"import {names}"] for names in dict.fromkeys(COMMANDS.values()) if names}
    asked = imports | {f"cranfield {words}": ["-m", "cranfield", *words.split()] for words in COMMANDS}
    with tempfile.TemporaryDirectory() as scratch:
        write_small(Path(scratch))
        rounds = [[processor_seconds(words, scratch) for words in asked.values()] for _ in range(1 + ROUNDS)]
    medians = map(statistics.median, zip(*rounds[1:], strict=True))
    seconds = dict(zip(asked, medians, strict=True))
    rows = [Row(what, seconds[what]) for what in imports]
    for words, needed in COMMANDS.items():
        took = seconds[f"cranfield {words}"]
        note = f"{took / seconds[f'import {needed}']:.2f} times importing {needed}" if needed else "nothing numerical"
        rows.append(Row(f"cranfield {words}", took, note=note))
    return rows


def said(rows: Sequence[Row]) -> str:
    """The start of `evaluate`, and the command that is dearest beside its libraries."""
    seconds = {row.what.removeprefix("cranfield "): row.seconds for row in rows}
    times = {words: seconds[words] / seconds[f"import {needed}"] for words, needed in COMMANDS.items() if needed}
    dearest = max(times, key=lambda words: times[words])
    return (
        f"A small `evaluate` takes {seconds['evaluate qrels a.run']:.2f} s of processor time; importing numpy takes "
        f"{seconds[f'import {ARRAYS}']:.2f} s and numpy and polars {seconds[f'import {FRAMES}']:.2f} s. Of "
        f"{len(times)} small commands the dearest beside its libraries is `{dearest}` with {times[dearest]:.2f} times "
        f"their import (the most we allow ourselves is 1.6). Less than 1 is possible because a command keeps the idle "
        "threads of linear algebra from spinning."
    )
