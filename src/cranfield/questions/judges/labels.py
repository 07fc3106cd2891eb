"""Agreement of two judges on the same topic–document pairs, with the topic as the unit.

Documents of one topic are judged alike, so an interval that takes documents as independent covers .21–.43. Every
statistic here is a function of a table of counts, one table per topic; leaving out a topic subtracts its table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Array = NDArray[np.float64]

LEAST_TOPICS = 3
"""Topics below which the jackknife says nothing."""
_SAME = 1e-12
"""Leave-one-out values closer than this are equal, and tell nothing about the spread."""


class Agreement(NamedTuple):
    """A statistic of two judges with its interval over topics; no ends where a leave-one-out value is ±1."""

    statistic: str
    value: float | None
    lower: float | None = None
    upper: float | None = None


def counts_by_topic(topics: NDArray[np.intp], first: Array, second: Array, grades: Array) -> Array:
    """Tables topics × grades × grades: how often the first judge gives a row's grade and the second a column's.

    >>> both = np.array([0.0, 1.0, 1.0])
    >>> counts_by_topic(np.array([0, 0, 1]), both, both[::-1], np.array([0.0, 1.0])).tolist()
    [[[0.0, 1.0], [0.0, 1.0]], [[0.0, 0.0], [1.0, 0.0]]]
    """
    k, n = len(grades), int(topics.max()) + 1
    rows, columns = np.searchsorted(grades, first), np.searchsorted(grades, second)
    cells = np.bincount((topics * k + rows) * k + columns, minlength=n * k * k)
    return cells.reshape(n, k, k).astype(np.float64)


def _distances(grades: Array, power: int) -> Array:
    """|i − j|^power over the largest distance; power 0 counts every disagreement as 1."""
    apart = np.abs(grades[:, None] - grades[None, :])
    if power == 0:
        return (apart > 0).astype(np.float64)
    return np.asarray((apart / apart.max()) ** power)


def _ratio(observed: Array, expected: Array) -> Array:
    """1 − observed/expected; NaN where nothing is expected."""
    share = np.divide(observed, expected, out=np.full(len(observed), np.nan), where=expected > 0)
    return np.asarray(1 - share)


def kappa(tables: Array, grades: Array, power: int = 0) -> Array:
    """Cohen's κ of every table, weighted by |i − j|^power: 0 plain, 1 linear, 2 quadratic (Cohen 1960, 1968).

    κ = 1 − Σ d·p / Σ d·(row share × column share).

    >>> kappa(np.array([[[20.0, 5.0], [10.0, 15.0]]]), np.array([0.0, 1.0])).round(4).tolist()
    [0.4]
    """
    shares = tables / tables.sum(axis=(1, 2), keepdims=True)
    chance = shares.sum(axis=2)[:, :, None] * shares.sum(axis=1)[:, None, :]
    d = _distances(grades, power)
    return _ratio((d * shares).sum(axis=(1, 2)), (d * chance).sum(axis=(1, 2)))


def alpha_interval(tables: Array, grades: Array) -> Array:
    """Krippendorff's α with interval distances, two judges and no missing grades (Krippendorff 2011)."""
    d = np.square(grades[:, None] - grades[None, :])
    both = tables + tables.transpose(0, 2, 1)
    each = both.sum(axis=2)
    total = each.sum(axis=1)
    observed = (d * both).sum(axis=(1, 2)) / total
    expected = (d * each[:, :, None] * each[:, None, :]).sum(axis=(1, 2)) / (total * (total - 1))
    return _ratio(observed, expected)


def ac2(tables: Array, grades: Array) -> Array:
    """Gwet's AC2 with quadratic weights: chance agreement from uncertain pairs alone (Gwet 2014)."""
    weights = 1 - _distances(grades, 2)
    shares = tables / tables.sum(axis=(1, 2), keepdims=True)
    mean = (shares.sum(axis=1) + shares.sum(axis=2)) / 2
    k = len(grades)
    chance = weights.sum() / (k * (k - 1)) * (mean * (1 - mean)).sum(axis=1)
    agreed = (weights * shares).sum(axis=(1, 2))
    return np.asarray(np.divide(agreed - chance, 1 - chance, out=np.full(len(agreed), np.nan), where=chance < 1))


