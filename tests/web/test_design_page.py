"""The design page and /api/design give what the library gives, and say how to get it elsewhere."""

from __future__ import annotations

import io
import json
import shlex
from typing import Any

import pytest

from cranfield import design_all_pairs, design_anova, design_interval, design_ttest
from cranfield.core.tables import steady, steady_rows
from support import Type
from web_page import Client, ask, scores

ROBUST = "/api/design?kind=anova&published=true&variance=0.0530&systems=10&min_diff=0.10"


def test_the_first_visit_shows_a_worked_example(client: Client) -> None:
    page = client.get("/design").text
    n = design_all_pairs(0.025, 20, 0.10).n_topics
    assert f'<h2 id="answer" class="headline">{n} topics</h2>' in page
    assert "cranfield design pairs --variance-of-difference 0.025 --systems 20 --min-diff 0.1 --power 0.8" in page
    assert f"With {n} topics, corrected tests of all pairs detect a difference of 0.1 between two of 20 systems" in page
    assert "Power is the mean over pairs." in page
    baseline = client.get("/design?variance_of_difference=0.025&systems=20&min_diff=0.1&baseline=true").text
    assert "topics, corrected comparisons with a baseline detect a difference" in baseline
    papers = client.get("/design?kind=anova&published=true&variance=0.0530&systems=10&min_diff=0.10").text
    assert "The published approximation gives 166." in papers  # EVIA 2014 Table 4


def test_a_collection_is_planned_for_as_many_systems_as_it_has(client: Client) -> None:
    """As the report does, unless the address says otherwise."""
    sent = client.post("/api/data", files={"files": ("past.AP.csv", scores(systems=6))}).json()["id"]
    ask(client, f"/api/design?data={sent}&kind=recommend&systems=6&min_diff=0.10")
    assert 'name="systems" value="6"' in client.get(f"/design?data={sent}").text
    assert 'name="systems" value="4"' in client.get(f"/design?data={sent}&systems=4&min_diff=0.1").text
    assert 'name="systems" value="20"' in client.get("/design").text
    assert client.get("/design?data=none").status_code == 404


def test_methods_stand_side_by_side(client: Client) -> None:
    rows = ask(client, ROBUST)["rows"]
    assert [(row["method"], row["topics"]) for row in rows] == [
        (method, design_anova(0.0530, 10, 0.10, method=method, published=True).n_topics)  # type: ignore[arg-type]
        for method in ("exact", "published", "approximate")
    ]
    assert len(ask(client, ROBUST + "&method=published")["rows"]) == 1


def test_the_question_turned_round(client: Client) -> None:
    found = ask(
        client, "/api/design?kind=anova&published=true&variance=0.0530&systems=10&topics=50&find=min_diff&min_diff=9"
    )
    assert found["rows"][0]["min_diff"] == steady(design_anova(0.0530, 10, n_topics=50, blocked=False).min_diff)
    assert found["headline"] == "A difference of 0.184"
    power = ask(client, "/api/design?kind=anova&variance=0.0530&systems=10&topics=50&min_diff=0.1&find=power")
    assert power["rows"][0]["achieved_power"] == steady(design_anova(0.0530, 10, 0.1, n_topics=50).achieved_power)
    most = ask(client, "/api/design?kind=anova&variance=0.0530&topics=150&min_diff=0.1&find=systems")
    assert most["rows"][0]["systems"] == design_anova(0.0530, min_diff=0.1, n_topics=150).n_systems


def test_pairs_and_intervals(client: Client) -> None:
    paired = ask(client, "/api/design?kind=ttest&variance_of_difference=0.042941&min_diff=0.05")
    assert paired["rows"][0]["topics"] == design_ttest(0.042941, 0.05).n_topics == 137
    doubled = ask(client, "/api/design?kind=ttest&variance=0.0214705&min_diff=0.05")
    assert doubled["rows"][0]["topics"] == 137
    width = ask(client, "/api/design?kind=interval&variance_of_difference=0.0441&width=0.10")
    assert width["rows"][0]["topics"] == design_interval(0.0441, 0.10).n_topics == 70  # RD-003 Table 3
    apart = ask(client, "/api/design?kind=ttest&two_sample=true&variance=0.0601&min_diff=0.02")
    assert apart["rows"][0]["topics"] == 2360


