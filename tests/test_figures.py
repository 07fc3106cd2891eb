"""The documentation says what the tool says: figures are made by docs/figures.py, and pages that differ fail here."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from support import SHARED

DOCS = Path(__file__).resolve().parents[1] / "docs"


def load(name: str) -> ModuleType:
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(DOCS))


figures = load("figures")
load("figure_sources")
load("figure_studies")
KEPT = figures.stored()
GROUPS = list(figures.GROUPS.values())
ELSEWHERE = {
    "across.md": "rates of docs/across_study.py; reference values of tests/across",
    "across_tables.md": "printed by docs/across_study.py and docs/recipes_study.py",
    "benchmarks.md": "written from `make bench`, which says how",
    "dependencies.md": "written by docs/dependencies.py; sizes of packages",
    "judges.md": "printed by docs/judges_study.py, and by the commands that the page shows",
    "judges_tables.md": "printed by docs/judges_study.py",
    "published.md": "written by docs/published.py from the papers' tables",
    "sentences.md": "the sentences themselves, written by docs/figures.py",
    "sigir2019.md": "written by docs/sigir2019.py",
    "validation.md": "written by docs/validate.py; other studies name their command",
    "simulate.md": "rates of docs/sigir2019.md and docs/asymmetry_study.py",
    "simulate_tables.md": "the same, and times of R measured by hand",
}
"""Pages whose numbers have another source."""
COVERED = tuple(page.name for page in figures.pages() if page.name not in ELSEWHERE)
"""Pages on which every result is a marked figure or stands in the list below."""


@pytest.mark.parametrize("page", figures.pages(), ids=lambda page: page.name)
def test_pages_hold_the_stored_figures(page: Path) -> None:
    for name, text in figures.marked(page.read_text()):
        assert name in KEPT, f"{page.name}: figure {name} comes from nowhere; see docs/figure_sources.py"
        assert text == KEPT[name]["text"], f"{page.name}: {name} is not what docs/figures.json has; run make figures"


def test_every_stored_figure_is_shown_and_made() -> None:
    shown = {name for page in figures.pages() for name, _ in figures.marked(page.read_text())}
    assert {name for name in KEPT if name not in shown} <= UNSHOWN
    assert {one["group"] for one in KEPT.values()} == set(figures.GROUPS)


UNSHOWN = {"epsilon-unbiased-143", "trec8-pairs", "trec3-randomisation", "trec8-randomisation"}
"""Read by docs/published.py, or kept for comparison."""


def test_markers_are_closed() -> None:
    for page in figures.pages():
        text = page.read_text()
        assert (
            len(re.findall("<!-- figure ", text)) == len(list(figures.marked(text))) == text.count("<!-- /figure -->")
        )


def check(group: object) -> None:
    for name, one in figures.make(group).items():
        assert one["text"] == KEPT[name]["text"], f"{name} has changed; run make figures and read the page"


@pytest.mark.parametrize("group", [one for one in GROUPS if one.kind == "exact"], ids=lambda one: one.name)
def test_exact_figures_come_out_again(group: object) -> None:
    check(group)


def shared(slow: bool) -> list[object]:
    return [one for one in GROUPS if one.kind == "shared" and one.slow is slow]


needs_matrices = pytest.mark.skipif(not (SHARED / "data").is_dir(), reason="public matrices not found at ../shared")


@needs_matrices
@pytest.mark.parametrize("group", shared(slow=False), ids=lambda one: one.name)
def test_figures_of_public_matrices_come_out_again(group: object) -> None:
    check(group)


@needs_matrices
@pytest.mark.slow
@pytest.mark.parametrize("group", shared(slow=True), ids=lambda one: one.name)
def test_slow_figures_of_public_matrices_come_out_again(group: object) -> None:
    check(group)


@pytest.mark.parametrize("group", [one for one in GROUPS if one.kind == "measured"], ids=lambda one: one.name)
def test_measured_figures_are_not_older_than_the_code_that_makes_them(group: object) -> None:
    assert figures.stale(group, KEPT) == ""


def test_an_old_figure_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    group = next(one for one in GROUPS if one.kind == "measured")
    monkeypatch.setattr(figures, "fingerprint", lambda sources: "another")
    assert f"--measure {group.name}" in figures.stale(group, KEPT)
    assert "never measured" in figures.stale(group, {})


def test_a_wrong_page_is_seen_and_mended() -> None:
    page = "There are <!-- figure x -->3<!-- /figure --> of them.\n<!-- figure y -->\n| a |\n<!-- /figure -->\n"
    assert dict(figures.marked(page)) == {"x": "3", "y": "| a |"}
    assert figures.filled(page, {"x": "4", "y": "| b |"}) == page.replace("3", "4").replace("| a |", "| b |")


def test_comments_do_not_make_a_figure_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "SOURCE", tmp_path)
    prints = []
    for code in ('"""A."""\nx = 1\n', '"""B."""\nx = 1  # one\n', "x = 2\n"):
        (tmp_path / "m.py").write_text(code)
        prints.append(figures.fingerprint(("m.py",)))
    assert prints[0] == prints[1] != prints[2]


def test_the_list_of_sentences_is_written() -> None:
    assert (DOCS / "sentences.md").read_text() == figures.sentences_page(), "run make figures"


# ── results that are not marked ───────────────────────────────────────────────────────────────────────────

NUMBER = re.compile(r"(?<![\w.,/§–])[-−]?(?:\d+(?:\.\d+)?%|\d*\.\d+|\d{1,3}(?:,\d{3})+)(?![\w/]|\.\d)")
SETTINGS = {"0.05", ".05", ".01", "0.10", ".10", ".15", ".5", ".80", "95%", "0.2", "0.80", ".025", ".9", "0.9"}
"""Levels, differences and powers that are asked for, not found."""
ALLOWED: dict[str, dict[str, str]] = {  # by page: why a number is no result of the tool, and the numbers
    "gate.md": {
        "measured by docs/gate_study.py, seed 1": "20,000 .0035 5% 0.121 0.077 0.107 0.005 0.086 0.036 0.000 0.5 2% 0.369 0.137 0.102 0.019 1.6 0.8 0.4 0.3"
    },
    "formats.md": {"an example": "0.31"},
    "README.md": {"versions": "3.11 2.0"},
    "architecture.md": {"limits in the code": "50,000 1.5"},
    "coming_from.md": {"a version of another program": "0.4"},
    "correlate.md": {
        "a parameter of the method": ".02",
        "what the table of standardise_tables.md says": ".97 1.00 .19",
        "what judges_tables.md says": ".90",
    },
    "compare.md": {
        "resamples of max-t, and how precise c is": "9,999 39,999 .25",
        "sizes of examples": "8,256 100,000",
        "limits": "40,000 1,024",
        "measured by docs/clusters_study.py, seed 1, and margins": "0.08 .02 1.00 .050 .070 .048 2.04 .045 .060 .268 .292 .040",
        "what docs/validation.md has": ".07 .09 .23 .90 .91 .93 .95 .96 .99",
    },
    "compare_tables.md": {
        "how scores are drawn, and how often": "1.5 60% .1 1,000 4,000 2,000 200,000 99.8% .03",
        "binomial bounds": ".040 .005 .035 .004",
        "arithmetic, and what INLS 509 prints": ".2031 .25678",
        "measured by docs/family_study.py, seed 1": ".016 .076 .056 .032 .036 .152 .064 .212 .068 .156 .028 .108 .136 .092 .472 .304 .916 .000 .072",
        "what docs/validation.md has": ".04",
    },
    "design.md": {
        "an example of the printed sentence": "0.8 80%",
        "the limit of judged pools": "90%",
        "what docs/validation.md has": ".76 .82 .90 .89",
        "extrapolated pools of TREC-COVID, measured by hand": "4% 13%",
    },
    "measures.md": {
        "a version of another program": "4.5",
        "a limit in the code": "90%",
        "a grade of an example": "0.5",
    },
    "page.md": {"a limit": "1,000 90% 80%"},
    "paper.md": {"size of the simulation, and a level": "10,240 99%"},
    "pilots.md": {
        "what the table of pilots_tables.md says, rounded": "35% 45% 65% 80% .4 1.8 .3 2.7 18% .89 .98 .86",
        "a section of AIRS 2016": "2.1",
    },
    "pilots_tables.md": {"arithmetic": ".7", "what the table says, rounded": ".91 .94"},
    "reliability.md": {
        "what the blocks of output say": ".96 .95",
        "what docs/validation.md has": ".06 .08 .09 .12 .97 .87 .90 .75 .84 90%",
        "what the tables of reliability_tables.md say, rounded": ".02 .14",
        "a design that is asked for": ".04 .07",
    },
    "reliability_tables.md": {
        "measured with docs/validation.md, TREC-COVID round 5": "67% 32%",
        "sizes of simulations": "2,000 20,000",
        "a parameter": ".8",
    },
    "preferences.md": {
        "coverage, 800 simulations, seed 7; tests/preferences has a slow one": ".959 .963 .904 .953 .952 .825 .948 .949 .899 .980 .911",
        "a section of a book": "10.6",
    },
    "replicates.md": {
        "defaults and quantiles": "10,000 2.5% 97.5%",
        "arithmetic": ".71",
        "what the table of replicates_tables.md says": ".933",
        "the same, rounded": ".944 .85 1.00 .35 .46",
    },
    "replicates_tables.md": {
        "size of the study, and its standard errors": "1,500 40% .002 .004",
        "what the table says, rounded": ".35",
    },
    "report.md": {"defaults, and what is asked for": ".95 100,000 0.1 20,000 2,000"},
    "sample.md": {"parameters of the model": "5,000 .35 .40 .25 1.45 .8 .4 .012"},
    "scale.md": {
        "the size of an example": "100,000",
        "sizes of jobs": "1,000",
        "versions of other programs": "22.05 1.31",
    },
    "standardise.md": {
        "the paper's constants, and Chebyshev": ".30 .95 89% .0225",
        "what the tables say, rounded": "32% 23%",
    },
    "questions.md": {"a version of Python": "3.11"},
    "start.md": {"a version of Python": "3.11"},
    "trec_eval.md": {
        "a version, and an example of rounding": "10.0 0.00625",
        "counted beside trec_eval 10 and on TREC-COVID on 18 November 2026": "2,611 24,000 0.019 97,482",
    },
    "tuning.md": {
        "sizes": "10,000",
        "a level": "2.5%",
        "what docs/validation.md has": ".944 .980",
    },
    "tuning_tables.md": {
        "size of the simulation, and a parameter": "4,000 2,000 .006 .8",
        "a grid": "1.5 0.6",
        "of every track, about": ".1 .12",
    },
}
"""Numbers of the covered pages that the script does not make."""


def allowed(page: str) -> set[str]:
    return {number for numbers in ALLOWED.get(page, {}).values() for number in numbers.split()}


def unmarked(text: str) -> list[str]:
    """Numbers that look like results, outside marked figures and code."""
    text = figures.MARKED.sub("", text)
    text = re.sub(r"```.*?```|`[^`\n]*`|<!--.*?-->|\]\([^)]*\)", "", text, flags=re.DOTALL)
    return [found.group().lstrip("-−") for found in NUMBER.finditer(text)]


@pytest.mark.parametrize("name", COVERED)
def test_every_result_of_a_covered_page_is_marked(name: str) -> None:
    page = next(page for page in figures.pages() if page.name == name)
    left = [number for number in unmarked(page.read_text()) if number not in SETTINGS | allowed(name)]
    assert left == [], f"{name}: make these figures of docs/figure_sources.py, or say why not in ALLOWED"


@pytest.mark.parametrize("name", ALLOWED)
def test_nothing_is_allowed_that_is_not_there(name: str) -> None:
    page = next(page for page in figures.pages() if page.name == name)
    assert allowed(name) - set(unmarked(page.read_text())) == set()


def test_an_unmarked_result_is_seen() -> None:
    assert unmarked("It is .123 of 1,234 (`0.5`) or 12%; <!-- figure x -->.9<!-- /figure -->, 3 of 4.") == [
        ".123",
        "1,234",
        "12%",
    ]
