"""Randomisation tests against full enumeration, scipy, and the published example."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from cranfield.questions.compare.family import GridScores, Pairs, against, all_pairs, count_true, tally
from cranfield.questions.compare.randomisation import randomisation, randomised_tukey
from cranfield.questions.compare.resampled import Resampling, geometric_mean, median

ALTERNATIVES = ["two-sided", "greater", "less"]
FOLDS = np.array([[0.2, 0.3, 0.1, 0.4, 1, 0.8, 0.3, 0.1, 0, 0.9], [0.5, 0.3, 0.1, 0.4, 1, 0.9, 0.1, 0.2, 0.5, 0.8]]).T
"""INLS 509, Fisher's Randomization Test: ten folds of systems A and B."""


def enumerated(x, y, alternative, summary=lambda values: sum(values) / len(values)):
    """The exact p-value in rational arithmetic: no rounding anywhere."""
    x, y = ([Fraction(str(v)) for v in side] for side in (x, y))
    observed = summary(x) - summary(y)
    count = 0
    for keep in product([True, False], repeat=len(x)):
        first = [a if k else b for a, b, k in zip(x, y, keep, strict=True)]
        second = [b if k else a for a, b, k in zip(x, y, keep, strict=True)]
        value = summary(first) - summary(second)
        if alternative == "two-sided":
            count += abs(value) >= abs(observed)
        else:
            count += value >= observed if alternative == "greater" else value <= observed
    return count / 2 ** len(x)


def exact_median(values):
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def test_the_ten_folds_of_the_slides():
    found = randomisation(GridScores.of(FOLDS), Pairs(np.array([1]), np.array([0])), Resampling(alternative="greater"))
    assert found.exact
    assert found.p[0] * 1024 == 208
    assert enumerated(FOLDS[:, 1], FOLDS[:, 0], "greater") == 208 / 1024


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_decimal_ties_are_counted_as_ties(alternative):
    """Precision at 20 and scores of one decimal: a binary grid alone would break their ties."""
    rng = np.random.default_rng(5)
    values = np.concatenate([rng.binomial(20, 0.3, (9, 4)) / 20, np.round(rng.random((9, 4)), 1)], axis=1)
    pairs = all_pairs(8)
    found = randomisation(GridScores.of(values), pairs, Resampling(alternative=alternative))
    exact = [enumerated(values[:, a], values[:, b], alternative) for a, b in zip(pairs.a, pairs.b, strict=True)]
    assert found.p.tolist() == exact


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_thirds_are_exact_too(alternative):
    values = np.random.default_rng(6).integers(0, 4, (8, 3)) / 3
    pairs = all_pairs(3)
    found = randomisation(GridScores.of(values), pairs, Resampling(alternative=alternative))
    whole = np.rint(values * 3).astype(int)
    assert found.p.tolist() == [
        enumerated(whole[:, a], whole[:, b], alternative) for a, b in zip(pairs.a, pairs.b, strict=True)
    ]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_agrees_with_scipy_exactly_and_by_monte_carlo(alternative):
    values = np.random.default_rng(7).beta(1, 3, (12, 3))
    pairs = all_pairs(3)
    exact = randomisation(GridScores.of(values), pairs, Resampling(alternative=alternative))
    theirs = [
        stats.permutation_test(
            (values[:, a] - values[:, b],),
            lambda d, axis: d.mean(axis=axis),
            permutation_type="samples",
            n_resamples=np.inf,
            vectorized=True,
            alternative=alternative,
        ).pvalue
        for a, b in zip(pairs.a, pairs.b, strict=True)
    ]
    np.testing.assert_allclose(exact.p, theirs, rtol=1e-12)
    drawn = randomisation(GridScores.of(values), pairs, Resampling(n_resamples=4000, alternative=alternative))
    assert not drawn.exact
    assert np.abs(drawn.p - exact.p).max() < 5 * np.sqrt(0.25 / 4000)


def test_the_smallest_monte_carlo_p_is_one_over_b_plus_one():
    values = np.column_stack([np.ones(40), np.zeros(40)])
    found = randomisation(GridScores.of(values), all_pairs(2), Resampling(n_resamples=999))
    assert found.p.tolist() == [1 / 1000]
    assert found.smallest == 1 / 1000


def test_enumeration_starts_when_it_is_no_more_work():
    values = np.random.default_rng(1).random((10, 2))
    for n_resamples, exact, total in [(1023, False, 1023), (1024, True, 1024), (100_000, True, 1024)]:
        found = randomisation(GridScores.of(values), all_pairs(2), Resampling(n_resamples=n_resamples))
        assert (found.exact, found.n_resamples) == (exact, total)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_identical_systems_have_p_1(alternative):
    column = np.random.default_rng(1).random(30)
    values = np.column_stack([column, column, np.random.default_rng(2).random(30)])
    how = Resampling(n_resamples=500, alternative=alternative)
    assert randomisation(GridScores.of(values), all_pairs(3), how).p[0] == 1
    assert randomised_tukey(GridScores.of(values), all_pairs(3), Resampling(n_resamples=500), 0.05).p[0] == 1


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_medians_against_enumeration(alternative):
    values = np.round(np.random.default_rng(8).random((9, 3)), 2)
    pairs = against([1], 3)
    found = randomisation(GridScores.of(values), pairs, Resampling(alternative=alternative, statistic=median))
    exact = [
        enumerated(values[:, a], values[:, b], alternative, exact_median) for a, b in zip(pairs.a, pairs.b, strict=True)
    ]
    assert found.p.tolist() == exact


