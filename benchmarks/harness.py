"""Timing and peak memory, and the rows every benchmark reports."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Row:
    """One measured thing; `ratio` is the peer's seconds divided by ours."""

    what: str
    seconds: float
    ratio: float | None = None
    peak_mb: float | None = None
    note: str = ""


def best_time(function: Callable[[], Any], repeats: int = 3) -> float:
    """The shortest of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def compiling(folder: str) -> dict[str, str]:
    """An environment in which Python keeps compiled files (in a folder), as those of an installed package are kept."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": folder}


def _tree_rss(pid: int) -> int:
    """Resident bytes of a process and all its descendants (Linux)."""
    total, todo = 0, [pid]
    while todo:
        at = todo.pop()
        try:
            pages = int(Path(f"/proc/{at}/statm").read_text().split()[1])
            total += pages * os.sysconf("SC_PAGE_SIZE")
            todo += [int(p) for p in Path(f"/proc/{at}/task/{at}/children").read_text().split()]
        except (OSError, ValueError, IndexError):
            continue
    return total


def _call(function: Callable[..., Any], args: tuple[Any, ...], pipe: Any) -> None:
    start = time.perf_counter()
    value = function(*args)
    pipe.send((value, time.perf_counter() - start))


@dataclass(frozen=True)
class Measured:
    """What a call in a separate process returned, took and needed."""

    value: Any
    seconds: float
    peak_mb: float


def fresh_process(function: Callable[..., Any], *args: Any) -> Measured:
    """Call a function in a separate process; its imports count in `seconds` and `peak_mb`.

    A function that wants its imports left out returns its own seconds. Memory is the resident peak of the
    process and all its children.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_call, args=(function, args, theirs))
    peak = [0]
    process.start()
    assert process.pid is not None

    def watch(pid: int) -> None:
        while process.is_alive():
            peak[0] = max(peak[0], _tree_rss(pid))
            time.sleep(0.01)

    watcher = threading.Thread(target=watch, args=(process.pid,))
    watcher.start()
    theirs.close()  # so that a crash there ends the wait here
    value, seconds = ours.recv()
    process.join()
    watcher.join()
    return Measured(value, seconds, peak[0] / 1e6)


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| what | seconds | times ours | peak MB | note |", "|:--|--:|--:|--:|:--|"]
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:,.1f}"
        peak = "" if row.peak_mb is None else f"{row.peak_mb:,.0f}"
        lines.append(f"| {row.what} | {row.seconds:.4g} | {ratio} | {peak} | {row.note} |")
    return "\n".join(lines) + "\n"
