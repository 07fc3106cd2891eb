"""Without the packages that draw, everything else works, and a message names the extra."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
sys.modules["altair"] = sys.modules["vl_convert"] = None
from cranfield.__main__ import main
sys.argv = ["cranfield", *sys.argv[1:]]
main()
"""
ADVICE = (
    "error: charts and reports need altair and vl_convert. Install: pip install 'cranfield[charts]' "
    "(in a clone: pip install '.[charts]')\n"
)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    rows = (f"{s},{t},AP,{(3 * t + k) % 7 / 7}\n" for k, s in enumerate("ab") for t in range(6))
    path.write_text("system,topic,measure,value\n" + "".join(rows))
    return path


def said(folder: Path, *words: str) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-c", PROGRAM, *words], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_tables_need_no_charts(scores: Path) -> None:
    code, table, errors = said(scores.parent, "leaderboard", scores.name)
    assert (code, "rank" in table, "altair" in errors) == (0, True, False)


@pytest.mark.parametrize(
    "words",
    ["leaderboard scores.csv --plot a.svg", "report scores.csv -o a.html", "demo"],
    ids=["plot", "report", "demo"],
)
def test_what_draws_names_the_extra_before_it_works(scores: Path, words: str) -> None:
    assert said(scores.parent, *words.split()) == (2, "", ADVICE)
    assert [one.name for one in scores.parent.iterdir()] == [scores.name]


def test_python_names_the_extra(scores: Path) -> None:
    program = """
import sys
sys.modules["altair"] = None
import cranfield
result = cranfield.compare(cranfield.read_scores(sys.argv[1]), test="t")
for draw in (result.chart, lambda: cranfield.report):
    try:
        draw()
    except cranfield.CranfieldError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program, str(scores)], capture_output=True, text=True, check=True)
    expected = ADVICE.removeprefix("error: ").replace("altair and vl_convert", "altair")
    assert done.stdout == 2 * expected
