"""What all charts share: text that keeps its width, titles and widths of one's own, and what they leave out."""

from __future__ import annotations

import itertools
import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
import vl_convert

from chart_support import CHARTS, family_matrices, matrix, names, results, spec_data, title, views
from cranfield import ScoreMatrix, Scores, correlate, design_anova, monitor, standardisation_effect
from cranfield.core.charts import chart
from cranfield.core.charts.export import to_svg
from cranfield.core.charts.phone import LINE, WIDE, phone_chart
from cranfield.core.charts.style import FONT, LABEL_SIZE, TITLE_SIZE, keep_lengths, lines_of, text_width
from cranfield.core.errors import ArgumentError, CranfieldWarning
from cranfield.questions.compare.compare import compare
from cranfield.questions.correlate.correlate import Correlations
from cranfield.questions.tune.tune import tune
from support import Type


def options(result: Any, kind: str) -> dict[str, Any]:
    """What a chart needs to be told, and what makes it quick."""
    if kind == "difference":
        x = result if isinstance(result, ScoreMatrix) else next(iter(result.values()))
        return {"a": x.systems[0], "b": x.systems[1]}
    quick = {("Replicates", "methods"): 200, ("Reliability", "views"): 20}.get((type(result).__name__, kind))
    return {} if quick is None else {"n_resamples": quick}


@pytest.mark.slow
@pytest.mark.parametrize("n_systems", [5, 40, 143])
@pytest.mark.parametrize(("kind_of", "kind"), CHARTS)
def test_every_chart_of_few_and_many_systems(kind_of: str, kind: str, n_systems: int) -> None:
    result = results(n_systems)[kind_of]
    spec = chart(result, kind, **options(result, kind)).to_dict()
    assert title(spec)
    svg = to_svg(chart(result, kind, **options(result, kind)))
    width, height = (float(size) for size in re.findall(r'(?:width|height)="([\d.]+)"', svg)[:2])
    assert width < 2200
    assert height < 2800
    assert len(svg) < 800_000
    assert _smallest_text(svg) >= LABEL_SIZE
    for line in spec["title"]["text"]:
        assert text_width(line, TITLE_SIZE, bold=True) <= width, "the title stays inside"


# ── text ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_widths_are_those_of_the_engine(weight: str) -> None:
    text = "12 of 780 pairs differ (AP@10 ≥ 0.05): “bm25+rm3” − ql_dirichlet, τ = 0.91 ± 2%"
    spec = {
        "data": {"values": [{}]},
        "mark": {"type": "text", "text": text, "fontSize": 100, "align": "left", "font": FONT, "fontWeight": weight},
        "encoding": {"x": {"value": 0}},
        "width": 1,
        "height": 1,
        "config": {"padding": 0, "view": {"stroke": None}},
    }
    measured = vl_convert.vegalite_to_scenegraph(spec)["width"]
    assert text_width(text, 100, bold=weight == "bold") == pytest.approx(measured, rel=0.01)


def test_every_longer_text_of_an_image_says_its_length() -> None:
    svg = to_svg(chart(compare(matrix(), test="t")))
    texts = re.findall(r"<(?:text|tspan)([^>]*)>([^<]{4,})<", svg)
    assert texts
    for attributes, text in texts:
        assert "textLength=" in attributes, text
    title_line = re.search(r'textLength="([\d.]+)"[^>]*>(system\d leads[^<]*)<', svg)
    assert title_line is not None
    assert float(title_line[1]) == pytest.approx(text_width(title_line[2], TITLE_SIZE, bold=True), abs=0.1)


def test_text_of_unknown_width_is_left_alone() -> None:
    short = '<text font-size="11px">0.1</text>'
    other = '<text font-size="11px">系統一號</text>'
    assert keep_lengths(short + other) == short + other
    escaped = keep_lengths('<text font-size="10px">a &amp; b</text>')
    assert f'textLength="{text_width("a & b", 10):.1f}"' in escaped
    assert "a &amp; b" in escaped


def test_lines_are_no_wider_than_asked() -> None:
    words = "a chart has a title that says what was found and is folded where it would be too long"
    lines = lines_of(words, 120, 12)
    assert " ".join(lines) == words
    assert all(text_width(line, 12) <= 120 for line in lines)
    assert lines_of("unbreakable" * 9, 50, 12) == ["unbreakable" * 9]


