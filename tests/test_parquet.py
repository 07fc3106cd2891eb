"""Parquet files that claim more than they hold: an error, and never the end of the process."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cranfield import DataError, FileError, make_scores, read_scores, write_scores
from cranfield.collection.check import check_and_read
from cranfield.core.executors import NO_ANSWER, limit_memory, run_isolated
from cranfield.core.files import NamedFile
from cranfield.core.parquet import MARK, read_parquet
from cranfield.questions.standardise.fit import Standardisation
from cranfield.scores.readers import ScorePart, join_parts


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(value: int) -> bytes:
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def crafted(about: bytes, before: bytes = b"") -> bytes:
    """A file whose description is this."""
    return MARK + before + about + len(about).to_bytes(4, "little") + MARK


SCHEMA = b"\x19\x2c" + b"\x48\x06schema\x15\x02\x00" + b"\x15\x0a\x25\x00\x18\x01a\x00"
"""Field 2: a root with one child, and a column of floats called a."""


def description(rows: int, values: int, size: int, at: int) -> bytes:
    column = b"\x15\x0a\x19\x15\x00\x19\x18\x01a\x15\x00\x16" + number(values) + b"\x16" + number(size)
    column += b"\x16" + number(size) + b"\x26" + number(at) + b"\x00"
    group = b"\x19\x1c" + b"\x26\x00\x1c" + column + b"\x00" + b"\x16" + number(size) + b"\x16" + number(rows) + b"\x00"
    return b"\x15\x02" + SCHEMA + b"\x16" + number(rows) + b"\x19\x1c" + group + b"\x00"


LEVELS = b"\x2c\x15%s\x15\x00\x15\x06\x15\x06\x00\x00"


def page(unpacked: int, packed: int, values: int) -> bytes:
    return b"\x15\x00\x15" + number(unpacked) + b"\x15" + number(packed) + LEVELS % number(values)


EXABYTES = b"\x15\x02" + SCHEMA + b"\x16\x02\x19\xfc" + varint(2**58) + b"\x00"
"""A list of 2⁵⁸ parts of a table."""


def with_fewer_than_no_values() -> bytes:
    """A file with a page of −1 values, for which the library would ask for 2 exabytes and end the process."""
    out = io.BytesIO()
    pl.DataFrame({"a": [0.5, 0.25] * 9}).write_parquet(out, compression="uncompressed", statistics=False)
    data = bytearray(out.getvalue())
    at = data.index(b"\x2c\x15", 4)  # what the first page says of its data begins with how many values
    assert at < 20
    data[at + 2] = 1
    return bytes(data)


UNSOUND = {
    "its description claims 288,230,376,151,711,744 entries in 1 bytes": crafted(EXABYTES),
    "its end claims a description of 4,294,967,295 bytes, and the file has 12": MARK + b"\xff" * 4 + MARK,
    "it does not begin and end with the mark PAR1": MARK + b"\x00" * 20,
    "it claims 1,152,921,504,606,846,976 rows of 1 columns": crafted(description(2**60, 1, 8, 4)),
    "its description claims -1 rows": crafted(description(-1, 1, 8, 4)),
    "a column lies at byte 4 and has 4,611,686,018,427,387,904 bytes": crafted(description(1, 1, 2**62, 4)),
    "a column lies at byte 1,000,000 and has 8 bytes, outside": crafted(description(1, 1, 8, 10**6)),
    "a column claims 3 values for 1 rows; nested tables are not read": crafted(description(1, 3, 0, 4)),
    "a column claims 1 values, and its pages 0": crafted(description(1, 1, 0, 4)),
    "a page claims 1,000 bytes, more than its column has": crafted(
        description(1, 1, len(page(8, 1000, 1)), 4), page(8, 1000, 1)
    ),
    "a page claims to unpack from 0 to 2,147,483,647 bytes": crafted(
        description(1, 1, len(page(2**31 - 1, 0, 1)), 4), page(2**31 - 1, 0, 1)
    ),
    "a column claims 1 values, and its pages more": crafted(description(1, 1, len(page(8, 0, 9)), 4), page(8, 0, 9)),
    "its description nests more than 24 structures": crafted(b"\x1c" * 200),
    "its description ends too early": crafted(b"\x15\x02\x19"),
    "its description holds a number of more than 64 bits": crafted(b"\x16" + b"\xff" * 12),
    "its description holds a value of the unknown kind 13": crafted(b"\x1d\x00"),
    "its description claims -1 values": with_fewer_than_no_values(),
    "the rows of its parts do not add up": crafted(b"\x15\x02" + SCHEMA + b"\x16\x08\x19\x0c\x00"),
}


@pytest.mark.parametrize("said", UNSOUND)
def test_a_file_that_claims_more_than_it_holds_is_an_error(tmp_path: Path, said: str) -> None:
    file = tmp_path / "scores.parquet"
    file.write_bytes(UNSOUND[said])
    for read in (read_scores, Standardisation.load):
        with pytest.raises(FileError) as caught:
            read(file)
        assert str(caught.value).startswith(f"{file}: cannot be read as parquet")
        assert str(caught.value).endswith(("; is the file complete?", "; is the file damaged?"))


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "lz4", "uncompressed"])
def test_sound_files_pass_whatever_is_in_them(compression: str) -> None:
    for rows in (0, 1, 60, 5000):
        out = io.BytesIO()
        columns = {"topic": [f"t{i % 7}" for i in range(rows)], "zero": [0.0] * rows, "measure": ["AP"] * rows}
        columns |= {"a": np.random.default_rng(1).random(rows), "gap": [None if i % 2 else 0.5 for i in range(rows)]}
        frame = pl.DataFrame(columns, schema_overrides={"gap": pl.Float64})
        frame.write_parquet(out, compression=compression, row_group_size=1000)
        assert read_parquet(out.getvalue(), "x").equals(frame)


def test_damaged_files_are_errors_and_nothing_else(capfd: pytest.CaptureFixture[str]) -> None:
    out = io.BytesIO()
    pl.DataFrame({"topic": ["1", "2"], "a": [0.5, 0.25]}).write_parquet(out)
    errors = 0
    for seed in range(300):
        chance = random.Random(seed)
        data = bytearray(out.getvalue())
        for _ in range(chance.choice((1, 2))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            read_parquet(bytes(data), "x")
        except FileError:
            errors += 1
    assert errors > 100
    assert capfd.readouterr().err == "", "what the library says of its panic is not shown"


def test_a_visitors_file_is_read_and_one_that_breaks_the_reader_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "0001"
    matrix = make_scores(n_topics=5, n_systems=3, seed=1)
    write_scores(matrix, tmp_path / "s.parquet")
    sound = (tmp_path / "s.parquet").read_bytes()
    for data in (sound, with_fewer_than_no_values(), sound):
        place.write_bytes(data)
        check, part = check_and_read(NamedFile("s.parquet", place))
        if data is sound:
            assert check.problems == 0
            assert isinstance(part, ScorePart)
            assert (join_parts([part]).only().values == matrix.values).all()
        else:
            assert part is None
            assert check.error == (
                "s.parquet: cannot be read as parquet within 1,000 MB of memory and 20 s of processor time; is the file "
                "damaged?"
            )


def test_a_small_file_of_a_huge_table_is_refused() -> None:
    out = io.BytesIO()
    pl.DataFrame({"a": pl.zeros(300_000_000, eager=True)}).write_parquet(out)
    assert len(out.getvalue()) < 2_000_000
    for name in ("s.parquet", NamedFile("s.parquet", "/nowhere")):
        with pytest.raises(
            FileError, match=r"s\.parquet: cannot be read as parquet within 1,\d\d\d MB of memory and 2\d s of pro"
        ):
            read_parquet(out.getvalue(), name)


def test_one_process_reads_all_files_and_ends_with_its_parent() -> None:
    out = io.BytesIO()
    pl.DataFrame({"a": [0.5]}).write_parquet(out)
    read_parquet(out.getvalue(), "x")
    script = f"""
