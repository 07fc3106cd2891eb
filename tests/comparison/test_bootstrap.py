"""Bootstrap tests and intervals against plain loops over the same resamples, scipy, and the published example."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cranfield import ScoreMatrix, compare
from cranfield.core.resampling import topic_weights
from cranfield.questions.compare.bootstrap import (
    bootstrap_shift,
    bootstrap_t,
    bootstrap_values,
    percentile_intervals,
    rank_intervals,
)
from cranfield.questions.compare.family import GridScores, all_pairs, tally
from cranfield.questions.compare.resampled import Resampling, geometric_mean, median

ALTERNATIVES = ["two-sided", "greater", "less"]
B = 2500


@pytest.fixture(scope="module")
def values():
    return np.random.default_rng(1).beta(1, 3, (20, 5)) + np.array([0, 0.05, 0.1, 0, 0.2])


@pytest.fixture(scope="module")
def weights():
    return np.concatenate(list(topic_weights(20, B, seed=1)))


def share(resampled, observed, alternative):
    if alternative == "two-sided":
        hits = np.abs(resampled) >= abs(observed)
    else:
        hits = resampled >= observed if alternative == "greater" else resampled <= observed
    return (hits.sum() + 1) / (len(resampled) + 1)


def ends(resampled, alternative):
    """The percentile interval at .05; open towards a one-sided alternative."""
    if alternative == "two-sided":
        return np.quantile(resampled, [0.025, 0.975])
    low, high = np.quantile(resampled, [0.05, 0.95])
    return (low, np.inf) if alternative == "greater" else (-np.inf, high)


def test_the_ten_values_of_the_slides():
    """INLS 509: of ten resampled differences, three shifted ones reach the observed .07, before the +1 rule."""
    differences = np.array([0.10, 0.04, 0.21, 0.20, 0.13, 0.09, 0.22, 0.07, 0.03, 0.11])
    sums = np.stack([differences, np.zeros(10)])
    centre = np.array([differences.mean()])
    assert tally(sums, all_pairs(2), np.array([0.07]), "greater", centre=centre).tolist() == [3]
    assert tally(sums, all_pairs(2), np.array([0.07]), "greater").tolist() == [8]  # without the shift


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_shift_against_a_loop(values, weights, alternative):
    pairs = all_pairs(5)
    found = bootstrap_shift(GridScores.of(values), pairs, Resampling(B, alternative=alternative), 0.05)
    for at, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        each = values[:, a] - values[:, b]
        resampled = weights @ each / 20
        assert found.p[at] == pytest.approx(share(resampled - resampled.mean(), each.mean(), alternative), abs=1.5 / B)
        low, high = ends(resampled, alternative)
        assert (found.lower[at], found.upper[at]) == (pytest.approx(low), pytest.approx(high))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_bootstrap_t_against_a_loop(values, weights, alternative):
    pairs = all_pairs(5)
    found = bootstrap_t(GridScores.of(values), pairs, Resampling(B, alternative=alternative), 0.05)
    for at, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        each = values[:, a] - values[:, b]
        error = each.std(ddof=1) / np.sqrt(20)
        resampled = [np.repeat(each, row.astype(int)) for row in weights]
        t = np.array([(r.mean() - each.mean()) / (r.std(ddof=1) / np.sqrt(20)) for r in resampled])
        assert found.p[at] == pytest.approx(share(t, each.mean() / error, alternative), abs=1.5 / B)
        low, high = ends(weights @ each / 20, alternative)
        assert (found.lower[at], found.upper[at]) == (pytest.approx(low), pytest.approx(high))


def test_percentile_intervals_agree_with_scipy(values):
    each = values[:, 4] - values[:, 0]
    theirs = stats.bootstrap((each,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(1))
    scores = GridScores.of(values)
    ours = bootstrap_shift(scores, all_pairs(5), Resampling(20_000), 0.05)
    at = 3  # the pair (0, 4)
    noise = 0.05 * each.std() / np.sqrt(20) * 2
    assert abs(-ours.upper[at] - theirs.confidence_interval.low) < noise
    assert abs(-ours.lower[at] - theirs.confidence_interval.high) < noise


@pytest.mark.parametrize("statistic", [median, geometric_mean])
def test_other_statistics_against_a_loop(values, weights, statistic):
    scores, pairs = GridScores.of(values), all_pairs(5)
    how = Resampling(B, statistic=statistic)
    resampled = bootstrap_values(scores, how)
    slow = np.array([statistic(np.repeat(values, row.astype(int), axis=0), axis=0) for row in weights]).T
    np.testing.assert_allclose(resampled, slow, rtol=1e-9)
    found = bootstrap_shift(scores, pairs, how, 0.05)
    observed = statistic(values, axis=0)
    for at, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        each = slow[a] - slow[b]
        assert found.p[at] == pytest.approx(
            share(each - each.mean(), observed[a] - observed[b], "two-sided"), abs=3 / B
        )


@pytest.mark.parametrize("test", [bootstrap_shift, bootstrap_t])
@pytest.mark.parametrize(("workers", "memory"), [(2, 512), (1, 0.2), (3, 0.09), (2, 0.001)])
def test_workers_and_memory_change_nothing(values, test, workers, memory):
    """Down to a memory that holds only two systems or one pair at a time."""
    scores, pairs = GridScores.of(values), all_pairs(5)
    usual = test(scores, pairs, Resampling(B, workers=1), 0.05)
    other = test(scores, pairs, Resampling(B, workers=workers, memory=memory), 0.05)
    for name in ("p", "lower", "upper"):
        assert np.array_equal(getattr(usual, name), getattr(other, name)), name


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("test", [bootstrap_shift, bootstrap_t])
def test_identical_and_constant_differences(test, alternative):
    base = np.array([0.1, 0.5, 0.2, 0.9, 0.4, 0.3])
    scores = GridScores.of(np.column_stack([base, base, base - 0.1]))
    p = test(scores, all_pairs(3), Resampling(200, alternative=alternative), 0.05).p
    assert p[0] == 1
    limit = 1.0 if alternative == "less" else 1 / 201
    assert p[1:].tolist() == [limit, limit]


def test_a_resample_without_spread_is_no_error():
    scores = GridScores.of(np.column_stack([[0.5, 0.5, 0.5, 1.0], [0.5, 0.5, 0.5, 0.5]]))
    found = bootstrap_t(scores, all_pairs(2), Resampling(500), 0.05)
    assert 0.2 < found.p[0] <= 1  # (3/4)^4 of the resamples have no spread and a mean that is off


def test_rank_intervals_against_a_loop(values, weights):
    low, high, resampled = rank_intervals(GridScores.of(values), 0.05, Resampling(B))
    sums = weights @ values
    ranks = stats.rankdata(-sums, axis=1)
    np.testing.assert_allclose(resampled.T, sums, atol=1e-9)
    for j in range(5):
        assert low[j] == np.quantile(ranks[:, j], 0.025, method="inverted_cdf")
        assert high[j] == np.quantile(ranks[:, j], 0.975, method="inverted_cdf")


def test_systems_that_tie_share_their_ranks():
    column = np.random.default_rng(1).random(15)
    scores = GridScores.of(np.column_stack([column, column, column - 0.5]))
    low, high, _ = rank_intervals(scores, 0.05, Resampling(300))
    assert low.tolist() == [1, 1, 3]
    assert high.tolist() == [2, 2, 3]


def test_quantiles_of_few_resamples():
    resampled = np.array([[1.0, 3.0, 2.0], [0.0, 0.0, 0.0]])
    lower, upper = percentile_intervals(resampled, all_pairs(2), 0.5)
    assert (lower.tolist(), upper.tolist()) == ([1.5], [2.5])
    lower, upper = percentile_intervals(resampled[:, :1], all_pairs(2), 0.05)
    assert (lower.tolist(), upper.tolist()) == ([1.0], [1.0])


def test_the_bootstrap_keeps_its_input_as_it_was(values):
    before = values.copy()
    scores = GridScores.of(values)
    grid = scores.values.copy()
    bootstrap_t(scores, all_pairs(5), Resampling(100), 0.05)
    bootstrap_shift(scores, all_pairs(5), Resampling(100), 0.05)
    assert np.array_equal(values, before)
    assert np.array_equal(scores.values, grid)


@pytest.mark.filterwarnings("ignore:With 20 topics a bootstrap-shift test")
@pytest.mark.parametrize("test", ["bootstrap", "bootstrap-t"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_interval_per_pair_has_the_direction_of_the_test(test, alternative, values, weights):
    """It was two-sided: for `less`, a p of 1 stood beside an interval with both ends above 0."""
    scores = ScoreMatrix(values, [f"{i:02}" for i in range(20)], list("abcde"), "AP")
    found = compare(scores, test=test, baseline="a", alternative=alternative, intervals="pairwise", n_resamples=B)
    for at, (a, b) in enumerate(zip(found.system_a, found.system_b, strict=True)):
        resampled = weights @ (values[:, "abcde".index(a)] - values[:, "abcde".index(b)]) / 20
        assert (found.lower[at], found.upper[at]) == pytest.approx(ends(resampled, alternative))


def test_the_rank_of_a_median_lies_in_its_interval():
    """The median of a resample is one of other topics: its ranks can leave out the rank on these topics."""
    rng = np.random.default_rng(0)
    outside = 0
    for _ in range(60):
        values = np.round(rng.random((12, 6)), 1)
        scores = ScoreMatrix(values, [str(i) for i in range(12)], list("abcdef"), "AP")
        low, high, _ = rank_intervals(GridScores.of(values), 0.5, Resampling(199, statistic=median))
        found = compare(scores, test="randomisation", statistic="median", alpha=0.5, n_resamples=199)
        by_name = dict(zip(found.systems, found.rank, strict=True))
        rank = np.array([by_name[name] for name in "abcdef"])
        outside += int(((rank < low) | (rank > high)).any())
        assert (found.rank_lower <= found.rank).all()
        assert (found.rank <= found.rank_upper).all()
    assert outside  # the plain percentiles do leave it out
