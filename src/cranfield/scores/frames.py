"""Scores from and to wide, long and tidy frames; the one place where a missing cell is decided."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from cranfield.core.defaults import MISSING, MissingPolicy
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.labels import plural, summary, text_of
from cranfield.core.recognition import NAMES, collected_columns, is_by_system, long_columns
from cranfield.core.resources import refuse_forked
from cranfield.core.text import decimal_comma, shown
from cranfield.scores.matrix import ScoreMatrix, Scores
from cranfield.scores.summaries import is_summary_name, sift

MISSING_POLICIES = ("error", "zero", "drop-topic")
MEANS_ONLY = "contains only means (topic 'all'). Per-topic scores are needed; evaluate again with per-topic output."
MEANS_IN_ROWS = "topics are named {rows}, which are measures. Give one row per topic and one measure per table."
SPARSEST = 0.05
"""The least share of the scores that a large long table must have; with fewer, topics or systems are something else."""
_FREE_CELLS = 10_000_000
"""Topics × systems from which on a table is large."""


TRANSPOSED = "the first column is named"
NOTATION = ("line ", "numbers are written", "scores are percentages")
"""How notes begin on lines that were skipped, and on the way in which numbers are written."""
_RANGE_SLACK = 1e-6
"""How far a score may lie outside its measure's range: single-precision sums end there."""
_MEASURE = re.compile(
    r".+@\d+|.*\(.*\)|(gm_)?map(_cut)?(_\d+)?|m?ap|m?rr|recip_rank|n?dcg(_cut)?(_\d+)?|err|rbp|bpref|r-?prec|inf_?ap|"
    r"p_?\d+|r_?\d+|recall(_\d+)?|precision|success(_\d+)?|f1|q|.+_at_\d+",
    re.IGNORECASE,
)


class FrameLike(Protocol):
    """A frame of pandas, polars or Arrow."""

    @property
    def columns(self) -> Any:
        """The names of its columns, or the columns."""


def as_polars(frame: Any) -> pl.DataFrame:
    """A polars frame from a polars, pandas or Arrow one (no extra package is needed for pandas)."""
    refuse_forked()
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pl.DataFrame):
        objects = [name for name in frame.columns if frame[name].dtype == pl.Object]
        return frame.with_columns(as_column(frame[name].to_list(), strict=False).alias(name) for name in objects)
    if type(frame).__module__.split(".")[0] == "pandas":
        if not _is_plain_index(frame.index):
            frame = frame.reset_index()
        names = [text_of(name) for name in frame.columns]
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            raise DataError(f"column {shown(twice[0])} occurs twice in the frame; rename one of them")
        check_encodable(names)
        columns = [as_column(frame.iloc[:, at].to_list(), strict=False) for at in range(len(names))]
        return pl.DataFrame(dict(zip(names, columns, strict=True)))
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


_PLAIN = (str, int, float, np.generic, date, type(None))


def as_column(values: Iterable[Any], *, strict: bool = True) -> pl.Series:
    """Values as a column; of Python objects where polars has no type for them.

    Polars ends the process on a list that contains itself, and panics on a Decimal that is no number. So it gets only
    plain values. Decimals become floats.

    Parameters
    ----------
    strict : whether values of several types become objects; else a common type is found, and NaN is null
    """
    listed = list(values)
    kinds = set(map(type, listed))
    if any(issubclass(kind, Decimal) or kind.__name__ in ("NAType", "NaTType") for kind in kinds):
        listed = [_plain(one) for one in listed]
    elif not all(issubclass(kind, _PLAIN) for kind in kinds):
        return pl.Series(listed, dtype=pl.Object)
    if not strict:
        listed = [None if isinstance(one, float) and one != one else one for one in listed]
    try:
        return pl.Series(listed, strict=strict)
    except UnicodeEncodeError:
        check_encodable(listed)
        raise
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series(listed, dtype=pl.Object)


def _plain(one: Any) -> Any:
    """A Decimal as a float, and None for what pandas calls missing."""
    if isinstance(one, Decimal):
        return math.nan if one.is_nan() else float(one)
    return None if type(one).__name__ in ("NAType", "NaTType") else one