# ── titles and widths of one's own ─────────────────────────────────────────────────────────────────────────────────


def _width(svg: str) -> float:
    return float(re.findall(r'width="([\d.]+)"', svg)[0])


def _smallest_text(svg: str) -> float:
    return min(float(size) for size in re.findall(r'font-size="([\d.]+)px"', svg))


@cache
def specification(kind_of: str, kind: str) -> dict[str, Any]:
    result = results()[kind_of]
    spec: dict[str, Any] = chart(result, kind, **options(result, kind)).to_dict()
    return spec


@pytest.mark.parametrize(("kind_of", "kind"), CHARTS)
def test_every_chart_takes_a_title_and_a_width(kind_of: str, kind: str) -> None:
    result = results()[kind_of]
    more = options(result, kind)
    narrow = chart(result, kind, title="Mine", width=200, **more).to_dict()
    assert title(narrow) == "Mine"
    wide = chart(result, kind, title="", width=900, **more).to_dict()
    assert "title" not in wide
    assert wide["description"], "what the chart shows stays described"
    assert _all_widths(wide) > _all_widths(narrow)


@pytest.mark.parametrize(("kind_of", "kind"), CHARTS)
def test_every_chart_fits_a_phone(kind_of: str, kind: str) -> None:
    result = results()[kind_of]
    svg = phone_chart(result, kind, **options(result, kind))
    assert _width(svg) <= WIDE
    assert _smallest_text(svg) >= LABEL_SIZE
    assert title(specification(kind_of, kind)) in re.search(r"<title>(.*?)</title>", svg)[1].replace("&amp;", "&")  # type: ignore[index]


def test_a_phone_shows_long_names_cut_and_says_what_it_leaves_out() -> None:
    x = matrix(n_systems=30)
    long = ScoreMatrix(x.values, x.topics, names(30, 60), "AP")
    comparison = compare(long, test="t")
    for kind in ("leaderboard", "pairs", "differences"):
        assert _width(phone_chart(comparison, kind)) <= WIDE, kind
    assert "too many groups of systems to draw" in " ".join(phone_chart(comparison, "leaderboard").split())


@pytest.mark.parametrize("drawn", [lambda *what: to_svg(chart(*what)), phone_chart], ids=["screen", "phone"])
def test_counts_of_neighbouring_settings_do_not_collide(drawn: Any) -> None:
    rng = np.random.default_rng(4)
    settings = [f"f(b={k / 20})" for k in range(20)]
    tuned = tune({"f": ScoreMatrix(rng.normal(0.5, 0.1, (24, 20)), [str(t) for t in range(24)], settings, "AP")})
    counts = tuned["f"].curve().filter(pl.col("folds") > 0)["folds"].to_list()
    shown = [
        (float(x), text)
        for x, text in re.findall(r'translate\(([\d.]+),[\d.]+\)"[^>]*>(\d+ ×)<', drawn(tuned, "curve"))
    ]
    assert 0 < len(shown) < len(counts), "there is room for some of them"
    assert f"{max(counts)} ×" in [text for _, text in shown]
    for (left, first), (right, second) in itertools.pairwise(sorted(shown)):
        assert right - left > (text_width(first, 11, bold=True) + text_width(second, 11, bold=True)) / 2


def test_a_word_of_a_name_is_cut_only_where_it_must_be() -> None:
    assert "Greenhouse–Geisser<" in phone_chart(results()["Recommendation"])


def test_a_folded_name_stands_beside_the_middle_of_its_row() -> None:
    x = matrix(n_systems=3)
    named = ScoreMatrix(x.values, x.topics, ("a system", "a system of rather many words", "another"), "AP")
    svg = phone_chart(named, "systems")
    heights = {
        text: [float(y) for y in re.findall(r'translate\([\d.-]+,([\d.-]+)\)"[^>]*>(?:<tspan[^>]*>)?' + text, svg)]
        for text in ("a system<", "a system of", "another<")
    }
    (first,), (folded,), (last,) = sorted(heights.values())
    assert folded + LINE / 2 == pytest.approx((first + last) / 2, abs=0.6), "two lines, half of them above the middle"
    assert last - first >= 2 * (2 * LINE + 1), "the lines of one name are nearer to each other than to the next name"


