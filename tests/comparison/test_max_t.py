"""Max-t with moderated variance: reference values, one critical value for all, and its family-wise error."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.support import SHARED

from cranfield import CranfieldWarning, ScoreMatrix, Scores, compare, leaderboard, read_scores, table
from cranfield.core.defaults import FEW_COMPARISONS
from cranfield.core.errors import ArgumentError
from cranfield.questions.compare.answer import LEVEL_APPROXIMATE
from cranfield.questions.compare.family import GridScores, all_pairs
from cranfield.questions.compare.max_t import KAPPA, max_t, mean_variance
from cranfield.questions.compare.resampled import Resampling

REFERENCE = {
    "trec3-adhoc.AP": (0.0218393348, 3.19, 384),
    "trec8-adhoc.AP": (0.0272163012, 3.62, 3400),
    "terabyte2006.AP": (0.0187312985, 3.18, 1128),
}
"""v0, critical value and significant pairs (METHODS, section 11)."""


def skewed(m: int = 8, n: int = 40, seed: int = 1, step: float = 0.03) -> ScoreMatrix:
    """Scores like AP: skewed, with topics in common, every system better than the one after."""
    rng = np.random.default_rng(seed)
    values = 0.5 * rng.beta(1, 3, (n, 1)) + 0.5 * rng.beta(0.5, 3, (n, m)) + step * np.arange(m)[::-1]
    return ScoreMatrix(values, [f"t{i}" for i in range(n)], [f"s{j}" for j in range(m)], "AP")


def quietly_compare(*data: object, **options: object):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        return compare(*data, **options)


@pytest.mark.parametrize("name", REFERENCE)
def test_reference_values_of_real_scores(name):
    file = SHARED / "data" / "matrices" / f"{name}.csv"
    if not file.exists():
        pytest.skip("no shared data here")
    v0, critical, separated = REFERENCE[name]
    result = quietly_compare(read_scores(file))
    assert result.test == "max-t"
    assert round(mean_variance(GridScores.of(result.scores.values)), 10) == v0
    assert result.basis.critical == pytest.approx(critical, rel=0.015)
    assert int(result.significant.sum()) == pytest.approx(separated, rel=0.015)


def test_the_engine_is_its_definition():
    """The formulas of METHODS written out, pair by pair and resample by resample."""
    scores = GridScores.of(skewed(m=5, n=30).values)
    x, (n, m) = scores.values, scores.values.shape
    how = Resampling(n_resamples=199, percentiles=False)
    result = max_t(scores, all_pairs(m), how, 0.05)
    from cranfield.core.resampling import TOPICS, blocks, draw_weights

    (block,) = blocks(199)
    weights = draw_weights(block.generator(how.seed, TOPICS), 199, n) / n
    v0 = 2 / (m - 1) * (x - x.mean(axis=1, keepdims=True)).var(axis=0, ddof=1).sum()
    starred, observed = [], []
    for a in range(m):
        for b in range(a + 1, m):
            each = x[:, a] - x[:, b]
            observed.append(abs(each.mean()) / np.sqrt((each.var(ddof=1) + KAPPA * v0) / n))
            e = (each - each.mean()) * np.sqrt(n / (n - 1))
            mean = weights @ e
            variance = (weights @ e**2 - mean**2) * n / (n - 1)
            starred.append(np.abs(mean) / np.sqrt((variance + KAPPA * v0) / n))
    t, largest = np.array(starred), np.max(starred, axis=0)
    assert mean_variance(scores) == pytest.approx(v0, rel=1e-12)
    assert result.maximum.statistic == pytest.approx(np.array(observed), rel=1e-9)
    assert result.maximum.maxima == pytest.approx(largest, rel=1e-4)
    assert result.maximum.apart[0] == pytest.approx(t[:4].max(axis=0), rel=1e-4)
    assert result.p == pytest.approx([(1 + (row >= own).sum()) / 200 for row, own in zip(t, observed, strict=True)])


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("baseline", [None, ("s3", "s0")])
@pytest.mark.parametrize("intervals", ["simultaneous", "pairwise"])
def test_interval_p_and_decision_never_disagree(alternative, baseline, intervals):
    for seed in range(5):
        result = quietly_compare(
            skewed(seed=seed), test="max-t", alternative=alternative, baseline=baseline, intervals=intervals,
            n_resamples=999,
        )  # fmt: skip
        outside = (result.lower > 0) | (result.upper < 0)
        decided = result.significant if intervals == "simultaneous" else result.p <= result.alpha
        assert (outside == decided).all()
        assert ((result.p > 0) & (result.p <= result.p_adjusted) & (result.p_adjusted <= 1)).all()
        assert set(result.p_method) == {"own bootstrap"}


def test_order_workers_and_memory_never_matter():
    scores = skewed(m=70)
    rng = np.random.default_rng(3)
    rows, columns = rng.permutation(scores.n_topics), rng.permutation(scores.n_systems)
    mixed = ScoreMatrix(
        scores.values[np.ix_(rows, columns)],
        [scores.topics[i] for i in rows],
        [scores.systems[j] for j in columns],
        "AP",
    )
    one = quietly_compare(scores, workers=1)
    for other in (quietly_compare(mixed, workers=2), quietly_compare(scores, workers=3, memory=1)):
        assert one.to_frame().equals(other.to_frame())
        assert one.leaderboard().equals(other.leaderboard())


def test_the_number_of_resamples_that_was_needed_gives_the_same_again():
    scores = skewed()
    one = quietly_compare(scores)
    assert one.n_resamples in (9_999, 19_999, 29_999, 39_999)
    assert quietly_compare(scores, test="max-t", n_resamples=one.n_resamples).to_frame().equals(one.to_frame())


def test_the_default_depends_on_the_size_of_the_family():
    few, many = skewed(m=6), skewed(m=7)  # 15 and 21 pairs
    assert FEW_COMPARISONS == 20
    assert [quietly_compare(one).test for one in (few, many)] == ["randomisation", "max-t"]
    assert quietly_compare(skewed(m=21), baseline="s0").test == "randomisation"
    assert quietly_compare(skewed(m=22), baseline="s0").test == "max-t"
    assert quietly_compare(skewed(m=12), baseline=["s0", "s1"]).test == "max-t"  # 11 + 10 comparisons
    assert quietly_compare(many, correction="holm").test == "randomisation"
    assert quietly_compare(many, statistic="median", n_resamples=99).test == "randomisation"
    both = Scores([few, ScoreMatrix(few.values**2, few.topics, few.systems, "RR")])
    assert quietly_compare(both).first.test == "randomisation"
    assert quietly_compare(both, across_measures=True).first.test == "max-t"
    assert table(many).first.test == "max-t"
    assert leaderboard(many).first.test == "max-t"


def test_across_measures_takes_the_maximum_over_all():
    scores = skewed(m=5)
    other = ScoreMatrix(np.random.default_rng(9).normal(size=scores.values.shape), scores.topics, scores.systems, "RR")
    together = quietly_compare(Scores([scores, other]), test="max-t", across_measures=True, n_resamples=999)
    alone = [quietly_compare(one, test="max-t", n_resamples=999) for one in (scores, other)]
    assert together["AP"].basis.critical == together["RR"].basis.critical
    assert together["AP"].basis.critical >= max(one.basis.critical for one in alone)
    for one, own in zip(together.values(), alone, strict=True):
        assert (one.p_adjusted >= own.p_adjusted).all()
        assert (one.significant == ((one.lower > 0) | (one.upper < 0))).all()
    shorter = ScoreMatrix(other.values[:30], other.topics[:30], other.systems, "RR")
    with pytest.raises(ArgumentError, match="needs the same topics by all measures. Choose common topics, or use"):
        quietly_compare(Scores([scores, shorter]), test="max-t", across_measures=True, n_resamples=99)


def test_identical_systems_have_p_1_and_are_named():
    scores = skewed()
    values = scores.values.copy()
    values[:, 3] = values[:, 2]
    result = quietly_compare(ScoreMatrix(values, scores.topics, scores.systems, "AP"), n_resamples=999)
    at = [i for i, pair in enumerate(result.pair_names(range(len(result.p)), "=")) if pair in ("s2=s3", "s3=s2")]
    assert result.p[at].tolist() == result.p_adjusted[at].tolist() == [1.0]
    assert any("Identical runs" in text for text in result.warnings)


def test_without_variance_p_is_1_and_there_is_no_interval():
    values = np.arange(30.0)[:, None] / 100 + np.arange(8) / 10
    result = quietly_compare(ScoreMatrix(values, [str(i) for i in range(30)], "abcdefgh", "AP"))
    assert (result.p_adjusted == 1).all()
    assert result.to_frame()["lower"].null_count() == len(result.p)
    assert any("max-t has no variance to use: p = 1 and no interval" in text for text in result.warnings)


def test_few_topics_are_warned_of():
    said = "The error rates of max-t are unknown for 24 topics; they were measured with 25 or more."
    assert said in quietly_compare(skewed(n=24)).warnings
    assert not quietly_compare(skewed(n=25)).warnings


def test_other_statistics_and_corrections_are_refused_with_a_remedy():
    with pytest.raises(ArgumentError, match="'max-t' compares means only. For statistic 'median' use one of: random"):
        compare(skewed(), test="max-t", statistic="median")
    with pytest.raises(ArgumentError, match="'holm' cannot be added to max-t.*Leave the correction out"):
        compare(skewed(), test="max-t", correction="holm")


def test_what_is_known_of_the_level_is_a_note_and_no_warning():
    large, small = quietly_compare(skewed()), quietly_compare(skewed(m=4))
    level = LEVEL_APPROXIMATE(topics=f"{large.n_topics} topics", share=3 / large.n_topics)
    assert level in large.answer().sheets["pairs"]().notes
    assert level in large.answer().sheets["leaderboard"]().notes
    assert not any("level is approximate" in text for text in large.warnings)
    assert not any("level is approximate" in note for note in small.answer().sheets["pairs"]().notes)


def test_the_price_is_told_of_a_near_identical_pair():
    scores = skewed(step=0.0)
    values = scores.values.copy()
    values[:, 1] = values[:, 0] + 0.002 + 0.001 * np.sin(np.arange(len(values)))
    result = quietly_compare(ScoreMatrix(values, scores.topics, scores.systems, "AP"))
    assert "vary far less than the average pair" in result.pair("s1", "s0").answer().sentences[0]
    assert "vary far less than the average pair" not in result.pair("s4", "s5").answer().sentences[0]


@pytest.mark.slow
def test_the_family_wise_error_with_equal_means_and_skewed_scores():
    """20 equally good systems with skewed scores: .05 of the families, with room for 300 trials."""
    rng, pairs, wrong = np.random.default_rng(27), all_pairs(20), 0
    for trial in range(300):
        values = rng.beta(1, 3, (50, 1)) + rng.gamma(0.5, 0.1, (50, 20))
        how = Resampling(n_resamples=399, seed=trial, workers=1, percentiles=False)
        wrong += bool((max_t(GridScores.of(values), pairs, how, 0.05).maximum.adjusted() <= 0.05).any())
    assert wrong / 300 <= 0.10


@pytest.mark.parametrize("test", ["max-t", "bootstrap"])
def test_intervals_per_pair_have_the_same_level_in_a_family_of_measures(test):
    """They had the level 1 − alpha/K with K measures: .031 as p of a pair stood beside an interval with 0 inside."""
    scores = skewed(m=3, n=20)
    several = Scores([scores, ScoreMatrix(scores.values**2, scores.topics, scores.systems, "P")])
    options = {"test": test, "intervals": "pairwise", "n_resamples": 999}
    alone, together = (quietly_compare(several, across_measures=across, **options) for across in (False, True))
    for measure in ("AP", "P"):
        assert alone[measure].lower.tolist() == together[measure].lower.tolist()
        assert alone[measure].upper.tolist() == together[measure].upper.tolist()
