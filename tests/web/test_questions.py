"""Addresses to questions and back; what cannot be read is said in words."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from cranfield.web.pages.questions import CompareQuestion, DesignQuestion, parse
from hypothesis import given
from hypothesis import strategies as st

from cranfield.errors import ArgumentError


def of(model, address: str):  # type: ignore[no-untyped-def]
    return parse(model, parse_qsl(address, keep_blank_values=True))


def test_commas_and_repetition_mean_the_same_and_blanks_nothing() -> None:
    one = of(DesignQuestion, "systems=10&systems=20&min_diff=0.1&topics=&power=")
    two = of(DesignQuestion, "systems=10, 20&min_diff=0.1")
    assert one == two
    assert one.systems == [10, 20]
    assert one.topics is None


def test_a_system_with_commas_in_its_name_stays_whole() -> None:
    assert of(CompareQuestion, "data=x&baseline=bm25(k1=0.9,b=0.4)").baseline == ["bm25(k1=0.9,b=0.4)"]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("power=high", "`power` must be a number; got 'high'."),
        ("systems=2.5", "`systems` must be a whole number; got '2.5'."),
        ("kind=magic", "`kind` must be 'anova', 'ttest' or 'interval'; got 'magic'."),
        ("variance=inf", "`variance` must be a number; got 'inf'."),
        ("topics=10000000", "`topics` must be at most 1,000,000; got '10000000'."),
        ("min_diff=" + ",".join(["0.1"] * 13), "`min_diff` takes at most 12 values."),
        (
            "n_topics=5",
            "`n_topics` is no setting of this page; there are kind, find, variance, variance_of_difference, data, measure, "
            "estimator, systems, min_diff, width, topics, power, alpha, method, blocked, two_sample.",
        ),
    ],
)
def test_what_cannot_be_read_is_said_in_words(address: str, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        of(DesignQuestion, address)
    assert str(caught.value) == message


def test_a_missing_setting_is_named() -> None:
    with pytest.raises(ArgumentError) as caught:
        of(CompareQuestion, "test=t")
    assert str(caught.value) == "`data` is missing; give it."


numbers = st.lists(st.integers(1, 9999).map(lambda k: k / 10_000), min_size=1, max_size=4)


@given(
    kind=st.sampled_from(["anova", "ttest", "interval"]),
    variance=st.none() | numbers,
    systems=st.none() | st.lists(st.integers(2, 500), min_size=1, max_size=5),
    alpha=numbers,
    blocked=st.booleans(),
    data=st.none() | st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1).filter(str.strip),
)
def test_a_question_survives_its_address(**settings: object) -> None:
    question = DesignQuestion.model_validate(settings)
    assert of(DesignQuestion, question.query()) == question
