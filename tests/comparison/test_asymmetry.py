"""A comparison says where asymmetric differences are trouble for the test that was chosen, and only there."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

from cranfield import CranfieldWarning, ScoreMatrix, compare, make_scores, read_scores
from cranfield.questions.compare.classical import FEWEST_TOPICS, LIMIT, asymmetric, skewness
from cranfield.questions.compare.family import GridScores, all_pairs, differences
from simulated_systems import skewed
from support import SHARED

TROUBLE = "Differences are skewed"


def said(scores: ScoreMatrix, test: str) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        return [text for text in compare(scores, test=test).warnings if TROUBLE in text]


def test_skewness_is_that_of_scipy() -> None:
    x = skewed(40, 6)
    pairs = all_pairs(6)
    each = differences(GridScores.of(x.values), pairs)
    known = stats.skew(x.values[:, pairs.a] - x.values[:, pairs.b], axis=0)
    assert np.allclose(skewness(x.values, pairs.a, pairs.b, each.sd), known, atol=1e-9)
    same = np.repeat(x.values[:, :1], 2, axis=1)
    assert skewness(same, np.array([0]), np.array([1]), np.zeros(1)).tolist() == [0.0]


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_it_is_said_of_skewed_differences(test: str) -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(0.4, 0.05, (50, 4))
    values[:, 1:] += rng.exponential(0.5, (50, 1))
    scores = ScoreMatrix(values, map(str, range(50)), "abcd", "AP")
    (text,) = said(scores, test)
    x = scores.values
    average = np.mean([abs(stats.skew(x[:, i] - x[:, j])) for i in range(4) for j in range(i)])
    assert f"(mean skewness {average:.2f} over 6 pairs; 0.57 is large for 50 topics)" in text
    assert "Prefer randomisation, or measure the error with `simulate tests`" in text
    assert ("Wilcoxon's test" if test == "wilcoxon" else "the sign test") in text
    (alone,) = said(scores.select(systems=["a", "b"]), test)
    assert f"(mean skewness {abs(stats.skew(x[:, 0] - x[:, 1])):.2f} over 1 pair; 0.57" in alone


def test_it_is_not_said_of_other_tests_symmetric_differences_and_few_topics() -> None:
    rng = np.random.default_rng(1)
    values = np.stack([np.zeros(FEWEST_TOPICS - 1), rng.exponential(0.3, FEWEST_TOPICS - 1)], axis=1)
    few = ScoreMatrix(values, map(str, range(FEWEST_TOPICS - 1)), "ab", "AP")
    assert np.abs(stats.skew(values[:, 1])) > LIMIT / np.sqrt(len(values))
    assert said(few, "wilcoxon") == []
    more = ScoreMatrix(np.tile(values, (2, 1)), map(str, range(2 * len(values))), "ab", "AP")
    assert len(said(more, "wilcoxon")) == 1
    assert said(more, "t") == said(more, "randomisation") == []
    for seed in range(20):
        assert said(make_scores(FEWEST_TOPICS, 8, seed), "wilcoxon") == []


def test_where_it_is_said_wilcoxon_rejects_equal_means_six_times_in_a_hundred() -> None:
    """Gamma differences with the skewness of the limit: Edgeworth's approximation, and a simulation."""
    n, trials = 100, 20_000
    skew = LIMIT / np.sqrt(n)
    shape = 4 / skew**2
    each = np.random.default_rng(3).gamma(shape, size=(n, trials)) - shape
    rejected = np.mean(stats.wilcoxon(each, axis=0, method="asymptotic").pvalue <= 0.05)
    shift = np.sqrt(3 * n) * skew / (12 * np.sqrt(np.pi))
    expected = stats.norm.sf(1.96 - shift) + stats.norm.sf(1.96 + shift)
    assert 0.06 < expected < 0.065
    assert rejected == pytest.approx(expected, abs=0.008)
    assert asymmetric(np.array([skew + 1e-9]), n)
    assert not asymmetric(np.array([skew - 1e-9]), n)


@pytest.mark.skipif(not (SHARED / "data" / "matrices").is_dir(), reason="the TREC matrices are not here")
def test_it_is_said_of_trec_8_where_wilcoxon_errs() -> None:
    path = SHARED / "data" / "matrices" / "trec8-adhoc.AP.csv"
    assert len(said(read_scores(path, measure="AP").only(), "wilcoxon")) == 1
