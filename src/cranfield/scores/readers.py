"""`read_scores`: score files of any known format into one `Scores`; `read_collections`: one `Scores` a collection."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np
import polars as pl

from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import MISSING, MissingPolicy
from cranfield.core.errors import ArgumentError, CranfieldError, DataError, FileError, Problem, notify
from cranfield.core.files import (
    COMPRESSED,
    STDIN,
    WORKBOOKS,
    NamedFile,
    expand,
    read_bytes,
    resolved,
    split_sheet,
    system_name,
)
from cranfield.core.recognition import collected_columns
from cranfield.core.workbooks import SheetText
from cranfield.scores.formats import FORMATS, ReadOptions, ScoreFile, recognise
from cranfield.scores.formats.tools import LongColumns
from cranfield.scores.frames import assemble, check_range, in_file, names_measure, several_of
from cranfield.scores.matrix import ScoreMatrix, Scores

Paths = Iterable[str | os.PathLike[str]] | str | os.PathLike[str]
_HEAD = 1 << 16
"""Bytes among which a header is looked for."""
_TABLE_ENDINGS = {".csv", ".tsv", ".txt", ".tab", ".dat", ".parquet", ".pq", ".json", ".jsonl", ".ndjson", *WORKBOOKS}


@dataclass(frozen=True)
class ScorePart:
    """What one score file holds, parsed: the matrices of a table, or the lines of one run, which make a matrix only
    together with those of the other runs (`join_parts`)."""

    path: str
    matrices: tuple[ScoreMatrix, ...] = ()
    run: LongColumns | None = None


def read_scores(
    paths: Paths,
    *,
    format: str | None = None,
    measure: str | None = None,
    missing: MissingPolicy = MISSING,
    header: bool | None = None,
    topic_column: bool | None = None,
) -> Scores:
    """Read score files into one `Scores`: every measure a topic × system matrix.

    Understood, by content: wide tables (one row per topic, one column per system; comma, semicolon, tab or blanks; with
    or without header and topic column), long tables (system, topic, measure, value; PyTerrier's name, qid,
    measure, value) and parquet files of any table. Also ``trec_eval -q`` and ``ir_measures -q`` output and
    NTCIREVAL's ``.nev``: one file per run, whose name is the system. Files may be compressed; directories and globs
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
    check_arguments(read_scores, locals())
    if format is not None:
        FORMATS[format]  # an error that names the known ones
    options = ReadOptions(measure, missing, header, topic_column)
    files = expand(paths)
    scores = join_parts([read_part(path, format, options) for path in files], missing)
    if measure is not None:
        scores = Scores([scores[measure]])
    notify(files.skipped)
    return Scores(scores.values(), (*files.skipped, *scores.warnings)) if files.skipped else scores


def join_parts(parts: Sequence[ScorePart], missing: MissingPolicy = MISSING) -> Scores:
    """Files that have been parsed as one `Scores`: new systems and new measures are added, runs are put together."""
    matrices: dict[str, ScoreMatrix] = {}
    for part in parts:
        for matrix in part.matrices:
            _add(matrices, matrix, part.path, missing)
    runs = [part for part in parts if part.run is not None]
    if runs:
        for matrix in _of_runs(runs, missing):
            _add(matrices, matrix, runs[0].path, missing)
    if not matrices:
        raise DataError("no score file given. Name at least one file, directory or glob.")
    return Scores(matrices.values())


class ReadingOptions(TypedDict, total=False):
    """What can be said about score files (see `read_scores`)."""

    format: str | None
    measure: str | None
    missing: MissingPolicy
    header: bool | None
    topic_column: bool | None


def read_collections(paths: Paths, **how: Unpack[ReadingOptions]) -> dict[str, Scores]:
    """Read several collections: each table is one, named after its file; per-run files make one collection together.

    Tables called ``NAME.MEASURE.csv`` with the same NAME are one collection with several measures; a directory of
    per-run files is a collection named after the directory. Parameters as in `read_scores`.
    """
    check_arguments(read_collections, locals())
    all_files = expand(paths)
    notify(all_files.skipped)
    made = {name: read_scores(files, **how) for name, files in by_collection(all_files).items()}
    if all_files.skipped:  # said once, by the first
        first = next(iter(made))
        made[first] = Scores(made[first].values(), (*all_files.skipped, *made[first].warnings))
    return made


def by_collection(files: Iterable[str]) -> dict[str, list[str]]:
    """The score files of each collection."""
    groups: dict[str, list[str]] = {}
    for file in files:
        groups.setdefault(_collection_name(file), []).append(file)
    return groups


