"""Score files of every format: recognised, read exactly, refused clearly, and written back without loss."""

from __future__ import annotations

import gzip
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cranfield import (
    ArgumentError,
    CranfieldError,
    DataError,
    FileError,
    ScoreMatrix,
    Scores,
    read_collections,
    read_scores,
)
from cranfield import write_scores as save
from cranfield.measures.names import recognise
from cranfield.scores.summaries import is_summary_name
from support import SHARED, needs_shared

Write = Callable[[str | bytes, str], Path]
EXPECTED = ScoreMatrix([[0.25, 0.5], [0.75, 1.0]], ["301", "302"], ["bm25", "ql"], "AP")


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def put(content: str | bytes, name: str) -> Path:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        return Path(name)

    return put


WIDE = {
    "comma": ("t.AP.csv", "topic,bm25,ql\n301,0.25,0.5\n302,0.75,1\n"),
    "semicolon": ("t.AP.csv", "topic;bm25;ql\n301;0.25;0.5\n302;0.75;1\n"),
    "tab": ("t.AP.tsv", "qid\tbm25\tql\n301\t0.25\t0.5\n302\t0.75\t1\n"),
    "blanks": ("t.AP.txt", "topic  bm25   ql\n  301  0.25  0.5\n  302  0.75  1\n"),
    "R's header": ("t.AP.txt", '"bm25","ql"\n"301",0.25,0.5\n"302",0.75,1\n'),
    "empty corner": ("t.AP.csv", ",bm25,ql\n301,0.25,0.5\n302,0.75,1\n"),
    "crlf and bom": ("t.AP.csv", "\ufefftopic,bm25,ql\r\n301,0.25,0.5\r\n302,0.75,1\r\n"),
    "quoted": ("t.AP.csv", '"topic","bm25","ql"\n"301","0.25","0.5"\n\n"302","0.75","1"\n'),
    "leading comment": ("t.AP.csv", "# made by hand\ntopic,bm25,ql\n301,0.25,0.5\n302,0.75,1\n"),
}


@pytest.mark.parametrize(("name", "text"), WIDE.values(), ids=WIDE)
def test_wide_tables(write: Write, name: str, text: str) -> None:
    assert read_scores(write(text, name)).only() == EXPECTED


def test_wide_without_header_or_topics(write: Write) -> None:
    bare = read_scores(write("0.25 0.5\n0.75 1.0\n", "m.txt")).only()
    assert (bare.topics, bare.systems, bare.measure) == (("1", "2"), ("system1", "system2"), "score")
    assert bare.provenance == (
        "read from m.txt",
        "no header: systems named system1, system2, … by column",
        "no topic column: topics named 1, 2, … by row",
    )
    topics = read_scores(write("301 0.25 0.5 0.1\n302 0.75 1.0 0.2\n", "m.txt")).only()
    assert (topics.topics, topics.systems) == (("301", "302"), ("system1", "system2", "system3"))
    named = read_scores(write("a,b\n0.25,0.5\n0.75,1\n", "m.csv")).only()
    assert (named.topics, named.systems) == (("1", "2"), ("a", "b"))
    numbered = read_scores(write("topic,1,2\n301,0.25,0.5\n", "m.csv")).only()
    assert (numbered.topics, numbered.systems) == (("301",), ("1", "2"))


def test_wide_when_nobody_can_tell(write: Write) -> None:
    path = write("id,a,b\n301,0.25,0.5\n302,0.75,1\n", "m.csv")
    with pytest.raises(CranfieldError) as caught:
        read_scores(path)
    assert str(caught.value) == (
        "m.csv: cannot tell whether the first column 'id' contains topics or scores: its whole numbers all differ. "
        "Name it 'topic' in a header, or use topic_column=True or topic_column=False."
    )
    assert read_scores(path, topic_column=True).only().topics == ("301", "302")
    assert read_scores(path, topic_column=False).only().systems == ("id", "a", "b")
    headless = write("1,2\n3,4\n", "m.csv")
    assert read_scores(headless, header=False, topic_column=True).only().topics == ("1", "3")
    assert read_scores(headless, header=True, topic_column=False).only().systems == ("1", "2")


