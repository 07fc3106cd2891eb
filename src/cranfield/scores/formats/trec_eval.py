"""Output of trec_eval -q and ir_measures -q, one file per run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.scores.formats import FORMATS, ScoreFile, ScoreFormat

if TYPE_CHECKING:
    from cranfield.scores.matrix import Scores
    from cranfield.scores.per_run import LongColumns


def recognise(file: ScoreFile) -> bool:
    """Whether the lines are those of the tool."""
    from cranfield.scores.per_run import looks_like_trec_eval

    return file.ending != ".csv" and looks_like_trec_eval(file.text)


def read_run(file: ScoreFile) -> LongColumns:
    """The scores of the system that is named after the file."""
    from cranfield.scores.per_run import parse_trec_eval

    return parse_trec_eval(file.text, file.path)


def write(scores: Scores, path: str) -> None:
    """A directory with one file per system."""
    from cranfield.scores.writers import write_per_run

    write_per_run(scores, path, layout="trec_eval", ending=".eval", line=line)


def line(measure: str, topic: str, value: float) -> str:
    """A line as trec_eval prints it, at full precision.

    >>> line("AP", "301", 0.5)
    'AP                    \\t301\\t0.5\\n'
    """
    return f"{measure:<22}\t{topic}\t{value!r}\n"


TREC_EVAL = FORMATS.register(
    ScoreFormat(
        name="trec_eval",
        summary="`trec_eval -q` or `ir_measures -q` output, one file per run",
        recognise=recognise,
        read_run=read_run,
        write=write,
        notes="the file's name is the system; text measures (`runid`, `relstring`) and `all` lines are left out and "
        "reported",
        tried=30,
        rank=30,
    )
)
