"""Wide and long score tables in text files: comma-, semicolon-, tab- or blank-separated."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cranfield.defaults import MissingPolicy
from cranfield.errors import DataError, FileError, Problem
from cranfield.files import Problems, decimal_comma, plain_text, shown
from cranfield.scores.frames import LONG_NAMES, MEANS_ONLY, assemble, complete, long_columns
from cranfield.scores.matrix import ScoreMatrix

if TYPE_CHECKING:
    import polars as pl
else:
    from cranfield.lazy import polars as pl

MISSING_MARKS = frozenset({"", "na", "n/a", "nan", "-nan", "null", "none", "-", "."})
"""What stands for a missing score in a table (in any case)."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_WHOLE = re.compile(r"\d+", re.ASCII)


@dataclass(frozen=True)
class Table:
    """A text file cut into fields: the rows, the line each starts on, and the separator (" " for blanks)."""

    path: str
    rows: list[list[str]]
    lines: list[int]
    separator: str


def number(text: str) -> float | None:
    """A finite number, NaN for a missing mark, or None when the text is neither.

    >>> number("0.25"), number("1e3"), number("abc"), number("inf")
    (0.25, 1000.0, None, None)
    """
    text = text.strip()
    if _NUMBER.fullmatch(text):
        value = float(text)
        return value if math.isfinite(value) else None
    return math.nan if text.casefold() in MISSING_MARKS else None


def read_table(data: bytes, path: str) -> Table:
    """Cut a text file into fields; blank lines and comment lines before the first row are skipped."""
    text = plain_text(data, path)
    bare = _QUOTED.sub("", text[:1_000_000])
    first = next((line for line in re.split(r"[\r\n]", bare) if line.strip() and not line.startswith("#")), "")
    separator = next((mark for mark in "\t,;" if mark in first), " ")
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for line, fields in _fields(text, separator):
            if not any(field.strip() for field in fields) or (not rows and fields[0].startswith("#")):
                continue
            rows.append(fields)
            lines.append(line)
    except csv.Error as error:
        raise FileError(path, [Problem(0, f"is not a well-formed table: {error}")]) from None
    if not rows:
        raise FileError(path, [Problem(0, "holds no data lines; expected a table of scores")])
    return Table(path, rows, lines, separator)


