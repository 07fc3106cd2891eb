"""Runs and qrels: what is accepted, and the full message for everything that is not."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from cranfield import (
    CranfieldError,
    CranfieldWarning,
    DataError,
    FileError,
    evaluate,
    read_qrels,
    read_run,
    read_runs,
    read_scores,
)
from cranfield.collection.check import check_file
from cranfield.core.recognition import recognise
from support import SHARED, needs_shared

Write = Callable[[str | bytes, str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a file in an empty working directory, so that messages show plain names."""
    monkeypatch.chdir(tmp_path)

    def put(content: str | bytes, name: str = "a.run") -> Path:
        path = Path(name)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return put


GOOD = "301 Q0 d1 1 9.5 bm25\n301 Q0 d2 2 9.25 bm25\n0302 Q0 d1 1 -1e-3 bm25\n"
ROWS = [("301", "d1", 1, 9.5), ("301", "d2", 2, 9.25), ("0302", "d1", 1, -0.001)]


def test_a_run_keeps_its_rows_and_their_order(write: Write) -> None:
    run = read_run(write(GOOD))
    assert run.frame.rows() == ROWS
    assert (run.system, run.tag, run.notes) == ("a", "bm25", ())
    assert run.topics == ("301", "0302")  # numeric-aware; "0302" is not "302"


@pytest.mark.parametrize(
    "content",
    [
        GOOD.replace(" ", "\t"),
        GOOD.replace(" ", " \t\t "),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        "\ufeff" + GOOD,
        "\n\n" + GOOD.replace("\n", "\n\n  \n"),
        GOOD.replace("\n", "  \n   "),
        GOOD.rstrip("\n"),
        "\n# a comment\n" + GOOD.replace("\n", "\n  # another\n"),
    ],
    ids=["tabs", "mixed", "crlf", "cr", "bom", "blank lines", "blanks at line ends", "no last newline", "comments"],
)
def test_white_space_and_comments_do_not_matter(write: Write, content: str) -> None:
    assert read_run(write(content)).frame.rows() == ROWS


def test_skipped_lines_are_reported(write: Write) -> None:
    run = read_run(write("<SYSDESC>a b c d e f</SYSDESC>\n# hello\n" + GOOD))
    assert run.frame.rows() == ROWS
    assert run.notes == ("1 comment line skipped", "1 markup line (such as <SYSDESC>) skipped: line 1")


@pytest.mark.parametrize(
    ("ending", "compress"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", zstandard.ZstdCompressor().compress),
    ],
)
def test_compressed_files(write: Write, ending: str, compress: Callable[[bytes], bytes]) -> None:
    assert read_run(write(compress(GOOD.encode()), "a.run" + ending)).frame.rows() == ROWS


def test_several_gzip_and_zstd_members(write: Write) -> None:
    """Concatenated archives are one file; reading only the first member would lose lines."""
    parts = [line.encode() + b"\n" for line in GOOD.splitlines()]
    assert len(read_run(write(b"".join(map(gzip.compress, parts)), "a.gz"))) == 3
    frames = b"".join(zstandard.ZstdCompressor().compress(part) for part in parts)
    assert len(read_run(write(frames, "a.zst"))) == 3


def test_standard_input_is_named_after_the_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    assert read_run("-").system == "bm25"


def test_names_from_tags(write: Write) -> None:
    assert read_run(write(GOOD), name="tag").system == "bm25"


def test_a_rank_that_is_no_integer_is_null_and_reported(write: Write) -> None:
    run = read_run(write("1 Q0 a 1.5 3 x\n1 Q0 b 2 2 x\n"))
    assert run.frame["rank"].to_list() == [None, 2]
    assert run.notes == ("1 ranks are not integers, so this run cannot be ordered by rank",)


def test_several_tags_are_reported(write: Write) -> None:
    assert read_run(write("1 Q0 a 1 3 x\n1 Q0 b 2 2 y\n")).notes == ("2 different run tags in one file (x, y)",)


