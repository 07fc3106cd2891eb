"""Kendall's τ and τ_b, τ_AP and its variants for ties, for many pairs of orders at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.core.defaults import ALPHA

COEFFICIENTS = {
    "tau": "Kendall's tau: concordant minus discordant pairs, over all pairs",
    "tau_b": "Kendall's tau_b: the same, corrected for ties on either side",
    "tau_ap": "tau_AP of Yilmaz et al., top-weighted; with ties its mean over all orders of the tied (tau_AP,a)",
    "tau_ap_b": "tau_AP,b of Urbano and Marrero: two equal observers, ties kept as ties",
}
"""The coefficients by name, each with its meaning."""
_BLOCK = 1 << 20
"""Comparisons of two systems held in memory at once; changes nothing but the memory used."""


@dataclass(frozen=True)
class PairCounts:
    """For every row of scores and every system, how the systems above it stand; all coefficients follow from these.

    `better` counts the systems above it in both orders. `tied` counts those above it in the estimate but tied with it
    in the reference. `above_estimate` and `above_reference` count all those above it. `group` counts the systems tied
    with it in the estimate, itself included. Each has shape (rows, systems).
    """

    better: NDArray[np.int64]
    tied: NDArray[np.int64]
    above_estimate: NDArray[np.int64]
    above_reference: NDArray[np.int64]
    group: NDArray[np.int64]


def systems_above(scores: NDArray[np.float64], tolerance: float = 0.0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many systems have a higher score, and how many the same; for each system of each row.

    Neighbours in the order of scores that are no further apart than the tolerance are the same.
    """
    m = scores.shape[1]
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=1)
    starts = np.ones(scores.shape, dtype=bool)
    starts[:, 1:] = ranked[:, :-1] - ranked[:, 1:] > tolerance
    first = np.maximum.accumulate(np.where(starts, np.arange(m), 0), axis=1)
    stops = np.ones(scores.shape, dtype=bool)
    stops[:, :-1] = starts[:, 1:]
    last = np.minimum.accumulate(np.where(stops, np.arange(m), m)[:, ::-1], axis=1)[:, ::-1]
    above = np.empty(scores.shape, dtype=np.int64)
    group = np.empty(scores.shape, dtype=np.int64)
    np.put_along_axis(above, order, first, axis=1)
    np.put_along_axis(group, order, last - first + 1, axis=1)
    return above, group


def count_pairs(
    reference: NDArray[np.float64], estimate: NDArray[np.float64], tolerance: tuple[float, float] = (0.0, 0.0)
) -> PairCounts:
    """Compare all pairs of systems, for each of several rows of scores; `tolerance` as in `rank_correlations`."""
    above_x, _ = systems_above(reference, tolerance[0])
    above_y, group = systems_above(estimate, tolerance[1])
    rows, m = above_y.shape
    # Short numbers compare faster.
    places_x: NDArray[np.signedinteger] = above_x.astype(np.int16) if m < 1 << 15 else above_x
    places_y: NDArray[np.signedinteger] = above_y.astype(np.int16) if m < 1 << 15 else above_y
    better = np.empty((rows, m), dtype=np.int64)
    tied = np.zeros((rows, m), dtype=np.int64)
    step = max(1, _BLOCK // (m * m))
    for start in range(0, rows, step):
        part = slice(start, start + step)
        x, y = places_x[part], places_y[part]
        higher = y[:, None, :] < y[:, :, None]  # [row, i, j]: j is above i in the estimate
        better[part] = np.count_nonzero(higher & (x[:, None, :] < x[:, :, None]), axis=2)
        tied[part] = np.count_nonzero(higher & (x[:, None, :] == x[:, :, None]), axis=2)
    return PairCounts(better, tied, above_y, above_x, group)


def _kendall(counts: PairCounts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    m = counts.better.shape[1]
    untied_y = counts.above_estimate.sum(axis=1)
    untied_x = counts.above_reference.sum(axis=1)
    concordant = counts.better.sum(axis=1)
    discordant = untied_y - concordant - counts.tied.sum(axis=1)
    score = (concordant - discordant).astype(np.float64)
    both = np.sqrt(untied_x.astype(np.float64)) * np.sqrt(untied_y)
    tau_b = np.divide(score, both, out=np.full(score.shape, np.nan), where=both > 0)
    # √a·√b can miss √(ab) by one bit; with the same ties on both sides the coefficient is rational.
    tau_b = np.where(untied_x == untied_y, np.divide(score, np.maximum(untied_x, 1)), tau_b)
    return score / (m * (m - 1) / 2), np.where(both > 0, np.clip(tau_b, -1, 1), np.nan)


def _tau_ap(counts: PairCounts) -> NDArray[np.float64]:
    """τ_AP = 2/(m−1)·Σ_{i≥2} C(i)/(i−1) − 1 (Yilmaz et al. 2008), averaged over the orders of tied systems.

    A system with p others strictly above it, in a group of t, stands at p+1 … p+t with equal chance. Let k of its
    group stand before it. Of the p+k above it, these are in the right order on average: the better ones, half of
    those tied in the reference, and half of the k (Urbano and Marrero 2017, τ_AP,a).
    """
    m = counts.better.shape[1]
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, m + 1))])
    p, t = counts.above_estimate, counts.group
    # Σ_{k=0}^{t−1} 1/(p+k), without the term 1/0 of a group at the top
    inverse = harmonic[p + t - 1] - harmonic[np.maximum(p - 1, 0)]
    above = (counts.better + counts.tied / 2) * inverse
    within = (t - p * inverse - (p == 0)) / 2  # ½ Σ_k k/(p+k)
    return np.asarray(2 / (m - 1) * ((above + within) / t).sum(axis=1) - 1)