LONG = {
    "ours": ("a.csv", "system,topic,measure,value\nbm25,301,AP,0.25\nbm25,302,AP,0.75\nql,301,AP,0.5\nql,302,AP,1\n"),
    "PyTerrier": ("a.csv", "name,qid,measure,value\nbm25,301,AP,0.25\nbm25,302,AP,0.75\nql,301,AP,0.5\nql,302,AP,1\n"),
    "any order": (
        "a.tsv",
        "value\ttopic\trun\tmetric\n.25\t301\tbm25\tAP\n.5\t301\tql\tAP\n.75\t302\tbm25\tAP\n1\t302\tql\tAP\n",
    ),
    "no measure": ("c.AP.csv", "system,topic,value\nbm25,301,0.25\nbm25,302,0.75\nql,301,0.5\nql,302,1\n"),
}


@pytest.mark.parametrize(("name", "text"), LONG.values(), ids=LONG)
def test_long_tables(write: Write, name: str, text: str) -> None:
    assert read_scores(write(text, name)).only() == EXPECTED


def test_long_summary_rows_are_left_out_and_said(write: Write) -> None:
    text = LONG["ours"][1] + "bm25,all,AP,0.5\n"
    assert read_scores(write(text, "a.csv")).only().provenance == (
        "read from a.csv",
        "1 summary rows (topic 'all') not read",
    )


def test_trec_eval_output(write: Write) -> None:
    for system, (x, y) in {"bm25": (0.25, 0.75), "ql": (0.5, 1.0)}.items():
        write(
            f"num_q                 \tall\t2\nmap                   \t301\t{x}\nmap                   \t302\t{y}\n"
            f"relstring             \t301\t'0110'\nrunid                 \tall\t{system}\nmap\tall\t0.5\n",
            f"evals/{system}.eval",
        )
    scores = read_scores("evals")
    assert scores.only() == ScoreMatrix(EXPECTED.values, EXPECTED.topics, EXPECTED.systems, "map")
    assert scores.only().provenance[0] == (
        "bm25 read from bm25.eval (not read: 3 summary lines (topic 'all'), text measure relstring)"
    )


def test_ir_measures_output(write: Write, tmp_path: Path) -> None:
    """The real program's output, so that the format cannot drift unnoticed."""
    pytest.importorskip("ir_measures")
    write("1 0 a 1\n1 0 b 0\n2 0 c 1\n", "qrels")
    write("1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 d 1 3 t\n2 Q0 c 2 1 t\n", "bm25.run")
    for options in (["-q"], ["-q", "-n"]):
        command = [sys.executable, "-m", "ir_measures", *options, "-p", "-1", "qrels", "bm25.run", "AP", "nDCG@10"]
        write(subprocess.run(command, capture_output=True, check=True).stdout, "bm25")
        scores = read_scores("bm25")
        assert sorted(scores) == ["AP", "nDCG@10"]
        assert scores["AP"].values.tolist() == [[1.0], [0.5]]
        assert scores["nDCG@10"].values[1, 0] == pytest.approx(1 / np.log2(3), abs=1e-15)


def test_ntcireval_output(write: Write) -> None:
    text = "0201 # syslen=10 jrel=3 jnonrel=1\n0201 # r1=2 rp=5\n0201 RR=     0.5000\n0201 NCUrb,P=   0.25\n"
    scores = read_scores(write(text, "THUIR.nev"))
    assert list(scores) == ["syslen", "jrel", "jnonrel", "r1", "rp", "RR", "NCUrb,P"]
    assert scores["RR"].systems == ("THUIR",)
    assert scores["RR"].topics == ("0201",)
    assert scores["syslen"].values.tolist() == [[10.0]]


def test_parquet_wide_and_long(write: Write, tmp_path: Path) -> None:
    EXPECTED.to_long().write_parquet("long.parquet")
    assert read_scores("long.parquet").only() == EXPECTED
    EXPECTED.to_wide().write_parquet("wide.AP.parquet")
    assert read_scores("wide.AP.parquet").only() == EXPECTED
    pl.DataFrame({"x": [1]}).write_parquet("other.parquet")
    with pytest.raises(CranfieldError, match=r"^other.parquet: no column holds topics; found x\. Name one topic"):
        read_scores("other.parquet")
    infinite = EXPECTED.to_long().with_columns(value=pl.lit(float("inf")))
    infinite.write_parquet("inf.parquet")
    with pytest.raises(CranfieldError, match=r"^inf.parquet: AP: holds an infinite score; scores must be finite$"):
        read_scores("inf.parquet")


