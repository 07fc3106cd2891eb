"""The page of judges: files say by their names who judged."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import cranfield as cf
from cranfield import write_qrels, write_run
from cranfield.core.defaults import REPORT_SECTIONS
from cranfield.web.server.app import create_app
from cranfield.web.server.security import Limits
from web_page import HERE, Client, ask

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
ROLES = {"qrels.txt": "human", "second-b.qrels": "second", "machine.qrels": "machine"}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Client(create_app(limits=Limits(patience=60.0)), base_url=HERE) as asked:
        yield asked


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    place = tmp_path_factory.mktemp("judged")
    sample = cf.make_sample(n_topics=24, n_systems=6, n_documents=300, depth=10, length=20)
    made = cf.make_judges(sample)
    for name, role in ROLES.items():
        write_qrels(getattr(made, role), place / name)
    for run in sample.runs:
        write_run(run, place / f"{run.system}.run")
    (place / "groups.txt").write_text("".join(f"{system} {team}\n" for system, team in made.groups.items()))
    return {path.name: path.read_bytes() for path in sorted(place.iterdir())}


def uploaded(client: Client, files: dict[str, bytes], *left_out: str) -> dict[str, object]:
    kept = [("files", item) for item in files.items() if item[0] not in left_out]
    found: dict[str, object] = client.post("/api/data", files=kept).json()
    return found


def test_the_page_answers_as_the_function_does(client: Client, files: dict[str, bytes]) -> None:
    data = uploaded(client, files)
    kinds = {one["path"]: one["kind"] for one in data["files"]}  # type: ignore[attr-defined]
    assert (kinds["second-b.qrels"], kinds["machine.qrels"], kinds["groups.txt"]) == (
        "second person",
        "machine",
        "groups",
    )
    body = ask(client, f"/api/judges?data={data['id']}&measure=nDCG@10&resamples=50")
    sample = cf.make_sample(n_topics=24, n_systems=6, n_documents=300, depth=10, length=20)
    made = cf.make_judges(sample)
    expected = cf.judges(
        {"qrels": made.human, "second-b": made.second}, {"machine": made.machine}, sample.runs,
        system_groups=made.groups, n_resamples=50,
    )  # fmt: skip
    assert body["headline"] == expected.answer().headline
    assert body["rows"] == expected.decision_rows.to_dicts()
    found = [row["difference"] for row in body["tables"]["bias"]]
    assert found == pytest.approx(expected.bias_rows["difference"].to_list(), abs=1e-9)
    assert body["command_line"][-1].split(" --")[1:5] == [
        "human qrels.txt", "human second-b.qrels", "machine machine.qrels", "measure nDCG@10"
    ]  # fmt: skip


def test_the_page_takes_the_measure_of_the_command(client: Client, files: dict[str, bytes]) -> None:
    data = uploaded(client, files)
    body = ask(client, f"/api/judges?data={data['id']}&resamples=50")
    assert {row["measure"] for row in body["rows"]} == {"nDCG@10"}
    assert "nDCG@10, else the first" in client.get(f"/judges?data={data['id']}").text


def test_the_menu_has_judges_only_where_a_machine_judged(client: Client, files: dict[str, bytes]) -> None:
    with_machine, without = uploaded(client, files), uploaded(client, files, "machine.qrels")
    assert "/judges?data=" in client.get(f"/reliability?data={with_machine['id']}").text
    assert "/judges?data=" not in client.get(f"/reliability?data={without['id']}").text
    refused = client.get(f"/api/judges?data={without['id']}")
    assert refused.status_code == 400
    assert refused.json()["error"].endswith("holds no judgments by a machine. Add them as a file called machine.qrels.")


def test_two_first_judges_are_refused_with_the_names_to_use(client: Client, files: dict[str, bytes]) -> None:
    data = uploaded(client, {**files, "other.qrels": files["qrels.txt"]})
    assert str(data["problem"]).endswith("Call those of further judges second… (a person) or machine….")


def test_the_only_judgments_score_the_runs_whatever_their_name(client: Client, files: dict[str, bytes]) -> None:
    data = uploaded(client, files, "qrels.txt", "second-b.qrels")
    assert data["problem"] == ""


@pytest.fixture(scope="module")
def scores() -> dict[str, cf.ScoreMatrix]:
    people = cf.make_scores(n_topics=30, n_systems=6, seed=2)
    noise = cf.make_scores(n_topics=30, n_systems=6, seed=3).values
    judged = {"scores": people.values, "second": 0.9 * people.values + 0.1 * noise, "machine": 0.8 * people.values}
    return {name: cf.ScoreMatrix(x.clip(0, 1), people.topics, people.systems, "score") for name, x in judged.items()}


def as_csv(matrix: cf.ScoreMatrix) -> str:
    rows = zip(matrix.topics, matrix.values.tolist(), strict=True)
    return "\n".join([",".join(("topic", *matrix.systems)), *(",".join(map(str, (t, *x))) for t, x in rows), ""])


def sent(client: Client, matrices: dict[str, cf.ScoreMatrix]) -> str:
    files = [("files", (f"{name}.csv", as_csv(one))) for name, one in matrices.items()]
    data = client.post("/api/data", files=files).json()
    assert data["problem"] == ""
    return str(data["id"])


def test_score_files_are_judged_too(client: Client, scores: dict[str, cf.ScoreMatrix]) -> None:
    data = sent(client, scores)
    body = ask(client, f"/api/judges?data={data}&resamples=50")
    people = {name: scores[name] for name in ("scores", "second")}
    expected = cf.judges(people, {"machine": scores["machine"]}, n_resamples=50)
    assert body["headline"] == expected.answer().headline
    command = "cranfield judges --human scores.csv --human second.csv --machine machine.csv --resamples 50"
    assert body["command_line"] == [command]
    planned = cf.design_judges(people, {"machine": scores["machine"]}, min_diff=0.05)
    body = ask(client, f"/api/judges/design?data={data}&min_diff=0.05")
    assert body["headline"] == planned.summary()


def test_score_files_of_other_topics_are_ranked_only(client: Client, scores: dict[str, cf.ScoreMatrix]) -> None:
    one = scores["machine"]
    apart = cf.ScoreMatrix(one.values, [f"m{topic}" for topic in one.topics], one.systems, one.measure)
    data = sent(client, {"scores": scores["scores"], "machine": apart})
    assert (
        ask(client, f"/api/judges?data={data}&resamples=50")["headline"]
        == "machine and people rank 6 systems with τ = 1.000"
    )
    refused = client.get(f"/judges/design?data={data}&min_diff=0.05&start=yes")
    assert "the pilot has 0 topics with both judgments" in refused.text


def test_scores_by_people_in_several_files_are_refused(client: Client, scores: dict[str, cf.ScoreMatrix]) -> None:
    one = scores["scores"]
    refused = client.get(f"/api/judges?data={sent(client, {'a.AP': one, 'a.nDCG@10': one, 'machine': one})}")
    assert refused.json()["error"] == "a.AP.csv, a.nDCG@10.csv are scores by people. Put them in one file."


def test_machines_have_the_names_of_the_command_line(client: Client, scores: dict[str, cf.ScoreMatrix]) -> None:
    one = scores["scores"]
    data = sent(client, {"scores": one, "machine.gpt4": one, "machine.gpt4o": one})
    assert {row["judge"] for row in ask(client, f"/api/judges?data={data}&resamples=50")["rows"]} == {
        "machine.gpt4",
        "machine.gpt4o",
    }


def test_a_report_on_scores_has_the_section_too(scores: dict[str, cf.ScoreMatrix]) -> None:
    skip = [name for name in REPORT_SECTIONS if name not in ("judges", "methods")]
    report = cf.report(scores["scores"], skip=skip, machine=scores["machine"], second=scores["second"])
    expected = cf.judges([scores["scores"], scores["second"]], scores["machine"])
    assert report.sections[0].parts[0].text == f"{expected.summary()}."  # type: ignore[union-attr]


def test_a_report_has_a_section_on_machine_judgments() -> None:
    sample = cf.make_sample(n_topics=12, n_systems=6, n_documents=300, depth=10, length=20)
    made = cf.make_judges(sample)
    skip = [name for name in REPORT_SECTIONS if name not in ("data", "judges", "methods")]
    judged = {"machine": made.machine, "second": made.second, "system_groups": made.groups}
    report = cf.report(sample.qrels, sample.runs, measures=["nDCG@10"], skip=skip, **judged)
    section = next(one for one in report.sections if one.id == "judges")
    expected = cf.judges(
        {"human": sample.qrels, "second": made.second}, {"machine": made.machine}, sample.runs,
        system_groups=made.groups,
    )  # fmt: skip
    assert section.parts[0].text == f"{expected.summary()}."  # type: ignore[union-attr]
    assert "judges-decisions" in {table.id for table in section.tables()}
    plain = cf.report(sample.qrels, sample.runs, measures=["nDCG@10"], skip=skip)
    assert "judges" not in {one.id for one in plain.sections}
    with pytest.raises(cf.ArgumentError, match="`second` needs `machine`"):
        cf.report(sample.qrels, sample.runs, second=made.second)
