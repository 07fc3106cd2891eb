"""Selection bias: the simulation against theory, and what tests on held-out scores are worth."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cranfield
from cranfield import ArgumentError, selection_bias
from cranfield.questions.tune.folds import HoldOut, LeaveOneOut, NFold
from cranfield.questions.tune.selection_bias import expected_largest


@pytest.mark.parametrize(
    ("m", "expected"),
    # Expected normal order statistics as tabulated (Harter 1961): largest of 2, 5, 10, 50, 100.
    [(2, 0.56419), (5, 1.16296), (10, 1.53875), (50, 2.24907), (100, 2.50759)],
)
def test_the_expected_largest_of_normals(m: int, expected: float) -> None:
    assert expected_largest(m) == pytest.approx(expected, abs=5e-6)


@pytest.mark.parametrize("splitter", [NFold(10), NFold(5), LeaveOneOut(), HoldOut(0.2)], ids=str)
@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_in_sample_is_biased_as_theory_says_and_held_out_is_not(splitter: NFold, correlation: float) -> None:
    found = selection_bias(50, 50, splitter, correlation=correlation, n_experiments=1000)
    rows = found.to_frame().to_dicts()
    assert abs(rows[0]["advantage"] - found.expected) < 4 * rows[0]["standard_error"]
    assert abs(rows[1]["advantage"]) < 4 * rows[1]["standard_error"]
    assert found.expected == pytest.approx(2.24907 * 0.1 * math.sqrt((1 - correlation) / 50), rel=1e-5)


def share_bounds(p: float, n: int) -> tuple[float, float]:
    """Four standard errors about a binomial share."""
    error = 4 * math.sqrt(p * (1 - p) / n)
    return p - error, p + error


def test_a_single_hold_out_keeps_the_level_of_a_test() -> None:
    found = selection_bias(50, 50, HoldOut(0.2), n_experiments=2000)
    low, high = share_bounds(0.025, 2000)
    assert low < found.held_out_better.mean() < high
    assert found.in_sample_better.mean() > 0.25


def test_folds_keep_the_level_among_settings_that_are_alike() -> None:
    found = selection_bias(50, 50, NFold(10), correlation=0.9, n_experiments=2000)
    low, high = share_bounds(0.025, 2000)
    assert low < found.held_out_better.mean() < high


def test_folds_do_not_keep_it_among_settings_that_have_nothing_in_common() -> None:
    """The docs' warning rests on this: 10 folds some 9%, leave-one-out some 15%, where 2.5% is promised."""
    assert 0.06 < selection_bias(50, 50, NFold(10), n_experiments=2000).held_out_better.mean() < 0.12
    assert 0.11 < selection_bias(50, 50, LeaveOneOut(), n_experiments=2000).held_out_better.mean() < 0.19


def test_repeats_add_no_topics() -> None:
    """A topic held out five times is still one observation of the test."""
    found = selection_bias(50, 50, NFold(2, n_repeats=5), correlation=0.9, n_experiments=1000)
    low, high = share_bounds(0.025, 1000)
    assert low < found.held_out_better.mean() < high


def test_a_seed_gives_the_same_figures() -> None:
    one, two, other = (selection_bias(5, 10, NFold(2), n_experiments=20, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.held_out, two.held_out)
    assert not np.array_equal(one.held_out, other.held_out)
    assert one.to_dict() == two.to_dict()
    assert one.signature == (
        "selection bias; settings 5; topics 10; sd 0.1; correlation 0; alpha 0.05; folds 2-fold; experiments 20; "
        f"seed 1; cranfield {cranfield.__version__}"
    )
    assert "SelectionBias(5 equally good settings on 10 topics" in one._repr_html_()


def test_one_held_out_topic_can_declare_nothing() -> None:
    assert not selection_bias(5, 4, HoldOut(0.2), n_experiments=10).held_out_better.any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_settings": 1}, "`n_settings` must be a whole number of at least 2; got 1. Write 50."),
        ({"n_topics": 1}, "`n_topics` must be a whole number of at least 2; got 1. Write 50."),
        ({"n_experiments": 0}, "`n_experiments` must be a whole number of at least 2; got 0. Write 2000."),
        ({"sd": 0.0}, "`sd` must be a positive number; got 0.0. Write 0.1."),
        ({"correlation": 1.0}, "`correlation` must be at least 0 and below 1; got 1.0. Write 0.9."),
        ({"alpha": 5}, "`alpha` must be between 0 and 1; got 5. Write 0.05."),
    ],
)
def test_bad_arguments(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        selection_bias(**arguments)  # type: ignore[arg-type]
    assert str(caught.value) == message
