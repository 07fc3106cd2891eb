"""Looking after every batch: by hand, its family, its promises by simulation, and bad input."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import polars as pl
import pytest
from scipy import stats
from scipy.optimize import brentq

from cranfield import ArgumentError, CranfieldWarning, DataError, ScoreMatrix, UnknownNameError, design_ttest
from cranfield.core.answer import answer
from cranfield.questions.monitor.boundaries import (
    anytime_p,
    nominal,
    sequence_half_width,
    spending_boundaries,
    spent,
    tuned_rho,
)
from cranfield.questions.monitor.monitor import monitor
from cranfield.questions.monitor.planned import design_looks
from cranfield.questions.monitor.reestimation import reestimate
from cranfield.scores.synthetic import make_scores


def matrix(values: object, first: int = 0, measure: str = "AP") -> ScoreMatrix:
    array = np.asarray(values, dtype=float)
    topics = [f"t{first + i}" for i in range(len(array))]
    return ScoreMatrix(array, topics, [f"s{j}" for j in range(array.shape[1])], measure)


def batches(x: ScoreMatrix, *sizes: int) -> list[ScoreMatrix]:
    ends = np.cumsum(sizes)
    return [x.select(topics=x.topics[end - size : end]) for size, end in zip(sizes, ends, strict=True)]


def halls(mean: float, error: float, skewed: float, n: int) -> float:
    """Hall's transformation of t, as he writes it."""
    t, a = mean / error, skewed / np.sqrt(n)
    return float(t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6)


def beyond(mean: float, error: float, skewed: float, n: int, quantile: float) -> float:
    """Hall's interval ends where this is 0."""
    return halls(mean, error, skewed, n) - quantile


def test_one_pair_by_hand() -> None:
    x = make_scores(30, 2, system_effects=[0.08, 0])
    rows = monitor(batches(x, 12, 18), max_topics=50).to_frame().to_dicts()
    levels = nominal(spending_boundaries([12 / 50, 30 / 50]))
    for k, (row, n) in enumerate(zip(rows, (12, 30), strict=True)):
        d = x.values[:n, 0] - x.values[:n, 1]
        test = stats.ttest_rel(x.values[:n, 0], x.values[:n, 1])
        interval = test.confidence_interval(1 - levels[k])
        error, skewed = stats.sem(d), np.mean((d - d.mean()) ** 3) / d.std(ddof=1) ** 3
        transformed = halls(d.mean(), error, skewed, n)
        assert k == 0 or abs(transformed) < abs(test.statistic)
        assert row["p"] == pytest.approx(2 * stats.t.sf(min(abs(test.statistic), abs(transformed)), n - 1))
        assert row["boundary"] == pytest.approx(levels[k])
        quantile = stats.t.isf(levels[k] / 2, n - 1)
        low, high = (d.mean() - brentq(beyond, -3, 3, args=(error, skewed, n, q)) for q in (quantile, -quantile))
        assert (row["lower"], row["upper"]) == pytest.approx((min(interval.low, low), max(interval.high, high)))
        assert row["topics"] == n
    assert [row["spent"] for row in rows] == pytest.approx(
        [4 * stats.norm.sf(stats.norm.isf(0.0125) / (n / 50) ** 0.5) for n in (12, 30)]
    )


def test_what_a_family_has_spent() -> None:
    """Each of C pairs spends its α/C: together C·α(t; α/C), in the rows and in the plan."""
    x = make_scores(30, 4)
    for spending in ("obrien-fleming", "pocock"):
        found = monitor(batches(x, 12, 18), max_topics=50, spending=spending)
        share = [float(6 * spent(n / 50, spending, 0.05 / 6)) for n in (12, 30)]
        assert [look.spent for look in found.looks] == pytest.approx(share)
        assert found.plan()["spent"][:2].to_list() == pytest.approx(share)
        assert found.plan()["spent"][-1] == pytest.approx(0.05)


def test_equal_means_are_exactly_equal() -> None:
    """0.1 + 0.2 and 0.3 + 0 are not the same number to a computer, but the same score."""
    rows = [[0.1, 0.3, 0.05], [0.2, 0.0, 0.7], [0.7, 0.7, 0.25], [0.3, 0.3, 0.3]]
    found = monitor(matrix(rows), looks=2)
    pair = found.to_frame().row(0, named=True)
    assert (pair["difference"], pair["p"], pair["decision"]) == (0.0, 1.0, "go on")
    assert found.to_frame()["difference"][1:].to_list() == [0.0, 0.0]


