"""``cranfield report``: from files to one page, with the headline on stdout."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from chart_support import matrix
from cranfield import make_sample, write_qrels, write_run, write_scores
from support import Type


@pytest.fixture
def collection(cranfield: Type) -> None:
    sample = make_sample(n_topics=10, n_systems=4, n_documents=400, seed=7)
    write_qrels(sample.qrels, "qrels.txt")
    Path("runs").mkdir()
    for run in sample.runs:
        write_run(run, f"runs/{run.system}.run")


def test_from_judgments_and_runs(cranfield: Type, collection: None) -> None:
    words = (
        "report qrels.txt runs -m AP -m P@10 --splits 2 --resamples 2000 --depth 5 --depth 20 -o page.html --title Mine"
    )
    done = cranfield(*words.split())
    assert done.exit_code == 0, done.output
    assert "leads by AP" in done.stdout
    assert done.stderr.startswith("wrote page.html (0.")
    html = Path("page.html").read_text()
    assert "<h1>Mine</h1>" in html
    assert '<section id="replicates"' in html
    assert "could not be made" not in html


def test_from_scores_with_sections_left_out(cranfield: Type) -> None:
    write_scores(matrix(), "scores.csv", layout="wide")
    done = cranfield("report", "scores.csv", "--resamples", "2000", "--skip", "standardisation", "--skip", "next")
    assert done.exit_code == 0, done.output
    html = Path("report.html").read_text()
    assert f"<h1>{Path.cwd().name}: 6 systems on 20 topics</h1>" in html  # a file called scores says nothing
    assert '<section id="standardisation"' not in html


def test_measures_without_a_common_system(cranfield: Type) -> None:
    rows = "".join(f"t{i},0.{i}5,0.{9 - i}\n" for i in range(1, 9))
    Path("x.AP.csv").write_text(f"topic,a,b\n{rows}")
    Path("y.csv").write_text(f"topic,c,d\n{rows}")
    done = cranfield("report", "x.AP.csv", "y.csv", "--resamples", "50")
    assert done.exit_code == 0, done.output
    view = json.loads(
        re.findall(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', Path("report.html").read_text())[0]
    )
    assert view["systems"] == ["a", "b"]
    assert [one["measure"] for one in view["measures"]] == ["AP"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("report qrels.txt", 2, "error: qrels.txt contains only judgments. Add the runs after it, or give score files."),
        ("report runs qrels.txt", 2, "is a run. Put the qrels file first: cranfield report QRELS RUN..."),
        ("report qrels.txt runs -o page.pdf", 2, "error: a report is an HTML file; end page.pdf in .html."),
        ("report qrels.txt runs -o no/page.html", 1, "error: no/page.html: cannot be written: there is no directory no"),
        ("report qrels.txt runs --skip data --skip dta", 2, "Error: Invalid value for '--skip': 'dta' is not one of 'data'"),
        ("report nothing.csv", 1, "error: nothing.csv: no such file; check the name"),
    ],
)  # fmt: skip
def test_bad_usage(cranfield: Type, collection: None, words: str, code: int, said: str) -> None:
    done = cranfield(*words.split())
    assert done.exit_code == code
    assert said in done.stderr
    assert not Path("report.html").exists()
