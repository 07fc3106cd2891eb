"""Bytes in and out: finding files, decompressing, decoding, and writing so that nothing is half-written."""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import lzma
import os
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

from cranfield.errors import SHOWN_PROBLEMS, FileError, Problem
from cranfield.labels import natural_sorted

STDIN = "-"
"""The file name that means standard input."""
_RUN_ENDINGS = {".run", ".trec", ".res", ".eval", ".teval", ".nev", ".out"}
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def _unzstd(data: bytes) -> bytes:
    import zstandard

    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True) as stream:
            return bytes(stream.read())
    except zstandard.ZstdError as error:
        raise OSError(str(error)) from None


def _gunzip(data: bytes) -> bytes:
    """One pass of zlib for the usual single-member file; anything else the long way."""
    engine = zlib.decompressobj(wbits=31)
    content = engine.decompress(data)
    return content if engine.eof and not engine.unused_data else gzip.decompress(data)


_DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": _gunzip,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
    ".zst": _unzstd,
}
COMPRESSED = tuple(_DECOMPRESS)
"""The endings that are decompressed on reading and compressed on writing."""


class NamedFile(str):
    """A file that lies under one name and is spoken of by another: the text is its name, `place` where it lies.

    Readers take it as they take a path. The name decides on compression, system and measure and stands in
    messages, but nothing is ever opened by it: an uploaded file keeps its name, and the name is no path.

    >>> import tempfile
    >>> file = NamedFile("../bm25.run", tempfile.mkstemp()[1])
    >>> system_name(file), read_bytes(file)
    ('bm25', b'')
    """

    place: str

    def __new__(cls, name: str, place: str | os.PathLike[str]) -> NamedFile:
        file = super().__new__(cls, name)
        file.place = os.fspath(place)
        return file

    def __reduce__(self) -> tuple[type[NamedFile], tuple[str, str]]:
        return NamedFile, (str(self), self.place)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The whole content of a file, decompressed by its ending; ``-`` reads standard input."""
    name = os.fspath(path)
    place = name.place if isinstance(name, NamedFile) else name
    if place == STDIN:
        return _standard_input()
    try:
        raw = Path(place).read_bytes()
    except FileNotFoundError:
        raise FileError(name, [Problem(0, "no such file; check the name")]) from None
    except IsADirectoryError:
        raise FileError(name, [Problem(0, "is a directory where a file is expected")]) from None
    except OSError as error:
        raise FileError(name, [Problem(0, f"cannot be read: {error.strerror or error}")]) from None
    ending = Path(name).suffix.lower()
    if ending not in _DECOMPRESS:
        return raw
    try:
        return _DECOMPRESS[ending](raw)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        text = f"cannot be decompressed as {ending}: {error}; is the file complete and its ending right?"
        raise FileError(name, [Problem(0, text)]) from None


_from_stdin: tuple[object, bytes] | None = None


def _standard_input() -> bytes:
    """Standard input can be read once; who looks at it again (first to recognise it, then to read it) gets the same."""
    global _from_stdin
    if _from_stdin is None or _from_stdin[0] is not sys.stdin:
        _from_stdin = (sys.stdin, sys.stdin.buffer.read())
    return _from_stdin[1]


def check_text(data: bytes, path: str) -> bytes:
    """The data without its byte-order mark, once it is known to be non-empty UTF-8 text."""
    if data.startswith(_UTF16_MARKS):
        text = "is UTF-16 text; save it as UTF-8 (for example: iconv -f UTF-16 -t UTF-8)"
        raise FileError(path, [Problem(0, text)])
    data = data.removeprefix(b"\xef\xbb\xbf")
    if (nul := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, nul) + 1
        raise FileError(path, [Problem(line, "holds a NUL byte: a binary file where text is expected")])
    if not data or data.isspace():
        raise FileError(path, [Problem(0, "is empty; expected at least one line of data")])
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise FileError(path, [Problem(line, problem)]) from None
    return data


class Problems:
    """Collects what is wrong with a file: all of it counted, the first few kept."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.first: list[Problem] = []
        self.total = 0

    def add(self, line: int, text: str) -> None:
        """Count a problem, and keep it when it is among the first."""
        self.total += 1
        if len(self.first) < SHOWN_PROBLEMS:
            self.first.append(Problem(line, text))

    def raise_if_any(self) -> None:
        """Raise one `FileError` for all of them."""
        if self.total:
            raise FileError(self.path, self.first, self.total)


def shown(text: str, most: int = 60) -> str:
    """A quoted piece of input for a message, cut when long and with control characters escaped.

    >>> shown("a\\tb")
    "'a\\\\tb'"
    """
    return repr(text if len(text) <= most else text[: most - 1] + "…")


def expand(paths: Iterable[str | os.PathLike[str]] | str | os.PathLike[str]) -> list[str]:
    """Every file the names stand for: files as they are, directories' files, and globs, in numeric-aware order.

    Hidden files in directories are skipped. A name that leads to no file is a `FileError`.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    matched: list[str] = []
    for given in paths:
        name = os.fspath(given)
        if name == STDIN or isinstance(name, NamedFile) or Path(name).is_file():
            matched.append(name)
            continue
        if Path(name).is_dir():
            inside = natural_sorted(str(p) for p in Path(name).iterdir() if p.is_file() and not p.name.startswith("."))
            if not inside:
                raise FileError(name, [Problem(0, "is a directory without files")])
            matched.extend(inside)
        elif glob.has_magic(name) and (matches := natural_sorted(glob.glob(name, recursive=True))):
            matched.extend(match for match in matches if Path(match).is_file())
        else:
            matched.append(name)  # reading it will say what is wrong
    return list(dict.fromkeys(matched))


def system_name(path: str) -> str:
    """The system a file belongs to: its name without compression and run endings.

    >>> system_name("runs/covidex.r5.2s.gz"), system_name("bm25.run.zst"), system_name("a.txt")
    ('covidex.r5.2s', 'bm25', 'a.txt')
    """
    name = Path(path).name
    for endings in (set(COMPRESSED), _RUN_ENDINGS):
        if Path(name).suffix.lower() in endings:
            name = Path(name).stem
    return name


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file whole or not at all: to a temporary neighbour first, then renamed into place.

    Compresses by the ending (.gz, .bz2, .xz, .zst), without time stamps, so equal data gives equal bytes.
    """
    name = os.fspath(path)
    target = Path(name)
    ending = target.suffix.lower()
    if ending == ".gz":
        data = gzip.compress(data, mtime=0)
    elif ending == ".bz2":
        data = bz2.compress(data)
    elif ending == ".xz":
        data = lzma.compress(data)
    elif ending == ".zst":
        import zstandard

        data = zstandard.ZstdCompressor().compress(data)
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
        temporary = None
    except OSError as error:
        raise FileError(name, [Problem(0, f"cannot be written: {error.strerror or error}")]) from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
