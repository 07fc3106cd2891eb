"""Nugget assignments and leaderboards are score files like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cranfield import DataError, FileError, compare, read_scores
from cranfield.scores.formats.tools import nugget_scores
from support import Type


def line(topic: str, nuggets: list[tuple[str, str]], run: str | None = None) -> str:
    listed = [{"text": "…", "importance": importance, "assignment": how} for importance, how in nuggets]
    row = {"query": "?", "qid": topic, "nuggets": listed} | ({} if run is None else {"run_id": run})
    return json.dumps(row) + "\n"


FULL, HALF, NONE = "support", "partial_support", "not_support"


def test_scores_of_an_answer_by_hand() -> None:
    found = nugget_scores([("vital", FULL), ("vital", HALF), ("vital", NONE), ("okay", HALF), ("okay", FULL)])
    assert found == pytest.approx(
        {"strict_vital_score": 1 / 3, "strict_all_score": 2 / 5, "vital_score": 1.5 / 3, "all_score": 3 / 5}
    )


def test_answers_without_vital_nuggets_score_0_there(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(line("1", [("okay", FULL)]) + line("2", [("vital", FULL), ("okay", HALF)]))
    scores = read_scores(file)
    assert scores["vital_score"].values.tolist() == [[0.0], [1.0]]
    assert scores["all_score"].values.tolist() == [[1.0], [0.75]]
    assert any("1 topics without vital nuggets score 0" in step for step in scores["vital_score"].provenance)


def test_runs_of_one_file_or_of_several(tmp_path: Path) -> None:
    rows = {"a": [("vital", FULL)], "b": [("vital", HALF)]}
    (tmp_path / "all.jsonl").write_text("".join(line(t, rows[run], run) for run in rows for t in ("1", "2")))
    for run, nuggets in rows.items():
        (tmp_path / f"{run}.jsonl").write_text("".join(line(t, nuggets) for t in ("1", "2")))
    together = read_scores(tmp_path / "all.jsonl")
    apart = read_scores([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    assert list(together) == ["strict_vital_score", "strict_all_score", "vital_score", "all_score"] == list(apart)
    for name in together:
        assert together[name].systems == apart[name].systems == ("a", "b")
        assert together[name].values.tolist() == apart[name].values.tolist()
    assert together["strict_vital_score"].values.tolist() == [[1.0, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            line("1", [("vital", FULL)]) + line("2", [("fatal", FULL)]),
            ":2: expected the importance vital or okay, found 'fatal'",
        ),
        (
            line("1", [("vital", "maybe")]),
            ":1: expected the assignment support, partial_support or not_support, found 'maybe'",
        ),
        (
            line("1", [("vital", FULL)]) + '{"nuggets": [{"assignment": "support"}]}\n',
            ":2: expected a topic (qid, query_id",
        ),
        (line("1", [("vital", FULL)]) + '{"qid": "2", "nuggets": 1}\n', ":2: expected `nuggets`, a list of objects"),
        (
            line("1", [("vital", FULL)]) + '{"qid": "2", "nuggets": []}\n',
            ":2: the list of nuggets is empty, so the answer",
        ),
        ('{"qid": "2", "nuggets": []}\n', ":1: the list of nuggets is empty, so the answer"),
        (
            '{"qid": "1", "nuggets": [{"assignment": "support"}]}\n',
            ":1: a nugget has no importance; expected vital or okay",
        ),
        ('{"qid": "1", "nuggets": [{"importance": "okay"}]}\n', ":1: a nugget has no assignment; expected support, "),
    ],
)
def test_bad_nuggets(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(FileError) as error:
        read_scores(tmp_path / "x.jsonl")
    assert message in str(error.value)


def test_an_answer_given_twice_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(2 * line("1", [("vital", FULL)], "a"))
    with pytest.raises(DataError, match="topic .1., system .a. has 2 scores"):
        read_scores(tmp_path / "x.jsonl")


def test_questions_apply_to_nuggets(tmp_path: Path, cranfield: Type) -> None:
    import random

    chance = random.Random(4)
    how = {"good": [FULL, FULL, HALF], "bad": [NONE, NONE, HALF]}
    for run, choices in how.items():
        rows = [line(str(t), [("vital", chance.choice(choices)) for _ in range(6)]) for t in range(20)]
        Path(f"{run}.jsonl").write_text("".join(rows))
    done = cranfield("compare", "good.jsonl", "bad.jsonl", "--measure", "strict_vital_score", "--format", "json")
    assert done.exit_code == 0, done.stderr
    (row,) = json.loads(done.stdout)["rows"]
    assert row["significant"]
    assert compare(read_scores(["good.jsonl", "bad.jsonl"])["vital_score"]).to_frame().height == 1


TOT = "a cov 1 0.5\na cov 2 0.25\na cov all 0.375\nb cov 1 0.125\nb cov 2 1\nb cov all 0.5625\n"


@pytest.mark.parametrize(
    "text",
    [
        TOT,
        "".join(" ".join((r, t, m, v)) + "\n" for r, m, t, v in map(str.split, TOT.splitlines())),
        "".join("\t".join(one.split()) + "\n" for one in TOT.splitlines() if " all " not in one),
    ],
    ids=["tot", "ir_measures", "tabs"],
)
def test_leaderboards_in_both_orders(tmp_path: Path, text: str) -> None:
    (tmp_path / "board.txt").write_text(text)
    matrix = read_scores(tmp_path / "board.txt").only()
    assert (matrix.measure, matrix.topics, matrix.systems) == ("cov", ("1", "2"), ("a", "b"))
    assert matrix.values.tolist() == [[0.5, 0.125], [0.25, 1.0]]
    assert any("2 means over topics omitted" in step for step in matrix.provenance) == ("all" in text)


def test_leaderboard_as_json_lines(tmp_path: Path) -> None:
    rows = [
        {"run_id": r, "topic_id": t, "measure": m, "value": float(v)}
        for r, m, t, v in map(str.split, TOT.splitlines())
        if t != "all"
    ]
    (tmp_path / "board.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_scores(tmp_path / "board.jsonl").only().values.tolist() == [[0.5, 0.125], [0.25, 1.0]]


def test_a_broken_line_of_a_leaderboard(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text(TOT * 300 + "c cov 1 high\n")
    with pytest.raises(FileError, match=":1801: expected 4 fields, the last a finite number, found 'c cov 1 high'"):
        read_scores(tmp_path / "board.txt")


def test_means_alone_are_refused(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("a cov all 0.5\nb cov all 0.25\n")
    with pytest.raises(FileError, match="holds only means over topics"):
        read_scores(tmp_path / "board.txt")


def test_a_matrix_of_numbers_is_no_leaderboard(tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_text("1 0.5 0.25 0.125\n2 0.5 0.75 0.5\n")
    assert len(read_scores(tmp_path / "m.txt").only().systems) in (3, 4)
