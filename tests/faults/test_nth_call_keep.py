"""The nth call to the operating system or to SQLite fails while a server keeps data: the next one finds all of it."""

from __future__ import annotations

import errno
import io
import logging
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from cranfield.core.errors import CranfieldError
from cranfield.web.server.app import create_app
from cranfield.web.server.security import Limits
from cranfield.web.server.store import Store
from faults.test_nth_call import CALLS, failing
from web_page import HERE, Client, scores

LIMITS = Limits(files=5, datasets=9)
SQL = {"connect", "execute", "fetchall", "fetchone"}
WATCHED = CALLS | SQL | {"read", "listdir", "scandir", "stat", "unlink"}
OLD, NEW = (scores(seed=seed).encode() for seed in (1, 2))
ERRORS: dict[str, Callable[[str], BaseException]] = {
    "full": lambda call: (
        sqlite3.OperationalError("database or disk is full") if call in SQL else OSError(errno.ENOSPC, "No space left on device")
    ),
    "lost": lambda call: (
        sqlite3.OperationalError("disk I/O error") if call in SQL else OSError(errno.EIO, "Input/output error")
    ),
    "memory": lambda call: MemoryError(),
}  # fmt: skip


def upload(text: bytes, name: str = "past.AP.csv") -> tuple[str, io.BytesIO, int]:
    return name, io.BytesIO(text), len(text)


def first(store: Store) -> str:
    return store.datasets()[1].id


def replaced(store: Store) -> None:
    store.remove(first(store))
    store.restore(first(store) if store.removed is None else store.removed.id)


USES: dict[str, Callable[[Store], object]] = {
    "start": lambda store: None,
    "add": lambda store: store.add([upload(NEW, "new.AP.csv")]),
    "add to": lambda store: store.add([upload(NEW, "new.AP.csv")], to=store.datasets()[1]),
    "rename": lambda store: store.rename(first(store), "TREC-9"),
    "remove": lambda store: store.remove(first(store)),
    "remove and restore": replaced,
    "ask": lambda store: store.index.ask(f"/compare?data={first(store)}", "Compare", first(store)),
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with one dataset that has a name, and one question about it."""
    home = tmp_path_factory.mktemp("kept")
    store = Store(LIMITS, home)
    store.rename(store.add([upload(OLD)]).id, "TREC-1")
    store.index.ask(f"/compare?data={first(store)}&test=t", "Compare", first(store))
    store.close()
    return home


def held(store: Store) -> dict[str, tuple[bytes, ...]]:
    """The files of every dataset, and its name."""
    return {
        one.id: (one.name.encode(), *(Path(file.place).read_bytes() for file in one.files))
        for one in store.datasets()[1:]
    }


def used(home: Path, use: str) -> None:
    store = Store(LIMITS, home)
    try:
        USES[use](store)
    finally:
        store.close()


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("use", USES)
def test_the_next_server_finds_what_was_kept(
    kept: Path, tmp_path: Path, use: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    before = _after(kept, tmp_path / "before", "start")
    whole = _after(kept, tmp_path / "whole", use)
    for number in range(1, 600):
        home = tmp_path / str(number)
        shutil.copytree(kept, home)
        with failing(number, ERRORS[kind], WATCHED) as failed:
            try:
                used(home, use)
            except (CranfieldError, OSError, MemoryError) as error:  # the page and the program say the last two
                assert failed, error
        again = Store(LIMITS, home)
        found, asked = held(again), again.index.questions()
        scratch = [one.name for one in again.path.iterdir() if one.name not in found]
        again.close()
        assert all(found[id] in (before.get(id), whole.get(id)) for id in found), (number, failed)
        assert {*before} & {*whole} <= {*found}, (number, failed)
        assert not scratch or use == "remove", (number, failed, scratch)
        assert use.startswith("remove") or any(one.title == "Compare" for one in asked), (number, failed)
        shutil.rmtree(home)
        if not failed:
            assert found == whole
            assert number > 5, "the server was watched"
            return
    pytest.fail("a server that calls so often is no small one")


def _after(kept: Path, home: Path, use: str) -> dict[str, tuple[bytes, ...]]:
    shutil.copytree(kept, home)
    used(home, use)
    store = Store(LIMITS, home)
    found = held(store)
    store.close()
    return found


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device. The server cannot use its disk."),
        (MemoryError(), "out of memory"),
    ],
    ids=["disk", "memory"],
)
def test_the_page_says_what_is_lacking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, said: str
) -> None:
    def fail(*given: object, **more: object) -> None:
        raise error

    with Client(create_app(limits=LIMITS, keep=tmp_path), base_url=HERE) as client:
        monkeypatch.setattr(Store, "add", fail)
        answer = client.post("/api/data", files={"files": ("new.AP.csv", NEW)})
    assert answer.status_code == 507
    assert said in answer.json()["error"]
