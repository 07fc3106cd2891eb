"""One answer, many skins: the command line, the API, downloads and the page show the same cells of the same sheets."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cranfield.cli.main import app
from cranfield.core.formats import render
from cranfield.core.options import setting
from cranfield.core.question import Page, Place, Question
from cranfield.core.tables import Sheet, text_rows
from cranfield.web.server import page as registry
from cranfield.web.server.app import create_app
from cranfield.web.server.outcome import MOST_ROWS, Outcome, imports
from cranfield.web.server.page import WebPage, answers, menu, pages
from cranfield.web.server.security import Limits
from examples import EXAMPLES, files
from web_page import HERE, Client, ask

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
QUESTIONS = {
    "design": "variance=0.0530&systems=5,10&min_diff=0.1",
    "cost": "data=sample&depth=10&depth=20&systems=5&budget=2000",
    "compare": "data=DATA&test=t&baseline=ql(mu=100)",
    "view": "data=DATA&test=t",
    "table": "data=DATA&test=t&baseline=ql(mu=100)",
    "gate": "data=DATA&baseline=ql(mu=100)&candidate=ql(mu=500)&margin=0.05",
    "correlate": "data=sample&resamples=50",
    "simulate": "data=sample&topics=10&trials=20&test=t",
    "simulate-design": "data=sample&measure=AP&systems=3&min_diff=0.2&pilots=1&trials=10",
    "simulate-scores": "data=sample&measure=AP&topics=4&systems=3",
    "pair": "data=DATA&test=t&a=ql(mu=100)&b=ql(mu=500)",
    "topic": "data=sample&topic=3&measure=AP",
    "reliability": "data=DATA&topics=6,12&target=0.9&resamples=20",
    "monitor": "data=DATA&per_look=4&looks=3",
    "reuse": "data=sample&measure=AP&depth=5&depth=20&resamples=50",
    "judges": "data=sample&measure=nDCG@10&resamples=50",
    "design-judges": "data=sample&measure=nDCG@10&width=0.1&machine_topics=100&price_human=1",
    "standardise": "data=DATA&resamples=50",
    "replicates": "data=sample&splits=2&resamples=50",
    "tuning": "data=DATA&folds=3&resamples=50",
    "report": "data=DATA&resamples=500&skip=standardisation&skip=collection&skip=next",
}
"""Addresses of pages; DATA stands for scores of settings of a family.

A page that is not listed is asked what the first example of its question asks, about the files that it names.
"""


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Client(create_app(limits=Limits(patience=60.0)), base_url=HERE) as asked:
        yield asked


def written(*measures: str) -> str:
    """A score file: three settings of a family on twelve topics, by any number of measures."""
    settings = {100: (0.2, 0.01, 7), 500: (0.3, 0.02, 5), 1000: (0.15, 0.08, 3)}
    lines = [
        f"{topic},{measure},ql(mu={mu}),{round(start + step * (topic % cycle), 2) ** power}"
        for power, measure in enumerate(measures, 1)
        for mu, (start, step, cycle) in settings.items()
        for topic in range(12)
    ]
    return "\n".join(["topic,measure,system,value", *lines, ""])


@pytest.fixture(scope="module")
def past(client: Client) -> str:
    return str(client.post("/api/data", files={"files": ("past.AP.csv", written("AP"))}).json()["id"])


def outcome_of(client: Client, one: WebPage, query: str) -> Outcome:
    """What the server has worked out, for a look at the sheets behind it."""
    service = client.app.state.service  # type: ignore[attr-defined]
    question = one.question.from_query([tuple(part.split("=", 1)) for part in query.split("&")])  # type: ignore[misc]
    outcome = service.ask(one, question)
    assert isinstance(outcome, Outcome)
    return outcome


def cells(html: str, caption: str) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of a page's table."""
    for table in re.findall(r"<table>.*?</table>", html, re.S):
        if unescape(re.findall(r"<caption>(.*?)</caption>", table)[0]) == caption:
            visible = re.sub(r'<span class="unseen">.*?</span>', "", table)
            body = [
                re.findall(r"<td[^>]*>(.*?)</td>", row, re.S) for row in re.findall(r"<tr>(.*?)</tr>", visible, re.S)
            ]
            plain = [[unescape(re.sub("<[^>]+>", "", cell)) for cell in row] for row in body if row]
            return re.findall(r"<th [^>]*>(.*?)</th>", visible), plain
    raise AssertionError(f"the page has no table {caption!r}")


