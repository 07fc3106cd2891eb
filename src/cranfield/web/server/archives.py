"""Unpack uploaded archives and compressed files within limits.

Declared sizes are checked first but not trusted: bytes are counted during unpacking. Names inside an archive are
labels and never paths.
"""

from __future__ import annotations

import io
import lzma
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from cranfield.core.errors import FileError, Problem
from cranfield.core.files import COMPRESSED, WORKBOOKS, Stream, decompressing, is_decompression_error
from cranfield.web.server.security import Limits, megabytes

CHUNK = 1 << 20
_SMALL = 1_000_000
"""Below this many bytes no ratio is suspicious: a file of equal scores packs very well."""
_LZMA_MEMORY = 128 << 20
_LONGEST_NAME = 200
_UNPACKING = (zipfile.BadZipFile, RuntimeError, EOFError, OSError, ValueError, zlib.error, lzma.LZMAError)
"""What a broken or hostile archive can raise in the standard library."""
_OTHER_ARCHIVES = {".tar", ".tgz", ".7z", ".rar", ".tbz", ".txz"}


def refuse(name: str, text: str) -> FileError:
    """The error for a refused file."""
    return FileError(name, [Problem(0, text)])


def label(name: str) -> str:
    """An uploaded name as a label: its printable characters, forward slashes, not too long; never a path.

    >>> label("runs\\\\bm25.run"), label("a\\x00b\\n.csv"), label("a.run.gz//"), label("  "), label("-")
    ('runs/bm25.run', 'ab.csv', 'a.run.gz', 'unnamed', 'unnamed')
    """
    kept = "".join(c for c in name.replace("\\", "/") if unicodedata.category(c)[0] != "C").strip().rstrip("/")
    return kept[-_LONGEST_NAME:] if kept.strip("-./ ") else "unnamed"


def unpack(name: str, stream: IO[bytes], size: int, limits: Limits) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The plain files in one uploaded file: (label, chunks of bytes), decompressed, each to be read at once."""
    shown = label(name)
    ending = Path(shown).suffix.lower()
    if ending in _OTHER_ARCHIVES or any(shown.lower().endswith(f".tar{packed}") for packed in COMPRESSED):
        raise refuse(shown, "is an unsupported archive. Send a .zip, or the files themselves")
    start = stream.read(4)
    stream.seek(0)
    if ending == ".zip" or (start == b"PK\x03\x04" and ending not in WORKBOOKS):
        yield from _members(shown, stream, limits)
    else:
        yield _plain(shown, stream, size, limits)


def _plain(shown: str, stream: IO[bytes], size: int, limits: Limits) -> tuple[str, Iterator[bytes]]:
    ending = Path(shown).suffix.lower()
    if ending not in COMPRESSED:
        return shown, _bounded(shown, chunks(stream), size, limits)
    inner = shown[: -len(ending)]
    if Path(inner).suffix.lower() in COMPRESSED:  # readers would unpack the inner layer without a limit
        raise refuse(shown, "is compressed twice. Compress it once")
    return inner, _bounded(shown, _decompressed(shown, ending, stream), size, limits)


def chunks(stream: IO[bytes] | Stream) -> Iterator[bytes]:
    """What a file holds, piece by piece."""
    while data := stream.read(CHUNK):
        yield data


def _bounded(shown: str, content: Iterator[bytes], size: int, limits: Limits) -> Iterator[bytes]:
    """The chunks until there are too many of them, for the limit or for the compressed size they come from."""
    total = 0
    try:
        for chunk in content:
            total += len(chunk)
            if total > limits.file:
                text = f"holds more than {megabytes(limits.file)}, the limit for one file"
                raise refuse(shown, text)
            if total > max(_SMALL, limits.ratio * max(size, 1)):
                raise refuse(shown, f"unpacks to more than {limits.ratio} times its size. Send it uncompressed")
            yield chunk
    except FileError:
        raise
    except _UNPACKING as error:
        raise refuse(shown, f"cannot be unpacked ({error}). Check that the file is complete") from None


def _decompressed(shown: str, ending: str, stream: IO[bytes]) -> Iterator[bytes]:
    try:
        yield from _xz(stream) if ending == ".xz" else chunks(decompressing(stream, ending))
    except Exception as error:
        if not is_decompression_error(error):
            raise
        why = "the compressed data ends too early" if isinstance(error, EOFError) else error
        text = f"cannot be decompressed as {ending}: {why}. Check that the file is complete and its extension right"
        raise refuse(shown, text) from None


def _xz(stream: IO[bytes]) -> Iterator[bytes]:
    """As the library's own file reads it, but within a limit of memory, for which that has no setting."""
    waiting = stream.read(CHUNK)
    while waiting:
        engine = lzma.LZMADecompressor(memlimit=_LZMA_MEMORY)
        while not engine.eof:
            if engine.needs_input and not waiting and not (waiting := stream.read(CHUNK)):
                raise EOFError
            yield engine.decompress(waiting, CHUNK)
            waiting = b""
        waiting = (engine.unused_data or stream.read(CHUNK)).lstrip(b"\0")


