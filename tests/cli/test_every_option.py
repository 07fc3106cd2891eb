"""Every option of every command is typed once, beside an example of its docstring, and does what its help says it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cranfield.cli import ask, build
from cranfield.cli.build import shared_by
from cranfield.cli.main import app
from cranfield.cli.output import chart_kinds
from cranfield.core.options import Setting
from cranfield.core.question import Question, questions
from cranfield.measures.options import SCORING, RunsOrScores
from examples import Example, folder

VALUES: dict[str, Any] = {
    "spread": "0.4",
    "measure": "AP", "measures": "AP", "baseline": "dfr", "gains": "exp", "intents": "intents.txt", "output": "new.csv",
    "plot": "new.json", "names": "AP", "alpha": 0.1, "min_diff": 0.3, "looks": 3,
    "team_prefix": "[a-z]+", "best_per_team": "AP", "pattern": "{family}({k})", "scores": "scores.csv", "estimator": "residual",
    "epsilon": "0.7", "other_measure": "AP", "leave_out": "bm25", "note": "archive.txt", "skip": "replicates", "collection": "qrels.txt",
    "kind": "qrels", "layout": "trec_eval", "n_documents": 120, "depth": 3, "depths": 3, "length": 20, "n_topics": 12, "n_systems": 3,
    "folds": 3, "holdout": 0.4, "power": 0.7, "width": 0.3, "n_splits": 3, "replicate_resamples": 30, "n_resamples": 30, "fraction": 0.5,
    "n_experiments": 10, "per_look": 5, "max_topics": 40, "p": 0.6, "redraws": 50, "method": "published", "candidate": "ours",
    "margin": 0.9, "difference": 0.001, "n_trials": 15, "n_pilots": 1, "cluster": "tcp://127.0.0.1:8786", "collections": "archive.txt",
    "human": "judges/human.qrels", "machine": "judges/machine.qrels", "map": "0:0,1:1,2:2", "sampled": "random",
    "topic_groups": "groups.txt", "groups": "nominal=genders.txt", "second": "judges/second.qrels", "documents": "documents.tsv",
    "weights": "robust2004=2",
}  # fmt: skip
"""A value for an option that no example shows, or that would be slow or refused with the value of `value_for`."""


BESIDE = {
    "system": ["--system rm3 --system ours", "--systems 3 --system rm3 --system ours"],
    "leave_out": ["--teams alone.txt"],
    "names": ["--names b", "--names b --names c"],
    "collection": ["--collection q03"],
    "teams": ["--best-per-team AP", "--within-teams"],
    "team_prefix": ["--best-per-team AP", "--within-teams"],
    "best_per_team": ["--teams teams.txt"],
    "within_teams": ["--teams teams.txt"],
    **{name: ["--one-family"] for name in SCORING},
    "name": ["--team-prefix [a-z]+", "--one-family"],
    "layout": ["-o new"],
    **{name: ["--machine judges/machine.qrels"] for name in ("second", "system_groups")},
} | {
    name: ["--tune"]
    for name in ("folds", "leave_one_out", "holdout", "n_repeats", "stratified", "one_family", "pattern")
}
"""What an option may need beside it: words that are tried by the name of the option."""

TUNED = "bm25.csv ql.csv"
INSTEAD = {"kind": "qrels.txt", "input_format": "scores.csv", "format": "scores.csv", "collections": "", "claim": "seeds.csv",
           "layout": "scores.csv", "missing": "scores.csv", "tune": TUNED, **dict.fromkeys((n for n in BESIDE if BESIDE[n] == ["--tune"]), TUNED)}  # fmt: skip
"""Files that an option may ask for in place of those of the example, likewise."""


def shown() -> dict[str, str]:
    """What the examples of all questions type after an option, by its name."""
    found: dict[str, str] = {}
    for question in questions().values():
        by_flag = {flag: one for one in question.all() for flag in one.flags if one.kind is not bool}
        for words in question.examples():
            for flag, value in pairwise(words):
                if flag in by_flag and value != str(by_flag[flag].default):
                    found.setdefault(by_flag[flag].name, value)
    return found


SHOWN = shown()


def value_for(one: Setting) -> Any:
    """A value of an option: that of the list, of an example, or another than the default by its kind and bounds."""
    if "--input-format" in one.flags:
        return "long"
    if one.name in VALUES:
        return VALUES[one.name]
    if one.name in SHOWN:
        return SHOWN[one.name]
    if one.kind is Path:
        return "new.csv"
    if one.kind is str:
        return "bm25"
    usual = one.default if isinstance(one.default, (int, float)) else one.example or one.least or 1
    step = 1 if one.kind is int else usual / 2 or 0.5
    return usual + step if one.most is None or usual + step <= one.most else usual - step


def cases() -> Iterator[tuple[str, type[Question], Setting]]:
    for name, question in questions().items():
        if not question.printed and question.verb is Question.verb:
            continue  # the page and the demo are run as a whole elsewhere
        for one in [*question.all(), *shared_by(question)]:
            if one.flags:
                yield name, question, one


CASES = list(cases())
DRESSED = [name for name, _, one in CASES if one.name == "plot"][:3]
"""Commands whose charts are dressed here: one function dresses all."""
TRIED = [
    (name, question, one)
    for name, question, one in CASES
    if one.name not in ("chart", "plot", "format") and (not one.name.startswith("chart_") or name in DRESSED)
]
"""Kinds of chart are typed in test_plot.py, `--plot` and `--format` with every example in test_every_question.py."""


def without(words: list[str], question: type[Question], names: set[str]) -> list[str]:
    """A command line without some of its options."""
    by_flag = {
        flag: one for one in [*question.all(), *shared_by(question)] for each in one.flags for flag in each.split("/")
    }
    kept: list[str] = []
    at = 0
    while at < len(words):
        one = by_flag.get(words[at])
        if one is None or one.name not in names:
            kept.append(words[at])
        elif one.kind is not bool:
            at += 1
        at += 1
    return kept


def calls(question: type[Question], one: Setting) -> Iterator[list[str]]:
    """Command lines that the option can be added to, likeliest first.

    They are the examples of the question without the option itself; then with what it may need beside it, from runs in
    place of scores, from other files, and without another option or file, which it may contradict.
    """
    for shown in sorted(
        question.examples(), key=lambda words: "qrels.txt" in words
    ):  # scores are read faster than runs
        example = Example(question, tuple(shown))
        whole = example.typed()
        for setting in question.all():
            if setting.name == "skip":  # no section of a report is needed
                sections = [each for each in setting.choices or () if each not in (*whole, "replicates")]
                whole += [word for section in sections for word in ("--skip", section)]
        words = without(whole, question, {one.name})
        flags = {flag for each in [*question.all(), *shared_by(question)] for flag in each.flags}
        options = [each for each in [*question.all(), *shared_by(question)] if {*each.flags} & {*words}]
        starts = [word in flags for word in words]
        first = starts.index(True) if any(starts) else len(words)
        command, files, rest = (
            question.command.split(),
            words[len(question.command.split()) : first],
            words[first:],
        )
        inputs = [files]
        if issubclass(question, RunsOrScores) and any(file.endswith(".csv") for file in files):
            inputs.append(["qrels.txt", "runs"])
        if one.name in INSTEAD:
            inputs.append(INSTEAD[one.name].split())
        if len(files) > 1:
            inputs += [files[:1], files[1:]]
        for fewer in [set(), *({each.name} for each in options if each.name != "skip")]:
            for given in inputs:
                for more in ["", *BESIDE.get(one.name, [])]:
                    measure = ["-m", "AP"] if given[:2] == ["qrels.txt", "runs"] and one.name != "measure" else []
                    measure = [] if "-m" in rest else measure
                    yield [*command, *given, *without(rest, question, fewer), *measure, *more.split()]


def typed_as(one: Setting, value: Any) -> list[str]:
    """The option as it is typed; how a chart looks goes with a chart."""
    words = [one.flags[0].split("/")[0], *([] if one.kind is bool else [str(value)])]
    return words + (["--plot", "new.json"] if one.name.startswith("chart") else [])


@pytest.mark.parametrize(("name", "question", "one"), TRIED, ids=[f"{n} {o.flags[0]}" for n, _, o in TRIED])
def test_an_option_can_be_typed(
    name: str, question: type[Question], one: Setting, request: pytest.FixtureRequest
) -> None:
    value = None if one.kind is bool else value_for(one)
    if one.kind is not bool:
        if one.choices is not None and str(value) not in one.choices:
            value = one.choices[-1]
        if value == "copula":
            pytest.importorskip("pyvinecopulib")
        if one.name == "output" and not question.printed:
            value = "new.html"
        if one.name == "cluster":
            value = request.getfixturevalue("dask_cluster").client.scheduler.address
        assert value is not None, f"give {one.name} a value in VALUES"
    with folder():
        for words in calls(question, one):
            ended = CliRunner().invoke(app, [*words, *typed_as(one, value)])
            assert ended.exception is None or isinstance(ended.exception, SystemExit), ended.exception
            if ended.exit_code in (0, 3, 4):
                break
    assert ended.exit_code in (0, 3, 4), ended.output
    assert ended.output or one.name == "quiet"


FILLING = [(name, question) for name, question, one in CASES if one.name == "missing" and name != "evaluate"]
"""Commands that read scores with holes; what `evaluate` says of runs is tested with the scores."""


@pytest.mark.parametrize(("name", "question"), FILLING, ids=[name for name, _ in FILLING])
def test_scores_that_count_as_zero_are_announced(name: str, question: type[Question]) -> None:
    """Every command that fills holes says so on standard error, except a report, which says it inside."""
    with folder():
        for file in map(Path, ("scores.csv", "day1.csv", *map(str, Path().glob("*.AP.csv")), "bm25.csv")):
            head, *lines = file.read_text().splitlines(keepends=True)
            if "system" in head:  # one system has no score on one topic
                del lines[next(at for at, line in enumerate(lines) if ",all," not in line)]
            else:
                lines[0] = lines[0].replace(lines[0].split(",")[1], "", 1)
            file.write_text("".join([head, *lines]))
        missing = question.of("missing")
        for words in calls(question, missing):
            if not any(word.endswith(".csv") for word in words):
                continue
            ended = CliRunner().invoke(app, [*words, "--missing", "zero"])
            if ended.exit_code in (0, 3, 4):
                break
        assert ended.exit_code in (0, 3, 4), ended.output
        said = next(Path().glob("*.html")).read_text() if not question.printed else ended.stderr
    assert re.search("missing and counts? as 0|missing scores? set to 0", said), said


@pytest.mark.parametrize(("name", "question", "one"), CASES, ids=[f"{n} {o.flags[0]}" for n, _, o in CASES])
def test_what_is_typed_arrives(
    name: str, question: type[Question], one: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings that a command gets hold the typed value, which is not the default."""
    arrived: list[Any] = []
    monkeypatch.setattr(ask, "run", lambda settings, output, files: arrived.extend([settings, output]))
    monkeypatch.setattr(build, "spread", lambda settings: nullcontext())
    value: Any = not one.default
    if one.kind is not bool:
        others = [each for each in one.choices or () if each != one.default and (each,) != one.default]
        value = others[-1] if others else str(value_for(one) if one.name != "chart" else chart_kinds(question)[-1])
        value = "P@10" if (value,) == one.default else value
        if value == "copula":
            pytest.importorskip("pyvinecopulib")
    for words in calls(question, one):
        ended = CliRunner().invoke(app, [*words, *typed_as(one, value)])
        if arrived:
            break
    assert ended.exit_code == 0, ended.output
    if one.kind is not bool:
        value = one.accept(one.kind(value))
    held = next(each for each in arrived if any((it.name, it.help) == (one.name, one.help) for it in each.all()))
    got = getattr(held, one.name)
    assert (got[-1] if one.several else got) == (value[-1] if one.several else value)
    assert got != one.default


