"""A question and the function that answers it have the same settings, with the same defaults."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from chart_support import results
from cranfield.errors import ArgumentError
from cranfield.present.answer import answer
from cranfield.settings import REQUIRED, Settings, questions
from cranfield.settings.shared import not_negative

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


RESULTS = {
    "compare": "Comparison", "leaderboard": "MeasureComparisons", "gate": "Gate", "table": "PaperTable",
    "correlate": "Correlation", "cost": "Cost", "design anova": "Design", "design ttest": "ttest",
    "design interval": "interval", "design looks": "SequentialDesign", "design recommend": "Recommendation",
    "monitor": "Monitoring", "reliability": "Reliability", "replicates": "Replicates", "reuse": "Reuse",
    "selection-bias": "SelectionBias", "simulate design": "SimulatedDesign", "simulate scores": "SimulatedScores",
    "simulate tests": "SimulatedTests", "standardise effect": "StandardisationEffect",
    "standardise robustness": "Robustness", "standardise fit": "Standardisation", "standardise apply": "Standardised",
    "tune": "Tuning", "variance": "Variances",
}  # fmt: skip
"""By question: an example of its result in `chart_support`."""
READING = {"intents", "name", "lenient"}
TOLD_OTHERWISE = {
    "cost": {one.name for one in questions()["cost"].all()},  # only what applies, in the words of the design
    "replicates": READING | {"published"},  # which stands for other settings
    "reuse": READING | {"teams", "team_prefix", "leave_out"},  # the rows name the teams
    "selection-bias": {"leave_one_out", "holdout", "n_repeats"},  # `folds` says it in words
    "standardise apply": {"factors"},  # their version is in the provenance of the scores
    "tune": {"leave_one_out", "holdout", "n_repeats", "stratified"},  # `folds` says it in words
}
"""Settings that a result does not repeat under their names, and why."""


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_names_its_settings_as_the_question_does(name: str) -> None:
    settings = results()[RESULTS[name]].settings
    asked = {one.name for one in questions()[name].all() if one.part == "question"}
    missing = asked - set(settings) - TOLD_OTHERWISE.get(name, set())
    assert not missing, f"the settings of the answer to {name} lack {sorted(missing)}"
    assert list(settings) == list(dict(results()[RESULTS[name]].to_dict().get("settings", settings)))


@pytest.mark.parametrize("name", [name for name in RESULTS if name not in ("design looks", "selection-bias")])
def test_rows_for_machines_name_the_measure(name: str) -> None:
    rows = answer(results()[RESULTS[name]]).sheet().for_machines
    assert "measure" in rows.columns or {"reference", "estimate"} <= set(rows.columns)


@pytest.mark.parametrize(
    ("value", "instead"), [(-0.1, "got -0.1. Write 0.1."), (2e12, "got 2e+12. Write 1."), (float("inf"), "Write 1.")]
)
def test_a_number_below_0_is_answered_with_the_one_it_may_be_meant_for(value: float, instead: str) -> None:
    with pytest.raises(ArgumentError) as error:
        not_negative("difference", value)
    assert str(error.value).startswith("`difference` must be a number from 0 to 1e+12; got ")
    assert str(error.value).endswith(instead)
