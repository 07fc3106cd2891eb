"""Where uploads live: one private directory, swept by the next server if this one is killed, kept only if wished."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, count
from pathlib import Path
from typing import IO

from cranfield.core.defaults import MissingPolicy
from cranfield.core.errors import ArgumentError, DataError, FileError, Problem, UnknownNameError
from cranfield.core.files import NamedFile, is_elsewhere, resolved
from cranfield.core.labels import plural, summary
from cranfield.core.writing import write_atomically
from cranfield.web.server.archives import chunks, label, refuse, unpack
from cranfield.web.server.data import SAMPLE, Dataset, SampleData
from cranfield.web.server.index import Index, Kept
from cranfield.web.server.security import Limits, megabytes

try:
    import fcntl
except ImportError:  # Windows: an open file cannot be removed there, which serves as the lock
    fcntl = None  # type: ignore[assignment]

PREFIX = "cranfield-page-"
LOCK = "lock"


class Workplace:
    """A private directory, removed with its server. Directories that killed servers of this user left go first.

    A server locks a file in its directory. The operating system releases the lock when the process ends. So a free
    lock means that no server uses the directory.

    >>> place = Workplace()
    >>> place.path.is_dir()
    True
    >>> place.close()
    >>> place.path.exists()
    False
    """

    def __init__(self, parent: str | os.PathLike[str] | None = None) -> None:
        above = Path(parent or tempfile.gettempdir())
        sweep(above)
        self._whole = tempfile.TemporaryDirectory(prefix=PREFIX, dir=above)  # readable by this user alone (0700)
        home = Path(self._whole.name)
        self._lock = (home / f"{LOCK}.new").open("wb")
        if fcntl is not None:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            (home / f"{LOCK}.new").rename(home / LOCK)  # it has this name only while it is held, or nobody is left
        self.path = home / "data"
        self.path.mkdir(mode=0o700)

    def close(self) -> None:
        """Remove everything."""
        self._lock.close()
        self._whole.cleanup()


def kept_place(home: Path) -> Path:
    """Where data lie that outlive the server, in a directory of the user's choice."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        (home / "data").mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"cannot keep data in {home}: {error.strerror}. Name another directory.") from None
    return home / "data"


def sweep(above: Path) -> list[Path]:
    """Remove the directories that killed servers of this user left, and say which."""
    left = [home for home in above.glob(f"{PREFIX}*") if _is_ours(home) and _is_left(home)]
    for home in left:
        shutil.rmtree(home, ignore_errors=True)
    return left


def _is_ours(home: Path) -> bool:
    """Whether it is a directory of this user's own: others may put links and traps where everybody may write."""
    try:
        status = home.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and (not hasattr(os, "getuid") or status.st_uid == os.getuid())


