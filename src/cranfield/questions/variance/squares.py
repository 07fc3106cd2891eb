"""Sums of squares of a topic × system matrix, whole and with each topic or each group of systems left out.

Notation of Sakai (2014a), §4: n topics, m systems; S_A between systems, S_B between topics, S_E1 within systems,
S_E2 residual of the two-way model. The versions with something left out are in closed form and cost no more than the
whole: dropping topic i from n values takes n/(n−1)·(distance to the mean)² off their sum of squares.

They tell how sure an estimate is: the jackknife of its logarithm, over topics and over systems.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.core.errors import DataError
from cranfield.core.labels import summary

Array = NDArray[np.float64]
FEWEST_GROUPS = 3
"""Systems, or teams, below which leaving one out says nothing of how much they matter."""


@dataclass(frozen=True)
class Squares:
    """Sums of squares for `n` topics and `m` systems: single numbers, or one entry per left-out topic or group."""

    n: int
    m: int
    between_systems: Array
    between_topics: Array
    within: Array
    residual: Array

    @property
    def mean_between_systems(self) -> Array:
        """V_A (Sakai (2014a), eq. 3)."""
        return self.between_systems / (self.m - 1)

    @property
    def mean_between_topics(self) -> Array:
        """V_B (Sakai (2014a), eq. 6)."""
        return self.between_topics / (self.n - 1)

    @property
    def mean_within(self) -> Array:
        """V_E1 (Sakai (2014a), eq. 3, Sakai (2016), eq. 1)."""
        return self.within / (self.m * (self.n - 1))

    @property
    def mean_residual(self) -> Array:
        """V_E2 (Sakai (2014a), eq. 6)."""
        return self.residual / ((self.m - 1) * (self.n - 1))


def _centred(x: Array) -> tuple[Array, Array, Array, Array]:
    """Means of systems, of topics and of all scores, and what they leave of each score."""
    systems, topics, grand = x.mean(axis=0), x.mean(axis=1), np.asarray(x.mean())
    return systems, topics, grand, x - topics[:, None] - systems + grand


def squares(x: Array) -> Squares:
    """The sums of squares of the whole matrix."""
    n, m = x.shape
    systems, topics, grand, residual = _centred(x)
    return Squares(
        n,
        m,
        between_systems=np.asarray(n * np.square(systems - grand).sum()),  # Sakai (2014a), eq. 2
        between_topics=np.asarray(m * np.square(topics - grand).sum()),  # Sakai (2014a), eq. 5
        within=np.asarray(np.square(x - systems).sum()),  # Sakai (2014a), eq. 2
        residual=np.asarray(np.square(residual).sum()),  # Sakai (2014a), eq. 5
    )


def squares_without_each_topic(x: Array) -> Squares:
    """The sums of squares of the n matrices that lack one topic each."""
    n, m = x.shape
    whole = squares(x)
    systems, topics, grand, residual = _centred(x)
    shrink = n / (n - 1)
    means = systems - (x - systems) / (n - 1)  # row i: system means without topic i
    return Squares(
        n - 1,
        m,
        between_systems=(n - 1) * np.square(means - means.mean(axis=1, keepdims=True)).sum(axis=1),
        between_topics=whole.between_topics - shrink * m * np.square(topics - grand),
        within=whole.within - shrink * np.square(x - systems).sum(axis=1),
        residual=whole.residual - shrink * np.square(residual).sum(axis=1),
    )


def squares_without_each_group(x: Array, group: NDArray[np.intp]) -> Squares:
    """The sums of squares without each group of systems; `group` has the number of each system's group, from 0.

    Let r be the two-way residuals and ρ_i their sum over the m_g systems of a group in topic i. The residual sum of
    squares loses Σr² over the group and Σρ_i²/(m − m_g): for one system m/(m−1)·Σ_i r_ij².
    """
    n, m = x.shape
    whole = squares(x)
    systems, topics, grand, residual = _centred(x)
    left = m - group_sums(np.ones(m), group)
    effects, sums = group_sums(systems - grand, group), group_sums(residual, group)
    lost = group_sums(np.square(systems - grand), group) + np.square(effects) / left
    means = (topics - grand)[:, None] - sums / left  # column g: topic means without group g, centred
    return Squares(
        n,
        left,  # an array, because groups differ in size; the formulas take both
        between_systems=whole.between_systems - n * lost,
        between_topics=left * np.square(means).sum(axis=0),
        within=whole.within - group_sums(np.square(x - systems).sum(axis=0), group),
        residual=whole.residual
        - group_sums(np.square(residual).sum(axis=0), group)
        - np.square(sums).sum(axis=0) / left,
    )


def group_sums(values: Array, group: NDArray[np.intp]) -> Array:
    """Sums over the last axis, group by group.

    >>> group_sums(np.array([[1.0, 2.0, 4.0]]), np.array([0, 1, 0])).tolist()
    [[5.0, 2.0]]
    """
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(int(group.max()) + 1))
    return np.add.reduceat(values[..., order], starts, axis=-1)


@dataclass(frozen=True)
class LogError:
    """Standard error of the logarithm of an estimate, and its degrees of freedom.

    Attributes
    ----------
    size, df : float
        s and df; the interval is the estimate times exp(±t_df·s).
    systems : bool
        Whether the systems count as a sample, or topics alone do.
    """

    size: float
    df: float
    systems: bool

    def reach(self, probability: float) -> float:
        """t_df·s at this probability: how far the logarithm may lie above its estimate."""
        return float(stdtrit(self.df, probability)) * self.size


def log_error(whole: float, topics: Sequence[Array], groups: Array | None, members: Array | None = None) -> LogError:
    r"""Error of a logarithm by the two-way jackknife: s² = v_t + v_s, df = s⁴/(Σv_t²/(n−1) + v_s²/(G−1)).

    v_t is the delete-one jackknife variance over the topics of each collection. v_s is the delete-group jackknife over
    G systems or teams: with h_g = m/m_g, pseudo_g = h_g·θ − (h_g−1)·θ₋g, θ_J = G·θ − Σ(1 − 1/h_g)·θ₋g,
    v_s = Σ(pseudo_g − θ_J)²/(h_g−1)/G. For groups of one system it is the delete-one jackknife.

    Parameters
    ----------
    whole : θ, the logarithm of the estimate
    topics : the logarithms without each topic, one array per collection
    groups : θ₋g, the logarithms without each system or team; None to count topics alone
    members : m_g, systems of each group

    References
    ----------
    Busing, Meijer and van der Leeden, "Delete-m jackknife for unequal m", Statistics and Computing 9 (1999); the
    degrees of freedom after Satterthwaite, Biometrics Bulletin 2 (1946).

    Examples
    --------
    >>> error = log_error(0.0, [np.array([0.1, 0.0, -0.1])], np.array([0.1, 0.0, -0.1]), np.ones(3))
    >>> round(error.size**2, 6), round(error.df, 6)
    (0.026667, 4.0)
    """
    parts = [((n := len(logs)) - 1, (n - 1) / n * float(np.square(logs - logs.mean()).sum())) for logs in topics]
    if groups is not None and members is not None:
        h = members.sum() / members
        away = groups - whole
        # pseudo_g − θ_J, in which θ itself cancels because Σ1/h_g = 1.
        spread = ((1 - 1 / h) * away).sum() - (h - 1) * away
        parts.append((len(h) - 1, float((np.square(spread) / (h - 1)).mean())))
    squared = sum(v for _, v in parts)
    noise = sum(v**2 / df for df, v in parts)
    df = squared**2 / noise if noise > 0 else float(sum(df for df, _ in parts))
    return LogError(math.sqrt(squared), df, groups is not None)


def numbered_groups(
    systems: Sequence[str], teams: Mapping[str, str] | None
) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Names of the teams, or of the systems where there are none, and the number of each system's group.

    >>> numbered_groups(["a", "b", "c"], {"a": "uw", "b": "udel", "c": "uw"})
    (('udel', 'uw'), array([1, 0, 1]))
    """
    if teams is None:
        return tuple(systems), np.arange(len(systems))
    if missing := [name for name in systems if name not in teams]:
        raise DataError(f"no team is given for {len(missing)} systems ({summary(missing)}). Add them to `teams`.")
    names = sorted({teams[name] for name in systems}, key=str.encode)
    at = {name: number for number, name in enumerate(names)}
    return tuple(names), np.asarray([at[teams[name]] for name in systems], dtype=np.intp)


def enough_groups(group: NDArray[np.intp], left: int = 2) -> bool:
    """Whether there are three groups or more, each of which leaves `left` systems."""
    members = np.bincount(group)
    return len(members) >= FEWEST_GROUPS and len(group) - int(members.max()) >= left


@dataclass(frozen=True)
class Without:
    """A number in one collection recomputed without each of its groups of systems, by the group's name."""

    names: tuple[str, ...]
    members: Array
    values: Array


def pooled_groups(weights: Array, wholes: Sequence[Array], parts: Sequence[Without]) -> tuple[Array, Array]:
    """The weighted means of several collections without each group, and each group's members.

    A system or team that stands in several collections leaves all of them at once. `wholes` and ``values`` may have
    leading axes.
    """
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    at = {name: number for number, name in enumerate(names)}
    whole = sum(weight * value for weight, value in zip(weights, wholes, strict=True))
    pooled = np.repeat(np.asarray(whole)[..., None], len(names), axis=-1)
    members = np.zeros(len(names))
    for weight, value, part in zip(weights, wholes, parts, strict=True):
        places = [at[name] for name in part.names]
        pooled[..., places] += weight * (part.values - np.asarray(value)[..., None])
        members[places] += part.members
    return pooled / weights.sum(), members
