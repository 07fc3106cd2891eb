"""The nth call to the operating system fails, for every n: the old file or the new one is there, whole, and no other."""

from __future__ import annotations

import errno
import io
import sys
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cranfield import FileError, make_sample, make_scores, write_run, write_scores
from cranfield.core.writing import write_atomically, written_whole

CALLS = {
    "open", "fdopen", "write", "flush", "fsync", "replace", "rename", "mkdir", "chmod", "urandom",
}  # fmt: skip
"""Calls that can fail on a full disk, a lost file system or without memory; the clearing up after them does not."""
ERRORS: dict[str, Callable[[], BaseException]] = {
    "full": lambda: OSError(errno.ENOSPC, "No space left on device"),
    "lost": lambda: OSError(errno.EIO, "Input/output error"),
    "memory": MemoryError,
}


@contextmanager
def failing(number: int, error: Callable[[str], BaseException], calls: Set[str] = CALLS) -> Iterator[list[str]]:
    """Inside, the call of this number raises; the list names it once it did."""
    failed: list[str] = []
    seen = 0

    def watch(frame: Any, event: str, called: Any) -> None:
        nonlocal seen
        in_memory = isinstance(getattr(called, "__self__", None), (io.BytesIO, io.StringIO))
        if (
            event == "c_call"
            and getattr(called, "__name__", "") in calls
            and not in_memory
            and frame.f_globals["__name__"] != "shutil"
        ):
            seen += 1
            if seen == number:
                sys.setprofile(None)
                failed.append(called.__name__)
                raise error(called.__name__)

    sys.setprofile(watch)
    try:
        yield failed
    finally:
        sys.setprofile(None)


def content(place: Path) -> dict[str, bytes]:
    """Every file below a directory."""
    return {str(one.relative_to(place)): one.read_bytes() for one in sorted(place.rglob("*")) if one.is_file()}


SCORES = make_scores(n_topics=5, n_systems=3, seed=1)
OTHERS = make_scores(n_topics=5, n_systems=3, seed=2)
SAMPLE = make_sample(n_topics=2, n_systems=2, n_documents=100, length=10, depth=5)


def fill(target: Path, text: bytes) -> None:
    with written_whole(target) as new:
        for name in ("a", "b"):
            (new / name).write_bytes(text)


WRITERS: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "a file": (lambda to: write_atomically(to / "a", b"old" * 99), lambda to: write_atomically(to / "a", b"new" * 99)),
    "a compressed file": (
        lambda to: write_atomically(to / "a.gz", b"old" * 99), lambda to: write_atomically(to / "a.gz", b"new" * 99),
    ),
    "a new file": (lambda to: None, lambda to: write_atomically(to / "a", b"new")),
    "scores": (lambda to: write_scores(SCORES, to / "a.csv"), lambda to: write_scores(OTHERS, to / "a.csv")),
    "parquet": (lambda to: write_scores(SCORES, to / "a.parquet"), lambda to: write_scores(OTHERS, to / "a.parquet")),
    "a run": (lambda to: write_run(SAMPLE.runs[0], to / "a.run"), lambda to: write_run(SAMPLE.runs[1], to / "a.run")),
    "a new directory": (lambda to: None, lambda to: fill(to / "new", b"x")),
    "a sample": (lambda to: None, lambda to: SAMPLE.write(to / "sample", truth_topics=2) and None),
}  # fmt: skip


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("writer", WRITERS)
def test_a_writer_leaves_the_old_or_the_new(tmp_path: Path, writer: str, kind: str) -> None:
    first, second = WRITERS[writer]
    (tmp_path / "whole").mkdir()
    second(tmp_path / "whole")
    whole = content(tmp_path / "whole")
    for number in range(1, 400):
        place = tmp_path / str(number)
        place.mkdir()
        first(place)
        before = content(place)
        with failing(number, lambda call: ERRORS[kind]()) as failed:
            try:
                second(place)
            except (FileError, MemoryError) as error:
                assert failed, error
        after = content(place)
        assert after in (before, whole), (number, failed)
        assert not [one for one in place.rglob(".*") if one.name.endswith(".part")], (number, failed)
        if not failed:
            assert after == whole
            assert number > 3, "the writer was watched"
            return
    pytest.fail("a writer that calls so often is no small one")
