"""Strict readers of runs and judgments: whatever tool wrote the file, nothing is silently misread.

Two parsers stand side by side. The fast one hands tidied bytes to a columnar parser and gives up at the first
doubt; the careful one goes line by line, defines what is accepted, and says what is wrong with every line that
is not. Whatever the fast one accepts, the careful one reads to the same rows (a property test keeps it so).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.collection.types import QRELS_SCHEMA, RUN_SCHEMA, Qrels, Run
from cranfield.defaults import SYSTEM_NAME, SystemName
from cranfield.errors import DataError, notify
from cranfield.executors import map_in_order
from cranfield.files import DATASET, STDIN, Problems, check_text, decimal_comma, expand, read_bytes, shown, system_name

RUN_FIELDS = "topic Q0 document rank score tag"
QRELS_FIELDS = "topic iteration document relevance"
NTCIR_FIELDS = "topic document level"

_BLANKS = bytes.maketrans(b"\t\r\v\f", b"    ")
_FLOAT = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INTEGER = re.compile(rb"[+-]?\d+")
_LEVEL = re.compile(rb"L?([+-]?\d+)")
_INT32, _INT64 = 2**31, 2**63
_LONG = 100
"""Digits of a whole number that is too large in any case, so that it need not be read."""
_AHEAD = 2


def read_run(path: str | os.PathLike[str], *, lenient: bool = False, name: SystemName = SYSTEM_NAME) -> Run:
    """Read a run: TREC's six fields per line, ``topic Q0 document rank score tag``, or another known format.

    MS MARCO's lines, tables with a header, JSON and JSON lines are recognised by their content (docs/formats.md).

    Fields are separated by any mix of blanks and tabs; line ends may be LF or CRLF; a byte-order mark, blank
    lines and lines that start with ``#`` are skipped, and so is the ``<SYSDESC>`` line of NTCIR runs, which
    is reported in `Run.notes`. The file may be compressed (.gz, .bz2, .xz, .zst).

    Parameters
    ----------
    path : the file; ``-`` is standard input
    lenient : ignore fields after the run tag instead of refusing them
    name : ``"file"`` names the system after the file, ``"tag"`` after the run tag

    Raises
    ------
    FileError
        For a wrong number of fields, a score that is no finite number, a document twice in one topic, an empty
        or binary file, or bad UTF-8: with file and line; all problems counted, the first five shown.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "bm25.run")
    >>> _ = file.write_text("301 Q0 FT911-3 1 9.5 x\\n301 Q0 FT911-4 2 9.25 x\\n")
    >>> read_run(file)
    Run(bm25: 1 topics, 2 documents)
    """
    if (dataset := os.fspath(path)).startswith(DATASET):
        from cranfield.collection.datasets import dataset_run

        return dataset_run(dataset)
    return parse_run(read_bytes(path), path, lenient=lenient, name=name)


def parse_run(
    data: bytes, path: str | os.PathLike[str], *, lenient: bool = False, name: SystemName = SYSTEM_NAME
) -> Run:
    """`read_run` of bytes that were read already from the file."""
    label = os.fspath(path)
    data = check_text(data, label)
    parsed = _fast_run(data) or _other_run(data, label) or _careful_run(data, label, lenient)
    system = parsed.tag if name == "tag" or label == STDIN else system_name(label)
    return Run(parsed.frame, system, parsed.tag, parsed.notes)


def read_runs(
    paths: Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
    *,
    lenient: bool = False,
    name: SystemName = SYSTEM_NAME,
) -> Iterator[Run]:
    """Read runs one after the other from files, directories and globs; two runs of one system are an error.

    While one run is handed out the next are being read, so a few are in memory at a time.
    """
    seen: dict[str, str] = {}
    files = expand(paths)
    notify(files.skipped)
    reading = map_in_order(partial(read_run, lenient=lenient, name=name), files, workers=_AHEAD)
    for path, run in zip(files, reading, strict=True):
        if run.system in seen:
            raise DataError(same_system(run.system, seen[run.system], path))
        seen[run.system] = path
        yield run


def same_system(system: str, first: str, second: str) -> str:
    """The message for two files that claim to be the same system."""
    return (
        f"{second}: its system {system!r} was read from {first} already; rename one of the files, or "
        "choose where names come from (name='file' or name='tag')"
    )


def read_qrels(path: str | os.PathLike[str]) -> Qrels:
    """Read judgments: TREC's four fields ``topic iteration document relevance`` or NTCIR's ``topic document L2``.

    BEIR's TSV, tables with a header, JSON and JSON lines are recognised by their content (docs/formats.md).

    The iteration field becomes the subtopic (it names the subtopic in diversity judgments, also with NTCIR's
    levels). White space, comments, compression and strictness are those of `read_run`; relevance is an integer,
    written ``2`` or ``L2``, and may be negative.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "qrels.txt")
    >>> _ = file.write_text("0201 doc-1 L2\\n0201 doc-2 L0\\n")
    >>> read_qrels(file)
    Qrels(qrels.txt: 1 topics, 2 judgments, 1 relevant)
    """
    if (dataset := os.fspath(path)).startswith(DATASET):
        from cranfield.collection.datasets import dataset_qrels

        return dataset_qrels(dataset)
    return parse_qrels(read_bytes(path), path)


def parse_qrels(data: bytes, path: str | os.PathLike[str]) -> Qrels:
    """`read_qrels` of bytes that were read already from the file."""
    label = os.fspath(path)
    data = check_text(data, label)
    parsed = _fast_qrels(data) or _other_qrels(data, label) or _careful_qrels(data, label)
    return Qrels(parsed.frame, "stdin" if label == STDIN else os.path.basename(label), parsed.notes)  # noqa: PTH119


@dataclass(frozen=True)
class _Parsed:
    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    tag: str = ""


# ── the fast parser ───────────────────────────────────────────────────────────────────────────────────────


def _tidy(data: bytes) -> bytes:
    """One blank between fields, none at line ends, no empty lines: what a columnar parser can take."""
    data = data.translate(_BLANKS)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n")
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    return data.strip()


def _columns(data: bytes, schema: dict[str, type[pl.DataType]]) -> pl.DataFrame | None:
    """The data as columns; None when a line is not just so."""
    if b"\r" in data and b"\n" not in data.rstrip():
        return None  # old line ends
    used = [blank for blank in (b" ", b"\t", b"\r", b"\v", b"\f") if blank in data]
    if used in ([b" "], [b"\t"]) and (frame := _split(data, used[0].decode(), schema)) is not None:
        return frame
    return _split(_tidy(data), " ", schema)


def _split(data: bytes, separator: str, schema: dict[str, type[pl.DataType]]) -> pl.DataFrame | None:
    """Columns of lines with exactly one separator between fields; None when any line is not such a line."""
    try:
        frame = pl.read_csv(data, has_header=False, separator=separator, quote_char=None, schema=schema)
    except (pl.exceptions.PolarsError, ValueError):
        return None
    if any(frame.null_count().row(0)):
        return None
    marks = [mark for mark in ("#", "<") if mark.encode() in data]  # most files have neither anywhere
    return None if any(frame["topic"].str.starts_with(mark).any() for mark in marks) else frame


def _has_duplicates(*labels: pl.Series) -> bool:
    """Whether two rows may carry the same labels: never misses a pair, and may (hardly ever) cry wolf."""
    keys = np.zeros(len(labels[0]), dtype=np.uint64)
    for column in labels:
        keys = keys * np.uint64(0x9E3779B97F4A7C15) + column.hash().to_numpy()
    return _has_equals(keys)


def _has_equals(keys: NDArray[np.uint64]) -> bool:
    """Whether two keys are equal, without sorting all: keys are put in slots, and only evicted ones compared.

    Of two equal keys, one was evicted by the other, or both by a third.
    """
    bits = len(keys).bit_length() + 4
    slot = (keys >> np.uint64(64 - bits)).astype(np.int64)
    row = np.arange(len(keys), dtype=np.int32)
    last = np.empty(1 << bits, dtype=np.int32)
    last[slot] = row
    winner = last[slot]
    evicted = np.flatnonzero(winner != row)
    losers = np.sort(keys[evicted])
    return bool((keys[evicted] == keys[winner[evicted]]).any() or (losers[1:] == losers[:-1]).any())


def _fast_run(data: bytes) -> _Parsed | None:
    schema: dict[str, type[pl.DataType]] = {
        "topic": pl.String,
        "q0": pl.String,
        "document": pl.String,
        "rank": pl.Int64,
        "score": pl.Float64,
        "tag": pl.String,
    }
    frame = _columns(data, schema)
    if frame is None or not frame["score"].is_finite().all() or _has_duplicates(frame["topic"], frame["document"]):
        return None
    tag: str = frame["tag"][0]
    notes: tuple[str, ...] = ()
    if not (frame["tag"] == tag).all():
        notes = (_several_tags(frame["tag"].unique(maintain_order=True).to_list()),)
    return _Parsed(frame.select(*RUN_SCHEMA), notes, tag)


def _fast_qrels(data: bytes) -> _Parsed | None:
    frame = _columns(data, dict(QRELS_SCHEMA))
    if frame is None or _has_duplicates(frame["topic"], frame["subtopic"], frame["document"]):
        return None
    return _Parsed(frame)


# ── other formats ─────────────────────────────────────────────────────────────────────────────────────────


def _other_run(data: bytes, path: str) -> _Parsed | None:
    """A run in a format that is not TREC's; None where none is recognised."""
    from cranfield.collection.formats import CollectionFile, run_format

    file = CollectionFile(path, data)
    entry = run_format(file)
    return None if entry is None or entry.read_run is None else _Parsed(*entry.read_run(file))


