"""`check_file`: is a run, qrels or score file sound, and what is in it?"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import polars as pl

from cranfield.collection.readers import parse_qrels, parse_run
from cranfield.collection.types import Qrels, Run
from cranfield.defaults import FileKind
from cranfield.errors import CranfieldError, FileError
from cranfield.files import COMPRESSED, check_text, read_bytes
from cranfield.scores import Scores, read_scores


@dataclass(frozen=True)
class FileCheck:
    """What one file holds, or what is wrong with it.

    Attributes
    ----------
    path, kind : the file, and whether it was read as a run, as qrels or as scores
    topics, systems, rows : how many (rows: retrieved documents, judgments, or scores)
    ties : retrieved documents whose score another document of the same topic shares (runs only)
    relevant : judgments above zero (qrels only)
    notes : what the reader skipped or noticed
    problems : how many things are wrong; `error` shows the first of them
    """

    path: str
    kind: FileKind
    topics: int | None = None
    systems: int | None = None
    rows: int | None = None
    ties: int | None = None
    relevant: int | None = None
    notes: tuple[str, ...] = ()
    problems: int = 0
    error: str = ""


def check_file(path: str | os.PathLike[str], *, kind: FileKind | None = None, lenient: bool = False) -> FileCheck:
    """Read a file strictly and say what it holds; problems are reported, not raised.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "bm25.run")
    >>> _ = file.write_text("301 Q0 FT911-3 1 9.5 x\\n301 Q0 FT911-4 2 9.5 x\\n")
    >>> check = check_file(file)
    >>> check.kind, check.topics, check.rows, check.ties, check.problems
    ('run', 1, 2, 2, 0)
    """
    return read_and_check(path, kind=kind, lenient=lenient)[0]


def read_and_check(
    path: str | os.PathLike[str], *, kind: FileKind | None = None, lenient: bool = False
) -> tuple[FileCheck, Run | Qrels | Scores | None]:
    """What `check_file` says, and what was read; None where there are problems.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "bm25.run")
    >>> _ = file.write_text("301 Q0 FT911-3 1 9.5 x\\n")
    >>> read_and_check(file)[1]
    Run(bm25: 1 topics, 1 documents)
    """
    label = os.fspath(path)
    what: FileKind = kind or _by_name(label)
    try:
        data = read_bytes(path)
        what = kind or _by_content(data, label)
        if what == "run":
            run = parse_run(data, label, lenient=lenient)
            ties = count_ties(run.frame)
            return FileCheck(label, what, len(run.topics), 1, len(run), ties=ties, notes=run.notes), run
        if what == "qrels":
            qrels = parse_qrels(data, label)
            relevant = int((qrels.frame["relevance"] > 0).sum())
            check = FileCheck(label, what, len(qrels.topics), None, len(qrels), relevant=relevant, notes=qrels.notes)
            return check, qrels
        scores = read_scores(path)
        return _check_scores(label, scores), scores
    except FileError as error:
        return FileCheck(label, what, problems=error.total, error=str(error)), None
    except CranfieldError as error:
        return FileCheck(label, what, problems=1, error=f"{label}: {error}"), None


def _check_scores(label: str, scores: Scores) -> FileCheck:
    topics = {topic for matrix in scores.values() for topic in matrix.topics}
    systems = {system for matrix in scores.values() for system in matrix.systems}
    rows = sum(matrix.values.size for matrix in scores.values())
    notes = dict.fromkeys(step for matrix in scores.values() for step in matrix.provenance[1:])
    measures = f"{len(scores)} measure{'s' * (len(scores) > 1)}: {', '.join(list(scores)[:6])}"
    notes = {measures + ", …" * (len(scores) > 6): None, **notes}
    return FileCheck(label, "scores", len(topics), len(systems), rows, notes=tuple(notes))


def count_ties(frame: pl.DataFrame) -> int:
    """How many retrieved documents share their score with another document of the same topic."""
    sizes = frame.group_by("topic", "score").len()["len"]
    return int(sizes.filter(sizes > 1).sum())


_FIRST = 100
"""Lines that have a say in what a file is; one that is broken shall not decide."""


def recognise(path: str) -> FileKind:
    """Run, qrels or scores, by the shape of most of the first lines; where these could be anything, by the name."""
    return _by_content(read_bytes(path), path)


def _by_content(data: bytes, path: str) -> FileKind:
    if data.startswith(b"PAR1"):
        return "scores"
    lines = (line.split() for line in check_text(data, path).splitlines())
    rows = (fields for fields in lines if fields and not fields[0].startswith((b"#", b"<")))
    found = Counter(map(_shape, islice(rows, _FIRST))).most_common(1)
    return found[0][0] if found and found[0][0] != "scores" else _by_name(path)


def _by_name(path: str) -> FileKind:
    name = Path(path.lower())
    endings = {Path(name.stem).suffix if name.suffix in COMPRESSED else name.suffix}
    if endings & {".csv", ".tsv", ".parquet"}:
        return "scores"
    return "qrels" if "qrel" in name.name else "run" if ".run" in endings else "scores"


def _shape(fields: list[bytes]) -> FileKind:
    """What a line looks like."""
    if len(fields) >= 5 and fields[1].upper() == b"Q0":
        return "run"
    if len(fields) == 6 and not _is_number(fields[5]) and _is_number(fields[4]):
        return "run"
    graded = bool(fields) and fields[-1].lstrip(b"L+-").isdigit()
    if len(fields) == 4 and graded and not (_is_number(fields[2]) and b"." in fields[2]):
        return "qrels"  # a table of scores would have a decimal point there
    if len(fields) == 3 and graded and fields[2].startswith(b"L"):
        return "qrels"
    return "scores"


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
