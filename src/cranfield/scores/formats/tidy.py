"""Tidy tables: one row per system (or setting) and topic, one column per measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.errors import DataError, FileError, Problem
from cranfield.scores.formats import FORMATS, ReadOptions, ScoreFile, ScoreFormat

if TYPE_CHECKING:
    import polars as pl

    from cranfield.scores.matrix import ScoreMatrix
    from cranfield.scores.tidy import TidyColumns


def _frame(file: ScoreFile) -> pl.DataFrame | None:
    """The table as text, but numbers in a column named like systems; None when lines differ in length."""
    import polars as pl

    from cranfield.scores.frames import LONG_NAMES
    from cranfield.scores.text_tables import number

    header, *rows = [[field.strip() for field in row] for row in file.table.rows]
    named = {name.casefold() for name in header}
    if not named & set(LONG_NAMES["topic"]) or len(named) < len(header):
        return None
    if not rows or any(len(row) != len(header) for row in rows):
        return None
    columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    return pl.DataFrame(
        {
            name: [0.0] * len(rows)
            if name.casefold() in LONG_NAMES["system"] and all(number(one) is not None for one in column)
            else column
            for name, column in columns.items()
        }
    )


def _columns(file: ScoreFile, measure: str | None = None) -> tuple[pl.DataFrame, TidyColumns] | None:
    from cranfield.scores.tidy import tidy_columns

    frame = _frame(file)
    parts = None if frame is None else tidy_columns(frame, [] if measure is None else [measure])
    return None if frame is None or parts is None else (frame, parts)


def recognise(file: ScoreFile) -> bool:
    """Whether the header names topics, and systems are named or topics come more than once."""
    return _columns(file) is not None


def read(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix per measure; settings in columns are systems called after their file: ``ql(lambda=0.5)``."""
    import polars as pl

    from cranfield.files import Problems, decimal_comma, shown
    from cranfield.scores.text_tables import number
    from cranfield.scores.tidy import from_tidy

    made = _columns(file, options.measure)
    if made is None:
        text = "expected a header with system, topic and one column per measure, and as many fields on every line"
        raise FileError(file.path, [Problem(file.table.lines[0], text)])
    frame, parts = made
    problems = Problems(file.path)
    for name in parts.measures:
        values = [number(field) for field in frame[name].to_list()]
        for line, field, value in zip(file.table.lines[1:], frame[name].to_list(), values, strict=True):
            if value is None:
                text = f"expected a finite number as {name}, found {shown(field)}{decimal_comma(field)}"
                problems.add(line, text)
        frame = frame.with_columns(pl.Series(name, values, dtype=pl.Float64))
    problems.raise_if_any()
    try:
        return from_tidy(
            frame, parts, name=file.stem, missing=options.missing, provenance=options.provenance
        )  # fmt: skip
    except DataError as error:
        raise FileError(file.path, [Problem(0, str(error))]) from None


TIDY = FORMATS.register(
    ScoreFormat(
        name="tidy",
        summary="columns system and topic, and one for each measure: `system,topic,AP,nDCG@10`",
        recognise=recognise,
        read=read,
        notes="without a system column, the columns before the measures are parameters: `query,lambda,P@10` in "
        "`ql.csv` holds the systems `ql(lambda=…)`, which tuning reads",
        tried=45,
        rank=25,
    )
)