RUN_ERRORS = {
    "too few fields": (
        "301 Q0 d1 1 9.5 bm25\n301 Q0 d2 2 9.25\n",
        "a.run:2: expected 6 fields (topic Q0 document rank score tag), found 5 fields: '301 Q0 d2 2 9.25'",
    ),
    "too many fields": (
        "301 Q0 d1 1 9.5 bm25 extra\n",
        "a.run:1: expected 6 fields (topic Q0 document rank score tag), found 7 fields: "
        "'301 Q0 d1 1 9.5 bm25 extra'; lenient=True ignores fields after the run tag",
    ),
    "score is text": (
        "301 Q0 d1 1 high bm25\n",
        "a.run:1: expected a finite number as score (field 5), found 'high'",
    ),
    "score is NaN": (
        "301 Q0 d1 1 nan bm25\n",
        "a.run:1: expected a finite number as score (field 5), found 'nan'",
    ),
    "score is infinite": (
        "301 Q0 d1 1 -inf bm25\n",
        "a.run:1: expected a finite number as score (field 5), found '-inf'",
    ),
    "score overflows": (
        "301 Q0 d1 1 1e999 bm25\n",
        "a.run:1: expected a finite number as score (field 5), found '1e999'",
    ),
    "decimal comma": (
        "301 Q0 d1 1 1,5 bm25\n",
        "a.run:1: expected a finite number as score (field 5), found '1,5'; this has a decimal comma: write a point",
    ),
    "document twice": (
        "301 Q0 d1 1 9.5 x\n301 Q0 d2 2 9 x\n301 Q0 d1 3 8 x\n",
        "a.run:3: document 'd1' occurs twice in topic '301' (first on line 1); keep one line per document",
    ),
    "empty": ("", "a.run: is empty; expected at least one line of data"),
    "only white space": (" \n\t\n", "a.run: is empty; expected at least one line of data"),
    "only comments": (
        "# nothing here\n",
        "a.run: holds no data lines; expected lines of 6 fields (topic Q0 document rank score tag)",
    ),
    "binary": (b"\x89PNG\r\n\x00\x01", "a.run:2: contains a NUL byte, so it is binary; expected text"),
    "UTF-16": (
        GOOD.encode("utf-16"),
        "a.run: is UTF-16 text; save it as UTF-8 (for example: iconv -f UTF-16 -t UTF-8)",
    ),
    "UTF-32": (
        GOOD.encode("utf-32"),
        "a.run: is UTF-32 text; save it as UTF-8 (for example: iconv -f UTF-32 -t UTF-8)",
    ),
    "UTF-32, the other end first": (
        b"\0\0\xfe\xff" + GOOD.encode("utf-32-be"),
        "a.run: is UTF-32 text; save it as UTF-8 (for example: iconv -f UTF-32 -t UTF-8)",
    ),
    "Latin-1": (
        "301 Q0 d1 1 9.5 x\n301 Q0 d\xe9 2 9.5 x\n".encode("latin-1"),
        "a.run:2: byte 0xe9 is not UTF-8; save the file as UTF-8",
    ),
}


@pytest.mark.parametrize(("content", "message"), RUN_ERRORS.values(), ids=RUN_ERRORS)
def test_what_is_wrong_with_a_run(write: Write, content: str | bytes, message: str) -> None:
    with pytest.raises(FileError) as caught:
        read_run(write(content))
    assert str(caught.value) == message


def test_all_problems_are_counted_and_the_first_five_shown(write: Write) -> None:
    path = write("\n".join(["301 Q0 d1 1 9.5 x", *(f"bad {i}" for i in range(7))]))
    with pytest.raises(FileError) as caught:
        read_run(path)
    assert caught.value.total == 7
    assert str(caught.value).splitlines() == [
        "a.run: 7 problems; the first 5",
        *(
            f"  a.run:{i + 2}: expected 6 fields (topic Q0 document rank score tag), found 2 fields: 'bad {i}'"
            for i in range(5)
        ),
    ]


def test_lenient_ignores_what_follows_the_tag(write: Write) -> None:
    run = read_run(write("301 Q0 d1 1 9.5 bm25 extra words\n301 Q0 d2 2 9 bm25\n"), lenient=True)
    assert len(run) == 2
    assert run.notes == ("fields after the run tag ignored on 1 lines (lenient)",)


def test_files_that_cannot_be_opened(write: Write, tmp_path: Path) -> None:
    for path, message in [
        ("none.run", "none.run: no such file; check the name"),
        (".", ".: is a directory; name a file"),
    ]:
        with pytest.raises(FileError) as caught:
            read_run(path)
        assert str(caught.value) == message
    with pytest.raises(FileError, match=r"^b.gz: cannot be decompressed as .gz: .*; is the file complete"):
        read_run(write(b"not gzip", "b.gz"))
    with pytest.raises(FileError, match=r"^c.gz: cannot be decompressed as .gz: .*; is the file complete"):
        read_run(write(gzip.compress(GOOD.encode())[:-9], "c.gz"))
    for ending in (".bz2", ".xz", ".zst"):
        with pytest.raises(FileError, match=f"^d{ending}: cannot be decompressed as {ending}"):
            read_run(write(b"not compressed", f"d{ending}"))


