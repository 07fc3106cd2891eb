"""A forked pool after use in the parent: an error in one line in place of a hang."""

from __future__ import annotations

import multiprocessing
import sys
from typing import Any

import pytest

import cranfield
from cranfield import CranfieldError, compare, make_scores, read_run

QRELS = {"1": {"d": 1}}
RUNS = {"a": {"1": {"d": 1.0, "e": 2.0}}}
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody forks")


def evaluated(_: int) -> Any:
    return cranfield.evaluate(QRELS, RUNS, ["AP"])["AP"].values.tolist()


def compared(seed: int) -> float:
    return float(compare(make_scores(n_topics=20, n_systems=3, seed=seed), test="t").p[0])


def read(path: str) -> int:
    return len(read_run(path))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_pool_says_that_it_would_hang() -> None:
    evaluated(0)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        with pytest.raises(CranfieldError, match="would hang. Start workers with .*'forkserver'.* or 'spawn'"):
            pool.map_async(evaluated, [1]).get(60)
        with pytest.raises(CranfieldError, match="would hang"):
            pool.map_async(read, ["a.run"]).get(60)
        assert pool.map_async(compared, [1]).get(60) == [compared(1)], "numbers alone need no thread of polars"


def test_other_pools_answer() -> None:
    expected = evaluated(0)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map_async(evaluated, [1]).get(120) == [expected]
