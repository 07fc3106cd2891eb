"""Depth-reduced judgments: which documents stay, by hand, by brute force, and on the sample collection."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield import ArgumentError, Qrels, Run, UnknownNameError, depth_pools, make_sample
from cranfield.collection.pools import judged_counts, pool_ranks


def judgments(*rows: tuple[str, str, str, int]) -> Qrels:
    schema = {"topic": pl.String, "subtopic": pl.String, "document": pl.String, "relevance": pl.Int32}
    return Qrels(pl.DataFrame(rows, schema=schema, orient="row"))


def ranking(*rows: tuple[str, str, int, float], system: str = "a") -> Run:
    schema = {"topic": pl.String, "document": pl.String, "rank": pl.Int64, "score": pl.Float64}
    return Run(pl.DataFrame(rows, schema=schema, orient="row"), system)


QRELS = judgments(("1", "0", "a", 1), ("1", "0", "b", 0), ("1", "0", "c", 2), ("2", "0", "a", 1))
# By score: b, then the tie of a and c broken by id descending (c, a). By rank: a, c, b. By file: c, b, a.
RUN = ranking(("1", "c", 2, 1.0), ("1", "b", 3, 2.0), ("1", "a", 1, 1.0), ("1", "z", 9, 0.5))


@pytest.mark.parametrize(
    ("order", "ranks"),
    [
        ("score", {"b": 1, "c": 2, "a": 3}),
        ("rank", {"a": 1, "c": 2, "b": 3}),
        ("file", {"c": 1, "b": 2, "a": 3}),
    ],
)
def test_ranks_follow_the_order_asked_for(order: str, ranks: dict[str, int]) -> None:
    found = pool_ranks(QRELS, [RUN], order=order)  # type: ignore[arg-type]
    first = found.filter(pl.col("topic") == "1")
    assert dict(zip(first["document"], first["pool_rank"], strict=True)) == ranks
    assert found.filter(pl.col("topic") == "2")["pool_rank"].to_list() == [None]
    assert found.drop("pool_rank").equals(QRELS.frame)


def test_the_best_rank_of_any_run_counts() -> None:
    other = ranking(("1", "a", 1, 9.0), ("2", "q", 1, 1.0), system="b")
    pools = depth_pools(QRELS, iter([RUN, other]), [1, 2, 3])
    kept = {depth: pool.frame["document"].to_list() for depth, pool in pools.items()}
    assert kept == {1: ["a", "b"], 2: ["a", "b", "c"], 3: ["a", "b", "c"]}
    assert pools[1].name == "qrels at pool depth 1"
    assert judged_counts(pools[1], QRELS.topics).rows() == [("1", 2, 1), ("2", 0, 0)]


def test_subtopics_of_a_document_stay_together() -> None:
    qrels = judgments(("1", "1", "a", 0), ("1", "2", "a", 1), ("1", "1", "b", 1))
    pool = depth_pools(qrels, [ranking(("1", "a", 1, 2.0), ("1", "b", 2, 1.0))], [1])[1]
    assert pool.frame["subtopic"].to_list() == ["1", "2"]
    assert judged_counts(pool).rows() == [("1", 1, 1)]


def test_bad_arguments() -> None:
    for depths, message in [
        ([0], "`depth` must be a whole number of at least 1; got 0."),
        ([], "`depths` is empty; give at least one pool depth."),
    ]:
        with pytest.raises(ArgumentError) as error:
            depth_pools(QRELS, [RUN], depths)
        assert str(error.value) == message
    with pytest.raises(ArgumentError) as error:
        depth_pools(QRELS, [], [10])
    assert str(error.value) == "`runs` is empty; a pool needs at least one run."
    with pytest.raises(UnknownNameError) as unknown:
        depth_pools(QRELS, [RUN], [10], order="scores")  # type: ignore[arg-type]
    assert str(unknown.value) == "unknown order 'scores'. Did you mean 'score'?"


@given(st.integers(0, 10**6), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_pools_by_brute_force(seed: int, depth: int) -> None:
    rng = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(12)]
    runs = []
    for system in "abc":
        rows = [
            (topic, str(document), at, float(rng.integers(0, 4)))
            for topic in ("1", "2")
            for at, document in enumerate(rng.permutation(documents)[: rng.integers(1, 12)], 1)
        ]
        runs.append(ranking(*rows, system=system))
    qrels = judgments(
        *[(t, "0", d, int(rng.integers(0, 2))) for t in ("1", "2") for d in documents if rng.random() < 0.7]
    )
    expected = set()
    for run in runs:
        for topic in ("1", "2"):
            rows = run.frame.filter(pl.col("topic") == topic).rows(named=True)
            rows.sort(key=lambda row: (row["score"], row["document"].encode()), reverse=True)
            expected |= {(topic, row["document"]) for row in rows[:depth]}
    pools = depth_pools(qrels, runs, [depth, depth + 1])
    pairs = {d: set(pool.frame.select("topic", "document").rows()) for d, pool in pools.items()}
    assert pairs[depth] == expected & set(qrels.frame.select("topic", "document").rows())
    assert pairs[depth] <= pairs[depth + 1]


def test_the_pool_of_the_sample_is_found_again() -> None:
    sample = make_sample(n_topics=6, n_systems=5, n_documents=400, depth=20, length=60)
    pools = depth_pools(sample.qrels, sample.runs, [5, 20, 60])
    assert len(pools[20]) == len(pools[60]) == len(sample.qrels)
    assert len(pools[5]) < len(pools[20])
    from_all = depth_pools(sample.full_qrels, sample.runs, [20])[20]
    columns = ["topic", "document", "relevance"]
    assert from_all.frame.select(columns).sort(columns).equals(sample.qrels.frame.select(columns).sort(columns))
