"""Wide, long and tidy score tables in text files: comma-, semicolon-, tab- or blank-separated.

Large long tables go through a columnar parser, which gives up at the first doubt. What it accepts (`long_table`),
`read_table` and `parse_long` read to the same columns; property tests keep it so.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from cranfield.core.errors import DataError, FileError, Problem
from cranfield.core.labels import CONTROL
from cranfield.core.recognition import NAMES, is_by_system, long_columns
from cranfield.core.text import BOM, Problems, decimal_comma, finite_number, plain_text, score_number, shown
from cranfield.scores.formats import ReadOptions
from cranfield.scores.frames import (
    TidyColumns,
    admit,
    from_tidy,
    holds_means,
    means_of_systems,
    refuse_unclear_sides,
    tidy_columns,
)
from cranfield.scores.matrix import ScoreMatrix
from cranfield.scores.summaries import SummaryNameError, is_summary_name

_LARGE = 1 << 16
"""Bytes below which the careful way is quick enough, and says more about what is odd."""
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_WHOLE = re.compile(r"\d+", re.ASCII)
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+", re.ASCII)
_PHRASE = re.compile(r"(?=.*[^\W\d_])\S+\s+\S.*", re.DOTALL)
"""Several words: a remark rather than the name of a topic or system."""
_CELL = re.compile(r"(date .+|TRUE|FALSE) in cell [A-Z]+\d+")
"""What `core.workbooks` makes of a cell that is neither text nor a number."""
_LINE_END = re.compile(r"\r\n|\n|\r")
_FIRST_LINES = 200
"""How many lines tell the separator and a title."""


@dataclass(frozen=True)
class Table:
    """A text file cut into fields: rows, the line each starts on, the separator (" " for blanks), and notes on lines
    that were skipped. Of a sheet, `before` columns left of the table are empty.
    """

    path: str
    rows: list[list[str]]
    lines: list[int]
    separator: str
    steps: tuple[str, ...] = ()
    before: int = 0


@dataclass(frozen=True)
class Notation:
    """How a table writes its scores: with a decimal comma, as percentages."""

    comma: bool = False
    percent: bool = False

    @classmethod
    def of(cls, fields: Iterable[str]) -> Notation:
        """The notation of these scores; the usual one where they are written in several ways.

        >>> Notation.of(["0,25", "1"]), Notation.of(["31 %"]), Notation.of(["0,25", "0.5"])
        (Notation(comma=True, percent=False), Notation(comma=False, percent=True), Notation(comma=False, percent=False))
        """
        scores = [field.strip() for field in fields]
        bare = [score.removesuffix("%").rstrip() for score in scores]
        commas = [score for score in bare if _COMMA.fullmatch(score)]
        points = any("." in score and finite_number(score) is not None for score in bare)
        comma = bool(commas) and not points and not all(_THOUSANDS.fullmatch(score) for score in commas)
        found = cls(comma, any(score.endswith("%") for score in scores))
        return found if any(found.number(score) is not None for score in scores if score.endswith("%")) else cls(comma)

    def number(self, field: str) -> float | None:
        """The score in a field: NaN if it is missing, None if the field is not a score."""
        text = field.strip()
        if self.comma and "." not in text:
            text = text.replace(",", ".", 1)
        if self.percent and not math.isnan(score_number(text) or 0.0):
            whole = text.removesuffix("%").rstrip()
            # The decimal is shifted in the text: 31.7 / 100 is not the double nearest to 0.317.
            return finite_number(f"{whole}e-2") if text.endswith("%") and finite_number(whole) is not None else None
        return score_number(text)

    @property
    def steps(self) -> tuple[str, ...]:
        """Notes on the notation, for the provenance."""
        comma = ("numbers are written with decimal commas",) if self.comma else ()
        return (*comma, "scores are percentages: 31% is read as 0.31") if self.percent else comma

    def wrong(self, field: str) -> str:
        """How to correct a field that holds no score."""
        if _CELL.fullmatch(field):
            return f"; write a number there{', in a cell without date format' if field.startswith('date') else ''}"
        if self.percent and score_number(field.replace(",", ".", 1)) is not None:
            return "; the others are percentages: write all scores as percentages, or none"
        return decimal_comma(field)


def read_table(data: bytes, path: str) -> Table:
    """Cut a text file into fields; blank lines and comment lines before the first row are skipped."""
    return _cut(plain_text(data, path), path)


def read_score_table(data: bytes, path: str) -> Table:
    """The same of a table of scores, without a title above its header and remarks below it."""
    text = plain_text(data, path)
    begin, titles = _past_title(text)
    if not titles:
        _refuse_bare_title(text, path)
    # Blank lines in place of the titles keep the numbers of the lines.
    table = _cut("\n" * begin + "\n".join(_LINE_END.split(text)[begin:]) if titles else text, path)
    table = _without_remarks(table)
    said = [f"line {line} is a title above the header; it was not read" for line in titles]
    return replace(table, steps=(*said, *table.steps))


def _past_title(text: str) -> tuple[int, list[int]]:
    """How many lines stand above the header, and which of them are titles; 0 unless a header plainly follows."""
    lines = [(at, line) for at, line in enumerate(_LINE_END.split(text[:1_000_000])[:_FIRST_LINES]) if line.strip()]
    lines = [(at, line) for at, line in lines if not line.startswith("#")]
    if len(lines) < 3 or any('"' in line for _, line in lines[:2]):
        return 0, []
    blanks = {len(line.split()) for _, line in lines[:3]}
    if "\t" not in lines[0][1] and len(blanks) == 1 and blanks != {1}:
        return 0, []  # as many fields on every line, set apart by blanks
    for place, (at, line) in enumerate(lines[:5]):
        mark = next((mark for mark in "\t,;" if mark in line), None)
        if mark is None or _filled(line.split(mark)) < 2:
            continue
        if place == 0:
            # As many fields below, or one more where the header does not name the topics: this is the header.
            if lines[1][1].count(mark) - line.count(mark) in (0, 1):
                return 0, []
            continue
        header, under = line.split(mark), lines[place + 1][1].split(mark) if place + 1 < len(lines) else []
        words = any(score_number(field) is None for field in header[1:])
        scored = any(Notation.of([field]).number(field) is not None and field.strip() for field in under[1:])
        known = is_by_system(header[0]) or header[0].strip().casefold() in NAMES["topic"]
        narrow = all(
            _filled(above.split(mark)) < 2 or above.count(mark) + 2 < len(header) for _, above in lines[:place]
        )
        if (words or known) and scored and len(under) == len(header) and narrow:
            return at, [above + 1 for above, _ in lines[:place]]
        return 0, []
    return 0, []


def _refuse_bare_title(text: str, path: str) -> None:
    """A `FileError` for a title above rows of scores, where a header would tell what the columns are."""
    lines = [(at, line) for at, line in enumerate(_LINE_END.split(text[:1_000_000])[:_FIRST_LINES], 1) if line.strip()]
    if len(lines) < 3 or any(mark in lines[0][1] for mark in '\t,;"#'):
        return
    mark = next((mark for mark in "\t,;" if mark in lines[1][1]), None)
    rows = [] if mark is None else [line.split(mark) for _, line in lines[1:3]]
    scored = rows and all(Notation.of(row[1:]).number(field) is not None for row in rows for field in row[1:])
    if scored and not any(" " in line.strip() for _, line in lines[1:3]) and len(rows[0]) == len(rows[1]):
        problem = "looks like a title above a table without a header; remove it, or write a header below it"
        raise FileError(path, [Problem(lines[0][0], problem)])


def _filled(fields: list[str]) -> int:
    return sum(bool(field.strip()) for field in fields)


def _without_remarks(table: Table) -> Table:
    """The table without remarks in several words below it, where no topic or system has a name of several words."""
    rows, end = table.rows, len(table.rows)
    width = Counter(map(len, rows)).most_common(1)[0][0]
    if table.separator == " " or width < 2:
        return table
    while end > 2 and _is_remark(rows[end - 1], width):
        end -= 1
    if end == len(rows) or any(_PHRASE.fullmatch(row[0].strip()) for row in rows[1:end]):
        return table
    said = tuple(f"line {line} is a remark below the table; it was not read" for line in table.lines[end:])
    return replace(table, rows=rows[:end], lines=table.lines[:end], steps=(*table.steps, *said))


def _is_remark(row: list[str], width: int) -> bool:
    return bool(_PHRASE.fullmatch(row[0].strip())) and (len(row) < width or _filled(row) == 1)


def _separator(text: str) -> str:
    """The mark in the first line that sets fields apart."""
    bare = _QUOTED.sub("", text[:1_000_000])
    lines = [line for line in re.split(r"[\r\n]", bare)[:_FIRST_LINES] if line.strip() and not line.startswith("#")]
    first = lines[0] if lines else ""
    found = next((mark for mark in "\t,;" if mark in first), " ")
    if found == "," and ";" in first:
        cells = [field.strip() for line in lines for field in line.split(";")]
        even = len({line.count(";") for line in lines}) == 1
        if even and all(_COMMA.fullmatch(cell) for cell in cells if "," in cell):
            return ";"  # every comma is a decimal one
    return found


def _cut(text: str, path: str) -> Table:
    separator = _separator(text)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for line, fields in _fields(text, separator):
            if not any(field.strip() for field in fields) or (not rows and fields[0].startswith("#")):
                continue
            rows.append(fields)
            lines.append(line)
    except csv.Error as error:
        raise FileError(
            path, [Problem(0, f"is not a well-formed table: {error}; are its lines and quotes complete?")]
        ) from None
    if not rows:
        raise FileError(path, [Problem(0, "contains no data lines; expected a table of scores")])
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


def _finite(field: str, what: str, line: int, problems: Problems, notation: Notation) -> float | None:
    """The score in a field (NaN if it is missing); anything else is a problem of its line."""
    value = notation.number(field)
    if value is None:
        problems.add(line, f"expected a finite number {what}, found {shown(field)}{notation.wrong(field)}")
    return value


# ── long ──────────────────────────────────────────────────────────────────────────────────────────────────


def parse_long(table: Table) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The columns of a long table (labels as text, ``value`` as numbers), and notes on how it is written."""
    header = table.rows[0]
    at = {part: header.index(name) for part, name in (long_columns(header) or {}).items()}
    place = at.pop("value")
    problems = Problems(table.path)
    notation = Notation.of(row[place] for row in table.rows[1:] if place < len(row))
    rows: list[tuple[str | float, ...]] = []
    for line, row in zip(table.lines[1:], table.rows[1:], strict=True):
        if len(row) != len(header):
            problems.add(line, _ragged(len(header), row))
            continue
        value = _finite(row[place], "as value", line, problems, notation)
        if value is None:
            continue
        if empty := next((part for part in at if not row[at[part]].strip()), None):
            problems.add(line, f"expected a {empty}, found nothing")
            continue
        rows.append((*(row[column] for column in at.values()), value))
    if not rows and not problems.total:
        problems.add(0, "holds a header and no scores")
    problems.raise_if_any()
    schema = {**dict.fromkeys(at, pl.String), "value": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row"), (*table.steps, *notation.steps)


def header_of(data: bytes) -> tuple[list[str], str, int] | None:
    """The names of the columns, the separator, and where the rows begin; None where quotes or line ends are not plain.

    >>> header_of(b"# made by hand\\nsystem,topic,value\\nbm25,1,0.5\\n")
    (['system', 'topic', 'value'], ',', 34)
    """
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        line = data[at:end]
        if b'"' in line or b"\r" in line.rstrip(b"\r"):
            return None
        if line.strip() and not line.startswith(b"#"):
            text = line.rstrip(b"\r").decode()
            separator = next((mark for mark in "\t,;" if mark in text), None)
            if separator is None or not any(part.strip() for part in text.split(separator)):
                return None
            return text.split(separator), separator, end + 1
        at = end + 1
    return None


def long_table(data: bytes) -> pl.DataFrame | None:
    """The columns of a large long table: the labels as text, ``value`` as numbers; None at any doubt."""
    head = header_of(data) if len(data) >= _LARGE else None
    if head is None or b'"' in data:
        return None
    names, separator, begin = head
    parts = long_columns(names)
    if parts is None or len(set(names)) < len(names) or CONTROL.search("".join(names)):
        return None
    body = memoryview(data)[begin:].tobytes()
    if body.startswith(BOM):
        return None  # it belongs to the first label, and the parser would take it off
    if not body.endswith(b"\n"):
        body += b"\n"  # else the parser would pass over a separator that ends it
    if b"\r" in body:
        body = body.replace(b"\r\n", b"\n")
        if b"\r" in body:
            return None
    schema = {name: pl.Float64 if name == parts["value"] else pl.String for name in names}
    try:
        frame = pl.read_csv(body, has_header=False, separator=separator, quote_char=None, schema=schema)
    except (pl.exceptions.PolarsError, ValueError):
        return None
    if not frame.height or any(frame.null_count().row(0)) or not frame[parts["value"]].is_finite().all():
        return None
    columns = {part: frame[name] for part, name in parts.items()}
    for name in (name for name in names if name != parts["value"]):
        labels = frame[name].unique()
        blank = name in parts.values() and (labels.str.strip_chars() == "").any()
        if blank or labels.str.contains(CONTROL.pattern).any():
            return None
    return pl.DataFrame([column.alias(part) for part, column in columns.items()])


def _ragged(expected: int, row: list[str]) -> str:
    return f"expected {expected} fields as in the first row, found {len(row)}: {shown(' '.join(row))}"


# ── wide ──────────────────────────────────────────────────────────────────────────────────────────────────


def parse_wide(table: Table, options: ReadOptions) -> ScoreMatrix:
    """A matrix from rows of topics; header and topic column are recognised unless told."""
    rows, lines = table.rows, table.lines
    notation = Notation.of(field for row in rows[1:] for field in row[len(row) > 1 :])
    steps = [*options.provenance, *table.steps, *notation.steps]
    has_header = _looks_like_header(table, notation) if options.header is None else options.header
    names = rows[0] if has_header else None
    body, body_lines = (rows[1:], lines[1:]) if has_header else (rows, lines)
    if not body:
        raise FileError(table.path, [Problem(0, "holds a header and no scores")])
    told = options.topic_column
    by_system = told is None and names is not None and _is_by_system(table, names, body, notation)
    has_topics = by_system or (_has_topic_column(table.path, names, body, notation) if told is None else told)
    width = len(body[0])
    # A header may leave the topics without a name; one that names its first column lacks another name.
    named = names is not None and (is_by_system(names[0]) or names[0].strip().casefold() in ("", *NAMES["topic"]))
    expected = {width} if names is None else {len(names)} | ({len(names) + 1} if has_topics and not named else set())
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
    values = _numbers(table, body, body_lines, width, has_topics, notation)
    transposed = names[0] if by_system and names is not None else None
    if by_system:
        values, topics, systems = values.T, systems, topics
    elif told is None and names is not None:
        try:
            refuse_unclear_sides(topics, systems, names[0] if len(names) == width else "")
        except DataError as error:
            raise FileError(table.path, [Problem(lines[0], str(error))]) from None
    measure, missing = options.measure or "score", options.missing
    try:
        return admit(values, topics, systems, measure, missing=missing, provenance=steps, transposed=transposed)
    except SummaryNameError as error:
        first_column = systems if by_system else topics
        at_side = error.kind == ("column" if by_system else "row")
        line = body_lines[first_column.index(error.label)] if at_side else lines[0]
        raise FileError(table.path, [Problem(line, str(error))]) from None


def _is_by_system(table: Table, names: list[str], body: list[list[str]], notation: Notation) -> bool:
    """Whether rows are systems and columns topics; a table of means of systems is refused."""
    labels = [row[0].strip() for row in body]
    worded = any(notation.number(label) is None for label in labels)
    first = names[0].strip().casefold()
    if len(names) != len(body[0]) or len(names) < 2 or first in NAMES["topic"]:
        return False
    numbered = all(_WHOLE.fullmatch(name.strip()) for name in names[1:])
    whole = all(_WHOLE.fullmatch(label) for label in labels)
    by_system = is_by_system(first) and (worded or (numbered and whole))
    # Without such a name, columns that are all measures, in names of two letters and more, tell as much.
    means = worded and not any(len(name.strip()) < 2 or is_summary_name(name) for name in names[1:])
    if (by_system or means) and holds_means(names[1:]):
        raise FileError(table.path, [Problem(table.lines[0], means_of_systems(names[1:]))])
    return by_system


def _looks_like_header(table: Table, notation: Notation) -> bool:
    row = table.rows[0]
    if row[0].strip().casefold() in ("", *NAMES["topic"]):
        return True
    if len(row) > 1 and notation.number(row[0]) is None:
        # Whole numbers that differ are labels of topics; other numbers are scores of a topic of that name.
        whole = [field.strip() for field in row[1:] if notation.number(field) is not None]
        differ = all(_WHOLE.fullmatch(field) for field in whole) and len(set(whole)) == len(whole)
        if differ and is_by_system(row[0]):
            return True
        # With any other name they are labels where the rows below hold fractions: counts have none.
        below = (notation.number(field) for one in table.rows[1:] for field in one[1:])
        fractions = any(value is not None and math.isfinite(value) and value % 1 for value in below)
        if differ and fractions and not {"0", "1"} >= set(whole):
            return True
    word = next((field for field in (row[1:] or row) if notation.number(field) is None), None)
    score = next(
        (field for field in row if (value := notation.number(field)) is not None and not math.isnan(value)), None
    )
    if word is None or score is None:
        return word is not None
    text = (
        f"cannot tell whether the first row is a header: {shown(score)} is a number, {shown(word)} is not. "
        "Correct it, name the topic column 'topic', or use header=True or header=False."
    )
    raise FileError(table.path, [Problem(table.lines[0], text)])


def _has_topic_column(path: str, names: list[str] | None, body: list[list[str]], notation: Notation) -> bool:
    if names is not None:
        if len(names) == len(body[0]) - 1 or names[0].strip().casefold() in ("", *NAMES["topic"]):
            return True
        if len(names) == 1:
            return False
    first = [row[0].strip() for row in body]
    if any(notation.number(field) is None for field in first):
        return True
    labels_like = all(_WHOLE.fullmatch(field) for field in first) and len(set(first)) == len(first)
    if not labels_like or len(body[0]) == 1 or max(float(field) for field in first) < 2:
        return False
    rest = [field.strip() for row in body for field in row[1:]]
    if names is None and not all(_WHOLE.fullmatch(field) for field in rest):
        return True
    name = f" {shown(names[0])}" if names else ""
    text = (
        f"cannot tell whether the first column{name} contains topics or scores: its whole numbers all differ. "
        "Name it 'topic' in a header, or use topic_column=True or topic_column=False."
    )
    raise FileError(path, [Problem(0, text)])


def _numbers(
    table: Table, body: list[list[str]], lines: list[int], width: int, has_topics: bool, notation: Notation
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    problems = Problems(table.path)
    values = np.full((len(body), width - has_topics), np.nan)
    for i, (line, row) in enumerate(zip(lines, body, strict=True)):
        if len(row) != width:
            problems.add(line, _ragged(width, row))
            continue
        for j, field in enumerate(row[has_topics:]):
            value = _finite(field, f"in column {j + 1 + has_topics + table.before}", line, problems, notation)
            if value is None:
                break
            values[i, j] = value
    problems.raise_if_any()
    return values


# ── tidy ──────────────────────────────────────────────────────────────────────────────────────────────────


def tidy_table(table: Table, measure: str | None = None) -> tuple[pl.DataFrame, TidyColumns] | None:
    """The table as text, but numbers in a column named like systems, and its parts; None when it is not tidy."""
    header, *rows = [[field.strip() for field in row] for row in table.rows]
    named = {name.casefold() for name in header}
    if not named & set(NAMES["topic"]) or len(named) < len(header):
        return None
    if not rows or any(len(row) != len(header) for row in rows):
        return None
    frame = pl.DataFrame(rows, schema=dict.fromkeys(header, pl.String), orient="row")
    for name in header:
        if name.casefold() in NAMES["system"] and all(score_number(one) is not None for one in frame[name]):
            frame = frame.with_columns(pl.lit(0.0).alias(name))
    parts = tidy_columns(frame, [] if measure is None else [measure])
    return None if parts is None else (frame, parts)


def parse_tidy(table: Table, system: str, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix per measure; settings in columns are systems called after `system`: ``ql(lambda=0.5)``."""
    made = tidy_table(table, options.measure)
    if made is None:
        text = "expected a header with system, topic and one column per measure, and as many fields on every line"
        raise FileError(table.path, [Problem(table.lines[0], text)])
    frame, parts = made
    problems = Problems(table.path)
    notation = Notation.of(field for name in parts.measures for field in frame[name].to_list())
    steps = (*options.provenance, *table.steps, *notation.steps)
    for name in parts.measures:
        fields = zip(table.lines[1:], frame[name].to_list(), strict=True)
        values = [_finite(field, f"as {name}", line, problems, notation) for line, field in fields]
        frame = frame.with_columns(pl.Series(name, values, dtype=pl.Float64))
    problems.raise_if_any()
    return from_tidy(frame, parts, name=system, missing=options.missing, provenance=steps)
