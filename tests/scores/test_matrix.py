"""The score matrix: what it refuses, and how it is cut, ordered, aligned and joined."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cranfield import ArgumentError, DataError, ScoreMatrix, Scores, UnknownNameError


@pytest.fixture
def matrix() -> ScoreMatrix:
    return ScoreMatrix([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], ["10", "9"], ["a", "b", "c"], "AP")


def message(call: object, *args: object, **kwargs: object) -> str:
    with pytest.raises((DataError, ArgumentError)) as caught:
        call(*args, **kwargs)  # type: ignore[operator]
    return str(caught.value)


def test_what_a_matrix_refuses() -> None:
    assert message(ScoreMatrix, [[1.0]], ["1"], ["a", "b"]) == (
        "score: the labels describe a (1, 2) matrix, the values are (1, 1)"
    )
    assert message(ScoreMatrix, [[1.0, 2.0]], ["1"], ["a", "a"]) == (
        "system 'a' occurs 2 times; every system needs its own label"
    )
    assert message(ScoreMatrix, [[1.0]], [""], ["a"]) == "a topic label must be a non-empty string; got ''"
    assert message(ScoreMatrix, [[1.0]], [1], ["a"]) == "a topic label must be a non-empty string; got 1"
    assert message(ScoreMatrix, [[1.0]], ["1"], ["\ud800"]) == ("system '\\ud800' is not valid Unicode; rename it")
    assert message(ScoreMatrix, np.zeros((0, 1)), [], ["a"], "AP") == (
        "AP: a score matrix needs at least one topic and one system; got (0, 1)"
    )
    assert message(ScoreMatrix, [[np.nan, 1.0]], ["1"], ["a", "b"], "AP") == (
        "AP: 1 of 2 scores are NaN, the first for topic '1', system 'a'; "
        "choose what a missing score means (missing='zero' or 'drop-topic')"
    )


def test_values_cannot_be_changed_behind_its_back(matrix: ScoreMatrix) -> None:
    with pytest.raises(ValueError, match="read-only"):
        matrix.values[0, 0] = 9
    source = np.ones((1, 1))
    copy = ScoreMatrix(source, ["1"], ["a"])
    source[0, 0] = 5
    assert copy.values[0, 0] == 1


def test_select_drop_sort(matrix: ScoreMatrix) -> None:
    assert matrix.select(systems=["c", "a"]).values.tolist() == [[0.3, 0.1], [0.6, 0.4]]
    assert matrix.drop(topics=["10"], systems=["b"]).values.tolist() == [[0.4, 0.6]]
    assert matrix.sorted().topics == ("9", "10")
    assert matrix.canonical().topics == ("10", "9")
    with pytest.raises(UnknownNameError) as caught:
        matrix.select(systems=["d"])
    assert str(caught.value) == "unknown system 'd'. Known: a, b, c."


def test_align_by_topic_id(matrix: ScoreMatrix) -> None:
    other = ScoreMatrix([[1.0], [2.0], [3.0]], ["9", "10", "11"], ["d"], "AP")
    assert message(matrix.align, other) == (
        "the two matrices differ in 1 topics (11); 2 are in common; pass missing='drop-topic' to use the common topics"
    )
    left, right = matrix.align(other, missing="drop-topic")
    assert left.topics == right.topics == ("10", "9")
    assert right.values.tolist() == [[2.0], [1.0]]
    assert left.provenance == ("dropped 1 topics that only one of two matrices has: 11",)
    strangers = ScoreMatrix([[1.0]], ["x"], ["d"], "AP")
    assert message(matrix.align, strangers, missing="drop-topic") == (
        "the two matrices differ in 3 topics (10, 9, x); 0 are in common; no topic is in common"
    )


def test_join_refuses_what_does_not_fit(matrix: ScoreMatrix) -> None:
    assert message(matrix.join, matrix) == "systems in both matrices: a, b, c; rename or drop them first"
    other = ScoreMatrix([[1.0], [2.0]], ["9", "10"], ["d"], "P@10")
    assert message(matrix.join, other) == "cannot join AP and P@10 scores: the measures differ"


def test_require(matrix: ScoreMatrix) -> None:
    assert matrix.require() is matrix
    assert (
        message(matrix.require, topics=3, what="a fold")
        == "AP: a fold needs at least 3 topics; there are 2. Give scores of more topics."
    )
    assert (
        message(matrix.select(systems=["a"]).require)
        == "AP: this needs at least 2 systems; there is 1. Give scores of more systems."
    )
    infinite = ScoreMatrix([[np.inf, 1.0], [1.0, 1.0]], ["1", "2"], ["a", "b"], "z")
    assert message(infinite.require) == "z: this needs finite scores; topic '1', system 'a' has inf"
    cube = ScoreMatrix(np.zeros((2, 2, 2)), ["1", "2"], ["a", "b"], "AP", ["p", "q"])
    assert message(cube.require) == "AP: this needs topic × system scores; choose one partition first"


def test_partitions() -> None:
    cube = ScoreMatrix(np.arange(12.0).reshape(2, 3, 2), ["1", "2"], ["a", "b", "c"], "AP", ["p", "q"])
    assert cube.partition("q").values.tolist() == [[1, 3, 5], [7, 9, 11]]
    assert cube.system_means.tolist() == [3.5, 5.5, 7.5]
    assert ScoreMatrix.from_long(cube.to_long()) == cube


def test_equality_is_exact(matrix: ScoreMatrix) -> None:
    assert matrix == matrix.select()
    assert matrix != matrix.sorted()
    assert matrix != ScoreMatrix(matrix.values + 1e-17 + 1e-16, matrix.topics, matrix.systems, "AP")
    assert matrix != "a matrix"
    with pytest.raises(TypeError):
        hash(matrix)


def test_reprs(matrix: ScoreMatrix) -> None:
    assert repr(matrix) == "ScoreMatrix(AP: 2 topics × 3 systems, mean 0.3500)"
    assert "<li>tea &amp; toast</li>" in matrix.note("tea & toast")._repr_html_()
    assert "AP: 2 topics" in Scores([matrix])._repr_html_()


def test_scores_is_a_mapping(matrix: ScoreMatrix) -> None:
    scores = Scores([matrix, ScoreMatrix([[1.0]], ["1"], ["a"], "P@5")])
    assert list(scores) == ["AP", "P@5"]
    assert scores.get("nothing") is None
    assert message(scores.only) == "there are 2 measures (AP, P@5); choose one, such as measure='AP'"
    assert message(scores.__getitem__, "P@10") == "unknown measure 'P@10'. Did you mean 'P@5'?"
    assert scores.select(measures=["AP"], systems=["b"])["AP"].systems == ("b",)
    assert message(Scores, []) == "no scores at all: at least one measure is needed"


values = arrays(np.float64, (3, 2), elements=st.floats(allow_nan=False, allow_infinity=False))


@given(values=values)
def test_frames_there_and_back(values: np.ndarray) -> None:
    matrix = ScoreMatrix(values, ["1", "2", "10"], ["x", "y"], "AP")
    assert ScoreMatrix.from_wide(matrix.to_wide(), measure="AP") == matrix
    assert ScoreMatrix.from_long(matrix.to_long()) == matrix
    shuffled = matrix.to_long().sample(fraction=1, shuffle=True, seed=3)
    assert ScoreMatrix.from_long(shuffled).sorted() == matrix.sorted()


def test_pandas_frames() -> None:
    wide = pd.DataFrame({"bm25": [0.1, 0.2], "ql": [0.3, 0.4]}, index=["301", "302"])
    expected = ScoreMatrix([[0.1, 0.3], [0.2, 0.4]], ["301", "302"], ["bm25", "ql"], "AP")
    assert ScoreMatrix.from_wide(wide, measure="AP") == expected
    assert ScoreMatrix.from_wide(wide.rename_axis("topic").reset_index(), measure="AP") == expected
    pyterrier = pd.DataFrame(
        {
            "name": ["bm25", "bm25", "ql", "ql"],
            "qid": ["301", "302"] * 2,
            "measure": "AP",
            "value": [0.1, 0.2, 0.3, 0.4],
        }
    )
    assert ScoreMatrix.from_long(pyterrier) == expected
    numbered = pd.DataFrame({"bm25": [0.1], "ql": [0.2]}, index=[301])
    assert ScoreMatrix.from_wide(numbered).topics == ("301",)


def test_missing_cells_are_a_decision() -> None:
    frame = pl.DataFrame({"topic": ["1", "2"], "a": [0.5, 0.25], "b": [None, 0.75]})
    assert message(ScoreMatrix.from_wide, frame, measure="AP") == (
        "AP: 1 of 4 scores is missing, first for topic '1', system 'b'. Choose missing='zero' (count as 0) or "
        "missing='drop-topic' (drop 1 topic)."
    )
    zero = ScoreMatrix.from_wide(frame, missing="zero")
    assert zero.values.tolist() == [[0.5, 0.0], [0.25, 0.75]]
    dropped = ScoreMatrix.from_wide(frame, missing="drop-topic")
    assert dropped.topics == ("2",)
    assert dropped.provenance == ("1 topic with 1 missing score left out (missing = drop-topic): 1",)
    assert message(ScoreMatrix.from_wide, frame[:1], missing="drop-topic") == (
        "score: every topic lacks a score, so missing='drop-topic' leaves nothing"
    )
    assert message(ScoreMatrix.from_wide, frame, missing="guess") == (
        "`missing` must be one of error, zero, drop-topic; got 'guess'"
    )


def test_frames_that_are_no_scores() -> None:
    assert message(ScoreMatrix.from_long, pl.DataFrame({"x": [1]})) == (
        "expected columns system, topic, measure, value (or name, qid, measure, value); found: x"
    )
    twice = pl.DataFrame({"system": ["a", "a"], "topic": ["1", "1"], "value": [0.1, 0.2]})
    assert message(ScoreMatrix.from_long, twice) == (
        "score: topic '1', system 'a' has 2 scores (1 cells affected). Keep one score per cell."
    )
    assert message(ScoreMatrix.from_wide, pl.DataFrame({"topic": ["1"]})) == (
        "the wide frame has no column but 'topic'; expected one per system"
    )
    assert (
        message(ScoreMatrix.from_wide, pl.DataFrame({"id": ["1"]})) == "no column 'topic' in the wide frame; it has: id"
    )
    text = pl.DataFrame({"topic": ["1"], "a": ["high"]})
    assert message(ScoreMatrix.from_wide, text) == "system 'a' must hold numbers; it holds 'high', which is text"
    comma = pl.DataFrame({"topic": ["1"], "a": ["0,25"]})
    assert message(ScoreMatrix.from_wide, comma).endswith(
        "it holds '0,25', which is text; this has a decimal comma: write a point"
    )
    assert message(ScoreMatrix.from_wide, pl.DataFrame({"topic": [1.5], "a": [0.5]})) == (
        "column 'topic' holds topic labels, which must be strings; it is Float64"
    )
    assert message(ScoreMatrix.from_wide, pl.DataFrame({"topic": [None, "2"], "a": [0.5, 1.0]})) == (
        "column 'topic': row 1 has no topic"
    )
    assert message(ScoreMatrix.from_wide, [1, 2]) == "expected a polars, pandas or Arrow frame; got list"
    called_topic = ScoreMatrix([[1.0]], ["1"], ["topic"])
    assert message(called_topic.to_wide) == ("a system is called 'topic', the name of the topic column; use to_long()")


def test_means_of_scores_whose_sum_no_double_holds() -> None:
    huge = ScoreMatrix(np.full((3, 4), 1.5e308), list("123"), list("abcd"), "x")
    assert huge.topic_means.tolist() == [1.5e308] * 3
    assert huge.system_means.tolist() == [1.5e308] * 4
