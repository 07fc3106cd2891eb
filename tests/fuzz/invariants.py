"""What every printed answer must be: finite, with p-values in (0, 1], and estimates inside their intervals."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from golden.run import visible_text

P_VALUE = re.compile(r"(^|_)p(_value|_adjusted|_merged)?$|^p_")
SHARES = re.compile(r"(^|_)(power|coverage|level|share|alpha)$|^(rate|reached|promised|spent|declared_better)$")
CONTAINED = (
    "rate",
    "reached",
    "difference",
    "effect_size",
    "effect",
    "mean",
    "value",
    "estimate",
    "tau",
    "statistic",
    "bias",
    "variance",
    "variance_of_difference",
    "advantage",
)
"""What `lower` and `upper` are the interval of: the first of these that a row has."""
OTHER_NAMES = {
    "topics_": ("topics_needed", "topics"),
    "published_": ("tau",),
    "held_out_": ("held_out_mean",),
}
"""Intervals whose estimate has a name of its own: the first of these that a row has."""
NOT_FINITE = re.compile(r"(?<![\w.'/=-])[-+]?(nan|inf|infinity)(?![\w.'/-])", re.IGNORECASE)
"""A number that is none; a measure's name may hold one, because it was typed so."""


def problems_of(text: str, format: str) -> list[str]:
    """What is wrong with something printed; nothing if all is well."""
    if format == "json":
        try:
            return list(_walk(json.loads(text, parse_constant=_refuse)))
        except ValueError as error:
            return [f"JSON that cannot be read: {error}"]
    seen = visible_text(text) if format == "html" else text
    wrong = [f"not finite: {match.group()!r}" for match in NOT_FINITE.finditer(seen)]
    return wrong + [problem for row in table_rows(text, format) for problem in _printed(row, format)]


def problems_in(path: Path) -> list[str]:
    """The same of a file that was written, as far as it is text."""
    if not path.is_file() or path.suffix not in (
        ".json",
        ".csv",
        ".tsv",
        ".md",
        ".tex",
        ".txt",
        ".html",
        ".xml",
        ".svg",
    ):
        return []
    text = path.read_text()  # whose ending may mean nothing to what was written: judgments, lines of trec_eval
    if re.match(r"[0-9a-f]{8} [\[{]", text):
        return []  # a work file, by whatever name
    marks = {".json": "{[", ".csv": ",", ".tsv": "\t"}.get(
        path.suffix
    )  # one of which the first line of such a file has
    lines = marks is not None and not {*marks} & {*text.partition("\n")[0]}
    return problems_of(text, "txt" if lines else path.suffix[1:])


def table_rows(text: str, format: str) -> Iterator[dict[str, str]]:
    """The rows of a printed table by its column names; none in formats whose columns we cannot tell."""
    if format in ("csv", "tsv"):
        yield from csv.DictReader(io.StringIO(text), delimiter="\t" if format == "tsv" else ",", restval="")
    header: list[str] | None = None
    before: list[str] | None = None
    for line in text.splitlines() if format in ("markdown", "md", "table", "txt") else ():
        if line.startswith("| "):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        else:
            cells = re.split(r"\s{2,}", line.strip())
        if re.fullmatch(r"[-|: ─]+", line):
            header = before
        elif not line.strip():
            header = None
        elif header is not None and len(cells) == len(header):
            yield dict(zip(header, cells, strict=True))
        before = cells


def _printed(row: dict[str, str], format: str) -> Iterator[str]:
    """What is wrong with a printed row; numbers for people are rounded, each to the digits that it shows."""
    if None in row:  # where csv puts what is too much
        yield f"a row of more cells than there are columns: {list(row.values())}"
        return
    numbers: dict[str, float | None] = dict.fromkeys(row)  # what is empty is a column too
    slack = {}
    for name, cell in row.items():
        if isinstance(cell, str) and re.fullmatch(r"[-+−]?\d[\d,]*(\.\d*)?([eE][-+]?\d+)?", cell):
            number = Decimal(cell.replace(",", "").replace("−", "-"))
            numbers[name] = float(number)
            exponent = number.as_tuple().exponent
            slack[name] = 0.0 if format in ("csv", "tsv") else 0.51 * 10.0 ** int(exponent)
    yield from _row(numbers, slack)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _walk(value: Any, place: str = "") -> Iterator[str]:
    if isinstance(value, list):
        for at, one in enumerate(value):
            yield from _walk(one, f"{place}[{at}]")
    elif isinstance(value, str):
        if value in ("nan", "inf", "-inf"):
            yield f"{place} is {value}"
    elif isinstance(value, dict):
        yield from (f"{place}: {text}" for text in _row(value))
        for name, one in value.items():
            if name not in ("settings", "command_line", "python"):
                yield from _walk(one, f"{place}.{name}")


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _row(row: Mapping[str, Any], slack: Mapping[str, float] = {}) -> Iterator[str]:
    for name, value in row.items():
        if not _number(value):
            continue
        if not math.isfinite(value):  # such as 1e400 of a JSON text
            yield f"{name} is {value}"
        if P_VALUE.search(name) and not 0 < value <= 1:
            yield f"{name} is {value}"
        if SHARES.search(name) and not 0 <= value <= 1:
            yield f"{name} is {value}"
    for lower in row:
        if lower != "lower" and not lower.endswith("_lower"):
            continue
        stem = lower.removesuffix("lower")
        upper = f"{stem}upper"
        low, high = (
            row[end] if _number(row.get(end)) else open for end, open in ((lower, -math.inf), (upper, math.inf))
        )
        if low > high:
            yield f"{lower} {low} above {upper} {high}"
        known = OTHER_NAMES.get(stem, (stem.removesuffix("_"),)) if stem else CONTAINED
        for name in [one for one in known if one in row][:1]:
            free = slack.get(name, 0) + slack.get(lower, 0) + slack.get(upper, 0)
            if _number(row.get(name)) and not low - free <= row[name] <= high + free:
                yield f"{name} {row[name]} outside [{low}, {high}]"
