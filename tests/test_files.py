"""Reading and writing files: names no file can have, and what a killed process left behind."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from cranfield import FileError, make_sample, make_scores, write_scores
from cranfield.collection.readers import read_run
from cranfield.core.files import expand, read_bytes
from cranfield.core.work_files import WorkFile
from cranfield.core.writing import beside, write_atomically, written_whole


def test_a_nul_in_a_name_is_said() -> None:
    remedy = "the name contains a character that no file name can have; check the name"
    for act in (lambda: read_bytes("a\0b"), lambda: read_run("a\0b.run"), lambda: read_bytes(expand(["a\0b*"])[0])):
        with pytest.raises(FileError, match=remedy):
            act()
    sample, scores = make_sample(n_topics=2, n_systems=2, n_documents=100), make_scores(n_topics=3, n_systems=2, seed=1)
    for write in (
        lambda: write_atomically("a\0b", b""),
        lambda: write_scores(scores, "a\0b", layout="trec_eval"),
        lambda: sample.write("a\0b"),
        lambda: WorkFile("a\0b", {}),
    ):
        with pytest.raises(FileError, match=remedy):
            write()


def test_what_a_killed_process_left_is_swept_at_the_next_write(tmp_path: Path) -> None:
    stale, fresh = tmp_path / ".scores.csv.abcd1234.part", tmp_path / ".scores.csv.zzzz9999.part"
    other, folder = tmp_path / ".other.csv.abcd1234.part", tmp_path / ".sample.abcd1234.part"
    per_run = tmp_path / ".runs.abcd1234.part"
    for file in (stale, fresh, other):
        file.write_bytes(b"half")
    (folder / "sample").mkdir(parents=True)
    per_run.mkdir()
    long_ago = time.time() - 10_000
    for path in (stale, other, folder / "sample", folder, per_run):
        os.utime(path, (long_ago, long_ago))
    write_atomically(tmp_path / "scores.csv", b"whole")
    assert not stale.exists()
    assert fresh.exists()  # another process may be at it
    assert other.exists()
    make_sample(n_topics=2, n_systems=2, n_documents=100).write(tmp_path / "sample")
    assert not folder.exists()
    write_scores(make_scores(n_topics=3, n_systems=2, seed=1), tmp_path / "runs", layout="trec_eval")
    assert not per_run.exists()


@pytest.mark.parametrize("name", ["n" * 255, "é" * 127, "n" * 101])
def test_a_name_as_long_as_the_system_allows_is_written_and_swept(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    try:
        target.write_bytes(b"old")
    except OSError:
        pytest.skip("this file system has shorter names")
    long_ago = time.time() - 10_000
    stale = tmp_path / f"{beside(name)}abcd1234.part"
    stale.write_bytes(b"half")
    os.utime(stale, (long_ago, long_ago))
    write_atomically(target, b"new")
    assert target.read_bytes() == b"new"
    target.unlink()
    write_scores(make_scores(n_topics=3, n_systems=2, seed=1), target, layout="trec_eval")
    assert [one.name for one in tmp_path.iterdir()] == [name]
    assert beside(name) != beside(name[:-1] + "x")
    with pytest.raises(FileError, match="cannot be written: File name too long"):
        write_atomically(tmp_path / ("n" * 256), b"new")


def test_a_directory_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    place = tmp_path / "made"

    def fill(content: bytes, *, fail: bool = False) -> None:
        with written_whole(place) as new:
            (new / "a.txt").write_bytes(content)
            (new / "in").mkdir()
            (new / "in" / "b.txt").write_bytes(content)
            assert not place.exists() or content == b"second"
            if fail:
                raise OSError("nothing left")

    with pytest.raises(FileError, match="made: cannot be written: nothing left"):
        fill(b"first", fail=True)
    assert [*tmp_path.iterdir()] == []
    fill(b"first")
    (place / "mine.txt").write_bytes(b"mine")
    fill(b"second")
    held = {str(one.relative_to(tmp_path)): one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()}
    assert held == {"made/a.txt": b"second", "made/in/b.txt": b"second", "made/mine.txt": b"mine"}
