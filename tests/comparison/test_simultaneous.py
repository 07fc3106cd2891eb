"""Intervals agree with decisions, for every test and correction; and what they promise, by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cranfield.core.errors import ArgumentError
from cranfield.questions.compare import classical
from cranfield.questions.compare.compare import run_test
from cranfield.questions.compare.corrections import adjust
from cranfield.questions.compare.family import GridScores, all_pairs, differences
from cranfield.questions.compare.flips import saddlepoint
from cranfield.questions.compare.intervals import interval_level, simultaneous_intervals
from cranfield.questions.compare.resampled import Resampling, critical_value
from cranfield.questions.compare.westfall_young import as_t, interval_critical_t, westfall_young

CORRECTIONS = ["none", "bonferroni", "holm", "bh", "by"]
TESTS = ["randomisation", "bootstrap", "bootstrap-t", "t", "wilcoxon", "sign", "unpaired-t", "welch"]


def agree(difference, result, p_adjusted, alpha, alternative="two-sided"):
    significant = p_adjusted <= alpha
    inside = (result.lower < 0) & (result.upper > 0)
    pointing = {"two-sided": difference != 0, "greater": difference > 0, "less": difference < 0}[alternative]
    assert not (inside & significant & pointing).any()
    holds = (result.lower <= 0) & (result.upper >= 0)
    assert (holds | (significant & pointing)).all()
    assert (result.lower <= difference).all()
    assert (difference <= result.upper).all()


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(3, 25),
    st.sampled_from(TESTS),
    st.sampled_from(CORRECTIONS),
    st.sampled_from(["two-sided", "greater", "less"]),
    st.sampled_from([0.01, 0.05, 0.2]),
    st.sampled_from(["beta", "tenths", "heavy"]),
)
def test_every_interval_agrees_with_its_decision(seed, n, test, correction, alternative, alpha, shape):
    rng = np.random.default_rng(seed)
    shift = rng.choice([0, 0.1, 0.3], 5)
    values = {
        "beta": lambda: rng.beta(1, 3, (n, 5)) + shift,
        "tenths": lambda: np.round(rng.beta(1, 3, (n, 5)) + shift, 1),
        "heavy": lambda: rng.standard_t(2, (n, 5)) + shift,
    }[shape]()
    scores, pairs = GridScores.of(values), all_pairs(5)
    how = Resampling(n_resamples=500, seed=seed, alternative=alternative, workers=1)
    p = run_test(scores, pairs, test, alpha, how).p
    each = differences(scores, pairs)
    error, df = each.error, float(n - 1)
    if test in ("unpaired-t", "welch"):
        error, df = classical.two_samples(scores, pairs, pooled=test == "unpaired-t")
    adjusted = adjust(p, correction)
    result = simultaneous_intervals(
        each.mean, error, df, adjusted, correction=correction, alpha=alpha, alternative=alternative
    )
    agree(each.mean, result, adjusted, alpha, alternative)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(6, 25))
def test_westfall_young_intervals_agree(seed, n):
    rng = np.random.default_rng(seed)
    values = rng.beta(1, 3, (n, 6)) + rng.choice([0, 0.1, 0.3], 6)
    scores, pairs = GridScores.of(values), all_pairs(6)
    how = Resampling(n_resamples=500, seed=seed, workers=1)
    found = westfall_young(scores, pairs, how)
    each = differences(scores, pairs)
    result = simultaneous_intervals(
        each.mean,
        each.error,
        float(n - 1),
        found,
        correction="westfall-young",
        alpha=0.05,
        critical=interval_critical_t(scores, pairs, how, 0.05),
    )
    agree(each.mean, result, found, 0.05)


def test_the_t_test_without_correction_is_the_t_interval():
    values = np.random.default_rng(1).beta(1, 3, (30, 6)) + np.linspace(0, 0.2, 6)
    scores, pairs = GridScores.of(values), all_pairs(6)
    each = differences(scores, pairs)
    p = classical.paired_t(scores, pairs, "two-sided")
    result = simultaneous_intervals(each.mean, each.error, 29.0, p, correction="none", alpha=0.05)
    half = stats.t.isf(0.025, 29) * each.error
    np.testing.assert_allclose(result.lower, each.mean - half, rtol=1e-9)
    np.testing.assert_allclose(result.upper, each.mean + half, rtol=1e-9)


def test_selected_intervals_have_the_level_of_benjamini_and_yekutieli():
    assert interval_level("bh", 0.05, 100, 0) == 0.05 / 100
    assert interval_level("bh", 0.05, 100, 20) == pytest.approx(0.01)
    assert interval_level("by", 0.05, 2, 2) == pytest.approx(0.05 / 1.5)


def test_a_procedure_without_a_level_needs_its_critical_value():
    with pytest.raises(ArgumentError, match="Give its critical value"):
        interval_level("westfall-young", 0.05, 10, 1)


# ── what is promised, by simulation ───────────────────────────────────────────────────────────────────────

RUNS, SYSTEMS, TOPICS = 1000, 8, 30
TRUTHS = {
    "equal": np.zeros(SYSTEMS),
    "half differ": np.where(np.arange(SYSTEMS) < 4, 0.0, 0.7),
    "graded": np.linspace(0, 1.5, SYSTEMS),
    "far": np.arange(SYSTEMS) * 2.0,
}


@pytest.fixture(scope="module")
def simulated():
    """Per truth and correction: how often all intervals cover, and the mean share of selected ones that do not."""
    pairs = all_pairs(SYSTEMS)
    outcome = {}
    for name, truth in TRUTHS.items():
        rng = np.random.default_rng(11)
        true = truth[pairs.a] - truth[pairs.b]
        every, false = dict.fromkeys([*CORRECTIONS, "westfall-young"], 0), dict.fromkeys([*CORRECTIONS], 0.0)
        for _ in range(RUNS):
            values = rng.normal(size=(TOPICS, 1)) + rng.gamma(4, 0.5, (TOPICS, SYSTEMS)) + truth
            scores = GridScores.of(values)
            each = differences(scores, pairs)
            p = saddlepoint(scores, pairs, "two-sided")
            flips = Resampling(n_resamples=499, workers=1)
            found = westfall_young(scores, pairs, flips)
            for correction in every:
                stepped = correction == "westfall-young"
                adjusted = found if stepped else adjust(p, correction)
                result = simultaneous_intervals(
                    each.mean,
                    each.error,
                    TOPICS - 1.0,
                    adjusted,
                    correction=correction,
                    alpha=0.05,
                    critical=interval_critical_t(scores, pairs, flips, 0.05) if stepped else None,
                )
                agree(each.mean, result, adjusted, 0.05)
                missed = (true < result.lower) | (true > result.upper)
                every[correction] += not missed.any()
                if not stepped:
                    chosen = adjusted <= 0.05
                    false[correction] += (missed & chosen).sum() / max(chosen.sum(), 1)
        outcome[name] = {c: (every[c] / RUNS, false.get(c, 0.0) / RUNS) for c in every}
    return outcome


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["bonferroni", "holm", "westfall-young"])
def test_family_wise_intervals_cover_all_at_once(simulated, correction):
    least = stats.binom.isf(0.999, RUNS, 0.95) / RUNS
    for name in TRUTHS:
        assert simulated[name][correction][0] >= least, (name, simulated[name][correction])


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["bh", "by"])
def test_selected_intervals_keep_the_false_coverage_rate(simulated, correction):
    for name in TRUTHS:
        assert simulated[name][correction][1] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / RUNS), (name, simulated[name])


@pytest.mark.slow
def test_flips_of_differences_that_are_not_zero_make_intervals_too_short():
    """Why intervals flip about the means: with systems far apart the test's own critical value covers too seldom."""
    rng = np.random.default_rng(12)
    pairs, truth = all_pairs(SYSTEMS), TRUTHS["far"]
    true = pairs.of(truth)
    runs, covered = 600, np.zeros(2)
    for _ in range(runs):
        values = rng.normal(size=(TOPICS, 1)) + rng.gamma(4, 0.5, (TOPICS, SYSTEMS)) + truth
        scores, how = GridScores.of(values), Resampling(n_resamples=499, workers=1)
        each = differences(scores, pairs)
        t = np.abs(each.mean - true) / each.error
        d = values[:, pairs.a] - values[:, pairs.b]
        largest = np.abs(rng.choice([-1, 1], (499, TOPICS)) @ d / np.sqrt((d**2).sum(axis=0))).max(axis=1)
        of_test = as_t(critical_value(np.sort(largest), 0.05), TOPICS)
        for at, critical in enumerate([of_test, interval_critical_t(scores, pairs, how, 0.05)]):
            covered[at] += (t <= critical).all()
    assert covered[0] / runs < 0.9
    assert covered[1] >= stats.binom.isf(0.999, runs, 0.95)
