"""A run read in blocks is the run read whole: the same rows, notes and errors for any size of blocks, and any bytes."""

from __future__ import annotations

import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cranfield import CranfieldError, evaluate, read_run
from cranfield.collection.streaming import RunStream, topic_sections
from cranfield.core.errors import quietly
from cranfield.measures import stream

scratch = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

topics = st.sampled_from(["1", "2", "10", "é", "\ufeff1"])
documents = st.sampled_from(["a", "b", "c", "d", "e#", "ö"])
scores = st.sampled_from(["2.5", "1", "-1e3", ".5", "0.0"])
good = st.builds("{} Q0 {} {} {} {}".format, topics, documents, st.integers(1, 9), scores, st.sampled_from("xxxy"))
odd = st.sampled_from(
    ["", "  ", "# remark", " # remark", "<SYSDESC> words", "1 Q0 a 1 nan x", "1 Q0 a 1 2.5", "1 Q0 z 1 2.5 x more",
     "1 Q0 k first 2.5 x", "1\tQ0\tq\t1\t2.5\tx", "1\tQ0\ttwo words\t1\t2.5\tx", "  1 Q0  m 1 2.5 x ", "1 Q0 v 1 2.5 x\r",
     "1 Q0 \0 1 2 x", "{", "9 b 1"]
)  # fmt: skip


@st.composite
def run_bytes(draw: st.DrawFn) -> bytes:
    """A run: mostly good lines, mostly grouped by topic, sometimes with all that can be wrong."""
    lines = draw(st.lists(good, min_size=1, max_size=20, unique=draw(st.booleans())))
    if draw(st.booleans()):
        lines.sort(key=lambda line: line.split()[0])
    for at, line in draw(st.lists(st.tuples(st.integers(0, 20), odd), max_size=2)):
        lines.insert(at, line)
    data = draw(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])).join(lines).encode()
    data += draw(st.sampled_from([b"\n", b"", b"\n\n", b"\xff\n"]))
    return draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"])) + data


def rows_of(frame: pl.DataFrame) -> dict[str, list[tuple[object, ...]]]:
    """The rows of each topic, in the order of the file."""
    return {str(key[0]): part.rows() for key, part in frame.group_by("topic", maintain_order=True)}


def streamed(path: Path, memory: float, block: int, lenient: bool) -> tuple[object, ...]:
    stream = RunStream(path, memory=memory, block=block, lenient=lenient, name="tag")
    kept: list[pl.DataFrame] = []
    for rows in stream.parts():
        kept = [] if rows is None else [*kept, rows]
    notes = tuple(note for note in stream.notes if "temporary files" not in note and "read as a whole" not in note)
    met = [topic for frame in kept for topic in frame["topic"].unique().to_list()]
    assert len(met) == len(set(met)), "a topic must come in one piece"
    return rows_of(pl.concat(kept)), stream.tag, stream.system, notes


def whole(path: Path, lenient: bool) -> tuple[object, ...]:
    run = read_run(path, lenient=lenient, name="tag")
    return rows_of(run.frame), run.tag, run.system, run.notes


@scratch
@given(data=run_bytes(), block=st.integers(1, 120), memory=st.sampled_from([0, 1e9]), lenient=st.booleans())
@example(data=b"1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 a 1 1 x\n1 Q0 a 1 2 x\n", block=20, memory=0, lenient=False)
@example(data=b"# c\n1 Q0 a 1 2 x\n\n1 Q0 a 2 1 x\n1 Q0 b\n", block=14, memory=0, lenient=False)
@example(
    data=b"1 Q0 a 1 2 x\n2 Q0 b 2 1 x\n1 Q0 c 1 1 x\n1\tQ0\ttwo words\t1\t2\tx\n", block=14, memory=0, lenient=False
)
@example(
    data="\ufeff\ufeff1 Q0 a 1 2 x\n2 Q0 b 2 1 x\n\ufeff1 Q0 c 1 1 x\n1 Q0 a 1 2 x\n".encode(),
    block=14,
    memory=0,
    lenient=False,
)
def test_blocks_are_the_whole(tmp_path: Path, data: bytes, block: int, memory: float, lenient: bool) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(data)
    expected: tuple[object, ...] | str
    outcome: tuple[object, ...] | str
    try:
        expected = whole(path, lenient)
    except CranfieldError as error:
        expected = str(error)
    try:
        outcome = streamed(path, memory, block, lenient)
    except CranfieldError as error:
        outcome = str(error)
    assert outcome == expected


