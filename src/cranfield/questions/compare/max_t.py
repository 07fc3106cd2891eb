"""Max-t with moderated variance: interval, adjusted p and decision of a family from one critical value.

Differences of retrieval scores are skewed. Few topics may carry a difference. If they are rare in the sample, the
sample variance of a pair is far too small, and the sample cannot show it. So every pair borrows variance from all
others (moderated variance: Tusher et al. 2001; Smyth 2004), and the largest studentised difference of the family over
resamples of topics gives the critical value (Romano & Wolf 2005).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cranfield.core.defaults import MAX_T_RESAMPLES, Alternative
from cranfield.core.executors import map_in_order
from cranfield.core.resampling import TOPICS, Block, blocks, check_resamples, draw_weights, pieces, product
from cranfield.questions.compare.family import GridScores, Pairs, all_pairs, count_true, differences, residual_variance
from cranfield.questions.compare.resampled import Resampling, board_resamples, critical_value, monte_carlo
from cranfield.questions.compare.tests import PValues

Array = NDArray[np.float64]
Positions = NDArray[np.intp]
Integers = NDArray[np.int64]

KAPPA = 0.5
"""The share of the mean variance of a pair that is added to the variance of every pair."""
PLACES = 20
"""Binary places of centred scores: sums of their products are exact, so no order of adding changes a byte."""
PRECISE = 0.005
"""Relative standard error of the squared critical value, twice that of c, at which no more resamples are drawn."""
OWN_BOOTSTRAP = "own bootstrap"
"""How the unadjusted p of a pair is found: the share of resamples whose statistic of that pair is as large."""
_TIE = 1e-9
"""Statistics that are equal but for rounding count as equal: relative tolerance."""
_ROWS, _OTHERS = 256, 64
"""Resamples and pairs handled together, so that they stay in the processor's cache; changes no result."""


@dataclass(frozen=True)
class Maximum:
    """The studentised differences of a family, and the largest of them in every resample.

    Attributes
    ----------
    statistic : one per pair, T = |d|/error; for a one-sided alternative d/error towards it
    error : one per pair, √((s² + κ·v0)/n); infinite where v0 is 0
    maxima : one per resample, the largest statistic of the family
    apart : systems × resamples, each system's largest |T*| against all others; for a two-sided test of all pairs
    """

    statistic: Array
    error: Array
    maxima: Array
    apart: Array | None = None

    def critical(self, alpha: float) -> float:
        """c: the ⌈(1 − alpha)(B + 1)⌉-th smallest maximum; infinite with too few resamples."""
        return critical_value(np.sort(self.maxima), alpha)

    def adjusted(self) -> Array:
        """(1 + #{M* ≥ T})/(B + 1) of every pair."""
        ascending = np.sort(self.maxima)
        total = len(ascending)
        return monte_carlo(total - np.searchsorted(ascending, _reached(self.statistic), side="left"), total)

    def intervals(self, difference: Array, multiple: Array | float, alternative: Alternative) -> tuple[Array, Array]:
        """The difference ± so many errors; open on the side of a one-sided alternative."""
        # An end that just touches 0 belongs to a statistic that ties with the critical value.
        half = np.full(len(difference), np.inf)
        np.multiply(multiple, self.error, out=half, where=np.isfinite(self.error))
        half /= 1 - _TIE
        lower, upper = difference - half, difference + half
        if alternative == "greater":
            upper = np.full_like(upper, np.inf)
        elif alternative == "less":
            lower = np.full_like(lower, -np.inf)
        return lower, upper


def mean_variance(scores: GridScores) -> float:
    """v0 = 2/(m − 1)·Σ var(x_a − topic mean): the mean variance of a difference over all pairs of systems.

    >>> mean_variance(GridScores.of([[0.0, 1.0], [0.0, 3.0], [0.0, 2.0]]))
    1.0
    """
    return 2 * residual_variance(scores)


