"""Runs and judgments as machine words: what the careful parser reads, the ids as text would have them, the same scores."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cranfield import CranfieldError, Qrels, evaluate, read_qrels, read_run
from cranfield.collection.lines import careful_qrels, careful_run
from cranfield.collection.packed import LONGEST_ID, Ids, PackedRun, packed_qrels, packed_run
from cranfield.collection.types import QrelsInWords
from cranfield.core.errors import quietly
from cranfield.core.files import check_text, finite_number
from line_strategies import lines_of_fields, mutated_run

labels = st.text(st.characters(min_codepoint=33, exclude_categories=["Cs", "Zs", "Zl", "Zp"]), min_size=1, max_size=20)
"""Ids of one to several words, with letters of several bytes."""


def decimal(sign: str, whole: str, point: str, behind: str) -> str:
    return f"{sign}{whole}{point}{behind}"


digits = st.text("0123456789", max_size=20)
numbers = st.one_of(
    st.builds(
        decimal, st.sampled_from(["", "", "-", "+", "--"]), digits, st.sampled_from([".", ".", "", ".."]), digits
    ),
    st.floats(allow_nan=False).map(repr),
    st.floats(0, 100).map("{:.6f}".format),
    st.integers(-(10**12), 10**12).map(str),
    st.sampled_from(["1e5", "-0", "0.5e", "nan", "inf", "1.5L", "٣", "9007199254740993", "0.1:", "1/2"]),
)


@settings(max_examples=500, deadline=None)
@given(data=lines_of_fields((6,)) | mutated_run().map(lambda data: data.replace(b"\t", b" ")))
def test_packed_runs_are_what_the_careful_parser_reads(data: bytes) -> None:
    try:
        data = check_text(data, "x")
    except CranfieldError:
        return
    packed = packed_run(data)
    if packed is None:
        return
    if packed.has_duplicates:
        with pytest.raises(CranfieldError, match="twice"):
            careful_run(data, "x", lenient=False)
        return
    careful = careful_run(data, "x", lenient=False)
    assert packed.frame().equals(careful.frame, null_equal=True)
    assert packed.tag == careful.tag
    assert careful.notes == ()


@settings(max_examples=300, deadline=None)
@given(data=lines_of_fields((4,)), levels=st.lists(st.integers(-9, 99), max_size=5))
def test_packed_judgments_are_what_the_careful_parser_reads(data: bytes, levels: list[int]) -> None:
    data += b"".join(b"7 0 d%d %d\n" % (at, level) for at, level in enumerate(levels))
    try:
        data = check_text(data, "x")
    except CranfieldError:
        return
    packed = packed_qrels(data)
    if packed is not None and not packed.has_duplicates:
        assert packed.frame().equals(careful_qrels(data, "x").frame)


@settings(max_examples=500, deadline=None)
@given(texts=st.lists(numbers, min_size=1, max_size=30), plain=st.integers(0, 40))
@example(texts=["0.30000000000000004", "1.7976931348623157", "0.1"], plain=0)
@example(texts=["8.0000000000000005", "4.0000000000000005", "0.500000000000000055"], plain=0)
def test_numbers_are_the_nearest_doubles(texts: list[str], plain: int) -> None:
    """In any company: what a block holds besides decides how its numbers are read."""
    texts = texts + ["12.345678"] * plain
    data = "".join(f"1 Q0 d{at} {at + 1} {text} x\n" for at, text in enumerate(texts)).encode()
    packed = packed_run(data)
    if packed is not None:
        assert packed.scores.tolist() == [float(text) for text in texts]
        assert packed.frame().equals(careful_run(data, "x", lenient=False).frame)


short = st.integers(0, 8).flatmap(
    lambda many: st.builds(
        lambda written, point: f"{written[:point]}.{written[point:]}",
        st.text("0123456789", min_size=many, max_size=many),
        st.integers(0, many),
    )
)
"""Up to eight digits with a point anywhere among them."""


@settings(max_examples=500, deadline=None)
@given(
    texts=st.lists(short, min_size=1, max_size=20), odd=st.none() | st.text("0123456789.-+eE/:", min_size=1, max_size=9)
)
@example(texts=["12.345678", ".12345678", "1234567.8", "12345678."], odd=None)
def test_short_numbers_are_the_nearest_doubles(texts: list[str], odd: str | None) -> None:
    """A block of short decimals has a way of its own, which one that is written otherwise must leave."""
    texts = texts if odd is None else [*texts, odd]
    data = "".join(f"1 Q0 d{at} {at + 1} {text} x\n" for at, text in enumerate(texts)).encode()
    packed = packed_run(data)
    if packed is None:
        return
    assert packed.scores.tolist() == [float(text) for text in texts]
    assert packed.frame().equals(careful_run(data, "x", lenient=False).frame)


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_whatever_short_text_is_packed_is_a_number_to_the_careful_parser(length: int) -> None:
    for text in map("".join, product("09.-/:e", repeat=length)):
        packed = packed_run(f"1 Q0 d 1 {text} x\n".encode())
        if packed is not None:
            assert packed.scores.tolist() == [finite_number(text)], text


@pytest.mark.parametrize("decimals", [0, 1, 6, 8, 9, 15, 16, 17])
def test_long_decimals_are_packed_and_exact(decimals: int) -> None:
    """Otherwise the property above would hold for a parser that never accepts anything."""
    values = np.random.default_rng(decimals).random(5000) * 10.0 ** np.arange(-3, 2).repeat(1000)
    texts = [f"{value:.{decimals}f}" for value in values.tolist()]
    packed = packed_run("".join(f"1 Q0 {at} {at} {text} x\n" for at, text in enumerate(texts)).encode())
    assert packed is not None
    assert packed.scores.tolist() == [float(text) for text in texts]


def test_what_is_packed() -> None:
    line = b"1 Q0 d 1 2.5 x\n"
    assert packed_run(line) is not None
    assert packed_run(line[:-1]) is not None
    assert packed_run(line * 30 + b"1 Q0 e 1 -2.5e-3 x\n") is not None, "one number in another notation"
    for doubt in (
        b"# note\n",
        b"<note\n",
        b"1 Q0 e 2 2 y\n",
        b"1  Q0 e 2 2 x\n",
        b"1 Q0 e 2 2 x\r\n",
        b"1 Q0 e -2 2 x\n",
    ):
        assert packed_run(line + doubt) is None
    assert packed_run(b"1 Q0 %b 1 2.5 x\n" % (b"d" * LONGEST_ID)) is not None
    assert packed_run(b"1 Q0 %b 1 2.5 x\n" % (b"d" * (LONGEST_ID + 1))) is None
    assert packed_qrels(b"1 0 d -1\n") is not None
    assert packed_qrels(b"1 0 d 1\n1 1 e 1\n") is None, "subtopics"


@settings(max_examples=200, deadline=None)
@given(st.lists(labels, min_size=1, max_size=30), st.lists(labels, max_size=30))
def test_ids_are_what_their_text_is(first: list[str], second: list[str]) -> None:
    both = first + second
    ids = Ids.of(both)
    assert ids.to_list() == both
    assert Ids.together([Ids.of(first), Ids.of(second)]).to_list() == both if second else True
    assert ids.hashes.tolist() == [int(Ids.of([text]).hashes[0]) for text in both], "whatever the number of words"
    turned = Ids.of(both[::-1])
    pairs = list(zip(both, both[::-1], strict=True))
    assert ids.equal(turned).tolist() == [one == other for one, other in pairs]
    assert ids.before(turned).tolist() == [one.encode() < other.encode() for one, other in pairs]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("12"), st.sampled_from(["a", "b", "c" * 9, "c" * 9 + "d"])), min_size=1))
def test_documents_that_come_twice_are_seen(pairs: list[tuple[str, str]]) -> None:
    run = packed_run("".join(f"{topic} Q0 {document} 1 1 x\n" for topic, document in pairs).encode())
    assert run is not None
    assert run.has_duplicates == (len(set(pairs)) < len(pairs))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    judged=st.dictionaries(st.tuples(st.sampled_from("123"), labels), st.integers(-1, 3), min_size=1, max_size=15),
    found=st.dictionaries(
        st.tuples(st.sampled_from("1234"), labels), st.tuples(st.integers(0, 3), st.integers(1, 9)), max_size=15
    ),
    grouped=st.booleans(),
)
def test_the_same_scores_from_words_as_from_text(
    tmp_path: Path,
    judged: dict[tuple[str, str], int],
    found: dict[tuple[str, str], tuple[int, int]],
    grouped: bool,
) -> None:
    """Ties, topics without judgments, mixed topics; judgments in words or in a frame."""
    found = {**dict.fromkeys(judged, (1, 1)), **found}
    order = sorted(found, key=lambda pair: pair[0]) if grouped else list(found)
    (tmp_path / "q").write_text("".join(f"{t} 0 {d} {level}\n" for (t, d), level in judged.items()))
    (tmp_path / "r").write_text("".join(f"{t} Q0 {d} {found[t, d][1]} {found[t, d][0]} x\n" for t, d in order))
    try:
        qrels, run = read_qrels(tmp_path / "q"), read_run(tmp_path / "r")
    except CranfieldError:
        return  # such as a document that begins like a comment
    framed = Qrels(qrels.frame, qrels.name)
    for how in ("score", "file"):
        with quietly():
            scores = [
                evaluate(one, other, ["AP", "nDCG@3", "RR", "num_ret"], order=how)  # type: ignore[arg-type]
                for one in (qrels, framed)
                for other in (str(tmp_path / "r"), run)
            ]
        for name in scores[0]:
            assert len({one[name].values.tobytes() for one in scores}) == 1
        assert len({one.warnings for one in scores}) <= 2  # of a run at hand and of one from a file


def test_judgments_from_a_file_are_those_of_their_frame(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("2 0 a 1\n10 0 b -1\n2 0 c 0\n")
    qrels = read_qrels(tmp_path / "q")
    assert isinstance(qrels, QrelsInWords)
    assert (len(qrels), qrels.topics, repr(qrels)) == (3, ("2", "10"), "Qrels(q: 2 topics, 3 judgments, 1 relevant)")
    assert qrels == Qrels(qrels.frame, "q")
    assert qrels.frame.rows() == [("2", "0", "a", 1), ("10", "0", "b", -1), ("2", "0", "c", 0)]


def test_judged_ids_that_words_do_not_hold(tmp_path: Path) -> None:
    """A judged id with NUL is not taken for the one without, nor is an endless one in the way."""
    frame = pl.DataFrame(
        {"topic": "1", "subtopic": "0", "document": ["a\0", "b" * 5000, "c"], "relevance": [1, 1, 0]},
        schema_overrides={"relevance": pl.Int32},
    )
    (tmp_path / "r").write_text("1 Q0 a 1 2 x\n1 Q0 c 2 1 x\n")
    with quietly():
        scores = evaluate(Qrels(frame), str(tmp_path / "r"), ["num_rel_ret", "AP"])
    assert [matrix.values.item() for matrix in scores.values()] == [0.0, 0.0]


def test_parts_of_a_run() -> None:
    lines = [f"{topic} Q0 d{rank} {rank} {9 - rank} x\n" for topic in (1, 2, 3) for rank in (1, 2)]
    whole = packed_run("".join(lines).encode())
    assert whole is not None
    first, last = whole.slice(0, 2), whole.slice(2)
    assert (first.topics, last.topics, last.starts.tolist()) == (["1"], ["2", "3"], [0, 2])
    assert PackedRun.together([first, last]).frame().equals(whole.frame())
    begun, rest = packed_run("".join(lines[:3]).encode()), packed_run("".join(lines[3:]).encode())
    assert begun is not None
    assert rest is not None
    joined = PackedRun.together([begun, rest])
    assert joined.frame().equals(whole.frame())
    assert joined.topics == whole.topics
