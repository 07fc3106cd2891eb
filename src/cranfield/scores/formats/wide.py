"""Wide tables: one row per topic, one column per system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.scores.formats import FORMATS, ReadOptions, ScoreFile, ScoreFormat

if TYPE_CHECKING:
    from cranfield.scores.matrix import ScoreMatrix, Scores


def recognise(file: ScoreFile) -> bool:
    """Whatever is nothing else: tried last."""
    return True


def read(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix; header and topic column are recognised unless told."""
    from cranfield.scores.text_tables import parse_wide

    matrix = parse_wide(
        file.table,
        measure=options.measure or file.measure or "score",
        missing=options.missing,
        provenance=options.provenance,
        header=options.header,
        topic_column=options.topic_column,
    )
    return [matrix]


def write(scores: Scores, path: str) -> None:
    """One measure only; the ending says how the table is encoded."""
    from cranfield.scores.writers import write_table

    write_table(scores.only().to_wide(), path)


WIDE = FORMATS.register(
    ScoreFormat(
        name="wide",
        summary="one row per topic, one column per system; comma, semicolon, tab or blanks",
        recognise=recognise,
        read=read,
        write=write,
        notes="header and topic column are recognised; where that is uncertain, name the column `topic`, or say so to "
        "`cranfield convert` (`--topic-column`, `--no-topic-column`, `--header`, `--no-header`). A name like "
        "`trec8.AP.csv` gives collection and measure",
        tried=50,
        rank=10,
    )
)
