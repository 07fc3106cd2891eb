"""`read_scores`: score files of any known format into one `Scores`; `read_collections`: one `Scores` a collection."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cranfield.defaults import MISSING, MissingPolicy, ScoreFormat
from cranfield.errors import ArgumentError, DataError, FileError, Problem
from cranfield.files import COMPRESSED, STDIN, check_text, expand, read_bytes, system_name
from cranfield.scores.frames import assemble, from_long, from_wide, long_columns
from cranfield.scores.matrix import ScoreMatrix, Scores
from cranfield.scores.per_run import SUMMARY_TOPIC, looks_like_nev, looks_like_trec_eval, parse_nev, parse_trec_eval
from cranfield.scores.text_tables import is_long, parse_long, parse_wide, read_table

Paths = Iterable[str | os.PathLike[str]] | str | os.PathLike[str]
_TABLE_ENDINGS = {".csv", ".tsv", ".txt", ".tab", ".dat", ".parquet", ".pq"}


@dataclass(frozen=True)
class _Options:
    format: ScoreFormat | None
    measure: str | None
    missing: MissingPolicy
    header: bool | None
    topic_column: bool | None


@dataclass
class _PerRun:
    """Scores of several runs, one file each, gathered before the matrix is made."""

    columns: dict[str, list[str]]
    values: list[float]
    provenance: list[str]
    files: dict[str, str]


def read_scores(
    paths: Paths,
    *,
    format: ScoreFormat | None = None,
    measure: str | None = None,
    missing: MissingPolicy = MISSING,
    header: bool | None = None,
    topic_column: bool | None = None,
) -> Scores:
    """Read score files into one `Scores`: every measure a topic × system matrix.

    Understood, by content: wide tables (a row a topic, a column a system; comma, semicolon, tab or blanks; with
    or without header and topic column), long tables (system, topic, measure, value; PyTerrier's name, qid,
    measure, value), ``trec_eval -q`` and ``ir_measures -q`` output and NTCIREVAL's ``.nev`` (one file a run, the
    file's name is the system), and parquet files of either table. Files may be compressed; directories and globs
    stand for the files in them. Several files are joined: new systems and new measures are added.

    Parameters
    ----------
    paths : file, directory, glob, or several; ``-`` is standard input
    format : skip recognition: ``wide``, ``long``, ``trec_eval``, ``nev`` or ``parquet``
    measure : which measure to read; for a wide table, its name (else taken from a file name such as
        ``trec8.AP.csv``, else "score")
    missing : what an absent (topic, system) score means: ``error``, ``zero`` or ``drop-topic``; recorded in the
        provenance
    header, topic_column : for wide tables, whether the first row and the first column are labels; recognised
        unless told

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "trec8.AP.csv")
    >>> _ = file.write_text("topic,bm25,ql\\n401,0.25,0.125\\n402,0.5,0.75\\n")
    >>> read_scores(file)
    Scores(AP: 2 topics × 2 systems, mean 0.4062)
    """
    options = _Options(format, measure, missing, header, topic_column)
    matrices: dict[str, ScoreMatrix] = {}
    runs = _PerRun({"system": [], "topic": [], "measure": []}, [], [], {})
    for path in expand(paths):
        for matrix in _read_file(path, options, runs):
            _add(matrices, matrix, path, missing)
    if runs.values:
        for matrix in assemble(runs.columns, np.array(runs.values), missing=missing, provenance=runs.provenance):
            _add(matrices, matrix, next(iter(runs.files.values())), missing)
    if not matrices:
        raise DataError("no score file given; name at least one file, directory or glob")
    scores = Scores(matrices.values())
    return scores if measure is None else Scores([scores[measure]])


def read_collections(
    paths: Paths,
    *,
    format: ScoreFormat | None = None,
    measure: str | None = None,
    missing: MissingPolicy = MISSING,
    header: bool | None = None,
    topic_column: bool | None = None,
) -> dict[str, Scores]:
    """Read several collections: each table is one, named after its file; files of one run each make one together.

    Tables called ``NAME.MEASURE.csv`` with the same NAME are one collection with several measures; a directory of
    per-run files is a collection named after the directory. Parameters as in `read_scores`.
    """
    groups: dict[str, list[str]] = {}
    for path in expand(paths):
        groups.setdefault(_collection_name(path), []).append(path)
    return {
        name: read_scores(
            files, format=format, measure=measure, missing=missing, header=header, topic_column=topic_column
        )
        for name, files in groups.items()
    }


def _collection_name(path: str) -> str:
    if path == STDIN:
        return "stdin"
    stem, ending, measure = _name_parts(path)
    if ending in _TABLE_ENDINGS:
        return stem if measure is None else stem.removesuffix(f".{measure}")
    return Path(path).resolve().parent.name


def _name_parts(path: str) -> tuple[str, str, str | None]:
    """File name without its endings, the ending of its format, and the measure a name like trec8.AP.csv carries."""
    name = Path(path).name
    if Path(name).suffix.lower() in COMPRESSED:
        name = Path(name).stem
    ending = Path(name).suffix.lower()
    if ending not in _TABLE_ENDINGS:
        return name, ending, None
    stem = Path(name).stem
    measure = stem.rpartition(".")[2] if "." in stem else ""
    return stem, ending, measure if measure[:1].isalpha() else None


def _add(matrices: dict[str, ScoreMatrix], matrix: ScoreMatrix, path: str, missing: MissingPolicy) -> None:
    """Add a measure, or further systems to a measure already read."""
    known = matrices.get(matrix.measure)
    if known is None:
        matrices[matrix.measure] = matrix
        return
    try:
        matrices[matrix.measure] = known.join(matrix, missing="drop-topic" if missing == "drop-topic" else "error")
    except DataError as error:
        raise FileError(path, [Problem(0, f"cannot be joined with the files before it: {error}")]) from None


def _read_file(path: str, options: _Options, runs: _PerRun) -> list[ScoreMatrix]:
    """The matrices of a table; nothing for a file of one run, whose scores are gathered in `runs`."""
    label = "stdin" if path == STDIN else path
    provenance = (f"read from {Path(label).name}",)
    stem, ending, named = _name_parts(label)
    data = read_bytes(path)
    kind = options.format or _recognise(data, ending, label)
    if kind == "parquet":
        return _parquet(data, label, options, options.measure or named, provenance)
    data = check_text(data, label)
    if kind in ("trec_eval", "nev"):
        system = system_name(label)
        if system in runs.files:
            text = f"its system {system!r} was read from {runs.files[system]} already; rename one of the files"
            raise FileError(label, [Problem(0, text)])
        runs.files[system] = label
        parsed = parse_nev(data, label) if kind == "nev" else parse_trec_eval(data, label)
        runs.columns["system"] += [system] * len(parsed.value)
        runs.columns["topic"] += parsed.topic
        runs.columns["measure"] += parsed.measure
        runs.values += parsed.value
        skipped = f" (not read: {', '.join(parsed.skipped)})" if parsed.skipped else ""
        runs.provenance.append(f"{system} read from {Path(label).name}{skipped}")
        return []
    table = read_table(data, label)
    if kind == "long" or (kind is None and is_long(table)):
        if not is_long(table):
            text = "expected a header with the columns system, topic, measure, value (or name, qid, measure, value)"
            raise FileError(label, [Problem(table.lines[0], text)])
        return parse_long(
            table,
            system=stem,
            measure=options.measure or named,
            missing=options.missing,
            provenance=provenance,
        )
    return [
        parse_wide(
            table,
            measure=options.measure or named or "score",
            missing=options.missing,
            provenance=provenance,
            header=options.header,
            topic_column=options.topic_column,
        )
    ]


def _recognise(data: bytes, ending: str, path: str) -> ScoreFormat | None:
    """The format by content; None for a text table, wide or long."""
    if data.startswith(b"PAR1"):
        return "parquet"
    if ending in (".parquet", ".pq"):
        raise FileError(path, [Problem(0, "is named a parquet file and is not one")])
    data = check_text(data, path)
    if looks_like_nev(data):
        return "nev"
    if ending != ".csv" and looks_like_trec_eval(data):
        return "trec_eval"
    return None


def _parquet(
    data: bytes, path: str, options: _Options, measure: str | None, provenance: tuple[str, ...]
) -> list[ScoreMatrix]:
    import polars as pl

    try:
        frame = pl.read_parquet(io.BytesIO(data))
        if (parts := long_columns(frame.columns)) is not None:
            rows = frame.height
            if frame[parts["topic"]].dtype == pl.String:  # as in text tables: summary rows are not scores
                frame = frame.filter(pl.col(parts["topic"]) != SUMMARY_TOPIC)
            if rows and not frame.height:
                raise DataError("holds only summary rows (topic 'all'); per-topic scores are needed")
            if frame.height < rows:
                provenance += (f"{rows - frame.height} summary rows (topic 'all') not read",)
            found = list(from_long(frame, measure=measure, missing=options.missing).values())
        else:
            found = [from_wide(frame, measure=measure or "score", missing=options.missing)]
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FileError(path, [Problem(0, f"cannot be read as parquet: {str(error).splitlines()[0]}")]) from None
    except (DataError, ArgumentError) as error:
        raise FileError(path, [Problem(0, str(error))]) from None
    for matrix in found:
        if not np.isfinite(matrix.values).all():
            raise FileError(path, [Problem(0, f"{matrix.measure}: holds an infinite score; scores must be finite")])
    return [matrix.note(*provenance) for matrix in found]
