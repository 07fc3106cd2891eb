"""A family of comparisons: scores on the exact grid, which systems are compared with which, and their differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core.defaults import Alternative
from cranfield.core.resampling import grid_step, own_unit, to_grid

Array = NDArray[np.float64]


@dataclass(frozen=True)
class GridScores:
    """Scores (topics × systems) rounded so that all sums and differences of sums over topics are exact.

    Sums then do not depend on the order of adding, on blocks or on threads. Values that were equal before
    rounding can be a few steps apart after it, so ties are recognised within `step`-sized tolerances.
    """

    values: Array
    step: float

    @classmethod
    def of(cls, scores: ArrayLike) -> GridScores:
        """Round scores to the grid on which sums of 2n of them are exact.

        Scores that are all tiny are rounded in a unit of their own, so that none is wiped out.

        >>> (GridScores.of([[1e-20], [3e-20]]).values * 1e20).ravel().round(9).tolist()
        [1.0, 3.0]
        """
        values = np.asarray(scores, dtype=np.float64)
        terms = 2 * len(values)
        unit = own_unit(values)
        return cls(to_grid(values / unit, terms) * unit, grid_step(values / unit, terms) * unit)

    @property
    def n_topics(self) -> int:
        """How many topics."""
        return len(self.values)

    @property
    def n_systems(self) -> int:
        """How many systems."""
        return int(self.values.shape[1])

    @property
    def sums(self) -> Array:
        """The exact sum of every system's scores."""
        return np.asarray(self.values.sum(axis=0))

    @property
    def tolerance(self) -> float:
        """How far apart two differences of sums can be that were equal before rounding."""
        return 2 * self.n_topics * self.step


