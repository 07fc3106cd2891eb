"""Scores from and to wide and long frames; the one place where a missing cell is decided."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.defaults import MISSING, MissingPolicy
from cranfield.errors import ArgumentError, DataError
from cranfield.files import decimal_comma, shown
from cranfield.labels import plural, summary
from cranfield.scores.matrix import ScoreMatrix, Scores

if TYPE_CHECKING:
    import polars as pl
else:
    from cranfield.lazy import polars as pl

MISSING_POLICIES = ("error", "zero", "drop-topic")
MEANS_ONLY = (
    "holds only means (topic 'all'); per-topic scores are needed: evaluate again, and keep the score of every topic"
)
LONG_NAMES = {
    "system": ("system", "name", "run", "runid", "run_id", "tag"),
    "topic": ("topic", "qid", "query_id", "query", "topic_id"),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
    "partition": ("partition",),
}
"""Column names understood in long tables, ours first, then PyTerrier's and others' in use."""
SPARSEST = 0.05
"""The least share of the scores that a large long table must have; with fewer, topics or systems are something else."""
_FREE_CELLS = 10_000_000
"""Topics × systems from which on a table is large."""


def as_polars(frame: Any) -> pl.DataFrame:
    """A polars frame from a polars, pandas or Arrow one (no extra package is needed for pandas)."""
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if type(frame).__module__.split(".")[0] == "pandas":
        if not _is_plain_index(frame.index):
            frame = frame.reset_index()
        columns = {str(name): frame[name].to_list() for name in frame.columns}
        return pl.DataFrame({name: pl.Series(_tidy(values), strict=False) for name, values in columns.items()})
    if hasattr(frame, "__arrow_c_stream__"):
        return pl.DataFrame(frame)
    raise ArgumentError(f"expected a polars, pandas or Arrow frame; got {type(frame).__name__}")


def is_frame(thing: Any) -> bool:
    """Whether it is a frame of polars, pandas or Arrow."""
    if any(kind.__module__.startswith("polars.") for kind in type(thing).__mro__):
        return isinstance(thing, (pl.DataFrame, pl.LazyFrame))
    return type(thing).__module__.split(".")[0] in ("pandas", "pyarrow") and hasattr(thing, "columns")


def _is_plain_index(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex" and index.name is None


def _tidy(values: list[Any]) -> list[Any]:
    return [None if isinstance(value, float) and value != value else value for value in values]


def long_columns(names: Sequence[str]) -> dict[str, str] | None:
    """Which column plays which part in a long table; None when it is not one."""
    folded = {name.strip().casefold(): name for name in names}
    parts: dict[str, str] = {}
    for part, accepted in LONG_NAMES.items():
        for name in accepted:
            if name in folded and folded[name] not in parts.values():
                parts[part] = folded[name]
                break
    return parts if {"topic", "value"} <= set(parts) else None


def to_wide(matrix: ScoreMatrix) -> pl.DataFrame:
    """See `ScoreMatrix.to_wide`."""
    if matrix.partitions is not None:
        raise DataError(f"{matrix.measure}: a wide frame has no place for partitions; use to_long()")
    if "topic" in matrix.systems:
        raise DataError("a system is called 'topic', the name of the topic column; use to_long()")
    topic = pl.Series("topic", list(matrix.topics), dtype=pl.String)
    columns = [pl.Series(s, matrix.values[:, j]) for j, s in enumerate(matrix.systems)]
    return pl.DataFrame([topic, *columns])


def to_long(matrix: ScoreMatrix) -> pl.DataFrame:
    """See `ScoreMatrix.to_long`: system by system, topics in their order."""
    n, m = matrix.n_topics, matrix.n_systems
    parts = 1 if matrix.partitions is None else len(matrix.partitions)
    columns = [
        _repeated("system", matrix.systems, np.repeat(np.arange(m), n * parts)),
        _repeated("topic", matrix.topics, np.tile(np.repeat(np.arange(n), parts), m)),
        _repeated("measure", (matrix.measure,), np.zeros(n * m * parts, dtype=np.int64)),
    ]
    if matrix.partitions is not None:
        columns.append(_repeated("partition", matrix.partitions, np.tile(np.arange(parts), n * m)))
    frame = pl.DataFrame(columns)
    axes = (1, 0) if matrix.partitions is None else (1, 0, 2)
    return frame.with_columns(pl.Series("value", matrix.values.transpose(axes).reshape(-1)))


def _repeated(name: str, labels: Sequence[str], codes: np.ndarray[Any, np.dtype[np.int64]]) -> pl.Series:
    return pl.Series(name, list(labels), dtype=pl.String).gather(codes)


def from_wide(
    frame: Any, *, measure: str = "score", missing: MissingPolicy = MISSING, topic: str = "topic"
) -> ScoreMatrix:
    """See `ScoreMatrix.from_wide`."""
    if type(frame).__module__.split(".")[0] == "pandas" and topic not in frame.columns:
        frame = frame.rename_axis(index=topic).reset_index()
    frame = as_polars(frame)
    if topic not in frame.columns:
        raise DataError(f"no column {topic!r} in the wide frame; it has: {summary(frame.columns)}")
    systems = [name for name in frame.columns if name != topic]
    if not systems:
        raise DataError(f"the wide frame has no column but {topic!r}; expected one per system")
    values = np.column_stack([to_floats(frame[name], f"system {name!r}") for name in systems])
    return complete(values, to_labels(frame[topic], "topic").to_list(), systems, measure, missing=missing)


def from_long(frame: Any, *, measure: str | None = None, missing: MissingPolicy = MISSING) -> Scores:
    """Every measure of a long frame as a matrix; with `measure`, the name when there is no such column."""
    frame = as_polars(frame)
    parts = long_columns(frame.columns)
    if parts is None or "system" not in parts:
        raise DataError(
            f"expected columns system, topic, measure, value (or name, qid, measure, value); "
            f"found: {summary(frame.columns, most=8)}"
        )
    columns = {part: to_labels(frame[name], part) for part, name in parts.items() if part != "value"}
    values = to_floats(frame[parts["value"]], "column 'value'")
    if "measure" not in columns:
        columns["measure"] = pl.repeat(measure or "score", len(values), dtype=pl.String, eager=True)
    return Scores(assemble(columns, values, missing=missing))


def assemble(
    columns: Mapping[str, list[str] | pl.Series],
    values: np.ndarray[Any, np.dtype[np.float64]],
    *,
    missing: MissingPolicy = MISSING,
    provenance: Iterable[str] = (),
) -> list[ScoreMatrix]:
    """One matrix per measure from the columns system, topic, measure (and partition) of a long table.

    Labels keep the order of their first appearance. A cell given twice is a `DataError`; a cell not given, or
    NaN, is treated by the `missing` policy.
    """
    table = pl.DataFrame({part: pl.Series(column, dtype=pl.String) for part, column in columns.items()})
    matrices = []
    for name in table["measure"].unique(maintain_order=True).to_list():
        ours = (table["measure"] == name).to_numpy()
        axes = []
        labels: dict[str, list[str]] = {}
        for part in ("topic", "system", "partition"):
            if part in columns:
                labels[part], codes = _coded(table[part].filter(ours))
                axes.append(codes)
        shape = tuple(len(names) for names in labels.values())
        cells = math.prod(shape)
        if cells > _FREE_CELLS and len(axes[0]) < SPARSEST * cells:
            wide = " by ".join(plural(len(names), part) for part, names in labels.items())
            raise DataError(
                f"{name}: {plural(len(axes[0]), 'score')} for {wide}, where {cells:,} are expected; are the columns "
                "what their names say?"
            )
        flat = np.ravel_multi_index(tuple(axes), shape)
        counts = np.bincount(flat, minlength=cells)
        if counts.max() > 1:
            cell = np.unravel_index(int(counts.argmax()), shape)
            where = ", ".join(f"{part} {labels[part][i]!r}" for part, i in zip(labels, cell, strict=True))
            raise DataError(
                f"{name}: {where} has {counts.max()} scores where one is expected; "
                f"{int((counts > 1).sum())} cells are affected"
            )
        grid = np.full(shape, np.nan)
        grid.flat[flat] = values[ours]
        matrices.append(
            complete(
                grid,
                labels["topic"],
                labels["system"],
                name,
                partitions=labels.get("partition"),
                missing=missing,
                provenance=provenance,
            )
        )
    return matrices


def _coded(labels: pl.Series) -> tuple[list[str], np.ndarray[Any, np.dtype[np.int64]]]:
    """The labels in the order of their first appearance, and the number of each row's label."""
    distinct = labels.unique(maintain_order=True)
    codes = labels.replace_strict(distinct, np.arange(len(distinct)), return_dtype=pl.Int64)
    return distinct.to_list(), codes.to_numpy()


