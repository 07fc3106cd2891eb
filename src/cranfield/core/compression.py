"""Compressed files by their endings: read piece by piece, written whole. Each library is imported when it is needed."""

from __future__ import annotations

import io
import sys
from pathlib import PurePath
from typing import Any, Protocol

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
