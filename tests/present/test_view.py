"""The data of the linked view: the numbers of the comparison, packed; and names that can end no script."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cranfield import ScoreMatrix, Scores, build_report, compare, correlate, evaluate, make_sample, make_scores
from cranfield.collection.pools import judged_share, ranked, top_ranked
from cranfield.collection.titles import read_titles
from cranfield.core.errors import ArgumentError, quietly
from cranfield.core.tables import steady_rows
from cranfield.reports.view.data import clustered, unpack, view_data
from cranfield.reports.view.page import ASSETS, PARTS, script, script_hash, still_map, view_html
from cranfield.reports.view.topic import TOP, rankings, top_documents
from cranfield.scores.alike import distances, near_identical
from hostile import RAW, hostile_matrix


@pytest.fixture(scope="module")
def two() -> Scores:
    x = make_scores(n_topics=25, n_systems=9, seed=5)
    other = np.clip(x.values + make_scores(n_topics=25, n_systems=9, seed=6).values / 3, 0, 1)
    return Scores([ScoreMatrix(x.values, x.topics, x.systems, "AP"), ScoreMatrix(other, x.topics, x.systems, "P@10")])


def test_every_cell_is_the_comparisons(two: Scores) -> None:
    found = compare(two["AP"], n_resamples=2000)
    data = view_data(found, two, title="nine systems")
    one = data["measures"][0]
    board = found.leaderboard()
    assert [data["systems"][at] for at in one["order"]] == board["system"].to_list()
    for name in ("rank", "rank_lower", "rank_upper"):
        assert one[name] == board[name].to_list()
    for name in ("mean", "lower", "upper"):
        assert one[name] == steady_rows(board)[name].to_list()
    assert [bool(yes) for yes in one["may_be_best"]] == board["may_be_best"].to_list()
    pairs = found.to_frame()
    for name in ("difference", "lower", "upper", "p_adjusted"):
        assert unpack(one["pairs"][name]).tolist() == pairs[name].cast(pl.Float32).to_list()
    assert unpack(one["pairs"]["significant"], "u1").astype(bool).tolist() == pairs["significant"].to_list()
    values = unpack(one["scores"]).reshape(25, 9)
    assert data["topics"] == list(found.scores.topics)
    assert (values == found.scores.values.astype(np.float32)).all()


def test_pairs_stand_in_the_order_the_script_counts_in(two: Scores) -> None:
    found = compare(two["AP"], n_resamples=500)
    n = found.n_systems
    at = found.pairs.a * n - found.pairs.a * (found.pairs.a + 1) // 2 + found.pairs.b - found.pairs.a - 1
    assert at.tolist() == list(range(len(found.p)))


def test_agreement_is_that_of_correlate_and_compare(two: Scores) -> None:
    several = compare(two, n_resamples=500)
    data = view_data(list(several.values()), two)
    assert [one["measure"] for one in data["measures"]] == ["AP", "P@10"]
    told = data["agreement"]
    assert told["tau"][0][1] == correlate(two["AP"], two["P@10"], n_resamples=0).values["tau"]
    for name, ranks in zip(told["measures"], told["rank"], strict=True):
        assert [ranks[data["systems"].index(s)] for s in several[name].systems] == several[name].rank.tolist()
    assert any("τ(AP, P@10)" in text for text in data["measures"][0]["sentences"])


def test_no_p_value_becomes_nought() -> None:
    values = np.column_stack([np.linspace(0.6, 0.9, 200), np.linspace(0.1, 0.4, 200) + np.tile([0, 1e-3], 100)])
    found = compare(ScoreMatrix(values, [str(k) for k in range(200)], ["a", "b"], "AP"), test="t")
    assert found.p_adjusted[0] < 1e-50
    assert unpack(view_data(found, Scores([found.scores]))["measures"][0]["pairs"]["p_adjusted"])[0] > 0


def test_a_margin_marks_what_is_shown_equivalent(two: Scores) -> None:
    plain, found = compare(two["AP"], n_resamples=2000), compare(two["AP"], n_resamples=2000, margin=0.2)
    without, one = (view_data(result, two)["measures"][0] for result in (plain, found))
    assert "equivalent" not in without["pairs"]
    assert (without["margin"], one["margin"]) == (None, 0.2)
    alike = unpack(one["pairs"]["equivalent"], "u1").astype(bool)
    assert (alike == found.equivalent).all()
    open_pairs = int((alike & ~found.significant).sum())
    assert open_pairs > 0
    drawn = still_map([found])
    green = re.search(r'class="still-same"[^>]*d="([^"]*)"', drawn)
    assert green is not None
    assert "green where equivalent within ±0.2" in drawn
    assert "still-same" not in still_map([plain])


def test_baselines_are_refused(two: Scores) -> None:
    found = compare(two["AP"], baseline=two["AP"].systems[0], n_resamples=100)
    with pytest.raises(ArgumentError, match=r"the view shows all pairs; compare without `baseline`\."):
        view_data(found, two)


def test_judged_shares_and_teams() -> None:
    sample = make_sample(n_topics=8, n_systems=6, n_documents=400, depth=3, seed=2)
    with quietly():
        scores = evaluate(sample.qrels, sample.runs, ["AP"])["AP"]
        found = compare(scores, n_resamples=200)
    shares = dict(judged_share(sample.qrels, sample.runs).iter_rows())
    teams = dict(sample.truth.select("system", "team").iter_rows())
    data = view_data(found, Scores([scores]), qrels=sample.qrels, judged=shares, teams=teams)
    assert data["judged"] == [shares[name] for name in data["systems"]]
    assert data["teams"] == [teams[name] for name in data["systems"]]
    relevant = sample.qrels.frame.filter(pl.col("relevance") > 0, topic=data["topics"][0]).height
    assert data["relevant"][0] == relevant
    worst = min(shares.values())
    assert any(f", {worst:.0%}). They may be underrated." in text for text in data["measures"][0]["sentences"])


def test_the_packed_lists_are_the_ranked_lists() -> None:
    sample = make_sample(n_topics=5, n_systems=4, n_documents=300, depth=4, length=15, seed=4)
    systems = sorted(run.system for run in sample.runs)
    topics = sorted(sample.qrels.topics)
    packed = top_documents(sample.qrels, sample.runs, topics, systems)
    assert packed is not None
    by_name = {run.system: run for run in sample.runs}
    for topic, one in zip(topics, packed["topics"], strict=True):
        lists = unpack(one["lists"], "u2").reshape(len(systems), TOP)
        whole = rankings(sample.qrels, [by_name[name] for name in systems], topic, depth=TOP)
        for row, told in zip(lists, whole["lists"], strict=True):
            assert [[one["documents"][at], one["grades"][at]] for at in row if at < 65535] == told


@pytest.mark.parametrize("order", ["score", "rank", "file"])
def test_the_top_is_the_top_of_the_whole(order: str) -> None:
    for run in make_sample(
        n_topics=6, n_systems=5, n_documents=300, seed=9
    ).runs:  # some print coarse scores, which tie
        whole = ranked(run.frame, order).filter(pl.col("pool_rank") <= 7)
        assert top_ranked(run.frame, order, 7).sort("topic", "pool_rank").equals(whole.sort("topic", "pool_rank"))


def test_titles_and_the_rank_in_the_other_list(tmp_path: Path) -> None:
    sample = make_sample(n_topics=4, n_systems=3, n_documents=200)
    topic, (a, b) = sample.qrels.topics[0], sample.runs[:2]
    file = tmp_path / "documents.tsv"
    first = rankings(sample.qrels, [a, b], topic, depth=5)
    known = first["lists"][0][0][0]
    file.write_text(f"{known}\tThe first\n")
    told = rankings(sample.qrels, [a, b], topic, depth=5, titles=read_titles(file, {known}))
    assert told["titles"] == {known: "The first"}
    assert "titles" not in first
    whole = [name for (name, _) in rankings(sample.qrels, [b], topic, depth=1000)["lists"][0]]
    for (name, _), rank in zip(told["lists"][0], told["there"][0], strict=True):
        assert rank == (whole.index(name) + 1 if name in whole else None)
    carried = top_documents(sample.qrels, sample.runs, sample.qrels.topics, ("a",), documents=file)
    assert carried is not None
    one = carried["topics"][0]
    assert dict(zip(one["documents"], one["titles"], strict=True))[known] == "The first"


def test_runs_that_are_nearly_the_same() -> None:
    x = make_scores(n_topics=20, n_systems=5, seed=1)
    values = np.column_stack([x.values, x.values[:, 2], x.values[:, 0] + 1e-4])
    matrix = ScoreMatrix(values, x.topics, "abcdefg", "AP")
    near = near_identical(matrix)
    assert set(zip(near["system_a"], near["system_b"], strict=True)) == {("c", "f"), ("a", "g")}
    assert near.row(0) == ("c", "f", 0.0, 20)
    order = clustered(distances(matrix), matrix.system_means)
    assert sorted(order) == list(range(7))
    assert abs(order.index(2) - order.index(5)) == 1
    assert near_identical(ScoreMatrix([[0.1], [0.2]], "12", "a", "AP")).is_empty()


def test_hostile_names_stay_text() -> None:
    x = hostile_matrix()
    data = view_data(
        compare(x, test="t"), Scores([x]), title=x.systems[0], teams=dict(zip(x.systems, x.systems, strict=True))
    )
    html = view_html(data, "", carried=True)
    inside = re.search(r'<script type="application/json" id="view-data">(.*?)</script>', html, re.DOTALL)
    assert inside is not None
    assert json.loads(inside[1])["systems"] == data["systems"]
    assert [raw for raw in RAW if raw in html.replace(script(), "")] == []


def test_the_report_allows_its_own_script_alone(two: Scores) -> None:
    html = build_report(two, n_resamples=500, skip=["standardisation"]).html
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    assert f"script-src {script_hash()};" in policy[1]
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert scripts == [script()]


def test_the_script_is_small_and_plain() -> None:
    """No evaluation of text, no markup from text, nothing fetched from elsewhere."""
    text = script()
    assert len(re.sub(r"\n\s+", "\n", text)) < 69_000
    assert not re.search(
        r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|https?://(?!www\.w3\.org/2000/svg)",
        text,
    )
    assert {path.stem for path in ASSETS.glob("*.js")} == set(PARTS)
