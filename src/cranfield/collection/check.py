"""`check_file`: is a run, qrels or score file valid, and what is in it?"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.collection.readers import parse_qrels, parse_run, read_qrels, read_run
from cranfield.collection.types import Qrels, Run
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import MISSING, FileKind, MissingPolicy
from cranfield.core.errors import CranfieldError, FileError
from cranfield.core.files import is_dataset, read_bytes
from cranfield.core.labels import plural
from cranfield.core.recognition import kind_by_name, recognise
from cranfield.core.results import Result, signature
from cranfield.scores.formats import ReadOptions
from cranfield.scores.readers import ScorePart, join_parts, read_part

if TYPE_CHECKING:
    from cranfield.core.answer import Answer, Drawings
    from cranfield.core.question import Question


@dataclass(frozen=True)
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
        counts = dict.fromkeys(("topics", "systems", "rows", "ties", "relevant", "problems"), pl.Int64)
        row = self.path, self.kind, self.n_topics, self.n_systems, self.n_rows, self.ties, self.relevant, self.problems
        return pl.DataFrame([row], schema={"file": pl.String, "kind": pl.String, **counts}, orient="row")

    def answer(self, question: Question | None = None) -> Answer:
        """The answer that command line, page and report show."""
        from cranfield.questions.check.answer import check_answer

        return check_answer(self, question)

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is the default."""
        from cranfield.questions.check import charts

        return {"contents": charts.contents}


Content = Run | Qrels | ScorePart
"""What a file holds, parsed; `join_parts` makes scores of one score file or several."""


def check_file(path: str | os.PathLike[str], *, kind: FileKind | None = None, lenient: bool = False) -> FileCheck:
    """Read a file strictly and report its contents; problems are reported, not raised.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "bm25.run")
    >>> _ = file.write_text("301 Q0 FT911-3 1 9.5 x\\n301 Q0 FT911-4 2 9.5 x\\n")
    >>> check = check_file(file)
    >>> check.kind, check.n_topics, check.n_rows, check.ties, check.problems
    ('run', 1, 2, 2, 0)
    """
    check_arguments(check_file, locals())
    return check_and_read(path, kind=kind, lenient=lenient)[0]


def check_and_read(
    path: str | os.PathLike[str],
    *,
    kind: FileKind | None = None,
    lenient: bool = False,
    missing: MissingPolicy = MISSING,
) -> tuple[FileCheck, Content | None]:
    """The check of a file and what it holds, read once; nothing for a file with problems.

    `missing` is what a missing score means, as in `read_scores`.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "bm25.run")
    >>> _ = file.write_text("301 Q0 FT911-3 1 9.5 x\\n301 Q0 FT911-4 2 9.5 x\\n")
    >>> check_and_read(file)[1]
    Run(bm25: 1 topics, 2 documents)
    """
    label = os.fspath(path)
    recognised: FileKind = kind or kind_by_name(label) or "scores"
    try:
        data = None if is_dataset(label) else read_bytes(path)
        content = kind or recognise(label, data)
        recognised = "scores" if content == "unknown" else content  # its readers explain the problem
        if recognised == "run":
            run = read_run(path) if data is None else parse_run(data, path, lenient=lenient)
            ties = count_ties(run.frame)
            return FileCheck(label, recognised, len(run.topics), 1, len(run), ties=ties, notes=run.notes), run
        if recognised == "qrels":
            qrels = read_qrels(path) if data is None else parse_qrels(data, path)
            sizes, relevant = (len(qrels.topics), None, len(qrels)), int((qrels.frame["relevance"] > 0).sum())
            return FileCheck(label, recognised, *sizes, relevant=relevant, notes=qrels.notes), qrels
        part = read_part(label, options=ReadOptions(missing=missing), data=data)
        scores = join_parts([part], missing)
        matrices = list(scores.values())
        topics = {topic for matrix in matrices for topic in matrix.topics}
        systems = {system for matrix in matrices for system in matrix.systems}
        rows = sum(matrix.values.size for matrix in matrices)
        steps = dict.fromkeys(step for matrix in matrices for step in matrix.provenance if "read from " not in step)
        measures = f"{plural(len(scores), 'measure')}: {', '.join(list(scores)[:6])}{', …' * (len(scores) > 6)}"
        return FileCheck(label, recognised, len(topics), len(systems), rows, notes=(measures, *steps)), part
    except FileError as error:
        return FileCheck(label, recognised, problems=error.total, error=str(error)), None
    except CranfieldError as error:
        return FileCheck(label, recognised, problems=1, error=f"{label}: {error}"), None


def count_ties(frame: pl.DataFrame) -> int:
    """How many retrieved documents share their score with another document of the same topic."""
    sizes = frame.group_by("topic", "score").len()["len"]
    return int(sizes.filter(sizes > 1).sum())
