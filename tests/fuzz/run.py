"""Broken files for every reader, and every command with extreme options on degenerate scores.

    PYTHONPATH=tests python -m fuzz --minutes 3 --seed 1 --kinds readers commands
    PYTHONPATH=tests python -m fuzz --inputs 1000000 --jobs 2

Anything but a sound result or an error in words (a traceback, a row that is dropped without a word, a NaN, an infinity,
a p of 0, an estimate outside its interval, a message of many pages) is printed with the seed that repeats it, and the
exit code is 1. The same seeds give the same inputs on every machine, whatever the jobs. `--inputs` is how many in all:
of a thousand, 850 are files for readers and 150 are commands, which take longer. Ctrl-C ends the run with the same
summary, which says at which seeds to go on (`--readers`, `--commands`).
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

from fuzz import commands, readers

NUMBERS = re.compile(r"-?\d[\d.e+-]*")
MEMORY = "/dev/shm"
"""Where files lie in memory, on Linux."""
KINDS: dict[str, tuple[Callable[[int, Path], tuple[str, str | None]], Callable[[Path], None]]] = {
    "readers": (readers.attempt, lambda folder: None),
    "commands": (commands.attempt, commands.prepare),
}
SHARES = {"readers": 850, "commands": 150}
"""How many of a thousand inputs are of which kind."""
BATCH = {"readers": 2000, "commands": 100}
"""Inputs after which a process says how far it is."""


@dataclass
class Tally:
    """How many of what were tried, and the findings by the place in the code."""

    tried: Counter[str] = field(default_factory=Counter)
    findings: dict[str, str] = field(default_factory=dict)

    def add(self, other: Tally) -> list[str]:
        """Take up another one; what it found that is new."""
        self.tried += other.tried
        new = {key: text for key, text in other.findings.items() if key not in self.findings}
        self.findings |= new
        return list(new.values())


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


def fuzz(kind: str, seeds: range, end: float = float("inf")) -> Tally:
    """Try these seeds, until a moment of `time.monotonic` at the latest."""
    attempt, prepare = KINDS[kind]
    tally = Tally()
    with _folder() as folder:
        prepare(folder)
        for seed in seeds:
            if time.monotonic() >= end:
                break
            what, problem = attempt(seed, folder)
            tally.tried[what] += 1
            if problem is not None:
                places = [line for line in problem.splitlines() if line.startswith("  File")]
                detail = "".join(problem.splitlines()[1:2]) if not places else places[-1]
                tally.findings.setdefault(f"{what} {NUMBERS.sub('#', detail)[:120]}", f"seed {seed}: {problem}")
    return tally


def _batches(kind: str, first: int, inputs: int | None) -> Iterator[range]:
    """Seeds one after the other, in stretches."""
    last = sys.maxsize if inputs is None else first + inputs
    for start in range(first, last, BATCH[kind]):
        yield range(start, min(start + BATCH[kind], last))


def _spread(kind: str, seeds: Iterator[range], end: float, jobs: int) -> Iterator[tuple[range, Tally]]:
    """The batches with what came of each, in order, in so many processes."""
    if jobs == 1:
        for batch in seeds:
            yield batch, fuzz(kind, batch, end)
            if time.monotonic() >= end:
                return
        return
    context = multiprocessing.get_context("spawn")  # no child inherits the threads of a library
    with context.Pool(jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)) as pool:
        while time.monotonic() < end:  # a few at a time, because without a number there is no last batch
            some = list(islice(seeds, 8 * jobs))
            if not some:
                return
            yield from zip(some, pool.imap(partial(fuzz, kind, end=end), some), strict=True)


def main() -> int:
    """Fuzz for some minutes, or so many inputs, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, help="how long at most, of all kinds together (without --inputs: 1)")
    parser.add_argument("--inputs", type=int, help="how many in all; of a single kind, of that")
    parser.add_argument("--seed", type=int, default=1, help="the first seed of every kind")
    parser.add_argument("--readers", type=int, help="the first seed of the readers, to go on with")
    parser.add_argument("--commands", type=int, help="the first seed of the commands, to go on with")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    asked = parser.parse_args()
    minutes = asked.minutes if asked.minutes is not None or asked.inputs else 1.0
    started, total, findings, stopped = time.monotonic(), 0, 0, False
    for kind in asked.kinds:
        share = SHARES[kind] / sum(SHARES[one] for one in asked.kinds)
        inputs = None if asked.inputs is None else round(asked.inputs * share)
        begun = time.monotonic()
        end = float("inf") if minutes is None else begun + minutes * 60 / len(asked.kinds)
        first = getattr(asked, kind) or asked.seed
        tally, next_seed = Tally(), first
        try:
            for batch, part in _spread(kind, _batches(kind, first, inputs), end, asked.jobs):
                next_seed = batch.start + part.tried.total()
                for text in tally.add(part):
                    print(f"\n{text}", flush=True)
        except KeyboardInterrupt:
            stopped = True
        took = time.monotonic() - begun
        print(
            f"\n{kind}: {tally.tried.total():,} inputs in {took:,.0f} s, {len(tally.findings)} findings; next seed {next_seed}"
        )
        for name, count in sorted(tally.tried.items()):
            print(f"  {name:24}{count:>10,}", flush=True)
        total, findings = total + tally.tried.total(), findings + len(tally.findings)
        if stopped:
            break
    print(f"\n{total:,} inputs in {time.monotonic() - started:,.0f} s, {findings} findings{', stopped' * stopped}")
    return 130 if stopped else 1 if findings else 0
