"""JSON lines: the rows of a long, tidy or wide table, one object each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cranfield.errors import ArgumentError, DataError, FileError, Problem
from cranfield.scores.formats import FORMATS, ReadOptions, ScoreFile, ScoreFormat

if TYPE_CHECKING:
    from cranfield.scores.matrix import ScoreMatrix


def recognise(file: ScoreFile) -> bool:
    """Whether the first line is an object by itself."""
    first = file.text.lstrip().partition(b"\n")[0].strip()
    nested = first.count(b"{") > 1
    if file.ending == ".json":
        return False
    return file.ending in (".jsonl", ".ndjson") or (first[:1] == b"{" and first[-1:] == b"}" and not nested)


def read(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """The matrices of the table."""
    import polars as pl

    from cranfield.files import Problems
    from cranfield.json_text import json_objects
    from cranfield.scores.doors import from_frame

    problems, rows = Problems(file.path), []
    filled = ((number, line) for number, line in enumerate(file.text.splitlines(), 1) if line.strip())
    for number, row in json_objects(filled, problems.add):
        if endless := [key for key, value in row.items() if isinstance(value, float) and math.isinf(value)]:
            problems.add(number, f"the {endless[0]!r} is infinite; scores must be finite")
            continue
        rows.append(row)
    problems.raise_if_any()
    try:
        scores = from_frame(pl.DataFrame(rows, infer_schema_length=None), missing=options.missing,
                            measure=options.measure or file.measure)  # fmt: skip
    except (DataError, ArgumentError, pl.exceptions.PolarsError, TypeError, OverflowError) as error:
        raise FileError(file.path, [Problem(0, str(error).splitlines()[0])]) from None
    return [matrix.note(*options.provenance) for matrix in scores.values()]


JSONL = FORMATS.register(
    ScoreFormat(
        name="jsonl",
        summary="one JSON object per line: the rows of a long, tidy or wide table",
        recognise=recognise,
        read=read,
        notes="keys are the names of columns",
        tried=14,
        rank=70,
    )
)
