"""What a process may use, checked before a library below ends it without a word."""

from __future__ import annotations

import os
import sys

from cranfield.core.errors import ArgumentError, CranfieldError

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
