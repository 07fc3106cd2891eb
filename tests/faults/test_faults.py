"""What a machine can do to a command: kills, full disks, forbidden places, pipes, files that change, two at once."""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType

import pytest

from cranfield import FileError, make_scores, read_run, read_scores, write_scores
from cranfield.core.question import questions
from cranfield.core.work_files import WorkFile
from cranfield.core.writing import write_atomically
from faults.kills import FIRST, JOBS, WRITERS
from golden.run import type_command

TESTS = Path(__file__).resolve().parents[1]
SOURCE = TESTS.parent / "src"
PROGRAM = [sys.executable, "-m", "cranfield"]
SCORES = "topic,a,b,c\n" + "".join(f"t{i},0.{i}1,0.{9 - i}2,0.{i * 7 % 10}5\n" for i in range(10))
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and limits as Linux has them")


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{TESTS}", "OMP_NUM_THREADS": "1"}


def run(*words: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *words], capture_output=True, text=True, env=environment(), **more)  # type: ignore[call-overload, no-any-return]


def test_killed_commands_leave_nothing_half_written() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "faults.kills", "6", "1", "made.csv.gz", "long.json"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_long_job_is_among_those_that_are_killed() -> None:
    asked = {name for name, question in questions().items() if "work" in {one.name for one in question.all()}}
    killed = {name for name in questions() for job in JOBS if WRITERS[job].startswith(f"{name} ")}
    assert killed == asked | {"evaluate"}  # whose archive is a job of its own


@pytest.mark.slow
def test_every_writer_is_among_those_that_are_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each module of the program that calls one of the two writers, and no other way to write a file."""
    calls = {
        str(file.relative_to(SOURCE))
        for file in SOURCE.rglob("*.py")
        if re.search(r"^ .*\b(write_atomically|written_whole)\(", file.read_text(), re.M)
    }
    met: set[str] = set()

    def seen(frame: FrameType, event: str, value: object) -> None:
        if event == "call" and frame.f_code.co_name in ("write_atomically", "written_whole") and frame.f_back:
            place = frame.f_back if "contextlib" not in frame.f_back.f_code.co_filename else frame.f_back.f_back
            met.add(str(place and place.f_code.co_filename))

    monkeypatch.chdir(tmp_path)
    Path("archive.txt").write_text("one s/qrels.txt s/runs\n")
    sys.setprofile(seen)
    threading.setprofile(seen)
    try:
        for words in (*FIRST, *WRITERS.values()):
            assert type_command(words.split()).code == 0, words
            Path("job.work").unlink(missing_ok=True)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    reached = {str(Path(one).relative_to(SOURCE)) for one in met if one.startswith(str(SOURCE))}
    assert calls - reached == {"cranfield/core/work_files.py"}  # which mends what a killed job left, when it goes on


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
def test_a_hundred_killed_commands_leave_nothing_half_written(seed: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "faults.kills", "100", str(seed)],
        env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_full_disk_is_said_and_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "made.csv"
    target.write_bytes(b"old")

    def fill() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # as a full disk: an error of the write
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    code = f"from cranfield.core.writing import write_atomically; write_atomically({str(target)!r}, b'x' * 5000)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, preexec_fn=fill
    )
    assert "FileError: " in done.stderr
    assert f"{target}: cannot be written: File too large" in done.stderr
    assert target.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["made.csv"]


def test_a_full_work_file_is_said_and_can_be_taken_up(tmp_path: Path) -> None:
    path = tmp_path / "job.work"
    code = (
        "import numpy as np; from cranfield.core.work_files import WorkFile\n"
        f"file = WorkFile({str(path)!r}, {{'seed': 1}})\n"
        "for at in range(9): file.put(f'part {at}', {'values': np.arange(30.0)})"
    )

    def fill() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, preexec_fn=fill
    )
    assert f"{path}: cannot be written: File too large" in done.stderr
    again = WorkFile(path, {"seed": 1})
    assert again.warnings == ()
    assert again.get("part 0") is not None
    assert again.get("part 8") is None


@pytest.fixture
def forbidden() -> Iterator[Path]:
    """A directory in which this process may not write; root, to whom nothing is forbidden, is nobody meanwhile."""
    folder, who = Path(tempfile.mkdtemp()), os.geteuid()
    (folder / "old.csv").write_bytes(b"old")
    folder.chmod(0o555)
    if who == 0:
        os.seteuid(65534)
    try:
        yield folder
    finally:
        os.seteuid(who)
        folder.chmod(0o700)
        shutil.rmtree(folder)


def test_a_directory_that_cannot_be_written_is_said(forbidden: Path) -> None:
    scores = make_scores(n_topics=3, n_systems=2, seed=1)
    for write in (
        lambda: write_atomically(forbidden / "made.csv", b"x"),
        lambda: write_atomically(forbidden / "old.csv", b"x"),
        lambda: write_scores(scores, forbidden / "runs", layout="trec_eval"),
        lambda: WorkFile(forbidden / "job.work", {"seed": 1}),
    ):
        with pytest.raises(FileError, match="cannot be written: Permission denied"):
            write()
    assert (forbidden / "old.csv").read_bytes() == b"old"
    assert [one.name for one in forbidden.iterdir()] == ["old.csv"]


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(SCORES)
    place = tmp_path / "x.csv" / "made.csv"
    done = run("compare", str(tmp_path / "x.csv"), "--test", "t", "-o", str(place))
    assert done.returncode == 1
    assert done.stderr == f"error: {place}: cannot be written: there is no directory {place.parent}\n"


@pytest.mark.parametrize(
    "words",
    [
        "variance {}", "variance {}/x.csv", "variance {}*.csv", "check {}", "evaluate {} x.csv", "trec_eval {} x.csv",
        "correlate x.csv {}", "gate x.csv --baseline {} --candidate b --margin 0.1", "sample {}", "sample {}/new",
        "variance x.csv -o {}.csv", "variance x.csv -o {}/made.csv", "convert x.csv -o {}/made",
        "convert x.csv --layout trec_eval -o {}", "standardise apply x.csv --factors {}", "report x.csv -o {}.html",
        "simulate tests x.csv --trials 2 --work {}",
    ],
)  # fmt: skip
def test_a_place_where_nobody_can_look_is_said(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a name that is too long, which the system answers like one in a directory that is shut: with an error."""
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(SCORES)
    done = type_command(words.format("n" * 300).split())
    assert done.code in (1, 2)
    assert re.search(r"error: .*(File name too long|no directory n+|no system|unknown)", done.stderr), done.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["x.csv"]


