"""Arguments of public functions must have the types of their annotations; otherwise an `ArgumentError` names them.

The annotations are the one list of types: mypy reads them before a program runs, and `check_arguments` when it does.
"""

from __future__ import annotations

import builtins
import inspect
import math
import os
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, Union, Unpack, get_args, get_origin, get_type_hints

from cranfield.core.errors import ArgumentError
from cranfield.core.labels import repr_of

_NOUNS: dict[Any, tuple[str, str]] = {
    bool: ("True or False", "booleans"), int: ("a whole number", "whole numbers"), float: ("a number", "numbers"),
    str: ("a text", "texts"), type(None): ("None", "None"),
}  # fmt: skip
_LISTS = (list, tuple, Sequence, Iterable)
_PLAIN = (os.PathLike, Mapping)
_PATH = "surrogateescape"
"""How Python writes the bytes of a file's name that are no UTF-8."""
_LARGEST = 2**63 - 1
_ENDLESS = {"memory"}
"""Numbers that may be infinite: nothing is limited then."""


def check_arguments(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Refuse arguments of another type than the function's annotations name: its first line, with its `locals()`.

    Numbers must also be finite. Data, which have many forms, are not looked at: their readers do.

    >>> def share(alpha: float = 0.05, systems: Sequence[str] | None = None) -> None:
    ...     check_arguments(share, locals())
    >>> share(alpha=True)
    Traceback (most recent call last):
    cranfield.ArgumentError: `alpha` must be a number; got True. Write 0.05.
    >>> share(systems=[1])
    Traceback (most recent call last):
    cranfield.ArgumentError: `systems` must be a list of texts or None; got [1]. Leave it out for the default.
    """
    passed = {**given, **given.get(_options(function), {})}
    for name, (hint, default) in _parameters(function).items():
        if name not in passed or (value := passed[name]) is default or _fits(value, hint):
            continue
        if (value is None and default is False) or (name in _ENDLESS and value == math.inf):
            continue
        if isinstance(value, float) and not math.isfinite(value):
            raise ArgumentError(f"`{name}` must be a finite number; got {value}.")
        nouns = " or ".join(dict.fromkeys(_noun(part) for part in _parts(hint)))
        plain = isinstance(default, (str, int, float)) and not isinstance(default, bool)
        remedy = f"Write {default!r}." if plain else "Leave it out for the default."
        needed = default is inspect.Parameter.empty
        raise ArgumentError(f"`{name}` must be {nouns}; got {repr_of(value)}.{'' if needed else f' {remedy}'}")


@cache
def _options(function: Callable[..., Any]) -> str:
    """The name under which a function gets the options that it hands on; empty if it hands on none."""
    given = inspect.signature(function).parameters.values()
    return next((one.name for one in given if one.kind is inspect.Parameter.VAR_KEYWORD), "")


@cache
def _parameters(function: Callable[..., Any]) -> dict[str, tuple[Any, Any]]:
    """The type and the default of every argument whose type can be told."""
    known = _Names(function.__globals__)
    found: dict[str, tuple[Any, Any]] = {}
    for name, one in inspect.signature(function).parameters.items():
        hint = _hint(one.annotation, known)
        if one.kind is not inspect.Parameter.VAR_KEYWORD:
            found[name] = hint, one.default
        elif get_origin(hint) is Unpack:
            (options,) = get_args(hint)
            there = _Names(vars(sys.modules[options.__module__]))
            found |= {
                key: (_hint(each, there), inspect.Parameter.empty) for key, each in options.__annotations__.items()
            }
    return {name: (hint, default) for name, (hint, default) in found.items() if all(map(_is_told, _parts(hint)))}


class _Names(dict[str, Any]):
    """The names of a module; those that only a type checker imports stand for anything."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


def _hint(annotation: Any, known: _Names) -> Any:
    try:
        return get_type_hints(types.SimpleNamespace(__annotations__={"one": annotation}), {}, known)["one"]
    except TypeError:  # a subscript of what only a type checker imports
        return Any


def _parts(hint: Any) -> tuple[Any, ...]:
    """The types of a union, or the only one."""
    if get_origin(hint) in (Union, types.UnionType):
        return tuple(part for one in get_args(hint) for part in _parts(one))
    return (hint,)


def _is_told(part: Any) -> bool:
    origin = _kind(part)
    if origin in _LISTS:
        return bool(get_args(part)) and all(map(_is_told, _parts(get_args(part)[0])))
    return origin in _NOUNS or origin in _PLAIN or origin is Literal


def _fits(value: Any, hint: Any) -> bool:
    if getattr(value, "shape", None) == () and callable(item := getattr(value, "item", None)):
        value = item()  # an array that is one value
    parts = _parts(hint)
    if isinstance(value, str) and not _is_utf8(
        value, _PATH if any(_kind(part) is os.PathLike for part in parts) else "strict"
    ):
        return False
    return any(_is(value, part) for part in parts)


def _kind(part: Any) -> Any:
    return get_origin(part) or part


def _is_utf8(text: str, errors: str) -> bool:
    try:
        text.encode(errors=errors)
    except UnicodeEncodeError:
        return False
    return True


def _is(value: Any, part: Any) -> bool:
    """Whether a value has one type; every element of a list counts."""
    kind = _kind(part)
    if kind in _LISTS:
        if isinstance(value, str):  # which is a sequence of texts to Python, and to mypy
            return _fits(value, get_args(part)[0])
        listed = isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray))
        return listed and (iter(value) is value or all(_fits(one, get_args(part)[0]) for one in value))
    if kind is bool:
        return isinstance(value, int) and value in (0, 1)
    if kind in (int, float):
        number = _number(value)
        return number is not None and (kind is float or (number.is_integer() and abs(number) <= _LARGEST))
    if kind is str and (hasattr(value, "NAME") or hasattr(value, "cutoff")):
        return True  # a measure object, of ir_measures or ours
    if kind is str or kind is Literal:
        return isinstance(value, str)
    return isinstance(value, kind)


def _number(value: Any) -> float | None:
    """A finite number, of whatever type is one: also Decimal, and what says that it counts."""
    if isinstance(value, bool) or hasattr(value, "__len__"):  # texts and lists of one number, which float() takes
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _noun(part: Any) -> str:
    origin = _kind(part)
    if origin in _LISTS:
        return "a list of " + " or ".join(_NOUNS.get(one, ("", "values"))[1] for one in _parts(get_args(part)[0]))
    if origin is Literal:
        return " or ".join(map(repr, get_args(part)))
    if origin in _PLAIN:
        return "a path" if origin is os.PathLike else "a dictionary"
    return _NOUNS[origin][0] if origin in _NOUNS else f"{origin.__name__}"
