"""What a question will take, said before the work begins.

Questions that can take long or much estimate both from the size of their data. What takes a while is announced, with
what would take less; what cannot fit into this machine's memory is refused. Estimates are rough (processor time of one
machine), and never change a result.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from cranfield.errors import CranfieldWarning, DataError
from cranfield.records import record

A_WHILE = 60.0
"""Seconds of processor time from which a question is announced."""
DRAW, DRAW_SYSTEM = 10e-9, 0.25e-9
"""Seconds to draw one topic of one resample, and to add its score to the sum of one system."""
FLIP, FLIP_SYSTEM = 1.2e-9, 0.11e-9
"""The same where topics are not drawn but change their sign, or do not."""

_heard: ContextVar[Callable[[str], None] | None] = ContextVar("heard", default=None)


@record
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
    comparing them takes about 7 minutes of processor time and 1.2 GB, reading not counted; the t-test takes less
    """

    what: str
    seconds: float
    megabytes: float
    instead: str

    def __str__(self) -> str:
        takes = f"{time_text(self.seconds)} of processor time and {size_text(self.megabytes)}"
        return f"{self.what} takes about {takes}, reading not counted; {self.instead}"

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
    this takes about 90 seconds of processor time and 1 MB, reading not counted; that takes less
    """
    before = _heard.set(listener)
    try:
        yield
    finally:
        _heard.reset(before)


def resampled_sums(n_topics: int, n_systems: int, n_resamples: int) -> float:
    """Seconds to draw resamples of topics and to sum the scores of every system over each."""
    return n_resamples * n_topics * (DRAW + DRAW_SYSTEM * n_systems)


def flipped_sums(n_topics: int, n_systems: int, n_resamples: int) -> float:
    """Seconds to draw signs of topics and to sum the scores of every system with each of them."""
    return n_resamples * n_topics * (FLIP + FLIP_SYSTEM * n_systems)


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
