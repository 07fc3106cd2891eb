"""Known truth: coverage of the intervals and type I error of the pair tests, against what theory says."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from cranfield.core.errors import UnknownNameError

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))
from replicates_study import calibrate, draw_errors

Z = float(stats.norm.ppf(0.975))


def expected(x: int, residuals: str, resample: str, n_topics: int) -> float:
    """Coverage on independent normal errors.

    The normal quantile is used where the error's variance is estimated: from all cells together when they are
    resampled, from the system's own n·(x−1) degrees of freedom when rows are.
    """
    shrink = 1.0 if residuals == "rescaled" else np.sqrt((x - 1) / x)
    distribution = stats.norm if resample == "cells" else stats.t(n_topics * (x - 1))
    return float(1 - 2 * distribution.sf(Z * shrink))


def within(found: float, error: float, wanted: float) -> bool:
    """Four standard errors, and half a point for the finite number of resamples."""
    return abs(found - wanted) < 4 * error + 0.005


@pytest.mark.slow
@pytest.mark.parametrize("x", [2, 3])
def test_independent_errors(x: int) -> None:
    table = calibrate("iid", n_partitions=x, n_datasets=500, n_resamples=999)
    for row in table.iter_rows(named=True):
        wanted = expected(x, row["residuals"], row["resample"], 50)
        assert within(row["coverage"], row["coverage_se"], wanted), row
        if row["p"] == "difference":
            assert within(row["type_1"], row["type_1_se"], 1 - wanted), row
    default, published = table.row(0, named=True), table.row(-1, named=True)
    assert (default["residuals"], default["resample"], default["p"]) == ("rescaled", "rows", "difference")
    assert (published["residuals"], published["resample"], published["p"]) == ("raw", "cells", "effect")
    assert 0.04 < default["type_1"] < 0.07
    assert published["type_1"] > (0.30 if x == 2 else 0.22)  # six times what it should be


@pytest.mark.slow
def test_trec_like_errors() -> None:
    """Rows stay near the level for every system and pair; independent cells are far off for some of them."""
    table = calibrate("trec-like", n_partitions=2, n_datasets=500, n_resamples=999)
    rescaled = table.filter(residuals="rescaled", p="difference")
    rows = rescaled.filter(resample="rows").row(0, named=True)
    cells = rescaled.filter(resample="cells").row(0, named=True)
    assert rows["coverage_min"] > 0.90
    assert rows["type_1_max"] < 0.105
    assert cells["coverage_min"] < 0.88
    assert cells["coverage_max"] > 0.985
    assert cells["type_1_min"] < 0.01
    assert cells["type_1_max"] > 0.09


def test_workers_do_not_matter() -> None:
    one, two = (calibrate(n_datasets=30, n_resamples=50, n_topics=5, n_systems=3, workers=w) for w in (1, 2))
    assert one.equals(two)


def test_errors_have_the_stated_shape() -> None:
    errors = draw_errors("trec-like", 4000, 3, 2, np.random.default_rng(1))
    variance = errors.var(axis=(0, 2))
    assert variance[2] > 2 * variance[0]
    assert abs(errors.mean()) < 0.05
    assert np.corrcoef(errors[:, 0, 0], errors[:, 1, 0])[0, 1] > 0.3
    assert abs(np.corrcoef(errors[:, 0, 0], errors[:, 0, 1])[0, 1]) < 0.1
    with pytest.raises(UnknownNameError, match="unknown scenario 'trec'"):
        draw_errors("trec", 2, 2, 2, np.random.default_rng(1))  # type: ignore[arg-type]


def test_the_table_has_a_row_for_every_combination() -> None:
    table = calibrate(n_datasets=25, n_resamples=50, n_topics=6, n_systems=3, workers=1)
    assert table.select("residuals", "resample", "p").unique().height == 8
    assert table.select(pl.col("coverage", "type_1")).to_numpy().min() >= 0
