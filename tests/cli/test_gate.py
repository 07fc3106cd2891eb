"""``gate`` as a build types it: verdicts, exit codes, files."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support import Type

TOPICS = range(1, 31)


def write_run(path: str, relevant_at: int) -> None:
    """A run that finds every topic's relevant document at this rank; a little lower on every third topic."""
    lines = []
    for topic in TOPICS:
        place = relevant_at + (topic % 3 == 0)
        lines += [
            f"{topic} Q0 {'r' if rank == place else f'd{rank}'} {rank} {100 - rank} tag\n" for rank in range(1, 12)
        ]
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text("".join(lines))


@pytest.fixture
def here(cranfield: Type) -> Type:
    Path("qrels.txt").write_text("".join(f"{topic} 0 r 1\n{topic} 0 d1 0\n" for topic in TOPICS))
    for name, place in (
        ("main.run", 2),
        ("same.run", 2),
        ("good.run", 1),
        ("bad.run", 8),
        ("main/x.run", 2),
        ("new/x.run", 1),
    ):
        write_run(name, place)
    return cranfield


GATE = ("gate", "qrels.txt", "-m", "RR", "--baseline", "main.run")


@pytest.mark.parametrize(
    ("words", "code", "verdict"),
    [
        (("--candidate", "same.run", "--margin", "0.01"), 0, "pass"),
        (("--candidate", "good.run", "--better"), 0, "pass"),
        (("--candidate", "bad.run", "--margin", "0.01"), 3, "fail"),
        (("--candidate", "same.run", "--better"), 4, "undecided"),
    ],
)
def test_the_exit_code_is_the_verdict(here: Type, words: tuple[str, ...], code: int, verdict: str) -> None:
    result = here(*GATE, *words, "--format", "json")
    assert result.exit_code == code
    envelope = json.loads(result.stdout)
    assert envelope["settings"]["verdict"] == verdict
    (row,) = envelope["rows"]
    assert {"measure", "difference", "lower", "upper", "p", "margin", "verdict", "topics_needed"} <= set(row)
    assert row["verdict"] == verdict


def test_one_screen_says_it_all(here: Type) -> None:
    result = here(*GATE, "--candidate", "bad.run", "--margin", "0.01")
    assert result.stdout.startswith("FAIL: bad is worse than main by more than 0.01 (RR -0.")
    assert len(result.stdout.splitlines()) < 24


def test_files_for_a_build_server(here: Type) -> None:
    result = here(*GATE, "--candidate", "bad.run", "--margin", "0.01", "--junit", "gate.xml", "-o", "comment.md")
    assert result.exit_code == 3
    assert Path("comment.md").read_text().startswith("### ❌ Fail: `bad` against `main`")
    suite = ElementTree.fromstring(Path("gate.xml").read_bytes()).find("testsuite")
    assert suite is not None
    assert suite.get("failures") == "1"


def test_runs_of_one_name_go_by_their_places(here: Type) -> None:
    result = here("gate", "qrels.txt", "-m", "RR", "--baseline", "main/x.run", "--candidate", "new/x.run", "--better")
    assert result.exit_code == 0
    assert result.stdout.startswith("PASS: new/x.run is better than main/x.run")


