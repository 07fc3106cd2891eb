"""The set of systems that may be the best, and simultaneous rank intervals: definitions, and coverage by simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cranfield.comparison.best import best_set
from cranfield.comparison.corrections import adjust
from cranfield.comparison.grid import GridScores
from cranfield.comparison.pairs import all_pairs
from cranfield.comparison.rank_intervals import marginal_ranks, simultaneous_ranks, true_ranks
from cranfield.comparison.resampled import Resampling
from cranfield.comparison.saddlepoint import saddlepoint
from cranfield.comparison.westfall_young import westfall_young
from cranfield.errors import ArgumentError

# ── the best ──────────────────────────────────────────────────────────────────────────────────────────────


def hall(u, skewness, n):
    """Hall's transformation of t, with twice the skewness where that is negative, as u again."""
    t = u * np.sqrt((n - 1) / (n - u**2))
    a = 2 * np.maximum(-skewness, 0) / (3 * np.sqrt(n))
    t = np.where((t > 0) & (a > 0), np.minimum(t, (1 - (1 - a * t) ** 3) / np.where(a > 0, 3 * a, 1) - a / 2), t)
    return t * np.sqrt(n / (n - 1 + t**2))


def direct(values, alpha):
    """Every flip and every system, by the definition."""
    m = values.shape[1]
    p = []
    for i in range(m):
        d = np.delete(values - values[:, [i]], i, axis=1)
        scale = 1 / np.sqrt((d**2).sum(axis=0))
        observed = hall((d.sum(axis=0) * scale), stats.skew(d), len(d)).max()
        flips = np.array(list(product([-1, 1], repeat=len(d))))
        p.append(((flips @ d * scale).max(axis=1) >= observed - 1e-9).mean())
    return np.array(p)


def test_is_the_definition():
    values = np.random.default_rng(1).normal(size=(10, 5)) + np.linspace(0, 1.2, 5)
    p = best_set(GridScores.of(values), Resampling(n_resamples=40_000), 0.05).p
    exact = direct(values, 0.05)
    leader = values.mean(axis=0).argmax()
    assert p[leader] == 1
    others = np.arange(5) != leader
    assert np.abs(p[others] - exact[others]).max() < 5 * np.sqrt(0.25 / 40_000)


def test_clear_losers_leave_without_flips_and_rightly_so():
    values = np.random.default_rng(2).normal(size=(50, 30)) + np.where(np.arange(30) < 3, 3.0, 0.0)
    result = best_set(GridScores.of(values), Resampling(n_resamples=500), 0.05)
    assert not result.member[3:].any()
    assert result.member[:3].any()
    assert (result.p > 0).all()
    assert ((result.p <= 0.05) == ~result.member).all()


def test_identical_leaders_stay_together_and_workers_do_not_matter():
    values = np.random.default_rng(3).beta(1, 3, (30, 12))
    values[:, 5] = values[:, 7] = values[:, 0] + 0.2
    scores = GridScores.of(values)
    one = best_set(scores, Resampling(n_resamples=2500, workers=1), 0.05)
    assert one.member[[5, 7]].all()
    assert one.p[[5, 7]].tolist() == [1, 1]
    assert one.p.tobytes() == best_set(scores, Resampling(n_resamples=2500, workers=3), 0.05).p.tobytes()


def test_two_systems_are_a_one_sided_test():
    values = np.random.default_rng(4).normal(size=(40, 2))
    values[20:] = -values[:20]  # differences without skewness
    values += [0.0, 0.2]
    scores = GridScores.of(values)
    result = best_set(scores, Resampling(n_resamples=50_000), 0.05)
    expected = saddlepoint(scores, all_pairs(2), "less")[0]
    assert result.p[0] == pytest.approx(expected, rel=0.1)


def test_a_system_that_wins_by_far_on_few_topics_stays():
    """Equally good, log-normal differences (skewness 33): flips alone left the better-hidden one out in a fifth."""
    rng = np.random.default_rng(6)
    spread, runs, covered = np.array([1.5, 0.25]), 200, 0
    for _ in range(runs):
        values = np.exp(rng.normal(size=(50, 2)) * spread - spread**2 / 2)
        covered += bool(best_set(GridScores.of(values), Resampling(n_resamples=199, workers=1), 0.05).member[0])
    assert covered >= stats.binom.isf(0.999, runs, 0.95), covered / runs


