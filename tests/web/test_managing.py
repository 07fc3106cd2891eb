"""Looking after the page: names, added files, undone removals, kept data, work in progress, questions asked."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cranfield.core.errors import ArgumentError, DataError
from cranfield.web.server.app import create_app
from cranfield.web.server.index import MOST_QUESTIONS, Index
from cranfield.web.server.page import menu, pages
from cranfield.web.server.security import HEADERS, MB, Limits
from cranfield.web.server.service import Job, Jobs
from cranfield.web.server.store import MissingData, MovedData, Store
from web_page import HERE, QRELS, Client, run, scores

LIMITS = Limits(upload=5 * MB, file=3 * MB, store=8 * MB, files=40, datasets=6, patience=30.0)


@pytest.fixture
def fresh() -> Iterator[Client]:
    """A page of its own for every test."""
    with Client(create_app(limits=LIMITS), base_url=HERE, follow_redirects=False) as asked:
        yield asked


def sent(client: Client, name: str, text: str) -> str:
    """Upload one file; the id of its dataset."""
    answer = client.post("/data", files={"files": (name, text.encode())})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].rpartition("/")[2]


def test_a_dataset_gets_another_name(fresh: Client) -> None:
    id = sent(fresh, "past.AP.csv", scores())
    assert fresh.post(f"/data/{id}/name", data={"name": "TREC-3 <b>"}).status_code == 303
    page = fresh.get("/data").text
    assert "TREC-3 &lt;b&gt;" in page
    assert "<b>" not in page
    assert fresh.post(f"/data/{id}/name", data={"name": "  "}).status_code == 400
    assert fresh.post("/data/sample/name", data={"name": "mine"}).status_code == 400
    assert fresh.post("/data/nowhere/name", data={"name": "mine"}).status_code == 404


def test_files_are_added_to_a_dataset(fresh: Client) -> None:
    files = [("files", ("qrels.txt", QRELS)), ("files", ("a.run", run("a", 1)))]
    id = fresh.post("/data", files=files).headers["location"].rpartition("/")[2]
    fresh.post(f"/data/{id}/name", data={"name": "my track"})
    answer = fresh.post(f"/data/{id}/add", files={"files": ("b.run", run("b", 2))})
    assert answer.status_code == 303
    found = fresh.get("/api" + answer.headers["location"]).json()
    assert [file["path"] for file in found["files"]] == ["qrels.txt", "a.run", "b.run"]
    assert (found["name"], found["problem"]) == ("my track", "")
    both = fresh.post("/api/data", files=[*files, ("files", ("b.run", run("b", 2)))]).json()
    assert both["id"] == found["id"], "the same files have the same address, however they came"
    assert "Removed my track." in fresh.get("/data").text, "the old one can be brought back"
    old = fresh.get(f"/data/{id}?test=t")
    assert (old.status_code, old.headers["location"]) == (307, f"/data/{found['id']}?test=t"), "the address leads on"
    asked = fresh.get(f"/compare?data={id}&test=t&baseline=a")
    assert asked.headers["location"] == f"/compare?data={found['id']}&test=t&baseline=a"
    told = fresh.get(f"/api/data/{id}")
    assert told.status_code == 404
    assert told.json()["error"] == (f"dataset '{id}' became '{found['id']}' when files were added.")
    fresh.post(f"/data/{id}/restore")
    assert fresh.get(f"/api/data/{id}").status_code == 200, "brought back, it is where it was"
    assert fresh.post("/data/sample/add", files={"files": ("b.run", run("b", 2))}).status_code == 400


def test_a_file_of_the_same_name_takes_the_place_of_the_old(fresh: Client) -> None:
    id = sent(fresh, "past.AP.csv", scores())
    answer = fresh.post(f"/data/{id}/add", files={"files": ("past.AP.csv", scores(systems=6))})
    found = fresh.get("/api" + answer.headers["location"]).json()
    assert [(file["path"], file["systems"]) for file in found["files"]] == [("past.AP.csv", 6)]


def test_a_removal_is_undone(fresh: Client) -> None:
    id = sent(fresh, "past.AP.csv", scores())
    assert fresh.post(f"/data/{id}/remove").status_code == 303
    assert fresh.get(f"/api/data/{id}").status_code == 404
    assert f'action="/data/{id}/restore"' in fresh.get("/data").text
    assert fresh.post(f"/data/{id}/restore").status_code == 303
    assert fresh.get(f"/api/data/{id}").json()["problem"] == ""
    assert "Removed" not in fresh.get("/data").text
    assert fresh.post(f"/data/{id}/restore").status_code == 404, "there is nothing to undo any more"


def upload(name: str, text: str) -> tuple[str, io.BytesIO, int]:
    return name, io.BytesIO(text.encode()), len(text)


def test_only_the_last_removal_can_be_undone() -> None:
    store = Store(LIMITS)
    first, second = (store.add([upload("a.AP.csv", scores(seed=seed))]) for seed in (1, 2))
    store.remove(first.id)
    store.remove(second.id)
    assert not (store.path / first.id).exists()
    assert (store.path / second.id).exists()
    with pytest.raises(MissingData):
        store.restore(first.id)
    again = store.add([upload("a.AP.csv", scores(seed=2))])
    assert again is second, "the same files bring it back"
    assert store.removed is None
    store.close()


def test_a_removed_dataset_makes_room() -> None:
    text = scores(systems=200, topics=40)
    store = Store(Limits(store=int(1.5 * len(text)), files=5, datasets=3))
    store.remove(store.add([upload("a.AP.csv", text)]).id)
    assert store.add([upload("a.AP.csv", text.replace("topic", "query"))])
    assert store.removed is None
    store.close()


# ── data that outlive the server ───────────────────────────────────────────────────────────────────────────────────


def test_kept_data_are_there_after_a_restart(tmp_path: Path) -> None:
    home = tmp_path / "kept"
    with Client(create_app(limits=LIMITS, keep=home), base_url=HERE, follow_redirects=False) as first:
        id = sent(first, "past.AP.csv", scores())
        gone = sent(first, "other.AP.csv", scores(seed=9))
        first.post(f"/data/{id}/name", data={"name": "TREC-3"})
        first.get(f"/compare?data={id}&test=t")
        first.post(f"/data/{gone}/remove")
        assert "a private directory that is removed" not in first.get("/data").text
    assert sorted(path.name for path in (home / "data").iterdir()) == [id], "what was removed is gone now"
    with Client(create_app(limits=LIMITS, keep=home), base_url=HERE, follow_redirects=False) as second:
        found = second.get(f"/api/data/{id}").json()
        assert (found["name"], found["problem"]) == ("TREC-3", "")
        assert f"/compare?data={id}&amp;test=t" in second.get("/jobs").text
        assert "removed when the server ends" not in second.get("/data").text


def test_data_of_the_command_line_are_kept_where_they_lie(tmp_path: Path) -> None:
    file = tmp_path / "past.AP.csv"
    file.write_text(scores())
    store = Store(LIMITS, tmp_path / "kept")
    dataset = store.adopt([str(file)], {"s0": "one"})
    store.rename(dataset.id, "TREC-3")
    store.close()
    again = Store(LIMITS, tmp_path / "kept")
    found = again[dataset.id]
    assert (found.name, found.teams) == ("TREC-3", {"s0": "one"})
    assert found.read().problem == ""
    assert list((tmp_path / "kept" / "data").iterdir()) == [], "nothing is copied"
    again.remove(dataset.id)
    again.close()
    assert file.exists(), "nor removed"
    third = Store(LIMITS, tmp_path / "kept")
    assert third.find(dataset.id) is None
    third.adopt([str(file)])
    third.close()
    file.write_text(scores(systems=6))
    fourth = Store(LIMITS, tmp_path / "kept")
    assert fourth.find(dataset.id) is None, "changed, it is another dataset"
    fourth.close()


def test_questions_follow_the_data_to_their_new_address(tmp_path: Path) -> None:
    store = Store(LIMITS, tmp_path)
    first = store.add([upload("a.AP.csv", scores())])
    store.index.ask(f"/compare?data={first.id}&test=t", "Compare", first.id)
    second = store.add([upload("b.nDCG.csv", scores(seed=2))], to=first)
    store.remove(first.id)
    third = store.add([upload("c.P.csv", scores(seed=3))], to=second)
    store.remove(second.id)
    assert [one.address for one in store.index.questions(third.id)] == [f"/compare?data={third.id}&test=t"]
    store.close()
    again = Store(LIMITS, tmp_path)
    with pytest.raises(MovedData, match=f"became '{third.id}' when files were added"):
        again[first.id]
    again.remove(third.id)
    with pytest.raises(MissingData, match="Upload its files again"):
        again[first.id]
    again.close()


def test_files_that_somebody_took_away_are_forgotten(tmp_path: Path) -> None:
    store = Store(LIMITS, tmp_path)
    dataset = store.add([upload("a.AP.csv", scores())])
    store.close()
    (tmp_path / "data" / dataset.id / "0000").unlink()
    again = Store(LIMITS, tmp_path)
    assert [one.id for one in again.datasets()] == ["sample"]
    again.close()


def test_two_servers_do_not_share_a_directory(tmp_path: Path) -> None:
    store = Store(LIMITS, tmp_path)
    with pytest.raises(ArgumentError, match=r"cannot keep data in .*: another server uses it\. Name"):
        Store(LIMITS, tmp_path)
    store.close()
    Store(LIMITS, tmp_path).close()


def test_a_directory_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ArgumentError, match=r"cannot keep data in .*file: .*Name another directory\.$"):
        Store(LIMITS, tmp_path / "file")


def test_nothing_is_kept_unless_asked_for() -> None:
    store = Store(LIMITS)
    store.add([upload("a.AP.csv", scores())])
    with pytest.raises(DataError, match="the sample collection cannot be renamed"):
        store.rename("sample", "x")
    store.close()
    assert not store.path.exists()


# ── work and questions ─────────────────────────────────────────────────────────────────────────────────────────────


def test_questions_are_remembered_and_removed_with_their_data(fresh: Client) -> None:
    id = sent(fresh, "past.AP.csv", scores())
    fresh.get(f"/compare?data={id}&test=t")
    fresh.get("/design")
    fresh.get(f"/compare?data={id}&test=nonsense")
    page = fresh.get("/jobs").text
    assert re.findall(r'<li><a href="(/[a-z]+)\?[^"]*">', page) == ["/design", "/compare"]
    assert "Compare: past.AP</a>" in page
    assert "nonsense" not in page, "what had no answer is no question to come back to"
    fresh.post(f"/data/{id}/remove")
    assert "/compare?" not in fresh.get("/jobs").text


def test_the_oldest_questions_are_forgotten() -> None:
    index = Index()
    for number in range(MOST_QUESTIONS + 5):
        index.ask(f"/design?systems={number}", "Design", "")
    assert len(index.questions()) == MOST_QUESTIONS
    index.close()


def test_jobs_are_listed_with_their_stage(fresh: Client) -> None:
    service = fresh.app.state.service  # type: ignore[attr-defined]
    go, reached = threading.Event(), threading.Event()

    def work(progress: object) -> str:
        progress(1, 3)  # type: ignore[operator]
        reached.set()
        go.wait(20)
        return "done"

    job = service.jobs.ask("k", "Writing <x>", work, lambda: ["one", "two", "three"])
    assert reached.wait(20)
    try:
        page = fresh.get("/jobs").text
        assert "Writing &lt;x&gt;" in page
        assert "two: 1 of 3 done" in page
        (listed,) = fresh.get("/api/jobs").json()["jobs"]
        assert (listed["stage"], listed["state"], listed["share"]) == ("two", "running", 1 / 3)
    finally:
        go.set()
    assert job.wait(20)
    assert "done" in fresh.get("/jobs").text
    assert job.stage == ""


def test_a_stage_without_a_name() -> None:
    job = Job("1", "x", done=1, total=5, stages=lambda: ["a", "b"])
    job.future.set_running_or_notify_cancel()
    assert job.state == "running"
    assert job.stage == "", "five steps are not these two"
    assert Jobs(Limits()).listed() == []


def test_the_report_names_its_sections(fresh: Client) -> None:
    page, store = pages()["report"], fresh.app.state.service.store  # type: ignore[attr-defined]
    question = page.question(data="sample", skip=["standardisation"])
    dataset = store["sample"]
    assert "section replicates" not in page.stages(question, dataset), "nothing is known of the data yet"
    dataset.read()
    stages = page.stages(question, dataset)
    assert stages[:2] == ["section data", "section leaderboard"]
    assert "section replicates" in stages
    assert "section standardisation" not in stages


def test_cancelled_is_said(fresh: Client) -> None:
    page = fresh.get("/replicates?data=sample&start=cancelled").text
    assert "Cancelled. Submit the form to start again." in page


# ── what is offered, and what a form says ──────────────────────────────────────────────────────────────────────────


def test_pages_that_need_runs_are_not_offered_for_scores(fresh: Client) -> None:
    id = sent(fresh, "past.AP.csv", scores())
    store = fresh.app.state.service.store  # type: ignore[attr-defined]
    offered = [title for place in menu() for _, title in place.pages]
    assert "Replicates" in offered, "nothing chosen: everything is offered"
    fresh.get(f"/data/{id}")
    page = fresh.get(f"/reliability?data={id}").text
    assert ">Replicates</a>" not in page
    assert ">Reuse</a>" not in page
    assert f'href="/standardise?data={id}">Tools</a>' in page
    assert ">Replicates</a>" in fresh.get("/reliability?data=sample").text
    assert f'value="{id}"' not in fresh.get("/replicates").text, "nor are the scores offered there"
    assert pages()["compare"].suits(store[id])


def test_tuning_explains_itself_first(fresh: Client) -> None:
    page = fresh.get("/tuning?data=sample").text
    assert "Every system is a setting of its family" in page
    assert 'class="headline"' not in page


def test_several_names_have_a_box_each(fresh: Client) -> None:
    page = fresh.get("/compare?data=sample&measure=AP&measure=nDCG%4010&test=t&baseline=alder-1&baseline=fir-1").text
    assert re.findall(r'name="measure" value="([^"]*)"', page) == ["AP", "nDCG@10", ""]
    chosen = re.findall(r'<select id="baseline[^"]*" name="baseline".*?</select>', page, re.DOTALL)
    assert [re.findall(r'<option value="([^"]*)" selected', one) for one in chosen] == [["alder-1"], ["fir-1"], []]


def test_a_choice_of_several_shows_the_usual_ones(fresh: Client) -> None:
    page = fresh.get("/simulate?data=sample").text
    ticked = re.findall(r'name="test" value="([^"]*)" checked', page)
    assert sorted(ticked) == ["bootstrap", "randomisation", "sign", "t", "wilcoxon"]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/table?data={}&test=t", "Systems by measures"),
        ("/gate?data={}&baseline=s0&candidate=s1&margin=0.1&start=yes", "The gate"),
        ("/simulate?data={}&topics=10&trials=20&test=t&start=yes", "Error rates and power"),
        ("/simulate/design?data={}&systems=3&min_diff=0.2&pilots=1&trials=10&start=yes", "Promised and reached"),
        ("/simulate/scores?data={}&topics=5&systems=3&start=yes", "system3"),
        ("/reliability?data={}", "Reliability"),
        ("/monitor?data={}&looks=2", "decided"),
        ("/design?data={}", "All designs and estimators"),
    ],
)
def test_every_question_has_its_page(fresh: Client, address: str, said: str) -> None:
    id = sent(fresh, "past.AP.csv", scores(topics=20))
    page = fresh.get(address.format(id))
    assert page.status_code == 200, page.text
    headline = re.search(r'class="headline"[^>]*>([^<]+)<', page.text)
    assert headline
    assert f"{headline.group(1).strip()}." not in page.text  # said again below the table
    assert said in page.text


def test_simulate_leads_to_designs_and_scores(fresh: Client) -> None:
    page = fresh.get("/simulate?data=sample").text
    assert '<a href="/simulate/design?data=sample">Does the recommended number of topics reach its power?</a>' in page
    assert '<a href="/simulate/scores?data=sample">' in page
    for other in ("design", "scores"):
        assert '<a href="/simulate?data=sample">Which test' in fresh.get(f"/simulate/{other}?data=sample").text
    answer = fresh.get("/api/simulate/scores?data=sample&topics=1000000&systems=2&measure=AP")
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(
        "`topics` times `systems` must be at most 1,000,000 on the page; got 2,000,000."
    )


def test_the_menu_leads_to_a_design_that_has_an_answer(fresh: Client) -> None:
    id = sent(fresh, "past.AP.csv", scores(topics=20))
    page = fresh.get(f"/design?data={id}").text
    assert "missing" not in page
    headline = re.search(r'class="headline">([\d,]+) topics by AP<', page)
    assert headline is not None
    assert re.search(rf"<tbody>.*?<td[^>]*>{headline[1]}<", page, re.S), "the headline is in the table"
    old = fresh.get(f"/recommend?data={id}&systems=5&min_diff=0.2")
    assert old.headers["location"] == f"/design?kind=recommend&data={id}&systems=5&min_diff=0.2"
    assert fresh.get(old.headers["location"].replace("systems=5", "systems=5,6")).status_code == 400


def test_what_should_not_happen_has_the_protective_headers() -> None:
    app = create_app(limits=LIMITS)

    @app.get("/breaks")
    def breaks() -> None:
        raise RuntimeError("oh")

    with Client(app, base_url=HERE, raise_server_exceptions=False) as client:
        answer = client.get("/breaks")
        assert answer.status_code == 500
        for name, value in HEADERS.items():
            assert answer.headers[name] == value


def test_two_datasets_side_by_side(fresh: Client) -> None:
    first, second = sent(fresh, "a.AP.csv", scores(systems=5)), sent(fresh, "b.AP.csv", scores(systems=4, seed=3))
    found = fresh.get(f"/api/correlate?data={first}&other={second}&resamples=0").json()
    assert re.match(r"AP of a.AP and AP of b.AP rank 4 systems with τ = -?\d\.\d+$", found["headline"]), found
    rows = found["rows"]
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]
    assert sorted(row["other_rank"] for row in rows) == [1, 2, 3, 4]
    page = fresh.get(f"/correlate?data={first}&other={second}&resamples=0").text
    assert "1 and 0 systems are on one side only and are dropped." in page
    assert f'<option value="{second}" selected>' in page
    alone = fresh.get(f"/api/correlate?data={first}").json()
    assert alone["error"] == "a.AP has scores by AP only. Choose other data or another `other_measure`."


def test_two_measures_of_one_dataset(fresh: Client) -> None:
    found = fresh.get("/api/correlate?data=sample&resamples=0").json()
    assert found["headline"].startswith("AP and nDCG@10 of the sample collection rank 30 systems with τ = 0.")
    assert found["command_line"][-1] == "cranfield correlate a.csv b.csv -m AP --other-measure nDCG@10"
