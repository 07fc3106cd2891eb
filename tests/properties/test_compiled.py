"""Rows from the compiled parser, from polars and from the careful parser: the same, and every score the nearest double."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import groupby, pairwise, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cranfield import CranfieldError, evaluate
from cranfield.collection import compiled
from cranfield.collection.compiled import OFF, Judge, judge_of
from cranfield.collection.lines import careful_qrels, careful_run, fast_qrels, fast_run, fast_run_block
from cranfield.collection.types import QRELS_SCHEMA, Qrels, Run
from cranfield.core.errors import quietly
from cranfield.core.text import check_text, finite_number
from cranfield.measures.evaluation import Evaluator
from cranfield.measures.stream import of_lines
from line_strategies import lines_of_fields, mutated_run

ways = pytest.mark.parametrize("way", ["compiled", "polars"])
many = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def chosen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser that a test names."""
    way = request.node.callspec.params.get("way") if hasattr(request.node, "callspec") else None
    if way == "polars":
        monkeypatch.setattr(compiled, "columns", None)
    elif compiled.columns is None:
        pytest.skip("the compiled parser was not built")


def read(data: bytes, kind: str = "run") -> bytes | None:
    """Text as the parsers get it; None for what is refused before."""
    try:
        return check_text(data, kind)
    except CranfieldError:
        return None


@ways
@many
@given(data=lines_of_fields((6,)) | lines_of_fields() | mutated_run())
@example(data=b"1 Q0 d 1 2\rx\n")
@example(data=b"1 Q0 d 1 2\rx\n1 Q0 e 1 2 x\n")
@example(data=b" \t\x0b1\x0cQ0  d 1\t\t2 x \r\n\n \n1 Q0 \x01\x1f 1 2 x")
@example(data=b"1 Q0 abcdefgh\x01jklmnop\x0bq 1 2\n")
@example(data="1 Q0 ‑éø漢字漢字漢字 1 2 é\n".encode())
@example(data=b"1 Q0 d 9223372036854775808 1 x\n1 Q0 e 9223372036854775807 1 x\n")
@example(data=b"1 Q0 d 1 1e309 x\n")
def test_a_run_is_what_the_careful_parser_reads(data: bytes, way: str) -> None:
    if (text := read(data)) is None or (fast := fast_run(text)) is None:
        return
    careful = careful_run(text, "x", lenient=False)
    assert fast.frame.equals(careful.frame, null_equal=True)
    assert fast.frame.schema == careful.frame.schema
    assert (fast.tag, fast.notes) == (careful.tag, careful.notes)


@ways
@many
@given(data=lines_of_fields((4,)) | lines_of_fields((3,)), levels=st.lists(st.integers(-9, 99), max_size=5))
@example(data=b"1 0 d 2147483648\n", levels=[])
@example(data=b"1 0 d -2147483648\n", levels=[])
def test_judgments_are_what_the_careful_parser_reads(data: bytes, levels: list[int], way: str) -> None:
    data += b"".join(b"7 0 d%d %d\n" % (at, level) for at, level in enumerate(levels))
    if (text := read(data)) is not None and (fast := fast_qrels(text)) is not None:
        assert fast.frame.equals(careful_qrels(text, "x").frame)


TOPICS, IDS = ("1", "2", "a-topic-of-thirty-bytes-or-so"), ("a", "ab", "é", "doc-12345678", "doc-123456789", "x" * 40)
pairs = st.tuples(st.sampled_from(TOPICS), st.sampled_from([*IDS, "x" * 39 + "y"]))