def complete(
    values: np.ndarray[Any, np.dtype[np.float64]],
    topics: Sequence[str],
    systems: Sequence[str],
    measure: str,
    *,
    partitions: Sequence[str] | None = None,
    missing: MissingPolicy = MISSING,
    provenance: Iterable[str] = (),
) -> ScoreMatrix:
    """A matrix from values in which NaN marks a missing cell, treated by the policy and recorded.

    >>> complete(np.array([[0.5, np.nan], [0.2, 0.1]]), ["1", "2"], ["a", "b"], "AP")
    Traceback (most recent call last):
    cranfield.errors.DataError: AP: 1 of 4 scores is missing, first for topic '1', system 'b'; say what that
    means: missing='zero' counts it as 0, missing='drop-topic' leaves out the 1 topic concerned
    >>> complete(np.array([[0.5, np.nan], [0.2, 0.1]]), ["1", "2"], ["a", "b"], "AP", missing="zero").provenance
    ('1 missing score set to 0 (missing = zero)',)
    """
    if missing not in MISSING_POLICIES:
        raise ArgumentError(f"`missing` must be one of {', '.join(MISSING_POLICIES)}; got {missing!r}")
    holes = np.isnan(values)
    steps = tuple(provenance)
    left_out: tuple[str, ...] = ()
    if holes.any():
        rest = tuple(range(1, values.ndim))
        hit = holes.any(axis=rest)
        count, topics_hit = int(holes.sum()), [t for t, gone in zip(topics, hit, strict=True) if gone]
        noun = "score" if count == 1 else "scores"
        if missing == "error":
            row, column = (int(at) for at in np.unravel_index(int(holes.argmax()), holes.shape)[:2])
            raise DataError(
                f"{measure}: {count} of {values.size} scores {'is' if count == 1 else 'are'} missing, first for "
                f"topic {topics[row]!r}, system {systems[column]!r}; say what that means: missing='zero' counts "
                f"{'it' if count == 1 else 'them'} as 0, missing='drop-topic' leaves out the {len(topics_hit)} "
                f"topic{'' if len(topics_hit) == 1 else 's'} concerned"
            )
        if missing == "zero":
            values = np.where(holes, 0.0, values)
            steps += (f"{count} missing {noun} set to 0 (missing = zero)",)
        else:
            if len(topics_hit) == len(topics):
                raise DataError(f"{measure}: every topic lacks a score, so missing='drop-topic' leaves nothing")
            values = values[~hit]
            topics = [t for t, gone in zip(topics, hit, strict=True) if not gone]
            steps += (
                f"{plural(len(topics_hit), 'topic')} with {count} missing {noun} left out "
                f"(missing = drop-topic): {summary(topics_hit)}",
            )
            were = "was" if len(topics_hit) == 1 else "were"
            left_out = (
                f"{plural(len(topics_hit), 'topic')} {were} left out for lack of a score: {summary(topics_hit)}",
            )
            holes = holes[~hit]
    return ScoreMatrix(values, topics, systems, measure, partitions, steps, holes, left_out)


def to_labels(column: pl.Series, part: str) -> pl.Series:
    """The labels of a column as text; whole numbers are written out."""
    if column.dtype != pl.String and not column.dtype.is_integer():
        raise DataError(f"column {column.name!r} holds {part} labels, which must be strings; it is {column.dtype}")
    if column.null_count():
        raise DataError(f"column {column.name!r}: row {int(column.is_null().arg_true()[0]) + 1} has no {part}")
    return column.cast(pl.String)


def to_floats(column: pl.Series, place: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The numbers of a column, NaN where there is none."""
    if not (column.dtype.is_numeric() or column.dtype == pl.Null or column.dtype == pl.Boolean):
        text = next((one for one in column if isinstance(one, str)), "")
        found = f"{shown(text)}, which is text{decimal_comma(text)}" if text else str(column.dtype)
        raise DataError(f"{place} must hold numbers; it holds {found}")
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
