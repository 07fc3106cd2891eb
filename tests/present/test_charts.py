"""Every chart: its data are the result's own, its encodings name them, its title states the finding."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from chart_support import CHARTS, channels, drawings, family_matrices, matrix, names, results, spec_data, title, views
from cranfield import ScoreMatrix, cost_from_figures, design_anova, design_interval, design_ttest
from cranfield.core.answer import every_sentence
from cranfield.core.charts import chart, kinds
from cranfield.core.charts.export import to_svg
from cranfield.core.errors import ArgumentError, CranfieldWarning, UnknownNameError
from cranfield.core.results import Result
from cranfield.questions.compare.compare import compare
from cranfield.questions.cost.pools import PoolFigure
from cranfield.questions.design.anova import anova_power
from cranfield.questions.tune.tune import tune

OPTIONS: dict[tuple[str, str], dict[str, Any]] = {
    ("ScoreMatrix", "difference"): {"a": "s1", "b": "s2"},
    ("Scores", "difference"): {"a": "s1", "b": "s2"},
    ("Replicates", "methods"): {"n_resamples": 500},
    ("Reliability", "views"): {"n_resamples": 20},
}


def draw(kind_of: str, kind: str | None = None, **options: Any) -> dict[str, Any]:
    result = results()[kind_of]
    if kind == "difference":
        a, b = (result if isinstance(result, ScoreMatrix) else next(iter(result.values()))).systems[:2]
        options = {"a": a, "b": b}
    options = options or OPTIONS.get((kind_of, kind or ""), {})
    spec: dict[str, Any] = chart(result, kind, **options).to_dict()
    return spec


@pytest.mark.parametrize(("kind_of", "kind"), CHARTS)
def test_every_chart_of_every_result(kind_of: str, kind: str) -> None:
    spec = draw(kind_of, kind)
    assert title(spec), "a title that states the finding"
    assert any(character.isdigit() for character in title(spec) + title(spec, "subtitle")), "numbers: n, units"
    assert spec["description"].startswith(title(spec)[:20])
    assert spec_data(spec)
    assert max(len(rows) for rows in spec_data(spec)) <= 1000, "a summary's worth of points"
    text = json.dumps(spec)
    assert '"url"' not in text
    assert "NaN" not in text
    svg = to_svg(chart(results()[kind_of], kind, **_options(kind_of, kind)))
    assert svg.startswith("<svg")
    assert 'role="img"' in svg
    assert "<title>" in svg


def _options(kind_of: str, kind: str) -> dict[str, Any]:
    if kind != "difference":
        return OPTIONS.get((kind_of, kind), {})
    result = results()[kind_of]
    x = result if isinstance(result, ScoreMatrix) else next(iter(result.values()))
    return {"a": x.systems[0], "b": x.systems[1]}


def test_every_result_has_a_chart_method() -> None:
    every_sentence()  # imports every module
    known = {one.__name__ for one in _below(Result) if one.__module__.startswith("cranfield.")}
    assert known == set(drawings()), "a type of result without an example in chart_support"
    for name, charts in drawings().items():
        assert charts, f"{name} has no chart"
        assert results()[name].chart().to_dict() == draw(name)


def _below(kind: type) -> set[type]:
    return {kind for one in kind.__subclasses__() for kind in (one, *_below(one))}


def test_an_unknown_chart_and_a_thing_without_charts() -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown chart 'pears'\. Did you mean 'pairs'\?$"):
        results()["Comparison"].chart("pears")
    with pytest.raises(ArgumentError, match=r"^a dict has no chart; results of cranfield have\.$"):
        chart({})
    assert kinds(results()["Comparison"]) == ("leaderboard", "pairs", "differences", "significance-levels")


# ── comparisons ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_leaderboard_shows_the_leaderboard() -> None:
    found = results()["Comparison"]
    spec = draw("Comparison", "leaderboard")
    rows = next(rows for rows in spec_data(spec) if "value" in rows[0])
    board = found.leaderboard()
    assert [row["system"] for row in rows] == board["system"].to_list()
    assert [row["value"] for row in rows] == board["mean"].to_list()
    assert [row["upper"] for row in rows] == board["upper"].to_list()
    assert {("rule", "x", "lower"), ("rule", "x2", "upper"), ("point", "x", "value")} <= channels(spec)
    assert title(spec).startswith(f"{found.systems[0]} leads")
    assert "20 topics, 6 systems, 15 pairs; randomisation test, Holm-adjusted p ≤ 0.05" in title(spec, "subtitle")


def test_leaderboard_groups_are_those_of_the_result() -> None:
    found = results()["Comparison"]
    members = next(rows for rows in spec_data(draw("Comparison")) if set(rows[0]) == {"group", "system"})
    letters = dict.fromkeys(found.systems, "")
    for row in members:
        letters[row["system"]] += row["group"]
    assert tuple(letters[system] for system in found.systems) == found.groups


def test_pair_map_covers_every_pair_with_its_decision() -> None:
    found = compare(matrix(30, 9), n_resamples=2000)
    spec = chart(found, "pairs").to_dict()
    decided = np.full((9, 9), "", dtype=object)
    for block in spec_data(spec)[0]:
        decided[found.systems.index(block["system"]), block["from"] : block["to"]] = block["class"]
    assert (np.diag(decided) == "").all()
    largest = float(np.abs(found.difference).max())
    for a, b, significant, difference in zip(
        found.pairs.a, found.pairs.b, found.significant, found.difference, strict=True
    ):
        assert decided[a, b] == ("row better" if significant else "not shown to differ")
        size = float(decided[b, a].removeprefix("up to "))
        assert abs(difference) <= size + 0.0005
        assert size < 2 * abs(difference) + 0.001 or size < largest / 4, "the next smaller class is too small"
    count = int(found.significant.sum())
    assert title(spec) == f"{count} of 36 pairs of systems differ significantly ({count / 36:.0%})"


def test_too_few_resamples_are_not_taken_for_no_difference() -> None:
    with pytest.warns(CranfieldWarning, match="No pair can be significant"):
        found = compare(matrix(), test="bootstrap-t", n_resamples=100)
    spec = chart(found).to_dict()
    assert title(spec) == f"{found.systems[0]} leads; {found.best_text()}"
    assert "Use at least 299 resamples" in title(chart(found, "pairs").to_dict(), "subtitle")


def test_differences_with_a_baseline() -> None:
    x = matrix()
    found = compare(x, baseline=x.systems[0], n_resamples=2000)
    spec = chart(found, "differences").to_dict()
    rows = spec_data(spec)[0]
    assert len(rows) == 5
    assert [row["difference"] for row in rows] == sorted(found.difference.tolist(), reverse=True)
    assert title(spec) == f"{int(found.significant.sum())} of 5 systems differ significantly from {x.systems[0]}"
    assert (
        title(chart(found).to_dict())
        == f"{int(found.significant.sum())} of 5 comparisons with the baseline are significant"
    )


def test_significance_levels_are_thinned_curves_of_p() -> None:
    several = results()["MeasureComparisons"]
    spec = draw("MeasureComparisons")
    rows = spec_data(spec)[0]
    assert {row["measure"] for row in rows} == set(several)
    for name, found in several.items():
        assert [row["p"] for row in rows if row["measure"] == name] == found.asl_curve()["p"].to_list()
    assert ("line", "strokeDash", "measure") in channels(spec), "curves differ without colour"
    big = compare(matrix(12, 40), test="t")
    assert len(spec_data(chart(big, "significance-levels").to_dict())[0]) == 200


@pytest.mark.parametrize("count", [2, 129])
@pytest.mark.parametrize("kind", ["leaderboard", "pairs", "differences"])
def test_long_names_and_many_systems_stay_legible(count: int, kind: str) -> None:
    x = matrix(10, count)
    long = ScoreMatrix(x.values, x.topics, names(count, 60), "AP")
    spec = chart(compare(long, test="t"), kind).to_dict()
    labels = [view["encoding"]["y"]["axis"] for view in _named_axes(spec)]
    assert labels
    for axis in labels:
        assert axis["labelLimit"] == 0, "names are never cut"
        assert axis["labelOverlap"] is False, "no name is left out"
        assert "labelFontSize" not in axis, "names are as large as any other text"
    svg = to_svg(chart(compare(long, test="t"), kind))
    assert len(svg) < 1_500_000
    if kind != "differences":
        assert all(f">{name}" in svg for name in long.systems)


def _named_axes(spec: dict[str, Any]) -> list[dict[str, Any]]:
    found = [view for view in views(spec) if "y" in view.get("encoding", {})]
    return [view for view in found if isinstance(view["encoding"]["y"].get("axis"), dict)]


# ── scores ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_topics_are_summaries_in_order_of_ease() -> None:
    x = matrix()
    rows = spec_data(chart(x).to_dict())[0]
    assert [row["mean"] for row in rows] == pytest.approx(sorted(x.topic_means, reverse=True))
    first = x.values[x.topics.index(rows[0]["topic"])]
    assert rows[0]["lower_quartile"] == pytest.approx(np.quantile(first, 0.25))
    assert rows[0]["highest"] == first.max()


def test_one_topic_is_marked_also_where_few_are_drawn() -> None:
    x = matrix(n_topics=500, n_systems=3)
    plain = {row["topic"] for row in spec_data(chart(x, "topics").to_dict())[0]}
    marked = next(topic for topic in x.topics if topic not in plain)
    spec = chart(x, "topics", marked=marked).to_dict()
    assert {row["topic"] for row in spec_data(spec)[0]} == plain | {marked}
    assert f"'{marked}'" in str(
        next(view for view in views(spec) if view["mark"]["type"] == "bar")["encoding"]["color"]
    )
    assert f"; marked: topic {marked};" in title(spec, "subtitle")


def test_many_topics_are_thinned_and_that_is_said() -> None:
    spec = chart(matrix(600, 3)).to_dict()
    assert len(spec_data(spec)[0]) == 150
    assert "every 4.0th of 600 drawn" in title(spec, "subtitle")


def test_difference_bars() -> None:
    x = matrix()
    a, b = x.systems[:2]
    spec = chart(x, "difference", a=a, b=b).to_dict()
    rows = spec_data(spec)[0]
    want = sorted((x.values[:, 0] - x.values[:, 1]).tolist(), reverse=True)
    assert [row["difference"] for row in rows] == want
    wins = sum(value > 0 for value in want)
    assert title(spec) == f"{a} beats {b} on {wins} of 20 topics and loses on {20 - wins}"
    with pytest.raises(ArgumentError, match=r"^there are 6 systems; name the two to subtract as `a` and `b`\.$"):
        chart(x, "difference")
    assert title(chart(x.select(systems=[a, b]), "difference").to_dict()) == title(spec)


def test_standardised_before_and_after_share_the_order_of_topics() -> None:
    spec = chart(results()["Standardised"], raw=matrix()).to_dict()
    before, after = (part["layer"][0]["encoding"]["x"]["sort"] for part in spec["vconcat"])
    assert before == after
    assert "removes topic difficulty" in title(spec)
    assert "easiest raw topic first" in title(spec, "subtitle")


def test_standardised_without_the_raw_scores_says_nothing_of_them() -> None:
    spec = chart(results()["Standardised"]).to_dict()
    assert title(spec) == "Every topic has the same standardised mean: topic difficulty is removed"
    assert "raw" not in title(spec, "subtitle")


@pytest.mark.parametrize("kind", ["topics", "systems"])
@pytest.mark.parametrize(("topics", "systems"), [(1, 4), (5, 1), (1, 1)])
def test_one_topic_or_one_system(kind: str, topics: int, systems: int) -> None:
    x = matrix(max(topics, 2), max(systems, 2))
    x = x.select(topics=x.topics[:topics], systems=x.systems[:systems])
    spec = chart(x, kind).to_dict()
    assert len(spec_data(spec)[0]) == (topics if kind == "topics" else systems)
    assert to_svg(chart(x, kind)).startswith("<svg")


# ── variances, designs, costs ──────────────────────────────────────────────────────────────────────────────────────


def test_estimators_side_by_side() -> None:
    estimates = results()["estimates"]
    spec = chart(estimates).to_dict()
    drawn = {row["method"]: row["variance"] for row in spec_data(spec)[0]}
    assert drawn == {one.estimator: one.variance for one in estimates}
    assert {("rule", "x", "lower"), ("rule", "x2", "upper"), ("point", "x", "variance")} <= channels(spec)
    assert "fold: residual" in title(spec)
    with pytest.raises(ArgumentError, match=r"^a list has no chart"):
        chart([])


def test_power_curve_has_both_methods_and_the_designed_size() -> None:
    design = results()["Design"]
    spec = draw("Design", "power")
    curve = spec_data(spec)[0]
    assert {row["series"] for row in curve} == {"exact", "published"}
    row = design.rows.row(0, named=True)
    at = [point for point in curve if point["topics"] == row["topics"] and point["series"] == "exact"]
    assert at[0]["power"] == row["achieved_power"]
    by_hand = anova_power(
        row["topics"], 6, 0.10, row["variance"], method="published", blocked=True, epsilon=row["epsilon"]
    )
    near = [point for point in curve if point["topics"] == row["topics"] and point["series"] == "published"]
    assert near[0]["power"] == pytest.approx(float(by_hand))
    assert f"{row['topics']} topics detect a difference of 0.1 in mean score among 6 systems" in title(spec)


def test_systems_curve_gives_published_sizes() -> None:
    """EVIA 2014 Fig. 2 / Table 4: AP, minD = .10: 166 topics for 10 systems (435 for 100 with variance .0538)."""
    spec = chart(design_anova(0.0530, [2, 10, 100], 0.10, method="published")).to_dict()
    sizes = {row["systems"]: row["topics"] for row in spec_data(spec)[0]}
    assert sizes[10] == 166
    assert sorted(sizes)[:3] == [2, 3, 5]


def test_detectable_difference_and_width_nearly_coincide() -> None:
    """EVIA 2014 §5.3 and Fig. 3: minD at ten systems nearly equals the width of an interval."""
    spec = chart(design_anova(0.0530, 10, 0.10, blocked=False), "detectable").to_dict()
    by: dict[str, dict[int, float]] = {}
    for row in spec_data(spec)[0]:
        by.setdefault(row["series"], {})[row["topics"]] = row["value"]
    difference, width = by.values()
    for topics in difference:
        if topics > 20:
            assert difference[topics] == pytest.approx(width[topics], rel=0.02)


def test_designs_without_the_chart_asked_for() -> None:
    with pytest.raises(ArgumentError, match="an interval has no power to draw. Use the chart 'detectable'"):
        chart(design_interval(0.04, 0.1), "power")
    with pytest.raises(ArgumentError, match="the paired t-test has no number of systems to draw"):
        chart(design_ttest(0.04, 0.1), "systems")
    assert "244 topics" in title(chart(design_interval(0.039367, 0.05)).to_dict())
    assert chart(design_ttest(0.04, 0.1)).to_dict()["title"]


@pytest.mark.parametrize("kind", ["power", "systems", "detectable"])
def test_cells_without_an_answer_are_not_drawn(kind: str) -> None:
    with pytest.warns(CranfieldWarning, match="1 of 2 designs have no solution"):
        design = design_anova(0.05, min_diff=[0.05, 0.2], n_topics=50, power=0.8)
    assert design.chart(kind).to_dict()


def test_a_grid_of_many_designs_draws_some_and_says_so() -> None:
    spec = chart(design_anova(0.05, [2, 10], [0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.2, 0.3])).to_dict()
    assert len({row["series"] for row in spec_data(spec)[0]}) == 6
    assert title(spec, "subtitle").endswith("; 2 further designs not drawn")


def test_cost_chart_of_a_published_table() -> None:
    """EVIA 2014 §5.4: 75 topics × 731 = 54,825 against 100 × 96 = 9,600, 5.7 times less."""
    spec = draw("Cost")
    rows = next(rows for rows in spec_data(spec) if len(rows) == 2)
    assert [(row["pool_per_topic"], row["topics"], row["text"]) for row in rows] == [
        (96, 100, "9,600"),
        (731, 75, "54,825"),
    ]
    assert (
        title(spec)
        == "Lowest cost for AP: 100 topics to depth 10, 9,600 judgments. The deepest pool costs 5.7 times as much"
    )
    single = cost_from_figures([PoolFigure("AP", 10, 96, 0.07)], width=0.15)
    assert title(chart(single).to_dict()) == "Lowest cost for AP: 98 topics to depth 10, 9,408 judgments"


def test_recommendation_marks_the_recommended_size() -> None:
    result = results()["Recommendation"]
    rows = spec_data(draw("Recommendation"))[0]
    assert [row["topics"] for row in rows] == result.rows["topics"].to_list()
    assert [row["chosen"] for row in rows] == [True] + [False] * (len(rows) - 1)


# ── replicates and tuning ──────────────────────────────────────────────────────────────────────────────────────────


def test_agreement_is_drawn_in_greys_from_the_votes() -> None:
    found = results()["Replicates"]
    spec = draw("Replicates", "agreement")
    scale = next(view for view in [spec] if "mark" in view)["encoding"]["color"]["scale"]
    assert all(tone[1:3] == tone[3:5] == tone[5:7] for tone in scale["range"]), "greys"
    assert scale["domain"][0] == "3:0"
    shades = [int(tone[1:3], 16) for tone in scale["range"]]
    assert shades == sorted(shades, reverse=True), "darker where fewer agree"
    cells = sum(block["to"] - block["from"] for block in spec_data(spec)[0])
    assert cells == 2 * found.pairs.height


def test_effects_and_methods_of_replicates() -> None:
    found = results()["Replicates"]
    effects = spec_data(draw("Replicates", "effects"))[0]
    assert [row["effect"] for row in effects] == found.effects["effect"].to_list()
    spec = draw("Replicates", "methods", n_resamples=500)
    table = found.comparison(500)
    counted = pl.DataFrame(spec_data(spec)[0]).group_by("name").agg(pl.col("pairs").sum())
    wanted = {
        f"{t}, {'uncorrected' if c == 'none' else c.upper()}": d
        for t, c, d in table.select("test", "correction", "different").rows()
    }
    assert dict(counted.rows()) == {name: count for name, count in wanted.items() if count}


def test_a_parameter_called_like_a_column_of_the_curve_is_drawn_as_itself() -> None:
    values = np.random.default_rng(1).random((20, 3))
    scores = ScoreMatrix(values, [str(i) for i in range(20)], [f"x(mean={j})" for j in range(3)], "AP")
    spec = chart(tune({"x": scores}), n_resamples=50).to_dict()
    assert [row["parameter"] for row in spec_data(spec)[0]] == [0, 1, 2]


@pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
def test_tuning_curve_heat_map_and_list() -> None:
    families = family_matrices()
    tuned = tune({"bm25": families["bm25"]})
    spec = chart(tuned).to_dict()
    frame = tuned["bm25"].curve()
    assert [row["parameter"] for row in spec_data(spec)[0]] == [0.3, 0.6, 0.9, 1.2, 1.5]
    assert [row["mean"] for row in spec_data(spec)[0]] == frame["mean"].to_list()
    assert {
        ("area", "y", "lower"),
        ("area", "y2", "upper"),
        ("line", "y", "mean"),
        ("point", "size", "folds"),
    } <= channels(spec)
    heat = chart(tune({"ql": families["ql"]})).to_dict()
    assert ("rect", "color", "mean") in channels(heat)
    plain = ScoreMatrix(families["ql"].values, families["ql"].topics, list("abcdef"), "AP")
    assert ("point", "x", "mean") in channels(chart(tune({"plain": plain})).to_dict())
    both = chart(tune(families)).to_dict()
    assert len(both["vconcat"]) == 2
    assert "has the best held-out mean of 2 families" in title(both)


def test_the_documentation_lists_every_chart() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "charts.md").read_text()
    listed: dict[str, list[str]] = {}
    current = ""
    for line in text.splitlines():
        if match := re.match(r"\| (`\w+`)? ?\| ((?:`[\w-]+` ?)+)\|", line):
            current = (match[1] or current).strip("`")
            listed.setdefault(current, []).extend(re.findall(r"`([\w-]+)`", match[2]))
    assert listed == {name: list(known) for name, known in drawings().items()}
