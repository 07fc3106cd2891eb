"""Pool depth and cost: the published figures, by other means on a sample collection, budgets, and errors in full."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from cranfield import (
    ArgumentError,
    CranfieldWarning,
    DataError,
    PoolFigure,
    Qrels,
    cost,
    cost_from_figures,
    design_all_pairs,
    design_anova,
    design_interval,
    make_sample,
)
from published_tables import table
from support import SHARED, needs_shared

SAMPLE = make_sample(n_topics=15, n_systems=6, n_documents=600, depth=30, length=80)


def figures(paper: str) -> list[PoolFigure]:
    rows = table("pool_depths").filter(pl.col("paper") == paper)
    found = []
    for row in rows.iter_rows(named=True):
        variance = row["value"] ** 2 / 2 if row["quantity"] == "sd_of_difference" else row["value"]
        found.append(PoolFigure(row["measure"], row["depth"], row["judged_per_topic"], variance))
    return found


def test_rd003_figure_1() -> None:
    """20 points; 96 × 91 is 8,736 (the paper prints 8,376), so the ratio is 5.36 (the paper: 5.6)."""
    rows = cost_from_figures(figures("RD-003"), width=0.10).rows
    assert rows.height == 20
    sizes = {(row["measure"], row["depth"]): row["topics"] for row in rows.iter_rows(named=True)}
    assert [sizes["Q", depth] for depth in (10, 100)] == [91, 64]
    assert {sizes["nERR", depth] for depth in (10, 30, 50, 70, 100)} == {273}
    assert {sizes["nDCG", depth] for depth in (30, 50, 70, 100)} == {91}
    q = rows.filter(pl.col("measure") == "Q")
    assert q["judgments"].to_list()[::4] == [8736, 46784]
    assert q["ratio"][0] == pytest.approx(5.355, abs=0.001)
    assert q["best"].to_list() == [True, False, False, False, False]


def test_evia_figure_4() -> None:
    by_width = cost_from_figures(figures("EVIA 2014"), width=0.15).rows.filter(pl.col("measure") == "AP")
    assert by_width.filter(pl.col("depth").is_in([10, 100]))["topics"].to_list() == [100, 75]
    assert by_width.filter(pl.col("depth").is_in([10, 100]))["judgments"].to_list() == [9600, 54825]
    assert by_width["ratio"][0] == pytest.approx(5.7, abs=0.05)
    for method, sizes in (("published", [100, 74]), ("exact", [101, 75])):
        found = cost_from_figures(figures("EVIA 2014"), n_systems=10, min_diff=0.15, method=method, published=True)  # type: ignore[arg-type]
        ap = found.rows.filter((pl.col("measure") == "AP") & pl.col("depth").is_in([10, 100]))
        assert ap["topics"].to_list() == sizes


def test_set_up_costs_favour_deeper_pools() -> None:
    evia = figures("EVIA 2014")
    cheap = cost_from_figures(evia, width=0.15).best
    dear = cost_from_figures(evia, width=0.15, topic_cost=100_000).best
    assert set(cheap["depth"]) == {10}
    assert dear.filter(pl.col("measure") == "AP")["depth"].to_list() == [100]
    row = cost_from_figures(evia[:1], width=0.15, document_cost=0.5, topic_cost=20).rows.row(0, named=True)
    assert row["cost"] == row["topics"] * (731 * 0.5 + 20)
    assert row["judgments"] == row["topics"] * 731


def test_a_budget_buys_the_finest_difference() -> None:
    evia = [figure for figure in figures("EVIA 2014") if figure.measure == "AP"]
    found = cost_from_figures(evia, n_systems=10, budget=10_000)
    assert found.rows["topics"].to_list() == [10_000 // judged for judged in (96, 253, 398, 528, 731)]
    assert (found.rows["cost"] <= 10_000).all()
    best = found.best.row(0, named=True)
    assert best["depth"] == 10
    assert best["min_diff"] == design_all_pairs(2 * 0.0714, 10, n_topics=104).min_diff
    width = cost_from_figures(evia, budget=10_000).best.row(0, named=True)
    assert width["width"] == design_interval(2 * 0.0714, n_topics=104).width


def test_a_budget_that_does_not_reach_everywhere() -> None:
    evia = [figure for figure in figures("EVIA 2014") if figure.measure == "AP"]
    with pytest.warns(CranfieldWarning) as said:
        found = cost_from_figures(evia, n_systems=10, budget=1000)
    assert str(said[0].message) == "AP: the budget pays for 1 topics at depth 70; a design needs at least 2."
    assert found.rows["topics"].to_list() == [10, 3, 2, None, None]
    assert found.rows["best"].sum() == 1


def brute_force_variance(depth: int) -> tuple[float, float]:
    """Judged per topic and V_E2 of AP at a depth: pools by sorting, AP by pytrec_eval, V_E2 by its definition."""
    import pytrec_eval

    judged: dict[str, dict[str, int]] = {}
    for topic, document, relevance in SAMPLE.qrels.frame.select("topic", "document", "relevance").iter_rows():
        judged.setdefault(topic, {})[document] = relevance
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for run in SAMPLE.runs:
        for topic, document, score in run.frame.select("topic", "document", "score").iter_rows():
            runs.setdefault(run.system, {}).setdefault(topic, {})[document] = score
    pool: dict[str, dict[str, int]] = {}
    for rankings in runs.values():
        for topic, scores in rankings.items():
            top = sorted(scores, key=lambda d: (scores[d], d.encode()), reverse=True)[:depth]
            pool.setdefault(topic, {}).update({d: judged[topic][d] for d in top if d in judged.get(topic, {})})
    per_topic = sum(len(found) for found in pool.values()) / len(judged)
    kept = {topic: found for topic, found in pool.items() if any(level > 0 for level in found.values())}
    columns = []
    for rankings in runs.values():
        values = pytrec_eval.RelevanceEvaluator(kept, {"map"}).evaluate(rankings)
        columns.append([values.get(topic, {"map": 0.0})["map"] for topic in sorted(kept)])
    x = np.asarray(columns).T
    residual = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
    n, m = x.shape
    return per_topic, float(np.square(residual).sum() / ((m - 1) * (n - 1)))


def test_from_judgments_and_runs_by_other_means() -> None:
    found = cost([(SAMPLE.qrels, SAMPLE.runs)], ["AP"], [30, 5], n_systems=6, min_diff=0.1, blocked=True, epsilon=1)
    assert found.settings["estimator"] == "residual"
    for row in found.rows.iter_rows(named=True):
        per_topic, variance = brute_force_variance(row["depth"])
        assert row["judged_per_topic"] == pytest.approx(per_topic)
        assert row["variance"] == pytest.approx(variance, rel=1e-6)
        n = design_anova(variance, 6, 0.1, blocked=True).n_topics
        assert (row["topics"], row["judgments"]) == (n, round(n * per_topic))
    assert found.rows["depth"].to_list() == [5, 30]
    assert found.rows["ratio"][1] == 1


def quiet_cost(*args: Any, **named: Any) -> Any:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        return cost(*args, **named)


def test_collections_are_pooled_and_may_be_files(tmp_path: Any) -> None:
    SAMPLE.write(tmp_path / "sample")
    files = sorted((tmp_path / "sample").rglob("*"))
    runs = next(p for p in files if p.is_dir() and p.name.startswith("runs"))
    qrels = next(p for p in files if p.is_file() and p.name.startswith("qrels") and "full" not in p.name)
    from_files = quiet_cost([(qrels, runs)], ["AP"], [10], width=0.2)
    from_memory = quiet_cost([(SAMPLE.qrels, SAMPLE.runs)], ["AP"], [10], width=0.2)
    assert from_files.rows.equals(from_memory.rows)
    twice = quiet_cost([(SAMPLE.qrels, SAMPLE.runs)] * 2, ["AP"], [10], width=0.2)
    assert twice.rows["variance"].item() == pytest.approx(from_memory.rows["variance"].item())
    assert twice.rows["judged_per_topic"].item() == from_memory.rows["judged_per_topic"].item()


def test_topics_that_lose_their_relevant_documents_are_counted() -> None:
    frame = SAMPLE.qrels.frame
    first = SAMPLE.qrels.topics[0]
    without = frame.with_columns(
        pl.when(pl.col("topic") == first).then(0).otherwise(pl.col("relevance")).cast(pl.Int32).alias("relevance")
    )
    found = quiet_cost([(Qrels(without), SAMPLE.runs)], ["AP"], [30], width=0.2)
    assert found.rows["dropped_topics"].item() >= 1
    assert not [text for text in found.warnings if "without judgments" in text]  # not one warning per run
    nothing = Qrels(frame.with_columns(pl.lit(0, pl.Int32).alias("relevance")), "empty")
    with pytest.raises(DataError) as error:
        quiet_cost([(nothing, SAMPLE.runs)], ["AP"], [30], width=0.2)
    assert str(error.value).startswith("empty at pool depth 30: 15 of 15 topics have no relevant document (")
    assert str(error.value).endswith("at least 2 must keep one. Judge deeper.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give `n_systems` with `min_diff`, or `width`, or a `budget` to spend."),
        ({"n_systems": 5}, "give `n_systems` with `min_diff`, or `width`, or a `budget` to spend."),
        (
            {"n_systems": 5, "min_diff": 0.1, "width": 0.1},
            "give either `n_systems` and `min_diff` for tests of several systems, or `width`.",
        ),
        (
            {"width": 0.1, "blocked": True},
            "`min_diff`, `power`, `blocked` and `published` are for tests of several systems. Give `n_systems`.",
        ),
        ({"width": 0.1, "budget": 100}, "nothing to solve for: with a `budget`, leave out `min_diff` and `width`."),
        ({"width": 0.1, "document_cost": 0}, "`document_cost` must be above 0; got 0."),
        ({"width": 0.1, "topic_cost": -1}, "`topic_cost` must be 0 or more; got -1."),
        ({"n_systems": 5, "budget": -5}, "`budget` must be above 0; got -5."),
        (
            {"n_systems": 5, "budget": 100},
            "the `budget` is too small: AP: the budget pays for 1 topics at depth 10; a design needs at least 2.",
        ),
    ],
)
def test_bad_questions(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        cost_from_figures([PoolFigure("AP", 10, 96, 0.0714)], **arguments)
    assert str(error.value) == message


def test_empty_arguments() -> None:
    with pytest.raises(ArgumentError) as error:
        cost_from_figures([], width=0.1)
    assert str(error.value) == "`figures` is empty; give at least one pool depth."
    with pytest.raises(ArgumentError) as error:
        cost([], ["AP"], [10], width=0.1)
    assert str(error.value) == "`collections` is empty. Give judgments and runs of at least one."


def test_results_speak() -> None:
    found = cost_from_figures([PoolFigure("AP", 10, 96, 0.0714)], width=0.15)
    assert repr(found) == "Cost(1 designs; best: [('AP', 10, 100, 9600.0)])"
    assert found.signature.startswith(
        "pool depth and cost; design interval of a paired difference; width 0.15; alpha 0.05; document cost 1; topic cost 0; cran"
    )
    assert found.to_dict()["rows"][0]["judgments"] == 9600
    assert "<table" in found._repr_html_()


@needs_shared
def test_trec_covid_gets_cheaper_when_judged_less_deeply() -> None:
    place = SHARED / "data/runs/trec-covid-r5"
    found = quiet_cost([(place / "qrels.txt", place / "runs")], ["AP"], [10, 100], n_systems=40, min_diff=0.1)
    assert found.rows["judged_per_topic"].to_list() == [124.78, 347.06]
    assert found.rows["variance"].to_list() == pytest.approx([0.007815, 0.006766], abs=1e-6)
    assert found.rows["pool_per_topic"].to_list() == pytest.approx([140.16, 1209.04], abs=1)
    assert found.rows["ratio"][0] > 5
    assert found.best.is_empty()
    assert any("of the pool of depth 100 was judged" in text for text in found.warnings)


def test_a_depth_beyond_the_judged_one_is_said() -> None:
    """Otherwise depth 60 of a collection judged to 50 would look as cheap as depth 50: the pool is priced."""
    sample = make_sample(n_topics=6, n_systems=4, seed=3, n_documents=600, depth=20, length=60)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = cost([(sample.qrels, sample.runs)], ["AP"], [20, 40], n_systems=4, min_diff=0.2)
    said = [str(one.message) for one in caught if "was judged" in str(one.message)]
    pooled = {(r.topic, r.document) for run in sample.runs for r in top(run, 40)}
    judged = set(sample.qrels.frame.select("topic", "document").rows())
    share = len(pooled & judged) / len(pooled)
    assert found.rows["pool_per_topic"][1] == pytest.approx(len(pooled) / 6)
    assert found.rows["judged_share"].to_list() == pytest.approx([1, share])
    assert len(said) == 1
    assert f"only {share:.0%} of the pool of depth 40 was judged" in said[0]
    assert found.best["depth"].to_list() == [20]  # a depth that was not judged vetoes nothing


def top(run: Any, depth: int) -> list[Any]:
    """The first documents of every topic, sorted by score and id in plain Python."""
    found = []
    for (_,), frame in run.frame.group_by("topic"):
        rows = sorted(frame.iter_rows(named=True), key=lambda r: (r["score"], r["document"].encode()), reverse=True)
        found += [SimpleNamespace(**row) for row in rows[:depth]]
    return found
