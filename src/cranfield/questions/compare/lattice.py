"""The exact randomisation distribution of scores that lie on a lattice, by convolution over topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.core.defaults import Alternative
from cranfield.questions.compare.family import GridScores, Pairs
from cranfield.questions.compare.flips import in_stretches, sided

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

WIDEST = 1024
"""Lattice points up to which a pair's distribution is convolved; a wider one costs more than it is worth."""
WIDEST_COARSE = 16_384
"""The same on a coarse lattice, where p moves in steps that no approximation follows (reciprocal rank at 10)."""
COARSE = 4096
"""Steps of the largest difference up to which a lattice is coarse."""
_TOGETHER = 512
"""Lattice points up to which pairs are convolved together; wider ones go one by one."""
_MOST_STEPS = 2**15
"""Steps between the smallest and the largest difference up to which scores count as lying on a lattice."""
_CACHED = 2**16
"""Numbers of one stretch of work."""


@dataclass(frozen=True)
class Lattice:
    """Scores as whole numbers: all differences within a topic are multiples of `step`.

    Attributes
    ----------
    step : the largest common divisor of all differences
    values : topics × systems
        Each score minus that of the first system on the topic, in steps.
    """

    step: float
    values: Integers

    @property
    def coarse(self) -> bool:
        """Whether scores take so few values that many flips have the same sum."""
        return bool(np.ptp(self.values, axis=1).max() <= COARSE)

    def differences(self, pairs: Pairs, at: NDArray[np.intp]) -> Integers:
        """The differences of some pairs in steps, pairs × topics."""
        return np.ascontiguousarray((self.values[:, pairs.a[at]] - self.values[:, pairs.b[at]]).T)


def find_lattice(scores: GridScores) -> Lattice | None:
    """The lattice that all differences lie on, or None where there is none, or none coarse enough to help.

    Precision at 10 lies on tenths, at 30 on thirtieths, scores printed with four decimals on ten-thousandths;
    reciprocal ranks have no useful common divisor. Euclid's algorithm on all differences at once: the remainder after
    division by the smallest is at most half of it, so a few rounds decide. Scores are rounded to the grid; how far that
    error can have grown is carried along, and a divisor that it could blur is not accepted.

    >>> lattice = find_lattice(GridScores.of(np.array([[0.1, 0.4], [0.7, 0.2], [0.3, 0.3]])))
    >>> round(lattice.step, 12), lattice.values[:, 1].tolist()
    (0.1, [3, -5, 0])
    >>> find_lattice(GridScores.of(np.array([[0.1, 0.4], [0.7, 0.2], [0.3, 1 / 3]]))) is None
    False
    >>> find_lattice(GridScores.of(np.sqrt([[2.0, 3.0], [5.0, 7.0]]))) is None
    True
    """
    relative = scores.values - scores.values[:, :1]
    noise = 2 * scores.step
    sizes = np.unique(np.abs(relative))
    sizes = sizes[sizes > noise]
    if not len(sizes):
        return Lattice(1.0, np.zeros(relative.shape, dtype=np.int64))
    divisor, blur = float(sizes[0]), noise
    while True:
        if sizes[-1] / divisor > _MOST_STEPS:
            return None
        times = np.rint(sizes / divisor)
        rest = np.abs(sizes - times * divisor)
        allowed = noise + times * blur
        if allowed[-1] > divisor / 4:
            return None
        over = np.flatnonzero(rest > allowed)
        if not len(over):
            break
        smallest = over[np.argmin(rest[over])]
        divisor, blur = float(rest[smallest]), float(allowed[smallest])
    step = float(times @ sizes / (times @ times))
    values = np.rint(relative / step)
    if np.abs(relative - values * step).max() > 2 * noise:
        return None
    return Lattice(step, values.astype(np.int64))