def _tau_ap_b(counts: PairCounts) -> NDArray[np.float64]:
    """τ_AP,b (Urbano and Marrero 2017): each side as the truth in turn, pivots below the top group only.

    The systems above a pivot's group are compared, and a pair tied on one side alone is not in agreement.
    """
    sides = []
    for above in (counts.above_estimate, counts.above_reference):
        pivots = above > 0
        share = np.where(pivots, counts.better / np.maximum(above, 1), 0.0).sum(axis=1)
        total = pivots.sum(axis=1)
        sides.append(np.divide(2 * share, total, out=np.full(share.shape, np.nan), where=total > 0) - 1)
    return np.asarray((sides[0] + sides[1]) / 2)


def rank_correlations(
    reference: NDArray[np.float64], estimate: NDArray[np.float64], tolerance: tuple[float, float] = (0.0, 0.0)
) -> dict[str, NDArray[np.float64]]:
    """Every coefficient for every row of two (rows × systems) arrays; NaN where all systems tie on one side.

    `tolerance` says how far apart two scores of the reference and of the estimate may be and still tie.

    >>> values = rank_correlations(np.array([[3.0, 2.0, 1.0]]), np.array([[2.0, 3.0, 1.0]]))
    >>> {name: round(float(value[0]), 4) for name, value in values.items()}
    {'tau': 0.3333, 'tau_b': 0.3333, 'tau_ap': 0.0, 'tau_ap_b': 0.0}
    """
    counts = count_pairs(reference, estimate, tolerance)
    tau, tau_b = _kendall(counts)
    return {"tau": tau, "tau_b": tau_b, "tau_ap": _tau_ap(counts), "tau_ap_b": _tau_ap_b(counts)}


def tau_half_width(n_systems: int, alpha: float = ALPHA) -> float:
    """Half the width of the published interval, z_{α/2}·√(2(2m+5)/(9m(m−1))) (Sakai 2016, Table 1(g)).

    The square root is the standard deviation of τ between two *unrelated* orders. The interval is the same for any τ
    and can pass 1.

    >>> [round(tau_half_width(m), 3) for m in (14, 25, 12, 16, 13, 44, 27, 34)]
    [0.393, 0.28, 0.433, 0.363, 0.412, 0.205, 0.268, 0.236]
    """
    from scipy.special import ndtri

    m = n_systems
    return float(-ndtri(alpha / 2) * math.sqrt(2 * (2 * m + 5) / (9 * m * (m - 1))))
