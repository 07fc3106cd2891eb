"""Bytes in: what names stand for, finding files, decompressing them, and reading them whole or piece by piece."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import Any, Protocol

from cranfield.core.errors import ArgumentError, FileError
from cranfield.core.labels import CONTROL, natural_sorted, repr_of, summary
from cranfield.core.resources import refuse_forked
from cranfield.core.text import BOOKS, check_no_nul, without_mark

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
"""The endings that are decompressed on reading and compressed on writing."""
_PIECE = 1 << 20
_CRUMB = 1 << 12
"""Of zstandard: 4 bytes may stand for 128 kB, and all that a piece stands for comes out at once."""
_CUT_OFF = "Compressed file ended before the end-of-stream marker was reached"
_LEVEL = 6
"""Of gzip: as its program has it; the highest takes three times as long for a few percent."""


def plain_ending(path: PurePath) -> str:
    """The ending of a file, without that of its compression.

    >>> plain_ending(PurePath("answer.CSV.gz")), plain_ending(PurePath("answer"))
    ('.csv', '')
    """
    suffixes = [ending.lower() for ending in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


class Stream(Protocol):
    """What is read piece by piece."""

    def read(self, size: int = -1, /) -> bytes: ...

    def close(self) -> None: ...


def decompressing(raw: Any, ending: str) -> Stream:
    """The content of a compressed file, read on demand."""
    if ending == ".gz":
        import gzip

        return gzip.open(raw)
    if ending == ".bz2":
        import bz2

        return bz2.open(raw)
    if ending == ".xz":
        import lzma

        return lzma.open(raw)
    return io.BufferedReader(_Frames(raw), _PIECE)


def is_decompression_error(error: Exception) -> bool:
    """Whether an error says that compressed data are broken; the libraries have no common type for it."""
    named = type(error).__name__ in ("error", "LZMAError", "ZstdError")
    return named or isinstance(error, (OSError, EOFError, ValueError))


def compressed(data: bytes, ending: str) -> bytes:
    """The data compressed, without time stamps, so equal data gives equal bytes; unchanged for any other ending."""
    if ending == ".gz":
        import gzip

        return gzip.compress(data, _LEVEL, mtime=0)
    if ending == ".bz2":
        import bz2

        return bz2.compress(data)
    if ending == ".xz":
        import lzma

        return lzma.compress(data)
    if ending == ".zst":
        return _zstd_compressed(data)
    return data


if sys.version_info >= (3, 14):

    def _zstd_compressed(data: bytes) -> bytes:
        from compression import zstd

        return zstd.compress(data)

    def _zstd_engine() -> Any:
        from compression import zstd

        return zstd.ZstdDecompressor()

else:

    def _zstd_compressed(data: bytes) -> bytes:
        import zstandard

        return bytes(zstandard.ZstdCompressor().compress(data))

    def _zstd_engine() -> Any:
        import zstandard

        return zstandard.ZstdDecompressor().decompressobj()


class _Frames(io.RawIOBase):
    """Zstandard frame by frame; the library's own stream takes a file that was cut off for a whole one."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._engine: Any = None
        self._left = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._ready and (feed := self._left or self._raw.read(_CRUMB)):
            self._ready = memoryview(self._decompressed(feed))
        if not self._ready and self._engine is not None:
            raise EOFError(_CUT_OFF)
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _decompressed(self, feed: bytes) -> bytes:
        """What comes out of a piece, up to the end of a frame; what follows in it is left."""
        if self._engine is None:
            self._engine = _zstd_engine()
        data: bytes = self._engine.decompress(feed)
        self._left = b""
        if self._engine.eof:
            self._left, self._engine = self._engine.unused_data, None
        return data

    def close(self) -> None:
        self._raw.close()
        super().close()


STDIN = "-"
"""The file name that means standard input."""
_RUN_ENDINGS = re.compile(r"\.(run|trec|res|t?eval|nev|out|jsonl?|ndjson|csv|tsv|txt|dat)")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
DATASET = "irds:"
"""What names of ir_datasets begin with."""


WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""The endings of spreadsheets that can be read."""
_SHEET = re.compile(rf"(.*(?:{'|'.join(map(re.escape, WORKBOOKS))}))#(.+)", re.IGNORECASE | re.DOTALL)


def split_sheet(name: str) -> tuple[str, str]:
    """A spreadsheet and the sheet that a name asks for; an empty text where it asks for none.

    >>> split_sheet("trec8.xlsx#AP"), split_sheet("a#b.csv")
    (('trec8.xlsx', 'AP'), ('a#b.csv', ''))
    """
    match = _SHEET.fullmatch(name)
    return (name, "") if match is None or is_file(name) else (match[1], match[2])


class NamedFile(str):
    """A file that lies under one name and is spoken of by another: the text is its name, `place` where it lies.

    Readers take it as they take a path. The name decides on compression, system and measure and stands in
    messages, but nothing is ever opened by it: an uploaded file keeps its name, and the name is no path.

    >>> import tempfile
    >>> from cranfield.core.files import read_bytes
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
    """A file by a path that leads to it from any directory, still shown as it was written; URLs unchanged.

    >>> file = whole_path("runs/bm25.run")
    >>> str(file), os.path.isabs(file.place)
    ('runs/bm25.run', True)
    """
    place = name.place if isinstance(name, NamedFile) else name
    return name if is_elsewhere(place) else NamedFile(str(name), Path(place).absolute())


def resolved(path: str | os.PathLike[str]) -> Path:
    """Where a path leads, links followed; of links in a circle, the path itself (`Path.resolve` raises there)."""
    return Path(os.path.realpath(path))


def speakable(name: str) -> str:
    """A name that can be printed: a question mark stands for non-Unicode bytes and for control characters.

    The file is opened by its real name.

    >>> name = speakable("runs/b\\udcfcm25.run")
    >>> name, name.place
    ('runs/b\ufffdm25.run', 'runs/b\\udcfcm25.run')
    """
    if (name.isascii() and name.isprintable()) or isinstance(name, NamedFile) or "\0" in name:
        return name
    shown = CONTROL.sub("\ufffd", re.sub("[\ud800-\udfff]", "\ufffd", name))
    return name if shown == name else NamedFile(shown, name)


def reason(error: OSError | ValueError) -> str:
    """Why the system refused a file: in its own words, or for a name that it cannot even look for.

    >>> reason(ValueError("embedded null byte"))
    'the name contains a character that no file name can have; check the name'
    """
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "the name contains a character that no file name can have; check the name"


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file of this name; also no where nobody may look, of which reading it will say why."""
    return there(Path(path).is_file)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether there is a directory of this name; also no where nobody may look."""
    return there(Path(path).is_dir)


def there(look: Callable[[], bool]) -> bool:
    """What a look at a path says; no where nobody may look."""
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


def system_name(path: str) -> str:
    """The system a file belongs to: its name without compression and run endings; a dataset's name unchanged.

    >>> system_name("runs/covidex.r5.2s.gz"), system_name("bm25.run.zst"), system_name("irds:msmarco-passage/dev/small")
    ('covidex.r5.2s', 'bm25', 'msmarco-passage/dev/small')
    """
    if is_dataset(path):
        return path.removeprefix(DATASET)
    name = Path(path).name
    if Path(name).suffix.lower() in COMPRESSED:
        name = Path(name).stem
    return Path(name).stem if _RUN_ENDINGS.fullmatch(Path(name).suffix.lower()) else name


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The whole content of a file, decompressed by its ending; ``-`` reads standard input.

    Of a spreadsheet, the cells of a sheet as text (`core.workbooks`).
    """
    name = os.fspath(path)
    if (name.place if isinstance(name, NamedFile) else name) == STDIN:
        return _standard_input()
    with open_bytes(name) as stream:
        data = stream.read()
    if not data.startswith(BOOKS):
        return data
    from cranfield.core.workbooks import sheet_text

    return sheet_text(data, name)


class ByteStream:
    """A file's content, decompressed, to be read piece by piece; whatever goes wrong is a `FileError`."""

    def __init__(self, name: str, raw: Any, ending: str, begun: bool = False) -> None:
        self.name, self._raw, self._ending = name, raw, ending
        self._stream = decompressing(raw, ending) if ending else raw
        self._begun = begun  # what does not begin here cannot be told by its first piece

    def read(self, size: int = -1) -> bytes:
        """The next bytes, as many as asked for unless the file ends; all that are left by default."""
        try:
            if size >= 0:
                return self._next(size)
            whole = io.BytesIO()
            while piece := self._next(_PIECE):  # in pieces, because what is refused by its first one may have no end
                whole.write(piece)
            return whole.getvalue()
        except FileError:
            raise
        except MemoryError:
            raise FileError(self.name, f"does not fit into memory; {_MORE_MEMORY}") from None
        except Exception as error:
            if not self._ending:
                raise unreadable(self.name, error) from None
            if not is_decompression_error(error):
                raise
            text = f"cannot be decompressed as {self._ending}: {error}; is the file complete and its ending right?"
            raise FileError(self.name, text) from None

    def _next(self, size: int) -> bytes:
        data: bytes = self._stream.read(size)
        while 0 < len(data) < size and (more := self._stream.read(size - len(data))):
            data += more
        if not self._begun and data:
            self._begun = True
            if not data.startswith((b"PAR1", *BOOKS)):  # neither parquet nor a spreadsheet: text, or refused
                check_no_nul(without_mark(data, self.name), self.name)
        return data

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
    place = name.place if isinstance(name, NamedFile) else split_sheet(name)[0]
    _note(name)
    refuse_forked()
    try:
        raw: Any = io.BytesIO(remote_bytes(name)) if is_url(place) else _opened(Path(place), name)
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from None
    ending = Path(name).suffix.lower()
    return ByteStream(name, raw, ending if ending in COMPRESSED else "")


