"""The work file of a long job, which stores finished parts so that an interrupted job resumes."""

from __future__ import annotations

import base64
import json
import os
import re
import weakref
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core.errors import ArgumentError, FileError
from cranfield.core.files import reason
from cranfield.core.labels import summary
from cranfield.core.text import shown
from cranfield.core.writing import write_atomically

_KIND = "cranfield {} work file 1"


class WorkFile:
    """Finished parts of a job by key, appended to a file as they come; without a path, kept in memory alone.

    Every line is one finished part with a checksum. A line that a killed process left unfinished is dropped when
    the file is opened again, and so is a damaged one: `warnings` says which parts are computed again. The first line
    says what the job is; a file of another job is refused, and so is one that another process is writing.

    Parameters
    ----------
    path : the file, or None
    job : settings and inputs by name; the same job gives the same
    kind : the sort of job, such as ``"replicates"``
    """

    def __init__(
        self, path: str | os.PathLike[str] | None, job: Mapping[str, object], kind: str = "replicates"
    ) -> None:
        self._kind = _KIND.format(kind)
        self._path = None if path is None else Path(path)
        self._parts: dict[str, dict[str, Any]] = {}
        self._damaged: list[str] = []
        self._lock: Callable[[], object] | None = None
        if self._path is None:
            return
        with suppress(OSError):  # reading it reports the error
            if self._path.exists() and not self._path.is_file():  # a device may never end, a pipe may block
                raise FileError(str(path), "is not a regular file; name a new file")
        self._take(self._path)
        try:
            self._open(self._path, {name: _plain(value) for name, value in job.items()})
        except BaseException:
            self.close()  # release the lock
            raise

    def _open(self, path: Path, described: dict[str, Any]) -> None:
        """Read what is finished, and begin the file where there is nothing."""
        lines = self._read(path)
        if not lines:
            self._write(path, _line(self._kind, described), "ab")
            return
        first = _parse(lines[0])
        if first is None:
            raise FileError(str(path), "is not a work file; name a new file, nothing is overwritten", line=1)
        self._check(*first, described)
        whole = [lines[0]]
        for number, line in enumerate(lines[1:], 2):
            if (parsed := _parse(line)) is not None:
                self._parts[parsed[0]] = parsed[1]
                whole.append(line)
            elif number < len(lines) or line.endswith((b"\n", b"\r")):  # an unfinished last line is not damage
                self._damaged.append(f"line {number}{_key_in(line)}")
        if len(whole) < len(lines):
            write_atomically(path, b"".join(whole), compress=False)
            self._take(path)  # it is another file now

    @property
    def warnings(self) -> tuple[str, ...]:
        """The damaged parts, which are computed again."""
        if not self._damaged:
            return ()
        return (f"work file {self._path} is damaged; these parts are computed again: {summary(self._damaged)}",)

    def get(
        self,
        key: str,
        needed: Mapping[str, type | tuple[int, ...]] | None = None,
        made: Callable[..., object] | None = None,
    ) -> dict[str, Any] | None:
        """A finished part; None for one that is still to do.

        A part is done again if it lacks something `needed` (finite arrays of a shape, or values of a type). The same
        holds if `made` raises an `ArithmeticError` on it.
        """
        part = self._parts.get(key)
        if part is not None and needed is not None and not (_fits(part, needed) and _possible(part, made)):
            del self._parts[key]
            self._damaged.append(key)
            return None
        return part

    def put(self, key: str, part: Mapping[str, Any]) -> dict[str, Any]:
        """Keep a finished part, and give it back as it will be read later."""
        line = _line(key, part)
        parsed = _parse(line)
        if parsed is None:
            raise ValueError(f"part {key!r} cannot be kept")
        self._parts[key] = parsed[1]
        if self._path is not None:
            self._write(self._path, line, "ab")
        return parsed[1]

    def close(self) -> None:
        """Release the file; so does the end of the process."""
        if self._lock is not None:
            self._lock()

    def __enter__(self) -> WorkFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, path: Path) -> None:
        """Lock the file (made if it is not there), where the system can; a file that another job has is an error."""
        self.close()
        try:
            import fcntl
        except ImportError:  # Windows
            return
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_NONBLOCK, 0o666)
        except (OSError, ValueError):
            return  # reading or writing it reports the error
        self._lock = weakref.finalize(self, os.close, handle)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            text = "is the work file of a running job; wait for it to end, or name another file"
            raise FileError(str(path), text) from None
        except OSError:
            return  # a file system without locks

    def _check(self, kind: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        if kind != self._kind:
            raise FileError(str(self._path), f"is {shown(kind)} and not {shown(self._kind)}; name another file", line=1)
        for name in dict.fromkeys([*now, *before]):
            if before.get(name) != now.get(name):
                raise ArgumentError(
                    f"work file {self._path} belongs to another job: its {name} is {_short(before.get(name))}, "
                    f"now {_short(now.get(name))}. Name another file, or remove it to start again."
                )

    @staticmethod
    def _read(path: Path) -> list[bytes]:
        """The lines of a file, whole or cut off."""
        try:
            return path.read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise FileError(str(path), f"cannot be read: {reason(error)}") from None

    @staticmethod
    def _write(path: Path, data: bytes, mode: str) -> None:
        try:
            with path.open(mode) as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        except (OSError, ValueError) as error:
            raise FileError(str(path), f"cannot be written: {reason(error)}") from None


def _line(key: str, part: Mapping[str, Any]) -> bytes:
    body = json.dumps([key, {name: _plain(value) for name, value in part.items()}]).encode()
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _parse(line: bytes) -> tuple[str, dict[str, Any]] | None:
    check, _, body = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or check != b"%08x" % zlib.crc32(body):
        return None
    try:
        key, part = json.loads(body)
        return str(key), {name: _restored(value) for name, value in part.items()}
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError, MemoryError):
        return None  # a checksum can be right by chance, or by intent


def _key_in(line: bytes) -> str:
    """The key of a damaged line, as far as it can still be read."""
    match = re.match(rb'[^ ]* \["([^"\\]{1,80})", ', line)
    return f" ({match[1].decode(errors='replace')})" if match else ""


def _fits(part: Mapping[str, Any], needed: Mapping[str, type | tuple[int, ...]]) -> bool:
    return set(part) == set(needed) and all(_is(part[name], wanted) for name, wanted in needed.items())


def _is(value: Any, wanted: type | tuple[int, ...]) -> bool:
    if isinstance(wanted, tuple):
        right = isinstance(value, np.ndarray) and value.shape == wanted and value.dtype == np.float64
        return right and bool(np.isfinite(value).all())
    return isinstance(value, wanted) and (not isinstance(value, list) or all(isinstance(one, str) for one in value))


def _possible(part: Mapping[str, Any], made: Callable[..., object] | None) -> bool:
    try:
        if made is not None:
            made(**part)
    except ArithmeticError:
        return False
    return True


def _plain(value: object) -> object:
    """Arrays as their bytes, tuples as lists; numbers, texts and None unchanged."""
    if isinstance(value, np.ndarray):
        raw = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"array": raw, "type": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def _restored(value: object) -> object:
    if isinstance(value, dict):
        flat: NDArray[Any] = np.frombuffer(base64.b64decode(value["array"], validate=True), dtype=value["type"])
        return flat.reshape(value["shape"]).copy()
    return value


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
