"""The formats of run and qrels files: how to recognise, read and write each.

`collection.readers` reads TREC's own lines. These files import nothing numerical at the top, because help lists the
formats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from cranfield.core.errors import UnknownNameError
from cranfield.core.files import plain_ending
from cranfield.core.recognition import first_lines
from cranfield.core.registry import Registry
from cranfield.core.text import check_text

if TYPE_CHECKING:
    from cranfield.collection.lines import Parsed
    from cranfield.collection.types import GradeMap

Kind: TypeAlias = str
"""``"run"`` or ``"qrels"``."""
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "run": ("topic", "document", "rank", "score"),
    "qrels": ("topic", "subtopic", "document", "relevance"),
}
"""The columns of a run and of judgments, in the order in which they are written."""


@dataclass(frozen=True)
class CollectionFile:
    """A run or qrels file in memory, decompressed.

    Parameters
    ----------
    path : its name, for messages
    data : its bytes
    grades : the levels that its grades mean, if they are not levels themselves
    """

    path: str
    data: bytes
    grades: GradeMap | None = None

    @cached_property
    def text(self) -> bytes:
        """The bytes, checked to be text; a `FileError` when they are not."""
        return check_text(self.data, self.path)

    @cached_property
    def first(self) -> list[bytes]:
        """The first lines that are neither blank nor comments."""
        return first_lines(self.text)

    def parsed(self, kind: Kind, columns: Mapping[str, Any], lines: Sequence[int] = (), **about: Any) -> Parsed:
        """Checked rows from columns and the line of each row; `about` has the tag and the notes.

        A column ``nested`` holds {topic: {document: score or relevance}}.
        """
        from cranfield.collection.lines import Parsed
        from cranfield.collection.rows import Place, qrels_frame, run_frame, unfold

        place = Place(self.path, lines.__getitem__ if lines else lambda at: 0)
        if "nested" in columns:
            columns = unfold(columns["nested"], place, COLUMNS[kind][-1])
        frame = run_frame(columns, place) if kind == "run" else qrels_frame(columns, place, self.grades)
        return Parsed(frame, **about)


@dataclass(frozen=True)
class CollectionFormat:
    """A format of runs, of judgments, or of both.

    Parameters
    ----------
    name : its name on the command line
    summary : one line for help and documentation
    recognise : whether a file holds a run, or judgments, in this format, by its content
    read : a file → its rows
    write : a `Run` or `Qrels` → bytes
    reads, writes : which of ``"run"`` and ``"qrels"`` it reads and writes
    ending : how a file that is written into a directory ends
    asked_by : the file ending that selects the format where none is named
    notes : what a reader of the documentation should know
    tried : its place in recognition, the smallest first
    rank : its place in lists
    """

    name: str
    summary: str
    notes: str
    rank: int
    write: Callable[[Any, Kind], bytes]
    writes: tuple[Kind, ...] = ("run", "qrels")
    recognise: Callable[[CollectionFile, Kind], bool] = lambda file, kind: False
    read: Callable[[CollectionFile, Kind], Parsed] | None = None
    reads: tuple[Kind, ...] = ()
    ending: str = ".txt"
    asked_by: str | None = None
    tried: int = 50


COLLECTION_FORMATS: Registry[CollectionFormat] = Registry("run or qrels format", __name__)


def format_of(file: CollectionFile, kind: Kind) -> CollectionFormat | None:
    """The format of a run or of judgments that is not TREC's; None when nothing fits."""
    formats = sorted(COLLECTION_FORMATS.values(), key=lambda entry: entry.tried)
    return next((entry for entry in formats if kind in entry.reads and entry.recognise(file, kind)), None)


def writable(kind: Kind) -> tuple[str, ...]:
    """The formats in which runs (``"run"``) or judgments (``"qrels"``) can be written.

    >>> writable("run")
    ('trec', 'msmarco', 'beir', 'table', 'json', 'jsonl')
    """
    return tuple(name for name, entry in COLLECTION_FORMATS.items() if kind in entry.writes)


def writer(layout: str, kind: Kind) -> CollectionFormat:
    """The named format, if it can write runs or judgments."""
    if layout not in writable(kind):
        raise UnknownNameError("layout", layout, writable(kind))
    return COLLECTION_FORMATS[layout]


def asked_by(path: PurePath) -> str | None:
    """The format that the ending of a file name selects, compressed or not; None when it selects none.

    >>> asked_by(PurePath("qrels.json.gz")), asked_by(PurePath("qrels.txt"))
    ('json', None)
    """
    return next((name for name, entry in COLLECTION_FORMATS.items() if entry.asked_by == plain_ending(path)), None)


def documented() -> list[tuple[str, str, str]]:
    """Name, summary and notes of every format: the rows of the documentation."""
    return [(entry.name, entry.summary, entry.notes) for entry in COLLECTION_FORMATS.values()]
