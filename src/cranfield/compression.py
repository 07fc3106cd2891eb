"""Compressed files by their endings: read piece by piece, written whole. Each library is imported when it is needed."""

from __future__ import annotations

from typing import Any, Protocol

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
"""The endings that are decompressed on reading and compressed on writing."""
_PIECE = 1 << 20
_LEVEL = 6
"""Of gzip: as its program has it; the highest takes three times as long for a few percent."""


class Stream(Protocol):
    """What is read piece by piece."""

    def read(self, size: int = -1, /) -> bytes: ...

    def close(self) -> None: ...


def decompressing(raw: Any, ending: str) -> Stream:
    """The content of a compressed file, read as it is needed."""
    if ending == ".gz":
        return _Gunzip(raw)
    if ending == ".bz2":
        import bz2

        return bz2.open(raw)
    if ending == ".xz":
        import lzma

        return lzma.open(raw)
    import zstandard

    stream: Stream = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
    return stream


def is_decompression_error(error: Exception) -> bool:
    """Whether an error says that compressed data are broken; the libraries have no common type for it."""
    named = type(error).__name__ in ("error", "LZMAError", "ZstdError")
    return named or isinstance(error, (OSError, EOFError, ValueError))


def compressed(data: bytes, ending: str) -> bytes:
    """The data compressed, without time stamps, so equal data gives equal bytes; as they are for any other ending."""
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
        import zstandard

        return bytes(zstandard.ZstdCompressor().compress(data))
    return data


class _Gunzip:
    """Gzip in large pieces, with as few steps in the interpreter as can be; a file may have several members."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._engine: Any = None

    def read(self, size: int = -1) -> bytes:
        """The next bytes; fewer than asked for only at the end."""
        pieces: list[bytes] = []
        missing = size
        while missing != 0 and (feed := self._feed()):
            piece = self._engine.decompress(feed, max(missing, 0))
            pieces.append(piece)
            missing -= len(piece) if size > 0 else 0
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _feed(self) -> bytes:
        """What the engine takes next; nothing at the end of the file."""
        import zlib

        if self._engine is not None and not self._engine.eof:
            feed: bytes = self._engine.unconsumed_tail or self._raw.read(_PIECE)
            if not feed:
                raise EOFError("Compressed file ended before the end-of-stream marker was reached")
            return feed
        left = b"" if self._engine is None else self._engine.unused_data
        while True:  # zeros may fill up a member
            rest: bytes = (left or self._raw.read(_PIECE)).lstrip(b"\0" if self._engine is not None else b"")
            if rest or not left:
                break
            left = b""
        if rest:
            self._engine = zlib.decompressobj(wbits=31)
        return rest

    def close(self) -> None:
        """Close the file."""
        self._raw.close()
