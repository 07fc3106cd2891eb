"""`compare` and `compare_measures`: direction, families, warnings, views and errors."""

from __future__ import annotations

import json
from typing import get_overloads

import numpy as np
import polars as pl
import pytest

import cranfield
from cranfield import (
    ArgumentError,
    CranfieldWarning,
    DataError,
    ScoreMatrix,
    Scores,
    UnknownNameError,
    adjust,
    compare,
    compare_measures,
    make_scores,
)

TESTS = [
    "randomisation",
    "bootstrap",
    "bootstrap-t",
    "t",
    "wilcoxon",
    "sign",
    "unpaired-t",
    "welch",
    "tukey",
    "randomised-tukey",
]
COLUMNS = [
    "measure",
    "system_a",
    "system_b",
    "mean_a",
    "mean_b",
    "difference",
    "lower",
    "upper",
    "effect_size",
    "effect_size_residual",
    "p",
    "p_adjusted",
    "significant",
    "p_method",
]


def matrix(m=5, n=30, seed=1, measure="AP", step=0.04):
    effects = [step * j for j in range(m)]
    made = make_scores(n, m, seed, system_effects=effects)
    return ScoreMatrix(made.values, made.topics, [f"s{j}" for j in range(m)], measure)


def matrices(**changes):
    return Scores([matrix(measure="AP", **changes), matrix(measure="nDCG", seed=2, **changes)])


@pytest.mark.parametrize("test", TESTS)
def test_every_test_gives_a_full_result(test):
    found = compare(matrix(n=50), test=test, n_resamples=2000)
    frame = found.to_frame()
    assert frame.columns == COLUMNS
    assert frame.height == 10
    assert frame.null_count().sum_horizontal().item() == 0
    numbers = frame.select(pl.col(pl.Float64)).to_numpy()
    assert np.isfinite(numbers).all()
    assert (found.difference >= 0).all()
    assert ((found.lower <= found.difference) & (found.difference <= found.upper)).all()
    assert ((found.p > 0) & (found.p <= 1)).all()
    assert (found.p_adjusted >= found.p).all()
    assert found.warnings == ()
    assert found.systems[0] == "s4"
    assert found.signature.endswith(f"cranfield {cranfield.__version__}")


@pytest.mark.parametrize("test", TESTS)
def test_order_of_topics_and_systems_never_matters(test):
    scores = matrix(m=4, n=12)
    rng = np.random.default_rng(3)
    shuffled = scores.select(
        topics=[scores.topics[i] for i in rng.permutation(12)], systems=[scores.systems[j] for j in rng.permutation(4)]
    )
    run = warned if test == "bootstrap" else compare  # few topics
    one, two = (run(x, test=test, n_resamples=1500, alpha=0.1) for x in (scores, shuffled))
    assert one.to_frame().equals(two.to_frame())
    assert one.leaderboard().equals(two.leaderboard())


def warned(*args, **kwargs):
    with pytest.warns(CranfieldWarning):
        return compare(*args, **kwargs)


@pytest.mark.parametrize("test", ["randomisation", "bootstrap", "bootstrap-t", "randomised-tukey"])
def test_workers_and_memory_never_matter(test):
    one = compare(matrix(n=50), test=test, n_resamples=1500, workers=1)
    two = compare(matrix(n=50), test=test, n_resamples=1500, workers=2, memory=0.01)
    assert one.to_frame().equals(two.to_frame())
    assert one.leaderboard().equals(two.leaderboard())


# ── families ──────────────────────────────────────────────────────────────────────────────────────────────


def test_one_baseline():
    found = compare(matrix(), baseline="s1", test="t")
    assert set(found.system_b) == {"s1"}
    assert sorted(found.system_a) == ["s0", "s2", "s3", "s4"]
    assert found.difference[found.system_a.index("s0")] < 0
    assert found.family == 4
    np.testing.assert_array_equal(found.p_adjusted, adjust(found.p, "holm"))


