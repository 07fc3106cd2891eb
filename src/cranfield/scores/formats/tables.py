"""Tables of scores: wide, long and tidy ones in text, and parquet files of wide and long ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.core.errors import ArgumentError, DataError, FileError, Problem
from cranfield.scores.formats import FORMATS, ReadOptions, ScoreFile, ScoreFormat

if TYPE_CHECKING:
    from cranfield.scores.matrix import ScoreMatrix, Scores


def read_wide(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix; header and topic column are recognised unless told."""
    from cranfield.scores.text_tables import parse_wide

    return [parse_wide(file.table, options)]


def write_wide(scores: Scores, path: str) -> None:
    """One measure only; the ending says how the table is encoded."""
    from cranfield.scores.writers import write_table

    write_table(scores.only().to_wide(), path)


def is_long(file: ScoreFile) -> bool:
    """Whether the first row names the columns of a long table."""
    from cranfield.core.columns import long_columns

    return file.long is not None or long_columns(file.table.rows[0]) is not None


def read_long(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix per measure; a table without a system column is one system's, named after its file."""
    from dataclasses import replace

    from cranfield.scores.text_tables import matrices_of_long, parse_long, steps_of_long

    if not is_long(file):
        text = "expected a header with the columns system, topic, measure, value (or name, qid, measure, value)"
        raise FileError(file.path, [Problem(file.table.lines[0], text)])
    frame = parse_long(file.table) if file.long is None else file.long
    if file.long is None:
        options = replace(options, provenance=(*options.provenance, *steps_of_long(file.table)))
    return matrices_of_long(frame, file.path, file.stem, options)


def write_long(scores: Scores, path: str) -> None:
    """The columns system, topic, measure, value; the ending says how the table is encoded."""
    from cranfield.scores.writers import write_table

    write_table(scores.to_long(), path)


def is_tidy(file: ScoreFile) -> bool:
    """Whether the header names topics, and systems are named or topics come more than once."""
    from cranfield.scores.text_tables import tidy_table

    return tidy_table(file.table) is not None


def read_tidy(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix per measure; settings in columns are systems called after their file: ``ql(lambda=0.5)``."""
    from cranfield.scores.text_tables import parse_tidy

    return parse_tidy(file.table, file.stem, options)


def is_parquet(file: ScoreFile) -> bool:
    """By the mark at its start; a file that is named so and is not one is an error."""
    if file.data.startswith(b"PAR1"):
        return True
    if file.ending in (".parquet", ".pq"):
        raise FileError(file.path, [Problem(0, "is named a parquet file and is not one")])
    return False


def read_parquet(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """The matrices of either table."""
    import numpy as np
    import polars as pl

    from cranfield.core import parquet
    from cranfield.core.columns import long_columns
    from cranfield.scores.frames import MEANS_ONLY, from_long, from_wide, from_wide_by_system, is_wide_by_system

    measure, provenance = options.measure, options.provenance
    frame = parquet.read_parquet(file.data, file.path)
    try:
        if (parts := long_columns(frame.columns)) is not None:
            rows = frame.height
            if frame[parts["topic"]].dtype == pl.String:  # as in text tables: summary rows are not scores
                frame = frame.filter(pl.col(parts["topic"]) != "all")
            if rows and not frame.height:
                raise DataError(MEANS_ONLY)
            if frame.height < rows:
                provenance += (f"{rows - frame.height} summary rows (topic 'all') not read",)
            matrices = list(from_long(frame, measure=measure, missing=options.missing).values())
        elif "topic" not in frame.columns and frame.width and is_wide_by_system(frame):
            matrices = [from_wide_by_system(frame, measure=measure or "score", missing=options.missing)]
        else:
            matrices = [from_wide(frame, measure=measure or "score", missing=options.missing)]
    except pl.exceptions.PolarsError as error:
        raise FileError(file.path, [Problem(0, f"cannot be read as parquet: {str(error).splitlines()[0]}")]) from None
    except (DataError, ArgumentError) as error:
        raise FileError(file.path, [Problem(0, str(error))]) from None
    for matrix in matrices:
        if not np.isfinite(matrix.values).all():
            text = f"{matrix.measure}: holds an infinite score; scores must be finite"
            raise FileError(file.path, [Problem(0, text)])
    return [matrix.note(*provenance) for matrix in matrices]


FORMATS.register(
    ScoreFormat(
        name="wide",
        summary="one row per topic, one column per system; comma, semicolon, tab or blanks",
        recognise=lambda file: True,
        read=read_wide,
        write=write_wide,
        notes="header and topic column are recognised; where that is uncertain, name the column `topic`, or say so to "
        "`cranfield convert` (`--topic-column`, `--no-topic-column`, `--header`, `--no-header`). A name like "
        "`trec8.AP.csv` gives collection and measure",
        tried=50,
        rank=10,
    )
)
FORMATS.register(
    ScoreFormat(
        name="long",
        summary="columns system, topic, measure, value in any order; PyTerrier's name, qid, measure, value",
        recognise=is_long,
        read=read_long,
        write=write_long,
        notes="an optional partition column; rows of topic `all` are left out and reported",
        tried=40,
        rank=20,
    )
)
FORMATS.register(
    ScoreFormat(
        name="tidy",
        summary="columns system and topic, and one for each measure: `system,topic,AP,nDCG@10`",
        recognise=is_tidy,
        read=read_tidy,
        notes="without a system column, the columns before the measures are parameters: `query,lambda,P@10` in "
        "`ql.csv` holds the systems `ql(lambda=…)`, which tuning reads",
        tried=45,
        rank=25,
    )
)
FORMATS.register(
    ScoreFormat(
        name="parquet",
        summary="a parquet file of a wide or long table",
        recognise=is_parquet,
        read=read_parquet,
        notes="written by the layouts wide and long when the name ends in `.parquet`",
        tried=10,
        rank=50,
    )
)
