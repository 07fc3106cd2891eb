"""Boundaries of planned looks: published values, an independent integration, simulation, and the topics they cost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cranfield import ArgumentError, UnknownNameError, design_ttest
from cranfield.questions.monitor.boundaries import (
    Spending,
    anytime_p,
    nominal,
    sequence_half_width,
    spending_boundaries,
    spent,
    stopping,
    tuned_rho,
)
from cranfield.questions.monitor.planned import design_looks

FIVE = [0.2, 0.4, 0.6, 0.8, 1.0]
KINDS: tuple[Spending, Spending] = ("pocock", "obrien-fleming")


CLASSICAL = {"pocock": np.full(5, 2.413), "obrien-fleming": 2.040 * np.sqrt(5 / np.arange(1, 6))}


def test_classical_boundaries() -> None:
    """Jennison & Turnbull (2000), Tables 2.1 and 2.3: constants with three decimals reject a true null .05 of the time."""
    for bounds in (*CLASSICAL.values(), [2.178] * 2, 2.087 * np.sqrt(10 / np.arange(1, 11)), [1.96]):
        looks = len(bounds)
        assert stopping(np.arange(1, looks + 1) / looks, bounds).total == pytest.approx(0.05, abs=1e-4)


def test_spending_boundaries() -> None:
    """Five equal looks, as programs for Lan and DeMets's method print them."""
    assert spending_boundaries(FIVE).round(3).tolist() == [4.877, 3.357, 2.680, 2.290, 2.031]
    assert spending_boundaries(FIVE, "pocock").round(3).tolist() == [2.438, 2.427, 2.410, 2.397, 2.386]


@pytest.mark.parametrize("kind", KINDS)
def test_two_looks_by_the_bivariate_normal(kind: Spending) -> None:
    """The second look's share, from scipy's bivariate normal distribution instead of our integration."""
    times = [0.3, 1.0]
    c = spending_boundaries(times, kind)
    both = stats.multivariate_normal(cov=[[1, 0.3**0.5], [0.3**0.5, 1]])
    stay = both.cdf(c, lower_limit=-c)
    assert 2 * stats.norm.sf(c[0]) == pytest.approx(spent(0.3, kind))
    assert 1 - stay == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alpha", [0.05, 0.01, 1e-6])
def test_what_is_spent_is_what_was_planned(kind: Spending, alpha: float) -> None:
    for times in (FIVE, [0.1, 0.15, 0.9, 1.0], [k / 20 for k in range(1, 21)]):
        c = spending_boundaries(times, kind, alpha)
        assert np.cumsum(stopping(times, c).each) == pytest.approx(spent(times, kind, alpha), rel=1e-7)


@settings(max_examples=25)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), st.sampled_from(KINDS), st.floats(0.001, 0.2))
def test_looks_never_come_free(gaps: list[int], kind: Spending, alpha: float) -> None:
    times = np.cumsum(gaps) / sum(gaps)
    c = spending_boundaries(times.tolist(), kind, alpha)
    assert (nominal(c) <= alpha + 1e-12).all()
    assert stopping(times, c).total == pytest.approx(alpha, rel=1e-6)
    stricter = spending_boundaries(times.tolist(), kind, alpha / 2)
    assert (stricter >= c - 1e-9).all()  # what group-sequential Holm relies on


def test_naive_looks() -> None:
    z = stats.norm.ppf(0.975)
    rates = [stopping([k / looks for k in range(1, looks + 1)], [z] * looks).total for looks in (1, 2, 5, 10)]
    assert np.round(rates, 3).tolist() == [0.05, 0.083, 0.142, 0.193]  # Armitage, McPherson & Rowe 1969


