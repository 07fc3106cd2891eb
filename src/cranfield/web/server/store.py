"""Where uploads live: one private directory, removed with the server unless it is to be kept; files are numbered."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, cast

from cranfield.defaults import MissingPolicy
from cranfield.errors import DataError, FileError, Problem, UnknownNameError
from cranfield.files import NamedFile, is_elsewhere
from cranfield.web.server.archives import label, refuse, unpack
from cranfield.web.server.data import SAMPLE, Dataset, SampleData
from cranfield.web.server.index import Index, Kept
from cranfield.web.server.limits import Limits, megabytes
from cranfield.web.server.workplace import KeptPlace, Workplace

Upload = tuple[str, IO[bytes], int]
"""A name as the sender wrote it, the bytes, and how many there are."""


LONGEST_NAME = 80
"""Characters of a dataset's name."""


class Store:
    """The datasets of one server."""

    def __init__(self, limits: Limits, keep: Path | None = None) -> None:
        self.limits = limits
        self._workplace = Workplace() if keep is None else KeptPlace(keep)
        self.index = Index(keep)
        self.kept = keep is not None
        self.path = self._workplace.path
        self._datasets: dict[str, Dataset] = {SAMPLE: SampleData()}
        self._sizes: dict[str, int] = {}
        self._pending = 0
        self._lock = threading.Lock()
        self.removed: Dataset | None = None
        for kept in self.index.datasets():
            self._load(kept)

    def _load(self, kept: Kept) -> None:
        """A dataset of an earlier server, unless somebody took its files away, or changed those that lie elsewhere."""
        numbered = [self.path / kept.id / f"{number:04d}" for number in range(len(kept.files))]
        places = [Path(place) for place in kept.places] or numbered
        there = all(place.is_file() for place in places)
        if not there or (kept.places and sum(place.stat().st_size for place in places) != kept.size):
            self.index.remove(kept.id)
            return
        files = tuple(NamedFile(name, place) for name, place in zip(kept.files, places, strict=True))
        policy = cast("MissingPolicy | None", kept.missing)
        self._datasets[kept.id] = Dataset(
            kept.id,
            kept.name,
            files,
            policy,
            kept.lenient,
            self.limits.systems,
            teams=dict(kept.teams) if kept.teams else None,
        )
        if not kept.places:
            self._sizes[kept.id] = kept.size

    def close(self) -> None:
        """Remove everything that was uploaded, unless it is to be kept."""
        self._forget_removed()
        self.index.close()
        self._workplace.close()

    def __getitem__(self, id: str) -> Dataset:
        with self._lock:
            if id in self._datasets:
                return self._datasets[id]
            known = list(self._datasets)
        now = id
        while now not in known and (further := self.index.moved(now)) is not None:
            now = further
        raise MovedData(id, now, known) if now in known else MissingData(id, known)

    def find(self, id: str) -> Dataset | None:
        """The dataset of this id, if it is there."""
        with self._lock:
            return self._datasets.get(id)

    def datasets(self) -> list[Dataset]:
        """All datasets, the sample first, then in order of arrival."""
        with self._lock:
            return list(self._datasets.values())

    def remove(self, id: str) -> None:
        """Forget a dataset and delete its files; the sample stays."""
        self[id]
        if id == SAMPLE:
            raise DataError("the sample collection cannot be removed.")
        self._forget_removed()
        with self._lock:
            self.removed = self._datasets.pop(id, None)
        self.index.remove(id)

    def restore(self, id: str) -> Dataset:
        """Bring back the dataset that was removed last."""
        with self._lock:
            gone = self.removed
            if gone is None or gone.id != id:
                raise MissingData(id, list(self._datasets))
            self.removed = None
            self._datasets[id] = gone
        self._record(gone)
        return gone

    def _forget_removed(self) -> None:
        """Delete the files of what was removed last: from now on it cannot be brought back."""
        with self._lock:
            gone, self.removed = self.removed, None
            if gone is None:
                return
            self._sizes.pop(gone.id, None)
        shutil.rmtree(self.path / gone.id, ignore_errors=True)

    def rename(self, id: str, name: str) -> Dataset:
        """Call a dataset otherwise; its address stays."""
        dataset = self[id]
        if id == SAMPLE:
            raise DataError("the sample collection keeps its name.")
        wanted = label(name)[:LONGEST_NAME]
        if not name.strip() or wanted == "unnamed":
            raise DataError("the name is empty; write one.")
        dataset.name = wanted
        self.index.rename(id, wanted)
        return dataset

    def _record(self, dataset: Dataset) -> None:
        names = tuple(str(file) for file in dataset.files)
        size = self._sizes.get(dataset.id, 0)
        kept = Kept(dataset.id, dataset.name, names, dataset.missing, dataset.lenient, size, teams=dataset.teams)
        if dataset.id not in self._sizes:  # files of the command line: they are not ours, and stay where they are
            places = [Path(file.place) for file in dataset.files]
            size = sum(place.stat().st_size for place in places)
            kept = replace(kept, size=size, places=tuple(map(str, places)))
        self.index.add(kept)

    def add(
        self,
        uploads: Sequence[Upload],
        *,
        missing: MissingPolicy | None = None,
        lenient: bool = False,
        to: Dataset | None = None,
    ) -> Dataset:
        """Unpack uploaded files into a dataset of their own, or together with those of another; all of them, or none.

        A file with the name of one that is there already takes its place.
        """
        given = [upload for upload in uploads if upload[0] or upload[2]]
        if not given:
            raise DataError("no file arrived; choose score files, or runs with their qrels file.")
        with self._lock:
            if len(self._datasets) - 1 >= self.limits.datasets:
                raise DataError(f"{self.limits.datasets} datasets are kept already; remove one on the data page first.")
        scratch = Path(tempfile.mkdtemp(dir=self.path))
        taken = 0
        try:
            files: list[NamedFile] = []
            digests = [f"{missing} {lenient}"]
            sent = {label(upload[0]) for upload in given}
            for old in () if to is None else to.files:
                if str(old) in sent:
                    continue
                place, text = scratch / f"{len(files):04d}", Path(old.place).read_bytes()
                self._take(len(text), str(old))
                taken += len(text)
                place.write_bytes(text)
                digests.append(hashlib.blake2b(str(old).encode() + b"\0" + text).hexdigest())
                files.append(NamedFile(str(old), place))
            for name, stream, size in given:
                stream.seek(0)
                for shown, chunks in unpack(name, stream, size, self.limits):
                    if len(files) >= self.limits.files:
                        raise DataError(f"more than {self.limits.files:,} files; send fewer at once.")
                    place = scratch / f"{len(files):04d}"
                    digest = hashlib.blake2b(shown.encode() + b"\0")
                    with place.open("wb") as out:
                        for chunk in chunks:
                            self._take(len(chunk), shown)
                            taken += len(chunk)
                            digest.update(chunk)
                            out.write(chunk)
                    digests.append(digest.hexdigest())
                    files.append(NamedFile(_unique(shown, files), place))
            id = hashlib.blake2b("\n".join(sorted(digests)).encode(), digest_size=6).hexdigest()
            made = self._keep(scratch, id, files, taken, missing, lenient, given[0][0])
            if to is not None and made is not to:
                made.name, made.teams = to.name, to.teams
                self.index.move(to.id, made.id)
            self._record(made)
            return made
        finally:
            with self._lock:
                self._pending -= taken
            shutil.rmtree(scratch, ignore_errors=True)

    def adopt(self, paths: Sequence[str], teams: dict[str, str] | None = None) -> Dataset:
        """Make a dataset of files where they lie; they are read, never copied and never removed."""
        files: list[NamedFile] = []
        digest = hashlib.blake2b(digest_size=6)
        for path in paths:
            if is_elsewhere(path):
                text = "is no file of this machine, and the page shows such files only; fetch it first (convert)"
                raise FileError(path, [Problem(0, text)])
            place = Path(path).resolve()
            files.append(NamedFile(_unique(f"{place.parent.name}/{place.name}", files), place))
            digest.update(f"{place.name}\0".encode())
            with place.open("rb") as stream:
                while chunk := stream.read(1 << 20):
                    digest.update(chunk)
        id = digest.hexdigest()
        name = Path(files[0]).name + (f" and {len(files) - 1} more" if len(files) > 1 else "")
        with self._lock:
            if id not in self._datasets:
                self._datasets[id] = Dataset(id, name, tuple(files), most_systems=self.limits.systems, teams=teams)
                self._record(self._datasets[id])
            return self._datasets[id]

    def _take(self, size: int, shown: str) -> None:
        """Count bytes against what may be kept, before they are written."""
        with self._lock:
            kept = sum(self._sizes.values()) + self._pending + size
        if kept > self.limits.store:
            self._forget_removed()
        with self._lock:
            kept = sum(self._sizes.values()) + self._pending + size
            if kept > self.limits.store:
                text = f"does not fit: at most {megabytes(self.limits.store)} are kept; remove a dataset first"
                raise refuse(shown, text)
            self._pending += size

    def _keep(
        self,
        scratch: Path,
        id: str,
        files: list[NamedFile],
        size: int,
        missing: MissingPolicy | None,
        lenient: bool,
        first: str,
    ) -> Dataset:
        with self._lock:
            if id in self._datasets:
                return self._datasets[id]
            if self.removed is not None and self.removed.id == id:  # the same files once more: it is back
                self._datasets[id], self.removed = self.removed, None
                return self._datasets[id]
            home = self.path / id
            scratch.rename(home)
            moved = tuple(NamedFile(str(file), home / Path(file.place).name) for file in files)
            name = label(first).rpartition("/")[2] + (f" and {len(files) - 1} more" if len(files) > 1 else "")
            if label(first).lower().endswith(".zip"):
                name = label(first).rpartition("/")[2]
            dataset = Dataset(id, name, moved, missing, lenient, self.limits.systems)
            self._datasets[id] = dataset
            self._sizes[id] = size
            return dataset


class MissingData(UnknownNameError):
    """A dataset that is not there: removed, or left behind by an earlier server."""

    def __init__(self, id: str, known: Sequence[str]) -> None:
        super().__init__("dataset", id, known)
        self.args = (
            f"there is no dataset {id!r} on this page now; drop its files on the data page, and this address works "
            "again (the same files get the same name).",
        )


class MovedData(MissingData):
    """A dataset that got more files, and with them another address."""

    def __init__(self, id: str, now: str, known: Sequence[str]) -> None:
        super().__init__(id, known)
        self.id, self.now = id, now
        self.args = (f"files were added to dataset {id!r}, and all of them together are dataset {now!r} now.",)


def _unique(shown: str, files: Sequence[str]) -> str:
    """The label, numbered when another file of the upload has it."""
    if shown not in files:
        return shown
    number = 2
    while f"{number}/{shown}" in files:
        number += 1
    return f"{number}/{shown}"