def check_encodable(texts: Iterable[Any]) -> None:
    """Refuse half of a surrogate pair, which is no character."""
    for text in texts:
        if isinstance(text, str) and any("\ud800" <= character <= "\udfff" for character in text):
            raise DataError(f"{text!a} is not valid Unicode; rename it")


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
    return admit(values, to_labels(frame[topic], "topic").to_list(), systems, measure, missing=missing)


def from_wide_by_system(
    frame: pl.DataFrame, *, measure: str = "score", missing: MissingPolicy = MISSING
) -> ScoreMatrix:
    """A matrix from a frame whose rows are systems, named in its first column, and whose columns are topics."""
    head, *topics = frame.columns
    if not topics:
        raise DataError(f"the wide frame has no column but {head!r}; expected one per topic")
    if holds_means(topics):
        raise DataError(means_of_systems(topics))
    values = np.stack([to_floats(frame[name], f"topic {name!r}") for name in topics])
    systems = to_labels(frame[head], "system").to_list()
    return admit(values, topics, systems, measure, missing=missing, transposed=head)


def is_wide_by_system(frame: pl.DataFrame) -> bool:
    """Whether the first column holds labels and is named as one of systems."""
    labels = frame.to_series(0)
    return is_by_system(labels.name) and (labels.dtype == pl.String or labels.dtype.is_integer())


_TOPIC_LIKE = re.compile(r"(t|q|topic|query)?[-_ ]?\d+", re.IGNORECASE)


def refuse_unclear_sides(topics: Sequence[str], systems: Sequence[str], head: str) -> None:
    """Refuse a wide table whose columns are named like topics and whose rows are not, if `head` names no topics.

    >>> refuse_unclear_sides(["bm25", "ql"], ["301", "302"], "Modell")
    Traceback (most recent call last):
    cranfield.DataError: cannot tell whether rows are topics or systems: columns are named 301, 302, rows bm25, ql.
    Name the first column topic or system.
    """
    numbered = [all(_TOPIC_LIKE.fullmatch(name.strip()) for name in names) for names in (systems, topics)]
    if numbered == [True, False] and head.strip().casefold() not in NAMES["topic"]:
        raise DataError(
            f"cannot tell whether rows are topics or systems: columns are named {summary(list(systems))}, rows "
            f"{summary(list(topics))}. Name the first column topic or system."
        )


def holds_means(columns: Sequence[str]) -> bool:
    """Whether the columns beside the systems are measures, so that a row holds means of one system.

    >>> holds_means(["AP", "nDCG@10"]), holds_means(["AP", "time", "P@10"]), holds_means(["301", "302"])
    (True, True, False)
    """
    names = [name.strip() for name in columns]
    if any("@" in name and names_measure(name) for name in names):
        return True
    return all(
        name.casefold() in NAMES["value"]
        or is_summary_name(name)
        or names_measure(name)
        or (name.isalpha() and looks_like_measure(name))  # precision, recall: measures that need a cutoff
        for name in names
    )


def names_measure(measure: str) -> bool:
    """Whether a text names a measure that `evaluate` knows."""
    from cranfield.measures.names import recognise

    return recognise(measure.strip()) is not None


def means_of_systems(columns: Sequence[str]) -> str:
    """What is wrong with a table of which `holds_means` is true."""
    return (
        f"holds one row of means per system, with columns {summary(list(columns))}. Per-topic scores are needed: "
        "give columns system, topic, then the measures (PyTerrier: perquery=True)."
    )


