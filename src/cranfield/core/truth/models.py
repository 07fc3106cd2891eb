"""Models of scores whose truth is known exactly: means, variance components, and which systems do not differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from cranfield.core.errors import UnknownNameError
from cranfield.core.resampling import generator

Array = NDArray[np.float64]
Shape = Literal["normal", "skewed", "zeros", "unequal"]
Scenario = Literal["iid", "trec-like"]
SHARED, SPREAD, TOPIC_SPREAD = 0.4, 36.0, 0.5
"""TREC-like errors: share common to all systems, largest by smallest variance of a system, sd of log scale by topic.

The first two are those of the 40 TREC-COVID runs by AP; topics differ in scale as their numbers of relevant
documents do."""
_SYSTEMS, _TOPICS, _RESIDUALS = 0, 1, 2
"""The random streams of the additive model, one per component."""


def additive_scores(
    n_topics: int,
    n_systems: int,
    seed: int,
    *,
    mean: float,
    systems: float | Sequence[float],
    topic_variance: float,
    residual_variance: float,
) -> Array:
    """Scores x_ij = mean + s_j + t_i + e_ij with independent normal effects, topics × systems.

    Parameters
    ----------
    systems : the variance of the s_j, or the s_j themselves
    seed : the first topics of a larger matrix are those of a smaller one

    >>> additive_scores(2, 2, 1, mean=0.5, systems=[0, 0.1], topic_variance=0, residual_variance=0).round(3).tolist()
    [[0.5, 0.6], [0.5, 0.6]]
    """
    if np.ndim(systems):
        effects = np.asarray(systems, dtype=np.float64)
    else:
        effects = math.sqrt(cast(float, systems)) * generator(seed, _SYSTEMS).standard_normal(n_systems)
    topics = math.sqrt(topic_variance) * generator(seed, _TOPICS).standard_normal(n_topics)
    residuals = math.sqrt(residual_variance) * generator(seed, _RESIDUALS).standard_normal((n_topics, n_systems))
    return np.asarray(mean + effects[np.newaxis, :] + topics[:, np.newaxis] + residuals)


def null_scores(shape: Shape, n_topics: int, n_systems: int, rng: np.random.Generator) -> Array:
    """Scores of systems that do not differ, on shared topics.

    ``normal``: topic effect plus residual, in the proportions of AP. ``skewed``: log-normal, a few topics decide.
    ``zeros``: 60% zeros, else a multiple of .1: many ties. In these three the systems are exchangeable.
    ``unequal``: normal with equal means, but the last system's residuals are five times as spread.
    """
    cells = (n_topics, n_systems)
    topic = rng.normal(0, 0.17, (n_topics, 1))
    if shape == "skewed":
        return np.asarray(np.exp(topic + rng.normal(0, 1.5, cells)))
    if shape == "zeros":
        return np.asarray(np.where(rng.random(cells) < 0.6, 0.0, rng.integers(1, 11, cells) / 10))
    spread = np.ones(n_systems)
    if shape == "unequal":
        spread[-1] = 5.0
    return np.asarray(0.25 + topic + rng.normal(0, 0.11, cells) * spread)


def draw_errors(scenario: Scenario, n_topics: int, n_systems: int, partitions: int, rng: np.random.Generator) -> Array:
    """Errors ε_ijk with mean 0, topics × systems × partitions: all that a simulation of the model needs.

    With interaction the residuals do not depend on topic, system and interaction effects. So these are all 0, and
    every pair of systems is a true null hypothesis. ``"iid"``: standard normal. ``"trec-like"``: a part that
    all systems share in a (topic, partition), and parts of their own whose variance differs between systems, both
    scaled topic by topic.
    """
    if scenario not in get_args(Scenario):
        raise UnknownNameError("scenario", str(scenario), get_args(Scenario))
    own = rng.standard_normal((n_topics, n_systems, partitions))
    if scenario == "iid":
        return own
    common = rng.standard_normal((n_topics, 1, partitions))
    variance = np.geomspace(1, SPREAD, n_systems)
    spread = np.sqrt(variance / variance.mean())[None, :, None]
    scale = np.exp(TOPIC_SPREAD * rng.standard_normal((n_topics, 1, 1)))
    return np.asarray(scale * (np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * spread * own))


def equal_settings(
    n_topics: int, n_settings: int, sd: float, correlation: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Scores of a baseline and of settings that are all as good, about the topic's ease: topics, topics × settings.

    Parameters
    ----------
    sd : spread of a setting's scores on a topic about the topic's ease
    correlation : of that spread between settings; the baseline has nothing in common with them

    >>> baseline, settings = equal_settings(5, 3, 0.1, 0.9, np.random.default_rng(1))
    >>> baseline.shape, settings.shape
    ((5,), (5, 3))
    """
    noise = rng.normal(0.0, sd, (n_topics, n_settings + 2))
    baseline, shared, own = noise[:, 0], noise[:, 1:2], noise[:, 2:]
    return baseline, math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * own