def test_several_baselines_are_compared_with_each_other_once():
    found = compare(matrix(), baseline=["s1", "s0", "s1"], test="t")
    pairs = list(zip(found.system_a, found.system_b, strict=True))
    assert len(pairs) == len(set(pairs)) == 4 + 3
    assert ("s0", "s1") in pairs
    assert ("s1", "s0") not in pairs
    assert found.baselines == ("s1", "s0")


def test_a_baseline_gives_the_same_p_as_all_pairs():
    everything = compare(matrix(), n_resamples=1500)
    some = compare(matrix(), baseline="s2", n_resamples=1500)
    grid = everything.matrix("p")
    for a, b, p in zip(some.pairs.a, some.pairs.b, some.p, strict=True):
        assert grid[a, b] == p


@pytest.mark.parametrize("test", ["randomisation", "bootstrap", "bootstrap-t", "t", "wilcoxon", "sign", "welch"])
def test_one_sided_tests_follow_the_direction(test):
    greater = compare(matrix(n=50), baseline="s2", test=test, alternative="greater", n_resamples=1500)
    less = compare(matrix(n=50), baseline="s2", test=test, alternative="less", n_resamples=1500)
    better = greater.difference > 0
    assert (greater.p[better] < 0.5).all()
    assert (greater.p[~better] > 0.5).all()
    assert (less.p[better] > 0.5).all()


def test_matrix_of_p_values():
    found = compare(matrix(), test="t")
    grid = found.matrix("p_adjusted")
    assert np.isnan(np.diag(grid)).all()
    assert np.array_equal(grid, grid.T, equal_nan=True)
    assert grid[found.pairs.a[3], found.pairs.b[3]] == found.p_adjusted[3]
    difference = found.matrix("difference")
    assert np.array_equal(difference, -difference.T, equal_nan=True)
    one_sided = compare(matrix(), test="t", baseline="s0", alternative="greater").matrix("p")
    assert np.isfinite(one_sided).sum() == 4


def test_effect_sizes():
    scores = matrix(m=3)
    found = compare(scores, test="t")
    each = scores.select(systems=found.system_a[:1]).values - scores.select(systems=found.system_b[:1]).values
    assert found.effect_size[0] == pytest.approx(each.mean() / each.std(ddof=1))
    x = scores.values
    left = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean()
    residual = np.sqrt((left**2).sum() / (2 * 29))
    assert found.effect_size_residual[0] == pytest.approx(each.mean() / residual)


def test_t_interval_is_scipys():
    from scipy import stats

    scores = matrix(m=2)
    found = compare(scores, test="t", alpha=0.1)
    a, b = (scores.select(systems=[s]).values[:, 0] for s in (found.system_a[0], found.system_b[0]))
    theirs = stats.ttest_rel(a, b).confidence_interval(0.9)
    assert (found.lower[0], found.upper[0]) == (pytest.approx(theirs.low), pytest.approx(theirs.high))
    assert found.interval == "paired t interval"


def test_two_sample_interval_is_scipys():
    from scipy import stats

    scores = matrix(m=2)
    for test, pooled in (("unpaired-t", True), ("welch", False)):
        found = compare(scores, test=test)
        a, b = (scores.select(systems=[s]).values[:, 0] for s in (found.system_a[0], found.system_b[0]))
        theirs = stats.ttest_ind(a, b, equal_var=pooled).confidence_interval(0.95)
        assert (found.lower[0], found.upper[0]) == (pytest.approx(theirs.low), pytest.approx(theirs.high))


# ── leaderboard ───────────────────────────────────────────────────────────────────────────────────────────


def test_leaderboard():
    board = compare(matrix(), test="t").leaderboard()
    assert board.columns == ["rank", "system", "mean", "lower", "upper", "rank_lower", "rank_upper", "group",
                             "may_be_best"]  # fmt: skip
    assert board["rank"].to_list() == [1, 2, 3, 4, 5]
    assert board["system"].to_list() == ["s4", "s3", "s2", "s1", "s0"]
    assert ((board["rank_lower"] <= board["rank"]) & (board["rank"] <= board["rank_upper"])).all()
    assert board["mean"].is_sorted(descending=True)