def check_range(matrix: ScoreMatrix) -> ScoreMatrix:
    """The matrix, unless it holds scores outside the range of its measure, where that is known.

    >>> check_range(ScoreMatrix([[31.0]], ["1"], ["bm25"], "AP"))
    Traceback (most recent call last):
    cranfield.DataError: AP: topic '1', system 'bm25' scores 31; AP lies between 0 and 1. Divide percentages by 100
    (or write 31% in every cell), or rename the measure.
    """
    from cranfield.measures.names import recognise

    values = matrix.values
    strange = (values > 1 + _RANGE_SLACK) | (values < -_RANGE_SLACK)
    meant = recognise(matrix.measure) if strange.any() else None
    if meant is None or not meant.within_unit:
        return matrix
    row, column = np.argwhere(strange)[0][:2].tolist()
    worst = float(values[strange][0])
    percent = (
        f"Divide percentages by 100 (or write {worst:g}% in every cell), or rename" if 1 < worst <= 100 else "Rename"
    )
    raise DataError(
        f"{matrix.measure}: topic {matrix.topics[row]!r}, system {matrix.systems[column]!r} scores {worst:g}; "
        f"{matrix.measure} lies between 0 and 1. {percent} the measure."
    )


def admit(
    values: np.ndarray[Any, np.dtype[np.float64]],
    topics: Sequence[str],
    systems: Sequence[str],
    measure: str,
    *,
    partitions: Sequence[str] | None = None,
    missing: MissingPolicy = MISSING,
    provenance: Iterable[str] = (),
    named_columns: bool = True,
    transposed: str | None = None,
) -> ScoreMatrix:
    """A matrix from a table that people made, without its summary rows and columns.

    `transposed` is the head of the first column of a table whose rows were systems; `named_columns` as in `sift`.
    """
    said = (
        []
        if transposed is None
        else [f"{TRANSPOSED} {transposed.strip()!r}, so rows are read as systems, columns as topics"]
    )
    if len(topics) > 1 and all(len(name) > 1 and names_measure(name) for name in topics):
        raise DataError(MEANS_IN_ROWS.format(rows=summary(list(topics))))
    sifted = sift(values, topics, systems, named_columns=named_columns)
    if transposed is None:
        said += sifted.left_out
    else:  # rows and columns are those of the table
        swapped = {"row": "column", "column": "row"}
        said += [f"{swapped[kind]} {rest}" for kind, _, rest in (text.partition(" ") for text in sifted.left_out)]
    steps = (*provenance, *said)
    matrix = complete(
        sifted.values, sifted.topics, sifted.systems, measure, partitions=partitions, missing=missing, provenance=steps
    )
    return replace(matrix, left_out=(*said, *matrix.left_out)) if said else matrix


def in_file(matrix: ScoreMatrix, path: str, said: Sequence[str] = ()) -> ScoreMatrix:
    """The matrix, whose warnings about rows, columns and layout now name the file; `said` are more about the file."""
    layout = ("row ", "column ", TRANSPOSED)
    kept = [f"{path}: {text}" if text.startswith(layout) else text for text in matrix.left_out]
    how = [text for text in matrix.provenance if text.startswith(NOTATION)]
    named = (*(f"{path}: {text}" for text in (*said, *how)), *kept)
    return matrix if named == matrix.left_out else replace(matrix.note(*said), left_out=named)


def from_long(
    frame: Any,
    *,
    measure: str | None = None,
    missing: MissingPolicy = MISSING,
    system: str | None = None,
    provenance: Sequence[str] = (),
) -> Scores:
    """Every measure of a long frame as a matrix; `measure` and `system` are names for a frame without such a column.

    Rows of topic ``all`` are the means of evaluation tools and are not read.
    """
    frame = as_polars(frame)
    refuse_several(frame)
    parts = long_columns(frame.columns)
    if parts is None or ("system" not in parts and system is None):
        raise DataError(
            f"expected columns system, topic, measure, value (or name, qid, measure, value); "
            f"found: {summary(frame.columns, most=8)}"
        )
    columns = {part: to_labels(frame[name], part) for part, name in parts.items() if part != "value"}
    table = pl.DataFrame({**columns, "value": to_floats(frame[parts["value"]], "column 'value'")})
    kept = table.filter(pl.col("topic") != "all")
    if table.height and not kept.height:
        raise DataError(MEANS_ONLY)
    if kept.height < table.height:
        provenance = (*provenance, f"{table.height - kept.height} summary rows (topic 'all') not read")
    constant = {"system": system, "measure": measure or "score"}
    kept = kept.with_columns(pl.lit(label).alias(part) for part, label in constant.items() if part not in kept.columns)
    values = kept.drop_in_place("value").to_numpy()
    return Scores(assemble(kept.to_dict(), values, missing=missing, provenance=provenance))


