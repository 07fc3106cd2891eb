"""What reads as a setting is taken, whatever its type: the check of arguments refuses only what fails later."""

from __future__ import annotations

import enum
import math
import os
import shutil
from collections import UserDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
import pandas as pd
import polars as pl
import pytest

from cranfield import ArgumentError, check_file, parse_measure
from cranfield.core.arguments import check_arguments


class Holm(enum.StrEnum):
    holm = "holm"


class Options(TypedDict, total=False):
    level: int


def ask(
    data: object = None,
    *,
    alpha: float = 0.05,
    n_resamples: int = 100,
    lenient: bool = False,
    correction: Literal["holm", "none"] = "none",
    measure: str | Sequence[str] | None = None,
    depths: int | Sequence[int] = 10,
    width: float | Iterable[float] | None = None,
    teams: Mapping[str, str] | str | os.PathLike[str] | None = None,
    memory: float = 512,
    statistic: Literal["mean"] | Callable[..., Any] = "mean",
    **options: Unpack[Options],
) -> None:
    check_arguments(ask, locals())


def test_what_reads_as_a_setting_is_taken() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    taken: dict[str, list[Any]] = {
        "alpha": [1, np.float32(0.1), np.int8(1), np.array(0.1), Decimal("0.1"), Fraction(1, 10), 10**30],
        "n_resamples": [1e3, np.uint8(9), np.array(9), np.float64(9), True + 1],
        "lenient": [True, np.bool_(True), np.True_, 0, 1, np.int64(1), np.array(True), None],
        "correction": ["holm", np.str_("holm"), Holm.holm],
        "measure": ["AP", ["AP"], ("AP",), {"AP"}, {"AP": 1}, deque(["AP"]), np.array(["AP"]), np.array("AP"),
                    pd.Series(["AP"]), pd.Index(["AP"]), pd.Series(["AP"]).astype("category"), pl.Series(["AP"]),
                    iter(["AP"]), (one for one in ["AP"]), parse_measure("AP"), [parse_measure("AP")],
                    ir_measures.AP, [ir_measures.nDCG @ 10], ()],
        "depths": [5, [5], (5, 10), range(5, 9), np.array([5]), pd.Series([5.0]), np.arange(3.0), []],
        "width": [0.1, np.linspace(0, 1, 3), ["0.1"][:0], pl.Series([0.1]), [Decimal("0.1")], map(float, "12")],
        "teams": [{"a": "x"}, MappingProxyType({"a": "x"}), UserDict(a="x"), "teams.txt", Path("teams.txt"), "\udcff"],
        "memory": [math.inf, 100, np.float64(1e3)],
        "statistic": [np.median, lambda values: values],
        "level": [2, np.int64(2)],
    }  # fmt: skip
    for name, values in taken.items():
        for value in values:
            ask(**{name: value})


def test_an_iterator_is_not_used_up() -> None:
    one = iter([0.1])
    ask(width=one)
    assert next(one) == 0.1


@pytest.mark.parametrize(
    "wrong",
    [{"alpha": True}, {"alpha": np.array([0.1])}, {"n_resamples": 2.5}, {"n_resamples": 2**63 * 2}, {"lenient": 2},
     {"lenient": "False"}, {"correction": None}, {"measure": "\udcff"}, {"measure": b"AP"}, {"teams": "\ud800"},
     {"memory": -math.inf}, {"memory": math.nan}, {"depths": [None]}, {"teams": [1]}, {"level": "x"}],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_read_is_refused(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(ArgumentError, match=f"^`{name}` must be "):
        ask(**wrong)


def test_a_system_may_be_called_like_an_option() -> None:
    ask({"level": "high"})


def test_a_file_whose_name_is_no_utf8_is_read(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    odd = f"{tmp_path}/\udcff.qrels"
    try:
        shutil.copy(tmp_path / "qrels", odd)
    except OSError:
        pytest.skip("this system has no such names")
    check_file(odd, kind="qrels")


def test_a_value_of_several_lines_is_told_in_one() -> None:
    with pytest.raises(ArgumentError) as error:
        ask(teams=pd.Series({"a": "x", "b": "y"}))
    assert "\n" not in str(error.value)
