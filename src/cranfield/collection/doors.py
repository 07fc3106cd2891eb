"""`as_runs` and `as_qrels`: files, frames, mappings and objects of other tools as `Run` and `Qrels`.

Objects of other tools are recognised by module and attributes; those tools are never imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeAlias, TypeGuard, cast

import polars as pl

from cranfield.collection.readers import read_qrels, read_run, read_runs
from cranfield.collection.rows import (
    QRELS_COLUMNS,
    RUN_COLUMNS,
    Place,
    missing_columns,
    of_tuples,
    qrels_frame,
    run_frame,
    unfold,
)
from cranfield.collection.types import GradeMap, Qrels, Run, grades_of
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.files import Files, expand
from cranfield.core.recognition import QRELS_PARTS, RUN_PARTS, columns_of
from cranfield.scores.doors import PathLike, peek
from cranfield.scores.frames import FrameLike, as_polars, is_frame


class _RowLike(Protocol):
    """A row as ir_measures has it."""

    @property
    def query_id(self) -> str:
        """The topic."""

    @property
    def doc_id(self) -> str:
        """The document."""


class RetrievedLike(_RowLike, Protocol):
    """A retrieved document as ir_measures has it."""

    @property
    def score(self) -> float:
        """Its score."""


class JudgedLike(_RowLike, Protocol):
    """A judgment as ir_measures has it."""

    @property
    def relevance(self) -> int:
        """Its relevance."""


class RanxLike(Protocol):
    """A run or qrels of ranx."""

    def to_dict(self) -> Any:
        """The same by topic and document."""


RunLike: TypeAlias = Run | PathLike | Mapping[Any, Mapping[Any, float]] | FrameLike | RanxLike | Iterable[RetrievedLike]
RunsLike: TypeAlias = RunLike | Mapping[str, RunLike] | Iterable[RunLike]
"""One run or several: see `as_runs`."""
QrelsLike: TypeAlias = Qrels | PathLike | Mapping[Any, Mapping[Any, int]] | FrameLike | RanxLike | Iterable[JudgedLike]
"""Judgments: see `as_qrels`."""

RUNS_TAKEN = """\
  a Run, or the path of a run file, a directory or a glob
  {topic: {document: score}}, as pytrec_eval and ranx have it
  a pandas or polars frame with columns topic, document, score
    (or PyTerrier's qid docno score, or ir_measures' query_id doc_id score)
  a ranx Run, or ir_measures' ScoredDoc tuples
  several of them in a list, or by name: {"bm25": run, "ours": run}"""
QRELS_TAKEN = """\
  Qrels, or the path of a qrels file
  {topic: {document: relevance}}, as pytrec_eval and ranx have it
  a pandas or polars frame with columns topic, document, relevance
    (or PyTerrier's qid docno label, or ir_measures' query_id doc_id relevance)
  ranx Qrels, or ir_measures' Qrel tuples"""


def as_runs(runs: RunsLike) -> list[Run | str] | Iterator[Run | str]:
    """One run or several, in any form: runs as `Run`, files by their names (they are read one at a time).

    Accepted are `Run` objects, files, directories and globs; ``{topic: {document: score}}``; ranx's ``Run``;
    ir_measures' tuples; frames; a list of any of these; and a mapping from the system's name to any of these.

    A frame of pandas or polars has the columns of TREC, PyTerrier (``qid docno rank score``) or ir_measures
    (``query_id doc_id score``). A column ``system`` or ``name`` tells several runs apart.

    Examples
    --------
    >>> as_runs({"bm25": {"301": {"d1": 2.5, "d2": 1.0}}, "ours": {"301": {"d2": 0.75}}})
    [Run(bm25: 1 topics, 2 documents), Run(ours: 1 topics, 1 documents)]
    >>> as_runs({"301": {"d1": 2.5, "d2": 1.0}})
    [Run(run: 1 topics, 2 documents)]
    """
    if isinstance(runs, Mapping) and not is_frame(runs) and _is_named(runs):
        return [part for name, run in runs.items() for part in _named_run(name, run)]
    if (known := _known_run(runs)) is not None:
        return known
    if not isinstance(runs, Iterable):
        raise _not_taken("runs", runs, RUNS_TAKEN)
    first, rest = peek(runs)
    if _is_tuple(first, "score"):
        return [_from_tuples(rest, "run")]
    if not isinstance(runs, (list, tuple)):
        return (part for run in rest for part in _one_run(run))
    parts: list[Any] = [_one_run(run) for run in rest]
    joined: Any = Files(run for part in parts for run in part)
    joined.skipped = tuple(dict.fromkeys(text for part in parts for text in skipped_files(part))) + skipped_files(runs)
    return cast("list[Run | str]", joined)