def test_several_files_are_joined(write: Write) -> None:
    write("topic,bm25\n301,0.25\n302,0.75\n", "x.AP.csv")
    write("topic,ql\n302,1\n301,0.5\n", "y.AP.csv")
    write("topic,bm25\n301,0.1\n", "x.P@5.csv")
    scores = read_scores(["x.AP.csv", "y.AP.csv", "x.P@5.csv"])
    assert scores["AP"] == EXPECTED
    assert list(scores) == ["AP", "P@5"]
    assert list(read_collections(".")) == ["x", "y"]
    assert list(read_collections(".")["x"]) == ["AP", "P@5"]
    write("topic,dfr\n301,0.25\n", "z.AP.csv")
    with pytest.raises(CranfieldError) as caught:
        read_scores(["x.AP.csv", "z.AP.csv"])
    assert str(caught.value) == (
        "z.AP.csv: cannot be combined with the earlier files: the two matrices differ in 1 topics (302); 1 are in "
        "common; pass missing='drop-topic' to use the common topics"
    )
    assert read_scores(["x.AP.csv", "z.AP.csv"], missing="drop-topic").only().topics == ("301",)


def test_collections_of_per_run_files(write: Write) -> None:
    for track in ("t1", "t2"):
        for system in ("a", "b"):
            write("map\t1\t0.5\nmap\tall\t0.5\n", f"{track}/{system}.eval")
    found = read_collections(["t1", "t2"])
    assert {name: scores["map"].systems for name, scores in found.items()} == {"t1": ("a", "b"), "t2": ("a", "b")}


ERRORS = {
    "empty": ("a.csv", "", "a.csv: is empty; expected at least one line of data"),
    "only a comment": ("a.csv", "# x\n", "a.csv: contains no data lines; expected a table of scores"),
    "header only": ("a.csv", "topic,bm25\n", "a.csv: holds a header and no scores"),
    "long header only": ("a.csv", "system,topic,measure,value\n", "a.csv: holds a header and no scores"),
    "ragged row": (
        "a.csv",
        "topic,bm25,ql\n301,0.25\n302,1,2,3\n303,0.1,0.2\n304,1\n",
        "a.csv:2: expected 3 fields as in the first row, found 2: '301 0.25'",
    ),
    "later ragged row": (
        "a.csv",
        "topic,bm25,ql\n301,0.25,0.1\n302,1\n",
        "a.csv:3: expected 3 fields as in the first row, found 2: '302 1'",
    ),
    "a name missing above": (
        "a.csv",
        "topic,bm25\n301,0.25,0.1\n302,1,0.5\n",
        "a.csv:2: expected 2 fields as in the first row, found 3: '301 0.25 0.1'",
    ),
    "a name missing above rows of systems": (
        "a.csv",
        "system,301\nbm25,0.25,0.1\nql,1,0.5\n",
        "a.csv:2: expected 2 fields as in the first row, found 3: 'bm25 0.25 0.1'",
    ),
    "text cell": (
        "a.csv",
        "topic,bm25,ql\n301,0.25,high\n",
        "a.csv:2: expected a finite number in column 3, found 'high'",
    ),
    "infinite cell": (
        "a.csv",
        "topic,bm25,ql\n301,0.25,inf\n",
        "a.csv:2: expected a finite number in column 3, found 'inf'",
    ),
    "missing cell": (
        "t.AP.csv",
        "topic,bm25,ql\n301,0.25,NaN\n302,1,1\n",
        "t.AP.csv: AP: 1 of 4 scores is missing, first for topic '301', system 'ql'. "
        "Choose missing='zero' (count as 0) or missing='drop-topic' (drop 1 topic).",
    ),
    "duplicate topic": (
        "a.csv",
        "topic,bm25,ql\n301,0.25,0.5\n301,1,1\n",
        "a.csv: topic '301' occurs 2 times; every topic needs its own label",
    ),
    "duplicate system": (
        "a.csv",
        "topic,bm25,bm25\n301,0.25,0.5\n",
        "a.csv: system 'bm25' occurs 2 times; every system needs its own label",
    ),
    "long value": (
        "a.csv",
        "system,topic,measure,value\nbm25,301,AP,high\n",
        "a.csv:2: expected a finite number as value, found 'high'",
    ),
    "long label": (
        "a.csv",
        "system,topic,measure,value\nbm25,,AP,0.5\n",
        "a.csv:2: expected a topic, found nothing",
    ),
    "long ragged": (
        "a.csv",
        "system,topic,measure,value\nbm25,301,AP\n",
        "a.csv:2: expected 4 fields as in the first row, found 3: 'bm25 301 AP'",
    ),
    "long duplicate": (
        "a.csv",
        "system,topic,measure,value\nbm25,301,AP,1\nbm25,301,AP,1\n",
        "a.csv: AP: topic '301', system 'bm25' has 2 scores (1 cells affected). Keep one score per cell.",
    ),
    "long summary only": (
        "a.csv",
        "system,topic,measure,value\nbm25,all,AP,1\n",
        "a.csv: contains only means (topic 'all'). Per-topic scores are needed; evaluate again with per-topic output.",
    ),
    "unclosed quote": (
        "a.csv",
        'topic,"bm25\n301,1\n',
        "a.csv: is not a well-formed table: unexpected end of data; are its lines and quotes complete?",
    ),
    "trec_eval summary only": (
        "a.eval",
        "map\tall\t0.5\nP_5\tall\t0.5\n",
        "a.eval: holds only summary lines (topic 'all'); run trec_eval with -q for per-topic scores",
    ),
    "trec_eval value": (
        "a.eval",
        "map\t301\tx\nmap\tall\t0.5\n",
        "a.eval:1: expected a finite number as value, found 'x'",
    ),
    "nev line": (
        "a.nev",
        "0201 RR= 0.5\n0201 rubbish\n",
        "a.nev:2: expected 'topic measure= value', found '0201 rubbish'",
    ),
    "nev value": ("a.nev", "0201 RR= 0.5\n0201 AP= x\n", "a.nev:2: expected a finite number for AP, found 'x'"),
    "false parquet": (
        "a.parquet",
        "hello",
        "a.parquet: is not a parquet file, despite its name. Rename it or write it again.",
    ),
    "bad encoding": ("a.csv", b"topic,b\xe9\n1,0.5\n", "a.csv:1: byte 0xe9 is not UTF-8; save the file as UTF-8"),
}


