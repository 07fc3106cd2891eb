"""Rows and columns of tables that sum up the others: recognised by name and by value, and never counted as scores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core.errors import DataError

STATISTICS = {
    **dict.fromkeys(("mean", "average", "avg", "amean", "all", "overall", "arithmetic mean"), "mean"),
    **dict.fromkeys(("mittelwert", "durchschnitt", "moyenne", "media", "média", "promedio", "gemiddelde"), "mean"),
    **dict.fromkeys(("gmean", "geomean", "geometric mean"), "geometric mean"),
    **dict.fromkeys(("total", "sum", "grand total", "summe", "somme", "suma"), "sum"),
    **dict.fromkeys(("sd", "std", "stdev", "stddev", "std dev", "standard deviation"), "standard deviation"),
    **dict.fromkeys(("standardabweichung", "écart-type", "desviación estándar", "stabw"), "standard deviation"),
    **dict.fromkeys(("min", "minimum"), "minimum"),
    **dict.fromkeys(("max", "maximum"), "maximum"),
    "median": "median",
    **dict.fromkeys(("variance", "standard error", "95% ci"), "spread"),  # by any formula: only ever refused
}
"""Names of summary rows and columns, in any case, and what each usually is."""
_MAY_BE = {
    **dict.fromkeys(("all", "overall"), ("mean", "geometric mean", "median", "sum")),
    "mean": ("mean", "geometric mean", "median"),
    "sum": ("sum", "mean"),
}
"""What a label or a statistic's name may stand for: trec_eval's `all` is a mean, a geometric mean or a sum."""
_BEGINS = re.compile(r"(mean|average|avg)\s*[\s(]\s*\w|(map|gesamt|insgesamt|n|count|number)$")
"""Names that rows of summaries may have, and topics too: with these the values alone decide."""
_NUMERIC_SLACK = 1e-6
"""Relative; the single-precision floats of some files are not closer."""
_COUNTS = ("n", "count", "number")
_NUMBERED = re.compile(r"\d")
_FLOOR = 1e-5
"""What trec_eval puts in place of 0 in a geometric mean."""
_OTHERS = {"row": "topics", "column": "systems"}
_NAMED = {"row": "topic", "column": "system"}


class SummaryNameError(DataError):
    """A topic or system that is called like a summary and is none; `label` is its name."""

    def __init__(self, kind: Literal["row", "column"], label: str) -> None:
        self.kind, self.label = kind, label
        super().__init__(
            f"{_NAMED[kind]} {label!r} is named like a summary {kind} but matches no mean, sum, median, sd, minimum or "
            f"maximum of the other {_OTHERS[kind]}. Rename the {_NAMED[kind]} or remove the {kind}."
        )

    def __reduce__(self) -> tuple[type[SummaryNameError], tuple[Literal["row", "column"], str]]:
        return type(self), (self.kind, self.label)


@dataclass
class Sifted:
    """A table without its summary rows and columns, and one sentence about each of them."""

    values: NDArray[np.float64]
    topics: list[str]
    systems: list[str]
    left_out: list[str] = field(default_factory=list)


def is_summary_name(label: str) -> bool:
    """Whether a label is a name that summary rows have.

    >>> [is_summary_name(label) for label in ("Mean", "AVG:", "301", "maximal")]
    [True, True, False, False]
    """
    return _folded(label) in STATISTICS


def sift(
    values: NDArray[np.float64], topics: Sequence[str], systems: Sequence[str], *, named_columns: bool = True
) -> Sifted:
    """Leave out the rows and columns that sum up the others; NaN marks a missing cell.

    A summary has the name of one and its values: those of the statistic of the others, within the digits they are
    written with. What has the name alone is refused, except, without `named_columns`, a system: a long table calls
    it a system in so many words. A first or last row of another name that sums up the other topics stays and is
    reported.

    >>> kept = sift(np.array([[0.25, 0.5], [0.75, 1.0], [0.5, 0.75]]), ["1", "2", "Mean"], ["a", "b"])
    >>> kept.topics, kept.left_out
    (['1', '2'], ["row 'Mean' is the mean of the other topics; dropped"])
    >>> sift(np.array([[0.25], [0.75], [0.6]]), ["1", "2", "Mean"], ["a"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    cranfield.scores.summaries.SummaryNameError: topic 'Mean' is named like a summary row but matches no mean, ...
    """
    rows = [is_summary_name(label) or _BEGINS.match(_folded(label)) is not None for label in topics]
    columns = [is_summary_name(label) for label in systems]
    made = Sifted(values, list(topics), list(systems))
    if not any(rows) and not any(columns):
        made.left_out += _sums_up_without_name(values, topics)
        return made
    # A cell where a summary row meets a summary column may be either's, so columns are judged by the topics alone.
    body = values[~np.array(rows)] if not all(rows) else values
    by_system = np.moveaxis(body, 1, 0)
    for at in np.flatnonzero(columns).tolist():
        what = _statistic(by_system[~np.array(columns)], by_system[at], systems[at])
        if what is None and named_columns:
            raise SummaryNameError("column", systems[at])
        if what is None:
            columns[at] = False
        else:
            made.left_out.append(f"column {systems[at]!r} is the {what} of the other systems; dropped")
    kept = values[:, ~np.array(columns)]
    # Those that may be topics first: the others are judged by all topics.
    for at in sorted(np.flatnonzero(rows).tolist(), key=lambda at: is_summary_name(topics[at])):
        what = _statistic(kept[~np.array(rows)], kept[at], topics[at])
        if what is None and is_summary_name(topics[at]):
            raise SummaryNameError("row", topics[at])
        if what is None:
            rows[at] = False
            continue
        made.left_out.append(f"row {topics[at]!r} is the {what} of the other topics; dropped")
    made.values = kept[~np.array(rows)]
    made.topics = [label for label, gone in zip(topics, rows, strict=True) if not gone]
    made.systems = [label for label, gone in zip(systems, columns, strict=True) if not gone]
    made.left_out += _sums_up_without_name(made.values, made.topics)
    return made


def _sums_up_without_name(values: NDArray[np.float64], topics: Sequence[str]) -> list[str]:
    """A warning about a first or last row that sums up the others, where all others have numbered names."""
    for at in (len(topics) - 1, 0):
        others = [label for place, label in enumerate(topics) if place != at]
        if len(others) < 2 or _NUMBERED.search(topics[at]) or not all(map(_NUMBERED.search, others)):
            continue
        rest, row = np.delete(values, at, axis=0), values[at]
        if values.ndim > 2 or np.isnan(values).any() or not (np.ptp(rest, axis=0) > 0).any():
            continue
        if (what := next(iter(_fitting(rest, row)), None)) is not None:
            return [
                f"row {topics[at]!r} equals the {what} of the other topics and counts as a topic; "
                "remove it if it sums up"
            ]
    return []


def _fitting(cells: NDArray[np.float64], goal: NDArray[np.float64]) -> Iterator[str]:
    """The statistics of the cells that the goal is, within the digits of both."""
    error = _half_unit(cells[~np.isnan(cells)])
    slack = _half_unit(goal) + _NUMERIC_SLACK * float(np.nanmax(np.abs(cells)))
    for name, low, high in _statistics(cells, error):
        if bool(((goal >= low - slack) & (goal <= high + slack)).all()):
            yield name


def _folded(label: str) -> str:
    return " ".join(label.replace(".", " ").split()).rstrip(":").rstrip().casefold()


def _statistic(others: NDArray[np.float64], given: NDArray[np.float64], label: str) -> str | None:
    """Which statistic of the others (along the first axis) the given values are; None for none of them."""
    there = ~np.isnan(given) & ~np.isnan(others).all(axis=0) if len(others) else np.zeros(given.shape, dtype=bool)
    if not there.any():
        return None
    cells, goal = others[:, there], given[there]
    fitting: list[str] = []
    # A spreadsheet passes over empty cells; with missing='zero' they count.
    for filled in [cells, np.nan_to_num(cells)] if np.isnan(cells).any() else [cells]:
        fitting += _fitting(filled, goal)
    if _folded(label) in _COUNTS:
        return "number" if bool((goal == len(cells)).all()) else None
    usual = STATISTICS.get(_folded(label), "mean")
    possible = _MAY_BE.get(_folded(label)) or _MAY_BE.get(usual, (usual,))
    return next((one for one in possible if one in fitting), None)


def _half_unit(values: NDArray[np.float64]) -> float:
    """Half a unit of the last decimal that the values are written with."""
    with np.errstate(over="ignore"):  # of values so large that all their digits stand before the point
        digits = next((digits for digits in range(16) if bool((np.round(values, digits) == values).all())), 16)
    return 0.5 * 10.0**-digits


def _statistics(cells: NDArray[np.float64], error: float) -> Iterator[tuple[str, Any, Any]]:
    """Every statistic by name, from the least to the most it can be where each cell is rounded by up to `error`."""
    count = (~np.isnan(cells)).sum(axis=0)
    with np.errstate(all="ignore"):
        for name, value in (
            ("mean", np.nanmean(cells, axis=0)),
            ("median", np.nanmedian(cells, axis=0)),
            ("minimum", np.nanmin(cells, axis=0)),
            ("maximum", np.nanmax(cells, axis=0)),
        ):
            yield name, value - error, value + error
        total = np.nansum(cells, axis=0)
        yield "sum", total - count * error, total + count * error
        squares = np.nansum((cells - np.nanmean(cells, axis=0)) ** 2, axis=0)
        for divisor in (count - 1, count):
            deviation = np.sqrt(squares / np.where(divisor > 0, divisor, np.nan))
            moved = error * np.sqrt(count / np.maximum(divisor, 1))
            yield "standard deviation", deviation - moved, deviation + moved
        if bool(np.nanmin(cells) >= 0):
            low, high = np.maximum(cells - error, 0), np.maximum(cells + error, _FLOOR)
            yield "geometric mean", *(np.exp(np.nanmean(np.log(one), axis=0)) for one in (low, high))
