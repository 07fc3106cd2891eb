"""Limits of the page: uploads, archives, jobs and kept results."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TypeVar

from cranfield.core.defaults import MAX_UPLOAD_MB

Key = TypeVar("Key")
Value = TypeVar("Value")
MB = 1_000_000


@dataclass(frozen=True)
class Limits:
    """What one server takes and keeps.

    Parameters
    ----------
    upload : bytes of one request
    file : bytes of one file, decompressed
    store : bytes of all uploaded data together, decompressed
    files : files of one upload, those inside archives included
    datasets : uploads kept at a time
    awake : datasets whose runs stay in memory, those used last; the runs of others are read again when needed
    systems : systems of one dataset; the pairs of them grow with their square
    ratio : how many times larger an archive's member may be than its compressed bytes; text packs some 20 times
    field : bytes of a form field that is not a file
    jobs, waiting : long computations at a time, and how many more may wait
    results : finished computations kept for downloads and charts
    patience : seconds a request waits for a result before it shows progress instead
    """

    upload: int = MAX_UPLOAD_MB * MB
    file: int = 200 * MB
    store: int = 2_000 * MB
    files: int = 500
    datasets: int = 20
    awake: int = 4
    systems: int = 1_000
    ratio: int = 200
    field: int = 64_000
    jobs: int = 2
    waiting: int = 20
    results: int = 40
    patience: float = 1.0


def megabytes(size: int) -> str:
    """A size for people.

    >>> megabytes(256_000_000), megabytes(1_500)
    ('256 MB', '0.0015 MB')
    """
    return f"{size / MB:,.4g} MB"


class Recent(OrderedDict[Key, Value]):
    """The most recently used values, up to a limit.

    >>> recent = Recent(2)
    >>> for name in ("a", "b", "a", "c"):
    ...     recent.keep(name, name.upper())
    >>> list(recent)
    ['a', 'c']
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most, self._lock = most, threading.Lock()

    def keep(self, key: Key, value: Value) -> None:
        """Add a value; the least recent ones are dropped."""
        with self._lock:
            self[key] = value
            self.move_to_end(key)
            while len(self) > self._most:
                self.popitem(last=False)
