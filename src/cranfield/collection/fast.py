"""The fast parser of runs and judgments: tidied bytes through a columnar parser, which gives up at the first doubt.

What it accepts, the careful parser (`collection.careful`) reads to the same rows; property tests keep it so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np
import polars as pl

from cranfield.collection.packed import has_equals
from cranfield.collection.parsed import Noticed, Parsed, RunBlock, run_notes
from cranfield.collection.schemas import QRELS_SCHEMA, RUN_SCHEMA
from cranfield.files import BOM

Schema = dict[str, type[pl.DataType]]

_BLANKS = bytes.maketrans(b"\t\r\v\f", b"    ")
_COMMENT = re.compile(rb"(?m)^[ \t\r\v\f]*#.*\n?")
_REMARK = re.compile(rb"(?m)^[ \t\r\v\f]*([#<]).*\n?")
_LEVEL = r"^L?[+-]?\d+$"

RUN_COLUMNS: Schema = {
    "topic": pl.String,
    "q0": pl.String,
    "document": pl.String,
    "rank": pl.Int64,
    "score": pl.Float64,
    "tag": pl.String,
}
_LEVELS: Schema = {"topic": pl.String, "subtopic": pl.String, "document": pl.String, "level": pl.String}
_NTCIR: Schema = {"topic": pl.String, "document": pl.String, "level": pl.String}


def fast_run(data: bytes) -> Parsed | None:
    """A whole run; None at any doubt."""
    block = fast_run_block(data)
    if block is None or has_duplicates(block.frame["topic"], block.frame["document"]):
        return None
    return Parsed(block.frame, run_notes([block.noticed]), block.noticed.tags[0])


def fast_run_block(data: bytes, first_line: int = 1) -> RunBlock | None:
    """Lines of a run, whose documents may still come twice; None at any doubt.

    Comments and markup are taken out first where there are any, so that one remark costs nothing else.
    """
    frame = _columns(data, RUN_COLUMNS)
    comments = 0
    markup: tuple[int, ...] = ()
    if frame is None and (b"#" in data or b"<" in data) and b"\n" in data.rstrip():
        remarks = list(_REMARK.finditer(data))
        if remarks:
            comments = sum(one[1] == b"#" for one in remarks)
            markup = _line_numbers(data, [one.start(1) for one in remarks if one[1] == b"<"], first_line)
            frame = _columns(_REMARK.sub(b"", data), RUN_COLUMNS)
    if frame is None or not frame["score"].is_finite().all():
        return None
    tag: str = frame["tag"][0]
    same = bool((frame["tag"] == tag).all())
    tags = [tag] if same else frame["tag"].unique(maintain_order=True).to_list()
    return RunBlock(frame.select(*RUN_SCHEMA), Noticed(tags, comments, markup))


def _line_numbers(data: bytes, places: Sequence[int], first_line: int) -> tuple[int, ...]:
    """The numbers of the lines in which these bytes stand, in one pass.

    >>> _line_numbers(b"a\\n\\nb c\\nd", [3, 5, 7], 10)
    (12, 12, 13)
    """
    between = (data.count(b"\n", start, stop) for start, stop in pairwise([0, *places]))
    return tuple(accumulate(between, initial=first_line))[1:]


def fast_qrels(data: bytes) -> Parsed | None:
    """Whole judgments, with TREC's numbers or NTCIR's levels; None at any doubt."""
    if data[:256].lstrip().startswith(b"{"):
        return None  # JSON, of which a first part may look like NTCIR's three fields
    comments = 0
    frame = _judgments(data)
    if frame is None and b"#" in data and b"\n" in data.rstrip():
        data, comments = _COMMENT.subn(b"", data)
        frame = _judgments(data) if comments else None
    if frame is None or has_duplicates(frame["topic"], frame["subtopic"], frame["document"]):
        return None
    notes = (f"{comments} comment line{'s' * (comments > 1)} skipped",) if comments else ()
    return Parsed(frame, notes)


def _judgments(data: bytes) -> pl.DataFrame | None:
    width = len(data.lstrip().partition(b"\n")[0].split())
    if width == 4:
        frame = _columns(data, dict(QRELS_SCHEMA), marks=("#",))
        return frame if frame is not None else _with_levels(_columns(data, _LEVELS, marks=("#",)))
    return _with_levels(_columns(data, _NTCIR, marks=("#",))) if width == 3 else None


def _with_levels(frame: pl.DataFrame | None) -> pl.DataFrame | None:
    """Judgments whose levels are written ``2`` or ``L2``; None where one is not, or is too large."""
    if frame is None or not frame["level"].str.contains(_LEVEL).all():
        return None
    relevance = frame["level"].str.strip_prefix("L").cast(pl.Int32, strict=False)
    if relevance.null_count():
        return None
    if "subtopic" not in frame.columns:
        frame = frame.with_columns(pl.lit("0").alias("subtopic"))
    return frame.with_columns(relevance.alias("relevance")).select(*QRELS_SCHEMA)


def _tidy(data: bytes) -> bytes:
    """One blank between fields, none at line ends, no empty lines: what a columnar parser can take."""
    data = data.translate(_BLANKS)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n")
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    return data.strip()


def _columns(data: bytes, schema: Schema, marks: tuple[str, ...] = ("#", "<")) -> pl.DataFrame | None:
    """The data as columns; None when a line is not just so."""
    if b"\r" in data and b"\n" not in data.rstrip():
        return None  # old line ends
    used = [blank for blank in (b" ", b"\t", b"\r", b"\v", b"\f") if blank in data]
    if used in ([b" "], [b"\t"]) and (frame := _split(data, used[0].decode(), schema, marks)) is not None:
        return frame
    return _split(_tidy(data), " ", schema, marks)


def _split(data: bytes, separator: str, schema: Schema, marks: tuple[str, ...]) -> pl.DataFrame | None:
    """Columns of lines with exactly one separator between fields; None when any line is not such a line."""
    if data.startswith(BOM):
        return None  # no longer at the start of the file, so part of an id; the columnar parser would drop it
    try:
        frame = pl.read_csv(data, has_header=False, separator=separator, quote_char=None, schema=schema)
    except (pl.exceptions.PolarsError, ValueError):
        return None
    if not frame.height or any(frame.null_count().row(0)):
        return None
    met = [mark for mark in marks if mark.encode() in data]  # most files have neither anywhere
    return None if any(frame["topic"].str.starts_with(mark).any() for mark in met) else frame


def has_duplicates(*labels: pl.Series) -> bool:
    """Whether two rows may carry the same labels: never misses a pair, and may (hardly ever) cry wolf."""
    keys = np.zeros(len(labels[0]), dtype=np.uint64)
    for column in labels:
        keys = keys * np.uint64(0x9E3779B97F4A7C15) + column.hash().to_numpy()
    return has_equals(keys)
