"""The Bayesian view: its formula, its corners, and its calibration where its own model is true."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.questions.compare.bayes import probabilities
from cranfield.questions.compare.max_t import KAPPA
from cranfield.questions.compare.question import CompareQuestion


def drawn(rng: np.random.Generator, m: int = 12, n: int = 50) -> tuple[cf.ScoreMatrix, np.ndarray]:
    means = rng.normal(0, 0.05, m)
    values = means + rng.normal(0.4, 0.15, (n, 1)) + rng.normal(0, 0.12, (n, m))
    return cf.ScoreMatrix(values, [f"{i:03}" for i in range(n)], [f"{j:02}" for j in range(m)], "AP"), means


def test_the_formula_by_hand() -> None:
    matrix, _ = drawn(np.random.default_rng(1), m=4)
    found = cf.compare(matrix, test="t", margin=0.01)
    view = found.posterior()
    x, n = matrix.values, matrix.n_topics
    residual = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
    ms_e = (residual**2).sum() / (3 * (n - 1))
    sigma = (n * x.mean(axis=0).var(ddof=1) - ms_e) / n
    assert view.systems_sd == pytest.approx(np.sqrt(sigma))
    for at, (a, b) in enumerate(zip(found.system_a, found.system_b, strict=True)):
        d = x[:, int(a)] - x[:, int(b)]
        v = (d.var(ddof=1) + KAPPA * 2 * ms_e) / ((1 + KAPPA) * n)
        share = 2 * sigma / (2 * sigma + v)
        true = stats.norm(share * d.mean(), np.sqrt(share * v))
        assert view.better[at] == pytest.approx(true.sf(0.01), rel=1e-9)
        assert view.worse[at] == pytest.approx(true.cdf(-0.01), rel=1e-9)
        assert view.within[at] == pytest.approx(true.cdf(0.01) - true.cdf(-0.01), abs=1e-12)
        assert view.better_lower[at] <= view.better[at] <= view.better_upper[at]
    assert view.systems_sd_lower <= view.systems_sd <= view.systems_sd_upper


def test_the_order_of_the_scores_does_not_matter() -> None:
    matrix, _ = drawn(np.random.default_rng(2), m=5)
    other = cf.ScoreMatrix(matrix.values[::-1, ::-1], matrix.topics[::-1], matrix.systems[::-1], "AP")
    first, second = (cf.compare(one, test="t").posterior() for one in (matrix, other))
    assert first.better.tobytes() == second.better.tobytes()


def test_without_variance_between_systems_nothing_differs() -> None:
    better, within, worse = probabilities(np.array([0.1, 0.0]), np.array([0.01, 0.01]), 0.0, 0.0)
    assert (better.tolist(), within.tolist(), worse.tolist()) == ([0, 0], [1, 1], [0, 0])


def test_the_columns_are_shown_beside_the_tests() -> None:
    matrix, _ = drawn(np.random.default_rng(3), m=3)
    found = cf.compare(matrix, margin=0.02)
    rows = found.answer(CompareQuestion(bayes=True)).sheet("pairs").rows
    assert {"p_adjusted", "verdict", "prob_better", "prob_within", "prob_worse", "prob_better_upper"} <= {*rows.columns}
    total = rows["prob_better"] + rows["prob_within"] + rows["prob_worse"]
    assert np.allclose(total, 1, atol=2e-4)
    assert "prob_better" not in found.answer(CompareQuestion()).sheet("pairs").rows.columns


def test_another_statistic_is_refused() -> None:
    matrix, _ = drawn(np.random.default_rng(3), m=3)
    with pytest.raises(cf.ArgumentError, match="`bayes` speaks of means, not of the median"):
        cf.compare(matrix, statistic="median", n_resamples=1000).posterior()


def test_it_is_calibrated_where_its_model_is_true() -> None:
    """Statements with probability in [.6, .8), [.8, .95) and [.95, 1] are true about as often as they say."""
    rng = np.random.default_rng(5)
    counts, expected, right = np.zeros(3), np.zeros(3), np.zeros(3)
    for _ in range(60):
        matrix, means = drawn(rng, m=20)
        found = cf.compare(matrix, test="t", margin=0.01)
        view = found.posterior()
        rows = zip(found.system_a, found.system_b, strict=True)
        true = np.array([means[int(a)] - means[int(b)] for a, b in rows])
        for k, (low, high) in enumerate(((0.6, 0.8), (0.8, 0.95), (0.95, 1.01))):
            for probability, holds in ((view.better, true > 0.01), (view.worse, true < -0.01)):
                at = (probability >= low) & (probability < high)
                counts[k] += at.sum()
                expected[k] += probability[at].sum()
                right[k] += holds[at].sum()
    assert (counts > 200).all()
    assert (np.abs(right - expected) / counts < 0.04).all()
