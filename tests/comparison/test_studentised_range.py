"""The studentised range against scipy's, against Student's t, and against a direct simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from cranfield.questions.compare.classical import (
    TINY,
    critical_value,
    exact_tail,
    paired_t,
    studentised_range_tail,
    tukey,
)
from cranfield.questions.compare.family import GridScores, all_pairs, residual_variance

SIZES = [(2, 4), (3, 10), (5, 36), (10, 81), (40, 1911)]


@pytest.mark.parametrize(("m", "df"), SIZES)
def test_agrees_with_scipy(m, df):
    q = np.array([0.5, 1, 2, 3, 4, 5, 6.5])
    np.testing.assert_allclose(exact_tail(q, m, df), stats.studentized_range.sf(q, m, df), rtol=2e-6)
    assert critical_value(0.05, m, df) == pytest.approx(stats.studentized_range.ppf(0.95, m, df), rel=1e-8)


@pytest.mark.parametrize("df", [1, 3, 9, 19, 20, 49, 1000, 10**6])
def test_two_means_are_student_t(df):
    q = np.array([0.01, 0.3, 1, 3, 6, 10, 14])
    np.testing.assert_allclose(exact_tail(q, 2, df), 2 * special.stdtr(df, -q / np.sqrt(2)), rtol=1e-7)


@pytest.mark.parametrize(("m", "df"), [*SIZES, (129, 6272), (300, 299 * 49)])
def test_interpolation_is_as_good_as_stated(m, df):
    q = np.linspace(0, 14, 4001)
    exact = exact_tail(q[::50], m, df)
    near = studentised_range_tail(q, m, df)[::50]
    kept = exact > 1e-12
    np.testing.assert_allclose(near[kept], exact[kept], rtol=1e-6)
    assert near[0] == 1.0


def test_the_tail_falls_and_stays_positive():
    q = np.linspace(0, 40, 2000)
    p = studentised_range_tail(q, 10, 81)
    assert (np.diff(p) <= 1e-9).all()
    assert (p > 0).all()


def test_tukey_of_two_systems_is_the_paired_t():
    scores = GridScores.of(np.random.default_rng(1).beta(1, 3, (20, 2)))
    np.testing.assert_allclose(
        tukey(scores, all_pairs(2), 0.05).p, paired_t(scores, all_pairs(2), "two-sided"), rtol=1e-7
    )


def test_tukey_against_an_independent_computation():
    values = np.random.default_rng(2).beta(1, 3, (15, 5))
    n, m = values.shape
    left = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    error = np.sqrt((left**2).sum() / ((m - 1) * (n - 1)) / n)
    pairs = all_pairs(m)
    difference = values.mean(axis=0)[pairs.a] - values.mean(axis=0)[pairs.b]
    found = tukey(GridScores.of(values), pairs, 0.05)
    df = (m - 1) * (n - 1)
    np.testing.assert_allclose(found.p, stats.studentized_range.sf(np.abs(difference) / error, m, df), rtol=1e-6)
    half = stats.studentized_range.ppf(0.95, m, df) * error
    np.testing.assert_allclose(found.lower, difference - half, atol=1e-9)
    np.testing.assert_allclose(found.upper, difference + half, atol=1e-9)
    significant = found.p <= 0.05
    assert np.array_equal(significant, (found.lower > 0) | (found.upper < 0))


def test_additive_scores_leave_no_residual():
    values = np.array([0.1, 0.2, 0.4])[:, None] + np.array([0.0, 0.1, 0.1])
    scores = GridScores.of(values)
    assert residual_variance(scores) == 0
    assert tukey(scores, all_pairs(3), 0.05).p.tolist() == [TINY, TINY, 1.0]