def unreadable(name: str, error: Exception) -> FileError:
    """What to say of a file that cannot be opened."""
    if isinstance(error, FileNotFoundError):
        text = "no such file; check the name"
    elif isinstance(error, IsADirectoryError):
        text = "is a directory; name a file"
    elif isinstance(error, (OSError, ValueError)):
        text = f"cannot be read: {reason(error)}"
    else:
        raise error
    return FileError(name, text)


def line_blocks(stream: ByteStream, size: int) -> Iterator[bytes]:
    """The rest of a file in blocks of whole lines, of about `size` bytes each (more where one line is longer).

    >>> import tempfile
    >>> file = Path(tempfile.mkstemp()[1])
    >>> _ = file.write_bytes(b"one\\ntwo\\nthree\\nfour")
    >>> with open_bytes(file) as stream:
    ...     list(line_blocks(stream, 9))
    [b'one\\ntwo\\n', b'three\\n', b'four']
    """
    pieces: list[bytes] = []
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


_from_pipes: dict[tuple[int, int], bytes] | None = None  # of the process: other threads read the same pipes
_reading_pipe = threading.Lock()


@contextmanager
def pipes_once() -> Iterator[None]:
    """Inside, a named pipe is read once, and whoever looks at it again gets the same; else it would wait for ever.

    A command looks at a file first to recognise it, and then to read it.
    """
    global _from_pipes
    before, _from_pipes = _from_pipes, {}
    try:
        yield
    finally:
        _from_pipes = before


def is_read_once(name: str) -> bool:
    """Whether a file cannot be read again: standard input, and a pipe that nobody keeps (see `pipes_once`)."""
    place = name.place if isinstance(name, NamedFile) else name
    return name == STDIN or (_from_pipes is None and there(Path(place).is_fifo))


def _opened(place: Path, name: str) -> Any:
    status = place.stat()
    kept = _from_pipes if stat.S_ISFIFO(status.st_mode) else None
    if kept is None:
        stream = place.open("rb")
        if stat.S_ISCHR(status.st_mode) and not stream.isatty() and not place.samefile(os.devnull):
            stream.close()
            raise FileError(name, "is a device; name a file")
        return stream
    key = (status.st_dev, status.st_ino)
    with _reading_pipe:
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
        raise FileError(STDIN, "cannot be read: standard input is closed; name a file")
    if _from_stdin is None or _from_stdin[0] is not sys.stdin:
        _note("stdin")
        _from_stdin = (sys.stdin, ByteStream("stdin", sys.stdin.buffer, "").read())
    return _from_stdin[1]


_last_opened = ""


def _note(name: str) -> None:
    global _last_opened
    _last_opened = name


def no_memory() -> str:
    """What to say of a `MemoryError`, wherever it came from: the file that was opened last, if any, and what to do."""
    after = f" after opening {_last_opened}" if _last_opened else ""
    return f"out of memory{after}; {_MORE_MEMORY}"


_MORE_MEMORY = "use fewer or smaller files, systems or resamples, raise the limit (ulimit -v), or use a larger machine"


# ── files that lie elsewhere, through fsspec ──────────────────────────────────────────────────────────────


def filesystem(name: str) -> tuple[Any, str]:
    """The file system behind a URL, and the name there; fsspec has them, and those of clouds packages of their own."""
    try:
        import fsspec
    except ImportError:
        text = "reading a URL needs fsspec; install it (pip install fsspec) or download the file"
        raise FileError(name, text) from None
    with reaching(name):
        try:
            system, path = fsspec.core.url_to_fs(name)
        except (ImportError, ValueError) as error:
            raise FileError(name, f"fsspec cannot open it: {error}. Or download the file first.") from None
    return system, path


