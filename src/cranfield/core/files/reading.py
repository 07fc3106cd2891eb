"""Bytes in: whole files or piece by piece, decompressed, from pipes and standard input too."""

from __future__ import annotations

import io
import os
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cranfield.core.compression import COMPRESSED, decompressing, is_decompression_error
from cranfield.core.errors import FileError
from cranfield.core.files.names import STDIN, NamedFile, is_url, reason, split_sheet, there
from cranfield.core.files.text import BOOKS, check_no_nul, without_mark
from cranfield.core.forking import refuse_forked

_PIECE = 1 << 20


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
            return self._all() if size < 0 else self._next(size)
        except FileError:
            raise
        except MemoryError:
            raise _too_large(self.name) from None
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


def _check_beginning(data: bytes, name: str) -> None:
    """Refuse a file that is neither text, parquet nor a spreadsheet by its first piece."""
    if not data.startswith((b"PAR1", *BOOKS)):
        check_no_nul(without_mark(data, name), name)


_last_opened = ""


def _note(name: str) -> None:
    global _last_opened
    _last_opened = name


def no_memory() -> str:
    """What to say of a `MemoryError`, wherever it came from: the file that was opened last, if any, and what to do."""
    after = f" after opening {_last_opened}" if _last_opened else ""
    return f"out of memory{after}; {_MORE_MEMORY}"


_MORE_MEMORY = "use fewer or smaller files, systems or resamples, raise the limit (ulimit -v), or use a larger machine"


def _too_large(name: str) -> FileError:
    return FileError(name, f"does not fit into memory; {_MORE_MEMORY}")


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
            raise FileError(name, f"fsspec cannot open it: {error}, or fetch the file") from None
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