def test_decisions_stay_and_the_end_is_told() -> None:
    x = make_scores(50, 3, system_effects=[0, 0.12, 0])
    found = monitor(batches(x, 10, 10, 10, 10, 10))
    frame = found.to_frame()
    pair = frame.filter((pl.col("system_a") == "system1") & (pl.col("system_b") == "system2"))["decision"].to_list()
    assert pair[0] == "go on"
    assert pair[-1] == "stop: b better"
    decided = [word != "go on" for word in pair]
    assert decided == sorted(decided)
    same = frame.filter((pl.col("system_a") == "system1") & (pl.col("system_b") == "system3"))["decision"].to_list()
    assert same == ["go on"] * 4 + ["stop: undecided"]
    assert (found.decision, found.topics_left, found.max_topics) == ("stop", 0, 50)
    assert found.summary() == "score: after 50 of 50 topics (look 5) 2 of 3 pairs are decided; stop"
    assert frame.columns == [
        "measure", "look", "topics", "system_a", "system_b", "difference", "lower", "upper", "p", "boundary",
        "decision", "spent",
    ]  # fmt: skip
    assert found.to_dict()["decision"] == "stop"
    assert found.settings["looks"] == 5
    assert found.signature.startswith("group-sequential paired t-tests; measure score; topics 10, 20, 30, 40, 50")


def test_holm_passes_the_level_on() -> None:
    """With r of C pairs decided the others are held to the boundary of α/(C − r)."""
    x = make_scores(40, 4, system_effects=[0, 0.3, 0, 0.02])
    both = {c: monitor(batches(x, 20, 20), max_topics=40, correction=c) for c in ("holm", "bonferroni")}
    last = {c: found.looks[-1] for c, found in both.items()}
    decided = int(np.count_nonzero(last["holm"].decided))
    assert 3 <= decided < 6
    expected = nominal(spending_boundaries([0.5, 1.0], alpha=0.05 / (6 - decided)))[1]
    assert last["holm"].level == pytest.approx(expected)
    assert last["bonferroni"].level == pytest.approx(nominal(spending_boundaries([0.5, 1.0], alpha=0.05 / 6))[1])
    assert last["holm"].lower.tolist() == last["bonferroni"].lower.tolist()
    assert ((last["bonferroni"].decided != 0) <= (last["holm"].decided != 0)).all()


def test_baseline() -> None:
    found = monitor(batches(make_scores(20, 4), 10, 10), max_topics=40, baseline="system2")
    assert found.to_frame()["system_b"].unique().to_list() == ["system2"]
    assert len(found.pairs) == 3
    with pytest.raises(UnknownNameError, match="unknown system 'system9'"):
        monitor(make_scores(20, 4), baseline="system9")


def test_order_does_not_matter() -> None:
    x = make_scores(40, 4, system_effects=[0, 0.1, 0.2, 0])
    rng = np.random.default_rng(1)
    shuffled = [
        b.select(topics=rng.permutation(b.topics).tolist(), systems=rng.permutation(b.systems).tolist())
        for b in batches(x, 20, 20)
    ]
    for anytime in (False, True):
        first, again = (
            monitor(parts, max_topics=60, anytime=anytime).to_frame() for parts in (batches(x, 20, 20), shuffled)
        )
        assert first.equals(again)


def test_anytime_by_hand() -> None:
    x = make_scores(60, 2, system_effects=[0.1, 0])
    found = monitor(batches(x, 30, 30), max_topics=60, anytime=True)
    rho = tuned_rho(60, 0.05)
    lowest = 1.0
    for row, n in zip(found.to_frame().to_dicts(), (30, 60), strict=True):
        d = x.values[:n, 0] - x.values[:n, 1]
        z = stats.norm.isf(stats.t.sf(abs(d.mean()) / stats.sem(d), n - 1))
        lowest = min(lowest, float(anytime_p(z, n**0.5, n, rho)))
        assert row["p"] == pytest.approx(lowest)
        seldom = stats.norm.sf(float(sequence_half_width(n, n**0.5, rho, 0.05)))
        half = stats.t.isf(seldom, n - 1) * stats.sem(d)
        assert (row["lower"], row["upper"]) == pytest.approx((d.mean() - half, d.mean() + half))
        assert row["spent"] is None
    assert found.topics_left is None
    assert found.summary() == "score: after 60 topics (look 2) 1 of 1 pair is decided; stop"
    assert found.signature.startswith("confidence sequences, unplanned looks; measure score")


