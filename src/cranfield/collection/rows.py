"""Columns in memory to runs and judgments, with the checks that the strict readers make of lines.

The caller (a dictionary, a frame, a JSON or table file) names the place of each row. Every problem is reported with
its place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.collection.types import QRELS_SCHEMA, RUN_SCHEMA, GradeMap
from cranfield.core.errors import SHOWN_PROBLEMS, DataError, FileError, Problem
from cranfield.core.labels import repr_of, summary
from cranfield.core.resources import refuse_forked
from cranfield.core.text import decimal_comma, finite_number
from cranfield.scores.frames import as_column

_LEVEL = re.compile(r"\s*L?([+-]?\d+)(\.0*)?\s*", re.ASCII)
Floats = NDArray[np.float64]


@dataclass
class Place:
    """Where rows come from, and how to report problems in them.

    Parameters
    ----------
    name : the name in messages, such as ``run 'bm25'``, or the path of a file
    line : for a file, the line of a row (0: the file as a whole)
    rows : whether messages point at a row by its number, for data in memory (a dictionary has none)
    """

    name: str
    line: Callable[[int], int] | None = None
    rows: bool = True
    problems: list[tuple[int, str]] = field(default_factory=list)
    total: int = 0

    def add(self, rows: Sequence[int], text: Callable[[int], str]) -> None:
        """Report these rows, each with the message of `text`; the first few are kept."""
        self.total += len(rows)
        self.problems += [(int(at), text(int(at))) for at in rows[: SHOWN_PROBLEMS + 1]]

    def fail(self, text: str) -> NoReturn:
        """Report a problem of the data as a whole."""
        raise self._error([(None, text)], 1)

    def raise_if_any(self) -> None:
        """Raise one error for all problems."""
        if self.total:
            raise self._error(sorted(self.problems)[:SHOWN_PROBLEMS], self.total)

    def _error(self, problems: Sequence[tuple[int | None, str]], total: int) -> DataError:
        if self.line is not None:
            listed = [Problem(0 if at is None else self.line(at), text) for at, text in problems]
            return FileError(self.name, listed, total)
        texts = [text if at is None or not self.rows else f"row {at + 1}: {text}" for at, text in problems]
        if total == 1:
            return DataError(f"{self.name}: {texts[0]}")
        return DataError("\n  ".join([f"{self.name}: {total} problems; the first {len(texts)}", *texts]))


def run_frame(columns: Mapping[str, Any], place: Place) -> pl.DataFrame:
    """The frame of a run from columns topic, document, score, rank (one of the last two may be lacking).

    Without scores, documents score minus their rank. Without ranks, the ranks are null.
    """
    keys = _keys(columns, ["topic", "document"], place, "holds no documents; a run needs at least one")
    rank = None if columns.get("rank") is None else _ranks(columns["rank"])
    if columns.get("score") is not None:
        given, score = _numbers(columns["score"])
        _refuse(place, keys, np.isfinite(score), "score", given, "scores must be finite numbers")
    elif rank is None:
        place.fail("has neither scores nor ranks; give one of them")
    else:
        bad = np.flatnonzero(rank.is_null().to_numpy()).tolist()
        place.add(bad, lambda at: f"{_who(keys, at)} has no whole number as rank")
        score = -rank.cast(pl.Float64).to_numpy()
    _no_duplicates(place, keys)
    ranks = [None] * keys.height if rank is None else rank
    return pl.DataFrame({**keys.to_dict(), "rank": ranks, "score": score}, schema=RUN_SCHEMA)


def qrels_frame(columns: Mapping[str, Any], place: Place, grades: GradeMap | None = None) -> pl.DataFrame:
    """The frame of judgments from columns topic, document, relevance and perhaps subtopic ("0" unless given).

    With `grades`, relevance is a grade, whose level that mapping tells.
    """
    parts = ["topic", "document", *(["subtopic"] if columns.get("subtopic") is not None else [])]
    keys = _keys(columns, parts, place, "holds no judgments; at least one is needed")
    if grades is None:
        given, levels = _numbers(columns["relevance"], _level)
        must = "relevance must be a whole number"
    else:
        given, numbers = _numbers(columns["relevance"])
        found = [grades.level(one) if np.isfinite(one) else None for one in numbers.tolist()]
        levels = np.array([math.nan if one is None else one for one in found], dtype=np.float64)
        must = f"expected a grade of `map` {grades.written}"
    _refuse(place, keys, _whole(levels, 2**31), "relevance", given, must)
    _no_duplicates(place, keys)
    frame = keys.with_columns(pl.Series("relevance", levels.astype(np.int32)))
    return (frame if "subtopic" in parts else frame.with_columns(subtopic=pl.lit("0"))).select(*QRELS_SCHEMA)


def _keys(columns: Mapping[str, Any], parts: Sequence[str], place: Place, empty: str) -> pl.DataFrame:
    """The ids of every row, of which there is at least one."""
    refuse_forked()
    keys = {part: _labels(columns[part], part, place) for part in parts}
    if not len(keys["topic"]):
        place.fail(empty)
    return pl.DataFrame(keys)


def _who(keys: pl.DataFrame, at: int) -> str:
    return f"topic {keys['topic'][at]!r}, document {keys['document'][at]!r}"


def _series(values: Any) -> pl.Series:
    """Values as a column: of a polars type where all values agree, else of Python objects."""
    return values if isinstance(values, pl.Series) else as_column(values)


def _labels(values: Any, part: str, place: Place) -> pl.Series:
    """Ids as text; whole numbers are converted, other types refused."""
    column = _series(values)
    if column.dtype.is_integer() or isinstance(column.dtype, (pl.Categorical, pl.Enum)):
        column = column.cast(pl.String)
    elif column.dtype == pl.Object or column.dtype == pl.Null:
        given = column.to_list()
        place.add(
            [at for at, one in enumerate(given) if not _is_label(one)],
            lambda at: f"the {part} id is {repr_of(given[at])}, a {type(given[at]).__name__}; ids must be text",
        )
        column = pl.Series([str(one) if _is_label(one) else "" for one in given], dtype=pl.String)
        place.raise_if_any()
    elif column.dtype != pl.String:
        place.fail(f"the {part} ids are {column.dtype}; they must be text (or whole numbers). Convert the column.")
    bad = np.flatnonzero((column.is_null() | (column.str.strip_chars() == "")).fill_null(True).to_numpy())
    place.add(bad.tolist(), lambda at: f"has no {part}; every row needs one")
    return column.fill_null("")


def _is_label(one: Any) -> bool:
    return isinstance(one, (str, int, np.integer)) and not isinstance(one, bool)


def _float(one: Any) -> float:
    if isinstance(one, str):
        return math.nan if (number := finite_number(one.strip())) is None else number
    if isinstance(one, bool) or one is None or not hasattr(one, "__float__"):
        return math.nan
    try:
        return float(one)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):  # such as an array of several numbers
        return math.nan


def _level(one: Any) -> float:
    if isinstance(one, str):
        match = _LEVEL.fullmatch(one)
        return float(match[1]) if match else math.nan
    return float(one) if isinstance(one, bool) else _float(one)


def _numbers(values: Any, read: Callable[[Any], float] = _float) -> tuple[Any, Floats]:
    """A column as given, and its numbers; NaN where there is none."""
    column = _series(values)
    if column.dtype.is_numeric():
        return column, column.cast(pl.Float64).fill_null(math.nan).to_numpy()
    given = column.to_list()
    return given, np.array([read(one) for one in given], dtype=np.float64)


def _whole(numbers: Floats, bound: int) -> NDArray[np.bool_]:
    """Which are whole numbers below the bound in size."""
    with np.errstate(invalid="ignore"):
        fine: NDArray[np.bool_] = np.isfinite(numbers) & (np.rint(numbers) == numbers) & (np.abs(numbers) < bound)
    return fine


def _ranks(values: Any) -> pl.Series:
    """Ranks that are whole numbers; null for anything else."""
    column = _series(values)
    if column.dtype.is_integer():
        return column.cast(pl.Int64)
    _, numbers = _numbers(column)
    fine = _whole(numbers, 2**53)
    return pl.Series(np.where(fine, numbers, 0).astype(np.int64)).set(pl.Series(~fine), None)


def _refuse(place: Place, keys: pl.DataFrame, fine: NDArray[np.bool_], part: str, given: Any, must: str) -> None:
    """Report the rows with a wrong score or relevance."""

    def text(at: int) -> str:
        one = given[at]
        seen = f"{one}" if isinstance(one, (int, float, np.generic)) else "nothing" if one is None else repr_of(one)
        return f"{_who(keys, at)} has {part} {seen}; {must}{decimal_comma(one) if isinstance(one, str) else ''}"

    place.add(np.flatnonzero(~fine).tolist(), text)


def _no_duplicates(place: Place, keys: pl.DataFrame) -> None:
    """Report duplicate documents, and raise one error for all problems."""
    again = np.flatnonzero(~keys.select(pl.struct(pl.all()).is_first_distinct()).to_series()).tolist()
    text = "document {1!r} occurs twice in topic {0!r}; keep one row per document"
    place.add(again, lambda at: text.format(*keys.row(at)))
    place.raise_if_any()


def unfold(nested: Mapping[Any, Any], place: Place, part: str) -> dict[str, list[Any]]:
    """The columns in {topic: {document: score or relevance}}."""
    columns: dict[str, list[Any]] = {"topic": [], "document": [], part: []}
    for topic, inside in nested.items():
        if not isinstance(inside, Mapping):
            place.fail(
                f"topic {repr_of(topic)} has {type(inside).__name__} {repr_of(inside)} where its documents are "
                f"expected; give {{topic: {{document: {part}}}}}"
            )
        columns["topic"] += [topic] * len(inside)
        columns["document"] += inside.keys()
        columns[part] += inside.values()
    return columns


def of_tuples(rows: Iterable[Any], part: str) -> dict[str, list[Any]]:
    """The columns of rows as ir_measures and ir_datasets have them: query_id, doc_id and a score or relevance."""
    listed = list(rows)
    columns = {"topic": [one.query_id for one in listed], "document": [one.doc_id for one in listed]}
    columns[part] = [getattr(one, part) for one in listed]
    if part == "relevance":
        columns["subtopic"] = [str(getattr(one, "subtopic_id", getattr(one, "iteration", "0"))) for one in listed]
    return columns


def missing_columns(names: Sequence[str], what: str, needed: str) -> str:
    """The message for a table whose columns are not those of a run or of judgments."""
    return f"the columns are not {what}: expected {needed}; found {summary(list(names), most=10)}"


RUN_COLUMNS = "topic, document and score or rank (or qid docno score rank; query_id doc_id score)"
QRELS_COLUMNS = "topic, document, relevance (or qid docno label; query_id doc_id relevance; query-id corpus-id score)"