def _collection_name(path: str) -> str:
    if path == STDIN:
        return "stdin"
    stem, ending, measure = _name_parts(split_sheet(path)[0])
    if ending in _TABLE_ENDINGS:
        return stem if measure is None else stem.removesuffix(f".{measure}")
    folder = Path(path).parent  # of an upload there is no other than its name says
    return (folder.name or "upload") if isinstance(path, NamedFile) else resolved(folder).name


def _name_parts(path: str) -> tuple[str, str, str | None]:
    """File name without its endings, the ending of its format, and the measure a name like trec8.AP.csv carries."""
    name = Path(path).name
    if Path(name).suffix.lower() in COMPRESSED:
        name = Path(name).stem
    ending = Path(name).suffix.lower()
    if ending not in _TABLE_ENDINGS:
        return system_name(name), ending, None
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
        text = f"cannot be combined with the earlier files: {error}"
        if set(known.systems) & set(matrix.systems) and not set(known.topics) & set(matrix.topics):
            text = "has other topics of the same systems. Compare collections with `cranfield across`."
        raise FileError(path, [Problem(0, text)]) from None


def _of_runs(parts: Sequence[ScorePart], missing: MissingPolicy) -> list[ScoreMatrix]:
    """The matrices of files that hold one run each."""
    columns: dict[str, list[str]] = {"system": [], "topic": [], "measure": []}
    values: list[float] = []
    provenance: list[str] = []
    files: dict[str, str] = {}
    for part in parts:
        system, run = system_name(part.path), part.run
        assert run is not None
        if system in files:
            text = f"system {system!r} was already read from {files[system]}. Rename one of the files."
            raise FileError(part.path, [Problem(0, text)])
        files[system] = part.path
        columns["system"] += [system] * len(run.value)
        columns["topic"] += run.topic
        columns["measure"] += run.measure
        values += run.value
        skipped = f" (not read: {', '.join(run.skipped)})" if run.skipped else ""
        provenance.append(f"{system} read from {Path(part.path).name}{skipped}")
    return assemble(columns, np.array(values), missing=missing, provenance=provenance, of_tool=True)


def collected_separator(data: bytes) -> str | None:
    """What separates the fields of a text whose header names a column of collections or seeds; None for others."""
    lines = data[:_HEAD].splitlines()
    header = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")
    text = header.decode("utf-8-sig", errors="replace")
    separator = next((mark for mark in "\t,;" if mark in text), None)
    if separator is None or collected_columns([name.strip().strip('"') for name in text.split(separator)]) is None:
        return None
    return separator


def collected_table(data: bytes, separator: str, path: str) -> pl.DataFrame:
    """The table in such a text."""
    try:
        return pl.read_csv(data, separator=separator, infer_schema=False, comment_prefix="#")
    except pl.exceptions.PolarsError as error:
        text = str(error).partition("\n")[0]
        raise FileError(path, [Problem(0, f"is not a table of equal rows ({text}). Correct the row.")]) from None


def read_part(
    path: str, format: str | None = None, options: ReadOptions | None = None, data: bytes | None = None
) -> ScorePart:
    """One score file, parsed; `data` are its bytes, where somebody has read them already."""
    label = "stdin" if path == STDIN else path
    stem, ending, named = _name_parts(split_sheet(label)[0])
    data = read_bytes(path) if data is None else data
    if (separator := collected_separator(data)) and (found := several_of(collected_table(data, separator, label))):
        names = f"column {found.column!r} names {found.number} {found.what}"
        raise FileError(label, [Problem(0, f"{names}. Use `cranfield across {label}`, or keep one of them.")])
    said: tuple[str, ...] = ()
    if isinstance(data, SheetText):
        said, named = data.said, data.sheet if names_measure(data.sheet) else named
    file = ScoreFile(label, data, stem, ending)
    entry = recognise(file) if format is None else FORMATS[format]
    if entry.read is not None:
        told = options or ReadOptions()
        told = replace(told, measure=told.measure or named, provenance=(f"read from {Path(label).name}",))
        try:
            read = (in_file(matrix, label, said) for matrix in entry.read(file, told))
            return ScorePart(label, tuple(map(check_range, read)))
        except FileError:
            raise
        except CranfieldError as error:
            raise FileError(label, [Problem(0, str(error))]) from None
    if entry.read_run is None:
        raise ArgumentError(f"score format {entry.name!r} is registered without a reader.")
    return ScorePart(label, run=entry.read_run(file))
