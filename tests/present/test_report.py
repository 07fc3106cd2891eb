"""The report: its sections, sentences from facts, tables as files, and nothing from outside."""

from __future__ import annotations

import base64
import io
import re
import warnings
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

import cranfield
from chart_support import matrix, names
from cranfield import Report, ScoreMatrix, Scores, build_report, evaluate, make_judges, make_sample, reliability
from cranfield.core.charts import chart
from cranfield.core.defaults import REPORT_SECTIONS
from cranfield.core.errors import ArgumentError, DataError, UnknownNameError
from cranfield.core.pages import Figure, Table, Text
from cranfield.core.tables import Sheet
from cranfield.questions.compare.compare import compare
from cranfield.reports.participants import standings
from cranfield.reports.references import WORKS
from support import SHARED, needs_shared

DOCS = Path(__file__).resolve().parents[2] / "docs"


class Page(HTMLParser):
    """What a page refers to, its headings and its identifiers."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.headings: list[str] = []
        self.ids: list[str] = []
        self.tags: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        found = dict(attrs)
        self.references += [
            str(found[name]) for name in ("src", "href", "xlink:href", "action", "data", "poster") if found.get(name)
        ]
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(tag)


def two_measures(n_topics: int = 20, n_systems: int = 6) -> Scores:
    x = matrix(n_topics, n_systems)
    return Scores(
        [ScoreMatrix(x.values, x.topics, x.systems, "AP"), ScoreMatrix(x.values**2, x.topics, x.systems, "P@10")]
    )


@pytest.fixture(scope="module")
def report() -> Report:
    sample = make_sample(n_topics=12, n_systems=5, n_documents=600, seed=11)
    teams = dict(sample.truth.select("system", "team").iter_rows())
    other = make_sample(n_topics=10, n_systems=5, n_documents=600, seed=12)
    return build_report(
        qrels=sample.qrels,
        runs=sample.runs,
        teams=teams,
        machine=make_judges(sample).machine,
        second=make_judges(sample).second,
        across={"other": evaluate(other.qrels, other.runs, ["AP", "nDCG@10", "P@10"])},
        n_splits=3,
        replicate_resamples=300,
        n_resamples=4000,
        depths=[5, 10, 50],
    )


@pytest.fixture(scope="module")
def html(report: Report) -> str:
    return report.html


def test_all_sections_in_order(report: Report, html: str) -> None:
    assert tuple(section.id for section in report.sections) == REPORT_SECTIONS
    at = [html.index(f'<section id="{name}"') for name in REPORT_SECTIONS]
    assert at == sorted(at)
    assert "could not be made" not in html


def test_nothing_comes_from_outside(html: str) -> None:
    page = Page(html)
    assert page.references
    assert all(reference.startswith(("#", "data:")) for reference in page.references)
    assert not page.tags & {"iframe", "object", "embed", "img"}
    assert "@import" not in html
    assert not re.search(r"url\((?!#)", html)
    assert "Content-Security-Policy\" content=\"default-src 'none'" in html


def test_every_link_inside_leads_somewhere_and_ids_are_unique(html: str) -> None:
    page = Page(html)
    assert len(set(page.ids)) == len(page.ids)
    inside = {reference[1:] for reference in page.references if reference.startswith("#")}
    assert inside <= set(page.ids)
    clips = set(re.findall(r"url\(#([^)]+)\)", html))
    assert clips <= set(page.ids)


def test_it_can_be_read_without_eyes(html: str) -> None:
    page = Page(html)
    assert page.headings[0] == "h1"
    assert page.headings.count("h1") == 1
    assert '<html lang="en">' in html
    images = re.findall(r"<svg[^>]*>", html)
    assert images
    assert all('role="img"' in image and "aria-label=" in image for image in images)
    assert html.count('<th scope="col"') >= 10
    assert "@media print" in html


def test_every_table_is_there_as_csv(report: Report, html: str) -> None:
    tables = [table for section in report.sections for table in section.tables()]
    assert len({table.id for table in tables}) == len(tables)
    links = dict(re.findall(r'download="([^"]+)" href="data:text/csv;charset=utf-8;base64,([^"]+)"', html))
    assert set(links) == {f"{table.id}.csv" for table in tables}
    for table in tables:
        read = pl.read_csv(io.BytesIO(base64.b64decode(links[f"{table.id}.csv"])), infer_schema_length=None)
        assert read.columns == table.frame.columns
        assert read.height == table.frame.height


def test_numbers_in_the_text_are_those_of_the_results() -> None:
    scores = two_measures()
    report = build_report(scores, n_resamples=4000, skip=["standardisation"])
    found = compare(scores["AP"], n_resamples=4000)
    separated = int(found.significant.sum())
    assert report.headline.startswith(f"{found.systems[0]} leads by AP")
    assert f"{separated} of 15 pairs of systems differ significantly." in report.headline
    board = next(table for section in report.sections for table in section.tables() if table.id == "leaderboard")
    assert board.frame["mean"].to_list() == found.leaderboard()["mean"].to_list()
    means = [float(scores["P@10"].select(systems=[name]).system_means[0]) for name in board.frame["system"]]
    assert board.frame["P@10"].to_list() == pytest.approx(means)
    assert found.signature in report.html.replace("&#39;", "'")
    assert [section.id for section in report.sections] == [
        "data",
        "leaderboard",
        "differences",
        "collection",
        "reliability",
        "next",
        "methods",
    ]


def test_reliability_in_the_text_is_that_of_the_study() -> None:
    scores = two_measures()
    report = build_report(scores, n_resamples=2000, skip=[one for one in REPORT_SECTIONS if one != "reliability"])
    (section,) = report.sections
    study = reliability(scores["AP"], target=0.95)
    n = scores["AP"].n_topics
    texts = " ".join(part.text for part in section.parts if isinstance(part, Text))
    tables = {table.id: table.frame for table in section.tables()}
    value, lower, upper = study.ratio("erho2").at(n)
    assert f"has reliability {value:.3f}, the scores" in texts
    here = (pl.col("coefficient") == "erho2") & (pl.col("topics") == n)
    row = tables["reliability-coefficients"].row(by_predicate=here, named=True)
    assert (row["value"], row["lower"], row["upper"]) == (value, lower, upper)
    assert f"the ranking (Eρ²) needs {study.targets_frame()['topics_needed'][0]:,} topics" in texts
    assert tables["reliability-tau"].height > 0
    assert "Weak systems inflate reliability: without the 1 system" in texts


def test_reuse_needs_runs_and_teams(report: Report) -> None:
    section = next(one for one in report.sections if one.id == "reuse")
    assert section.title == "Reusability for new systems"
    assert "Without their team's judgments" in section.parts[0].text  # type: ignore[union-attr]
    with pytest.raises(ArgumentError, match="`teams` needs `qrels` and `runs`"):
        build_report(matrix(8, 3), teams={"s1": "a"})


def test_sections_can_be_skipped_and_typos_are_caught() -> None:
    report = build_report(matrix(8, 3), skip=[name for name in REPORT_SECTIONS if name != "data"])
    assert [section.id for section in report.sections] == ["data"]
    with pytest.raises(UnknownNameError, match=r"^unknown section 'leaderbord'\. Did you mean 'leaderboard'\?$"):
        build_report(matrix(8, 3), skip=["leaderbord"])


def test_it_goes_by_the_name_of_the_command_and_takes_judgments_and_runs_in_order() -> None:
    sample = make_sample(n_topics=5, n_systems=3, n_documents=200, seed=4)
    made = cranfield.report(sample.qrels, sample.runs, measures=["AP"], skip=REPORT_SECTIONS[1:])
    assert made.headline == build_report(evaluate(sample.qrels, sample.runs, ["AP"]), skip=REPORT_SECTIONS).headline


def test_what_is_needed() -> None:
    for arguments in ({}, {"qrels": "q"}, {"scores": matrix(), "qrels": "q", "runs": "r"}):
        with pytest.raises(ArgumentError, match=r"^give either `scores`, or `qrels` with `runs`\.$"):
            build_report(**arguments)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"^`min_diff` must be positive; got 0\. Write 0\.1\.$"):
        build_report(matrix(), min_diff=0)


@pytest.mark.parametrize(("topics", "systems"), [(1, 4), (6, 1), (1, 1)])
def test_too_little_data_is_said_where_it_matters(topics: int, systems: int) -> None:
    x = matrix(6, 4)
    report = build_report(x.select(topics=x.topics[:topics], systems=x.systems[:systems]))
    assert "No comparison:" in report.headline
    assert report.html.count("This section could not be made") >= 4


def test_hostile_and_long_names_are_shown_as_text() -> None:
    x = matrix(8, 4)
    labels = ["<img src=x onerror=alert(1)>", "a&b", *names(2, 60)]
    html = build_report(ScoreMatrix(x.values, x.topics, labels, "A<P"), n_resamples=2000).html
    assert "<img" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert names(1, 60)[0] in html


def test_problems_of_the_data_are_told() -> None:
    x = matrix(8, 4)
    values = x.values.copy()
    values[2], values[3], values[:, 1] = 0, 0.5, values[:, 0]
    values[2], values[3] = 0, 0.5
    html = build_report(ScoreMatrix(values, x.topics, x.systems, "AP"), n_resamples=2000, skip=["next"]).html
    assert f"every system scores 0 on 1 topic: {x.topics[2]}" in html
    assert f"all systems tie on 1 topic ({x.topics[3]})" in html
    assert f"identical runs by AP: {x.systems[0]}, {x.systems[1]}" in html


SHAPES = {
    "two by two": [[0.1, 0.4], [0.3, 0.2]],
    "two by three": [[0.1, 0.4, 0.5], [0.3, 0.2, 0.9]],
    "all equal": [[0.5] * 3] * 6,
    "all zero": [[0.0] * 3] * 6,
    "identical systems": [[k / 10] * 3 for k in range(8)],
    "the same distance everywhere": [[k / 10, k / 10 + 0.1, k / 10 + 0.2] for k in range(6)],
    "yes or no": [[float((i * j) % 3 == 0) for j in range(1, 5)] for i in range(1, 13)],
    "huge": [[1e6 * ((i * 7 + j * 3) % 11) for j in range(4)] for i in range(10)],
    "negative": [[-((i * 7 + j * 3) % 11) / 10 for j in range(4)] for i in range(10)],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_odd_scores_never_break_the_page(shape: str) -> None:
    values = SHAPES[shape]
    x = ScoreMatrix(values, [f"t{i}" for i in range(len(values))], [f"s{j}" for j in range(len(values[0]))], "AP")
    html = build_report(x, n_resamples=300).html
    assert not re.search(r"\bnan\b", re.sub(r'href="data:[^"]*"', "", html))


def test_a_shared_lead_is_called_so() -> None:
    x = ScoreMatrix(SHAPES["identical systems"], [str(i) for i in range(8)], list("abc"), "AP")
    assert build_report(x, n_resamples=300).headline.startswith(
        "a, b and c tie for first by AP; any of the 3 systems may be the best (95%)."
    )


def test_same_input_same_bytes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pages = [build_report(matrix(8, 3), n_resamples=1000).html for _ in range(2)]
    assert pages[0] == pages[1]


def test_works_are_those_of_the_reference_list() -> None:
    listed = (DOCS / "references.md").read_text()
    for work in WORKS.values():
        assert work in listed.replace("**", ""), work


def test_a_table_shows_some_rows_and_keeps_all() -> None:
    rows = pl.DataFrame({"measure": ["AP"] * 3, "system": ["a", "b", "c"], "p_adjusted": [0.5, 1e-9, None]})
    table = Table("t", "A table", Sheet("x", rows, hidden=("measure",)), shown=2)
    assert table.rows == [["a", "0.5000"], ["b", "< 0.0001"]]
    assert table.columns == [("system", False), ("p adjusted", True)]
    assert table.left_out == 1
    assert table.csv.count("\n") == 4
    assert table.csv.startswith("measure,system,p_adjusted\n")


def test_write_and_reprs(tmp_path: Path, report: Report, html: str) -> None:
    assert report.write(tmp_path / "report.html").read_text() == html
    assert repr(report).startswith("Report(")
    assert report.headline.split(".")[0] in report._repr_html_().replace("&#x27;", "'")


@pytest.mark.slow
def test_a_full_track_stays_small() -> None:
    """129 systems with long names on 50 topics."""
    x = matrix(50, 129)
    big = ScoreMatrix(x.values, x.topics, names(129, 60), "AP")
    html = build_report(big, n_resamples=1000, skip=["standardisation", "next"]).html
    assert len(html.encode()) < 10_000_000
    assert len(html.encode()) > 500_000


@needs_shared
@pytest.mark.slow
def test_the_report_on_trec_covid() -> None:
    place = SHARED / "data" / "runs" / "trec-covid-r5"
    report = build_report(qrels=place / "qrels.txt", runs=place / "runs")
    (separated,) = re.findall(r"(\d+) of 780 pairs of systems differ significantly\.", report.headline)
    assert int(separated) == pytest.approx(583, abs=3)  # one pair more or less stands at the threshold
    assert len(report.html.encode()) < 10_000_000
    assert "could not be made" not in report.html


def test_what_cannot_be_read_on_paper_stays_on_the_screen() -> None:
    few, many = (Figure("fig", chart(compare(matrix(10, m), test="t"), "pairs")) for m in (12, 80))
    assert few.printable
    assert not many.printable  # 80 names of 8 pixels


def test_charts_of_a_usual_report_can_be_printed(report: Report) -> None:
    figures = [figure for section in report.sections for figure in section.figures()]
    assert [figure.id for figure in figures if not figure.printable] == []
    assert 'class="paper"' not in report.html


def test_scores_too_large_to_be_squared_are_refused() -> None:
    huge = ScoreMatrix([[1e308, 1e307], [1e306, 1e308]], ["1", "2"], ["a", "b"], "x")
    with pytest.raises(DataError, match=r"x: the largest score in size is 1e\+308, and its square is too large"):
        build_report(scores=huge)


# ── the page, frozen ───────────────────────────────────────────────────────────────────────────────────────────────


def test_findings_come_first_and_the_rest_is_folded(report: Report, html: str) -> None:
    shown, folded = html.partition('<details class="appendix"')[::2]
    titles = [section.title for section in report.findings]
    assert titles[0] == "Who may be the best?"
    assert len(titles) == 6
    assert [title for title in titles if f">{title}</h2>" not in shown] == []
    assert shown.count("<table") == 0, "tables are in the appendix"
    assert "Works to cite" in folded
    lead = str(report.view["measures"][0]["sentences"][0])  # type: ignore[index]
    assert lead in shown


def test_each_sentence_and_each_figure_stands_once(report: Report) -> None:
    parts = [part for section in (*report.findings, *report.appendix) for part in section.parts]
    texts = [part.text for part in parts if isinstance(part, Text)]
    assert sorted(set(texts)) == sorted(texts)
    figures = [part for part in parts if isinstance(part, Figure)]
    assert len({figure.id for figure in figures}) == len(figures)
    assert {"fig-leaderboard-chart", "fig-differences-heat-map"}.isdisjoint(figure.id for figure in figures)


def test_a_note_of_the_organisers(tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_text("Thank you <all>.\n\nSee you next year.\n")
    html = build_report(matrix(8, 3), note=file, n_resamples=300, skip=REPORT_SECTIONS).html
    assert "<p>Thank you &lt;all&gt;.</p>\n<p>See you next year.</p>" in html


def test_the_page_of_a_team_has_a_name_that_a_file_can_have(tmp_path: Path) -> None:
    names = ("../x", "a/b", "é漢" * 90, "n" * 300, "N" * 300, "..")
    scores = ScoreMatrix(matrix(8, 6).values, matrix(8, 6).topics, names, "AP")
    written = build_report(scores, n_resamples=300, skip=REPORT_SECTIONS).write_participants(tmp_path / "mail")
    assert {path.parent for path in written} == {tmp_path / "mail"}
    assert len({path.name.lower() for path in written}) == 6
    assert max(len(path.name.encode()) for path in written) < 120


def test_a_page_for_every_team(tmp_path: Path) -> None:
    sample = make_sample(n_topics=12, n_systems=5, n_documents=600, seed=11)
    teams = dict(sample.truth.select("system", "team").iter_rows())
    made = build_report(qrels=sample.qrels, runs=sample.runs, teams=teams, n_resamples=2000, skip=REPORT_SECTIONS)
    written = made.write_participants(tmp_path / "mail")
    assert sorted(path.stem for path in written) == sorted(set(teams.values()))
    found = compare(evaluate(sample.qrels, sample.runs, ["AP"])["AP"], n_resamples=2000)
    first = standings(found)[found.systems[0]]
    every = found.to_frame().iter_rows(named=True)
    rows = [row for row in every if first.system in (row["system_a"], row["system_b"])]
    won = [row for row in rows if row["significant"] and (row["difference"] > 0) == (row["system_a"] == first.system)]
    assert (first.better, first.worse) == (len(won), sum(row["significant"] for row in rows) - len(won))
    page = (tmp_path / "mail" / f"{teams[first.system]}.html").read_text()
    assert f'href="../report.html#system={first.system}"' in page
    assert first.text in page
    single = build_report(matrix(8, 3), n_resamples=300, skip=REPORT_SECTIONS).write_participants(tmp_path / "each")
    assert len(single) == 3, "without teams, one per run"
    with pytest.raises(ArgumentError, match="`participants` needs a comparison of systems"):
        build_report(matrix(8, 1), skip=REPORT_SECTIONS).write_participants(tmp_path / "none")
