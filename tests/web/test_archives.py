"""Uploaded bytes are unpacked under limits; names inside archives stay labels."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import zipfile

import pytest
import zstandard

from cranfield.core.errors import FileError
from cranfield.web.server.archives import unpack
from cranfield.web.server.security import MB, Limits
from web_page import zipped

LIMITS = Limits(file=2 * MB, store=5 * MB, files=10)
TEXT = b"topic,a,b\n1,0.5,0.25\n2,0.125,1\n"


def read(name: str, data: bytes, limits: Limits = LIMITS) -> dict[str, bytes]:
    return {shown: b"".join(chunks) for shown, chunks in unpack(name, io.BytesIO(data), len(data), limits)}


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        ("", lambda data: data),
        (".gz", gzip.compress),
        (".gz", lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:])),
        (".bz2", bz2.compress),
        (".bz2", lambda data: bz2.compress(data[:9]) + bz2.compress(data[9:])),
        (".xz", lzma.compress),
        (".zst", zstandard.ZstdCompressor().compress),
    ],
)
def test_compressed_files_lose_their_ending_and_nothing_else(ending: str, pack) -> None:  # type: ignore[no-untyped-def]
    long = TEXT * 9000
    assert read("x.AP.csv" + ending, pack(TEXT)) == {"x.AP.csv": TEXT}
    assert read("x.AP.csv" + ending, pack(long)) == {"x.AP.csv": long}


def test_an_archive_gives_its_files_without_litter() -> None:
    data = zipped(
        {"runs/a.run": TEXT, "runs/b.run.gz": gzip.compress(TEXT), "__MACOSX/runs/._a": b"x", "x/.DS_Store": b"y"}
    )
    assert read("all.zip", data) == {"all.zip/runs/a.run": TEXT, "all.zip/runs/b.run": TEXT}
    assert list(read("misnamed", data)) == ["misnamed/runs/a.run", "misnamed/runs/b.run"]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.ZstdCompressor().compress])
def test_a_bomb_stops_at_the_limit(pack) -> None:  # type: ignore[no-untyped-def]
    ending = {"gzip": ".gz", "bz2": ".bz2", "lzma": ".xz"}.get(getattr(pack, "__module__", ""), ".zst")
    bomb = pack(b"\0" * 50 * MB)
    assert len(bomb) < MB
    with pytest.raises(FileError) as caught:
        read("x.run" + ending, bomb)
    text = "unpacks to more than 200 times its size. Send it uncompressed"
    large = "holds more than 2 MB, the limit for one file"
    assert str(caught.value) in (f"x.run{ending}: {text}", f"x.run{ending}: {large}")


def test_a_zip_bomb_is_refused_by_what_it_says_and_by_what_it_holds() -> None:
    with pytest.raises(FileError) as caught:
        read("b.zip", zipped({"a.run": b"\0" * 9 * MB}))
    assert str(caught.value) == "b.zip: its member 'a.run' declares 9 MB; the limit for one file is 2 MB"
    lying = bytearray(zipped({"a.run": b"\0" * 9 * MB}))
    size = (9 * MB).to_bytes(4, "little")
    while (at := lying.find(size)) >= 0:  # both headers claim ten bytes
        lying[at : at + 4] = (10).to_bytes(4, "little")
    with pytest.raises(FileError, match=r"^b\.zip"):
        read("b.zip", bytes(lying))
    with pytest.raises(FileError, match="unpacks to more than 200 times its size"):
        read("b.zip", zipped({"a.run": b"\0" * (2 * MB - 1)}))
    with pytest.raises(FileError, match="declares 6 MB in total; the limit is 5 MB"):
        read("b.zip", zipped({f"{i}.run": b"\0" * MB for i in range(6)}))
    with pytest.raises(FileError, match="holds 11 files; the limit is 10 per upload"):
        read("b.zip", zipped({f"{i}.run": b"x" for i in range(11)}))


@pytest.mark.parametrize("name", ["../a.run", "a/../../b", "/etc/passwd", "C:/a.run", "..\\..\\a.run", "\\\\host\\a"])
def test_names_that_point_outside_refuse_the_archive(name: str) -> None:
    with pytest.raises(FileError) as caught:
        read("x.zip", _named(name))
    assert "points outside the archive. Repack it with relative names" in str(caught.value)


def _named(name: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("placeholder")
        info.filename = name  # as an attacker would write it
        archive.writestr(info, TEXT)
    return out.getvalue()


def test_links_passwords_and_nested_archives_refuse_the_archive() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("link.run")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(FileError) as caught:
        read("x.zip", out.getvalue())
    assert (
        str(caught.value) == "x.zip: its member 'link.run' is a link, not a file. Repack it with the files themselves"
    )
    with pytest.raises(FileError, match="its member 'in.zip' is a nested archive. Add its files directly"):
        read("x.zip", zipped({"in.zip": zipped({"a": TEXT})}))
    secret = bytearray(zipped({"a.run": TEXT}))
    secret[6] |= 1  # local header
    secret[secret.find(b"PK\x01\x02") + 8] |= 1  # central directory
    with pytest.raises(FileError, match="its member 'a.run' is encrypted. Repack it without a password"):
        read("x.zip", bytes(secret))


def test_a_member_without_a_name_refuses_the_archive() -> None:
    nameless = zipped({"a.csv": TEXT}).replace(b"a.csv", b"\0.csv")  # a name ends at its first NUL
    with pytest.raises(FileError, match=r"x\.zip: holds a file without a name. Repack it"):
        read("x.zip", nameless)


def test_broken_files_are_refused_in_words() -> None:
    with pytest.raises(FileError, match=r"x\.zip: is not a valid \.zip archive"):
        read("x.zip", b"PK\x03\x04" + b"nonsense" * 20)
    with pytest.raises(FileError) as caught:
        read("x.run.gz", gzip.compress(TEXT * 50)[:-20])
    assert "x.run.gz: cannot be decompressed as .gz: the compressed data ends too early" in str(caught.value)
    with pytest.raises(FileError, match="cannot be decompressed as .xz"):
        read("x.run.xz", b"not xz at all")
    with pytest.raises(FileError, match="is an unsupported archive. Send a .zip, or the files themselves"):
        read("x.tar.gz", gzip.compress(TEXT))
    with pytest.raises(FileError, match="is an empty archive"):
        read("x.zip", zipped({}))
    sound = bytearray(zipped({"a.run": TEXT * 99}, zipfile.ZIP_STORED))
    sound[200] ^= 1  # a flipped bit in the data
    with pytest.raises(FileError, match="Bad CRC-32"):
        read("x.zip", bytes(sound))


@pytest.mark.parametrize("ending", [".bz2.gz", ".gz.GZ", ".xz.zst"])
@pytest.mark.parametrize("inside_zip", [False, True])
def test_a_file_compressed_twice_is_refused(ending: str, inside_zip: bool) -> None:
    """Only the outer layer is unpacked under the limits; a reader would unpack the inner one without any."""
    data = zstandard.ZstdCompressor().compress(TEXT) if ending.endswith(".zst") else gzip.compress(bz2.compress(TEXT))
    name = f"a.run{ending}"
    with pytest.raises(FileError, match="is compressed twice. Compress it once"):
        read("all.zip", zipped({name: data})) if inside_zip else read(name, data)


def test_a_workbook_is_one_file_though_it_is_an_archive() -> None:
    book = zipped({"xl/workbook.xml": b"<workbook/>"})
    assert read("s.xlsx", book) == {"s.xlsx": book}
    assert list(read("s.zip", book)) == ["s.zip/xl/workbook.xml"]
