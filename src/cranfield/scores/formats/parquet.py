"""Parquet files of a wide or long table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.errors import ArgumentError, DataError, FileError, Problem
from cranfield.scores.formats import FORMATS, ReadOptions, ScoreFile, ScoreFormat

if TYPE_CHECKING:
    from cranfield.scores.matrix import ScoreMatrix


def recognise(file: ScoreFile) -> bool:
    """By the mark at its start; a file that is named so and is not one is an error."""
    if file.data.startswith(b"PAR1"):
        return True
    if file.ending in (".parquet", ".pq"):
        raise FileError(file.path, [Problem(0, "is named a parquet file and is not one")])
    return False


def read(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """The matrices of either table."""
    import numpy as np
    import polars as pl

    from cranfield.parquet import read_parquet
    from cranfield.scores.frames import MEANS_ONLY, from_long, from_wide, long_columns
    from cranfield.scores.per_run import SUMMARY_TOPIC

    measure, provenance = options.measure or file.measure, options.provenance
    try:
        frame = read_parquet(file.data, file.path)
        if (parts := long_columns(frame.columns)) is not None:
            rows = frame.height
            if frame[parts["topic"]].dtype == pl.String:  # as in text tables: summary rows are not scores
                frame = frame.filter(pl.col(parts["topic"]) != SUMMARY_TOPIC)
            if rows and not frame.height:
                raise DataError(MEANS_ONLY)
            if frame.height < rows:
                provenance += (f"{rows - frame.height} summary rows (topic 'all') not read",)
            matrices = list(from_long(frame, measure=measure, missing=options.missing).values())
        else:
            matrices = [from_wide(frame, measure=measure or "score", missing=options.missing)]
    except FileError:
        raise
    except pl.exceptions.PolarsError as error:
        raise FileError(file.path, [Problem(0, f"cannot be read as parquet: {str(error).splitlines()[0]}")]) from None
    except (DataError, ArgumentError) as error:
        raise FileError(file.path, [Problem(0, str(error))]) from None
    for matrix in matrices:
        if not np.isfinite(matrix.values).all():
            raise FileError(
                file.path, [Problem(0, f"{matrix.measure}: holds an infinite score; scores must be finite")]
            )
    return [matrix.note(*provenance) for matrix in matrices]


PARQUET = FORMATS.register(
    ScoreFormat(
        name="parquet",
        summary="a parquet file of a wide or long table",
        recognise=recognise,
        read=read,
        notes="written by the layouts wide and long when the name ends in `.parquet`",
        tried=10,
        rank=50,
    )
)
