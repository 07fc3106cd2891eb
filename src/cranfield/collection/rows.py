"""Columns in memory to runs and judgments: the checks that the strict readers make of lines, made of rows.

Whoever brings the columns (a dictionary, a frame, a JSON or table file) says where a row stands; every problem is
collected with its place, and nothing that is wrong passes in silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from cranfield.errors import SHOWN_PROBLEMS, DataError, FileError, Problem
from cranfield.files import decimal_comma
from cranfield.labels import summary

if TYPE_CHECKING:
    import polars as pl
else:
    from cranfield.lazy import polars as pl

NAMES: Mapping[str, tuple[str, ...]] = {
    "topic": ("topic", "qid", "query_id", "query-id", "q_id", "topic_id", "topicid", "queryid", "query"),
    "document": (
        "document", "docno", "doc_id", "doc-id", "docid", "corpus_id", "corpus-id", "document_id", "passage_id", "pid",
        "doc",
    ),
    "rank": ("rank", "position"),
    "score": ("score", "sim", "similarity"),
    "relevance": ("relevance", "label", "rel", "grade", "judgment", "judgement", "level", "score"),
    "subtopic": ("subtopic", "iteration", "iter", "intent"),
    "system": ("system", "name", "run", "run_id", "runid", "tag"),
}  # fmt: skip
"""Names of columns: ours first, then those of PyTerrier, ir_measures, ranx, BEIR and others. Capitals do not count."""

_FLOAT = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_LEVEL = re.compile(r"\s*L?([+-]?\d+)(\.0*)?\s*", re.ASCII)
_INT32 = 2**31


def columns_of(names: Sequence[str], parts: Sequence[str]) -> dict[str, str]:
    """Which column plays which of the parts; parts without a column are left out.

    >>> columns_of(["qid", "docid", "docno", "score"], ["topic", "document", "score"])
    {'topic': 'qid', 'document': 'docno', 'score': 'score'}
    """
    folded = {name.strip().casefold(): name for name in reversed(names)}
    chosen: dict[str, str] = {}
    for part in parts:
        known = (folded[name] for name in NAMES[part] if name in folded and folded[name] not in chosen.values())
        if (column := next(known, None)) is not None:
            chosen[part] = column
    return chosen


@dataclass
class Place:
    """Where rows come from, and how to say that one of them is wrong.

    Parameters
    ----------
    name : what messages call the whole, such as ``run 'bm25'``, or the path of a file
    line : for a file, the line of a row (0: the file as a whole)
    rows : whether messages point at a row by its number, for data in memory (a dictionary has none)
    """

    name: str
    line: Callable[[int], int] | None = None
    rows: bool = True
    problems: list[tuple[int, str]] = field(default_factory=list)
    total: int = 0

    def add(self, rows: Sequence[int], text: Callable[[int], str]) -> None:
        """These rows are wrong, each in the words of `text`; the first few are kept."""
        self.total += len(rows)
        self.problems += [(int(at), text(int(at))) for at in rows[: SHOWN_PROBLEMS + 1]]

    def fail(self, text: str) -> NoReturn:
        """The whole is wrong."""
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
    from cranfield.collection.schemas import RUN_SCHEMA

    topic, document = _labels(columns["topic"], "topic", place), _labels(columns["document"], "document", place)
    if not len(topic):
        place.fail("holds no documents; a run needs at least one")
    rank = None if columns.get("rank") is None else _ranks(columns["rank"])
    if columns.get("score") is not None:
        score = _scores(columns["score"], topic, document, place)
    elif rank is None:
        place.fail("has neither scores nor ranks; give one of them")
    else:
        bad = np.flatnonzero(rank.is_null().to_numpy())
        place.add(bad.tolist(), lambda at: f"{_who(topic, document, at)} has no rank that is a whole number")
        score = -rank.cast(pl.Float64)
    _no_duplicates(place, topic, document)
    place.raise_if_any()
    ranks = pl.Series("rank", [None] * len(topic), dtype=pl.Int64) if rank is None else rank
    return pl.DataFrame(
        {"topic": topic, "document": document, "rank": ranks, "score": score.cast(pl.Float64)}, schema=RUN_SCHEMA
    )


def qrels_frame(columns: Mapping[str, Any], place: Place) -> pl.DataFrame:
    """The frame of judgments from columns topic, document, relevance and perhaps subtopic ("0" unless given)."""
    from cranfield.collection.schemas import QRELS_SCHEMA

    topic, document = _labels(columns["topic"], "topic", place), _labels(columns["document"], "document", place)
    if not len(topic):
        place.fail("holds no judgments; at least one is needed")
    relevance = _levels(columns["relevance"], topic, document, place)
    if columns.get("subtopic") is None:
        subtopic = pl.Series("subtopic", ["0"], dtype=pl.String).new_from_index(0, len(topic))
    else:
        subtopic = _labels(columns["subtopic"], "subtopic", place)
    _no_duplicates(place, topic, document, subtopic)
    place.raise_if_any()
    return pl.DataFrame(
        {"topic": topic, "subtopic": subtopic, "document": document, "relevance": relevance}, schema=QRELS_SCHEMA
    )


def _who(topic: pl.Series, document: pl.Series, at: int) -> str:
    return f"topic {topic[at]!r}, document {document[at]!r}"


def _series(values: Any) -> pl.Series:
    """A column of whatever it holds: polars' own types where all values agree, else Python objects."""
    if isinstance(values, pl.Series):
        return values
    listed = list(values)
    try:
        return pl.Series(listed)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series(listed, dtype=pl.Object)


