"""What users are told: intervals agree with decisions, large families decide, and the best is a set."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield import (
    ScoreMatrix,
    Scores,
    compare,
    compare_measures,
    make_scores,
    paper_table,
    read_scores,
    write_scores,
)
from cranfield.core.answer import answer
from cranfield.core.errors import ArgumentError, CranfieldWarning, quietly
from cranfield.core.tables import text_rows
from cranfield.questions.compare.corrections import CORRECTIONS, adjust
from cranfield.questions.compare.resampled import enough_resamples
from cranfield.questions.compare.tests import TESTS
from support import SHARED, needs_shared

MEANS = tuple(name for name in TESTS if name not in ("wilcoxon", "sign"))
"""Tests whose decisions point the way of the mean difference."""
RAW = tuple(name for name, test in TESTS.items() if not test.corrects_family)


def matrix(m=6, n=25, seed=1, step=0.03, measure="AP"):
    made = make_scores(n, m, seed, system_effects=[step * j for j in range(m)])
    return ScoreMatrix(made.values, made.topics, [f"s{j:03}" for j in range(m)], measure)


def combinations():
    for test in TESTS:
        for correction in [None] if TESTS[test].corrects_family else CORRECTIONS:
            if not CORRECTIONS[correction or "none"].fits or test in CORRECTIONS[correction].fits:
                yield test, correction


def leaves_out_zero(result):
    """0 is not inside; an end that is set to 0 belongs to the decision."""
    touches = (result.lower == 0) | (result.upper == 0)
    return (result.lower > 0) | (result.upper < 0) | (touches & result.significant)


@pytest.mark.parametrize(("test", "correction"), list(combinations()))
def test_an_interval_leaves_out_zero_exactly_when_its_pair_is_significant(test, correction):
    with quietly():
        results = [
            compare(matrix(seed=seed, step=step), test=test, correction=correction, n_resamples=499)
            for seed in (1, 2)
            for step in (0.0, 0.02, 0.1)
        ]
    assert any(one.significant.any() for one in results)
    assert not all(one.significant.all() for one in results)
    for one in results:
        towards = one.difference != 0
        assert (leaves_out_zero(one) == one.significant)[towards].all()
        assert ((one.lower <= one.difference) & (one.difference <= one.upper)).all()


@settings(max_examples=40, deadline=None)
@given(
    test=st.sampled_from(MEANS),
    correction=st.sampled_from(["none", "holm", "bh"]),
    alternative=st.sampled_from(["two-sided", "greater", "less"]),
    seed=st.integers(0, 10**6),
    step=st.sampled_from([0.0, 0.02, 0.05]),
    places=st.sampled_from([1, 2, 12]),
)
def test_intervals_agree_against_a_baseline_on_any_side(test, correction, alternative, seed, step, places):
    own = TESTS[test].corrects_family
    x = matrix(m=4, n=12, seed=seed, step=step)
    x = ScoreMatrix(x.values.round(places), x.topics, x.systems, x.measure)
    with quietly():
        result = compare(
            x,
            test=test,
            baseline="s001",
            correction=None if own else correction,
            alternative="two-sided" if own else alternative,
            n_resamples=199,
        )
    towards = {"two-sided": result.difference != 0, "greater": result.difference > 0, "less": result.difference < 0}
    right = towards[result.alternative] | ~result.significant
    assert (leaves_out_zero(result) == result.significant)[right].all()


REAL = [("trec3-adhoc", *one) for one in combinations()] + [
    ("trec8-adhoc", test, correction)
    for test, correction in (
        ("randomisation", "holm"),
        ("randomisation", "westfall-young"),
        ("t", "bh"),
        ("tukey", None),
    )
]


@needs_shared
@pytest.mark.slow
@pytest.mark.parametrize(("track", "test", "correction"), REAL)
def test_intervals_agree_on_real_tracks_and_no_p_is_printed_as_a_floor(track, test, correction):
    scores = read_scores(SHARED / "data" / "matrices" / f"{track}.AP.csv").only()
    with quietly():
        result = compare(scores, test=test, correction=correction)
        sheet = answer(result).sheet()
        shown = [row[sheet.rows.columns.index("p")] for row in text_rows(sheet)]
    assert (leaves_out_zero(result) == result.significant)[result.difference != 0].all()
    floors = {float(result.smallest_p or 0), 1 / ((result.n_resamples or 0) + 1)}
    for text, p in zip(shown, result.p, strict=True):
        assert "e-" not in text
        assert text.startswith("< ") or p not in floors or p >= 1e-4


@pytest.mark.parametrize(("test", "statistic"), [("randomisation", "median"), ("bootstrap", "geometric-mean")])
def test_intervals_of_other_statistics_agree_too(test, statistic):
    with quietly():
        result = compare(matrix(step=0.08), test=test, statistic=statistic, n_resamples=999)
    assert result.significant.any()
    assert (leaves_out_zero(result) == result.significant)[result.difference != 0].all()


@pytest.mark.parametrize("test", ["t", "tukey", "bootstrap-t"])
def test_intervals_agree_over_several_measures(test):
    several = Scores([matrix(step=0.06), matrix(step=0.02, seed=3, measure="nDCG")])
    with quietly():
        for correction in [None] if test == "tukey" else ["holm", "bh", "by"]:
            both = compare_measures(several, test=test, across_measures=True, correction=correction, n_resamples=9999)
            for one in both.values():
                assert (leaves_out_zero(one) == one.significant).all()


def test_pairwise_intervals_are_narrower_and_say_so():
    one, all_ = compare(matrix(), test="t", intervals="pairwise"), compare(matrix(), test="t")
    assert ((one.upper - one.lower) < (all_.upper - all_.lower)).all()
    assert one.interval == "paired t interval per pair"
    assert all_.interval == "paired t interval, simultaneous over 15 comparisons (Bonferroni level)"
    assert "intervals pairwise" in one.signature
    assert np.array_equal(one.p_adjusted, all_.p_adjusted)
    with quietly():
        boot = compare(matrix(), test="bootstrap", intervals="pairwise", n_resamples=2000)
    assert boot.interval == "bootstrap percentile interval per pair"


# ── large families ──


def test_a_large_family_is_decided_by_randomisation():
    """100 systems, 4,950 pairs: Monte Carlo alone could not give a p-value small enough."""
    x = matrix(m=100, n=50, step=0.006)
    one, two = compare(x, test="randomisation"), compare(x, test="randomisation", seed=2)
    assert one.warnings == ()
    count = int(one.significant.sum())
    assert count > 1000
    assert abs(count - int(two.significant.sum())) <= 5
    assert one.p_methods["saddlepoint"] + one.p_methods["enumerated"] > 1000
    assert one.settings["p_methods"] == one.p_methods
    assert f"saddlepoint {one.p_methods['saddlepoint']:,}" in one.signature
    assert set(one.p_method) == set(one.p_methods)
    assert json.loads(json.dumps(one.settings))["p_methods"] == one.p_methods
    # The order of p-values is kept by Holm, whoever found them.
    assert (adjust(one.p) == one.p_adjusted).all()


PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""A small process in between: a child begins with the peak of the process that starts it, and that of the tests is large."""


