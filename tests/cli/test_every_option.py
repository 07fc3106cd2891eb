"""Every option of every command is typed once, on a small collection, and does what its help says it takes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cranfield import read_scores
from cranfield.cli import ask, build
from cranfield.cli.build import shared_by
from cranfield.cli.main import app
from cranfield.cli.output import chart_kinds
from cranfield.core.question import Question, Setting, questions
from examples import EXAMPLES

LEFT_OUT = [
    word
    for section in (
        "data",
        "leaderboard",
        "standardisation",
        "differences",
        "collection",
        "reliability",
        "next",
        "reuse",
    )
    for word in ("--skip", section)
]
"""Sections of a report that no option needs to be typed."""

COMMANDS: dict[str, list[str]] = {
    "demo": ["demo", "{new}"],
    "sample": ["sample", "{new}", "--topics", "3", "--systems", "2", "--documents", "100"],
    "check": ["check", "qrels.txt"],
    "convert": ["convert", "ap.csv"],
    "evaluate": ["evaluate", "qrels.txt", "runs"],
    "measures": ["measures", "AP"],
    "leaderboard": ["leaderboard", "ap.csv", "--resamples", "50"],
    "compare": ["compare", "ap.csv", "--resamples", "50"],
    "table": ["table", "ap.csv", "--resamples", "50"],
    "across": ["across", "ap.csv", "--resamples", "50"],
    "design across": ["design", "across", "seeds.csv", "--min-diff", "0.2"],
    "gate": ["gate", "ap.csv", "--baseline", "{system}", "--candidate", "{other}", "--margin", "0.9"],
    "correlate": ["correlate", "ap.csv", "p.csv", "--other-measure", "P@10", "--resamples", "20"],
    "replicates": ["replicates", "qrels.txt", "runs", "--splits", "2", "--resamples", "20"],
    "tune": ["tune", "bm25.csv", "--folds", "4"],
    "selection-bias": ["selection-bias", "--experiments", "20", "--topics", "10", "--settings", "3", "--folds", "2"],
    "standardise fit": ["standardise", "fit", "ap.csv"],
    "standardise apply": ["standardise", "apply", "ap.csv", "--factors", "factors.csv"],
    "standardise robustness": ["standardise", "robustness", "ap.csv"],
    "standardise effect": ["standardise", "effect", "ap.csv", "--resamples", "20"],
    "variance": ["variance", "ap.csv"],
    "design pairs": ["design", "pairs", "--variance-of-difference", "0.05", "--systems", "5", "--min-diff", "0.2"],
    "design anova": ["design", "anova", "--variance", "0.05", "--systems", "5", "--min-diff", "0.2"],
    "design ttest": ["design", "ttest", "--variance-of-difference", "0.05", "--min-diff", "0.2"],
    "design interval": ["design", "interval", "--variance-of-difference", "0.05", "--width", "0.2"],
    "design recommend": ["design", "recommend", "ap.csv", "--systems", "4", "--min-diff", "0.2"],
    "design looks": ["design", "looks", "--variance-of-difference", "0.05", "--min-diff", "0.2"],
    "reliability": ["reliability", "ap.csv", "--resamples", "20"],
    "monitor": ["monitor", "ap.csv", "--per-look", "5", "--looks", "4"],
    "reuse": ["reuse", "qrels.txt", "runs", "--teams", "teams.txt", "-m", "AP", "--depth", "5", "--resamples", "20"],
    "judges": [
        "judges",
        "--human",
        "judges/human.qrels",
        "--human",
        "judges/second.qrels",
        "--machine",
        "judges/machine.qrels",
        "runs",
        "--resamples",
        "20",
    ],
    "design judges": [
        "design",
        "judges",
        "--machine",
        "judges/machine.qrels",
        "--human",
        "qrels.txt",
        "runs",
        "--width",
        "0.1",
    ],
    "simulate tests": ["simulate", "tests", "ap.csv", "--topics", "10", "--trials", "20", "--resamples", "19"],
    "simulate design": [
        "simulate",
        "design",
        "ap.csv",
        "--systems",
        "3",
        "--min-diff",
        "0.2",
        "--pilots",
        "2",
        "--trials",
        "20",
    ],
    "simulate scores": ["simulate", "scores", "ap.csv"],
    "cost": ["cost", "qrels.txt", "runs", "-m", "AP", "--depth", "5", "--width", "0.3"],
    "pool": ["pool", "qrels.txt", "runs", "--depth", "5"],
    "report": ["report", "ap.csv", "--resamples", "50", "-o", "{new}.html", *LEFT_OUT],
}
"""A small call of every command; `{new}` is a name that does not exist yet."""

HERE = {"bm25": "{system}", "ours": "{other}", "rm3": "{worst}"}
for every in EXAMPLES:  # those that are not listed: as their docstring shows them, with the scores and systems here
    shown = ["ap.csv" if word.endswith(".csv") else HERE.get(word, word) for word in every.printed("json")[:-2]]
    COMMANDS.setdefault(every.question.command, shown)

LONG = {"demo", "serve"}
"""Commands that are run as a whole elsewhere."""

FROM_SCORES = ["--scores", "ap.csv"]
ALONE = {
    ("design pairs", "scores"): ["design", "pairs", "--systems", "5", "--min-diff", "0.2", *FROM_SCORES],
    ("design pairs", "estimator"): ["design", "pairs", "--systems", "5", "--min-diff", "0.2", *FROM_SCORES],
    ("design pairs", "measure"): ["design", "pairs", "--systems", "5", "--min-diff", "0.2", *FROM_SCORES],
    ("design pairs", "variance"): ["design", "pairs", "--systems", "5", "--min-diff", "0.2"],
    ("design pairs", "n_topics"): ["design", "pairs", "--variance", "0.05", "--systems", "5"],
    ("design anova", "scores"): ["design", "anova", "--systems", "5", "--min-diff", "0.2", *FROM_SCORES],
    ("design anova", "estimator"): ["design", "anova", "--systems", "5", "--min-diff", "0.2", *FROM_SCORES],
    ("design anova", "measure"): ["design", "anova", "--systems", "5", "--min-diff", "0.2", *FROM_SCORES],
    ("design anova", "epsilon"): ["design", "anova", "--systems", "5", "--min-diff", "0.2", "--blocked", *FROM_SCORES],
    ("design anova", "n_topics"): ["design", "anova", "--variance", "0.05", "--systems", "5"],
    ("design ttest", "scores"): ["design", "ttest", "--min-diff", "0.2"],
    ("design ttest", "estimator"): ["design", "ttest", "--min-diff", "0.2", *FROM_SCORES],
    ("design ttest", "measure"): ["design", "ttest", "--min-diff", "0.2", *FROM_SCORES],
    ("design ttest", "variance"): ["design", "ttest", "--min-diff", "0.2"],
    ("design ttest", "n_topics"): ["design", "ttest", "--variance", "0.05"],
    ("design interval", "scores"): ["design", "interval", "--width", "0.2"],
    ("design interval", "estimator"): ["design", "interval", "--width", "0.2", *FROM_SCORES],
    ("design interval", "measure"): ["design", "interval", "--width", "0.2", *FROM_SCORES],
    ("design interval", "variance"): ["design", "interval", "--width", "0.2"],
    ("design interval", "n_topics"): ["design", "interval", "--variance", "0.05"],
    ("cost", "collection"): ["cost", "runs", "-m", "AP", "--depth", "5", "--width", "0.3"],
    ("cost", "n_systems"): ["cost", "qrels.txt", "runs", "-m", "AP", "--depth", "5", "--min-diff", "0.3"],
    ("cost", "min_diff"): ["cost", "qrels.txt", "runs", "-m", "AP", "--depth", "5", "--systems", "3"],
    ("cost", "published"): ["cost", "qrels.txt", "runs", "-m", "AP", "--depth", "5", "--min-diff", "0.3", "--systems", "3"],
    ("cost", "blocked"): ["cost", "qrels.txt", "runs", "-m", "AP", "--depth", "5", "--min-diff", "0.3", "--systems", "3"],
    ("cost", "epsilon"): ["cost", "qrels.txt", "runs", "-m", "AP", "--depth", "5", "--min-diff", "0.3", "--systems", "3",
                          "--blocked"],
    ("cost", "power"): ["cost", "qrels.txt", "runs", "-m", "AP", "--depth", "5", "--min-diff", "0.3", "--systems", "3"],
    ("cost", "method"): ["cost", "qrels.txt", "runs", "-m", "AP", "--depth", "5", "--min-diff", "0.3", "--systems", "3"],
    ("cost", "budget"): ["cost", "qrels.txt", "runs", "-m", "AP", "--depth", "5", "--systems", "3"],
    ("design looks", "variance_of_difference"): ["design", "looks", "--min-diff", "0.2"],
    ("design looks", "min_diff"): ["design", "looks", "--variance-of-difference", "0.05"],
    ("monitor", "per_look"): ["monitor", "ap.csv", "--looks", "4"],
    ("monitor", "looks"): ["monitor", "ap.csv", "--per-look", "5"],
    ("monitor", "system"): ["monitor", "ap.csv", "--per-look", "5", "--system", "{other}"],
    ("reuse", "teams"): ["reuse", "qrels.txt", "runs", "-m", "AP", "--depth", "5", "--resamples", "20"],
    ("reuse", "team_prefix"): ["reuse", "qrels.txt", "runs", "-m", "AP", "--depth", "5", "--resamples", "20"],
    ("reuse", "leave_out"): ["reuse", "qrels.txt", "runs", "--teams", "teams.txt", "-m", "AP", "--depth", "5",
                             "--resamples", "20"],
    ("correlate", "other_measure"): ["correlate", "ap.csv", "p.csv", "--resamples", "20"],
    ("convert", "layout"): ["convert", "ap.csv", "-o", "{new}"],
    ("report", "output"): ["report", "ap.csv", "--resamples", "50", "--skip", "standardisation"],
    ("report", "skip"): ["report", "ap.csv", "--resamples", "50", "-o", "{new}.html"],
    ("replicates", "teams"): ["replicates", "qrels.txt", "runs", "--splits", "2", "--resamples", "20", "--show", "teams"],
    ("replicates", "team_prefix"): ["replicates", "qrels.txt", "runs", "--splits", "2", "--resamples", "20", "--show",
                                    "teams"],
    ("replicates", "show"): ["replicates", "qrels.txt", "runs", "--splits", "2", "--resamples", "20", "--teams",
                             "teams.txt"],
    ("selection-bias", "leave_one_out"): ["selection-bias", "--experiments", "5", "--topics", "6", "--settings", "3"],
    ("selection-bias", "holdout"): ["selection-bias", "--experiments", "5", "--topics", "10", "--settings", "3"],
    ("standardise apply", "factors"): ["standardise", "apply", "ap.csv"],
    ("tune", "leave_one_out"): ["tune", "bm25.csv"],
    ("tune", "holdout"): ["tune", "bm25.csv"],
    ("table", "wins"): ["table", "ap.csv", "--resamples", "50", "--baseline", "{system}"],
    ("across", "system"): ["across", "ap.csv", "--resamples", "50", "--system", "{other}"],
    ("across", "claim"): ["across", "seeds.csv", "--resamples", "50"],
    ("design across", "min_diff"): ["design", "across", "seeds.csv"],
    ("design across", "measure"): ["design", "across", "ap.csv", "more.csv", "--min-diff", "0.2"],
    ("design across", "system"): ["design", "across", "ap.csv", "more.csv", "--min-diff", "0.2", "--system", "{other}"],
    ("design across", "names"): ["design", "across", "ap.csv", "more.csv", "--min-diff", "0.2", "--names", "second"],
    ("gate", "baseline"): ["gate", "ap.csv", "--candidate", "{other}", "--margin", "0.9"],
    ("gate", "candidate"): ["gate", "ap.csv", "--baseline", "{system}", "--margin", "0.9"],
    ("gate", "margin"): ["gate", "ap.csv", "--baseline", "{system}", "--candidate", "{other}"],
    ("gate", "better"): ["gate", "ap.csv", "--baseline", "{worst}", "--candidate", "{best}"],
    ("compare", "system"): ["compare", "ap.csv", "--resamples", "50", "--system", "{other}"],
    ("compare", "show"): ["compare", "ap.csv", "--resamples", "50"],
    ("tune", "system"): ["tune", "ap.csv", "--one-family", "--folds", "4", "--system", "{other}"],
    ("leaderboard", "system"): ["leaderboard", "ap.csv", "--resamples", "50", "--system", "{other}"],
    ("table", "system"): ["table", "ap.csv", "--resamples", "50", "--system", "{other}"],
    ("pool", "depth"): ["pool", "qrels.txt", "runs"],
    ("simulate tests", "correction"): ["simulate", "tests", "ap.csv", "--topics", "10", "--trials", "8", "--resamples", "19",
                                       "--test", "t"],
    ("simulate tests", "tests"): ["simulate", "tests", "ap.csv", "--topics", "10", "--trials", "8", "--resamples", "19",
                                  "--systems", "3"],
    ("simulate design", "n_systems"): ["simulate", "design", "ap.csv", "--min-diff", "0.2", "--pilots", "2", "--trials",
                                       "20"],
    ("simulate design", "min_diff"): ["simulate", "design", "ap.csv", "--systems", "3", "--pilots", "2", "--trials", "20"],
    ("design recommend", "n_systems"): ["design", "recommend", "ap.csv", "--min-diff", "0.2"],
    ("design recommend", "min_diff"): ["design", "recommend", "ap.csv", "--systems", "4"],
}  # fmt: skip
"""Calls that an option can be added to, where the usual one would contradict it."""

TUNED = ["compare", "bm25.csv", "ql.csv", "--resamples", "50"]
for command in ("compare", "leaderboard", "table"):
    scored = [command, "qrels.txt", "runs", "-m", "AP", "--resamples", "50"]
    ALONE |= {
        (command, name): scored
        for name in ("level", "gains", "order", "single_precision", "name", "lenient", "judged_only")
    }
for command in ("compare", "leaderboard", "table", "cost", "reuse", "report"):
    for name in ("teams", "team_prefix", "best_per_team"):
        if (command, name) in (("reuse", "teams"), ("reuse", "team_prefix"), ("report", "teams")):
            continue
        TEAM = {
            "teams": ["--best-per-team", "AP"],
            "team_prefix": ["--best-per-team", "AP"],
            "best_per_team": ["--teams", "teams.txt"],
        }
        MORE = {"cost": ["--depth", "3", "--width", "0.3"], "reuse": ["--depth", "3"],
                "report": ["--resamples", "50", "--splits", "2", "-o", "{new}.html"]}  # fmt: skip
        ALONE[command, name] = [command, "qrels.txt", "runs", "-m", "AP", *MORE.get(command, []), *TEAM[name]]
ALONE |= {(command, "unjudged"): [command, "qrels.txt", "runs", "-m", "AP"] for command in ("compare", "leaderboard")}
ALONE |= {
    ("compare", "within_teams"): [*COMMANDS["compare"], "--teams", "teams.txt"],
    ("compare", "teams"): [*COMMANDS["compare"], "--within-teams"],
    ("compare", "team_prefix"): [*COMMANDS["compare"], "--within-teams"],
    ("compare", "tune"): [*TUNED, "--folds", "4"],
    ("compare", "folds"): [*TUNED, "--tune"],
    ("compare", "leave_one_out"): [*TUNED, "--tune"],
    ("compare", "holdout"): [*TUNED, "--tune"],
    ("compare", "n_repeats"): [*TUNED, "--tune", "--folds", "4"],
    ("compare", "stratified"): [*TUNED, "--tune", "--folds", "4"],
    ("compare", "one_family"): [*TUNED, "--tune", "--folds", "4"],
    ("compare", "pattern"): [*TUNED, "--tune", "--folds", "4"],
}

PAIRED = ("variance", "reliability", "standardise fit", "standardise robustness", "standardise effect", "simulate tests",
          "simulate design", "simulate scores")  # fmt: skip
SOME = ["--system", "{other}", "--system", "{worst}", "--system", "{best}"]
ALONE |= {(command, "system"): [*COMMANDS[command], *SOME] for command in PAIRED}

ANY = {"new": "new", "system": "s", "other": "t", "worst": "w", "best": "b", "team": "a"}
"""Names that need not exist."""

SCORING = ("level", "gains", "intents", "order", "single_precision", "name", "lenient", "judged_only")
FROM_RUNS = {
    "leaderboard": ["leaderboard", "qrels.txt", "runs", "-m", "AP", "--resamples", "50"],
    "compare": ["compare", "qrels.txt", "runs", "-m", "AP", "--resamples", "50"],
    "table": ["table", "qrels.txt", "runs", "-m", "AP", "--resamples", "50"],
    "tune": ["tune", "qrels.txt", "runs", "-m", "AP", "--folds", "4", "--one-family"],
}
ALONE |= {(command, option): words for command, words in FROM_RUNS.items() for option in SCORING}
PLANNED = COMMANDS["design judges"]
JUDGED = ["judges", "--human", "judges/human.qrels", "--resamples", "20", "runs"]
ALONE |= {
    ("judges", "human"): [*JUDGED, "--machine", "judges/machine.qrels"],
    ("judges", "machine"): [*JUDGED, "--machine", "qrels.txt"],
    ("design judges", "width"): PLANNED[:-2],
    ("design judges", "min_diff"): PLANNED[:-2],
    ("design judges", "human"): [*PLANNED[:4], *PLANNED[6:]],
    ("design judges", "machine"): [*PLANNED[:2], *PLANNED[4:]],
}
ALONE |= {("evaluate", "collections"): ["evaluate", "-o", "{new}"]}
ALONE |= {("convert", "kind"): ["convert", "qrels.txt"]}
ALONE |= {
    ("report", "teams"): [
        "report",
        "qrels.txt",
        "runs",
        "-m",
        "AP",
        "--resamples",
        "50",
        "--splits",
        "2",
        "-o",
        "{new}.html",
    ]
}

VALUES: dict[str, Any] = {
    "spread": "0.4",
    "measure": "AP", "measures": "AP", "baseline": "{system}", "gains": "exp", "intents": "intents.txt", "seed": 7,
    "chart": None, "plot": "{new}.json", "output": "{new}.csv", "format": "json", "names": "AP",
    "work": "{new}.work", "teams": "teams.txt", "contributing": "pooled.txt", "team_prefix": "[a-z]+", "best_per_team": "AP",
    "pattern": "{{family}}(k={{k}})",
    "held_out": "{new}.csv", "scores": "ap.csv", "estimator": "residual", "epsilon": "0.7", "other_measure": "P@10",
    "factors": "factors.csv", "leave_out": "{system}", "title": "A title", "note": "archive.txt", "skip": "replicates", "collection": "qrels.txt",
    "kind": "qrels", "layout": "trec_eval", "n_documents": 120, "depth": 3, "depths": 3,
    "length": 20, "n_topics": 5, "n_systems": 3, "folds": 3, "holdout": 0.4, "n_repeats": 2, "power": 0.7, "assurance": 0.9,
    "width": 0.3, "min_diff": 0.3, "variance": 0.05, "variance_of_difference": 0.05, "budget": 500, "n_splits": 3,
    "n_partitions": 3, "replicate_resamples": 30, "workers": 2, "alpha": 0.1, "n_resamples": 30, "a": 0.2, "b": 0.4, "fraction": 0.5, "sd": 0.2,
    "correlation": 0.3, "n_settings": 4, "n_experiments": 10, "document_cost": 2, "topic_cost": 3, "memory": 64,
    "per_look": 5, "looks": 3, "max_topics": 40, "target": 0.9, "drop": 0.25, "cutoff": 5, "p": 0.6,
    "redraws": 50, "level": 2, "method": "published", "system": "{system}", "candidate": "{other}", "margin": 0.9,
    "chart_title": "Another", "chart_width": 400,
    "junit": "{new}.xml", "digits": 3, "difference": 0.01, "n_trials": 15, "n_pilots": 1,
    "cluster": "tcp://127.0.0.1:8786", "collections": "archive.txt", "human": "qrels.txt",
    "machine": "judges/machine.qrels", "map": "0:0,1:1,2:2", "system_groups": "judges/groups.txt", "sampled": "random",
    "topic_groups": "groups.txt",
}  # fmt: skip
"""A value for every option that has no closed list of choices."""


def value_for(one: Setting) -> Any:
    """A value of an option: that of the list, or another than the default that its kind and bounds allow."""
    if one.name in VALUES:
        return VALUES[one.name]
    if one.kind is Path:
        return "{new}.csv"
    if one.kind is str:
        return "{system}"
    usual = one.default if isinstance(one.default, (int, float)) else one.example or one.least or 1
    step = 1 if one.kind is int else usual / 2 or 0.5
    return usual + step if one.most is None or usual + step <= one.most else usual - step


def cases() -> Iterator[tuple[str, type[Question], Setting]]:
    for name, question in questions().items():
        if name in LONG:
            continue
        for one in [*question.all(), *shared_by(question)]:
            if one.flags:
                yield name, question, one


CASES = list(cases())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("options")
    before = Path.cwd()
    os.chdir(directory)
    try:
        for words in (
            "sample . --topics 10 --systems 8 --documents 300 --length 60 --depth 20 --force",
            "evaluate qrels.txt runs -m AP -q -o ap.csv",
            "evaluate qrels.txt runs -m P@10 -q -o p.csv",
            "standardise fit ap.csv -o factors.csv",
        ):
            ended = CliRunner().invoke(app, words.split())
            assert ended.exit_code == 0, ended.output
        rows = [f"t{i},{0.1 + i / 40},{0.3 - i / 50},{0.2 + (i % 3) / 10}" for i in range(10)]
        for family in ("bm25", "ql"):
            header = ",".join(["topic", *(f"{family}(k={k})" for k in (1, 2, 3))])
            Path(f"{family}.csv").write_text("\n".join([header, *rows]) + "\n")
        systems = sorted(path.name.split(".")[0] for path in Path("runs").iterdir())
        Path("teams.txt").write_text("".join(f"{name} {name.split('-')[0]}\n" for name in systems))
        Path("pooled.txt").write_text("".join(f"{name}\n" for name in systems[:-2]))
        seeded = [f"c{k},s{s},{r},{t},0.{1 + (7 * t + 3 * s + r + k) % 8}"
                  for k in range(2) for s in range(2) for r in range(3) for t in range(8)]  # fmt: skip
        Path("more.csv").write_text(Path("ap.csv").read_text())
        Path("seeds.csv").write_text("\n".join(["collection,system,seed,topic,value", *seeded, ""]))
        Path("archive.txt").write_text("sample qrels.txt runs\n")
        Path("system").write_text(systems[0])
        Path("other").write_text(systems[1])
        means = read_scores("ap.csv")["AP"]
        order = means.system_means.argsort()
        Path("worst").write_text(means.systems[order[0]])
        Path("best").write_text(means.systems[order[-1]])
        topics = [line.split()[0] for line in Path("qrels.txt").read_text().splitlines()]
        pairs = [f"{topic} {at // 2}\n" for at, topic in enumerate(dict.fromkeys(topics))]
        Path("groups.txt").write_text("".join(pairs))
        Path("intents.txt").write_text("".join(f"{topic} 0 1.0\n" for topic in dict.fromkeys(topics)))
    finally:
        os.chdir(before)
    return directory


@pytest.mark.parametrize(("name", "question", "one"), CASES, ids=[f"{n} {o.flags[0]}" for n, _, o in CASES])
def test_an_option_can_be_typed(
    name: str, question: type[Question], one: Setting, place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    if one.name.startswith("chart_") and name not in ("compare", "design interval", "leaderboard"):
        pytest.skip("charts are dressed by one function; that the option arrives is tested for every command")
    monkeypatch.chdir(place)
    filled = {"new": str(tmp_path / "new")}
    filled |= {who: Path(who).read_text() for who in ("system", "other", "worst", "best")}
    filled["team"] = filled["system"].split("-")[0]
    words = ALONE.get((name, one.name), COMMANDS[name])
    words = [word.format(**filled) for word in words]
    choices = one.choices
    typed = [one.flags[0].split("/")[0]]
    if one.kind is not bool:
        value = "{team}" if (name, one.name) == ("reuse", "leave_out") else value_for(one)
        if choices is not None and str(value) not in choices:
            value = choices[-1]
        if value == "copula":
            pytest.importorskip("pyvinecopulib")
        if one.name == "chart":
            pytest.skip("the kinds of chart are typed in test_plot.py")
        if one.name == "output" and name == "report":
            value = "{new}.html"
        if "--input-format" in one.flags:
            value = "long"
        if one.name == "cluster":
            value = request.getfixturevalue("dask_cluster").client.scheduler.address
        assert value is not None, f"give {one.name} a value in VALUES"
        typed.append(str(value).format(**filled))
    if one.name.startswith("chart_"):
        typed += ["--plot", f"{filled['new']}.json"]  # how a chart looks goes with a chart
    ended = CliRunner().invoke(app, [*words, *typed])
    assert ended.exception is None or isinstance(ended.exception, SystemExit), ended.exception
    assert ended.exit_code == 0, ended.output
    assert ended.output


FILLING = [name for name, _, one in CASES if one.name == "missing" and name != "evaluate"]
"""Commands that read scores with holes; what `evaluate` says of runs is tested with the scores."""


@pytest.mark.parametrize("name", FILLING)
def test_scores_that_count_as_zero_are_announced(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every command that fills holes says so on standard error, except a report, which says it inside."""
    monkeypatch.chdir(place)
    filled = {who: Path(who).read_text() for who in ("system", "other", "worst", "best")}
    filled["new"] = str(tmp_path / "new")
    words = [word.format(**filled) for word in ALONE.get((name, "measure"), COMMANDS[name])]
    for file in ("ap.csv", "bm25.csv"):
        lines = Path(file).read_text().splitlines(keepends=True)
        if file == "ap.csv":  # one system has no score on one topic
            hole = next(line for line in lines if line.startswith(filled["system"]) and ",all," not in line)
            lines.remove(hole)
        else:
            lines[1] = lines[1].replace(lines[1].split(",")[1], "", 1)
        (tmp_path / file).write_text("".join(lines))
    words = [str(tmp_path / word) if word in ("ap.csv", "bm25.csv") else word for word in words]
    ended = CliRunner().invoke(app, [*words, "--missing", "zero"])
    assert ended.exit_code == 0, ended.output
    said = Path(filled["new"] + ".html").read_text() if name == "report" else ended.stderr
    assert re.search("missing and counts as 0|1 missing score set to 0", said), said


