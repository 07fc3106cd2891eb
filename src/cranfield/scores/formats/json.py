"""JSON: scores by system and topic, as pytrec_eval's and PyTerrier's results are saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.errors import CranfieldError, FileError, Problem
from cranfield.scores.formats import FORMATS, ReadOptions, ScoreFile, ScoreFormat

if TYPE_CHECKING:
    from cranfield.scores.matrix import ScoreMatrix

MEANS_ONLY = (
    "holds means over topics, and tests need the score of every topic; save the predictions (MTEB: prediction_folder) "
    "and evaluate them with the judgments"
)


def recognise(file: ScoreFile) -> bool:
    """Whether it is one JSON object."""
    return file.ending == ".json" or (file.ending != ".jsonl" and file.text.lstrip()[:2] in (b"{\n", b'{"', b"{ "))


def read(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix per measure."""
    from cranfield.json_text import JSONProblem, holds_means, parse_json
    from cranfield.scores.doors import as_scores

    try:
        content: Any = parse_json(file.text)
    except JSONProblem as error:
        raise FileError(file.path, [Problem(error.line, error.text)]) from None
    if not isinstance(content, dict) or holds_means(content) or not _nested(content):
        text = f"is no {{system: {{topic: score}}}}; if it is a result of MTEB or BEIR, it {MEANS_ONLY}"
        raise FileError(file.path, [Problem(0, text)])
    try:
        scores = as_scores(content, missing=options.missing)
    except CranfieldError as error:
        raise FileError(file.path, [Problem(0, str(error))]) from None
    name = options.measure or file.measure
    if list(scores) == ["score"] and name is not None:
        scores = as_scores(content, measure=name, missing=options.missing)
    return [matrix.note(*options.provenance) for matrix in scores.values()]


def _nested(content: dict[str, Any]) -> bool:
    return bool(content) and all(isinstance(one, (dict, list)) for one in content.values())


JSON = FORMATS.register(
    ScoreFormat(
        name="json",
        summary="`{system: {topic: score}}`, or `{system: {topic: {measure: score}}}` as pytrec_eval gives it",
        recognise=recognise,
        read=read,
        notes="results of MTEB and BEIR hold means over topics and are refused with that reason",
        tried=16,
        rank=60,
    )
)