def test_inflation_factors() -> None:
    """Maximum sample size against one look, from the classical boundaries (compare Jennison & Turnbull, ch. 2)."""
    expected = {("pocock", 0.8): 1.228, ("pocock", 0.9): 1.206, ("obrien-fleming", 0.8): 1.028}
    for (kind, power), factor in expected.items():
        fixed = stats.norm.ppf(0.975) + stats.norm.ppf(power)
        assert stopping(FIVE, CLASSICAL[kind], fixed * factor**0.5).total == pytest.approx(power, abs=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_stopping_under_a_drift_by_simulation(kind: Spending) -> None:
    rng = np.random.default_rng(3)
    c, drift, trials = spending_boundaries(FIVE, kind), 2.5, 40_000
    walk = (rng.normal(0, 0.2**0.5, (trials, 5)) + drift / 5).cumsum(1) / np.sqrt(FIVE)
    beyond = np.abs(walk) >= c
    first = np.where(beyond.any(1), beyond.argmax(1), 5)
    found = stopping(FIVE, c, drift)
    shares = np.bincount(first, minlength=6)[:5] / trials
    assert np.abs(shares - found.each).max() < 4 * 0.5 / np.sqrt(trials)
    topics = np.asarray([10, 20, 30, 40, 50])
    mean = np.append(topics, 50)[first].mean()
    assert found.expected(topics) == pytest.approx(mean, abs=4 * 20 / np.sqrt(trials))


def test_design_looks() -> None:
    one = design_looks(0.04, 0.05, looks=1)
    assert one.topics_at == (design_ttest(0.04, 0.05).n_topics,)
    assert one.inflation == pytest.approx(1)
    flat, steep = (design_looks(0.04, 0.05, spending=kind) for kind in KINDS)
    assert one.topics_max < steep.topics_max < flat.topics_max
    assert flat.expected_alternative < steep.expected_alternative < one.topics_max
    assert steep.expected_null > flat.expected_null - flat.topics_max + steep.topics_max
    for found in (flat, steep):
        assert found.null.total == pytest.approx(0.05)
        assert found.alternative.total >= 0.8
        assert found.looks_frame()["spent"][-1] == pytest.approx(0.05)
        assert found.to_frame()["topics_max"][0] == found.topics_at[-1]
    assert steep.topics_max == np.ceil(128 * steep.inflation) == 132
    assert steep.summary().startswith(
        "5 looks take at most 132 topics (105 expected for difference 0.05); one look takes 128"
    )
    assert steep.to_dict()["settings"]["looks"] == 5
    assert steep.signature.startswith("group-sequential design, paired t-test; variance of difference 0.04")


def test_tuning_the_confidence_sequence() -> None:
    best = tuned_rho(80, 0.01)
    widths = [float(sequence_half_width(80, 1.0, best * factor, 0.01)) for factor in (0.9, 1.0, 1.1)]
    assert widths[1] < min(widths[0], widths[2])
    n, rho, alpha, sd = 30.0, 0.3, 0.05, 0.2
    written = sd * np.sqrt(2 * (n * rho**2 + 1) / (n**2 * rho**2) * np.log(np.sqrt(n * rho**2 + 1) / alpha))
    assert float(sequence_half_width(n, sd, rho, alpha)) == pytest.approx(written)
    assert float(anytime_p(written, sd, n, rho)) == pytest.approx(alpha)
    wider = float(sequence_half_width(n, sd, rho, alpha, student=True))
    assert wider > written
    assert float(anytime_p(wider, sd, n, rho, student=True)) == pytest.approx(alpha)
    assert float(sequence_half_width(1e6, sd, rho, alpha, student=True)) == pytest.approx(
        float(sequence_half_width(1e6, sd, rho, alpha)), rel=1e-4
    )
    assert float(anytime_p(0.0, 0.0, n, rho)) == 1
    assert 0 < float(anytime_p(0.1, 0.0, n, rho)) < 1e-300


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: design_looks(0.04, 0.05, looks=0), "`looks` must be a whole number from 1 to 100; got 0. Write 5."),
        (lambda: design_looks(0.04, 0.05, alpha=5), "`alpha` must be between 0 and 1; got 5. Write 0.05."),
        (
            lambda: spending_boundaries([0.5, 0.5]),
            "`fraction` must increase from look to look, starting above 0; got [0.5, 0.5].",
        ),
        (lambda: spending_boundaries([]), "`fraction` must increase from look to look, starting above 0; got []."),
        (lambda: design_looks(0.04, 0.05, power=80), "`power` must be between alpha and 1; got 80. Write 0.80."),
    ],
)
def test_bad_arguments(call: object, message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        call()  # type: ignore[operator]
    assert str(error.value) == message


def test_unknown_spending() -> None:
    with pytest.raises(UnknownNameError, match="unknown spending 'pocok'. Did you mean 'pocock'?"):
        spending_boundaries(FIVE, "pocok")  # type: ignore[arg-type]
