"""The same bytes on every processor: BLAS picks its kernels by it, and adds in another order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cranfield.core.resampling import cross_products, sample_covariance
from determinism.processors import PROCESSORS, QUICK, told


def test_cross_products_are_those_of_numpy_to_13_digits() -> None:
    random = np.random.default_rng(1)
    for n, m, unit in ((2, 2, 1.0), (50, 30, 1.0), (997, 7, 1e-9), (40, 5, 1e100)):
        x = random.normal(size=(n, m)) * unit
        exact = x.T @ x
        assert np.abs(cross_products(x) - exact).max() <= 1e-12 * np.abs(exact).max()
        assert np.abs(sample_covariance(x) - np.cov(x, rowvar=False)).max() <= 1e-12 * np.abs(exact).max()
    assert (cross_products(np.zeros((3, 2))) == 0).all()


def test_cross_products_do_not_depend_on_the_order_of_adding() -> None:
    x = np.random.default_rng(2).normal(size=(301, 9))
    for order in (np.arange(301)[::-1], np.random.default_rng(3).permutation(301)):
        assert (cross_products(x[order]) == cross_products(x)).all()


def digests(folder: Path, surroundings: dict[str, str], part: str) -> dict[str, str] | None:
    """What every command prints and writes; None where this processor cannot run the kernels."""
    tests = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "determinism.processors", str(folder), part],
        env=os.environ | {"PYTHONPATH": f"{tests.parent / 'src'}{os.pathsep}{tests}"} | surroundings,
        capture_output=True,
        text=True,
        check=False,
    )
    answers: dict[str, str] | None = told(done)
    return answers


def test_only_an_instruction_that_is_not_there_excuses_a_child() -> None:
    def ended(code: int) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], code, "{}", "")

    assert told(ended(-signal.SIGILL)) is None
    assert told(ended(0)) == {}
    for code in (1, -signal.SIGSEGV, -signal.SIGABRT, -signal.SIGKILL, -signal.SIGFPE, -signal.SIGBUS):
        with pytest.raises(AssertionError, match=f"exit code {code}"):
            told(ended(code))


def test_commands_answer_the_same_on_other_processors(tmp_path: Path) -> None:
    usual = digests(tmp_path / "usual", {}, "quick")
    for name in QUICK:
        assert digests(tmp_path / name, PROCESSORS[name], "quick") in (usual, None), name


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    told = digests(tmp_path_factory.mktemp("processors") / "usual", {}, "all")
    assert told is not None
    return told


@pytest.mark.slow
@pytest.mark.parametrize("name", PROCESSORS)
def test_more_commands_answer_the_same_on_more_processors(usual: dict[str, str], tmp_path: Path, name: str) -> None:
    assert digests(tmp_path / "other", PROCESSORS[name], "all") in (usual, None)
