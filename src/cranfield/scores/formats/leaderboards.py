"""TREC AutoJudge leaderboards: lines ``run measure topic value`` or ``run topic measure value``, no header."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from cranfield.core.files import Problems, filled_lines, score_number, shown
from cranfield.core.labels import plural
from cranfield.scores.formats import FORMATS, ReadOptions, ScoreFile, ScoreFormat

if TYPE_CHECKING:
    from cranfield.scores.matrix import ScoreMatrix

_HEAD = 1000
_ALL = ("all", "all_topics", "amean")
"""Topics that stand for a mean over topics."""


def measure_column(rows: list[list[str]]) -> int | None:
    """1 where the measure comes before the topic, 2 where it comes after; None for other lines.

    >>> measure_column([["a", "cov", "1", ".5"], ["a", "cov", "2", ".4"]])
    1
    """
    if not rows or any(len(row) != 4 or score_number(row[3]) is None for row in rows):
        return None
    second, third = ({row[column] for row in rows} for column in (1, 2))
    for column, other in ((1, third), (2, second)):
        if other & set(_ALL):
            return column
    numeric = [all(score_number(one) is not None for one in values) for values in (second, third)]
    if all(numeric) or all(score_number(row[0]) is not None for row in rows):
        return None  # a matrix of numbers
    if any(numeric):
        return 2 if numeric[0] else 1
    if len(second) != len(third):
        return 1 if len(second) < len(third) else 2  # there are fewer measures than topics
    return None


def is_leaderboard(file: ScoreFile) -> bool:
    """Whether the first lines are those of a leaderboard."""
    if file.ending == ".csv":
        return False
    return measure_column([text.split() for _, text in islice(filled_lines(file.text, file.path), _HEAD)]) is not None


def read_leaderboard(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix per measure; means over topics are omitted."""
    import polars as pl

    from cranfield.scores.doors import from_frame

    lines = list(filled_lines(file.text, file.path))
    column = measure_column([text.split() for _, text in lines[:_HEAD]]) or 1
    problems, rows, means = Problems(file.path), [], 0
    for number, text in lines:
        fields = text.split()
        value = score_number(fields[3]) if len(fields) == 4 else None
        if value is None:
            problems.add(number, f"expected 4 fields, the last a finite number, found {shown(text.strip())}")
        elif fields[3 - column] in _ALL:
            means += 1
        else:
            rows.append((fields[0], fields[3 - column], fields[column], value))
    problems.raise_if_any()
    if not rows:
        problems.add(0, "holds only means over topics; write the values of topics as well")
        problems.raise_if_any()
    frame = pl.DataFrame(rows, schema=["system", "topic", "measure", "value"], orient="row")
    steps = (*options.provenance, f"{plural(means, 'mean')} over topics omitted") if means else options.provenance
    return [matrix.note(*steps) for matrix in from_frame(frame, missing=options.missing).values()]


FORMATS.register(
    ScoreFormat(
        name="leaderboard",
        summary="TREC AutoJudge's leaderboards: lines `run measure topic value` or `run topic measure value`",
        recognise=is_leaderboard,
        read=read_leaderboard,
        notes="no header; rows of topic `all` are left out and reported; values that are all whole numbers look like "
        "judgments, so add a point or a header",
        tried=35,
        rank=90,
    )
)
