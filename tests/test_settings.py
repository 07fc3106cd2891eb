"""A question and the function that answers it have the same settings, with the same defaults."""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

import pytest

from cranfield.core.errors import ArgumentError
from cranfield.core.options import REQUIRED, not_negative
from cranfield.core.question import Question, questions
from cranfield.measures.options import SCORING, ScoringOptions
from cranfield.questions.compare.compare import FamilyOptions, Options

ANSWERED = {name: question for name, question in questions().items() if question.verb is not Question.verb}
DATA = {
    "scores", "collections", "batches", "families", "qrels", "runs", "variance", "variance_of_difference", "splitter", "groups",
    "progress", "executor", "missing", "path", "paths", "reference", "estimate", "model", "source", "unjudged", "human",
}  # fmt: skip
"""What a function is asked about, and what is no setting: objects and their origin, callbacks, how holes are read, and what a comparison shows."""


def _plain(value: Any) -> Any:
    """A default as a question and a function both write it: several as a tuple, one of one as that one."""
    if isinstance(value, (list, tuple)):
        return value[0] if len(value) == 1 else tuple(value)
    return value


def parameters(question: type[Question]) -> dict[str, Any]:
    """What the function takes; of options that it passes on to `evaluate`, each with its default there."""
    verb = question.verb()
    taken: dict[str, Any] = {}
    for name, one in inspect.signature(verb).parameters.items():
        if one.kind is not inspect.Parameter.VAR_KEYWORD:
            taken[name] = REQUIRED if one.default is inspect.Parameter.empty else one.default
        elif one.annotation == "Unpack[ScoringOptions]":
            taken |= {option: SCORING[option] for option in ScoringOptions.__annotations__}  # type: ignore[literal-required]
        elif one.annotation in ("Unpack[Options]", "Unpack[FamilyOptions]"):  # those of `compare`
            options = Options if "[Options]" in one.annotation else FamilyOptions
            taken |= {key: question.of(key).default for key in get_type_hints(options) if key not in DATA}
    return taken


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
    first = next(iter(inspect.signature(ANSWERED[name].verb()).parameters), None)
    takes = ANSWERED[name].takes
    assert takes == "nothing" or first in DATA, f"{name} takes {takes}, and its first parameter is {first}"


@pytest.mark.parametrize(
    ("value", "instead"), [(-0.1, "got -0.1. Write 0.1."), (2e12, "got 2e+12. Write 1."), (float("inf"), "Write 1.")]
)
def test_a_number_below_0_is_answered_with_the_one_it_may_be_meant_for(value: float, instead: str) -> None:
    with pytest.raises(ArgumentError) as error:
        not_negative("difference", value)
    assert str(error.value).startswith("`difference` must be a number from 0 to 1e+12; got ")
    assert str(error.value).endswith(instead)
