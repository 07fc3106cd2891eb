"""The gate: pass, fail and undecided, against independent computations and by properties."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestPower

from cranfield import ArgumentError, CranfieldWarning, DataError, ScoreMatrix, Scores, UnknownNameError, gate
from cranfield.core.answer import answer
from cranfield.core.formats import render
from cranfield.questions.gate.answer import to_junit
from cranfield.questions.gate.rule import topics_for


def matrix(differences, measure="AP", base=None):
    old = np.linspace(0.2, 0.6, len(differences)) if base is None else np.asarray(base)
    values = np.stack([old, old + np.asarray(differences)], axis=1)
    return ScoreMatrix(values, [str(i) for i in range(len(old))], ["main", "new"], measure)


def asked(differences, **question):
    return gate(matrix(differences), baseline="main", candidate="new", **question)


DIFFERENCES = np.random.default_rng(4).normal(0.001, 0.03, 60)


@pytest.mark.parametrize(("better", "margin"), [(False, 0.01), (True, None), (True, 0.005)])
def test_p_and_bounds_are_those_of_scipy(better, margin):
    result = asked(DIFFERENCES, margin=margin, better=better, test="t")
    (check,) = result.checks
    threshold = (margin or 0.0) if better else -margin
    assert result.threshold == threshold
    above = stats.ttest_1samp(DIFFERENCES, threshold, alternative="greater")
    below = stats.ttest_1samp(DIFFERENCES, threshold, alternative="less")
    assert check.p == pytest.approx(above.pvalue, rel=1e-9)
    assert check.p_fail == pytest.approx(below.pvalue, rel=1e-9)
    interval = stats.ttest_1samp(DIFFERENCES, 0).confidence_interval(0.90)
    assert (check.lower, check.upper) == pytest.approx((interval.low, interval.high), rel=1e-9)


def by_hand(d, alpha):
    """Both bounds as METHODS writes them, in numpy."""
    n, s = len(d), d.std(ddof=1)
    g = np.mean((d - d.mean()) ** 3) / s**3
    y = stats.t.ppf(1 - alpha, n - 1) / np.sqrt(n)
    hall = [d.mean() - s * 3 / g * (np.cbrt(1 + g * (one - g / (6 * n))) - 1) for one in (y, -y)]
    return min(d.mean() - s * y, hall[0]), max(d.mean() + s * y, hall[1])


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("seed", range(6))
def test_the_bounds_are_the_wider_of_t_and_hall_and_agree_with_p(alpha, seed):
    """At a margin next to a bound the verdict turns, on either side; long tails on the left and on the right."""
    differences = (-1) ** seed * 0.02 * (1 - np.random.default_rng(seed).exponential(1, 40))
    (check,) = asked(differences, better=True, alpha=alpha).checks
    assert (check.lower, check.upper) == pytest.approx(by_hand(differences, alpha), rel=1e-9)
    for bound, inside, outside in ((check.lower, "undecided", "pass"), (check.upper, "fail", "undecided")):
        for shift, expected in ((1e-6, inside), (-1e-6, outside)):
            threshold = bound + shift
            how = {"better": True} if threshold > 0 else {}
            (other,) = asked(differences, margin=abs(threshold), alpha=alpha, **how).checks
            assert other.verdict == expected


def test_a_long_left_tail_lowers_the_bound_and_no_bound_is_inside_the_t_bounds():
    tail = np.r_[np.full(47, 0.002), np.full(3, -0.2)] + np.linspace(-0.001, 0.001, 50)
    skewed, plain = (asked(tail, margin=0.03, test=test).checks[0] for test in ("hall", "t"))
    assert skewed.lower < plain.lower
    assert skewed.upper == plain.upper
    assert (skewed.verdict, plain.verdict) == ("undecided", "pass")
    even = np.tile([0.01, -0.01], 20)
    assert asked(even, margin=0.03).checks[0].lower == asked(even, margin=0.03, test="t").checks[0].lower


def test_equivalence_needs_both_sides():
    noise = np.random.default_rng(1).normal(0, 0.02, 100)
    noise -= noise.mean()
    for shift, verdict in ((0.0, "pass"), (0.05, "fail"), (-0.05, "fail"), (0.0095, "undecided")):
        for test in ("hall", "t"):
            result = asked(noise + shift, margin=0.01, equivalent=True, test=test)
            assert result.verdict == verdict
    assert result.thresholds == (-0.01, 0.01)
    (check,) = asked(noise, margin=0.01, equivalent=True).checks
    sides = [asked(noise, margin=0.01).checks[0].p, asked(-noise, margin=0.01).checks[0].p]
    assert check.p == pytest.approx(max(sides), rel=1e-9)
    equal = TTestPower().solve_power(0.01 / noise.std(ddof=1), alpha=0.05, power=0.9, alternative="larger")
    assert check.topics_if_equal == math.ceil(equal)
    assert asked(np.zeros(5), margin=0.01, equivalent=True).verdict == "pass"


def test_a_loss_that_may_be_absent_is_named():
    steady = np.tile([0.001, -0.001], 25)
    (check,) = asked(steady, margin=0.02).checks
    assert check.absent_loss == pytest.approx(0.02 / (1 - 0.05 ** (1 / 50)), rel=1e-9)
    text = render(answer(asked(steady, margin=0.02)).sheet(), "table")
    assert "These 50 topics may miss a loss that affects fewer than 5.8% of topics (probability above 0.05)." in text
    assert "A loss above 0.34 AP per affected topic would exceed the margin." in text
    assert asked(steady, margin=0.1).checks[0].absent_loss is None  # a loss of 1.7 per topic cannot be
    assert asked(steady - 0.5, margin=0.02).checks[0].absent_loss is None


def test_the_topics_needed_are_those_of_statsmodels():
    for effect, sd in [(0.01, 0.05), (0.02, 0.03), (0.005, 0.2)]:
        real = TTestPower().solve_power(effect / sd, alpha=0.05, power=0.8, alternative="larger")
        assert topics_for(effect, sd, 0.05, 0.8) == math.ceil(real)
        assert topics_for(-effect, sd, 0.05, 0.8) == math.ceil(real)


def test_the_three_verdicts():
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.02, 100)
    noise -= noise.mean()
    assert asked(noise, margin=0.01).verdict == "pass"
    assert asked(noise - 0.05, margin=0.01).verdict == "fail"
    undecided = asked(noise[:20] - noise[:20].mean() - 0.008, margin=0.01)
    assert undecided.verdict == "undecided"
    assert undecided.topics_needed > 20
    assert asked(noise, better=True).verdict == "undecided"
    assert asked(noise + 0.02, better=True).verdict == "pass"
    assert asked(noise + 0.02, better=True, margin=0.05).verdict == "fail"


@given(
    values=st.lists(st.integers(-100, 100), min_size=3, max_size=30),
    margin=st.sampled_from([0.01, 0.05, 0.2]),
    better=st.booleans(),
    alpha=st.sampled_from([0.01, 0.05, 0.2]),
)
@settings(max_examples=60, deadline=None)
@pytest.mark.filterwarnings("ignore:.*on every topic")
def test_verdict_bounds_and_p_agree(values, margin, better, alpha):
    result = asked(np.array(values) / 1000, margin=margin, better=better, alpha=alpha)
    (check,) = result.checks
    assert check.lower <= check.difference <= check.upper
    assert 0 < check.p <= 1
    assert 0 < check.p_fail <= 1
    if len(set(values)) > 1:
        gap = 1e-9
        if check.lower > result.threshold + gap:
            assert check.verdict == "pass"
        if check.upper < result.threshold - gap:
            assert check.verdict == "fail"
        if check.lower < result.threshold - gap and check.upper > result.threshold + gap:
            assert check.verdict == "undecided"
    assert (check.topics_needed is None) or check.topics_needed > check.n_topics


def test_the_order_of_topics_and_systems_does_not_matter():
    one = matrix(DIFFERENCES)
    other = one.select(topics=one.topics[::-1], systems=["new", "main"])
    question = {"baseline": "main", "candidate": "new", "margin": 0.01}
    for test in ("t", "randomisation"):
        first = gate(one, **question, test=test, n_resamples=2000)
        assert gate(other, **question, test=test, n_resamples=2000).to_dict() == first.to_dict()


def test_the_randomisation_test_enumerates_few_topics():
    differences = np.array([0.01, -0.02, 0.03, 0.0, 0.02, -0.005, 0.015, 0.01])
    result = asked(differences, margin=0.01, test="randomisation")
    shifted = differences + 0.01
    signs = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1).T
    assert result.checks[0].p == np.mean(signs @ shifted >= shifted.sum() - 1e-12)


def test_identical_runs_pass_and_no_p_is_zero():
    result = asked(np.zeros(50), margin=0.01)
    assert result.verdict == "pass"
    assert result.checks[0].p == 0.5**50
    many = asked(np.zeros(3000), margin=0.01)
    assert many.checks[0].p > 0
    assert asked(np.zeros(3), margin=0.01).verdict == "pass"
    few = asked(np.zeros(3), margin=0.01, test="t")
    assert (few.verdict, few.topics_needed) == ("undecided", 5)


def test_a_constant_difference_decides_by_itself_with_a_warning():
    with pytest.warns(
        CranfieldWarning, match=r"AP: the difference is \+0.02 on every topic, so it decides without a test"
    ):
        assert asked(np.full(4, 0.02), better=True).verdict == "pass"
    with pytest.warns(CranfieldWarning, match="-0.02 on every topic"):
        assert asked(np.full(4, -0.02), margin=0.01).verdict == "fail"


def test_a_constant_loss_of_the_margin_is_never_decided():
    with pytest.warns(CranfieldWarning, match="on every topic"):
        result = asked(np.full(40, -0.01), margin=0.01)
    assert (result.verdict, result.topics_needed) == ("undecided", None)
    assert "More topics are unlikely to decide" in result.summary()


def test_several_measures_must_all_pass():
    noise = np.tile([0.001, -0.001], 10)
    good, bad = matrix(noise + 0.02, "AP"), matrix(noise - 0.2, "P@10")
    question = {"baseline": "main", "candidate": "new", "margin": 0.01}
    assert gate(Scores([good]), **question).verdict == "pass"
    both = gate(Scores([good, bad]), **question)
    assert both.verdict == "fail"
    assert [check.verdict for check in both.checks] == ["pass", "fail"]
    assert "every measure passes" in render(answer(both).sheet(), "table")


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({}, "no margin given. Set `margin` in units of the measure, such as 0.01, or require a gain with `better`."),
        ({"margin": -0.01}, "`margin` must be a number of at least 0; got -0.01. Write 0.01."),
        ({"margin": 0.0}, "a `margin` of 0 requires a gain. Leave `margin` out and write `better`."),
        ({"equivalent": True}, "`equivalent` needs a `margin` above 0 in units of the measure, such as 0.01."),
        ({"equivalent": True, "better": True, "margin": 0.01},
         "`better` and `equivalent` exclude each other. Choose one."),
        ({"margin": 0.01, "alpha": 5}, "`alpha` must be between 0 and 1; got 5. Write 0.05."),
        ({"margin": 0.01, "test": "sign"}, "unknown test 'sign'. Known: hall, t, randomisation."),
    ],
)  # fmt: skip
def test_bad_questions(question, message):
    with pytest.raises(ArgumentError) as error:
        asked(DIFFERENCES, **question)
    assert str(error.value) == message


def test_bad_data():
    with pytest.raises(ArgumentError, match="are both 'main'. Name two systems."):
        gate(matrix(DIFFERENCES), baseline="main", candidate="main", margin=0.01)
    with pytest.raises(UnknownNameError, match="unknown system 'neu'. Did you mean 'new'?"):
        gate(matrix(DIFFERENCES), baseline="main", candidate="neu", margin=0.01)
    with pytest.raises(DataError, match="topic"):
        asked([0.1], margin=0.01)
    with pytest.raises(ArgumentError, match="`scores` cannot be made of list"):
        gate([1, 2], baseline="main", candidate="new", margin=0.01)
    with pytest.warns(CranfieldWarning, match="at least the mean AP of main"):
        asked(DIFFERENCES, margin=0.9)


def test_the_comment_and_the_xml_say_the_verdict():
    result = asked(DIFFERENCES - 0.2, margin=0.01)
    text = render(answer(result).sheet(), "markdown")
    assert text.startswith("### ❌ Fail: `new` against `main`\n")
    assert "| AP | 0.4000 |" in text
    suite = ElementTree.fromstring(to_junit(result).encode()).find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "1", "0")
    assert suite.find("testcase/failure").get("message") == result.sentence(result.checks[0])
    assert suite.find("system-err") is None
    undecided = asked(DIFFERENCES[:5], margin=0.005)
    suite = ElementTree.fromstring(to_junit(undecided).encode()).find("testsuite")
    assert suite.find("testcase/error").get("type") == "undecided"
    with pytest.warns(CranfieldWarning, match="at least the mean AP"):
        warned = asked(DIFFERENCES, margin=0.9)
    suite = ElementTree.fromstring(to_junit(warned).encode()).find("testsuite")
    assert suite.find("system-err").text.splitlines() == list(warned.warnings)


def test_scores_so_small_that_every_spread_is_next_to_nothing_are_refused():
    """Squares of such differences are 0, and without spread any difference would pass or fail."""
    x = matrix(DIFFERENCES)
    tiny = ScoreMatrix(x.values * 1e-170, x.topics, x.systems, "AP")
    with pytest.raises(DataError, match="^AP: .*its square is too small for a double; scale the scores first$"):
        gate(tiny, baseline="main", candidate="new", better=True)