@pytest.mark.slow
def test_a_thousand_systems_in_bounded_memory(tmp_path):
    """499,500 pairs from file to file; all differences of one flip at once would take 200 MB for every fifty flips."""
    write_scores(make_scores(50, 1000), tmp_path / "scores.csv")
    for command, rows in (("compare", 499_500), ("leaderboard", 1000)):
        words = [command, str(tmp_path / "scores.csv"), "-o", str(tmp_path / "out.csv")]
        asked = [sys.executable, "-m", "cranfield", *words]
        measured = subprocess.run([sys.executable, "-c", PEAK, *asked], capture_output=True, text=True, check=True)
        assert int(measured.stdout) < 1_000_000  # kB
        with (tmp_path / "out.csv").open() as lines:
            found = list(csv.DictReader(lines))
        assert len(found) == rows
        if command == "compare":
            assert sum(row["significant"].lower() == "true" for row in found) > 10_000


def test_resamples_are_enough_for_the_family_unless_given():
    shift = TESTS["bootstrap"]
    assert enough_resamples(shift, "holm", 10, 0.05, 50, True) == 100_000
    assert enough_resamples(shift, "holm", 8256, 0.05, 50, True) == 2 * 165_119
    assert enough_resamples(shift, "bh", 8256, 0.05, 50, True) == 100_000
    assert enough_resamples(shift, "holm", 10**6, 0.05, 50, True) == 100_000  # no end in sight, so no attempt
    assert enough_resamples(TESTS["randomisation"], "holm", 10**6, 0.05, 50, True) == 100_000
    assert compare(matrix(m=3), test="bootstrap-t", correction="none").n_resamples == 100_000
    assert compare(matrix(m=3), test="bootstrap-t", correction="none", n_resamples=5000).n_resamples == 5000