@many
@given(
    rows=st.lists(st.tuples(pairs, st.integers(-1, 2)), min_size=1),
    known=st.sets(pairs, min_size=1),
    mixed=st.booleans(),
)
@example(rows=[(("1", "a"), 1), (("2", "a"), 1), (("1", "ab"), 2)], known={("1", "ab")}, mixed=True)
@example(rows=[(("1", one), 1) for one in IDS], known={("1", one) for one in IDS}, mixed=False)
def test_lines_judged_at_once_are_judged_as_their_rows(
    rows: list[tuple[tuple[str, str], int]], known: set[tuple[str, str]], mixed: bool
) -> None:
    rows = rows if mixed else sorted(dict(rows).items(), key=lambda row: (row[0][0], row[1]))
    data = "".join(f"{topic} Q0 {document} 7 {score} x\n" for (topic, document), score in rows).encode()
    qrels = [(topic, "0", document, 1) for topic, document in sorted(known, key=lambda pair: pair[::-1])]
    evaluator = Evaluator(Qrels(pl.DataFrame(qrels, schema=QRELS_SCHEMA, orient="row")), ["AP"])
    assert evaluator.judge_lines is not None
    at_once, run = evaluator.judge_lines(data), fast_run(data)
    assert evaluator.judge_lines.rows == len(qrels)
    together = sum(one[0][0] != other[0][0] for one, other in pairwise(rows)) == len({one[0][0] for one in rows}) - 1
    if at_once is None:
        assert run is None or not together
        return
    assert run is not None
    ranking, unjudged_topics = evaluator.judge_with_unjudged_topics(Run(run.frame))
    assert (at_once.tag, list(at_once.unjudged_topics)) == (run.tag, unjudged_topics)
    gathered = of_lines(at_once, evaluator.judgments, evaluator.index).ranking(evaluator.judgments, "x")
    for name in ("retrieved", "topic", "rank", "document"):
        assert getattr(gathered, name).tolist() == getattr(ranking, name).tolist()


@many
@given(data=lines_of_fields((6,)) | mutated_run())
@example(data=b"1\r1 1 1 1 1\n")
@example(data=b"1 Q0 d 1 2 x\n1 Q0 e 1 2 y\n")
@example(data=b"1 Q0 d 1 2 x\n1 Q0 d 1 2 x\n")
@example(data=b"3 Q0 d 1 2 x\n1 Q0 d 1 2 x\n3 Q0 e 1 2 x\n")
@example(data=b"1 Q0 d 1 2\rx\n")
def test_what_is_judged_at_once_is_a_run_without_remarks(data: bytes) -> None:
    judge = judge_of(b"1 0 d 1\n")
    if judge is not None and (text := read(data)) is not None and (judged := judge(text)) is not None:
        run = careful_run(text, "x", lenient=False)
        assert (run.tag, run.notes) == (judged.tag, ())
        topics = [topic for topic, _ in groupby(run.frame["topic"])]
        assert len(set(topics)) == len(topics)


def test_ids_made_to_share_slots_are_not_judged_at_once() -> None:
    """That would take time by the square of their number."""

    def key(text: str) -> int:
        key, data = 0, text.encode()
        for word in (data[:4] + data[-4:], bytes([len(data)])):
            key = (key ^ int.from_bytes(word, "little")) * 0x9E3779B97F4A7C15 % 2**64
            key ^= key >> 32
        return key

    def judged(documents: list[str]) -> Judge | None:
        return judge_of("".join(f"1 0 {one} 1\n" for one in documents).encode())

    ids = list(map(str, range(10_000, 100_000)))
    same = [one for one in ids if not key(one) % 256]
    assert judged(same[:64]) is not None
    assert judged(same[:65]) is None
    judge = judged(["1"])
    assert judge is not None
    twins = [one for one in ids if not (key(one) >> 20) % 256]
    lines = [f"1 Q0 {one} 1 1 x\n".encode() for one in twins]
    assert judge(b"".join(lines[:64])) is not None
    assert judge(b"".join(lines[:66])) is None


def decimal(sign: str, whole: str, point: str, behind: str, exponent: str) -> str:
    return f"{sign}{whole}{point}{behind}{exponent}"


