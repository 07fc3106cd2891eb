"""Variance estimates: by hand, at the edges, pooled, with their uncertainty, and refused where there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.special import stdtrit

from cranfield import (
    ArgumentError,
    CranfieldWarning,
    DataError,
    ScoreMatrix,
    Scores,
    UnknownNameError,
    anova_table,
    estimate_variance,
    make_scores,
    pool_variances,
)
from cranfield.core import resampling
from cranfield.questions.variance.estimators import ESTIMATORS
from cranfield.questions.variance.sphericity import greenhouse_geisser, mean_greenhouse_geisser
from cranfield.questions.variance.squares import pooled_groups

METHODS = ("within", "one_way", "two_way", "residual", "percentile95")


def matrix(values: object, measure: str = "AP") -> ScoreMatrix:
    array = np.asarray(values, dtype=float)
    return ScoreMatrix(array, [f"t{i}" for i in range(len(array))], [f"s{j}" for j in range(array.shape[1])], measure)


def simulated(seed: int, n: int, m: int, topics: float = 0.2, residual: float = 0.1) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    return matrix(0.3 + rng.normal(0, topics, (n, 1)) + rng.normal(0, 0.05, (1, m)) + rng.normal(0, residual, (n, m)))


@pytest.mark.parametrize("products", [2**20, 60, 1])
def test_the_percentile_needs_no_covariance_matrix(products: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some rows of covariances at a time give what numpy says of all pairs, to the last bit; ties and all."""
    monkeypatch.setattr(resampling, "_PRODUCTS", products)
    for n, m, digits in ((3, 2, 9), (5, 3, 9), (30, 41, 9), (12, 20, 1)):
        x = simulated(n + m, n, m, residual=0.3).values.round(digits)
        covariance = resampling.sample_covariance(x)
        assert (covariance == covariance.T).all()
        own, (a, b) = np.diag(covariance), np.triu_indices(m, 1)
        assert ESTIMATORS["percentile95"].of_scores(x) == np.percentile(own[a] + own[b] - 2 * covariance[a, b], 95) / 2


def test_formulas_written_out() -> None:
    """Each estimate from its definition, with loops and no shared code."""
    x = simulated(1, 7, 4).values
    n, m = x.shape
    systems, topics, grand = x.mean(0), x.mean(1), x.mean()
    va = n * sum((systems[j] - grand) ** 2 for j in range(m)) / (m - 1)
    vb = m * sum((topics[i] - grand) ** 2 for i in range(n)) / (n - 1)
    ve1 = sum((x[i, j] - systems[j]) ** 2 for i in range(n) for j in range(m)) / (m * (n - 1))
    ve2 = sum((x[i, j] - topics[i] - systems[j] + grand) ** 2 for i in range(n) for j in range(m)) / ((m - 1) * (n - 1))
    pairs = sorted(np.var(x[:, a] - x[:, b], ddof=1) for a in range(m) for b in range(a))
    place = 0.95 * (len(pairs) - 1)
    below = int(place)
    percentile = pairs[below] + (place - below) * (pairs[min(below + 1, len(pairs) - 1)] - pairs[below])
    expected = {
        "within": ve1,
        "one_way": (m - 1) / (m * n) * (va - ve1) + ve1,
        "two_way": (m - 1) / (m * n) * (va - ve2) + (vb - ve2) / m + ve2,
        "residual": ve2,
        "percentile95": percentile / 2,
    }
    for method, value in expected.items():
        estimate = estimate_variance(matrix(x), method)
        assert estimate.variance == pytest.approx(value, rel=1e-12)
        assert estimate.variance_of_difference == pytest.approx(2 * value, rel=1e-12)


