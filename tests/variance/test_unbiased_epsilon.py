"""The unbiased ε: against loops over sets of systems, on spherical data, on real scores, and refused where unsound."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from cranfield import ArgumentError, DataError, ScoreMatrix, anova_table, read_scores
from cranfield.questions.variance.sphericity import (
    difference_variances,
    greenhouse_geisser,
    mean_greenhouse_geisser,
    mean_traces,
    moments,
    moments_without_each_topic,
    pooled_epsilon,
    ratio,
    unbiased_epsilon,
    without_bias,
)
from support import SHARED, needs_shared

Array = NDArray[np.float64]


def covariance_of(x: Array) -> Array:
    return np.asarray(np.cov(x, rowvar=False))


def uneven(seed: int, n: int, m: int) -> Array:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, m)) @ rng.normal(size=(m, m)) * rng.uniform(0.1, 2, m)


@given(st.integers(0, 1000), st.integers(4, 30), st.integers(2, 9))
def test_is_huynh_feldt_with_the_right_correction(seed: int, n: int, m: int) -> None:
    """The textbook formula with Lecoutre's correction: ((ν+1)(m−1)ε − 2)/((m−1)(ν − (m−1)ε)), ε the plain one."""
    x = uneven(seed, n, m)
    plain = greenhouse_geisser(covariance_of(x))
    nu, k = n - 1, m - 1
    expected = ((nu + 1) * k * plain - 2) / (k * (nu - k * plain))
    if expected > 0 and nu - k * plain > 1e-9:
        assert unbiased_epsilon(covariance_of(x), n) == pytest.approx(np.clip(expected, 1 / k, 1), rel=1e-8)


@pytest.mark.parametrize(("m", "k"), [(7, 2), (7, 3), (7, 4), (7, 6), (7, 7), (5, 5), (3, 2), (3, 3), (2, 2)])
def test_means_over_sets_of_systems_need_no_sets(m: int, k: int) -> None:
    x = uneven(1, 12, m)
    squared, of_square = [], []
    for chosen in itertools.combinations(range(m), k):
        s = covariance_of(x[:, chosen])
        centre = np.eye(k) - 1 / k
        s = centre @ s @ centre
        squared.append(np.trace(s) ** 2)
        of_square.append(np.trace(s @ s))
    got = mean_traces(moments(difference_variances(covariance_of(x))), k)
    assert got == pytest.approx((np.mean(squared), np.mean(of_square)), rel=1e-10)


def test_two_systems_are_always_spherical() -> None:
    assert unbiased_epsilon(covariance_of(uneven(2, 10, 6)), 10, 2) == pytest.approx(1)


def test_leaving_a_topic_out_in_closed_form() -> None:
    x = uneven(3, 9, 5)
    fast = moments_without_each_topic(x)
    for i in range(9):
        slow = moments(difference_variances(covariance_of(np.delete(x, i, axis=0))))
        assert (fast.pairs[i], fast.rows[i], fast.total[i]) == pytest.approx(
            (float(slow.pairs), float(slow.rows), float(slow.total)), rel=1e-9
        )


@pytest.mark.parametrize(("n", "m", "plain"), [(30, 143, 0.168), (50, 40, 0.55)])
def test_spherical_scores_have_epsilon_one(n: int, m: int, plain: float) -> None:
    rng = np.random.default_rng(4)
    covariances = [covariance_of(rng.normal(size=(n, m))) for _ in range(20)]
    assert np.mean([unbiased_epsilon(s, n) for s in covariances]) > 0.96
    assert np.mean([greenhouse_geisser(s) for s in covariances]) == pytest.approx(plain, abs=0.01)


def test_a_and_b_are_unbiased() -> None:
    """Over many samples of 6 topics their means are (tr Σ)² and tr Σ² of the population."""
    rng = np.random.default_rng(5)
    root = rng.normal(size=(4, 4))
    centre = np.eye(4) - 1 / 4
    truth = centre @ root @ root.T @ centre
    draws = np.asarray(
        [
            without_bias(*mean_traces(moments(difference_variances(covariance_of(x))), 4), 6)
            for x in rng.normal(size=(20_000, 6, 4)) @ root.T
        ],
        dtype=np.float64,
    )
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert np.all(np.abs(draws.mean(axis=0) - [np.trace(truth) ** 2, np.trace(truth @ truth)]) < 4 * error)


