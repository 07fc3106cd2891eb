"""Runs judged while the program starts: the same scores and messages as by one worker and without the compiled parser."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from cranfield.collection import compiled
from cranfield.collection.compiled import OFF
from cranfield.core.executors import available_workers

needed = pytest.mark.skipif(
    compiled.columns is None or sys.platform != "linux" or available_workers() == 1,
    reason="nothing is read ahead without the compiled parser, a second processor and fork",
)


def lines(topics: str, documents: str, tag: str = "x", end: str = "\n") -> str:
    return "".join(f"{t} Q0 {d} {at} {9.5 - at} {tag}{end}" for t in topics for at, d in enumerate(documents, 1))


RUNS = {
    "plain": lines("123", "abcdef").encode(),
    "again": lines("312", "fedcba").encode(),
    "crlf": lines("123", "abc", end="\r\n").encode(),
    "tabs": lines("123", "abc").replace(" ", "\t").encode(),
    "no-end": lines("123", "abc").rstrip().encode(),
    "mark": b"\xef\xbb\xbf" + lines("123", "abc").encode(),
    "comments": b"# a note\n" + lines("12", "abc").encode(),
    "markup": b"<SYSDESC>a note</SYSDESC>\n" + lines("12", "abc").encode(),
    "mixed": (lines("123", "ab") + lines("1", "cd")).encode(),
    "tags": (lines("1", "ab") + lines("2", "ab", "y")).encode(),
    "strangers": lines("1789", "ab").encode(),
    "wide": lines("123", "aéz").encode(),
    "old": lines("1", "a").rstrip().encode() + b"\r",
    "packed.gz": gzip.compress(lines("123", "abcd").encode(), mtime=0),
    "table": b"query_id,doc_id,score\n1,a,2\n1,b,1\n",
    "long": ("1 Q0 a 1 2 x\n1 Q0 " + 70_000 * "d" + " 2 1 x\n").encode(),
}
QRELS = "".join(f"{t} 0 {d} {(ord(d) + ord(t)) % 3}\n" for t in "3124" for d in "aécb")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    for name, data in RUNS.items():
        (tmp_path / "runs" / name).write_bytes(data)
    (tmp_path / "qrels").write_text(QRELS)
    return tmp_path


def said(folder: Path, *words: str, **environment: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "cranfield", "evaluate", *words, "--per-topic", "--format", "csv"]
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def assert_equal_every_way(folder: Path, *words: str) -> tuple[int, str, str]:
    ahead = said(folder, *words)
    assert ahead == said(folder, *words, "--workers", "1")
    assert ahead == said(folder, *words, **{OFF: "1"})
    return ahead


@needed
@pytest.mark.parametrize(
    "without", [(), ("comments", "markup", "mixed", "tags", "table", "old")], ids=["all", "judged"]
)
def test_odd_runs_have_the_same_scores_and_warnings(files: Path, without: tuple[str, ...]) -> None:
    for name in without:
        (files / "runs" / name).unlink()
    code, table, warnings = assert_equal_every_way(files, "qrels", "runs")
    assert (code, table.count("\n")) == (0, 1 + (len(RUNS) - len(without)) * 3 * (4 + 1))
    assert without or "1 comment line skipped" in warnings
    assert "3 topics without judgments dropped" in warnings


@needed
@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("runs/plain", lines("1", "ab") + "1 Q0 a 3 1 x\n", "occurs twice"),
        ("runs/plain", lines("1", "ab") + "1 Q0 c 3\n", "expected 6 fields"),
        ("runs/plain", "1 Q0 d 1 2\rx\n", "expected 6 fields"),
        ("runs/plain", "1 Q0 d 1 2\0 x\n", "NUL"),
        ("runs/plain", "", "is empty"),
        ("qrels", "1 0 a 1\n1 0 a 1\n", "occurs twice"),
        ("qrels", lines("1", "ab"), "contains a run"),
        ("qrels", "", "is empty"),
    ],
)
def test_broken_files_have_the_same_message(files: Path, name: str, data: str, expected: str) -> None:
    (files / name).write_text(data)
    code, _, message = assert_equal_every_way(files, "qrels", "runs")
    assert code == 1
    assert expected in message


@needed
def test_judgments_with_a_header_are_not_taken_for_rows(files: Path) -> None:
    header = "topic\titeration\tdocument\trelevance\n"
    (files / "table").write_text(header + QRELS.replace(" ", "\t"))
    assert assert_equal_every_way(files, "table", "runs")[1] == said(files, "qrels", "runs")[1]


@needed
def test_what_was_judged_and_that_nothing_is_left_behind(files: Path) -> None:
    """Runs are judged from the last on, up to the first that is left to others."""
    program = """
        import os, time
        from cranfield.collection.ahead import read_ahead
        names = sorted(os.listdir("runs"))
        runs = [f"runs/{name}" for name in names]
        for some in (runs, runs[:8]):
            with read_ahead("qrels", some, 2) as ahead:
                while ahead.is_at_work():
                    time.sleep(0.01)
                print(*(name for name, run in zip(names, some) if ahead.judged(run)), sep=",")
        with read_ahead("qrels", ["runs/plain"] * 9, 2) as ahead:
            pass
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            print("alone")
        import polars
        assert read_ahead("qrels", ["runs"], 2) is None  # its threads would be lost
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=files, capture_output=True, text=True, check=True
    )
    names = sorted(RUNS)
    assert names[-2:] == ["tags", "wide"]
    assert names[3:8] == ["long", "mark", "markup", "mixed", "no-end"]
    assert done.stdout.split() == ["wide", "no-end", "alone"]


@needed
def test_the_command_judges_ahead(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the tests above would compare one way with itself."""
    program = """
        import sys
        from cranfield.collection import ahead
        from cranfield.__main__ import main
        taken, usual = [], ahead.ReadAhead.judged
        def judged(self, path):
            found = usual(self, path)
            taken.append(found is not None)
            return found
        ahead.ReadAhead.judged = judged
        sys.argv = ["cranfield", "evaluate", "qrels", "runs", "--quiet"]
        try:
            main()
        finally:
            print(len(taken), any(taken))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], cwd=files, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == f"{len(RUNS)} True", done.stderr