def test_a_phone_shows_hostile_names_as_they_are() -> None:
    x = matrix(n_systems=3)
    hostile = (
        "</script><script>alert(1)</script>",
        'it\'s "quoted" in many words, all of them',
        "__proto__",
    )
    svg = phone_chart(ScoreMatrix(x.values, x.topics, hostile, "AP"), "systems")
    root = ElementTree.fromstring(svg)
    shown = {part.text for part in root.iter() if part.text}
    assert "__proto__" in shown
    assert any(text.startswith('it\'s "quoted"') for text in shown)
    assert not [part for part in root.iter() if part.tag.endswith("script")]


BUILT_IN = (
    "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
    "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__",
)  # fmt: skip


@pytest.mark.parametrize("kind", ["leaderboard", "pairs"])
@pytest.mark.parametrize("drawn", [lambda *what: to_svg(chart(*what)), phone_chart], ids=["screen", "phone"])
def test_systems_named_like_what_every_script_object_has_are_drawn(kind: str, drawn: Any) -> None:
    x = matrix(n_systems=len(BUILT_IN) + 1)
    longer = "propertyIsEnumerable constructor hasOwnProperty"  # in lines of a word each where there is little room
    named = ScoreMatrix(x.values, x.topics, (*BUILT_IN, longer), "AP")
    shown = " ".join(text for text in ElementTree.fromstring(drawn(compare(named, test="t"), kind)).itertext())
    for name in BUILT_IN:
        assert re.search(rf"\b{name[:11]}", shown), name


@pytest.mark.parametrize(("n_topics", "named"), [(50, 50), (60, 30), (150, 38)])
def test_topics_that_have_no_room_for_all_names_name_some(n_topics: int, named: int) -> None:
    svg = to_svg(chart(matrix(n_topics=n_topics, n_systems=4), "topics"))
    assert len(re.findall(r'rotate\(270\)[^>]*opacity="1">\d+<', svg)) == named


COUNTED = {"topics", "systems", "depth", "rank_drop", "pairs", "pair"}


