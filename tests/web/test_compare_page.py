"""Compare, pair and standardise: what the library finds, on the page, in the API and as files."""

from __future__ import annotations

import io
import json
import shlex
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cranfield import ScoreMatrix, compare, read_scores, standardisation_effect
from cranfield.core.tables import steady, steady_rows
from support import Type
from web_page import Client, ask, scores

TEXT = scores(systems=5, topics=40, seed=4)


@pytest.fixture(scope="module")
def data(client: Client) -> str:
    return str(client.post("/api/data", files={"files": ("past.AP.csv", TEXT)}).json()["id"])


@pytest.fixture
def matrix(tmp_path: Path) -> ScoreMatrix:
    file = tmp_path / "past.AP.csv"
    file.write_text(TEXT)
    return read_scores(file).only()


def test_the_page_shows_the_librarys_comparison(client: Client, data: str, matrix: ScoreMatrix) -> None:
    found = ask(client, f"/api/compare?data={data}&test=t&correction=bh")
    theirs = compare(matrix, test="t", correction="bh")
    pairs = steady_rows(theirs.to_frame().drop("effect_size_residual"))
    assert found["rows"] == [{"measure": "AP", **row} for row in pairs.to_dicts()]
    board = steady_rows(theirs.leaderboard()).to_dicts()
    assert found["tables"]["leaderboard"] == [{"measure": "AP", **row} for row in board]
    assert found["signature"] == theirs.signature
    page = client.get(f"/compare?data={data}&test=t&correction=bh").text
    assert theirs.headline in page
    assert theirs.best_text() in page
    assert f"/compare/pair?data={data}&amp;test=t&amp;correction=bh&amp;a=" in page


def test_baselines_and_seeds_reach_the_library(client: Client, data: str, matrix: ScoreMatrix) -> None:
    found = ask(client, f"/api/compare?data={data}&baseline=s1&alternative=greater&resamples=999&seed=7")
    theirs = compare(matrix, baseline="s1", alternative="greater", n_resamples=999, seed=7)
    assert [row["p"] for row in found["rows"]] == [steady(p) for p in theirs.p.tolist()]