def test_ties_in_the_leaderboard_share_a_rank_and_stand_in_byte_order():
    # Means that are equal in decimals only: .1 + .2 + .3 and .3 + .3 + .0.
    values = np.array([[0.3, 0.1, 0.9], [0.3, 0.2, 0.8], [0.0, 0.3, 0.9]])
    board = compare(ScoreMatrix(values, "123", ["y", "x", "best"], "P"), test="t").leaderboard()
    assert board["system"].to_list() == ["best", "x", "y"]
    assert board["rank"].to_list() == [1, 2, 2]


def test_marks_name_the_baselines_a_system_differs_from():
    found = compare(matrix(step=0.2), test="t", baseline=["s0", "s1"])
    board = found.leaderboard()
    assert board.columns[-2:] == ["marks", "may_be_best"]
    assert board["marks"].to_list() == ["†‡", "†‡", "†‡", "†", "‡"]


def test_marks_of_more_than_four_baselines_are_set_apart():
    found = compare(matrix(n=60, m=7, step=0.2), test="t", baseline=[f"s{i}" for i in range(5)])
    assert found.groups[:2] == ("† ‡ § ¶ ††", "† ‡ § ¶ ††")


def test_other_statistics():
    for statistic, name in (("median", "median"), ("geometric-mean", "geometric_mean")):
        found = compare(matrix(m=3), statistic=statistic, n_resamples=500, baseline="s0")
        assert found.to_frame().columns[3:5] == [f"{name}_a", f"{name}_b"]
        assert found.leaderboard().columns[2] == name
        assert found.interval == "bootstrap t interval, simultaneous over 2 comparisons (Bonferroni level)"
        assert found.best is None
        assert "may_be_best" not in found.leaderboard().columns
        own = compare(matrix(m=3), statistic=statistic, n_resamples=500, baseline="s0", intervals="pairwise")
        assert own.interval == "bootstrap percentile interval per pair"
        assert f"statistic {statistic}" in found.signature
    x = matrix(m=3)
    found = compare(x, statistic=np.max, n_resamples=500, baseline="s0")
    assert found.statistic in ("amax", "max")
    best = {system: x.select(systems=[system]).values.max() for system in x.systems}
    assert found.value.tolist() == [best[system] for system in found.systems]


def test_discriminative_power_and_curve():
    found = compare(matrix(), test="t")
    assert found.discriminative_power == found.significant.mean()
    curve = found.asl_curve()
    assert curve["p"].is_sorted(descending=True)
    assert curve["pair"].to_list() == list(range(1, 11))
    row = found.power_row()
    assert row["uncorrected"] == (found.p <= 0.05).sum()
    assert row["smallest_difference"] == found.difference[found.significant].min()


# ── several measures ──────────────────────────────────────────────────────────────────────────────────────


def test_tukey_has_no_uncorrected_power():
    row = compare(matrix(), test="tukey").power_row()
    assert (row["uncorrected"], row["share_uncorrected"]) == (None, None)
    assert row["share"] == compare(matrix(), test="tukey").discriminative_power


def test_measures_each_and_together():
    each = compare_measures(matrices(), test="t")
    assert list(each) == ["AP", "nDCG"]
    assert each["AP"].to_frame().equals(compare(matrix(), test="t").to_frame())
    together = compare_measures(matrices(), test="t", across_measures=True)
    pooled = adjust(np.concatenate([each["AP"].p, each["nDCG"].p]), "holm")
    np.testing.assert_array_equal(np.concatenate([c.p_adjusted for c in together.values()]), pooled)
    assert together["AP"].family == 20
    assert "family 20 comparisons" in together.signature
    assert "measures AP, nDCG" in together.signature
    assert together.to_frame().columns == COLUMNS
    assert together.discriminative_power()["measure"].to_list() == ["AP", "nDCG"]
    assert together.leaderboard().height == 10
    assert together.asl_curves().height == 20
    with pytest.raises(KeyError):
        together["P"]


