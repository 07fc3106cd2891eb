"""`design across`: the sizes reach the power that they promise, by simulation with the same components."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

import cranfield as cf
from across_cases import means, scored, seeded

PAST = [[0.5, 0.3], [0.42, 0.4], [0.5, 0.4], [0.45, 0.3]]
TRIALS = 4000


def components(data: dict[str, cf.ScoreMatrix]) -> tuple[float, float]:
    """Variance of a difference over collections without the topics' error, and over topics: moments, computed anew."""
    d = [matrix.values[:, 0] - matrix.values[:, 1] for matrix in data.values()]
    topics = float(np.mean([one.var(ddof=1) for one in d]))
    error = float(np.mean([one.var(ddof=1) / len(one) for one in d]))
    return max(float(np.var([one.mean() for one in d], ddof=1)) - error, 0.0), topics


@pytest.mark.parametrize("claim", ["like_these", "these"])
def test_the_sizes_reach_their_power(claim: str) -> None:
    data = scored(PAST)
    between, topics = components(data)
    rows = cf.design_across(data, min_diff=0.1, n_collections=[5, 12, 20]).to_frame().filter(pl.col("claim") == claim)
    rng = np.random.default_rng(1)
    found = rows.drop_nulls("topics")
    assert not found.is_empty()
    for row in found.iter_rows(named=True):
        k, n = row["collections"], row["topics"]
        shared = between if claim == "like_these" else 0.0
        differences = (
            0.1 + rng.normal(0, np.sqrt(shared), (TRIALS, k, 1)) + rng.normal(0, np.sqrt(topics), (TRIALS, k, n))
        )
        if claim == "like_these":
            p = stats.ttest_1samp(differences.mean(axis=2), 0, axis=1).pvalue
        else:  # one variance within all collections, K(n − 1) degrees of freedom
            variance = differences.var(axis=2, ddof=1).mean(axis=1) / (n * k)
            p = 2 * stats.t.sf(np.abs(differences.mean(axis=(1, 2))) / np.sqrt(variance), k * (n - 1))
        assert (p <= 0.05).mean() == pytest.approx(row["achieved_power"], abs=0.025)
        assert row["achieved_power"] >= 0.8
        assert row["topics_in_all"] == k * n


def test_fewer_topics_do_not_suffice_where_collections_differ() -> None:
    rows = cf.design_across(scored(PAST), min_diff=0.01, n_collections=[3, 5]).to_frame()
    like = rows.filter(pl.col("claim") == "like_these")
    assert like["topics"].to_list() == [None, None]
    these = rows.filter(pl.col("claim") == "these")["topics"].to_list()
    assert these == sorted(these, reverse=True)


def test_more_seeds_need_fewer_topics() -> None:
    table = seeded(3).with_columns(value=pl.col("value") + 0.01 * pl.col("seed").cast(pl.Float64))
    rows = cf.design_across(table, min_diff=0.1).to_frame().filter(pl.col("claim") == "recipe")
    assert rows["seeds"].to_list() == [2, 3, 5, 10]
    topics = [one or 10**6 for one in rows["topics"].to_list()]
    assert topics == sorted(topics, reverse=True)


def test_means_are_refused() -> None:
    with pytest.raises(cf.DataError) as error:
        cf.design_across(means(9), min_diff=0.1)
    assert str(error.value) == (
        "score: a design needs past scores by topic on at least 2 collections. Give such scores, or use `design ttest` "
        "for one collection."
    )
