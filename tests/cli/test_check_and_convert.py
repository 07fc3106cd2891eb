"""``check`` and ``convert`` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

from cranfield import read_scores
from support import Type


def test_check_recognises_every_kind(cranfield: Type) -> None:
    Path("a.run").write_text("<SYSDESC>x</SYSDESC>\n1 Q0 d1 1 2 x\n1 Q0 d2 2 2 x\n2 Q0 d1 1 3 x\n")
    Path("qrels").write_text("1 4.5 d1 1\n1 4.5 d2 0\n")
    Path("ntcir").write_text("0201 d1 L2\n")
    Path("s.AP.csv").write_text("topic,a,b\n1,0.5,0.25\n")
    Path("bm25.eval").write_text("map\t1\t0.5\nmap\tall\t0.5\n")
    result = cranfield("check", "a.run", "qrels", "ntcir", "s.AP.csv", "bm25.eval", "--format", "json")
    assert result.exit_code == 0
    rows = {row.pop("file"): row for row in json.loads(result.stdout)["rows"]}
    assert [row["kind"] for row in rows.values()] == ["run", "qrels", "qrels", "scores", "scores"]
    assert rows["a.run"] == {
        "kind": "run",
        "topics": 2,
        "systems": 1,
        "rows": 3,
        "ties": 2,
        "relevant": None,
        "problems": 0,
    }
    assert rows["qrels"]["relevant"] == 1
    assert (rows["s.AP.csv"]["systems"], rows["s.AP.csv"]["rows"]) == (2, 2)
    table = cranfield("check", "a.run").stdout
    assert "a.run: 1 markup line (such as <SYSDESC>) skipped: line 1" in table


def test_check_reports_every_file_and_ends_with_1(cranfield: Type) -> None:
    Path("good.run").write_text("1 Q0 d1 1 2 x\n")
    Path("bad.run").write_text("1 Q0 d1 1 2 x\n1 Q0 d2 2\n1 Q0 d3 3 nan x\n")
    result = cranfield("check", ".", "none", "--format", "csv")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "file,kind,topics,systems,rows,ties,relevant,problems",
        "bad.run,run,,,,,,2",
        "good.run,run,1,1,1,0,,0",
        "none,scores,,,,,,1",
    ]
    assert "bad.run:3: expected a finite number as score (field 5), found 'nan'" in result.stderr
    assert "none: no such file; check the name" in result.stderr


def test_check_can_be_told_the_kind(cranfield: Type) -> None:
    Path("a").write_text("1 Q0 d1 1 2 x extra\n")
    assert cranfield("check", "a", "--kind", "qrels").exit_code == 1
    assert cranfield("check", "a").exit_code == 1
    assert cranfield("check", "a", "--lenient").exit_code == 0


def test_convert_between_all_formats_keeps_every_bit(cranfield: Type) -> None:
    Path("a.AP.csv").write_text("topic,bm25,ql\n301,0.1,0.30000000000000004\n302,1e-17,0.7\n")
    steps = [
        ("b.parquet", "long"),
        ("c", "trec_eval"),
        ("d.tsv.gz", "long"),
        ("e", "nev"),
        ("f.AP.txt", "wide"),
        ("g.AP.csv", "wide"),
    ]
    source = "a.AP.csv"
    for target, layout in steps:
        result = cranfield("convert", source, "-o", target, "--layout", layout)
        assert result.exit_code == 0, result.stderr
        assert result.stderr.endswith(f"wrote {target}: AP, 2 topics × 2 systems\n")
        source = target
    assert read_scores("g.AP.csv") == read_scores("a.AP.csv")


def test_convert_says_what_it_did_about_missing_scores(cranfield: Type) -> None:
    Path("a.AP.csv").write_text("topic,bm25,ql\n301,0.5,\n302,0.25,0.7\n")
    assert cranfield("convert", "a.AP.csv", "-o", "b.csv").exit_code == 1
    assert not Path("b.csv").exists()
    result = cranfield("convert", "a.AP.csv", "-o", "b.csv", "--missing", "zero")
    assert "note: 1 missing score set to 0 (missing = zero)" in result.stderr
    assert read_scores("b.csv").only().values[0, 1] == 0


def test_a_broken_first_line_does_not_decide_what_a_file_is(cranfield: Type) -> None:
    Path("judged.txt").write_text("301 0 a x\n301 0 b 1\n301 0 c 0\n")
    assert cranfield("check", "judged.txt").stderr == (
        "error: judged.txt:1: expected an integer (2 or L2) as relevance (field 4), found 'x'\n"
    )
    Path("a.qrels").write_text("301 0 a 0.5\n")
    assert cranfield("check", "a.qrels").stderr == (
        "error: a.qrels:1: expected an integer (2 or L2) as relevance (field 4), found '0.5'; "
        "`map` of evaluate and judges declares levels: 0+:0,0.5+:1\n"
    )
    Path("empty.run").write_text("")
    (row,) = json.loads(cranfield("check", "empty.run", "--format", "json").stdout)["rows"]
    assert (row["kind"], row["problems"]) == ("run", 1)


def test_standard_input_is_recognised_and_read(cranfield: Type) -> None:
    for stdin, kind, rows in ((b"1 Q0 d1 1 2 x\n", "run", 1), (b"1 0 d1 1\n1 0 d2 0\n", "qrels", 2)):
        (row,) = json.loads(cranfield("check", "-", "--format", "json", stdin=stdin).stdout)["rows"]
        assert (row["kind"], row["rows"], row["problems"]) == (kind, rows, 0)
    result = cranfield("check", "-", stdin=b"")
    assert (result.exit_code, result.stderr) == (1, "error: -: is empty; expected at least one line of data\n")