def test_tukey_over_measures_is_multiplied():
    each = compare_measures(matrices(), test="tukey")
    together = compare_measures(matrices(), test="tukey", across_measures=True)
    np.testing.assert_array_equal(together["AP"].p_adjusted, np.minimum(1, 2 * each["AP"].p))


def test_views():
    found = compare(matrix(), test="t")
    assert repr(found).startswith("Comparison(AP: ")
    assert "<table" in found._repr_html_()
    plain = found.to_dict()
    assert json.loads(json.dumps(plain))["test"] == "t"
    assert len(plain["pairs"]) == 10
    several = compare_measures(matrices(), test="t")
    assert repr(several).startswith("MeasureComparisons(2 measures)")
    assert "<table" in several._repr_html_()
    assert json.dumps(several.to_dict())


def test_signatures():
    assert compare(matrix(), test="t").signature == (
        "paired t-test; measure AP; topics 30; systems 5; alternative two-sided; correction holm; "
        f"family 10 comparisons; alpha 0.05; cranfield {cranfield.__version__}"
    )
    assert compare(matrix(), n_resamples=999, seed=7, baseline="s0").signature == (
        "randomisation test (p by enumeration 1, saddlepoint 3); measure AP; topics 30; systems 5; "
        "baseline s0; alternative two-sided; correction holm; "
        f"family 4 comparisons; alpha 0.05; resamples 999; seed 7; cranfield {cranfield.__version__}"
    )
    assert compare(matrix(n=12, m=3)).signature.startswith("randomisation test, exact (all 4096 sign flips); measure")
    assert "; family 1 comparison; alpha" in compare(matrix(m=2), test="t").signature
    assert "correction by the test itself" in compare(matrix(), test="tukey").signature


# ── warnings ──────────────────────────────────────────────────────────────────────────────────────────────


def only_warning(scores, **settings):
    with pytest.warns(CranfieldWarning) as caught:
        found = compare(scores, **settings)
    assert [str(w.message) for w in caught] == list(found.warnings)
    (text,) = found.warnings
    return text


def test_too_few_resamples_for_the_family():
    assert only_warning(matrix(n=50), test="bootstrap", n_resamples=100) == (
        "No pair can be significant: the smallest possible p is 0.0099 times 10 comparisons, above 0.05. "
        "Use at least 199 resamples."
    )
    assert only_warning(matrix(n=50), test="bootstrap", n_resamples=199) == (
        "Only upper bounds: 7 p-values at the minimum, 1/200. With 10 comparisons, a significant pair has at most 0 "
        "resamples as extreme as it. Randomisation resolves smaller p-values."
    )
    assert compare(matrix(n=50), test="bootstrap", n_resamples=999).warnings == ()
    assert compare(matrix(n=50), test="bootstrap", n_resamples=100, correction="bh").warnings == ()
    assert only_warning(matrix(n=50), test="bootstrap", n_resamples=57, correction="by") == (
        "No pair can be significant: the smallest possible p is 0.0172 times 2.929 (10 comparisons, BY), above 0.05. "
        "Use at least 58 resamples."
    )
    assert compare(matrix(n=50), test="bootstrap", n_resamples=600, correction="by").warnings == ()


def test_the_randomisation_test_of_means_needs_no_more_resamples():
    assert compare(matrix(), n_resamples=100).warnings == ()
    few, many = compare(matrix(), n_resamples=199), compare(matrix(), n_resamples=100_000)
    assert (few.significant == many.significant).mean() > 0.8


