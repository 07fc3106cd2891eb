"""A short run of the fuzzer (`make fuzz` runs it for as long as you like), and what it found, each once more."""

from __future__ import annotations

import json
import random
import re
import sys
from pathlib import Path

import click
import numpy as np
import pytest

from cranfield import ScoreMatrix, Scores, read_scores
from cranfield.cli.build import shared_by
from cranfield.cli.main import app
from cranfield.collection.formats import COLLECTION_FORMATS, CollectionFile, format_of
from cranfield.core.defaults import REPORT_SECTIONS
from cranfield.core.question import questions
from cranfield.measures.registry import known_names
from cranfield.scores.formats import FORMATS as SCORE_FORMATS
from cranfield.scores.formats import ScoreFile, recognise
from cranfield.trec_eval.arguments import FLAGS
from fuzz import commands, guided
from fuzz.commands import BASES, SKIPPED, words_of
from fuzz.drops import NOT_READ, left_out, lost, said_by
from fuzz.invariants import problems_of, table_rows
from fuzz.readers import TARGETS, _work, _work_file
from fuzz.run import BATCH, fuzz, main
from fuzz.tangled import collection, measure
from golden.run import type_command

CONSTANT = "topic,a,b,c\nt0,0.1,0.2,0.4\nt1,0.3,0.4,0.6\nt2,0.2,0.3,0.5\n"
USUAL = "topic,a,b,c\nt0,0.1,0.7,0.4\nt1,0.3,0.4,0.9\nt2,0.2,0.8,0.5\nt3,0.6,0.1,0.3\n"
TINY = "topic,a,b,c\nt0,1e-151,7e-151,4e-151\nt1,3e-151,4e-151,9e-151\nt2,2e-151,8e-151,5e-151\n"
HUGE = "topic,a,b,c\nt0,1e80,7e79,4e79\nt1,3e79,4e80,9e79\nt2,2e79,8e80,5e80\nt3,6e80,1e80,3e79\n"
NEAR = "topic,a,b\nt0,0.45820143489624077,0.3040282609402799\nt1,0.7337002575807505,0.6783839408752714\n"
VAST = "topic,a,b,c\nt0,1e150,-7e150,4e149\nt1,3e149,4e150,9e149\nt2,2e149,8e150,5e150\nt3,6e150,1e150,3e149\n"
LEAST = "topic,a,b,c\nt0,0,0,5e-324\nt1,0.1,0.1,0.2\nt2,5e-324,0,0\n"
WILD = """topic,a,b,c,d,e,f
t0,0.3200443071642195,0.7678558002592756,0.8884921199687894,0.8723205033839989,0.8176378157864322,0.9661958720811795
t1,0.4312191393971546,0.45394751474572004,0.5257437218469406,0.18518087837028907,0.5397676609053893,0.9150204185517256
t2,0.7687850027362256,0.21508003440480594,0.28622211089985883,0.28254754676235083,0.03635497039661095,0.11108558147585978
t3,0.6309409525191354,0.1953813021277696,0.854536086498127,0.0935163219952464,0.9256899047861609,0.13850905329467322
t4,0.2879221171149374,0.8718151770683773,0.27645880124785227,0.4048350796778991,0.6338112404848395,0.9049722925388997
"""
FOUND = [
    (WILD, "design recommend x.csv --systems 3 --min-diff 0.2 --alpha 1e-08 --baseline"),
    (VAST, "leaderboard x.csv --resamples 20"),
    (CONSTANT, "leaderboard x.csv --resamples 20"),
    (CONSTANT, "variance x.csv"),
    (USUAL, "variance x.csv -o \0.csv"),
    (TINY, "variance x.csv"),
    (LEAST, "standardise robustness x.csv --a 0.01"),
    (USUAL, "design pairs --scores x.csv --systems 5 --min-diff 0.2 --alpha 0.999999999999 --looks 12"),
    (USUAL, "correlate x.csv x.csv --resamples 1"),
    (USUAL, "simulate design x.csv --systems 3 --min-diff 0.2 --pilots 2 --trials 5 --system a --system b --baseline"),
    (USUAL, "design recommend x.csv --systems 3 --min-diff 0.2 --power 1e-16"),
    (USUAL, "design recommend x.csv --systems 4 --min-diff 0.2 --alpha 0.9999999999999999"),
    (USUAL, "design recommend x.csv --systems 4 --min-diff 0.2 --alpha 1e-300"),
    (TINY, "gate x.csv --baseline b --candidate c --margin 1 --alpha 1e-300"),
    (USUAL, "gate x.csv --baseline b --candidate c --margin 1e-300"),
    (CONSTANT, "standardise effect x.csv --resamples 20 --to z --factors factors.csv"),
    (TINY, "design anova --scores x.csv --topics 20 --min-diff 1e8 --min-diff 0.1"),
    (HUGE, "variance x.csv --anova"),
    (CONSTANT, "monitor x.csv --per-look 2 --looks 2"),
    (NEAR, "design anova --scores x.csv --min-diff 0.1 --min-diff 1.0 --topics 20 --topics 5 --method exact"),
    (USUAL, "reliability x.csv --target 1e-12 --target 0.999999999999"),
    (USUAL, "evaluate s/qrels.txt s/runs -m P@99999999999999999999"),
]