@pytest.mark.parametrize(("name", "question", "one"), CASES, ids=[f"{n} {o.flags[0]}" for n, _, o in CASES])
def test_what_is_typed_arrives(
    name: str, question: type[Question], one: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings that a command gets hold the typed value, which is not the default."""
    arrived: list[Any] = []
    monkeypatch.setattr(ask, "run", lambda settings, output, files: arrived.extend([settings, output]))
    monkeypatch.setattr(build, "spread", lambda settings: nullcontext())
    typed = [one.flags[0].split("/")[0]]
    value: Any = not one.default
    if one.kind is not bool:
        others = [each for each in one.choices or () if each != one.default and (each,) != one.default]
        value = (
            others[-1]
            if others
            else str(value_for(one) if one.name != "chart" else chart_kinds(question)[-1]).format(**ANY)
        )
        value = "P@10" if (value,) == one.default else value
        if value == "copula":
            pytest.importorskip("pyvinecopulib")
        typed.append(value)
        value = one.accept(one.kind(value))
    if one.name.startswith("chart"):
        typed += ["--plot", "new.svg"]
    words = [word.format(**ANY) for word in ALONE.get((name, one.name), COMMANDS[name])]
    ended = CliRunner().invoke(app, [*words, *typed])
    assert ended.exit_code == 0, ended.output
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
