"""From files to scores by collection: score files, tables with a collection or seed, results of other tools, runs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cranfield.core import parquet
from cranfield.core.errors import (
    ArgumentError,
    CranfieldError,
    DataError,
    FileError,
    Problem,
    UnknownNameError,
    quietly,
)
from cranfield.core.files import STDIN, expand, is_file, read_bytes, split_sheet
from cranfield.core.question import Bar
from cranfield.core.recognition import beginning, collected_columns
from cranfield.questions import files as common
from cranfield.questions.across.collected import Part, from_scores, from_table
from cranfield.questions.across.results import read_results, result_files
from cranfield.scores.frames import Several, several_of
from cranfield.scores.readers import by_collection, collected_separator, collected_table


def _silent(doing: str) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(frozen=True, eq=False)
class Parts:
    """What files hold, by measure and collection, before missing cells are decided."""

    by_measure: dict[str, dict[str, Part]]


def read_parts(paths: Sequence[str], question: Any, bar: Bar = _silent) -> Parts:
    """The scores in the files, of the measures and systems wanted."""
    wanted = list(question.measure or ())
    listing = getattr(question, "collections", None)
    if listing is not None:
        if question.names:
            raise ArgumentError("`names` applies to score files; the list names its collections. Leave it out.")
        return Parts(_only_systems(_evaluated(listing, wanted, bar), question))
    named = wanted[0] if len(wanted) == 1 else None
    tables: dict[str, dict[str, Part]] = {}
    score_files: list[str] = []
    results: dict[str, Any] = {}
    for path in paths:
        if found := result_files(path):
            results |= found
        elif (table := _long_table(path)) is not None:
            try:
                merge(tables, from_table(table, named, question.missing, next(iter(by_collection([path])))), path)
            except DataError as error:
                raise FileError(path, [Problem(0, str(error))]) from None
        else:
            score_files.append(path)
    if results:
        merge(tables, read_results(results), next(iter(results)))
    if score_files and tables:
        raise ArgumentError(
            f"{score_files[0]} has no collection column, but another file has one. Give one kind of file."
        )
    if tables:
        if question.names:
            raise ArgumentError("`names` applies to score files; this table names its collections. Leave it out.")
        return chosen(tables, question)
    holes = question.missing if question.missing in ("zero", "drop-topic") else "error"
    common.require_kind(score_files[0], "scores")
    groups = _groups(score_files, question.names)
    scores = {}
    for name, listed in groups.items():
        try:
            scores[name] = common.read_scores(listed, question.measure, holes)
        except FileError as error:
            folders = {Path(one).parent for one in listed}
            if len(folders) < 2:
                raise
            text = f"{error}. {len(listed)} files are called {name!r}; name their collections with `names`."
            raise DataError(text) from None
    return Parts(_only_systems(from_scores(scores), question))


def _groups(paths: Sequence[str], names: Sequence[str] | None) -> dict[str, list[str]]:
    """The files of each collection."""
    if not names:
        return by_collection(expand(list(paths)))
    if len(set(names)) < len(names) or len(names) != len(paths):
        raise ArgumentError(
            f"`names` has {len(set(names))} different names for {len(paths)} files. Name each file once, in order."
        )
    return {name: list(expand([path])) for name, path in zip(names, paths, strict=True)}


def _long_table(path: str) -> pl.DataFrame | None:
    """The table in a file if it has a column of collections or seeds."""
    if path != STDIN and not is_file(split_sheet(getattr(path, "place", path))[0]):
        return None
    start = beginning(path)
    if start[:4] == parquet.MARK:
        table = parquet.read_parquet(read_bytes(path), path)
        return table if collected_columns(table.columns) is not None else None
    separator = collected_separator(start)
    return None if separator is None else collected_table(read_bytes(path), separator, path)


def several_in_file(path: str) -> Several | None:
    """The column of collections or seeds of a table, if it names more than one."""
    table = _long_table(path)
    return None if table is None else several_of(table)


def _evaluated(listing: str, wanted: Sequence[str], bar: Bar) -> dict[str, dict[str, Part]]:
    """The runs of every collection of a list, scored by its judgments."""
    from cranfield.core.defaults import MEASURES
    from cranfield.measures.archive import read_archive
    from cranfield.measures.evaluation import evaluate

    entries = read_archive(listing)
    scores = {}
    with bar("evaluating collections") as progress:
        for done, entry in enumerate(entries, 1):
            try:
                with quietly():  # warnings come with the result
                    scores[entry.name] = evaluate(entry.qrels, list(entry.runs), list(wanted) or MEASURES)
            except CranfieldError as error:
                raise FileError(listing, [Problem(entry.line, f"{entry.name}: {error}")]) from None
            if progress:
                progress(done, len(entries))
    return from_scores(scores)


def table_of(path: str) -> dict[str, dict[str, Part]] | None:
    """What a table of several collections or seeds, or a result file, holds; None for other files."""
    if found := result_files(path):
        return read_results(found)
    table = _long_table(path)
    if table is None or several_of(table) is None:
        return None
    return from_table(table, None, "error", next(iter(by_collection([path]))))


def chosen(parts: dict[str, dict[str, Part]], question: Any) -> Parts:
    """The measures and systems that a question names."""
    return Parts(_only_systems(_only_measures(parts, list(question.measure or ())), question))


def merge(into: dict[str, dict[str, Part]], more: dict[str, dict[str, Part]], path: str) -> None:
    """Add collections of another file; means of other systems join those of a collection."""
    for measure, parts in more.items():
        known = into.setdefault(measure, {})
        for name, part in parts.items():
            former = known.get(name)
            if former is None:
                known[name] = part
            elif part.topics == former.topics == ("",) and not {*part.runs} & {*former.runs}:
                known[name] = Part(("",), former.runs + part.runs, np.hstack([former.values, part.values]))
            else:
                raise FileError(path, [Problem(0, f"collection {name!r} is in another file too. Give it once.")])


def _only_measures(parts: dict[str, dict[str, Part]], wanted: Sequence[str]) -> dict[str, dict[str, Part]]:
    """The measures wanted, however they are spelled; all where none is named."""
    from cranfield.measures.names import recognise

    if not wanted or (len(wanted) == 1 and list(parts) == ["score"]):
        return parts
    meant = {name: str(recognise(name) or name) for name in parts}
    kept: dict[str, dict[str, Part]] = {}
    for one in wanted:
        key = str(recognise(one) or one)
        found = next((name for name, other in meant.items() if one == name or key == other), None)
        if found is None:
            raise UnknownNameError("measure", one, list(parts))
        kept[found] = parts[found]
    return kept


def _only_systems(parts: dict[str, dict[str, Part]], question: Any) -> dict[str, dict[str, Part]]:
    """The systems wanted, with the baselines; all where none is named."""
    wanted = question.system
    if not wanted:
        return parts
    names = {*wanted, *(getattr(question, "baseline", None) or ())}
    every = {run[0] for of in parts.values() for part in of.values() for run in part.runs}
    for name in sorted(names):
        if name not in every:
            raise UnknownNameError("system", name, sorted(every))
    return {measure: {k: _picked(part, names) for k, part in of.items()} for measure, of in parts.items()}


def _picked(part: Part, names: set[str]) -> Part:
    at = [i for i, run in enumerate(part.runs) if run[0] in names]
    return Part(part.topics, tuple(part.runs[i] for i in at), part.values[:, at])