def tied_ranks(values: Array, tolerance: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Best and worst rank of every row within its column, the largest value first; equal values share both.

    >>> best, worst = tied_ranks(np.array([[0.5], [0.75], [0.5]]), 0)
    >>> best.ravel().tolist(), worst.ravel().tolist()
    ([2, 1, 2], [3, 1, 3])
    """
    order = np.argsort(-values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    place = np.arange(1, len(values) + 1)[:, None]
    edge = np.ones((1, values.shape[1]), dtype=np.bool_)
    opens = np.concatenate([edge, ordered[:-1] - ordered[1:] > tolerance])
    closes = np.concatenate([opens[1:], edge])
    best, worst = np.empty(values.shape, dtype=np.int64), np.empty(values.shape, dtype=np.int64)
    first = np.maximum.accumulate(np.where(opens, place, 0), axis=0)
    last = np.minimum.accumulate(np.where(closes, place, len(values))[::-1], axis=0)[::-1]
    np.put_along_axis(best, order, first, axis=0)
    np.put_along_axis(worst, order, last, axis=0)
    return best, worst


_CACHED = 128 * 1024
"""Numbers handled together, so that what is computed for a few pairs stays in the processor's cache."""


@dataclass(frozen=True)
class Pairs:
    """Positions of the two systems of every comparison: is column `a` better than column `b`?"""

    a: NDArray[np.intp]
    b: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.a)

    def chunks(self, width: int) -> Iterator[tuple[slice, NDArray[np.intp], NDArray[np.intp]]]:
        """A few pairs at a time, for work on `width` numbers per pair: their place, and both systems' positions."""
        size = self.chunk_size(width)
        for start in range(0, len(self), size):
            at = slice(start, min(start + size, len(self)))
            yield at, self.a[at], self.b[at]

    def chunk_size(self, width: int) -> int:
        """How many pairs `chunks` gives at most."""
        return max(1, min(len(self), _CACHED // width))

    def of(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The difference of a value per system, `a` minus `b`, for every pair."""
        return np.asarray(values[self.a] - values[self.b])


def all_pairs(n_systems: int) -> Pairs:
    """Every two systems once, the earlier one first.

    >>> pairs = all_pairs(3)
    >>> pairs.a.tolist(), pairs.b.tolist()
    ([0, 0, 1], [1, 2, 2])
    """
    return Pairs(*np.triu_indices(n_systems, 1))


def against(baselines: Sequence[int], n_systems: int) -> Pairs:
    """Every other system against every baseline; of two baselines the later one against the earlier.

    >>> pairs = against([2, 0], 4)
    >>> pairs.a.tolist(), pairs.b.tolist()
    ([0, 1, 3, 1, 3], [2, 2, 2, 0, 0])
    """
    a, b = [], []
    for number, baseline in enumerate(baselines):
        others = [s for s in range(n_systems) if s not in baselines[: number + 1]]
        a += others
        b += [baseline] * len(others)
    return Pairs(np.array(a, dtype=np.intp), np.array(b, dtype=np.intp))


def tally(
    sums: NDArray[np.float64],
    pairs: Pairs,
    observed: NDArray[np.float64],
    alternative: Alternative,
    tolerance: float = 0.0,
    centre: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """How many resamples are at least as extreme as what was observed, for every pair.

    Parameters
    ----------
    sums : systems × resamples
        The resampled sum (or other statistic) of every system.
    observed : a value per pair
        What was observed, on the scale of the differences of `sums`.
    tolerance : how far below the observed value still counts as reaching it
    centre : a value per pair, optional
        Subtracted from the resampled differences first (the bootstrap's shift).
    """
    rows = sums.shape[1]
    counts = np.zeros(len(pairs), dtype=np.int64)
    bound = np.abs(observed) if alternative == "two-sided" else observed
    bound = bound + tolerance if alternative == "less" else bound - tolerance
    compare = np.less_equal if alternative == "less" else np.greater_equal
    size = pairs.chunk_size(rows)
    first, second = np.empty((size, rows)), np.empty((size, rows))
    for at, a, b in pairs.chunks(rows):
        # mode="clip" lets numpy write straight into `out`; positions are always in range.
        difference = np.take(sums, a, axis=0, out=first[: len(a)], mode="clip")
        difference -= np.take(sums, b, axis=0, out=second[: len(a)], mode="clip")
        if centre is not None:
            difference -= centre[at, None]
        if alternative == "two-sided":
            np.abs(difference, out=difference)
        counts[at] = count_true(compare(difference, bound[at, None]))
    return np.asarray(counts)


def count_true(hits: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many are true in every row, several times faster than a sum of booleans.

    Eight booleans are added at once as the bytes of a 64-bit word; a byte holds the sum of at most 255 of them.

    >>> count_true(np.ones((2, 5000), dtype=bool)).tolist()
    [5000, 5000]
    """
    rows, width = hits.shape
    counts = hits[:, width - width % 8 :].sum(axis=1, dtype=np.int64)
    words = np.ascontiguousarray(hits[:, : width - width % 8]).view(np.uint64)
    for start in range(0, words.shape[1], 255):
        lanes = words[:, start : start + 255].sum(axis=1)
        counts += lanes.view(np.uint8).reshape(rows, 8).sum(axis=1, dtype=np.int64)
    return np.asarray(counts)


@dataclass(frozen=True)
class Differences:
    """Mean and standard deviation (n − 1) of the topic-wise differences of every pair; sd is 0 if all are equal."""

    mean: Array
    sd: Array
    n_topics: int

    @property
    def error(self) -> Array:
        """Standard error of the mean difference."""
        return np.asarray(self.sd / np.sqrt(self.n_topics))


def differences(scores: GridScores, pairs: Pairs) -> Differences:
    """Mean and standard deviation of the topic-wise differences, for every pair."""
    n = scores.n_topics
    mean = pairs.of(scores.sums) / n
    sd = np.empty(len(pairs))
    for at, a, b in pairs.chunks(n):
        each = scores.values[:, a] - scores.values[:, b]
        constant = np.ptp(each, axis=0) <= 2 * scores.step
        each -= mean[at]
        each *= each
        sd[at] = np.where(constant, 0.0, np.sqrt(each.sum(axis=0) / (n - 1)))
    return Differences(mean, sd, n)


def identical(scores: GridScores, pairs: Pairs) -> NDArray[np.bool_]:
    """Which pairs have the same score on every topic."""
    same = np.empty(len(pairs), dtype=np.bool_)
    for at, a, b in pairs.chunks(scores.n_topics):
        same[at] = (scores.values[:, a] == scores.values[:, b]).all(axis=0)
    return same


def residual_variance(scores: GridScores) -> float:
    """V_E2, the variance left when both topics and systems are taken out (two-way ANOVA without interaction).

    Exactly 0 when every system differs from every other by a constant.
    """
    values = scores.values
    n, m = values.shape
    from_first = values - values[:, :1]
    if (np.ptp(from_first, axis=0) <= 2 * scores.step).all():
        return 0.0
    left = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    return float((left**2).sum() / ((m - 1) * (n - 1)))
