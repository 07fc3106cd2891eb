"""One question, one answer: library, command line, page, report and cost say the same number of topics."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.cli.main import app
from cranfield.web.server.app import create_app
from web_page import HERE, Client, ask

SYSTEMS, MIN_DIFF = 12, 0.2
ASKED = ["--systems", str(SYSTEMS), "--min-diff", str(MIN_DIFF)]


@pytest.fixture(scope="module")
def sample() -> Any:
    return cf.make_sample(n_topics=30, n_systems=12, n_documents=800, depth=50, length=60)


@pytest.fixture(scope="module")
def scores(sample: Any) -> cf.ScoreMatrix:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cf.evaluate(sample.qrels, sample.runs, ["AP"]).only()


@pytest.fixture(scope="module")
def place(sample: Any, scores: cf.ScoreMatrix, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("doors")
    cf.write_scores(scores, path / "past.AP.csv")
    sample.write(path / "sample")
    return path


def typed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The JSON that a command prints."""
    with pytest.raises(SystemExit) as end:
        app([*words, "--format", "json"], prog_name="cranfield")
    assert not end.value.code
    return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]


def corrected(rows: list[dict[str, Any]]) -> int:
    """The size for t-tests with Holm's correction, below that for max-t."""
    return next(int(row["topics"]) for row in rows if row["design"] == "all pairs, corrected")


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_all_pairs_everywhere(
    capsys: pytest.CaptureFixture[str], place: Path, sample: Any, scores: cf.ScoreMatrix
) -> None:
    past = str(place / "past.AP.csv")
    numbers = {
        "recommend": cf.recommend(scores, SYSTEMS, MIN_DIFF).rows.filter(design="all pairs, corrected")["topics"][0],
        "design_all_pairs": cf.design_all_pairs(scores, SYSTEMS, MIN_DIFF).n_topics,
        "of an estimate": cf.design_all_pairs(cf.estimate_variance(scores, "residual"), SYSTEMS, MIN_DIFF).n_topics,
        "design recommend": corrected(typed(capsys, "design", "recommend", past, *ASKED)["rows"]),
        "design pairs": typed(capsys, "design", "pairs", "--scores", past, *ASKED)["rows"][0]["topics"],
        "cost": cf.cost([(sample.qrels, sample.runs)], ["AP"], [50], n_systems=SYSTEMS, min_diff=MIN_DIFF).rows[
            "topics"
        ][0],
        "cranfield cost": typed(
            capsys, "cost", str(place / "sample" / "qrels.txt"), str(place / "sample" / "runs"), "-m", "AP", "--depth",
            "50", *ASKED,
        )["rows"][0]["topics"],
    }  # fmt: skip
    with Client(create_app(), base_url=HERE) as client:
        told = client.post("/api/data", files=[("files", ("past.AP.csv", Path(past).read_bytes()))]).json()
        data = told.get("data") or told["id"]
        asked = f"systems={SYSTEMS}&min_diff={MIN_DIFF}&data={data}"
        numbers["page, design"] = ask(client, f"/api/design?kind=pairs&{asked}")["rows"][0]["topics"]
        numbers["page, recommend"] = corrected(ask(client, f"/api/design?kind=recommend&{asked}")["rows"])
    assert len(set(numbers.values())) == 1, numbers


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_one_f_test_everywhere(
    capsys: pytest.CaptureFixture[str], place: Path, sample: Any, scores: cf.ScoreMatrix
) -> None:
    past = str(place / "past.AP.csv")
    advice = cf.recommend(scores, SYSTEMS, MIN_DIFF).rows.filter(design="blocked ANOVA, unbiased ε")
    priced = cf.cost([(sample.qrels, sample.runs)], ["AP"], [50], n_systems=SYSTEMS, min_diff=MIN_DIFF, blocked=True)
    design = cf.design_anova(scores, SYSTEMS, MIN_DIFF)
    numbers = {
        "recommend": advice["topics"].item(),
        "design_anova": design.n_topics,
        "blocked": cf.design_anova(scores, SYSTEMS, MIN_DIFF, blocked=True).n_topics,
        "epsilon past": cf.design_anova(scores, SYSTEMS, MIN_DIFF, epsilon="past").n_topics,
        "design anova": typed(capsys, "design", "anova", "--scores", past, *ASKED)["rows"][0]["topics"],
        "design anova --blocked": typed(capsys, "design", "anova", "--blocked", "--scores", past, *ASKED)["rows"][0][
            "topics"
        ],
        "cost": priced.rows["topics"][0],
    }
    assert len(set(numbers.values())) == 1, numbers
    assert design.only("topics_lower") == advice["topics_lower"].item()
    assert design.only("topics_upper") == advice["topics_upper"].item()


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_the_papers_design_everywhere(capsys: pytest.CaptureFixture[str], place: Path, scores: cf.ScoreMatrix) -> None:
    past = str(place / "past.AP.csv")
    words = ["design", "anova", "--published", "--scores", past, *ASKED]
    advice = cf.recommend(scores, SYSTEMS, MIN_DIFF).rows
    numbers = {
        "recommend": advice.filter(design="one-way ANOVA, published")["topics"].item(),
        "design_anova": cf.design_anova(scores, SYSTEMS, MIN_DIFF, published=True).n_topics,
        "design anova": typed(capsys, *words)["rows"][0]["topics"],
    }
    assert len(set(numbers.values())) == 1, numbers
