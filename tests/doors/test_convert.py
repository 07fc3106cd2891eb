"""``cranfield convert`` turns runs and judgments too, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cranfield import read_qrels, read_run
from cranfield.collection.formats import writable
from support import Type

TREC = "1 Q0 a 1 2.5 t\n1 Q0 b 2 0.30000000000000004 t\n2 Q0 a 1 1e-17 t\n"
QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 2\n"


@pytest.mark.parametrize("layout", writable("run"))
def test_a_run_to_every_layout_and_back(cranfield: Type, layout: str) -> None:
    Path("x.run").write_text(TREC)
    assert cranfield("convert", "x.run", "--layout", layout, "-o", "y.out").exit_code == 0
    back = cranfield("convert", "y.out", "--kind", "run", "-o", "z.run")
    assert back.exit_code == 0
    assert "wrote z.run: 2 topics, 3 rows, as trec" in back.stderr
    original, again = read_run("x.run").frame, read_run("z.run").frame
    columns = ["topic", "document"] if layout == "msmarco" else ["topic", "document", "score"]
    assert again.select(columns).equals(original.select(columns))


@pytest.mark.parametrize("layout", writable("qrels"))
def test_judgments_to_every_layout_and_back(cranfield: Type, layout: str) -> None:
    Path("qrels.txt").write_text(QRELS)
    assert cranfield("convert", "qrels.txt", "--layout", layout, "-o", "qrels.out").exit_code == 0
    assert read_qrels("qrels.out").frame.equals(read_qrels("qrels.txt").frame)


def test_what_it_prints_and_recognises(cranfield: Type) -> None:
    Path("predictions.json").write_text(json.dumps({"default": {"test": {"1": {"a": 2.5}}}}))
    assert cranfield("convert", "predictions.json").stdout == "1 Q0 a 1 2.5 predictions\n"
    Path("qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n")
    assert cranfield("convert", "qrels.tsv").stdout == "1 0 a 1\n"
    assert cranfield("convert", "qrels.tsv", "--layout", "ntcir").stdout == "1 a L1\n"
    Path("s.AP.csv").write_text("topic,a,b\n1,0.5,0.25\n")
    assert "0.25" in cranfield("convert", "s.AP.csv").stdout


def test_several_runs_go_to_a_directory(cranfield: Type) -> None:
    Path("runs").mkdir()
    for name in ("a", "b"):
        Path("runs", f"{name}.run").write_text(TREC)
    Path("runs", "README.md").write_text("x")
    result = cranfield("convert", "runs", "--layout", "msmarco", "-o", "out")
    assert result.exit_code == 0
    assert "note: runs: skipped README.md" in result.stderr
    assert Path("out", "b.tsv").read_text() == "1\ta\t1\n1\tb\t2\n2\ta\t1\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("convert", "runs"), "2 runs need a directory; name it with --output"),
        (("convert", "runs/a.run", "--layout", "ntcir"), "unknown layout 'ntcir'"),
        (("convert", "runs/a.run", "--format", "json"), "choose a format of run files with --layout"),
        (("convert", "s.AP.csv", "--layout", "msmarco"), "contains scores, and scores have no layout msmarco"),
    ],
)
def test_what_it_refuses(cranfield: Type, words: tuple[str, ...], message: str) -> None:
    Path("runs").mkdir()
    for name in ("a", "b"):
        Path("runs", f"{name}.run").write_text(TREC)
    Path("s.AP.csv").write_text("topic,a,b\n1,0.5,0.25\n")
    result = cranfield(*words)
    assert result.exit_code == 2
    assert message in result.stderr
