"""Every result answers the same questions in the same words."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import math
import pkgutil
import subprocess
import sys
from collections.abc import Mapping
from itertools import chain

import altair as alt
import numpy as np
import pandas as pd
import polars as pl
import pytest

import cranfield as package
from chart_support import results as charted
from cranfield import ArgumentError, DataError
from cranfield.core.answer import answer
from cranfield.core.results import Result

SHARED = ("to_frame", "to_dict", "to_pandas", "to_latex", "to_markdown", "summary", "chart", "_repr_html_")
FLAT = {"Comparison"}
"""Results whose dictionary has the settings beside the rows."""


@pytest.fixture(scope="module")
def results():
    return {name: result for name, result in charted().items() if isinstance(result, Result)}


def every_type(base=Result):
    for kind in base.__subclasses__():
        yield kind
        yield from every_type(kind)


def test_there_is_one_of_every_type(results):
    for module in pkgutil.walk_packages(package.__path__, "cranfield."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)  # a type that nobody has imported yet is a type too
    ours = {kind.__name__ for kind in every_type() if kind.__module__.startswith("cranfield.")}
    assert ours == {type(result).__name__ for result in results.values()}


MADE_OF = {
    "Correlations": {"Correlation"},
    "Gate": {"GateCheck"},
    "Leaderboard": {"Comparison"},
    "MeasureComparisons": {"Comparison"},
    "Monitoring": {"Look"},
    "PairTopics": {"Comparison"},
    "PaperTable": {"MeasureComparisons"},
    "Replicates": {"SplitEffects", "Decisions"},
    "Robustness": {"LeftOut"},
    "Standardised": {"Scores"},
    "Tuning": {"TunedFamily", "ScoreMatrix"},
    "Variances": {"VarianceEstimate"},
}
"""Results all of whose numbers are in parts that are checked in their own constructors."""
COUNTS_ALONE = {"FileCheck"}


def test_every_result_is_checked_at_its_door():
    for module in pkgutil.walk_packages(package.__path__, "cranfield."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    ours = [module for name, module in sys.modules.items() if name.startswith("cranfield.")]
    classes = {kind.__name__: kind for module in ours for kind in vars(module).values() if inspect.isclass(kind)}

    def checked(name):
        if parts := MADE_OF.get(name):
            return all(map(checked, parts))
        doors = [vars(classes[name]).get(method) for method in ("__init__", "__post_init__")]
        called = chain(*(door.__code__.co_names for door in doors if door is not None))
        return any(one.startswith(("check_", "claim", "ArithmeticError", "DataError")) for one in called)

    results = {kind.__name__ for kind in every_type() if kind.__module__.startswith("cranfield.")}
    assert MADE_OF.keys() <= results
    assert [name for name in sorted(results - COUNTS_ALONE) if not checked(name)] == []


NOT_DEFINED = {"effect_size", "effect_size_residual", "half", "spread"}
"""Numbers that are NaN inside a result where they are not defined, and missing in all that it prints."""


def spoilt(value):
    """The same value with a number in it that is none, or that cannot be right; nothing where it holds no number."""
    if isinstance(value, float):
        yield math.nan
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
        yield np.where(np.arange(value.size).reshape(value.shape) == 0, np.nan, value)
    elif isinstance(value, pl.DataFrame):
        for name in [name for name, kind in value.schema.items() if kind.is_float() and value[name].count()]:
            wrong = [math.nan, math.inf] + [0.0] * (name in ("p", "p_adjusted")) + [1e300] * name.endswith("_lower")
            for one in wrong:
                yield value.with_columns(pl.when(pl.col(name).is_null()).then(None).otherwise(one).alias(name))


def parts_of(thing):
    """A result and all that it is made of."""
    if isinstance(thing, (tuple, list)):
        yield from chain(*map(parts_of, thing[:2]))
    elif isinstance(thing, Mapping):
        yield from chain(*map(parts_of, list(thing.values())[:2]))
    if dataclasses.is_dataclass(thing) and type(thing).__module__.startswith("cranfield."):
        yield thing
        for field in dataclasses.fields(thing):
            yield from parts_of(getattr(thing, field.name))


def test_no_result_takes_a_number_that_is_none(results):
    """Whatever was computed is refused when it is NaN, infinite, a p of 0, or outside its interval."""
    doors = {type(result).__name__ for result in results.values()} | {
        name for parts in MADE_OF.values() for name in parts
    }
    taken, tried = set(), 0
    for result in results.values():
        for part in parts_of(result):
            kind = type(part).__name__
            asked = {*result.settings, *getattr(part, "settings", ()), *NOT_DEFINED}
            names = [one.name for one in dataclasses.fields(part) if one.init and one.name not in asked]
            for name in names if kind in doors else ():
                for value in spoilt(getattr(part, name)):
                    tried += 1
                    try:
                        dataclasses.replace(part, **{name: value})
                        taken.add(f"{kind}.{name}")
                    except (ArithmeticError, DataError):
                        pass
    assert tried > 150
    assert taken == set()


NAMES = sorted({*charted()} - {"estimates"})


@pytest.fixture(params=NAMES)
def result(request, results):
    return results[request.param]


def test_it_has_all_that_results_have(result):
    for name in SHARED:
        assert callable(getattr(result, name)), name
    assert not callable(result.settings)
    assert isinstance(dict(result.settings), dict)
    assert isinstance(result.signature, str)
    assert "cranfield" in result.signature
    assert isinstance(result.warnings, tuple)
    assert all(isinstance(text, str) for text in result.warnings)


def test_the_summary_is_one_line(result):
    text = result.summary()
    assert isinstance(text, str)
    assert text.strip()
    assert "\n" not in text
    assert not text.startswith(type(result).__name__)


def test_the_dictionary_holds_signature_warnings_and_settings_and_is_plain(result):
    content = result.to_dict()
    assert content["signature"] == result.signature
    assert content["warnings"] == list(result.warnings)
    settings = content if type(result).__name__ in FLAT else content["settings"]
    assert {name: settings.get(name) for name in result.settings} == dict(result.settings)
    json.dumps(content, allow_nan=True)


def test_pandas_has_the_same_cells(result):
    frame, other = result.to_frame(), result.to_pandas()
    assert isinstance(frame, pl.DataFrame)
    assert list(other.columns) == frame.columns
    assert other.shape == frame.shape
    for name in frame.columns:
        for ours, theirs in zip(frame[name].to_list(), other[name].to_list(), strict=True):
            assert ours == theirs or ((ours is None or ours != ours) and pd.isna(theirs)), name


def test_latex_and_markdown_hold_every_row_of_the_first_table(result):
    sheet = answer(result).sheet()
    tables = sheet.sections or (sheet,)
    rows = sum(table.rows.height for table in tables)
    piped = sum(line.startswith("|") for line in result.to_markdown().splitlines())
    assert piped >= rows + 2 if "markdown" in sheet.texts else piped == rows + 2 * len(tables)
    text = result.to_latex()
    assert text.count(r" \\") == rows + len(tables)
    assert f"% {sheet.signature}" in text
    assert r"\begin{tabular}" in text


def test_the_notebook_view_names_the_signature(result):
    assert result.signature.partition(";")[0].split()[0] in result._repr_html_()


def test_the_chart_is_a_chart(result):
    assert isinstance(result.chart(), (alt.TopLevelMixin, alt.SchemaBase))


def test_topics_and_systems_are_labels_and_counts_begin_with_n(result):
    for name in ("topics", "systems"):
        if hasattr(result, name) and not isinstance(getattr(type(result), name, None), dict):
            labels = getattr(result, name)
            assert isinstance(labels, tuple), name
            assert all(isinstance(label, str) for label in labels)
    if hasattr(result, "rows"):
        assert isinstance(result.rows, pl.DataFrame)
    for name in ("topics", "systems", "resamples", "partitions", "splits", "repeats"):
        assert not isinstance(dict(result.settings).get(name), int), name


def test_no_field_is_called_rel_or_together(result):
    if dataclasses.is_dataclass(result):
        names = {field.name for field in dataclasses.fields(result)}
        assert not names & {"rel", "together", "memory_mb"}


def test_pandas_takes_no_pyarrow():
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from cranfield import ScoreMatrix\n"
        "print(ScoreMatrix([[0.5]], ['1'], ['a'], 'AP').to_pandas().shape)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "(1, 4)\n"


def test_without_pandas_the_remedy_is_named(monkeypatch, results):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ArgumentError, match="to_pandas needs pandas; install it with: pip install pandas"):
        results["Scores"].to_pandas()