def test_more_systems_than_there_are() -> None:
    """From sets of 15 of 200 systems, ε for 60 comes out as the whole says."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=(80, 200)) * rng.uniform(0.3, 2, 200) + rng.normal(size=(80, 1)) * rng.uniform(0, 2, 200)
    truth = unbiased_epsilon(covariance_of(x), 80, 60)
    from_few = [unbiased_epsilon(covariance_of(x[:, rng.choice(200, 15, False)]), 80, 60) for _ in range(200)]
    assert truth < 0.8
    assert np.median(from_few) == pytest.approx(truth, rel=0.15)


@needs_shared
def test_terabyte() -> None:
    x = read_scores(SHARED / "data" / "matrices" / "terabyte2006.AP.csv").only().values
    whole = unbiased_epsilon(covariance_of(x), len(x), 20)
    assert whole == pytest.approx(0.40, abs=0.01)
    rng = np.random.default_rng(7)
    values, plain = [], []
    for _ in range(200):
        chosen = x[np.ix_(rng.choice(len(x), 30, False), rng.choice(x.shape[1], 20, False))]
        values.append(unbiased_epsilon(covariance_of(chosen), 30))
        plain.append(greenhouse_geisser(covariance_of(chosen)))
    assert np.mean(values) == pytest.approx(0.385, abs=0.015)
    assert np.mean(plain) == pytest.approx(0.303, abs=0.015)


def test_pooled_collections_average_a_and_b() -> None:
    x, y = uneven(8, 20, 5), uneven(9, 40, 6)
    a, b = 0.0, 0.0
    for one in (x, y):
        pair = without_bias(*mean_traces(moments(difference_variances(covariance_of(one))), 4), len(one))
        a, b = a + (len(one) - 1) * float(pair[0]), b + (len(one) - 1) * float(pair[1])
    samples = [(covariance_of(one), len(one)) for one in (x, y)]
    assert pooled_epsilon(samples, 4) == pytest.approx(a / (3 * b))
    assert pooled_epsilon([(covariance_of(x), 20)], 4) == pytest.approx(unbiased_epsilon(covariance_of(x), 20, 4))


@given(st.floats(1e-140, 1e140))
def test_scale_does_not_matter(scale: float) -> None:
    s = covariance_of(uneven(10, 15, 5))
    assert unbiased_epsilon(s * scale, 15, 4) == pytest.approx(unbiased_epsilon(s, 15, 4), rel=1e-9)
    assert mean_greenhouse_geisser(s * scale) == pytest.approx(greenhouse_geisser(s), rel=1e-9)


def test_refusals() -> None:
    s = covariance_of(uneven(11, 15, 5))
    with pytest.raises(DataError, match="ε for 50 systems needs at least 8 past systems; there are 5"):
        unbiased_epsilon(s, 15, 50)
    with pytest.raises(DataError, match="at least 3 topics; there are 2"):
        unbiased_epsilon(s, 2)
    with pytest.raises(ArgumentError, match="at least 2; got 1"):
        unbiased_epsilon(s, 15, 1)
    with pytest.raises(DataError, match="the same on all topics"):
        unbiased_epsilon(np.ones((3, 3)), 15)


def test_the_anova_table_has_p_with_each_epsilon() -> None:
    x = np.abs(uneven(12, 30, 6)) + np.linspace(0, 1, 6)
    table = anova_table(ScoreMatrix(x, map(str, range(30)), "abcdef", "AP"))
    row = table.sources[0]
    assert table.epsilon_unbiased is not None
    assert table.epsilon_unbiased == pytest.approx(unbiased_epsilon(covariance_of(x), 30))
    assert row["p"] < row["p_unbiased"] < row["p_gg"]
    assert row["p_unbiased"] == pytest.approx(
        stats.f.sf(row["f"], 5 * table.epsilon_unbiased, 5 * 29 * table.epsilon_unbiased)
    )
    assert "p_unbiased" in table.to_frame().columns
    two_topics = anova_table(ScoreMatrix(x[:2], "12", "abcdef", "AP"))
    assert two_topics.epsilon_unbiased is None
    assert two_topics.sources[0]["p_unbiased"] is None


def test_variances_that_come_to_nothing_count_as_equal() -> None:
    assert ratio(np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, -1.0]), 3).tolist() == [1, 1, 1]


def test_epsilon_stays_between_its_bounds() -> None:
    assert ratio(np.array([0.01, 1.5, 9.0]), np.array([1.0, 1.0, 1.0]), 3).tolist() == [0.5, 0.75, 1]