def test_a_grid_by_commas(client: Client) -> None:
    rows = ask(client, "/api/design?variance=0.05&systems=5,10&min_diff=0.1&min_diff=0.2&method=exact")["rows"]
    assert [(row["systems"], row["min_diff"]) for row in rows] == [(5, 0.1), (5, 0.2), (10, 0.1), (10, 0.2)]


def test_from_data_every_estimate_is_shown(client: Client) -> None:
    found = client.post("/api/data", files={"files": ("past.AP.csv", scores(systems=6, topics=30))}).json()
    answer = ask(client, f"/api/design?kind=anova&data={found['id']}&systems=6&min_diff=0.2")
    assert {row["estimator"] for row in answer["rows"]} == {"residual"}
    assert [row["estimator"] for row in answer["tables"]["estimators"]] == [
        "residual", "within", "one_way", "two_way", "percentile95",
    ]  # fmt: skip
    assert answer["rows"][0]["topics_lower"] <= answer["rows"][0]["topics"] <= answer["rows"][0]["topics_upper"]
    assert "cranfield design anova --scores past.AP.csv --min-diff 0.2 --systems 6" in answer["command_line"]


def test_files_nobody_has_looked_at_are_read_for_the_design(client: Client) -> None:
    service = client.app.state.service  # type: ignore[attr-defined]
    unread = service.store.add([("unread.AP.csv", io.BytesIO(scores(seed=2).encode()), 1)])
    assert unread.peek() is None
    answer = ask(client, f"/api/design?data={unread.id}&systems=6&min_diff=0.2")
    assert "cranfield design pairs --scores unread.AP.csv" in answer["command_line"][0]
    wrong = service.store.add([("wrong.AP.csv", io.BytesIO(b"topic,a,b\n1,high,0.2\n"), 1)])
    refused = client.get(f"/api/design?data={wrong.id}&systems=6&min_diff=0.2")
    assert refused.status_code == 409
    assert "problem in the files of wrong.AP.csv" in refused.json()["error"]


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ("variance=0.05&systems=10&min_diff=0.1&power=80", 400, "`power` must be between 0 and 1; got 80. Write 0.8."),
        ("variance=0.05&systems=1&min_diff=0.1", 400, "`systems` must be a whole number of at least 2; got 1."),
        ("systems=10&min_diff=0.1", 400, "`variance_of_difference` is missing. Enter one, or choose data to estimate it from."),
        ("variance=x&systems=10&min_diff=0.1", 422, "`variance` must be a number; got 'x'."),
        (
            "variance=0.05&wat=1", 422,
            "`wat` is not a setting of this page; the settings are data, kind, find, systems, min_diff, baseline, power, "
            "assurance, alpha, budget, measure, seed, estimator, topics, variance_of_difference, variance, width, "
            "two_sample, method, published.",
        ),
        ("kind=recommend&systems=5", 400, "`data` is missing. Choose past scores, or another `kind` and a variance."),
        ("kind=ttest&find=systems&variance=0.1", 400, "`find` must be one of min_diff, topics, power for ttest; got systems."),
        (
            "variance=0.05&find=min_diff&systems=5", 400,
            "`topics` is missing. Enter the number of topics to find `min_diff`.",
        ),
        (
            "kind=ttest&variance=0.05&variance_of_difference=0.1&min_diff=0.1", 400,
            "`variance` and `variance_of_difference` are both given. Remove one of them.",
        ),
        (
            "variance=1,2,3,4,5,6,7,8,9,10,11,12&systems=2,3,4,5,6,7,8,9,10,11,12&min_diff=1,2,3,4,5,6,7,8,9&power=.7,.8",
            400, "the grid has 2,376 cells; the limit is 1,000. Enter fewer values.",
        ),
        (
            "data=gone&systems=5&min_diff=0.1", 404,
            "no dataset 'gone' on this server. Upload its files again, and this address works: the same files get the "
            "same id.",
        ),
    ],
)  # fmt: skip
def test_errors_in_words(client: Client, query: str, status: int, message: str) -> None:
    answer = client.get(f"/api/design?{query}")
    assert (answer.status_code, answer.json()) == (status, {"error": message})
    page = client.get(f"/design?{query}")
    assert page.status_code == status
    assert 'role="alert"' in page.text


