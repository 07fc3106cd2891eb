"""Intervals by inverting the randomisation test: they hold exactly the values that the test does not reject."""

from __future__ import annotations

import numpy as np
import pytest

import cranfield as cf
from cranfield.questions.compare.family import GridScores, Pairs
from cranfield.questions.compare.intervals import can_invert, inverted
from cranfield.questions.compare.randomisation import randomisation
from cranfield.questions.compare.resampled import Resampling

ONE = Pairs(np.array([0]), np.array([1]))


def shifted_p(d: np.ndarray, delta: float, how: Resampling) -> float:
    """P of the randomisation test of "the true difference is delta"."""
    return float(randomisation(GridScores.of(np.column_stack([d - delta, np.zeros(len(d))])), ONE, how).p[0])


@pytest.mark.parametrize("n", [6, 8, 12])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("level", [0.05, 0.1])
def test_listed_flips_reject_what_is_outside_and_nothing_inside(n: int, alternative: str, level: float) -> None:
    d = np.random.default_rng(n).exponential(1, n) - 0.4
    how = Resampling(alternative=alternative)  # type: ignore[arg-type]
    (low,), (high,) = inverted(GridScores.of(np.column_stack([d, np.zeros(n)])), ONE, how, level)
    assert low <= d.mean() <= high
    for end, outwards in ((low, -1e-6), (high, 1e-6)):
        if np.isfinite(end):
            assert shifted_p(d, end + outwards, how) <= level
            assert shifted_p(d, end - outwards, how) > level
    assert np.isinf(low) == (alternative == "less")
    assert np.isinf(high) == (alternative == "greater")


def test_random_flips_agree_with_the_test_at_the_ends() -> None:
    d = np.random.default_rng(3).exponential(1, 40) - 0.6
    how = Resampling(n_resamples=20_000)
    (low,), (high,) = inverted(GridScores.of(np.column_stack([d, np.zeros(40)])), ONE, how, 0.05)
    for end in (low, high):
        assert shifted_p(d, end, how) == pytest.approx(0.05, abs=0.006)


def test_workers_memory_and_the_order_of_topics_change_nothing() -> None:
    x = np.random.default_rng(4).beta(1, 3, (30, 4))
    names = [f"{i:02}" for i in range(30)]
    first = cf.compare(cf.ScoreMatrix(x, names, list("abcd"), "AP"), workers=1)
    second = cf.compare(cf.ScoreMatrix(x[::-1], names[::-1], list("abcd"), "AP"), workers=3, memory=1)
    assert first.lower.tobytes() == second.lower.tobytes()
    assert first.upper.tobytes() == second.upper.tobytes()


def test_identical_systems_and_constant_differences_have_no_width() -> None:
    base = np.random.default_rng(5).beta(1, 3, 20)
    matrix = cf.ScoreMatrix(np.column_stack([base, base, base + 0.25]), [f"{i:02}" for i in range(20)], "abc", "AP")
    with pytest.warns(cf.CranfieldWarning):
        found = cf.compare(matrix)
    rows = {(a, b): (low, high) for a, b, low, high in zip(found.system_a, found.system_b, found.lower, found.upper)}  # noqa: B905
    assert rows["a", "b"] == (0, 0)
    assert rows["c", "a"] == pytest.approx((0.25, 0.25))


@pytest.mark.parametrize(
    ("n", "resamples", "level", "yes"),
    [(5, 100_000, 0.05, False), (6, 100_000, 0.05, True), (50, 100_000, 0.05 / 20, True), (50, 199, 0.05, False)],
)
def test_too_few_flips_leave_it_to_the_t_interval(n: int, resamples: int, level: float, yes: bool) -> None:
    assert can_invert(n, resamples, level, "two-sided") is yes


def test_the_comparison_names_its_interval() -> None:
    rng = np.random.default_rng(6)
    topics = [f"{i:02}" for i in range(30)]
    few = cf.compare(cf.ScoreMatrix(rng.beta(1, 3, (30, 4)), topics, list("abcd"), "AP"))
    many = cf.compare(cf.ScoreMatrix(rng.beta(1, 3, (30, 8)), topics, list("abcdefgh"), "AP"), test="randomisation")
    assert few.interval == (
        "interval by inverting the randomisation test, simultaneous over 6 comparisons (Bonferroni level)"
    )
    assert many.interval == "paired t interval, simultaneous over 28 comparisons (Bonferroni level)"


def test_it_covers_where_differences_are_symmetric() -> None:
    rng = np.random.default_rng(7)
    covered = 0
    for trial in range(400):
        values = np.column_stack([rng.standard_t(3, 30) + 1, np.zeros(30)])
        (low,), (high,) = inverted(GridScores.of(values), ONE, Resampling(999, trial, workers=1), 0.05)
        covered += low <= 1 <= high
    assert abs(covered / 400 - 0.95) <= 3 * np.sqrt(0.05 * 0.95 / 400)