def test_westfall_young_through_compare():
    x = matrix(m=12, n=40, step=0.02)
    one, holm = compare(x, correction="westfall-young", n_resamples=5000), compare(x)
    assert (one.p_adjusted >= one.p).all()
    assert int(one.significant.sum()) >= int(holm.significant.sum())
    assert "correction westfall-young" in one.signature
    assert "Westfall–Young-adjusted p" in one.summary()
    of_t = compare(x, test="t", correction="maxT", n_resamples=5000)
    assert np.allclose(of_t.p_adjusted, np.maximum(one.p_adjusted, of_t.p))
    assert of_t.correction == "westfall-young"


def test_westfall_young_is_refused_where_it_does_not_fit():
    with pytest.raises(ArgumentError, match="needs the mean and test randomisation or t; got test 'sign'"):
        compare(matrix(), test="sign", correction="westfall-young")
    with pytest.raises(ArgumentError, match="got statistic 'median'"):
        compare(matrix(), statistic="median", correction="westfall-young")
    with pytest.raises(ArgumentError, match="covers the pairs of one measure"):
        compare_measures(Scores([matrix(), matrix(measure="P")]), correction="westfall-young", across_measures=True)
    with pytest.raises(ArgumentError, match="needs the scores, not p-values alone"):
        adjust([0.1], "westfall-young")
    with pytest.warns(CranfieldWarning, match="the smallest adjusted p is 1/11, above 0.05. Use at least 19"):
        compare(matrix(), correction="westfall-young", n_resamples=10)


# ── who may be the best ──


def test_who_may_be_the_best():
    x = matrix(m=5, n=60, step=0.12)
    result = compare(x)
    assert result.may_be_best[0] == result.systems[0]
    assert 1 <= len(result.may_be_best) < 5
    board = result.leaderboard()
    assert board.columns[-1] == "may_be_best"
    assert board.filter(board["may_be_best"])["system"].to_list() == list(result.may_be_best)
    assert "may be the best (95%)" in result.summary()
    even = compare(matrix(m=3, n=10, step=0.0), alpha=0.01)
    assert "any of the 3 systems may be the best (99%)" in even.summary()
    assert compare(x, baseline="s000").best_text() == ""


def test_groups_of_many_systems_are_ranges_of_ranks():
    x = matrix(m=31, n=30, step=0.02)
    result = compare(x, test="t")
    groups = result.leaderboard()["group"].to_list()
    apart = result.separated
    for i, text in enumerate(groups):
        low, _, high = text.partition("–")
        near = result.rank[~apart[i]]
        assert (int(low), int(high or low)) == (near.min(), near.max())
    letters = result.leaderboard(letters=True)["group"].to_list()
    assert all(text.replace(" ", "").isalpha() for text in letters)
    few = compare(matrix(m=4), test="t")
    assert few.leaderboard()["group"].to_list() == list(few.groups)
    assert few.leaderboard(letters=False)["group"].to_list() == list(few.unseparated_ranks)


