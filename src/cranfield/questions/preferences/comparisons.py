"""Pairwise comparisons of systems: who was preferred on which topic. From tables, JSON lines and frames."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from cranfield.core.columns import NAMES
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.files import Problems, filled_lines, read_bytes, shown
from cranfield.core.json_text import json_objects
from cranfield.core.labels import natural_sorted
from cranfield.questions.preferences.strengths import Contests
from cranfield.scores.frames import FrameLike, as_polars, is_frame

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "topic": (*NAMES["topic"], "question_id", "question"),
    "system_a": ("system_a", "model_a", "run_a", "a"),
    "system_b": ("system_b", "model_b", "run_b", "b"),
    "preferred": ("preferred", "winner", "preference", "outcome"),
}
"""Names of the columns, without regard to capitals; the second ones are those of chatbot arenas."""
FIRST, SECOND, TIE = (
    ("a", "model_a", "system_a"), ("b", "model_b", "system_b"), ("tie", "tie (bothbad)", "bothbad", "both"),
)  # fmt: skip
Row = tuple[str, str, str, str]
ComparisonsLike: TypeAlias = "str | os.PathLike[str] | FrameLike | Iterable[Sequence[str]]"
"""A file or several, a frame, or rows (topic, system_a, system_b, preferred)."""


@dataclass(frozen=True)
class Comparisons:
    """Pairwise comparisons of systems, one row each; `won` is 1, ½ or 0 for the first of both.

    >>> Comparisons.of([("1", "bm25", "ours", "ours"), ("2", "bm25", "ours", "tie")])
    Comparisons(2 systems, 2 topics, 2 comparisons)
    """

    topics: tuple[str, ...]
    systems: tuple[str, ...]
    contests: Contests

    @classmethod
    def of(cls, given: Any) -> Comparisons:
        """Comparisons from any of the forms in `ComparisonsLike`."""
        if isinstance(given, Comparisons):
            return given
        rows: list[Row] = []
        wins: list[float] = []

        def take(row: Row, fail: Callable[[str], None]) -> None:
            if problem := _problem(row):
                fail(problem)
            else:
                rows.append(row)
                wins.append(_won(row))

        listed = list(given) if not isinstance(given, (str, os.PathLike)) and not is_frame(given) else given
        if isinstance(listed, (str, os.PathLike)):
            listed = [listed]
        if isinstance(listed, list) and listed and all(isinstance(one, (str, os.PathLike)) for one in listed):
            for path in listed:
                _read(path, take)
        else:
            for number, row in enumerate(_in_memory(listed), 1):
                take(row, lambda text, number=number: _refuse(f"comparisons, row {number}: {text}"))  # type: ignore[misc]
        if not rows:
            raise DataError("no comparison is given; expected topic, system_a, system_b and preferred")
        topics = natural_sorted({row[0] for row in rows})
        systems = natural_sorted({name for row in rows for name in row[1:3]})
        place = [{label: at for at, label in enumerate(labels)} for labels in (topics, systems)]
        topic, first, second = (
            np.array([place[kind][row[at]] for row in rows], dtype=np.int64) for at, kind in ((0, 0), (1, 1), (2, 1))
        )
        contests = Contests(topic, first, second, np.array(wins), len(topics), len(systems))
        return cls(tuple(topics), tuple(systems), contests)

    def __repr__(self) -> str:
        sizes = f"{len(self.systems)} systems, {len(self.topics)} topics, {len(self.contests.won)} comparisons"
        return f"Comparisons({sizes})"


def _refuse(text: str) -> None:
    raise DataError(text)


def _problem(row: Row) -> str:
    """What is wrong with a row; empty if nothing is."""
    if not all(row[:3]):
        return "expected a topic and two systems, found an empty field"
    if row[1] == row[2]:
        return f"system {row[1]} is compared with itself"
    known = (*row[1:3], *FIRST, *SECOND, *TIE)
    if row[3] in row[1:3] or row[3].casefold() in known:
        return ""
    return f"expected {row[1]}, {row[2]}, a, b or tie as preferred, found {shown(row[3])}"


def _won(row: Row) -> float:
    """1 where the first system is preferred, 0 where the second is, ½ for a tie; names come before a and b."""
    if row[3] in row[1:3]:
        return float(row[3] == row[1])
    return 1.0 if row[3].casefold() in FIRST else 0.0 if row[3].casefold() in SECOND else 0.5


def _chosen(names: Sequence[str]) -> dict[str, str]:
    """Which column plays which part; an error names the parts without one."""
    folded = {name.strip().casefold(): name for name in reversed(names)}
    chosen = {part: next((folded[one] for one in known if one in folded), "") for part, known in COLUMNS.items()}
    if lacking := [part for part, column in chosen.items() if not column]:
        raise ArgumentError(f"no column {' and no column '.join(lacking)}; found {', '.join(names)}")
    return chosen


def _read(path: str | os.PathLike[str], take: Callable[[Row, Callable[[str], None]], None]) -> None:
    """The rows of a file: JSON lines, or a table with a header, separated by commas, tabs or semicolons."""
    label = os.fspath(path)
    problems = Problems(label)
    data = read_bytes(path)
    lines = list(filled_lines(data, label))
    head = lines[0][1] if lines else ""
    found: Iterator[tuple[int, Mapping[str, Any]]]
    if head.lstrip().startswith("{"):
        found = json_objects(data, problems.add)
    else:
        mark = max(",\t;", key=head.count)
        names = [name.strip() for name in next(csv.reader([head], delimiter=mark), [])]
        table = ((number, next(csv.reader([line], delimiter=mark))) for number, line in lines[1:])
        found = ((number, dict(zip(names, cells, strict=False))) for number, cells in table)
    for number, row in found:
        try:
            chosen = _chosen([str(name) for name in row])
        except ArgumentError as error:
            problems.add(number, str(error))
            continue
        topic, first, second, preferred = (str(row[column]).strip() for column in chosen.values())
        take((topic, first, second, preferred), lambda text, number=number: problems.add(number, text))  # type: ignore[misc]
    problems.raise_if_any()


def _in_memory(given: Any) -> Iterator[Row]:
    if is_frame(given):
        frame = as_polars(given)
        rows: Iterable[Any] = frame.select(*_chosen(frame.columns).values()).iter_rows()
    else:
        rows = given
    for row in rows:
        if isinstance(row, (str, bytes)) or not hasattr(row, "__len__") or len(row) != 4:
            raise ArgumentError("each comparison needs topic, system_a, system_b and preferred")
        topic, first, second, preferred = (str(one).strip() for one in row)
        yield topic, first, second, preferred