digits = st.text("0123456789", max_size=25)
numbers = st.one_of(
    st.builds(
        decimal,
        st.sampled_from(["", "", "-", "+", "--"]),
        digits,
        st.sampled_from([".", ".", "", ".."]),
        digits,
        st.sampled_from(["", "", ""]) | st.integers(-400, 400).map("e{}".format) | st.integers(-30, 30).map("E{:+}".format),
    ),
    st.floats(allow_nan=False).map(repr),
    st.floats(0, 100).map("{:.6f}".format),
    st.integers(-(2**70), 2**70).map(str),
    st.sampled_from(["1e5", "-0", "0.5e", "nan", "inf", "1.5L", "٣", "9007199254740993", "0.1:", "1/2", "0x10", "1_0"]),
)  # fmt: skip


@ways
@many
@given(texts=st.lists(numbers, min_size=1, max_size=30))
@example(texts=["0.30000000000000004", "1.7976931348623157e308", "0.1", "5e-324", "2.2250738585072011e-308"])
@example(texts=["8.0000000000000005", "4.0000000000000005", "0.500000000000000055", "9007199254740993"])
@example(texts=["1.00000000000000000", "9007199254740993.0", "9007199254740992.5", "0.000000000000000000000001"])
def test_numbers_are_the_nearest_doubles(texts: list[str], way: str) -> None:
    """One that is none, or is not finite, is refused."""
    data = "".join(f"1 Q0 d{at} {at + 1} {text} x\n" for at, text in enumerate(texts)).encode()
    block = fast_run_block(data)
    wanted = [finite_number(text) for text in texts]
    if block is None:
        return
    assert np.array(block.frame["score"]).tobytes() == np.array(wanted, dtype=np.float64).tobytes()


def test_whatever_is_a_number_to_the_careful_parser_is_one_to_the_compiled_one() -> None:
    for length in (1, 2, 3, 4):
        for text in map("".join, product("09.-+e", repeat=length)):
            block = fast_run_block(f"1 Q0 d 1 {text} x\n".encode())
            assert (None if block is None else block.frame["score"].item()) == finite_number(text), text


@pytest.mark.parametrize("written", ["{!r}", "{:.6f}", "{:e}", "{:.17g}", "{:.16e}", "{:.19f}", "{:.25f}", "{:.0f}"])
def test_scores_in_every_notation_are_exact(written: str) -> None:
    rng = np.random.default_rng(32)
    values = (rng.random(20_000) - 0.3) * 10.0 ** rng.integers(-40, 40, 20_000)
    texts = [written.format(value) for value in values.tolist()]
    block = fast_run_block("".join(f"1 Q0 {at} {at} {text} x\n" for at, text in enumerate(texts)).encode())
    assert block is not None
    assert block.frame["score"].to_list() == [float(text) for text in texts]


def test_numbers_next_to_the_middle_of_two_doubles_are_exact() -> None:
    """Where the product of the leading bits cannot tell."""
    rng = np.random.default_rng(33)
    texts = []
    for mantissa, two in zip(
        rng.integers(2**52, 2**53, 5000).tolist(), rng.integers(-80, 40, 5000).tolist(), strict=True
    ):
        middle, power = 2 * mantissa + 1, two  # (mantissa + 1/2) × 2^(power + 1)
        exact = middle * 2**power if power >= 0 else middle * 5**-power
        places = -power if power < 0 else 0
        for away in (-1, 0, 1):
            digits = str(exact)[:19]
            texts.append(f"{int(digits) + away}e{len(str(exact)) - len(digits) - places}")
    block = fast_run_block("".join(f"1 Q0 {at} {at} {text} x\n" for at, text in enumerate(texts)).encode())
    assert block is not None
    assert block.frame["score"].to_list() == [float(text) for text in texts]


