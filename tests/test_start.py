"""A command imports what it uses: the list of what each may load, looked at in a fresh process.

Time is for `make bench`; what a command loads is for a test, because it is the same on every machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src"
HEAVY = [
    "numpy",
    "polars",
    "scipy",
    "scipy.special",
    "scipy.stats",
    "scipy.optimize",
    "scipy.linalg",
    "pandas",
    "pyarrow",
    "pydantic",
    "altair",
    "vl_convert",
    "jinja2",
    "fastapi",
    "uvicorn",
    "rich",
    "rich.table",
    "click",
    "json",
    "multiprocessing",
    "concurrent.futures.process",
]
"""What costs enough to be asked about; whatever is not here nobody minds."""

SMALL = {"click", "json"}
ARRAYS = SMALL | {"numpy"}
FRAMES = ARRAYS | {"polars"}
SPECIAL = SMALL | {"numpy", "scipy", "scipy.special"}

DESIGN = ["--variance", "0.05", "--min-diff", "0.1"]
MAY_LOAD: dict[str, tuple[list[str], set[str]]] = {
    "the list of commands": (["--help"], SMALL),
    "help": (["design", "anova", "--help"], SMALL),
    "version": (["--version"], SMALL),
    "evaluate": (["evaluate", "qrels", "a.run"], ARRAYS),
    "evaluate as JSON": (["evaluate", "qrels", "a.run", "--format", "json"], ARRAYS),
    "evaluate as trec_eval": (["evaluate", "qrels", "a.run", "--trec"], ARRAYS),
    "trec_eval": (["trec_eval", "qrels", "a.run"], ARRAYS),
    "evaluate to CSV": (["evaluate", "qrels", "a.run", "b.run", "-q", "-o", "made.csv"], ARRAYS),
    "check": (["check", "qrels", "a.run"], FRAMES),
    "convert": (["convert", "scores.csv", "-o", "scores.parquet"], FRAMES),
    "design anova": (["design", "anova", *DESIGN, "--systems", "5"], SPECIAL),
    "design anova as JSON": (["design", "anova", *DESIGN, "--systems", "5", "--format", "json"], SPECIAL),
    "design ttest as JSON": (["design", "ttest", *DESIGN, "--format", "json"], SPECIAL),
    "design interval as JSON": (["design", "interval", "--variance", "0.05", "--width", "0.1", "--format", "json"], SPECIAL),
    "compare as JSON": (["compare", "scores.csv", "-m", "AP", "--test", "t", "--format", "json"], FRAMES | SPECIAL),
    "variance as JSON": (["variance", "scores.csv", "-m", "AP", "--format", "json"], FRAMES | SPECIAL),
    "measures": (["measures"], ARRAYS),
    "pool": (["pool", "qrels", "a.run", "b.run", "--depth", "3"], FRAMES),
    "standardise fit": (["standardise", "fit", "scores.csv", "-o", "factors.csv"], FRAMES),
    "standardise robustness": (["standardise", "robustness", "scores.csv"], FRAMES),
    "standardise effect": (["standardise", "effect", "scores.csv"], FRAMES | SPECIAL),
    "tune": (["tune", "tuned.csv", "--folds", "2"], FRAMES | SPECIAL),
    "design pairs": (["design", "pairs", *DESIGN, "--topics", "50", "--systems", "5"], SPECIAL),
    "design looks": (["design", "looks", "--variance-of-difference", "0.04", "--min-diff", "0.07", "--looks", "5"], FRAMES | SPECIAL),
    "design recommend": (["design", "recommend", "scores.csv", "--systems", "2", "--min-diff", "0.1"], FRAMES | SPECIAL),
    "leaderboard": (["leaderboard", "scores.csv", "--test", "t"], FRAMES | SPECIAL),
    "table": (["table", "scores.csv", "--test", "t"], FRAMES | SPECIAL),
    "gate": (["gate", "scores.csv", "--baseline", "a", "--candidate", "b", "--margin", "0.9"], FRAMES | SPECIAL),
    "reliability": (["reliability", "scores.csv"], FRAMES | SPECIAL),
    "monitor": (["monitor", "scores.csv"], FRAMES | SPECIAL),
    "correlate": (["correlate", "scores.csv", "scores.csv"], FRAMES | SPECIAL),
    "reuse": (["reuse", "qrels", "a.run", "b.run", "--team-prefix", "[a-z]"], FRAMES | SPECIAL),
    "sample": (["sample", "made", "--topics", "4", "--systems", "3", "--documents", "100"], FRAMES),
    "standardise apply": (["standardise", "apply", "scores.csv", "--factors", "factors.csv", "--format", "json"], FRAMES),
    "cost": (["cost", "qrels", "a.run", "c.run", "-m", "AP", "--depth", "3", "--width", "0.15", "--format", "json"], FRAMES | SPECIAL),
    "replicates": (["replicates", "qrels", "a.run", "b.run", "-m", "AP", "--splits", "2", "--resamples", "100", "--format", "json"], FRAMES | SPECIAL),
    "selection-bias": (["selection-bias", "--settings", "4", "--topics", "8", "--folds", "2", "--experiments", "20", "--format", "json"], FRAMES | SPECIAL),
    "simulate tests": (["simulate", "tests", "scores.csv", "--test", "t", "--trials", "20", "--topics", "8", "--format", "json"], FRAMES | SPECIAL),
    "simulate design": (["simulate", "design", "scores.csv", "--systems", "3", "--min-diff", "0.3", "--pilots", "2", "--trials", "20", "--format", "json"], FRAMES | SPECIAL),
    "simulate scores": (["simulate", "scores", "scores.csv", "--topics", "8", "-o", "made.csv"], FRAMES | SPECIAL),
}  # fmt: skip
"""Every command, and the most it may load of what is heavy."""
DRAWING = {"demo", "report", "serve"}
"""Commands whose work is to draw charts or to serve pages."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgments, runs and scores, each of a few lines."""
    place = tmp_path_factory.mktemp("start")
    topics = [str(401 + number) for number in range(5)]
    (place / "qrels").write_text("".join(f"{t} 0 d{d} {d % 2}\n" for t in topics for d in range(6)))
    for system, shift in (("a", 0), ("b", 3)):
        lines = (f"{t} Q0 d{(d + shift) % 6} {d + 1} {9 - d} {system}\n" for t in topics for d in range(6))
        (place / f"{system}.run").write_text("".join(lines))
    lines = (f"{t} Q0 d{(d + i) % 6} {d + 1} {9 - d} c\n" for i, t in enumerate(topics) for d in range(6))
    (place / "c.run").write_text("".join(lines))
    rows = (f"{s},{t},AP,{(i * 7 + j * 3) % 10 / 10}\n" for j, s in enumerate("abc") for i, t in enumerate(topics))
    scores = "system,topic,measure,value\n" + "".join(rows)
    (place / "scores.csv").write_text(scores)
    tuned = scores
    for number, system in enumerate("abc"):
        tuned = tuned.replace(f"{system},4", f"bm25(k1={number}),4")
    (place / "tuned.csv").write_text(tuned)
    factors = (f"AP,{t},0.{3 + i},0.1\n" for i, t in enumerate(topics))
    (place / "factors.csv").write_text("measure,topic,mean,sd\n" + "".join(factors))
    return place


