"""A design at other sizes: the points of its curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl

from cranfield.core.defaults import POWER
from cranfield.questions.design.grid import COLUMN
from cranfield.questions.design.interval import solve_interval

if TYPE_CHECKING:
    from cranfield.questions.design.result import Design

Row = Mapping[str, Any]

SYSTEMS: Final = (2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
"""Numbers of systems a curve is drawn through (Sakai (2014a), Fig. 2 goes to 100)."""
TOPICS: Final = 50
"""Where a curve is centred when a row has no number of topics."""
_POINTS = 60


def _again(design: Design, row: Row, **question: Any) -> pl.DataFrame:
    """The design of the row asked for other values."""
    variance = row["variance_of_difference"] if "variance_of_difference" in row else row["variance"]
    # What goes with the variance of the row stays.
    extras = {name: row[name] for name in design.kind.extras if row.get(name) is not None}
    asked = {"alpha": row["alpha"], "method": row.get("method", design.kind.methods[0]), **extras, **question}
    return design.variant.function(variance, **asked).rows


def _fixed(row: Row, *names: str) -> dict[str, Any]:
    """The arguments that stay as in the row."""
    return {name: row[COLUMN.get(name, name)] for name in names if COLUMN.get(name, name) in row}


def _power_of(row: Row) -> float:
    return POWER if row.get("power") is None else float(row["power"])


def _sizes(row: Row, least: int = 2) -> list[int]:
    """Topic set sizes on both sides of the row's, evenly enough for a smooth curve."""
    around = row.get("topics") or TOPICS
    even = np.linspace(2, max(20, int(2.2 * around)), _POINTS).round()
    return [n for n in sorted({int(n) for n in even} | {max(2, int(around))}) if n >= least]


def power(design: Design, row: Row) -> pl.DataFrame:
    """Power by topics, exact and by the papers' approximation (Sakai (2014a), §3.1)."""
    fixed = _fixed(row, "n_systems", "min_diff")
    parts = []
    columns = {"exact": "achieved_power", "published": "power"}
    for method, column in ((name, columns[name]) for name in design.kind.methods if name in columns):
        rows = _again(design, row, method=method, n_topics=_sizes(row), **fixed)
        parts.append(rows.select(pl.lit(method).alias("method"), "topics", pl.col(column).alias("power")).drop_nulls())
    return pl.concat(parts)


def detectable(design: Design, row: Row) -> pl.DataFrame:
    """Smallest difference detected with the row's power, and width of the interval (Sakai 2014a, Fig. 3)."""
    sizes = _sizes(row, least=4)
    if "width" in row:
        return _points("width", _again(design, row, n_topics=sizes))
    asked = {"n_topics": sizes, "power": _power_of(row), **_fixed(row, "n_systems")}
    parts = [_points("min_diff", _again(design, row, **asked))]
    if design.variant.option != "two_sample":
        of_difference = row["variance_of_difference"] if "variance_of_difference" in row else 2 * row["variance"]
        parts.append(_points("width", solve_interval(of_difference, n_topics=sizes, alpha=row["alpha"]).rows))
    return pl.concat(parts)


def _points(what: str, rows: pl.DataFrame) -> pl.DataFrame:
    return rows.select(pl.lit(what).alias("what"), "topics", pl.col(what).alias("value"))


def systems(design: Design, row: Row) -> pl.DataFrame:
    """Topics needed by the number of systems compared (Sakai (2014a), Fig. 2): those asked for, when they are many."""
    asked = design.rows["systems"].drop_nulls().unique().sort().to_list()
    if design.solved_for == "topics" and (len(asked) > 3 or row.get("epsilon") is not None):
        names = ("measure", "estimator", "variance", "min_diff", "alpha", "power")
        rows = design.rows.filter(*(pl.col(name) == row[name] for name in names if name in row)).sort("systems")
    else:
        every = sorted({*asked, *SYSTEMS})
        rows = _again(design, row, n_systems=every, min_diff=row["min_diff"], power=_power_of(row))
    return rows.select("systems", "topics")


CURVES: dict[str, Callable[[Design, Row], pl.DataFrame]] = {
    "power": power,
    "detectable": detectable,
    "systems": systems,
}
