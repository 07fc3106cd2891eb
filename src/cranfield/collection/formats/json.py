"""JSON: {topic: {document: score}}, as BEIR, MTEB, ranx and pytrec_eval save it; and JSON lines, one per document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cranfield.collection.formats import COLLECTION_FORMATS, CollectionFile, CollectionFormat
from cranfield.core.columns import QRELS_PARTS, RUN_PARTS, columns_of
from cranfield.core.errors import DataError
from cranfield.core.files import Problems
from cranfield.core.json_text import json_objects
from cranfield.core.recognition import MODEL, begins_object, is_json_lines, load_json, rankings_in

if TYPE_CHECKING:
    import polars as pl

    from cranfield.collection.lines import Parsed
    from cranfield.collection.types import Qrels, Run


def is_json(file: CollectionFile) -> bool:
    """Whether it is one JSON object, and not one per line."""
    by_line = len(file.first) > 1 and all(line.strip().endswith(b"}") for line in file.first)
    return begins_object(file.text) and not by_line


def read_json_run(file: CollectionFile) -> Parsed:
    """The rankings; the tag is the model that MTEB's predictions are of, because their file is named after the task."""
    content = load_json(file.text, file.path)
    columns = file.unfold(rankings_in(content, file.path), "score")
    said = content.get(MODEL)
    return file.run(columns, tag=str(said.get("model_name") or "") if isinstance(said, dict) else "")


def read_json_qrels(file: CollectionFile) -> Parsed:
    """The judgments."""
    return file.qrels(file.unfold(rankings_in(load_json(file.text, file.path), file.path), "relevance"))


def _nested(frame: pl.DataFrame, value: str) -> bytes:
    import json

    nested: dict[str, dict[str, Any]] = {}
    for topic, document, one in frame.select("topic", "document", value).iter_rows():
        nested.setdefault(topic, {})[document] = one
    return (json.dumps(nested, ensure_ascii=False) + "\n").encode()


def write_json_run(run: Run) -> bytes:
    """{topic: {document: score}}."""
    return _nested(run.frame, "score")


def write_json_qrels(qrels: Qrels) -> bytes:
    """{topic: {document: relevance}}; subtopics have no place there."""
    if qrels.frame.select("topic", "document").is_duplicated().any():
        raise DataError(f"judgments {qrels.name}: JSON has no place for subtopics; write trec or table instead")
    return _nested(qrels.frame, "relevance")


def is_jsonl(file: CollectionFile) -> bool:
    """Whether every line is an object."""
    return is_json_lines(file.first)


def _columns(file: CollectionFile, parts: Sequence[str], needed: str) -> tuple[dict[str, list[Any]], list[int]]:
    problems = Problems(file.path)
    rows, lines = [], []
    named: dict[str, str] = {}
    for number, row in json_objects(file.text, problems.add):
        named = named or columns_of(list(row), parts)
        if not named:
            problems.add(number, f"expected keys for {needed}, found {', '.join(row) or 'none'}")
            continue
        if missing := [key for key in named.values() if key not in row]:
            problems.add(number, f"expected the key {missing[0]!r}, found {', '.join(row) or 'none'}")
            continue
        rows.append(row)
        lines.append(number)
    if not {"topic", "document"} <= set(named) or len(named) < 3:
        problems.add(1, f"expected keys for {needed}, found {', '.join(rows[0]) if rows else 'none'}")
    problems.raise_if_any()
    return {part: [row[key] for row in rows] for part, key in named.items()}, lines


def read_jsonl_run(file: CollectionFile) -> Parsed:
    """One run."""
    from cranfield.collection.rows import RUN_COLUMNS

    return file.run(*_columns(file, RUN_PARTS, RUN_COLUMNS))


def read_jsonl_qrels(file: CollectionFile) -> Parsed:
    """The judgments."""
    from cranfield.collection.rows import QRELS_COLUMNS

    return file.qrels(*_columns(file, QRELS_PARTS, QRELS_COLUMNS))


def write_jsonl_run(run: Run) -> bytes:
    """One object per document: topic, document, rank, score."""
    return run.frame.select("topic", "document", "rank", "score").write_ndjson().encode()


def write_jsonl_qrels(qrels: Qrels) -> bytes:
    """One object per judgment: topic, subtopic, document, relevance."""
    return qrels.frame.select("topic", "subtopic", "document", "relevance").write_ndjson().encode()


COLLECTION_FORMATS.register(
    CollectionFormat(
        name="json",
        summary="`{topic: {document: score}}`: BEIR's results, MTEB's predictions, ranx's and pytrec_eval's files",
        is_run=is_json,
        is_qrels=is_json,
        read_run=read_json_run,
        read_qrels=read_json_qrels,
        write_run=write_json_run,
        write_qrels=write_json_qrels,
        ending=".json",
        asked_by=".json",
        notes="MTEB's subset and split around the topics are passed through; a key that comes twice is an error",
        tried=10,
        rank=60,
    )
)
COLLECTION_FORMATS.register(
    CollectionFormat(
        name="jsonl",
        summary="one JSON object per line, with the names of columns as keys",
        is_run=is_jsonl,
        is_qrels=is_jsonl,
        read_run=read_jsonl_run,
        read_qrels=read_jsonl_qrels,
        write_run=write_jsonl_run,
        write_qrels=write_jsonl_qrels,
        ending=".jsonl",
        asked_by=".jsonl",
        notes="keys as in tables; others are passed over",
        tried=15,
        rank=70,
    )
)