@pytest.mark.parametrize("method", METHODS[:4])
@pytest.mark.parametrize("teams", [None, {"s0": "a", "s1": "b", "s2": "a", "s3": "c", "s4": "b"}])
def test_the_interval_is_the_jackknife_of_the_logarithm(method: str, teams: dict[str, str] | None) -> None:
    """By really leaving out each topic, and each system or team, with the formulas of METHODS.md section 1."""
    x = simulated(2, 9, 5)
    estimate = estimate_variance(x, method, alpha=0.1, teams=teams)

    def log_variance(**dropped: list[str]) -> float:
        return float(np.log(estimate_variance(x.drop(**dropped), method).variance))

    left = np.asarray([log_variance(topics=[topic]) for topic in x.topics])
    v_t = 8 / 9 * np.sum((left - left.mean()) ** 2)
    whole, team_of = np.log(estimate.variance), teams or {name: name for name in x.systems}
    members = {team: [name for name in x.systems if team_of[name] == team] for team in sorted({*team_of.values()})}
    h = np.asarray([5 / len(names) for names in members.values()])
    without = np.asarray([log_variance(systems=names) for names in members.values()])
    pseudo = h * whole - (h - 1) * without
    theta = len(h) * whole - np.sum((1 - 1 / h) * without)
    v_s = np.sum((pseudo - theta) ** 2 / (h - 1)) / len(h)
    if teams is None:
        assert v_s == pytest.approx(4 / 5 * np.sum((without - without.mean()) ** 2), rel=1e-9)
    s, df = np.sqrt(v_t + v_s), (v_t + v_s) ** 2 / (v_t**2 / 8 + v_s**2 / (len(h) - 1))
    assert estimate.error is not None
    assert (estimate.error.size, estimate.error.df) == pytest.approx((s, df), rel=1e-9)
    t = float(stdtrit(df, 0.95))
    assert estimate.lower == pytest.approx(estimate.variance * np.exp(-t * s), rel=1e-9)
    assert estimate.upper == pytest.approx(estimate.variance * np.exp(t * s), rel=1e-9)


def test_the_residual_without_each_topic_and_system_as_published() -> None:
    """The closed forms of METHODS.md section 1."""
    x = simulated(5, 9, 6).values
    n, m = x.shape
    q = np.square(x - x.mean(0) - x.mean(1, keepdims=True) + x.mean())
    topics = (q.sum() - n / (n - 1) * q.sum(axis=1)) / ((n - 2) * (m - 1))
    systems = (q.sum() - m / (m - 1) * q.sum(axis=0)) / ((n - 1) * (m - 2))
    stratum = estimate_variance(matrix(x), "residual").strata[0]
    assert stratum.without_each_topic == pytest.approx(topics)
    assert stratum.without_each_group is not None
    assert stratum.without_each_group.values == pytest.approx(systems)


def test_a_system_of_several_collections_leaves_all_of_them() -> None:
    x, y = simulated(1, 11, 4), simulated(2, 9, 5)
    pooled = pool_variances([estimate_variance(one, "residual") for one in (x, y)])
    left = []
    for name in y.systems:
        parts = [one.drop(systems=[name]) if name in one.systems else one for one in (x, y)]
        left.append(pool_variances([estimate_variance(one, "residual") for one in parts]).variance)
    assert pooled.strata[0].without_each_group is not None
    without = pooled_groups(
        np.array([10.0, 8.0]),
        [np.asarray(stratum.variance) for stratum in pooled.strata],
        [stratum.without_each_group for stratum in pooled.strata],
    )
    assert without[0] == pytest.approx(left)
    assert without[1].tolist() == [2, 2, 2, 2, 1]