def test_directories_and_globs(write: Write) -> None:
    Path("runs").mkdir()
    for name in ("s10.run", "s2.run", ".hidden"):
        write(GOOD, f"runs/{name}")
    with pytest.warns(CranfieldWarning, match=r"^runs: skipped \.hidden"):
        assert [run.system for run in read_runs("runs")] == ["s2", "s10"]
    assert [run.system for run in read_runs("runs/s?.run")] == ["s2"]
    with pytest.warns(CranfieldWarning, match=r"^runs: skipped \.hidden"):
        assert [run.system for run in read_runs(["runs/s10.run", "runs"])] == ["s10", "s2"]
    with pytest.raises(FileError, match=r"^runs/x\*: no such file; check the name$"):
        list(read_runs("runs/x*"))
    Path("empty").mkdir()
    with pytest.raises(FileError, match="^empty: is a directory without files$"):
        list(read_runs("empty"))


def test_runs_can_be_gone_through_again(write: Write) -> None:
    Path("runs").mkdir()
    for name in ("a.run", "b.run", "c.run"):
        write(GOOD, f"runs/{name}")
    runs = read_runs("runs")
    for _ in range(2):
        assert [run.system for run in runs] == ["a", "b", "c"]
    assert len(runs) == 3
    assert runs[-1].system == "c"
    assert [run.system for run in runs[1:]] == ["b", "c"]
    assert repr(runs) == "RunFiles(runs/a.run, runs/b.run, runs/c.run)"


def test_runs_from_a_pipe_are_kept(write: Write) -> None:
    os.mkfifo("a.run")
    writing = threading.Thread(target=lambda: Path("a.run").write_text(GOOD))
    writing.start()
    runs = read_runs(["a.run"])
    assert list(runs) == list(runs)
    writing.join()


def test_files_that_are_no_scores_are_refused_as_such(write: Write) -> None:
    """What holds a run or judgments is told alike by whoever asks."""
    texts = {"run": GOOD, "qrels": "301 0 d1 1\n301 0 d2 0\n", "scores": "301 0.5 0.25\n302 0.1 0.2\n"}
    texts |= {"unknown": "a line of words\nand another one\n"}
    for kind, text in texts.items():
        path = str(write(text, "some.txt"))
        assert recognise(path) == recognise(path, text.encode()) == kind
        assert check_file(path).kind == ("scores" if kind == "unknown" else kind)
        if kind in ("run", "qrels"):
            with pytest.raises(FileError, match="^some.txt: contains (a run|judgments), not scores. Evaluate the runs"):
                read_scores(path)
    big = json.dumps({str(topic): {f"d{at}": 0.5 + at for at in range(99)} for topic in range(99)}, indent=1)
    assert recognise(str(write(big, "some.json"))) == "run"  # though its beginning is no JSON


def test_two_runs_of_one_name(write: Write) -> None:
    Path("other").mkdir()
    write(GOOD, "a.run")
    write(GOOD, "other/a.run")
    with pytest.raises(DataError) as caught:
        list(read_runs(["a.run", "other/a.run"]))
    assert str(caught.value) == (
        "other/a.run: system 'a' was already read from a.run; rename one of the files, or choose where names "
        "come from (name='file' or name='tag')"
    )


# ── qrels ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_trec_qrels(write: Write) -> None:
    qrels = read_qrels(write("301\t0\td1 1\r\n301 0 d2 -1\r\n", "qrels.txt"))
    assert qrels.frame.rows() == [("301", "0", "d1", 1), ("301", "0", "d2", -1)]


def test_ntcir_qrels_adhoc_and_diversity(write: Write) -> None:
    assert read_qrels(write("0201 d1 L2\n0201 d2 L0\n")).frame.rows() == [
        ("0201", "0", "d1", 2),
        ("0201", "0", "d2", 0),
    ]
    both = read_qrels(write("0001 1 d1 L1\n0001 2 d1 L0\n"))
    assert both.frame.rows() == [("0001", "1", "d1", 1), ("0001", "2", "d1", 0)]


QRELS_ERRORS = {
    "relevance is text": (
        "301 0 d1 yes\n",
        "q:1: expected an integer (2 or L2) as relevance (field 4), found 'yes'",
    ),
    "relevance is a fraction": (
        "301 0 d1 1.0\n",
        "q:1: expected an integer (2 or L2) as relevance (field 4), found '1.0'; "
        "`map` of evaluate and judges declares levels: 0+:0,0.5+:1",
    ),
    "relevance is huge": (
        "301 d1 L99999999999\n",
        "q:1: expected an integer (2 or L2) as relevance (field 3), found 'L99999999999'",
    ),
    "five fields": (
        "301 0 d1 2 1\n",
        "q:1: expected 4 fields (topic iteration document relevance) or 3 (topic document level), found 5 fields: "
        "'301 0 d1 2 1'",
    ),
    "a line cut short": (
        "301 0 d1 2\n301 0 d2\n",
        "q:2: expected 4 fields (topic iteration document relevance), found 3 fields: '301 0 d2'",
    ),
    "a line too long": (
        "301 d1 L2\n301 0 d2 L1\n",
        "q:2: expected 3 fields (topic document level), found 4 fields: '301 0 d2 L1'",
    ),
    "document twice": (
        "301 0 d1 1\n301 0 d1 0\n",
        "q:2: document 'd1' occurs twice in topic '301' (first on line 1); keep one line per document",
    ),
    "empty": ("", "q: is empty; expected at least one line of data"),
    "only comments": (
        "#\n",
        "q: holds no data lines; expected lines of 4 fields (topic iteration document relevance) or 3 "
        "(topic document level)",
    ),
}


