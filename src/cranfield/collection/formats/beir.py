"""BEIR's and MTEB's qrels (a TSV with a header) and results (JSON)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.collection.formats import COLLECTION_FORMATS, CollectionFile, CollectionFormat, table
from cranfield.collection.formats import json as json_format

if TYPE_CHECKING:
    from cranfield.collection.types import Qrels


def is_qrels(file: CollectionFile) -> bool:
    """Whether the header is BEIR's."""
    return bool(file.first) and file.first[0].split() == [b"query-id", b"corpus-id", b"score"]


def write_qrels(qrels: Qrels) -> bytes:
    """The TSV with BEIR's header; subtopics have no place there."""
    from cranfield.errors import DataError

    frame = qrels.frame
    if frame.select("topic", "document").is_duplicated().any():
        raise DataError(f"judgments {qrels.name}: BEIR's format has no place for subtopics; write trec instead")
    columns = {"query-id": "topic", "corpus-id": "document", "score": "relevance"}
    return table.tab_separated(frame.select(**columns), f"judgments {qrels.name}", header=True)


BEIR = COLLECTION_FORMATS.register(
    CollectionFormat(
        name="beir",
        summary="BEIR's and MTEB's qrels `query-id corpus-id score` with that header; runs as JSON",
        is_qrels=is_qrels,
        read_qrels=table.read_qrels,
        write_run=json_format.write_run,
        write_qrels=write_qrels,
        ending=".json",
        notes="results and predictions are `json` below; MTEB's files of means are refused with the reason",
        tried=20,
        rank=40,
    )
)
