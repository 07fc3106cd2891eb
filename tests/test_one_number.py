"""One question, one answer: compare, leaderboard, report, page and library say how many pairs differ, and the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cranfield import Comparison, ScoreMatrix, build_report, compare, make_scores, read_scores, write_scores
from cranfield.web.server.app import create_app
from support import SHARED, Type, counts, needs_shared
from web_page import HERE, Client, ask

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")


@pytest.fixture(scope="module")
def page() -> Iterator[Client]:
    with Client(create_app(), base_url=HERE, follow_redirects=False) as client:
        yield client


def said_everywhere(cranfield: Type, page: Client, file: Path) -> Comparison:
    """Ask all of them, hold them together, and give the library's answer."""
    scores = read_scores(file, measure="AP")
    result = compare(scores)
    here = {(int(result.significant.sum()), len(result.p))}
    best = f"{len(result.may_be_best)} systems may be the best (95%): {result.may_be_best[0]}"

    listed = cranfield("compare", str(file), "-m", "AP", "--format", "json")
    rows = json.loads(listed.stdout)["rows"]
    assert {(sum(row["significant"] for row in rows), len(rows))} == here
    board = cranfield("leaderboard", str(file), "-m", "AP")
    assert counts(board.stdout + board.stderr) == here
    assert best in board.stdout + board.stderr

    report = build_report(scores, skip=["standardisation", "next", "collection"])
    assert counts(re.sub(r"<[^>]+>", "", report.html)) == here
    assert best in report.headline

    with file.open("rb") as data:
        made = page.post("/api/data", files={"files": ("past.AP.csv", data.read())}).json()["id"]
    answer = ask(page, f"/api/compare?data={made}", 120)
    assert answer["signature"] == result.signature
    assert {(sum(row["significant"] for row in answer["rows"]), len(answer["rows"]))} == here
    shown = page.get(f"/compare?data={made}").text
    assert counts(shown) == here
    assert best in shown
    return result


def test_on_forty_synthetic_systems(cranfield: Type, page: Client, tmp_path: Path) -> None:
    file = tmp_path / "past.AP.csv"
    x = make_scores(50, 40, system_effects=[0.01 * j for j in range(40)])
    write_scores(ScoreMatrix(x.values.clip(0, 1), x.topics, x.systems), file, layout="wide")
    result = said_everywhere(cranfield, page, file)
    assert result.test == "max-t"
    assert result.significant.mean() > 0.2


@needs_shared
@pytest.mark.slow
def test_on_trec_8(cranfield: Type, page: Client) -> None:
    result = said_everywhere(cranfield, page, SHARED / "data/matrices/trec8-adhoc.AP.csv")
    assert result.significant.sum() == 3369
    assert len(result.may_be_best) == 4
