"""Fractional grades become levels by declared thresholds."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield import ArgumentError, FileError, evaluate
from cranfield.collection.grades import read_fractional_qrels
from small_collections import run_of


def test_thresholds_belong_to_the_level_above(tmp_path: Path) -> None:
    file = tmp_path / "qrels"
    file.write_text("# by a model\n1 0 a 1\n1 0 b 0.75\n1 0 c 0.7499\n1 0 d .5\n2 0 a 0\n2 0 b -1\n")
    qrels = read_fractional_qrels(file, [0.5, 0.75])
    assert qrels.frame.rows() == [
        ("1", "0", "a", 2), ("1", "0", "b", 2), ("1", "0", "c", 1), ("1", "0", "d", 1), ("2", "0", "a", 0), ("2", "0", "b", -1),
    ]  # fmt: skip
    assert read_fractional_qrels(file, [1]).frame["relevance"].to_list() == [1, 0, 0, 0, 0, -1]


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_an_evaluation_names_the_thresholds(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 0.9\n1 0 b 0.4\n")
    run = run_of([("1", "b", 2), ("1", "a", 1)])
    scores = evaluate(read_fractional_qrels(tmp_path / "qrels", [0.5]), run, "RR")
    assert scores.only().values.tolist() == [[0.5]]
    assert "qrels: grades read as levels: 0.5 and above is level 1" in scores.warnings
    lower = evaluate(read_fractional_qrels(tmp_path / "qrels", [0.4]), run, "RR")
    assert lower.only().values.tolist() == [[1.0]]


@pytest.mark.parametrize("thresholds", [[], [0.0], [0.5, 0.5], [0.7, 0.5], [-1.0, 0.5], [float("inf")], [float("nan")]])
def test_thresholds_that_make_no_levels(tmp_path: Path, thresholds: list[float]) -> None:
    (tmp_path / "qrels").write_text("1 0 a 0.9\n")
    with pytest.raises(ArgumentError, match="`at_least` must be positive numbers in ascending order"):
        read_fractional_qrels(tmp_path / "qrels", thresholds)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 a high\n", ":1: expected 4 fields, the last a finite number (the grade)"),
        ("1 0 a\n", ":1: expected 4 fields, the last a finite number (the grade)"),
        ("1 0 a 0.5\n1 0 a 0.6\n", ":2: document a is judged twice for topic 1"),
        ("# nothing\n", "holds no judgments"),
    ],
)
def test_lines_that_are_no_judgments(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "qrels").write_text(text)
    with pytest.raises(FileError) as error:
        read_fractional_qrels(tmp_path / "qrels", [0.5])
    assert message in str(error.value)
