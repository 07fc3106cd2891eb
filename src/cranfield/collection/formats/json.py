"""JSON: {topic: {document: score}}, as BEIR, MTEB, ranx and pytrec_eval save it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from cranfield.collection.formats import COLLECTION_FORMATS, CollectionFile, CollectionFormat

if TYPE_CHECKING:
    import polars as pl

    from cranfield.collection.parsed import Parsed
    from cranfield.collection.types import Qrels, Run

MEANS_ONLY = (
    "holds means over topics, no rankings and no scores of topics; save the predictions (MTEB: prediction_folder) and "
    "evaluate them with the judgments"
)
_MODEL = "mteb_model_meta"
_OBJECT = re.compile(rb'\s*\{(?![ \t]+[^"}\s])')


def begins_object(text: bytes) -> bool:
    """Whether a text begins as a JSON object does; a topic may be called ``{``.

    >>> begins_object(b'{"301": {'), begins_object(b"{ Q0 FT911-3 1 9.5 x")
    (True, False)
    """
    return _OBJECT.match(text) is not None


def is_json(file: CollectionFile) -> bool:
    """Whether it is one JSON object, and not one per line."""
    by_line = len(file.first) > 1 and all(line.strip().endswith(b"}") for line in file.first)
    return begins_object(file.text) and not by_line


def load(file: CollectionFile) -> Any:
    """The content."""
    from cranfield.errors import FileError, Problem
    from cranfield.json_text import JSONProblem, parse_json

    try:
        return parse_json(file.text)
    except JSONProblem as error:
        raise FileError(file.path, [Problem(error.line, error.text)]) from None


def by_topic(content: Any, path: str) -> dict[str, Any]:
    """The topics in a file: MTEB wraps them in a subset and a split."""
    from cranfield.errors import FileError, Problem
    from cranfield.json_text import holds_means

    while isinstance(content, dict):
        inside = {key: value for key, value in content.items() if key != _MODEL}
        if holds_means(inside) or _depth(inside) < 2:
            break
        if _depth(inside) == 2:
            return inside
        if len(inside) > 1:
            text = f"holds {len(inside)} sets of rankings ({', '.join(list(inside)[:3])}, …); keep one per file"
            raise FileError(path, [Problem(0, text)])
        content = next(iter(inside.values()))
    if isinstance(content, dict) and content:
        raise FileError(path, [Problem(0, f"is no {{topic: {{document: score}}}}; {_what(content)}")])
    raise FileError(path, [Problem(0, "holds nothing; expected {topic: {document: score}}")])


def _model(content: dict[str, Any]) -> str:
    """The model that MTEB's predictions are of, empty for other files: the file is named after the task."""
    said = content.get(_MODEL)
    return str(said.get("model_name") or "") if isinstance(said, dict) else ""


def _what(content: dict[str, Any]) -> str:
    from cranfield.json_text import holds_means

    if holds_means(content):
        return f"it {MEANS_ONLY}"
    return f"its keys are {', '.join(list(content)[:5])}"


def _depth(content: Any, most: int = 3) -> int:
    """How deep objects lie in one another, along the first that is not empty; counted to `most`."""
    if not isinstance(content, dict) or not most:
        return 0
    return 1 + max((_depth(one, most - 1) for one in list(content.values())[:5]), default=1)


def read_run(file: CollectionFile) -> Parsed:
    """The rankings."""
    from cranfield.collection.parsed import Parsed
    from cranfield.collection.rows import Place, run_frame, unfold

    place, content = Place(file.path, lambda at: 0), load(file)
    return Parsed(run_frame(unfold(by_topic(content, file.path), place, "score"), place), tag=_model(content))


def read_qrels(file: CollectionFile) -> Parsed:
    """The judgments."""
    from cranfield.collection.parsed import Parsed
    from cranfield.collection.rows import Place, qrels_frame, unfold

    place = Place(file.path, lambda at: 0)
    return Parsed(qrels_frame(unfold(by_topic(load(file), file.path), place, "relevance"), place))


def _nested(frame: pl.DataFrame, value: str) -> bytes:
    import json

    nested: dict[str, dict[str, Any]] = {}
    for topic, document, one in frame.select("topic", "document", value).iter_rows():
        nested.setdefault(topic, {})[document] = one
    return (json.dumps(nested, ensure_ascii=False) + "\n").encode()


def write_run(run: Run) -> bytes:
    """{topic: {document: score}}."""
    return _nested(run.frame, "score")


def write_qrels(qrels: Qrels) -> bytes:
    """{topic: {document: relevance}}; subtopics have no place there."""
    from cranfield.errors import DataError

    if qrels.frame.select("topic", "document").is_duplicated().any():
        raise DataError(f"judgments {qrels.name}: JSON has no place for subtopics; write trec or table instead")
    return _nested(qrels.frame, "relevance")


JSON = COLLECTION_FORMATS.register(
    CollectionFormat(
        name="json",
        summary="`{topic: {document: score}}`: BEIR's results, MTEB's predictions, ranx's and pytrec_eval's files",
        is_run=is_json,
        is_qrels=is_json,
        read_run=read_run,
        read_qrels=read_qrels,
        write_run=write_run,
        write_qrels=write_qrels,
        ending=".json",
        asked_by=".json",
        notes="MTEB's subset and split around the topics are passed through; a key that comes twice is an error",
        tried=10,
        rank=60,
    )
)
