"""Which systems are compared with which: the family of comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.core.defaults import Alternative

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
