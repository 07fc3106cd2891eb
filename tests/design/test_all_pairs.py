"""Designs for all pairs after correction: against the t-test written out, turned round, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from cranfield import ArgumentError, DataError, ScoreMatrix, design_ttest, estimate_variance, read_scores
from cranfield.questions.design.all_pairs import design_all_pairs
from cranfield.questions.design.power import simulate_power
from cranfield.questions.variance.sphericity import pair_spread
from support import SHARED, needs_shared

Array = NDArray[np.float64]


def matrix(values: Array) -> ScoreMatrix:
    n, m = values.shape
    return ScoreMatrix(values, [f"t{i}" for i in range(n)], [f"s{j}" for j in range(m)], "AP")


def t_power(n: int, variance: float, min_diff: float, alpha: float) -> float:
    """Both tails of the non-central t, by scipy.stats."""
    shift, bar = np.sqrt(n / variance) * min_diff, stats.t.isf(alpha / 2, n - 1)
    wrong_side = np.nan_to_num(stats.nct.cdf(-bar, n - 1, shift))  # NaN where it underflows
    return float(stats.nct.sf(bar, n - 1, shift) + wrong_side)


@pytest.mark.parametrize("k", [2, 5, 20, 143])
@pytest.mark.parametrize("baseline", [False, True])
def test_smallest_n_of_the_t_test_at_the_corrected_level(k: int, baseline: bool) -> None:
    alpha = 0.05 / (k - 1 if baseline else k * (k - 1) / 2)
    design = design_all_pairs(0.02, k, 0.1, baseline=baseline)
    n = design.n_topics
    assert t_power(n, 0.02, 0.1, alpha) >= 0.8 > t_power(n - 1, 0.02, 0.1, alpha)
    assert design.achieved_power == pytest.approx(t_power(n, 0.02, 0.1, alpha), abs=1e-9)


@pytest.mark.parametrize("baseline", [False, True])
def test_two_systems_are_one_paired_t_test(baseline: bool) -> None:
    assert design_all_pairs(0.04, 2, 0.05, baseline=baseline).n_topics == design_ttest(0.04, 0.05).n_topics


@given(st.floats(0.005, 0.1), st.integers(2, 200), st.floats(0.03, 0.3), st.booleans())
def test_turned_round(variance: float, k: int, min_diff: float, baseline: bool) -> None:
    forward = design_all_pairs(variance, k, min_diff, baseline=baseline)
    n = forward.n_topics
    assert forward.achieved_power >= 0.8
    assert design_all_pairs(variance, k, n_topics=n, baseline=baseline).min_diff <= min_diff * (1 + 1e-9)
    power = design_all_pairs(variance, k, min_diff, n_topics=n, baseline=baseline)
    assert power.solved_for == "power"
    assert power.achieved_power == pytest.approx(forward.achieved_power)
    assert design_all_pairs(variance, k, min_diff, baseline=not baseline, spread=0.4).n_topics >= 2


def test_most_systems() -> None:
    k = design_all_pairs(0.02, n_topics=50, min_diff=0.1).n_systems
    assert design_all_pairs(0.02, k, 0.1).n_topics <= 50 < design_all_pairs(0.02, k + 1, 0.1).n_topics


def test_a_grid_has_one_row_per_combination() -> None:
    design = design_all_pairs([0.01, 0.02], [5, 10], [0.05, 0.1], alpha=[0.05, 0.01])
    assert design.rows.height == 16
    assert design.rows["comparisons"].unique().sort().to_list() == [10, 45]
    assert "all pairs, corrected" in design.signature


def test_an_estimate_brings_its_interval() -> None:
    rng = np.random.default_rng(1)
    estimate = estimate_variance(matrix(rng.normal(0.3, 0.1, (30, 8))), "residual")
    row = design_all_pairs(estimate, 20, 0.1).rows.row(0, named=True)
    assert row["topics_lower"] < row["topics"] < row["topics_upper"]
    assert row["variance_of_difference"] == pytest.approx(2 * estimate.variance)


def test_spread_is_the_mean_power_over_pairs() -> None:
    """Against a large sample of gamma variances."""
    shares = np.random.default_rng(2).gamma(4, 1 / 4, 20_000)
    n = design_all_pairs(0.02, 10, 0.1, spread=0.5).n_topics
    bar = stats.t.isf(0.05 / 45 / 2, n - 1)
    mean = stats.nct.sf(bar, n - 1, np.sqrt(n / (0.02 * shares)) * 0.1).mean()
    assert mean == pytest.approx(design_all_pairs(0.02, 10, 0.1, spread=0.5).achieved_power, abs=0.01)
    assert n > design_all_pairs(0.02, 10, 0.1).n_topics


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_systems": 1, "min_diff": 0.1}, "`n_systems` must be a whole number of at least 2; got 1"),
        ({"n_systems": 5}, "`n_topics` and `min_diff` are missing"),
        ({"n_systems": 5, "min_diff": 0.1, "spread": -1}, "`spread` must be 0 or more"),
        ({"n_systems": 5, "min_diff": 0.1, "power": 80}, "Write 0.80"),
        ({"n_systems": 5, "min_diff": 1e-9}, "more than 1,000,000,000 topics"),
    ],
)
def test_bad_arguments(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        design_all_pairs(0.02, **arguments)  # type: ignore[arg-type]


@needs_shared
def test_real_matrices() -> None:
    """What all pairs of 20 systems take for .10 in AP; simulation asks for 47 of Terabyte."""
    scores = read_scores(SHARED / "data" / "matrices" / "terabyte2006.AP.csv").only()
    estimate = estimate_variance(scores, "residual")
    assert design_all_pairs(estimate, 20, 0.1, spread=0).n_topics == 45
    assert design_all_pairs(scores, 20, 0.1).n_topics == 46
    spread = pair_spread(scores)
    assert spread == pytest.approx(0.40, abs=0.02)
    assert design_all_pairs(estimate, 20, 0.1, spread=spread).n_topics in (46, 47)


def test_spread_sees_through_noise() -> None:
    """25 topics spread equal variances by a third; the estimate hardly does, and finds what is there."""
    rng = np.random.default_rng(3)
    alike, raw, unlike = [], [], []
    scales = np.repeat([0.5, 1.5], 10)
    truth = np.asarray([a**2 + b**2 for i, a in enumerate(scales) for b in scales[:i]])
    for _ in range(60):
        x = rng.normal(size=(25, 20))
        alike.append(pair_spread(matrix(x)))
        v = np.asarray([np.var(x[:, a] - x[:, b], ddof=1) for a in range(20) for b in range(a)])
        raw.append(v.std() / v.mean())
        unlike.append(pair_spread(matrix(x * scales)))
    assert np.mean(alike) < 0.4 * np.mean(raw)
    assert np.mean(unlike) == pytest.approx(truth.std() / truth.mean(), abs=0.05)
    with pytest.raises(DataError, match="differences between systems are the same"):
        pair_spread(matrix(np.arange(6.0)[:, None] + np.arange(3.0)))
    with pytest.raises(ArgumentError, match="empty"):
        pair_spread([])


def test_simulated_power_is_what_was_designed() -> None:
    """Normal scores, equal variances: Holm finds best against worst as often as α/C says, and hardly more often."""
    population = matrix(np.random.default_rng(4).normal(0.4, 0.1, (20_000, 12)))
    design = design_all_pairs(0.02, 12, 0.1)
    got = simulate_power(population, design.n_topics, 0.1, trials=4000)
    assert design.achieved_power - 4 * got.error < got.power < design.achieved_power + 0.02 + 4 * got.error
    assert got.false < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 4000)
    small = simulate_power(population, design.n_topics, 0.1, n_systems=2, trials=500)
    assert small.power > got.power
    assert got.error == pytest.approx(np.sqrt(got.power * (1 - got.power) / 4000))
    sure = simulate_power(population, design.n_topics, 5, trials=50)
    assert (sure.power, sure.error) == (1, 1 / 50), "as if one trial had gone otherwise"


def test_simulation_against_loops() -> None:
    """Holm of simulated t-tests, one by one."""
    from cranfield.questions.design.power import _comparisons, _holm, _t_statistics

    rng = np.random.default_rng(5)
    x = rng.normal(size=(30, 15, 5)) + [0.9, -0.9, 0, 0, 0]
    first, second = _comparisons(5, False)
    t = np.abs(_t_statistics(x, first, second))
    critical = stats.t.isf(0.05 / (2 * np.arange(10, 0, -1)), 14)
    fast = _holm(t, critical)
    for trial in range(30):
        p = np.asarray(
            [stats.ttest_rel(x[trial, :, a], x[trial, :, b]).pvalue for a, b in zip(first, second, strict=True)]
        )
        assert 2 * stats.t.sf(t[trial], 14) == pytest.approx(p, rel=1e-6)
        order, going = np.argsort(p), True
        for place, pair in enumerate(order):
            going = going and p[pair] <= 0.05 / (10 - place)
            assert fast[trial, pair] == going
    assert _comparisons(4, True)[0].tolist() == [0, 2, 3]


def test_simulation_does_not_depend_on_the_order_of_topics() -> None:
    x = matrix(np.random.default_rng(6).normal(0.4, 0.1, (50, 6)))
    turned = ScoreMatrix(x.values[::-1], x.topics[::-1], x.systems, "AP")
    assert simulate_power(x, 20, 0.1, trials=150) == simulate_power(turned, 20, 0.1, trials=150)


def test_simulation_refuses() -> None:
    x = matrix(np.random.default_rng(7).normal(0.4, 0.1, (50, 6)))
    with pytest.raises(ArgumentError, match="the population has 6 systems"):
        simulate_power(x, 20, 0.1, n_systems=7)
    with pytest.raises(ArgumentError, match="`trials` must be"):
        simulate_power(x, 20, 0.1, trials=0)
    with pytest.raises(DataError, match="nothing to draw"):
        simulate_power(matrix(np.full((5, 3), 0.4)), 20, 0.1)
