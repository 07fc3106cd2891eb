"""Help and version load no numerical library, looked at in a fresh process; questions: `test_every_question.py`.

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

LIGHT = {"click", "json"}
MAY_LOAD: dict[str, tuple[list[str], set[str]]] = {
    "the list of commands": (["--help"], LIGHT),
    "help": (["design", "anova", "--help"], LIGHT),
    "version": (["--version"], LIGHT),
    "trec_eval": (["trec_eval", "qrels", "a.run"], LIGHT | {"numpy", "polars"}),
}
"""What is no question, and the most it may load of what is heavy."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgments and a run of a few lines."""
    place = tmp_path_factory.mktemp("start")
    topics = [str(401 + number) for number in range(5)]
    (place / "qrels").write_text("".join(f"{t} 0 d{d} {d % 2}\n" for t in topics for d in range(6)))
    (place / "a.run").write_text("".join(f"{t} Q0 d{d} {d + 1} {9 - d} a\n" for t in topics for d in range(6)))
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
def test_a_light_start_loads_little(command: str, folder: Path) -> None:
    words, allowed = MAY_LOAD[command]
    assert loaded(words, folder) <= allowed


def test_what_is_loaded_is_seen(folder: Path) -> None:
    assert "polars" in loaded(["check", "qrels", "a.run"], folder)


@pytest.mark.parametrize("wish", [None, "26"])
def test_idle_threads_of_linear_algebra_sleep_unless_told_otherwise(wish: str | None) -> None:
    """The variable is read when numpy is imported, so it has to be there before."""
    code = "import os, sys, cranfield.cli.main; print(os.environ['OPENBLAS_THREAD_TIMEOUT'], 'numpy' in sys.modules)"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS")}
    environment |= {"PYTHONPATH": str(SOURCE)} | ({} if wish is None else {"OPENBLAS_THREAD_TIMEOUT": wish})
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert ended.stdout.split() == [wish or "4", "False"]