def test_geometric_means_against_enumeration():
    # Powers of two: products are exact, and so are their ties.
    exponents = np.random.default_rng(9).integers(-6, 0, (8, 2))
    values = 2.0**exponents
    found = randomisation(GridScores.of(values), all_pairs(2), Resampling(statistic=geometric_mean))
    observed = abs(np.exp2(exponents[:, 0].mean()) - np.exp2(exponents[:, 1].mean()))
    count = 0
    for keep in product([True, False], repeat=8):
        a = np.where(keep, exponents[:, 0], exponents[:, 1]).sum() / 8
        b = np.where(keep, exponents[:, 1], exponents[:, 0]).sum() / 8
        count += abs(np.exp2(a) - np.exp2(b)) >= observed - 1e-12
    assert found.p.tolist() == [count / 256]


def test_the_mean_as_a_function_gives_the_same_as_the_product():
    values = np.random.default_rng(10).binomial(10, 0.3, (40, 4)) / 10
    fast = randomisation(GridScores.of(values), all_pairs(4), Resampling(n_resamples=3000))
    slow = randomisation(
        GridScores.of(values),
        all_pairs(4),
        Resampling(n_resamples=3000, statistic=lambda x, axis: x.sum(axis=axis) / x.shape[axis]),
    )
    assert np.array_equal(fast.p, slow.p)


def test_randomised_tukey_against_full_enumeration():
    values = np.array([[0.5, 0.2, 0.3], [0.7, 0.5, 0.2], [0.5, 0.1, 0.4], [0.6, 0.2, 0.3]])
    whole = np.rint(values * 10).astype(int)
    ranges = []
    for rows in product(*[list(permutations(row)) for row in whole.tolist()]):
        sums = np.sum(rows, axis=0)
        ranges.append(sums.max() - sums.min())
    pairs = all_pairs(3)
    sums = whole.sum(axis=0)
    exact = [(np.array(ranges) >= abs(sums[a] - sums[b])).mean() for a, b in zip(pairs.a, pairs.b, strict=True)]
    found = randomised_tukey(GridScores.of(values), pairs, Resampling(n_resamples=20_000), 0.05)
    assert np.abs(found.p - exact).max() < 5 * np.sqrt(0.25 / 20_000)


@pytest.mark.parametrize("n_resamples", [19, 100, 999, 5000])
@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_randomised_tukey_intervals_leave_out_0_exactly_when_significant(n_resamples, statistic):
    values = np.random.default_rng(3).beta(1, 3, (12, 6)) + np.array([0, 0.05, 0.1, 0.15, 0.3, 0.5])
    how = Resampling(n_resamples=n_resamples) if statistic == "mean" else Resampling(n_resamples, statistic=median)
    found = randomised_tukey(GridScores.of(values), all_pairs(6), how, 0.05)
    assert np.array_equal(found.p <= 0.05, (found.lower > 0) | (found.upper < 0))
    assert (found.p <= 0.05).any()


def test_two_systems_under_randomised_tukey_are_a_two_sided_randomisation():
    values = np.random.default_rng(4).beta(1, 3, (12, 2))
    exact = randomisation(GridScores.of(values), all_pairs(2), Resampling()).p[0]
    drawn = randomised_tukey(GridScores.of(values), all_pairs(2), Resampling(n_resamples=20_000), 0.05).p[0]
    assert abs(drawn - exact) < 5 * np.sqrt(exact / 20_000)


@pytest.mark.parametrize("test", ["randomisation", "tukey"])
@pytest.mark.parametrize(("workers", "memory"), [(1, 512), (2, 512), (3, 0.05), (1, 0.001)])
def test_workers_and_memory_change_nothing(test, workers, memory):
    values = np.random.default_rng(5).binomial(20, 0.3, (30, 7)) / 20
    scores, pairs = GridScores.of(values), all_pairs(7)

    def run(how):
        return (
            randomisation(scores, pairs, how) if test == "randomisation" else randomised_tukey(scores, pairs, how, 0.05)
        )

    usual = run(Resampling(n_resamples=3000, workers=1))
    assert np.array_equal(usual.p, run(Resampling(n_resamples=3000, workers=workers, memory=memory)).p)
    assert not np.array_equal(usual.p, run(Resampling(n_resamples=3000, seed=2)).p)


def test_progress_is_reported_to_the_end():
    seen = []
    how = Resampling(n_resamples=3000, progress=lambda *at: seen.append(at))
    randomisation(GridScores.of(np.random.default_rng(1).random((30, 3))), all_pairs(3), how)
    assert seen[-1] == (3000, 3000)


@pytest.mark.parametrize("width", [1, 7, 8, 9, 255, 2040, 2041, 5003])
def test_count_true_counts(width):
    hits = np.random.default_rng(width).random((13, width)) < 0.9
    assert np.array_equal(count_true(hits), hits.sum(axis=1))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_tally_against_the_definition(alternative):
    rng = np.random.default_rng(1)
    sums = rng.integers(-3, 4, (30, 1001)).astype(float)
    pairs = all_pairs(30)
    observed, centre = rng.integers(-3, 4, len(pairs)).astype(float), rng.integers(-1, 2, len(pairs)).astype(float)
    each = sums[pairs.a] - sums[pairs.b] - centre[:, None]
    wanted = {
        "two-sided": np.abs(each) >= np.abs(observed)[:, None],
        "greater": each >= observed[:, None],
        "less": each <= observed[:, None],
    }[alternative].sum(axis=1)
    assert np.array_equal(tally(sums, pairs, observed, alternative, centre=centre), wanted)
