"""Every question, by the examples in its own docstring: a new one is tested here without being named anywhere."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from cranfield.cli.ask import TOOLS
from cranfield.cli.build import shared_by
from cranfield.cli.output import chart_kinds
from cranfield.core.charts import chart
from cranfield.core.errors import ArgumentError
from cranfield.core.question import Question, questions
from examples import EXAMPLES, Answered, Example, answered, folder, type_words

SOURCE = Path(__file__).resolve().parents[1] / "src"
PRINTED = [question for question in questions().values() if question.printed]
pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
DONE = {0, 3, 4}
"""Exit codes of an answer; a gate has three."""
ENVELOPE = ["schema", "command", "signature", "settings", "rows", "warnings"]
TOO_HEAVY = {
    "altair", "vl_convert", "jinja2", "fastapi", "starlette", "uvicorn", "pydantic", "distributed", "dask", "pandas", "scipy.stats",
}  # fmt: skip
"""Libraries that draw, serve or spread work, and others that take long to load; no answer in JSON needs one."""
READING = {"intents", "name", "lenient"}
TOLD_OTHERWISE = {
    "correlate": {"n_resamples", "seed"},  # where an order has no topics to draw
    "cost": {one.name for one in questions()["cost"].all()},  # only what applies, in the words of the design
    "replicates": READING | {"published"},  # which stands for other settings
    "reuse": READING | {"teams", "team_prefix", "leave_out"},  # the rows name the teams
    "selection-bias": {"leave_one_out", "holdout", "n_repeats"},  # `folds` says it in words
    "standardise apply": {"factors"},  # their version is in the provenance of the scores
    "tune": {"leave_one_out", "holdout", "n_repeats", "stratified"},  # `folds` says it in words
}
"""Settings that a result does not repeat under their names, and why; no new question needs to be here."""
ANSWERED = [one for one in EXAMPLES if one.question.command not in TOOLS]
"""Examples whose answer goes the common way; a tool has its own."""
SCORED = {one.question.command: one for one in reversed(EXAMPLES) if any(word.endswith(".csv") for word in one.inputs)}
"""By command, its first example that names scores."""
every_example = pytest.mark.parametrize("example", EXAMPLES, ids=[one.name for one in EXAMPLES])
every_question = pytest.mark.parametrize("question", PRINTED, ids=[one.command for one in PRINTED])


@pytest.mark.parametrize("command", questions())
def test_it_has_an_example(command: str) -> None:
    shown = questions()[command].examples()
    assert shown, f"add a line `Example: cranfield {command} …` to the docstring of the question"
    assert all(words[: len(command.split())] == command.split() for words in shown)


@every_example
def test_it_runs_as_the_help_shows_it_and_draws(example: Example) -> None:
    draws = "--plot" in {one.flags[0] for one in shared_by(example.question)} and not example.question.own_file
    plot = ["--plot", "figure.json"] if draws else []
    with folder():
        ended = type_words([*example.typed(), *plot])
        assert ended.exit_code in DONE, ended.output
        assert not plot or json.loads(Path("figure.json").read_text())["title"]


def tabled(example: Example) -> Answered:
    """What an example printed; one that makes a file of another kind is skipped."""
    found = answered(example)
    if example.question.own_file and found.json.exit_code == 2:
        pytest.skip("its file is no table")
    assert found.json.exit_code in DONE, found.json.output
    assert found.csv.exit_code == found.json.exit_code
    return found


@every_example
def test_json_is_an_envelope_with_rows(example: Example) -> None:
    printed = json.loads(tabled(example).json.stdout)
    assert [key for key in printed if key in ENVELOPE] == ENVELOPE
    assert example.question.command.startswith(printed["command"])
    assert printed["signature"]
    assert printed["rows"]
    columns = [list(row) for row in printed["rows"]]
    assert all(one == columns[0] for one in columns)
    by_measure = {"measure", "measures"} & {one.name for one in example.question.all()}
    if by_measure and example.inputs:
        assert "measure" in columns[0] or {"reference", "estimate"} <= set(columns[0])


@every_example
def test_csv_has_the_columns_of_json(example: Example) -> None:
    found = tabled(example)
    if example.question.command == "table":
        return  # its CSV has a column per measure, as papers print it; tests/paper looks at it
    rows = json.loads(found.json.stdout)["rows"]
    head, *lines = csv.reader(io.StringIO(found.csv.stdout))
    assert head == list(rows[0])
    assert len(lines) == len(rows)


@every_example
def test_a_fresh_process_prints_the_same_bytes_and_loads_nothing_that_draws_or_serves(example: Example) -> None:
    found = tabled(example)
    with folder() as place:
        code = (
            "import atexit, sys\n"
            "from cranfield.cli.main import main\n"
            f"sys.argv = {['cranfield', *example.printed('json')]!r}\n"
            "atexit.register(lambda: print('loaded', *sys.modules, file=sys.stderr))\n"
            "main()"
        )
        environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": "7"}
        ended = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, cwd=place, env=environment, check=False
        )
    assert ended.returncode == found.json.exit_code
    assert ended.stdout == found.json.stdout_bytes
    loaded = set(ended.stderr.decode().rpartition("loaded ")[2].split())
    assert "cranfield.cli.main" in loaded
    assert loaded & TOO_HEAVY == set()


@pytest.mark.parametrize("example", ANSWERED, ids=[one.name for one in ANSWERED])
def test_a_result_names_its_settings_as_the_question_does(example: Example) -> None:
    result = tabled(example).result
    assert isinstance(result, example.question.results())
    asked = {one.name for one in example.question.all() if one.part == "question"}
    missing = asked - set(result.settings) - TOLD_OTHERWISE.get(example.question.command, set())
    assert not missing, f"the settings of the answer lack {sorted(missing)}"
    assert list(result.settings) == list(result.to_dict().get("settings", result.settings))


@pytest.mark.parametrize("about", SCORED.values(), ids=SCORED)
def test_columns_are_the_same_for_one_measure_and_for_two(about: Example) -> None:
    """By every table that `--show` names; a question about one measure asks which."""
    question = about.question
    shown = [one.choices or () for one in question.all() if one.name == "show"]
    for show in [["--show", each] for each in shown[0]] if shown else [[]]:
        words = [*about.printed("json", without={"-m", "--measure"}), *show]
        columns = []
        for measures in (["AP"], ["AP", "RR"]):
            with folder(measures):
                ended = type_words(words)
            if ended.exit_code not in DONE:
                break
            rows = json.loads(ended.stdout)["rows"]
            columns.append(list(rows[0]))
            by = "measure" if "measure" in rows[0] else "reference"
            named = {row[by] for row in rows}
            assert len(named) == len(measures)
            assert all(any(one in name for name in named) for one in measures)
        if question.by_one_measure and columns:
            assert "there are 2 measures (AP, RR)" in ended.stderr
        elif columns:
            assert columns[0] == columns[-1]
            assert len(columns) == 2, ended.stderr
        else:  # a table that takes an option besides
            assert show
            assert "error: " in ended.stderr


@cache
def drawn(example: Example, kind: str | None) -> str:
    """Draw a chart of the result of an example, once per session; why not, where it cannot be drawn."""
    try:
        assert chart(answered(example).result, kind).to_dict()
    except ArgumentError as error:
        return str(error)
    return ""


@every_question
def test_every_chart_is_drawn_or_says_why_not(question: type[Question]) -> None:
    for example in (one for one in EXAMPLES if one.question is question and answered(one).result is not None):
        assert not drawn(example, None)
        for kind in chart_kinds(question):  # a design of two systems has none by systems
            assert re.search("^$|ask for the chart|Use the chart|unknown chart", drawn(example, kind))


def test_every_chart_of_every_result_is_drawn_by_an_example() -> None:
    shown, every = set(), set()
    for example in (one for one in EXAMPLES if answered(one).result is not None):
        result = answered(example).result
        every |= {(type(result), kind) for kind in result.drawings()}
        shown |= {(type(result), kind) for kind in result.drawings() if not drawn(example, kind)}
    assert every - shown == set()


def test_what_is_told_otherwise_is_a_setting() -> None:
    for command, names in TOLD_OTHERWISE.items():
        assert names <= {one.name for one in questions()[command].all()}