def _plots(spec: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The views of every plot: those of one plot share their axes."""
    parts = [part for name in ("hconcat", "vconcat", "concat") for part in spec.get(name, [])]
    if "spec" in spec:
        parts.append(spec["spec"])
    return [plot for part in parts for plot in _plots(part)] or [list(views(spec))]


@pytest.mark.parametrize(("kind_of", "kind"), CHARTS)
def test_what_is_counted_has_no_half_ticks(kind_of: str, kind: str) -> None:
    for plot in _plots(specification(kind_of, kind)):
        for channel in ("x", "y"):
            encodings = [view["encoding"][channel] for view in plot if channel in view.get("encoding", {})]
            fields = {one.get("field") for one in encodings if one.get("type") == "quantitative"}
            axes = [one["axis"] for one in encodings if one.get("axis")]
            if fields & COUNTED:
                assert any(axis.get("tickMinStep") == 1 or "values" in axis for axis in axes), fields


def _all_widths(spec: dict[str, Any]) -> float:
    own = spec.get("width", 0)
    parts = [part for name in ("hconcat", "vconcat", "concat", "layer") for part in spec.get(name, [])]
    parts += [spec["spec"]] if "spec" in spec else []
    return (own if isinstance(own, (int, float)) else 0) + sum(map(_all_widths, parts))


def test_a_map_stays_square_and_its_names_legible() -> None:
    spec = compare(matrix(), test="t").chart("pairs", width=150).to_dict()
    assert spec["width"] == spec["height"] == 150
    assert spec["encoding"]["y"]["axis"]["labelOverlap"] is True
    assert title(spec) == title(compare(matrix(), test="t").chart("pairs").to_dict()), "the same finding, folded anew"


def test_a_width_out_of_bounds() -> None:
    with pytest.raises(ArgumentError, match=r"^`width` must be from 100 to 4000 pixels; got 20\.$"):
        matrix().chart(width=20)


def test_the_command_line_takes_them(cranfield: Type) -> None:
    matrix().to_wide().write_csv("scores.csv")
    plot = Path("out.json")
    run = ["compare", "scores.csv", "--test", "t", "-m", "score"]
    draw = [*run, "--plot", "out.json"]
    assert cranfield(*draw, "--title", "My systems", "--width", "300").exit_code == 0
    assert "My systems" in plot.read_text()
    assert cranfield(*draw, "--no-title").exit_code == 0
    assert "title" not in json.loads(plot.read_text())
    interval = ["design", "interval", "--variance-of-difference", "0.04", "--width", "0.1", "--plot", "out.json"]
    assert cranfield(*interval, "--chart-width", "333").exit_code == 0
    assert "333" in plot.read_text()
    alone = cranfield(*run, "--width", "300")
    assert alone.exit_code != 0
    assert "a chart title or width needs a file to draw to; add --plot FILE." in alone.stderr
    both = cranfield(*draw, "--title", "a", "--no-title")
    assert "--title and --no-title exclude each other; give one." in both.stderr


# ── what is left out, and honest axes ──────────────────────────────────────────────────────────────────────────────


def test_differences_keep_what_is_undecided() -> None:
    found = compare(matrix(40, 30), test="t")
    spec = chart(found, "differences").to_dict()
    drawn = spec_data(spec)[0]
    assert sum(row["significant"] for row in drawn) == 30
    assert len(drawn) == 60
    every = int(found.significant.sum())
    assert title(spec, "subtitle").endswith(
        f"; drawn: the 30 significant and 30 other pairs nearest to p = 0.05; "
        f"not drawn: {every - 30} significant, {435 - every - 30} others"
    )
    nearest = sorted(found.p_adjusted[found.significant], reverse=True)[:30]
    assert sorted((row["p_adjusted"] for row in drawn if row["significant"]), reverse=True) == pytest.approx(nearest)


def test_the_few_undecided_are_all_kept() -> None:
    found = compare(matrix(40, 30), test="t")
    undecided = 435 - int(found.significant.sum())
    spec = chart(found, "differences", most=2 * undecided + 20).to_dict()
    assert sum(not row["significant"] for row in spec_data(spec)[0]) == undecided


def test_every_system_is_drawn_against_one_baseline() -> None:
    x = matrix(10, 143)
    spec = chart(compare(x, test="t", baseline=x.systems[0]), "differences").to_dict()
    assert len(spec_data(spec)[0]) == 142
    assert "not drawn" not in title(spec, "subtitle")


def test_looks_keep_what_is_undecided() -> None:
    found = monitor(matrix(40, 20), per_look=10, looks=4)
    decided = found.n_decided
    assert 40 < decided < len(found.pairs) - 40, "enough of both"
    kinds = [row["kind"] for row in spec_data(chart(found, "intervals").to_dict())[0]]
    assert kinds.count("decided") == kinds.count("undecided") == 20
    assert "the 40 of 190 pairs nearest to a decision" in title(chart(found, "intervals").to_dict(), "subtitle")
    assert "the 60 of 190 pairs nearest to a decision" in title(chart(found, "path").to_dict(), "subtitle")


def test_significance_levels_stand_on_a_log_scale() -> None:
    spec = chart(compare(matrix(30, 12), test="t"), "significance-levels").to_dict()
    (scale,) = [one["encoding"]["y"]["scale"] for one in spec["layer"] if "scale" in one["encoding"]["y"]]
    assert scale["type"] == "log"
    assert scale["domain"][0] >= 1e-6
    assert scale["domain"][1] == 1
    assert "p below 1e-06 drawn there" in title(spec, "subtitle")


def test_costs_start_at_nothing() -> None:
    spec = chart(results()["Cost"]).to_dict()
    assert spec["layer"][0]["encoding"]["y"]["scale"]["zero"] is True
    assert spec["layer"][0]["encoding"]["x"]["scale"]["zero"] is True


def test_power_of_several_designs_is_named_in_the_legend() -> None:
    design = design_anova(0.05, 10, [0.05, 0.06, 0.07, 0.2])
    spec = chart(design, "power").to_dict()
    names = list(dict.fromkeys(row["series"] for row in spec_data(spec)[0]))
    assert names[0] == f"min diff 0.05: {design.rows['topics'][0]} topics"
    assert len(names) == 3
    assert "1 further design not drawn" in title(spec, "subtitle")
    assert not [one for one in spec["layer"] if one["mark"]["type"] == "text"], "no labels that could collide"


def test_several_powers_are_points_of_one_curve() -> None:
    design = design_anova(0.05, 10, 0.1, power=[0.7, 0.8, 0.9])
    spec = chart(design, "power").to_dict()
    sizes = design.rows["topics"].to_list()
    curve, *others = spec_data(spec)
    assert {row["series"] for row in curve} == {"exact", "published"}
    assert len({(row["series"], row["topics"]) for row in curve}) == len(curve), "the curve is drawn once"
    assert max(row["topics"] for row in curve) > max(sizes)
    assert [{"power": power} for power in (0.7, 0.8, 0.9)] in others, "a line at every power asked for"
    labelled = next(rows for rows in others if "text" in rows[0])
    assert [row["text"] for row in labelled] == [f"{size} topics" for size in sizes]
    assert [row["power"] for row in labelled] == design.rows["achieved_power"].to_list()
    reached = [f"{power:.2f}" for power in design.rows["achieved_power"]]
    assert title(spec).startswith(f"{sizes[0]}, {sizes[1]} and {sizes[2]} topics detect")
    assert title(spec).endswith(f"probability {reached[0]}, {reached[1]} and {reached[2]}")
    assert "power 0.7, 0.8 and 0.9" in title(spec, "subtitle")
    assert "not drawn" not in title(spec, "subtitle")


def test_several_sizes_are_points_of_one_curve() -> None:
    design = design_anova(0.05, 10, 0.1, n_topics=[20, 40, 41])
    spec = chart(design, "power").to_dict()
    points = [rows for rows in spec_data(spec) if len(rows) == 3]
    assert [[row["topics"] for row in rows] for rows in points] == [[20, 40, 41]]
    labelled = next(rows for rows in spec_data(spec) if "text" in rows[0])
    assert [row["text"] for row in labelled] == ["20 topics", "40 topics"], "no room for one so near"
    assert title(spec).startswith("20, 40 and 41 topics detect")


def test_what_several_sizes_detect_are_curves_of_their_own() -> None:
    design = design_anova(0.05, 10, n_topics=[20, 40], power=0.8)
    spec = chart(design, "power").to_dict()
    found = [f"min diff {value:.4g}" for value in design.rows["min_diff"]]
    names = list(dict.fromkeys(row["series"] for row in spec_data(spec)[0]))
    assert names == [f"{found[0]}: 20 topics", f"{found[1]}: 40 topics"]
    only = chart(design, "detectable").to_dict()
    assert "; 1 further design not drawn" in title(only, "subtitle")


@pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
def test_tuning_says_which_families_it_leaves_out() -> None:
    one = family_matrices()["bm25"]
    rng = np.random.default_rng(2)
    families = {
        f"f{k}": ScoreMatrix(one.values + rng.normal(0, 0.01, one.values.shape), one.topics, one.systems, "AP")
        for k in range(6)
    }
    tuned = tune(families)
    spec = chart(tuned, n_resamples=20).to_dict()
    assert len(spec["vconcat"]) == 4
    best = max(tuned.families, key=lambda family: family.held_out_mean)
    assert title(spec).startswith(f"{best.name} has the best held-out mean of 6 families")
    assert "the 4 families with the best held-out means, 2 more not drawn" in title(spec, "subtitle")
    folds = chart(tuned, "folds").to_dict()
    assert "the 4 families with the largest optimism, 2 more not drawn" in title(folds, "subtitle")
    many = ScoreMatrix(rng.random((12, 70)), [str(i) for i in range(12)], [f"run{i}" for i in range(70)], "AP")
    listed = str(chart(tune({"plain": many}), n_resamples=20).to_dict())
    assert "the 60 best of 70 settings" in listed


def test_ranks_on_both_sides() -> None:
    x = matrix(20, 12)
    y = ScoreMatrix(x.values[:, ::-1], x.topics, x.systems, "other")
    found = correlate(x, y, n_resamples=0)
    spec = chart(found, "ranks").to_dict()
    drawn = pl.DataFrame(spec_data(spec)[0]).sort("system")
    for side, scores in (("reference", x), ("estimate", y)):
        means = scores.values.mean(axis=0)
        rank = {name: 1 + int((means > mean).sum()) for name, mean in zip(scores.systems, means, strict=True)}
        assert drawn[side].to_list() == [rank[name] for name in drawn["system"]]
    assert re.match(r"system\d+ moves most, by \d+ ranks \(τ = ", title(spec))
    with pytest.warns(CranfieldWarning, match="tied pairs"):
        ties = correlate({"a": 1.0, "b": 1.0, "c": 0.0}, {"a": 3.0, "b": 2.0, "c": 1.0}, n_resamples=0)
    assert ties.ranks == ((1, 1, 3), (1, 2, 3))
    several = chart(Correlations((found, found)), "ranks").to_dict()
    assert len(several["concat"]) == 2


def test_a_map_says_how_to_read_it() -> None:
    spec = chart(compare(matrix(10, 143), test="t"), "pairs").to_dict()
    assert "a column's number stands beside its system's name" in title(spec, "subtitle")
    svg = to_svg(chart(compare(matrix(10, 30), test="t"), "pairs"))
    best = compare(matrix(10, 30), test="t").systems
    assert f">{best[0]} · 1<" in svg
    assert f">{best[29]} · 30<" in svg


def test_the_dark_ones_of_a_leaderboard_are_those_its_title_names() -> None:
    found = compare(matrix(), test="t")
    spec = chart(found).to_dict()
    rows = next(rows for rows in spec_data(spec) if "top" in rows[0])
    assert {row["system"] for row in rows if row["top"]} == set(found.may_be_best)
    assert "dark: may be the best" in title(spec, "subtitle")


def test_names_in_a_scatter_of_ranks_stand_apart() -> None:
    x = matrix(20, 143)
    y = ScoreMatrix(x.values[:, ::-1], x.topics, x.systems, "other")
    spec = chart(correlate(x, y, n_resamples=0), "ranks").to_dict()
    named = [row for rows in spec_data(spec) for row in rows if "label" in row]
    assert 6 <= len(named) <= 8  # one without room is left out
    boxes = []
    for row in named:
        width, left = text_width(row["system"], 10), row["reference"] * 400 / 143
        left += -7 - width if row["left"] else 7
        boxes.append((left, left + width, row["label"] * 400 / 143))
    for at, (left, right, height) in enumerate(boxes):
        assert not any(left < r and a < right and abs(height - h) < 10 for a, r, h in boxes[:at])


def test_no_name_in_a_scatter_of_ranks_reaches_into_the_axis() -> None:
    systems = ("a-name-too-long-for-its-place", *(f"s{place:02}" for place in range(1, 20)))
    means = np.linspace(0.9, 0.1, 20)
    fallen = np.concatenate([[0.05], means[1:]])
    x, y = (
        ScoreMatrix(np.array([one, one + 0.01]), ("1", "2"), systems, measure)
        for one, measure in ((means, "AP"), (fallen, "P@10"))
    )
    spec = chart(correlate(x, y, n_resamples=0), "ranks").to_dict()
    rows = {side: set[str]() for side in ("left", "right")}
    for layer in spec["layer"]:
        if layer["mark"]["type"] == "text":
            data = layer["data"].get("values") or spec["datasets"][layer["data"]["name"]]
            rows[layer["mark"]["align"]] |= {row["system"] for row in data}
    assert systems[0] in rows["left"]  # it fell from rank 1, where the axis is: its name begins at the dot


def test_an_f_that_falls_is_printed_as_two_numbers() -> None:
    x = matrix(20, 40)
    finding = title(chart(standardisation_effect(Scores([x]), n_resamples=0)).to_dict())
    before, after = re.findall(r"from ([\d.]+) to ([\d.]+)", finding)[0]
    assert (float(after) > float(before)) == ("raises" in finding)
    assert (float(after) < float(before)) == ("lowers" in finding)