@contextmanager
def reaching(name: str) -> Iterator[None]:
    """Whatever a store does not do inside is a `FileError` about the name."""
    try:
        yield
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(name, "no such file; check the name") from None
    except Exception as error:  # noqa: BLE001 (every store has errors of its own)
        raise FileError(name, f"cannot be read: {type(error).__name__}: {error}") from None


def remote_bytes(name: str) -> bytes:
    """The content of the file behind a URL."""
    system, path = filesystem(name)
    with reaching(name):
        return bytes(system.cat_file(path))


_STRAY = re.compile(
    r"\..*|~\$.*|thumbs\.db|desktop\.ini|(readme|licen[cs]e)(\.txt)?|changelog|makefile|md5sums|sha256sums|checksums\.txt|"
    r".*\.(md|rst|html?|pdf|png|jpe?g|gif|svg|py|sh|ipynb|zip|tar(\.(gz|bz2|xz))?|tgz|docx?|pptx?|md5|sha256|bak|"
    r"swp|lock)",
    re.DOTALL,
)


def _remote_files(name: str, skipped: list[str]) -> list[str]:
    """The files a URL stands for: itself, those of a directory, or those that match its stars."""
    if name.startswith(("http://", "https://")):
        return [name]  # a question mark there is no pattern, and there are no directories
    system, path = filesystem(name)
    scheme = name.partition("://")[0]
    with reaching(name):
        if "*" in path:
            return natural_sorted(f"{scheme}://{one.lstrip('/')}" for one in system.glob(path)) or [name]
        if not system.isdir(path):
            return [name]
        names = {one["name"]: one["type"] == "directory" for one in system.ls(path, detail=True)}
    kept = _without_strays(name, {f"{scheme}://{one.lstrip('/')}": folder for one, folder in names.items()}, skipped)
    return natural_sorted(kept)


def _is_stray(name: str) -> bool:
    """Whether the name of a file shows that it is not data.

    >>> [_is_stray(name) for name in ("README.md", "Thumbs.db", ".DS_Store", "bm25.run", "results.tar.gz", "notes.txt")]
    [True, True, True, False, True, False]
    """
    return _STRAY.fullmatch(name.casefold()) is not None


def _without_strays(folder: str, names: dict[str, bool], skipped: list[str]) -> list[str]:
    """The files of a folder that may be data; the others are added to `skipped`, in one sentence."""
    kept = [name for name, is_folder in names.items() if not is_folder and not _is_stray(Path(name).name)]
    gone = [Path(name).name + "/" * is_folder for name, is_folder in names.items() if name not in kept]
    if gone:
        skipped.append(f"{folder}: skipped {summary(natural_sorted(gone), most=8)} (not data, or a folder)")
    if not kept:
        text = "is a directory without files" + (
            f" that may hold data ({summary(natural_sorted(gone))})" if gone else ""
        )
        raise FileError(folder, text)
    return kept


class Files(list[str]):
    """Names of files, and what was passed over on the way: `skipped`, one sentence each."""

    skipped: tuple[str, ...] = ()


def expand(paths: Iterable[str | os.PathLike[str]] | str | os.PathLike[str]) -> Files:
    """Every file the names stand for: files, the files of directories, and globs, in numeric-aware order.

    What is clearly no data in a directory (hidden files, README.md, Thumbs.db, pictures, folders, …) is passed over
    and named in `Files.skipped`. A name that leads to no file is a `FileError`.
    """
    skipped: list[str] = []
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    matched: list[str] = []
    for given in paths:
        if not isinstance(given, (str, os.PathLike)):
            raise ArgumentError(f"a file must be a path; got {repr_of(given)}.")
        name = os.fspath(given)
        if name == STDIN or isinstance(name, NamedFile) or is_dataset(name) or is_file(split_sheet(name)[0]):
            matched.append(name)
            continue
        if is_url(name):
            matched.extend(_remote_files(name, skipped))
            continue
        if is_folder(name):
            try:
                inside = {str(one): is_folder(one) for one in Path(name).iterdir()}
            except OSError as error:
                raise unreadable(name, error) from None
            matched.extend(natural_sorted(_without_strays(name, inside, skipped)))
            continue
        import glob

        if glob.has_magic(name) and (matches := natural_sorted(glob.glob(name, recursive=True))):
            matched.extend(match for match in matches if is_file(match))
        else:
            matched.append(name)  # reading it will say what is wrong
    files = Files(map(speakable, dict.fromkeys(matched)))
    files.skipped = tuple(dict.fromkeys(skipped))
    return files
