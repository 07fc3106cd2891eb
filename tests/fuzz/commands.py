"""Every command with every option, on degenerate scores: an answer that can be right, or an error in words."""

from __future__ import annotations

import io
import json
import math
import random
import re
import shutil
import signal
import sys
import traceback
import warnings
from contextlib import redirect_stderr, redirect_stdout, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from cranfield import make_sample
from cranfield.cli.build import shared_by
from cranfield.cli.main import OTHERS, app
from cranfield.cli.output import chart_kinds
from cranfield.core import cluster
from cranfield.core.options import Setting
from cranfield.core.question import Question, questions
from cranfield.trec_eval.arguments import FLAGS
from examples import EXAMPLES, files
from fuzz.drops import left_out
from fuzz.invariants import problems_in, problems_of
from fuzz.readers import mutate
from fuzz.tangled import collection, measure

PATIENCE = 20
"""Seconds of a processor that a command may take."""
HANGS = 600
"""Seconds by the clock after which a command is not busy, but waits for something that never comes."""
SKIPPED = {
    "serve": "waits for visitors",
    "demo": "a fixed sequence of the others",
    "help": "prints the help of the others",
}
SCORES = ["x.csv"]
RUNS = ["s/qrels.txt", "s/runs"]
TANGLED = ["d/qrels.txt", "d/runs"]
"""A collection made anew for every call: ties, topics without relevant documents or without a ranking."""
FEW = ["--resamples", "20"]
SECTIONS = {
    **dict.fromkeys(("data", "leaderboard", "differences", "collection", "reliability", "next", "standardisation"), SCORES),
    "replicates": [*TANGLED, "-m", "AP", "--splits", "2", "--replicate-resamples", "20"],
    "reuse": [*RUNS, "-m", "AP", "--teams", "teams.txt", "--depth", "5"],
    "judges": [*RUNS, "-m", "AP", "--machine", RUNS[0]],
    "across": [*SCORES, "--across", SCORES[0]],
}  # fmt: skip
"""Sections of a report, and what each is about. Most reports have one of them: all together take ten times as long."""


def _report(files: list[str], *sections: str) -> list[str]:
    others = [word for name in SECTIONS if name not in sections for word in ("--skip", name)]
    return [*files, *others, *FEW, "-o", "new.html"]


