"""The formats an answer can be written in, one file each: from the same `Sheet` to the bytes of a file.

The files import nothing numerical at the top, because help texts list the formats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

from cranfield.core.files import plain_ending
from cranfield.core.registry import Registry

if TYPE_CHECKING:
    from cranfield.core.tables import Sheet


class Write(Protocol):
    """What writes a sheet: to bytes, in that many columns of a terminal where there is one."""

    def __call__(self, sheet: Sheet, width: int | None = None) -> bytes: ...


@dataclass(frozen=True)
class OutputFormat:
    """A format that tables are written in.

    Parameters
    ----------
    name : how ``--format`` asks for it
    summary : one line for help and documentation
    endings : the endings of its files; the first is that of a download
    write : a sheet → the bytes of a file; ``width`` is that of the terminal, and None for files and pipes
    offered : whether ``--format`` offers it, which prints on standard output; others go by the ending of a file
    label : its name among a page's downloads; none when it is not among them
    media_type : what a download says it is
    rank : its place in lists
    """

    name: str
    summary: str
    endings: tuple[str, ...]
    write: Write
    offered: bool = True
    label: str = ""
    media_type: str = "application/octet-stream"
    rank: int = 1000


FORMATS: Registry[OutputFormat] = Registry("output format", __name__)


def offered() -> tuple[str, ...]:
    """The formats that can be printed.

    >>> offered()
    ('table', 'json', 'csv', 'markdown', 'latex', 'html')
    """
    return tuple(name for name, entry in FORMATS.items() if entry.offered)


def endings() -> tuple[str, ...]:
    """The endings of files that tell their format.

    >>> endings()
    ('.txt', '.json', '.csv', '.tsv', '.md', '.tex', '.html', '.htm', '.parquet', '.xlsx', '.ods')
    """
    return tuple(ending for entry in FORMATS.values() for ending in entry.endings)


def of_path(path: PurePath) -> OutputFormat | None:
    """The format that a file's name asks for by its ending, compressed or not; None when it asks for none.

    >>> of_path(PurePath("answer.csv.gz")).name
    'csv'
    """
    by_ending = {ending: entry for entry in FORMATS.values() for ending in entry.endings}
    return by_ending.get(plain_ending(path))


def downloads() -> dict[str, OutputFormat]:
    """The formats a page offers for download, by ending (without the dot), in the order of their labels.

    >>> list(downloads())
    ['csv', 'json', 'tex', 'md']
    """
    labelled = sorted((entry for entry in FORMATS.values() if entry.label), key=lambda entry: entry.label)
    return {entry.endings[0].lstrip("."): entry for entry in labelled}


def render(sheet: Sheet, format: str) -> str:
    """A sheet as text in one of the formats that are text."""
    return FORMATS[format].write(sheet).decode()


def text_writer(name: str, text: Callable[[Sheet], str]) -> Write:
    """What writes a sheet as text in a format: the text it has ready for that, or else one made of its rows."""

    def write(sheet: Sheet, width: int | None = None) -> bytes:
        return (sheet.texts[name] if name in sheet.texts else text(sheet)).encode()

    return write


def by_sections(text: Callable[[Sheet], str]) -> Callable[[Sheet], str]:
    """The same for a sheet with several tables, one below the other, without their hidden columns."""

    def joined(sheet: Sheet) -> str:
        shown = sheet.for_people
        return "\n".join(text(section.for_people) for section in shown.sections or (shown,))

    return joined


def documented() -> list[tuple[str, str, str, str]]:
    """Name, what it is, endings, and where it goes: the rows of the documentation."""
    return [
        (
            entry.name,
            entry.summary,
            " ".join(f"`{ending}`" for ending in entry.endings),
            "printed, or written to a file" if entry.offered else "written to a file",
        )
        for entry in FORMATS.values()
    ]
