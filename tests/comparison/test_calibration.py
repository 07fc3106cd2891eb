"""Type I and family-wise error on simulated scores of equal systems, against binomial bounds."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from cranfield.questions.simulate.trials import binomial_bounds

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))
from calibration_study import LEVELS, family_error, null_scores, type_one_error

sys.path.pop(0)

TRIALS = 2000


def test_bounds_are_those_of_the_binomial():
    low, high = binomial_bounds(0.05, 2000)
    draws = np.random.default_rng(1).binomial(2000, 0.05, 200_000) / 2000
    assert (draws < low).mean() <= 0.001
    assert (draws > high).mean() <= 0.001
    assert (draws <= low).mean() > 0.0005


def test_null_scores_are_what_they_say():
    rng = np.random.default_rng(1)
    assert (null_scores("zeros", 4000, 2, rng) == 0).mean() == pytest.approx(0.6, abs=0.03)
    skewed = null_scores("skewed", 4000, 2, rng)
    assert skewed.mean() > 2 * np.median(skewed)
    unequal = null_scores("unequal", 4000, 3, rng)
    assert unequal.mean(axis=0) == pytest.approx([0.25] * 3, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("n_topics", [10, 25, 50])
@pytest.mark.parametrize("shape", ["normal", "skewed", "zeros"])
def test_randomisation_keeps_its_level(shape, n_topics):
    rates = type_one_error("randomisation", shape, n_topics, trials=TRIALS)
    for level in LEVELS:
        low, high = binomial_bounds(level, TRIALS)
        assert rates[level] <= high
        if shape != "zeros":  # ties make it conservative
            assert rates[level] >= low


@pytest.mark.slow
@pytest.mark.parametrize("n_topics", [10, 25, 50])
def test_t_keeps_its_level_on_normal_differences(n_topics):
    rates = type_one_error("t", "normal", n_topics, trials=TRIALS)
    for level in LEVELS:
        low, high = binomial_bounds(level, TRIALS)
        assert low <= rates[level] <= high


@pytest.mark.slow
@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
@pytest.mark.parametrize("shape", ["normal", "skewed", "zeros"])
def test_rank_tests_stay_below_their_level(test, shape):
    for n_topics in (10, 25, 50):
        rates = type_one_error(test, shape, n_topics, trials=TRIALS)
        assert all(rates[level] <= binomial_bounds(level, TRIALS)[1] for level in LEVELS)


@pytest.mark.slow
def test_the_bootstrap_deviates_as_the_documentation_says():
    few, many = (type_one_error("bootstrap", "normal", n, trials=TRIALS)[0.05] for n in (10, 50))
    assert few > binomial_bounds(0.05, TRIALS)[1]
    assert many < few
    assert type_one_error("bootstrap-t", "skewed", 25, trials=TRIALS)[0.05] < binomial_bounds(0.05, TRIALS)[0]


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["normal", "skewed", "zeros"])
@pytest.mark.parametrize("test", ["randomised-tukey", "randomisation, holm", "t, holm"])
def test_family_wise_error_is_kept_for_exchangeable_systems(test, shape):
    rates = family_error(test, shape, 25, trials=TRIALS)
    for level in LEVELS:
        assert rates[level] <= binomial_bounds(level, TRIALS)[1]


@pytest.mark.slow
@pytest.mark.parametrize("n_topics", [10, 50])
def test_tukey_keeps_its_level_on_normal_scores_only(n_topics):
    rates = family_error("tukey", "normal", n_topics, trials=TRIALS)
    for level in LEVELS:
        low, high = binomial_bounds(level, TRIALS)
        assert low <= rates[level] <= high
    assert family_error("tukey", "unequal", n_topics, trials=TRIALS)[0.05] > binomial_bounds(0.05, TRIALS)[1]


@pytest.mark.slow
def test_without_a_correction_the_family_wise_error_is_far_above_alpha():
    assert family_error("t, none", "normal", 25, trials=TRIALS)[0.05] > 0.2
