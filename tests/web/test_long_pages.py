"""Replicates, tuning and report: progress, cancelling, and the library's own results."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from apart import add, die, endless, fail
from cranfield import HoldOut, ScoreMatrix, make_sample, replicate, tune, write_qrels, write_run
from cranfield.core.errors import DataError
from cranfield.core.executors import run_isolated
from cranfield.core.tables import steady_rows
from cranfield.web.server.app import create_app
from cranfield.web.server.security import Limits
from cranfield.web.server.service import Cancelled
from web_page import HERE, QRELS, Client, ask, run, scores


@pytest.fixture(scope="module")
def runs(client: Client) -> str:
    files = [("files", ("qrels.txt", QRELS)), *(("files", (f"{s}.run", run(s, k))) for k, s in enumerate("abc"))]
    return str(client.post("/api/data", files=files).json()["id"])


@pytest.fixture
def hasty() -> Iterator[Client]:
    """A server that shows progress at once instead of waiting a little."""
    with Client(create_app(limits=Limits(patience=0.0)), base_url=HERE, follow_redirects=False) as asked:
        yield asked


def test_replicates_are_the_librarys(client: Client, tmp_path: Path) -> None:
    sample = make_sample(n_topics=15, n_systems=4, n_documents=500, depth=20, length=50)
    write_qrels(sample.qrels, tmp_path / "qrels.txt")
    for one in sample.runs:
        write_run(one, tmp_path / f"{one.system}.run")
    paths = sorted(tmp_path.iterdir())
    sent = client.post("/api/data", files=[("files", (path.name, path.read_bytes())) for path in paths])
    query = f"data={sent.json()['id']}&splits=2&resamples=300&published=true"
    found = ask(client, f"/api/replicates?{query}")
    theirs = replicate(sample.qrels, sample.runs, "AP", n_splits=2, n_resamples=300, published=True)
    assert found["rows"] == steady_rows(theirs.to_frame("systems")).to_dicts()
    assert found["tables"]["pairs"] == steady_rows(theirs.to_frame("pairs")).to_dicts()
    assert found["signature"] == theirs.signature
    assert found["command_line"][-1] == ("cranfield replicates qrels.txt files/ --splits 2 --published --resamples 300")
    assert client.get(f"/files/replicates/effects.svg?{query}").text.startswith("<svg")
    assert client.get(f"/files/replicates/agreement.csv?{query}").text.startswith("measure,agreement,pairs,share")


def test_replicates_need_runs(client: Client, runs: str) -> None:
    past = client.post("/api/data", files={"files": ("past.AP.csv", scores())}).json()["id"]
    answer = client.get(f"/api/replicates?data={past}&splits=2")
    assert (answer.status_code, answer.json()) == (
        400,
        {"error": "past.AP holds scores, not judgments. Upload runs with their qrels file."},
    )
    assert client.get(f"/api/replicates?data={runs}&splits=2&resamples=50&partitions=1").status_code == 400


def test_long_work_starts_when_it_is_asked_for(client: Client) -> None:
    for address in ("/report", "/report?data=sample"):
        page = client.get(address)
        assert page.status_code == 200
        assert "This takes a" in page.text
    assert "Choose data" in client.get("/replicates").text
    assert 'data-job="' in client.get("/replicates?data=sample&splits=100&resamples=100000").text


def test_progress_is_shown_and_cancelling_stops_it(hasty: Client) -> None:
    address = "/replicates?data=sample&splits=100&resamples=100000"
    page = hasty.get(f"{address}&start=yes")
    assert page.status_code == 200
    assert 'http-equiv="refresh"' in page.text
    (id,) = [part.split('"')[0] for part in page.text.split('data-job="')[1:]]
    end = time.monotonic() + 60
    while (job := hasty.get(f"/api/jobs/{id}").json())["done"] == 0 and time.monotonic() < end:
        time.sleep(0.02)
    assert job["state"] == "running"
    assert 0 < job["done"] <= job["total"]
    assert hasty.get("/design").status_code == 200
    assert hasty.get(f"/api/jobs/{id}").json()["state"] == "running", "the page answers meanwhile"
    back = hasty.post(f"/jobs/{id}/cancel", params={"back": address}).headers["location"]
    assert back == f"{address}&start=cancelled"
    while (job := hasty.get(f"/api/jobs/{id}").json())["state"] == "running" and time.monotonic() < end:
        time.sleep(0.05)
    assert job["state"] == "cancelled"
    assert "Cancelled. Submit the form to start again." in hasty.get(back).text
    assert hasty.delete("/api/jobs/none").json() == {"error": "unknown job 'none'. There is no job at all."}


def test_an_upload_that_takes_long_says_where_it_will_be(hasty: Client) -> None:
    answer = hasty.post("/api/data", files={"files": ("past.AP.csv", scores())})
    assert answer.status_code in (201, 202)
    id = answer.json()["data" if answer.status_code == 202 else "id"]
    assert answer.headers["location"] == f"/api/data/{id}"
    assert ask(hasty, f"/api/data/{id}")["measures"] == ["AP"]


def test_tuning_is_the_librarys(client: Client) -> None:
    names = [f"ql(mu={mu})" for mu in (100, 500, 1000)]
    text = scores(systems=3, topics=20, seed=2).replace("s0,s1,s2", ",".join(f'"{name}"' for name in names))
    data = client.post("/api/data", files={"files": ("ql.AP.csv", text)}).json()["id"]
    found = ask(client, f"/api/tuning?data={data}&holdout=0.3&repeats=4&resamples=100")
    rows = [line.split(",") for line in text.splitlines()[1:]]
    values = [[float(cell) for cell in row[1:]] for row in rows]
    matrix = ScoreMatrix(values, [row[0] for row in rows], names, "AP")
    theirs = tune({"ql": matrix}, HoldOut(0.3, 4))
    assert found["rows"] == [{"measure": "AP", **row} for row in steady_rows(theirs.by_family()).to_dicts()]
    assert found["tables"]["folds"] == [{"measure": "AP", **row} for row in steady_rows(theirs.to_frame()).to_dicts()]
    assert found["command_line"] == ["cranfield tune ql.AP.csv --holdout 0.3 --repeats 4 --resamples 100"]
    assert found["python"][-1] == "tune(families, holdout=0.3, n_repeats=4)"
    query = f"data={data}&holdout=0.3&repeats=4&resamples=100"
    assert client.get(f"/tuning?{query}").status_code == 200
    assert client.get(f"/files/tuning/curve-chart.svg?{query}").text.startswith("<svg")
    refused = client.get(f"/api/tuning?data={data}&folds=1")
    assert refused.status_code == 400
    assert refused.json()["error"] == "`folds` must be a whole number of at least 2; got 1. Write 2."


def test_a_report_is_built_and_downloaded(client: Client) -> None:
    past = client.post("/api/data", files={"files": ("past.AP.csv", scores(systems=4, topics=15))}).json()["id"]
    query = f"data={past}&title=Our+track&resamples=500&skip=standardisation"
    found = ask(client, f"/api/report?{query}")
    assert found["headline"] == "Our track"
    assert found["command_line"] == [
        "cranfield report past.AP.csv --skip standardisation --title 'Our track' --resamples 500"
    ]
    page = client.get(f"/report?{query}&start=yes").text
    assert "Download the report" in page
    file = client.get(f"/files/report/report.html?{query}")
    assert file.text.startswith("<!doctype html>")
    assert "Our track" in file.text
    assert "sandbox" in file.headers["content-security-policy"]
    refused = client.get(f"/api/report?data={past}&skip=everything")
    assert refused.status_code == 400
    assert refused.json()["error"].startswith("unknown section 'everything'.")


def test_work_apart_answers_fails_dies_and_stops() -> None:
    seen: list[tuple[int, int]] = []
    assert run_isolated(add, 1, 2, progress=lambda *step: seen.append(step)) == 3
    assert (1, 2) in seen
    with pytest.raises(DataError, match="no good"):
        run_isolated(fail, progress=lambda *step: None)
    with pytest.raises(DataError, match="the computation ended without a result, perhaps for lack of memory"):
        run_isolated(die, progress=lambda *step: None)

    def stop(done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        run_isolated(endless, progress=stop)
