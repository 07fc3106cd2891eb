"""Runs and judgments as TREC files. Scores are written so that they read back to the same double."""

from __future__ import annotations

import os

import polars as pl

from cranfield.collection.types import Qrels, Run
from cranfield.errors import DataError
from cranfield.files import write_atomically

NO_RANK = "-"
"""What stands in the rank field of a row without a rank; it reads back as no rank."""


def to_trec_run(run: Run) -> bytes:
    """The run in TREC format, ``topic Q0 document rank score tag``, rows in their order.

    The tag is the run's own, or the system's name when it has none.

    >>> frame = pl.DataFrame({"topic": ["7"], "document": ["d2"], "rank": [1], "score": [0.1]})
    >>> to_trec_run(Run(frame, system="bm25"))
    b'7 Q0 d2 1 0.1 bm25\\n'
    """
    place = f"run {run.system}"
    tag = run.tag or run.system
    if not _is_field(tag):
        raise DataError(f"{place}: the tag {tag!r} cannot be written: a TREC field is one word without white space")
    _check_fields(run.frame, ("topic", "document"), place)
    scores = run.frame["score"]
    if scores.null_count() or scores.is_nan().any():
        row = int((scores.is_null() | scores.is_nan()).arg_max() or 0)
        topic, document = run.frame["topic"][row], run.frame["document"][row]
        raise DataError(f"{place}: topic {topic!r}, document {document!r} has no score; every row needs one")
    rank = pl.col("rank").cast(pl.String).fill_null(NO_RANK)
    return _lines(run.frame.select("topic", pl.lit("Q0"), "document", rank, "score", pl.lit(tag).alias("tag")))


def to_trec_qrels(qrels: Qrels) -> bytes:
    """The judgments in TREC format, ``topic subtopic document relevance``, rows in their order.

    >>> frame = pl.DataFrame({"topic": ["7"], "subtopic": ["0"], "document": ["d2"], "relevance": [1]})
    >>> to_trec_qrels(Qrels(frame))
    b'7 0 d2 1\\n'
    """
    place = f"judgments {qrels.name}"
    _check_fields(qrels.frame, ("topic", "subtopic", "document"), place)
    if qrels.frame["relevance"].null_count():
        row = int(qrels.frame["relevance"].is_null().arg_max() or 0)
        topic, document = qrels.frame["topic"][row], qrels.frame["document"][row]
        raise DataError(f"{place}: topic {topic!r}, document {document!r} has no relevance; every row needs one")
    return _lines(qrels.frame.select("topic", "subtopic", "document", "relevance"))


def write_run(run: Run, path: str | os.PathLike[str]) -> None:
    """Write a run as a TREC file, whole or not at all, compressed by the ending (.gz, .bz2, .xz, .zst)."""
    write_atomically(path, to_trec_run(run))


def write_qrels(qrels: Qrels, path: str | os.PathLike[str]) -> None:
    """Write judgments as a TREC file, whole or not at all, compressed by the ending (.gz, .bz2, .xz, .zst)."""
    write_atomically(path, to_trec_qrels(qrels))


def _lines(frame: pl.DataFrame) -> bytes:
    return frame.write_csv(separator=" ", include_header=False, quote_style="never").encode()


def _is_field(text: str) -> bool:
    return len(text.split()) == 1 and text.strip() == text


def _check_fields(frame: pl.DataFrame, columns: tuple[str, ...], place: str) -> None:
    """Every label must stand as one field of a line, or the file would not read back."""
    for name in columns:
        for label in frame[name].unique(maintain_order=True).to_list():
            if label is None or not _is_field(label):
                raise DataError(
                    f"{place}: the {name} {label!r} cannot be written: a TREC field is one word without white space"
                )
