"""The same question gets the same bytes: whatever the workers, threads, processor, hash seed, locale and directory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from determinism.answers import TAKES_ORDER
from determinism.processors import PROCESSORS, told

TESTS = Path(__file__).resolve().parents[1]
Answers = dict[str, dict[str, str]]
USUAL = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}
OTHERS: dict[str, tuple[dict[str, str], str, str]] = {
    "2 workers": ({}, "2", "here"),
    "8 workers": ({}, "8", "here"),
    "2 threads": ({"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}, "1", "here"),
    "a hash seed": ({"PYTHONHASHSEED": "4321"}, "1", "here"),
    "a locale": ({"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}, "1", "here"),
    "no locale": ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "1", "here"),
    "a directory": ({"TZ": "Pacific/Kiritimati"}, "1", "a place with blanks and ümlauts"),
    **{name: (set, "1", "here") for name, set in PROCESSORS.items()},
}
"""Another surrounding: what it sets, how many workers, and the name of the directory."""


def answers(place: Path, set: dict[str, str], workers: str, order: str, part: str) -> Answers | None:
    """The digests of the answers in a surrounding; None where the processor cannot run it."""
    paths = f"{TESTS.parent / 'src'}{os.pathsep}{TESTS}"
    done = subprocess.run(
        [sys.executable, "-m", "determinism.answers", str(place), workers, order, part],
        env={**os.environ, **USUAL, **set, "PYTHONPATH": paths}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    digests: Answers | None = told(done)
    return digests


def differing(one: Answers, other: Answers, what: str) -> list[str]:
    return [name for name in one if one[name][what] != other[name][what]]


def test_some_answers_are_the_same_bytes_elsewhere(tmp_path: Path) -> None:
    usual = answers(tmp_path / "here", {}, "1", "0", "9")
    set = {"PYTHONHASHSEED": "99", "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", **PROCESSORS["an old one"]}
    other = answers(tmp_path / "there ü", {**set, "LC_ALL": "C"}, "3", "0", "9")
    assert usual is not None
    assert len(usual) > 10
    if other is not None:
        assert differing(usual, other, "exact") == []


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    told = answers(tmp_path_factory.mktemp("usual") / "here", {}, "1", "0", "all")
    assert told is not None
    return told


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_every_answer_is_the_same_bytes_everywhere(usual: Answers, tmp_path: Path, name: str) -> None:
    set, workers, place = OTHERS[name]
    other = answers(tmp_path / place, set, workers, "0", "all")
    if other is None:
        pytest.skip(f"this processor cannot run {name}")
    assert differing(usual, other, "exact") == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_the_input_reorders_rows_at_most(usual: Answers, tmp_path: Path, seed: int) -> None:
    other = answers(tmp_path / "here", {}, "1", str(seed), "all")
    assert other is not None
    ordered = {name for name in usual if name.split("-")[0] in TAKES_ORDER or name in TAKES_ORDER}
    assert set(differing(usual, other, "rows")) <= ordered
