"""Kill commands at random moments, and look at what they leave: nothing half-written, and the next try gives the same.

    PYTHONPATH=src:tests python -m faults.kills KILLS SEED [NAME...]

Runs in a process of its own that has imported everything and computed nothing, so that each command is a fork of it:
it starts at once, and a hundred kills take a minute.
"""

from __future__ import annotations

import io
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from cranfield.cli.main import app
from cranfield.measures.archive import FINISHED

FIRST = (
    "sample s --topics 6 --systems 4 --documents 300 --depth 10 --length 40 --seed 1",
    "evaluate s/qrels.txt s/runs -m AP -q -o ap.csv",
)
WRITERS = {
    "made.csv": "evaluate s/qrels.txt s/runs -m AP -m P@5 -q -o made.csv",
    "made.parquet": "convert ap.csv -o made.parquet",
    "made.csv.gz": "convert ap.csv -o made.csv.gz",
    "factors.csv": "standardise fit ap.csv -o factors.csv",
    "made.json": "compare ap.csv --resamples 2000 -o made.json",
    "pool.txt": "pool s/qrels.txt s/runs --depth 3 -o pool.txt",
    "made.tsv": "convert s/runs/alder-1.run.gz --layout msmarco -o made.tsv",
    "per-run": "convert ap.csv --layout trec_eval -o per-run",
    "made.trec": "evaluate s/qrels.txt s/runs -m AP -q --trec -o made.trec",
    "plan.md": "design recommend ap.csv --systems 3 --min-diff 0.3 -o plan.md",
    "again": "sample again --topics 4 --systems 3 --documents 200 --depth 5 --length 20 --force",
    "made.html": "table ap.csv --test t -o made.html",
    "held.csv": "tune ap.csv --folds 3 --resamples 500 --pattern {family}-{k} --held-out held.csv",
    "junit.xml": "gate ap.csv --baseline alder-1 --candidate alder-2 --margin 0.9 --test t --junit junit.xml",
    "chart.json": "compare ap.csv --test t --plot chart.json",
    "report.html": "report ap.csv --resamples 300 -o report.html",
    "long.json": "replicates s/qrels.txt s/runs --splits 8 --resamples 3000 --workers 1 --work job.work -o long.json",
    "trials.json": "simulate tests ap.csv --trials 60 --test t --workers 1 --work job.work -o trials.json",
    "designs.json": "simulate design ap.csv --systems 3 --min-diff 0.3 --pilots 3 --trials 20 --workers 1 --work job.work -o designs.json",
    "archive": "evaluate --collections archive.txt -m AP -m P@5 -o archive",
}
"""What each command writes, by name; the last ones are long jobs that go on where they stopped."""
JOBS = {
    "long.json": "job.work",
    "trials.json": "job.work",
    "designs.json": "job.work",
    "archive": f"archive/{FINISHED}",
}
"""The work files of the long jobs."""
TRIES = 12
"""Commands started for a kill at most: one that has ended before it is killed does not count."""


def start(words: str) -> int:
    """A child that runs a command; its process id."""
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            app(words.split(), prog_name="cranfield")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 70
    finally:
        os._exit(code)


def finish(words: str) -> None:
    """Run a command to its end."""
    _, status = os.waitpid(start(words), 0)
    if status:
        raise SystemExit(f"cranfield {words} ended with {os.waitstatus_to_exitcode(status)}")


def await_writing(child: int, work: Path) -> None:
    """Wait until a command has begun to write (something hidden, or to its work file), or has ended."""
    here, size = {*Path().iterdir()}, work.stat().st_size if work.exists() else 0
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if {*Path().iterdir()} - here or (work.exists() and work.stat().st_size > size):
            return
        time.sleep(1e-4)


