"""Bytes in and out: finding files, decompressing, decoding, and writing so that nothing is half-written."""

from __future__ import annotations

import importlib
import io
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from cranfield.compression import COMPRESSED, compressed, decompressing, is_decompression_error
from cranfield.errors import SHOWN_PROBLEMS, FileError, Problem
from cranfield.labels import CONTROL, natural_sorted, summary

_LINE_END = re.compile(r"\r\n|\r|\n")
_PIECE = 1 << 20
BOM = b"\xef\xbb\xbf"
"""The byte-order mark of UTF-8."""
STDIN = "-"
"""The file name that means standard input."""
_RUN_ENDINGS = {
    ".run",
    ".trec",
    ".res",
    ".eval",
    ".teval",
    ".nev",
    ".out",
    ".json",
    ".jsonl",
    ".ndjson",
    ".csv",
    ".tsv",
}
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
DATASET = "irds:"
"""What names of ir_datasets begin with."""
_STRAY_NAMES = frozenset(
    [
        "thumbs.db",
        "desktop.ini",
        "readme",
        "readme.txt",
        "license",
        "licence",
        "license.txt",
        "licence.txt",
        "changelog",
        "makefile",
        "md5sums",
        "sha256sums",
        "checksums.txt",
    ]
)
_STRAY_ENDINGS = (
    ".md",
    ".rst",
    ".html",
    ".htm",
    ".pdf",
    ".png",
    ".jpg",
    ".jpeg",
    ".gif",
    ".svg",
    ".py",
    ".sh",
    ".ipynb",
    ".zip",
    ".tar",
    ".tar.gz",
    ".tgz",
    ".tar.bz2",
    ".tar.xz",
    ".doc",
    ".docx",
    ".xls",
    ".xlsx",
    ".ppt",
    ".pptx",
    ".md5",
    ".sha256",
    ".bak",
    ".swp",
    ".lock",
)
_WIDE_MARKS = {
    b"\xff\xfe\0\0": "UTF-32",  # before UTF-16, whose mark it begins with
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


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


def whole_path(name: str) -> NamedFile | str:
    """A file by a path that leads to it from any directory, still spoken of as it was written; URLs as they are.

    >>> file = whole_path("runs/bm25.run")
    >>> str(file), os.path.isabs(file.place)
    ('runs/bm25.run', True)
    """
    place = name.place if isinstance(name, NamedFile) else name
    return name if is_elsewhere(place) else NamedFile(str(name), Path(place).absolute())


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The whole content of a file, decompressed by its ending; ``-`` reads standard input."""
    name = os.fspath(path)
    if (name.place if isinstance(name, NamedFile) else name) == STDIN:
        return _standard_input()
    with open_bytes(name) as stream:
        return stream.read()


class ByteStream:
    """A file's content, decompressed, to be read piece by piece; whatever goes wrong is a `FileError`."""

    def __init__(self, name: str, raw: Any, ending: str, begun: bool = False) -> None:
        self.name, self._raw, self._ending = name, raw, ending
        self._stream = decompressing(raw, ending) if ending else raw
        self._begun = begun  # what does not begin here cannot be told by its first piece

    def read(self, size: int = -1) -> bytes:
        """The next bytes, as many as asked for unless the file ends; all that are left by default."""
        try:
            return self._all() if size < 0 else self._next(size)
        except FileError:
            raise
        except MemoryError:
            raise _too_large(self.name) from None
        except Exception as error:
            if not self._ending:
                raise _unreadable(self.name, error) from None
            if not is_decompression_error(error):
                raise
            text = f"cannot be decompressed as {self._ending}: {error}; is the file complete and its ending right?"
            raise FileError(self.name, [Problem(0, text)]) from None

    def _next(self, size: int) -> bytes:
        data: bytes = self._stream.read(size)
        while 0 < len(data) < size and (more := self._stream.read(size - len(data))):
            data += more
        if not self._begun and data:
            self._begun = True
            _check_beginning(data, self.name)
        return data

    def _all(self) -> bytes:
        """In pieces, because what is refused by its first one may have no end."""
        whole = io.BytesIO()
        while piece := self._next(_PIECE):
            whole.write(piece)
        return whole.getvalue()

    def section(self, start: int, stop: int) -> ByteStream:
        """These bytes of a file that is not compressed, to be read in place of all."""
        self._raw.seek(start)
        return ByteStream(self.name, _Section(self._raw, stop - start), "", begun=True)

    def __enter__(self) -> ByteStream:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        self._raw.close()


class _Section:
    """So many bytes of a file from where it stands."""

    def __init__(self, raw: Any, length: int) -> None:
        self._raw, self._left = raw, length

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._raw.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data

    def close(self) -> None:
        self._raw.close()


def open_bytes(path: str | os.PathLike[str]) -> ByteStream:
    """A file to be read piece by piece, decompressed by its ending."""
    name = os.fspath(path)
    place = name.place if isinstance(name, NamedFile) else name
    _note(name)
    try:
        raw: Any = io.BytesIO(_remote_bytes(name)) if is_url(place) else _opened(Path(place), name)
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from None
    ending = Path(name).suffix.lower()
    return ByteStream(name, raw, ending if ending in COMPRESSED else "")


def _unreadable(name: str, error: Exception) -> FileError:
    if isinstance(error, FileNotFoundError):
        text = "no such file; check the name"
    elif isinstance(error, IsADirectoryError):
        text = "is a directory where a file is expected"
    elif isinstance(error, (OSError, ValueError)):
        text = f"cannot be read: {reason(error)}"
    else:
        raise error
    return FileError(name, [Problem(0, text)])


def line_blocks(stream: ByteStream, size: int, begun: bytes = b"") -> Iterator[bytes]:
    """The rest of a file in blocks of whole lines, of about `size` bytes each (more where one line is longer).

    >>> import tempfile
    >>> file = Path(tempfile.mkstemp()[1])
    >>> _ = file.write_bytes(b"one\\ntwo\\nthree\\nfour")
    >>> with open_bytes(file) as stream:
    ...     list(line_blocks(stream, 9))
    [b'one\\ntwo\\n', b'three\\n', b'four']
    """
    pieces = [begun] if begun else []
    while piece := stream.read(size):
        cut = piece.rfind(b"\n") + 1
        if not cut:
            pieces.append(piece)
            continue
        pieces.append(piece[:cut])
        yield pieces[0] if len(pieces) == 1 else b"".join(pieces)
        pieces = [piece[cut:]] if cut < len(piece) else []
    if pieces:
        yield b"".join(pieces)


def reason(error: OSError | ValueError) -> str:
    """Why the system refused a file: in its own words, or for a name that it cannot even look for.

    >>> reason(ValueError("embedded null byte"))
    'the name holds a NUL or another character that no file name can have; check the name'
    """
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "the name holds a NUL or another character that no file name can have; check the name"


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file of this name; also no where nobody may look, of which reading it will say why."""
    return _there(Path(path).is_file)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether there is a directory of this name; also no where nobody may look."""
    return _there(Path(path).is_dir)


def _there(look: Callable[[], bool]) -> bool:
    with suppress(OSError):  # a folder that is shut, a name that is too long
        return look()
    return False


def is_url(name: str) -> bool:
    """Whether a name leads elsewhere than to this machine's files, such as ``s3://bucket/bm25.run``.

    >>> is_url("https://example.org/qrels.txt"), is_url("runs/bm25.run")
    (True, False)
    """
    return _URL.match(name) is not None


def is_dataset(name: str) -> bool:
    """Whether a name is one of ir_datasets; a file that lies elsewhere under such a name is a file.

    >>> is_dataset("irds:trec-robust04"), is_dataset("qrels.txt"), is_dataset(NamedFile("irds:trec-robust04", "/tmp/0"))
    (True, False, False)
    """
    return name.startswith(DATASET) and not isinstance(name, NamedFile)


def is_elsewhere(name: str) -> bool:
    """Whether a name leads to something that is no file of this machine: a URL, or a dataset of ir_datasets.

    >>> is_elsewhere("s3://bucket/bm25.run"), is_elsewhere("irds:trec-robust04"), is_elsewhere("runs/bm25.run")
    (True, True, False)
    """
    return is_url(name) or is_dataset(name)


def _filesystem(name: str) -> tuple[Any, str]:
    """The file system behind a URL, and the name there; fsspec has them, and those of clouds packages of their own."""
    try:
        fsspec = importlib.import_module("fsspec")
    except ImportError:
        text = (
            "URLs and object stores are read through fsspec, which is not there; pip install fsspec, or fetch the file"
        )
        raise FileError(name, [Problem(0, text)]) from None
    with _reaching(name):
        try:
            system, path = fsspec.core.url_to_fs(name)
        except (ImportError, ValueError) as error:
            raise FileError(name, [Problem(0, f"fsspec cannot open it: {error}, or fetch the file")]) from None
    return system, path


@contextmanager
def _reaching(name: str) -> Iterator[None]:
    """Whatever a store does not do inside is a `FileError` about the name."""
    try:
        yield
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(name, [Problem(0, "no such file; check the name")]) from None
    except Exception as error:  # noqa: BLE001 (every store has errors of its own)
        raise FileError(name, [Problem(0, f"cannot be read: {type(error).__name__}: {error}")]) from None


def _remote_bytes(name: str) -> bytes:
    system, path = _filesystem(name)
    with _reaching(name):
        return bytes(system.cat_file(path))


def _remote_files(name: str, skipped: list[str]) -> list[str]:
    """The files a URL stands for: itself, those of a directory, or those that match its stars."""
    if name.startswith(("http://", "https://")):
        return [name]  # a question mark there is no pattern, and there are no directories
    system, path = _filesystem(name)
    scheme = name.partition("://")[0]
    with _reaching(name):
        if "*" in path:
            return natural_sorted(f"{scheme}://{one.lstrip('/')}" for one in system.glob(path)) or [name]
        if not system.isdir(path):
            return [name]
        names = {one["name"]: one["type"] == "directory" for one in system.ls(path, detail=True)}
    kept = _without_strays(name, {f"{scheme}://{one.lstrip('/')}": folder for one, folder in names.items()}, skipped)
    return natural_sorted(kept)


def _is_stray(name: str) -> bool:
    """Whether a file is clearly no data, by its name alone.

    >>> [_is_stray(name) for name in ("README.md", "Thumbs.db", ".DS_Store", "bm25.run", "results.tar.gz", "notes.txt")]
    [True, True, True, False, True, False]
    """
    folded = name.casefold()
    if folded.startswith(".") or folded in _STRAY_NAMES:
        return True
    return folded.endswith(_STRAY_ENDINGS)


def _without_strays(folder: str, names: dict[str, bool], skipped: list[str]) -> list[str]:
    """The files of a folder that may be data; what is left out is added to `skipped`, in one sentence."""
    kept = [name for name, is_folder in names.items() if not is_folder and not _is_stray(Path(name).name)]
    gone = [Path(name).name + "/" * is_folder for name, is_folder in names.items() if name not in kept]
    if gone:
        skipped.append(f"{folder}: skipped {summary(natural_sorted(gone), most=8)} (no data, or a folder)")
    if not kept:
        text = "is a directory without files" + (
            f" that may hold data ({summary(natural_sorted(gone))})" if gone else ""
        )
        raise FileError(folder, [Problem(0, text)])
    return kept


class Files(list[str]):
    """Names of files, and what was passed over on the way: `skipped`, one sentence each."""

    skipped: tuple[str, ...] = ()


_from_pipes: ContextVar[dict[tuple[int, int], bytes] | None] = ContextVar("pipes", default=None)


@contextmanager
def pipes_once() -> Iterator[None]:
    """Inside, a named pipe is read once, and whoever looks at it again gets the same; else it would wait for ever.

    A command looks at a file first to recognise it, and then to read it.
    """
    before = _from_pipes.set({})
    try:
        yield
    finally:
        _from_pipes.reset(before)


def is_read_once(name: str) -> bool:
    """Whether a file cannot be read again: standard input, and a pipe that nobody keeps (see `pipes_once`)."""
    place = name.place if isinstance(name, NamedFile) else name
    return name == STDIN or (_from_pipes.get() is None and _there(Path(place).is_fifo))


def _opened(place: Path, name: str) -> Any:
    status = place.stat()
    kept = _from_pipes.get() if stat.S_ISFIFO(status.st_mode) else None
    if kept is None:
        stream = place.open("rb")
        if stat.S_ISCHR(status.st_mode) and not stream.isatty() and not place.samefile(os.devnull):
            stream.close()
            raise FileError(name, [Problem(0, "is a device, which may never end; name a file")])
        return stream
    key = (status.st_dev, status.st_ino)
    if key not in kept:
        packed = Path(name).suffix.lower() in COMPRESSED  # which is unpacked by whoever asked
        with ByteStream(name, place.open("rb"), "", begun=packed) as pipe:
            kept[key] = pipe.read()
    return io.BytesIO(kept[key])


_from_stdin: tuple[object, bytes] | None = None


def _standard_input() -> bytes:
    """Standard input can be read once; who looks at it again (first to recognise it, then to read it) gets the same."""
    global _from_stdin
    if sys.stdin is None:
        raise FileError(STDIN, [Problem(0, "cannot be read: standard input is closed; name a file")])
    if _from_stdin is None or _from_stdin[0] is not sys.stdin:
        _note("stdin")
        _from_stdin = (sys.stdin, ByteStream("stdin", sys.stdin.buffer, "").read())
    return _from_stdin[1]


def _check_beginning(data: bytes, name: str) -> None:
    """Refuse what is no text and no parquet by its first piece."""
    if not data.startswith(b"PAR1"):
        check_no_nul(without_mark(data, name), name)


_last_opened = ""


def _note(name: str) -> None:
    global _last_opened
    _last_opened = name


def no_memory() -> str:
    """What to say of a `MemoryError`, wherever it came from: the file that was opened last, if any, and what to do."""
    after = f" after {_last_opened} was opened" if _last_opened else ""
    return f"the memory that this process may use was all taken{after}; {_MORE_MEMORY}"


_MORE_MEMORY = "use fewer or smaller files, systems or resamples, raise the limit (ulimit -v), or take a larger machine"


def _too_large(name: str) -> FileError:
    return FileError(name, [Problem(0, f"does not fit into the memory that this process may use; {_MORE_MEMORY}")])


EMPTY = "is empty; expected at least one line of data"


def check_text(data: bytes, path: str) -> bytes:
    """The data without its byte-order mark, once it is known to be non-empty UTF-8 text."""
    data = without_mark(data, path)
    check_no_nul(data, path)
    if not data or data.isspace():
        raise FileError(path, [Problem(0, EMPTY)])
    check_utf8(data, path)
    return data


def plain_text(data: bytes, path: str) -> str:
    """Checked text, once it is known to hold no control character but tabs and the ends of lines.

    >>> plain_text(b"bm25\\x0c 0.5", "order.txt")
    Traceback (most recent call last):
    cranfield.errors.FileError: order.txt:1: holds the control character U+000C; remove it
    """
    text = check_text(data, path).decode()
    if (found := CONTROL.search(text)) is not None:
        line = len(_LINE_END.findall(text, 0, found.start())) + 1
        raise FileError(path, [Problem(line, f"holds the control character U+{ord(found[0]):04X}; remove it")])
    return text


def text_lines(data: bytes, path: str) -> Iterator[tuple[int, str]]:
    """The lines of a plain text with their numbers; a line ends where an editor ends it, and nowhere else."""
    return enumerate(_LINE_END.split(plain_text(data, path)), 1)


def without_mark(data: bytes, path: str) -> bytes:
    """The beginning of a file without its byte-order mark; UTF-16 and UTF-32 are refused."""
    for mark, kind in _WIDE_MARKS.items():
        if data.startswith(mark):
            text = f"is {kind} text; save it as UTF-8 (for example: iconv -f {kind} -t UTF-8)"
            raise FileError(path, [Problem(0, text)])
    return data.removeprefix(BOM)


def check_no_nul(data: bytes, path: str, first_line: int = 1) -> None:
    """Refuse lines with a NUL byte."""
    if data.startswith(b"PAR1"):
        text = "is a parquet table, and text is expected; read it as a frame (polars, pandas) and give that"
        raise FileError(path, [Problem(0, text)])
    if (nul := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, nul) + first_line
        raise FileError(path, [Problem(line, "holds a NUL byte: a binary file where text is expected")])


def check_utf8(data: bytes, path: str, first_line: int = 1) -> None:
    """Refuse lines that are not UTF-8."""
    if data.isascii():
        return
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + first_line
        problem = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise FileError(path, [Problem(line, problem)]) from None


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


_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")


def decimal_comma(text: str) -> str:
    """The end of a message about a number that is written with a decimal comma; nothing for any other text.

    >>> decimal_comma("0,25"), decimal_comma("abc")
    ('; this has a decimal comma: write a point', '')
    """
    return "; this has a decimal comma: write a point" if _DECIMAL_COMMA.fullmatch(text) else ""


def shown(text: str, most: int = 60) -> str:
    """A quoted piece of input for a message, cut when long and with control characters escaped.

    >>> shown("a\\tb")
    "'a\\\\tb'"
    """
    return repr(text if len(text) <= most else text[: most - 1] + "…")


def expand(paths: Iterable[str | os.PathLike[str]] | str | os.PathLike[str]) -> Files:
    """Every file the names stand for: files as they are, directories' files, and globs, in numeric-aware order.

    What is clearly no data in a directory (hidden files, README.md, Thumbs.db, pictures, folders, …) is passed over
    and named in `Files.skipped`. A name that leads to no file is a `FileError`.
    """
    skipped: list[str] = []
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    matched: list[str] = []
    for given in paths:
        name = os.fspath(given)
        if name == STDIN or isinstance(name, NamedFile) or is_dataset(name) or is_file(name):
            matched.append(name)
            continue
        if is_url(name):
            matched.extend(_remote_files(name, skipped))
            continue
        if is_folder(name):
            try:
                inside = {str(one): is_folder(one) for one in Path(name).iterdir()}
            except OSError as error:
                raise _unreadable(name, error) from None
            matched.extend(natural_sorted(_without_strays(name, inside, skipped)))
            continue
        import glob

        if glob.has_magic(name) and (matches := natural_sorted(glob.glob(name, recursive=True))):
            matched.extend(match for match in matches if is_file(match))
        else:
            matched.append(name)  # reading it will say what is wrong
    files = Files(dict.fromkeys(matched))
    files.skipped = tuple(dict.fromkeys(skipped))
    return files


def system_name(path: str) -> str:
    """The system a file belongs to: its name without compression and run endings; a dataset's name as it is.

    >>> system_name("runs/covidex.r5.2s.gz"), system_name("bm25.run.zst"), system_name("irds:msmarco-passage/dev/small")
    ('covidex.r5.2s', 'bm25', 'msmarco-passage/dev/small')
    """
    if is_dataset(path):
        return path.removeprefix(DATASET)
    name = Path(path).name
    for endings in (set(COMPRESSED), _RUN_ENDINGS):
        if Path(name).suffix.lower() in endings:
            name = Path(name).stem
    return name


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


NO_URL = "is a URL, and only files of this machine are written; name a file and copy it there"


def write_atomically(path: str | os.PathLike[str], data: bytes, *, compress: bool = True) -> None:
    """Write a file whole or not at all: to a temporary neighbour first, then renamed into place.

    Compresses by the ending (.gz, .bz2, .xz, .zst), without time stamps, so equal data gives equal bytes. What a
    killed process left of an earlier try is swept away. A link is followed, and what is no regular file (a pipe, a
    device) is written to as it is, never replaced.
    """
    name = os.fspath(path)
    if is_url(name):
        raise FileError(name, [Problem(0, NO_URL)])
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
            target = target.resolve()
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
        raise FileError(name, [Problem(0, f"cannot be written: {reason(error)}")]) from None
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
        raise FileError(name, [Problem(0, f"cannot be written: {reason(ValueError())}")])
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
        raise FileError(name, [Problem(0, f"cannot be written: {reason(error)}")]) from None
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