@pytest.mark.parametrize(("kind", "inputs"), [("readers", 400), ("commands", 60)])
def test_some_broken_inputs_are_all_answered(kind: str, inputs: int) -> None:
    tally = fuzz(kind, range(1, inputs + 1))
    assert tally.tried.total() == inputs
    assert not tally.findings, "\n\n".join(tally.findings.values())


def test_every_option_of_every_command_comes_up() -> None:
    asked = questions()
    for command, question in ((name, asked.get(name)) for name in BASES):
        if question is None:
            flags = [f"-{one.letter}" for one in FLAGS] + [f"--{one.long}" for one in FLAGS]
        else:
            options = [one for one in (*question.all(), *shared_by(question)) if one.flags]
            flags = [flag for one in options for flag in one.flags[0].split("/")]
            flags = ["-o" if flag == "--output" else flag for flag in flags]
        chance, never, tries = random.Random(command), {*flags}, 0
        while never and (tries := tries + 1) < 3000:
            never -= {*words_of(command, question, chance)[0]}
        assert never == set(), command
    context = click.Context(app)
    words = [[name, *_within(app.get_command(context, name))] for name in app.list_commands(context)]
    listed = {f"{first} {second}" for first, *seconds in words for second in seconds} | {
        first for first, *seconds in words if not seconds
    }
    assert set(BASES) == listed - {*SKIPPED}