def _other_qrels(data: bytes, path: str) -> _Parsed | None:
    """Judgments in a format that is not TREC's; None where none is recognised."""
    from cranfield.collection.formats import CollectionFile, qrels_format

    file = CollectionFile(path, data)
    entry = qrels_format(file)
    return None if entry is None or entry.read_qrels is None else _Parsed(*entry.read_qrels(file))


# ── the careful parser ────────────────────────────────────────────────────────────────────────────────────


class _Lines:
    """The data lines of a file with their numbers, split into fields; counts what it passes over."""

    def __init__(self, data: bytes, skip_markup: bool, widths: tuple[int, ...]) -> None:
        self.rows = data.split(b"\n") if b"\n" in data.rstrip() else data.replace(b"\r", b"\n").split(b"\n")
        self.skip_markup = skip_markup
        self.comments = 0
        self.markup: list[int] = []
        self.tabs = self._fields_by_tabs(widths)

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
        for number, line in enumerate(self.rows, 1):
            fields = [field.strip() for field in line.split(b"\t")] if self.tabs and line.strip() else line.split()
            if not fields:
                continue
            if fields[0].startswith(b"#"):
                self.comments += 1
            elif self.skip_markup and fields[0].startswith(b"<"):
                self.markup.append(number)
            else:
                yield number, fields, line

    def notes(self) -> list[str]:
        notes = []
        if self.comments:
            notes.append(f"{self.comments} comment line{'s' * (self.comments > 1)} skipped")
        if self.markup:
            where = ", ".join(str(number) for number in self.markup[:5])
            plural = "s" * (len(self.markup) > 1)
            notes.append(f"{len(self.markup)} markup line{plural} (such as <SYSDESC>) skipped: line{plural} {where}")
        return notes


