"""The examples of every question: the files they name, and how the tests type them."""

from __future__ import annotations

import glob
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner, Result

from cranfield import (
    ScoreMatrix,
    Scores,
    make_judges,
    make_sample,
    make_scores,
    read_scores,
    write_qrels,
    write_run,
    write_scores,
)  # fmt: skip
from cranfield.cli import ask
from cranfield.cli.main import app
from cranfield.core.question import Question, questions

SYSTEMS = ("bm25", "rm3", "ours", "ql", "dfr", "tfidf", "splade", "colbert", "dense", "hybrid")
SYSTEMS += tuple(f"other{number}" for number in range(10))
FEW = {"n_resamples": 20, "n_splits": 2, "n_trials": 10, "n_pilots": 1, "n_experiments": 10, "n_documents": 100}
"""Settings that cost time, and how far they are cut, where an example does not name them."""
OUTPUT = {"-o", "--output", "--format", "--plot"}
"""Options that say where an answer goes."""


def write_files(place: Path) -> None:
    """Write every file that an example names. All are small."""
    sample = make_sample(n_topics=20, n_systems=len(SYSTEMS), n_documents=300, depth=20, length=60, seed=1)
    for qrels, runs in (("qrels.txt", "runs"), ("q03", "runs03"), ("q04", "runs04")):
        write_qrels(sample.qrels, place / qrels)
        (place / runs).mkdir()
        for run, system in zip(sample.runs, SYSTEMS, strict=True):
            write_run(replace(run, system=system), place / runs / f"{system}.run")
    judges = make_judges(sample)
    (place / "judges").mkdir()
    for name in ("human", "second", "machine"):
        write_qrels(getattr(judges, name), place / "judges" / f"{name}.qrels")
    renamed = dict(zip((run.system for run in sample.runs), SYSTEMS, strict=True))
    groups = "".join(f"{renamed[system]} {team}\n" for system, team in judges.groups.items())
    (place / "judges" / "groups.txt").write_text(groups)
    for name, system in (("main.run", "bm25"), ("new.run", "ours")):
        shutil.copy(place / "runs" / f"{system}.run", place / name)
    past = make_scores(n_topics=20, n_systems=len(SYSTEMS), seed=3)
    scores = ScoreMatrix(past.values.clip(0.01, 0.99), past.topics, SYSTEMS, "AP")
    write_scores(scores, place / "scores.csv")
    for number, name in enumerate(("past", "trec8", "robust2003", "robust2004")):
        shifted = ScoreMatrix(scores.values ** (1 + number / 10), scores.topics, SYSTEMS, "AP")
        write_scores(shifted, place / f"{name}.AP.csv", layout="wide")
    for day in (0, 1):
        write_scores(scores.select(topics=scores.topics[10 * day : 10 * day + 10]), place / f"day{day + 1}.csv")
    for family, parameter in (("bm25", "k1"), ("ql", "mu")):
        names = [f"{family}({parameter}={value})" for value in (0.3, 0.6, 0.9)]
        write_scores(ScoreMatrix(scores.values[:, :3], scores.topics, names, "AP"), place / f"{family}.csv")
    (place / "teams.txt").write_text("".join(f"{system} {system[0]}\n" for system in SYSTEMS))
    (place / "alone.txt").write_text("".join(f"{system} {system}\n" for system in SYSTEMS))
    (place / "pooled.txt").write_text("".join(f"{system}\n" for system in SYSTEMS[:-1]))
    (place / "order.txt").write_text("".join(f"{system}\n" for system in SYSTEMS))
    each = [(measure, at, topic) for measure in ("AP", "RR") for at, topic in enumerate(scores.topics)]
    factors = "".join(f"{topic},{measure},0.{3 + at % 4},0.1\n" for measure, at, topic in each)
    (place / "factors.csv").write_text("topic,measure,mean,sd\n" + factors)
    (place / "groups.txt").write_text("".join(f"{t} {at // 2}\n" for at, t in enumerate(sample.qrels.topics)))
    (place / "intents.txt").write_text("".join(f"{topic} 0 1.0\n" for topic in sample.qrels.topics))
    (place / "documents.tsv").write_text("d1\tA title\n")
    (place / "archive.txt").write_text("sample qrels.txt runs\n")
    seeded = [f"c{k},{s},{r},{t},0.{1 + (7 * t + 3 * at + r + k) % 8}"
              for k in range(2) for at, s in enumerate(SYSTEMS[:3]) for r in range(3) for t in range(8)]  # fmt: skip
    (place / "seeds.csv").write_text("\n".join(["collection,system,seed,topic,value", *seeded, ""]))
    battles = [(at % 24, SYSTEMS[at % 4], SYSTEMS[(at % 4 + at % 3 + 1) % 4], "ab"[at * 7 % 5 % 2]) for at in range(96)]
    header = ("topic", "system_a", "system_b", "preferred")
    (place / "battles.tsv").write_text("".join("\t".join(map(str, row)) + "\n" for row in (header, *battles)))
    topic, _, document, _ = (place / "qrels.txt").read_text().split()[:4]
    (place / "genders.txt").write_text(f"{topic} {document} 1 0\n")
    (place / "evals").mkdir()
    for at, system in enumerate(SYSTEMS[:2]):
        lines = [f"map\t{topic}\t{value:.4f}" for topic, value in zip(scores.topics, scores.values[:, at], strict=True)]
        (place / "evals" / f"{system}.eval").write_text("\n".join([*lines, ""]))
    (place / "predictions.json").write_text(json.dumps({"1": {"d1": 2.5, "d2": 1.5}, "2": {"d2": 0.5}}))


