"""Bytes out, so that nothing is half-written."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cranfield.core.errors import FileError
from cranfield.core.files import compressed, is_url, reason, resolved

_LONG_NAME = 100
"""Bytes of a name from which on names of temporary neighbours do not repeat it; systems allow 255."""
_LEFT_OVER_AFTER = 600.0
"""Seconds without a write after which a temporary file is one that a killed process left behind."""


def beside(name: str) -> str:
    """How the names of temporary neighbours of a file begin; of a long name a hash.

    >>> beside("scores.csv"), len(beside("n" * 255))
    ('.scores.csv.', 22)
    """
    whole = os.fsencode(name)
    if len(whole) <= _LONG_NAME:
        return f".{name}."
    import hashlib

    return f".{hashlib.blake2b(whole, digest_size=10).hexdigest()}."


def sweep(target: Path) -> None:
    """Remove what killed processes left of earlier tries to write the same target (``.name.xxxxxxxx.part``).

    What was written to in the last ten minutes may be another process at work, and stays.
    """
    pattern = re.compile(re.escape(beside(target.name)) + r"[a-z0-9_]{8}\.part")
    with suppress(OSError):  # tidying must never be in the way of writing
        for one in target.parent.iterdir():
            if not pattern.fullmatch(one.name):
                continue
            written = max(inside.lstat().st_mtime for inside in (one, *one.rglob("*")))
            if time.time() - written <= _LEFT_OVER_AFTER:
                continue
            if one.is_dir() and not one.is_symlink():
                import shutil

                shutil.rmtree(one, ignore_errors=True)
            else:
                one.unlink()


NO_URL = "is a URL, and only local files are written; name a local file"


def write_atomically(path: str | os.PathLike[str], data: bytes, *, compress: bool = True) -> None:
    """Write a file whole or not at all: to a temporary neighbour first, then renamed into place.

    Compresses by the ending (.gz, .bz2, .xz, .zst), without time stamps, so equal data gives equal bytes. What a
    killed process left of an earlier try is removed. A link is followed, and a pipe
    or a device is written to, not replaced.
    """
    name = os.fspath(path)
    if is_url(name):
        raise FileError(name, NO_URL)
    target = Path(name)
    if compress:
        data = compressed(data, target.suffix.lower())
    temporary: Path | None = None
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                stream.write(data)
            return
        if target.is_symlink():
            with suppress(FileNotFoundError):
                target.stat()  # one that leads to itself is an error
            target = resolved(target)
        sweep(target)
        neighbour = target.with_name(f"{beside(target.name)}{os.urandom(4).hex()}.part")
        handle = os.open(neighbour, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        temporary = neighbour
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        temporary.chmod(mode)
        temporary.replace(target)
        temporary = None
    except (OSError, ValueError) as error:
        raise FileError(name, f"cannot be written: {reason(error)}") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


@contextmanager
def written_whole(target: str | os.PathLike[str]) -> Iterator[Path]:
    """A directory to fill: a hidden neighbour of `target`, which takes its place when all is written.

    A new directory is there whole or not at all; in one that exists, the files replace those of the same names, one
    after the other. What a killed process left of an earlier try is swept away.
    """
    import shutil
    import tempfile

    name, scratch = os.fspath(target), None
    place = Path(name)
    if "\0" in name:
        raise FileError(name, f"cannot be written: {reason(ValueError())}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        sweep(place)
        scratch = tempfile.mkdtemp(dir=place.parent, prefix=beside(place.name), suffix=".part")
        new = Path(scratch, "new")
        new.mkdir()
        yield new
        if not place.exists():
            new.rename(place)
            return
        for one in sorted(new.rglob("*")):
            if one.is_dir():
                (place / one.relative_to(new)).mkdir(exist_ok=True)
            else:
                one.replace(place / one.relative_to(new))
    except FileError as error:  # which names a place that nobody knows
        raise FileError(name, error.problems) from None
    except OSError as error:
        raise FileError(name, f"cannot be written: {reason(error)}") from None
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
