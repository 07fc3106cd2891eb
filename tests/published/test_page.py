"""The page "Published values" says what the code computes today."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import polars as pl
import pytest

from cranfield import estimate_variance, pool_variances, read_collections
from published_tables import table
from support import SHARED, needs_shared

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "published.py"


def test_the_page_is_current() -> None:
    spec = importlib.util.spec_from_file_location("published_page", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for path, text in module.written().items():
        assert path.read_text() == text, f"{path.name} is out of date; run python docs/published.py"


@needs_shared
def test_measured_variances_are_measured() -> None:
    collections = read_collections([SHARED / "data/matrices" / f"robust{year}-new.AP.csv" for year in (2003, 2004)])
    stored = table("measured_variances")
    for (method,), group in stored.group_by("method", maintain_order=True):
        each = [estimate_variance(scores.only(), method, collection=name) for name, scores in collections.items()]
        for estimate in (*each, pool_variances(each)):
            value = group.filter(pl.col("collection") == estimate.collection)["variance"].item()
            assert estimate.variance == pytest.approx(value, abs=6e-7)
