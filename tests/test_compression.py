"""Compressed files: read whole or piece by piece to the same bytes, and broken ones refused."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path

import pytest
import zstandard

from cranfield import FileError, read_run
from cranfield.core.errors import UnknownNameError
from cranfield.core.files import COMPRESSED, compressed, decompressing, line_blocks, open_bytes, read_bytes

TEXT = b"".join(b"%d Q0 d%d 1 2.5 x\n" % (n % 7, n) for n in range(3000))
MADE = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstandard.ZstdCompressor().compress}


@pytest.mark.parametrize("ending", COMPRESSED)
@pytest.mark.parametrize("size", [1, 100, 10_000, 1_000_000])
def test_piece_by_piece(ending: str, size: int, tmp_path: Path) -> None:
    path = tmp_path / f"a{ending}"
    path.write_bytes(MADE[ending](TEXT[:2000] if size == 1 else TEXT))
    whole = read_bytes(path)
    assert whole == (TEXT[:2000] if size == 1 else TEXT)
    with open_bytes(path) as stream:
        blocks = list(line_blocks(stream, size))
    assert b"".join(blocks) == whole
    assert all(block.endswith(b"\n") for block in blocks[:-1])


@pytest.mark.parametrize("ending", COMPRESSED)
def test_what_is_written_is_read(ending: str) -> None:
    assert decompressing(io.BytesIO(compressed(TEXT, ending)), ending).read() == TEXT
    assert compressed(TEXT, ending) == compressed(TEXT, ending)


@pytest.mark.parametrize("size", [-1, 1000])
def test_gzip_of_several_members_with_padding(size: int) -> None:
    data = gzip.compress(TEXT) + b"\0" * 100 + gzip.compress(b"more\n") + b"\0" * 8
    stream = decompressing(io.BytesIO(data), ".gz")
    assert b"".join(iter(lambda: stream.read(size), b"")) == TEXT + b"more\n"
    assert decompressing(io.BytesIO(b""), ".gz").read(size) == b""


def test_a_file_that_was_cut_off_is_refused_also_where_a_line_ends(tmp_path: Path) -> None:
    lines = b"".join(b"%d Q0 d%d 1 0.5 t\n" % (at, at * 7919 % 10007) for at in range(40_000))
    engine = zstandard.ZstdCompressor().compressobj()
    path = tmp_path / "a.run.zst"
    path.write_bytes(engine.compress(lines) + engine.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK))
    for read in (read_bytes, read_run):
        with pytest.raises(FileError, match=r"cannot be decompressed as \.zst: Compressed file ended before"):
            read(path)
    path.write_bytes(path.read_bytes() + engine.flush())
    assert read_bytes(path) == lines


@pytest.mark.parametrize("ending", COMPRESSED)
@pytest.mark.parametrize("broken", ["cut", "other"])
def test_broken_files_are_refused(ending: str, broken: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{ending}"
    path.write_bytes(MADE[ending](TEXT)[:-20] if broken == "cut" else b"no such format at all\n" * 9)
    with pytest.raises(FileError, match=f"cannot be decompressed as {ending}"):
        read_bytes(path)


def test_advice_about_a_long_name_is_not_looked_for() -> None:
    long = UnknownNameError("system", "x" * 5000, ["y" * 5000, "bm25"])
    assert "Known: " in str(long)
    assert "Did you mean 'bm25'" in str(UnknownNameError("system", "bm26", ["y" * 5000, "bm25"]))
