"""Every number has bounds: none hangs, overflows or asks for all the memory there is."""

from __future__ import annotations

import math
from typing import Any

import pytest

from cranfield import ArgumentError, design_all_pairs, design_anova, make_sample, selection_bias
from cranfield.core.options import Setting
from cranfield.core.question import questions

HUGE: list[Any] = [10**400, -(10**400), 10**30, 1e300, math.inf, math.nan]
NUMBERS = [
    pytest.param(one, id=f"{command}-{one.name}")
    for command, question in questions().items()
    for one in question.all()
    if one.kind in (int, float)
]


@pytest.mark.parametrize("one", NUMBERS)
@pytest.mark.parametrize("value", HUGE, ids=["1e400", "-1e400", "1e30", "1e300", "inf", "nan"])
def test_every_setting_refuses_what_is_too_large(one: Setting, value: Any) -> None:
    if one.kind is int and isinstance(value, float):
        return  # the command line and the page read whole numbers only
    with pytest.raises(ArgumentError) as caught:
        one.accept(value)
    assert one.name in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "ask",
    [
        lambda: make_sample(n_topics=10**20),
        lambda: make_sample(n_topics=100_000, n_systems=10_000),
        lambda: make_sample(n_documents=10_000_000, n_systems=1000),
        lambda: make_sample(depth=10**30),
        lambda: make_sample(length=10**30),
        lambda: make_sample(seed=10**30),
        lambda: selection_bias(100_000, 1_000_000),
        lambda: selection_bias(n_experiments=10**15),
        lambda: selection_bias(10**400, 10),
        lambda: selection_bias(sd=1e300),
        lambda: design_all_pairs(0.1, 10**400, 0.1),
        lambda: design_anova(0.1, 10, 1e-300),
        lambda: design_anova(0.1, range(2, 2002), [0.01 + 0.001 * i for i in range(1000)]),
    ],
)
def test_functions_called_directly_refuse_it_too(ask: Any) -> None:
    with pytest.raises(ArgumentError):
        ask()