def overrating(tables: Array, grades: Array) -> Array:
    """Mean of second minus first: above 0 the second judge is more lenient."""
    lead = grades[None, :] - grades[:, None]
    return np.asarray((lead * tables).sum(axis=(1, 2)) / tables.sum(axis=(1, 2)))


def agreed_share(tables: Array, grades: Array) -> Array:
    """Share of pairs that both judges grade alike."""
    return np.asarray(np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2)))


STATISTICS: Mapping[str, tuple[Callable[[Array, Array], Array], bool]] = {
    "agreement": (agreed_share, False),
    "kappa": (kappa, True),
    "kappa_linear": (lambda tables, grades: kappa(tables, grades, 1), True),
    "kappa_quadratic": (lambda tables, grades: kappa(tables, grades, 2), True),
    "alpha": (alpha_interval, True),
    "ac2": (ac2, True),
    "overrating": (overrating, False),
}
"""Every statistic, and whether it lies within ±1, so that its jackknife is taken on atanh."""


def agreements(tables: Array, grades: Array, alpha: float) -> list[Agreement]:
    """All statistics of the tables together, each with its topic jackknife interval, t with n − 1 degrees of freedom.

    Examples
    --------
    >>> tables = np.array([[[8.0, 1.0], [2.0, 5.0]], [[6.0, 3.0], [1.0, 4.0]], [[7.0, 2.0], [2.0, 6.0]]])
    >>> found = agreements(tables, np.array([0.0, 1.0]), 0.05)[1]
    >>> found.statistic, round(found.value, 3), found.lower < found.value < found.upper
    ('kappa', 0.524, True)
    """
    total = tables.sum(axis=0, keepdims=True)
    without = total - tables
    kept = without.sum(axis=(1, 2)) > 0
    found = []
    for name, (of, bounded) in STATISTICS.items():
        value = float(of(total, grades)[0])
        if math.isnan(value):
            found.append(Agreement(name, None))
            continue
        ends = _jackknife(value, of(without[kept], grades), bounded, alpha)
        found.append(Agreement(name, value, *ends))
    return found


def leniency_by_grade(
    tables: Array, grades: Array, alpha: float
) -> list[tuple[str, int, float, float | None, float | None]]:
    """Mean of second minus first where the first judge gave a grade: grade, topics, value, and its jackknife interval.

    >>> tables = np.array([[[8.0, 1.0], [2.0, 5.0]], [[6.0, 3.0], [1.0, 4.0]], [[7.0, 2.0], [2.0, 6.0]]])
    >>> [(grade, round(value, 3)) for grade, _, value, _, _ in leniency_by_grade(tables, np.array([0.0, 1.0]), 0.05)]
    [('0', 0.222), ('1', -0.25)]
    """
    found = []
    for at, grade in enumerate(grades):
        own = tables[:, at, :]
        own = own[own.sum(axis=1) > 0]
        if not len(own):
            continue
        lead, counts = own @ (grades - grade), own.sum(axis=1)
        value = float(lead.sum() / counts.sum())
        ends: tuple[float | None, float | None] = (None, None)
        if len(own) >= LEAST_TOPICS:
            ends = _jackknife(value, (lead.sum() - lead) / (counts.sum() - counts), False, alpha)
        found.append((f"{grade:g}", len(own), value, *ends))
    return found


def _jackknife(value: float, left_out: Array, bounded: bool, alpha: float) -> tuple[float | None, float | None]:
    n = len(left_out)
    if (
        n < LEAST_TOPICS
        or np.isnan(left_out).any()
        or np.ptp(left_out) < _SAME
        or (bounded and max(np.abs(left_out).max(), abs(value)) >= 1)
    ):
        return None, None
    centre, values = (math.atanh(value), np.arctanh(left_out)) if bounded else (value, left_out)
    half = float(stdtrit(n - 1, 1 - alpha / 2)) * math.sqrt(
        (n - 1) / n * float(np.square(values - values.mean()).sum())
    )
    ends = centre - half, centre + half
    return (math.tanh(ends[0]), math.tanh(ends[1])) if bounded else ends