def of_people(sheet: Sheet) -> dict[str, list[str]]:
    """The cells of a sheet as people read them, by column."""
    shown = sheet.for_people
    return {name: [row[at] for row in text_rows(shown)] for at, name in enumerate(shown.rows.columns)}


def by_example(client: Client, one: WebPage) -> str:
    """What the first example of a question asks, as an address spells it, about its files uploaded."""
    example = next(each for each in EXAMPLES if issubclass(one.question, each.question))
    paths = [path for name in example.inputs for path in [files() / name, *sorted((files() / name).glob("*"))]]
    parts = [("files", (path.name, path.read_bytes())) for path in paths if path.is_file()]
    data = client.post("/api/data", files=parts).json()["id"]
    return "&".join(f"{name}={value}" for name, value in [("data", data), *example.asked().query()])


@pytest.mark.parametrize("name", pages())
def test_all_skins_show_the_same_cells(client: Client, past: str, name: str) -> None:
    one = pages()[name]
    query = QUESTIONS[name].replace("DATA", past) if name in QUESTIONS else by_example(client, one)
    body = ask(client, f"/api{one.address}?{query}")
    outcome = outcome_of(client, one, query)
    html = client.get(f"{one.address}?{query}&start=yes").text
    said = re.findall(r'class="(?:headline|also)">(.*?)</(?:h2|p)>', html, re.S)
    assert " ".join(map(unescape, said)) == outcome.answer.headline.replace("\n", " ")
    assert body["headline"] == outcome.answer.headline
    for at, table in enumerate(outcome.answer.shown):
        sheet = outcome.answer.sheet(table)
        command_line = json.loads(render(sheet, "json"))
        api = body["rows"] if at == 0 else body["tables"][table]
        assert api == command_line["rows"]
        for ending, format in {"json": "json", "csv": "csv", "md": "markdown", "tex": "latex"}.items():
            file = client.get(f"/files/{name}/{table}.{ending}?{query}")
            assert file.text == render(sheet, format)  # type: ignore[arg-type]
        if name == "table":
            continue  # its CSV has one column per measure, as the paper prints it; tests/paper looks at it
        written = list(csv.DictReader(io.StringIO(render(sheet, "csv"))))
        assert [list(row) for row in written[:1]] == [sheet.for_machines.columns] * len(written[:1])
        for row, values in zip(written, sheet.for_machines.iter_rows(named=True), strict=True):
            assert row == {key: "" if value is None else str(value) for key, value in values.items()}
        head, rows = cells(html, sheet.heading or sheet.title)
        people = of_people(sheet)
        assert sorted(head) == sorted(column.replace("_", " ") for column in people)
        by_column = {column: [row[k] for row in rows] for k, column in enumerate(head)}
        for column, texts in people.items():
            assert by_column[column.replace("_", " ")] == texts[:MOST_ROWS]


def test_latex_of_the_page_has_the_marks_of_the_command_line(client: Client, past: str) -> None:
    query = QUESTIONS["compare"].replace("DATA", past)
    text = client.get(f"/files/compare/pairs.tex?{query}").text
    assert "\\textsuperscript{\\dag{}}" in text
    assert "significantly different from ql(mu=100)" in text


# ── the same data, no measure named ───────────────────────────────────────────────────────────────────────────

BY_TWO = {
    **{name: QUESTIONS[name] for name in ("compare", "view", "table", "gate", "reliability", "monitor")},
    **{name: QUESTIONS[name] for name in ("standardise", "tuning")},
    "design": "data=DATA&kind=ttest&min_diff=0.1&method=exact",
    "simulate": "data=DATA&topics=5&trials=20&test=t",
}
"""Every page that is asked about scores by measures; the two sides of correlate name theirs."""


