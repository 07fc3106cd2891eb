"""Names that a spreadsheet would run: inert in answers, exact in score files that are read again."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from cranfield import ScoreMatrix, make_scores, read_scores, write_scores
from cranfield.cli.main import app
from cranfield.core.answer import answer
from cranfield.core.formats import render, to_csv
from cranfield.core.tables import Sheet
from cranfield.questions.compare.compare import compare

NAMES = ("=1+1", "+sum", "-x", "@cmd", "bm25")
X = ScoreMatrix(make_scores(n_topics=8, n_systems=5, seed=1).values.clip(0, 1), [str(i) for i in range(8)], NAMES, "AP")


@pytest.mark.parametrize(("format", "separator"), [("csv", ","), ("tsv", "\t")])
@pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
def test_answers_hold_no_formula(format: str, separator: str) -> None:
    said = answer(compare(X, n_resamples=100))
    seen = set()
    for name in said.sheets:
        for row in csv.reader(io.StringIO(render(said.sheet(name), format)), delimiter=separator):
            seen |= set(row)
            for cell in row:
                if cell.startswith(("=", "+", "-", "@")):
                    float(cell)  # numbers may be negative
    assert {"'=1+1", "'+sum", "'-x", "'@cmd", "bm25"} <= seen


def test_headers_and_odd_cells() -> None:
    rows = pl.DataFrame({"=A1": ["-1e-3", "\t=1", "-", None], "n": [-1.5, 2.0, 3.0, None]})
    assert to_csv(rows) == "'=A1,n\n-1e-3,-1.5\n'\t=1,2.0\n'-,3.0\n,\n"
    assert render(Sheet("x", rows, read_back=True), "csv").startswith("=A1,n\n-1e-3,")


@pytest.mark.parametrize("layout", ["long", "wide"])
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_score_files_read_back_with_their_names(tmp_path: Path, layout: str, ending: str) -> None:
    path = tmp_path / f"past.AP.{ending}"
    write_scores(X, path, layout=layout)
    assert read_scores(path)["AP"] == X


def test_evaluated_scores_read_back_with_their_names(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("".join(f"{t} 0 d{d} {d % 2}\n" for t in range(4) for d in range(4)))
    for name in NAMES:
        lines = [f"{t} Q0 d{d} {d + 1} {9 - d} x\n" for t in range(4) for d in range(4)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    runs = [str(tmp_path / f"{name}.run") for name in NAMES]
    out = tmp_path / "scores.csv"
    words = ["evaluate", str(tmp_path / "qrels"), *runs, "-m", "AP", "-q", "-o", str(out)]
    done = CliRunner().invoke(app, words, prog_name="cranfield")
    assert done.exit_code == 0, done.output
    assert set(read_scores(out)["AP"].systems) == set(NAMES)
