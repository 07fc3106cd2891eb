"""TREC files: what is written reads back to the same rows and the same doubles."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield import DataError, Qrels, Run, read_qrels, read_run, write_qrels, write_run
from cranfield.collection.types import QRELS_SCHEMA, RUN_SCHEMA
from cranfield.collection.writers import to_trec_qrels, to_trec_run

NOT_ONE_WORD = " cannot be written: a TREC field is one word without white space"
FINITE_ONE = "every row needs a finite one"
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def a_run(*rows: tuple[str | None, str | None, int | None, float | None], tag: str = "tag", system: str = "s") -> Run:
    return Run(pl.DataFrame(list(rows), schema=RUN_SCHEMA, orient="row"), system, tag)


def some_qrels(*rows: tuple[str, str, str, int | None]) -> Qrels:
    return Qrels(pl.DataFrame(list(rows), schema=QRELS_SCHEMA, orient="row"), "q")


def test_a_run_is_written_line_by_line_in_its_order() -> None:
    run = a_run(("10", "b", 2, 0.1), ("10", "a", 1, -1e-300), ("2", "a", None, 3.0))
    assert to_trec_run(run) == b"10 Q0 b 2 0.1 tag\n10 Q0 a 1 -1e-300 tag\n2 Q0 a - 3.0 tag\n"


@given(st.lists(FINITE, min_size=1, max_size=20))
def test_every_score_reads_back_to_the_same_double(scores: list[float]) -> None:
    run = a_run(*[("1", f"d{i}", i, score) for i, score in enumerate(scores)])
    fields = [line.split() for line in to_trec_run(run).decode().splitlines()]
    assert [float(field[4]).hex() for field in fields] == [score.hex() for score in scores]


@pytest.mark.parametrize("ending", [".run", ".run.gz", ".run.zst", ".run.xz", ".run.bz2"])
def test_a_run_reads_back_whole(tmp_path: Path, ending: str) -> None:
    run = a_run(("1", "été", 1, math.pi), ("1", "a\u00a0b", None, 1e-17), system="mine")
    write_run(run, tmp_path / f"mine{ending}")
    back = read_run(tmp_path / f"mine{ending}")
    assert back == run
    assert back.tag == "tag"


def test_judgments_read_back_whole(tmp_path: Path) -> None:
    qrels = some_qrels(("1", "0", "a", 2), ("1", "3", "a", 0), ("2", "0", "b", -1))
    assert to_trec_qrels(qrels) == b"1 0 a 2\n1 3 a 0\n2 0 b -1\n"
    write_qrels(qrels, tmp_path / "q.txt.gz")
    assert read_qrels(tmp_path / "q.txt.gz") == qrels


def test_a_run_without_ranks_gets_those_of_its_scores() -> None:
    """Rows stay where they are; ties go to the larger id, as trec_eval has it."""
    rows = {"topic": ["1", "1", "1", "2"], "document": ["a", "b", "c", "a"], "score": [0.5, 2.0, 0.5, 1.0]}
    frame = pl.DataFrame(rows).with_columns(rank=pl.lit(None, pl.Int64)).select("topic", "document", "rank", "score")
    lines = to_trec_run(Run(frame, system="s")).decode().splitlines()
    assert lines == ["1 Q0 a 3 0.5 s", "1 Q0 b 1 2.0 s", "1 Q0 c 2 0.5 s", "2 Q0 a 1 1.0 s"]
    some = frame.with_columns(rank=pl.Series([7, None, None, None], dtype=pl.Int64))
    assert [line.split()[3] for line in to_trec_run(Run(some, system="s")).decode().splitlines()] == [
        "7",
        "-",
        "-",
        "-",
    ]


def test_a_run_without_a_tag_takes_the_name_of_its_system() -> None:
    assert to_trec_run(a_run(("1", "d", 1, 0.5), tag="", system="bm25")) == b"1 Q0 d 1 0.5 bm25\n"


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (a_run(("1", "a b", 1, 0.5)), f"run s: the document 'a b'{NOT_ONE_WORD}"),
        (a_run(("", "a", 1, 0.5)), f"run s: the topic ''{NOT_ONE_WORD}"),
        (a_run((None, "a", 1, 0.5)), f"run s: the topic None{NOT_ONE_WORD}"),
        (a_run(("#1", "a", 1, 0.5)), "run s: the topic '#1' cannot be written: a line that starts with # is a comment"),
        (a_run(("1", "a", 1, 0.5), tag="my run"), f"run s: the tag 'my run'{NOT_ONE_WORD}"),
        (
            a_run(("1", "a", 1, 0.5), ("1", "b", 2, math.nan)),
            f"run s: topic '1', document 'b' has score nan; {FINITE_ONE}",
        ),
        (a_run(("1", "a", 1, None)), f"run s: topic '1', document 'a' has score None; {FINITE_ONE}"),
    ],
)
def test_what_would_not_read_back_is_refused(run: Run, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        write_run(run, tmp_path / "x.run")
    assert str(caught.value) == message
    assert not list(tmp_path.iterdir())


def test_a_judgment_without_relevance_is_refused() -> None:
    with pytest.raises(DataError) as caught:
        to_trec_qrels(some_qrels(("1", "0", "a", None)))
    assert str(caught.value) == "judgments q: topic '1', document 'a' has no relevance; every row needs one"