def test_too_few_systems_or_teams_count_topics_alone() -> None:
    x = simulated(2, 9, 2)
    with pytest.warns(CranfieldWarning) as said:
        estimate = estimate_variance(x, "residual")
    assert [str(w.message) for w in said] == [
        "AP: the interval of the residual variance reflects topics only; including systems takes at least 3."
    ]
    assert estimate.error is not None
    assert not estimate.error.systems
    assert estimate.error.df == pytest.approx(8)
    with pytest.warns(CranfieldWarning, match="including teams takes at least 3"):
        estimate_variance(simulated(2, 9, 4), "residual", teams={"s0": "a", "s1": "a", "s2": "b", "s3": "b"})
    with pytest.raises(DataError) as error:
        estimate_variance(simulated(2, 9, 4), "residual", teams={"s0": "a", "s1": "b"})
    assert str(error.value) == "no team is given for 2 systems (s2, s3). Add them to `teams`."


def test_no_interval_where_one_system_holds_all_the_variance() -> None:
    x = simulated(2, 9, 1).values
    same = matrix(np.column_stack([x, x, np.linspace(0, 1, 9)[:, None]]))
    with pytest.warns(CranfieldWarning, match="no variance remains without one of the systems or teams"):
        assert estimate_variance(same, "residual").lower is None


def test_percentile95_has_no_interval() -> None:
    estimate = estimate_variance(simulated(3, 9, 5), "percentile95")
    assert (estimate.lower, estimate.upper) == (None, None)
    assert estimate.warnings == ()


def test_pooling_weighs_by_topics_less_one() -> None:
    parts = [estimate_variance(simulated(s, n, 4), "within", collection=str(n)) for s, n in ((1, 11), (2, 31))]
    pooled = pool_variances(parts)
    assert pooled.variance == pytest.approx((10 * parts[0].variance + 30 * parts[1].variance) / 40)
    assert (pooled.collection, pooled.n_topics, pooled.n_systems) == ("pooled", 42, 4)
    assert pooled.lower < pooled.variance < pooled.upper
    assert pooled.upper / pooled.lower < parts[1].upper / parts[1].lower
    assert pool_variances([pooled]).variance == pooled.variance
    alone = pool_variances(parts[:1])
    assert alone.to_dict() == parts[0].to_dict()


def test_pooling_refuses_what_does_not_belong_together() -> None:
    x = simulated(1, 8, 3)
    with pytest.raises(ArgumentError) as error:
        pool_variances([estimate_variance(x, "within"), estimate_variance(x, "residual")])
    assert str(error.value) == "cannot pool estimates of different estimator: within, residual."
    with pytest.raises(ArgumentError) as error:
        pool_variances([])
    assert str(error.value) == "`estimates` is empty. Pass at least one variance estimate."


