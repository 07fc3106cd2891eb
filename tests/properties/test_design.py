"""What must hold for any design and any scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cranfield import ScoreMatrix, design_anova, design_interval, design_ttest, estimate_variance
from cranfield.questions.design.anova import anova_power, anova_topics

variances = st.floats(1e-4, 1.0)
differences = st.floats(0.01, 0.5)
systems = st.integers(2, 200)
alphas = st.sampled_from([0.001, 0.01, 0.05, 0.1])
powers = st.floats(0.3, 0.99)
flags = st.booleans()
METHODS = ("within", "one_way", "two_way", "residual", "percentile95")


@given(variances, systems, differences, alphas, powers, flags)
@settings(deadline=None)
def test_the_exact_size_is_the_smallest_that_suffices(
    v: float, m: int, d: float, a: float, p: float, blocked: bool
) -> None:
    n = float(anova_topics(v, m, d, alpha=a, power=p, blocked=blocked))
    assert anova_power(n, m, d, v, alpha=a, blocked=blocked) >= p
    assert n == 2 or anova_power(n - 1, m, d, v, alpha=a, blocked=blocked) < p


@given(variances, systems, st.floats(0.02, 0.5), alphas, powers, st.sampled_from(["published", "approximate"]))
@settings(max_examples=40, deadline=None)
def test_approximate_sizes_are_the_smallest_by_trying_all(
    v: float, m: int, d: float, a: float, p: float, how: str
) -> None:
    n = int(anova_topics(v, m, d, alpha=a, power=p, method=how))
    assume(n < 3000)
    tried = anova_power(np.arange(2, n + 1), m, d, v, alpha=a, method=how)
    assert tried[-1] >= p
    assert (tried[:-1] < p).all()


@given(variances, systems, differences, flags)
@settings(deadline=None)
def test_sizes_grow_with_variance_systems_power_and_finer_differences(
    v: float, m: int, d: float, blocked: bool
) -> None:
    def n(**changes: float) -> float:
        arguments = {"variance": v, "n_systems": m, "min_diff": d, "power": 0.8} | changes
        return float(anova_topics(**arguments, blocked=blocked))

    assert n(variance=1.5 * v) >= n()
    assert n(min_diff=0.7 * d) >= n()
    assert n(power=0.9) >= n()
    if n() > 20:  # with a handful of topics a further system adds error degrees of freedom worth having
        assert n(n_systems=m + 10) >= n()


@given(variances, st.integers(2, 50), differences, flags)
@settings(deadline=None)
def test_every_way_of_asking_agrees(v: float, m: int, d: float, blocked: bool) -> None:
    design = design_anova(v, m, d, blocked=blocked)
    n = design.n_topics
    assert design_anova(v, m, d, n_topics=n, blocked=blocked).achieved_power == design.achieved_power
    detectable = design_anova(v, m, n_topics=n, blocked=blocked)
    assert detectable.min_diff <= d * (1 + 1e-9)
    assert detectable.achieved_power == pytest.approx(0.8, abs=1e-9)
    assert design_anova(v, None, d, n_topics=n, blocked=blocked).n_systems >= m


@given(variances, differences, alphas)
@settings(deadline=None)
def test_t_and_interval_turned_round(v: float, d: float, a: float) -> None:
    n = design_ttest(v, d, alpha=a).n_topics
    assert design_ttest(v, n_topics=n, alpha=a).min_diff <= d * (1 + 1e-9)
    n = design_interval(v, d, alpha=a).n_topics
    assert design_interval(v, n_topics=n, alpha=a).width <= d
    assert n == 2 or design_interval(v, n_topics=n - 1, alpha=a).width > d


def scores(seed: int, n: int, m: int) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 1)) + rng.normal(0, 0.5, size=(1, m)) + rng.normal(0, 0.3, size=(n, m))
    return ScoreMatrix(values, [f"t{i}" for i in range(n)], [f"s{i}" for i in range(m)], "AP")


@given(st.integers(0, 10**6), st.integers(3, 15), st.integers(3, 8), st.sampled_from(METHODS))
@settings(deadline=None)
def test_the_order_of_topics_and_systems_never_matters(seed: int, n: int, m: int, method: str) -> None:
    x = scores(seed, n, m)
    rng = np.random.default_rng(seed)
    shuffled = x.select(topics=rng.permutation(x.topics), systems=rng.permutation(x.systems))
    one, other = estimate_variance(x, method), estimate_variance(shuffled, method)
    assert one.to_dict() == other.to_dict()
    assert one.epsilon(2) == other.epsilon(2)


@given(st.integers(0, 10**6), st.integers(3, 15), st.integers(3, 8), st.floats(0.01, 100), st.floats(-5, 5))
@settings(deadline=None)
def test_variances_scale_and_ignore_shifts(seed: int, n: int, m: int, scale: float, shift: float) -> None:
    x = scores(seed, n, m)
    moved = ScoreMatrix(x.values * scale + shift, x.topics, x.systems, "AP")
    for method in METHODS:
        one, other = estimate_variance(x, method), estimate_variance(moved, method)
        assert other.variance == pytest.approx(one.variance * scale**2, rel=1e-6)
        if one.lower is not None:
            assert one.lower <= one.variance <= one.upper
            assert other.lower == pytest.approx(one.lower * scale**2, rel=1e-5)


@given(st.integers(0, 10**6), st.integers(3, 20), st.integers(3, 10))
@settings(deadline=None)
def test_the_estimates_are_ordered_and_decompose(seed: int, n: int, m: int) -> None:
    x = scores(seed, n, m)
    found = {method: estimate_variance(x, method).variance for method in METHODS}
    pairs = np.triu_indices(m, 1)
    differences = (x.values[:, pairs[0]] - x.values[:, pairs[1]]).var(axis=0, ddof=1)
    assert found["percentile95"] * 2 == pytest.approx(np.percentile(differences, 95))
    assert found["residual"] * 2 == pytest.approx(differences.mean())  # V_E2 is the mean pairwise variance, halved
    assert found["within"] == pytest.approx(x.values.var(axis=0, ddof=1).mean())
