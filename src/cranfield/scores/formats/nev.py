"""NTCIREVAL's .nev files, one per run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.scores.formats import FORMATS, ScoreFile, ScoreFormat

if TYPE_CHECKING:
    from cranfield.scores.matrix import Scores
    from cranfield.scores.per_run import LongColumns


def recognise(file: ScoreFile) -> bool:
    """Whether the lines are those of the tool."""
    from cranfield.scores.per_run import looks_like_nev

    return looks_like_nev(file.text)


def read_run(file: ScoreFile) -> LongColumns:
    """The scores of the system that is named after the file."""
    from cranfield.scores.per_run import parse_nev

    return parse_nev(file.text, file.path)


def write(scores: Scores, path: str) -> None:
    """A directory with one file per system."""
    from cranfield.scores.writers import write_per_run

    write_per_run(scores, path, layout="nev", ending=".nev", line=line, forbidden="=")


def line(measure: str, topic: str, value: float) -> str:
    """A line as NTCIREVAL prints it, at full precision.

    >>> line("AP", "301", 0.5)
    '301 AP=                  0.5\\n'
    """
    return f"{topic} {measure + '=':<20} {value!r}\n"


NEV = FORMATS.register(
    ScoreFormat(
        name="nev",
        summary="NTCIREVAL's `.nev` files, one per run",
        recognise=recognise,
        read_run=read_run,
        write=write,
        notes="counts (`syslen`, `jrel`, …) are read as measures too",
        tried=20,
        rank=40,
    )
)
