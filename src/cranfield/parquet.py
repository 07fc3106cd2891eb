"""Parquet files from anybody: their lengths are checked before the columnar library believes them.

A parquet file ends in a description of itself: where each column lies, how long its pages are, how many rows there
are. The library allocates what the description claims, and ends the whole process when a crafted file claims
2 exabytes. So the description is read here first, by its grammar (Thrift's compact protocol), and every length is
compared with the file. What comes from a page's visitor is then read in a process of its own with a limit on memory.
"""

from __future__ import annotations

import io
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cranfield.errors import DataError, FileError, Problem
from cranfield.files import NamedFile
from cranfield.isolated_process import NO_ANSWER, limit_memory, run_isolated

if TYPE_CHECKING:
    import polars as pl

MARK = b"PAR1"
_END = 8
"""Bytes after the description: its length and the mark."""
_DEEPEST = 24
"""How deep structures may nest; the format needs six."""
_CELLS_PER_BYTE = 1_000
_FREE_CELLS = 1_000_000
_MOST_CELLS = 1_000_000_000
_MOST_PACKED = 40_000
"""How many times larger a page may be than its packed bytes; zeros pack some 30,000 times."""
_FREE_BYTES = 1 << 20
MEMORY = 1_000_000_000
"""Bytes that reading a file of a page's visitor may take."""


def read_parquet(data: bytes, name: str) -> pl.DataFrame:
    """The table of a parquet file; a file that cannot be one, or claims more than it can hold, is a `FileError`.

    A file that was handed to a page (a `NamedFile`) is read in a process of its own with a limit on memory.
    """
    unpacked = check_lengths(data, name)
    if isinstance(name, NamedFile):
        if unpacked > MEMORY:
            raise _too_large(name)
        try:
            packed = run_isolated(_decode_isolated, data, str(name))
        except DataError as error:
            if str(error) != NO_ANSWER:
                raise
            raise _too_large(name) from None
        import polars as pl

        return pl.read_ipc(io.BytesIO(packed))
    return _decode(data, name)


def _too_large(name: str) -> FileError:
    text = f"cannot be read as parquet within {MEMORY // 1_000_000:,} MB of memory; is the file damaged?"
    return FileError(name, [Problem(0, text)])


def _decode(data: bytes, name: str) -> pl.DataFrame:
    import polars as pl

    try:
        with unless_it_panics(pl.exceptions.PanicException):
            return pl.read_parquet(io.BytesIO(data))
    except pl.exceptions.PanicException:
        said = "its content does not fit its description"
    except (pl.exceptions.PolarsError, OSError) as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
    raise FileError(name, [Problem(0, f"cannot be read as parquet: {said}; is the file complete?")])


_ONE_AT_A_TIME = threading.Lock()


@contextmanager
def unless_it_panics(panic: type[BaseException]) -> Iterator[None]:
    """Hold back what is written to standard error inside, and drop it if a library ends in a panic.

    A library written in Rust writes its panic to the file descriptor itself, above the error that is made of it. What
    others write meanwhile comes a moment later.
    """
    with _ONE_AT_A_TIME, tempfile.TemporaryFile() as held:
        try:
            before = os.dup(2)
        except OSError:  # standard error is closed: nothing to hold back
            yield
            return
        said = True
        try:
            os.dup2(held.fileno(), 2)
            yield
        except panic:
            said = False
            raise
        finally:
            os.dup2(before, 2)
            os.close(before)
            held.seek(0)
            if said and (text := held.read()):
                os.write(2, text)


def _decode_isolated(data: bytes, name: str, _progress: object) -> bytes:
    """The table in the library's own exchange format; runs in the other process."""
    _decode(_warm(), name)  # the library loads its parts and starts its threads
    limit_memory(MEMORY)
    out = io.BytesIO()
    _decode(data, name).write_ipc(out)
    return out.getvalue()


def _warm() -> bytes:
    import polars as pl

    out = io.BytesIO()
    pl.DataFrame({"a": [0.5]}).write_parquet(out)
    return out.getvalue()


def check_lengths(data: bytes, name: str) -> int:
    """Compare every length that a parquet file claims with the file; what does not fit is a `FileError`.

    Returns how many bytes its pages unpack to.

    >>> check_lengths(b"PAR1" + (2**31 - 1).to_bytes(4, "little") + b"PAR1", "scores.parquet")
    Traceback (most recent call last):
    cranfield.errors.FileError: scores.parquet: cannot be read as parquet: its end claims a description of 2,147,483,647 bytes, and the file has 12; is the file complete?
    """  # noqa: E501
    try:
        return _check(data)
    except _Invalid as problem:
        text = f"cannot be read as parquet: {problem}; is the file complete?"
        raise FileError(name, [Problem(0, text)]) from None


class _Invalid(Exception):
    """Why a file is no sound parquet."""


