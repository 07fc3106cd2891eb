"""JSON: scores by system and topic, as pytrec_eval's and PyTerrier's results are saved; and tables as JSON lines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cranfield.core.errors import DataError, FileError, Problem
from cranfield.core.recognition import begins_object, load_json
from cranfield.core.text import Problems, holds_means, json_objects
from cranfield.scores.formats import FORMATS, ReadOptions, ScoreFile, ScoreFormat

if TYPE_CHECKING:
    from cranfield.scores.matrix import ScoreMatrix

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
