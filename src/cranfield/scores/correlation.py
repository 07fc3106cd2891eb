"""Rank correlation between two orders of the same systems: Kendall's τ and τ_b, τ_AP and its variants for ties."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

from cranfield.defaults import ALPHA, MISSING, RANK_RESAMPLES, SEED, MissingPolicy
from cranfield.errors import ArgumentError, DataError, notify
from cranfield.labels import check_unique, summary
from cranfield.resampling import bootstrap_weights, to_grid
from cranfield.scores.matrix import ScoreMatrix
from cranfield.signature import signature

if TYPE_CHECKING:
    import polars as pl

Order = Union[ScoreMatrix, Mapping[str, float], Sequence[str]]
"""What orders systems: scores on topics, one score a system, or the systems' names with the best first."""

COEFFICIENTS = ("tau", "tau_b", "tau_ap", "tau_ap_b")
_MEANING = {
    "tau": "Kendall's tau: concordant minus discordant pairs, over all pairs",
    "tau_b": "Kendall's tau_b: the same, corrected for ties on either side",
    "tau_ap": "tau_AP of Yilmaz et al.; with ties, tau_AP,a: its mean over all orders of the tied",
    "tau_ap_b": "tau_AP,b: agreement of two equal observers, ties kept as ties",
}
_BLOCK = 1 << 21
"""Comparisons of two systems held in memory at once; changes nothing but the memory used."""


# ── the coefficients ──────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class PairCounts:
    """For every row of scores and every system, how the systems above it stand; all coefficients follow from these.

    `better` counts the systems above it in both orders, `tied` those above it in the estimate but tied with it in the
    reference, `above_estimate` and `above_reference` all those above it, `group` the systems tied with it in the
    estimate, itself included. Each has shape (rows, systems).
    """

    better: NDArray[np.int64]
    tied: NDArray[np.int64]
    above_estimate: NDArray[np.int64]
    above_reference: NDArray[np.int64]
    group: NDArray[np.int64]


