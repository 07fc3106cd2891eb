"""One answer, many formats: JSON, CSV, Markdown, LaTeX and parquet from the same rows."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from cranfield.defaults import OutputFormat
from cranfield.results import Result

DIGITS = 4
"""Decimals shown in tables for people; JSON, CSV and parquet keep full precision."""


_HUGE = 1e12
SCHEMA = 1
"""Version of the JSON; docs/formats.md says what it holds and when the number changes."""


@dataclass(frozen=True)
class Sheet:
    """What a command found: its rows, and everything needed to say how they came about.

    Parameters
    ----------
    command : the command's name, such as ``"design anova"``
    rows : one row a finding
    signature : one line for a paper's footnote: measure, method, settings, seed, version
    settings : the settings in force, defaults included
    warnings : what to know before relying on the rows, a sentence each
    title : a line above the table that says what it shows
    digits : decimals for people, by column, where not `DIGITS`
    notes : lines below the table for people
    sections : for people, the tables that show the rows when one table would not do; machine formats keep `rows`
    superscripts : marks behind a column's cells, one text a row; LaTeX alone shows them
    latex_columns : the columns a LaTeX table shows, where not all
    latex_notes : what the marks mean, as comments of a LaTeX table
    dispensable : the columns that a terminal too narrow for all may leave out, the first one first
    heading : a short name for the table, above it on a page
    hidden : columns that machines get and people do not, because they say the same in every row
    top : the answer itself where it is one number, at the top of the JSON object
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

    @property
    def for_people(self) -> Sheet:
        """The same without the hidden columns."""
        there = [name for name in self.hidden if name in self.rows.columns]
        return replace(self, rows=self.rows.drop(there), hidden=()) if there else self


def cell(value: Any, digits: int = DIGITS) -> str:
    """A value as people read it; a tiny probability is never shown as 0, and a huge number not digit by digit.

    >>> [cell(v) for v in (0.25, 12, None, True, 0.00001, 2.5e300)]
    ['0.2500', '12', '', 'yes', '1.00e-05', '2.50e+300']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if not math.isfinite(value):
            return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
        if value != 0 and (abs(value) < 0.5 * 10**-digits or abs(value) >= _HUGE):
            return f"{value:.2e}"
        return f"{value:.{digits}f}"
    return str(value)


def text_rows(answer: Sheet) -> list[list[str]]:
    """The rows with every cell formatted for people."""
    digits = [answer.digits.get(name, DIGITS) for name in answer.rows.columns]
    return [[cell(value, places) for value, places in zip(row, digits, strict=True)] for row in answer.rows.iter_rows()]


def is_number(dtype: pl.DataType) -> bool:
    """Whether a column is set flush right."""
    return dtype.is_numeric()


def to_json(answer: Sheet) -> str:
    """The JSON envelope: schema, command, signature, settings, rows and warnings."""
    envelope = {
        "schema": SCHEMA,
        "command": answer.command,
        **answer.top,
        "signature": answer.signature,
        "settings": {key: _plain(value) for key, value in answer.settings.items()},
        "rows": [{k: _plain(v) for k, v in row.items()} for row in answer.rows.iter_rows(named=True)],
        "warnings": list(answer.warnings),
    }
    return json.dumps(envelope, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """JSON has no infinity or NaN: they are written as strings, never dropped."""
    if isinstance(value, float) and not math.isfinite(value):
        return cell(value)
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def to_csv(rows: pl.DataFrame, separator: str = ",") -> str:
    """Comma-separated values at full precision: every number reads back to the same double."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow(rows.columns)
    for row in rows.iter_rows():
        writer.writerow(["" if v is None else repr(v) if isinstance(v, float) else v for v in row])
    return out.getvalue()


def to_markdown(answer: Sheet) -> str:
    """A pipe table."""
    align = ["---:" if is_number(dtype) else ":---" for dtype in answer.rows.dtypes]
    lines = [answer.rows.columns, align, *text_rows(answer)]
    escaped = [[part.replace("|", "\\|").replace("\n", " ") for part in line] for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in escaped)


_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "[": "{[}",  # else an option of the preceding line break
        "]": "{]}",
        "†": r"\dag{}",
        "‡": r"\ddag{}",
        "§": r"\S{}",
        "¶": r"\P{}",
    }
)


def tex(text: str) -> str:
    r"""Text with the characters special to LaTeX escaped.

    >>> print(tex("a_b & 5%"))
    a\_b \& 5\%
    """
    return text.translate(_TEX)


def to_latex(answer: Sheet) -> str:
    """A ``tabular`` for the booktabs package, with the notes and the signature as comments."""
    shown = list(answer.latex_columns or answer.rows.columns)
    rows = text_rows(answer)
    cells = []
    for name in shown:
        at = answer.rows.columns.index(name)
        marks = answer.superscripts.get(name, [""] * len(rows))
        cells.append(
            [
                tex(row[at]) + (rf"\textsuperscript{{{tex(mark)}}}" if mark else "")
                for row, mark in zip(rows, marks, strict=True)
            ]
        )
    columns = "".join("r" if is_number(answer.rows.schema[name]) else "l" for name in shown)
    lines = [" & ".join(line) + r" \\" for line in zip(*cells, strict=True)]
    comments = [
        f"% {line}" for text in (*answer.notes, *answer.latex_notes, answer.signature) for line in text.splitlines()
    ]
    return "\n".join(
        [
            *comments,
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(tex(name) for name in shown) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def result_text(result: Result, format: OutputFormat) -> str:
    """A result's main table as text, for its `to_latex` and `to_markdown`."""
    command = type(result).__name__
    return render(Sheet(command, result.to_frame(), result.signature, result.settings, tuple(result.warnings)), format)


def to_parquet(rows: pl.DataFrame) -> bytes:
    """The rows as a parquet file's bytes."""
    out = io.BytesIO()
    rows.write_parquet(out)
    return out.getvalue()


def render(answer: Sheet, format: OutputFormat) -> str:
    """The answer as text in one of the machine or document formats (``table`` is the terminal's own)."""
    if format == "json":
        return to_json(answer)
    if format == "csv":
        return to_csv(answer.rows)
    answer = answer.for_people
    if answer.sections:
        return "\n".join(render(section, format) for section in answer.sections)
    if format == "markdown":
        return to_markdown(answer)
    if format == "latex":
        return to_latex(answer)
    raise ValueError(f"no text rendering for {format!r}")
