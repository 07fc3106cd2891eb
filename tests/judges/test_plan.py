"""`design judges`: human topics beside a machine, against the other designs and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield import CranfieldError, ScoreMatrix
from cranfield.questions.judges.plan import Goal, Pilot, jackknife

RNG = np.random.default_rng(4)
TOPICS = [str(at) for at in range(40)]


def matrix(values: np.ndarray) -> ScoreMatrix:
    return ScoreMatrix(values, TOPICS[: len(values)], list("abcdefgh")[: values.shape[1]], "AP")


PEOPLE = np.linspace(0.3, 0.5, 6) + RNG.normal(0, 0.15, (40, 6))
MACHINE = PEOPLE + RNG.normal(0, 0.1, PEOPLE.shape)


def test_the_pilot_by_hand() -> None:
    found = Pilot.of(PEOPLE, MACHINE)
    variances, explained = [], []
    for i in range(6):
        for j in range(i + 1, 6):
            y, f = PEOPLE[:, i] - PEOPLE[:, j], MACHINE[:, i] - MACHINE[:, j]
            variances.append(y.var(ddof=1))
            explained.append(np.corrcoef(y, f)[0, 1] ** 2 * y.var(ddof=1))
    share = sum(explained) / sum(variances)
    assert found.variance == pytest.approx(np.mean(variances), abs=1e-12)
    assert found.explained == pytest.approx(1 - (1 - share) * 39 / 38, abs=1e-12)


def test_people_alone_need_what_the_other_designs_say() -> None:
    pilot = Pilot.of(PEOPLE, MACHINE)
    found = cf.design_judges(matrix(PEOPLE), {"m": matrix(MACHINE)}, min_diff=0.05)
    expected = cf.design_ttest(pilot.variance, 0.05)
    assert found.rows["topics"][0] == expected.to_frame()["topics"].item()


def test_power_is_that_of_the_t_test() -> None:
    pilot = Pilot(0.04, 0.0)
    found = pilot.power(np.array([30.0]), 0, 0.1, 0.05)[0]
    shift, critical = 0.1 / np.sqrt(0.04 / 30), stats.t.ppf(0.975, 29)
    expected = stats.nct.sf(critical, 29, shift) + stats.nct.cdf(-critical, 29, shift)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("explained", [0.0, 0.5, 0.95, 0.999])
@pytest.mark.parametrize("more", [0, 50, 5000])
def test_needed_topics_are_the_fewest_that_reach_the_goal(explained: float, more: int) -> None:
    """Looked up among all numbers, also where the chance of the wrong direction underflows."""
    pilot, n = Pilot(0.0072, explained), np.arange(15.0 if more else 2.0, 400.0)
    power = Goal(None, 0.03, 0.8, 0.05)
    assert np.isfinite(pilot.power(n, more, 0.03, 0.05)).all()
    assert power.topics(pilot, more) == n[pilot.power(n, more, 0.03, 0.05) >= 0.8][0]
    width = Goal(0.05, None, 0.8, 0.05)
    assert width.topics(pilot, more) == n[pilot.width(n, more, 0.05) <= 0.05][0]


def test_the_interval_is_taken_before_topics_are_cut_at_fifteen() -> None:
    """Every pilot here asks for fewer than 15, so the interval says so; a bit more variance brings an upper end."""
    goal = Goal(0.1, None, 0.8, 0.05)
    few = [Pilot(0.01 * (1 + 0.01 * at), 0.9) for at in range(-10, 11)]
    assert jackknife(goal, few[10], few, 500) == (15, 15)
    some = [Pilot(0.05 * (1 + 0.01 * at), 0.9) for at in range(-10, 11)]
    assert goal.topics(some[10], 500) == 15
    lower, upper = jackknife(goal, some[10], some, 500)
    assert lower == 15
    assert upper is not None
    assert upper > 18


def test_width_by_hand() -> None:
    found = Pilot(0.04, 0.64).width(np.array([30.0]), 100, 0.05)[0]
    assert found == pytest.approx(2 * stats.t.ppf(0.975, 28) * np.sqrt(0.04 / 30 * (1 - 0.64 * 100 / 130)), abs=1e-12)


def test_more_machine_topics_never_need_more_people() -> None:
    found = cf.design_judges(matrix(PEOPLE), {"m": matrix(MACHINE)}, width=0.06, machine_topics=range(50, 2000, 150))
    needed = found.rows["topics"].to_list()
    assert needed == sorted(needed, reverse=True)
    assert (found.rows["width"] <= 0.06).all()
    assert (found.rows["topics_lower"] <= found.rows["topics"]).all()
    assert (found.rows["topics"] <= found.rows["topics_upper"]).all()


def test_the_number_is_the_least() -> None:
    pilot = Pilot(0.04, 0.7)
    for more in (0, 300):
        goal = Goal(0.07, None, 0.8, 0.05)
        n = goal.topics(pilot, more)
        assert n is not None
        assert pilot.width(np.array([float(n)]), more, 0.05)[0] <= 0.07
        assert pilot.width(np.array([n - 1.0]), more, 0.05)[0] > 0.07


def test_the_cheapest_mix_counts_the_machine_on_human_topics_too() -> None:
    found = cf.design_judges(
        matrix(PEOPLE),
        {"m": matrix(MACHINE)},
        width=0.08,
        machine_topics=[100, 1000],
        price_human=10,
        price_machine=0.1,
    )
    alone, *mixes = found.rows.iter_rows(named=True)
    assert alone["cost"] == pytest.approx(10 * alone["topics"])
    for row in mixes:
        assert row["cost"] == pytest.approx(10.1 * row["topics"] + 0.1 * row["machine_topics"])
    costs = found.rows["cost"].to_list()
    assert found.rows["cheapest"].to_list() == [cost == min(costs) for cost in costs]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({}, "give either `width` or `min_diff`, such as a width of 0.1."),
        ({"width": 0.1, "min_diff": 0.1}, "give either `width` or `min_diff`, such as a width of 0.1."),
    ],
)
def test_one_goal_is_needed(how: dict[str, float], message: str) -> None:
    with pytest.raises(CranfieldError) as error:
        cf.design_judges(matrix(PEOPLE), {"m": matrix(MACHINE)}, **how)  # type: ignore[arg-type]
    assert str(error.value) == message


def test_a_small_pilot_is_refused() -> None:
    with pytest.raises(CranfieldError) as error:
        cf.design_judges(matrix(PEOPLE[:9]), {"m": matrix(MACHINE[:9])}, width=0.1)
    assert str(error.value) == "the pilot has 9 topics with both judgments; at least 10 are needed. Judge more twice."


def test_a_pilot_without_variance_is_refused() -> None:
    same = np.repeat(RNG.random((20, 1)), 4, axis=1)
    with pytest.raises(CranfieldError, match="the systems differ alike on every topic of the pilot"):
        cf.design_judges(matrix(same), {"m": matrix(same)}, width=0.1)


def test_the_price_of_a_machine_alone_is_refused() -> None:
    with pytest.raises(CranfieldError) as caught:
        cf.design_judges(matrix(PEOPLE), {"m": matrix(MACHINE)}, width=0.1, price_machine=0.5)
    assert str(caught.value) == "`price_machine` needs `price_human`. Give both prices."