def test_forecast() -> None:
    """The forecast is where the same difference and spread would just pass the last boundary, or leave the sequence."""
    x = make_scores(30, 2, system_effects=[0.03, 0])
    d = x.values[:, 0] - x.values[:, 1]
    row = monitor(x, max_topics=60).forecast().row(0, named=True)
    level = nominal(spending_boundaries([0.5, 1.0]))[1]

    def p(n: int) -> float:
        return float(2 * stats.t.sf(abs(d.mean()) / d.std(ddof=1) * n**0.5, n - 1))

    assert row["topics"] > 30
    assert p(row["topics"]) <= level < p(int(row["topics"] * 0.97))
    assert row["in_plan"] == (row["topics"] <= 60)
    later = monitor(x, max_topics=60, anytime=True).forecast()["topics"][0]
    half = sequence_half_width([later * 0.97, later], d.std(ddof=1), tuned_rho(60, 0.05), 0.05, student=True)
    assert half[1] < abs(d.mean()) < half[0]
    decided = monitor(make_scores(30, 2, system_effects=[1, 0]), max_topics=60)
    assert decided.forecast().height == 0
    same = matrix(np.tile(np.linspace(0, 1, 30)[:, None], 2))
    assert monitor(same, max_topics=60).forecast().row(0) == ("s0", "s1", None, False)


def test_constant_differences_are_left_to_the_sign_test() -> None:
    level = np.linspace(0, 1, 6)[:, None]
    for anytime in (False, True):
        with pytest.warns(CranfieldWarning) if anytime else nullcontext():
            found = monitor(matrix(np.hstack([level, level + 0.25, level])), max_topics=12, anytime=anytime)
        row = found.to_frame().row(0, named=True)
        assert row["p"] == pytest.approx(2.0**-5 * (3 if anytime else 1))
        assert (row["lower"], row["upper"], row["decision"]) == (None, None, "go on")
        assert found.to_frame()["p"][1] == 1.0


def test_a_look_too_early_for_anything() -> None:
    with pytest.warns(CranfieldWarning, match="look 1 is too early to spend any of the level. It has no interv"):
        found = monitor(make_scores(4, 2), max_topics=10_000)
    assert found.to_frame().select("lower", "upper", "boundary").row(0) == (None, None, 0.0)


def test_more_topics_than_planned_at_the_last_look() -> None:
    found = monitor(batches(make_scores(55, 2), 25, 30), max_topics=50)
    assert found.decision == "stop"
    assert found.looks[-1].spent == pytest.approx(0.05)
    with pytest.raises(DataError) as error:
        monitor(batches(make_scores(60, 2), 25, 25, 10), max_topics=50)
    assert str(error.value) == (
        "batch 2 reaches the 50 planned topics, so later batches have no level left. Plan more topics "
        "(`max_topics`) in advance, or use anytime=True."
    )


def test_bad_batches() -> None:
    x = make_scores(20, 3)
    a, b = batches(x, 10, 10)
    cases: list[tuple[list[ScoreMatrix], str]] = [
        ([a, a], "batch 2 repeats 10 topics of earlier batches (1, 10, 2, 3, 4 and 5 more). Give only new topics"),
        ([a, b.drop(systems=["system1"])], "batch 2 and the first differ in 1 systems (system1). Score the same"),
        (
            [a, ScoreMatrix(b.values, b.topics, b.systems, "P@10")],
            "batch 2 has P@10 scores, the first has score. Use one",
        ),
        (
            [a.select(topics=["1"])],
            "score: the first look needs at least 2 topics; there is 1. Give scores of more topics.",
        ),
        (
            [a.select(systems=["system1"])],
            "score: the first look needs at least 2 systems; there is 1. Give scores of more systems.",
        ),
    ]
    for given, message in cases:
        with pytest.raises(DataError) as error:
            monitor(given)
        assert str(error.value).startswith(message)
    with pytest.raises(ArgumentError, match=r"^`batches\[0\]` cannot be made of int\. Give one of:"):
        monitor([1])
    with pytest.raises(ArgumentError, match=r"^`batches` is empty. Give the scores of at least one batch of topics\.$"):
        monitor([])
    with pytest.raises(ArgumentError, match=r"^`max_topics` must be a whole number of at least 2; got 1\. Write 50\.$"):
        monitor(a, max_topics=1)
    with pytest.raises(UnknownNameError, match="unknown correction 'bh'"):
        monitor(a, correction="bh")  # type: ignore[arg-type]


