"""The table of a paper: cells against the comparison, every format, and a real LaTeX where there is one."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from dataclasses import replace
from html import escape

import numpy as np
import pytest

import cranfield as cf
from cranfield import ArgumentError, ScoreMatrix, Scores, compare, make_scores, paper_table
from cranfield.core.answer import answer
from cranfield.core.formats import render
from cranfield.core.tables import steady
from cranfield.questions.compare.tests import TESTS
from cranfield.questions.compare.topics import every_pair
from cranfield.questions.table.question import TableQuestion

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")


@pytest.fixture(scope="module")
def scores() -> Scores:
    x = make_scores(n_topics=25, n_systems=5, seed=3)
    x = ScoreMatrix(np.clip(x.values, 0, 1), x.topics, ["bm25", "rm3", "a_b & c", "50%_{x}", "ours|new"], "AP")
    y = ScoreMatrix(np.clip(x.values + np.linspace(-0.1, 0.1, 5), 0, 1), x.topics, x.systems, "nDCG@10")
    return Scores([x, y])


@pytest.fixture(scope="module")
def table(scores):
    return paper_table(scores, baseline=["bm25", "rm3"], test="t", intervals=True, wins=True)


def test_cells_are_those_of_the_comparison(scores, table):
    for measure, matrix in scores.items():
        board = compare(matrix, baseline=["bm25", "rm3"], test="t")
        for row in board.leaderboard().to_dicts():
            cell = table.cells[row["system"], measure]
            assert (cell.mean, cell.lower, cell.upper) == (row["mean"], row["lower"], row["upper"])
            assert cell.best == (row["rank"] == 1)
            assert "".join(cell.marks) == row["marks"]


def test_two_baselines_that_differ_carry_each_others_mark():
    rng = np.random.default_rng(3)
    values = rng.normal(0.4, 0.1, (40, 1)) + rng.normal(0, 0.03, (40, 3)) + [0.0, 0.1, 0.0]
    three = ScoreMatrix(values, [str(t) for t in range(40)], ["bm25", "rm3", "ours"], "AP")
    found = paper_table(three, baseline=["bm25", "rm3"], test="t")
    assert found.cells["bm25", "AP"].marks == ("‡",)
    assert found.cells["rm3", "AP"].marks == ("†",)
    assert found.cells["ours", "AP"].marks == ("‡",)


def test_wins_ties_and_losses_count_every_topic(scores, table):
    for system in table.systems:
        for measure in table.measures:
            for name, counts in zip(table.baselines, table.cells[system, measure].wins, strict=True):
                if name == system:
                    assert counts is None
                    continue
                matrix = scores[measure]
                gap = matrix.values[:, matrix.systems.index(system)] - matrix.values[:, matrix.systems.index(name)]
                assert counts == ((gap > 0).sum(), (gap == 0).sum(), (gap < 0).sum())


def test_letters_without_baselines_are_the_systems_it_beats(scores):
    table = paper_table(scores, test="t")
    result = compare(scores["AP"], test="t")
    names = dict(zip(table.letters.values(), table.letters, strict=True))
    better = {(names[letter], system) for system in table.systems for letter in table.cells[system, "AP"].marks}
    rows = result.to_frame().filter(significant=True)
    assert better == {(b, a) for a, b in zip(rows["system_a"], rows["system_b"], strict=True)}


def test_more_systems_than_letters_are_not_marked():
    table = paper_table(make_scores(n_topics=10, n_systems=30, seed=1), test="t")
    assert table.letters == {}
    assert not any(cell.marks for cell in table.cells.values())
    assert "30 systems are too many to mark" in table.caption()


def test_the_caption_names_test_correction_family_and_topics(table):
    assert table.caption() == (
        "Means over 25 topics; the best in bold. Significantly different: † from bm25, ‡ from rm3 (two-sided paired "
        "t-test, Holm-adjusted p ≤ 0.05, family of 7 comparisons per measure). In brackets: 95% t intervals of the "
        "means. W/T/L: topics won, tied and lost against the baseline marked."
    )


@pytest.mark.parametrize("test", list(TESTS))
def test_every_test_can_be_explained(scores, test):
    text = paper_table(scores, test=test, n_resamples=500).explain()
    assert TESTS[test].title in text
    assert "25 topics" in text
    assert "family" in text or "comparisons" in text


def test_the_explanation_cites(scores):
    text = paper_table(scores, baseline="bm25", n_resamples=500, across_measures=True).explain()
    assert "Smucker, Allan and Carterette, CIKM 2007" in text
    assert "Holm-adjusted over 8 comparisons by all measures (Holm, Scandinavian Journal" in text


def test_machines_get_everything(table):
    sheet = answer(table).sheet()
    rows = json.loads(render(sheet, "json"))["rows"]
    assert len(rows) == 10
    assert {"system", "measure", "mean", "lower", "upper", "marks", "best", "wins_bm25"} <= set(rows[0])
    wide = list(csv.DictReader(io.StringIO(render(sheet, "csv"))))
    assert [row["system"] for row in wide] == list(table.systems)
    assert float(wide[0]["AP"]) == steady(table.cells[table.systems[0], "AP"].mean)
    assert next(iter(wide[0])) == "system"


def test_people_get_bold_and_marks(table):
    best = next(name for name in table.systems if table.cells[name, "AP"].best)
    mean = f"{table.cells[best, 'AP'].mean:.4f}"
    assert f"**{mean}**" in table.to_markdown()
    assert f"<strong>{mean}</strong>" in table.to_html()
    assert rf"\textbf{{{mean}}}" in table.to_latex()
    assert "ours\\|new" in table.to_markdown()
    assert "a_b &amp; c" in table.to_html()
    rounded = answer(table, TableQuestion(digits=2, baseline=["bm25"])).sheet()
    assert f"**{table.cells[best, 'AP'].mean:.2f}**" in render(rounded, "markdown")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
@pytest.mark.parametrize("baseline", [None, ["bm25", "rm3"]])
def test_latex_compiles(scores, baseline, tmp_path):
    table = paper_table(scores, baseline=baseline, test="t", intervals=True, wins=baseline is not None)
    head = "\\documentclass{article}\\usepackage{booktabs}\\usepackage[utf8]{inputenc}\\begin{document}\n"
    (tmp_path / "paper.tex").write_text(head + table.to_latex() + "\\end{document}\n", encoding="utf-8")
    ended = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout.decode(errors="replace")[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 1000
    assert (b"Overfull" in ended.stdout) == ("too wide for a page" in table.to_latex())


def test_a_wide_table_is_set_small_and_one_too_wide_is_named(scores):
    plain, small, wide = (
        paper_table(scores, baseline="bm25", test="t", intervals=intervals, wins=wins).to_latex()
        for intervals, wins in ((False, False), (True, False), (True, True))
    )
    assert [r"\setlength{\tabcolsep}" in text for text in (plain, small, wide)] == [False, False, True]
    three = Scores([*scores.values(), replace(scores["AP"], measure="RR"), replace(scores["AP"], measure="Q")])
    assert "% About" in paper_table(three, baseline="bm25", test="t", intervals=True, wins=True).to_latex()
    assert "% About" not in plain + small + wide


def test_latex_is_balanced(table):
    """The twin of the test above, for machines without LaTeX: as many columns in every row, and braces that close."""
    lines = table.to_latex().splitlines()
    rows = [line for line in lines if line.endswith(r"\\")]
    columns = next(line for line in lines if line.startswith(r"\begin{tabular}")).partition("}{")[2].rstrip("}")
    for row in rows:
        assert row.replace(r"\&", "").count("&") == len(columns) - 1
        plain = row.replace(r"\{", "").replace(r"\}", "")
        assert plain.count("{") == plain.count("}")
    assert not [line for line in rows if "≤" in line or "†" in line]


def test_bad_questions(scores):
    with pytest.raises(ArgumentError, match="`wins` counts topics against a baseline. Name one with `baseline`"):
        paper_table(scores, wins=True)
    with pytest.raises(ArgumentError, match="unknown system 'bm52'. Did you mean 'bm25'?"):
        paper_table(scores, baseline="bm52", test="t")
    with pytest.raises(ArgumentError, match="`scores` is empty"):
        paper_table({})
    other = scores["nDCG@10"].drop(systems=["rm3"])
    with pytest.raises(ArgumentError, match="the measures have different systems"):
        paper_table(Scores([scores["AP"], other]), test="t")


def test_a_pair_topic_by_topic(scores):
    pair = scores["AP"].select(systems=["bm25", "rm3"])
    result = compare(pair, test="t")
    (topics,) = every_pair(result)
    rows = topics.to_frame()
    gaps = np.abs(rows["difference"].to_numpy())
    assert (np.diff(gaps) <= 0).all()
    assert rows.height == 25
    assert (rows["score_a"] - rows["score_b"]).equals(rows["difference"].alias("score_a"))
    sheet = answer(result).sheet("topics")
    assert "wins" in sheet.title
    many = compare(make_scores(n_topics=5, n_systems=20, seed=2), test="t")
    with pytest.raises(
        ArgumentError, match="190 pairs are too many to list by topic .at most 100.. Choose two systems"
    ):
        every_pair(many)


def test_resamples_are_named_only_where_p_values_come_from_them():
    few = Scores([ScoreMatrix([[0.2, 0.5], [0.3, 0.4], [0.1, 0.3], [0.2, 0.6]], "1234", ["a", "b"], "AP")])
    table = paper_table(few)
    assert "Its p-values come from enumeration." in table.explain()
    assert "randomisation test, p by enumeration, " in table.caption()
    assert "resamples" not in table.explain() + table.caption()


def test_each_way_to_a_p_value_is_named_with_its_resamples():
    generator = np.random.default_rng(3)
    base = generator.uniform(0.2, 0.6, 40)
    columns = [base, base + generator.normal(0, 0.1, 40), base - generator.normal(0.2, 0.15, 40)]
    table = paper_table(Scores([ScoreMatrix(np.column_stack(columns), [str(k) for k in range(40)], "abc", "AP")]))
    assert set(table.comparisons.p_methods) == {"monte carlo", "saddlepoint"}
    assert "Its p-values come from 100,000 resamples and saddlepoint approximation (seed 1)." in table.explain()


def test_a_notebook_shows_the_table_as_it_is_printed(scores, table):
    shown = table._repr_html_()
    assert table.to_html() in shown
    assert "<strong>" in shown
    assert "<sup>†</sup>" in shown
    assert escape(table.caption()) in shown
    few = cf.table({"a": [0.1, 0.2, 0.3], "<b>": [0.2, 0.3, 0.5]}, measure="AP")
    assert few.warnings
    assert all(escape(text) in few._repr_html_() for text in few.warnings)


def test_names_of_commands_are_functions(scores):
    found = cf.table(scores, baseline="bm25", test="t", show_intervals=True)
    assert found.to_latex() == paper_table(scores, baseline="bm25", test="t", intervals=True).to_latex()
    assert (found.settings["show_intervals"], found.settings["intervals"]) == (True, "simultaneous")


@pytest.mark.parametrize(("alias", "name"), [("paired-t", "t"), ("Wilcoxon signed-rank", "wilcoxon")])
def test_aliases_are_those_of_compare(cranfield, scores, alias, name):
    possible = [ScoreMatrix(np.clip(one.values, 0, 1), one.topics, one.systems, one.measure) for one in scores.values()]
    cf.write_scores(Scores(possible), "scores.csv", layout="long")
    typed = ("table", "scores.csv", "--baseline", "bm25", "--format", "csv", "--test")
    found = cranfield(*typed, alias, "--correction", "benjamini-hochberg")
    assert (found.exit_code, found.stdout) == (0, cranfield(*typed, name, "--correction", "bh").stdout)
