"""The program as a whole: help, version, exit codes, and every output format."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import cranfield as package
from cranfield.core.formats import FORMATS, render
from cranfield.core.tables import Sheet
from cranfield.core.terminal import table_text, without_dispensable, without_repetition
from support import Type

WIDE = "topic,bm25,ql_new\n301,0.25,0.5\n302,0.75,1\n"


def test_help_and_version(cranfield: Type) -> None:
    assert cranfield("--version").stdout.startswith(f"cranfield {package.__version__} (")
    for words in (["--help"], ["-h"], ["check", "--help"], ["convert", "-h"]):
        result = cranfield(*words)
        assert result.exit_code == 0
        assert "Usage: " in result.stdout


def test_bad_usage_ends_with_2(cranfield: Type) -> None:
    for words in (["nothing"], ["convert"], ["convert", "x", "--layout", "round"], ["convert", "x", "--colour"]):
        assert cranfield(*words).exit_code == 2


def test_bad_input_ends_with_1_and_one_plain_line(cranfield: Type) -> None:
    result = cranfield("convert", "none.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "error: none.csv: no such file; check the name\n"


def test_a_bad_argument_ends_with_2(cranfield: Type) -> None:
    Path("a.AP.csv").write_text(WIDE)
    result = cranfield("convert", "a.AP.csv", "-o", "a.doc")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: cannot tell the format of a.doc from its ending")
    result = cranfield("convert", "a.AP.csv", "-m", "map", "--layout", "nev")
    assert result.stderr == "error: --layout nev writes one file per system; name a directory with --output\n"


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        (
            "evaluate q r --memory 64MB",
            "'--memory': '64MB' is not a number. Write digits only, such as 0.5 or 20.",
        ),
        (
            "compare s --resamples 1e3",
            "'--resamples': '1e3' is not a whole number. Write digits only, such as 20.",
        ),
        ("design anova --systems 2,9", "such as 20. Repeat the option for several values."),
        (
            f"compare s --resamples {'9' * 5000}",
            "9…' is not a whole number. Write digits only, such as 20.",
        ),
    ],
)
def test_an_error_about_a_number_shows_how_to_write_one(cranfield: Type, typed: str, answer: str) -> None:
    result = cranfield(*typed.split())
    assert result.exit_code == 2
    assert result.stderr.endswith(f"{answer}\n")


def test_formats(cranfield: Type) -> None:
    Path("a.AP.csv").write_text(WIDE)
    shown = {f: cranfield("convert", "a.AP.csv", "--format", f).stdout for f in ("json", "csv", "markdown", "latex")}
    envelope = json.loads(shown["json"])
    assert list(envelope) == ["schema", "command", "signature", "settings", "rows", "warnings"]
    assert envelope["rows"][0] == {"system": "bm25", "topic": "301", "measure": "AP", "value": 0.25}
    assert envelope["signature"].endswith(f"cranfield {package.__version__}")
    assert shown["csv"].splitlines()[:2] == ["system,topic,measure,value", "bm25,301,AP,0.25"]
    assert shown["markdown"].splitlines()[1:3] == ["| :--- | :--- | :--- | ---: |", "| bm25 | 301 | AP | 0.2500 |"]
    assert r"ql\_new & 301 & AP & 0.5000 \\" in shown["latex"]
    table = cranfield("convert", "a.AP.csv").stdout.splitlines()
    assert table[0].split() == ["system", "topic", "measure", "value"]
    assert table[2].split() == ["bm25", "301", "AP", "0.2500"]


@pytest.mark.parametrize("name", ["o.json", "o.csv", "o.tsv", "o.md", "o.tex", "o.txt", "o.parquet", "o.json.gz"])
def test_output_format_follows_the_ending(cranfield: Type, name: str) -> None:
    Path("a.run").write_text("1 Q0 d 1 2 x\n")
    result = cranfield("check", "a.run", "-o", name)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"wrote {name} (1 row)\n"
    assert Path(name).stat().st_size > 0
    if name == "o.parquet":
        assert pl.read_parquet(name)["file"].to_list() == ["a.run"]


def test_output_of_unknown_ending(cranfield: Type) -> None:
    Path("a.run").write_text("1 Q0 d 1 2 x\n")
    result = cranfield("check", "a.run", "-o", "o.xyz")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: cannot tell the format of o.xyz from its ending; use --format table|json|csv|markdown|latex|html or end "
        "the name in .txt, .json, .csv, .tsv, .md, .tex, .html, .htm, .parquet, .xlsx or .ods\n"
    )
    assert sorted(p.name for p in Path().iterdir()) == ["a.run"]


def test_standard_input(cranfield: Type) -> None:
    result = cranfield("convert", "-", "--format", "csv", stdin=WIDE.encode())
    assert result.stdout.splitlines()[1] == "bm25,301,score,0.25"


def test_a_table_fits_the_terminal_and_loses_nothing_in_a_pipe() -> None:
    rows = pl.DataFrame({"system": ["x" * 100], "p": [0.00001]})
    answer = Sheet("t", rows, title="A title", notes=("a note",), signature="sig")
    piped = table_text(answer)
    assert "x" * 100 in piped
    assert "< 0.0001" in piped
    narrow = table_text(answer, width=80)
    assert max(map(len, narrow.splitlines())) <= 80
    assert narrow.count("x") >= 100  # folded, not cut
    assert narrow.splitlines()[0] == "A title"
    assert narrow.splitlines()[-1] == "sig"


def test_json_has_no_nan_and_an_open_end_is_missing() -> None:
    rows = pl.DataFrame({"z": [float("inf"), float("-inf"), None, 0.5]})
    parsed = json.loads(render(Sheet("t", rows), "json"))
    assert [row["z"] for row in parsed["rows"]] == [None, None, None, 0.5]


def test_markdown_and_csv_escape() -> None:
    rows = pl.DataFrame({"a|b": ['x"y,z', "p|q"]})
    assert render(Sheet("t", rows), "markdown").splitlines()[-1] == r"| p\|q |"
    assert render(Sheet("t", rows), "csv") == 'a|b\n"x""y,z"\np|q\n'


def test_help_imports_nothing_heavy() -> None:
    """Start-up stays quick because no number-crunching library is loaded for a help text."""
    code = "import sys; from cranfield.cli.main import app; print(*sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "polars", "scipy", "altair", "pandas"} & set(out)


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    wide = "topic," + ",".join(f"s{i}" for i in range(300)) + "\n"
    wide += "".join(f"{t}," + ",".join("0.5" for _ in range(300)) + "\n" for t in range(1, 60))
    (tmp_path / "a.AP.csv").write_text(wide)
    command = f"{sys.executable} -m cranfield convert {tmp_path / 'a.AP.csv'} --format csv | head -1"
    environment = {**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1])}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment)
    assert done.stdout == "system,topic,measure,value\n"
    assert "Traceback" not in done.stderr


def test_advice_can_be_typed(cranfield: Type) -> None:
    Path("a.AP.csv").write_text("topic,bm25,ql\n301,0.25,\n302,0.75,1\n")
    assert cranfield("convert", "a.AP.csv").stderr == (
        "error: a.AP.csv: AP: 1 of 4 scores is missing, first for topic '301', system 'ql'. Choose "
        "--missing zero (count as 0) or --missing drop-topic (drop 1 topic).\n"
    )


def test_a_table_too_wide_says_once_what_all_rows_share() -> None:
    rows = pl.DataFrame({"measure": ["AP", "AP"], "topics_adjusted": [53, 207], "none": [None, None]})
    answer = Sheet("x", rows, notes=("A note.",))
    assert without_repetition(answer, None) is answer
    assert without_repetition(answer, 80) is answer
    narrow = without_repetition(answer, 20)
    assert narrow.rows.columns == ["topics_adjusted"]
    assert narrow.notes == ("All rows: measure AP, none empty.", "A note.")
    same = Sheet("x", rows.head(1))
    assert without_repetition(same, 5) is same
    sections = FORMATS["table"].write(Sheet("x", rows, sections=(answer, answer)), 20).decode()
    assert sections.count("All rows: measure\nAP, none empty.") == 2


def test_a_narrow_terminal_leaves_out_what_it_can_do_without() -> None:
    rows = pl.DataFrame({"system": ["bm25", "ql"], "mean_a": [0.5, 0.25], "mean_b": [0.125, 0.75], "p": [0.5, 1.0]})
    answer = Sheet("x", rows, notes=("A note.",), dispensable=("mean_a", "absent", "mean_b"))
    assert without_dispensable(answer, None) is answer
    assert without_dispensable(answer, 27) is answer  # headers folded between words
    narrow = without_dispensable(answer, 26)
    assert narrow.rows.columns == ["system", "mean_b", "p"]
    assert narrow.notes == ("A note.", "Columns left out to fit the width: mean_a (format csv has all).")
    assert without_dispensable(answer, 5).rows.columns == ["system", "p"]


def test_a_header_is_folded_between_its_words() -> None:
    rows = pl.DataFrame({"system": ["bm25", "ql"], "topics_adjusted": [53, 207]})
    lines = table_text(Sheet("x", rows), 16).splitlines()
    assert [line.split() for line in lines[:2]] == [["topics"], ["system", "adjusted"]]


@pytest.mark.parametrize(
    "command",
    [
        "variance a.AP.csv",
        "design ttest --scores a.AP.csv --topics 50",
        "design recommend a.AP.csv --systems 2 --min-diff 0.2",
        "standardise fit a.AP.csv",
        "correlate a.AP.csv order.txt",
    ],
)
def test_what_became_of_missing_scores_is_said(cranfield: Type, command: str) -> None:
    Path("a.AP.csv").write_text("topic,bm25,ql\n301,0.25,\n302,0.75,1\n303,0.5,0.5\n304,0.125,0.75\n")
    Path("order.txt").write_text("bm25\nql\n")
    result = cranfield(*command.split(), "--missing", "zero")
    assert result.exit_code == 0, result.stderr
    who = "AP, a" if "recommend" in command else "AP"  # a recommendation may pool several collections, and names each
    assert result.stderr.splitlines()[0] == f"warning: {who}: 1 of 8 scores was missing and counts as 0: ql"


@pytest.mark.parametrize("command", ["correlate a.AP.csv a.AP.csv", "compare a.AP.csv"])
def test_a_negative_seed_is_refused(cranfield: Type, command: str) -> None:
    Path("a.AP.csv").write_text("topic,bm25,ql\n" + "".join(f"{i},{i % 7 / 7},{i % 5 / 5}\n" for i in range(40)))
    result = cranfield(*command.split(), "--seed", "-1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: --seed must be a whole number of at least 0; got -1. Write 1.\n"


@pytest.mark.parametrize("target", [".", "o.xyz"])
def test_nothing_is_made_when_the_table_of_it_cannot_be_written(cranfield: Type, target: str) -> None:
    result = cranfield("sample", "made", "-o", target)
    assert (result.exit_code, result.stdout) in ((1, ""), (2, ""))
    assert target in result.stderr
    assert not Path("made").exists()


def test_an_interrupt_during_the_imports_is_said_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    result = subprocess.run(
        [sys.executable, "-m", "cranfield", "--help"], capture_output=True, text=True, env=environment
    )
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "interrupted\n")
