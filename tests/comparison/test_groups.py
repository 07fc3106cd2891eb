"""Letters: two systems share one exactly when they are not separated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield.questions.compare.equivalence import indistinguishable, letter, letters, mark


def random_graph(m, density, seed):
    apart = np.triu(np.random.default_rng(seed).random((m, m)) < density, 1)
    return apart | apart.T


def shares(names, i, j, spaced):
    split = (lambda s: set(s.split())) if spaced else set
    return bool(split(names[i]) & split(names[j]))


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 25), st.floats(0, 1), st.integers(0, 10**6))
def test_two_systems_share_a_letter_exactly_when_not_separated(m, density, seed):
    apart = random_graph(m, density, seed)
    names = letters(apart)
    spaced = len(indistinguishable(apart)) > 26
    assert all(names)
    for i in range(m):
        for j in range(i):
            assert shares(names, i, j, spaced) == (not apart[i, j])


def test_systems_far_apart_have_runs_of_letters():
    place = np.arange(10)
    apart = np.abs(place[:, None] - place) > 2
    assert indistinguishable(apart) == [list(range(i, i + 3)) for i in range(8)]


def test_all_alike_and_all_different():
    assert letters(np.zeros((4, 4), dtype=bool)) == ["a"] * 4
    assert letters(~np.eye(4, dtype=bool)) == ["a", "b", "c", "d"]


def test_beyond_26_groups_letters_are_set_apart():
    place = np.arange(60)
    names = letters(np.abs(place[:, None] - place) > 1)
    assert names[0] == "a"
    assert names[26] == "z aa"
    assert names[58] == "bf bg"
    assert len({name for group in names for name in group.split()}) == 59


def test_a_thick_graph_stays_small():
    apart = random_graph(129, 0.3, 1)
    groups = indistinguishable(apart)
    assert len(groups) < 2000


@pytest.mark.parametrize("m", [1, 2])
def test_tiny(m):
    assert indistinguishable(np.zeros((m, m), dtype=bool)) == [list(range(m))]


def test_names_are_distinct():
    assert len({letter(i) for i in range(2000)}) == 2000
    assert len({mark(i) for i in range(40)}) == 40