def loaded(words: list[str], folder: Path) -> set[str]:
    """What of the heavy a fresh process has loaded after a command."""
    code = (
        "import atexit, json, sys\n"
        f"heavy = {HEAVY!r}\n"
        "atexit.register(lambda: print('loaded', json.dumps([n for n in heavy if n in sys.modules and n != 'json']),"
        " file=sys.stderr))\n"
        "from cranfield.cli.main import main\n"
        f"sys.argv = {['cranfield', *words]!r}\n"
        "main()"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder, env=environment
    )
    return set(json.loads(ended.stderr.rpartition("loaded ")[2]))


@pytest.mark.parametrize("command", MAY_LOAD)
def test_a_command_loads_what_it_uses(command: str, folder: Path) -> None:
    words, allowed = MAY_LOAD[command]
    assert loaded(words, folder) <= allowed


def test_every_command_is_in_the_list() -> None:
    from cranfield.settings.base import questions

    listed = [" ".join(words) for words, _ in MAY_LOAD.values()]
    commands = {one.command for one in questions().values()} - DRAWING
    assert {
        one for one in commands if not any(words.startswith(f"{one} ") or words == one for words in listed)
    } == set()


def test_what_is_loaded_is_seen(folder: Path) -> None:
    assert "polars" in loaded(MAY_LOAD["check"][0], folder)
    assert "scipy.special" in loaded(MAY_LOAD["design anova"][0], folder)


@pytest.mark.parametrize("wish", [None, "26"])
def test_idle_threads_of_linear_algebra_sleep_unless_told_otherwise(wish: str | None) -> None:
    """The variable is read when numpy is imported, so it has to be there before."""
    code = "import os, sys, cranfield.cli.main; print(os.environ['OPENBLAS_THREAD_TIMEOUT'], 'numpy' in sys.modules)"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS")}
    environment |= {"PYTHONPATH": str(SOURCE)} | ({} if wish is None else {"OPENBLAS_THREAD_TIMEOUT": wish})
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert ended.stdout.split() == [wish or "4", "False"]