def _fields(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    if separator == " ":
        for line, content in enumerate(re.split(r"\r\n|\n|\r", text), 1):
            yield line, content.split() or [""]
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    start = 1
    for fields in reader:
        yield start, fields or [""]
        start = reader.line_num + 1


def is_long(table: Table) -> bool:
    """Whether the first row names the columns of a long table."""
    return long_columns(table.rows[0]) is not None


# ── long ──────────────────────────────────────────────────────────────────────────────────────────────────


def parse_long(
    table: Table, *, system: str, measure: str | None, missing: MissingPolicy, provenance: tuple[str, ...]
) -> list[ScoreMatrix]:
    """One matrix per measure; a table without a system column is one system's, named after its file."""
    header = table.rows[0]
    parts = long_columns(header) or {}
    at = {part: header.index(name) for part, name in parts.items()}
    problems = Problems(table.path)
    columns: dict[str, list[str]] = {part: [] for part in at if part != "value"}
    values = []
    for line, row in zip(table.lines[1:], table.rows[1:], strict=True):
        if len(row) != len(header):
            problems.add(line, _ragged(len(header), row))
            continue
        value = number(row[at["value"]])
        if value is None:
            problems.add(
                line,
                f"expected a finite number as value, found {shown(row[at['value']])}{decimal_comma(row[at['value']])}",
            )
            continue
        empty = next((part for part in columns if not row[at[part]].strip()), None)
        if empty:
            problems.add(line, f"expected a {empty}, found nothing")
            continue
        values.append(value)
        for part, column in columns.items():
            column.append(row[at[part]])
    if not values and not problems.total:
        problems.add(0, "holds a header and no scores")
    problems.raise_if_any()
    frame = pl.DataFrame(
        {**columns, "value": values}, schema={**dict.fromkeys(columns, pl.String), "value": pl.Float64}
    )
    return matrices_of_long(frame, table.path, system=system, measure=measure, missing=missing, provenance=provenance)


def matrices_of_long(
    frame: pl.DataFrame,
    path: str,
    *,
    system: str,
    measure: str | None,
    missing: MissingPolicy,
    provenance: tuple[str, ...],
) -> list[ScoreMatrix]:
    """One matrix per measure from the columns of a long table, of which system and measure may be lacking."""
    kept = frame.filter(frame["topic"] != "all")  # the others are summary rows of evaluation tools
    if not kept.height:
        raise FileError(path, [Problem(0, MEANS_ONLY)])
    if kept.height < frame.height:
        provenance += (f"{frame.height - kept.height} summary rows (topic 'all') not read",)
    constant = {"system": system, "measure": measure or "score"}
    columns = {part: kept[part] for part in kept.columns if part != "value"}
    columns |= {
        part: pl.Series(part, [label]).new_from_index(0, kept.height)
        for part, label in constant.items()
        if part not in columns
    }
    try:
        return assemble(columns, kept["value"].to_numpy(), missing=missing, provenance=provenance)
    except DataError as error:
        raise FileError(path, [Problem(0, str(error))]) from None


def _ragged(expected: int, row: list[str]) -> str:
    return f"expected {expected} fields as in the first row, found {len(row)}: {shown(' '.join(row))}"


# ── wide ──────────────────────────────────────────────────────────────────────────────────────────────────


def parse_wide(
    table: Table,
    *,
    measure: str,
    missing: MissingPolicy,
    provenance: tuple[str, ...],
    header: bool | None = None,
    topic_column: bool | None = None,
) -> ScoreMatrix:
    """A matrix from rows of topics; header and topic column are recognised unless told."""
    rows, lines, steps = table.rows, table.lines, list(provenance)
    has_header = _looks_like_header(table) if header is None else header
    names = rows[0] if has_header else None
    body, body_lines = (rows[1:], lines[1:]) if has_header else (rows, lines)
    if not body:
        raise FileError(table.path, [Problem(0, "holds a header and no scores")])
    has_topics = _has_topic_column(table.path, names, body) if topic_column is None else topic_column
    width = len(body[0])
    expected = {width} if names is None else {len(names)} | ({len(names) + 1} if has_topics else set())
    if names is not None and width not in expected:
        raise FileError(table.path, [Problem(body_lines[0], _ragged(len(names), body[0]))])
    n_systems = width - has_topics
    if n_systems < 1:
        raise FileError(table.path, [Problem(body_lines[0], "has no scores after the topic column")])
    if names is None:
        systems = [f"system{j + 1}" for j in range(n_systems)]
        steps.append("no header: systems named system1, system2, … by column")
    else:
        systems = names[len(names) - n_systems :]
    topics = [row[0] for row in body] if has_topics else [str(i + 1) for i in range(len(body))]
    if not has_topics:
        steps.append("no topic column: topics named 1, 2, … by row")
    values = _numbers(table.path, body, body_lines, width, has_topics)
    try:
        return complete(values, topics, systems, measure, missing=missing, provenance=steps)
    except DataError as error:
        raise FileError(table.path, [Problem(0, str(error))]) from None


def _looks_like_header(table: Table) -> bool:
    row = table.rows[0]
    if row[0].strip().casefold() in ("", *LONG_NAMES["topic"]):
        return True
    word = next((field for field in (row[1:] or row) if number(field) is None), None)
    score = next((field for field in row if (value := number(field)) is not None and not math.isnan(value)), None)
    if word is None or score is None:
        return word is not None
    text = (
        f"cannot tell whether the first row names systems or holds scores: {shown(score)} is a number, {shown(word)} "
        "is none; correct it, name the column of topics 'topic', or say so: header=True or header=False"
    )
    raise FileError(table.path, [Problem(table.lines[0], text)])


def _has_topic_column(path: str, names: list[str] | None, body: list[list[str]]) -> bool:
    if names is not None:
        if len(names) == len(body[0]) - 1 or names[0].strip().casefold() in ("", *LONG_NAMES["topic"]):
            return True
        if len(names) == 1:
            return False
    first = [row[0].strip() for row in body]
    if any(number(field) is None for field in first):
        return True
    labels_like = all(_WHOLE.fullmatch(field) for field in first) and len(set(first)) == len(first)
    if not labels_like or len(body[0]) == 1 or max(float(field) for field in first) < 2:
        return False
    rest = [field.strip() for row in body for field in row[1:]]
    if names is None and not all(_WHOLE.fullmatch(field) for field in rest):
        return True
    name = f" {shown(names[0])}" if names else ""
    text = (
        f"cannot tell whether the first column{name} holds topics or scores (all different whole numbers); "
        "name it 'topic' in a header, or say so: topic_column=True or topic_column=False"
    )
    raise FileError(path, [Problem(0, text)])


def _numbers(
    path: str, body: list[list[str]], lines: list[int], width: int, has_topics: bool
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    problems = Problems(path)
    values = np.full((len(body), width - has_topics), np.nan)
    for i, (line, row) in enumerate(zip(lines, body, strict=True)):
        if len(row) != width:
            problems.add(line, _ragged(width, row))
            continue
        for j, field in enumerate(row[has_topics:]):
            value = number(field)
            if value is None:
                problems.add(
                    line,
                    f"expected a finite number in column {j + 1 + has_topics}, found {shown(field)}"
                    f"{decimal_comma(field)}",
                )
                break
            values[i, j] = value
    problems.raise_if_any()
    return values
