"""Two datasets side by side, or two measures of one: do they rank the systems alike?"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import ClassVar

import polars as pl

from cranfield.core.answer import answer
from cranfield.core.errors import ArgumentError, DataError, quietly
from cranfield.core.executors import Progress
from cranfield.core.labels import summary
from cranfield.core.options import setting
from cranfield.core.tables import Sheet
from cranfield.questions.correlate.correlate import Correlation, correlate
from cranfield.questions.correlate.question import CorrelateQuestion
from cranfield.scores.matrix import ScoreMatrix
from cranfield.web.server.data import Dataset
from cranfield.web.server.outcome import Lines, Outcome, imports, literal
from cranfield.web.server.page import answers


@dataclass(frozen=True, kw_only=True)
class SidesForm(CorrelateQuestion):
    """The settings of `correlate`, about two datasets or two measures of one."""

    by_one_measure: ClassVar[bool] = True

    reference: str = setting("", on_page=False, part="source")
    estimate: str = setting("", on_page=False, part="source")
    other: str | None = setting(
        None, "Second dataset; by default the same data by another measure.", metavar="DATASET",
        label="Other data", usual="the same data", part="source", flags=(),
    )  # fmt: skip


@answers(SidesForm)
def side_by_side(question: SidesForm, dataset: Dataset, progress: Progress, other: Dataset | None = None) -> Outcome:
    """Both orders of the systems that both sides have, system by system, and how far they agree."""
    second = other or dataset
    dataset.require_valid(progress)
    second.require_valid(progress)
    left = dataset.matrix(question.measure)
    right = second.matrix(question.other_measure or _measure(question, dataset, second))
    common = [name for name in left.systems if name in set(right.systems)]
    if len(common) < 2:
        raise DataError(
            f"{dataset.title} and {second.title} share {len(common)} systems; a ranking needs two. "
            f"They have {summary(list(left.systems))} and {summary(list(right.systems))}."
        )
    with quietly():
        result: Correlation = correlate(
            left.select(systems=common), right.select(systems=common), **question.values("question"),
            missing="drop-topic",
        )  # fmt: skip
    if second is not dataset:  # both sides may have the same measure: the data tell them apart
        named = (f"{left.measure} of {dataset.title}", f"{right.measure} of {second.title}")
        result = replace(result, reference=named[0], estimate=named[1])
    said = answer(result)
    sheet = said.sheet()

    def systems() -> Sheet:
        return replace(sheet, rows=_systems(result, left, right), title="", notes=(), heading="System by system")

    alone = [len(matrix.systems) - len(common) for matrix in (left, right)]
    sentences: tuple[str, ...] = (
        *said.sentences,
        f"{dataset.title}: {_size(left)}. {second.title}: {_size(right)}.",
    )
    if any(alone):
        sentences += (f"{alone[0]} and {alone[1]} systems are on one side only and are dropped.",)
    tau = result.values.get("tau")
    agreement = "τ undefined (one side ties)" if tau is None else f"τ = {tau:.3f}"
    both = f"{result.reference} and {result.estimate}" + (f" of {dataset.title}" if second is dataset else "")
    headline = f"{both} rank {len(common)} systems with {agreement}"
    told = replace(
        said, headline=headline, sentences=sentences, on_page=("systems", *said.shown),
        sheets={"systems": systems, **said.sheets}, charts=tuple(reversed(said.charts)),
    )  # fmt: skip
    return Outcome(told, *_elsewhere(dataset, second, left, right), said.warnings)


def _measure(question: SidesForm, first: Dataset, second: Dataset) -> str | None:
    """The measure of the other side unless named: the same, or of the same data the next."""
    wanted = question.measure or first.matrix().measure
    if second is not first:
        return wanted if wanted in second.measures() else None
    further = [name for name in first.measures() if name != wanted]
    if not further:
        raise ArgumentError(f"{first.title} has scores by {wanted} only. Choose other data or another `other_measure`.")
    return further[0]


def _size(matrix: ScoreMatrix) -> str:
    return f"{matrix.measure}, {matrix.n_topics} topics × {matrix.n_systems} systems"


def _systems(result: Correlation, left: ScoreMatrix, right: ScoreMatrix) -> pl.DataFrame:
    """One row per system: mean and rank on both sides."""
    first, second = (dict(zip(one.systems, one.values.mean(axis=0).tolist(), strict=True)) for one in (left, right))
    columns = {"system": result.systems, "rank": result.ranks[0], "other_rank": result.ranks[1]}
    means = {"mean": [first[name] for name in result.systems], "other_mean": [second[name] for name in result.systems]}
    return pl.DataFrame({**columns, **means}).sort("rank", "system")


def _elsewhere(first: Dataset, second: Dataset, left: ScoreMatrix, right: ScoreMatrix) -> tuple[Lines, Lines]:
    """The same in a terminal and in Python."""
    sides = [first.score_files(left.measure), second.score_files(right.measure)]
    names = ("a.csv", "b.csv") if sides[0][0] or sides[1][0] else (sides[0][1][0], sides[1][1][0])
    before: list[str] = []
    for (commands, _), name in zip(sides, names, strict=True):
        before += [command.replace("-o scores.csv", f"-o {name}") for command in commands if command not in before]
    words = f"cranfield correlate {shlex.join(names)} -m {shlex.quote(left.measure)}"
    if right.measure != left.measure:
        words += f" --other-measure {shlex.quote(right.measure)}"
    read = [f"read_scores({literal([name])})[{m.measure!r}]" for name, m in zip(names, (left, right), strict=True)]
    return (*before, words), (imports("correlate", "read_scores"), f"correlate({', '.join(read)})")
