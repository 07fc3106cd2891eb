"""Bradley–Terry strengths of systems and their sampling error over topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.core.errors import DataError
from cranfield.core.labels import summary

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_STEPS = 100
_CLOSE = 1e-12
DECIMALS = 12  # systems with the same record get the same strength, and so share a rank
_SINGULAR = 1e10
"""Condition beyond which the comparisons without a topic no longer connect all systems."""


@dataclass(frozen=True)
class Contests:
    """Comparisons in numbers, one row each: topic, the two systems, and the share of the win that the first one has."""

    topic: Ints
    first: Ints
    second: Ints
    won: Floats
    n_topics: int
    n_systems: int

    @property
    def wins(self) -> Floats:
        """Systems × systems: wins of the row over the column."""
        wins = np.zeros((self.n_systems, self.n_systems))
        np.add.at(wins, (self.first, self.second), self.won)
        np.add.at(wins, (self.second, self.first), 1 - self.won)
        return wins


def strengths(wins: Floats) -> Floats:
    """The log strengths of most likelihood, with mean 0: P(i preferred to j) = 1 / (1 + exp(θ_j − θ_i)).

    A tie is half a win for each (Bradley & Terry 1952; Hunter 2004, on existence and ties). Newton's method.

    >>> strengths(np.array([[0.0, 3.0], [1.0, 0.0]])).round(4).tolist()  # log 3 apart
    [0.5493, -0.5493]
    """
    games = wins + wins.T
    theta = np.zeros(len(wins))
    for _ in range(_STEPS):
        expected = games * chances(theta)
        step = np.linalg.solve(curvature(games, theta), (wins - expected).sum(axis=1))
        step /= max(1.0, float(np.abs(step).max()))  # far from the solution, no step is longer than 1
        theta = theta + step
        if np.abs(step).max() < _CLOSE:
            break
    centred: Floats = (theta - theta.mean()).round(DECIMALS) + 0.0
    return centred


def chances(theta: Floats) -> Floats:
    """P(row preferred to column)."""
    shares: Floats = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
    return shares


def curvature(games: Floats, theta: Floats) -> Floats:
    """Minus the second derivatives of the log likelihood, and a constant that fixes the mean at 0."""
    shares = chances(theta)
    weight = games * shares * shares.T
    laplacian: Floats = np.diag(weight.sum(axis=1)) - weight
    return laplacian + 1 / len(theta)


def covariance(games: Floats, theta: Floats) -> Floats:
    """The covariance of the strengths if all comparisons were independent."""
    inverse = np.linalg.inv(curvature(games, theta)).astype(np.float64, copy=False)
    return inverse - 1 / len(theta)


def jackknife(contests: Contests, theta: Floats) -> Floats:
    """Topics × systems: by how much the strengths change when a topic is left out, to first order.

    One Newton step from the full solution without the topic's comparisons. Its leverage counts, so that the error is
    not too small with few topics. A topic touches few systems, hence Woodbury's identity.
    """
    games = contests.wins + contests.wins.T
    inverse = np.linalg.inv(curvature(games, theta))
    order = np.argsort(contests.topic, kind="stable")
    first, second = contests.first[order], contests.second[order]
    share = 1 / (1 + np.exp(theta[second] - theta[first]))
    residual, weight = contests.won[order] - share, share * (1 - share)
    ends = np.searchsorted(contests.topic[order], np.arange(contests.n_topics + 1))
    changes = np.zeros((contests.n_topics, contests.n_systems))
    for topic in range(contests.n_topics):
        part = slice(ends[topic], ends[topic + 1])
        inside, local = np.unique(np.concatenate([first[part], second[part]]), return_inverse=True)
        one, other = np.split(local, 2)
        score, own = np.zeros(len(inside)), np.zeros((len(inside), len(inside)))
        for at, sign in ((one, 1.0), (other, -1.0)):
            np.add.at(score, at, sign * residual[part])
            np.add.at(own, (at, at), weight[part])
        np.add.at(own, (one, other), -weight[part])
        np.add.at(own, (other, one), -weight[part])
        near = inverse[np.ix_(inside, inside)]
        left = np.eye(len(inside)) - own @ near
        if np.linalg.cond(left) > _SINGULAR:
            return np.full_like(changes, np.nan)
        changes[topic] = -inverse[:, inside] @ (score + np.linalg.solve(left, own @ near @ score))
    centred: Floats = changes - changes.mean(axis=1, keepdims=True)
    return centred


def refuse_unbounded(wins: Floats, systems: tuple[str, ...]) -> None:
    """Refuse comparisons that leave strengths infinite or unknown: Ford's condition (1957)."""
    from scipy.sparse.csgraph import connected_components

    parts, label = connected_components((wins > 0).astype(np.int8), directed=True, connection="strong")
    if parts == 1:
        return
    for part in range(parts):
        inside = label == part
        if not wins[np.ix_(~inside, inside)].any():  # nobody outside ever won against these
            named = summary([systems[at] for at in np.flatnonzero(inside)])
            if wins[np.ix_(inside, ~inside)].any():
                what = f"No comparison has {named} lose or tie against the other systems"
            else:
                what = f"No comparison links {named} to the other systems"
            raise DataError(f"{what}, so strengths have no finite values. Leave them out.")
