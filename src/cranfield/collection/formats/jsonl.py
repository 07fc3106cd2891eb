"""JSON lines: one object per document, with the names of columns as keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.collection.formats import COLLECTION_FORMATS, CollectionFile, CollectionFormat

if TYPE_CHECKING:
    from cranfield.collection.parsed import Parsed
    from cranfield.collection.types import Qrels, Run


def is_jsonl(file: CollectionFile) -> bool:
    """Whether every line is an object; one line with objects inside is JSON."""
    if len(file.first) == 1 and file.first[0].count(b"{") > 1:
        return False
    return bool(file.first) and all(x.strip().startswith(b"{") and x.strip().endswith(b"}") for x in file.first)


def _columns(file: CollectionFile, parts: list[str], needed: str) -> tuple[dict[str, list[Any]], list[int]]:
    from cranfield.collection.rows import columns_of
    from cranfield.files import Problems
    from cranfield.json_text import json_objects

    problems = Problems(file.path)
    rows, lines = [], []
    named: dict[str, str] = {}
    filled = ((number, line) for number, line in enumerate(file.text.splitlines(), 1) if line.strip())
    for number, row in json_objects(filled, problems.add):  # JSON has no comments
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


def read_run(file: CollectionFile) -> Parsed:
    """One run."""
    from cranfield.collection.parsed import Parsed
    from cranfield.collection.rows import RUN_COLUMNS, Place, run_frame

    columns, lines = _columns(file, ["topic", "document", "rank", "score"], RUN_COLUMNS)
    return Parsed(run_frame(columns, Place(file.path, lines.__getitem__)))


def read_qrels(file: CollectionFile) -> Parsed:
    """The judgments."""
    from cranfield.collection.parsed import Parsed
    from cranfield.collection.rows import QRELS_COLUMNS, Place, qrels_frame

    columns, lines = _columns(file, ["topic", "document", "relevance", "subtopic"], QRELS_COLUMNS)
    return Parsed(qrels_frame(columns, Place(file.path, lines.__getitem__)))


def write_run(run: Run) -> bytes:
    """One object per document: topic, document, rank, score."""
    return run.frame.select("topic", "document", "rank", "score").write_ndjson().encode()


def write_qrels(qrels: Qrels) -> bytes:
    """One object per judgment: topic, subtopic, document, relevance."""
    return qrels.frame.select("topic", "subtopic", "document", "relevance").write_ndjson().encode()


JSONL = COLLECTION_FORMATS.register(
    CollectionFormat(
        name="jsonl",
        summary="one JSON object per line, with the names of columns as keys",
        is_run=is_jsonl,
        is_qrels=is_jsonl,
        read_run=read_run,
        read_qrels=read_qrels,
        write_run=write_run,
        write_qrels=write_qrels,
        ending=".jsonl",
        asked_by=".jsonl",
        notes="keys as in tables; others are passed over",
        tried=15,
        rank=70,
    )
)
