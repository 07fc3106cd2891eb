"""The set of systems that may be the best, and rank intervals: definitions, and coverage by simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from cranfield.core.errors import ArgumentError
from cranfield.questions.compare.best import best_set
from cranfield.questions.compare.family import GridScores, all_pairs
from cranfield.questions.compare.flips import saddlepoint
from cranfield.questions.compare.max_t import KAPPA, mean_variance, rank_intervals_by_max_t
from cranfield.questions.compare.resampled import Resampling

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


def test_a_system_far_behind_is_out_though_it_wins_by_far_on_one_topic():
    """t above 7, skewness −1.4: Hall's cubic is flat there, and would take it for 2.5 among thirty systems."""
    rng = np.random.default_rng(9)
    behind = rng.normal(0.16, 0.1, 50)
    behind[0] = -0.46
    best = rng.uniform(0.4, 0.6, 50)
    others = best[:, None] - rng.normal(0.14, 0.1, (50, 28))
    values = np.column_stack([best, best - behind, others])
    t = behind.mean() / behind.std(ddof=1) * np.sqrt(50)
    assert t > 7
    assert stats.skew(behind) < -1.4
    assert not best_set(GridScores.of(values), Resampling(n_resamples=2000), 0.05).member[1]


def test_skewness_only_lets_more_systems_in(monkeypatch):
    rng = np.random.default_rng(7)
    for skewed in (rng.exponential(size=(30, 8)), rng.normal(size=(30, 8)), rng.beta(0.3, 2, size=(30, 8))):
        scores = GridScores.of(skewed + np.linspace(0, 1, 8))
        with_it = best_set(scores, Resampling(n_resamples=300), 0.05)
        with monkeypatch.context() as patch:
            patch.setattr("cranfield.questions.compare.best.MORE_SKEWED", 0.0)
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


def true_ranks(means):
    """The lowest and the highest rank that systems with these true means have; those that tie share all of theirs."""
    ordered = np.sort(means)
    above = len(means) - np.searchsorted(ordered, means, side="right")
    return 1 + above, len(means) - np.searchsorted(ordered, means, side="left")


def test_ranks_of_one_system_by_the_definition():
    """Resamples of its own, with whole studentised differences: a critical value per system, then a count."""
    n, m = 30, 4
    values = np.random.default_rng(7).normal(size=(n, m)) + np.linspace(0, 2.5, m)
    lower, upper, _ = rank_intervals_by_max_t(GridScores.of(values), Resampling(), 0.2)
    weights = np.random.default_rng(1).multinomial(n, np.full(n, 1 / n), 20_000) / n
    v0 = mean_variance(GridScores.of(values))
    for i in range(m):
        d = np.delete(values - values[:, [i]], i, axis=1)
        e = (d - d.mean(axis=0)) * np.sqrt(n / (n - 1))
        drawn = weights @ e
        spread = (weights @ e**2 - drawn**2) * n / (n - 1)
        critical = np.quantile((np.abs(drawn) / np.sqrt((spread + KAPPA * v0) / n)).max(axis=1), 0.8)
        t = d.mean(axis=0) / np.sqrt((d.var(axis=0, ddof=1) + KAPPA * v0) / n)
        assert np.abs(np.abs(t) - critical).min() > 0.1, "pick other data: too close to call"
        assert (lower[i], upper[i]) == (1 + (t > critical).sum(), m - (t < -critical).sum())


def test_ranks_of_one_system_are_no_wider_and_no_worker_matters():
    values = np.random.default_rng(8).beta(1, 3, (40, 15)) + np.linspace(0, 0.3, 15)
    values[:, 3] = values[:, 4]
    scores = GridScores.of(values)
    how = Resampling(n_resamples=3000, workers=1)
    lower, upper, _ = rank_intervals_by_max_t(scores, how, 0.05)
    others = rank_intervals_by_max_t(scores, Resampling(n_resamples=3000, workers=3), 0.05)
    assert (lower.tolist(), upper.tolist()) == (others[0].tolist(), others[1].tolist())
    assert (lower[3], upper[3]) == (lower[4], upper[4])


@pytest.mark.slow
@pytest.mark.parametrize("n_topics", [25, 50])
@pytest.mark.parametrize("truth", TRUTHS)
def test_every_rank_is_covered_by_itself(truth, n_topics):
    rng = np.random.default_rng(9)
    mean, spread = TRUTHS[truth]
    lowest, highest = true_ranks(mean)
    runs, covered = 100, np.zeros(10)
    for _ in range(runs):
        values = rng.normal(size=(n_topics, 1)) + spread * rng.normal(size=(n_topics, 10)) + mean
        lower, upper, _ = rank_intervals_by_max_t(GridScores.of(values), Resampling(workers=1), 0.05)
        covered += (lower <= lowest) & (upper >= highest)
    assert covered.min() >= stats.binom.isf(0.9995, runs, 0.95), covered / runs
