"""What the parsers of runs and judgments hand to the readers: rows, and what to say about them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from cranfield.records import record

if TYPE_CHECKING:
    import polars as pl

_FLOAT = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def finite_number(field: bytes) -> float | None:
    """The number that a field writes; None where it is none, or not finite.

    >>> finite_number(b"-.5e1"), finite_number(b"1e999"), finite_number(b"0,5")
    (-5.0, None, None)
    """
    value = float(field) if _FLOAT.fullmatch(field) else math.inf
    return value if math.isfinite(value) else None


@record
class Parsed:
    """A whole file: its rows, what was noticed, and the run tag."""

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    tag: str = ""


@record
class Noticed:
    """What was met in some lines of a run besides their rows.

    Parameters
    ----------
    tags : the run tags, each once, in the order of their first lines
    comments : how many lines were comments
    markup : the numbers of lines such as ``<SYSDESC>``
    longer : how many lines had fields after the tag, which were left out
    unranked : how many ranks were no whole numbers
    """

    tags: list[str] = field(default_factory=list)
    comments: int = 0
    markup: tuple[int, ...] = ()
    longer: int = 0
    unranked: int = 0


@record
class RunBlock:
    """Some lines of a run: the rows, in the order of the lines, and what was noticed."""

    frame: pl.DataFrame
    noticed: Noticed


def run_notes(blocks: Sequence[Noticed]) -> tuple[str, ...]:
    """What to know about a run, from all of its blocks."""
    notes = remarks(sum(one.comments for one in blocks), [line for one in blocks for line in one.markup])
    if longer := sum(one.longer for one in blocks):
        notes.append(f"fields after the run tag ignored on {longer} lines (lenient)")
    if unranked := sum(one.unranked for one in blocks):
        notes.append(f"{unranked} ranks are not integers, so this run cannot be ordered by rank")
    tags = list(dict.fromkeys(tag for one in blocks for tag in one.tags))
    if len(tags) > 1:
        notes.append(f"{len(tags)} different run tags in one file ({', '.join(tags[:3])}{', …' * (len(tags) > 3)})")
    return tuple(notes)


def first_tag(blocks: Sequence[Noticed]) -> str:
    """The tag of a run, from all of its blocks."""
    return next(tag for block in blocks for tag in block.tags)


def remarks(comments: int, markup: Sequence[int]) -> list[str]:
    """What was passed over: comments, and lines of markup with their numbers."""
    notes = []
    if comments:
        notes.append(f"{comments} comment line{'s' * (comments > 1)} skipped")
    if markup:
        where = ", ".join(str(number) for number in markup[:5])
        plural = "s" * (len(markup) > 1)
        notes.append(f"{len(markup)} markup line{plural} (such as <SYSDESC>) skipped: line{plural} {where}")
    return notes