def max_t(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> PValues:
    """The studentised bootstrap maximum with moderated variance, for a family of pairs.

    D are the differences of a pair on n topics, d their mean and s² their variance. v0 is the mean variance of a pair
    over all m systems (`mean_variance`)::

        error = √((s² + κ·v0)/n), κ = ½;  T = |d|/error
        E = (D − d)·√(n/(n − 1));  B times: w ~ Multinomial(n, 1/n)/n, the same for all pairs
            e* = wᵀE;  s*² = (wᵀE² − e*²)·n/(n − 1);  M* = max |e*|/√((s*² + κ·v0)/n)
        c = the ⌈(1 − alpha)(B + 1)⌉-th smallest M*

    Interval d ± c·error, adjusted p = (1 + #{M* ≥ T})/(B + 1), significant exactly when T > c. A one-sided alternative
    takes the signed maximum. The p-values given here are per pair: the share of the pair's T* ≥ T. `PValues.maximum`
    has those of the family. With v0 = 0 every p is 1 and no interval has an end.

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    pairs : the comparisons
    how : resamples, seed, alternative; with `most`, stages of 10,000 follow until the standard error of c is below .25%
    alpha : the level of c

    References
    ----------
    Romano & Wolf, Econometrica 73, 2005; Tusher, Tibshirani & Chu, PNAS 98, 2001; Smyth, SAGMB 3, 2004.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = GridScores.of(rng.normal(size=(50, 4)) + [0.0, 0.0, 0.1, 2.0])
    >>> result = max_t(scores, all_pairs(4), Resampling(n_resamples=999), 0.05)
    >>> (result.maximum.adjusted() <= 0.05).tolist()
    [False, False, True, False, True, True]
    """
    n = scores.n_topics
    each = differences(scores, pairs)
    v0 = mean_variance(scores)
    if v0 == 0:
        total = check_resamples(how.n_resamples)
        nothing = Maximum(np.zeros(len(pairs)), np.full(len(pairs), np.inf), np.zeros(total))
        lower, upper = nothing.intervals(each.mean, 1.0, how.alternative) if how.percentiles else (None, None)
        method = (OWN_BOOTSTRAP,) * len(pairs)
        return PValues(np.ones(len(pairs)), 1 / (total + 1), False, total, lower, upper, method, nothing)
    error = np.sqrt((each.sd**2 + KAPPA * v0) / n)
    statistic = _towards(each.mean / error, how.alternative)
    found = _draw(scores, pairs, statistic, how, alpha)
    total = len(found.maxima)
    maximum = Maximum(statistic, error, found.maxima, found.apart)
    p = monte_carlo(found.counts, total)
    lower, upper = None, None
    if how.percentiles:
        lower, upper = maximum.intervals(each.mean, _own_quantiles(scores, pairs, how, total, alpha), how.alternative)
    return PValues(p, 1 / (total + 1), False, total, lower, upper, (OWN_BOOTSTRAP,) * len(pairs), maximum)


def rank_intervals_by_max_t(
    scores: GridScores, how: Resampling, alpha: float, apart: Array | None = None
) -> tuple[Integers, Integers, int]:
    """Both ends of an interval for the true rank of each system, and how many resamples are behind them.

    c_a is the 1 − alpha quantile over resamples of the largest |T*| of system a against its rivals (see `max_t`). The
    rank runs from 1 + the systems significantly better at c_a to m − those significantly worse: each interval covers
    with probability about 1 − alpha by itself, not all of them simultaneously (Mogstad et al., Review of Economic
    Studies 91, 2024).

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    how : seed; the statistic must be the mean
    alpha : one minus the level of an interval
    apart : systems × resamples, where they are drawn already

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = GridScores.of(rng.normal(size=(50, 5)) + [2.0, 1.0, 0.1, 0.1, 0.0])
    >>> lower, upper, _ = rank_intervals_by_max_t(scores, Resampling(), alpha=0.05)
    >>> list(zip(lower.tolist(), upper.tolist()))
    [(1, 1), (2, 2), (3, 5), (3, 5), (3, 5)]
    """
    m = scores.n_systems
    total = rank_resamples(m, how)
    v0 = mean_variance(scores)
    if v0 == 0:
        return np.ones(m, dtype=np.int64), np.full(m, m, dtype=np.int64), total
    pairs = all_pairs(m)
    if apart is None:
        alone = replace(how, n_resamples=total, most=None, alternative="two-sided")
        apart = _draw(scores, pairs, None, alone, alpha).apart
        assert apart is not None
    critical = np.array([critical_value(np.sort(row), alpha) for row in apart])
    each = differences(scores, pairs)
    t = each.mean / np.sqrt((each.sd**2 + KAPPA * v0) / scores.n_topics)
    ahead = np.zeros((m, m))
    ahead[pairs.a, pairs.b], ahead[pairs.b, pairs.a] = t, -t
    passed = _reached(np.abs(ahead)) > critical[:, None]
    return 1 + (passed & (ahead < 0)).sum(axis=1), m - (passed & (ahead > 0)).sum(axis=1), apart.shape[1]


def rank_resamples(n_systems: int, how: Resampling) -> int:
    """Resamples behind the rank intervals."""
    return min(MAX_T_RESAMPLES, board_resamples(n_systems, how))


def _towards(t: Array, alternative: Alternative) -> Array:
    return np.abs(t) if alternative == "two-sided" else t if alternative == "greater" else -t


def _reached(statistic: Array) -> Array:
    """What a resample must reach to be as extreme: a little less than what was observed."""
    return np.asarray(statistic - np.abs(statistic) * _TIE)


# ── the resamples ──


@dataclass(frozen=True)
class _Centred:
    """Centred scores as whole numbers, systems × topics, their squares, and κ·v0·(n − 1)² in the same unit."""

    values: Array
    squares: Array
    added: float


def _centred(scores: GridScores) -> _Centred:
    """Every system without its mean, on a grid of 2⁻²⁰ of the range; coarser from some 2,000 topics on."""
    n = scores.n_topics
    values = (scores.values - scores.sums / n).T
    exponent = int(np.frexp(np.abs(values).max())[1])
    places = min(PLACES, (51 - (n - 1).bit_length()) // 2)  # n products of differences stay below 2⁵³
    whole = np.ascontiguousarray(np.rint(np.ldexp(values, places - exponent)))
    scaled = GridScores(np.ldexp(scores.values, places - exponent), float(np.ldexp(scores.step, places - exponent)))
    return _Centred(whole, whole * whole, KAPPA * mean_variance(scaled) * (n - 1) ** 2)


@dataclass(frozen=True)
class _Hub:
    """Some pairs that share a system: the others, the pairs' places, and which sign makes it a minus b."""

    system: int
    others: Positions | slice
    at: Positions | slice
    sign: float


def _hubs(pairs: Pairs) -> list[_Hub]:
    """The pairs in groups that share a system, a few dozen each."""
    by_a = len(np.unique(pairs.a)) <= len(np.unique(pairs.b))
    shared, others = (pairs.a, pairs.b) if by_a else (pairs.b, pairs.a)
    order = np.argsort(shared, kind="stable")
    found = []
    for group in np.split(order, np.flatnonzero(np.diff(shared[order])) + 1):
        for start in range(0, len(group), _OTHERS):
            at = group[start : start + _OTHERS]
            found.append(_Hub(int(shared[at[0]]), _span(others[at]), _span(at), -1.0 if by_a else 1.0))
    return found


def _span(at: Positions) -> Positions | slice:
    """Consecutive positions as a slice, which copies nothing."""
    return slice(int(at[0]), int(at[-1]) + 1) if (np.diff(at) == 1).all() else at


@dataclass(frozen=True)
class _Drawn:
    """The largest statistic of every resample, the count of every pair, and `Maximum.apart`."""

    maxima: Array
    counts: NDArray[np.int64]
    apart: Array | None


def stages(total: int) -> Iterator[list[Block]]:
    """The blocks of so many resamples in stages: the first 9,999, then 10,000 each.

    >>> [sum(map(len, stage)) for stage in stages(25_000)]
    [9999, 10000, 5001]
    """
    start = index = 0
    while start < total:
        size = min(MAX_T_RESAMPLES + (start > 0), total - start)
        stage = [Block(index + one.index, start + one.start, start + one.stop) for one in blocks(size)]
        yield stage
        start += size
        index += len(stage)


def precise(maxima: Array, alpha: float) -> bool:
    """Whether the critical value has a relative standard error below `PRECISE`, by the order statistics around it.

    `_draw` gives squared statistics, so c itself has half of it.

    The number of maxima below the true quantile has a standard deviation of √(B·alpha·(1 − alpha)): the order
    statistics so far below and above c are one standard error away from it.
    """
    ascending, total = np.sort(maxima), len(maxima)
    at = math.ceil((1 - alpha) * (total + 1) - 1e-9) - 1
    away = math.ceil(math.sqrt(total * alpha * (1 - alpha)))
    if at + away >= total or at - away < 0:
        return False
    return bool(ascending[at + away] - ascending[at - away] <= 2 * PRECISE * ascending[at])


def _draw(scores: GridScores, pairs: Pairs, statistic: Array | None, how: Resampling, alpha: float) -> _Drawn:
    """The resamples: in stages, up to `how.most`, until the critical value is precise; else `how.n_resamples`."""
    n = scores.n_topics
    centred, hubs = _centred(scores), _hubs(pairs)
    # As squares with their sign over n − 1, the units of `_of_block`.
    bound = None if statistic is None else _reached(statistic) * np.abs(_reached(statistic)) / (n - 1)
    every = how.alternative == "two-sided" and len(pairs) == scores.n_systems * (scores.n_systems - 1) // 2
    kept = rank_resamples(scores.n_systems, how) if every else 0
    maxima: list[Array] = []
    apart: list[Array] = []
    counts = np.zeros(0 if statistic is None else len(pairs), dtype=np.int64)
    for stage in stages(check_resamples(how.most or how.n_resamples)):
        done = map_in_order(
            partial(_of_block, centred, hubs, bound, kept, how.settings_alone),
            stage,
            executor=how.executor,
            workers=how.workers,
            progress=_counted(how, stage),
            weight=len,
        )
        for largest, its_apart, reached in done:
            maxima.append(largest)
            apart.append(its_apart)
            counts += reached
        if how.most and precise(np.concatenate(maxima), alpha):
            break
    scale = math.sqrt(n - 1)
    squares = np.concatenate(maxima)
    return _Drawn(
        np.sign(squares) * np.sqrt(np.abs(squares)) * scale,
        counts,
        np.sqrt(np.concatenate(apart, axis=1)) * scale if every else None,
    )


def _counted(how: Resampling, stage: Sequence[Block]) -> partial[None] | None:
    """Progress that goes on counting from stage to stage."""
    return None if how.progress is None else partial(_report, how, stage[0].start)


def _report(how: Resampling, before: int, done: int, total: int) -> None:
    if how.progress is not None:
        how.progress(before + done, before + total)


def _of_block(
    centred: _Centred, hubs: Sequence[_Hub], bound: Array | None, kept: int, how: Resampling, block: Block
) -> tuple[Array, Array, NDArray[np.int64]]:
    """The largest statistics of a block, those of every system in the first `kept` resamples, and the pairs' counts.

    In whole numbers, with D = Σw·(y_a − y_b) and Q = Σw·(y_a − y_b)²: T*² = (n − 1)·D²/(n·Q − D² + κ·v0·(n − 1)²).
    """
    values = centred.values
    m, n = values.shape
    rng = block.generator(how.seed, TOPICS)
    rows = min(max(kept - block.start, 0), len(block))
    largest, apart = np.full(len(block), -np.inf), np.zeros((m, rows))
    counts = np.zeros(0 if bound is None else len(bound), dtype=np.int64)
    for start, stop in pieces(block, _ROWS):
        weights = np.ascontiguousarray(draw_weights(rng, stop - start, n).T)
        sums = product(values, weights)
        own = n * product(centred.squares, weights) + centred.added / 2
        here = slice(start - block.start, stop - block.start)
        inside = apart[:, here]  # shorter than the piece, or empty, once enough are kept
        width = inside.shape[1]
        for hub in hubs:
            difference, below = _statistics(values, sums, own, weights, hub, n)
            if how.alternative == "two-sided":
                np.multiply(difference, difference, out=difference)
            else:
                difference *= np.abs(difference)
                difference *= hub.sign if how.alternative == "greater" else -hub.sign
            difference /= below
            most = difference.max(axis=0)
            np.maximum(largest[here], most, out=largest[here])
            if width:
                np.maximum(inside[hub.system], most[:width], out=inside[hub.system])
                inside[hub.others] = np.maximum(inside[hub.others], difference[:, :width])
            if bound is not None:
                counts[hub.at] += count_true(difference >= bound[hub.at][:, None])
    return largest, apart, counts


def _statistics(values: Array, sums: Array, own: Array, weights: Array, hub: _Hub, n: int) -> tuple[Array, Array]:
    """Σw·(y_other − y_hub) of every pair of a hub, and what its square is divided by."""
    difference = sums[hub.others] - sums[hub.system]
    below = product(values[hub.others] * values[hub.system], weights)
    below *= -2 * n
    below += own[hub.others]
    below += own[hub.system]
    below -= difference * difference
    return difference, below


# ── each pair for itself ──


def _own_quantiles(scores: GridScores, pairs: Pairs, how: Resampling, total: int, alpha: float) -> Array:
    """Every pair's own critical value: the ⌈(1 − alpha)(B + 1)⌉-th smallest of its T*."""
    n = scores.n_topics
    drawn = [
        draw_weights(block.generator(how.seed, TOPICS), len(block), n) for stage in stages(total) for block in stage
    ]
    weights = np.ascontiguousarray(np.concatenate(drawn).T)
    places = [at for at, _, _ in pairs.chunks(total)]
    work = partial(_own_of_chunk, _centred(scores), weights, pairs, how.alternative, alpha)
    found = list(map_in_order(work, places, executor=how.executor, workers=how.workers))
    return np.concatenate(found) * math.sqrt(n - 1)


def _own_of_chunk(
    centred: _Centred, weights: Array, pairs: Pairs, alternative: Alternative, alpha: float, at: slice
) -> Array:
    n = len(weights)
    each = centred.values[pairs.a[at]] - centred.values[pairs.b[at]]
    total = product(each, weights)
    below = n * product(each * each, weights) - total * total + centred.added
    t = _towards(total / np.sqrt(below), alternative)
    return np.array([critical_value(np.sort(row), alpha) for row in t])
