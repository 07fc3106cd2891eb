"""Topic and system labels: checking them, and putting them in the order people expect."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from cranfield.core.errors import DataError, UnknownNameError

_DIGITS = re.compile(r"(\d+)")
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters other than tabs and the ends of lines: nobody sees them, so no name and no text holds any.

Among them those that turn the direction of what follows (Unicode's embeddings, overrides and isolates), which make one
name look like another. The marks and joiners that Arabic, Persian and Hebrew words need are none of them.
"""


def natural_key(label: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that orders runs of digits by value: t2 before t10, 9 before 10.

    Labels stay strings; "0201" and "201" differ and sort next to each other.

    >>> sorted(["t10", "t2", "t1"], key=natural_key)
    ['t1', 't2', 't10']
    >>> sorted(["0201", "201", "30"], key=natural_key)
    ['30', '0201', '201']
    """
    parts = _DIGITS.split(label)
    # Read as hexadecimal, digits keep their order, and no number is too long for Python to read.
    key = tuple((0, int(part, 16), "") if part.isdecimal() else (1, 0, part) for part in parts if part)
    return (*key, (2, 0, label))


def natural_sorted(labels: Iterable[str]) -> list[str]:
    """The labels in numeric-aware order (see `natural_key`)."""
    return sorted(labels, key=natural_key)


def check_unique(kind: str, labels: Sequence[str]) -> tuple[str, ...]:
    """The labels as a tuple; a `DataError` when one is empty or comes twice.

    >>> check_unique("topic", ["1", "2", "1"])
    Traceback (most recent call last):
    cranfield.DataError: topic '1' occurs 2 times; every topic needs its own label
    """
    checked = tuple(labels)
    for label in checked:
        if not isinstance(label, str) or not label.strip():
            raise DataError(f"a {kind} label must be a non-empty string; got {repr_of(label)}")
        if not label.isascii() and any("\ud800" <= character <= "\udfff" for character in label):
            raise DataError(f"{kind} {label!r} is not valid Unicode; rename it")
        if not label.isprintable() and CONTROL.search(label):
            raise DataError(f"{kind} {label!r} contains an invisible control character; rename it")
    if len(set(checked)) < len(checked):
        label, count = Counter(checked).most_common(1)[0]
        raise DataError(f"{kind} {label!r} occurs {count} times; every {kind} needs its own label")
    return checked


def repr_of(value: object) -> str:
    """Any value for a message: short, however deep it is or if it contains itself.

    >>> inside = [1]
    >>> inside.append(inside)
    >>> repr_of(inside)
    '[1, [1, [1, [1, [1, [1, [...]]]]]]]'
    """
    if isinstance(value, str):
        return repr(value)
    import reprlib

    try:
        return " ".join(reprlib.repr(value).split())
    except Exception:  # noqa: BLE001  (anybody's object, with anybody's mistakes)
        return f"a {type(value).__name__}"


def is_several(value: object) -> bool:
    """Whether a value can be iterated over; an array without dimensions has `__iter__` and cannot.

    >>> import numpy as np
    >>> [is_several(one) for one in ((1, 2), 1, np.array([1]), np.array(1))]
    [True, False, True, False]
    """
    return isinstance(value, Iterable) and getattr(value, "shape", None) != ()


def text_of(value: object) -> str:
    """Any value as text; of one that is nested without end, its beginning."""
    try:
        return str(value)
    except RecursionError:
        return repr_of(value)


def positions(kind: str, wanted: Iterable[str], known: Sequence[str]) -> list[int]:
    """Where each wanted label stands among the known ones; an `UnknownNameError` for one that is not among them."""
    index = {label: i for i, label in enumerate(known)}
    places = []
    for label in wanted:
        if label not in index:
            raise UnknownNameError(kind, label, known)
        places.append(index[label])
    return places


def summary(labels: Sequence[str], most: int = 5) -> str:
    """A few labels for a message.

    >>> summary(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    if len(labels) <= most:
        return ", ".join(labels)
    return f"{', '.join(labels[:most])} and {len(labels) - most} more"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """A count with its noun.

    >>> plural(1, "topic"), plural(1200, "topic"), plural(2, "family", "families")
    ('1 topic', '1,200 topics', '2 families')
    """
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def joined(words: Sequence[str], last_by: str = "and") -> str:
    """Words as a sentence lists them.

    >>> joined(["a"]), joined(["a", "b"], "or"), joined(["a", "b", "c"])
    ('a', 'a or b', 'a, b and c')
    """
    *others, last = words
    return f"{', '.join(others)} {last_by} {last}" if others else last
