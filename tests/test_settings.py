"""A question and the function that answers it have the same settings, with the same defaults."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from cranfield.settings import REQUIRED, Settings, questions

ANSWERED = {name: question for name, question in questions().items() if question.answered_by}
DATA = {
    "scores", "collections", "batches", "families", "qrels", "runs", "variance", "variance_of_difference", "splitter", "groups",
    "progress", "executor", "missing", "path", "paths", "reference", "estimate", "model", "source",
}  # fmt: skip
"""What a function is asked about, and what is no setting: objects and their origin, callbacks, how holes are read."""


def _plain(value: Any) -> Any:
    """A default as a question and a function both write it: several as a tuple, one of one as that one."""
    if isinstance(value, (list, tuple)):
        return value[0] if len(value) == 1 else tuple(value)
    return value


def parameters(question: type[Settings]) -> dict[str, Any]:
    signature = inspect.signature(question.function())
    return {
        name: REQUIRED if one.default is inspect.Parameter.empty else one.default
        for name, one in signature.parameters.items()
        if one.kind is not inspect.Parameter.VAR_KEYWORD
    }


@pytest.mark.parametrize("name", ANSWERED)
def test_the_function_takes_the_settings(name: str) -> None:
    question = ANSWERED[name]
    asked = {one.name: one.default for one in question.all() if one.part in ("question", "run")}
    taken = parameters(question)
    assert set(asked) <= set(taken), f"{name}: the function lacks {sorted(set(asked) - set(taken))}"
    sources = {one.name: one.default for one in question.all() if one.part == "source" and one.name in taken}
    asked |= {name: default for name, default in sources.items() if name not in DATA}
    rest = set(taken) - set(asked) - DATA
    assert not rest, f"{name}: the question lacks {sorted(rest)}"
    different = {key: (default, taken[key]) for key, default in asked.items() if _plain(default) != _plain(taken[key])}
    assert not different, f"{name}: other defaults (question, function): {different}"


@pytest.mark.parametrize("name", ANSWERED)
def test_data_come_first(name: str) -> None:
    """`ask` passes data by position and settings by name."""
    first = next(iter(inspect.signature(ANSWERED[name].function()).parameters), None)
    takes = ANSWERED[name].takes
    assert takes == "nothing" or first in DATA, f"{name} takes {takes}, and its first parameter is {first}"
