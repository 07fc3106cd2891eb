"""Uploads lie in one private directory, under numbers, and go with the server."""

from __future__ import annotations

import io
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from cranfield import read_scores
from cranfield.core.errors import DataError, FileError
from cranfield.core.files import read_bytes
from cranfield.web.server.security import MB, Limits
from cranfield.web.server.store import MissingData, Store, Upload
from web_page import QRELS, run, scores


def upload(**files: str | bytes) -> list[Upload]:
    return [named(name, data) for name, data in files.items()]


def named(name: str, data: str | bytes) -> Upload:
    raw = data.encode() if isinstance(data, str) else data
    return name, io.BytesIO(raw), len(raw)


@pytest.fixture
def store() -> Iterator[Store]:
    made = Store(Limits(store=MB, files=5, datasets=2))
    yield made
    made.close()


def test_the_directory_is_private_and_goes_away(store: Store) -> None:
    dataset = store.add([named("a.AP.csv", scores())])
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o700
    assert [path.name for path in store.path.rglob("*") if path.is_file()] == ["0000"]
    assert dataset.matrix().measure == "AP"
    store.close()
    assert not store.path.exists()


@pytest.mark.parametrize(
    "name",
    ["../../../etc/cron.d/x.csv", "/etc/passwd", "..", "C:\\x.csv", "a\0b.csv", "x" * 5000 + ".csv", "", "-", "*.csv"],
)
def test_names_never_become_paths(store: Store, name: str) -> None:
    dataset = store.add([named(name, scores())])
    files = [path for path in store.path.rglob("*") if path.is_file()]
    assert [path.relative_to(store.path).parts for path in files] == [(dataset.id, "0000")]
    assert dataset.matrix().n_systems == 4
    assert len(dataset.name) <= 200


def test_the_same_files_have_the_same_address_whatever_their_order(store: Store) -> None:
    files = [named("qrels.txt", QRELS), named("a.run", run("a", 1)), named("b.run", run("b", 2))]
    first = store.add(files)
    again = store.add(files[::-1])
    assert again is first
    other = store.add(files, missing="drop-topic")
    assert other.id != first.id


def test_what_does_not_fit_is_refused_and_leaves_nothing_behind(store: Store) -> None:
    with pytest.raises(FileError) as caught:
        store.add([named("big.csv", b"1 2\n" * 300_000)])
    assert str(caught.value) == "big.csv: does not fit: the page stores at most 1 MB. Remove a dataset first"
    with pytest.raises(DataError, match="more than 5 files. Send fewer at once."):
        store.add([named(f"{i}.run", run("x", i)) for i in range(6)])
    assert list(store.path.iterdir()) == []
    with pytest.raises(DataError, match="no file received. Choose score files, or runs with their qrels file."):
        store.add([("", io.BytesIO(), 0)])
    kept = [store.add([named(f"{i}.csv", scores(seed=i))]) for i in range(2)]
    with pytest.raises(DataError, match="the limit of 2 datasets is reached"):
        store.add([named("third.csv", scores(seed=3))])
    store.remove(kept[0].id)
    assert sorted(path.name for path in store.path.iterdir()) == sorted(one.id for one in kept), "it can be undone"
    with pytest.raises(MissingData) as missing:
        store[kept[0].id]
    assert str(missing.value) == (
        f"no dataset '{kept[0].id}' on this server. Upload its files again, and this address works: the same files get "
        "the same id."
    )
    with pytest.raises(DataError, match="the sample collection cannot be removed."):
        store.remove("sample")


def test_runs_are_evaluated_by_any_measure(store: Store) -> None:
    dataset = store.add([named("qrels.txt", QRELS), named("a.run", run("a", 1)), named("b.run.gz", _gz(run("b", 2)))])
    assert dataset.matrix().systems == ("a", "b")
    assert dataset.matrix("RBP(p=0.5)").measure == "RBP(p=0.5)"
    assert set(dataset.measures()) >= {"AP", "nDCG@10", "P@10", "RBP(p=0.5)"}


def _gz(text: str) -> bytes:
    import gzip

    return gzip.compress(text.encode())


def test_files_that_do_not_go_together_are_named(store: Store) -> None:
    mixed = store.add([named("a.csv", scores()), named("a.run", run("a", 1))])
    assert mixed.read().problem == (
        "score files (a.csv) and runs cannot be mixed. Upload score files alone, or runs with their qrels file."
    )
    alone = store.add([named("a.run", run("a", 1))])
    assert alone.read().problem == "found 1 runs and 0 qrels files. Upload exactly one qrels file with the runs."


def test_every_file_is_read_once_and_joined_as_the_library_joins_them(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"a.eval": "map 1 0.5\nP_5 1 0.2\nmap 2 0.25\nP_5 2 0.4\n", "b.eval": "map 1 0.1\nP_5 1 0.6\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    by_library = read_scores(tmp_path, missing="zero")
    opened: list[str] = []
    for module in ("cranfield.collection.check", "cranfield.scores.readers"):
        monkeypatch.setattr(f"{module}.read_bytes", lambda path: opened.append(str(path)) or read_bytes(path))
    dataset = store.add([named(name, text) for name, text in texts.items()], missing="zero")
    assert dataset.scores() == by_library
    assert by_library["map"].values.tolist() == [[0.5, 0.1], [0.25, 0.0]]
    assert sorted(opened) == sorted(texts)


def test_several_collections_are_pooled_by_the_design_alone(store: Store) -> None:
    both = store.add([named("x.AP.csv", scores(seed=1)), named("y.AP.csv", scores(seed=2))])
    assert list(both.collections()) == ["x", "y"]
    with pytest.raises(DataError, match="holds 2 collections"):
        both.matrix()


def test_too_many_systems_are_told_at_once() -> None:
    store = Store(Limits(systems=20))
    try:
        told = (
            "big.AP.csv: 21 systems; the page compares every pair and takes at most 20. Select fewer, or use the "
            "command line: cranfield compare big.AP.csv"
        )
        assert store.add([named("big.AP.csv", scores(systems=21))]).read().problem == told
        assert store.add([named("fits.AP.csv", scores(systems=20))]).read().problem == ""
    finally:
        store.close()


@pytest.mark.parametrize("name", ["irds:msmarco-passage/dev/small", "s3://bucket/qrels.txt"])
def test_only_files_of_this_machine_are_adopted(store: Store, name: str) -> None:
    with pytest.raises(FileError, match=r"is not a local file\. Download it first"):
        store.adopt([name])


def test_runs_that_nobody_uses_leave_memory_and_come_back_when_asked_for() -> None:
    made = Store(Limits(store=MB, awake=1))
    try:
        files = [named("team0/same", run("same", 1)), named("team1/same", run("same", 2)), named("qrels.txt", QRELS)]
        first = made.add(files)
        before, mean = first.read(), first.matrix().system_means.tolist()
        systems = [one.system for one in first.runs()]
        frames = [one.frame for one in first.runs()]
        other = made.add([named("a.csv", scores())])
        assert first._runs == [], "the other one is used now"
        assert first.read() is before
        assert first.matrix().system_means.tolist() == mean, "scores stay"
        assert [one.system for one in first.runs()] == systems == ["team0/same", "team1/same"]
        assert all(now.frame.equals(then) for now, then in zip(first.runs(), frames, strict=True))
        assert made[first.id] is first
        assert made[other.id] is other
        assert first._runs == []
    finally:
        made.close()
