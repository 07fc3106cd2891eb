"""The careful parser of runs and judgments: line by line. It defines what is accepted and explains what is not."""

from __future__ import annotations

import re
from collections.abc import Iterator

import polars as pl

from cranfield.collection.parsed import Noticed, Parsed, RunBlock, finite_number, remarks, run_notes
from cranfield.collection.schemas import QRELS_SCHEMA, RUN_SCHEMA
from cranfield.files import Problems, decimal_comma, shown

RUN_FIELDS = "topic Q0 document rank score tag"
QRELS_FIELDS = "topic iteration document relevance"
NTCIR_FIELDS = "topic document level"

_WHOLE = re.compile(rb"([+-]?)0*(\d{1,19})")
"""A whole number; one of more digits is too large in any case, so that it need not be read."""
_INT32, _INT64 = 2**31, 2**63


class Lines:
    """The data lines of a file (or of a block of it) with their numbers, split into fields; counts what it passes over.

    Parameters
    ----------
    data : the bytes
    skip_markup : whether lines that begin with ``<`` are passed over
    widths : how many fields a line may have
    first_line : the number of the first line
    block : whether the data are a block of whole lines, in which blanks set fields apart and LF ends lines
    """

    def __init__(
        self, data: bytes, skip_markup: bool, widths: tuple[int, ...], first_line: int = 1, block: bool = False
    ) -> None:
        by_lf = block or b"\n" in data.rstrip()
        self.rows = data.split(b"\n") if by_lf else data.replace(b"\r", b"\n").split(b"\n")
        self.first_line = first_line
        self.skip_markup = skip_markup
        self.comments = 0
        self.markup: list[int] = []
        self.tabs = not block and self._fields_by_tabs(widths)

    def _fields_by_tabs(self, widths: tuple[int, ...]) -> bool:
        """Whether tabs alone set fields apart, so that ids may hold blanks: when blanks make no sense and tabs do."""
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
    """The whole number that a field writes; None where it is none, or not from −bound to bound − 1.

    >>> _whole_number(b"+0007", 8), _whole_number(b"-8", 8), _whole_number(b"8", 8), _whole_number(b"7.0", 8)
    (7, -8, None, None)
    """
    match = _WHOLE.fullmatch(field)
    value = int(match[1] + match[2]) if match else bound
    return value if -bound <= value < bound else None


def _comma(field: bytes) -> str:
    return decimal_comma(field.decode())


def _show(line: bytes) -> str:
    return shown(line.decode().strip())


def _count(fields: list[bytes]) -> str:
    return f"found {len(fields)} field{'s' * (len(fields) != 1)}"


def careful_run(data: bytes, path: str, lenient: bool) -> Parsed:
    """A whole run, or a `FileError` that says what is wrong with it."""
    problems, first_seen = Problems(path), dict[tuple[bytes, bytes], int]()
    block = _run_rows(Lines(data, skip_markup=True, widths=(6,)), lenient, problems, first_seen)
    if not block.frame.height and not problems.total:
        problems.add(0, NO_RUN)
    problems.raise_if_any()
    return Parsed(block.frame, run_notes([block.noticed]), block.noticed.tags[0])


NO_RUN = f"holds no data lines; expected lines of 6 fields ({RUN_FIELDS})"


def careful_run_block(data: bytes, lenient: bool, first_line: int, problems: Problems) -> RunBlock:
    """Whole lines of a run, whose documents may still come twice; what is wrong goes to `problems`."""
    lines = Lines(data, skip_markup=True, widths=(6,), first_line=first_line, block=True)
    return _run_rows(lines, lenient, problems, None)


def careful_duplicates(
    data: bytes, lenient: bool, first_line: int, topics: set[bytes], seen: dict[tuple[bytes, bytes], int]
) -> Iterator[tuple[int, str]]:
    """The lines of some topics whose document came before (`seen` remembers where), and what to say of each."""
    lines = Lines(data, skip_markup=True, widths=(6,), first_line=first_line, block=True)
    for number, fields, _ in lines:
        if (
            fields[0] not in topics
            or len(fields) < 6
            or (len(fields) > 6 and not lenient)
            or finite_number(fields[4]) is None
        ):
            continue
        if (pair := (fields[0], fields[2])) in seen:
            yield number, _twice(*pair, seen[pair])
        else:
            seen[pair] = number