@cache
def files() -> Path:
    """The folder with all files that examples name, made once; it goes when the session ends."""
    holder = tempfile.TemporaryDirectory(prefix="examples-")
    _KEPT.append(holder)
    write_files(Path(holder.name))
    return Path(holder.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


@contextmanager
def folder(measures: Sequence[str] = ()) -> Iterator[Path]:
    """The current directory is a fresh copy of the folder, so that no example sees what another wrote.

    Its score files hold these measures, if any are named, whatever they are called.
    """
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="example-") as place:
        for one in files().iterdir():
            if one.is_dir():  # nothing writes there, and a hundred runs take long to copy
                (Path(place) / one.name).symlink_to(one)
            else:
                shutil.copyfile(one, Path(place) / one.name)
        os.chdir(place)
        for file in Path().glob("*.csv") if measures else ():
            if file.name not in ("factors.csv", "seeds.csv"):
                one = read_scores(file).only()
                every = [
                    ScoreMatrix(one.values**power, one.topics, one.systems, m) for power, m in enumerate(measures, 1)
                ]
                write_scores(Scores(every), file)
        try:
            yield Path(place)
        finally:
            os.chdir(before)


class Example(NamedTuple):
    """A command line from the docstring of a question."""

    question: type[Question]
    words: tuple[str, ...]

    @property
    def name(self) -> str:
        return " ".join(self.words)

    def typed(self) -> list[str]:
        """The words as a shell hands them over, with less work to do."""
        words = [part for word in self.words for part in (sorted(glob.glob(word)) if "*" in word else [word])]
        settings = {one.name: one.flags[0] for one in self.question.all() if one.flags}
        less = {settings[name]: str(few) for name, few in FEW.items() if name in settings}
        return words + [word for flag, few in less.items() if flag not in words for word in (flag, few)]

    def printed(self, format: str, without: Set[str] = frozenset()) -> list[str]:
        """The same, with the answer printed in a format, wherever the example puts it, and some options left out."""
        words = self.typed()
        for option in (OUTPUT | without) & {*words}:
            at = words.index(option)
            del words[at : at + 2]
        return [*words, "--format", format]

    def asked(self) -> Question:
        """The question as the words ask it."""
        held: list[Question] = []
        with pytest.MonkeyPatch.context() as patch, folder():
            patch.setattr(ask, "run", lambda settings, output, files: held.append(settings))
            type_words(self.typed())
        return held[0]

    @property
    def inputs(self) -> list[str]:
        """The files it names that are there."""
        return [word for word in self.words if "*" in word or (files() / word).exists()]


EXAMPLES = [
    Example(question, tuple(words))
    for question in questions().values()
    if question.printed  # a report, the page and the demo have tests of their own, and take long
    for words in question.examples()
]
"""Every example of every question whose answer is a table."""


def type_words(words: list[str]) -> Result:
    """Type a command in the current directory; a traceback is raised."""
    ended = CliRunner().invoke(app, words)
    if ended.exception is not None and not isinstance(ended.exception, SystemExit):
        raise ended.exception
    return ended


class Answered(NamedTuple):
    """What an example came to: what was printed as JSON and CSV, and the result behind it, if it went the common way."""

    json: Result
    csv: Result
    result: Any


@cache
def answered(example: Example) -> Answered:
    """Type an example twice, as JSON and as CSV; once per session."""
    held: list[Any] = []
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the program prints them
        patch.setattr(ask, "draw", lambda said, result, to: held.append(result))
        with folder():
            as_json = type_words(example.printed("json"))
        with folder():
            as_csv = type_words(example.printed("csv"))
    return Answered(as_json, as_csv, held[0] if held else None)


def results(besides: Set[str]) -> dict[str, Any]:
    """A result of every type that an example comes to, by the name of the type, besides those that are known."""
    every = [
        answered(one).result
        for one in EXAMPLES
        if one.question.verb is not Question.verb and not {kind.__name__ for kind in one.question.results()} <= besides
    ]
    return {type(one).__name__: one for one in every if one is not None and type(one).__name__ not in besides}
