"""Every exception and warning cranfield raises on purpose.

::

    Exception
    └── CranfieldError            catch this one to catch them all
        ├── ArgumentError         a value you passed is out of range (also a ValueError)
        │   └── UnknownNameError  a name that does not exist; the nearest ones are offered (also a KeyError)
        ├── DataError             scores, runs or judgments that cannot be used (also a ValueError)
        │   └── FileError         a file that cannot be read or written; names file and line
        └── ClusterError          machines that do not answer, or that could give other numbers

    UserWarning
    └── CranfieldWarning          the result stands, but read this before you publish it

Every message names the place, what was found and what to do instead. The command line ends with
exit code 2 for `ArgumentError` and 1 for all others.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

_TYPED, _LOOKED_AT = 200, 5000
SHOWN_PROBLEMS = 5
"""How many problems of a file an error shows; the rest are counted."""
MOST_PROBLEMS = 100
"""After so many problems a file is read no further."""


class CranfieldError(Exception):
    """Base class of everything cranfield raises on purpose."""


class ArgumentError(CranfieldError, ValueError):
    """A value passed by the caller is out of range."""


class UnknownNameError(ArgumentError, KeyError):
    """A name that does not exist (also a KeyError, so that mappings of names behave).

    >>> raise UnknownNameError("system", "bm52", ["bm25", "ql"])
    Traceback (most recent call last):
    cranfield.UnknownNameError: unknown system 'bm52'. Did you mean 'bm25'?
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        import difflib

        self.kind, self.name, self.known = kind, name, tuple(known)
        # Finding what is near takes the square of the lengths, so only what could be a typing mistake is looked at.
        short = [one for one in self.known if len(one) <= _TYPED][:_LOOKED_AT] if len(name) <= _TYPED else []
        folded = {candidate.casefold(): candidate for candidate in short}
        near = [folded[key] for key in difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.5)]
        if near:
            advice = f"Did you mean {' or '.join(repr(candidate) for candidate in near)}?"
        else:
            shown = ", ".join(self.known[:8]) + (", …" if len(self.known) > 8 else "")
            advice = f"Known: {shown}." if shown else f"There is no {kind} at all."
        super().__init__(f"unknown {kind} {name!r}. {advice}")

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show its repr

    def __reduce__(self) -> tuple[type[UnknownNameError], tuple[str, str, tuple[str, ...]]]:
        return type(self), (self.kind, self.name, self.known)


def with_extra(extra: str) -> str:
    """How the packages of an extra are installed, from an index of packages or from the sources.

    >>> with_extra("web")
    "pip install 'cranfield[web]' (in a clone: pip install '.[web]')"
    """
    return f"pip install 'cranfield[{extra}]' (in a clone: pip install '.[{extra}]')"


class ClusterError(CranfieldError):
    """Other machines that cannot be reached, went away, or are not set up alike."""


class DataError(CranfieldError, ValueError):
    """Scores, runs or judgments that cannot be used as asked."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong with one line of a file (line 0: the file as a whole)."""

    line: int
    text: str


def brief(text: str, most: int = 1000) -> str:
    """A message without the middle of a name of many pages; finding and remedy stand at its ends.

    >>> brief("a" * 2000 + "; rename it", 40)
    'aaaaaaaaaaaaaaaaaaaaaaaa … aa; rename it'
    """
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end - 3]} … {text[-end:]}"


class FileError(DataError):
    """A file that cannot be read or written.

    Attributes
    ----------
    path : str
        The file's name as the user wrote it.
    problems : tuple of Problem
        Everything found wrong, in the order of the lines. One problem may be given as a text and its line.

    >>> from cranfield.core.errors import Problem
    >>> print(FileError("a.run", "expected 6 fields, found 5", line=3))
    a.run:3: expected 6 fields, found 5
    >>> print(FileError("a.run", [Problem(0, "is empty"), Problem(2, "b")]))
    a.run: 2 problems
      a.run: is empty
      a.run:2: b
    """

    def __init__(self, path: str, problems: Sequence[Problem] | str, total: int | None = None, line: int = 0) -> None:
        self.path = path
        several = [Problem(line, problems)] if isinstance(problems, str) else problems
        self.problems = tuple(Problem(one.line, brief(one.text)) for one in several)
        self.total = len(self.problems) if total is None else total
        lines = [f"{path}:{p.line}: {p.text}" if p.line else f"{path}: {p.text}" for p in self.problems]
        if self.total == 1:
            message = lines[0]
        else:
            shown = lines[:SHOWN_PROBLEMS]
            cut = f"; the first {len(shown)}" if self.total > len(shown) else ""
            least = "at least " if self.total == MOST_PROBLEMS else ""
            message = "\n  ".join([f"{path}: {least}{self.total} problems{cut}", *shown])
        super().__init__(message)

    def __reduce__(self) -> tuple[type[FileError], tuple[str, tuple[Problem, ...], int]]:
        return type(self), (self.path, self.problems, self.total)


class CranfieldWarning(UserWarning):
    """The result stands, but there is something to know before relying on it."""


_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


def notify(texts: Iterable[str], stacklevel: int = 3) -> None:
    """Issue each text as a `CranfieldWarning` at the caller of the public function; nothing inside `quietly`."""
    if _quiet.get():
        return
    for text in texts:
        warnings.warn(text, CranfieldWarning, stacklevel=stacklevel)


@contextmanager
def quietly() -> Iterator[None]:
    """Results made inside carry their warnings and do not issue them: whoever asked decides what to say.

    Unlike Python's own ``warnings.catch_warnings`` it touches this thread (or task) alone.

    >>> with quietly():
    ...     notify(["never heard"])
    """
    before = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(before)


for _public in (CranfieldError, ArgumentError, UnknownNameError, DataError, FileError, CranfieldWarning):
    _public.__module__ = "cranfield"  # as users import them and as tracebacks should name them
