"""Broken files for every reader, and every command with extreme options on degenerate scores.

    PYTHONPATH=tests python -m fuzz --minutes 3 --seed 1 --kinds readers commands

Anything but a sound result or an error in words (a traceback, a NaN, an infinity, a p of 0, an estimate outside its
interval, a message of many pages) is printed with the seed that repeats it, and the exit code is 1. The same seeds give
the same inputs on every machine; `--inputs` stops after so many of a kind.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fuzz import commands, readers

NUMBERS = re.compile(r"-?\d[\d.e+-]*")
MEMORY = "/dev/shm"
"""Where files lie in memory, on Linux."""
KINDS: dict[str, tuple[Callable[[int, Path], tuple[str, str | None]], Callable[[Path], None]]] = {
    "readers": (readers.attempt, lambda folder: None),
    "commands": (commands.attempt, commands.prepare),
}


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder of its own, which is the current directory meanwhile."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(dir=MEMORY if Path(MEMORY).is_dir() else None) as name:
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def fuzz(
    kind: str,
    first_seed: int,
    seconds: float,
    inputs: int | None = None,
    said: Callable[[str], None] = lambda text: None,
) -> tuple[Counter[str], dict[str, str]]:
    """Try seeds for so long: how many of what, and the findings by the place in the code; `said` hears them at once."""
    attempt, prepare = KINDS[kind]
    tried: Counter[str] = Counter()
    findings: dict[str, str] = {}
    end = time.monotonic() + seconds
    seed = first_seed
    with _folder() as folder:
        prepare(folder)
        while time.monotonic() < end and (inputs is None or seed < first_seed + inputs):
            what, problem = attempt(seed, folder)
            tried[what] += 1
            if problem is not None:
                places = [line for line in problem.splitlines() if line.startswith("  File")]
                detail = "".join(problem.splitlines()[1:2]) if not places else places[-1]
                key = f"{what} {NUMBERS.sub('#', detail)[:120]}"
                if key not in findings:
                    findings[key] = f"seed {seed}: {problem}"
                    said(findings[key])
            seed += 1
    return tried, findings


def main() -> int:
    """Fuzz for some minutes and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inputs", type=int)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    asked = parser.parse_args()
    failed = False
    for kind in asked.kinds:
        seconds = asked.minutes * 60 / len(asked.kinds)
        started = time.monotonic()
        tried, findings = fuzz(kind, asked.seed, seconds, asked.inputs, lambda text: print(f"\n{text}", flush=True))
        took = time.monotonic() - started
        counts = ", ".join(f"{name} {count:,}" for name, count in sorted(tried.items()))
        total = sum(tried.values())
        print(f"{kind}: {total:,} inputs from seed {asked.seed} in {took:,.0f} s ({counts}); {len(findings)} findings")
        failed |= bool(findings)
    return 1 if failed else 0