def test_reestimation_is_blind() -> None:
    x = make_scores(20, 4)
    rng = np.random.default_rng(1)
    mixed = matrix(rng.permuted(x.values, axis=1), measure="score")
    a, b = reestimate(x, 0.05), reestimate(mixed, 0.05)
    assert a.variance_of_difference == pytest.approx(b.variance_of_difference)
    assert a.n_topics == b.n_topics == design_ttest(a.variance_of_difference, 0.05).n_topics
    assert a.topics_lower is not None
    assert a.topics_upper is not None
    assert a.topics_lower < a.n_topics < a.topics_upper
    assert a.to_frame()["topics_needed"][0] == a.n_topics
    assert a.to_dict()["settings"]["min_diff"] == 0.05
    assert "topics in all detect a difference of 0.05 with power 0.8" in a.summary()
    assert reestimate(x, 5.0).n_topics == 20  # never gives topics back
    assert "This variance includes the differences between the 4 systems' means" in " ".join(answer(a).sheet().notes)
    two = reestimate(x.select(systems=x.systems[:2]), 0.05)
    assert len(answer(two).sheet().notes) == 1


def test_reestimation_refuses() -> None:
    with pytest.raises(DataError, match="^AP: all systems have the same scores, so the variance is 0"):
        reestimate(matrix(np.ones((4, 2))), 0.05)
    with pytest.warns(CranfieldWarning, match="the blinded variance has no interval"):
        assert reestimate(matrix([[0.1, 0.2], [0.3, 0.6]]), 0.05).lower is None


# ── promises ──────────────────────────────────────────────────────────────────────────────────────────────


