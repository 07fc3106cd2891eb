"""Whatever bytes come in: our own error or a faithful reading; never another exception, never a lost line."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cranfield import CranfieldError, read_qrels, read_run, read_scores
from cranfield.collection.lines import careful_qrels, careful_run, fast_qrels, fast_run, fast_run_block, has_equals
from cranfield.core.text import check_text
from line_strategies import lines_of_fields, mutated_run

anything = st.binary(max_size=200) | lines_of_fields() | mutated_run()
scratch = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def data_lines(data: bytes, markup: bool) -> int:
    """How many lines carry data, counted independently of the readers."""
    text = data.removeprefix(b"\xef\xbb\xbf")
    if b"\n" not in text.rstrip():
        text = text.replace(b"\r", b"\n")
    skipped = (b"#", b"<") if markup else (b"#",)
    return sum(bool(line.split()) and not line.split()[0].startswith(skipped) for line in text.split(b"\n"))


@scratch
@given(data=anything)
@example(b"1\tQ0\t\td\t1\t2\tx\n")
@example(b"1 Q0 d 1 2 x\r1 Q0 e 1 2 x")
def test_a_run_is_read_whole_or_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(data)
    try:
        run = read_run(path)
    except CranfieldError as error:
        assert str(error).startswith(str(path))
        return
    assert len(run) == data_lines(data, markup=True)
    assert all(math.isfinite(score) for score in run.frame["score"])
    assert run.frame.select("topic", "document").is_unique().all()
    assert run.frame.null_count().select("topic", "document", "score").row(0) == (0, 0, 0)


@scratch
@given(data=anything | lines_of_fields((3, 4, 4, 4)))
def test_qrels_are_read_whole_or_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "q"
    path.write_bytes(data)
    try:
        qrels = read_qrels(path)
    except CranfieldError as error:
        assert str(error).startswith(str(path))
        return
    assert len(qrels) == data_lines(data, markup=False)


@scratch
@given(data=anything | lines_of_fields((2, 3, 3)), name=st.sampled_from(["a.csv", "a.txt", "a.eval", "a.nev", "a"]))
def test_scores_are_read_or_refused(tmp_path: Path, data: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    try:
        scores = read_scores(path)
    except CranfieldError as error:
        assert str(error)
        return
    for matrix in scores.values():
        assert all(math.isfinite(value) for value in matrix.values.flat)


@settings(max_examples=500, deadline=None)
@given(data=lines_of_fields((3, 4, 6)) | mutated_run())
@example(b"# a mark after the start belongs to the id\n\xef\xbb\xbf1 Q0 d 1 2 x\n1 Q0 d 1 2 x\n")
@example(b"\xef\xbb\xbf\xef\xbb\xbf1 0 d 1\n")
@example(b"1 Q0 d %b1 2 x\n" % (b"0" * 5000))
@example(b"1 Q0 d -%b9223372036854775808 2 x\n" % (b"0" * 200))
@example(b"1 d L%b1\n" % (b"0" * 5000))
@example(b"<a>\n1 Q0 d 1 2 x\n\n<b>\n<c>\n# d\n <e>\n")
def test_the_fast_parser_reads_what_the_careful_one_reads(data: bytes) -> None:
    try:
        data = check_text(data, "x")
    except CranfieldError:
        return
    fast = fast_run(data)
    if fast is not None:
        careful = careful_run(data, "x", lenient=False)
        assert fast.frame.equals(careful.frame, null_equal=True)
        assert fast.tag == careful.tag
        assert fast.notes == careful.notes
    qrels = fast_qrels(data)
    if qrels is not None:
        assert qrels.frame.equals(careful_qrels(data, "x").frame)


def test_the_fast_parser_is_used() -> None:
    """Otherwise the property above would hold for a parser that never accepts anything."""
    assert fast_run(b"1 Q0 d 1 2.5 x\n1 Q0 e 2 2.5 x\n") is not None
    assert fast_run(b"1  Q0\td 1 2.5 x\r\n1 Q0 e 2 2.5 x\r\n") is not None
    assert fast_qrels(b"1 0 d 1\n1 0 e 0\n") is not None


@pytest.mark.parametrize("score", ["1", "-1", "+1", "1.", ".5", "-.5e-3", "1E5", "1e+05", "007", "0.1", "1e-400"])
def test_both_parsers_agree_on_numbers(score: str) -> None:
    data = f"1 Q0 d 1 {score} x\n".encode()
    fast = fast_run(data)
    careful = careful_run(data, "x", lenient=False)
    assert fast is None or fast.frame.equals(careful.frame)
    assert careful.frame["score"].to_list() == [float(score)]


def test_lines_of_markup_are_numbered_in_one_pass() -> None:
    """However many there are."""

    class Counted(bytes):
        looked_at = 0

        def count(self, sub: object, start: object = 0, end: object = None, /) -> int:
            assert isinstance(start, int)
            assert isinstance(end, int)
            Counted.looked_at += end - start
            return bytes(self[start:end]).count(b"\n")

    data = Counted(b"<a>\n1 Q0 d 1 2 x\n" * 100)
    block = fast_run_block(data, 7)
    assert block is not None
    assert block.noticed.markup == tuple(range(7, 207, 2))
    assert 0 < Counted.looked_at <= len(data)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1), max_size=60), st.integers(0, 58))
def test_equal_keys_are_found_whatever_collides(values: list[int], shift: int) -> None:
    """With keys that share their leading bits, so that slots overflow, exactly the lists with duplicates are recognised."""
    keys = np.array(values, dtype=np.uint64) >> np.uint64(shift)
    assert has_equals(keys) == (len(set(keys.tolist())) < len(values))