BASES: dict[str, list[list[str]]] = {
    "sample": [["new", "--topics", "3", "--systems", "2", "--documents", "100", "--length", "10", "--force"]],
    "check": [["s/qrels.txt"], SCORES, ["s/runs"]],
    "convert": [SCORES, [*SCORES, "-o", "new.csv"], ["bare.csv", "--no-header", "--no-topic-column"]],
    "evaluate": [
        RUNS, TANGLED, [*TANGLED, "-m", "D-nDCG@3", "--intents", "d/intents.txt"],
        ["--collections", "archive.txt", "-o", "new"],
    ],
    "trec_eval": [["d/qrels.txt", "d/runs/a.run"]],
    "measures": [["AP"], []],
    "leaderboard": [[*SCORES, *FEW], [*TANGLED, "-m", "AP", *FEW]],
    "compare": [
        [*SCORES, *FEW], [*SCORES, *FEW], ["family.csv", *FEW, "--tune", "--folds", "2"], [*RUNS, "-m", "AP", *FEW],
        ["family.csv", *FEW, "--tune"],
        [*TANGLED, "-m", "AP", *FEW],
    ],
    "table": [[*SCORES, *FEW], [*SCORES, *FEW, "-b", "a"], [*TANGLED, "-m", "AP", *FEW]],
    "gate": [[*SCORES, "--baseline", "a", "--candidate", "b", "--margin", "0.1", *FEW]],
    "correlate": [["x.csv", "y.csv", *FEW], ["x.csv", "order.txt", *FEW]],
    "replicates": [[*files, "--splits", "2", "--resamples", "20", "--redraws", "5"] for files in (RUNS, TANGLED)],
    "tune": [
        *(["family.csv", *way, "--resamples", "20"] for way in (["--folds", "2"], [])),
        [*TANGLED, "-m", "AP", "--one-family", "--folds", "2", "--resamples", "20"],
    ],
    "selection-bias": [
        ["--experiments", "10", "--topics", "6", "--settings", "3", *way] for way in (["--folds", "2"], [])
    ],
    "standardise fit": [SCORES],
    "standardise apply": [[*SCORES, "--factors", "factors.csv"]],
    "standardise robustness": [SCORES, [*SCORES, "--teams", "letters.txt"]],
    "standardise effect": [[*SCORES, *FEW]],
    "variance": [SCORES, [*SCORES, "--anova"]],
    "design pairs": [
        ["--variance-of-difference", "0.05", "--systems", "5", "--min-diff", "0.2"],
        ["--scores", "x.csv", "--systems", "5", "--min-diff", "0.2"],
    ],
    "design anova": [
        ["--variance", "0.05", "--systems", "5", "--min-diff", "0.2", "--blocked", "--epsilon", "0.5"],
        ["--variance", "0.05", "--systems", "5", "--min-diff", "0.2"], ["--scores", "x.csv", "--systems", "5", "--min-diff", "0.2"],
        ["--scores", "x.csv", "--min-diff", "0.1", "--topics", "20"], ["--scores", "x.csv", "--systems", "5"], [],
    ],
    "design ttest": [
        ["--variance", "0.05", "--min-diff", "0.2", "--two-sample"],
        ["--variance-of-difference", "0.05", "--min-diff", "0.2"], ["--scores", "x.csv", "--min-diff", "0.2"],
        ["--scores", "x.csv", "--topics", "20"], [],
    ],
    "design interval": [
        ["--variance", "0.05", "--width", "0.2"],
        ["--variance-of-difference", "0.05", "--width", "0.2"], ["--scores", "x.csv", "--width", "0.2"],
        ["--scores", "x.csv", "--topics", "20"], [],
    ],
    "design recommend": [["x.csv", "--systems", "4", "--min-diff", "0.2"]],
    "design looks": [["--variance-of-difference", "0.05", "--min-diff", "0.2"]],
    "reliability": [[*SCORES, *FEW]],
    "monitor": [
        [*SCORES, "--per-look", "3", *more] for more in (["--looks", "2"], ["--looks", "5"], ["--max-topics", "12"])
    ],
    "reuse": [
        [*files, *teams, "-m", "AP", "--depth", "5", *FEW]
        for files, teams in (
            (RUNS, ["--teams", "teams.txt"]), (RUNS, ["--team-prefix", "[a-z]+-[12]?"]), (TANGLED, ["--team-prefix", "."]),
        )
    ],
    "preferences": [["battles.csv"]],
    "simulate tests": [[*SCORES, "--topics", "6", "--trials", "10", "--resamples", "19"]],
    "simulate design": [[*SCORES, "--systems", "3", "--min-diff", "0.2", "--pilots", "2", "--trials", "10"]],
    "simulate scores": [SCORES],
    "cost": [
        [*files, "-m", "AP", "--depth", "5", *goal]
        for files in (RUNS, TANGLED)
        for goal in (["--width", "0.3"], ["--systems", "3", "--min-diff", "0.3"], ["--budget", "100"])
    ],
    "pool": [[*files, "--depth", "5"] for files in (RUNS, TANGLED)],
    "report": [*(_report(files, one) for one, files in SECTIONS.items()), _report(SCORES, *SECTIONS)],
}  # fmt: skip
"""Short calls of every command, to which options are added."""
LISTED = frozenset(BASES)
for example in EXAMPLES:  # every question as its docstring shows it; one that is not listed also on degenerate scores
    command = example.question.command
    shown = example.printed("json")[len(command.split()) : -2]
    BASES.setdefault(command, []).append(shown)
    if command not in LISTED:
        BASES[command].append([SCORES[0] if word.endswith(".csv") else word for word in shown])


def _shown_values() -> dict[str, list[str]]:
    """The value of every option in the calls above: files that are there, names that mean something."""
    shown: dict[str, list[str]] = {}
    for command, question in questions().items():
        flags = {flag: one for one in question.all() for flag in one.flags if one.kind is not bool}
        for words in BASES.get(command, ()):
            for flag, value in pairwise(words):
                if flag in flags and value not in shown.setdefault(flags[flag].name, []):
                    shown[flags[flag].name].append(value)
    return shown


