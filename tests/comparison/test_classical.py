"""t, Wilcoxon and sign tests against scipy, pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cranfield.questions.compare import classical
from cranfield.questions.compare.family import GridScores, Pairs, all_pairs, differences, tied_ranks

ALTERNATIVES = ["two-sided", "greater", "less"]


def continuous(n=25, m=6, seed=1):
    return np.random.default_rng(seed).beta(1, 3, (n, m))


def discrete(n=25, m=6, seed=2):
    """Precision at 20: many ties and zeros that are ties in decimals only."""
    return np.random.default_rng(seed).binomial(20, 0.2, (n, m)) / 20


SAMPLES = {
    "continuous": continuous(),
    "few": continuous(8),
    "long": continuous(80),
    "discrete": discrete(),
    "few discrete": discrete(9),
    "decimals": np.round(continuous(30), 1),
}


def by_pair(values, peer):
    pairs = all_pairs(values.shape[1])
    return np.array([peer(values[:, a], values[:, b]) for a, b in zip(pairs.a, pairs.b, strict=True)])


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_paired_t(sample, alternative):
    values = SAMPLES[sample]
    ours = classical.paired_t(GridScores.of(values), all_pairs(6), alternative)
    theirs = by_pair(values, lambda x, y: stats.ttest_rel(x, y, alternative=alternative).pvalue)
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("sample", SAMPLES)
def test_unpaired_t(sample, pooled, alternative):
    values = SAMPLES[sample]
    ours = classical.unpaired_t(GridScores.of(values), all_pairs(6), alternative, pooled)
    theirs = by_pair(values, lambda x, y: stats.ttest_ind(x, y, equal_var=pooled, alternative=alternative).pvalue)
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_sign(sample, alternative):
    values = SAMPLES[sample]

    def peer(x, y):
        won, lost = int((x > y).sum()), int((x < y).sum())
        return stats.binomtest(won, won + lost, alternative=alternative).pvalue

    ours = classical.sign(GridScores.of(values), all_pairs(6), alternative)
    np.testing.assert_allclose(ours, by_pair(values, peer), rtol=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_wilcoxon(sample, alternative):
    values = SAMPLES[sample]

    def peer(x, y):
        d = np.round(x - y, 12)  # scipy sees ties only when they are exact
        d = d[d != 0]
        ties = len(np.unique(np.abs(d))) < len(d)
        if ties and len(d) <= 13:
            method = stats.PermutationMethod(n_resamples=np.inf)
        else:
            method = "exact" if not ties and len(d) <= 50 else "asymptotic"
        return stats.wilcoxon(d, alternative=alternative, method=method, correction=False).pvalue

    ours = classical.wilcoxon(GridScores.of(values), all_pairs(6), alternative)
    np.testing.assert_allclose(ours, by_pair(values, peer), rtol=1e-8)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("test", ["paired_t", "unpaired_t", "wilcoxon", "sign"])
def test_identical_systems_have_p_1(test, alternative):
    column = np.linspace(0, 1, 9)
    scores = GridScores.of(np.column_stack([column, column]))
    assert getattr(classical, test)(scores, all_pairs(2), alternative).tolist() == [1.0]


@pytest.mark.parametrize(
    ("alternative", "p"), [("two-sided", classical.TINY), ("greater", classical.TINY), ("less", 1.0)]
)
def test_a_constant_difference_has_a_bound_for_p(alternative, p):
    base = np.array([0.1, 0.2, 0.4, 0.7, 0.3])
    scores = GridScores.of(np.column_stack([base + 0.1, base]))  # constant in decimals, not in binary
    assert classical.paired_t(scores, all_pairs(2), alternative).tolist() == [p]
    assert differences(scores, all_pairs(2)).sd.tolist() == [0.0]


def test_constant_systems_do_not_make_nan():
    scores = GridScores.of(np.column_stack([np.full(5, 0.5), np.full(5, 0.25), np.full(5, 0.5)]))
    for pooled in (True, False):
        assert classical.unpaired_t(scores, all_pairs(3), "two-sided", pooled).tolist() == [
            classical.TINY,
            1.0,
            classical.TINY,
        ]


def test_p_is_never_0_by_underflow():
    base = np.linspace(0, 1, 400)
    noise = np.random.default_rng(1).normal(0, 1e-9, 400)
    scores = GridScores.of(np.column_stack([base + 1000 + noise, base]))
    assert classical.paired_t(scores, all_pairs(2), "two-sided")[0] > 0
    assert (
        classical.sign(GridScores.of(np.column_stack([np.ones(3000), np.zeros(3000)])), all_pairs(2), "greater")[0] > 0
    )


def test_decimal_ties_are_ties():
    # .3 − .2 and .2 − .1 differ in binary; both are .1.
    scores = GridScores.of([[0.3, 0.2], [0.2, 0.1], [0.9, 0.8], [0.1, 0.5]])
    ours = classical.wilcoxon(scores, all_pairs(2), "two-sided")[0]
    exact = stats.wilcoxon([1, 1, 1, -4], method=stats.PermutationMethod(n_resamples=np.inf)).pvalue
    assert ours == pytest.approx(exact)


def test_the_unit_of_the_scores_does_not_matter():
    values = continuous(12)
    plain = classical.wilcoxon(GridScores.of(values), all_pairs(6), "two-sided")
    assert np.array_equal(plain, classical.wilcoxon(GridScores.of(values * 2.0**-50), all_pairs(6), "two-sided"))
    t = [classical.paired_t(GridScores.of(values * f), all_pairs(6), "two-sided") for f in (1, 1e-15, 1e6)]
    np.testing.assert_allclose(t[1], t[0], rtol=1e-7)
    np.testing.assert_allclose(t[2], t[0], rtol=1e-7)


def test_tied_ranks_against_scipy():
    values = np.random.default_rng(3).integers(0, 6, (10, 50)).astype(float)
    best, worst = tied_ranks(values, 0)
    assert np.array_equal(best, stats.rankdata(-values, method="min", axis=0))
    assert np.array_equal(worst, stats.rankdata(-values, method="max", axis=0))


def test_many_topics_are_taken_in_chunks():
    values = np.random.default_rng(4).random((200_000, 3))
    pairs = Pairs(np.array([0, 1]), np.array([2, 0]))
    assert pairs.chunk_size(200_000) == 1
    found = differences(GridScores.of(values), pairs)
    each = values[:, [0, 1]] - values[:, [2, 0]]
    np.testing.assert_allclose(found.mean, each.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(found.sd, each.std(axis=0, ddof=1), rtol=1e-9)