@pytest.mark.parametrize(("name", "content", "message"), ERRORS.values(), ids=ERRORS)
def test_what_is_wrong_with_a_score_file(write: Write, name: str, content: str | bytes, message: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        read_scores(write(content, name))
    assert str(caught.value) == message


def test_damaged_parquet(write: Write) -> None:
    with pytest.raises(CranfieldError, match=r"^a.parquet: cannot be read as parquet: "):
        read_scores(write(b"PAR1 rubbish PAR1", "a.parquet"))


def test_format_can_be_forced(write: Write) -> None:
    path = write("301 map 0.5\n302 map 0.25\n", "bm25")
    assert read_scores(path).only().measure == "map"
    with pytest.raises(CranfieldError, match=r"^bm25:1: expected a header with the columns system, topic"):
        read_scores(path, format="long")


# ── writing ───────────────────────────────────────────────────────────────────────────────────────────────

label = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(
    lambda s: s.strip() and not is_summary_name(s)
)
plain = st.from_regex(r"[A-Za-z0-9_@.()+-]{1,8}", fullmatch=True).filter(
    lambda s: s[0] not in "." and not is_summary_name(s)
)
finite = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def some_scores(draw: st.DrawFn, labels: st.SearchStrategy[str], measures: int = 2) -> Scores:
    topics = draw(st.lists(labels, min_size=1, max_size=4, unique=True))
    systems = draw(st.lists(labels.filter(lambda s: s != "topic"), min_size=1, max_size=3, unique=True))
    # A known measure such as Q would refuse scores above 1.
    names = draw(st.lists(labels.filter(lambda s: recognise(s) is None), min_size=1, max_size=measures, unique=True))
    shape = (len(topics), len(systems))
    return Scores(
        ScoreMatrix(
            np.reshape(draw(st.lists(finite, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])), shape),
            topics,
            systems,
            name,
        )
        for name in names
    )