def _above(scores: NDArray[np.float64]) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """How many systems have a higher score, and how many the same; for each system of each row."""
    m = scores.shape[1]
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=1)
    starts = np.ones(scores.shape, dtype=bool)
    starts[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    first = np.maximum.accumulate(np.where(starts, np.arange(m), 0), axis=1)
    stops = np.ones(scores.shape, dtype=bool)
    stops[:, :-1] = starts[:, 1:]
    last = np.minimum.accumulate(np.where(stops, np.arange(m), m)[:, ::-1], axis=1)[:, ::-1]
    above = np.empty(scores.shape, dtype=np.int64)
    group = np.empty(scores.shape, dtype=np.int64)
    np.put_along_axis(above, order, first, axis=1)
    np.put_along_axis(group, order, last - first + 1, axis=1)
    return above.astype(np.int16 if m < 1 << 15 else np.int64), group


def count_pairs(reference: NDArray[np.float64], estimate: NDArray[np.float64]) -> PairCounts:
    """Compare all pairs of systems, for each of several rows of scores."""
    above_x, _ = _above(reference)
    above_y, group = _above(estimate)
    rows, m = above_y.shape
    better = np.empty((rows, m), dtype=np.int64)
    tied = np.zeros((rows, m), dtype=np.int64)
    step = max(1, _BLOCK // (m * m))
    for start in range(0, rows, step):
        part = slice(start, start + step)
        x, y = above_x[part], above_y[part]
        higher = y[:, None, :] < y[:, :, None]  # [row, i, j]: j is above i in the estimate
        better[part] = np.count_nonzero(higher & (x[:, None, :] < x[:, :, None]), axis=2)
        tied[part] = np.count_nonzero(higher & (x[:, None, :] == x[:, :, None]), axis=2)
    return PairCounts(better, tied, above_y.astype(np.int64), above_x.astype(np.int64), group)


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

    A system with p others strictly above it, in a group of t, stands at p+1 … p+t with equal chance. With k of its
    group before it, of the p+k above it the better ones, half of those tied in the reference and, on average over
    the group, half of the k are in the right order (Urbano and Marrero 2017, τ_AP,a).
    """
    m = counts.better.shape[1]
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, m + 1))])
    p, t = counts.above_estimate, counts.group
    # Σ_{k=0}^{t−1} 1/(p+k), without the term 1/0 of a group at the top
    inverse = harmonic[p + t - 1] - harmonic[np.maximum(p - 1, 0)]
    above = (counts.better + counts.tied / 2) * inverse
    within = (t - p * inverse - (p == 0)) / 2  # ½ Σ_k k/(p+k)
    return 2 / (m - 1) * ((above + within) / t).sum(axis=1) - 1


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
    return (sides[0] + sides[1]) / 2


def rank_correlations(
    reference: NDArray[np.float64], estimate: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """Every coefficient for every row of two (rows × systems) arrays; NaN where all systems tie on one side.

    >>> values = rank_correlations(np.array([[3.0, 2.0, 1.0]]), np.array([[2.0, 3.0, 1.0]]))
    >>> {name: round(float(value[0]), 4) for name, value in values.items()}
    {'tau': 0.3333, 'tau_b': 0.3333, 'tau_ap': 0.0, 'tau_ap_b': 0.0}
    """
    counts = count_pairs(reference, estimate)
    tau, tau_b = _kendall(counts)
    return {"tau": tau, "tau_b": tau_b, "tau_ap": _tau_ap(counts), "tau_ap_b": _tau_ap_b(counts)}


def tau_half_width(n_systems: int, alpha: float = ALPHA) -> float:
    """Half the width of the published interval, z_{α/2}·√(2(2m+5)/(9m(m−1))) (AIRS 2016, Table 1(g)).

    The square root is the standard deviation of τ between two *unrelated* orders, so the interval is the same for
    any τ and can pass 1.

    >>> [round(tau_half_width(m), 3) for m in (14, 25, 12, 16, 13, 44, 27, 34)]
    [0.393, 0.28, 0.433, 0.363, 0.412, 0.205, 0.268, 0.236]
    """
    from scipy.special import ndtri

    m = n_systems
    return float(-ndtri(alpha / 2) * math.sqrt(2 * (2 * m + 5) / (9 * m * (m - 1))))


# ── the question ──────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Correlation:
    """How well two orders of the same systems agree.

    Attributes
    ----------
    values : coefficient → value; None where all systems tie on one side
    published : the published interval of tau
    bootstrap : coefficient → interval over resampled topics; empty without topics
    """

    reference: str
    estimate: str
    n_systems: int
    n_topics: int | None
    values: Mapping[str, float | None]
    published: tuple[float, float]
    bootstrap: Mapping[str, tuple[float, float] | None]
    alpha: float
    n_resamples: int
    seed: int
    warnings: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        random = {"resamples": self.n_resamples, "seed": self.seed} if self.bootstrap else {}
        return signature(
            "rank correlation",
            reference=self.reference,
            estimate=self.estimate,
            systems=self.n_systems,
            topics=self.n_topics,
            alpha=self.alpha,
            **random,
        )

    def to_frame(self) -> pl.DataFrame:
        """One row a coefficient and interval: coefficient, value, interval, lower, upper."""
        import polars as pl

        rows: list[tuple[str, float | None, str | None, float | None, float | None]] = []
        for name, value in self.values.items():
            intervals: list[tuple[str, tuple[float, float] | None]] = []
            if name == "tau":
                intervals.append(("published", self.published))
            if name in self.bootstrap:
                intervals.append(("bootstrap", self.bootstrap[name]))
            rows += [(name, value, kind, *(limits or (None, None))) for kind, limits in intervals]
            if not intervals:
                rows.append((name, value, None, None, None))
        numbers = dict.fromkeys(("value", "lower", "upper"), pl.Float64)
        schema = {"coefficient": pl.String, "value": pl.Float64, "interval": pl.String, **numbers}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "reference": self.reference,
            "estimate": self.estimate,
            "systems": self.n_systems,
            "topics": self.n_topics,
            "rows": self.to_frame().to_dicts(),
            "signature": self.signature,
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {'undefined' if v is None else f'{v:.4f}'}" for name, v in self.values.items())
        return f"Correlation({self.n_systems} systems: {shown})"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p><b>{escape(repr(self))}</b></p>{self.to_frame()._repr_html_()}<p>{escape(self.signature)}</p>"


def meaning(coefficient: str) -> str:
    """What a coefficient is, in one line."""
    return _MEANING[coefficient]


def correlate(
    reference: Order,
    estimate: Order,
    *,
    alpha: float = ALPHA,
    n_resamples: int = RANK_RESAMPLES,
    seed: int = SEED,
    missing: MissingPolicy = MISSING,
) -> Correlation:
    """Rank correlation between two orders of the same systems.

    Answers: do two measures, two collections or two ways of scoring rank the systems alike? Systems are matched by
    name. Score matrices rank systems by their mean over topics, compared exactly (equal means are ties).

    Intervals: the published one, τ ± z·√(2(2m+5)/(9m(m−1))) (AIRS 2016 Table 1(g)), says how far from 0 the τ of two
    unrelated orders strays, is as wide at τ = 1 as at 0, and can pass 1. With topics there is a percentile bootstrap
    over topics as well: topics are drawn again with replacement, the same ones on both sides when both have the same
    topics (independently when they have none in common), and both orders are made anew.

    Parameters
    ----------
    reference, estimate : score matrix, mapping from system to score, or names of systems with the best first.
        `tau_ap` takes the first as the truth; the other coefficients are symmetric.
    n_resamples : bootstrap samples; 0 for none
    missing : topics that only one of two overlapping score matrices has are an error, or dropped with
        ``"drop-topic"``

    References
    ----------
    Kendall, Biometrika 1938 and 1945; Yilmaz, Aslam and Robertson, SIGIR 2008 (τ_AP); Urbano and Marrero, ICTIR 2017
    (ties in τ_AP).

    Examples
    --------
    >>> correlate(["a", "b", "c", "d"], ["b", "a", "c", "d"])
    Correlation(4 systems: tau 0.6667, tau_b 0.6667, tau_ap 0.3333, tau_ap_b 0.3333)
    """
    if not 0 < alpha < 1:
        raise ArgumentError(f"`alpha` must be between 0 and 1; got {alpha:g}. Write 0.05.")
    if n_resamples < 0:
        raise ArgumentError(f"`n_resamples` must be 0 or more; got {n_resamples}")
    reference, estimate = _same_systems(reference, estimate)
    warnings: list[str] = []
    n_topics: int | None = None
    draws: Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]] | None = None
    if isinstance(reference, ScoreMatrix) and isinstance(estimate, ScoreMatrix):
        reference, estimate, shared = _topics_together(reference, estimate, missing)
        n_topics = reference.n_topics
        x, y = _on_grid(reference), _on_grid(estimate)
        totals = (x.sum(axis=0), y.sum(axis=0))
        if not shared:
            warnings.append(
                f"the two sides have no topic in common ({reference.n_topics} and {estimate.n_topics}); "
                "their topics are resampled independently"
            )
        if min(reference.n_topics, estimate.n_topics) < 2 and n_resamples:
            warnings.append("a bootstrap over topics needs at least 2 topics on each side; there is none")
        elif n_resamples:
            draws = _resampled(x, y, shared, n_resamples, seed)
    else:
        totals = (_system_values(reference), _system_values(estimate))
    point = {name: float(value[0]) for name, value in rank_correlations(totals[0][None], totals[1][None]).items()}
    undefined = [name for name, value in point.items() if math.isnan(value)]
    if undefined:
        warnings.append(f"all systems tie on one side, so {' and '.join(undefined)} cannot be computed")
    ties = [int(_tied_pairs(side)) for side in totals]
    if any(ties):
        warnings.append(
            f"tied pairs of systems: {ties[0]} in the reference, {ties[1]} in the estimate; tau_ap is the mean over "
            "all orders of the tied; prefer tau_b or tau_ap_b"
        )
    half = tau_half_width(len(totals[0]), alpha)
    result = Correlation(
        _name(reference),
        _name(estimate),
        len(totals[0]),
        n_topics,
        {name: None if math.isnan(value) else value for name, value in point.items()},
        (point["tau"] - half, point["tau"] + half),
        {} if draws is None else _intervals(draws, alpha),
        alpha,
        n_resamples if draws is not None else 0,
        seed,
        tuple(warnings),
    )
    notify(result.warnings)
    return result


def _name(side: Order) -> str:
    return side.measure if isinstance(side, ScoreMatrix) else "given order"


def _systems(side: Order) -> tuple[str, ...]:
    return side.systems if isinstance(side, ScoreMatrix) else check_unique("system", tuple(side))


def _same_systems(reference: Order, estimate: Order) -> tuple[Order, Order]:
    """Both sides with their systems in byte order of their names."""
    if isinstance(reference, str) or isinstance(estimate, str):
        raise ArgumentError("an order is a list of system names, best first; got a single string")
    ours, theirs = _systems(reference), _systems(estimate)
    lonely = [s for s in ours if s not in set(theirs)] + [s for s in theirs if s not in set(ours)]
    if lonely:
        raise DataError(
            f"{len(lonely)} systems stand on one side only ({summary(lonely)}); both sides must order the same systems"
        )
    if len(ours) < 2:
        raise DataError(f"a rank correlation needs at least 2 systems; there {'is' if len(ours) == 1 else 'are'} {len(ours)}")
    order = sorted(ours, key=str.encode)
    return _arranged(reference, order), _arranged(estimate, order)


def _arranged(side: Order, order: Sequence[str]) -> Order:
    if isinstance(side, ScoreMatrix):
        return side.require(topics=1, what="a rank correlation").canonical()
    if isinstance(side, Mapping):
        values = {system: float(side[system]) for system in order}
        bad = [system for system, value in values.items() if math.isnan(value)]
        if bad:
            raise DataError(f"system {bad[0]!r} has no score (NaN); an order needs a score for every system")
        return values
    places = {system: -float(place) for place, system in enumerate(side)}
    return {system: places[system] for system in order}


def _system_values(side: Order) -> NDArray[np.float64]:
    if isinstance(side, ScoreMatrix):
        return np.asarray(_on_grid(side).sum(axis=0))
    assert isinstance(side, Mapping)
    return np.array(list(side.values()), dtype=np.float64)


def _on_grid(matrix: ScoreMatrix) -> NDArray[np.float64]:
    """Scores on which sums are exact, so that equal means are ties on any machine and in any order."""
    return to_grid(matrix.values, matrix.n_topics)


def _topics_together(
    reference: ScoreMatrix, estimate: ScoreMatrix, missing: MissingPolicy
) -> tuple[ScoreMatrix, ScoreMatrix, bool]:
    if set(reference.topics).isdisjoint(estimate.topics):
        return reference, estimate, False
    return *reference.align(estimate, missing=missing), True


def _tied_pairs(values: NDArray[np.float64]) -> int:
    _, counts = np.unique(values, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())


def _resampled(
    x: NDArray[np.float64], y: NDArray[np.float64], shared: bool, n_resamples: int, seed: int
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """System totals of every bootstrap sample, block by block."""
    raise NotImplementedError


def _intervals(
    draws: Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]], alpha: float
) -> dict[str, tuple[float, float] | None]:
    """Percentile intervals; None when a coefficient could not be computed in some sample."""
    blocks = [rank_correlations(*totals) for totals in draws]
    limits: dict[str, tuple[float, float] | None] = {}
    for name in COEFFICIENTS:
        values = np.concatenate([block[name] for block in blocks])
        low, high = np.quantile(values, [alpha / 2, 1 - alpha / 2])
        limits[name] = None if np.isnan(values).any() else (float(low), float(high))
    return limits
