"""Intervals of variances and of reliability once more, written apart from cranfield and for all trials of a cell.

`tests/test_validation.py` holds them against `estimate_variance` and `reliability`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, fdtri, stdtrit

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Jackknife:
    """Logarithm of an estimate, and its jackknife variances over topics and systems, one per trial."""

    log: Array
    topics: Array
    systems: Array
    n: int
    m: int

    def ends(self, probability: float, *, topics_alone: bool = False) -> Array:
        """How far the logarithm may lie above its estimate: t_df·s with Satterthwaite's degrees of freedom."""
        of_systems = np.zeros_like(self.topics) if topics_alone else self.systems
        squared = self.topics + of_systems
        df = squared**2 / (self.topics**2 / (self.n - 1) + of_systems**2 / (self.m - 1))
        return np.asarray(stdtrit(df, probability) * np.sqrt(squared))


def spread(logs: Array) -> Array:
    """The delete-one jackknife variance; logs are trials × units."""
    k = logs.shape[1]
    return np.asarray((k - 1) * logs.var(axis=1))


@dataclass(frozen=True)
class Squares:
    """Mean squares of systems and residual without each topic and each system, by closed forms (trials × units)."""

    systems: Array
    topics: Array
    residual: Array
    without_topic: tuple[Array, Array]
    without_system: tuple[Array, Array]


def squares(x: Array) -> Squares:
    """Of trials × topics × systems."""
    _, n, m = x.shape
    of_topic, of_system = x.mean(axis=2), x.mean(axis=1)
    whole = of_topic.mean(axis=1)
    residual = x - of_topic[:, :, None] - of_system[:, None, :] + whole[:, None, None]
    square = np.square(residual)
    total = square.sum(axis=(1, 2))
    # Without a topic the sum of squares loses n/(n − 1) of that topic's; the means of systems move with it.
    left_topic = (total[:, None] - n / (n - 1) * square.sum(axis=2)) / ((n - 2) * (m - 1))
    moved = (n * of_system[:, None, :] - x) / (n - 1)
    between_topic = (n - 1) * moved.var(axis=2, ddof=1)
    left_system = (total[:, None] - m / (m - 1) * square.sum(axis=1)) / ((n - 1) * (m - 2))
    away = np.square(of_system - whole[:, None])
    between_system = n * (away.sum(axis=1, keepdims=True) - m / (m - 1) * away) / (m - 2)
    return Squares(
        n * of_system.var(axis=1, ddof=1), m * of_topic.var(axis=1, ddof=1), total / ((n - 1) * (m - 1)),
        (between_topic, left_topic), (between_system, left_system),
    )  # fmt: skip


def variance(x: Array) -> Jackknife:
    """log V_E2 and its error."""
    _, n, m = x.shape
    s = squares(x)
    return Jackknife(
        np.log(s.residual), spread(np.log(s.without_topic[1])), spread(np.log(s.without_system[1])), n, m
    )  # fmt: skip


def relative(x: Array, alpha: float) -> dict[str, tuple[Array, Array]]:
    """Both ends of r = (MS_s/MS_e − 1)/n by the jackknife (Feldt's where a ratio is not above 0) and by Feldt's formula.

    And of the ratio behind Φ by Arteaga's.
    """
    _, n, m = x.shape
    s = squares(x)
    ratio = s.systems / s.residual
    feldt = tuple(
        np.maximum((ratio / fdtri(m - 1, (m - 1) * (n - 1), at) - 1) / n, 0) for at in (1 - alpha / 2, alpha / 2)
    )
    by_topic = (s.without_topic[0] / s.without_topic[1] - 1) / (n - 1)
    by_system = (s.without_system[0] / s.without_system[1] - 1) / n
    sound = (ratio > 1) & (by_topic > 0).all(axis=1) & (by_system > 0).all(axis=1)
    r = np.where(sound, ratio - 1, 1) / n
    logs = (np.log(np.where(sound[:, None], one, 1)) for one in (by_topic, by_system))
    error = Jackknife(np.log(r), *(spread(one) for one in logs), n, m)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.exp(np.minimum(error.ends(1 - alpha / 2), 700))
    jackknife = (np.where(sound, r / factor, feldt[0]), np.where(sound, r * factor, feldt[1]))
    phi = []
    for at in (1 - alpha / 2, alpha / 2):
        f_inf, f_e = chdtri(m - 1, 1 - at) / (m - 1), fdtri(m - 1, (m - 1) * (n - 1), at)
        f_q = fdtri(m - 1, n - 1, at)
        top = m * (s.systems**2 - f_inf * s.systems * s.residual + (f_inf - f_e) * f_e * s.residual**2)
        below = n * ((m - 1) * f_inf * s.systems * s.residual + f_q * s.systems * s.topics)
        phi.append(np.where(ratio <= f_e, 0, top / below))
    return {"Eρ², jackknife": jackknife, "Eρ², Feldt": (feldt[0], feldt[1]), "Φ, Arteaga": (phi[0], phi[1])}