def test_links_that_lead_to_each_other_are_said(tmp_path: Path) -> None:
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.symlink_to(second)
    second.symlink_to(first)
    with pytest.raises(FileError, match=r"a\.csv: cannot be written: Too many levels of symbolic links"):
        write_atomically(first, b"data")
    with pytest.raises(FileError, match=r"a\.csv: cannot be read: Too many levels of symbolic links"):
        read_scores([first])
    assert first.is_symlink()


def test_a_full_disk_behind_standard_output_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(SCORES)
    for words in (["convert", str(tmp_path / "x.csv")], ["--help"]):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run([*PROGRAM, *words], env=environment(), stdout=full, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1
        assert done.stderr == "error: standard output: cannot be written: No space left on device\n"


def test_standard_streams_that_are_closed_are_no_obstacle(tmp_path: Path) -> None:
    """As ``>&-`` does it: what would be printed goes nowhere, and into no file that was opened meanwhile."""
    (tmp_path / "x.csv").write_text(SCORES)
    words = ["variance", str(tmp_path / "x.csv"), "--measure", "AP", "-o", str(tmp_path / "made.csv")]
    assert run(*words).returncode == 0
    expected = (tmp_path / "made.csv").read_bytes()
    for closed in ((1,), (2,), (0, 1, 2)):
        (tmp_path / "made.csv").unlink()
        assert run(*words, preexec_fn=lambda which=closed: [os.close(one) for one in which]).returncode == 0
        assert (tmp_path / "made.csv").read_bytes() == expected
    done = run("variance", "-", preexec_fn=lambda: os.close(0))
    assert (done.returncode, done.stderr) == (1, "error: -: cannot be read: standard input is closed; name a file\n")


def test_what_is_printed_is_utf8_in_any_locale(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(SCORES)
    words = [*PROGRAM, "convert", str(tmp_path / "x.csv")], [*PROGRAM, "variance", str(tmp_path / "x.csv"), "-m", "AP"]
    for one in words:
        usual, elsewhere = (
            subprocess.run(one, env={**environment(), "PYTHONIOENCODING": encoding}, capture_output=True)
            for encoding in ("utf-8", "latin-1")
        )
        assert (elsewhere.returncode, elsewhere.stdout) == (0, usual.stdout), elsewhere.stderr.decode("latin-1")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/full")])
def test_what_is_no_regular_file_is_no_work_file(make: Callable[[Path], None], tmp_path: Path) -> None:
    """Else a pipe would keep the job waiting, and a device fill the memory."""
    make(tmp_path / "job.work")
    with pytest.raises(FileError, match=r"job\.work: is not a regular file; name a new file"):
        WorkFile(tmp_path / "job.work", {"seed": 1})


def test_a_file_in_a_new_directory_that_cannot_be_written_is_said_by_a_name_one_knows(tmp_path: Path) -> None:
    scores = make_scores(n_topics=3, n_systems=2, seed=1)
    long = replace(scores, systems=("a", "n" * 300))
    with pytest.raises(FileError, match=r"/runs: cannot be written: File name too long$"):
        write_scores(long, tmp_path / "runs", layout="trec_eval")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_regular_file_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    pipe, seen = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: seen.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"data")
    reader.join(60)
    assert seen == [b"data"]
    assert pipe.is_fifo()


def test_a_device_is_never_replaced(tmp_path: Path) -> None:
    device = tmp_path / "full"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 7))  # as /dev/full, and nobody else's
        device.open("wb").close()
    except OSError:
        pytest.skip("devices cannot be made here")
    with pytest.raises(FileError, match="cannot be written: No space left on device"):
        write_atomically(device, b"data")
    assert device.is_char_device()


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "made.csv", tmp_path / "link.csv"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_pipe_and_standard_input_are_read(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(SCORES)
    expected = run("variance", str(tmp_path / "x.csv"), "-m", "AP", "--format", "csv").stdout
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(SCORES))
    writer.start()
    fifo = run("variance", str(pipe), "-m", "AP", "--format", "csv", timeout=60)
    writer.join(60)
    assert fifo.returncode == 0, fifo.stderr
    assert fifo.stdout.replace("pipe", "x") == expected
    typed = run("variance", "-", "-m", "AP", "--format", "csv", input=SCORES)
    assert typed.stdout.replace("stdin", "x") == expected