@pytest.mark.parametrize(("content", "message"), QRELS_ERRORS.values(), ids=QRELS_ERRORS)
def test_what_is_wrong_with_qrels(write: Write, content: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        read_qrels(write(content, "q"))
    assert str(caught.value) == message


def test_every_error_is_ours(write: Write) -> None:
    assert issubclass(FileError, CranfieldError)
    assert issubclass(FileError, ValueError)


# ── real files ────────────────────────────────────────────────────────────────────────────────────────────


@needs_shared
def test_the_trec_covid_runs_read_whole() -> None:
    paths = sorted((SHARED / "data/runs/trec-covid-r5/runs").iterdir())
    lines = {
        path.name.removesuffix(".gz").removesuffix(".txt"): gzip.decompress(path.read_bytes()).count(b"\n")
        for path in paths
    }
    runs = {run.system: len(run) for run in read_runs(paths)}
    assert runs == lines
    assert sum(runs.values()) == 1_840_028


@needs_shared
def test_the_ntcir_runs_lose_only_their_description() -> None:
    paths = sorted((SHARED / "data/runs/ntcir-www4/runs").iterdir())
    for path, run in zip(paths, read_runs(paths), strict=True):
        text = gzip.decompress(path.read_bytes())
        skipped = text.startswith(b"<")
        assert len(run) == text.count(b"\n") - skipped
        assert bool(run.notes) == skipped
        assert run.topics[0] == "0201"


@needs_shared
def test_real_qrels() -> None:
    data = SHARED / "data"
    assert len(read_qrels(data / "runs/trec-covid-r5/qrels.txt")) == 23_151
    assert len(read_qrels(data / "runs/ntcir-www4/qrels.ntcir.gz")) == 10_333
    diversity = read_qrels(data / "runs/trec-web2012-diversity/qrels.diversity.txt.gz")
    assert diversity.frame["subtopic"].n_unique() > 3
    with pytest.raises(FileError, match="found 5 fields"):
        read_qrels(data / "fixtures/trecvid-avs21/qrels.stratified.txt.gz")


def test_the_beginning_of_a_json_file_is_not_three_fields(write: Write) -> None:
    with pytest.raises(FileError, match="JSON"):
        read_qrels(write('{"1": {"d1": 1', "q.json"))


def test_a_topic_may_be_called_by_a_brace(write: Write) -> None:
    """Its first line is no JSON object, whatever the lines after it are."""
    whole = write("{ Q0 d1 1 0.9 t\n1 Q0 d2 2 0.8 t\n", "a.run")
    assert read_run(whole).frame["topic"].to_list() == ["{", "1"]
    assert check_file(whole).kind == "run"
    with pytest.raises(FileError, match=r"b\.run:2: expected 6 fields"):
        read_run(write("{ Q0 d1 1 0.9 t\n1\n", "b.run"))
    assert read_qrels(write("{ 0 d1 1\n1 0 d2 0\n", "q.txt")).frame["topic"].to_list() == ["{", "1"]


def test_a_file_with_many_problems_is_refused_at_the_hundredth(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("".join(f"1 Q0 d{k} {k} {-k} tag{' extra' * (k % 2)}\n" for k in range(5000)))
    with pytest.raises(FileError) as error:
        read_run(path)
    assert str(error.value).startswith(f"{path}: at least 100 problems; the first 5\n  {path}:2: expected 6 fields")


@pytest.mark.parametrize("lines", [(3,), (40_000, 59_999)])
def test_bad_lines_of_a_large_file_are_found_where_they_are(tmp_path: Path, lines: tuple[int, ...]) -> None:
    """Only the surroundings of a bad line are read carefully; the numbers of lines stay right."""
    path, qrels = tmp_path / "a.run", tmp_path / "qrels.txt"
    rows = [f"{k // 100} Q0 d{k} {k % 100} {-k} tag\n" for k in range(60_000)]
    for number in lines:
        rows[number - 1] = rows[number - 1].replace(" tag", "")
    path.write_text("".join(rows))
    qrels.write_text("0 0 d1 1\n0 0 d2 0\n")
    with pytest.raises(FileError) as error:
        evaluate(qrels, path, "AP")
    assert [one.line for one in error.value.problems] == list(lines)