SHOWN = _shown_values()
SELDOM = {"report": 0.25, "sample": 0.3, "replicates": 0.5, "simulate tests": 0.3, "simulate design": 0.3, "cost": 0.5}
"""Commands that take long, and how often they come up beside the others."""
CODES = {"gate": {0, 1, 2, 3, 4}}
OWN_FAULT = re.compile(r"(?:bug|mistake) in cranfield|must give one number per topic")
"""What an error says where the data are not to blame."""
INTERRUPTED = 130
NAMES = [
    "a",
    "b",
    "c",
    "x.csv",
    "AP",
    "P@5",
    "nDCG@10",
    "score",
    "nonsense",
    "",
    "RBP(p=0.8)",
    "-1",
    "os.system",
    "\u2028",
]
TEXTS = {
    "measure": ["AP", "score", "P@5", "nonsense"], "measures": ["AP", "P@5", "nDCG@10", "RR", "ERR", "RBP(p=0)", "RBP(p=nan)", "P@0", "P@99999999999999999999", "IPrec(recall=1e300)", "x.y"],
    "gains": ["exp", "1:3:7", "1:3,2:5", "1:nan", "x", "1:1e308", "1e-300:1e300"], "intents": ["d/intents.txt", "s/qrels.txt", "nowhere"],
    "system": ["a", "b", "c", "zz"], "baseline": ["a", "b", "zz"], "candidate": ["a", "b", "c"], "pattern": ["{family}", "{family}{k}", "{", "{}"],
    "epsilon": ["past", "0", "0.5", "1", "2", "nan", "x"], "scores": ["x.csv", "y.csv"], "more": ["y.csv"], "skip": ["replicates"],
    "collections": ["archive.txt", "x.csv", "nowhere"], "cluster": ["nonsense", "local:0", "nowhere.json", "tcp://"],
    "teams": ["teams.txt", "letters.txt", "x.csv"], "team_prefix": ["[a-z]+", ".", "(", ".*", "(a+)+$"], "estimator": ["residual"],
    "contributing": ["pooled.txt", "letters.txt", "nowhere"], "factors": ["factors.csv", "factors.csv", "x.csv"], "leave_out": ["a", "alder"], "chart": [""], "title": ["<b>"], "names": ["AP", "RR", "x"],
    "reference": ["x.csv"], "estimate": ["y.csv"], "collection": ["s/qrels.txt"], "files": ["x.csv"], "other_measure": ["AP", "score"],
    "map": ["0:0,1:1", "0:0,1:0.5,2:1", "1:nan", "x"], "weights": ["past=2,trec8=1", "past=nan", "x"], "deterministic": ["a", "zz"],
    "documents": ["documents.tsv", "titles.jsonl"], "note": ["order.txt"], "held_out": ["y.csv"], "across": ["y.csv"],
}  # fmt: skip
FILES = [
    "x.csv",
    "y.csv",
    "family.csv",
    "s/qrels.txt",
    "s/runs",
    "d/runs/a.run",
    "teams.txt",
    "factors.csv",
    "order.txt",
]
"""What may stand in another's place, beside names that are none."""
ODD = [
    "loop",
    "loop/x",
    "z" * 300,
    "a/" * 2500,
    "empty",
    "new.d",
    "bytes.csv",
    "b\udcff.csv",
    "t\n\x1b[31m.csv",
    "x.csv#AP",
    "x.csv/y",
]
"""Names that lead nowhere, or to files that nobody would call so."""
MADE = [
    "new.csv", "new.tsv", "new.json", "new.md", "new.tex", "new.html", "new.txt", "new.parquet", "new.csv.gz", "new.json.zst", "new.svg",
    "new.work", "new.xml", "new", "new.d", "nowhere/new.csv", "\0.csv", "",
]  # fmt: skip
"""Files to write; all that begin with `new` are gone before the next call."""
DRAWN = ["new.json", "new.svg", "new.svg", "new.svg", "new.html", "new.png", "new.pdf", "new.csv", "nowhere/new.svg"]
WHOLE = [0, 1, 2, 3, 5, 7, 12, -1, 10**20]
REAL = [
    0.0,
    1.0,
    0.5,
    0.05,
    0.01,
    0.95,
    1e-16,
    1 - 1e-16,
    1e-12,
    1 - 1e-12,
    1e-300,
    1e300,
    -1.0,
    2.0,
    1e-8,
    1e8,
    float("nan"),
    float("inf"),
    5e-324,
    1e-200,
    1e-155,
    1e-100,
    1e-30,
    1e-5,
    0.999,
    1e5,
    1e15,
    1e30,
    1e100,
    1e155,
    1.7e308,
]
MILD = (3, 5, 8, 17, 18, 19, 19)
"""Kinds of scores that most commands have an answer to."""
MAKES = {"output", "participants", "work"}
"""Paths that a command writes, or goes on with."""
ALONE = {"cluster", "intents", "collections", "trec", "leave_out"}
"""Options that mostly end in an error, because another is lacking or there is no such thing here."""
ANY_MEASURE = {"measures": 0.8, "measure": 0.2, "names": 0.5}
"""Options that name a measure, and how often it is any that there is; most scores know only their own."""
BROKEN = 0.15
"""How often one of the files is broken."""
SAFE = {"seed", "level", "memory"}
"""Whole numbers that cost nothing however large."""