def test_a_file_that_changes_while_it_is_read_is_read_or_refused(tmp_path: Path) -> None:
    file, stop = tmp_path / "a.run", threading.Event()
    lines = [f"1 Q0 d{i} {i} {1 / (i + 1):.6f} t\n" for i in range(2000)]
    file.write_text("".join(lines))

    def change() -> None:
        at = 0
        while not stop.is_set():
            file.write_text("".join(lines[: at * 37 % 2000]))  # in place, as an editor or a copy does
            at += 1

    writer = threading.Thread(target=change)
    writer.start()
    try:
        for _ in range(40):
            try:
                assert 0 < len(read_run(file)) <= 2000
            except FileError as error:
                assert str(error).startswith(str(file))
    finally:
        stop.set()
        writer.join()


def test_a_file_that_goes_while_a_directory_is_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").symlink_to(tmp_path / "gone.csv")
    with pytest.raises(FileError, match=r"a\.csv: no such file; check the name"):
        read_scores([tmp_path / "a.csv"])


LIMITED = """
import sys, numpy, scipy.stats, polars
import cranfield.scores.readers
from cranfield.cli.main import app
from cranfield.core import resources
from cranfield.core.executors import limit_memory
limit_memory(int(sys.argv[1]) << 20)
resources.ADDRESSES = resources.PER_PROCESSOR = 0  # what loading the libraries needs, and they are loaded
app(sys.argv[2:], prog_name="cranfield")
"""
"""A command in a process that may take so many megabytes more than the libraries do."""


