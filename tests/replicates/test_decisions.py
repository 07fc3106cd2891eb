"""Votes, agreement and merged p-values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cranfield.core.errors import ArgumentError, UnknownNameError
from cranfield.questions.replicates.splits import Rule, agreement_table, merge_p

ALL = np.ones((11, 1), dtype=bool)


def test_twice_the_median() -> None:
    p = np.linspace(0.001, 0.021, 11)[:, None]
    assert merge_p(p, ALL).tolist() == pytest.approx([0.022])
    assert merge_p(np.full((11, 1), 0.7), ALL).tolist() == [1.0]
    assert merge_p(p[:1], ALL[:1]).tolist() == [0.001]


@given(arrays(np.float64, (5, 3), elements=st.floats(1e-12, 1)))
def test_cauchy_is_the_textbook_formula(p: np.ndarray) -> None:
    statistic = np.tan((0.5 - np.minimum(p, 0.99)) * np.pi).mean(axis=0)
    expected = 0.5 - np.arctan(statistic) / np.pi
    got = merge_p(p, np.ones(p.shape, dtype=bool), "cauchy")
    assert np.allclose(got, expected, rtol=1e-6, atol=1e-12)
    assert ((got > 0) & (got < 1)).all()


def test_cauchy_keeps_tiny_p_values() -> None:
    assert merge_p(np.full((11, 1), 1e-30), ALL, "cauchy").tolist() == pytest.approx([1e-30])


def test_the_other_direction_never_helps() -> None:
    p = np.full((3, 1), 0.001)
    straight = Rule(correction="none")(p, np.array([[0.1], [0.1], [0.1]]))
    split = Rule(correction="none")(p, np.array([[0.3], [-0.1], [-0.1]]))
    assert straight.direction.tolist() == [1]
    assert (straight.ahead.tolist(), straight.behind.tolist()) == ([3], [0])
    assert split.p.tolist() == [1.0]
    assert split.direction.tolist() == [0]
    assert not split.by_rule["majority"].any()
    assert (split.ahead.tolist(), split.behind.tolist()) == ([1], [2])


def test_agreement_counts_three_answers() -> None:
    # Eleven splits, four pairs: all different, all undecided, 8 against 3, and both directions.
    p = np.full((11, 4), 0.9)
    p[:, 0] = 0.001
    p[:8, 2] = 0.001
    p[:7, 3] = 0.001
    difference = np.full((11, 4), 0.1)
    difference[4:7, 3] = -0.1
    table = agreement_table(Rule(correction="none")(p, difference))
    rows = {row[0]: row[1:] for row in table.iter_rows()}
    assert rows["11:0"] == (2, 0.5, 1, 1, 0)
    assert rows["8:3"] == (1, 0.25, 0, 1, 0)
    assert rows["4:7"] == (1, 0.25, 1, 0, 1)  # 4 for a, 3 for b, 4 for neither
    assert rows["any disagreement"][0] == 2
    assert sum(row[1] for row in table.rows()[:-1]) == 4


def test_agreement_of_one_split_and_of_an_even_number() -> None:
    one = agreement_table(Rule()(np.full((1, 3), 0.01), np.ones((1, 3))))
    assert one["agreement"].to_list() == ["1:0", "any disagreement"]
    even = agreement_table(Rule()(np.full((4, 3), 0.01), np.ones((4, 3))))
    assert even["agreement"].to_list() == ["4:0", "3:1", "any disagreement"]


@given(arrays(np.float64, (6, 10), elements=st.floats(1e-6, 1)), st.sampled_from(["none", "bh", "holm"]))
def test_unanimous_within_majority(p: np.ndarray, correction: str) -> None:
    found = Rule(correction=correction)(p, np.ones((6, 10)))  # type: ignore[arg-type]
    assert (found.by_rule["majority"] | ~found.by_rule["unanimous"]).all()
    assert (found.p_adjusted >= found.p).all()
    assert agreement_table(found)["pairs"][:-1].sum() == 10


def test_rules_are_checked() -> None:
    with pytest.raises(UnknownNameError) as caught:
        Rule(merge="median")  # type: ignore[arg-type]
    assert str(caught.value) == "unknown merge 'median'. Did you mean 'twice-median'?"
    with pytest.raises(UnknownNameError, match="unknown decide 'most'"):
        Rule(decide="most")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError) as level:
        Rule(alpha=5)
    assert str(level.value) == "`alpha` must be between 0 and 1; got 5. Write 0.05."
