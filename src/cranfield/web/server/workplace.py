"""The directory of one server: private, locked while the server lives, and swept by the next one if it was killed."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path

from cranfield.core.errors import ArgumentError

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