there_and_back = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@there_and_back
@given(scores=some_scores(label), ending=st.sampled_from([".csv", ".tsv", ".parquet", ".csv.gz", ".tsv.zst"]))
def test_long_files_round_trip_exactly(tmp_path: Path, scores: Scores, ending: str) -> None:
    save(scores, tmp_path / f"a{ending}")
    assert read_scores(tmp_path / f"a{ending}") == scores


@there_and_back
@given(scores=some_scores(plain), ending=st.sampled_from([".txt", ".txt.bz2"]))
def test_blank_separated_files_round_trip_exactly(tmp_path: Path, scores: Scores, ending: str) -> None:
    save(scores, tmp_path / f"a{ending}")
    assert read_scores(tmp_path / f"a{ending}") == scores


@there_and_back
@given(scores=some_scores(label, measures=1), ending=st.sampled_from([".csv", ".tsv", ".csv.xz"]))
def test_wide_files_round_trip_exactly(tmp_path: Path, scores: Scores, ending: str) -> None:
    (name,) = scores
    save(scores, tmp_path / f"a{ending}", layout="wide")
    assert read_scores(tmp_path / f"a{ending}", measure=name, format="wide") == scores


@pytest.mark.parametrize("layout", ["trec_eval", "nev"])
def test_per_run_layouts_round_trip_exactly(tmp_path: Path, layout: str) -> None:
    rng = np.random.default_rng(5)
    names = ["a", "b.run", "c.gz"]
    scores = Scores(ScoreMatrix(rng.random((3, 3)) / 3, ["1", "0201", "x"], names, m) for m in ("AP", "nDCG@10"))
    save(scores, tmp_path / "out", layout=layout)  # type: ignore[arg-type]
    assert read_scores(tmp_path / "out") == scores
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]


def test_writing_leaves_the_old_file_when_it_fails(write: Write) -> None:
    path = write("precious", "a.txt")
    bad = ScoreMatrix([[1.0]], ["1"], ["two words"])
    with pytest.raises(DataError) as caught:
        save(bad, path)
    assert str(caught.value) == (
        "a.txt: label 'two words' cannot be written to a blank-separated file; write .csv instead"
    )
    assert path.read_text() == "precious"
    assert sorted(p.name for p in Path().iterdir()) == ["a.txt"]


def test_what_cannot_be_written(write: Write) -> None:
    def message(scores: ScoreMatrix, path: str, **options: str) -> str:
        with pytest.raises((DataError, ArgumentError)) as caught:
            save(scores, path, **options)  # type: ignore[arg-type]
        return str(caught.value)

    assert message(EXPECTED, "a.doc") == (
        "cannot tell the format of a.doc from its ending; end it in .csv, .tsv, .txt, .xlsx, .ods or .parquet, or choose "
        "layout trec_eval or nev (a directory)"
    )
    assert message(EXPECTED, "none/a.csv") == "none/a.csv: cannot be written: No such file or directory"
    hostile = ScoreMatrix([[1.0]], ["1"], ["../x"])
    assert (
        message(hostile, "out", layout="trec_eval") == "out: system '../x' cannot be a file's name; write .csv instead"
    )
    summary = ScoreMatrix([[1.0]], ["all"], ["x"])
    assert (
        message(summary, "out", layout="nev") == "out: label 'all' cannot be written to a nev file; write .csv instead"
    )
    cube = ScoreMatrix([[[1.0]]], ["1"], ["x"], "AP", ["p"])
    assert message(cube, "out", layout="nev") == (
        "out: the nev layout has no place for partitions; write .csv or .parquet"
    )
    assert not list(Path().iterdir())


def test_equal_scores_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("a.csv.gz", "b.csv.gz"):
        save(EXPECTED, tmp_path / name)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).startswith(b"system,topic,measure,value\n")


# ── real files ────────────────────────────────────────────────────────────────────────────────────────────


def test_measures_beside_a_topic_that_comes_twice_are_no_settings(write: Write) -> None:
    with pytest.raises(FileError, match="topic '1' occurs 2 times"):
        read_scores(write("topic,AP,RR\n1,0.5,0.6\n1,0.4,0.3\n2,0.5,0.6\n2,0.4,0.3\n", "s.csv"))


def test_scores_just_above_the_range_of_their_measure_are_refused(write: Write) -> None:
    with pytest.raises(FileError, match="scores 1.5; AP lies between 0 and 1"):
        read_scores(write("topic,a,b\n1,0.5,1.5\n2,0.4,0.3\n", "s.AP.csv"))


