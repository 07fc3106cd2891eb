"""`Sheet`: rows, and everything needed to say how they came about; `core/formats` writes it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from cranfield.core.defaults import SIGNIFICANT

DIGITS = 4
"""Decimals shown in tables for people."""


_HUGE = 1e12
_DOUBT = 2.0 * 2.0**-20
"""Twice what rounding may do to a number of `SIGNIFICANT` digits before the point (below 2³⁴, so half of 2⁻¹⁹)."""


@dataclass(frozen=True)
class Sheet:
    """What a command found: its rows, and everything needed to say how they came about.

    Parameters
    ----------
    command : the command's name, such as ``"design anova"``
    rows : one row per finding
    signature : one line for a paper's footnote: measure, method, settings, seed, version
    settings : the settings in force, defaults included
    warnings : what to know before relying on the rows, a sentence each
    title : a line above the table that says what it shows
    digits : decimals for people, by column, where not `DIGITS`
    notes : lines below the table for people
    sections : for people, the tables that show the rows when one table would not do; machine formats keep `rows`
    superscripts : marks behind a column's cells, one text per row; LaTeX alone shows them
    latex_columns : the columns a LaTeX table shows, where not all
    latex_notes : what the marks mean, as comments of a LaTeX table
    dispensable : the columns that a terminal too narrow for all may leave out, the first one first
    heading : a short name for the table, above it on a page
    hidden : columns that machines get and people do not, because they say the same in every row
    top : the answer itself where it is one number, at the top of the JSON object
    texts : texts by format, for formats that write something else than the rows
    read_back : whether commands read the rows again, such as scores: then names are written unchanged
    """

    command: str
    rows: pl.DataFrame
    signature: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    title: str = ""
    digits: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sections: tuple[Sheet, ...] = ()
    superscripts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    latex_columns: tuple[str, ...] | None = None
    latex_notes: tuple[str, ...] = ()
    dispensable: tuple[str, ...] = ()
    heading: str = ""
    hidden: tuple[str, ...] = ()
    top: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    read_back: bool = False

    @property
    def for_machines(self) -> pl.DataFrame:
        """The rows as `steady_rows`, each with its measure; scores unchanged."""
        if self.read_back:
            return self.rows
        rows = steady_rows(self.rows)
        measure = self.settings.get("measure")
        if not isinstance(measure, str) or "measure" in rows.columns:
            return rows
        return rows.with_columns(pl.lit(measure).alias("measure")).select("measure", *rows.columns)

    @property
    def for_people(self) -> Sheet:
        """The same without the hidden columns."""
        there = [name for name in self.hidden if name in self.rows.columns]
        return replace(self, rows=self.rows.drop(there), hidden=()) if there else self


def steady(value: float) -> float:
    """A computed number as machines get it: to `SIGNIFICANT` digits, so that it is the same on every processor.

    Rounding keeps order, so an interval still holds its estimate, and a p-value stays above 0 and not above 1.

    >>> steady(0.11271888819441321) == steady(0.11271888819441307) == 0.1127188882
    True
    >>> steady(2.2250738585072014e-308) > 0, steady(1.7976931348623157e308)
    (True, 1.7976931348623157e+308)
    """
    rounded = float(f"{value:.{SIGNIFICANT}g}")
    return rounded if math.isfinite(rounded) else value  # the largest doubles have nothing above them


def steady_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with every float made `steady`, most of them all at once; the open end of an interval is missing.

    Multiplying a double by a power of ten up to 10²² rounds once, so numbers of ordinary size need no conversion to
    text. The exception is a product too near the middle between two numbers to tell the side.
    """
    powers = np.array([10.0**power for power in range(-12, 10)])
    scales = np.array([10.0**power for power in range(23)])

    def column_of(column: pl.Series) -> pl.Series:
        values = column.to_numpy(writable=True).astype(np.float64)
        size = np.abs(values)
        ordinary = (size >= powers[0]) & (size < powers[-1])
        scale = scales[SIGNIFICANT + 12 - np.searchsorted(powers, size[ordinary], side="right")]
        product = values[ordinary] * scale
        clear = np.abs(np.abs(product - np.rint(product)) - 0.5) > _DOUBT
        ordinary[ordinary] = clear
        values[ordinary] = (np.rint(product) / scale)[clear]
        rest = ~ordinary & np.isfinite(values)
        values[rest] = [steady(value) for value in values[rest].tolist()]
        return pl.Series(column.name, values).set(column.is_null() | column.is_infinite(), None)

    return rows.with_columns(column_of(column) for column in rows.iter_columns() if column.dtype.is_float())


