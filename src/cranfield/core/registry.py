"""`Registry`: named things of one kind, each registered by the file that defines it.

A registry belongs to a module that fills it, or to a folder whose modules are imported on first use. So adding a
significance test, a correction, an estimator, a design or a score format is one entry in one place. Those
files import numerical libraries inside their functions only, because help texts list the names.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol, TypeVar

from cranfield.core.errors import ArgumentError, UnknownNameError


class Entry(Protocol):
    """What every registered thing has: a name, one line for help and documentation, and a place in the list."""

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str: ...

    @property
    def rank(self) -> int: ...


T = TypeVar("T", bound=Entry)


class Registry(Mapping[str, T]):
    """Named things of one kind, in the order of their ranks (those of equal rank by name).

    Parameters
    ----------
    kind : what messages call one of them, such as "test"
    folder : the dotted name of the module that registers all of them, or of the package whose modules do
    aliases : other names that people know an entry by, each with the entry's own name

    Examples
    --------
    >>> from cranfield.questions.compare.corrections import CORRECTIONS
    >>> CORRECTIONS.names
    ('none', 'bonferroni', 'holm', 'westfall-young', 'bh', 'by')
    >>> CORRECTIONS["hollm"]
    Traceback (most recent call last):
    cranfield.UnknownNameError: unknown correction 'hollm'. Did you mean 'holm'?
    >>> CORRECTIONS.canonical("Benjamini-Hochberg")
    'bh'
    """

    def __init__(self, kind: str, folder: str, aliases: Mapping[str, str] | None = None) -> None:
        self.kind, self.folder = kind, folder
        self.aliases = dict(aliases or {})
        self._entries: dict[str, T] = {}
        self._loaded = False

    def register(self, entry: T) -> T:
        """Add an entry and give it back; a name that is taken is refused."""
        if entry.name in self._entries:
            raise ArgumentError(f"{self.kind} {entry.name!r} is registered already; choose another name.")
        self._entries[entry.name] = entry
        return entry

    @contextmanager
    def temporarily(self, entry: T) -> Iterator[T]:
        """Register an entry for the length of a ``with`` block."""
        self._load()
        self.register(entry)
        try:
            yield entry
        finally:
            del self._entries[entry.name]

    @property
    def names(self) -> tuple[str, ...]:
        """Every name there is."""
        return tuple(self)

    def table(self) -> list[tuple[str, str]]:
        """Name and summary of each, for help and documentation."""
        return [(entry.name, entry.summary) for entry in self.values()]

    def canonical(self, name: str) -> str:
        """The entry's own name for an alias in any spelling of case, spaces and dashes; other names unchanged."""
        if not self._loaded:
            self._load()
        if name in self._entries:
            return name
        plain = "-".join(name.lower().replace("_", " ").replace("-", " ").replace("'", "").split())
        return plain if plain in self._entries else self.aliases.get(plain, name)

    def __getitem__(self, name: str) -> T:
        self._load()
        if not isinstance(name, str) or (own := self.canonical(name)) not in self._entries:
            raise UnknownNameError(self.kind, str(name), self.names)
        return self._entries[own]

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(sorted(self._entries, key=lambda name: (self._entries[name].rank, name)))

    def __len__(self) -> int:
        self._load()
        return len(self._entries)

    def __repr__(self) -> str:
        return f"Registry({self.kind}: {', '.join(self)})"

    def _load(self) -> None:
        if self._loaded:
            return
        filled_by = importlib.import_module(self.folder)
        for module in pkgutil.iter_modules(getattr(filled_by, "__path__", ())):
            importlib.import_module(f"{self.folder}.{module.name}")
        self._loaded = True
