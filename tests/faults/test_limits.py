"""Little memory, few files, no docstrings, huge lines and sizes: one line that says what to do."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from cranfield import make_sample
from cranfield.core import formats as json_format
from cranfield.core import resources
from cranfield.core.formats import envelope, to_json
from cranfield.core.tables import Sheet
from support import Type

SOURCE = Path(__file__).resolve().parents[2] / "src"
SCORES = "topic,a,b,c\n" + "".join(f"t{i},0.{i}1,0.{9 - i}2,0.{i * 7 % 10}5\n" for i in range(10))
QRELS = "".join(f"{topic} 0 d{document} 1\n" for topic in (1, 2) for document in range(3))
RUN = "".join(f"{topic} Q0 d{document} {document} {9 - document} a\n" for topic in (1, 2) for document in range(5))
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux has them")


def run(
    *words: str, limit: Callable[[], None] | None = None, options: tuple[str, ...] = (), data: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.run(
        [sys.executable, *options, "-m", "cranfield", *words],
        capture_output=True, env=environment, preexec_fn=limit, input=data, timeout=60, check=False,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(SCORES)
    Path("qrels.txt").write_text(QRELS)
    Path("a.run").write_text(RUN)
    return tmp_path


@pytest.mark.parametrize("megabytes", [300, 600, 700, 900])
def test_too_little_memory_is_said_at_once(megabytes: int) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 10**6,) * 2)

    done = run("compare", "x.csv", limit=limit)
    assert done.returncode == 1
    assert b"error: cranfield needs 1," in done.stderr
    assert done.stderr.endswith(f"ulimit -v allows {megabytes} MB. Write: ulimit -v unlimited\n".encode())
    assert run("compare", "--help", limit=limit).returncode == 0


def test_too_little_memory_to_draw_is_said() -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (4 * 10**9,) * 2)

    done = run("compare", "x.csv", "--test", "t", "--plot", "made.svg", limit=limit)
    assert done.returncode == 1
    assert b"error: drawing a chart reserves 72,000 MB of addresses, and ulimit -v allows 4,000 MB." in done.stderr
    assert b"Traceback" not in done.stderr


def test_too_few_open_files_are_said() -> None:
    done = run(
        "compare", "x.csv", "--test", "t", "--plot", "made.svg",
        limit=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16)),
    )  # fmt: skip
    assert done.returncode == 1
    assert (
        b"error: drawing a chart needs 64 open files, and ulimit -n allows 16. Write: ulimit -n 1024\n" in done.stderr
    )
    assert b"Traceback" not in done.stderr


def test_a_low_limit_that_may_be_raised_is_raised() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    done = run(
        "compare", "x.csv", "--test", "t", "--plot", "made.svg",
        limit=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (16, hard)),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert Path("made.svg").exists()


def test_python_without_docstrings_is_refused() -> None:
    done = run("compare", "x.csv", options=("-OO",))
    text = "error: Python's -OO removes the texts that help and charts are made of. Use -O, or no option.\n"
    assert (done.returncode, done.stderr.decode()) == (2, text)
    assert run("compare", "x.csv", "--test", "t", options=("-O",)).returncode == 0


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("evaluate qrels.txt a.run -o qrels.txt", "qrels.txt"),
        ("evaluate qrels.txt a.run -o a.run", "a.run"),
        ("compare x.csv -o ./x.csv", "x.csv"),
        ("compare *.csv -o x.csv", "x.csv"),
        ("convert x.csv -o link.csv", "x.csv"),
        ("compare x.csv --test t --plot x.csv", "x.csv"),
        ("design ttest --scores x.csv --min-diff 0.1 -o x.csv", "x.csv"),
        ("evaluate qrels.txt . -o a.run", "a.run"),
        ("report x.csv -o link.html", "x.csv"),
    ],
)
def test_an_input_is_never_replaced(cranfield: Type, words: str, kept: str) -> None:
    for name, text in {"x.csv": SCORES, "qrels.txt": QRELS, "a.run": RUN}.items():
        Path(name).write_text(text)
    for name in ("link.csv", "link.html"):
        Path(name).symlink_to("x.csv")
    before = Path(kept).read_bytes()
    done = cranfield(*words.split())
    assert done.exit_code == 2
    assert "is an input of this command. Name another file to write." in done.stderr or "cannot draw" in done.stderr
    assert Path(kept).read_bytes() == before


def test_a_long_line_from_a_pipe_is_what_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen([sys.executable, "-c", f"open({str(pipe)!r}, 'w').write('x' * 30_000_000)"])
    done = run("evaluate", "qrels.txt", str(pipe))
    writer.wait(30)
    assert b":1: expected 6 fields (topic Q0 document rank score tag), found 1 field" in done.stderr


def test_a_long_run_from_a_pipe_is_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    lines = "".join(f"{topic} Q0 d{rank} {rank} {100_000 - rank} a\n" for topic in (1, 2) for rank in range(100_000))
    Path("long.run").write_text(lines)
    writer = subprocess.Popen(["cp", "long.run", str(pipe)])
    done = run("evaluate", "qrels.txt", str(pipe), "-m", "AP", "--format", "csv")
    writer.wait(30)
    assert done.stdout == run("evaluate", "qrels.txt", "long.run", "-m", "AP", "--format", "csv").stdout.replace(
        b"long", b"pipe"
    )


def test_a_sample_that_never_ends_is_refused(cranfield: Type) -> None:
    done = cranfield(*["sample", "new", "--topics", "1000", "--documents", "1000000"])
    assert done.exit_code == 2
    assert "--topics × --documents is 1,000,000,000; at most 200,000,000 fit in memory." in done.stderr
    assert not Path("new").exists()


def test_a_sample_that_takes_long_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "A_WHILE", 0.0)
    heard: list[str] = []
    with resources.announced_to(heard.append):
        make_sample(2, 2, n_documents=100, length=10, depth=5)
    assert heard
    assert heard[0].startswith("a sample of 2 topics and 100 documents takes about 1 second of processor time")


def test_json_that_does_not_fit_into_memory_is_refused(cranfield: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("x.csv").write_text(SCORES)
    monkeypatch.setattr(resources, "machine_memory", lambda: 0.01)
    done = cranfield(*["simulate", "scores", "x.csv", "--topics", "1000", "--format", "json"])
    assert done.exit_code == 1
    assert "JSON of 3,000 rows needs about" in done.stderr
    assert "CSV or parquet take a tenth" in done.stderr


def test_rows_in_slices_are_the_same_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_format, "_SLICE", 3)
    for height in (0, 1, 3, 7):
        frame = pl.DataFrame({"system": [f"a\n{i}" for i in range(height)], "value": [i / 7 for i in range(height)]})
        sheet = Sheet("test", frame, "signature", {"a": [1]}, warnings=("one",))
        assert to_json(sheet) == json.dumps(envelope(sheet), indent=2, ensure_ascii=False) + "\n"