def test_skewness_only_lets_more_systems_in(monkeypatch):
    rng = np.random.default_rng(7)
    for skewed in (rng.exponential(size=(30, 8)), rng.normal(size=(30, 8)), rng.beta(0.3, 2, size=(30, 8))):
        scores = GridScores.of(skewed + np.linspace(0, 1, 8))
        with_it = best_set(scores, Resampling(n_resamples=300), 0.05)
        with monkeypatch.context() as patch:
            patch.setattr("cranfield.comparison.best.MORE_SKEWED", 0.0)
            without = best_set(scores, Resampling(n_resamples=300), 0.05)
        assert (with_it.p >= without.p).all()
    constant = np.column_stack([np.full(9, 0.5), np.full(9, 0.5), np.full(9, 0.2)])
    assert best_set(GridScores.of(constant), Resampling(n_resamples=300), 0.05).member.tolist() == [True, True, False]


def test_an_impossible_level_is_refused():
    with pytest.raises(ArgumentError, match=r"`alpha` must be between 0 and 1; got 5. Write 0.05."):
        best_set(GridScores.of(np.eye(3)), Resampling(), 5)


TRUTHS = {
    "all tied": (np.zeros(10), np.ones(10)),
    "three tied": (np.where(np.arange(10) < 3, 0.0, -1.0), np.ones(10)),
    "graded": (-0.25 * np.arange(10), np.ones(10)),
    "noisy best": (np.where(np.arange(10) < 1, 0.0, -0.3), np.where(np.arange(10) < 1, 3.0, 1.0)),
    "noisy others": (np.zeros(10), np.r_[1.0, np.linspace(0.3, 3, 9)]),
}


@pytest.mark.slow
@pytest.mark.parametrize("n_topics", [25, 50])
@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("noise", ["normal", "exponential"])
def test_the_best_is_in_the_set(truth, n_topics, noise):
    """600 simulated tracks of ten systems: each of the tied best is covered with 95%, within binomial noise."""
    rng = np.random.default_rng(5)
    mean, spread = TRUTHS[truth]
    runs, covered = 600, 0
    for _ in range(runs):
        drawn = rng.normal(size=(n_topics, 10)) if noise == "normal" else rng.exponential(size=(n_topics, 10)) - 1
        values = rng.normal(size=(n_topics, 1)) + spread * drawn + mean
        covered += bool(best_set(GridScores.of(values), Resampling(n_resamples=299, workers=1), 0.05).member[0])
    assert covered >= stats.binom.isf(0.999, runs, 0.95), covered / runs


# ── ranks ─────────────────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 12))
def test_right_decisions_give_intervals_that_hold_the_ranks(seed, m):
    rng = np.random.default_rng(seed)
    means = rng.integers(0, 5, m).astype(float)
    pairs = all_pairs(m)
    difference = pairs.of(means)
    true = true_ranks(means)
    everything = simultaneous_ranks(pairs, difference, difference != 0, m)
    assert (everything.lower == true.lower).all()
    assert (everything.upper == true.upper).all()
    some = simultaneous_ranks(pairs, difference, (difference != 0) & (rng.random(len(pairs)) < 0.5), m)
    assert (some.lower <= true.lower).all()
    assert (some.upper >= true.upper).all()
    nothing = simultaneous_ranks(pairs, difference, np.zeros(len(pairs), dtype=bool), m)
    assert (nothing.lower == 1).all()
    assert (nothing.upper == m).all()


