"""Every setting of every question's function refuses values of another type in words, whichever question it is."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from click.testing import CliRunner

from cranfield import CranfieldError
from cranfield.cli.main import app
from cranfield.core.options import REQUIRED, Setting
from cranfield.core.question import Question
from examples import EXAMPLES, Example, folder

ASKED = {
    one.question.command: one
    for one in sorted(EXAMPLES, key=lambda one: "--scores" not in one.words)
    if one.question.verb is not Question.verb
}
"""An example of every question that a public function answers; of a design one that names its variance."""
OBJECTS: dict[str, Any] = {"object": object(), "function": len, "complex": 1j, "bytes": b"1", "nested": [[object()]]}
NUMBERS = {
    "nan": float("nan"),
    "inf": float("inf"),
    "text": "x",
    "true": True,
    "huge": 10**400,
    "decimal": Decimal("NaN"),
}
WRONG: dict[type, dict[str, Any]] = {
    int: OBJECTS | NUMBERS | {"fraction": 2.5},
    float: OBJECTS | NUMBERS,
    bool: OBJECTS | {"text": "x", "fraction": 2.5, "list": [True]},
    str: OBJECTS | {"fraction": 2.5, "true": True, "lone surrogate": "\ud800", "huge": 10**400},
}  # fmt: skip
"""What no setting of a kind can be."""
WIDER = {"epsilon", "statistic", "unit", "chart", "names"}
"""Settings in text on a command line, that are more in Python."""
UNREAD = {"groups", "intents", "variance", "variance_of_difference"}
"""Settings that are read only for measures which need them, or may be scores too."""

ENDLESS = ("memory", "inf")
"""No limit."""


class Reached(BaseException):
    """The question arrives at its function."""


@cache
def called(example: Example) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What the function of an example gets."""
    held: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def ask(self: Any, *data: Any, **more: Any) -> None:
        held.append((data, {**self.arguments(), **more}))
        raise Reached

    with pytest.MonkeyPatch.context() as patch, folder():
        patch.setattr(Question, "ask", ask)
        with suppress(Reached):
            CliRunner().invoke(app, example.typed(), catch_exceptions=False)
    if held:
        return held[0]
    named = example.asked().arguments()
    first = next(iter(inspect.signature(example.question.verb()).parameters))
    return (() if first in named else tuple(example.inputs[:1])), named


def wrong(one: Setting) -> Iterator[tuple[str, Any]]:
    yield from ((kind, value) for kind, value in WRONG.get(one.kind, {}).items() if (one.name, kind) != ENDLESS)
    if one.default not in (None, REQUIRED) and one.kind is not bool:  # None is as good as False
        yield "None", None


@pytest.mark.parametrize("command", ASKED)
def test_a_value_of_another_type_is_refused(command: str) -> None:
    example = ASKED[command]
    data, named = called(example)
    verb, failed, tried = example.question.verb(), [], 0
    with folder(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for one in example.question.all():
            if one.name not in named or one.name in WIDER:
                continue
            for kind, value in wrong(one):
                tried += 1
                try:
                    verb(*data, **{**named, one.name: value})
                except CranfieldError as error:
                    if one.name.rstrip("s") not in str(error) and one.name not in UNREAD:
                        failed.append(f"{one.name} = {kind}: {error}")
                except Exception as error:  # noqa: BLE001  (whatever it is, it is what we look for)
                    failed.append(f"{one.name} = {kind}: {type(error).__name__}: {error}")
                else:
                    if one.name not in UNREAD:
                        failed.append(f"{one.name} = {kind}: is taken")
    assert tried or not named
    assert not failed, "\n".join(failed)
