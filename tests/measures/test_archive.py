"""Whole archives: one file of scores per collection, and nothing done twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cranfield import evaluate, make_sample, read_scores
from cranfield.core.errors import ArgumentError, FileError
from cranfield.core.work_files import WorkFile
from cranfield.measures import archive
from cranfield.measures.archive import evaluate_archive, read_archive
from support import Type

MEASURES = ["AP", "P@5"]


@pytest.fixture
def listing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two small collections and the file that lists them, seen from another directory."""
    for name, seed in (("a", 1), ("b b", 2)):
        make_sample(n_topics=5, n_systems=3, n_documents=120, seed=seed).write(tmp_path / name)
    file = tmp_path / "archive.txt"
    file.write_text("# name, judgments, runs\none a/qrels.txt a/runs\n\ntwo 'b b/qrels.txt' 'b b/runs/*'  # quoted\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return file


def states(listing: Path, **scoring: object) -> list[str]:
    return [one.state for one in evaluate_archive(listing, "out", MEASURES, **scoring)]


def test_every_collection_gets_its_scores(listing: Path) -> None:
    seen: list[tuple[int, int]] = []
    outcomes = list(evaluate_archive(listing, "out", MEASURES, progress=lambda *at: seen.append(at)))
    assert [(one.name, one.state, one.n_topics, one.n_systems) for one in outcomes] == [
        ("one", "evaluated", 5, 3), ("two", "evaluated", 5, 3),
    ]  # fmt: skip
    assert seen == [(1, 2), (2, 2)]
    for name, folder in (("one", "a"), ("two", "b b")):
        home = listing.parent / folder
        alone = evaluate(home / "qrels.txt", home / "runs", MEASURES)
        assert read_scores(f"out/{name}.parquet") == alone


def test_what_is_finished_is_not_done_again(listing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, stops = archive.evaluate, [True]

    def interrupted(qrels: str, *rest: object, **more: object) -> object:
        if "b b" in qrels and stops:
            raise KeyboardInterrupt
        return real(qrels, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(archive, "evaluate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        states(listing)
    assert not Path("out/two.parquet").exists()
    stops.clear()
    first = Path("out/one.parquet")
    before = first.stat().st_mtime_ns
    assert states(listing) == ["kept", "evaluated"]
    assert first.stat().st_mtime_ns == before
    both = [Path(f"out/{name}.parquet").read_bytes() for name in ("one", "two")]
    assert states(listing) == ["kept", "kept"]
    Path("out/two.parquet").unlink()
    assert states(listing, workers=1) == ["kept", "evaluated"]
    assert [Path(f"out/{name}.parquet").read_bytes() for name in ("one", "two")] == both


def test_changed_files_are_evaluated_again(listing: Path) -> None:
    assert states(listing) == ["evaluated", "evaluated"]
    qrels = listing.parent / "a" / "qrels.txt"
    qrels.write_text(qrels.read_text() + "t-new 0 d1 1\n")
    assert states(listing) == ["evaluated", "kept"]


def test_a_note_that_says_something_else_is_not_believed(listing: Path) -> None:
    assert states(listing) == ["evaluated", "evaluated"]
    notes = Path("out") / archive.FINISHED
    job = json.loads(notes.read_bytes().splitlines()[0][9:])[1]
    with WorkFile(notes, job, "archive") as held:
        held.put("one", {"inputs": 7})
    assert states(listing) == ["evaluated", "kept"]


def test_another_job_in_the_same_directory_is_refused(listing: Path) -> None:
    states(listing)
    with pytest.raises(ArgumentError, match="belongs to another job: its level is"):
        states(listing, level=2)
    with pytest.raises(ArgumentError, match="belongs to another job: its measures is"):
        list(evaluate_archive(listing, "out", "AP"))


def test_a_bad_collection_does_not_stop_the_others(listing: Path, cranfield: Type) -> None:
    listing.write_text("gone nowhere/qrels.txt a/runs\n" + listing.read_text())
    ended = cranfield("evaluate", "--collections", str(listing), "-o", "out", "-m", "AP", "--format", "json")
    assert ended.exit_code == 1
    rows = json.loads(ended.stdout)["rows"]
    assert [row["state"] for row in rows] == ["failed", "evaluated", "evaluated"]
    assert "1 of 3 collections could not be evaluated" in ended.stderr
    assert "archive.txt, line 1: " in ended.stderr
    assert "nowhere/qrels.txt" in ended.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a q\n", "archive.txt:1: expected a name, judgments and runs, found 2 of 3 fields"),
        ("a q r\n\nA q r\n", "archive.txt:3: collection 'A' is on line 1 already; give it another name"),
        ("../a q r\n", "archive.txt:1: '../a' cannot be the name of a file"),
        ("a 'q r\n", "archive.txt:1: no closing quotation; close the quote"),
        ("# nothing\n", "archive.txt: lists no collection"),
        ("\udcff", "archive.txt:1: byte 0xff is not UTF-8; save the file as UTF-8"),
    ],
)
def test_a_bad_list(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "archive.txt"
    file.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(FileError) as raised:
        read_archive(file)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--collections", "x"], "name the directory with -o DIRECTORY"),
        (["--collections", "x", "-o", "out", "-q"], "leave out -q, --trec and --plot"),
        (["--collections", "x", "-o", "out", "qrels.txt"], "--collections already names the files; leave out qrels.txt"),
        ([], "Missing arguments 'QRELS' and 'RUN...'"),
        (["qrels.txt"], "Missing argument 'RUN...'"),
    ],
)  # fmt: skip
def test_bad_usage(cranfield: Type, words: list[str], message: str) -> None:
    ended = cranfield("evaluate", *words)
    assert ended.exit_code == 2
    assert message in ended.stderr


def test_an_output_that_is_a_file(listing: Path) -> None:
    Path("out").write_text("")
    with pytest.raises(FileError, match="the directory cannot be created"):
        states(listing)
