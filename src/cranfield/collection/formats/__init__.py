"""The formats of run and qrels files: how to recognise, read and write each.

TREC's own lines never come here: `collection.readers` tries the fast path for them first. The files import nothing
numerical at the top, because help texts list the formats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from cranfield.core.compression import plain_ending
from cranfield.core.errors import UnknownNameError
from cranfield.core.files import check_text
from cranfield.core.recognition import first_lines
from cranfield.core.registry import Registry

if TYPE_CHECKING:
    from cranfield.collection.lines import Parsed
    from cranfield.collection.rows import Place
    from cranfield.collection.types import Qrels, Run


@dataclass(frozen=True)
class CollectionFile:
    """A run or qrels file in memory, decompressed.

    Parameters
    ----------
    path : its name, for messages
    data : its bytes
    """

    path: str
    data: bytes

    @cached_property
    def text(self) -> bytes:
        """The bytes, checked to be text; a `FileError` when they are not."""
        return check_text(self.data, self.path)

    @cached_property
    def first(self) -> list[bytes]:
        """The first lines that are not blank and no comments."""
        return first_lines(self.text)

    def run(self, columns: Mapping[str, Any], lines: Sequence[int] = (), **about: Any) -> Parsed:
        """A run of columns and the line of each row, once its rows are known to be sound; `about` it what is known."""
        from cranfield.collection.lines import Parsed
        from cranfield.collection.rows import run_frame

        return Parsed(run_frame(columns, self._place(lines)), **about)

    def qrels(self, columns: Mapping[str, Any], lines: Sequence[int] = ()) -> Parsed:
        """Judgments of columns, likewise."""
        from cranfield.collection.lines import Parsed
        from cranfield.collection.rows import qrels_frame

        return Parsed(qrels_frame(columns, self._place(lines)))

    def unfold(self, nested: Mapping[str, Any], part: str) -> dict[str, list[Any]]:
        """The columns in {topic: {document: part}}."""
        from cranfield.collection.rows import unfold

        return unfold(nested, self._place(()), part)

    def _place(self, lines: Sequence[int]) -> Place:
        from cranfield.collection.rows import Place

        return Place(self.path, lines.__getitem__ if lines else lambda at: 0)


@dataclass(frozen=True)
class CollectionFormat:
    """A format of runs, of judgments, or of both.

    Parameters
    ----------
    name : how it is asked for
    summary : one line for help and documentation
    is_run, is_qrels : whether a file is a run, or judgments, in this format, by its content
    read_run, read_qrels : a file → what is in it; None where it holds no such thing
    write_run, write_qrels : rows → bytes; None where it is not written
    ending : how a file that is written into a directory ends
    asked_by : the ending of a file that asks for it where nobody names a format
    notes : what a reader of the documentation should know
    tried : its place in recognition, the smallest first
    rank : its place in lists
    """

    name: str
    summary: str
    is_run: Callable[[CollectionFile], bool] = lambda file: False
    is_qrels: Callable[[CollectionFile], bool] = lambda file: False
    read_run: Callable[[CollectionFile], Parsed] | None = None
    read_qrels: Callable[[CollectionFile], Parsed] | None = None
    write_run: Callable[[Run], bytes] | None = None
    write_qrels: Callable[[Qrels], bytes] | None = None
    ending: str = ".txt"
    asked_by: str | None = None
    notes: str = ""
    tried: int = 50
    rank: int = 1000


COLLECTION_FORMATS: Registry[CollectionFormat] = Registry("run or qrels format", __name__)


def _tried() -> list[CollectionFormat]:
    return sorted(COLLECTION_FORMATS.values(), key=lambda one: one.tried)


def run_format(file: CollectionFile) -> CollectionFormat | None:
    """The format of a run that is not TREC's; None when nothing fits."""
    return next((one for one in _tried() if one.read_run is not None and one.is_run(file)), None)


def qrels_format(file: CollectionFile) -> CollectionFormat | None:
    """The format of judgments that are not TREC's; None when nothing fits."""
    return next((one for one in _tried() if one.read_qrels is not None and one.is_qrels(file)), None)


def writable(kind: str) -> tuple[str, ...]:
    """The formats in which runs (``"run"``) or judgments (``"qrels"``) can be written.

    >>> writable("run")
    ('trec', 'msmarco', 'beir', 'table', 'json', 'jsonl')
    """
    return tuple(name for name, one in COLLECTION_FORMATS.items() if getattr(one, f"write_{kind}") is not None)


def writer(layout: str, kind: str) -> CollectionFormat:
    """The named format, once it is known to write runs or judgments."""
    if layout not in writable(kind):
        raise UnknownNameError("layout", layout, writable(kind))
    return COLLECTION_FORMATS[layout]


def asked_by(path: PurePath) -> str | None:
    """The format that a file's name asks for by its ending, compressed or not; None when it asks for none.

    >>> asked_by(PurePath("qrels.json.gz")), asked_by(PurePath("qrels.txt"))
    ('json', None)
    """
    return next((name for name, one in COLLECTION_FORMATS.items() if one.asked_by == plain_ending(path)), None)


def documented() -> list[tuple[str, str, str]]:
    """Name, summary and notes of every format: the rows of the documentation."""
    return [(one.name, one.summary, one.notes) for one in COLLECTION_FORMATS.values()]