def test_a_long_table_is_written_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes as in one go, and never all of its cells as text at once."""
    values = np.arange(30_000).reshape(10_000, 3) / 7
    scores = ScoreMatrix(values, [f"q{t}" for t in range(10_000)], ["bm25", "ql, 2", "x"], "AP")
    save(scores, tmp_path / "whole.csv")
    monkeypatch.setattr("cranfield.core.formats._ROWS", 999)
    tracemalloc.start()
    save(scores, tmp_path / "pieces.csv")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    written = (tmp_path / "pieces.csv").read_bytes()
    assert written == (tmp_path / "whole.csv").read_bytes()
    assert written.count(b"\n") == 30_001
    assert peak < 4 * len(written)


@needs_shared
def test_real_matrices() -> None:
    shapes = {
        name: (s["AP"].n_topics, s["AP"].n_systems) for name, s in read_collections(SHARED / "data/matrices").items()
    }
    known = {
        "trec3-adhoc": (50, 40),
        "trec8-adhoc": (50, 129),
        "robust2003-new": (50, 78),
        "robust2004-new": (49, 78),
        "web2012-adhoc": (50, 48),
        "terabyte2006": (149, 61),
    }
    assert {name: shapes[name] for name in known} == known


@needs_shared
def test_real_trec_eval_output() -> None:
    scores = read_scores(SHARED / "data/fixtures/trec_eval/out.test.aq")
    assert scores["map"].values.ravel().tolist() == [0.0324, 0.4175, 0.0858]
    assert scores["map"].topics == ("301", "302", "303")


@needs_shared
def test_real_long_tables() -> None:
    official = read_scores(SHARED / "data/runs/ntcir-www4/official_nev.csv")
    assert official["NCUrb,P"].n_systems == 4
    assert official["MSnDCG@0010"].topics[0] == "0201"


def test_summary_rows_of_a_parquet_table_are_not_scores(tmp_path: Path) -> None:
    import polars as pl

    rows = {"system": ["a", "a"], "topic": ["1", "all"], "measure": ["AP", "AP"], "value": [0.5, 0.5]}
    pl.DataFrame(rows).write_parquet(tmp_path / "scores.parquet")
    matrix = read_scores(tmp_path / "scores.parquet").only()
    assert matrix.topics == ("1",)
    assert "1 summary rows (topic 'all') not read" in matrix.provenance
    pl.DataFrame(rows).filter(pl.col("topic") == "all").write_parquet(tmp_path / "means.parquet")
    with pytest.raises(FileError, match="contains only means"):
        read_scores(tmp_path / "means.parquet")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.json", '{"a": {"1": 0.5, "2": 1}, "b": {"1": 0.25, "2": 25, "2": 0}}'),
        ("s.jsonl", '{"topic": "1", "a": 0.5, "b": 1, "a": 0.25}\n{"topic": "2", "a": 0.5, "b": 1}\n'),
    ],
)
def test_no_score_is_dropped_for_another_of_the_same_name(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(FileError, match=r"key '[a2]' occurs twice in one object; keep one"):
        read_scores(tmp_path / name)


def test_json_lines_are_known_by_content_whatever_the_file_is_called(tmp_path: Path) -> None:
    lines = [
        f'{{"system": "{s}", "topic": "{t}", "measure": "AP", "value": 0.{t}{k}}}'
        for k, s in enumerate("ab")
        for t in (1, 2)
    ]
    (tmp_path / "scores.out").write_text("\n".join(lines))
    assert read_scores(tmp_path / "scores.out")["AP"].values.tolist() == [[0.1, 0.11], [0.2, 0.21]]


def test_a_hole_in_one_partition_is_told_by_topic_and_system(tmp_path: Path) -> None:
    cells = [(s, t, k) for s in "ab" for t in (1, 2) for k in (1, 2) if (s, t, k) != ("b", 2, 2)]
    lines = [f"{s},{t},{k},AP,0.{t}{k}" for s, t, k in cells]
    (tmp_path / "x.csv").write_text("\n".join(["system,topic,partition,measure,value", *lines, ""]))
    with pytest.raises(
        FileError, match="AP: 1 of 8 scores is missing, first for topic '2', system 'b'. Choose missing="
    ):
        read_scores(tmp_path / "x.csv")