def _check(data: bytes) -> int:
    if len(data) < len(MARK) + _END or not data.startswith(MARK) or not data.endswith(MARK):
        raise _Invalid("it does not begin and end with the mark PAR1")
    length = int.from_bytes(data[-_END:-4], "little")
    end = len(data) - _END - length
    if end < len(MARK):
        raise _Invalid(f"its end claims a description of {length:,} bytes, and the file has {len(data):,}")
    about = _Compact(data, end, len(data) - _END).structure()
    columns = max(1, sum(1 for one in _structures(about, 2) if 5 not in one))
    rows = _number(about, 3, "rows")
    groups = _structures(about, 4)
    if rows != sum(_number(group, 3, "rows") for group in groups):
        raise _Invalid("the rows of its parts do not add up")
    most = min(_MOST_CELLS, _FREE_CELLS + _CELLS_PER_BYTE * len(data))
    if rows * columns > most:
        raise _Invalid(f"it claims {rows:,} rows of {columns:,} columns, which {len(data):,} bytes cannot hold")
    for one in _structures(about, 2):
        if _number(one, 2, "bytes of a value", 0) > len(data):
            raise _Invalid("it claims a value longer than the file")
    return sum(
        _check_column(data, chunk.get(3), _number(group, 3, "rows"), end)
        for group in groups
        for chunk in _structures(group, 1)
    )


def _check_column(data: bytes, column: Any, rows: int, end: int) -> int:
    """The pages of one column of one part lie in the file and hold as many values as there are rows; their bytes."""
    if not isinstance(column, dict):
        raise _Invalid("a column has no description")
    values = _number(column, 5, "values")
    size = _number(column, 7, "bytes")
    start = _number(column, 9, "bytes")
    if dictionary_at := _number(column, 11, "bytes", 0):  # some writers say 0 for none
        start = min(start, dictionary_at)
    if start < len(MARK) or start + size > end:
        raise _Invalid(f"a column lies at byte {start:,} and has {size:,} bytes, outside the file")
    if values != rows:
        raise _Invalid(f"a column claims {values:,} values for {rows:,} rows; nested tables are not read")
    at, seen, total = start, 0, 0
    while at < start + size:
        page = _Compact(data, at, start + size)
        header = page.structure()
        packed, unpacked = _number(header, 3, "bytes"), _number(header, 2, "bytes")
        at, total = page.at + packed, total + unpacked
        if at > start + size:
            raise _Invalid(f"a page claims {packed:,} bytes, more than its column has")
        if unpacked > _FREE_BYTES + _MOST_PACKED * packed:
            raise _Invalid(f"a page claims to unpack from {packed:,} to {unpacked:,} bytes")
        held: dict[int, Any] = next((header[kind] for kind in (5, 8) if isinstance(header.get(kind), dict)), {})
        dictionary: dict[int, Any] = header[7] if isinstance(header.get(7), dict) else {}
        if _number(dictionary, 1, "values", 0) > unpacked + 1:
            raise _Invalid("a dictionary claims more values than bytes")
        seen += _number(held, 1, "values", 0)
        if seen > values:
            raise _Invalid(f"a column claims {values:,} values, and its pages more")
    if seen != values:
        raise _Invalid(f"a column claims {values:,} values, and its pages {seen:,}")
    return total


def _structures(of: dict[int, Any], field: int) -> list[dict[int, Any]]:
    value = of.get(field, [])
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise _Invalid("its description is damaged")
    return value


def _number(of: dict[int, Any], field: int, what: str, default: int | None = None) -> int:
    value = of.get(field, default)
    if type(value) is not int or value < 0:
        raise _Invalid(f"its description claims {value if type(value) is int else 'no'} {what}")
    return value


@dataclass
class _Compact:
    """Thrift's compact protocol, read with bounds: structures as {field: value}, lists, integers; text is passed over.

    See the Thrift specification, "Thrift compact protocol".
    """

    data: bytes
    at: int
    end: int

    def structure(self, depth: int = 0) -> dict[int, Any]:
        """A structure: fields until a zero byte."""
        if depth > _DEEPEST:
            raise _Invalid(f"its description nests more than {_DEEPEST} structures")
        fields: dict[int, Any] = {}
        field = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            field = field + step if step else self._zigzag()
            fields[field] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2, 3):  # in lists and maps a truth value is a byte
            return self._byte()
        if kind in (4, 5, 6):
            return self._zigzag()
        if kind == 7:
            return self._skip(8)
        if kind == 8:
            return self._skip(self._varint())
        if kind in (9, 10):
            head = self._byte()
            size = head >> 4
            size = self._room(self._varint() if size == 15 else size)
            return [self._element(head & 15, depth) for _ in range(size)]
        if kind == 11:
            size = self._room(self._varint())
            kinds = self._byte() if size else 0
            for _ in range(size):
                self._element(kinds >> 4, depth)
                self._element(kinds & 15, depth)
            return None
        if kind == 12:
            return self.structure(depth + 1)
        raise _Invalid(f"its description holds a value of the unknown kind {kind}")

    def _element(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise _Invalid(f"its description nests more than {_DEEPEST} structures")
        return self._value(kind, depth + 1)

    def _byte(self) -> int:
        if self.at >= self.end:
            raise _Invalid("its description ends too early")
        self.at += 1
        return self.data[self.at - 1]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise _Invalid("its description holds a number of more than 64 bits")

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _room(self, size: int) -> int:
        if size > self.end - self.at:
            raise _Invalid(f"its description claims {size:,} entries in {self.end - self.at:,} bytes")
        return size

    def _skip(self, size: int) -> None:
        self.at += self._room(size)