QRELS = {"1": {"a": 1, "b": 2}, "2": {"a": 1}, "3": {"c": 1}}
GROUPED = b"".join(f"{t} Q0 {d} {r} {9 - r} x\n".encode() for t in (2, 1, 7) for r, d in enumerate("cabd", 1))
MIXED = b"".join(f"{t} Q0 {d} {r} {9 - r} x\n".encode() for r, d in enumerate("cabd", 1) for t in (2, 1, 7))


@pytest.fixture
def tiny_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 40 bytes, and no memory to spare."""
    made = RunStream.__init__

    def small(self: RunStream, *path: object, **how: object) -> None:
        made(self, *path, **{**how, "memory": 0, "block": 40})  # type: ignore[arg-type]

    monkeypatch.setattr(RunStream, "__init__", small)


@pytest.mark.usefixtures("tiny_blocks")
@pytest.mark.parametrize("order", ["score", "rank", "file"])
@pytest.mark.parametrize("data", [GROUPED, MIXED], ids=["grouped", "mixed"])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_scores_of_a_stream(tmp_path: Path, data: bytes, ending: str, order: str) -> None:
    path = tmp_path / f"a.run{ending}"
    path.write_bytes(gzip.compress(data) if ending else data)
    measures = ["AP", "nDCG@10", "P@2", "RR", "RBP(p=0.8)", "bpref", "num_ret"]
    with quietly():
        scores = evaluate(QRELS, str(path), measures, order=order)  # type: ignore[arg-type]
        held = evaluate(QRELS, read_run(path), measures, order=order)  # type: ignore[arg-type]
    for name in scores:
        assert scores[name].values.tobytes() == held[name].values.tobytes()
    said = tuple(text for text in scores.warnings if "temporary files" not in text)
    assert said == held.warnings
    assert (len(scores.warnings) > len(said)) == (data is MIXED)


@pytest.mark.usefixtures("tiny_blocks")
@pytest.mark.parametrize("ranks", [("x", "2"), ("1", "1")])
def test_ranks_that_order_nothing_are_counted_over_all_blocks(tmp_path: Path, ranks: tuple[str, str]) -> None:
    path = tmp_path / "a.run"
    path.write_text("".join(f"{t} Q0 {d} {r} 1 x\n" for t in (2, 1) for d, r in zip("ab", ranks, strict=True)))
    messages = []
    for run in (str(path), read_run(path)):
        with pytest.raises(CranfieldError) as caught:
            evaluate(QRELS, run, "AP", order="rank")
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert "a: 2 documents" in messages[0] or "(2 duplicate ranks in all)" in messages[0]


def scored(path: Path, **how: object) -> tuple[object, ...] | str:
    """Scores and warnings, or what is wrong."""
    try:
        with quietly():
            scores = evaluate(QRELS, str(path), ["AP", "P@2", "num_ret"], name="tag", **how)  # type: ignore[arg-type]
    except CranfieldError as error:
        return str(error)
    return [matrix.values.tobytes() for matrix in scores.values()], scores["AP"].systems, scores.warnings


@scratch
@given(
    data=run_bytes(),
    size=st.integers(1, 120),
    order=st.sampled_from(["score", "rank"]),
    lenient=st.booleans(),
)
@example(data=GROUPED, size=40, order="score", lenient=False)
@example(data=b"<SYSDESC> a\n" + GROUPED + b"<SYSDESC> b\n", size=40, order="rank", lenient=False)
@example(data=MIXED, size=40, order="score", lenient=False)
def test_sections_are_the_whole(tmp_path: Path, data: bytes, size: int, order: str, lenient: bool) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(data)
    with ThreadPoolExecutor(1) as pool, pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "SECTION", size)
        assert scored(path, order=order, lenient=lenient, executor=pool) == scored(path, order=order, lenient=lenient)


def test_a_file_is_cut_where_topics_change(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(GROUPED)
    cut = topic_sections(str(path), 30)
    parts = [GROUPED[one.start : one.stop] for one in cut]
    assert b"".join(parts) == GROUPED
    assert [{line.split()[0] for line in part.splitlines()} for part in parts] == [{b"2"}, {b"1"}, {b"7"}]
    assert {one.count for one in cut} == {3}
    assert topic_sections(str(path), len(GROUPED)) == []
    (tmp_path / "a.run.gz").write_bytes(gzip.compress(GROUPED))
    assert topic_sections(str(tmp_path / "a.run.gz"), 5) == []
