"""`record`: a frozen dataclass that costs next to nothing to define.

`dataclasses.dataclass` writes and compiles up to seven functions for every class, some 0.4 ms each time a program
starts, and a command defines dozens of classes. Records share one set of functions, which look at the fields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform, overload

if TYPE_CHECKING:
    from inspect import Signature

_T = TypeVar("_T")


@overload
def record(cls: type[_T], /) -> type[_T]: ...


@overload
def record(*, eq: bool = True, kw_only: bool = False) -> Callable[[type[_T]], type[_T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def record(cls: type[Any] | None = None, /, *, eq: bool = True, kw_only: bool = False) -> Any:
    """What ``dataclass(frozen=True)`` makes of a class, as `fields`, `replace`, `asdict` and pickle know it.

    Examples
    --------
    >>> @record
    ... class Place:
    ...     file: str
    ...     line: int = 1
    >>> Place("bm25.run") == Place("bm25.run", line=1), dataclasses.replace(Place("bm25.run"), line=2)
    (True, Place(file='bm25.run', line=2))
    >>> Place("bm25.run").line = 3
    Traceback (most recent call last):
    dataclasses.FrozenInstanceError: cannot assign to field 'line'
    """
    if cls is None:
        return lambda later: _made(later, eq, kw_only)
    return _made(cls, eq, kw_only)


def _made(cls: type[Any], eq: bool, kw_only: bool) -> type[Any]:
    written = set(cls.__dict__)
    # Frozen dataclasses want frozen bases and the other way round; only where there is one, functions are compiled.
    derived = any(dataclasses.is_dataclass(base) for base in cls.__bases__)
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only, frozen=derived)(cls)
    made.__dataclass_params__.frozen = True
    made.__setattr__, made.__delattr__ = _refuse_setting, _refuse_deleting
    if "__init__" not in written:
        made.__init__, made.__signature__ = _init, _LaterSignature()
    if "__repr__" not in written:
        made.__repr__ = _repr
    if eq and "__eq__" not in written:
        made.__eq__ = _eq
    if eq and made.__dict__.get("__hash__") is None:
        made.__hash__ = _hash
    return cls


def _init(self: Any, *args: Any, **named: Any) -> None:
    fields = dataclasses.fields(self)
    in_order = [one.name for one in fields if one.init and not one.kw_only]
    given = dict(zip(in_order, args, strict=False))
    wrong = len(args) > len(in_order) or not given.keys().isdisjoint(named)
    given |= named
    held = self.__dict__
    for one in fields:
        if one.init and one.name in given:
            held[one.name] = given.pop(one.name)
        elif one.default is not dataclasses.MISSING:
            held[one.name] = one.default
        elif one.default_factory is not dataclasses.MISSING:
            held[one.name] = one.default_factory()
        else:
            wrong |= one.init
    if wrong or given:
        type(self).__signature__.bind(*args, **named)  # says what is wrong
    if hasattr(self, "__post_init__"):
        self.__post_init__()


class _LaterSignature:
    """The signature of a record's class, made when somebody looks at it."""

    def __get__(self, instance: object, owner: Any) -> Signature:
        from inspect import Parameter, Signature

        ordered = sorted((one for one in dataclasses.fields(owner) if one.init), key=lambda one: bool(one.kw_only))
        return Signature(
            [
                Parameter(
                    one.name,
                    Parameter.KEYWORD_ONLY if one.kw_only else Parameter.POSITIONAL_OR_KEYWORD,
                    default=_shown_default(one),
                    annotation=one.type,
                )
                for one in ordered
            ]
        )


def _shown_default(one: dataclasses.Field[Any]) -> Any:
    from inspect import Parameter

    if one.default is not dataclasses.MISSING:
        return one.default
    return Parameter.empty if one.default_factory is dataclasses.MISSING else one.default_factory


def _repr(self: Any) -> str:
    held = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr)
    return f"{type(self).__qualname__}({held})"


def _eq(self: Any, other: Any) -> Any:
    if type(self) is not type(other):
        return NotImplemented
    names = [one.name for one in dataclasses.fields(self) if one.compare]
    return all(getattr(self, name) == getattr(other, name) for name in names)


def _hash(self: Any) -> int:
    counted = (one for one in dataclasses.fields(self) if (one.compare if one.hash is None else one.hash))
    return hash(tuple(getattr(self, one.name) for one in counted))


def _refuse_setting(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
