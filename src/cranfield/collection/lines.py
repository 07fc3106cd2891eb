"""Lines of runs and judgments as rows, by two parsers that agree.

The fast one hands the bytes to a columnar parser and gives up at the first doubt. That is the compiled one
(`collection.compiled`) where it is there, else polars, which wants tidied bytes. The careful one goes line by line,
defines what is accepted, and explains every line that is not. Both read the same rows from everything the fast one
accepts; property tests check that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.collection import compiled
from cranfield.collection.types import DECLARE, QRELS_SCHEMA, RUN_SCHEMA, GradeMap, Schema
from cranfield.core.labels import plural
from cranfield.core.text import BOM, Problems, decimal_comma, finite_number, shown

RUN_FIELDS = "topic Q0 document rank score tag"
QRELS_FIELDS = "topic iteration document relevance"
NTCIR_FIELDS = "topic document level"
NO_RUN = f"holds no data lines; expected lines of 6 fields ({RUN_FIELDS})"
RUN_COLUMNS: Schema = {
    "topic": pl.String,
    "q0": pl.String,
    "document": pl.String,
    "rank": pl.Int64,
    "score": pl.Float64,
    "tag": pl.String,
}
_LETTERS: dict[type[pl.DataType], str] = {pl.String: "s", pl.Int64: "l", pl.Int32: "i", pl.Float64: "g"}
"""Kinds of columns, as the compiled parser has them."""
_NTCIR: Schema = {"topic": pl.String, "document": pl.String, "level": pl.String}
_LEVELS: Schema = {"topic": pl.String, "subtopic": pl.String, "document": pl.String, "level": pl.String}
_BLANKS = bytes.maketrans(b"\t\r\v\f", b"    ")
_LEVEL = r"^L?[+-]?\d+$"
_WHOLE = re.compile(rb"([+-]?)0*(\d{1,19})")
"""A whole number; one with more digits is too large in any case."""
_INT32, _INT64 = 2**31, 2**63
_SLOTS = 8
"""Slots for each key in the search for equal ones."""
Pair = tuple[bytes, ...]

np.empty(1 << 24, dtype=np.uint8)
"""Allocated and freed without touching a byte. Linux's C library returns freed memory to the system at once, and
fetching new pages costs more than the parsing. It keeps pieces as large as the largest that was ever freed."""


@dataclass(frozen=True)
class Parsed:
    """A whole file: its rows, what was noticed, and the run tag."""

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    tag: str = ""


@dataclass(frozen=True)
class Noticed:
    """What some lines of a run hold besides their rows.

    Parameters
    ----------
    tags : the run tags, each once, in the order of their first lines
    comments : how many lines were comments
    markup : the numbers of lines such as ``<SYSDESC>``
    longer : how many lines had fields after the tag, which were left out
    unranked : how many ranks were no whole numbers
    """

    tags: list[str] = field(default_factory=list)
    comments: int = 0
    markup: tuple[int, ...] = ()
    longer: int = 0
    unranked: int = 0


@dataclass(frozen=True)
class RunBlock:
    """Some lines of a run: the rows, in the order of the lines, and what was noticed."""

    frame: pl.DataFrame
    noticed: Noticed

    def whole(self) -> Parsed:
        """The block as all of a file."""
        return Parsed(self.frame, run_notes([self.noticed]), first_tag([self.noticed]))


def run_notes(blocks: Sequence[Noticed]) -> tuple[str, ...]:
    """What to know about a run, from all of its blocks."""
    notes = _remarks(sum(one.comments for one in blocks), [line for one in blocks for line in one.markup])
    if longer := sum(one.longer for one in blocks):
        notes.append(f"fields after the run tag ignored on {longer} lines (lenient)")
    if unranked := sum(one.unranked for one in blocks):
        notes.append(f"{unranked} ranks are not integers, so this run cannot be ordered by rank")
    tags = list(dict.fromkeys(tag for one in blocks for tag in one.tags))
    if len(tags) > 1:
        notes.append(f"{len(tags)} different run tags in one file ({', '.join(tags[:3])}{', …' * (len(tags) > 3)})")
    return tuple(notes)


def first_tag(blocks: Sequence[Noticed]) -> str:
    """The tag of a run, from all of its blocks."""
    return next(tag for block in blocks for tag in block.tags)


def _remarks(comments: int, markup: Sequence[int] = ()) -> list[str]:
    """What was skipped: comments, and lines of markup with their numbers."""
    notes = []
    if comments:
        notes.append(f"{comments} comment line{'s' * (comments > 1)} skipped")
    if markup:
        where = ", ".join(str(number) for number in markup[:5])
        s = "s" * (len(markup) > 1)
        notes.append(f"{len(markup)} markup line{s} (such as <SYSDESC>) skipped: line{s} {where}")
    return notes


# ── fast ──────────────────────────────────────────────────────────────────────────────────────────────────


def fast_run(data: bytes) -> Parsed | None:
    """A whole run; None at any doubt."""
    block = fast_run_block(data)
    if block is None or has_duplicates(block.frame["topic"], block.frame["document"]):
        return None
    return block.whole()


def fast_run_block(data: bytes, first_line: int = 1) -> RunBlock | None:
    """Lines of a run, perhaps with duplicate documents; None at any doubt.

    Comments and markup are removed first, so that one remark does not slow the rest.
    """
    frame = _columns(data, RUN_COLUMNS, b"#<")
    remarks: list[tuple[int, bytes]] = []
    if frame is None:
        rest, remarks = _without_remarks(data, b"#<")
        frame = _columns(rest, RUN_COLUMNS, b"#<") if remarks else None
    if frame is None:
        return None
    markup = _line_numbers(data, [at for at, mark in remarks if mark == b"<"], first_line)
    same = bool((frame["tag"] == frame["tag"][0]).all())
    tags = [frame["tag"][0]] if same else frame["tag"].unique(maintain_order=True).to_list()
    return RunBlock(frame[list(RUN_SCHEMA)], Noticed(tags, len(remarks) - len(markup), markup))


def fast_qrels(data: bytes) -> Parsed | None:
    """Whole judgments, with TREC's numbers or NTCIR's levels; None at any doubt."""
    if data[:256].lstrip().startswith(b"{"):
        return None  # JSON, of which a first part may look like NTCIR's three fields
    frame = _judgments(data)
    comments: list[tuple[int, bytes]] = []
    if frame is None:
        rest, comments = _without_remarks(data, b"#")
        frame = _judgments(rest) if comments else None
    if frame is None or has_duplicates(frame["topic"], frame["subtopic"], frame["document"]):
        return None
    return Parsed(frame, tuple(_remarks(len(comments))))


def _without_remarks(data: bytes, marks: bytes) -> tuple[bytes, list[tuple[int, bytes]]]:
    """The data without lines that begin with one of the marks; where each of these stood, and its mark."""
    if not any(mark in data for mark in marks) or b"\n" not in data.rstrip():
        return data, []
    remark = re.compile(rb"(?m)^[ \t\r\v\f]*([%b]).*\n?" % marks)
    return remark.sub(b"", data), [(one.start(1), one[1]) for one in remark.finditer(data)]


def _line_numbers(data: bytes, places: Sequence[int], first_line: int) -> tuple[int, ...]:
    """The numbers of the lines in which these bytes stand, in one pass.

    >>> _line_numbers(b"a\\n\\nb c\\nd", [3, 5, 7], 10)
    (12, 12, 13)
    """
    between = (data.count(b"\n", start, stop) for start, stop in pairwise([0, *places]))
    return tuple(accumulate(between, initial=first_line))[1:]


def _judgments(data: bytes) -> pl.DataFrame | None:
    """Judgments whose levels are written ``2`` or ``L2``; None where one is not, or is too large."""
    width = len(data.lstrip().partition(b"\n")[0].split())
    if width not in (3, 4):
        return None
    frame = _columns(data, QRELS_SCHEMA, b"#") if width == 4 else None
    if frame is not None:
        return frame
    frame = _columns(data, _LEVELS if width == 4 else _NTCIR, b"#")
    if frame is None or not frame["level"].str.contains(_LEVEL).all():
        return None
    relevance = frame["level"].str.strip_prefix("L").cast(pl.Int32, strict=False)
    if relevance.null_count():
        return None
    if width == 3:
        frame = frame.with_columns(subtopic=pl.lit("0"))
    return frame.with_columns(relevance=relevance).select(*QRELS_SCHEMA)


def _tidy(data: bytes) -> bytes:
    """One blank between fields, none at line ends, no empty lines: what a columnar parser can take."""
    data = data.translate(_BLANKS)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n")
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    return data.strip()


class _Batch:
    """What the compiled parser gives, as polars takes it."""

    def __init__(self, batch: tuple[Any, Any]) -> None:
        self.batch = batch

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        return self.batch


def _columns(data: bytes, schema: Schema, marks: bytes) -> pl.DataFrame | None:
    """The data as columns, perhaps without that of Q0; None when a line does not fit."""
    if compiled.has_old_ends(data):
        return None
    if compiled.columns is not None:
        letters = "".join("-" if name == "q0" else _LETTERS[kind] for name, kind in schema.items())
        batch = compiled.columns(data, letters, marks.decode())
        if batch is None:
            return None
        compact = pl.DataFrame(_Batch(batch))
        compact.columns = [name for name in schema if name != "q0"]
        return compact
    used = [blank for blank in (b" ", b"\t", b"\r", b"\v", b"\f") if blank in data]
    if used in ([b" "], [b"\t"]) and (frame := _split(data, used[0].decode(), schema, marks)) is not None:
        return frame
    return _split(_tidy(data), " ", schema, marks)


def _split(data: bytes, separator: str, schema: Schema, marks: bytes) -> pl.DataFrame | None:
    """Columns of lines with exactly one separator between fields; None when any line is not such a line."""
    if data.startswith(BOM):
        return None  # no longer at the start of the file, so part of an id; the columnar parser would drop it
    try:
        frame = pl.read_csv(data, has_header=False, separator=separator, quote_char=None, schema=schema)
    except (pl.exceptions.PolarsError, ValueError):
        return None
    if not frame.height or any(frame.null_count().row(0)):
        return None
    met = [chr(mark) for mark in marks if mark in data]  # most files have neither anywhere
    if any(frame["topic"].str.starts_with(mark).any() for mark in met):
        return None
    return frame if all(one.is_finite().all() for one in frame if one.dtype == pl.Float64) else None


def has_duplicates(*labels: pl.Series) -> bool:
    """Whether two rows may have the same labels; no false negatives, rare false positives."""
    keys = np.zeros(len(labels[0]), dtype=np.uint64)
    for column in labels:
        keys = keys * np.uint64(0x9E3779B97F4A7C15) + column.hash().to_numpy()
    return has_equals(keys)


def has_equals(keys: NDArray[np.uint64]) -> bool:
    """Whether two keys are equal."""
    ordered = np.sort(keys)
    return bool((ordered[1:] == ordered[:-1]).any())


# ── careful ───────────────────────────────────────────────────────────────────────────────────────────────


class Lines:
    """The data lines of a file or block with their numbers, split into fields; skipped lines are counted.

    Parameters
    ----------
    data : the bytes
    skip_markup : whether lines that begin with ``<`` are skipped
    widths : how many fields a line may have
    first_line : the number of the first line; given for a block of whole lines, in which blanks set fields apart and LF
        ends lines
    """

    def __init__(self, data: bytes, skip_markup: bool, widths: tuple[int, ...], first_line: int | None = None) -> None:
        by_lf = first_line is not None or b"\n" in data.rstrip()
        self.rows = data.split(b"\n") if by_lf else data.replace(b"\r", b"\n").split(b"\n")
        self.first_line = 1 if first_line is None else first_line
        self.skip_markup = skip_markup
        self.comments = 0
        self.markup: list[int] = []
        self.tabs = first_line is None and self._fields_by_tabs(widths)

    def _fields_by_tabs(self, widths: tuple[int, ...]) -> bool:
        """Whether only tabs separate fields, so that ids may hold blanks: tabs fit the format and blanks do not."""
        lines = [line for line in self.rows if line.strip() and not line.lstrip().startswith((b"#", b"<"))]
        by_blanks = {len(line.split()) for line in lines}
        by_tabs = {line.count(b"\t") + 1 for line in lines}
        if (len(by_blanks) == 1 and by_blanks <= set(widths)) or len(by_tabs) != 1 or not by_tabs <= set(widths):
            return False
        # Words after a run's tag are not its name: blanks in the last field alone make no ids with blanks.
        return any(b" " in field.strip() for line in lines for field in line.split(b"\t")[:-1])

    def __iter__(self) -> Iterator[tuple[int, list[bytes], bytes]]:
        for number, line in enumerate(self.rows, self.first_line):
            fields = [field.strip() for field in line.split(b"\t")] if self.tabs and line.strip() else line.split()
            if not fields:
                continue
            if fields[0].startswith(b"#"):
                self.comments += 1
            elif self.skip_markup and fields[0].startswith(b"<"):
                self.markup.append(number)
            else:
                yield number, fields, line


def _whole_number(field: bytes, bound: int) -> int | None:
    """The whole number in a field; None where there is none, or where it is outside −bound to bound − 1.

    >>> _whole_number(b"+0007", 8), _whole_number(b"-8", 8), _whole_number(b"8", 8), _whole_number(b"7.0", 8)
    (7, -8, None, None)
    """
    match = _WHOLE.fullmatch(field)
    value = int(match[1] + match[2]) if match else bound
    return value if -bound <= value < bound else None


def _show(line: bytes) -> str:
    return shown(line.decode().strip())


def _found(fields: list[bytes], line: bytes) -> str:
    return f"found {plural(len(fields), 'field')}: {_show(line)}"


def careful_run(data: bytes, path: str, lenient: bool) -> Parsed:
    """A whole run, or a `FileError` that explains the problems."""
    problems = Problems(path)
    block = _run_rows(Lines(data, skip_markup=True, widths=(6,)), lenient, problems, {})
    if not block.frame.height and not problems.total:
        problems.add(0, NO_RUN)
    problems.raise_if_any()
    return block.whole()


def careful_run_block(data: bytes, lenient: bool, first_line: int, problems: Problems) -> RunBlock:
    """Whole lines of a run, perhaps with duplicate documents; problems go to `problems`."""
    return _run_rows(Lines(data, True, (6,), first_line), lenient, problems, None)


def careful_duplicates(
    data: bytes, lenient: bool, first_line: int, topics: set[bytes], seen: dict[Pair, int]
) -> Iterator[tuple[int, str]]:
    """The lines of some topics that repeat a document (`seen` holds the first lines), each with its message."""
    for number, fields, _ in Lines(data, True, (6,), first_line):
        sound = len(fields) == 6 or (len(fields) > 6 and lenient)
        if fields[0] not in topics or not sound or finite_number(fields[4].decode()) is None:
            continue
        if (pair := (fields[0], fields[2])) in seen:
            yield number, _twice(fields[0], fields[2], seen[pair])
        else:
            seen[pair] = number


def _run_rows(lines: Lines, lenient: bool, problems: Problems, first_seen: dict[Pair, int] | None) -> RunBlock:
    rows: list[tuple[str, str, int | None, float]] = []
    tags: dict[str, None] = {}
    longer = unranked = 0
    for number, fields, line in lines:
        if len(fields) < 6 or (len(fields) > 6 and not lenient):
            advice = "; lenient=True ignores fields after the run tag" if len(fields) > 6 else ""
            problems.add(number, f"expected 6 fields ({RUN_FIELDS}), {_found(fields, line)}{advice}")
            continue
        longer += len(fields) > 6
        topic, _, document, rank, score, tag = fields[:6]
        value = finite_number(text := score.decode())
        if value is None:
            comma = decimal_comma(text)
            problems.add(number, f"expected a finite number as score (field 5), found {_show(score)}{comma}")
            continue
        if first_seen is not None and (first := first_seen.setdefault((topic, document), number)) != number:
            problems.add(number, _twice(topic, document, first))
            continue
        position = _whole_number(rank, _INT64)
        unranked += position is None
        tags.setdefault(tag.decode())
        rows.append((topic.decode(), document.decode(), position, value))
    frame = pl.DataFrame(rows, schema=RUN_SCHEMA, orient="row")
    return RunBlock(frame, Noticed(list(tags), lines.comments, tuple(lines.markup), longer, unranked))


def careful_qrels(data: bytes, path: str, grades: GradeMap | None = None) -> Parsed:
    """Whole judgments, or a `FileError` that explains the problems; with `grades`, their levels by that mapping."""
    lines, problems = Lines(data, skip_markup=False, widths=(3, 4)), Problems(path)
    rows: list[tuple[str, str, str, int]] = []
    first_seen: dict[Pair, int] = {}
    wanted = {3: f"3 fields ({NTCIR_FIELDS})", 4: f"4 fields ({QRELS_FIELDS})"}
    either = f"{wanted[4]} or 3 ({NTCIR_FIELDS})"
    expected: int | None = None
    for number, fields, line in lines:
        if len(fields) not in (3, 4) or expected not in (None, len(fields)):
            problems.add(number, f"expected {wanted.get(expected or 0, either)}, {_found(fields, line)}")
            continue
        expected = len(fields)
        topic, subtopic, document, level = fields if expected == 4 else (fields[0], b"0", *fields[1:])
        grade = finite_number(level.removeprefix(b"L").decode())
        if grades is None:
            relevance = _whole_number(level.removeprefix(b"L"), _INT32)
        else:
            relevance = None if grade is None else grades.level(grade)
        if relevance is None:
            kind = "an integer (2 or L2)" if grades is None else f"a grade of `map` {grades.written}"
            declare = DECLARE if grades is None and grade is not None and b"." in level else ""
            problems.add(number, f"expected {kind} as relevance (field {expected}), found {_show(level)}{declare}")
            continue
        if (first := first_seen.setdefault((topic, subtopic, document), number)) != number:
            problems.add(number, _twice(topic, document, first))
            continue
        rows.append((topic.decode(), subtopic.decode(), document.decode(), relevance))
    if not first_seen and not problems.total:
        problems.add(0, f"holds no data lines; expected lines of {either}")
    problems.raise_if_any()
    return Parsed(pl.DataFrame(rows, schema=QRELS_SCHEMA, orient="row"), tuple(_remarks(lines.comments, lines.markup)))


def _twice(topic: bytes, document: bytes, first: int) -> str:
    return (
        f"document {_show(document)} occurs twice in topic {_show(topic)} (first on line {first}); "
        "keep one line per document"
    )
