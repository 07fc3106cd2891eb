"""Pairwise comparisons of systems: who was preferred on which topic. From tables, JSON lines and frames."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.files import read_bytes
from cranfield.core.labels import is_several, natural_sorted, repr_of
from cranfield.core.recognition import NAMES
from cranfield.core.text import Problems, csv_fields, filled_lines, json_objects, shown
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
Take: TypeAlias = "Callable[[Row, Callable[[str], None]], None]"
"""What a reader does with a row, and with what is wrong with it."""
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
            won = _won(row)
            if problem := _problem(row):
                fail(problem)
            elif won is None:
                fail(f"expected {row[1]}, {row[2]}, a, b or tie as preferred, found {shown(row[3])}")
            else:
                rows.append(row)
                wins.append(won)

        if not is_several(given) and not isinstance(given, os.PathLike):
            raise ArgumentError(f"expected comparisons, or a file of them; got {repr_of(given)}.")
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
    return ""


def _won(row: Row) -> float | None:
    """1 where the first system is preferred, 0 where the second is, ½ for a tie; names come before a and b."""
    if row[3] in row[1:3]:
        return float(row[3] == row[1])
    said = row[3].casefold()
    return next((value for words, value in ((FIRST, 1.0), (SECOND, 0.0), (TIE, 0.5)) if said in words), None)


def _row(cells: Iterable[Any]) -> Row:
    """A comparison as text; a missing value is empty, not a system called None."""
    topic, first, second, preferred = ("" if one is None else str(one).strip() for one in cells)
    return topic, first, second, preferred


def _chosen(names: Sequence[str]) -> dict[str, str]:
    """Which column plays which part; an error names the parts without one."""
    folded = {name.strip().casefold(): name for name in reversed(names)}
    chosen = {part: next((folded[one] for one in known if one in folded), "") for part, known in COLUMNS.items()}
    if lacking := [part for part, column in chosen.items() if not column]:
        raise ArgumentError(f"no column {' and no column '.join(lacking)}; found {', '.join(names)}")
    return chosen


def _read(path: str | os.PathLike[str], take: Take) -> None:
    """The rows of a file: JSON lines, or a table with a header, separated by commas, tabs or semicolons."""
    label = os.fspath(path)
    problems = Problems(label)
    data = read_bytes(path)
    lines = list(filled_lines(data, label))
    if lines and not lines[0][1].lstrip().startswith("{"):
        _read_table(lines, problems, take)
    else:
        for number, row in json_objects(data, problems.add):
            try:
                chosen = _chosen(list(row))
            except ArgumentError as error:
                problems.add(number, str(error))
                continue
            take(_row(row[key] for key in chosen.values()), partial(problems.add, number))
    problems.raise_if_any()


def _read_table(lines: list[tuple[int, str]], problems: Problems, take: Take) -> None:
    """The rows of a table, whose header is checked once."""
    at, head = lines[0]
    mark = max(",\t;", key=head.count)
    names = [name.strip() for name in csv_fields(head, mark)]
    try:
        chosen = _chosen(names)
    except ArgumentError as error:
        problems.add(at, str(error))
        return
    for number, line in lines[1:]:
        cells = csv_fields(line, mark)
        if len(cells) != len(names):
            problems.add(number, f"expected {len(names)} fields as in the header, found {len(cells)}")
            continue
        row = dict(zip(names, cells, strict=True))
        take(_row(row[name] for name in chosen.values()), partial(problems.add, number))


def _in_memory(given: Any) -> Iterator[Row]:
    if is_frame(given):
        frame = as_polars(given)
        rows: Iterable[Any] = frame.select(*_chosen(frame.columns).values()).iter_rows()
    else:
        rows = given
    for row in rows:
        if isinstance(row, (str, bytes, type)) or not hasattr(row, "__len__") or len(row) != 4:
            raise ArgumentError("each comparison needs topic, system_a, system_b and preferred")
        yield _row(row)
