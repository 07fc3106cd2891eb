"""Two datasets side by side, or two measures of one: do they rank the systems alike?"""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any

import polars as pl

from cranfield import defaults
from cranfield.errors import ArgumentError, DataError, quietly
from cranfield.executors import Progress
from cranfield.labels import summary
from cranfield.present.answer import answer
from cranfield.present.tables import Sheet
from cranfield.records import record
from cranfield.scores import Correlation, ScoreMatrix, correlate
from cranfield.settings import Settings, setting, shared
from cranfield.web.server.data import Dataset
from cranfield.web.server.library import imports, literal
from cranfield.web.server.outcome import Outcome
from cranfield.web.server.page import page


@record(kw_only=True)
class SidesQuestion(Settings):
    """The settings of `correlate`, about two datasets or two measures of one."""

    other: str | None = setting(
        None, "The data on the other side; the same data by another measure unless named.", metavar="DATASET",
        label="Other data", usual="the same data", part="source", flags=(),
    )  # fmt: skip
    measure: str | None = shared.one_measure("Measure of the data.")
    other_measure: str | None = setting(
        None, "Measure of the other side.", part="source", usual="the same, or the next"
    )
    alpha: float = shared.alpha()
    n_resamples: int = shared.n_resamples(defaults.RANK_RESAMPLES, "Bootstrap samples of topics; 0 for none.", least=0)
    seed: int = shared.seed()

    answered_by = "cranfield.scores:correlate"
    by_one_measure = True


def side_by_side(question: Any, dataset: Dataset, progress: Progress, other: Dataset | None = None) -> Outcome:
    """Both orders of the systems that both sides have, system by system, and how far they agree."""
    second = other or dataset
    dataset.require_valid(progress)
    second.require_valid(progress)
    left = dataset.matrix(question.measure)
    right = second.matrix(question.other_measure or _measure(question, dataset, second))
    common = [name for name in left.systems if name in set(right.systems)]
    if len(common) < 2:
        raise DataError(
            f"{dataset.title} and {second.title} have {len(common)} systems in common; an order needs two. "
            f"They have {summary(list(left.systems))} and {summary(list(right.systems))}."
        )
    with quietly():
        result: Correlation = correlate(
            left.select(systems=common), right.select(systems=common), alpha=question.alpha,
            n_resamples=question.n_resamples, seed=question.seed, missing="drop-topic",
        )  # fmt: skip
    if other is not None and other is not dataset:  # both sides may have the same measure: the data tell them apart
        result = replace(
            result, reference=f"{left.measure} of {dataset.title}", estimate=f"{right.measure} of {second.title}"
        )
    said = answer(result)
    sheet = said.sheet()

    def systems() -> Sheet:
        return replace(sheet, rows=_systems(result, left, right), title="", notes=(), heading="System by system")

    alone = [len(matrix.systems) - len(common) for matrix in (left, right)]
    sentences: tuple[str, ...] = (f"{dataset.title}: {_size(left)}. {second.title}: {_size(right)}.",)
    if any(alone):
        sentences += (f"{alone[0]} and {alone[1]} systems stand on one side only and are left out.",)
    tau = result.values.get("tau")
    both = f"{result.reference} and {result.estimate}" + (f" of {dataset.title}" if second is dataset else "")
    headline = f"{both} order {len(common)} systems with " + (
        "ties only on one side: no τ" if tau is None else f"τ = {tau:.3f}"
    )
    told = replace(
        said, headline=headline, sentences=sentences, on_page=("systems", *said.shown),
        sheets={"systems": systems, **said.sheets}, charts=tuple(reversed(said.charts)),
    )  # fmt: skip
    return Outcome(told, *_elsewhere(question, dataset, second, left, right), said.warnings)


def _measure(question: Any, first: Dataset, second: Dataset) -> str | None:
    """The measure of the other side unless named: the same, or of the same data the next."""
    wanted = question.measure or first.matrix().measure
    if second is not first:
        return wanted if wanted in second.measures() else None
    further = [name for name in first.measures() if name != wanted]
    if not further:
        raise ArgumentError(f"{first.title} has scores by {wanted} alone; choose other data, or name `other_measure`.")
    return further[0]


def _size(matrix: ScoreMatrix) -> str:
    return f"{matrix.measure}, {matrix.n_topics} topics × {matrix.n_systems} systems"


def _systems(result: Correlation, left: ScoreMatrix, right: ScoreMatrix) -> pl.DataFrame:
    """One row per system: mean and rank on both sides."""
    first, second = (dict(zip(one.systems, one.values.mean(axis=0).tolist(), strict=True)) for one in (left, right))
    return pl.DataFrame(
        {
            "system": result.systems,
            "rank": result.ranks[0],
            "other_rank": result.ranks[1],
            "mean": [first[name] for name in result.systems],
            "other_mean": [second[name] for name in result.systems],
        }
    ).sort("rank", "system")


def _elsewhere(
    question: Any, first: Dataset, second: Dataset, left: ScoreMatrix, right: ScoreMatrix
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The same in a terminal and in Python."""
    sides = [(one, matrix, *one.score_files(matrix.measure)) for one, matrix in ((first, left), (second, right))]
    names = ("a.csv", "b.csv") if sides[0][2] or sides[1][2] else (sides[0][3][0], sides[1][3][0])
    before: list[str] = []
    for (_, _, commands, _), name in zip(sides, names, strict=True):
        before += [command.replace("-o scores.csv", f"-o {name}") for command in commands if command not in before]
    words = f"cranfield correlate {shlex.join(names)} -m {shlex.quote(left.measure)}"
    if right.measure != left.measure:
        words += f" --other-measure {shlex.quote(right.measure)}"
    read = [f"read_scores({literal([name])})[{m.measure!r}]" for name, m in zip(names, (left, right), strict=True)]
    return (*before, words), (imports("correlate", "read_scores"), f"correlate({', '.join(read)})")


page(
    "correlate",
    "Side by side",
    SidesQuestion,
    heading="Do two sides rank the systems alike?",
    lead="Two datasets, such as two collections or two ways of scoring, or two measures of the same data: the systems "
    "that both have, their ranks on either side, and how far the orders agree.",
    button="Compare the orders",
    doing="Ordering the systems of",
    brief="Rank correlation of two datasets, or of two measures of one, with both ranks of every system.",
    answer=side_by_side,
    place=28,
)
