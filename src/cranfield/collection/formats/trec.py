"""TREC's runs and qrels: the lines everybody speaks. They are read by `collection.readers`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.collection.formats import COLLECTION_FORMATS, CollectionFormat

if TYPE_CHECKING:
    from cranfield.collection.types import Qrels, Run


def write_run(run: Run) -> bytes:
    """Lines of six fields."""
    from cranfield.collection.writers import to_trec_run

    return to_trec_run(run)


def write_qrels(qrels: Qrels) -> bytes:
    """Lines of four fields."""
    from cranfield.collection.writers import to_trec_qrels

    return to_trec_qrels(qrels)


TREC = COLLECTION_FORMATS.register(
    CollectionFormat(
        name="trec",
        summary="runs `topic Q0 document rank score tag`, qrels `topic iteration document relevance`",
        write_run=write_run,
        write_qrels=write_qrels,
        ending=".run",
        notes="any mix of blanks and tabs (ids with blanks where tabs set the fields apart); blank and `#` lines "
        "and a `<SYSDESC>` line (NTCIR) skipped and reported; fields after the tag only when lenient; finite scores; a "
        "document at most once per topic; the iteration field is the subtopic of diversity judgments; relevance is an "
        "integer, negative allowed",
        rank=10,
    )
)