def test_the_command_and_the_call_give_the_same(
    client: Client, cranfield: Type, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("past.AP.csv").write_text(TEXT)
    found = ask(client, f"/api/compare?data={data}&test=bootstrap&baseline=s1&resamples=500&alpha=0.1")
    assert found["command_line"] == [
        "cranfield compare past.AP.csv --test bootstrap --baseline s1 --alpha 0.1 --resamples 500"
    ]
    printed = json.loads(cranfield(*shlex.split(found["command_line"][-1])[1:], "--format", "json").stdout)
    assert [row["p"] for row in printed["rows"]] == [row["p"] for row in found["rows"]]
    names: dict[str, Any] = {}
    exec("\n".join(found["python"][:-1]), names)
    called = eval(found["python"][-1], names).p.tolist()
    assert [steady(p) for p in called] == [row["p"] for row in found["rows"]]


def test_a_pair_topic_by_topic(client: Client, data: str, matrix: ScoreMatrix) -> None:
    found = ask(client, f"/api/compare/pair?data={data}&test=t&a=s1&b=s2")
    difference = matrix.select(systems=["s1"]).values[:, 0] - matrix.select(systems=["s2"]).values[:, 0]
    assert sorted(row["difference"] for row in found["tables"]["topics"]) == sorted(map(steady, difference.tolist()))
    assert {found["rows"][0]["system_a"], found["rows"][0]["system_b"]} == {"s1", "s2"}
    page = client.get(f"/compare/pair?data={data}&test=t&a=s1&b=s2").text
    assert f"s1 beats s2 on {int((difference > 0).sum())} of 40 topics" in page
    alone = ask(client, f"/api/compare/pair?data={data}&test=t&baseline=s0&a=s1&b=s2")
    assert alone["headline"] == found["headline"]
    for query, message in [
        ("a=s1&b=s9", "unknown system 's9'. Did you mean 's4' or 's3' or 's2'?"),
        ("a=s1&b=s1", "a pair needs two systems; got 's1' twice. Choose another."),
    ]:
        assert client.get(f"/api/compare/pair?data={data}&test=t&{query}").json() == {"error": message}


def test_a_pair_by_any_of_the_measures_compared(client: Client, matrix: ScoreMatrix) -> None:
    """Every row of the comparison leads to its pair by its own measure, in the family that was compared."""
    lines = [
        f"{topic},{system},{measure},{value**power}"
        for power, measure in ((1, "AP"), (2, "RR"))
        for topic, row in zip(matrix.topics, matrix.values.tolist(), strict=True)
        for system, value in zip(matrix.systems, row, strict=True)
    ]
    text = "\n".join(["topic,system,measure,value", *lines, ""])
    data = client.post("/api/data", files={"files": ("two.csv", text)}).json()["id"]
    rows = ask(client, f"/api/compare?data={data}&test=t")["rows"]
    page = client.get(f"/compare?data={data}&test=t").text
    for row in (rows[0], rows[-1]):
        asked = f"data={data}&test=t&a={row['system_a']}&b={row['system_b']}&by={row['measure']}"
        assert f'href="/compare/pair?{asked.replace("&", "&amp;")}"' in page
        assert ask(client, f"/api/compare/pair?{asked}")["rows"] == [row]
    assert {rows[0]["measure"], rows[-1]["measure"]} == {"AP", "RR"}
    error = client.get(f"/api/compare/pair?data={data}&test=t&a=s1&b=s2&by=P").json()["error"]
    assert error == "unknown measure 'P'. Did you mean 'AP'?"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("baseline=s9", "unknown system 's9'. Did you mean 's4' or 's3' or 's2'?"),
        ("alpha=5", "`alpha` must be between 0 and 1; got 5. Write 0.05."),
        ("measure=nDCG", "unknown measure 'nDCG'. Known: AP."),
        ("test=tukey&correction=holm", "`correction` 'holm' cannot be added to tukey: its p-values are already adjusted. Leave the correction out."),
    ],
)  # fmt: skip
def test_errors_in_words(client: Client, data: str, query: str, message: str) -> None:
    answer = client.get(f"/api/compare?data={data}&{query}")
    assert (answer.status_code, answer.json()) == (400, {"error": message})
    assert client.get(f"/compare?data={data}&{query}").status_code == 400


def test_without_data_the_page_says_where_to_start(client: Client) -> None:
    page = client.get("/compare")
    assert page.status_code == 200
    assert "Choose data: the sample collection is one click away." in page.text


def test_downloads_are_complete(client: Client) -> None:
    many = client.post("/api/data", files={"files": ("many.csv", scores(systems=30, topics=10))}).json()["id"]
    address = f"compare?data={many}&test=t"
    assert "185 more rows are in the downloads." in client.get(f"/{address}").text
    rows = pl.read_csv(io.BytesIO(client.get(f"/files/compare/pairs.csv?data={many}&test=t").content))
    assert rows.height == 435
    assert r"\toprule" in client.get(f"/files/compare/leaderboard.tex?data={many}&test=t").text
    for name in ("leaderboard-chart.svg", "heat-map.svg", "differences.pdf"):
        assert client.get(f"/files/compare/{name}?data={many}&test=t").status_code == 200
    client.delete(f"/api/data/{many}")


def test_standardise(client: Client, data: str, matrix: ScoreMatrix) -> None:
    found = ask(client, f"/api/standardise?data={data}&to=cdf&resamples=200")
    theirs = standardisation_effect(matrix, to="cdf", n_resamples=200)
    assert found["rows"] == steady_rows(theirs.variance).to_dicts()
    assert found["tables"]["topics"] == steady_rows(theirs.topics_needed).to_dicts()
    assert len(found["tables"]["factors"]) == 40
    assert {row["measure"] for row in found["tables"]["scores"]} == {"std-CDF(AP)"}
    assert client.get(f"/standardise?data={data}&to=cdf&resamples=200").status_code == 200
    assert client.get(f"/files/standardise/effect-chart.svg?data={data}&to=cdf&resamples=200").status_code == 200
    assert client.get(f"/files/standardise/factors.csv?data={data}&to=cdf&resamples=200").text.startswith(
        "topic,measure,mean,sd"
    )
