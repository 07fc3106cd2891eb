"""What pools cost: counted by hand, where all is judged, where little is, and on real runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from cranfield import (
    ArgumentError,
    CranfieldWarning,
    PoolFigure,
    Qrels,
    Run,
    cost,
    cost_from_figures,
    make_sample,
    read_qrels,
    read_runs,
)
from cranfield.collection.pools import top_of
from cranfield.core.answer import answer
from cranfield.core.errors import quietly
from cranfield.questions.cost.pools import doubts, losses, pool_by_topic, pool_for, price_of, retrieved_by
from support import SHARED, needs_shared


def qrels(*pairs: tuple[str, str]) -> Qrels:
    topics, documents = zip(*pairs, strict=True)
    columns = {"topic": topics, "subtopic": ["0"] * len(pairs), "document": documents, "relevance": [1] * len(pairs)}
    return Qrels(pl.DataFrame(columns))


def run(**ranking: str) -> Run:
    """A run from the documents of each topic, one letter each."""
    rows = [
        {"topic": topic, "document": document, "rank": rank, "score": 10.0 - rank}
        for topic, documents in ranking.items()
        for rank, document in enumerate(documents, 1)
    ]
    return Run(pl.DataFrame(rows))


JUDGED = qrels(("x", "a"), ("x", "b"), ("y", "a"), ("y", "c"), ("z", "d"))
RUNS = [run(x="abc", y="ab", other="abc"), run(x="acd", y="ca")]


def test_by_hand() -> None:
    rows = pool_by_topic(JUDGED, RUNS, [3, 1]).rows()
    # depth 1: x {a}, y {a, c}; depth 3: x {a, b, c, d}, y {a, b, c}; nobody retrieved for z; `other` is not judged.
    assert rows == [(1, "x", 1, 1), (1, "y", 2, 2), (1, "z", 0, 0), (3, "x", 4, 2), (3, "y", 3, 2), (3, "z", 0, 0)]
    prices = price_of([pool_by_topic(JUDGED, RUNS, [1, 3])])
    assert prices["pool_per_topic"].to_list() == [1.0, 7 / 3]
    assert prices["judged_per_topic"].to_list() == [1.0, 4 / 3]
    assert prices["judged_share"].to_list() == [1.0, 4 / 7]
    assert prices["variance_doubtful"].to_list() == [False, True]


def test_a_document_judged_for_two_subtopics_counts_once() -> None:
    twice = Qrels(
        pl.DataFrame({"topic": ["x"] * 2, "subtopic": ["1", "2"], "document": ["a"] * 2, "relevance": [1, 0]})
    )
    assert pool_by_topic(twice, [run(x="ab")], [2]).rows() == [(2, "x", 2, 1)]


def test_several_collections_are_added_up() -> None:
    both = price_of([pool_by_topic(JUDGED, RUNS, [3]), pool_by_topic(qrels(("x", "a")), [run(x="a")], [3])])
    assert both["topics"].item() == 4
    assert both["pool_per_topic"].item() == pytest.approx(8 / 4)


def test_where_all_is_judged_the_price_is_what_was_judged() -> None:
    """As in the papers: the figures stay what they are."""
    sample = make_sample(n_topics=6, n_systems=4, n_documents=300, depth=20, length=40)
    prices = price_of([pool_by_topic(sample.qrels, sample.runs, [5, 20])])
    assert prices["judged_share"].to_list() == [1.0, 1.0]
    assert prices["pool_per_topic"].to_list() == prices["judged_per_topic"].to_list()
    evia = [PoolFigure("AP", 100, 731, 0.0530), PoolFigure("AP", 10, 96, 0.0714)]
    same = [replace(one, pool_per_topic=one.judged_per_topic) for one in evia]
    assert cost_from_figures(same, width=0.15).rows.equals(cost_from_figures(evia, width=0.15).rows)


def test_the_pool_is_priced_and_nothing_is_called_cheapest_where_it_was_not_judged() -> None:
    figures = [PoolFigure("AP", 10, 90, 0.07, pool_per_topic=96), PoolFigure("AP", 100, 347, 0.053, 0, 1209)]
    with pytest.warns(CranfieldWarning, match="only 29% of the pool of depth 100 was judged"):
        found = cost_from_figures(figures, width=0.15)
    rows = found.rows
    assert rows["judgments"].to_list() == [n * pool for n, pool in zip(rows["topics"], (96, 1209), strict=True)]
    assert rows["judged_share"].to_list() == [90 / 96, 347 / 1209]
    assert found.best["depth"].to_list() == [10]
    assert "less reusable" in found.notes[0]
    assert answer(found).headline.startswith("Lowest cost for AP: 98 topics to depth 10, 9,408 judgments.")
    with pytest.warns(CranfieldWarning, match="only 29% of the pool of depth 100 was judged"):
        neither = cost_from_figures(figures[1:], width=0.15)
    assert neither.best.is_empty()
    assert "Too few judgments" in answer(neither).headline


def test_the_expected_pool_is_the_mean_over_all_subsets() -> None:
    sample = make_sample(n_topics=3, n_systems=5, seed=2, n_documents=200, depth=20)
    tops = [top_of(run, 10) for run in sample.runs]
    counts = retrieved_by(sample.qrels, tops, [4, 10])
    for depth in (4, 10):
        for m in range(1, 6):
            sizes = [
                pool_by_topic(sample.qrels, some, [depth], order="file")["pool"].sum() for some in combinations(tops, m)
            ]
            assert pool_for(counts[depth], 5, m) == pytest.approx(np.mean(sizes))


def test_a_pool_of_more_runs_is_extrapolated_within_a_tenth() -> None:
    """From 10 of 20 runs to all 20; the samples have teams whose runs are alike, chosen at random."""
    errors = []
    for seed in range(6):
        sample = make_sample(n_topics=10, n_systems=20, seed=seed, n_documents=1000, depth=30)
        order = np.random.default_rng(seed).permutation(20)
        tops = [top_of(sample.runs[at], 20) for at in order]
        for depth in (5, 20):
            predicted = pool_for(retrieved_by(sample.qrels, tops[:10], [depth])[depth], 10, 20)
            found = retrieved_by(sample.qrels, tops, [depth])[depth].sum()
            errors.append(abs(predicted / found - 1))
    assert max(errors) < 0.15
    assert np.mean(errors) < 0.1


def test_a_budget_chooses_among_judged_depths() -> None:
    """Depth 40 was not judged and would be chosen by nobody; depths need not be named."""
    sample = make_sample(n_topics=12, n_systems=6, seed=3, n_documents=600, depth=20, length=60)
    with quietly():
        found = cost([(sample.qrels, sample.runs)], ["AP"], n_systems=10, budget=5000)
    rows = found.rows
    judged = rows.filter(pl.col("judged_share") >= 0.9)
    assert rows["depth"].to_list() == [5, 10, 20, 30, 50, 100]
    assert (
        found.best["depth"].to_list()
        == judged.filter(pl.col("min_diff") == pl.col("min_diff").min())["depth"].to_list()
    )
    assert found.best["depth"][0] <= 20
    assert (rows["cost"] <= 5000).all()
    assert answer(found).headline.endswith(f"detectable difference {found.best['min_diff'][0]:.4f}.")


def test_sentences() -> None:
    said = doubts(price_of([pool_by_topic(JUDGED, RUNS, [1, 3])]))
    assert "depth 3: only 57% of the pool of depth 3 was judged (1 of 2 documents per topic)" in said[0]
    assert "Depth 1 may miss relevant documents that depth 3 finds." in losses([3, 1])[0]
    assert doubts(price_of([pool_by_topic(JUDGED, RUNS, [1])])) == losses([1]) == ()


def test_refusals() -> None:
    with pytest.raises(ArgumentError, match="`depths` is empty"):
        pool_by_topic(JUDGED, RUNS, [])
    with pytest.raises(ArgumentError, match="at least 1; got 0"):
        pool_by_topic(JUDGED, RUNS, [0, 5])
    with pytest.raises(ArgumentError, match="`runs` is empty"):
        pool_by_topic(JUDGED, [], [5])


@needs_shared
def test_trec_covid() -> None:
    """Round 5 at depth 100: 1,209 documents per topic, of which 347 were judged."""
    place = SHARED / "data" / "runs" / "trec-covid-r5"
    prices = price_of([pool_by_topic(read_qrels(place / "qrels.txt"), read_runs(place / "runs"), [10, 100])])
    assert prices["pool_per_topic"].round(0).to_list()[1] == 1209
    assert prices["judged_per_topic"].round(0).to_list()[1] == 347
    assert prices["variance_doubtful"].to_list()[1]
