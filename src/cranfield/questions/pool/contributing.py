"""Which runs built the pool: read from a file, and found among the runs given."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cranfield.core.answer import sentence
from cranfield.core.errors import ArgumentError, DataError, FileError, Problem
from cranfield.core.files import read_bytes
from cranfield.core.labels import plural, summary
from cranfield.core.text import Problems, filled_lines, shown

if TYPE_CHECKING:
    from cranfield.collection.types import Run

Contributing = str | os.PathLike[str] | Sequence[str]
"""A file of run names, or the names."""

ABSENT = sentence(
    "pool.contributing-absent",
    "{runs} missing ({names}). The pool lacks the documents that no other run retrieved.",
    "the list of contributing runs names runs that were not given",
)


@dataclass(frozen=True)
class Contributors:
    """The names of the runs that built the pool."""

    names: tuple[str, ...]
    source: str

    def among(self, systems: Sequence[str]) -> list[bool]:
        """Whether each system contributed; an error if none did."""
        names = set(self.names)
        found = [system in names for system in systems]
        if not any(found):
            raise DataError(
                f"{self.source}: none of the {len(systems)} runs is named ({summary(systems)}). Write one run name "
                "per line, as the runs are named."
            )
        return found

    def absent(self, systems: Sequence[str]) -> tuple[str, ...]:
        """A warning about names without a run."""
        there = set(systems)
        missing = [name for name in self.names if name not in there]
        if not missing:
            return ()
        runs = "1 contributing run is" if len(missing) == 1 else f"{len(missing)} contributing runs are"
        return (ABSENT(runs=runs, names=summary(missing)),)


def find_contributors(contributing: Contributing | None) -> Contributors | None:
    """The contributing runs by name, from a file or a sequence; None for all runs.

    >>> find_contributors(["bm25", "dense"]).among(["bm25", "late"])
    [True, False]
    """
    if contributing is None:
        return None
    if isinstance(contributing, (str, os.PathLike)):
        return Contributors(tuple(read_contributing(contributing)), os.fspath(contributing))
    if not (names := tuple(dict.fromkeys(contributing))):
        raise ArgumentError("`contributing` is empty. Name the runs that built the pool, or omit it for all runs.")
    return Contributors(names, "`contributing`")


def read_contributing(path: str | os.PathLike[str]) -> list[str]:
    """The names of the contributing runs: one per line.

    A first line ``system`` or ``run`` is a header. Empty lines and lines that begin with ``#`` are skipped. The file
    may be compressed, and ``-`` is standard input.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "pooled.txt")
    >>> _ = file.write_text("# judged to depth 7\\nbm25\\ndense\\n")
    >>> read_contributing(file)
    ['bm25', 'dense']
    """
    label = os.fspath(path)
    problems = Problems(label)
    names: dict[str, int] = {}
    first = True
    for number, line in filled_lines(read_bytes(path), label):
        text = line.strip()
        header, first = first and text.casefold() in ("system", "run"), False
        if header:
            continue
        if len(text.split()) != 1:
            problems.add(number, f"expected one run name, found {len(text.split())} words: {shown(text)}")
        elif text in names:
            problems.add(number, f"run {text!r} already stands in line {names[text]}")
        else:
            names[text] = number
    problems.raise_if_any()
    if not names:
        raise FileError(label, [Problem(0, "names no run; expected one run name on each line")])
    return list(names)


def contributing_runs(runs: Sequence[Run], contributors: Contributors | None) -> list[Run]:
    """The runs that built the pool; all of them unless said otherwise."""
    if contributors is None:
        return list(runs)
    chosen = contributors.among([run.system for run in runs])
    return [run for run, built in zip(runs, chosen, strict=True) if built]


def named_contributors(contributing: Contributing | None) -> str | None:
    """The contributing runs as settings show them: the file, or how many there are.

    >>> named_contributors(["bm25", "dense"])
    '2 runs'
    """
    if contributing is None:
        return None
    if isinstance(contributing, (str, os.PathLike)):
        return os.fspath(contributing)
    return plural(len(set(contributing)), "run")