def test_the_form_shows_what_was_typed(client: Client) -> None:
    page = client.get("/design?kind=ttest&variance_of_difference=x<y&min_diff=0.1").text
    assert 'value="x&lt;y"' in page
    assert "“Variance of the difference of two systems (σₜ²)” must be a number; got &#39;x&lt;y&#39;." in page
    assert 'value="ttest" checked' in page


@pytest.mark.parametrize(
    "query",
    [
        "variance=0.0530&systems=10&min_diff=0.10",
        "variance=0.0530&systems=10,20&topics=50&find=min_diff&alpha=0.01",
        "variance=0.0125&systems=10&min_diff=0.10&baseline=true&power=0.9",
        "kind=anova&variance=0.0125&systems=10&min_diff=0.10&power=0.9",
        "kind=anova&variance=0.0125&systems=10&min_diff=0.10&published=true&power=0.9&method=published",
        "kind=ttest&variance_of_difference=0.0429&min_diff=0.05",
        "kind=ttest&variance=0.0601&min_diff=0.02&two_sample=true",
        "kind=interval&variance_of_difference=0.0441&width=0.1",
        "kind=interval&variance=0.047&topics=50&find=width&two_sample=true",
    ],
)
def test_the_command_and_the_call_give_the_same(client: Client, cranfield: Type, query: str) -> None:
    found = ask(client, f"/api/design?{query}")
    command = found["command_line"][-1]
    printed = json.loads(cranfield(*shlex.split(command)[1:], "--format", "json").stdout)
    methods = {row.get("method") for row in printed["rows"]}
    same = [row for row in found["rows"] if row.get("method") in methods]
    assert same == printed["rows"]
    names: dict[str, Any] = {}
    exec(found["python"][0], names)
    assert steady_rows(eval(found["python"][-1], names).to_frame()).to_dicts() == same


def test_downloads(client: Client) -> None:
    query = "kind=anova&variance=0.0530&systems=10&min_diff=0.10"
    csv = client.get(f"/files/design/design.csv?{query}")
    assert csv.headers["content-type"] == "text/csv; charset=utf-8"
    assert csv.text.splitlines()[0] == "method,blocked,variance,systems,min_diff,alpha,power,topics,achieved_power"
    assert json.loads(client.get(f"/files/design/design.json?{query}").text)["command"] == "design anova"
    assert r"\begin{tabular}" in client.get(f"/files/design/design.tex?{query}").text
    assert client.get(f"/files/design/design.md?{query}").text.startswith("| method")
    for name, status in [("nothing.csv", 400), ("design.exe", 400), ("power.png", 400), ("nothing.svg", 400)]:
        assert client.get(f"/files/design/{name}?{query}").status_code == status
    assert client.get(f"/files/nothing/design.csv?{query}").status_code == 400


def test_a_chart_that_cannot_be_drawn_says_why_in_its_place(client: Client) -> None:
    grid = "variance=0.0369&topics=3,20&min_diff=0.15&power=0.5&find=systems"
    assert client.get(f"/files/design/systems.svg?{grid}").status_code == 200  # of the cells that have an answer
    tiny = "kind=interval&variance=3&two_sample=true&topics=2&find=width"
    direct = client.get(f"/files/design/power.svg?{tiny}")
    shown = client.get(f"/files/design/power.svg?{tiny}", headers={"sec-fetch-dest": "image"})
    assert (direct.status_code, shown.status_code) == (400, 200)
    assert "This chart cannot be drawn" in shown.text


def test_charts(client: Client) -> None:
    query = "variance=0.0530&systems=10&min_diff=0.10"
    image = client.get(f"/files/design/power.svg?{query}")
    assert image.headers["content-type"] == "image/svg+xml"
    assert image.text.startswith("<svg")
    assert "sandbox" in image.headers["content-security-policy"]
    assert client.get(f"/files/design/systems.pdf?{query}").content.startswith(b"%PDF")
