"""Known truth: how often the gate passes what it should not, and what it should."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cranfield.questions.gate.rule import Differences, hall_values, t_values, topics_for

TRIALS = 4000
ALPHA, MARGIN, SD = 0.05, 0.01, 0.04


def rates(mean: float, n: int, draw, values=t_values) -> tuple[float, float]:
    """Shares of passes and fails among many sets of topics with this true difference."""
    rng = np.random.default_rng(11)
    passes = fails = 0
    for _ in range(TRIALS):
        each = mean + SD * draw(rng, n)
        p, p_fail = values(Differences.of(each, np.zeros(n)), -MARGIN)
        passes += p <= ALPHA
        fails += p_fail <= ALPHA
    return passes / TRIALS, fails / TRIALS


def normal(rng, n):
    return rng.standard_normal(n)


def heavy(rng, n):
    """Mostly ties and a few large differences, as retrieval changes have; symmetric, standard deviation 1."""
    return rng.choice([-1.0, 1.0], n) * (rng.random(n) < 0.2) * rng.exponential(1.0, n) / np.sqrt(0.4)


def within(rate: float, expected: float) -> bool:
    """Whether a share is what chance allows around the expected one (99.9%)."""
    low, high = stats.binom.interval(0.999, TRIALS, expected)
    return low / TRIALS <= rate <= high / TRIALS


@pytest.mark.slow
@pytest.mark.parametrize("draw", [normal, heavy])
@pytest.mark.parametrize("n", [50, 300])
def test_a_candidate_exactly_the_margin_worse_passes_at_most_alpha(draw, n):
    passed, failed = rates(-MARGIN, n, draw)
    most = stats.binom.ppf(0.9995, TRIALS, ALPHA) / TRIALS
    assert passed <= most
    assert failed <= most
    if draw is normal:
        assert within(passed, ALPHA)
        assert within(failed, ALPHA)


def rare_loss(loss: float, share: float):
    """A loss on few topics, so large that the mean is −MARGIN; on the others next to nothing."""
    assert loss * share == pytest.approx(MARGIN)
    return lambda rng, n: (MARGIN - loss * (rng.random(n) < share)) / SD + rng.standard_normal(n) / 4


@pytest.mark.slow
@pytest.mark.parametrize(("loss", "share"), [(0.2, 0.05), (0.5, 0.02)])
@pytest.mark.parametrize("n", [50, 100, 200])
def test_rare_losses_pass_only_where_they_are_absent(loss, share, n):
    """Beyond alpha, a candidate at the margin passes only as often as none of its bad topics is drawn."""
    passed, _ = rates(-MARGIN, n, rare_loss(loss, share), hall_values)
    assert passed <= stats.binom.ppf(0.9995, TRIALS, max(ALPHA, (1 - share) ** n)) / TRIALS


@pytest.mark.slow
def test_the_wider_bound_costs_little_power_on_normal_differences():
    for n, most in ((25, 0.02), (50, 0.011), (100, 0.007)):
        mean = 2 * SD / np.sqrt(n) - MARGIN
        (plain, _), (skewed, _) = (rates(mean, n, normal, values) for values in (t_values, hall_values))
        assert 0 <= plain - skewed <= most


@pytest.mark.slow
def test_an_equal_candidate_passes_with_the_power_that_was_promised():
    n = topics_for(-MARGIN, SD, ALPHA, 0.8)
    passed, failed = rates(0.0, n, normal)
    critical = stats.t.ppf(1 - ALPHA, n - 1)
    assert within(passed, float(stats.nct.sf(critical, n - 1, np.sqrt(n) * MARGIN / SD)))
    assert 0.80 - 0.02 <= passed <= 0.83
    assert failed < 0.001
