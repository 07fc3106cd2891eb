"""Advice: the rows and their order, one number for one question, intervals, sense, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield import ArgumentError, CranfieldWarning, ScoreMatrix, design_anova, estimate_variance, read_scores
from cranfield.questions.design.all_pairs import design_all_pairs, design_spread
from cranfield.questions.design.asked import sense
from cranfield.questions.design.jackknife import blocked_size, past_scores
from cranfield.questions.recommend.max_t_design import (
    CriticalValues,
    MaxTPower,
    critical_values,
    simulate_max_t_power,
)
from cranfield.questions.recommend.recommend import expected_widths, recommend
from cranfield.questions.variance.sphericity import pair_spread, unbiased_epsilon
from support import SHARED, needs_shared

Array = NDArray[np.float64]


def matrix(values: Array, measure: str = "AP") -> ScoreMatrix:
    n, m = values.shape
    return ScoreMatrix(values, [f"t{i}" for i in range(n)], [f"s{j}" for j in range(m)], measure)


def past(seed: int = 1, n: int = 40, m: int = 12, scale: float = 1) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    noise = rng.normal(0, 0.15, (n, 1)) + rng.normal(0, 0.1, (n, m)) * rng.uniform(0.5, 1.5, m)
    return matrix(np.clip(np.linspace(0.4, 0.6, m) + noise, 0, 1) * scale)


def test_rows_and_their_order() -> None:
    advice = recommend(past(), 10, 0.1)
    assert advice.rows["design"].to_list() == [
        "all pairs, max-t",
        "all pairs, corrected",
        "all pairs, corrected",
        "baseline, corrected",
        "blocked ANOVA, unbiased ε",
        "blocked ANOVA, Greenhouse–Geisser ε",
        "one-way ANOVA, published",
        "paired t-test",
        "paired t-test",
        "interval",
        "interval",
    ]
    assert advice.rows["question"].n_unique() == 11
    # Up to 20 comparisons are tested by randomisation with Holm's correction, more by max-t.
    assert recommend(past(), 10, 0.1, baseline=True).rows["design"][0] == "baseline, corrected"
    assert recommend(past(m=25), 22, 0.1, baseline=True).rows["design"][0] == "baseline, max-t"
    assert recommend(past(), 6, 0.1).rows["design"][0] == "all pairs, corrected"
    assert recommend(past(), 7, 0.1).by_max_t
    assert advice.n_topics == advice.rows["topics"][0]
    assert advice.lower is not None
    assert advice.upper is not None
    assert advice.lower <= advice.n_topics <= advice.upper
    for low, topics, high in advice.rows.select("topics_lower", "topics", "topics_upper").rows():
        assert low is None or low <= topics <= high


def test_one_question_has_one_answer() -> None:
    """The rows are what the designs say when asked themselves."""
    x = past()
    advice = recommend(x, 10, 0.1)
    estimate = estimate_variance(x, "residual")
    headline = design_all_pairs(estimate, 10, 0.1, spread=design_spread(estimate))
    assert advice.rows["topics"][1] == headline.n_topics
    assert recommend(x, 6, 0.1).n_topics == design_all_pairs(estimate, 6, 0.1).n_topics
    assert design_spread(estimate) > pair_spread(x)
    epsilon = unbiased_epsilon(np.cov(x.canonical().values, rowvar=False), x.n_topics, 10)
    assert advice.rows["epsilon"][4] == pytest.approx(epsilon)
    assert advice.rows["topics"][4] == design_anova(estimate, 10, 0.1, blocked=True, epsilon=epsilon).n_topics
    assert advice.rows["topics"][5] >= advice.rows["topics"][4]


def test_the_assured_size_is_that_of_the_assured_variance() -> None:
    x = past()
    advice = recommend(x, 10, 0.1, assurance=0.9)
    estimate = estimate_variance(x, "residual")
    above = estimate.assured(0.9)
    assert above is not None
    assert estimate.error is not None
    assert above.variance == pytest.approx(estimate.variance * math.exp(estimate.error.reach(0.9)))
    assert advice.rows["topics_assured"][1] == design_all_pairs(above, 10, 0.1).n_topics
    few = recommend(x, 6, 0.1, assurance=0.9)
    assert few.assured == design_all_pairs(above, 6, 0.1).n_topics
    assert advice.to_dict()["topics_assured"] == advice.assured
    sizes = [recommend(x, 10, 0.1, assurance=level) for level in (0.5, 0.8, 0.9, 0.975)]
    assert sizes[0].assured == sizes[0].n_topics
    assert sizes[-1].assured == sizes[-1].upper
    for row in advice.rows.iter_rows(named=True):
        known = row["estimator"] != "percentile95" and "Geisser" not in row["design"]
        assert (row["topics_assured"] is not None) == known
        assert not known or row["topics"] <= row["topics_assured"] <= row["topics_upper"]
    with pytest.raises(ArgumentError, match=r"`assurance` must be between 0 and 1; got 80\. Write 0.80"):
        recommend(x, 10, 0.1, assurance=80)


def test_teams_count_in_place_of_systems() -> None:
    x = past()
    teams = {name: name[:2] for name in x.systems}  # s1, s10, s11 are one team
    alone, grouped = recommend(x, 10, 0.1), recommend(x, 10, 0.1, teams=teams)
    estimate = estimate_variance(x, "residual", teams=teams)
    assert grouped.rows["topics_upper"][1] == design_all_pairs(estimate, 10, 0.1).only("topics_upper")
    assert grouped.upper != alone.upper
    assert grouped.settings["teams"] == "10 teams"
    assert "Past teams are treated as a sample of future ones." in grouped.text


def test_two_systems_are_no_sample() -> None:
    with pytest.warns(CranfieldWarning, match="reflects topics only; including systems takes at least 3"):
        advice = recommend(past(m=2), 2, 0.1)
    assert advice.assured is not None
    assert "assurance" in advice.text
    assert "as a sample" not in advice.text


def test_the_promise_names_what_was_asked() -> None:
    promise = recommend(past(), 10, 0.1).promise
    assert "The test is max-t over all 45 pairs" in promise
    assert "paired t-tests of all 15 pairs with Holm's correction" in recommend(past(), 6, 0.1).promise
    assert "a difference of 0.1 in mean AP" in promise
    assert "the 9 comparisons with it" in recommend(past(), 10, 0.1, baseline=True).promise


def test_the_same_scores_give_the_same_answer() -> None:
    x = past()
    turned = ScoreMatrix(x.values[::-1, ::-1], x.topics[::-1], x.systems[::-1], "AP")
    assert recommend(x, 10, 0.1).to_dict() == recommend(turned, 10, 0.1).to_dict()


def test_several_collections() -> None:
    advice = recommend({"a": past(1), "b": past(2, 60, 15)}, 10, 0.1)
    assert "collections" in advice.settings
    one = recommend([past(1), past(1)], 10, 0.1)
    alone = recommend(past(1), 10, 0.1)
    assert abs(one.n_topics - alone.n_topics) <= 1
    assert one.upper is not None
    assert alone.upper is not None
    assert one.upper <= alone.upper  # twice the topics, but the same systems
    assert recommend([past(1), past(2, 60, 15)], 10, 0.1).upper < recommend(past(2, 60, 15), 10, 0.1).upper
    with pytest.raises(ArgumentError, match="is empty"):
        recommend([], 10, 0.1)


def test_too_few_past_systems_for_epsilon() -> None:
    with pytest.warns(CranfieldWarning, match="no blocked ANOVA design: ε for 50 systems needs at least 8"):
        advice = recommend(past(m=5), 50, 0.1)
    assert not any("blocked" in name for name in advice.rows["design"])
    assert advice.n_topics > 10


def test_few_topics_have_no_interval_for_the_anova() -> None:
    advice = recommend(past(n=3, m=4), 4, 0.1)
    assert advice.rows.filter(design="blocked ANOVA, unbiased ε")["topics_lower"].to_list() == [None]


def test_widths_of_two_kinds_of_pair() -> None:
    x = past()
    both = [estimate_variance(x, "residual"), estimate_variance(x, "percentile95")]
    widths = expected_widths(both[0], both[1], [25, 100])
    assert widths.columns == ["topics", "width_average_pair", "width_percentile95_pair"]
    assert (widths["width_average_pair"] < widths["width_percentile95_pair"]).all()
    assert widths["width_average_pair"][0] == pytest.approx(
        2 * 2.0639 * math.sqrt(both[0].variance_of_difference / 25), rel=0.02
    )


def test_jackknife_against_refits() -> None:
    """Variance and ε without each topic and each system, by leaving them out."""
    x, y = past(3, 12, 9), past(4, 15, 10)
    fast = past_scores([x, y], 6)
    a, b = x.canonical().values, y.canonical().values
    for i in (0, 5, 11):
        slow = past_scores([matrix(np.delete(a, i, axis=0)), matrix(b)], 6)
        assert (fast.variances[i], fast.epsilons[i]) == pytest.approx((slow.variance, slow.epsilon), rel=1e-8)
    slow = past_scores([matrix(a), matrix(np.delete(b, 3, axis=0))], 6)
    assert (fast.variances[12 + 3], fast.epsilons[12 + 3]) == pytest.approx((slow.variance, slow.epsilon), rel=1e-8)
    # s0 to s8 stand in both collections and leave both; s9 is of the second alone.
    for j in (0, 8, 9):
        both = [matrix(np.delete(one, j, axis=1)) if j < one.shape[1] else matrix(one) for one in (a, b)]
        slow = past_scores(both, 6)
        assert (fast.variances[27 + j], fast.epsilons[27 + j]) == pytest.approx((slow.variance, slow.epsilon), rel=1e-8)
    assert fast.members is not None
    assert fast.members.tolist() == [2] * 9 + [1]
    teams = {f"s{j}": "ab"[j // 8] if j > 3 else "c" for j in range(10)}
    grouped = past_scores([x, y], 4, [teams, teams])
    slow = past_scores([matrix(a[:, 4:]), matrix(b[:, 4:])], 4)
    assert (grouped.variances[-1], grouped.epsilons[-1]) == pytest.approx((slow.variance, slow.epsilon), rel=1e-8)
    assert fast.variance == pytest.approx(
        (11 * estimate_variance(x, "residual").variance + 14 * estimate_variance(y, "residual").variance) / 25
    )


def test_no_interval_where_one_topic_holds_all_the_variance() -> None:
    values = np.full((8, 4), 0.5)
    values[0] = [0.1, 0.9, 0.4, 0.2]
    assert blocked_size(past_scores([matrix(values)], 4), 4, 0.1) is None


@pytest.mark.parametrize(
    ("scale", "min_diff", "topics", "words"),
    [
        (0.5, 0.95, None, "exceeds the range of the AP scores"),
        (1, 0.35, None, "exceeds the gap between the best and the worst past system"),
        (1, 0.001, None, "standard deviations of a difference"),
        (100, 0.05, None, "may be per cent"),
        (1, 0.05, 1_621_211, "1,621,211 topics are more than most collections have"),
    ],
)
def test_sense(scale: float, min_diff: float, topics: int | None, words: str) -> None:
    said = sense(past(scale=scale), min_diff, topics=topics)
    assert any(words in sentence for sentence in said), said


def test_sense_has_nothing_to_say_of_a_sound_question() -> None:
    assert sense(past(), 0.1) == ()
    assert sense([past(), past(2)], 0.1, topics=60) == ()


@pytest.mark.parametrize(("scale", "min_diff", "remedy"), [(1, 5, "Did you mean 0.05"), (100, 120, "range from")])
def test_a_difference_that_cannot_be_is_refused(scale: float, min_diff: float, remedy: str) -> None:
    with pytest.raises(ArgumentError, match=f"`min_diff` = {min_diff} is impossible .*{remedy}"):
        recommend(past(scale=scale), 10, min_diff)
    for design in (design_all_pairs, design_anova):
        with pytest.raises(ArgumentError, match="is impossible for mean AP"):
            design(past(scale=scale), 10, min_diff)


@pytest.mark.parametrize(
    ("largest", "min_diff", "refused"),
    [(1, 1.5, True), (1.5, 1.2, False), (1.5, 101, True), (100, 100.5, True), (100.5, 101, False)],
)
def test_what_no_two_systems_can_differ_by(largest: float, min_diff: float, refused: bool) -> None:
    """Scores up to 1 are shares, up to 100 per cent; what runs further has no end that is known."""
    values = np.random.default_rng(1).uniform(0, 1, (30, 5))
    values[0, 0], values[1, 0] = 0, 1
    try:
        sense(matrix(values * largest), min_diff)
    except ArgumentError as error:
        assert f"`min_diff` = {min_diff:g} is impossible" in str(error)
        assert refused
    else:
        assert not refused


def test_a_small_difference_is_told_in_standard_deviations() -> None:
    values = np.random.default_rng(1).uniform(0.2, 0.6, (30, 5))
    residuals = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    spread = np.sqrt(2 * (residuals**2).sum() / (29 * 4))
    (said,) = sense(matrix(values), 0.001)
    assert f"is only {0.001 / spread:.2g} standard deviations of a difference ({spread:.4g} AP)" in said


def test_advice_warns_of_nonsense() -> None:
    with pytest.warns(CranfieldWarning):
        said = recommend(past(scale=100), 10, 0.05).warnings
    assert any("more than most collections have" in text for text in said)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((1, 0.1), "`n_systems` must be"), ((5, -1), "`min_diff` must be above 0")],
)
def test_bad_arguments(arguments: tuple[int, float], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        recommend(past(), *arguments)


@needs_shared
def test_terabyte() -> None:
    advice = recommend(read_scores(SHARED / "data" / "matrices" / "terabyte2006.AP.csv").only(), 20, 0.1)
    assert advice.rows["topics"][1] in (46, 47)  # t with Holm; simulation: 47
    assert advice.n_topics in (37, 38)
    assert advice.rows.filter(design="blocked ANOVA, unbiased ε")["topics"][0] < 75


# ── the design for max-t ──────────────────────────────────────────────────────────────────────────────────


def test_the_power_of_max_t_by_simulation() -> None:
    """P(|d| > c·√((s² + κ·v0)/n)) drawn out, for pairs of equal and of unequal variances."""
    rng = np.random.default_rng(1)
    n, min_diff, v0, c = 40, 0.08, 0.02, 3.0
    for spread in (0.0, 0.5):
        shares = rng.gamma(1 / spread**2, spread**2, 4000) if spread else np.ones(4000)
        d = rng.normal(0, 1, (4000, n)) * np.sqrt(shares * v0)[:, None] + min_diff
        t = np.abs(d.mean(axis=1)) / np.sqrt((d.var(axis=1, ddof=1) + 0.5 * v0) / n)
        designed = MaxTPower(CriticalValues((n,), (c,)), spread)
        assert designed.power(n, min_diff, v0) == pytest.approx((t > c).mean(), abs=0.03)
        size = designed.topics(min_diff, v0, 0.8)
        assert designed.power(size, min_diff, v0) >= 0.8 > designed.power(size - 1, min_diff, v0)
        assert designed.min_diff(size, v0, 0.8) <= min_diff
        assert designed.power(size, designed.min_diff(size, v0, 0.8), v0) == pytest.approx(0.8, abs=1e-6)


def test_critical_values_grow_with_the_family_and_come_from_the_seed() -> None:
    x = [past(m=30)]
    found = {k: critical_values(x, k, alpha=0.05, baseline=False, seed=1, sizes=(25, 50)) for k in (7, 20, 30, 40)}
    assert found[7].at(50) < found[20].at(50) < found[30].at(50) < found[40].at(50)
    again = critical_values(x, 20, alpha=0.05, baseline=False, seed=1, sizes=(25, 50))
    assert again == found[20]
    assert critical_values(x, 20, alpha=0.05, baseline=False, seed=2, sizes=(25,)) != again
    assert critical_values(x, 20, alpha=0.05, baseline=True, seed=1, sizes=(50,)).at(50) < found[20].at(50)
    assert found[20].at(10) == found[20].values[0]
    assert found[20].at(1000) == found[20].values[1]
    # More systems than the past has: the effective number of comparisons grows with the pairs.
    assert found[40].at(50) == pytest.approx(3.4, abs=0.4)


def test_fewer_topics_for_max_t_than_for_holm() -> None:
    x = past(m=30)
    advice = recommend(x, 20, 0.1)
    assert advice.n_topics < advice.rows["topics"][1]
    assert recommend(x, 20, 0.1, seed=2).n_topics == pytest.approx(advice.n_topics, rel=0.05)
    row = advice.sizes.filter(topics=50).row(0, named=True)
    assert (row["power"] >= 0.8) == (advice.n_topics <= 50)


def test_a_difference_too_small_for_any_number_of_topics() -> None:
    with pytest.raises(ArgumentError, match="needs more than 1,000,000,000 topics. Give a larger one"):
        MaxTPower(CriticalValues((50,), (3.0,)), 0.0).topics(1e-9, 1.0, 0.8)
    with pytest.raises(ArgumentError, match="past scores that are all equal give no critical value"):
        critical_values([matrix(np.full((10, 8), 0.5))], 8, alpha=0.05, baseline=False, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("k", [8, 20])
def test_max_t_has_the_power_it_was_designed_for(k: int) -> None:
    rng = np.random.default_rng(5)
    x = matrix(rng.normal(0.4, 0.15, (400, 1)) + rng.gamma(2, 0.06, (400, 30)) * rng.uniform(0.7, 1.3, 30))
    found = simulate_max_t_power(x, recommend(x, k, 0.06).n_topics, 0.06, n_systems=k, trials=600)
    assert 0.76 - 3 * found.error < found.power < 0.86 + 3 * found.error
    assert found.false < 0.08 + 3 * math.sqrt(0.08 * 0.92 / 600)
