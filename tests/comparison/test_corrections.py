"""Adjusted p-values, against statsmodels and against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from cranfield import ArgumentError, UnknownNameError
from cranfield.questions.compare.corrections import adjust, at_most, resamples_needed

THEIRS = {"bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh", "by": "fdr_by"}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.01, 0.05, 1.0])), min_size=1, max_size=40))
@pytest.mark.parametrize("correction", list(THEIRS))
def test_agrees_with_statsmodels(correction, p):
    theirs = multipletests(p, method=THEIRS[correction])[1]
    np.testing.assert_allclose(adjust(p, correction=correction), theirs, rtol=1e-12, atol=1e-300)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.randoms(use_true_random=False))
@pytest.mark.parametrize("correction", ["none", *THEIRS])
def test_order_does_not_matter_and_p_never_falls(correction, p, random):
    order = random.sample(range(len(p)), len(p))
    adjusted = adjust(p, correction=correction)
    assert np.array_equal(adjusted[order], adjust(np.array(p)[order], correction))
    assert (adjusted >= np.array(p)).all()
    assert (adjusted <= 1).all()


def test_keeps_the_shape_and_leaves_its_input_alone():
    p = np.array([[0.01, 0.04], [0.03, 0.5]])
    before = p.copy()
    assert adjust(p, "holm").shape == (2, 2)
    assert np.array_equal(p, before)
    assert adjust(p, "none") is not p
    assert adjust([], "holm").size == 0


def test_holm_is_never_below_bonferroni_in_power():
    p = np.random.default_rng(1).random(200) ** 3
    assert (adjust(p, "holm") <= adjust(p, "bonferroni")).all()
    assert (adjust(p, "bh") <= adjust(p, "by")).all()


def test_a_p_value_is_held_to_a_level_as_both_are_written():
    just_above = np.nextafter(0.05, 1)
    assert at_most([0.05, just_above, 0.0500001], 0.05).tolist() == [True, True, False]
    # A look that can decide nothing has the level 0, which no small p-value reaches.
    assert at_most([0.0, 1e-300, 1e-11], 0.0).tolist() == [True, False, False]


@pytest.mark.parametrize("bad", [-0.1, 1.5, float("nan")])
def test_refuses_what_is_no_probability(bad):
    with pytest.raises(ArgumentError) as error:
        adjust([0.5, bad])
    assert str(error.value) == f"`p` must hold probabilities between 0 and 1; got {bad}"


def test_refuses_an_unknown_correction():
    with pytest.raises(UnknownNameError) as error:
        adjust([0.5], "bonferoni")
    assert str(error.value) == "unknown correction 'bonferoni'. Did you mean 'bonferroni'?"


@pytest.mark.parametrize(("family", "alpha"), [(8256, 0.05), (780, 0.01), (1, 0.05), (45, 0.05)])
def test_resamples_needed_is_the_fewest_that_can_be_significant(family, alpha):
    needed = resamples_needed(family, alpha)
    assert family / (needed + 1) <= alpha * (1 + 1e-12)
    assert family / needed > alpha