ASKED_FOR = ["alternative", "correction", "merge", "decide", "residuals", "resample", "estimator", "fraction", "to"]


@pytest.mark.parametrize("option", ASKED_FOR)
def test_an_option_is_among_those_typed(option: str) -> None:
    assert any(f"--{option}" in one.flags for _, _, one in CASES)


def test_every_flag_is_told_apart() -> None:
    for name, question in questions().items():
        own = [flag for one in question.all() for spelled in one.flags for flag in spelled.split("/")]
        assert len(own) == len(set(own)), f"{name}: a flag is used twice"


def test_a_flag_takes_a_value_in_every_command_or_in_none() -> None:
    """By the spelling that help shows first; addresses of the table of before still serve.

    A design has no systems to name yet: there `--baseline` says that one of them will be the baseline.
    """
    kinds: dict[str, dict[bool, list[str]]] = {}
    for name, question in questions().items():
        for one in [*question.all(), *shared_by(question)]:
            if one.flags:
                kinds.setdefault(one.flags[0], {}).setdefault(one.kind is bool, []).append(name)
    assert {flag for flag, by in kinds.items() if len(by) > 1} == {"--baseline"}
    table = questions()["table"]
    for name in ("show_intervals", "intervals"):
        assert table.from_query([(name, "on")]).query() == [("show_intervals", "true")]