@pytest.mark.parametrize(
    ("values", "method", "message"),
    [
        (
            [[0.5, 0.5], [0.5, 0.5]],
            "within",
            "AP: all 4 scores are 0.5, so there is no variance. Give scores of other systems or topics.",
        ),
        (
            [[0.1, 0.3], [0.1, 0.3], [0.1, 0.3]],
            "within",
            "AP: every system has the same score on all topics, so there is no variance. Give scores of other systems or topics.",
        ),
        (
            [[0.1, 0.3], [0.4, 0.6], [0.7, 0.9]],
            "residual",
            "AP: differences between systems are the same on all topics, so there is no variance. Give scores of other systems or topics.",
        ),
        (
            [[1e300, 0.3], [0.1, 0.2]],
            "within",
            "AP: the largest score in size is 1e+300, and its square is too large for a double; scale the scores first",
        ),
        (
            [[1e-200, 2e-200], [3e-200, 1e-200]],
            "residual",
            "AP: the largest score in size is 3e-200, and its square is too small for a double; scale the scores first",
        ),
        (
            [[0.1, 0.3]],
            "within",
            "AP: a variance estimate needs at least 2 topics; there is 1. Give scores of more topics.",
        ),
        (
            [[0.1], [0.2]],
            "within",
            "AP: a variance estimate needs at least 2 systems; there is 1. Give scores of more systems.",
        ),
        (
            [[0.1, 0.3], [np.inf, 0.2]],
            "within",
            "AP: a variance estimate needs finite scores; topic 't1', system 's0' has inf",
        ),
    ],
)
def test_unusable_scores(values: list[list[float]], method: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        estimate_variance(matrix(values), method)
    assert str(error.value) == message


def test_unusable_arguments() -> None:
    x = simulated(1, 5, 3)
    with pytest.raises(UnknownNameError) as error:
        estimate_variance(x, "twoway")
    assert str(error.value).startswith("unknown estimator 'twoway'. Did you mean 'two_way'")
    with pytest.raises(ArgumentError) as bad:
        estimate_variance(x, "within", alpha=0)
    assert str(bad.value) == "`alpha` must be between 0 and 1; got 0. Write 0.05 for 95% intervals."


def test_too_few_topics_for_an_interval_is_said() -> None:
    with pytest.warns(CranfieldWarning) as said:
        estimate = estimate_variance(matrix([[0.1, 0.2], [0.5, 0.3]]), "within")
    assert [str(w.message) for w in said] == ["AP: no interval for the within variance: it needs at least 3 topics."]
    assert estimate.lower is None
    with pytest.warns(CranfieldWarning, match="no variance remains without one of the topics"):
        estimate_variance(matrix([[0.1, 0.2], [0.1, 0.2], [0.5, 0.3]]), "within")


def test_results_speak() -> None:
    estimate = estimate_variance(simulated(1, 20, 5), "within", collection="old")
    assert repr(estimate).startswith("VarianceEstimate(within: 0.0")
    assert estimate.signature.startswith(
        "variance estimate; estimator within; measure AP; collections old; topics 20; systems 5; cranfield "
    )
    assert "<table" in estimate._repr_html_()
    columns = "collection measure topics systems method variance variance_of_difference lower upper"
    assert estimate.to_frame().columns == columns.split()


def test_epsilon_is_one_for_equal_differences_and_least_for_one_direction() -> None:
    compound = np.full((5, 5), 0.3) + 0.7 * np.eye(5)
    assert greenhouse_geisser(compound) == pytest.approx(1)
    unmatched = np.zeros((5, 5))
    unmatched[0, 0] = 1
    assert greenhouse_geisser(unmatched) == pytest.approx(1 / 4)
    assert mean_greenhouse_geisser(compound, 3) == pytest.approx(1)
    assert mean_greenhouse_geisser(np.diag([1.0, 2, 3, 4, 5]), 2) == pytest.approx(1)
    assert np.isnan(greenhouse_geisser(np.zeros((3, 3))))


def test_epsilon_of_estimates_pools_collections() -> None:
    parts = [estimate_variance(simulated(s, n, 6), "residual") for s, n in ((1, 11), (2, 31))]
    expected = (10 * parts[0].greenhouse_geisser(4) + 30 * parts[1].greenhouse_geisser(4)) / 40
    assert pool_variances(parts).greenhouse_geisser(4) == pytest.approx(expected)


def test_anova_table_adds_up_and_never_says_zero() -> None:
    x = simulated(4, 60, 30, topics=5.0, residual=0.001)
    frame = anova_table(x).to_frame()
    ss = dict(zip(frame["source"], frame["sum_of_squares"], strict=True))
    assert ss["systems"] + ss["topics"] + ss["residual"] == pytest.approx(ss["total"])
    assert ss["total"] == pytest.approx(float(np.square(x.values - x.values.mean()).sum()))
    p = frame.filter(pl.col("source") == "topics")["p"].item()
    assert 0 < p < 1e-300
    assert frame["df"].to_list() == [29, 59, 29 * 59, 60 * 30 - 1]
    with pytest.raises(DataError, match="residual variance is zero"):
        anova_table(matrix([[0.1, 0.3], [0.4, 0.6]]))


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 25, 50])
def test_the_jackknife_interval_covers(n: int) -> None:
    """Nominal 95%, with other topics and other systems every time."""
    truth, hits, trials = 0.2**2 + 0.1**2, 0, 600
    for seed in range(trials):
        estimate = estimate_variance(simulated(seed, n, 8), "within")
        hits += estimate.lower <= truth <= estimate.upper
    assert hits / trials > 0.90