@dataclass(frozen=True)
class TidyColumns:
    """Which column plays which part: topic, perhaps system, parameters of a setting, and measures."""

    topic: str
    system: str | None
    parameters: tuple[str, ...]
    measures: tuple[str, ...]


def looks_like_measure(name: str) -> bool:
    """Whether a column's name is one that measures have.

    >>> [looks_like_measure(name) for name in ("P@10", "ndcg_cut_10", "lambda", "k1")]
    [True, True, False, False]
    """
    return _MEASURE.fullmatch(name.strip()) is not None


def tidy_columns(frame: pl.DataFrame, measures: Sequence[str] = ()) -> TidyColumns | None:
    """The parts of a tidy table; None when it is none: no topic column, or neither systems nor settings.

    Columns before the first that is a measure (one of `measures`, or one that is called like a measure) are the
    parameters of settings.
    """
    folded = {name.strip().casefold(): name for name in reversed(frame.columns)}
    topic = next((folded[name] for name in NAMES["topic"] if name in folded), None)
    if topic is None:
        return None
    labels = [folded[name] for name in NAMES["system"] if name in folded and frame[folded[name]].dtype == pl.String]
    system = labels[0] if labels else None
    rest = [name for name in frame.columns if name not in (topic, system)]
    repeated = frame[topic].dtype != pl.Object and bool(frame[topic].is_duplicated().any())
    if not rest:
        return None
    if system is None and not repeated:
        # Columns that are all measures, in names of two letters and more, are those of one system.
        of_one = all(len(name) > 1 and names_measure(name) for name in rest)
        return TidyColumns(topic, None, (), tuple(rest)) if of_one else None
    known = [name for name in rest if name in measures or looks_like_measure(name)]
    if system is None and (not known or known[0] == rest[0]):
        return None  # nothing says that columns are parameters: a wide table in which a topic comes twice
    at = rest.index(known[0]) if known else 0
    return TidyColumns(topic, system, tuple(rest[:at]), tuple(rest[at:]))


def from_tidy(
    frame: pl.DataFrame,
    columns: TidyColumns,
    *,
    name: str = "system",
    missing: MissingPolicy = MISSING,
    provenance: Sequence[str] = (),
) -> list[ScoreMatrix]:
    """One matrix per measure of a tidy table; `name` is the system of settings when no column names one."""
    if columns.system is not None:
        refuse_several(frame)
    topics = to_labels(frame[columns.topic], "topic").to_list()
    named = [name] * frame.height if columns.system is None else to_labels(frame[columns.system], "system").to_list()
    if columns.parameters:
        values = [[_text(one) for one in frame[key].to_list()] for key in columns.parameters]
        inside = [
            ",".join(f"{k}={v}" for k, v in zip(columns.parameters, row, strict=True))
            for row in zip(*values, strict=True)
        ]
        named = [f"{system}({text})" for system, text in zip(named, inside, strict=True)]
    if not columns.measures:
        raise DataError(f"no column holds a measure; there are: {summary(frame.columns)}")
    height = frame.height
    values_of = [to_floats(frame[measure], f"measure {measure!r}") for measure in columns.measures]
    long = {
        "topic": topics * len(columns.measures),
        "system": named * len(columns.measures),
        "measure": [measure for measure in columns.measures for _ in range(height)],
    }
    return assemble(long, np.concatenate(values_of), missing=missing, provenance=provenance)


class Several(NamedTuple):
    """A column of a table that names several collections or seeds."""

    column: str
    number: int
    what: str


def several_of(table: pl.DataFrame) -> Several | None:
    """The column of collections or seeds, if it names more than one: topics of several are no sample of one."""
    roles = collected_columns(table.columns) or {}
    for part, what in (("collection", "collections"), ("seed", "seeds")):
        if part in roles and (count := table[roles[part]].n_unique()) > 1:
            return Several(roles[part], count, what)
    return None