def test_scores_give_the_same_verdict(here: Type) -> None:
    there = json.loads(here(*GATE, "--candidate", "bad.run", "--margin", "0.01", "--format", "json").stdout)
    here("evaluate", "qrels.txt", "main.run", "bad.run", "-m", "RR", "-q", "-o", "scores.csv")
    result = here(
        "gate", "scores.csv", "--baseline", "main", "--candidate", "bad", "--margin", "0.01", "--format", "json"
    )
    assert result.exit_code == 3
    assert json.loads(result.stdout)["rows"] == there["rows"]
    for name in ("main", "bad"):
        here("evaluate", "qrels.txt", f"{name}.run", "-m", "RR", "-q", "-o", f"{name}.csv")
    result = here("gate", "--baseline", "main.csv", "--candidate", "bad.csv", "--margin", "0.01", "--format", "json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["rows"] == there["rows"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("gate qrels.txt", 2, "Missing options '--baseline' and '--candidate'."),
        ("gate qrels.txt --baseline main.run --candidate good.run -m RR", 2,
         "error: no margin given. Set --margin in units of the measure, such as 0.01, or require a gain with --better."),
        ("gate qrels.txt --baseline main.run --candidate good.run --better", 2,
         "error: no measure given. Name one with --measure, such as nDCG@10."),
        ("gate main.run --baseline main.run --candidate good.run --better -m RR", 1,
         "error: main.run: contains a run, not judgments. Put the qrels file first: cranfield gate QRELS RUN..."),
        ("gate qrels.txt --baseline main.run --candidate qrels.txt --better -m RR", 1,
         "error: qrels.txt: contains judgments, not a run. Put runs after the qrels file: cranfield gate QRELS RUN..."),
        ("gate --baseline main --candidate good --better", 2,
         "error: no file main. Write cranfield gate QRELS --baseline RUN --candidate RUN, or cranfield gate "
         "SCORES --baseline SYSTEM --candidate SYSTEM."),
        ("gate qrels.txt --baseline main.run --candidate good.run --better -m RR --junit no/where.xml", 1,
         "error: no/where.xml: cannot be written: there is no directory no"),
    ],
)  # fmt: skip
def test_bad_input(here: Type, words: str, code: int, message: str) -> None:
    result = here(*words.split())
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.splitlines()[-1].replace("Error: ", "") == message


def test_a_build_log_shows_the_verdict_beside_a_file(here: Type) -> None:
    result = here(*GATE, "--candidate", "good.run", "--better", "-o", "gate.md")
    *_, wrote, verdict = result.stderr.splitlines()  # after a warning about unjudged documents
    assert (wrote, verdict.partition(" (RR")[0]) == ("wrote gate.md (1 row)", "pass: good is better than main")


@pytest.mark.parametrize(
    ("policy", "code", "kind", "counts"),
    [
        (None, 4, "error", ("0", "1", "0")),
        ("pass", 0, None, ("0", "0", "0")),
        ("warn", 0, "skipped", ("0", "0", "1")),
        ("fail", 3, "failure", ("1", "0", "0")),
    ],
)
def test_what_an_undecided_gate_does_is_a_choice(
    here: Type, policy: str | None, code: int, kind: str | None, counts: tuple[str, ...]
) -> None:
    asked = [*GATE, "--candidate", "same.run", "--better", "--junit", "gate.xml"]
    result = here(*asked, *(["--undecided", policy] if policy else []))
    assert result.exit_code == code
    (suite,) = ElementTree.parse("gate.xml").getroot()
    assert tuple(suite.attrib[name] for name in ("failures", "errors", "skipped")) == counts
    found = [one.tag for one in suite.iter() if one.tag in ("error", "skipped", "failure")]
    assert found == ([kind] if kind else [])


def test_a_pass_says_how_many_topics_the_margin_needs(here: Type) -> None:
    result = here(*GATE, "--candidate", "good.run", "--margin", "0.01")
    assert result.exit_code == 0
    assert re.search(r"The margin needs [\d,]+ topics: a candidate equal to main then passes with probability 0\.8\.",
                     " ".join(result.stdout.split()))  # fmt: skip


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.parametrize(
    ("candidate", "undecided", "code", "verdict"), [("same.run", "warn", 0, "pass"), ("bad.run", "warn", 3, "fail")]
)
def test_the_action_runs_the_gate(here: Type, candidate: str, undecided: str, code: int, verdict: str) -> None:
    """The shell script of action.yml, with the variables that GitHub sets."""
    source = Path(__file__).resolve().parents[2] / "src"
    text = (source.parent / "action.yml").read_text().rpartition("run: |\n")[2]
    Path("bin").mkdir()
    Path("bin/cranfield").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cranfield "$@"\n')
    Path("bin/cranfield").chmod(0o755)
    given = {"QRELS": "qrels.txt", "BASELINE": "main.run", "CANDIDATE": candidate, "MEASURES": "RR P@1", "MARGIN": "0.1",
             "UNDECIDED": undecided, "OPTIONS": "", "GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_OUTPUT": "output.txt",
             "PYTHONPATH": str(source), "PATH": f"bin:{os.environ['PATH']}"}  # fmt: skip
    done = subprocess.run(["bash", "-c", textwrap.dedent(text)], env={**os.environ, **given}, check=False)
    assert done.returncode == code
    assert Path("output.txt").read_text() == f"verdict={verdict}\n"
    assert "| RR |" in Path("summary.md").read_text()
    assert Path("gate.xml").is_file()
