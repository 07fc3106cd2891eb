"""Every kind of value in every place of the in-memory API: an answer, or a `CranfieldError`.

The matrix runs in a process of its own, because a library below may end the process where it should raise.
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import cranfield
from cranfield import CranfieldError, CranfieldWarning, DataError, ScoreMatrix, compare, evaluate

TESTS = Path(__file__).resolve().parents[1]
LONE = "d\ud800"


def nested(depth: int) -> list[Any]:
    inside: list[Any] = []
    for _ in range(depth):
        inside = [inside]
    return inside


def recursive_list() -> list[Any]:
    made: list[Any] = [1]
    made.append(made)
    return made


def recursive_dict() -> dict[str, Any]:
    made: dict[str, Any] = {}
    made["1"] = made
    return made


def values() -> dict[str, Any]:
    made: dict[str, Any] = {
        "none": None, "nan": float("nan"), "inf": float("inf"), "true": True, "numpy bool": np.bool_(True), "float32": np.float32(0.5),
        "int64": np.int64(1), "numpy nan": np.float64("nan"), "decimal": Decimal("0.5"), "decimal nan": Decimal("NaN"),
        "signalling nan": Decimal("sNaN"), "decimal infinity": Decimal("-Infinity"), "large decimal": Decimal("1E+4000"), "fraction": Fraction(1, 3),
        "complex": 1j, "number in text": "0.5", "text": "x", "empty text": "", "blank": " \t", "bytes": b"0.5", "bytearray": bytearray(b"1"),
        "time": datetime(2026, 1, 1), "numpy time": np.datetime64("2026-01-01"), "list": [0.5], "empty list": [], "tuple": (1, 2), "set": {1},
        "dict": {"a": 1}, "empty dict": {}, "recursive list": recursive_list(), "recursive dict": recursive_dict(), "deep list": nested(50_000),
        "object": object(), "class": int, "function": len, "zero-dimensional": np.array(0.5), "array": np.array([0.5, 1.0]), "lone surrogate": LONE,
        "huge int": 10**400, "NUL": "\0", "long text": "n" * 100_000, "generator": (one for one in "ab"), "huge float": 1e308,
        "series": pl.Series([1.0]), "frame": pl.DataFrame({"a": [1]}), "range": range(3), "numpy text": np.str_("x"),
    }  # fmt: skip
    with suppress(ImportError):
        import pandas as pd

        made |= {"NA": pd.NA, "NaT": pd.NaT, "Timestamp": pd.Timestamp(0), "pandas series": pd.Series([1.0])}
        made |= {"Interval": pd.Interval(0, 1), "categorical": pd.Categorical(["a"])}
    return made


WRITE = {"write_qrels", "write_run", "write_scores", "save_chart", "chart", "report", "serve"}
"""Public functions that make files."""
QRELS = {"1": {"d": 1, "e": 0}, "2": {"d": 1}}
RUN = {"1": {"d": 2.0, "e": 1.0}, "2": {"d": 1.0}}
Call = Callable[[Any], object]


def scored(scores: Any) -> object:
    return compare(scores, test="t")


def places() -> dict[str, Call]:
    """Where a value can stand."""
    made: dict[str, Call] = {
        "scores": scored,
        "a system's scores": lambda v: scored({"a": v, "b": {"1": 0.5, "2": 0.25}}),
        "a score": lambda v: scored({"a": {"1": v, "2": 0.5}, "b": {"1": 0.5, "2": 0.25}}),
        "a score in a list": lambda v: scored({"a": [v, 0.5], "b": [0.5, 0.25]}),
        "a score by a measure": lambda v: scored({"a": {"1": {"AP": v}, "2": {"AP": 1}}, "b": {"1": {"AP": 0.5}, "2": {"AP": 0}}}),
        "a topic": lambda v: scored({"a": {v: 0.1, "2": 0.5}, "b": {v: 0.5, "2": 0.25}}),
        "a system": lambda v: scored({v: {"1": 0.1, "2": 0.5}, "b": {"1": 0.5, "2": 0.25}}),
        "a measure": lambda v: scored({"a": {"1": {v: 0.1}, "2": {v: 0.5}}, "b": {"1": {v: 0.5}, "2": {v: 0.25}}}),
        "a list of scores": lambda v: scored([v]),
        "values of a matrix": lambda v: ScoreMatrix(v, ["1", "2"], ["a", "b"], "AP"),
        "a cell of a matrix": lambda v: ScoreMatrix([[v, 0.5], [0.5, 0.25]], ["1", "2"], ["a", "b"], "AP"),
        "a label of a matrix": lambda v: ScoreMatrix([[0.5, 0.25]], [v], ["a", "b"], "AP"),
        "a measure of a matrix": lambda v: ScoreMatrix([[0.5, 0.25]], ["1"], ["a", "b"], v),
        "labelled values": lambda v: scored((np.array([[0.5, 0.25]]), [v], ["a", "b"])),
        "labelled objects": lambda v: scored((np.array([[0.5, v]], dtype=object), ["1"], ["a", "b"])),
        "judgments": lambda v: evaluate(v, RUN, ["AP"]),
        "judgments of a topic": lambda v: evaluate({"1": v}, RUN, ["AP"]),
        "a relevance": lambda v: evaluate({"1": {"d": v}, "2": {"d": 1}}, RUN, ["AP"]),
        "a judged document": lambda v: evaluate({"1": {v: 1}, "2": {"d": 1}}, RUN, ["AP"]),
        "a judged topic": lambda v: evaluate({v: {"d": 1}, "2": {"d": 1}}, RUN, ["AP"]),
        "runs": lambda v: evaluate(QRELS, v, ["AP"]),
        "a run in a list": lambda v: evaluate(QRELS, [v], ["AP"]),
        "a named run": lambda v: evaluate(QRELS, {"a": v}, ["AP"]),
        "a name of a run": lambda v: evaluate(QRELS, {v: RUN}, ["AP"]),
        "documents of a topic": lambda v: evaluate(QRELS, {"a": {"1": v}}, ["AP"]),
        "a retrieval score": lambda v: evaluate(QRELS, {"a": {"1": {"d": v, "e": 1.0}}}, ["AP"]),
        "a document": lambda v: evaluate(QRELS, {"a": {"1": {v: 1.0, "e": 0.5}}}, ["AP"]),
        "a topic of a run": lambda v: evaluate(QRELS, {"a": {v: {"d": 1.0}, "2": {"d": 1.0}}}, ["AP"]),
        "measures": lambda v: evaluate(QRELS, RUN, v),
        "a measure to evaluate": lambda v: evaluate(QRELS, RUN, [v]),
    }  # fmt: skip
    made |= {f"polars: {name}": call for name, call in cells(_polars).items()}
    with suppress(ImportError):
        import pandas as pd

        made |= {f"pandas: {name}": call for name, call in cells(lambda rows: pd.DataFrame(rows, dtype=object)).items()}
        made["pandas: a column"] = lambda v: scored(pd.DataFrame([["1", 0.5, 0.25]], columns=["topic", v, "b"]))
        made["pandas: an index"] = lambda v: scored(pd.DataFrame({"a": [0.5, 1], "b": [1, 0.5]}, index=[v, "2"]))
    return made | first_arguments()


def first_arguments() -> dict[str, Call]:
    """The data of every public function that needs no other argument but judgments or runs."""
    made: dict[str, Call] = {}
    for name in dir(cranfield):
        function = getattr(cranfield, name)
        if not inspect.isfunction(function) or name in WRITE:
            continue
        needed = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
        if any(one.kind is one.KEYWORD_ONLY for one in needed):
            continue
        if [one.name for one in needed][1:] == ["runs"]:
            made[f"{name}: judgments"] = lambda v, function=function: function(v, RUN)  # type: ignore[misc]
            made[f"{name}: runs"] = lambda v, function=function: function(QRELS, v)  # type: ignore[misc]
        elif [one.name for one in needed if one.kind is not one.VAR_KEYWORD][1:] == []:
            made[name] = function
    return made


def _polars(columns: dict[str, list[Any]]) -> pl.DataFrame:
    return pl.DataFrame({name: pl.Series(column, dtype=pl.Object) for name, column in columns.items()})


def cells(frame: Callable[[dict[str, list[Any]]], Any]) -> dict[str, Call]:
    """A value in each column of a frame."""
    return {
        "a score": lambda v: scored(frame({"topic": ["1", "2"], "a": [v, 0.5], "b": [0.5, 0.25]})),
        "a topic": lambda v: scored(frame({"topic": [v, "2"], "a": [0.1, 0.5], "b": [0.5, 0.25]})),
        "a value": lambda v: scored(frame({"system": ["a", "b"], "topic": ["1", "1"], "value": [v, 0.5]})),
        "a system": lambda v: scored(frame({"system": [v, "b"], "topic": ["1", "1"], "value": [1, 0.5]})),
        "a measure": lambda v: scored(frame({"system": ["a", "b"], "topic": ["1", "1"], "measure": [v, v], "value": [1, 0.5]})),
        "a document": lambda v: evaluate(QRELS, frame({"qid": ["1", "1"], "docno": [v, "e"], "score": [1, 0.5]}), ["AP"]),
        "a retrieval score": lambda v: evaluate(QRELS, frame({"qid": ["1", "1"], "docno": ["d", "e"], "score": [v, 0.5]}), ["AP"]),
        "a rank": lambda v: evaluate(QRELS, frame({"qid": ["1", "1"], "docno": ["d", "e"], "rank": [v, 2]}), ["AP"]),
        "a run": lambda v: evaluate(QRELS, frame({"name": [v, "b"], "qid": ["1", "1"], "docno": ["d", "e"], "score": [1, 2]}), ["AP"]),
        "a relevance": lambda v: evaluate(frame({"qid": ["1", "1"], "docno": ["d", "e"], "label": [v, 1]}), RUN, ["AP"]),
        "a judged topic": lambda v: evaluate(frame({"qid": [v, "1"], "docno": ["d", "e"], "label": [1, 1]}), RUN, ["AP"]),
    }  # fmt: skip


def outcome(call: Call, value: Any) -> str:
    """Nothing where it answers or raises as it should, else what it raised."""
    try:
        call(value)
    except CranfieldError as error:
        str(error).encode("utf-8", "surrogatepass")
    except TypeError as error:
        if not re.search("unhashable|[Cc]annot hash", str(error)):  # the dictionary of the test
            return f"TypeError: {error}"
    except BaseException as error:  # noqa: BLE001  (a panic of polars is no Exception)
        return f"{type(error).__name__}: {str(error)[:200]!r}"
    return ""


def look() -> list[str]:
    """Whatever is neither answered nor refused in our words."""
    warnings.simplefilter("ignore", CranfieldWarning)
    found = []
    for place, call in places().items():
        for kind, value in values().items():
            sys.stderr.write(f"{place} / {kind}\n")
            if wrong := outcome(call, value):
                found.append(f"{place} / {kind}: {wrong}")
    return found


def test_every_kind_of_value_in_every_place() -> None:
    environment = {**os.environ, "PYTHONPATH": f"{Path(cranfield.__file__).parents[1]}{os.pathsep}{TESTS}"}
    words = [sys.executable, "-m", "doors.test_type_matrix"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stderr[-300:]  # the last line names what ended the process
    assert done.stdout == ""


SETTINGS = ("test", "baseline", "correction", "alternative", "alpha", "n_resamples", "intervals", "seed")


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize(
    "value", [3.5, object(), {1: "a"}, recursive_list(), len, 1j], ids=lambda one: type(one).__name__
)
def test_a_setting_of_another_type_is_refused(name: str, value: Any) -> None:
    data = ScoreMatrix([[0.5, 0.25], [0.75, 0.5], [0.1, 0.3]], "123", ["a", "b"], "AP")
    with pytest.raises(CranfieldError):
        compare(data, **{name: value})


@pytest.mark.parametrize("name", ["alternative", "alpha", "intervals", "seed"])
def test_no_value_is_refused_where_there_is_a_default(name: str) -> None:
    data = ScoreMatrix([[0.5, 0.25], [0.75, 0.5], [0.1, 0.3]], "123", ["a", "b"], "AP")
    with pytest.raises(CranfieldError, match=f"`{name}`"):
        compare(data, **{name: None})  # type: ignore[arg-type]


def test_columns_that_occur_twice_are_named() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="column 'a' occurs twice in the frame; rename one of them"):
        compare(pd.DataFrame([["1", 0.1, 0.2]], columns=["topic", "a", "a"]))


def test_decimals_are_numbers() -> None:
    run = {"1": {"d": Decimal("0.5"), "e": Decimal("1.5")}, "2": {"d": Decimal(1)}}
    assert evaluate(QRELS, run, ["AP"])["AP"].values.tolist() == [[0.5], [1.0]]
    with pytest.raises(DataError, match="document 'd' has score nan; scores must be finite numbers"):
        evaluate(QRELS, {"1": {"d": Decimal("NaN")}}, ["AP"])


if __name__ == "__main__":
    for text in look():
        sys.stdout.write(text.encode("ascii", "backslashreplace").decode() + "\n")
