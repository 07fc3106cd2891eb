"""Judgments with fractional grades, such as a model's 0.75: levels by thresholds that the caller declares."""

from __future__ import annotations

import math
import os
from bisect import bisect_right
from collections.abc import Sequence

import polars as pl

from cranfield.collection.types import QRELS_SCHEMA, Qrels
from cranfield.core.errors import ArgumentError
from cranfield.core.files import Problems, filled_lines, finite_number, read_bytes, shown


def read_fractional_qrels(path: str | os.PathLike[str], at_least: Sequence[float]) -> Qrels:
    """Read judgments ``topic iteration document grade`` whose grades are decimals, as levels 0, 1, 2, ….

    A grade below the first threshold is level 0, and each threshold reached adds a level. A negative grade means
    unjudged and is level −1. There is no default: the thresholds decide what is relevant. Notes of the judgments name
    them, and so do the warnings of every evaluation.

    Parameters
    ----------
    path : the file
    at_least : lowest grade of level 1, of level 2, …; positive, ascending

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "qrels.txt")
    >>> _ = file.write_text("1 0 a 0.9\\n1 0 b 0.5\\n1 0 c 0.1\\n")
    >>> qrels = read_fractional_qrels(file, [0.5, 0.75])
    >>> qrels.frame["relevance"].to_list(), qrels.notes
    ([2, 1, 0], ('grades read as levels: 0.5 and above is level 1, 0.75 and above is level 2',))
    """
    thresholds = [float(one) for one in at_least]
    if (
        not thresholds
        or sorted(set(thresholds)) != thresholds
        or thresholds[0] <= 0
        or not math.isfinite(thresholds[-1])
    ):
        raise ArgumentError(
            f"`at_least` must be positive numbers in ascending order, as in [0.5, 0.75]; got {at_least}"
        )
    label = os.fspath(path)
    problems = Problems(label)
    levels: dict[tuple[str, str, str], int] = {}
    for number, line in filled_lines(read_bytes(path), label):
        fields = line.split()
        grade = finite_number(fields[3]) if len(fields) == 4 else None
        if grade is None:
            problems.add(
                number, f"expected 4 fields, the last a finite number (the grade), found {shown(line.strip())}"
            )
            continue
        key = (fields[0], fields[1], fields[2])
        if key in levels:
            problems.add(number, f"document {key[2]} is judged twice for topic {key[0]}")
        levels[key] = -1 if grade < 0 else bisect_right(thresholds, grade)
    if not levels:
        problems.add(0, "holds no judgments")
    problems.raise_if_any()
    frame = pl.DataFrame([(*key, level) for key, level in levels.items()], schema=QRELS_SCHEMA, orient="row")
    read = ", ".join(f"{one:g} and above is level {level}" for level, one in enumerate(thresholds, 1))
    return Qrels(frame, os.path.basename(label), (f"grades read as levels: {read}",))  # noqa: PTH119
