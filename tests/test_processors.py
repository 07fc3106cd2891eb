"""The same bytes on every processor: BLAS picks its kernels by it, and adds in another order."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cranfield
from cranfield.resampling import cross_products, sample_covariance


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


COMMANDS = {
    "tukey": "compare scores.csv --test tukey --format json",
    "variance": "variance scores.csv --method percentile95 --method two_way --format json",
    "looks": "design looks --variance-of-difference 0.04 --min-diff 0.07 --show looks --format json",
    "report": "report scores.csv --resamples 500 --skip standardisation -o made.html",
}
QUICK = ("Haswell", "Prescott")
KERNELS = (*QUICK, "SkylakeX", "Nehalem", "Zen")


def printed(folder: Path, words: str, kernels: tuple[str, ...]) -> set[bytes]:
    """What a command prints and writes, with every kernel that this processor can run."""
    random = np.random.default_rng(4)
    rows = "\n".join(f"t{i}," + ",".join(map(repr, row)) for i, row in enumerate(random.random((47, 23)).tolist()))
    (folder / "scores.csv").write_text("topic," + ",".join(f"s{j}" for j in range(23)) + "\n" + rows + "\n")
    every = set()
    for kernel in kernels:
        done = subprocess.run(
            [sys.executable, "-m", "cranfield", *words.split()],
            env=os.environ | {"OPENBLAS_CORETYPE": kernel, "PYTHONPATH": str(Path(cranfield.__file__).parents[1])},
            cwd=folder,
            capture_output=True,
            check=False,
        )
        if done.returncode < 0:
            continue  # a kernel this processor cannot run
        assert done.returncode == 0, done.stderr.decode()
        every.add(done.stdout + (folder / "made.html").read_bytes() if "made.html" in words else done.stdout)
    return every


@pytest.mark.parametrize("name", ["tukey", "variance", "looks"])
def test_commands_print_the_same_with_every_kernel(tmp_path: Path, name: str) -> None:
    assert len(printed(tmp_path, COMMANDS[name], QUICK)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_the_same_with_all_kernels(tmp_path: Path, name: str) -> None:
    assert len(printed(tmp_path, COMMANDS[name], KERNELS)) == 1
