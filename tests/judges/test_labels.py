"""Agreement of labels: scikit-learn's κ, Krippendorff's α from its definition, and the jackknife by hand."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from cranfield.questions.judges import labels

RNG = np.random.default_rng(3)
GRADES = np.arange(4.0)


def drawn(n: int = 400, topics: int = 12) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    topic = RNG.integers(topics, size=n)
    first = RNG.integers(4, size=n).astype(float)
    second = np.clip(first + RNG.integers(-1, 3, size=n), 0, 3)
    return topic, first, second


def all_in_one(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return labels.counts_by_topic(np.zeros(len(first), int), first, second, GRADES)


@pytest.mark.parametrize(("power", "weights"), [(0, None), (1, "linear"), (2, "quadratic")])
def test_kappa_is_that_of_scikit_learn(power: int, weights: str | None) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    _, first, second = drawn()
    expected = metrics.cohen_kappa_score(first, second, weights=weights)
    assert labels.kappa(all_in_one(first, second), GRADES, power)[0] == pytest.approx(expected, abs=1e-12)


def alpha_by_definition(first: np.ndarray, second: np.ndarray) -> float:
    """1 − D_o/D_e over all values of all units, with interval distances."""
    observed = np.mean((first - second) ** 2)
    values = np.concatenate([first, second])
    expected = np.mean([(a - b) ** 2 for a, b in combinations(values, 2)])
    return float(1 - observed / expected)


def test_alpha_by_its_definition() -> None:
    _, first, second = drawn(80)
    found = labels.alpha_interval(all_in_one(first, second), GRADES)[0]
    assert found == pytest.approx(alpha_by_definition(first, second), abs=1e-12)


def test_alpha_is_that_of_krippendorff() -> None:
    peer = pytest.importorskip("krippendorff")
    _, first, second = drawn()
    expected = peer.alpha(np.vstack([first, second]), level_of_measurement="interval")
    assert labels.alpha_interval(all_in_one(first, second), GRADES)[0] == pytest.approx(expected, abs=1e-12)


def test_ac2_of_gwet_by_hand() -> None:
    """Two grades: AC2 is AC1, (p_a − p_e)/(1 − p_e) with p_e = 2π(1 − π)."""
    table = np.array([[[40.0, 5.0], [15.0, 20.0]]])
    share = (35 / 80 + 25 / 80) / 2
    chance = 2 * share * (1 - share)
    expected = (60 / 80 - chance) / (1 - chance)
    assert labels.ac2(table, np.array([0.0, 1.0]))[0] == pytest.approx(expected, abs=1e-12)


def test_overrating_and_leniency_by_hand() -> None:
    table = np.array([[[6.0, 2.0], [1.0, 3.0]]])
    grades = np.array([0.0, 1.0])
    assert labels.overrating(table, grades)[0] == pytest.approx(1 / 12)
    found = labels.leniency_by_grade(table, grades, 0.05)
    assert [(grade, topics, value) for grade, topics, value, _, _ in found] == [("0", 1, 0.25), ("1", 1, -0.25)]
    assert found[0][3:] == (None, None)  # one topic has no interval


def test_the_interval_is_the_jackknife_over_topics() -> None:
    topic, first, second = drawn()
    tables = labels.counts_by_topic(topic, first, second, GRADES)
    found = {one.statistic: one for one in labels.agreements(tables, GRADES, 0.05)}["kappa_quadratic"]
    values = np.array([
        labels.kappa(all_in_one(first[topic != t], second[topic != t]), GRADES, 2)[0] for t in range(12)
    ])  # fmt: skip
    z = np.arctanh(values)
    error = math.sqrt(11 / 12 * ((z - z.mean()) ** 2).sum())
    whole = math.atanh(labels.kappa(all_in_one(first, second), GRADES, 2)[0])
    ends = [math.tanh(whole + sign * stats.t.ppf(0.975, 11) * error) for sign in (-1, 1)]
    assert [found.lower, found.upper] == pytest.approx(ends, abs=1e-12)


def test_perfect_agreement_has_no_interval() -> None:
    topic, first, _ = drawn()
    found = labels.agreements(labels.counts_by_topic(topic, first, first, GRADES), GRADES, 0.05)
    kappa = next(one for one in found if one.statistic == "kappa")
    assert (kappa.value, kappa.lower, kappa.upper) == (1.0, None, None)


def test_one_grade_on_one_side_is_defined_or_missing() -> None:
    """A judge who gives one grade to all: κ is 0; nothing is NaN."""
    topic, first, _ = drawn()
    for one in labels.agreements(labels.counts_by_topic(topic, first, np.zeros(len(first)), GRADES), GRADES, 0.05):
        assert one.value is None or math.isfinite(one.value)
        assert one.statistic != "kappa" or one.value == pytest.approx(0.0)


def test_a_judge_who_never_changes_has_no_interval_of_width_zero() -> None:
    """κ is 0 whichever topic is left out: that says nothing about its spread."""
    tables = np.array([[[6.0, 0.0], [2.0, 0.0]], [[5.0, 0.0], [3.0, 0.0]], [[7.0, 0.0], [1.0, 0.0]]])
    found = {one.statistic: one for one in labels.agreements(tables, np.array([0.0, 1.0]), 0.05)}
    assert found["kappa"].value == pytest.approx(0, abs=1e-12)
    assert (found["kappa"].lower, found["kappa"].upper) == (None, None)
    assert found["overrating"].lower is not None
