"""What the exact and the saddlepoint form of the randomisation test share: the differences of a pair as magnitudes.

Flipping signs leaves the magnitudes aᵢ = |dᵢ| alone. A flip is the set of topics that count against, and its sum is
A − 2F, where A = Σaᵢ and F is the sum of the magnitudes in that set. The observed sum is A − 2N with N the sum of
the magnitudes that counted against. So the flips that reach what was observed are the subsets with F ≤ N: a count
of subsets whose sum is small, whatever the method that counts them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.classical import TINY
from cranfield.comparison.grid import GridScores
from cranfield.defaults import Alternative

Array = NDArray[np.float64]
_NOTHING = 2.0**-60


@dataclass(frozen=True)
class Magnitudes:
    """The differences of several pairs without their signs, in units of a power of two, the largest in [½, 1).

    Attributes
    ----------
    each : pairs × topics
        |dᵢ| in these units; zero where the difference is no more than rounding.
    total : one per pair
        A, the sum of the magnitudes.
    lesser : one per pair
        The sum of the magnitudes on the side that lost: N where the sum of differences is positive.
    direction : one per pair
        1, −1, or 0 where both sides weigh the same.
    tolerance : one per pair
        How far apart, in the same units, two sums of magnitudes can be that were equal before rounding.
    """

    each: Array
    total: Array
    lesser: Array
    direction: NDArray[np.int8]
    tolerance: Array

    @classmethod
    def of(cls, differences: Array, tolerance: float = 0.0) -> Magnitudes:
        """From differences, pairs × topics; those no larger than `tolerance` are taken for zero.

        >>> magnitudes = Magnitudes.of(np.array([[0.5, -0.25, 0.0, 0.25]]))
        >>> magnitudes.each.tolist(), magnitudes.lesser.tolist(), magnitudes.direction.tolist()
        ([[0.5, 0.25, 0.0, 0.25]], [0.25], [1])
        """
        largest = np.max(np.abs(differences), axis=1, initial=0.0)
        # Dividing by a power of two rounds nothing; two steps, because its inverse may be too large for a double.
        power = np.frexp(largest)[1]
        signed = np.ldexp(np.ldexp(differences, -(power // 2)[:, None]), (power // 2 - power)[:, None])
        relative = np.ldexp(np.ldexp(np.full(len(signed), tolerance), -(power // 2)), power // 2 - power)
        # What 60 binary places below the largest cannot move a sum of doubles.
        relative = np.clip(relative, _NOTHING, 1.0)
        each = np.abs(signed)
        zero = each <= relative[:, None]
        signed[zero] = 0.0
        each[zero] = 0.0
        total = each.sum(axis=1)
        against = np.maximum(-signed, 0.0).sum(axis=1)
        within = relative * differences.shape[1]
        beyond = total - 2 * against
        direction = np.where(np.abs(beyond) <= within, 0, np.sign(beyond)).astype(np.int8)
        return cls(each, total, np.minimum(against, total - against), direction, within)

    @property
    def n_nonzero(self) -> NDArray[np.int64]:
        """How many differences are not zero."""
        return np.asarray((self.each > 0).sum(axis=1))

    @property
    def one_sided(self) -> NDArray[np.bool_]:
        """Whether no topic speaks for the side that lost: only the observed signs reach the observed sum."""
        return np.asarray((self.lesser <= self.tolerance) & (self.direction != 0))

    def __getitem__(self, at: NDArray[np.intp] | NDArray[np.bool_]) -> Magnitudes:
        return Magnitudes(self.each[at], self.total[at], self.lesser[at], self.direction[at], self.tolerance[at])


def magnitudes(scores: GridScores, a: NDArray[np.intp], b: NDArray[np.intp]) -> Magnitudes:
    """The magnitudes of the differences between systems `a` and `b`, one row per pair."""
    return Magnitudes.of(np.ascontiguousarray((scores.values[:, a] - scores.values[:, b]).T), 2 * scores.step)


def sided(tail: Array, direction: NDArray[np.int8], alternative: Alternative, atom: Array | float = 0.0) -> Array:
    """P-values from the probability of a sum at least as far out on the observed side.

    Parameters
    ----------
    tail : P(F ≤ lesser)
    direction : which side the sum of differences is on
    alternative : ``two-sided`` gives twice the tail; ``greater`` and ``less`` the tail, or on the other side its
        complement with the observed sum itself counted in
    atom : P(F = lesser), where the method knows it

    Returns
    -------
    array
        Between the smallest positive number and 1; two-sided 1 where the differences cancel.

    >>> sided(np.array([0.3, 0.3]), np.array([1, -1], dtype=np.int8), "greater", 0.1).round(12).tolist()
    [0.3, 0.8]
    """
    if alternative == "two-sided":
        p = np.where(direction == 0, 1.0, 2 * tail)
    else:
        wanted = 1 if alternative == "greater" else -1
        p = np.where(direction == -wanted, 1 - tail + atom, tail)
    return np.clip(p, TINY, 1.0)