from cranfield.core import parquet
for _ in range(2):
    parquet.read_parquet({out.getvalue()!r}, "x")
print(parquet._reader.cache_info().misses)
"""  # at the top of a script, without a guard of __main__
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout == "1\n"
    assert ended.stderr == ""


def test_a_small_table_of_a_huge_matrix_is_refused_before_it_is_made(tmp_path: Path) -> None:
    """Which would be 2 GB for 16,000 topics and systems, and more than there is for ten times as many."""
    for rows in (16_000, 160_000):
        names = pl.int_range(rows, eager=True).cast(pl.String)
        frame = pl.DataFrame({"topic": names, "system": names, "measure": ["AP"] * rows, "value": [0.5] * rows})
        frame.write_parquet(tmp_path / "s.parquet")
        for missing in ("error", "zero", "drop-topic"):
            with pytest.raises(DataError) as error:
                read_scores(tmp_path / "s.parquet", missing=missing)
            assert str(error.value) == (
                f"{tmp_path / 's.parquet'}: AP: {rows:,} scores for {rows:,} topics by {rows:,} systems, where "
                f"{rows**2:,} are expected. Check the names of the columns."
            )


def _greedy(_progress: object) -> int:
    limit_memory(10**9)
    return len(bytearray(2**33))


def test_a_process_of_its_own_has_a_limit_on_memory() -> None:
    with pytest.raises(DataError, match=NO_ANSWER[:40]):
        run_isolated(_greedy)
