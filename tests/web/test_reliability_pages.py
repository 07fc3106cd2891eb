"""The pages of reliability, monitor and reuse: batches in the order of the upload, teams by names, and bad questions."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest

from cranfield.web.server.app import create_app
from cranfield.web.server.security import Limits
from web_page import HERE, QRELS, Client, ask, run

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")


@pytest.fixture(scope="module")
def client():
    with Client(create_app(limits=Limits(patience=60.0)), base_url=HERE) as asked:
        yield asked


def upload(client: Client, *files: tuple[str, str]) -> str:
    answered = client.post("/api/data", files=[("files", file) for file in files])
    return str(answered.json()["id"])


def batch(first: int, count: int, systems: str = "abc") -> str:
    rng = np.random.default_rng(first)
    values = rng.normal([0.3, 0.3, 0.5][: len(systems)], 0.05, (count, len(systems)))
    lines = [",".join([str(first + k), *(f"{x:.3f}" for x in row)]) for k, row in enumerate(values)]
    return "\n".join([",".join(["topic", *systems]), *lines, ""])


def test_every_file_is_a_batch_in_the_order_of_the_upload(client: Client) -> None:
    data = upload(client, ("second.AP.csv", batch(1, 8)), ("first.AP.csv", batch(9, 12)))
    found = ask(client, f"/api/monitor?data={data}&looks=4")
    assert found["headline"].startswith("Go on: after 20 of 32 topics")
    assert sorted({row["topics"] for row in found["tables"]["looks"]}) == [8, 20]
    html = unescape(client.get(f"/monitor?data={data}&looks=4").text)
    assert "Can I stop adding topics?" in html
    assert "Paths and boundaries" in html
    assert re.search(r"cranfield monitor .*second.AP.csv.*first.AP.csv --looks 4", html)


def test_batches_of_other_systems_are_refused(client: Client) -> None:
    data = upload(client, ("one.AP.csv", batch(1, 8)), ("two.AP.csv", batch(9, 8, "ab")))
    answered = client.get(f"/api/monitor?data={data}")
    while answered.status_code == 202:
        answered = client.get(f"/api/monitor?data={data}")
    assert answered.status_code == 400
    assert "batch 2 and the first differ in 1 systems (c)" in answered.json()["error"]


def test_reliability_walks_from_form_to_answer(client: Client) -> None:
    form = client.get("/reliability").text
    for name in ("topics", "target", "drop", "alpha", "min_diff"):
        assert f'name="{name}"' in form
    data = upload(client, ("past.AP.csv", batch(1, 12)))
    found = ask(client, f"/api/reliability?data={data}&topics=12&topics=50&target=0.9")
    assert set(found["tables"]) == {"targets", "components", "views", "tau"}
    chart = client.get(f"/files/reliability/coefficients-chart.svg?data={data}&topics=12")
    assert chart.status_code == 200
    assert chart.text.lstrip().startswith("<svg")


def test_teams_are_told_by_names(client: Client) -> None:
    query = "data=sample&measure=AP&depth=10&resamples=20"
    found = ask(client, f"/api/reuse?{query}")
    teams = {row["team"] for row in found["tables"]["teams"]}
    assert teams
    assert all(team.isalpha() for team in teams)
    wrong = client.get(f"/api/reuse?{query}&team_ends=!")
    while wrong.status_code == 202:
        wrong = client.get(f"/api/reuse?{query}&team_ends=!")
    assert wrong.status_code == 200  # every run is a team of its own then
    scores = upload(client, ("past.AP.csv", batch(1, 12)))
    refused = client.get(f"/api/reuse?data={scores}&depth=10")
    while refused.status_code == 202:
        refused = client.get(f"/api/reuse?data={scores}&depth=10")
    assert refused.status_code == 400
    assert "holds scores, not judgments" in refused.json()["error"]


def test_a_run_without_a_team_is_told_with_the_field_to_change(client: Client) -> None:
    made = upload(client, ("qrels.txt", QRELS), ("a.run", run("-a", 1)), ("b.run", run("b-1", 2)))
    address = f"/api/reuse?data={made}&depth=5"
    while (refused := client.get(address)).status_code == 202:
        pass
    assert refused.status_code == 400
    assert refused.json()["error"] == (
        "no team is left of 1 run tag (-a): `team_ends` has the first character. Remove it from `team_ends`."
    )


def test_one_table_is_the_whole_plan_unless_more_is_said(client: Client) -> None:
    made = upload(client, ("past.AP.csv", batch(1, 30)))
    whole = ask(client, f"/api/monitor?data={made}")
    assert [row["topics"] for row in whole["tables"]["plan"]] == [6, 12, 18, 24, 30]
    assert all(row["made"] for row in whole["tables"]["plan"])
    assert whole["headline"].startswith("Stop: after 30 of 30 topics")
    assert "--per-look 6 --max-topics 30" in whole["command_line"][-1]
    more = ask(client, f"/api/monitor?data={made}&max_topics=60")
    assert [row["topics"] for row in more["tables"]["plan"]] == [30, 60]
    assert "after 30 of 60 topics" in more["headline"]
