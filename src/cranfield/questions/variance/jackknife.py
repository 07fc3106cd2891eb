"""How sure is a number estimated from past scores? The jackknife of its logarithm, over topics and over systems."""

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