@pytest.mark.slow
@pytest.mark.parametrize("n_topics", [25, 50])
def test_rank_intervals_and_the_set_of_the_best_cover_the_truth(n_topics):
    """Ten systems close together at the top of 30, topics and groups of systems in common, heavy tails."""
    m, trials = 30, 150
    truth = np.concatenate([0.40 - 0.005 * np.arange(10), 0.34 - 0.006 * np.arange(20)])
    team = np.repeat(np.arange(10), 3)
    rng = np.random.default_rng(5)
    covered, best = np.zeros(m), 0
    for _ in range(trials):
        values = truth + rng.normal(0, 0.18, (n_topics, 1)) + rng.normal(0, 0.07, (n_topics, 10))[:, team]
        values = values + rng.standard_t(4, (n_topics, m)) * 0.06
        names = [f"s{j:02}" for j in range(m)]
        result = compare(ScoreMatrix(values, [str(i) for i in range(n_topics)], names, "X"), test="t", baseline="s00")
        at = np.array([int(name[1:]) for name in result.systems])
        covered[at] += (result.rank_lower <= at + 1) & (at + 1 <= result.rank_upper)
        best += "s00" in result.may_be_best
    assert (covered[:5] / trials >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / trials)).all()
    assert best / trials >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / trials)


# ── names ──


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("paired-t", "t"),
        ("ttest", "t"),
        ("Student's t", "t"),
        ("permutation", "randomisation"),
        ("fisher", "randomisation"),
        ("randomization", "randomisation"),
        ("wilcoxon-signed-rank", "wilcoxon"),
        ("tukey_hsd", "tukey"),
        ("independent-t", "unpaired-t"),
        ("Welch", "welch"),
    ],
)
def test_tests_are_known_by_their_other_names(name, own):
    assert TESTS.canonical(name) == own
    assert TESTS[name] is TESTS[own]
    with quietly():
        assert compare(matrix(m=2), test=name, n_resamples=99).test == own


def test_aliases_lead_somewhere_and_hide_nothing():
    for registry in (TESTS, CORRECTIONS):
        assert set(registry.aliases.values()) <= set(registry.names)
        assert not set(registry.aliases) & set(registry.names)


def test_one_pair_differs_and_several_differ() -> None:
    rng = np.random.default_rng(3)
    low = rng.uniform(0, 0.4, 30)
    scores = np.column_stack([low, low + rng.uniform(0.1, 0.3, 30), low + rng.uniform(0.3, 0.6, 30)])
    matrix = ScoreMatrix(scores, [str(i) for i in range(30)], ["a", "b", "c"], "AP")
    assert compare(matrix, test="t").summary().startswith("AP: 3 of 3 pairs differ significantly (all pairs;")
    two = matrix.select(systems=["a", "b"])
    assert compare(two, test="t").summary().startswith("AP: b and a differ significantly (uncorrected p ≤ 0.05)")


def test_a_family_of_one_is_not_called_corrected() -> None:
    rng = np.random.default_rng(4)
    measures = [ScoreMatrix(rng.uniform(size=(12, 2)), map(str, range(12)), ["a", "b"], name) for name in ("AP", "RR")]
    assert (
        compare(measures[0], test="t", baseline="a").summary()
        == "AP: no significant difference between b and a (uncorrected p > 0.05)"
    )
    assert compare(measures[0], test="tukey").correction_text() == "family-wise"
    flips = compare(measures[0], test="t", correction="westfall-young")
    assert flips.correction_text() == "Westfall–Young-adjusted"  # its p is counted in flips, also for one pair
    both = compare(Scores(measures), test="t", across_measures=True)
    assert {one.correction_text() for one in both.values()} == {"Holm-adjusted"}
    methods = paper_table(measures[0], test="t", baseline="a").explain()
    assert "There is one comparison, so no adjustment is needed." in methods
    assert "Holm" not in methods