def test_too_few_topics_for_an_exact_test():
    assert only_warning(matrix(n=5, m=2)) == (
        "No pair can be significant: the smallest possible p is 0.0625, above 0.05. 5 topics have only 32 sign flips."
    )


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_too_few_topics_for_a_test_on_signs(test):
    assert only_warning(matrix(n=6, m=3), test=test) == (
        "No pair can be significant: the smallest possible p is 0.0312 times 3 comparisons, above 0.05. "
        "6 topics have only 64 sign flips."
    )
    assert compare(matrix(n=6, m=2), test=test).smallest_p == 2 / 64


def test_the_observed_direction_is_called_by_its_name():
    assert only_warning(matrix(), test="t", alternative="greater") == (
        "Alternative 'greater' for all pairs tests the observed direction: its level is 0.1, not 0.05. "
        "Name a baseline or use 'two-sided'."
    )
    assert only_warning(matrix(), test="t", alternative="less") == (
        "Alternative 'less' for all pairs tests against the observed direction and finds nothing. "
        "Name a baseline or use 'two-sided'."
    )


def test_identical_systems_are_named():
    x = matrix(m=3)
    twin = ScoreMatrix(np.column_stack([x.values, x.values[:, 0]]), x.topics, ["s0", "s1", "s2", "t0"], "AP")
    assert only_warning(twin, test="t") == "Identical runs: {s0, t0}."
    x, y, z = x.values.T
    names = ["a", "b", "c", "d", "e", "f"]
    sets = ScoreMatrix(np.column_stack([x, y, x, z, y, x]), [str(i) for i in range(len(x))], names, "AP")
    expected = ["{a, c, f}", "{b, e}"] if x.mean() > y.mean() else ["{b, e}", "{a, c, f}"]
    assert only_warning(sets, test="t") == f"Identical runs: {', '.join(expected)}."
    assert only_warning(sets, test="t", baseline="c") == "Identical runs: {a, c, f}."


def test_a_constant_difference_is_named():
    x = matrix(m=2, n=50)
    same = ScoreMatrix(np.column_stack([x.values[:, 0], x.values[:, 0] + 0.1]), x.topics, ["a", "b"], "AP")
    assert only_warning(same, test="t") == (
        "The difference is the same on every topic for b − a. The paired t-test has no variance to use, so its p is only a "
        "bound. Use randomisation."
    )
    for test, title in [("bootstrap", "bootstrap-shift test"), ("bootstrap-t", "bootstrap-t test")]:
        assert only_warning(same, test=test, n_resamples=1000) == (
            f"The difference is the same on every topic for b − a. A {title} has no variance to use, so its p is "
            "meaningless. Use randomisation."
        )


def test_a_bootstrap_with_few_topics_is_liberal():
    assert only_warning(matrix(n=12), test="bootstrap", n_resamples=1000) == (
        "With 12 topics a bootstrap-shift test rejects true hypotheses too often. Prefer randomisation, or measure the "
        "error with `simulate tests`."
    )


def test_warnings_of_several_measures_name_them():
    with pytest.warns(CranfieldWarning):
        found = compare_measures(matrices(n=50), test="bootstrap", n_resamples=100, across_measures=True)
    assert found.warnings == (
        "AP, nDCG: No pair can be significant: the smallest possible p is 0.0099 times 20 comparisons, above 0.05. "
        "Use at least 399 resamples.",
    )


def test_the_signature_of_several_measures_speaks_of_all_of_them():
    """A measure whose p-values are all exact, first or last: resamples, seed and methods are those of both."""
    rng = np.random.default_rng(1)
    topics = [f"t{i}" for i in range(20)]
    exact = ScoreMatrix(rng.integers(0, 3, (20, 3)) / 10, topics, "abc", "P@10")
    drawn = ScoreMatrix(rng.random((20, 3)), topics, "abc", "AP")
    first, last = compare_measures(Scores([exact, drawn])), compare_measures(Scores([drawn, exact]))
    assert compare(exact).exact
    assert first.signature.replace("P@10, AP", "AP, P@10") == last.signature
    assert "resamples 100000; seed 1" in first.signature
    assert sum(first.settings["p_methods"].values()) == 6
    assert (first.settings["exact"], first.settings["seed"]) == (False, 1)


