"""The dataset page and its data: the view equals the API's comparison, and ranked lists have their grades."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cranfield.reports.view.data import unpack
from web_page import QRELS, Client, ask, run, scores

RUNS = {f"sys{k}": run(f"sys{k}", k) for k in range(4)}


@pytest.fixture(scope="module")
def judged(client: Client) -> str:
    teams = "".join(f"sys{k} team{k % 2}\n" for k in range(4))
    files = [("files", ("small/qrels.txt", QRELS)), ("files", ("small/teams.txt", teams))]
    files += [("files", (f"small/runs/{name}.run", text)) for name, text in RUNS.items()]
    answer = client.post("/api/data", files=files)
    assert answer.status_code == 201, answer.text
    assert answer.json()["problem"] == ""
    return str(answer.json()["id"])


def test_the_view_has_the_numbers_of_the_comparison(client: Client, judged: str) -> None:
    view = ask(client, f"/api/view?data={judged}&resamples=500")
    told, one = view["view"], view["view"]["measures"][0]
    compared = ask(client, f"/api/compare?data={judged}&measure=AP&resamples=500")
    pairs, board = compared["rows"], compared["tables"]["leaderboard"]
    names = [told["systems"][at] for at in one["order"]]
    assert names == [row["system"] for row in board]
    for name in ("rank", "mean", "lower", "upper", "rank_lower", "rank_upper"):
        assert one[name] == [row[name] for row in board]
        assert one[name] == [row[name] for row in view["rows"]]
    for name in ("difference", "lower", "upper", "p_adjusted"):
        assert unpack(one["pairs"][name]).tolist() == [float(np.float32(row[name])) for row in pairs]
    assert unpack(one["pairs"]["significant"], "u1").tolist() == [int(row["significant"]) for row in pairs]
    assert told["teams"] == ["team0", "team1", "team0", "team1"]
    assert told["agreement"]["measures"] == ["AP", "nDCG@10", "P@10"]


def test_the_page_says_the_findings_without_a_script(client: Client, judged: str) -> None:
    page = client.get(f"/data/{judged}").text
    view = ask(client, f"/api/view?data={judged}")["view"]
    assert view["title"] == "small"
    assert '<h2 id="view-title" class="view-title">small · 8 topics · 4 systems · 2 teams</h2>' in page
    for text in view["measures"][0]["sentences"]:
        assert text.replace("'", "&#39;").replace("&", "&amp;") in page
    assert f'data-source="/api/view?data={judged}"' in page
    assert '<th scope="col" class="number">rank</th>' in page


def test_what_was_retrieved_comes_with_grades(client: Client, judged: str) -> None:
    told = client.get(f"/api/data/{judged}/rankings?topic=1&system=sys1&system=sys0").json()
    assert told["systems"] == ["sys1", "sys0"]
    expected = [line.split()[2] for line in RUNS["sys1"].splitlines() if line.startswith("1 ")]
    assert [name for name, _ in told["lists"][0]] == expected
    assert all(grade == int(int(name[1:]) < 4) for name, grade in told["lists"][0])
    for address in ("topic=99&system=sys1", "topic=1&system=nobody"):
        answer = client.get(f"/api/data/{judged}/rankings?{address}")
        assert answer.status_code == 400
        assert "there is no" in answer.json()["error"] or "unknown" in answer.json()["error"], answer.json()


def test_scores_have_a_view_and_one_system_has_none(client: Client) -> None:
    for systems, expected in ((4, "data-source"), (1, "needs at least 2 systems")):
        answer = client.post("/api/data", files={"files": ("web2012.AP.csv", scores(systems))})
        page = client.get(f"/data/{answer.json()['id']}").text
        assert expected in page
        assert "12 topics" in page


def test_teams_that_cannot_be_read_are_a_problem(client: Client) -> None:
    files = [("files", ("past.AP.csv", scores(3, seed=8))), ("files", ("teams.csv", "s0 a\ns0 b\n"))]
    told = client.post("/api/data", files=files).json()
    assert told["files"][1]["kind"] == "teams"
    assert "already belongs to team" in told["files"][1]["error"]


def test_files_are_opened_where_they_lie(client: Client, tmp_path: Path) -> None:
    home = tmp_path / "track-7"
    (home / "runs").mkdir(parents=True)
    (home / "qrels.txt").write_text(QRELS)
    for name, text in RUNS.items():
        (home / "runs" / f"{name}.run").write_text(text)
    service = client.app.state.service  # type: ignore[attr-defined]
    files = [str(home / "qrels.txt"), *sorted(map(str, (home / "runs").iterdir()))]
    dataset = service.store.adopt(files, dict.fromkeys(RUNS, "one"))
    assert service.store.adopt(files) is dataset  # the same files have the same address
    service.prepare(dataset)
    view = ask(client, f"/api/view?data={dataset.id}")["view"]
    assert (view["title"], view["teams"]) == ("track-7", ["one"] * 4)
    assert not list(service.store.path.glob(dataset.id))
    service.remove(dataset.id)
    assert (home / "qrels.txt").read_text() == QRELS


def test_one_topic(client: Client, judged: str) -> None:
    """Scores by system, the place among the topics, and two ranked lists, recounted here."""
    told = ask(client, f"/api/topic?data={judged}&topic=3&a=sys2")
    rows = {row["system"]: row for row in told["rows"]}
    view = ask(client, f"/api/view?data={judged}&resamples=500")["view"]
    values = unpack(view["measures"][0]["scores"]).reshape(len(view["topics"]), -1)
    here, means = values[view["topics"].index("3")], values.mean(axis=1)
    for at, system in enumerate(view["systems"]):
        assert rows[system]["score"] == pytest.approx(float(here[at]), abs=1e-7)
        assert rows[system]["rank"] == 1 + int((here > here[at]).sum())
    topics = told["tables"]["topics"]
    assert [row["mean"] for row in topics] == pytest.approx(sorted(means.tolist()), abs=1e-7)
    assert topics[[row["topic"] for row in topics].index("3")]["relevant"] == 4
    place = [row["topic"] for row in topics].index("3")
    nth = ["the", "the 2nd", "the 3rd", *(f"the {k}th" for k in range(4, 9))][place]
    assert told["headline"] == f"Topic 3: mean AP {topics[place]['mean']:.4f}, {nth} hardest of 8 topics"
    documents = told["tables"]["documents"]
    assert [row["document_a"] for row in documents] == [
        line.split()[2] for line in RUNS["sys2"].splitlines() if line.startswith("3 ")
    ]
    assert {row["grade_b"] for row in documents} <= {"0", "1", "unjudged"}
    assert told["command_line"][-1].endswith("-o scores.csv")  # which is what the Python beside it reads
    assert "read_scores('scores.csv')" in "".join(told["python"])
    page = client.get(f"/topic?data={judged}&topic=3&a=sys2").text
    assert "<option selected>3</option>" in page
    assert f'/topic?data={judged}&amp;a=sys2&amp;topic=1"' in page
    assert f'<a href="/topic?data={judged}&amp;topic=3">3</a>' in client.get(f"/data/{judged}").text
    for query, message in [("topic=33", "unknown topic '33'. Did you mean '3'?"), ("topic=3&a=sys9", "unknown system")]:
        assert client.get(f"/api/topic?data={judged}&{query}").json()["error"].startswith(message)


def test_a_topic_of_scores_has_no_documents(client: Client) -> None:
    data = client.post("/api/data", files={"files": ("x.AP.csv", scores())}).json()["id"]
    told = ask(client, f"/api/topic?data={data}&topic=2")
    assert list(told["tables"]) == ["topics"]
    assert "What" not in client.get(f"/topic?data={data}&topic=2").text.split("<h2")[1]