def as_qrels(qrels: QrelsLike, map: str | GradeMap | None = None) -> Qrels:
    """Judgments in any form: `Qrels`, a file, ``{topic: {document: relevance}}``, a frame, ranx's or ir_measures'.

    Grades that are not levels need `map`: pairs ``grade:level``, or ``grade+:level`` from that grade on.

    Examples
    --------
    >>> as_qrels({"301": {"d1": 1, "d2": 0}})
    Qrels(qrels: 1 topics, 2 judgments, 1 relevant)
    >>> as_qrels({"301": {"d1": 0.5}})
    Traceback (most recent call last):
    cranfield.DataError: qrels: topic '301', document 'd1' has relevance 0.5; relevance must be a whole number
    >>> as_qrels({"301": {"d1": 0.5, "d2": 0.25}}, map="0+:0,0.5+:1").frame["relevance"].to_list()
    [1, 0]
    """
    grades = grades_of(map)
    if isinstance(qrels, (str, os.PathLike)):
        return read_qrels(qrels, map=grades)
    if isinstance(qrels, Qrels):
        return qrels if grades is None else grades.applied(qrels)
    found, notes = _judgments(qrels, grades), () if grades is None else (grades.note,)
    return replace(found, notes=notes)


def _judgments(qrels: Any, grades: GradeMap | None) -> Qrels:
    """Judgments in memory."""
    if is_frame(qrels):
        frame, place = as_polars(qrels), Place("qrels")
        parts = columns_of(frame.columns, QRELS_PARTS)
        if not {"topic", "document", "relevance"} <= set(parts):
            place.fail(missing_columns(frame.columns, "judgments", QRELS_COLUMNS))
        return Qrels(qrels_frame({key: frame[column] for key, column in parts.items()}, place, grades), "qrels")
    name, nested = (_name_of(qrels, "qrels"), qrels.to_dict()) if _is_ranx(qrels, "Qrels") else ("qrels", qrels)
    if isinstance(nested, Mapping):
        place = Place(name, rows=False)
        return Qrels(qrels_frame(unfold(nested, place, "relevance"), place, grades), name)
    if isinstance(qrels, Iterable):
        first, rest = peek(qrels)
        if _is_tuple(first, "relevance"):
            return Qrels(qrels_frame(of_tuples(rest, "relevance"), Place("qrels"), grades), "qrels")
    raise _not_taken("qrels", qrels, QRELS_TAKEN)


def _not_taken(name: str, given: Any, taken: str) -> ArgumentError:
    return ArgumentError(f"`{name}` cannot be made of {type(given).__name__}. Give one of:\n{taken}")


# ── runs ──────────────────────────────────────────────────────────────────────────────────────────────────


def _known_run(run: Any, name: str | None = None) -> list[Run | str] | None:
    """The runs that a path or another known object holds; None for anything else."""
    if isinstance(run, (str, os.PathLike)):
        return cast("list[Run | str]", expand(run))
    if isinstance(run, Run):
        return [run if name is None else replace(run, system=name)]
    if is_frame(run):
        return list(runs_of_frame(as_polars(run), name))
    if _is_ranx(run, "Run"):
        name, run = name or _name_of(run, "run"), run.to_dict()
    if not isinstance(run, Mapping):
        return None
    place = Place(f"run {name or 'run'!r}", rows=False)
    return [Run(run_frame(unfold(run, place, "score"), place), name or "run")]


def skipped_files(runs: Any) -> tuple[str, ...]:
    """The files that `as_runs` skipped in directories, one sentence each."""
    return tuple(getattr(runs, "skipped", ()))


def _one_run(run: Any) -> list[Run | str]:
    """The runs that one element of a list holds."""
    known = _known_run(run)
    if known is None:
        raise _not_taken("runs", run, RUNS_TAKEN)
    return known


