"""Output formats: each is one entry, which help, errors, files and the page's downloads then have."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from cranfield import UnknownNameError
from cranfield.cli.main import app
from cranfield.core.answer import Answer
from cranfield.core.files import read_bytes
from cranfield.core.formats import FORMATS, SCHEMA, OutputFormat, downloads, endings, of_path, offered, render
from cranfield.core.tables import Sheet, steady, steady_rows
from cranfield.core.terminal import table_text
from cranfield.web.server.outcome import Outcome, media_type

ROWS = pl.DataFrame({"measure": ["AP", "AP"], "system": ["bm25", "ql"], "mean": [0.25, 1 / 3]})
SHEET = Sheet("evaluate", ROWS, "a signature", {"alpha": 0.05}, ("a warning",), "A title", hidden=("measure",))
DUMMY = OutputFormat(
    "dummy", "the number of rows and nothing else", (".dum",),
    lambda sheet, width=None: f"{sheet.rows.height} rows\n".encode(), label="Dummy", media_type="text/x-dummy",
)  # fmt: skip
DOCS = Path(__file__).resolve().parents[2] / "docs"


def typed(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(words), prog_name="cranfield")
    return done.exit_code, done.output


def test_a_format_is_one_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text("1 Q0 d 1 2 x\n")
    with FORMATS.temporarily(DUMMY):
        help = " ".join(typed("check", "--help")[1].split())
        assert "--format [table|json|csv|markdown|latex|html|dummy]" in help
        assert ".parquet .xlsx .ods .dum)." in help
        assert typed("check", "a.run", "--format", "dummy") == (0, "1 rows\n")
        assert typed("check", "a.run", "-o", "made.dum")[0] == 0
        assert Path("made.dum").read_text() == "1 rows\n"
        code, said = typed("check", "a.run", "-o", "made.xyz")
        assert code == 2
        assert "use --format table|json|csv|markdown|latex|html|dummy or end the name in .txt," in said
        assert said.endswith(" .parquet, .xlsx, .ods or .dum\n")
        assert "'dummy'" in typed("check", "a.run", "--format", "dumy")[1]
    assert "dummy" not in typed("check", "--help")[1]
    assert typed("check", "a.run", "--format", "dummy")[0] == 2


def test_a_format_is_among_the_downloads_of_the_page() -> None:
    from golden.run import open_page

    outcome = Outcome(Answer("a headline", {"means": lambda: SHEET}), (), ())
    with FORMATS.temporarily(DUMMY), open_page() as page:
        shown = page.get("/design?kind=anova&variance=0.05&systems=10&min_diff=0.1").text
        (address,) = re.findall(r'href="(/files/design/methods\.dum\?[^"]*)" download>Dummy<', shown)
        answer = page.get(unescape(address))
        assert (answer.text[-6:], answer.headers["content-type"]) == (" rows\n", "text/x-dummy; charset=utf-8")
        assert outcome.table_bytes("means", "dum") == b"2 rows\n"
        assert media_type("dum") == "text/x-dummy"
        with pytest.raises(UnknownNameError) as error:
            outcome.table_bytes("means", "doc")
        assert error.value.known == ("csv", "dum", "json", "tex", "md", "svg", "pdf")
    with pytest.raises(UnknownNameError):
        outcome.table_bytes("means", "dum")


def test_a_format_without_a_label_is_no_download() -> None:
    assert {entry.name for entry in downloads().values()} == {"csv", "json", "latex", "markdown"}
    assert {name for name in FORMATS if name not in offered()} == {"tsv", "parquet", "xlsx", "ods"}
    assert len(set(endings())) == len(endings())
    assert of_path(Path("answer")) is None


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_format_holds_every_row(name: str, tmp_path: Path) -> None:
    written = FORMATS[name].write(SHEET)
    path = tmp_path / f"answer{FORMATS[name].endings[0]}"
    path.write_bytes(written)
    if name == "parquet":
        assert pl.read_parquet(path).equals(steady_rows(ROWS))
    elif name in ("csv", "tsv"):
        assert pl.read_csv(path, separator="," if name == "csv" else "\t").equals(steady_rows(ROWS))
    elif name in ("xlsx", "ods"):
        table = pl.read_csv(read_bytes(path), separator="\t")
        assert table.equals(steady_rows(ROWS), null_equal=True)
    elif name == "json":
        assert json.loads(written)["rows"] == steady_rows(ROWS).to_dicts()
    else:
        text = written.decode()
        assert "bm25" in text
        assert "0.3333" in text
        assert "measure" not in text, "hidden from people"


def test_machines_get_ten_digits_of_what_was_computed_and_all_of_scores() -> None:
    rows = pl.DataFrame({"p": [2 / 3, None, 2.2250738585072014e-308, 1.0], "n": [1, 2, 3, 4]})
    sheet = Sheet("compare", rows, settings={"spread": {"sd": 1 / 3}, "level": [0.05, 1 / 7]}, top={"value": 2 / 3})
    told = json.loads(render(sheet, "json"))
    assert told["value"] == 0.6666666667
    assert told["settings"] == {"spread": {"sd": 0.3333333333}, "level": [0.05, 0.1428571429]}
    assert [row["p"] for row in told["rows"]] == [0.6666666667, None, 2.225073859e-308, 1.0]
    assert render(sheet, "csv") == "p,n\n0.6666666667,1\n,2\n2.225073859e-308,3\n1.0,4\n"
    scores = replace(sheet, read_back=True)
    assert json.loads(render(scores, "json"))["rows"][0]["p"] == 2 / 3
    assert str(2 / 3) in render(scores, "csv")


def test_an_open_end_is_missing_for_machines_and_infinite_for_people() -> None:
    rows = pl.DataFrame({"difference": [0.25, 0.5], "lower": [0.125, -math.inf], "upper": [math.inf, math.inf]})
    sheet = Sheet("compare", rows, settings={"bound": math.inf})
    assert render(sheet, "csv") == "difference,lower,upper\n0.25,0.125,\n0.5,,\n"
    told = json.loads(render(sheet, "json"))
    assert told["rows"][1] == {"difference": 0.5, "lower": None, "upper": None}
    assert told["settings"] == {"bound": None}
    assert pl.read_parquet(FORMATS["parquet"].write(sheet))["lower"].to_list() == [0.125, None]
    assert [line.split() for line in render(sheet, "table").splitlines()[2:4]] == [
        ["0.2500", "0.1250", "∞"],
        ["0.5000", "-∞", "∞"],
    ]
    assert r"0.5000 & -$\infty$ & $\infty$" in render(sheet, "latex")
    scores = json.loads(render(replace(sheet, read_back=True), "json"))["rows"]
    assert scores[1] == {"difference": 0.5, "lower": "-inf", "upper": "inf"}


def test_rounding_for_machines_keeps_the_order() -> None:
    values = np.sort(np.concatenate([np.random.default_rng(1).normal(size=2000), 0.3 + np.arange(50) * 1e-12]))
    rounded = np.array([steady(value) for value in values.tolist()])
    assert (np.diff(rounded) >= 0).all()
    assert np.abs(rounded / values - 1).max() <= 5e-10


def test_the_envelope_is_the_documented_one() -> None:
    envelope = json.loads(render(SHEET, "json"))
    page = (DOCS / "formats.md").read_text()
    section = page.partition("### The JSON envelope")[2].partition("\n\nAn absent value")[0]
    documented = [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]
    assert list(envelope) == documented
    assert envelope["schema"] == SCHEMA
    assert f"a whole number; now {SCHEMA} |" in section


def test_a_terminal_shows_titles_bold_and_the_signature_dim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" not in FORMATS["table"].write(SHEET, 80).decode(), "a pipe gets no colours"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = FORMATS["table"].write(SHEET, 80).decode()
    assert shown.startswith("\x1b[1mA title\x1b[0m\n\n\x1b[1msystem")
    assert shown.endswith("\n\x1b[2ma signature\x1b[0m\n")
    assert "\x1b" not in FORMATS["table"].write(SHEET).decode()
    monkeypatch.setenv("NO_COLOR", "1")
    assert FORMATS["table"].write(SHEET, 80) == FORMATS["table"].write(SHEET)


def test_the_table_as_people_see_it() -> None:
    assert table_text(SHEET.for_people) == (
        "A title\n\n"
        "system     mean\n"
        "───────────────\n"
        "bm25     0.2500\n"
        "ql       0.3333\n"
        "\na signature\n"
    )  # fmt: skip


def test_long_cells_are_folded_and_wide_characters_aligned() -> None:
    rows = pl.DataFrame({"system": ["検索", "a b"], "why": ["one reason", "another, rather longer reason"]})
    lines = table_text(Sheet("x", rows), 24).splitlines()
    assert max(map(len, lines)) <= 24
    at = next(line for line in lines if "why" in line).index("why")
    assert " ".join(line[at:] for line in lines[-2:]) == "another, rather longer reason"
    assert table_text(Sheet("x", rows)).splitlines()[2] == "検索     one reason"
    broken = pl.DataFrame({"a": ["x\ny"], "b": [1]})
    assert table_text(Sheet("x", broken)).splitlines()[2:] == ["x   1", "y"]
    assert table_text(Sheet("x", broken.clear())).splitlines() == ["a   b", "─────"]


@pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
def test_every_answer_in_json_follows_the_published_schema() -> None:
    import jsonschema

    from cranfield.core.formats import JSON_SCHEMA
    from examples import EXAMPLES, answered

    for command in ("leaderboard", "variance", "design anova", "check"):
        example = next(one for one in EXAMPLES if one.question.command == command)
        jsonschema.validate(json.loads(answered(example).json.stdout), JSON_SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema": 2}, JSON_SCHEMA)