# ── errors ────────────────────────────────────────────────────────────────────────────────────────────────


def total_mean(values):
    return values.mean()


def no_number(values, axis):
    low = np.min(values, axis=axis)
    return np.where(low < 0.1, np.nan, low)  # fine at first sight, and in some resamples


def nothing_but_one(values, axis):
    return 1.0


X = matrix(m=3)
BAD = [
    (
        X.select(topics=X.topics[:1]),
        {},
        DataError,
        "AP: a comparison of systems needs at least 2 topics; there is 1. Give scores of more topics.",
    ),
    (
        X.select(systems=["s0"]),
        {},
        DataError,
        "AP: a comparison of systems needs at least 2 systems; there is 1. Give scores of more systems.",
    ),
    (X, {"baseline": "s9"}, UnknownNameError, "unknown system 's9'. Did you mean 's2' or 's1' or 's0'?"),
    (X, {"n_resamples": 0}, ArgumentError, "`n_resamples` must be a whole number of at least 1; got 0. Write 100000."),
    (X, {"alpha": 5}, ArgumentError, "`alpha` must be between 0 and 1; got 5. Write 0.05."),
    (X, {"alpha": 0}, ArgumentError, "`alpha` must be between 0 and 1; got 0. Write 0.05."),
    (X, {"test": "wilcoxson"}, UnknownNameError, "unknown test 'wilcoxson'. Did you mean 'wilcoxon'?"),
    (X, {"alternative": "both"}, UnknownNameError, "unknown alternative 'both'. Known: two-sided, greater, less."),
    (
        X,
        {"correction": "fdr"},
        UnknownNameError,
        "unknown correction 'fdr'. Known: none, bonferroni, holm, westfall-young, bh, by.",
    ),
    (X, {"statistic": "mode"}, UnknownNameError, "unknown statistic 'mode'. Did you mean 'mean'?"),
    (
        X,
        {"test": "tukey", "correction": "holm"},
        ArgumentError,
        "`correction` 'holm' cannot be added to tukey: its p-values are already adjusted. Leave the correction out.",
    ),
    (
        X,
        {"test": "tukey", "alternative": "greater"},
        ArgumentError,
        "tukey is two-sided by construction; got alternative 'greater'. Leave it out.",
    ),
    (
        X,
        {"test": "t", "statistic": "median"},
        ArgumentError,
        "test 't' compares means only. For statistic 'median' use one of: randomisation, bootstrap, randomised-tukey.",
    ),
    (
        X,
        {"memory": 0},
        ArgumentError,
        "`memory` must be a positive number of megabytes; got 0. Write 512.",
    ),
    (
        X,
        {"statistic": total_mean},
        ArgumentError,
        "`statistic` total_mean must take (values, axis): total_mean() got an unexpected keyword argument 'axis'",
    ),
    (
        X,
        {"statistic": nothing_but_one},
        ArgumentError,
        "`statistic` nothing_but_one must summarise along `axis`: from a (2, 3, 4) array along axis 1 it made (), "
        "expected (2, 4)",
    ),
    (
        X,
        {"statistic": no_number},
        DataError,
        "`statistic` no_number gave nan for some of the scores; it must give a number for all",
    ),
    (
        X.values,
        {},
        ArgumentError,
        "`scores` is an array without labels. Add them: ScoreMatrix(values, topics=…, systems=…, measure=…)",
    ),
    (X, {"statistic": 3}, ArgumentError, "`statistic` must be a name or a function of (values, axis); got 3"),
]


@pytest.mark.parametrize(("scores", "settings", "kind", "message"), BAD)
def test_bad_input_is_explained(scores, settings, kind, message):
    with pytest.raises(kind) as error:
        compare(scores, **settings)
    assert str(error.value) == message


