"""Is the advice true? Pilots, advice and collections drawn from known populations."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy import special

from cranfield import design_anova
from cranfield.questions.variance.sphericity import greenhouse_geisser, unbiased_epsilon


def load_study() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "docs" / "advice_study.py"
    spec = importlib.util.spec_from_file_location("advice_study", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["advice_study"] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


STUDY = load_study()
MADE = STUDY.populations(real=False)


def test_a_small_study_makes_a_table() -> None:
    finding = STUDY.study("equal variances", MADE["equal variances"], 25, pilots=2, trials=100)
    text = STUDY.table([finding])
    assert f"| equal variances | 25 | 0.10 | {finding.topics} (" in text


@pytest.mark.slow
@pytest.mark.parametrize("topics", [25, 50])
@pytest.mark.parametrize("name", list(MADE))
def test_the_promise_is_kept(name: str, topics: int) -> None:
    """Power between .78 and .85 at the median of the advice, and intervals that hold the truth; with the noise of
    2,000 trials and 60 pilots."""
    finding = STUDY.study(name, MADE[name], topics, pilots=60, trials=2000)
    assert 0.78 - 3 * finding.error < finding.power < 0.85 + 3 * finding.error
    assert finding.false < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 2000)
    assert finding.coverage[STUDY.HEADLINE] > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 60)


@pytest.mark.slow
def test_a_corrected_f_test_has_the_power_it_was_designed_for() -> None:
    """Scores far from spherical; best and worst are any two systems; degrees of freedom by the sample's own ε."""
    rng = np.random.default_rng(1)
    k, min_diff, trials = 20, 0.1, 2000
    families = rng.normal(size=(k, 4)) * 0.06
    own = rng.uniform(0.04, 0.12, k)
    covariance = families @ families.T + np.diag(own**2)
    centre = np.eye(k) - 1 / k
    epsilon = greenhouse_geisser(covariance)
    assert epsilon < 0.6
    n = design_anova(
        float(np.trace(centre @ covariance)) / (k - 1), k, min_diff, blocked=True, epsilon=epsilon
    ).n_topics
    rejected = 0
    for _ in range(trials):
        x = rng.normal(size=(n, 4)) @ families.T + rng.normal(size=(n, k)) * own
        best, worst = rng.choice(k, 2, replace=False)
        x[:, best] += min_diff / 2
        x[:, worst] -= min_diff / 2
        s = centre @ np.cov(x, rowvar=False) @ centre
        means = x.mean(axis=0)
        f = n * np.square(means - means.mean()).sum() / np.trace(s)
        here = unbiased_epsilon(s, n)
        rejected += f > special.fdtri(here * (k - 1), here * (k - 1) * (n - 1), 0.95)
    assert 0.77 < rejected / trials < 0.86