def matrix(chance: random.Random, topics: int, systems: int, mild: bool = False) -> np.ndarray:
    """Scores that leave little to go by: constant, tied, huge, tiny, sparse, a number or its neighbour, or quite usual.

    Mild ones are usual, tied or sparse.
    """
    random_numbers = np.random.default_rng(chance.randrange(2**32))
    x = random_numbers.random((topics, systems))
    kind = chance.choice(MILD) if mild else chance.randrange(20)
    if kind == 0:
        x = np.full_like(x, chance.choice([0.0, 0.5, 1.0, 0.1, -3.0, 1e16]))
    elif kind == 1:
        x = np.tile(x[:1], (topics, 1))
    elif kind == 2:
        x = np.tile(x[:, :1], (1, systems))
    elif kind == 3:
        x = np.round(x * 2) / 2
    elif kind == 4:
        x = x * chance.choice([1e300, 1e150, 1e-150, 1e-300, 5e-324, 1e16, 1e-16])
    elif kind == 5:
        x = np.where(x < 0.15, 1.0, 0.0)
    elif kind == 6:
        x = chance.choice([0.1, 0.5, 1e16, 1e-10]) + np.round(x * 4) * chance.choice([1e-16, 1e-17, 1e-12, 2.0])
    elif kind == 7:
        x[chance.randrange(topics), chance.randrange(systems)] = chance.choice([1e300, -1e300, 1e-300, 1e16, -0.0])
    elif kind == 8:
        x = np.full_like(x, 0.5)
        x[chance.randrange(topics)] = random_numbers.random(systems)
    elif kind == 9:
        x = x * np.array([10.0 ** chance.randrange(-300, 300) for _ in range(systems)])
    elif kind == 10:
        x[chance.randrange(topics), chance.randrange(systems)] = np.nan
    elif kind == 11:
        x = (x - chance.choice([0.0, 0.5])) * _power(chance)
    elif kind == 12:
        x = x * np.array([[_power(chance)] for _ in range(topics)])
    elif kind == 13:
        x = x * np.array([_power(chance, -150, 150) for _ in range(systems)])
        x = x * np.array([[_power(chance, -150, 150)] for _ in range(topics)])
    elif kind == 14:
        x = np.minimum(_power(chance), 8e307) + np.round(x * 4) * np.minimum(_power(chance), 2e307)
    elif kind == 15:
        x = np.where(x < 0.3, _power(chance), 0.0)
    elif kind == 16:
        near = _power(chance)
        x = np.where(x < 0.5, near, np.nextafter(near, 0))
    return x


def _power(chance: random.Random, least: int = -323, most: int = 308) -> float:
    """Any power of ten that a double holds, if nothing else is asked for."""
    return 10.0 ** chance.randint(least, most)