def prefixes(d: np.ndarray, ends: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the first n differences of every trial, a column per n."""
    means = np.stack([d[:, :n].mean(1) for n in ends], axis=1)
    return means, np.stack([d[:, :n].std(1, ddof=1) for n in ends], axis=1)


@pytest.mark.slow
def test_levels_of_five_looks() -> None:
    """Naive .142; with boundaries .05, from ten topics a look on, in normal as in heavy-tailed differences."""
    rng = np.random.default_rng(11)
    trials, ends = 40_000, [10, 20, 30, 40, 50]
    n = np.asarray(ends)
    normal = rng.normal(size=(trials, 50))
    uneven = rng.exponential(size=(trials, 50)) - rng.exponential(size=(trials, 50))
    for d in (normal, uneven):
        mean, sd = prefixes(d, ends)
        p = 2 * stats.t.sf(np.abs(mean) / sd * np.sqrt(n), n - 1)
        naive = (p <= 0.05).any(1).mean()
        assert naive == pytest.approx(0.142, abs=0.01)  # .142 for many topics
        for spending in ("pocock", "obrien-fleming"):
            levels = nominal(spending_boundaries((n / 50).tolist(), spending))  # type: ignore[arg-type]
            rate = (p <= levels).any(1).mean()
            # Heavy tails make a t-test with few topics cautious, at a look as at the end.
            assert 0.045 <= rate <= 0.055 if d is normal else 0.035 <= rate <= 0.055


@pytest.mark.slow
def test_families_keep_the_level() -> None:
    """All pairs of equal systems: some pair decided in at most .05 of the experiments, planned or not."""
    rng = np.random.default_rng(12)
    trials, wrong = 1500, {"holm": 0, "bonferroni": 0, "anytime": 0}
    for _ in range(trials):
        x = matrix(rng.normal(size=(60, 4)) + rng.normal(size=(60, 1)))
        parts = batches(x, 20, 20, 20)
        for correction in ("holm", "bonferroni"):
            wrong[correction] += monitor(parts, max_topics=60, correction=correction).n_decided > 0  # type: ignore[arg-type]
        wrong["anytime"] += monitor(parts, max_topics=60, anytime=True).n_decided > 0
    bound = 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)
    assert wrong["holm"] == wrong["bonferroni"]  # the first decision is at α/C either way
    assert wrong["holm"] / trials <= bound
    assert wrong["anytime"] / trials <= bound


@pytest.mark.slow
def test_many_pairs_looked_at_early_keep_the_level() -> None:
    """190 pairs from the tenth topic on: without t quantiles a fifth of the experiments would hold a false decision."""
    rng = np.random.default_rng(16)
    trials = 200
    wrong = sum(monitor(batches(matrix(rng.normal(size=(40, 20))), 10, 10, 10, 10), max_topics=40, anytime=True).n_decided > 0
                for _ in range(trials))  # fmt: skip
    assert wrong / trials <= 0.05


@pytest.mark.slow
def test_the_confidence_sequence_holds_at_all_times() -> None:
    """Looking after every topic from the 20th to the 400th."""
    rng = np.random.default_rng(13)
    trials, n = 4000, np.arange(20, 401)
    d = rng.normal(0.1, 1.0, size=(trials, 400))
    count = np.arange(1, 401)
    sums, squares = d.cumsum(1), (d**2).cumsum(1)
    mean = (sums / count)[:, 19:]
    sd = np.sqrt(((squares - sums**2 / count)[:, 19:]) / (n - 1))
    half = sequence_half_width(n, sd, tuned_rho(100, 0.05), 0.05)
    missed = (np.abs(mean - 0.1) > half).any(1).mean()
    assert missed <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)


@pytest.mark.slow
def test_expected_topics_and_power_of_a_design() -> None:
    rng = np.random.default_rng(14)
    trials = 40_000
    for spending in ("pocock", "obrien-fleming"):
        design = design_looks(0.04, 0.07, spending=spending)  # type: ignore[arg-type]
        n = np.asarray(design.topics_at)
        for difference, expected in ((0.0, design.expected_null), (0.07, design.expected_alternative)):
            mean, sd = prefixes(rng.normal(difference, 0.2, (trials, design.topics_max)), list(design.topics_at))
            p = 2 * stats.t.sf(np.abs(mean) / sd * np.sqrt(n), n - 1)
            beyond = p <= nominal(design.bounds)
            first = np.where(beyond.any(1), beyond.argmax(1), len(n) - 1)
            assert n[first].mean() == pytest.approx(expected, rel=0.04)
            rate = beyond.any(1).mean()
            assert rate == pytest.approx(0.8 if difference else 0.05, abs=0.02 if difference else 0.006)


@pytest.mark.slow
def test_blinded_reestimation_costs_no_level() -> None:
    rng = np.random.default_rng(15)
    trials, rejected, powered = 4000, 0, 0
    for _ in range(trials):
        for difference in (0.0, 0.07):
            pilot = rng.normal(difference, 0.2, 20)
            n = max(20, _size(float(np.square(pilot).mean())))
            d = np.append(pilot, rng.normal(difference, 0.2, n - 20))
            p = 2 * stats.t.sf(abs(d.mean()) / d.std(ddof=1) * np.sqrt(n), n - 1)
            rejected += (p <= 0.05) and not difference
            powered += (p <= 0.05) and bool(difference)
    assert rejected / trials == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / trials) + 0.003)
    assert powered / trials >= 0.78


def _size(variance: float) -> int:
    """The normal size of a paired design, plus the two topics the t-test adds; what `reestimate` asks for, but faster."""
    return int(np.ceil((1.959964 + 0.841621) ** 2 * variance / 0.07**2)) + 2


def test_no_look_depends_on_the_unit_of_the_scores() -> None:
    """Squares of tiny differences that are 0 would decide every pair."""
    x = np.random.default_rng(3).random((20, 3))
    usual, small = (monitor([matrix(x * unit)], max_topics=40).looks[0].p for unit in (1.0, 2.0**-497))
    np.testing.assert_allclose(small, usual, rtol=1e-6)
    with pytest.raises(DataError, match="^AP: .*its square is too small for a double; scale the scores first$"):
        monitor([matrix(x * 1e-170)], max_topics=40)