def content(path: Path) -> dict[str, bytes] | None:
    """The bytes of a file or of all files of a directory (but for hidden ones); None where there is nothing."""
    if path.is_dir():
        files = [one for one in sorted(path.rglob("*")) if one.is_file() and not one.name.startswith(".")]
        return {str(one.relative_to(path)): one.read_bytes() for one in files}
    return {"": path.read_bytes()} if path.exists() else None


def leftovers(folder: Path) -> list[str]:
    """What is hidden in a folder, at whatever depth."""
    return sorted(str(one.relative_to(folder)) for one in folder.rglob(".*"))


def main(kills: int, seed: int, names: list[str]) -> None:
    """Kill so many commands in mid-work, those that write these names; a finding ends the program with a sentence."""
    writers = {name: WRITERS[name] for name in names or WRITERS}
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    os.chdir(folder)
    chance = random.Random(seed)
    for words in FIRST:
        finish(words)
    Path("archive.txt").write_text("".join(f"{name} s/qrels.txt s/runs\n" for name in ("one", "two", "three", "four")))
    whole: dict[str, dict[str, bytes] | None] = {}
    takes: dict[str, float] = {}
    for name, words in writers.items():
        started = time.monotonic()
        finish(words)
        takes[name] = time.monotonic() - started
        whole[name] = content(folder / name)
        if whole[name] is None:
            raise SystemExit(f"cranfield {words} wrote no {name}")
        (folder / "job.work").unlink(missing_ok=True)
    killed, resumed = Counter[str](), 0
    names = list(writers)
    for number in range(TRIES * kills):
        if killed.total() >= kills:
            break
        name = min(names, key=lambda one: killed[one])
        if name == "archive" or chance.random() < 0.5:
            shutil.rmtree(name) if Path(name).is_dir() else Path(name).unlink(missing_ok=True)
        before = content(folder / name)
        child = start(writers[name])
        if chance.random() < 0.5:
            time.sleep(chance.uniform(0, 1.1 * takes[name]))
        else:
            await_writing(child, Path(JOBS.get(name, "job.work")))
            time.sleep(chance.choice((0, 1e-4, 1e-3, 1e-2)))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            killed[name] += 1
        else:
            takes[name] *= 0.8  # it was faster than the first time
        after = content(folder / name)
        if name == "archive":  # each of its files is a part of the job
            sound = all(one == FINISHED or (whole[name] or {}).get(one) == data for one, data in (after or {}).items())
        else:
            sound = after in (before, whole[name])
        if not sound:
            raise SystemExit(f"kill {number}: {name} is half-written after: cranfield {writers[name]}")
        strange = [one for one in leftovers(folder) if not one.endswith(".part")]
        if strange:
            raise SystemExit(f"kill {number}: {strange} are left")
        if name in JOBS and (work := Path(JOBS[name])).exists():
            kept = [line for line in work.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
            finish(writers[name])
            resumed += 1
            if content(folder / name) != whole[name]:
                raise SystemExit(f"kill {number}: the job that went on gives another result")
            if not work.read_bytes().startswith(b"".join(kept)):
                raise SystemExit(f"kill {number}: finished work was thrown away")
            work.unlink()
    if killed.total() < kills:
        raise SystemExit(f"only {killed.total()} of {kills} were killed before they ended")
    long_ago = time.time() - 10_000
    left = leftovers(folder)
    for one in left:
        for inside in (*Path(one).rglob("*"), Path(one)):
            os.utime(inside, (long_ago, long_ago))
    for name, words in writers.items():
        finish(words)
        (folder / "job.work").unlink(missing_ok=True)
        if content(folder / name) != whole[name]:
            raise SystemExit(f"{name} is another after all kills")
    if leftovers(folder):
        raise SystemExit(f"the next commands left {leftovers(folder)}")
    shutil.rmtree(folder)
    each = ", ".join(f"{name} {count}" for name, count in sorted(killed.items()))
    tail = f"{resumed} jobs went on, {len(left)} leftovers swept"
    sys.stdout.write(f"{killed.total()} killed ({each}), {tail}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