def score_table(chance: random.Random, names: list[str], mild: bool = False) -> str:
    topics = chance.choice([12] if mild else [1, 2, 2, 3, 3, 4, 5, 6, 8, 12])
    x = matrix(chance, topics, len(names), mild)
    rows = [",".join(["topic", *names]), *(",".join([f"t{i}", *map(repr, row)]) for i, row in enumerate(x.tolist()))]
    return "\n".join(rows).replace("nan", chance.choice(["", "nan"])) + "\n"


def prepare(folder: Path) -> None:
    """The files that stay: a sample collection, teams, factors. No scheduler is about to write its file here."""
    cluster.ANSWER = 0.1
    shutil.copytree(files(), folder, dirs_exist_ok=True)  # what the examples of questions name
    make_sample(n_topics=4, n_systems=4, n_documents=100, depth=10, length=20, seed=1).write(folder / "s", force=True)
    systems = sorted(path.name.split(".")[0] for path in (folder / "s" / "runs").iterdir())
    (folder / "teams.txt").write_text("".join(f"{name} {'xy'[at % 2]}\n" for at, name in enumerate(systems)))
    battles = [f"{at % 8},{'xyz'[at % 3]},{'xyz'[(at + 1) % 3]},{'ab'[at * 7 % 5 % 2]}" for at in range(48)]
    (folder / "battles.csv").write_text("\n".join(["topic,system_a,system_b,preferred", *battles, ""]))
    (folder / "pooled.txt").write_text("".join(f"{name}\n" for name in systems[1:]))
    (folder / "letters.txt").write_text("".join(f"{name} {'xy'[at % 2]}\n" for at, name in enumerate("abcdef")))
    (folder / "bare.csv").write_text("0.5,0.25\n0.75,1\n0.5,0.125\n")
    (folder / "archive.txt").write_text("one s/qrels.txt s/runs\ntwo d/qrels.txt d/runs\n")
    rows = "".join(f"t{i},score,0.5,0.1\n" for i in range(12))
    (folder / "factors.csv").write_text("topic,measure,mean,sd\n" + rows)
    (folder / "order.txt").write_text("a\nb\nc\n")  # until the first call
    (folder / "titles.jsonl").write_text("".join(f'{{"id": "d{at}", "title": "T{at}"}}\n' for at in range(9)))
    (folder / "loop").symlink_to("loop")
    (folder / "empty").write_text("")
    (folder / "bytes.csv").write_bytes(bytes(range(256)) * 20)
    for name in ODD[-4:-2]:
        with suppress(OSError):  # not every system takes such a name
            (folder / name).write_text("topic,a,b\nt0,0.1,0.2\nt1,0.3,0.25\n")


def value_of(one: Setting, chance: random.Random, mild: bool = False) -> str:
    if one.name in ANY_MEASURE and chance.random() < ANY_MEASURE[one.name]:
        return measure(chance, mild)
    if mild:
        return _usual(one, chance)
    if one.choices is not None:
        return chance.choice([*one.choices] * 5 + ["nonsense"])
    if one.kind is int:
        ends = [end for end in (one.least, one.most) if end is not None and (one.name in SAFE or abs(end) < 50)]
        beyond = [one.least - 1] if one.least is not None else []
        beyond += [one.most + 1] if one.most is not None else []
        return str(int(chance.choice([*ends, *beyond, *WHOLE])))
    if one.kind is float:
        ends = [end for end in (one.least, one.most) if end is not None]
        return repr(float(chance.choice([*ends, *REAL])))
    if one.kind is Path and (one.written or one.name in MAKES):
        return chance.choice(MADE)
    return chance.choice([*TEXTS.get(one.name, NAMES), *SHOWN.get(one.name, [])])


def _usual(one: Setting, chance: random.Random) -> str:
    """A value that may well be taken."""
    if one.choices is not None:
        return chance.choice([*one.choices])
    if one.kind in (int, float):
        least, most = (-math.inf if one.least is None else one.least), (math.inf if one.most is None else one.most)
        inside = [value for value in ((2, 3, 5) if one.kind is int else (0.05, 0.2, 0.5, 0.9)) if least < value < most]
        return str(chance.choice(inside or [int(least) if one.kind is int else least]))
    if one.kind is Path and (one.written or one.name in MAKES):
        return chance.choice(MADE[:11])
    return chance.choice([*TEXTS.get(one.name, NAMES)[:2], *SHOWN.get(one.name, [])])


