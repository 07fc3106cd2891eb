"""Westfall and Young's step-down maximum against a direct implementation, and its error rate by simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from cranfield.questions.compare.corrections import adjust
from cranfield.questions.compare.family import GridScores, against, all_pairs
from cranfield.questions.compare.randomisation import resolved
from cranfield.questions.compare.resampled import Resampling, critical_value
from cranfield.questions.compare.westfall_young import westfall_young

ALTERNATIVES = ["two-sided", "greater", "less"]


def t_of(d):
    with np.errstate(divide="ignore", invalid="ignore"):
        t = d.mean(axis=1) / (d.std(axis=1, ddof=1) / np.sqrt(d.shape[1]))
    return np.where((d == 0).all(axis=1), 0.0, t)


def direct(values, pairs, alternative):
    """The definition, flip by flip, with t statistics as a textbook has them."""
    turn = {"two-sided": np.abs, "greater": np.asarray, "less": np.negative}[alternative]
    d = (values[:, pairs.a] - values[:, pairs.b]).T
    observed = turn(t_of(d))
    order = np.argsort(-observed, kind="stable")
    shares = np.zeros(len(pairs))
    flips = list(product([-1, 1], repeat=d.shape[1]))
    for flip in flips:
        t = turn(t_of(d * np.array(flip)))[order]
        shares += np.maximum.accumulate(t[::-1])[::-1] >= observed[order] - 1e-9
    adjusted = np.empty(len(pairs))
    adjusted[order] = np.maximum.accumulate(shares / len(flips))
    return adjusted


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("family", [all_pairs(5), against([2], 5)])
def test_is_the_definition(alternative, family):
    values = np.random.default_rng(3).beta(1, 3, (9, 5)) + np.array([0, 0.1, 0.1, 0.3, 0.5])
    result = westfall_young(GridScores.of(values), family, Resampling(alternative=alternative))
    np.testing.assert_allclose(result, direct(values, family, alternative), rtol=1e-12)


def test_random_flips_approach_all_flips():
    values = np.random.default_rng(4).beta(1, 3, (12, 6)) + np.linspace(0, 0.4, 6)
    scores, pairs = GridScores.of(values), all_pairs(6)
    exact, drawn = (westfall_young(scores, pairs, Resampling(n_resamples=b)) for b in (4096, 4000))
    assert np.abs(exact - drawn).max() < 0.035
    assert drawn.min() >= 1 / 4001


def test_workers_memory_and_identical_systems():
    values = np.random.default_rng(5).beta(1, 3, (40, 20)) + np.linspace(0, 0.2, 20)
    values[:, 1] = values[:, 0]
    scores, pairs = GridScores.of(values), all_pairs(20)
    one = westfall_young(scores, pairs, Resampling(n_resamples=3000, workers=1))
    for how in (Resampling(n_resamples=3000, workers=3), Resampling(n_resamples=3000, memory=0.3)):
        other = westfall_young(scores, pairs, how)
        assert other.tobytes() == one.tobytes()
    assert one[0] == 1


def test_too_few_flips_decide_nothing():
    values = np.random.default_rng(6).beta(1, 3, (30, 4)) + np.arange(4)
    assert westfall_young(GridScores.of(values), all_pairs(4), Resampling(n_resamples=18)).min() > 0.05
    assert critical_value(np.arange(18.0), 0.05) == np.inf
    assert critical_value(np.arange(19.0), 0.05) == 18


def test_usually_finds_more_than_holm():
    rng = np.random.default_rng(7)
    more = []
    for _ in range(8):
        values = rng.beta(1, 3, (50, 1)) * 0.5 + rng.beta(1, 3, (50, 25)) * 0.5 + np.linspace(0, 0.2, 25)
        scores, pairs = GridScores.of(values), all_pairs(25)
        stepped = westfall_young(scores, pairs, Resampling(n_resamples=4000))
        holm = adjust(resolved(scores, pairs, Resampling(n_resamples=4000)).p, "holm")
        more.append(int((stepped <= 0.05).sum()) - int((holm <= 0.05).sum()))
    assert np.median(more) > 0
    assert sum(m >= 0 for m in more) >= 7


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["equal", "unequal variances", "half differ"])
def test_family_wise_error(shape):
    """1,000 simulated families of 45 pairs, 25 topics; a false finding in at most 5%, within binomial noise."""
    rng = np.random.default_rng(8)
    m, runs = 10, 1000
    spread = np.linspace(0.2, 2, m) if shape == "unequal variances" else np.ones(m)
    shift = np.where(np.arange(m) < 5, 0.0, np.arange(m) * 0.8) if shape == "half differ" else np.zeros(m)
    pairs = all_pairs(m)
    null = shift[pairs.a] == shift[pairs.b]
    false = 0
    for _ in range(runs):
        values = rng.normal(size=(25, 1)) + spread * rng.normal(size=(25, m)) + shift
        p = westfall_young(GridScores.of(values), pairs, Resampling(n_resamples=999, workers=1))
        false += bool((p[null] <= 0.05).any())
    assert false <= stats.binom.isf(0.001, runs, 0.05), false
    if shape == "equal":
        assert false >= stats.binom.isf(0.999, runs, 0.05), false
