"""A directory of kept data whose index was damaged: the server starts, says what is lost, and brings back the rest."""

from __future__ import annotations

import io
import random
import sqlite3
from pathlib import Path

import pytest

from cranfield.core.errors import ArgumentError
from cranfield.web.server.app import create_app
from cranfield.web.server.index import Index
from cranfield.web.server.security import Limits
from cranfield.web.server.store import NAMES, Store
from web_page import HERE, Client, scores

LIMITS = Limits(files=5, datasets=9)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with three datasets and some questions."""
    home = tmp_path_factory.mktemp("kept")
    store = Store(LIMITS, home)
    for number in range(3):
        text = scores(seed=number).encode()
        dataset = store.add([(f"past-{number}.AP.csv", io.BytesIO(text), len(text))])
        store.rename(dataset.id, f"TREC-{number}")
        for test in ("t", "sign"):
            store.index.ask(f"/compare?data={dataset.id}&test={test}", "Compare", dataset.id)
    store.close()
    return home


def copied(kept: Path, to: Path) -> Path:
    for file in kept.rglob("*"):
        if file.is_file():
            (to / file.relative_to(kept)).parent.mkdir(parents=True, exist_ok=True)
            (to / file.relative_to(kept)).write_bytes(file.read_bytes())
    return to


def damaged(data: bytes, chance: random.Random) -> bytes:
    kind = chance.randrange(6)
    at, end = sorted(chance.randrange(len(data)) for _ in range(2))
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + bytes(end - at) + data[end:]
    if kind == 2:
        return data[:at] + chance.randbytes(min(500, end - at)) + data[min(at + 500, end) :]
    if kind == 3:
        return bytes(one ^ (chance.random() < 0.002) * chance.randrange(256) for one in data)
    if kind == 4:
        return data[:at] + data[end:]
    page = 4096 * chance.randrange(len(data) // 4096)
    return data[:page] + chance.randbytes(4096) + data[page + 4096 :]


@pytest.mark.parametrize("where", ["text", "version"])
def test_damage_that_sqlite_takes_for_something_else_leaves_the_data(kept: Path, tmp_path: Path, where: str) -> None:
    home = copied(kept, tmp_path)
    index = home / "index.sqlite"
    data = index.read_bytes()  # an error that quotes what is no text, or a version that may not be written
    index.write_bytes(
        data.replace(b"primary key", b"primary ke\xff") if where == "text" else data[:18] + b"\x09" + data[19:]
    )
    store = Store(LIMITS, home)
    assert len(store.datasets()) == 4, "the sample, and the three that were there"
    assert store.index.was_damaged
    store.close()


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(one, marks=pytest.mark.slow) for one in range(8, 60))])
def test_any_damage_to_the_index_leaves_the_data(kept: Path, tmp_path: Path, seed: int) -> None:
    home = copied(kept, tmp_path)
    index = home / "index.sqlite"
    index.write_bytes(damaged(index.read_bytes(), random.Random(seed)))
    with Client(create_app(limits=LIMITS, keep=home), base_url=HERE) as client:
        for address in ("/", "/data", "/jobs", "/api/data"):
            assert client.get(address).status_code == 200, address
        found = {one["id"]: one["name"] for one in client.get("/api/data").json()["datasets"]}
        assert {place.name for place in (home / "data").iterdir()} <= set(found)
        for id in found:
            assert client.get(f"/data/{id}").status_code == 200
        text = scores(seed=99)
        assert client.post("/api/data", files={"files": ("new.AP.csv", text)}).status_code in (200, 201)
    again = Store(LIMITS, home)
    assert len(again.datasets()) == 5, "the sample, three that were there, and the new one"
    assert not again.index.was_damaged
    again.close()


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + bytes(84)])
def test_names_come_back_from_beside_the_files(kept: Path, tmp_path: Path, content: bytes) -> None:
    home = copied(kept, tmp_path)
    (home / "index.sqlite").write_bytes(content)
    store = Store(LIMITS, home)
    assert sorted(one.name for one in store.datasets()[1:]) == ["TREC-0", "TREC-1", "TREC-2"]
    assert any("3 datasets came back from the files" in note for note in store.notes)
    if content:
        assert "0 datasets and 0 questions could be read; the old file is index.damaged-" in store.notes[0]
        assert next(home.glob("index.damaged-*.sqlite")).read_bytes() == content
    store.close()


def test_data_without_names_come_back_too(kept: Path, tmp_path: Path) -> None:
    home = copied(kept, tmp_path)
    (home / "index.sqlite").write_bytes(b"no database")
    for file in home.rglob(NAMES):
        file.unlink()
    store = Store(LIMITS, home)
    assert all(one.name.startswith("recovered ") and not one.read().problem for one in store.datasets()[1:])
    assert store.notes[-1].startswith("the names of these datasets and of their files are lost: ")
    store.close()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("id", "../../../home"), ("files", "["), ("files", "{}"), ("files", "[]"), ("files", '{"names": 3, "places": [], "teams": null}'),
        ("files", "[" * 100_000), ("missing", "guess"), ("size", "x"), ("size", -1), ("name", b"\xff"), ("id", 7), ("files", '[{"a": 1}]'),
    ],
)  # fmt: skip
def test_a_row_that_no_server_wrote_is_dropped(kept: Path, tmp_path: Path, column: str, value: object) -> None:
    home = copied(kept, tmp_path)
    base = sqlite3.connect(home / "index.sqlite")
    base.execute(f"update dataset set {column} = ? where name = 'TREC-1'", [value])
    base.commit()
    base.close()
    store = Store(LIMITS, home)
    assert sorted(one.name for one in store.datasets()[1:]) == ["TREC-0", "TREC-1", "TREC-2"]
    assert store.notes[0] == "1 dataset in the index cannot be read."
    store.close()


def test_addresses_that_lead_in_a_circle_end() -> None:
    store = Store(LIMITS)
    store.index.move("a" * 12, "b" * 12)
    store.index.move("b" * 12, "a" * 12)
    with pytest.raises(Exception, match="no dataset 'aaaaaaaaaaaa' on this server"):
        store["a" * 12]
    store.close()


def test_an_index_that_breaks_while_it_is_used_costs_no_answer(
    kept: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home = copied(kept, tmp_path)
    with Client(create_app(limits=LIMITS, keep=home), base_url=HERE) as client:
        client.app.state.service.store.index.close()  # type: ignore[attr-defined]
        id = client.get("/api/data").json()["datasets"][-1]["id"]
        for address in ("/data", "/jobs", f"/compare?data={id}&test=t", f"/data/{id}"):
            assert client.get(address).status_code == 200
    assert len([one for one in caplog.records if "changes last until the server stops" in one.getMessage()]) == 1


def test_a_removed_dataset_does_not_come_back(kept: Path, tmp_path: Path) -> None:
    home = copied(kept, tmp_path)
    store = Store(LIMITS, home)
    gone = store.datasets()[-1].id
    store.remove(gone)
    store.index.close()  # as if killed: its files are still there
    again = Store(LIMITS, home)
    assert again.find(gone) is None
    again.close()


def test_an_index_in_use_is_not_taken_for_a_damaged_one(tmp_path: Path) -> None:
    first = Index(tmp_path)
    with pytest.raises(ArgumentError, match="another server uses it"):
        Index(tmp_path)
    first.close()
    again = Index(tmp_path)
    assert again.notes == []
    again.close()
