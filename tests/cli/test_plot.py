"""``--plot`` and ``--chart``: a file beside the table, and clear words when it cannot be drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chart_support import family_matrices, matrix, spec_data, title
from cranfield import ScoreMatrix, write_scores
from support import Type


@pytest.fixture
def scores(cranfield: Type) -> Path:
    x = matrix()
    write_scores(ScoreMatrix(x.values, x.topics, x.systems, "AP"), "scores.csv", layout="wide")
    return Path("scores.csv")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("variance scores.csv --anova", "account"),
        ("compare scores.csv --resamples 2000", "of 15 pairs of systems differ significantly"),
        ("compare scores.csv --resamples 2000 --baseline s1", "of 5 systems differ significantly from s1"),
        ("compare scores.csv --resamples 2000 --chart leaderboard", "leads"),
        ("leaderboard scores.csv --resamples 2000 --chart pairs", "of 15 pairs"),
    ],
)
def test_settings_decide_what_is_drawn(cranfield: Type, scores: Path, words: str, found: str) -> None:
    """That every command draws is tested with the examples of all questions."""
    first = matrix().systems[0]
    words = words.replace("--baseline s1", f"--baseline {first}")
    done = cranfield(*words.split(), "--plot", "figure.json")
    assert done.exit_code == 0, done.output
    assert "wrote figure.json" in done.stderr
    spec = json.loads(Path("figure.json").read_text())
    assert found.replace("from s1", f"from {first}") in title(spec)
    assert spec_data(spec)


def test_one_pair_is_drawn_topic_by_topic(cranfield: Type) -> None:
    x = matrix()
    write_scores(x.select(systems=x.systems[:2]), "two.csv", layout="wide")
    assert cranfield("compare", "two.csv", "--resamples", "500", "--plot", "pair.json").exit_code == 0
    assert len(spec_data(json.loads(Path("pair.json").read_text()))[0]) == 20


def test_a_file_is_drawn_by_its_ending(cranfield: Type, scores: Path) -> None:
    assert cranfield("variance", "scores.csv", "--plot", "figure.svg").exit_code == 0
    assert Path("figure.svg").read_text().startswith("<svg")


def test_tune(cranfield: Type) -> None:
    write_scores(family_matrices()["bm25"], "bm25.csv", layout="wide")
    assert cranfield("tune", "bm25.csv", "--plot", "curve.pdf").exit_code == 0
    assert Path("curve.pdf").read_bytes().startswith(b"%PDF")


def test_what_cannot_be_drawn(cranfield: Type, scores: Path) -> None:
    done = cranfield("compare", "scores.csv", "--plot", "figure.gif")
    assert done.exit_code == 2
    assert "cannot draw to figure.gif: end the name in .svg, .png, .pdf, .html, .json." in " ".join(done.stderr.split())
    done = cranfield("compare", "scores.csv", "--resamples", "500", "--chart", "pairs")
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (
        2,
        "error: --chart pairs needs a file to draw to; add --plot FILE.",
    )
    done = cranfield("compare", "scores.csv", "--resamples", "500", "--plot", "a.svg", "--chart", "piars")
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (2, "error: unknown chart 'piars'. Did you mean 'pairs'?")
    assert not Path("a.svg").exists()