def test_scores_of_one_measure_will_do() -> None:
    x = simulated(1, 7, 4)
    assert estimate_variance(Scores([x])).variance == estimate_variance(x).variance
    with pytest.raises(DataError) as error:
        estimate_variance(Scores([x, matrix(x.values, "P@5")]))
    assert str(error.value) == "there are 2 measures (AP, P@5); choose one, such as measure='AP'"


def test_no_estimate_is_made_that_cannot_be_right() -> None:
    x = ScoreMatrix(np.random.default_rng(1).random((9, 3)), [str(i) for i in range(9)], ["a", "b", "c"], "AP")
    good = estimate_variance(x, "residual")
    for change in ({"variance": np.inf}, {"variance": -1.0}, {"lower": 9.0}, {"upper": np.inf}, {"upper": 1e-9}):
        with pytest.raises(ArithmeticError, match="this is a (bug|mistake) in cranfield"):
            replace(good, **change)


def test_an_interval_whose_ends_lie_beyond_all_bounds_is_left_out_and_said() -> None:
    x = ScoreMatrix(np.random.default_rng(1).random((3, 3)), ["1", "2", "3"], ["a", "b", "c"], "AP")
    with pytest.warns(CranfieldWarning, match="no interval .* its ends overflow at this level"):
        estimate = estimate_variance(x, "residual", alpha=1e-12)
    assert estimate.lower is None
    assert estimate.upper is None


def test_an_anova_whose_shares_make_no_whole_is_never_handed_out() -> None:
    table = anova_table(make_scores(6, 3, seed=1))
    sources = [{**row, "eta_squared": 0.75} if "eta_squared" in row else row for row in table.sources]
    with pytest.raises(ArithmeticError, match="eta squared that does not sum to 1; this is a bug in cranfield"):
        replace(table, sources=tuple(sources))


def test_which_estimators_hold_the_variance_between_topics() -> None:
    """A shift of each topic, the same for all systems, moves those estimators that say so, and no other."""
    x = make_scores(30, 5, seed=3)
    shifted = ScoreMatrix(x.values + np.linspace(0, 2, 30)[:, None], x.topics, x.systems, x.measure)
    for name, entry in ESTIMATORS.items():
        before, after = (estimate_variance(one, name).variance for one in (x, shifted))
        assert (after > 1.5 * before) == entry.holds_topics, name
        assert entry.holds_topics or after == pytest.approx(before), name


@pytest.mark.parametrize("unit", [1e149, 1e-149])
def test_ends_that_no_double_holds_are_left_out_and_said(unit: float) -> None:
    x = np.random.default_rng(1).gamma(1.0, 1.0, (6, 3))
    small = estimate_variance(ScoreMatrix(x, map(str, range(6)), "abc", "AP"), "within", alpha=1e-8)
    assert small.upper is not None
    with pytest.warns(CranfieldWarning, match="no interval .* its ends overflow in this unit of the scores"):
        huge = estimate_variance(ScoreMatrix(x * unit, map(str, range(6)), "abc", "AP"), "within", alpha=1e-8)
    assert (huge.lower, huge.upper) == (None, None)


def test_the_low_epsilon_of_an_estimate_is_that_of_the_covariances() -> None:
    several = [make_scores(n, 5, seed=n) for n in (12, 30)]
    pooled = pool_variances([estimate_variance(x, "residual") for x in several])
    low = [mean_greenhouse_geisser(np.cov(x.values, rowvar=False), 4) for x in several]
    assert pooled.greenhouse_geisser(4) == pytest.approx(np.average(low, weights=[11, 29]))
    assert pooled.greenhouse_geisser(4) < 1
    assert pooled.greenhouse_geisser(2) == 1