def _members(shown: str, stream: IO[bytes], limits: Limits) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The files of a zip archive; anything odd about it refuses the whole archive."""
    try:
        with zipfile.ZipFile(stream) as archive:
            listed = [info for info in archive.infolist() if not _is_no_file(info.filename)]
            _check_members(shown, listed, limits)
            for info in listed:
                inner = f"{shown}/{label(info.filename)}"
                with archive.open(info) as member:
                    content = _bounded(inner, chunks(member), info.compress_size, limits)
                    if Path(inner).suffix.lower() not in COMPRESSED:
                        yield inner, content
                        continue
                    # Packed twice: the outer layer first, in memory, since it is bounded by the upload's own size.
                    packed = b"".join(content)
                    yield _plain(inner, io.BytesIO(packed), len(packed), limits)
    except FileError:
        raise
    except _UNPACKING as error:
        raise refuse(shown, f"is not a valid .zip archive ({error}). Repack it") from None


def _is_no_file(name: str) -> bool:
    """Directories, and what systems put into archives without being asked."""
    parts = name.replace("\\", "/").split("/")
    return name.endswith("/") or parts[0] == "__MACOSX" or parts[-1] in (".DS_Store", "Thumbs.db")


def _check_members(shown: str, listed: list[zipfile.ZipInfo], limits: Limits) -> None:
    if not listed:
        raise refuse(shown, "is an empty archive")
    if len(listed) > limits.files:
        raise refuse(shown, f"holds {len(listed):,} files; the limit is {limits.files:,} per upload")
    for info in listed:
        name = info.filename.replace("\\", "/")
        if not name:
            raise refuse(shown, "holds a file without a name. Repack it")
        if wrong := _odd(name, info, limits):
            raise refuse(shown, f"its member {label(name)!r} {wrong}")
    total = sum(info.file_size for info in listed)
    if total > limits.store:
        raise refuse(shown, f"declares {megabytes(total)} in total; the limit is {megabytes(limits.store)}")


def _odd(name: str, info: zipfile.ZipInfo, limits: Limits) -> str:
    """What is wrong with a member of an archive, or nothing."""
    if name.startswith("/") or ".." in name.split("/") or name[1:2] == ":":
        return "points outside the archive. Repack it with relative names"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "is a link, not a file. Repack it with the files themselves"
    if info.flag_bits & 1:
        return "is encrypted. Repack it without a password"
    if Path(name).suffix.lower() in _OTHER_ARCHIVES | {".zip"}:
        return "is a nested archive. Add its files directly"
    if info.file_size > limits.file:
        return f"declares {megabytes(info.file_size)}; the limit for one file is {megabytes(limits.file)}"
    return ""
