"""Names of files: paths, URLs, datasets, and the systems they belong to."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from cranfield.core.compression import COMPRESSED

STDIN = "-"
"""The file name that means standard input."""
_RUN_ENDINGS = re.compile(r"\.(run|trec|res|t?eval|nev|out|jsonl?|ndjson|csv|tsv|txt|dat)")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
DATASET = "irds:"
"""What names of ir_datasets begin with."""


WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""The endings of spreadsheets that can be read."""
_SHEET = re.compile(rf"(.*(?:{'|'.join(map(re.escape, WORKBOOKS))}))#(.+)", re.IGNORECASE | re.DOTALL)


def split_sheet(name: str) -> tuple[str, str]:
    """A spreadsheet and the sheet that a name asks for; an empty text where it asks for none.

    >>> split_sheet("trec8.xlsx#AP"), split_sheet("a#b.csv")
    (('trec8.xlsx', 'AP'), ('a#b.csv', ''))
    """
    match = _SHEET.fullmatch(name)
    return (name, "") if match is None or is_file(name) else (match[1], match[2])


class NamedFile(str):
    """A file that lies under one name and is spoken of by another: the text is its name, `place` where it lies.

    Readers take it as they take a path. The name decides on compression, system and measure and stands in
    messages, but nothing is ever opened by it: an uploaded file keeps its name, and the name is no path.

    >>> import tempfile
    >>> from cranfield.core.files import read_bytes
    >>> file = NamedFile("../bm25.run", tempfile.mkstemp()[1])
    >>> system_name(file), read_bytes(file)
    ('bm25', b'')
    """

    place: str

    def __new__(cls, name: str, place: str | os.PathLike[str]) -> NamedFile:
        file = super().__new__(cls, name)
        file.place = os.fspath(place)
        return file

    def __reduce__(self) -> tuple[type[NamedFile], tuple[str, str]]:
        return NamedFile, (str(self), self.place)


def whole_path(name: str) -> NamedFile | str:
    """A file by a path that leads to it from any directory, still shown as it was written; URLs unchanged.

    >>> file = whole_path("runs/bm25.run")
    >>> str(file), os.path.isabs(file.place)
    ('runs/bm25.run', True)
    """
    place = name.place if isinstance(name, NamedFile) else name
    return name if is_elsewhere(place) else NamedFile(str(name), Path(place).absolute())


def reason(error: OSError | ValueError) -> str:
    """Why the system refused a file: in its own words, or for a name that it cannot even look for.

    >>> reason(ValueError("embedded null byte"))
    'the name contains a character that no file name can have; check the name'
    """
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "the name contains a character that no file name can have; check the name"


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file of this name; also no where nobody may look, of which reading it will say why."""
    return there(Path(path).is_file)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether there is a directory of this name; also no where nobody may look."""
    return there(Path(path).is_dir)


def there(look: Callable[[], bool]) -> bool:
    """What a look at a path says; no where nobody may look."""
    with suppress(OSError):  # a folder that is shut, a name that is too long
        return look()
    return False


def is_url(name: str) -> bool:
    """Whether a name leads elsewhere than to this machine's files, such as ``s3://bucket/bm25.run``.

    >>> is_url("https://example.org/qrels.txt"), is_url("runs/bm25.run")
    (True, False)
    """
    return _URL.match(name) is not None


def is_dataset(name: str) -> bool:
    """Whether a name is one of ir_datasets; a file that lies elsewhere under such a name is a file.

    >>> is_dataset("irds:trec-robust04"), is_dataset("qrels.txt"), is_dataset(NamedFile("irds:trec-robust04", "/tmp/0"))
    (True, False, False)
    """
    return name.startswith(DATASET) and not isinstance(name, NamedFile)


def is_elsewhere(name: str) -> bool:
    """Whether a name leads to something that is no file of this machine: a URL, or a dataset of ir_datasets.

    >>> is_elsewhere("s3://bucket/bm25.run"), is_elsewhere("irds:trec-robust04"), is_elsewhere("runs/bm25.run")
    (True, True, False)
    """
    return is_url(name) or is_dataset(name)


def system_name(path: str) -> str:
    """The system a file belongs to: its name without compression and run endings; a dataset's name unchanged.

    >>> system_name("runs/covidex.r5.2s.gz"), system_name("bm25.run.zst"), system_name("irds:msmarco-passage/dev/small")
    ('covidex.r5.2s', 'bm25', 'msmarco-passage/dev/small')
    """
    if is_dataset(path):
        return path.removeprefix(DATASET)
    name = Path(path).name
    if Path(name).suffix.lower() in COMPRESSED:
        name = Path(name).stem
    return Path(name).stem if _RUN_ENDINGS.fullmatch(Path(name).suffix.lower()) else name