def _comma(field: bytes) -> str:
    return decimal_comma(field.decode())


def _show(line: bytes) -> str:
    return shown(line.decode().strip())


def _count(fields: list[bytes]) -> str:
    return f"found {len(fields)} field{'s' * (len(fields) != 1)}"


def _careful_run(data: bytes, path: str, lenient: bool) -> _Parsed:
    lines, problems = _Lines(data, skip_markup=True, widths=(6,)), Problems(path)
    columns: dict[str, list[object]] = {"topic": [], "document": [], "rank": [], "score": []}
    first_seen: dict[tuple[bytes, bytes], int] = {}
    tags: dict[bytes, None] = {}
    longer = unranked = 0
    for number, fields, line in lines:
        if len(fields) < 6 or (len(fields) > 6 and not lenient):
            advice = "; lenient=True ignores fields after the run tag" if len(fields) > 6 else ""
            problems.add(number, f"expected 6 fields ({RUN_FIELDS}), {_count(fields)}: {_show(line)}{advice}")
            continue
        longer += len(fields) > 6
        topic, _, document, rank, score, tag = fields[:6]
        value = float(score) if _FLOAT.fullmatch(score) else float("nan")
        if not np.isfinite(value):
            problems.add(number, f"expected a finite number as score (field 5), found {_show(score)}{_comma(score)}")
            continue
        if (topic, document) in first_seen:
            problems.add(number, _twice(topic, document, first_seen[topic, document]))
            continue
        first_seen[topic, document] = number
        position = int(rank) if _INTEGER.fullmatch(rank) and len(rank) < _LONG else None
        if position is not None and not -_INT64 <= position < _INT64:
            position = None
        unranked += position is None
        tags.setdefault(tag)
        for column, content in zip(columns.values(), (topic.decode(), document.decode(), position, value), strict=True):
            column.append(content)
    if not first_seen and not problems.total:
        problems.add(0, f"holds no data lines; expected lines of 6 fields ({RUN_FIELDS})")
    problems.raise_if_any()
    notes = lines.notes()
    if longer:
        notes.append(f"fields after the run tag ignored on {longer} lines (lenient)")
    if unranked:
        notes.append(f"{unranked} ranks are not integers, so this run cannot be ordered by rank")
    if len(tags) > 1:
        notes.append(_several_tags([tag.decode() for tag in tags]))
    frame = pl.DataFrame(columns, schema=RUN_SCHEMA)
    return _Parsed(frame, tuple(notes), next(iter(tags)).decode())


def _careful_qrels(data: bytes, path: str) -> _Parsed:
    lines, problems = _Lines(data, skip_markup=False, widths=(3, 4)), Problems(path)
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
        match = _LEVEL.fullmatch(level)
        relevance = int(match[1]) if match and len(level) < _LONG else _INT32
        if not -_INT32 <= relevance < _INT32:
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
    return _Parsed(pl.DataFrame(columns, schema=QRELS_SCHEMA), tuple(lines.notes()))


def _twice(topic: bytes, document: bytes, first: int) -> str:
    return (
        f"document {_show(document)} comes twice in topic {_show(topic)} (first on line {first}); "
        "keep one line for each document"
    )


def _several_tags(tags: list[str]) -> str:
    return f"{len(tags)} different run tags in one file ({', '.join(tags[:3])}{', …' * (len(tags) > 3)})"