def words_of(
    command: str, question: type[Question] | None, chance: random.Random, mild: bool = False
) -> tuple[list[str], str]:
    """A call: its words, and the format of what it prints."""
    words = [*command.split(), *chance.choice([base for base in BASES[command] if base or not mild])]
    if not mild and chance.random() < 0.05:
        at = chance.choice([at for at, word in enumerate(words) if word in FILES] or [None])
        words = (
            words if at is None else [*words[:at], chance.choice([*FILES, *ODD, "nowhere", "", "\0"]), *words[at + 1 :]]
        )
    if question is None:
        return words + _flags(chance), "table"
    own = [one for one in question.all() if one.flags and not (mild and one.name in ALONE)]
    many = chance.choice((0, 0, 1, 1, 2) if mild else (0, 1, 1, 2, 2, 3, 5))
    if mild and command == "evaluate" and "-m" not in words:
        words += [word for _ in range(5) for word in ("-m", measure(chance, mild))]
    choosing = [one for one in own if one.choices]  # by another way to compute, mostly
    drawn = chance.sample([*own, *choosing, *choosing], min(len(own), many))
    for one in {one.name: one for one in drawn}.values():
        values = [value_of(one, chance, mild) for _ in range(chance.choice((1, 2, 3)) if one.several else 1)]
        for value in dict.fromkeys(values) if mild else values:
            words.append(chance.choice(one.flags[0].split("/")))
            if one.kind is not bool:
                words.append(value)
    shared = {one.name: one for one in shared_by(question)}
    if "plot" in shared and chance.random() < 0.05:
        words += ["--plot", chance.choice(DRAWN)]
        words += ["--chart", chance.choice([*chart_kinds(question), "nonsense"])] * (chance.random() < 0.5)
        for name, value in (
            ("chart_title", "<b>"),
            ("chart_untitled", None),
            ("chart_width", chance.choice(("400", "0", "1e9", "3"))),
        ):
            words += [shared[name].flags[0], *([value] if value else [])] * (chance.random() < 0.15)
    if chance.random() < 0.02:
        words.append("--quiet")
    if "output" in shared and "-o" not in words and chance.random() < 0.05:
        words += ["-o", chance.choice(MADE)]
    format = chance.choice(("json", "json", "json", "table", "csv", "markdown", "latex", "html"))
    if "format" in shared and "-o" not in words:
        words += ["--format", format]
    else:
        format = "table"
    return words, format


def spoilt(words: list[str], chance: random.Random) -> list[str]:
    """The same call with one of the files it names, or one in a folder it names, broken by `mutate`."""
    there = [at for at, word in enumerate(words) if at and "\0" not in word and Path(word[:200]).exists()]
    if not there:
        return words
    at = chance.choice(there)
    source = Path(words[at])
    inside = [one for one in sorted(source.rglob("*")) if one.is_file()] if source.is_dir() else [source]
    if not inside or not source.name or source.name.startswith("new"):  # this directory, or one to write to
        return words
    place = Path("broken") / source.name
    place.parent.mkdir(exist_ok=True)
    one = chance.choice(inside)
    if source.is_dir():
        shutil.copytree(source, place, dirs_exist_ok=True)
    (place / one.relative_to(source) if source.is_dir() else place).write_bytes(mutate(one.read_bytes(), chance))
    return [*words[:at], str(place), *words[at + 1 :]]


def _flags(chance: random.Random) -> list[str]:
    """Flags of trec_eval, with measures, numbers and files that may make sense."""
    words = []
    for flag in chance.sample(FLAGS, chance.choice((0, 1, 2, 3))):
        names = [
            "all_trec",
            "official",
            "map",
            "P.5",
            "P.0",
            "ndcg_cut.3",
            "Rprec_mult.nan",
            "utility.1,-1,0,0",
            "set",
            "nonsense",
            "x.y",
            "",
        ]
        values = {
            "m": names,
            "Z": ["x.csv", "nowhere"],
            "D": ["1", "0.t0", "x"],
            "R": ["qrels", "prefs"],
            "T": ["trec_results", ""],
        }
        words.append(chance.choice((f"-{flag.letter}", f"--{flag.long}")))
        if flag.value:
            words.append(chance.choice(values.get(flag.letter, ["0", "1", "2", "5", "-1", "9" * 30, "x"])))
    return words


