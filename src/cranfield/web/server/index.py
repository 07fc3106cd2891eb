"""What a server knows of its datasets and of the questions asked: a small SQLite index, on disk where it is kept."""

from __future__ import annotations

import json
import logging
import os
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

from cranfield.core.defaults import MissingPolicy
from cranfield.core.errors import ArgumentError
from cranfield.core.files import reason
from cranfield.core.labels import plural

log = logging.getLogger("cranfield.web")

MOST_QUESTIONS = 200
"""Questions remembered; the oldest are forgotten first."""
_TABLES = """
create table if not exists dataset (
    id text primary key, name text not null, files text not null, missing text, lenient integer not null,
    size integer not null, added real not null);
create table if not exists question (address text primary key, title text not null, data text not null, asked real);
create table if not exists moved (old text primary key, new text not null);
"""
_COLUMNS = {
    "dataset": "id, name, files, missing, lenient, size, added",
    "question": "address, title, data, asked",
    "moved": "old, new",
}
_NOT_DAMAGED = ("locked", "unable to open", "readonly", "full")
"""Words of SQLite's errors that say something about the place, not about the content of the index."""
_ID = re.compile(r"[0-9a-f]{12}")
_UNUSABLE = (AttributeError, KeyError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True)
class Kept:
    """A dataset as the index knows it; its files are numbered in the order of their names.

    Files that the server was started with stay where they lie (`places`), with the teams named beside them.
    """

    id: str
    name: str
    files: tuple[str, ...]
    missing: MissingPolicy | None
    lenient: bool
    size: int
    places: tuple[str, ...] = ()
    teams: dict[str, str] | None = None

    def __post_init__(self) -> None:
        """Refuse what no server wrote: an id is the name of a directory, which is removed with its dataset."""
        texts = (self.name, *self.files, *self.places, *(self.teams or {}).keys(), *(self.teams or {}).values())
        fine = bool(_ID.fullmatch(self.id) and self.files and all(isinstance(text, str) for text in texts))
        fine = fine and (self.missing is None or self.missing in get_args(MissingPolicy))
        if not fine or isinstance(self.size, bool) or not isinstance(self.size, int) or self.size < 0:
            raise ValueError("not a dataset")

    def to_json(self) -> bytes:
        """The record written beside its files."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_json(cls, text: bytes) -> Kept | None:
        """As it was written; None where that is damaged."""
        try:
            found = json.loads(text)
            names, places = tuple(found.pop("files")), tuple(found.pop("places"))
            return cls(**found, files=names, places=places)
        except _UNUSABLE:
            return None


@dataclass(frozen=True)
class Asked:
    """A question that was asked: its address, the page's title, and the data it was about."""

    address: str
    title: str
    data: str
    asked: float

    @property
    def when(self) -> str:
        """The time of the last asking, on this machine's clock."""
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(self.asked))