def test_infinite_scores_are_refused():
    values = np.array(X.values)
    values[0, 0] = np.inf
    with pytest.raises(DataError, match="needs finite scores"):
        compare(ScoreMatrix(values, X.topics, X.systems, "AP"))


# ── the ways to ask ───────────────────────────────────────

QRELS = {str(topic): {"d1": 1, "d2": 0} for topic in range(6)}
RUNS = {
    "good": {topic: {"d1": 2.0, "d2": 1.0} for topic in QRELS},
    "bad": {topic: {"d1": 1.0 + 2 * (topic == "0"), "d2": 2.0} for topic in QRELS},
}


@pytest.mark.parametrize(
    ("given", "named"),
    [((QRELS, RUNS), {}), ((RUNS,), {"qrels": QRELS}), ((), {"qrels": QRELS, "runs": RUNS}), ((), {"scores": RUNS, "qrels": QRELS})],
)  # fmt: skip
@pytest.mark.parametrize(
    "verb",
    [cranfield.compare, cranfield.compare_measures, cranfield.leaderboard, cranfield.table, cranfield.paper_table],
)
def test_judgments_come_first_and_what_worked_before_works(verb, given, named):
    found = verb(*given, **named, measure="RR")
    assert found.signature == cranfield.compare(cranfield.evaluate(QRELS, RUNS, "RR")).signature
    assert "2 systems" in repr(found) or found.to_frame().height in (1, 2)


def test_nothing_and_twice_the_same_are_refused():
    with pytest.raises(
        ArgumentError, match=r"nothing to compare. Write compare\(scores\), or compare\(qrels, runs\).$"
    ):
        cranfield.compare()
    with pytest.raises(ArgumentError, match=r"^`qrels` is given twice"):
        cranfield.compare(QRELS, RUNS, qrels=QRELS)


def test_a_leaderboard_is_a_result_of_its_own():
    scores = make_scores(20, 4, seed=1)
    board, found = cranfield.leaderboard(scores, test="t"), compare(scores, test="t")
    assert board.to_frame().drop("measure").equals(found.leaderboard())
    assert board.summary().startswith(f"{found.systems[0]} leads by {found.measure}; ")
    assert board[found.measure].p.tolist() == found.p.tolist()
    assert board.to_dict()["rows"] == board.to_frame().to_dicts()
    assert board._repr_html_().count("<table") == 1
    assert board.answer().sheet("pairs").rows.equals(found.answer().sheet("pairs").rows)


def test_compare_says_its_type_and_its_options_once():
    verb = cranfield.questions.compare.compare
    said = [one.__annotations__["return"] for one in get_overloads(verb.compare)]
    assert said == ["Comparison", "Comparison", "Comparison | MeasureComparisons"]
    whole = verb.compare.__annotations__
    options = {name: hint.__forward_arg__ for name, hint in verb.CompareOptions.__annotations__.items()}
    assert options == {name: whole[name] for name in options}
    assert set(whole) - set(options) == {"scores", "runs", "qrels", "measure", "return"}


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_a_comparison_of_runs_repeats_the_warnings_of_their_evaluation():
    qrels = {"1": {"d1": 1}, "2": {"d1": 0}, "3": {"d2": 1}}
    ranked = {"a": {"d1": 2.0, "d2": 1.0}, "b": {"d1": 1.0, "d2": 2.0}}
    runs = {system: dict.fromkeys(qrels, documents) for system, documents in ranked.items()}
    result = compare(qrels, runs, measure="AP")
    assert result.warnings[0] == "1 of 3 topics have no relevant document, so every system scores 0 there: 2"


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_flips_that_are_all_taken_are_what_limits_westfall_and_young():
    x = ScoreMatrix(np.random.default_rng(1).normal(size=(4, 3)), list("1234"), list("abc"), "AP")
    short, all_taken = (compare(x, correction="westfall-young", n_resamples=b).warnings[0] for b in (15, 16))
    assert "the smallest adjusted p is 1/16, above 0.05" in short
    assert "4 topics have only 16 sign flips" in all_taken
