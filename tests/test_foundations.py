"""Labels, files, errors, seeds and the exact grid."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import cranfield
from cranfield import CranfieldError, FileError, UnknownNameError
from cranfield.core.errors import Problem
from cranfield.core.executors import map_in_order
from cranfield.core.files import expand
from cranfield.core.labels import natural_key, natural_sorted
from cranfield.core.resampling import generator, to_grid
from cranfield.core.writing import write_atomically


def test_the_public_names_are_all_there() -> None:
    assert sorted(cranfield.__all__) == sorted(set(cranfield.__all__))
    for name in cranfield.__all__:
        assert getattr(cranfield, name) is not None
    assert set(cranfield.__all__) <= set(dir(cranfield))
    with pytest.raises(AttributeError, match="No cranfield attribute nothing"):
        cranfield.nothing  # noqa: B018


def test_no_folder_hides_a_public_name() -> None:
    """A subpackage that is imported becomes an attribute of the package, in place of a function of its name."""
    folders = {path.name.removesuffix(".py") for path in Path(cranfield.__file__).parent.iterdir()}
    assert folders & set(cranfield.__all__) == set()


@given(st.lists(st.text(max_size=6)))
def test_natural_order_is_total(labels: list[str]) -> None:
    once = natural_sorted(labels)
    assert sorted(labels) == sorted(once)
    assert natural_sorted(reversed(once)) == once


def test_natural_order_counts() -> None:
    assert natural_sorted(["t10", "t9", "T1", "10", "9", "0009", "a1b10", "a1b9"]) == [
        "0009", "9", "10", "T1", "a1b9", "a1b10", "t9", "t10",
    ]  # fmt: skip
    assert natural_key("²") is not None  # a digit that int() refuses


def test_errors_survive_a_process_boundary() -> None:
    for error in (FileError("f", [Problem(1, "x")], 9), UnknownNameError("system", "x", ["y"])):
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == str(error)
        assert isinstance(again, CranfieldError)


def test_unknown_names_offer_the_nearest() -> None:
    assert str(UnknownNameError("measure", "ndgc@10", ["AP", "nDCG@10"])) == (
        "unknown measure 'ndgc@10'. Did you mean 'nDCG@10'?"
    )
    assert str(UnknownNameError("system", "x", [])) == "unknown system 'x'. There is no system at all."


def test_atomic_writing_keeps_permissions_and_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o640)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    with pytest.raises(FileError, match="cannot be written"):
        write_atomically(tmp_path / "a.txt" / "b", b"x")
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    assert expand([tmp_path / "a", tmp_path]) == [str(tmp_path / "a")]


finite = st.floats(-1e6, 1e6)


@given(arrays(np.float64, st.integers(1, 60), elements=finite), st.integers(0, 2**32 - 1))
def test_sums_on_the_grid_are_exact_in_any_order(values: np.ndarray, seed: int) -> None:
    grid = to_grid(values, len(values))
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], len(values))
    exact = sum((Fraction(v) * int(s) for v, s in zip(grid.tolist(), signs.tolist(), strict=True)), Fraction())
    assert Fraction(float(grid @ signs)) == exact
    assert Fraction(float((grid * signs)[::-1].sum())) == exact


@given(arrays(np.float64, 50, elements=st.floats(0, 1)))
def test_the_grid_of_scores_is_fine_enough(values: np.ndarray) -> None:
    assert np.abs(to_grid(values, 50) - values).max() <= 2**-41
    assert np.array_equal(to_grid(values, 50), np.rint(values * 2.0**40) / 2**40)


def test_grid_of_nothing_but_zero() -> None:
    assert to_grid(np.zeros(3), 3).tolist() == [0, 0, 0]


def test_generators_depend_on_seed_and_key_alone() -> None:
    draws = {key: generator(1, *key).random() for key in [(), (0,), (1,), (0, 1), (1, 0)]}
    assert len(set(draws.values())) == 5
    assert generator(1, 0).random() == draws[(0,)]
    assert generator(2, 0).random() != draws[(0,)]


def square(x: int) -> int:
    return x * x


def test_map_in_order_is_the_same_on_any_number_of_workers() -> None:
    seen: list[tuple[int, int]] = []
    items = list(range(7))
    alone = list(map_in_order(square, items, workers=1, progress=lambda d, t: seen.append((d, t))))
    assert alone == [x * x for x in items] == list(map_in_order(square, items, executor="processes", workers=2))
    assert seen == [(i, 7) for i in range(1, 8)]
    assert list(map_in_order(square, [], workers=2)) == []
