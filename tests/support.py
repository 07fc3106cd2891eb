"""What many tests share: the way to the reference data, and small collections with known properties."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import Result

SHARED = Path(__file__).resolve().parents[2] / "shared"
"""Reference data beside the repository; absent for most users, and every test works without it."""

needs_shared = pytest.mark.skipif(
    not (SHARED / "data").is_dir(), reason="reference data not found at ../shared; its synthetic twin runs instead"
)

THOROUGH = False
"""Whether slow tests run as well; for tests that choose their cases before the marker is looked at."""

SMALL = ["--topics", "25", "--systems", "9", "--documents", "1000", "--length", "100"]
"""Options of `cranfield sample` for a story that goes its way faster; `docs/figures.py` makes the usual sample."""

Type = Callable[..., Result]
"""The `cranfield` fixture: types a command in an empty directory and gives its result."""


def counts(text: str) -> set[tuple[int, int]]:
    """Every "k of n pairs differ" of a text."""
    found = re.findall(r"([\d,]+) of ([\d,]+) pairs (?:differ|of systems differ)", text)
    return {(int(some.replace(",", "")), int(total.replace(",", ""))) for some, total in found}


@contextmanager
def ends_within(seconds: int) -> Iterator[None]:
    """Fail, rather than wait for ever, when what is inside takes longer."""

    def late(*_: object) -> None:
        raise TimeoutError(f"still at work after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