def _labels(values: Any, part: str, place: Place) -> pl.Series:
    """Ids as text: whole numbers are written out, anything else than text is refused."""
    column = _series(values)
    if column.dtype == pl.Categorical or isinstance(column.dtype, pl.Enum):
        column = column.cast(pl.String)
    if column.dtype.is_integer():
        column = column.cast(pl.String)
    elif column.dtype == pl.Object or column.dtype == pl.Null:
        given = column.to_list()
        place.add(
            [at for at, one in enumerate(given) if not _is_label(one)],
            lambda at: f"the {part} id is {given[at]!r}, a {type(given[at]).__name__}; ids must be text",
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


def _scores(values: Any, topic: pl.Series, document: pl.Series, place: Place) -> pl.Series:
    column = _series(values)
    if column.dtype.is_numeric():
        numbers = column.cast(pl.Float64).fill_null(float("nan"))
        given: Any = column
    else:
        given = column.to_list()
        numbers = pl.Series([_float(one) for one in given], dtype=pl.Float64)
    bad = np.flatnonzero(~np.isfinite(numbers.to_numpy()))
    place.add(
        bad.tolist(), lambda at: f"{_who(topic, document, at)} has score {_shown(given[at])}; scores must be finite "
        f"numbers{_comma(given[at])}"
    )  # fmt: skip
    return numbers


def _float(one: Any) -> float:
    if isinstance(one, str):
        return float(one) if _FLOAT.fullmatch(one) else float("nan")
    if isinstance(one, bool) or one is None or not hasattr(one, "__float__"):
        return float("nan")
    try:
        return float(one)
    except OverflowError:
        return float("inf")


def _shown(one: Any) -> str:
    return "nothing" if one is None else repr(one) if isinstance(one, str) else f"{one}"


def _comma(one: Any) -> str:
    return decimal_comma(one) if isinstance(one, str) else ""


def _levels(values: Any, topic: pl.Series, document: pl.Series, place: Place) -> pl.Series:
    column = _series(values)
    if column.dtype == pl.Boolean:
        column = column.cast(pl.Int32)
    given: Any = column if column.dtype.is_numeric() else column.to_list()
    if column.dtype.is_numeric():
        numbers = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    else:
        numbers = np.array([_level(one) for one in given], dtype=np.float64)
    with np.errstate(invalid="ignore"):
        fine = np.isfinite(numbers) & (np.rint(numbers) == numbers) & (np.abs(numbers) < _INT32)
    place.add(
        np.flatnonzero(~fine).tolist(),
        lambda at: (
            f"{_who(topic, document, at)} has relevance {_shown(given[at])}; relevance must be a whole number"
            f"{_comma(given[at])}"
        ),
    )
    return pl.Series(np.where(fine, numbers, 0).astype(np.int32))


def _level(one: Any) -> float:
    if isinstance(one, str):
        match = _LEVEL.fullmatch(one)
        return float(match[1]) if match else float("nan")
    return float(one) if isinstance(one, bool) else _float(one)


def _ranks(values: Any) -> pl.Series:
    """Ranks that are whole numbers; anything else is no rank."""
    column = _series(values)
    if column.dtype.is_integer():
        return column.cast(pl.Int64)
    given = column.to_list()
    numbers = [_float(one) for one in given]
    return pl.Series([int(x) if x == x and abs(x) < 2**53 and x == int(x) else None for x in numbers], dtype=pl.Int64)


def _no_duplicates(place: Place, topic: pl.Series, document: pl.Series, *more: pl.Series) -> None:
    """A document at most once in a topic."""
    keys = pl.DataFrame([topic.alias("topic"), document.alias("document"), *(one.alias("subtopic") for one in more)])
    again = np.flatnonzero(~keys.select(pl.struct(pl.all()).is_first_distinct()).to_series().to_numpy())
    place.add(
        again.tolist(),
        lambda at: f"document {document[at]!r} comes twice in topic {topic[at]!r}; keep one row for each document",
    )


def unfold(nested: Mapping[Any, Any], place: Place, part: str) -> dict[str, list[Any]]:
    """The columns in {topic: {document: score or relevance}}."""
    topics: list[Any] = []
    documents: list[Any] = []
    values: list[Any] = []
    for topic, inside in nested.items():
        if not isinstance(inside, Mapping):
            place.fail(
                f"topic {topic!r} has {type(inside).__name__} {inside!r} where its documents are expected; "
                f"give {{topic: {{document: {part}}}}}"
            )
        topics += [topic] * len(inside)
        documents += inside.keys()
        values += inside.values()
    return {"topic": topics, "document": documents, part: values}


def missing_columns(names: Sequence[str], what: str, needed: str) -> str:
    """The message for a table whose columns are not those of a run or of judgments."""
    return f"the columns are no {what}: expected {needed}; there are: {summary(list(names), most=10)}"


RUN_COLUMNS = "topic, document and score or rank (or qid docno score rank; query_id doc_id score)"
QRELS_COLUMNS = "topic, document, relevance (or qid docno label; query_id doc_id relevance; query-id corpus-id score)"