def test_every_command_has_a_short_call_that_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or its results would never be looked at, only its errors."""
    monkeypatch.chdir(tmp_path)
    commands.prepare(tmp_path)
    chance = random.Random(1)
    for name, systems in (("x.csv", "abc"), ("y.csv", "abc"), ("family.csv", ["a(k=1)", "a(k=2)", "b(k=1)", "b(k=2)"])):
        Path(name).write_text(commands.score_table(chance, [*systems], mild=True))
    collection(random.Random(3), tmp_path / "d")
    never = {
        command
        for command, bases in BASES.items()
        if not any(
            type_command([*command.split(), *base]).code in commands.CODES.get(command, {0}) - {2} for base in bases
        )
    }
    assert never == set()


def _within(command: click.Command | None) -> list[str]:
    return command.list_commands(click.Context(command)) if isinstance(command, click.Group) else []


def test_every_reader_and_every_format_of_files_has_broken_ones() -> None:
    """A file that is not broken yet is read, and all formats that are registered come up."""
    known = {f"run {name}" for name, one in COLLECTION_FORMATS.items() if "run" in one.reads} | {"run trec"}
    known |= {f"qrels {name}" for name, one in COLLECTION_FORMATS.items() if "qrels" in one.reads} | {"qrels trec"}
    known |= {f"scores {name}" for name in SCORE_FORMATS}
    met = set()
    for kind, _, name, data in TARGETS:
        if kind == "run":
            found = format_of(CollectionFile(name, data), kind)
            met.add(f"run {'trec' if found is None else found.name}")
        elif kind == "qrels":
            found = format_of(CollectionFile(name, data), kind)
            met.add(f"qrels {'trec' if found is None else found.name}")
        elif kind in ("scores", "parquet"):
            met.add(f"scores {recognise(ScoreFile(name, data, Path(name).stem, Path(name).suffix)).name}")
    assert known - met == set()


def test_more_processes_try_the_same_seeds(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    monkeypatch.setitem(BATCH, "readers", 40)  # more batches than are handed out at a time
    for jobs in ("1", "2"):
        words = ["fuzz", "--kinds", "readers", "--inputs", "900", "--seed", "7", "--jobs", jobs]
        monkeypatch.setattr(sys, "argv", words)
        assert main() == 0
        told.append(re.sub(r"in \d+ s", "", capsys.readouterr().out))
    assert told[0] == told[1]
    assert "900 inputs" in told[0]
    assert "next seed 907" in told[0]


RUN = b"1 Q0 d1 1 0.9 t\n# a comment\n1 Q0 d2 2 0.8 t\n"


@pytest.mark.parametrize(
    ("name", "kind", "data", "size", "drops"),
    [
        ("a.run", "run", RUN, 2, False),
        ("a.run", "run", RUN, 1, True),
        ("a.json", "run", b'{"1": {"d1": 1, "d1": 2}}', 1, True),
        ("a.jsonl", "qrels", b'{"topic": "1"}\n\n{"topic": "2"}\n', 2, False),
        ("a.jsonl", "qrels", b'{"topic": "1"}\n\n{"topic": "2"}\n', 1, True),
        ("t.csv", "teams", b"system,team\na,x\nb,x\n", 2, False),
        ("t.csv", "teams", b"system,team\na,x\nb,x\nc,x\n", 1, True),
        ("t.csv", "teams", b"system,team\na,x\nb,x\nc,x\n", 2, True),
        ("o.txt", "orders", b"a\nb\nc\n", 2, True),
        ("o.txt", "orders", b"score\nb\nc\n", 3, False),
        ("o.txt", "orders", b"score\nb\nc\n", 2, True),
        ("o.txt", "orders", b"system\nb\nc\n", 2, False),
        ("a.tsv", "run", b"1\td1\t1\n1\td2\t2\n2\td1\t1\n", 2, True),
        ("t.csv", "teams", b"system,team\xef\xbb\xbf", 1, False),
    ],
)
def test_a_dropped_row_is_noticed(name: str, kind: str, data: bytes, size: int, drops: bool) -> None:
    result = dict.fromkeys(range(size))
    assert (lost(name, kind, data, result, []) is not None) is drops
    assert lost(name, kind, data, result, ["1 line skipped"]) is None
    assert (lost(name, kind, data, result, ["ranks stand for scores"]) is not None) is drops


@pytest.mark.parametrize(
    ("name", "data"),
    [(name, data) for kind, _, name, data in TARGETS if kind in ("scores", "parquet")],
    ids=str,
)
def test_a_dropped_topic_or_system_is_noticed(name: str, data: bytes, tmp_path: Path) -> None:
    """Of every format of scores, whatever its layout: the sound file is read whole, and less of it is a loss."""
    file = tmp_path / name
    file.write_bytes(data)
    whole = read_scores(file)
    kind = "parquet" if name.endswith(".parquet") else "scores"
    said = [note for note in said_by(whole) if not re.search(NOT_READ, note)]
    assert lost(name, kind, data, whole, said) is None or "all" in data.decode(errors="ignore")
    first = next(iter(whole.values()))
    if len(first.topics) > 1:
        part = Scores([one.select(topics=list(one.topics[:-1])) for one in whole.values()])
        assert lost(name, kind, data, part, said) is not None
    if len(first.systems) > 1 and name != "s.txt":  # whose first column may be topics
        part = Scores([one.select(systems=list(one.systems[:-1])) for one in whole.values()])
        assert lost(name, kind, data, part, said) is not None


def test_a_dropped_score_is_noticed() -> None:
    data = b"topic,a,b\n1,0.5,0.25\n2,0.75,1\n3,0.5,0.5\n"
    whole = Scores([ScoreMatrix([[0.5, 0.25], [0.75, 1], [0.5, 0.5]], ["1", "2", "3"], ["a", "b"], "AP")])
    part = Scores([ScoreMatrix([[0.5], [0.75], [0.5], [0.5], [0.5]], ["1", "2", "3", "4", "5"], ["a"], "AP")])
    assert lost("s.csv", "scores", data, whole, []) is None
    assert lost("s.csv", "scores", data, part, []) is not None
    lines = [ScoreMatrix([[0.75, 1]], ["2"], ["topjc", "25"], "AP")]  # the header leaves the topics without a name
    assert lost("s.csv", "scores", b"topjc,25\n2,.75,1\n", Scores(lines), []) is None


@pytest.mark.parametrize(
    ("table", "words", "rows", "warnings", "problems"),
    [
        (USUAL, "leaderboard x.csv", 3, [], 0),
        (USUAL, "leaderboard x.csv", 2, [], 1),
        (USUAL, "leaderboard x.csv --system a", 1, [], 0),
        (USUAL, "standardise fit x.csv", 3, [], 1),
        (USUAL.replace("0.9", ""), "variance x.csv", 5, [], 1),
        (USUAL.replace("0.9", ""), "variance x.csv", 5, ["1 topic was left out for lack of a score: t1"], 0),
        (USUAL.replace("0.9", ""), "leaderboard x.csv", 3, ["the data are fine"], 1),
    ],
)
def test_what_a_command_leaves_out_is_noticed(
    table: str,
    words: str,
    rows: int,
    warnings: list[str],
    problems: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(table)
    assert len(left_out(words.split(), {"rows": [{}] * rows, "warnings": warnings})) == problems


def test_what_a_command_leaves_out_of_runs_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    collection(random.Random(0), Path("d"))  # in which a lacks two topics
    words = ["evaluate", *commands.TANGLED, "-m", "AP", "-q", "--format", "json"]
    answer = json.loads(type_command(words).stdout)
    assert left_out(words, answer) == []
    assert len(left_out(words, answer | {"warnings": answer["warnings"][1:]})) == 1
    assert len(left_out(words, answer | {"rows": answer["rows"][:-1]})) == 1
    assert len(left_out(words, answer | {"rows": [row for row in answer["rows"] if row["system"] != "b"]})) == 1


@pytest.mark.parametrize("format", ["csv", "markdown", "table"])
@pytest.mark.parametrize(
    ("column", "cell", "problem"),
    [
        ("p", "0.0000", "p is 0.0"),
        ("p_adjusted", "1.2000", "p_adjusted is 1.2"),
        ("p", "nan", "not finite: 'nan'"),
        ("effect_size", "-inf", "not finite: '-inf'"),
        ("difference", "0.9000", "difference 0.9 outside [-0.5, 0.6]"),
        ("lower", "0.9000", "lower 0.9 above upper 0.6"),
        ("difference", "0.2000", None),
    ],
)
def test_a_spoilt_table_is_noticed(format: str, column: str, cell: str, problem: str | None) -> None:
    row = {"system_a": "a", "difference": "0.1000", "lower": "-0.5000", "upper": "0.6000", "effect_size": "0.10", "p": "0.5000", "p_adjusted": "1.0000"}  # fmt: skip
    cells = [[*row], [*row.values()], [*(row | {"system_a": "b", column: cell}).values()]]
    if format == "csv":
        lines = [",".join(line) for line in cells]
    elif format == "markdown":
        lines = [f"| {' | '.join(line)} |" for line in (cells[0], ["---"] * len(row), *cells[1:])]
    else:
        lines = ["   ".join(f"{one:>12}" for one in line) for line in cells]
        lines = ["score: 0 of 3 pairs differ", "", lines[0], "─" * len(lines[0]), *lines[1:], "", "lower, upper: 95%"]
    found = problems_of("\n".join(lines) + "\n", format)
    assert found[:1] == ([] if problem is None else [problem])


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"topics": 9, "topics_lower": 10, "topics_upper": 12}, "topics 9 outside [10, 12]"),
        ({"topics": 9, "topics_needed": 11, "topics_lower": 10, "topics_upper": 12}, None),
        ({"tau": 0.5, "tau_lower": 0.6, "tau_upper": 1.0}, "tau 0.5 outside [0.6, 1.0]"),
        ({"held_out_mean": 0.5, "held_out_lower": 0.1, "held_out_upper": 0.4}, "held_out_mean 0.5 outside [0.1, 0.4]"),
        ({"variance_of_difference": 2.0, "lower": 3.0, "upper": None}, "variance_of_difference 2.0 outside [3.0, inf]"),
        ({"rate": 1.5}, "rate is 1.5"),
        ({"mean": float("1e400")}, "mean is inf"),
    ],
)
def test_a_spoilt_row_is_noticed_whatever_its_columns_are_called(row: dict[str, float], problem: str | None) -> None:
    text = json.dumps({"rows": [row]}).replace("Infinity", "1e400")
    assert problems_of(text, "json")[:1] == ([] if problem is None else [f".rows[0]: {problem}"])


def test_numbers_for_people_are_as_near_as_their_digits_tell() -> None:
    table = "| effect | effect_lower | effect_upper |\n| ---: | ---: | ---: |\n| {} | 0.1189 | 0.1191 |\n"
    assert problems_of(table.format("0.12"), "markdown") == []
    assert len(problems_of(table.format("0.13"), "markdown")) == 1
    assert len(problems_of("effect,effect_lower,effect_upper\n0.12,0.1189,0.1191\n", "csv")) == 1


def test_an_estimate_that_is_missing_is_outside_no_interval() -> None:
    table = (
        "| topics | topics_needed | topics_lower | topics_upper |\n| ---: | ---: | ---: | ---: |\n| 12 | {} | 21 | |\n"
    )
    assert problems_of(table.format(""), "markdown") == []
    assert problems_of(table.format("18"), "markdown") == ["topics_needed 18.0 outside [21.0, inf]"]


def test_the_rows_of_what_commands_print_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(USUAL)
    for format in ("csv", "markdown", "table"):
        printed = type_command(["compare", "x.csv", "--format", format]).stdout
        assert [row["p_adjusted"] != "" for row in table_rows(printed, format)] == [True] * 3
        assert problems_of(printed, format) == []


def test_every_measure_comes_up_and_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chance = random.Random(1)
    met = {re.split(r"[(@]", name)[0]: name for name in (measure(chance, mild=True) for _ in range(1000))}
    assert {*met} == {*known_names()}
    words = [word for name, text in met.items() if name not in ("GF", "GFR") for word in ("-m", text)]  # without groups
    problems = set()
    for seed in range(20):  # some have two subtopics, of which most measures know nothing
        collection(random.Random(seed), Path("d"))
        problems.add(commands.run(["evaluate", *commands.TANGLED, *words, "--format", "json"], "json", {0}))
    assert None in problems
    assert {text.partition("\n")[0] for text in problems if text} <= {"exit code 1"}


def test_a_measure_that_is_no_number_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    collection(random.Random(3), Path("d"))
    words = ["evaluate", *commands.TANGLED, "-m", "binG", "--format", "json"]
    assert commands.run(words, "json", {0, 1}) is None
    monkeypatch.setattr("cranfield.measures.graded.ratio", lambda a, b: a + np.nan)
    found = commands.run(words, "json", {0, 1})
    assert found is not None
    assert "a mistake of our own" in found


def test_a_work_file_that_lies_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = _work_file()
    file = tmp_path / "job.work"
    file.write_bytes(data)
    _work(str(file))
    monkeypatch.setattr("cranfield.core.work_files._parse", lambda line: tuple(json.loads(line[9:])))
    for changed in (data.replace(b"0.125", b"0.625"), data.replace(b"run 2", b"ruin2")):
        file.write_bytes(changed)
        with pytest.raises(AssertionError):
            _work(str(file))


def test_every_section_of_a_report_comes_up() -> None:
    assert {*commands.SECTIONS} == {*REPORT_SECTIONS} - {"methods"}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "inputs"), [("readers", 60_000), ("commands", 3_000)])
def test_many_broken_inputs_are_all_answered(kind: str, inputs: int) -> None:
    tally = fuzz(kind, range(1_000_000, 1_000_000 + inputs))
    assert not tally.findings, "\n\n".join(tally.findings.values())


def test_the_table_of_faults_names_tests_that_are_there() -> None:
    root = Path(__file__).resolve().parents[2]
    table = (root / "CONTRIBUTING.md").read_text().partition("## Faults and hostile input")[2].partition("\n## ")[0]
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", table)
    assert len(named) > 15
    for file, test in named:
        assert f"def {test or 'test_'}" in (root / file).read_text(), f"{file}::{test}"


@pytest.mark.parametrize("target", guided.TARGETS)
def test_what_coverage_led_to_is_answered(target: str, tmp_path: Path) -> None:
    inputs = guided.corpus(target)
    assert inputs, f"make fuzz-guided TARGET={target}"
    attempt = guided.TARGETS[target](tmp_path)
    for data in inputs:
        attempt(data)


def test_the_fewest_inputs_reach_every_line(tmp_path: Path) -> None:
    attempt = guided.TARGETS["orders"](tmp_path)
    short, long, other = b"a\nb\n", b"aa\nbb\n", b"a\n\xff\n"
    assert guided.reached(attempt, other) - guided.reached(attempt, short)
    assert guided.fewest(attempt, [long, other, short]) == [short, other]


def test_a_report_is_made_of_scores_that_have_no_inverse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text("topic,a,b,c\nt0,4.8e-314,-3.2e-314,2.4e-314\nt1,3.1e-314,3.6e-314,1.9e-315\n")
    assert commands.run(["report", *commands._report(["x.csv"], "data")], "table", {0}) is None


@pytest.mark.skipif(sys.platform != "linux", reason="names that are no UTF-8")
@pytest.mark.parametrize("command", BASES)
def test_an_odd_name_in_place_of_any_file_is_answered(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each place where a command names a file; the odd ones hold scores, so they are often read."""
    monkeypatch.chdir(tmp_path)
    commands.prepare(tmp_path)
    for name in ("x.csv", "y.csv"):
        Path(name).write_text(USUAL)
    collection(random.Random(3), tmp_path / "d")
    typed = [*command.split(), *BASES[command][0]]
    places = [at for at, word in enumerate(typed) if at >= len(command.split()) and Path(word).exists()]
    for at in places:
        for name in commands.ODD:
            words = [*typed[:at], name, *typed[at + 1 :]]
            assert commands.run(words, "table", commands.CODES.get(command, {0, 1, 2})) is None, words


def test_a_broken_file_of_every_kind_comes_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands.prepare(tmp_path)
    before = Path("judges/groups.txt").read_bytes()
    words = ["judges", "--human", "judges/human.qrels", "--system-groups", "judges/groups.txt", "--machine", "runs"]
    broken = {word for seed in range(60) for word in commands.spoilt(words, random.Random(seed))} - {*words}
    assert broken == {"broken/human.qrels", "broken/groups.txt", "broken/runs"}
    assert Path("broken/groups.txt").read_bytes() != before == Path("judges/groups.txt").read_bytes()


@pytest.mark.parametrize(("table", "words"), FOUND, ids=[words for _, words in FOUND])
def test_what_was_found_before(table: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands.prepare(tmp_path)
    Path("x.csv").write_text(table)
    for format in ("json", "table"):
        codes = commands.CODES.get(words.split(maxsplit=1)[0], {0, 1, 2})
        assert commands.run([*words.split(), "--format", format], format, codes) is None