def _named_run(name: Any, run: Any) -> list[Run | str]:
    """A run in a mapping, under the name it has there."""
    if not isinstance(name, str) or not name:
        raise DataError(f"runs: a system name must be non-empty text; got {name!r}")
    if isinstance(run, (str, os.PathLike)):
        files = expand(run)
        if len(files) > 1:
            raise ArgumentError(f"runs: {name!r} names {len(files)} files ({run}); name each run separately")
        return [replace(read_run(file), system=name) for file in files]
    known = _known_run(run, name)
    if known is None and isinstance(run, Iterable):
        first, rest = peek(run)
        known = [_from_tuples(rest, name)] if _is_tuple(first, "score") else None
    if known is None:
        raise _not_taken(f"runs[{name!r}]", run, RUNS_TAKEN)
    return known


def _is_named(runs: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds runs by name: {name: {topic: {document: score}}} and not {topic: {document: score}}."""
    if not runs:
        raise DataError("`runs` is empty; give at least one run")
    for value in runs.values():
        if not isinstance(value, Mapping):
            return is_frame(value) or not hasattr(value, "__float__")
        for inner in value.values():
            return isinstance(inner, Mapping)
    return False


def runs_of_frame(frame: pl.DataFrame, name: str | None = None) -> Iterator[Run]:
    """The runs in a frame: one, or one for each name in a column ``system`` (or ``name``, ``run``, ``tag``)."""
    parts = columns_of(frame.columns, [*RUN_PARTS, "system"])
    place = Place("runs" if name is None else f"run {name!r}")
    if not {"topic", "document"} <= set(parts) or not {"score", "rank"} & set(parts):
        place.fail(missing_columns(frame.columns, "a run", RUN_COLUMNS))
    if not frame.height:
        place.fail("the frame is empty; a run needs at least one document")
    systems = [None]
    if "system" in parts:
        column = frame[parts["system"]]
        if column.dtype.is_nested() or column.dtype == pl.Object:
            place.fail(f"the column {parts['system']!r} must hold the names of runs, which are text")
        column = column.cast(pl.String)
        if column.null_count():
            place.fail(f"row {column.to_list().index(None) + 1} has no {parts['system']}; every row needs one")
        systems = column.unique(maintain_order=True).to_list()
        if len(systems) > 1 and name is not None:
            place.fail(f"holds {len(systems)} runs in its column {parts['system']!r}; name each run separately")
    for system in systems:
        part = frame if len(systems) == 1 else frame.filter(column == system)
        chosen = name or system or "run"
        columns = {key: part[column_name] for key, column_name in parts.items() if key != "system"}
        yield Run(run_frame(columns, Place(f"run {chosen!r}")), chosen, system or "")


def _from_tuples(rows: Iterable[Any], name: str) -> Run:
    """A run from ir_measures' ScoredDoc tuples."""
    return Run(run_frame(of_tuples(rows, "score"), Place(f"run {name!r}")), name)


# ── other people's objects ────────────────────────────────────────────────────────────────────────────────


def _is_tuple(one: Any, part: str) -> bool:
    """Whether it is a row of ir_measures: query_id, doc_id and a score or relevance."""
    return all(hasattr(one, name) for name in ("query_id", "doc_id", part))


def _is_ranx(thing: Any, kind: str) -> TypeGuard[RanxLike]:
    names = [base.__name__ for base in type(thing).__mro__ if base.__module__.split(".")[0] == "ranx"]
    return kind in names and hasattr(thing, "to_dict")


def _name_of(thing: Any, otherwise: str) -> str:
    name = getattr(thing, "name", None)
    return name if isinstance(name, str) and name else otherwise


def each_run(runs: RunsLike) -> Iterator[Run]:
    """The runs one at a time; files are read when needed."""
    for run in as_runs(runs):
        yield run if isinstance(run, Run) else read_run(run)


def runs_in_memory(runs: RunsLike) -> list[Run]:
    """Every run in memory, for questions that need the runs more than once."""
    listed = list(as_runs(runs))
    files = iter(read_runs([one for one in listed if isinstance(one, str)]))
    return [one if isinstance(one, Run) else next(files) for one in listed]
