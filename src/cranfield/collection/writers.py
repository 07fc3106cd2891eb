"""Runs and judgments as TREC files. Scores are written so that they read back to the same double."""

from __future__ import annotations

import os
import re

import polars as pl

from cranfield.collection.pools import ranked
from cranfield.collection.types import Qrels, Run
from cranfield.core.errors import DataError
from cranfield.core.writing import write_atomically

_BLANK = re.compile(r"[ \t\n\r\x0b\x0c\x00]")
NO_RANK = "-"
"""The rank field of a row without a rank where others have one; it reads back as no rank."""


def to_trec_run(run: Run) -> bytes:
    """The run in TREC format, ``topic Q0 document rank score tag``, rows in their order.

    The tag is that of the run, or the system's name without one. A run without ranks gets ranks by score, ties as
    trec_eval breaks them. A single missing rank is written as ``-``.

    >>> frame = pl.DataFrame({"topic": ["7"], "document": ["d2"], "rank": [1], "score": [0.1]})
    >>> to_trec_run(Run(frame, system="bm25"))
    b'7 Q0 d2 1 0.1 bm25\\n'
    """
    place, tag, frame = f"run {run.system}", run.tag or run.system, run.frame
    if not tag or _BLANK.search(tag):
        raise DataError(f"{place}: the tag {tag!r} cannot be written: a TREC field is one word without white space")
    _check_fields(frame, ("topic", "document"), place)
    _refuse_first(frame.filter(~pl.col("score").is_finite().fill_null(False)), place, "score {}", "a finite one")
    if frame["rank"].null_count() == frame.height:
        places = ranked(frame, "score").rename({"pool_rank": "rank"})
        frame = frame.drop("rank").join(places, on=["topic", "document"], how="left", maintain_order="left")
    rank = pl.col("rank").cast(pl.String).fill_null(NO_RANK)
    return _lines(frame.select("topic", pl.lit("Q0"), "document", rank, "score", pl.lit(tag).alias("tag")))


def to_trec_qrels(qrels: Qrels) -> bytes:
    """The judgments in TREC format, ``topic subtopic document relevance``, rows in their order.

    >>> frame = pl.DataFrame({"topic": ["7"], "subtopic": ["0"], "document": ["d2"], "relevance": [1]})
    >>> to_trec_qrels(Qrels(frame))
    b'7 0 d2 1\\n'
    """
    place = f"judgments {qrels.name}"
    _check_fields(qrels.frame, ("topic", "subtopic", "document"), place)
    _refuse_first(qrels.frame.filter(pl.col("relevance").is_null()), place, "no relevance", "one")
    return _lines(qrels.frame.select("topic", "subtopic", "document", "relevance"))


def write_run(run: Run, path: str | os.PathLike[str]) -> None:
    """Write a run as a TREC file, whole or not at all, compressed by the ending (.gz, .bz2, .xz, .zst)."""
    write_atomically(path, to_trec_run(run))


def write_qrels(qrels: Qrels, path: str | os.PathLike[str]) -> None:
    """Write judgments as a TREC file, whole or not at all, compressed by the ending (.gz, .bz2, .xz, .zst)."""
    write_atomically(path, to_trec_qrels(qrels))


def _lines(frame: pl.DataFrame) -> bytes:
    return frame.write_csv(separator=" ", include_header=False, quote_style="never").encode()


def _refuse_first(wrong: pl.DataFrame, place: str, what: str, needed: str) -> None:
    """An error for the first of the rows that cannot be written."""
    for row in wrong.head(1).iter_rows(named=True):
        found = f"topic {row['topic']!r}, document {row['document']!r} has {what.format(row.get('score'))}"
        raise DataError(f"{place}: {found}; every row needs {needed}")


def _check_fields(frame: pl.DataFrame, columns: tuple[str, ...], place: str) -> None:
    """Every label must be one field of a line, or the file would not read back."""
    for name in columns:
        label = pl.col(name)
        bad = label.is_null() | (label == "") | label.str.contains(_BLANK.pattern)
        rules = {"a TREC field is one word without white space": bad}
        if name == "topic":
            rules["a line that starts with # is a comment"] = label.str.starts_with("#")
        for rule, broken in rules.items():
            for wrong in frame.filter(broken)[name].head(1):
                raise DataError(f"{place}: the {name} {wrong!r} cannot be written: {rule}")