def ranks_cover(n_topics, runs, seed):
    """How often all intervals hold at once, for Holm and Westfall–Young, and their mean width."""
    rng = np.random.default_rng(seed)
    m = 20
    pairs = all_pairs(m)
    means = np.r_[np.linspace(0.5, 0.46, 5), np.linspace(0.4, 0.1, 13), 0.3, 0.3]
    true = true_ranks(means)
    covered, width = np.zeros(2), np.zeros(2)
    for _ in range(runs):
        topic = rng.normal(0, 0.15, (n_topics, 1))
        values = means + topic + rng.gamma(2, 0.08, (n_topics, m)) * np.linspace(0.7, 1.3, m)
        values -= 0.16 * np.linspace(0.7, 1.3, m)
        scores = GridScores.of(values)
        difference = pairs.of(scores.sums)
        decided = (
            adjust(saddlepoint(scores, pairs, "two-sided"), "holm") <= 0.05,
            westfall_young(scores, pairs, Resampling(n_resamples=499, workers=1)).p_adjusted <= 0.05,
        )
        for at, significant in enumerate(decided):
            ranks = simultaneous_ranks(pairs, difference, significant, m)
            covered[at] += bool((ranks.lower <= true.lower).all() and (ranks.upper >= true.upper).all())
            width[at] += (ranks.upper - ranks.lower + 1).mean()
    return covered / runs, width / runs


@pytest.mark.slow
@pytest.mark.parametrize("n_topics", [25, 50])
def test_all_ranks_are_covered_at_once(n_topics):
    runs = 400
    covered, _ = ranks_cover(n_topics, runs, 6)
    assert (covered >= stats.binom.isf(0.999, runs, 0.95) / runs).all(), covered


def test_ranks_of_one_system_by_the_definition():
    values = np.random.default_rng(7).normal(size=(9, 4)) + np.linspace(0, 2.5, 4)
    ranks = marginal_ranks(GridScores.of(values), Resampling(n_resamples=30_000), 0.2)
    flips = np.array(list(product([-1, 1], repeat=9)))
    for i in range(4):
        d = np.delete(values - values[:, [i]], i, axis=1)
        scale = 1 / np.sqrt((d**2).sum(axis=0))
        critical = np.quantile(np.abs(flips @ d * scale).max(axis=1), 0.8, method="inverted_cdf")
        u = d.sum(axis=0) * scale
        assert np.abs(np.abs(u) - critical).min() > 0.01, "pick other data: too close to call"
        assert (ranks.lower[i], ranks.upper[i]) == (1 + (u > critical).sum(), 4 - (u < -critical).sum())


def test_ranks_of_one_system_are_no_wider_and_no_worker_matters():
    values = np.random.default_rng(8).beta(1, 3, (40, 15)) + np.linspace(0, 0.3, 15)
    values[:, 3] = values[:, 4]
    scores, pairs = GridScores.of(values), all_pairs(15)
    how = Resampling(n_resamples=3000, workers=1)
    one = marginal_ranks(scores, how, 0.05)
    other = marginal_ranks(scores, Resampling(n_resamples=3000, workers=3), 0.05)
    assert one.lower.tolist() == other.lower.tolist()
    assert one.upper.tolist() == other.upper.tolist()
    significant = westfall_young(scores, pairs, how).p_adjusted <= 0.05
    together = simultaneous_ranks(pairs, pairs.of(scores.sums), significant, 15)
    assert (one.upper - one.lower).sum() < (together.upper - together.lower).sum()
    assert (one.lower[3], one.upper[3]) == (one.lower[4], one.upper[4])


@pytest.mark.slow
@pytest.mark.parametrize("n_topics", [25, 50])
@pytest.mark.parametrize("truth", TRUTHS)
def test_every_rank_is_covered_by_itself(truth, n_topics):
    rng = np.random.default_rng(9)
    mean, spread = TRUTHS[truth]
    true = true_ranks(mean)
    runs, covered = 400, np.zeros(10)
    for _ in range(runs):
        values = rng.normal(size=(n_topics, 1)) + spread * rng.normal(size=(n_topics, 10)) + mean
        ranks = marginal_ranks(GridScores.of(values), Resampling(n_resamples=299, workers=1), 0.05)
        covered += (ranks.lower <= true.lower) & (ranks.upper >= true.upper)
    assert covered.min() >= stats.binom.isf(0.9995, runs, 0.95), covered / runs
