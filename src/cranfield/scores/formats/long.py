"""Long tables: one row per system, topic and measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.errors import FileError, Problem
from cranfield.scores.formats import FORMATS, ReadOptions, ScoreFile, ScoreFormat

if TYPE_CHECKING:
    from cranfield.scores.matrix import ScoreMatrix, Scores


def recognise(file: ScoreFile) -> bool:
    """Whether the first row names the columns of a long table."""
    from cranfield.scores.text_tables import is_long

    return file.long is not None or is_long(file.table)


def read(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix per measure; a table without a system column is one system's, named after its file."""
    from cranfield.scores.text_tables import matrices_of_long, parse_long

    if file.long is not None:
        return matrices_of_long(
            file.long,
            file.path,
            system=file.stem,
            measure=options.measure or file.measure,
            missing=options.missing,
            provenance=options.provenance,
        )
    if not recognise(file):
        text = "expected a header with the columns system, topic, measure, value (or name, qid, measure, value)"
        raise FileError(file.path, [Problem(file.table.lines[0], text)])
    return parse_long(
        file.table,
        system=file.stem,
        measure=options.measure or file.measure,
        missing=options.missing,
        provenance=options.provenance,
    )


def write(scores: Scores, path: str) -> None:
    """The columns system, topic, measure, value; the ending says how the table is encoded."""
    from cranfield.scores.writers import write_table

    write_table(scores.to_long(), path)


LONG = FORMATS.register(
    ScoreFormat(
        name="long",
        summary="columns system, topic, measure, value in any order; PyTerrier's name, qid, measure, value",
        recognise=recognise,
        read=read,
        write=write,
        notes="an optional partition column; rows of topic `all` are left out and reported",
        tried=40,
        rank=20,
    )
)
