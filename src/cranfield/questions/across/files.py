"""From files to scores by collection: score files, long tables with a collection or seed, and folders of MTEB."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from cranfield.core.errors import ArgumentError, DataError, FileError, Problem, UnknownNameError
from cranfield.core.files import STDIN, expand, is_file, read_bytes, split_sheet
from cranfield.core.labels import summary
from cranfield.core.recognition import beginning
from cranfield.questions import files as common
from cranfield.questions.across.collected import Part, Run, from_scores, from_table
from cranfield.questions.across.columns import find_columns
from cranfield.scores.readers import by_collection

MTEB_MEASURES = {"ndcg_at_10": "nDCG@10", "map_at_10": "AP@10", "recall_at_100": "R@100", "mrr_at_10": "RR@10"}
"""How MTEB spells a main score, and our name for it."""


@dataclass(frozen=True, eq=False)
class Parts:
    """What files hold, by measure and collection, before missing cells are decided."""

    by_measure: dict[str, dict[str, Part]]


def read_parts(paths: Sequence[str], question: Any) -> Parts:
    """The scores in the files, of the measures and systems wanted."""
    wanted = list(question.measure or ())
    named = wanted[0] if len(wanted) == 1 else None
    tables: dict[str, dict[str, Part]] = {}
    score_files: list[str] = []
    for path in paths:
        if Path(path).is_dir() and (results := mteb_files(Path(path))):
            _merge(tables, read_mteb(results), path)
        elif (table := _long_table(path)) is not None:
            try:
                _merge(tables, from_table(table, named, question.missing), path)
            except DataError as error:
                raise FileError(path, [Problem(0, str(error))]) from None
        else:
            score_files.append(path)
    if score_files and tables:
        raise ArgumentError(
            f"{score_files[0]} has no collection column, but another file has one. Give one kind of file."
        )
    if tables:
        if question.names:
            raise ArgumentError("`names` applies to score files; this table names its collections. Leave it out.")
        return Parts(_only_systems(_only_measures(tables, wanted), question))
    holes = question.missing if question.missing in ("zero", "drop-topic") else "error"
    common.require_kind(score_files[0], "scores")
    groups = _groups(score_files, question.names)
    scores = {name: common.read_scores(listed, question.measure, holes) for name, listed in groups.items()}
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
    if Path(path).is_dir() or (path != STDIN and not is_file(split_sheet(path)[0])):
        return None
    start = beginning(path)
    if start[:4] == b"PAR1":
        table = pl.read_parquet(io.BytesIO(read_bytes(path)))
        return table if find_columns(table.columns) is not None else None
    header = next((line for line in start.splitlines() if line.strip() and not line.startswith(b"#")), b"")
    text = header.decode("utf-8-sig", errors="replace")
    separator = next((mark for mark in "\t,;" if mark in text), None)
    if separator is None or find_columns([name.strip().strip('"') for name in text.split(separator)]) is None:
        return None
    try:
        return pl.read_csv(read_bytes(path), separator=separator, infer_schema=False, comment_prefix="#")
    except pl.exceptions.PolarsError as error:
        text = str(error).partition("\n")[0]
        raise FileError(path, [Problem(0, f"is not a table of equal rows ({text}). Correct the row.")]) from None


class Several(NamedTuple):
    """A column of a table that names several collections or seeds."""

    column: str
    number: int
    what: str


def several_of(path: str) -> Several | None:
    """The column of collections or seeds of a long table, if it names more than one."""
    table = _long_table(path)
    roles = None if table is None else find_columns(table.columns)
    if table is None or roles is None or not {"system", "topic"} <= roles.keys():
        return None
    for part, what in (("collection", "collections"), ("seed", "seeds")):
        if part in roles and (count := table[roles[part]].n_unique()) > 1:
            return Several(roles[part], count, what)
    return None


def _merge(into: dict[str, dict[str, Part]], more: dict[str, dict[str, Part]], path: str) -> None:
    for measure, parts in more.items():
        known = into.setdefault(measure, {})
        if twice := known.keys() & parts.keys():
            raise FileError(path, [Problem(0, f"collection {min(twice)!r} is in another file too. Give it once.")])
        known.update(parts)


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


# ── MTEB ──────────────────────────────────────────────────────────────────────────────────────────────────


def mteb_files(folder: Path) -> dict[str, list[Path]]:
    """The result files of every model in a folder MODEL/REVISION/TASK.json, or none."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*/*/*.json")):
        if path.name != "model_meta.json":
            found.setdefault(path.parent.parent.name, []).append(path)
    return found


def read_mteb(models: dict[str, list[Path]]) -> dict[str, dict[str, Part]]:
    """Main scores of MTEB result files: one mean per model and task.

    A task's score is the mean over its subsets on the split ``test``, or on the only split.
    """
    cells: dict[tuple[str, str], tuple[float, Path]] = {}
    names: set[str] = set()
    for model, paths in models.items():
        for path in paths:
            task, value, measure = _task_score(path)
            if (task, model) in cells:
                other = cells[task, model][1].parent.name
                text = f"{task} is in two revisions of {model} ({other} and {path.parent.name}). Keep one file."
                raise FileError(str(path), [Problem(0, text)])
            cells[task, model] = value, path
            names.add(measure)
    measure = names.pop() if len(names) == 1 else "main_score"
    tasks: dict[str, list[tuple[Run, float]]] = {}
    for (task, model), (value, _) in sorted(cells.items()):
        tasks.setdefault(task, []).append(((model, ""), value))
    return {
        measure: {
            task: Part(("",), tuple(run for run, _ in rows), np.array([[value for _, value in rows]]))
            for task, rows in tasks.items()
        }
    }


def _task_score(path: Path) -> tuple[str, float, str]:
    """Task, main score and measure of one result file."""
    try:
        content = json.loads(path.read_bytes())
        splits = content["scores"]
        split = "test" if "test" in splits else _only(list(splits))
        entries = splits[split]
        values = [float(entry["main_score"]) for entry in entries]
        spelled = {key for key in entries[0] if key in MTEB_MEASURES and entries[0][key] == entries[0]["main_score"]}
        name = MTEB_MEASURES[min(spelled, key=list(MTEB_MEASURES).index)] if spelled else "main_score"
        task = str(content.get("task_name") or path.stem)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        text = "is not an MTEB result file: expected `scores` with a `main_score` per subset. Remove it."
        raise FileError(str(path), [Problem(0, text)]) from None
    if not values or not np.isfinite(values).all():
        raise FileError(str(path), [Problem(0, "has a main score that is not a finite number. Remove it.")])
    return task, sum(values) / len(values), name


def _only(splits: list[str]) -> str:
    """The only split there is."""
    if len(splits) != 1:
        raise KeyError(summary(splits))
    return splits[0]
