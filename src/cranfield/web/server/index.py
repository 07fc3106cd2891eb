"""What a server knows of its datasets and of the questions asked: a small SQLite index, on disk where it is kept."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cranfield.core.defaults import MissingPolicy
from cranfield.core.errors import ArgumentError

MOST_QUESTIONS = 200
"""Questions remembered; the oldest are forgotten first."""
_TABLES = """
create table if not exists dataset (
    id text primary key, name text not null, files text not null, missing text, lenient integer not null,
    size integer not null, added real not null);
create table if not exists question (address text primary key, title text not null, data text not null, asked real);
create table if not exists moved (old text primary key, new text not null);
"""


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
    >>> index.add(Kept("1a", "runs", ("a.run", "qrels"), None, False, 12))
    >>> index.rename("1a", "TREC-3")
    >>> [(kept.id, kept.name, kept.files) for kept in index.datasets()]
    [('1a', 'TREC-3', ('a.run', 'qrels'))]
    """

    def __init__(self, directory: Path | None = None) -> None:
        place = ":memory:" if directory is None else str(directory / "index.sqlite")
        self._lock = threading.Lock()
        try:
            self._base = sqlite3.connect(place, check_same_thread=False, timeout=0.2, isolation_level=None)
            self._base.execute("pragma locking_mode = exclusive")
            self._base.execute("begin exclusive")  # a second server on the same directory is refused here
            for table in _TABLES.split(";")[:-1]:
                self._base.execute(table)
            self._base.execute("commit")
        except sqlite3.Error as error:
            why = "another server uses it" if "locked" in str(error) else str(error)
            raise ArgumentError(f"cannot keep data in {directory}: {why}. Name another directory.") from None

    def close(self) -> None:
        """Let go of the directory."""
        with self._lock:
            self._base.close()

    def _do(self, command: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._base.execute(command, values).fetchall()

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
        kept = []
        rows = self._do("select id, name, files, missing, lenient, size from dataset order by added, id")
        for id, name, written, missing, lenient, size in rows:
            files = json.loads(written)
            if isinstance(files, list):  # as earlier versions wrote uploads
                files = {"names": files, "places": (), "teams": None}
            names, places = tuple(files["names"]), tuple(files["places"])
            kept.append(Kept(id, name, names, missing, bool(lenient), size, places, files["teams"]))
        return kept

    def ask(self, address: str, title: str, data: str) -> None:
        """Remember a question; asked again, it moves to the front."""
        self._do("insert or replace into question values (?, ?, ?, ?)", address, title, data, time.time())
        newest = "select address from question order by asked desc limit ?"
        self._do(f"delete from question where address not in ({newest})", MOST_QUESTIONS)

    def questions(self, data: str | None = None) -> list[Asked]:
        """The questions, latest first; of one dataset if named."""
        rows = self._do("select address, title, data, asked from question order by asked desc, address")
        return [one for one in (Asked(*row) for row in rows) if data is None or one.data == data]
