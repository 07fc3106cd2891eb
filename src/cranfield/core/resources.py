"""What this process may use and what a question needs: limits, forks, time and memory, said before the work begins."""

from __future__ import annotations

import os
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cranfield.core.errors import ArgumentError, CranfieldError, CranfieldWarning, DataError, with_extra

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

ADDRESSES = 1_500
"""Megabytes of addresses that the numerical libraries map; with fewer they abort, or wait for ever."""
PER_PROCESSOR = 40
"""Megabytes more for the threads of each processor beyond two."""
DRAWING = 72_000
"""Megabytes of addresses that the engine of charts reserves; it uses a fraction of them."""
FILES = 64
"""Open files that drawing needs."""


def check_program() -> None:
    """Refuse to start where the numerical libraries would abort, or where help has lost its texts."""
    if sys.flags.optimize > 1:
        raise ArgumentError("Python's -OO removes the texts that help and charts are made of. Use -O, or no option.")
    least = ADDRESSES + PER_PROCESSOR * max(0, (os.cpu_count() or 1) - 2)
    _check_addresses(least, "cranfield needs")


def check_charts() -> None:
    """Refuse where the packages that draw are not installed."""
    from importlib.util import find_spec

    if missing := [name for name in ("altair", "vl_convert") if find_spec(name) is None]:
        raise ArgumentError(f"charts and reports need {' and '.join(missing)}. Install: {with_extra('charts')}")


def check_drawing() -> None:
    """Refuse to draw where the engine of charts would abort."""
    if resource is None:
        return
    _check_addresses(DRAWING, "drawing a chart reserves")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= FILES:
        return
    if hard == resource.RLIM_INFINITY or hard >= FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, hard))
        return
    raise CranfieldError(
        f"drawing a chart needs {FILES} open files, and ulimit -n allows {hard}. Write: ulimit -n 1024"
    )


def _check_addresses(least: int, what: str) -> None:
    if resource is None:
        return
    allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
    if allowed != resource.RLIM_INFINITY and allowed < least * 1_000_000:
        raise CranfieldError(
            f"{what} {least:,} MB of addresses, and ulimit -v allows {allowed / 1e6:,.0f} MB. "
            "Write: ulimit -v unlimited"
        )


_TASKS = Path("/proc/self/task")
_WORKER = re.compile(r"polars-\d+\s*")
_lost = _at_fork = False


def _look() -> None:
    global _at_fork
    try:
        _at_fork = any(_WORKER.fullmatch((one / "comm").read_text()) for one in _TASKS.iterdir())
    except OSError:  # not Linux, where fork is no longer the usual way
        _at_fork = False


def _note() -> None:
    global _lost
    _lost = _lost or _at_fork


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_look, after_in_child=_note)


def refuse_forked() -> None:
    """Raise in a process whose parent had polars at work when it forked."""
    if _lost:
        raise CranfieldError(
            "this process was forked after polars started its threads, and would hang. "
            "Start workers with multiprocessing.get_context('forkserver') or 'spawn'."
        )


A_WHILE = 60.0
"""Seconds of processor time from which a question is announced."""
FLIP = 11
"""Steps that it takes to draw the sign of one topic of one resample."""
DRAW, DRAW_SYSTEM = 90, 2.3
"""The same to draw a topic with replacement, and then to add its score to the sum of one system."""

_heard: ContextVar[Callable[[str], None] | None] = ContextVar("heard", default=None)


@dataclass(frozen=True)
class Demand:
    """What a question will take.

    Parameters
    ----------
    what : the question, as it begins a sentence
    seconds : processor time, once the data are read
    megabytes : memory at its height, once the data are read
    instead : what would take less

    Examples
    --------
    >>> print(Demand("comparing them", 420, 1200, "the t-test takes less"))
    comparing them takes about 7 minutes of processor time and 1.2 GB after reading; the t-test takes less
    """

    what: str
    seconds: float
    megabytes: float
    instead: str

    def __str__(self) -> str:
        takes = f"{time_text(self.seconds)} of processor time and {size_text(self.megabytes)}"
        return f"{self.what} takes about {takes} after reading; {self.instead}"

    def foretell(self) -> None:
        """Announce what takes a while; refuse what does not fit into memory."""
        if self.megabytes > (there := machine_memory()):
            raise DataError(
                f"{self.what} needs about {size_text(self.megabytes)} of memory, and this machine has "
                f"{size_text(there)}; {self.instead}"
            )
        if self.seconds < A_WHILE:
            return
        heard = _heard.get()
        if heard is not None:
            heard(str(self))
        else:
            warnings.warn(str(self), CranfieldWarning, stacklevel=2)


@contextmanager
def announced_to(listener: Callable[[str], None]) -> Iterator[None]:
    """Inside the block, announcements go to this listener, and are no warnings.

    >>> with announced_to(print):
    ...     Demand("this", 90, 1, "that takes less").foretell()
    this takes about 90 seconds of processor time and 1 MB after reading; that takes less
    """
    before = _heard.set(listener)
    try:
        yield
    finally:
        _heard.reset(before)


@cache
def step() -> float:
    """Seconds that one step takes on this machine: the best of three timings of a small comparison's sign flips."""
    import numpy as np

    from cranfield.core.resampling import BLOCK, SIGNS, generator, signed_sums

    n, scores, timed = 50, np.ones((50, 50)), []
    for _ in range(3):
        begun = time.perf_counter()
        signed_sums(scores, generator(1, SIGNS), BLOCK)
        timed.append(time.perf_counter() - begun)
    return min(timed) / (BLOCK * n * (FLIP + n))


def seconds_of(steps: float) -> float:
    """Seconds that so many steps take on this machine, about."""
    return steps * step()


def resampled_sums(n_topics: int, n_systems: int, n_resamples: int) -> float:
    """Seconds to draw resamples of topics and to sum the scores of every system over each."""
    return seconds_of(n_resamples * n_topics * (DRAW + DRAW_SYSTEM * n_systems))


def flipped_sums(n_topics: int, n_systems: int, n_resamples: int) -> float:
    """Seconds to draw signs of topics and to sum the scores of every system with each of them."""
    return seconds_of(n_resamples * n_topics * (FLIP + n_systems))


def machine_memory() -> float:
    """Megabytes of memory that this machine has; no bound where it does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e6
    except (AttributeError, ValueError, OSError):
        return float("inf")


def time_text(seconds: float) -> str:
    """A length of time, roughly.

    >>> [time_text(seconds) for seconds in (4, 100, 400, 20_000, 900_000)]
    ['4 seconds', '100 seconds', '7 minutes', '6 hours', '10 days']
    """
    for unit, size in (("days", 86_400.0), ("hours", 3_600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 1):.0f} second{'s' * (seconds >= 1.5)}"


def size_text(megabytes: float) -> str:
    """An amount of memory, roughly.

    >>> size_text(12.3), size_text(1234)
    ('12 MB', '1.2 GB')
    """
    return f"{megabytes:.0f} MB" if megabytes < 1000 else f"{megabytes / 1000:,.1f} GB"