def limited(megabytes: int, *words: str, **more: object) -> subprocess.CompletedProcess[str]:
    words = (sys.executable, "-c", LIMITED, str(megabytes), *words)
    return subprocess.run(words, capture_output=True, text=True, env=environment(), timeout=300, **more)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize(
    "words", ["variance /dev/urandom", "check /dev/zero", "evaluate /dev/zero /dev/zero", "compare x.csv /dev/zero"]
)
def test_a_device_that_never_ends_is_refused(words: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(SCORES)
    done = limited(200, *words.split(), cwd=tmp_path)
    assert done.returncode == 1
    assert f"error: {words.split()[-1]}: is a device; name a file\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_device_without_content_is_an_empty_file() -> None:
    assert run("variance", "/dev/null").stderr == "error: /dev/null: is empty; expected at least one line of data\n"


def test_what_is_no_text_is_refused_by_its_first_piece(tmp_path: Path) -> None:
    """However long it is: a file with a hole of a terabyte, zeros that were compressed, a pipe without an end."""
    hole, packed = tmp_path / "hole.csv", tmp_path / "zeros.csv.gz"
    hole.touch()
    os.truncate(hole, 2**40)
    write_atomically(packed, bytes(250 << 20))
    found = ":1: contains a NUL byte, so it is binary; expected text\n"
    for command, path in (("variance", hole), ("evaluate", hole), ("variance", packed)):
        done = limited(200, command, *[str(path)] * (1 + (command == "evaluate")))
        assert (done.returncode, done.stderr) == (1, f"error: {path}{found}")
    with subprocess.Popen(["cat", "/dev/zero"], stdout=subprocess.PIPE) as endless:
        done = limited(200, "variance", "-", stdin=endless.stdout)
        endless.kill()
    assert (done.returncode, done.stderr) == (1, f"error: stdin{found}")


def test_what_does_not_fit_into_memory_is_said_in_one_line(tmp_path: Path) -> None:
    remedy = r"use fewer or smaller files, systems or resamples, raise the limit .*\n"
    with subprocess.Popen(["yes", "t1 0.5"], stdout=subprocess.PIPE) as endless:
        done = limited(100, "variance", "-", stdin=endless.stdout)
        endless.kill()
    assert done.returncode == 1
    assert re.fullmatch(rf"error: stdin: does not fit into memory; {remedy}", done.stderr)
    table, answer = tmp_path / "x.csv", tmp_path / "new" / "answer.csv"
    answer.parent.mkdir()
    systems = [f"s{i}" for i in range(2000)]
    table.write_text("\n".join(f"{name},{','.join(row)}" for name, row in [("topic", systems), *((f"t{i}", [f"0.{i}"] * 2000) for i in range(1000))]))  # fmt: skip
    done = limited(40, "compare", str(table), "-o", str(answer))  # the bytes fit, the table does not
    assert done.returncode == 1
    said = rf"error: out of memory after opening {table}; {remedy}"
    assert re.fullmatch(said, done.stderr)
    assert [*answer.parent.iterdir()] == []


def test_two_jobs_on_one_work_file_are_one_too_many(tmp_path: Path) -> None:
    path = tmp_path / "job.work"
    first = WorkFile(path, {"seed": 1})
    first.put("part 1", {"value": 1.5})
    code = f"from cranfield.core.work_files import WorkFile; WorkFile({str(path)!r}, {{'seed': 1}})"
    other = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
    said = f"{path}: is the work file of a running job; wait for it to end, or name another file"
    assert said in other.stderr
    with pytest.raises(FileError, match="is the work file of a running job"):
        WorkFile(path, {"seed": 1})
    first.close()
    first.close()
    again = WorkFile(path, {"seed": 1})
    assert again.get("part 1") == {"value": 1.5}
    del again
    assert WorkFile(path, {"seed": 1}).get("part 1") == {"value": 1.5}


def test_a_work_file_of_another_kind_is_said(tmp_path: Path) -> None:
    WorkFile(tmp_path / "job.work", {"seed": 1}).close()
    with pytest.raises(FileError) as error:
        WorkFile(tmp_path / "job.work", {"seed": 1}, "simulate")
    said = "is 'cranfield replicates work file 1' and not 'cranfield simulate work file 1'; name another file"
    assert str(error.value) == f"{tmp_path / 'job.work'}:1: {said}"


def test_a_command_on_the_work_file_of_another_job_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text("1 0 a 1\n1 0 b 0\n")
    Path("a.run").write_text("1 Q0 a 1 0.9 t\n1 Q0 b 2 0.8 t\n")
    with WorkFile("job.work", {"seed": 1}) as other:
        other.put("part 1", {"value": 1.5})
        done = type_command(["replicates", "q.txt", "a.run", "a.run", "--splits", "2", "--work", "job.work"])
    said = "job.work: is the work file of a running job; wait for it to end, or name another file"
    assert (done.code, done.stderr) == (1, f"error: {said}\n")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_is_one_line_and_130_and_the_children_are_gone(tmp_path: Path, workers: str) -> None:
    assert run("sample", str(tmp_path / "s"), "--topics", "8", "--systems", "5", "--documents", "300").returncode == 0
    work = tmp_path / "job.work"
    words = ["replicates", str(tmp_path / "s" / "qrels.txt"), str(tmp_path / "s" / "runs"), "--splits", "2000"]
    words += ["--resamples", "20000", "--workers", workers, "--work", str(work)]
    job = subprocess.Popen(
        [*PROGRAM, *words], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + 60
    while not (work.exists() and b"split" in work.read_bytes()) and time.monotonic() < end and job.poll() is None:
        time.sleep(0.02)
    os.killpg(job.pid, signal.SIGINT)
    out, said = job.communicate(timeout=60)
    assert (job.returncode, out) == (130, "")
    assert said.splitlines()[-1] == "interrupted"
    assert "Traceback" not in said
    with pytest.raises(ProcessLookupError):
        os.killpg(job.pid, 0)
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


def test_a_closed_pipe_ends_the_command_in_silence(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(SCORES)
    for format in ("table", "json", "csv"):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            [*PROGRAM, "convert", str(tmp_path / "x.csv"), "--format", format],
            env=environment(), stdout=writer, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
        os.close(writer)
        assert "Traceback" not in done.stderr
        assert "Exception ignored" not in done.stderr
        assert done.returncode == 0
