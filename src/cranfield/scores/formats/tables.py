"""Tables of scores: text, JSON and parquet; wide, long or tidy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cranfield.core.errors import DataError, FileError, Problem
from cranfield.core.recognition import begins_object, load_json, long_columns
from cranfield.core.text import Problems, holds_means, json_objects
from cranfield.scores.formats import FORMATS, ReadOptions, ScoreFile, ScoreFormat
from cranfield.scores.writers import write_table

if TYPE_CHECKING:
    from cranfield.scores.matrix import ScoreMatrix


def read_wide(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix; header and topic column are recognised unless told."""
    from cranfield.scores.text_tables import parse_wide

    return [parse_wide(file.table, options)]


def is_long(file: ScoreFile) -> bool:
    """Whether the first row names the columns of a long table."""
    return file.long is not None or long_columns(file.table.rows[0]) is not None


def read_long(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix per measure; a table without a system column is one system's, named after its file."""
    from cranfield.scores.frames import from_long
    from cranfield.scores.text_tables import parse_long

    if not is_long(file):
        text = "expected a header with the columns system, topic, measure, value (or name, qid, measure, value)"
        raise FileError(file.path, [Problem(file.table.lines[0], text)])
    frame, steps = parse_long(file.table) if file.long is None else (file.long, ())
    provenance = (*options.provenance, *steps)
    named = {"measure": options.measure, "system": file.stem}
    return list(from_long(frame, **named, missing=options.missing, provenance=provenance).values())


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
        raise FileError(
            file.path, [Problem(0, "is not a parquet file, despite its name. Rename it or write it again.")]
        )
    return False


def read_parquet(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """The matrices of its table, whichever it is."""
    import numpy as np
    import polars as pl

    from cranfield.core import parquet
    from cranfield.scores.doors import of_frame
    from cranfield.scores.frames import refuse_several

    frame = parquet.read_parquet(file.data, file.path)
    try:
        refuse_several(frame)
        scores = of_frame(frame, options.measure, options.missing, file.stem)
    except pl.exceptions.PolarsError as error:
        raise DataError(f"cannot be read as parquet: {str(error).splitlines()[0]}") from None
    for matrix in scores.values():
        if not np.isfinite(matrix.values).all():
            raise DataError(f"{matrix.measure}: holds an infinite score; scores must be finite")
    return [matrix.note(*options.provenance) for matrix in scores.values()]


FORMATS.register(
    ScoreFormat(
        name="wide",
        summary="one row per topic, one column per system; comma, semicolon, tab or blanks",
        recognise=lambda file: True,
        read=read_wide,
        write=lambda scores, path: write_table(scores.only().to_wide(), path),
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
        write=lambda scores, path: write_table(scores.to_long(), path),
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
        summary="a parquet file of a wide, long or tidy table",
        recognise=is_parquet,
        read=read_parquet,
        notes="written by the layouts wide and long when the name ends in `.parquet`",
        tried=10,
        rank=50,
    )
)


MEANS_ONLY = (
    "Results of MTEB and BEIR contain means only: compare them with `cranfield across`, or save the predictions "
    "(MTEB: prediction_folder) and evaluate them with the judgments."
)


def is_json(file: ScoreFile) -> bool:
    """Whether it is one JSON object."""
    return file.ending == ".json" or (file.ending != ".jsonl" and begins_object(file.text))


def read_json(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix per measure."""
    from cranfield.scores.doors import as_scores

    content: Any = load_json(file.text, file.path)
    nested = isinstance(content, dict) and all(isinstance(one, (dict, list)) for one in content.values())
    if not nested or not content or holds_means(content):
        text = f"is not {{system: {{topic: score}}}}. {MEANS_ONLY}"
        raise FileError(file.path, [Problem(0, text)])
    scores = as_scores(content, missing=options.missing)
    if list(scores) == ["score"] and options.measure is not None:
        scores = as_scores(content, measure=options.measure, missing=options.missing)
    return [matrix.note(*options.provenance) for matrix in scores.values()]


def is_jsonl(file: ScoreFile) -> bool:
    """Whether the first line is an object by itself."""
    first = file.text.lstrip().partition(b"\n")[0].strip()
    nested = first.count(b"{") > 1
    if file.ending == ".json":
        return False
    return file.ending in (".jsonl", ".ndjson") or (first[:1] == b"{" and first[-1:] == b"}" and not nested)


def read_jsonl(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """The matrices of the table."""
    import polars as pl

    from cranfield.scores.doors import from_frame

    problems, rows = Problems(file.path), []
    for number, row in json_objects(file.text, problems.add):
        if endless := [key for key, value in row.items() if isinstance(value, float) and math.isinf(value)]:
            problems.add(number, f"the {endless[0]!r} is infinite; scores must be finite")
            continue
        rows.append(row)
    problems.raise_if_any()
    try:
        frame = pl.DataFrame(rows, infer_schema_length=None)
        scores = from_frame(frame, missing=options.missing, measure=options.measure)
    except (pl.exceptions.PolarsError, TypeError, OverflowError) as error:
        raise DataError(str(error).splitlines()[0]) from None
    return [matrix.note(*options.provenance) for matrix in scores.values()]


FORMATS.register(
    ScoreFormat(
        name="json",
        summary="`{system: {topic: score}}`, or `{system: {topic: {measure: score}}}` as pytrec_eval gives it",
        recognise=is_json,
        read=read_json,
        notes="results of MTEB and BEIR hold means over topics and are refused with that reason",
        tried=16,
        rank=60,
    )
)
FORMATS.register(
    ScoreFormat(
        name="jsonl",
        summary="one JSON object per line: the rows of a long, tidy or wide table",
        recognise=is_jsonl,
        read=read_jsonl,
        notes="keys are the names of columns",
        tried=14,
        rank=70,
    )
)
