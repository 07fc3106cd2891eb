"""MS MARCO's runs: topic, document and rank, set apart by tabs; its qrels are TREC's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cranfield.collection.formats import COLLECTION_FORMATS, CollectionFile, CollectionFormat

if TYPE_CHECKING:
    from cranfield.collection.parsed import Parsed
    from cranfield.collection.types import Qrels, Run

_WHOLE = re.compile(rb"\d+")


def is_run(file: CollectionFile) -> bool:
    """Whether lines have three fields, of which the last is a whole number."""
    rows = [_fields(line) for line in file.first]
    return bool(rows) and all(len(row) == 3 for row in rows) and bool(_WHOLE.fullmatch(rows[0][2]))


def _fields(line: bytes) -> list[bytes]:
    by_tabs = [field.strip() for field in line.split(b"\t")]
    return by_tabs if len(by_tabs) == 3 else line.split()


def read_run(file: CollectionFile) -> Parsed:
    """Documents score minus their rank, so that any order is the order of the ranks."""
    from cranfield.collection.parsed import Parsed
    from cranfield.collection.rows import Place, run_frame
    from cranfield.files import Problems, shown

    problems = Problems(file.path)
    columns: dict[str, list[object]] = {"topic": [], "document": [], "rank": []}
    lines = []
    for number, line in file.lines():
        fields = _fields(line)
        if len(fields) != 3 or not all(fields):
            problems.add(number, f"expected 3 fields (topic document rank), found {shown(line.decode().strip())}")
            continue
        if not _WHOLE.fullmatch(fields[2]) or len(fields[2]) > 15:
            problems.add(number, f"expected a whole number as rank (field 3), found {shown(fields[2].decode())}")
            continue
        lines.append(number)
        for column, content in zip(
            columns.values(), (fields[0].decode(), fields[1].decode(), int(fields[2])), strict=True
        ):
            column.append(content)
    problems.raise_if_any()
    frame = run_frame(columns, Place(file.path, lines.__getitem__))
    return Parsed(frame, ("no scores: documents are in the order of their ranks (score = -rank)",))


def write_run(run: Run) -> bytes:
    """Topic, document and rank by score, ties as trec_eval breaks them."""
    from cranfield.collection.formats.table import tab_separated
    from cranfield.collection.pools import ranked

    return tab_separated(ranked(run.frame, "score"), f"run {run.system}")


def write_qrels(qrels: Qrels) -> bytes:
    """TREC's four fields, set apart by tabs."""
    from cranfield.collection.formats.table import tab_separated

    return tab_separated(qrels.frame.select("topic", "subtopic", "document", "relevance"), f"judgments {qrels.name}")


MSMARCO = COLLECTION_FORMATS.register(
    CollectionFormat(
        name="msmarco",
        summary="MS MARCO's runs `topic document rank`, set apart by tabs; its qrels are TREC's",
        is_run=is_run,
        read_run=read_run,
        write_run=write_run,
        write_qrels=write_qrels,
        ending=".tsv",
        notes="there are no scores: documents are ordered by rank, which is reported; ids may hold blanks",
        tried=40,
        rank=30,
    )
)