def refuse_several(frame: pl.DataFrame) -> None:
    """Refuse a table of several collections or seeds: topics of several are no sample of one, seeds are no systems."""
    if found := several_of(frame):
        raise DataError(
            f"column {found.column!r} names {found.number} {found.what}. Use `across`, or keep one of them."
        )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def assemble(
    columns: Mapping[str, list[str] | pl.Series],
    values: np.ndarray[Any, np.dtype[np.float64]],
    *,
    missing: MissingPolicy = MISSING,
    provenance: Iterable[str] = (),
    of_tool: bool = False,
) -> list[ScoreMatrix]:
    """One matrix per measure from the columns system, topic, measure (and partition) of a long table.

    Labels keep the order of their first appearance. A cell given twice is a `DataError`; a cell not given, or
    NaN, is treated by the `missing` policy. Tables that people made are admitted (see `admit`); the output of an
    evaluation tool is not checked for summary rows.
    """
    refuse_forked()
    make = complete if of_tool else partial(admit, named_columns=False)
    try:
        table = pl.DataFrame({part: pl.Series(column, dtype=pl.String) for part, column in columns.items()})
    except UnicodeEncodeError:
        for column in columns.values():
            check_encodable(column)
        raise
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
                f"{name}: {plural(len(axes[0]), 'score')} for {wide}, where {cells:,} are expected. "
                "Check the names of the columns."
            )
        flat = np.ravel_multi_index(tuple(axes), shape)
        counts = np.bincount(flat, minlength=cells)
        if counts.max() > 1:
            cell = np.unravel_index(int(counts.argmax()), shape)
            where = ", ".join(f"{part} {labels[part][i]!r}" for part, i in zip(labels, cell, strict=True))
            raise DataError(
                f"{name}: {where} has {counts.max()} scores ({int((counts > 1).sum())} cells affected). "
                "Keep one score per cell."
            )
        grid = np.full(shape, np.nan)
        grid.flat[flat] = values[ours]
        how: dict[str, Any] = {"partitions": labels.get("partition"), "missing": missing, "provenance": provenance}
        matrices.append(make(grid, labels["topic"], labels["system"], name, **how))
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
    cranfield.DataError: AP: 1 of 4 scores is missing, first for topic '1', system 'b'. Choose missing='zero' (count as
    0) or missing='drop-topic' (drop 1 topic).
    >>> complete(np.array([[0.5, np.nan], [0.2, 0.1]]), ["1", "2"], ["a", "b"], "AP", missing="zero").provenance
    ('1 missing score set to 0 (missing = zero)',)
    """
    if missing not in MISSING_POLICIES:
        raise ArgumentError(f"`missing` must be one of {', '.join(MISSING_POLICIES)}; got {missing!r}")
    holes = np.isnan(values)
    steps = tuple(provenance)
    left_out: tuple[str, ...] = ()
    if holes.any():
        hit = holes.any(axis=tuple(range(1, values.ndim)))
        count, gone = int(holes.sum()), [topic for topic, lacks in zip(topics, hit, strict=True) if lacks]
        scores, dropped = plural(count, "missing score"), plural(len(gone), "topic")
        if missing == "error":
            row, column = (int(at) for at in np.unravel_index(int(holes.argmax()), holes.shape)[:2])
            raise DataError(
                f"{measure}: {count} of {values.size} scores {'is' if count == 1 else 'are'} missing, first for "
                f"topic {topics[row]!r}, system {systems[column]!r}. Choose missing='zero' (count as 0) or "
                f"missing='drop-topic' (drop {dropped})."
            )
        if missing == "zero":
            values = np.where(holes, 0.0, values)
            steps += (f"{scores} set to 0 (missing = zero)",)
        elif hit.all():
            raise DataError(f"{measure}: every topic lacks a score, so missing='drop-topic' leaves nothing")
        else:
            values, holes = values[~hit], holes[~hit]
            topics = [topic for topic, lacks in zip(topics, hit, strict=True) if not lacks]
            steps += (f"{dropped} with {scores} left out (missing = drop-topic): {summary(gone)}",)
            left_out = (f"dropped {dropped} with a missing score: {summary(gone)}",)
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