class Index:
    """Datasets and questions of one server, in memory or in a directory that outlives it.

    >>> index = Index()
    >>> index.add(Kept("1a2b3c4d5e6f", "runs", ("a.run", "qrels"), None, False, 12))
    >>> index.rename("1a2b3c4d5e6f", "TREC-3")
    >>> [(kept.id, kept.name, kept.files) for kept in index.datasets()]
    [('1a2b3c4d5e6f', 'TREC-3', ('a.run', 'qrels'))]
    """

    def __init__(self, directory: Path | None = None) -> None:
        self._lock = threading.Lock()
        self._directory = directory
        self.notes: list[str] = []
        """What the user must know about an index that was damaged."""
        self._told = False
        try:
            self._base = self._opened()
            return
        except (sqlite3.Error, UnicodeError) as error:  # SQLite quotes damaged bytes, which are no text to Python
            words = [word for word in _NOT_DAMAGED if word in str(error)]
            # A damaged version number makes SQLite call a file read-only that is not.
            writable = directory is not None and os.access(directory / "index.sqlite", os.W_OK)
            if directory is None or (words and not (words == ["readonly"] and writable)):
                why = "another server uses it" if "locked" in str(error) else str(error)
                raise ArgumentError(f"cannot keep data in {directory}: {why}. Name another directory.") from None
        self._rebuild(directory)  # outside the handler: until the error is gone, its cursor may lock the file

    def _opened(self) -> sqlite3.Connection:
        place = ":memory:" if self._directory is None else str(self._directory / "index.sqlite")
        base = sqlite3.connect(place, check_same_thread=False, timeout=0.2, isolation_level=None)
        try:
            base.execute("pragma locking_mode = exclusive")
            base.execute("begin exclusive")  # a second server on the same directory is refused here
            for table in _TABLES.split(";")[:-1]:
                base.execute(table)
            base.execute("commit")
            found = base.execute("pragma quick_check(1)").fetchall()
            if found != [("ok",)]:
                raise sqlite3.DatabaseError(f"damaged: {found[0][0] if found else 'unreadable'}")
            for table, columns in _COLUMNS.items():
                base.execute(f"select {columns} from {table} limit 1").fetchall()
        except BaseException:
            base.close()
            raise
        return base

    def _rebuild(self, directory: Path) -> None:
        """A new index with every row of the damaged one that can be read; that one is put aside."""
        damaged = directory / "index.sqlite"
        saved = {table: list(_readable(damaged, table)) for table in _COLUMNS}
        aside = directory / f"index.damaged-{time.strftime('%Y%m%d-%H%M%S')}.sqlite"
        try:
            damaged.replace(aside)
            for more in ("-journal", "-wal", "-shm"):
                damaged.with_name(f"{damaged.name}{more}").unlink(missing_ok=True)
            self._base = self._opened()
        except (OSError, sqlite3.Error) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise ArgumentError(f"cannot keep data in {directory}: {why}. Name another directory.") from None
        for table, rows in saved.items():
            marks = ", ".join("?" * len(_COLUMNS[table].split(",")))
            for row in rows:
                with suppress(sqlite3.Error):  # a row that breaks the rules of its table
                    self._base.execute(f"insert or ignore into {table} values ({marks})", row)
        datasets, questions = (len(self._do(f"select rowid from {table}")) for table in ("dataset", "question"))
        self.notes.append(
            f"the index in {directory} is damaged. {plural(datasets, 'dataset')} and {plural(questions, 'question')} "
            f"could be read; the old file is {aside.name}."
        )

    @property
    def was_damaged(self) -> bool:
        """Whether something may be missing."""
        return bool(self.notes)

    def close(self) -> None:
        """Let go of the directory."""
        with self._lock:
            self._base.close()

    def _do(self, command: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a command. A failure costs what the next start would have known, not the work of this one."""
        with self._lock:
            try:
                return self._base.execute(command, values).fetchall()
            except (sqlite3.Error, UnicodeError, OverflowError, MemoryError) as error:
                if not self._told:
                    log.error(
                        "the index in %s failed (%s); changes last until the server stops", self._directory, error
                    )
                self._told = True
                return []

    def add(self, kept: Kept) -> None:
        """Remember a dataset."""
        files = json.dumps({"names": kept.files, "places": kept.places, "teams": kept.teams})
        row = (kept.id, kept.name, files, kept.missing, kept.lenient, kept.size, time.time())
        self._do("insert or replace into dataset values (?, ?, ?, ?, ?, ?, ?)", *row)

    def rename(self, id: str, name: str) -> None:
        """Call a dataset otherwise."""
        self._do("update dataset set name = ? where id = ?", name, id)

    def remove(self, id: str) -> None:
        """Forget a dataset and its questions."""
        self._do("delete from dataset where id = ?", id)
        self._do("delete from question where data = ?", id)

    def move(self, old: str, new: str) -> None:
        """Remember under which address the files of a dataset are now, together with others."""
        self._do("insert or replace into moved values (?, ?)", old, new)
        moved = "update or replace question set data = ?, address = replace(address, ?, ?) where data = ?"
        self._do(moved, new, old, new, old)

    def moved(self, old: str) -> str | None:
        """Where the files of a dataset went, if they went anywhere."""
        return next((new for (new,) in self._do("select new from moved where old = ?", old)), None)

    def datasets(self) -> list[Kept]:
        """All datasets in order of arrival."""
        kept, lost = [], 0
        rows = self._do("select id, name, files, missing, lenient, size from dataset order by added, id")
        for id, name, written, missing, lenient, size in rows:
            try:
                files = json.loads(written)
                if isinstance(files, list):  # as earlier versions wrote uploads
                    files = {"names": files, "places": (), "teams": None}
                names, places = tuple(files["names"]), tuple(files["places"])
                kept.append(Kept(id, name, names, missing, bool(lenient), size, places, files["teams"]))
            except _UNUSABLE:
                lost += 1
                self._do("delete from dataset where id is ?", id)
        if lost:
            self.notes.append(f"{plural(lost, 'dataset')} in the index cannot be read.")
        return kept

    def ask(self, address: str, title: str, data: str) -> None:
        """Remember a question; asked again, it moves to the front."""
        self._do("insert or replace into question values (?, ?, ?, ?)", address, title, data, time.time())
        newest = "select address from question order by asked desc limit ?"
        self._do(f"delete from question where address not in ({newest})", MOST_QUESTIONS)

    def questions(self, data: str | None = None) -> list[Asked]:
        """The questions, latest first; of one dataset if named."""
        rows = self._do("select address, title, data, asked from question order by asked desc, address")
        asked = [Asked(*row) for row in rows if all(isinstance(text, str) for text in row[:3])]
        return [one for one in asked if isinstance(one.asked, float) and data in (None, one.data)]


def _readable(damaged: Path, table: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a damaged table, one by one, as far as they can be read."""
    base = sqlite3.connect(f"{damaged.absolute().as_uri()}?mode=ro", uri=True)
    base.text_factory = lambda data: data.decode(errors="replace")
    try:
        for order in ("", " order by rowid desc"):  # from both ends: the damage may be anywhere between
            with suppress(sqlite3.Error, UnicodeError):
                yield from base.execute(f"select {_COLUMNS[table]} from {table}{order}")
    finally:
        base.close()
