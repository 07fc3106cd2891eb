"""NTCIR's qrels. They are read by `collection.readers`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.collection.formats import COLLECTION_FORMATS, CollectionFormat

if TYPE_CHECKING:
    from cranfield.collection.types import Qrels


def write_qrels(qrels: Qrels) -> bytes:
    """Lines such as ``0201 doc-1 L2``; with the intent between when there is more than one."""
    import re

    from cranfield.collection.writers import to_trec_qrels

    lines = to_trec_qrels(qrels).decode()
    if (qrels.frame["subtopic"] == "0").all():
        return re.sub(r"(?m)^(\S+) \S+ (\S+) (-?\d+)$", r"\1 \2 L\3", lines).encode()
    return re.sub(r"(?m)(-?\d+)$", r"L\1", lines).encode()


NTCIR = COLLECTION_FORMATS.register(
    CollectionFormat(
        name="ntcir",
        summary="NTCIR's qrels: `topic document L2`",
        write_qrels=write_qrels,
        ending=".qrels",
        notes="with `topic intent document L2` for diversity; without the L it is read too",
        rank=20,
    )
)