@pytest.mark.parametrize("name", BY_TWO)
def test_no_measure_named_means_the_same_on_the_page_and_on_the_command_line(
    client: Client, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All measures; or, where the question is about one, the first, which the command that the page shows names."""
    text = written("AP", "RR")
    (tmp_path / "two.csv").write_text(text)
    monkeypatch.chdir(tmp_path)
    id = client.post("/api/data", files={"files": ("two.csv", text)}).json()["id"]
    one = pages()[name]
    body = ask(client, f"/api{one.address}?{BY_TWO[name].replace('DATA', id)}")
    command = body["command_line"][0]
    show = ["--show", body["settings"]["show"]] if "show" in body["settings"] else []
    printed = json.loads(typed(command, *show, "--format", "json").stdout)["rows"]
    if name == "standardise":  # the command line has its tables below one another
        printed = [{key: row[key] for key in body["rows"][0]} for row in printed if row["table"] == "variance"]
    assert body["rows"] == printed
    one_measure = one.question.by_one_measure
    assert ("--measure AP" in command) == one_measure
    if name != "table":  # which has the measures side by side
        assert {row["measure"] for row in body["rows"]} == ({"AP"} if one_measure else {"AP", "RR"})
    if name != "view":  # which fetches the other measures when somebody wants to see them
        assert ("there are 2 measures (AP, RR)" in typed(command.replace("--measure AP", "")).output) == one_measure


def typed(command: str, *more: str) -> Result:
    """What a command line of a page prints."""
    program, *words = shlex.split(command)
    assert program == "cranfield"
    return CliRunner().invoke(app, [*words, *more])


# ── a page of one file ────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class CountQuestion(Question):
    """A question nobody asks."""

    brief = "How many topics there are."
    takes = "scores"
    page = Page(name="count", title="Counting", place=Place.TOOLS, heading="How many?", doing="Counting")

    measure: str | None = setting(None, "Which measure.", part="source")
    n_more: int = setting(3, "How many more to count.", least=0, most=9)
    colour: str = setting("red", "Of the ink.", choices=("red", "blue"), more=True)
    loud: bool = setting(False, "Say it loudly.")


def count(question: Any, dataset: Any, progress: Any) -> Outcome:
    import polars as pl

    from cranfield.core.answer import Answer

    matrix = dataset.scores(question.measure).only()
    rows = pl.DataFrame({"topics": [matrix.n_topics], "more": [question.n_more]})
    said = Answer(f"{matrix.n_topics} topics", {"count": lambda: Sheet("count", rows, "counted", heading="The count")})
    return Outcome(said, ("cranfield count",), (imports("count_topics"),))


@pytest.fixture
def counting() -> Iterator[Client]:
    answers(CountQuestion)(count)
    with Client(create_app(limits=Limits(patience=60.0)), base_url=HERE) as asked:
        yield asked
    del registry._PAGES[CountQuestion.page]


def test_a_registered_page_is_everywhere(counting: Client) -> None:
    assert ("/count", "Counting") in menu()[-1].pages
    assert '<a href="/count">Counting</a>' in counting.get("/simulate").text
    form = counting.get("/count").text
    assert "<h1>How many?</h1>" in form
    for text in ('name="more"', 'value="3"', "How many more to count.", "More settings", 'type="checkbox"', ">blue<"):
        assert text in form
    data = counting.post("/api/data", files={"files": ("a.csv", "topic,x,y\n1,0.5,0.25\n2,0.5,1\n")}).json()["id"]
    found = ask(counting, f"/api/count?data={data}&more=4")
    assert (found["headline"], found["rows"]) == ("2 topics", [{"topics": 2, "more": 4}])
    assert ask(counting, f"/api/count?data={data}&n_more=4")["rows"] == found["rows"]
    shown = counting.get(f"/count?data={data}&more=4").text
    assert cells(shown, "The count") == (["topics", "more"], [["2", "4"]])
    assert counting.get(f"/files/count/count.csv?data={data}&more=4").text == "topics,more\n2,4\n"
    refused = counting.get(f"/api/count?data={data}&more=10")
    assert refused.status_code == 400
    assert refused.json()["error"] == "`more` must be a whole number of at most 9; got 10. Write 3."
    described = counting.get("/api/openapi.json").json()["paths"]["/api/count"]["get"]
    assert described["description"] == "How many topics there are."
    (more,) = [one for one in described["parameters"] if one["name"] == "more"]
    assert more["schema"] == {"type": "integer", "minimum": 0, "maximum": 9, "default": 3}
    assert more["description"] == "How many more to count."
    assert "/api/count" in counting.get("/api").text
    assert ("Tools", "Counting", "`/count`", "How many?", "How many topics there are.") in registry.documented()
    assert (
        counting.get("/api/coumt").json()["error"]
        == "unknown address '/coumt'. Did you mean '/count' or '/cost' or '/compare'?"
    )
    assert "/reliability" in counting.get("/api/zzz").json()["error"]
