"""A record is to all appearances a frozen dataclass."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, astuple, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import pytest

from cranfield.records import record


class _Body:
    """What both classes below are made of."""

    kind: ClassVar[str] = "place"
    file: str
    line: int = 1
    notes: list[str] = field(default_factory=list, compare=False)
    hidden: str = field(default="h", repr=False)
    column: int = field(default=0, kw_only=True)
    made: int = field(default=7, init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "made", self.line * 10)

    @cached_property
    def upper(self) -> str:
        return self.file.upper()


def _class(decorate: Callable[[type], type], **more: Any) -> Any:
    body = {name: value for name, value in vars(_Body).items() if name not in ("__dict__", "__weakref__")}
    upper = cached_property(_Body.upper.func)
    upper.__set_name__(_Body, "upper")
    return decorate(type("Place", (), {**body, "upper": upper, **more}))


Ours, Theirs = _class(record), _class(dataclass(frozen=True))
CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("a",), {}),
    (("a", 2), {"column": 3}),
    ((), {"file": "a", "line": 4, "notes": ["x"], "hidden": "y"}),
    (("a", 2, ["x"], "z"), {}),
]
WRONG: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    (("a",), {"file": "b"}),
    (("a",), {"colour": 1}),
    (("a", 1, [], "h", 5), {}),
    (("a",), {"made": 1}),
]


@pytest.mark.parametrize(("args", "named"), CALLS)
def test_it_holds_shows_and_copies_as_a_dataclass_does(args: tuple[Any, ...], named: dict[str, Any]) -> None:
    ours, theirs = Ours(*args, **named), Theirs(*args, **named)
    assert vars(ours) == vars(theirs)
    assert list(vars(ours)) == list(vars(theirs))
    assert repr(ours) == repr(theirs)
    assert (asdict(ours), astuple(ours)) == (asdict(theirs), astuple(theirs))
    assert vars(replace(ours, line=9)) == vars(replace(theirs, line=9))
    assert copy.deepcopy(ours) == ours
    assert ours.upper == theirs.upper == "A"


def test_equal_are_those_of_one_class_and_equal_fields() -> None:
    for args, named in CALLS:
        for other_args, other_named in CALLS:
            ours = Ours(*args, **named) == Ours(*other_args, **other_named)
            assert ours == (Theirs(*args, **named) == Theirs(*other_args, **other_named))
    other: Any = _class(record)
    assert Ours("a") != Theirs("a")
    assert Ours("a") != other("a")
    assert Ours("a", notes=["x"]) == Ours("a"), "a field that is not compared"


def test_hashes_go_by_the_fields_that_are_compared() -> None:
    assert hash(Ours("a", notes=["x"])) == hash(Ours("a"))
    assert len({Ours("a"), Ours("a"), Ours("b")}) == 2
    identical: Any = _class(record(eq=False))
    assert identical("a") != identical("a")
    assert len({identical("a"), identical("a")}) == 2


@pytest.mark.parametrize(("args", "named"), WRONG)
def test_wrong_arguments_are_refused(args: tuple[Any, ...], named: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Theirs(*args, **named)
    with pytest.raises(TypeError, match="argument"):
        Ours(*args, **named)


def test_nothing_can_be_changed() -> None:
    for make in (Ours, Theirs):
        one = make("a")
        with pytest.raises(FrozenInstanceError, match="cannot assign to field 'line'"):
            one.line = 2
        with pytest.raises(FrozenInstanceError, match="cannot delete field 'line'"):
            del one.line


def test_others_see_its_fields_and_signature() -> None:
    assert is_dataclass(Ours)
    assert [one.name for one in fields(Ours)] == [one.name for one in fields(Theirs)]
    ours, theirs = inspect.signature(Ours).parameters, inspect.signature(Theirs).parameters
    assert [(one.name, one.kind) for one in ours.values()] == [(one.name, one.kind) for one in theirs.values()]
    assert [ours[name].default for name in ("file", "line", "column")] == [inspect.Parameter.empty, 1, 0]


@record
class Base:
    """A record at the top of a module, as pickle wants it."""

    name: str


@record(kw_only=True)
class Derived(Base):
    """One with more fields, and ways of its own to show and compare itself."""

    size: int = 3

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Derived) and self.name == other.name


def test_a_record_goes_on_from_another_and_keeps_what_it_defines() -> None:
    one = Derived("a", size=5)
    assert (one.name, one.size, repr(one)) == ("a", 5, "<a>")
    assert one == Derived("a", size=6)
    assert hash(one) == hash(Derived("a", size=5))
    assert repr(pickle.loads(pickle.dumps(one))) == "<a>"
    assert pickle.loads(pickle.dumps(Base("b"))) == Base("b")


def test_records_and_frozen_dataclasses_go_on_from_one_another() -> None:
    @dataclass(frozen=True)
    class Plain(Base):
        size: int = 2

    @record
    class Again(Plain):
        depth: int = 1

    one = Again("a", depth=3)
    assert (one.name, one.size, one.depth) == ("a", 2, 3)
    assert Plain("a") == Plain("a", 2)
    for frozen in (one, Plain("a")):
        with pytest.raises(FrozenInstanceError):
            frozen.name = "b"  # type: ignore[misc]
    with pytest.raises(TypeError, match="frozen"):
        dataclass(type("Loose", (Base,), {"__annotations__": {"size": int}}))
