"""Grades that are not levels become levels by a declared mapping, in every format and in memory."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from cranfield import ArgumentError, DataError, FileError, evaluate, read_qrels
from cranfield.collection.doors import as_qrels
from small_collections import run_of

LINES = "# by a model\n1 0 a 1\n1 0 b 0.75\n1 0 c 0.7499\n1 0 d .5\n2 0 a 0\n2 0 b -1\n"
STEPS = "0+:0,0.5+:1,0.75+:2,-1:-1"
LEVELS = {("1", "a"): 2, ("1", "b"): 2, ("1", "c"): 1, ("1", "d"): 1, ("2", "a"): 0, ("2", "b"): -1}


def levels(qrels: object) -> dict[tuple[str, str], int]:
    frame = qrels.frame.select("topic", "document", "relevance")  # type: ignore[attr-defined]
    return {(topic, document): level for topic, document, level in frame.rows()}


def test_thresholds_belong_to_the_level_above(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(LINES)
    qrels = read_qrels(tmp_path / "qrels", map=STEPS)
    assert levels(qrels) == LEVELS
    assert qrels.notes == ("1 comment line skipped", f"grades read as levels by {STEPS}")


def test_every_format_and_every_object_takes_the_mapping(tmp_path: Path) -> None:
    rows = [line.split() for line in LINES.splitlines()[1:]]
    nested: dict[str, dict[str, float]] = {}
    for topic, _, document, grade in rows:
        nested.setdefault(topic, {})[document] = float(grade)
    (tmp_path / "ntcir").write_text("".join(f"{topic} {document} {grade}\n" for topic, _, document, grade in rows))
    (tmp_path / "qrels.json").write_text(json.dumps(nested))
    table = "".join(f"{topic},{document},{grade}\n" for topic, _, document, grade in rows)
    (tmp_path / "qrels.csv").write_text("topic,document,relevance\n" + table)
    frame = pl.DataFrame([(t, d, g) for t, inside in nested.items() for d, g in inside.items()],
                         schema=["topic", "document", "relevance"], orient="row")  # fmt: skip
    for judgments in (tmp_path / "ntcir", tmp_path / "qrels.json", tmp_path / "qrels.csv", nested, frame):
        assert levels(as_qrels(judgments, map=STEPS)) == LEVELS
        with pytest.raises(DataError):
            as_qrels(judgments)


def test_grades_that_are_levels_can_be_mapped_too() -> None:
    whole = as_qrels({"1": {"a": 3, "b": 1, "c": 0}})
    assert levels(as_qrels(whole, map="0:0,1:0,2+:1")) == {("1", "a"): 1, ("1", "b"): 0, ("1", "c"): 0}
    with pytest.raises(DataError, match=r"^qrels: `map` has no target for grade 0\. Add it\.$"):
        as_qrels(whole, map="1+:1")


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_an_evaluation_names_the_mapping(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 0.9\n1 0 b 0.4\n")
    run = run_of([("1", "b", 2), ("1", "a", 1)])
    scores = evaluate(tmp_path / "qrels", run, "RR", map="0+:0,0.5+:1")
    assert scores.only().values.tolist() == [[0.5]]
    assert "qrels: grades read as levels by 0+:0,0.5+:1" in scores.warnings
    assert evaluate(tmp_path / "qrels", run, "RR", map="0+:0,0.4+:1").only().values.tolist() == [[1.0]]


@pytest.mark.parametrize(
    "mapping", ["", "1", "a:1", "1:a", "1:1:1", "nan:1", "inf+:1", "1:0.5", "1:99999999999", "0.5++:1"]
)
def test_a_text_that_is_no_mapping(mapping: str) -> None:
    with pytest.raises(ArgumentError) as error:
        as_qrels({"1": {"a": 1}}, map=mapping)
    assert str(error.value) == (
        f"`map` must be pairs of grade and level; got {mapping!r}. Write 0:0,1:0,2:1 or, from a grade on, 0+:0,0.5+:1."
    )


@pytest.mark.parametrize("mapping", ["1:0,1:1", "0.5+:0,.5+:1"])
def test_a_grade_named_twice(mapping: str) -> None:
    with pytest.raises(ArgumentError, match="`map` names a grade twice: "):
        as_qrels({"1": {"a": 1}}, map=mapping)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 a high\n", "q:1: expected a grade of `map` 0.5+:1 as relevance (field 4), found 'high'"),
        ("1 0 a 0.4\n", "q:1: expected a grade of `map` 0.5+:1 as relevance (field 4), found '0.4'"),
        ("1 0 a nan\n", "q:1: expected a grade of `map` 0.5+:1 as relevance (field 4), found 'nan'"),
        ("1 a\n", "q:1: expected 4 fields (topic iteration document relevance) or 3 (topic document level), found 2"),
        ("1 0 a 0.5\n1 0 a 0.6\n", "q:2: document 'a' occurs twice in topic '1' (first on line 1)"),
        ("# nothing\n", "q: holds no data lines"),
    ],
)
def test_lines_that_are_no_judgments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q").write_text(text)
    with pytest.raises(FileError) as error:
        read_qrels("q", map="0.5+:1")
    assert str(error.value).startswith(message)


def test_without_a_mapping_fractions_are_refused_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q").write_text("1 0 a 0.5\n")
    with pytest.raises(FileError) as error:
        read_qrels("q")
    assert str(error.value) == (
        "q:1: expected an integer (2 or L2) as relevance (field 4), found '0.5'; "
        "`map` of evaluate and judges declares levels: 0+:0,0.5+:1"
    )
