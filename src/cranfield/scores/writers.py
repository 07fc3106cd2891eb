"""`write_scores`: scores to files that other tools open, each whole or not at all, and back without loss."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.files import COMPRESSED
from cranfield.core.formats import table_bytes
from cranfield.core.workbooks import WRITTEN, workbook
from cranfield.core.writing import write_atomically, written_whole

if TYPE_CHECKING:
    import polars as pl

    from cranfield.scores.doors import ScoresLike
    from cranfield.scores.matrix import Scores

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": " "}


def write_scores(scores: ScoresLike, path: str | os.PathLike[str], *, layout: str | None = None) -> None:
    """Write scores so that `read_scores` gives back exactly the same values and labels.

    Parameters
    ----------
    scores : one measure or several, in any form that `as_scores` takes
    path : the ending gives the format: .csv, .tsv, .txt (blank-separated), .xlsx, .ods or .parquet, each also
        compressed (.csv.gz); for the per-run layouts a directory, which gets one file per system
    layout : ``long`` (system, topic, measure, value; the default), ``wide`` (one row per topic; one measure only, whose
        name is best kept in the file's name: ``trec8.AP.csv``), ``trec_eval`` or ``nev``

    Examples
    --------
    >>> import tempfile
    >>> from cranfield.scores.matrix import ScoreMatrix, Scores
    >>> from cranfield.scores.readers import read_scores
    >>> x = Scores([ScoreMatrix([[0.1, 1 / 3]], ["301"], ["bm25", "ql"], "AP")])
    >>> write_scores(x, tempfile.gettempdir() + "/cranfield-doctest.csv")
    >>> read_scores(tempfile.gettempdir() + "/cranfield-doctest.csv") == x
    True
    """
    from cranfield.scores.doors import as_scores
    from cranfield.scores.formats import writer

    writer(layout or "long")(as_scores(scores), os.fspath(path))


def write_table(frame: pl.DataFrame, path: str) -> None:
    """Write a table of scores, encoded as the ending of `path` says: .csv, .tsv, .txt or .parquet, or compressed.

    Used for every wide and long table of scores, whoever makes it; numbers read back to the same double.
    """
    stem = Path(path)
    ending = (stem.with_suffix("") if stem.suffix.lower() in COMPRESSED else stem).suffix.lower()
    if ending == ".parquet":
        out = io.BytesIO()
        frame.write_parquet(out)
        write_atomically(path, out.getvalue())
        return
    if ending in WRITTEN:
        write_atomically(path, workbook(frame, ending, path))
        return
    if ending not in _SEPARATORS:
        raise ArgumentError(
            f"cannot tell the format of {path} from its ending; end it in .csv, .tsv, .txt, .xlsx, .ods or .parquet, "
            "or choose layout trec_eval or nev (a directory)"
        )
    write_atomically(path, table_bytes(frame, _SEPARATORS[ending], path))


def write_per_run(
    scores: Scores,
    directory: str,
    *,
    layout: str,
    ending: str,
    line: Callable[[str, str, float], str],
    forbidden: str = "",
) -> None:
    """One file per system: all of them or none in a new directory, one after the other in one that exists.

    `line` makes the line of a measure, topic and value; labels must not hold a character of `forbidden`.
    """
    texts: dict[str, list[str]] = {}
    for matrix in scores.values():
        if matrix.partitions is not None:
            raise DataError(f"{directory}: the {layout} layout has no place for partitions; write .csv or .parquet")
        for label in (*matrix.topics, matrix.measure):
            reserved = label == "all" or label.startswith("#") or any(mark in label for mark in forbidden)
            if len(label.split()) != 1 or reserved:
                what = f"label {label!r} cannot be written to a {layout} file"
                raise DataError(f"{directory}: {what}; write .csv instead")
        for j, system in enumerate(matrix.systems):
            if Path(system).name != system or system.startswith("."):
                raise DataError(f"{directory}: system {system!r} cannot be a file's name; write .csv instead")
            values = matrix.values[:, j].tolist()
            lines = [line(matrix.measure, topic, value) for topic, value in zip(matrix.topics, values, strict=True)]
            texts.setdefault(system, []).extend(lines)
    with written_whole(directory) as new:
        for system, lines in texts.items():
            write_atomically(new / f"{system}{ending}", "".join(lines).encode())
