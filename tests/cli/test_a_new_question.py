"""A question that somebody adds goes the common way: nothing but its own file says what it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest
from click.testing import CliRunner

from cranfield.cli.main import app
from cranfield.core import options as shared
from cranfield.core.answer import Answer
from cranfield.core.options import setting
from cranfield.core.question import QUESTIONS, Question, Takes
from cranfield.core.results import Result
from cranfield.core.tables import Sheet
from cranfield.measures.options import RunsOrScores


@dataclass(frozen=True)
class Count(Result):
    """How many topics there are."""

    topics: int
    measure: str | tuple[str, ...] | None
    warnings: tuple[str, ...] = ()
    signature: str = "counted"

    @property
    def settings(self) -> dict[str, Any]:
        return {"measure": self.measure}

    def to_frame(self) -> pl.DataFrame:
        return pl.DataFrame({"topics": [self.topics]})

    def answer(self, question: Question | None = None) -> Answer:
        return Answer(f"{self.topics}", {"count": lambda: Sheet("count", self.to_frame(), "counted", self.settings)})


def count(scores: Any, *, measure: Any = None) -> Count:
    return Count(next(iter(scores.values())).n_topics, measure)


class Counted(Question):
    """What both toys have in common."""

    brief: ClassVar[str] = "How many topics there are."
    takes: ClassVar[Takes] = "scores"

    @staticmethod
    def verb() -> Callable[..., Any]:
        return count

    def write_files(self, result: Any) -> Iterator[str]:
        yield "wrote nothing"

    def exit_code(self, result: Any) -> int:
        return 7


@pytest.fixture
def toys() -> Iterator[None]:
    @dataclass(frozen=True, kw_only=True)
    class CountQuestion(Counted):
        """Count the topics."""

        command: ClassVar[str] = "count"
        measure: str | None = shared.measure()
        missing: str = shared.missing()
        kept: Path | None = setting(None, "A file.", part="view", written=True)

    @dataclass(frozen=True, kw_only=True)
    class CountSeveralQuestion(Counted, RunsOrScores):
        """Count the topics by several measures."""

        command: ClassVar[str] = "count-several"
        measure: tuple[str, ...] | None = shared.measures()

    yield
    del QUESTIONS["count"], QUESTIONS["count-several"]


@pytest.fixture
def scores(tmp_path: Path) -> str:
    file = tmp_path / "long.csv"
    rows = [f"{s},{t},{m},0.{t}" for s in "ab" for t in (1, 2, 3) for m in ("AP", "RR")]
    file.write_text("\n".join(["system,topic,measure,value", *rows]) + "\n")
    return str(file)


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    ("command", "typed", "printed"),
    [("count", ["AP"], "AP"), ("count", ["map"], "AP"), ("count-several", ["RR"], ["RR"]),
     ("count-several", ["AP", "recip_rank"], ["AP", "RR"]), ("count-several", [], None)],
)  # fmt: skip
def test_a_typed_measure_reaches_the_function(command: str, typed: list[str], printed: object, scores: str) -> None:
    words = [word for one in typed for word in ("-m", one)]
    ended = CliRunner().invoke(app, [command, scores, *words, "--format", "json"])
    assert json.loads(ended.stdout)["settings"] == {"measure": printed}
    assert (ended.exit_code, ended.stderr) == (7, "wrote nothing\n")


@pytest.mark.usefixtures("toys")
def test_a_measure_of_runs_goes_by_the_name_of_the_scores(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    qrels.write_text("1 0 d1 2\n1 0 d2 1\n2 0 d1 2\n")
    run.write_text("1 Q0 d1 1 2.0 a\n1 Q0 d2 2 1.0 a\n2 Q0 d1 1 1.0 a\n")
    words = ["count-several", str(qrels), str(run), "-m", "map", "--level", "2", "--format", "json"]
    ended = CliRunner().invoke(app, words)
    assert json.loads(ended.stdout)["settings"] == {"measure": ["AP(rel=2)"]}


@pytest.mark.usefixtures("toys")
def test_it_is_in_the_help_and_refuses_early(scores: str, tmp_path: Path) -> None:
    assert "How many topics there are." in CliRunner().invoke(app, ["--help"]).stdout
    ended = CliRunner().invoke(app, ["count", scores, "--kept", str(tmp_path / "none" / "x.txt")])
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert "cannot be written: there is no directory" in ended.stderr