def _is_left(home: Path) -> bool:
    """Whether no process holds the lock of the directory."""
    try:
        if fcntl is None:
            (home / f"{LOCK}.new").unlink()
            return True
        with os.fdopen(os.open(home / LOCK, os.O_RDWR | os.O_NOFOLLOW), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except OSError:
        return False  # held, not a server's, or one that is just starting


Upload = tuple[str, IO[bytes], int]
"""A name as the sender wrote it, the bytes, and how many there are."""


NAMES = "names.json"
"""Written beside the files of a kept dataset, so that it survives its index."""
LONGEST_NAME = 80
"""Characters of a dataset's name."""


class Store:
    """The datasets of one server."""

    def __init__(self, limits: Limits, keep: Path | None = None) -> None:
        self.limits = limits
        self._workplace = Workplace() if keep is None else None
        self.path = self._workplace.path if self._workplace else kept_place(keep or Path())
        self.index = Index(keep)
        self.kept = keep is not None
        self._datasets: dict[str, Dataset] = {SAMPLE: SampleData()}
        self._awake: list[str] = []
        self._sizes: dict[str, int] = {}
        self._pending = 0
        self._lock = threading.Lock()
        self.removed: Dataset | None = None
        try:
            for kept in self.index.datasets():
                self._load(kept)
            if self.kept:
                self._recover()
        except BaseException:
            self.index.close()  # else no other server could use the directory
            raise

    @property
    def notes(self) -> list[str]:
        """What the user must know about data that could not be read."""
        return self.index.notes

    def _recover(self) -> None:
        """Datasets that the index does not know, by what was written beside their files."""
        found, nameless = list[str](), list[str]()
        for place in sorted(self.path.iterdir()):
            if place.name in self._datasets or not place.is_dir():
                continue
            kept = _beside(place)
            if kept is None and self.index.was_damaged:
                sizes = [file.stat().st_size for file in sorted(place.glob("[0-9]" * 4)) if file.is_file()]
                names = tuple(f"file-{at}" for at in range(1, len(sizes) + 1))
                with suppress(ValueError):
                    kept = Kept(place.name, f"recovered {place.name}", names, None, False, sum(sizes))
                    nameless.append(place.name)
            if kept is not None:
                self.index.add(kept)
                self._load(kept)
                found += [kept.id] if kept.id in self._datasets else []
        if found:
            self.notes.append(f"{plural(len(found), 'dataset')} came back from the files: {summary(found)}.")
        if nameless:
            self.notes.append(f"the names of these datasets and of their files are lost: {summary(nameless)}.")

    def _load(self, kept: Kept) -> None:
        """A dataset of an earlier server, unless somebody took its files away, or changed those that lie elsewhere."""
        numbered = [self.path / kept.id / _number(at) for at in range(len(kept.files))]
        places = [Path(place) for place in kept.places] or numbered
        there = all(place.is_file() for place in places)
        if not there or (kept.places and sum(place.stat().st_size for place in places) != kept.size):
            self.index.remove(kept.id)
            return
        files = tuple(NamedFile(name, place) for name, place in zip(kept.files, places, strict=True))
        self._datasets[kept.id] = Dataset(
            kept.id, kept.name, files, kept.missing, kept.lenient, self.limits.systems, kept.teams
        )
        if not kept.places:
            self._sizes[kept.id] = kept.size

    def close(self) -> None:
        """Remove everything that was uploaded, unless it is to be kept."""
        self._forget_removed()
        self.index.close()
        if self._workplace is not None:
            self._workplace.close()

    def __getitem__(self, id: str) -> Dataset:
        with self._lock:
            if id in self._datasets:
                return self._wake(self._datasets[id])
            known = list(self._datasets)
        now, passed = id, set[str]()
        while now not in known and now not in passed and (further := self.index.moved(now)) is not None:
            passed.add(now)
            now = further
        raise MovedData(id, now, known) if now in known else MissingData(id, known)

    def _wake(self, dataset: Dataset) -> Dataset:
        """Note that a dataset is used; all but the last ones used give back their runs."""
        self._awake = [*(id for id in self._awake if id != dataset.id), dataset.id][-self.limits.awake :]
        for one in self._datasets.values():
            if one.id not in self._awake:
                one.rest()
        return dataset

    def find(self, id: str) -> Dataset | None:
        """The dataset of this id, if it is there."""
        with self._lock:
            return self._datasets.get(id)

    def datasets(self) -> list[Dataset]:
        """All datasets without failed ones, the sample first, then in order of arrival."""
        with self._lock:
            return [one for one in self._datasets.values() if not _failed(one)]

    def forget_failed(self) -> None:
        """Delete what was uploaded in vain: its own page has said why."""
        with self._lock:
            failed = [id for id, one in self._datasets.items() if _failed(one)]
            for id in failed:
                del self._datasets[id]
                self._sizes.pop(id, None)
        for id in failed:
            self.index.remove(id)
            shutil.rmtree(self.path / id, ignore_errors=True)

    def remove(self, id: str) -> None:
        """Forget a dataset and delete its files; the sample stays."""
        if self[id].id == SAMPLE:
            raise DataError("the sample collection cannot be removed.")
        self._forget_removed()
        (self.path / id / NAMES).unlink(missing_ok=True)  # else the next server would bring it back
        with self._lock:
            self.removed = self._datasets.pop(id, None)
        if self.removed is not None:
            self.removed.forget()
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
            raise DataError("the sample collection cannot be renamed.")
        wanted = label(name)[:LONGEST_NAME]
        if not name.strip() or wanted == "unnamed":
            raise DataError("the name is empty. Enter a name.")
        dataset.name = wanted
        self.index.rename(id, wanted)
        self._write_names(self._description(dataset))
        return dataset

    def _record(self, dataset: Dataset) -> None:
        kept = self._description(dataset)
        self._write_names(kept)
        self.index.add(kept)

    def _description(self, dataset: Dataset) -> Kept:
        names, places = tuple(str(file) for file in dataset.files), tuple[str, ...]()
        size = self._sizes.get(dataset.id)
        if size is None:  # files of the command line: they are not ours, and stay where they are
            places = tuple(file.place for file in dataset.files)
            with suppress(OSError):  # those that are gone are dropped at the next start
                size = sum(Path(place).stat().st_size for place in places)
        known = (dataset.id, dataset.name, names, dataset.missing, dataset.lenient, size or 0, places, dataset.teams)
        return Kept(*known)

    def _write_names(self, kept: Kept, place: Path | None = None) -> None:
        if self.kept and not kept.places:
            with suppress(FileError, MemoryError):  # the index has the same; a full disk must not take it away
                write_atomically((place or self.path / kept.id) / NAMES, kept.to_json())

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
            raise DataError("no file received. Choose score files, or runs with their qrels file.")
        if to is None:
            self.forget_failed()
        if len(self.datasets()) - 1 >= self.limits.datasets:
            raise DataError(f"the limit of {self.limits.datasets} datasets is reached. Remove one on the data page.")
        scratch = Path(tempfile.mkdtemp(dir=self.path))
        taken, names = 0, list[str]()
        try:
            digests = [f"{missing} {lenient}"]
            for shown, content in self._contents(given, to):
                if len(names) >= self.limits.files:
                    raise DataError(f"more than {self.limits.files:,} files. Send fewer at once.")
                digest = hashlib.blake2b(shown.encode() + b"\0")
                with (scratch / _number(len(names))).open("wb") as out:
                    for chunk in content:
                        self._take(len(chunk), shown)
                        taken += len(chunk)
                        digest.update(chunk)
                        out.write(chunk)
                digests.append(digest.hexdigest())
                names.append(_unique(shown, names))
            id = hashlib.blake2b("\n".join(sorted(digests)).encode(), digest_size=6).hexdigest()
            files = tuple(NamedFile(name, self.path / id / _number(at)) for at, name in enumerate(names))
            first = label(given[0][0]).rpartition("/")[2]
            title = first if first.lower().endswith(".zip") else _several(first, len(files))
            name, teams = (title, None) if to is None else (to.name, to.teams)
            kept = Kept(id, name, tuple(names), missing, lenient, taken, teams=teams)
            self._write_names(kept, scratch)  # before the files get their place: they are found with it, or not at all
            made = self._keep(Dataset(id, name, files, missing, lenient, self.limits.systems, teams), scratch, taken)
            if to is not None and made is not to:
                made.name, made.teams = to.name, to.teams
                self.index.move(to.id, made.id)
            self._record(made)
            return made
        finally:
            with self._lock:
                self._pending -= taken
            shutil.rmtree(scratch, ignore_errors=True)

    def _contents(self, uploads: Sequence[Upload], to: Dataset | None) -> Iterator[tuple[str, Iterable[bytes]]]:
        """The names and contents of a dataset's files: those it has, and those that were sent."""
        sent = {label(name) for name, _, _ in uploads}
        for old in () if to is None else to.files:
            if str(old) not in sent:
                yield str(old), [Path(old.place).read_bytes()]
        for name, stream, size in uploads:
            stream.seek(0)
            yield from unpack(name, stream, size, self.limits)

    def _keep(self, made: Dataset, scratch: Path, size: int) -> Dataset:
        """The dataset there is of the same files, or this one, whose files move to their place."""
        with self._lock:
            if self.removed is not None and self.removed.id == made.id:  # the same files once more: it is back
                self._datasets[made.id], self.removed = self.removed, None
            if made.id not in self._datasets:
                scratch.rename(self.path / made.id)
                self._datasets[made.id], self._sizes[made.id] = made, size
            return self._wake(self._datasets[made.id])

    def adopt(
        self, paths: Sequence[str], teams: dict[str, str] | None = None, documents: Path | None = None
    ) -> Dataset:
        """Make a dataset of files where they lie; they are read, never copied and never removed."""
        files: list[NamedFile] = []
        digest = hashlib.blake2b(digest_size=6)
        for path in paths:
            if is_elsewhere(path):
                text = "is not a local file. Download it first (cranfield convert)"
                raise FileError(path, [Problem(0, text)])
            place = resolved(path)
            files.append(NamedFile(_unique(f"{place.parent.name}/{place.name}", files), place))
            digest.update(f"{place.name}\0".encode())
            with place.open("rb") as stream:
                for chunk in chunks(stream):
                    digest.update(chunk)
        id = digest.hexdigest()
        name = _several(Path(files[0]).name, len(files))
        with self._lock:
            if id not in self._datasets:
                made = Dataset(id, name, tuple(files), most_systems=self.limits.systems, teams=teams)
                made.documents = documents
                self._datasets[id] = made
                self._record(self._datasets[id])
            return self._datasets[id]

    def _take(self, size: int, shown: str) -> None:
        """Count bytes against what may be kept, before they are written."""
        if self._kept_bytes() + size > self.limits.store:
            self._forget_removed()
        with self._lock:
            if self._kept_bytes() + size > self.limits.store:
                text = f"does not fit: the page stores at most {megabytes(self.limits.store)}. Remove a dataset first"
                raise refuse(shown, text)
            self._pending += size

    def _kept_bytes(self) -> int:
        return sum(self._sizes.copy().values()) + self._pending


class MissingData(UnknownNameError):
    """A dataset that is not there: removed, or left behind by an earlier server."""

    def __init__(self, id: str, known: Sequence[str]) -> None:
        super().__init__("dataset", id, known)
        self.args = (
            f"no dataset {id!r} on this server. Upload its files again, and this address works: the same files get "
            "the same id.",
        )


class MovedData(MissingData):
    """A dataset that got more files, and with them another address."""

    def __init__(self, id: str, now: str, known: Sequence[str]) -> None:
        super().__init__(id, known)
        self.id, self.now = id, now
        self.args = (f"dataset {id!r} became {now!r} when files were added.",)


def _beside(place: Path) -> Kept | None:
    """What was written beside the files of a dataset, if it is still about them."""
    try:
        kept = Kept.from_json((place / NAMES).read_bytes())
    except OSError:
        return None
    return kept if kept is not None and kept.id == place.name and not kept.places else None


def _failed(dataset: Dataset) -> bool:
    """Whether its files were read and have problems."""
    contents = dataset.peek()
    return contents is not None and bool(contents.problem)


def _number(at: int) -> str:
    """What a file is called in its directory."""
    return f"{at:04d}"


def _several(first: str, count: int) -> str:
    """A name for files by the first of them."""
    return first + (f" and {count - 1} more" if count > 1 else "")


def _unique(shown: str, files: Sequence[str]) -> str:
    """The label, numbered when another file of the upload has it."""
    names = chain([shown], (f"{number}/{shown}" for number in count(2)))
    return next(name for name in names if name not in files)