def cell(value: Any, digits: int = DIGITS) -> str:
    """A value as people read it; a tiny probability is never shown as 0, and a huge number not digit by digit.

    An interval that is open at one end ends at −∞ or ∞.

    >>> [cell(v) for v in (0.25, 12, None, True, 0.00001, 2.5e300, float("-inf"))]
    ['0.2500', '12', '', 'yes', '1.00e-05', '2.50e+300', '-∞']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if not math.isfinite(value):
            return {math.inf: "∞", -math.inf: "-∞"}.get(value, "nan")
        if value != 0 and (abs(value) < 0.5 * 10**-digits or abs(value) >= _HUGE):
            return f"{value:.2e}"
        return f"{value:.{digits}f}"
    return str(value)


def p_cell(value: float, digits: int = DIGITS, alpha: float | None = None) -> str:
    """A p-value as people read it; one too small to print is shown as below the smallest.

    It gets more digits where the usual ones would put it on the other side of alpha.

    >>> [p_cell(p) for p in (0.25, 0.00012, 0.00001, 2.2e-308, 1.0)]
    ['0.2500', '0.0001', '< 0.0001', '< 0.0001', '1.0000']
    >>> [p_cell(p, alpha=0.05) for p in (0.04996, 0.05, 0.05003, 0.050000004)]
    ['0.0500', '0.0500', '0.05003', '0.050000004']
    """
    least = 10.0**-digits
    return f"< {least:.{digits}f}" if value < least else _on_its_side(value, "f", digits, alpha)


def p_text(value: float, alpha: float | None = None) -> str:
    """A p-value within a sentence, with its sign of equality.

    >>> [p_text(p, alpha=0.05) for p in (0.0312, 1e-7, 0.05003)]
    ['= 0.0312', '< 0.0001', '= 0.05003']
    """
    if value < 10.0**-DIGITS:
        return f"< {10.0**-DIGITS:.{DIGITS}f}"
    return f"= {_on_its_side(value, 'g', 3, alpha)}"


def _on_its_side(value: float, style: str, digits: int, alpha: float | None) -> str:
    """The number with so many digits, and with more until its text lies on the same side of alpha as it does itself."""
    text = f"{value:.{digits}{style}}"
    if alpha is None:
        return text
    level = steady(alpha)
    below = steady(value) <= level
    while (float(text) <= level) != below and digits < SIGNIFICANT + DIGITS:
        digits += 1
        text = f"{value:.{digits}{style}}"
    return text


def text_rows(sheet: Sheet) -> list[list[str]]:
    """The rows with every cell formatted for people."""
    alpha = sheet.settings.get("alpha")
    level = alpha if isinstance(alpha, float) else None
    by_column = zip(sheet.rows.columns, zip(*sheet.rows.iter_rows(), strict=True), strict=bool(sheet.rows.height))
    texts = [_column_texts(name, values, sheet.digits.get(name, DIGITS), level) for name, values in by_column]
    return [list(row) for row in zip(*texts, strict=True)]


def _column_texts(name: str, values: Sequence[Any], digits: int, alpha: float | None) -> Sequence[str]:
    """A column formatted for people, p-values in their own way; the usual text and number take the short way."""
    if set(map(type, values)) == {str}:
        return values
    if name == "p" or name.startswith(("p_", "prob_")):
        probable = [isinstance(value, float) and 0 <= value <= 1 for value in values]
        return [
            p_cell(value, digits, alpha) if one else cell(value, digits)
            for value, one in zip(values, probable, strict=True)
        ]
    least = 0.5 * 10**-digits
    return [
        f"{value:.{digits}f}" if type(value) is float and least <= value < _HUGE else cell(value, digits)
        for value in values
    ]