def test_what_the_compiled_parser_takes() -> None:
    """Otherwise the properties above would hold for a parser that never accepts anything."""
    assert compiled.columns is not None

    def taken(data: bytes) -> bool:
        return compiled.columns is not None and compiled.columns(data, "s-slgs", "#<") is not None

    line = b"1 Q0 d 1 2.5 x\n"
    for sound in (
        b"",
        b"1\tQ0\td\t1\t2.5\tx\r\n",
        b"  1  Q0  d 1 2.5 x \n\n",
        b"1 Q0 d -1 -2.5e-3 y",
        b"1 Q0 %b 1 2.5 x\n" % (b"d" * 100_000),
        "1 Q0 é 1 0.1000000000000000055511151231257827021181583404541015625 x\n".encode(),
    ):
        assert taken(line + sound), sound
    for doubt in (
        b"# note\n", b" <note\n", b"1 Q0 d 1 2.5\n", b"1 Q0 d 1 2.5 x y\n", b"1 Q0 d 1. 2.5 x\n", b"1 Q0 d 1 nan x\n",
        b"1 Q0 d 1 1e999 x\n", b"1 Q0 \xff 1 1 x\n", b"1 Q0 d 1111111111111111111 1 x\n", b"1 Q0 d 1 0x1 x\n",
    ):  # fmt: skip
        assert not taken(line + doubt), doubt
    assert not taken(b"")
    assert not taken(b" \n\n")


def test_wrong_arguments_are_refused() -> None:
    assert compiled.columns is not None
    for letters in ("", "q", "s" * 9):
        with pytest.raises(ValueError, match="kinds must be"):
            compiled.columns(b"1 2\n", letters, "#")
    with pytest.raises(TypeError):
        compiled.columns(bytearray(b"1 2\n"), "ss", "#")  # type: ignore[arg-type]


def test_rows_outlive_the_bytes_they_came_from() -> None:
    """And are freed in whatever thread."""
    from concurrent.futures import ThreadPoolExecutor

    def one(number: int) -> pl.DataFrame:
        block = fast_run_block(
            b"".join(b"1 Q0 a-rather-long-document-%d-%d 1 1 x\n" % (number, at) for at in range(500))
        )
        assert block is not None
        return block.frame.slice(100, 3)

    with ThreadPoolExecutor(4) as pool:
        frames = list(pool.map(one, range(200)))
    for number, frame in enumerate(frames):
        assert frame["document"].to_list() == [f"a-rather-long-document-{number}-{at}" for at in (100, 101, 102)]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    judged=st.dictionaries(st.tuples(st.sampled_from("123"), st.text("aé", min_size=1, max_size=20)), st.integers(-1, 3), min_size=1),
    found=st.dictionaries(
        st.tuples(st.sampled_from("1234"), st.text("aé", min_size=1, max_size=20)), st.tuples(st.integers(0, 3), st.integers(1, 9))
    ),
)  # fmt: skip
def test_the_same_scores_both_ways(
    tmp_path: Path,
    judged: dict[tuple[str, str], int],
    found: dict[tuple[str, str], tuple[int, int]],
) -> None:
    """Ties, topics without judgments, mixed topics."""
    found = {**dict.fromkeys(judged, (1, 1)), **found}
    (tmp_path / "q").write_text("".join(f"{t} 0 {d} {level}\n" for (t, d), level in judged.items()))
    (tmp_path / "r").write_text("".join(f"{t} Q0 {d} {rank} {s} x\n" for (t, d), (s, rank) in found.items()))
    outcomes = []
    for way in (compiled.columns, None):
        with pytest.MonkeyPatch.context() as patch, quietly():
            patch.setattr(compiled, "columns", way)
            scores = evaluate(tmp_path / "q", str(tmp_path / "r"), ["AP", "nDCG@3", "RR", "num_ret"])
        outcomes.append(([one.values.tobytes() for one in scores.values()], scores.warnings))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(("setting", "there"), [("", True), ("0", True), ("1", False)])
def test_the_variable_switches_it_off_and_the_version_says_so(setting: str, there: bool) -> None:
    environment = {**os.environ, OFF: setting}
    command = [sys.executable, "-m", "cranfield", "--version"]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert said.endswith("(compiled parser)\n" if there else "(without the compiled parser)\n")
