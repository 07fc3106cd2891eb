"""Whole archives: many collections evaluated in one job that can be resumed, with one file of scores each."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from cranfield.core.defaults import MEASURES
from cranfield.core.errors import DataError, FileError, Problem, quietly
from cranfield.core.executors import Progress
from cranfield.core.files import expand, is_elsewhere, read_bytes, reason
from cranfield.core.text import Problems, text_lines
from cranfield.core.work_files import WorkFile
from cranfield.measures.evaluation import evaluate
from cranfield.measures.names import MeasuresLike, parse_measures
from cranfield.measures.options import EvaluationOptions
from cranfield.scores.writers import write_scores

FINISHED = "finished.work"
"""The file in the output directory that lists the finished collections and their files."""
_NAME = re.compile(r"\w[\w.@+-]*")


@dataclass(frozen=True)
class ArchiveEntry:
    """A collection of an archive: its name, the file of its judgments, and files, directories or globs of runs."""

    line: int
    name: str
    qrels: str
    runs: tuple[str, ...]


@dataclass(frozen=True)
class ArchiveOutcome:
    """The outcome for a collection.

    Parameters
    ----------
    name : the collection
    state : ``"evaluated"``, ``"kept"`` (it was finished before) or ``"failed"``
    path : the file of its scores
    n_topics, n_systems : its size; 0 where it failed
    warnings : what to know before relying on its scores
    problem : why it failed
    """

    name: str
    state: str
    path: str
    n_topics: int = 0
    n_systems: int = 0
    warnings: tuple[str, ...] = ()
    problem: str = ""


def read_archive(path: str | os.PathLike[str]) -> list[ArchiveEntry]:
    """The collections that a file lists.

    Every line has a name, the file of the judgments, and one or more files, directories or globs of runs. Blanks
    separate them; quote names with blanks. ``#`` begins a comment. Paths are relative to the file's directory.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "archive.txt")
    >>> _ = file.write_text("# name qrels runs\\ntrec8 /data/trec8/qrels.txt '/data/trec8/my runs'\\n")
    >>> read_archive(file)
    [ArchiveEntry(line=2, name='trec8', qrels='/data/trec8/qrels.txt', runs=('/data/trec8/my runs',))]
    """
    listing = os.fspath(path)
    home = Path(listing).parent
    problems = Problems(listing)
    entries: list[ArchiveEntry] = []
    lines: dict[str, int] = {}
    for number, line in text_lines(read_bytes(listing), listing):
        try:
            fields = shlex.split(line, comments=True)
        except ValueError as error:
            problems.add(number, f"{str(error).lower()}; close the quote")
            continue
        if not fields:
            continue
        name = fields[0]
        if len(fields) < 3:
            problems.add(number, f"expected a name, judgments and runs, found {len(fields)} of 3 fields")
        elif not _NAME.fullmatch(name):
            problems.add(number, f"{name!r} cannot be the name of a file; use letters, digits and . _ - + @")
        elif (former := lines.get(name.casefold())) is not None:
            problems.add(number, f"collection {name!r} is on line {former} already; give it another name")
        else:
            lines[name.casefold()] = number
            qrels, *runs = (one if is_elsewhere(one) else str(home / one) for one in fields[1:])
            entries.append(ArchiveEntry(number, name, qrels, tuple(runs)))
    if not entries and not problems.total:
        problems.add(0, "lists no collection; write lines of a name, judgments and runs")
    problems.raise_if_any()
    return entries


def evaluate_archive(
    listing: str | os.PathLike[str],
    output: str | os.PathLike[str],
    measures: MeasuresLike = MEASURES,
    *,
    progress: Progress | None = None,
    **scoring: Unpack[EvaluationOptions],
) -> Iterator[ArchiveOutcome]:
    """Evaluate every collection that a file lists, in turn, and yield the outcome of each.

    The scores of each go to ``NAME.parquet`` in the output directory (system, topic, measure, value; every topic),
    written whole or not at all. A finished collection is not evaluated again unless its files have changed (by size
    and time). A job with other measures or settings in the same directory is refused. A collection that fails is
    reported, and the others continue.

    Parameters
    ----------
    listing : see `read_archive`
    output : the directory for the scores; created if missing
    measures, scoring : as in `evaluate`, with its ``workers``, ``executor`` and ``memory``
    progress : called with (collections done, collections in all)

    Examples
    --------
    >>> import tempfile
    >>> from cranfield import make_sample
    >>> home = Path(tempfile.mkdtemp())
    >>> _ = make_sample(n_topics=4, n_systems=3, n_documents=100).write(home / "a")
    >>> _ = (home / "archive.txt").write_text("first a/qrels.txt a/runs")
    >>> [(one.name, one.state, one.n_systems) for one in evaluate_archive(home / "archive.txt", home / "scores")]
    [('first', 'evaluated', 3)]
    >>> [one.state for one in evaluate_archive(home / "archive.txt", home / "scores")]
    ['kept']
    """
    entries = read_archive(listing)
    names = [str(one) for one in parse_measures(measures)]
    where = Path(output)
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(str(where), [Problem(0, f"the directory cannot be created: {reason(error)}")]) from None
    how = {name: value for name, value in scoring.items() if name not in ("workers", "executor", "memory")}
    job = {"measures": names, **{name: None if value is None else str(value) for name, value in sorted(how.items())}}
    with WorkFile(where / FINISHED, job, "archive") as finished:
        for done, entry in enumerate(entries, 1):
            yield _one(entry, where / f"{entry.name}.parquet", finished, measures, scoring)
            if progress:
                progress(done, len(entries))


_FACTS: dict[str, type | tuple[int, ...]] = {
    "inputs": str, "bytes": int, "warnings": list, "topics": int, "systems": int,
}  # fmt: skip
"""The facts kept about a finished collection."""


def _one(
    entry: ArchiveEntry, path: Path, finished: WorkFile, measures: MeasuresLike, scoring: EvaluationOptions
) -> ArchiveOutcome:
    """One collection, evaluated unless it is finished."""
    try:
        files = expand(entry.runs)
        inputs = _identity([entry.qrels, *files])
        part = finished.get(entry.name, _FACTS)
        if part is not None and part["inputs"] == inputs and path.is_file() and path.stat().st_size == part["bytes"]:
            sizes = part["topics"], part["systems"]
            return ArchiveOutcome(entry.name, "kept", str(path), *sizes, tuple(part["warnings"]))
        with quietly():
            scores = evaluate(entry.qrels, files, measures, **scoring)
        write_scores(scores, path)
    except DataError as error:
        return ArchiveOutcome(entry.name, "failed", str(path), problem=f"line {entry.line}: {error}")
    first = next(iter(scores.values()))
    facts = {"inputs": inputs, "bytes": path.stat().st_size, "warnings": list(scores.warnings)}
    finished.put(entry.name, {**facts, "topics": first.n_topics, "systems": first.n_systems})
    return ArchiveOutcome(entry.name, "evaluated", str(path), first.n_topics, first.n_systems, tuple(scores.warnings))


def _identity(files: Sequence[str]) -> str:
    """A digest that changes with the files: names, sizes and times; for remote files the names."""
    facts = []
    for name in files:
        try:
            status = Path(name).stat()
            facts.append(f"{name}\0{status.st_size}\0{status.st_mtime_ns}")
        except OSError:
            facts.append(name)
    return hashlib.blake2b("\n".join(facts).encode(), digest_size=16).hexdigest()
