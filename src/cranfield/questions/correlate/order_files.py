"""Files that order systems: one system per line with the best first, or a system and its score on each line."""

from __future__ import annotations

import math
import os
import re

from cranfield.core.arguments import check_arguments
from cranfield.core.errors import FileError, Problem
from cranfield.core.files import STDIN, is_file, read_bytes
from cranfield.core.recognition import NAMES
from cranfield.core.text import Problems, score_number, shown, text_lines

_DECIMAL = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")


def is_order(path: str | os.PathLike[str]) -> bool:
    """Whether a file is an order for `read_order`: one field per line, or two; but not two columns of scores.

    A table of scores is told by a header that names topics, or by decimal numbers where systems would stand.
    """
    name = os.fspath(path)
    if name == STDIN or not is_file(name):
        return False
    data = read_bytes(name)
    if data.startswith(b"PAR1"):
        return False
    rows = [_fields(line) for _, line in text_lines(data, name) if line.strip()]
    if not rows or len(rows[0]) > 2 or rows[0][0].casefold() in NAMES["topic"]:
        return False
    return not all(_DECIMAL.fullmatch(fields[0]) for fields in rows)


def _fields(line: str) -> list[str]:
    return re.split(r"\s*[,\t]\s*|\s+", line.strip())


def _is_header(line: int, fields: list[str], name: str) -> bool:
    """Whether the first line of an order names its columns; a word that may be a system as well is refused."""
    first, *others = (field.casefold() for field in fields)
    if first not in NAMES["system"] or (others and score_number(others[0]) is not None):
        return False
    if first == "system" or (others and others[0] in NAMES["value"]):
        return True
    header = "system,score" if others else "system"
    text = f"{shown(fields[0])} may be a header or a system. Write the header as {header}, above it or instead of it."
    raise FileError(name, [Problem(line, text)])


def read_order(path: str | os.PathLike[str]) -> dict[str, float]:
    """An order of systems from a file: one system per line with the best first, or a system and its score on each line.

    Fields are separated by a comma, a tab or blanks; a header line ``system`` or ``system,score`` is skipped. Of a
    list without scores, the first system gets the highest.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "order.txt")
    >>> _ = file.write_text("bm25\\nql\\n")
    >>> read_order(file)
    {'bm25': 2.0, 'ql': 1.0}
    """
    check_arguments(read_order, locals())
    name = os.fspath(path)
    rows = [(i, _fields(line)) for i, line in text_lines(read_bytes(name), name) if line.strip()]
    if rows and _is_header(*rows[0], name):
        rows = rows[1:]
    problems = Problems(name)
    order: dict[str, float] = {}
    width = len(rows[0][1]) if rows else 1
    for place, (line, fields) in enumerate(rows):
        if len(fields) != width or width > 2:
            count = f"found {len(fields)} field{'' if len(fields) == 1 else 's'}"
            problems.add(line, f"expected a system, or a system and its score, as in the first line; {count}")
            continue
        if not fields[0]:
            problems.add(line, f"expected the name of a system, found none: {shown(','.join(fields))}")
            continue
        if fields[0] in order:
            problems.add(line, f"system {fields[0]!r} occurs twice; keep one line")
        score = score_number(fields[1]) if width == 2 else float(len(rows) - place)
        if score is None or not math.isfinite(score):
            problems.add(line, f"expected a finite score after the system, found {shown(fields[1])}")
            continue
        order[fields[0]] = score
    problems.raise_if_any()
    if not order:
        raise FileError(name, [Problem(0, "contains no systems")])
    return order