def _run_rows(
    lines: Lines, lenient: bool, problems: Problems, first_seen: dict[tuple[bytes, bytes], int] | None
) -> RunBlock:
    columns: dict[str, list[object]] = {"topic": [], "document": [], "rank": [], "score": []}
    tags: dict[bytes, None] = {}
    longer = unranked = 0
    for number, fields, line in lines:
        if len(fields) < 6 or (len(fields) > 6 and not lenient):
            advice = "; lenient=True ignores fields after the run tag" if len(fields) > 6 else ""
            problems.add(number, f"expected 6 fields ({RUN_FIELDS}), {_count(fields)}: {_show(line)}{advice}")
            continue
        longer += len(fields) > 6
        topic, _, document, rank, score, tag = fields[:6]
        value = finite_number(score)
        if value is None:
            problems.add(number, f"expected a finite number as score (field 5), found {_show(score)}{_comma(score)}")
            continue
        if first_seen is not None:
            if (topic, document) in first_seen:
                problems.add(number, _twice(topic, document, first_seen[topic, document]))
                continue
            first_seen[topic, document] = number
        position = _whole_number(rank, _INT64)
        unranked += position is None
        tags.setdefault(tag)
        for column, content in zip(columns.values(), (topic.decode(), document.decode(), position, value), strict=True):
            column.append(content)
    frame = pl.DataFrame(columns, schema=RUN_SCHEMA)
    noticed = Noticed([tag.decode() for tag in tags], lines.comments, tuple(lines.markup), longer, unranked)
    return RunBlock(frame, noticed)


def careful_qrels(data: bytes, path: str) -> Parsed:
    """Whole judgments, or a `FileError` that says what is wrong with them."""
    lines, problems = Lines(data, skip_markup=False, widths=(3, 4)), Problems(path)
    columns: dict[str, list[object]] = {"topic": [], "subtopic": [], "document": [], "relevance": []}
    first_seen: dict[tuple[bytes, bytes, bytes], int] = {}
    expected: int | None = None
    for number, fields, line in lines:
        if len(fields) not in (3, 4) or expected not in (None, len(fields)):
            wanted = {None: f"4 fields ({QRELS_FIELDS}) or 3 ({NTCIR_FIELDS})", 3: f"3 fields ({NTCIR_FIELDS})"}
            text = wanted.get(expected, f"4 fields ({QRELS_FIELDS})")
            problems.add(number, f"expected {text}, {_count(fields)}: {_show(line)}")
            continue
        expected = len(fields)
        topic, subtopic, document, level = fields if expected == 4 else (fields[0], b"0", *fields[1:])
        relevance = _whole_number(level.removeprefix(b"L"), _INT32)
        if relevance is None:
            problems.add(number, f"expected an integer (2 or L2) as relevance (field {expected}), found {_show(level)}")
            continue
        if (topic, subtopic, document) in first_seen:
            problems.add(number, _twice(topic, document, first_seen[topic, subtopic, document]))
            continue
        first_seen[topic, subtopic, document] = number
        row = (topic.decode(), subtopic.decode(), document.decode(), relevance)
        for column, content in zip(columns.values(), row, strict=True):
            column.append(content)
    if not first_seen and not problems.total:
        problems.add(0, f"holds no data lines; expected lines of 4 fields ({QRELS_FIELDS}) or 3 ({NTCIR_FIELDS})")
    problems.raise_if_any()
    return Parsed(pl.DataFrame(columns, schema=QRELS_SCHEMA), tuple(remarks(lines.comments, lines.markup)))


def _twice(topic: bytes, document: bytes, first: int) -> str:
    return (
        f"document {_show(document)} comes twice in topic {_show(topic)} (first on line {first}); "
        "keep one line for each document"
    )
