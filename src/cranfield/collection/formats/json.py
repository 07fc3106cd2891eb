"""JSON: {topic: {document: score}}, as BEIR, MTEB, ranx and pytrec_eval save it; and JSON lines, one per document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.collection.formats import COLLECTION_FORMATS, COLUMNS, CollectionFile, CollectionFormat, Kind
from cranfield.core.errors import DataError
from cranfield.core.recognition import (
    MODEL,
    QRELS_PARTS,
    RUN_PARTS,
    begins_object,
    columns_of,
    is_json_lines,
    load_json,
    rankings_in,
)
from cranfield.core.text import Problems, json_objects

if TYPE_CHECKING:
    from cranfield.collection.lines import Parsed


def _is_json(file: CollectionFile, kind: Kind) -> bool:
    """Whether it is one JSON object, and not one per line."""
    by_line = len(file.first) > 1 and all(line.strip().endswith(b"}") for line in file.first)
    return begins_object(file.text) and not by_line


def _read_json(file: CollectionFile, kind: Kind) -> Parsed:
    """The rankings. MTEB names files of predictions after the task, so the tag is the model."""
    content = load_json(file.text, file.path)
    nested = rankings_in(content, file.path)
    model = content.get(MODEL)
    return file.parsed(
        kind, {"nested": nested}, tag=str(model.get("model_name") or "") if isinstance(model, dict) else ""
    )


def write_json(data: Any, kind: Kind) -> bytes:
    """{topic: {document: score or relevance}}; subtopics have no place there."""
    import json

    if kind == "qrels" and data.frame.select("topic", "document").is_duplicated().any():
        raise DataError(f"judgments {data.name}: JSON cannot hold subtopics; write trec or table instead")
    nested: dict[str, dict[str, Any]] = {}
    for topic, document, value in data.frame.select("topic", "document", COLUMNS[kind][-1]).iter_rows():
        nested.setdefault(topic, {})[document] = value
    return (json.dumps(nested, ensure_ascii=False) + "\n").encode()


def _read_lines(file: CollectionFile, kind: Kind) -> Parsed:
    from cranfield.collection.rows import QRELS_COLUMNS, RUN_COLUMNS

    parts, needed = (RUN_PARTS, RUN_COLUMNS) if kind == "run" else (QRELS_PARTS, QRELS_COLUMNS)
    problems = Problems(file.path)
    rows, lines = [], []
    named: dict[str, str] = {}
    for number, row in json_objects(file.text, problems.add):
        named = named or columns_of(list(row), parts)
        missing = [key for key in named.values() if key not in row]
        if not named or missing:
            expected = f"the key {missing[0]!r}" if missing else f"keys for {needed}"
            problems.add(number, f"expected {expected}, found {', '.join(row) or 'none'}")
        else:
            rows.append(row)
            lines.append(number)
    if not {"topic", "document"} <= set(named) or len(named) < 3:
        problems.add(1, f"expected keys for {needed}, found {', '.join(rows[0]) if rows else 'none'}")
    problems.raise_if_any()
    return file.parsed(kind, {part: [row[key] for row in rows] for part, key in named.items()}, lines)


COLLECTION_FORMATS.register(
    CollectionFormat(
        name="json",
        summary="`{topic: {document: score}}`: BEIR's results, MTEB's predictions, ranx's and pytrec_eval's files",
        recognise=_is_json,
        read=_read_json,
        reads=("run", "qrels"),
        write=write_json,
        ending=".json",
        asked_by=".json",
        notes="MTEB's subset and split levels are skipped; a duplicate key is an error",
        tried=10,
        rank=60,
    )
)
COLLECTION_FORMATS.register(
    CollectionFormat(
        name="jsonl",
        summary="one JSON object per line, with the names of columns as keys",
        recognise=lambda file, kind: is_json_lines(file.first),
        read=_read_lines,
        reads=("run", "qrels"),
        write=lambda data, kind: data.frame.select(COLUMNS[kind]).write_ndjson().encode(),
        ending=".jsonl",
        asked_by=".jsonl",
        notes="keys as in tables; others are ignored",
        tried=15,
        rank=70,
    )
)
