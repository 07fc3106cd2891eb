"""Systems whose differences are not symmetric, for tests of simulations."""

from __future__ import annotations

import numpy as np

from cranfield import ScoreMatrix


def skewed(n_topics: int = 50, n_systems: int = 12, seed: int = 3) -> ScoreMatrix:
    """Scores in [0, 1] whose systems differ in shape: some are good on a few topics only."""
    rng = np.random.default_rng(seed)
    topic = rng.beta(0.8, 2.0, (n_topics, 1))
    power = np.linspace(0.4, 3.0, n_systems)
    values = np.clip(topic**power * rng.beta(6, 2, (n_topics, n_systems)), 0, 1)
    return ScoreMatrix(values, map(str, range(n_topics)), [f"s{j:02}" for j in range(n_systems)], "AP")


def lopsided(n_topics: int = 60, n_systems: int = 8) -> ScoreMatrix:
    """Systems of which every later one fails on some topics where the earlier ones do not."""
    rng = np.random.default_rng(2)
    topic = rng.beta(1.5, 2, (n_topics, 1))
    fails = rng.random((n_topics, n_systems)) < np.linspace(0.05, 0.4, n_systems)
    values = np.clip(np.where(fails, topic * rng.random((n_topics, n_systems)), topic), 0.001, 0.999)
    values += rng.normal(0, 1e-4, values.shape)
    return ScoreMatrix(values, map(str, range(n_topics)), [f"s{j}" for j in range(n_systems)], "AP")