class Slow(BaseException):
    """A command that took longer than it may."""


def _ring(number: int, frame: Any) -> None:
    raise Slow


def attempt(seed: int, folder: Path) -> tuple[str, str | None]:
    """One call: which command, and what went wrong, if anything did. The folder is the current directory."""
    chance = random.Random(seed)
    asked: dict[str, type[Question] | None] = {**questions(), **dict.fromkeys(OTHERS.keys() - {"help"})}
    names = [name for name in asked if name not in SKIPPED]
    command = chance.choices(names, [SELDOM.get(name, 1.0) for name in names])[0]
    mild = chance.random() < 0.5
    systems = list("abcdef")[: chance.choice((3, 3, 4, 6) if mild else (1, 2, 2, 3, 3, 4, 6))]
    for file in ("x.csv", "y.csv"):
        Path(folder, file).write_text(score_table(chance, systems, mild))
    Path(folder, "family.csv").write_text(
        score_table(chance, [f"{name}(k={k})" for name in systems[:2] for k in (1, 2)], mild)
    )
    Path(folder, "order.txt").write_text("".join(f"{name}\n" for name in (systems if mild else "abc")))
    for made in (*folder.glob("new*"), *folder.glob("broken")):
        shutil.rmtree(made) if made.is_dir() else made.unlink()
    (folder / "new.d").mkdir()
    words, format = words_of(command, asked[command], chance, mild)
    if any(word.startswith("d/") or word == "archive.txt" for word in words):
        collection(chance, folder / "d")
    if chance.random() < BROKEN:
        words = spoilt(words, chance)
    problem = run(words, format, CODES.get(command, {0, 1, 2}))
    return command, None if problem is None else f"cranfield {' '.join(map(repr, words))}\n{problem}"


def run(words: list[str], format: str, codes: set[int]) -> str | None:
    """What is wrong with what a call does; None if nothing is."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    before = [signal.signal(one, _ring) for one in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    signal.setitimer(signal.ITIMER_REAL, HANGS)
    try:
        with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            try:
                app(words, prog_name="cranfield")
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
    except Slow:
        return f"slow: more than {PATIENCE} s of the processor, or {HANGS} by the clock"
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 (whatever it is, it is what we look for)
        return traceback.format_exc(limit=-4)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGPROF, before[0])
        signal.signal(signal.SIGALRM, before[1])
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    if code not in codes:
        return f"exit code {code}\n{err.getvalue()[:500]}"
    if (
        code in (1, 2)
        and not re.search(r"error: |Error: |Usage: |problems?$", err.getvalue(), re.MULTILINE)
        and not out.getvalue()
    ):
        return f"exit code {code} without a word"
    if OWN_FAULT.search(err.getvalue()):
        return f"a mistake of our own, told as an error:\n{err.getvalue()[:500]}"
    if "\x1b" in out.getvalue() + err.getvalue():
        return f"an escape sequence for the terminal\n{err.getvalue()[:500]}"
    if len(err.getvalue()) > 20_000:
        return f"messages of {len(err.getvalue()):,} characters"
    if code in (1, 2):
        return None
    wrong = problems_of(out.getvalue(), format)
    if not wrong and format == "json" and not any(word.startswith("broken/") for word in words):
        wrong = left_out(words, json.loads(out.getvalue()))
    written = [path for made in sorted(Path().glob("new*")) for path in (made, *sorted(made.rglob("*")))]
    wrong = wrong or [f"{path}: {one}" for path in written for one in problems_in(path)]
    return f"{wrong[:3]}\n{out.getvalue()[:1500]}" if wrong else None


if __name__ == "__main__":  # one seed again, in the current directory
    prepare(Path.cwd())
    for seed in map(int, sys.argv[1:]):
        sys.stdout.write(f"{seed}: {attempt(seed, Path.cwd())}\n")
