"""trec_eval 10's own test outputs, byte for byte; the synthetic twin is test_by_hand.py.

The lines of rbp stand aside: version 10 scales gains by variables it never sets.
"""

from __future__ import annotations

import pytest

from cranfield.trec_eval.arguments import parse_arguments
from cranfield.trec_eval.evaluation import trec_eval
from support import SHARED, Type, needs_shared

FILES = SHARED / "data" / "fixtures" / "trec_eval"
CASES = {
    "out.test.a": ("qrels.test", "results.test", []),
    "out.test.aq": ("qrels.test", "results.test", ["-q"]),
    "out.test.aqc": ("qrels.test", "results.trunc", ["-q", "-c"]),
    "out.test.aql": ("qrels.rel_level", "results.test", ["-m", "relstring.20", "-q", "-l", "2"]),
    "out.test.aqZ": ("qrels.test", "results.test", ["-q", "-Z", str(FILES / "zscores_file")]),
}


def without_rbp(text: str) -> list[str]:
    return [line for line in text.splitlines(keepends=True) if line.split()[0] not in ("rbp", "Zrbp")]


def words(output: str) -> list[str]:
    qrels, run, flags = CASES[output]
    return ["-m", "all_trec", *flags, str(FILES / qrels), str(FILES / run)]


@needs_shared
@pytest.mark.parametrize("output", CASES)
def test_every_line(output: str) -> None:
    expected = (FILES / output).read_text()
    printed = trec_eval(parse_arguments(words(output)))
    ours = printed.text
    assert without_rbp(ours) == without_rbp(expected)
    assert [line.split()[:2] for line in ours.splitlines()] == [line.split()[:2] for line in expected.splitlines()]
    assert printed.notes == ()


@needs_shared
def test_the_command_prints_them(cranfield: Type) -> None:
    done = cranfield("trec_eval", *words("out.test.aq"))
    assert (done.exit_code, done.stderr) == (0, "")
    assert without_rbp(done.stdout) == without_rbp((FILES / "out.test.aq").read_text())


@needs_shared
def test_all_99_names_are_measures_of_evaluate() -> None:
    """Every name of the summary can be named to `evaluate`, or says what to use instead."""
    from cranfield import ArgumentError, parse_measure

    names = [line.split()[0] for line in (FILES / "out.test.a").read_text().splitlines()]
    assert len(names) == 99
    refused = []
    for name in names:
        try:
            parse_measure(name)
        except ArgumentError as error:
            assert f"`cranfield trec_eval -m {name}`" in str(error)
            refused.append(name)
    assert refused == ["runid", "gm_map", "gm_bpref"]