def lattice_p(
    lattice: Lattice, pairs: Pairs, alternative: Alternative, *, widest: int = WIDEST, workers: int | None = None
) -> Array:
    """The exact p-value of the randomisation test of every pair whose distribution is narrow; NaN for the others.

    The flips that reach the observed sum are the sets of topics whose magnitudes add up to at most N (see `flips`). Let
    f(j) be the share of the sets that add up to j steps. A topic of size k changes it to ½f(j) + ½f(j − k); only j ≤ N
    is needed, which is little where p is small. All terms are positive, so p is right to about 1e-14 of itself, however
    small.

    Parameters
    ----------
    lattice : from `find_lattice`
    widest : convolve pairs with N up to so many steps

    Examples
    --------
    The ten folds of Arguello (INLS 509) lie on tenths.

    >>> a = [.2, .3, .1, .4, 1, .8, .3, .1, 0, .9]
    >>> b = [.5, .3, .1, .4, 1, .9, .1, .2, .5, .8]
    >>> lattice = find_lattice(GridScores.of(np.array([a, b]).T))
    >>> lattice_p(lattice, Pairs(np.array([1]), np.array([0])), "greater").tolist()
    [0.203125]
    """
    n = len(lattice.values)
    lesser, direction = np.empty(len(pairs), dtype=np.int64), np.empty(len(pairs), dtype=np.int8)
    for at, a, b in pairs.chunks(n):
        each = lattice.values[:, a] - lattice.values[:, b]
        sums = each.sum(axis=0)
        lesser[at] = (np.abs(each).sum(axis=0) - np.abs(sums)) // 2
        direction[at] = np.sign(sums)
    narrow = np.flatnonzero(lesser <= widest)
    # Pairs of about the same width work together.
    narrow = narrow[np.argsort(lesser[narrow], kind="stable")]
    stretches: list[NDArray[np.intp]] = []
    start = 0
    while start < len(narrow):
        stop = min(start + max(1, _CACHED // (2 * (int(lesser[narrow[start]]) + 1))), len(narrow))
        while stop - start > 1 and (stop - start) * 2 * (int(lesser[narrow[stop - 1]]) + 1) > 2 * _CACHED:
            stop = start + (stop - start + 1) // 2
        stretches.append(narrow[start:stop])
        start = stop

    def convolve(at: NDArray[np.intp]) -> Array:
        together = int(lesser[at[-1]]) < _TOGETHER
        convolve_them = _convolve if together else _convolve_each
        tail, atom = convolve_them(np.abs(lattice.differences(pairs, at)), lesser[at])
        return sided(tail, direction[at], alternative, atom)

    return in_stretches(convolve, stretches, np.full(len(pairs), np.nan), workers)


def _convolve(sizes: Integers, lesser: Integers) -> tuple[Array, Array]:
    """P(F ≤ lesser) and P(F = lesser) for every pair; sizes are pairs × topics."""
    count = len(sizes)
    width = int(lesser.max()) + 1
    # Zeros to the left of every row let a shift run off the end.
    shares = np.zeros((count, 2 * width))
    now = shares[:, width:]
    now[:, 0] = 1.0
    rows = np.arange(count)[:, None] * (2 * width) + width
    columns = np.arange(width)[None, :]
    halvings = np.zeros(count, dtype=np.int64)
    shifted = np.empty((count, width))
    for size in np.sort(sizes, axis=1).T:
        halvings += size >= width  # such a topic can only stay where it is
        active = (size > 0) & (size < width)
        if not active.any():
            continue
        shift = np.where(active, size, 0)[:, None]
        np.take(shares.ravel(), rows - shift + columns, out=shifted, mode="clip")
        now += shifted  # a topic without difference adds itself: the halving makes it what it was
        now *= 0.5
    shares_at = np.cumsum(now, axis=1)
    at = np.arange(count)
    scale = np.ldexp(1.0, -halvings)
    return shares_at[at, lesser] * scale, now[at, lesser] * scale


def _convolve_each(sizes: Integers, lesser: Integers) -> tuple[Array, Array]:
    """The same as `_convolve`, one pair after the other: a slice added to a slice, as far as sums have come."""
    tail, atom = np.empty(len(sizes)), np.empty(len(sizes))
    shares = np.zeros(int(lesser.max()) + 1)
    for at, (own, most) in enumerate(zip(np.sort(sizes, axis=1), lesser.tolist(), strict=True)):
        own = own[own > 0]
        fits = own[own <= most].tolist()
        # All halvings at once as long as a double holds them; a thousand topics later, one by one.
        at_once = min(len(fits), 1000)
        shares[: most + 1] = 0.0
        shares[0] = 2.0**-at_once
        reach = 0
        for number, size in enumerate(fits):
            reach = min(reach + size, most)
            # numpy buffers overlapping slices: the right side is what it was before.
            shares[size : reach + 1] += shares[: reach + 1 - size]
            if number < len(fits) - at_once:
                shares[: reach + 1] *= 0.5
        scale = 2.0 ** (len(fits) - len(own))
        tail[at], atom[at] = shares[: most + 1].sum() * scale, shares[most] * scale
    return tail, atom
