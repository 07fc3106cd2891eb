"""The formats of score files: how to recognise, read and write each.

The files import nothing numerical at the top, because help texts list the formats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from cranfield.core.defaults import MISSING, FileKind, MissingPolicy
from cranfield.core.errors import FileError, Problem, UnknownNameError
from cranfield.core.recognition import begins_object, first_lines, is_json_lines
from cranfield.core.recognition import recognise as recognise_kind
from cranfield.core.registry import Registry
from cranfield.core.text import check_text
from cranfield.core.workbooks import SheetText

if TYPE_CHECKING:
    import polars as pl

    from cranfield.scores.formats.tools import LongColumns
    from cranfield.scores.matrix import ScoreMatrix, Scores
    from cranfield.scores.text_tables import Table


@dataclass(frozen=True)
class ScoreFile:
    """A score file in memory, decompressed.

    Parameters
    ----------
    path : its name, for messages
    data : its bytes
    stem, ending : its name without the endings, and the ending of its format, in lower case
    """

    path: str
    data: bytes
    stem: str
    ending: str

    @cached_property
    def text(self) -> bytes:
        """The bytes, checked to be text; a `FileError` when they are not."""
        return check_text(self.data, self.path)

    @cached_property
    def long(self) -> pl.DataFrame | None:
        """The columns of a large long table; None for anything that is not plainly one."""
        from cranfield.scores.text_tables import long_table

        return long_table(self.text)

    @cached_property
    def table(self) -> Table:
        """The text cut into fields."""
        from cranfield.scores.text_tables import read_score_table

        table = read_score_table(self.text, self.path)
        return replace(table, before=self.data.before) if isinstance(self.data, SheetText) else table


@dataclass(frozen=True)
class ReadOptions:
    """What the caller or the file's name says about a file (see `read_scores`)."""

    measure: str | None = None
    missing: MissingPolicy = MISSING
    header: bool | None = None
    topic_column: bool | None = None
    provenance: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScoreFormat:
    """A format of score files. Give one of `read` and `read_run`.

    Parameters
    ----------
    name : how it is asked for
    summary : one line for help and documentation
    recognise : whether a file is in this format, by its content
    read : a file of many systems → its matrices
    read_run : a file of one system, which is named after it → its scores
    write : scores and a path → a file, or a directory with one file per system; None when it is not written
    notes : what a reader of the documentation should know
    tried : its place in recognition, the smallest first; formats that recognise anything come last
    rank : its place in lists
    """

    name: str
    summary: str
    recognise: Callable[[ScoreFile], bool]
    read: Callable[[ScoreFile, ReadOptions], list[ScoreMatrix]] | None = None
    read_run: Callable[[ScoreFile], LongColumns] | None = None
    write: Callable[[Scores, str], None] | None = None
    notes: str = ""
    tried: int = 15
    rank: int = 1000


FORMATS: Registry[ScoreFormat] = Registry("score format", __name__)
_OTHERS = {"run": "contains a run", "qrels": "contains judgments"}


def other_kind(data: bytes) -> FileKind | None:
    """Run or qrels, where a file that is given as scores plainly holds those: the rule of readers and command line.

    Its name has no say, and JSON by two keys is by system and topic, though a run looks alike.

    >>> other_kind(b"301 Q0 FT911-3 1 9.5 x"), other_kind(b'{"bm25": {"301": 0.5}}'), other_kind(b"topic,a\\n1,0.5")
    ('run', None, None)
    """
    if begins_object(data) and not is_json_lines(first_lines(data)):
        return None
    kind = recognise_kind("", data)
    return kind if kind in ("run", "qrels") else None


def recognise(file: ScoreFile) -> ScoreFormat:
    """The format of a file, by its content: a wide table when nothing else fits. Runs and qrels are refused."""
    if not file.data.startswith(b"PAR1") and (other := other_kind(file.text)) is not None:
        text = f"{_OTHERS[other]}, not scores. Evaluate the runs first, or name the format if it does contain scores."
        raise FileError(file.path, [Problem(0, text)])
    for entry in sorted(FORMATS.values(), key=lambda one: one.tried):
        if entry.recognise(file):
            break
    return entry  # the last recognises anything


def writable() -> tuple[str, ...]:
    """The formats that can be written.

    >>> writable()
    ('wide', 'long', 'trec_eval', 'nev')
    """
    return tuple(name for name, entry in FORMATS.items() if entry.write is not None)


def writer(layout: str) -> Callable[[Scores, str], None]:
    """What writes scores in the named format."""
    write = FORMATS[layout].write if layout in FORMATS else None
    if write is None:
        raise UnknownNameError("layout", str(layout), writable())
    return write


def table() -> list[tuple[str, str, str]]:
    """Name, summary and notes of every format: the rows of the documentation."""
    return [(entry.name, entry.summary, entry.notes) for entry in FORMATS.values()]
