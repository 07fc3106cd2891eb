"""`check_file`: is a run, qrels or score file valid, and what is in it?"""

from __future__ import annotations

import os
from collections import Counter
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, cast

import polars as pl

from cranfield.collection.formats import CollectionFile, beir, json, jsonl, table
from cranfield.collection.readers import parse_qrels, parse_run, read_qrels, read_run
from cranfield.collection.rows import columns_of
from cranfield.collection.types import Qrels, Run
from cranfield.compression import COMPRESSED
from cranfield.defaults import MISSING, FileKind, MissingPolicy
from cranfield.errors import CranfieldError, FileError
from cranfield.files import check_text, is_dataset, read_bytes
from cranfield.json_text import JSONProblem, parse_json
from cranfield.labels import plural
from cranfield.records import record
from cranfield.results import Result
from cranfield.scores.formats import ReadOptions
from cranfield.scores.readers import ScorePart, join_parts, read_part
from cranfield.signature import signature


@record
class FileCheck(Result):
    """What one file holds, or what is wrong with it.

    Attributes
    ----------
    path, kind : the file, and whether it was read as a run, as qrels or as scores
    n_topics, n_systems, n_rows : how many (rows: retrieved documents, judgments, or scores)
    ties : retrieved documents whose score another document of the same topic shares (runs only)
    relevant : judgments above zero (qrels only)
    notes : what the reader skipped or noticed
    problems : how many things are wrong; `error` shows the first of them
    """

    path: str
    kind: FileKind
    n_topics: int | None = None
    n_systems: int | None = None
    n_rows: int | None = None
    ties: int | None = None
    relevant: int | None = None
    notes: tuple[str, ...] = ()
    problems: int = 0
    error: str = ""

    @property
    def settings(self) -> dict[str, Any]:
        """The file, and what it was read as."""
        return {"path": self.path, "kind": self.kind}

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        return signature("check", kind=self.kind)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader noticed, and what is wrong."""
        return (*self.notes, *([self.error] if self.error else []))

    def summary(self) -> str:
        """What the file holds, or what is wrong with it."""
        if self.problems:
            return self.error
        systems = "" if self.n_systems is None else f" × {plural(self.n_systems, 'system')}"
        topics, rows = plural(self.n_topics or 0, "topic"), plural(self.n_rows or 0, "row")
        return f"{self.path}: {self.kind}, {topics}{systems}, {rows}"

    def to_frame(self) -> pl.DataFrame:
        """One row: file, kind, topics, systems, rows, ties, relevant, problems."""
        numbers = {"topics": self.n_topics, "systems": self.n_systems, "rows": self.n_rows}
        numbers |= {"ties": self.ties, "relevant": self.relevant, "problems": self.problems}
        return pl.DataFrame(
            {"file": [self.path], "kind": [self.kind], **{name: [value] for name, value in numbers.items()}},
            schema_overrides=dict.fromkeys(numbers, pl.Int64),
        )


Content = Run | Qrels | ScorePart
"""What a file holds, parsed; `join_parts` makes scores of one score file or several."""


def check_file(path: str | os.PathLike[str], *, kind: FileKind | None = None, lenient: bool = False) -> FileCheck:
    """Read a file strictly and say what it holds; problems are reported, not raised.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "bm25.run")
    >>> _ = file.write_text("301 Q0 FT911-3 1 9.5 x\\n301 Q0 FT911-4 2 9.5 x\\n")
    >>> check = check_file(file)
    >>> check.kind, check.n_topics, check.n_rows, check.ties, check.problems
    ('run', 1, 2, 2, 0)
    """
    return check_and_read(path, kind=kind, lenient=lenient)[0]


def check_and_read(
    path: str | os.PathLike[str],
    *,
    kind: FileKind | None = None,
    lenient: bool = False,
    missing: MissingPolicy = MISSING,
) -> tuple[FileCheck, Content | None]:
    """The check of a file and what it holds, read once; nothing for a file with problems.

    `missing` says what a missing score means, as in `read_scores`.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "bm25.run")
    >>> _ = file.write_text("301 Q0 FT911-3 1 9.5 x\\n301 Q0 FT911-4 2 9.5 x\\n")
    >>> check_and_read(file)[1]
    Run(bm25: 1 topics, 2 documents)
    """
    label = os.fspath(path)
    recognised: FileKind = kind or _by_name(label)
    try:
        data = None if is_dataset(label) else read_bytes(path)
        recognised = kind or recognise(label, data)
        if recognised == "run":
            run = read_run(path) if data is None else parse_run(data, path, lenient=lenient)
            ties = count_ties(run.frame)
            return FileCheck(label, recognised, len(run.topics), 1, len(run), ties=ties, notes=run.notes), run
        if recognised == "qrels":
            qrels = read_qrels(path) if data is None else parse_qrels(data, path)
            relevant = int((qrels.frame["relevance"] > 0).sum())
            return (
                FileCheck(label, recognised, len(qrels.topics), None, len(qrels), relevant=relevant, notes=qrels.notes),
                qrels,
            )
        part = read_part(label, options=ReadOptions(missing=missing), data=data)
        scores = join_parts([part], missing)
        topics = {topic for matrix in scores.values() for topic in matrix.topics}
        systems = {system for matrix in scores.values() for system in matrix.systems}
        rows = sum(matrix.values.size for matrix in scores.values())
        notes = dict.fromkeys(step for matrix in scores.values() for step in matrix.provenance[1:])
        measures = f"{len(scores)} measure{'s' * (len(scores) > 1)}: {', '.join(list(scores)[:6])}"
        notes = {measures + ", …" * (len(scores) > 6): None, **notes}
        return FileCheck(label, recognised, len(topics), len(systems), rows, notes=tuple(notes)), part
    except FileError as error:
        return FileCheck(label, recognised, problems=error.total, error=str(error)), None
    except CranfieldError as error:
        return FileCheck(label, recognised, problems=1, error=f"{label}: {error}"), None


def count_ties(frame: pl.DataFrame) -> int:
    """How many retrieved documents share their score with another document of the same topic."""
    sizes = frame.group_by("topic", "score").len()["len"]
    return int(sizes.filter(sizes > 1).sum())


_FIRST = 100
_HEAD = 1 << 18
"""Lines that have a say in what a file is; one that is broken shall not decide."""


def recognise(path: str, data: bytes | None = None) -> FileKind:
    """Run, qrels or scores, by the shape of most of the first lines; where these could be anything, by the name.

    A dataset of ir_datasets may have judgments and scored documents; here it stands for the judgments.
    """
    if is_dataset(path):
        return "qrels"
    data = read_bytes(path) if data is None else data
    if data.startswith(b"PAR1"):
        return "scores"
    if (special := _special(path, data)) is not None:
        return special
    text = check_text(data, path)
    head = text[:_HEAD].rpartition(b"\n")[0]
    rows = _rows(head) if len(text) > _HEAD else []
    if len(rows) < _FIRST:
        rows = _rows(text)
    commonest = Counter(map(_shape, rows)).most_common(1)
    return commonest[0][0] if commonest and commonest[0][0] != "scores" else _by_name(path)


def _rows(text: bytes) -> list[list[bytes]]:
    """The fields of the first lines that are no remarks."""
    lines = (line.split() for line in text.splitlines())
    return list(islice((fields for fields in lines if fields and not fields[0].startswith((b"#", b"<"))), _FIRST))


def _special(path: str, data: bytes) -> FileKind | None:
    """What JSON, a table with a header or MS MARCO's lines hold; None for anything else."""
    file = CollectionFile(path, check_text(data, path))
    if json.begins_object(file.text):
        return _json_kind(file)
    for kind, header in (("run", table.is_run), ("qrels", table.is_qrels)):
        if header(file) and not (kind == "run" and ("qrel" in Path(path).name.lower() or beir.is_qrels(file))):
            return cast("FileKind", kind)
    rows = [line.split() for line in file.first]
    ranks = all(len(row) == 3 and row[2].isdigit() and len(row[2]) < 20 for row in rows)
    if len(rows) > 2 and ranks:  # 1, 2, 3, … of a topic
        after = [(a, b) for a, b in pairwise(rows) if a[0] == b[0]]
        if int(rows[0][2]) == 1 and after and all(int(b[2]) == int(a[2]) + 1 for a, b in after):
            return "run"
        if b"\t" in file.first[0] and "qrel" in Path(path).name.lower():
            return "qrels"
    return None


def _json_kind(file: CollectionFile) -> FileKind:
    name = Path(file.path).name.lower()
    if jsonl.is_jsonl(file):
        try:
            keys = list(parse_json(file.first[0]))
        except JSONProblem:  # reading it will say what is wrong
            keys = []
        if "document" not in columns_of(keys, ["topic", "document"]):
            return "scores"
        judged = {"query-id", "corpus-id"} <= set(keys) or "relevance" in columns_of(keys, ["score", "relevance"])
        return "qrels" if judged or "qrel" in name else "run"
    if "qrel" in name:
        return "qrels"
    try:
        content = json.by_topic(json.load(file), file.path)
    except FileError:
        return "scores"
    inside = [value for one in content.values() if isinstance(one, dict) for value in one.values()]
    return "qrels" if inside and all(isinstance(value, int) for value in inside) else "run"


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
