"""The p-value of the randomisation test without drawing a flip: by a list of those that matter, or by saddlepoint.

Flipping signs leaves the magnitudes aᵢ = |dᵢ| alone. A flip is the set of topics that count against. Its sum is A − 2F,
where A = Σaᵢ and F sums the magnitudes in that set. The observed sum is A − 2N with N the sum of the magnitudes that
counted against. So the flips that reach the observed sum are the subsets with F ≤ N; all methods here count those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from cranfield.core.defaults import Alternative
from cranfield.core.executors import map_in_order
from cranfield.questions.compare.classical import TINY
from cranfield.questions.compare.family import GridScores, Pairs

Array = NDArray[np.float64]
_Places = TypeVar("_Places", NDArray[np.intp], slice)
_NOTHING = 2.0**-60
_HELD = 2**17
"""Flips listed together, over all pairs of a stretch."""
_STEPS = 100
_NEAR_CENTRE = 1e-3
"""Below this r the limit of log(q/r)/r is used: its own error is of the order r³, that of the quotient ε/r²."""


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


def enumerated_p(
    scores: GridScores,
    pairs: Pairs,
    at: NDArray[np.intp],
    expected: Array,
    alternative: Alternative,
    workers: int | None = None,
) -> Array:
    """The exact p-value of the randomisation test of some pairs, by a list of the flips that reach what was observed.

    These are the sets of topics whose magnitudes add up to no more than N, the sum of those that spoke against. From
    the empty set on, each topic in turn joins every set that has room for it. A set that has no room is dropped for
    good, because magnitudes only add; so the list is never longer than the count itself, and a p-value of k/2ⁿ costs
    about k·n steps, however large n. Topics without difference do not matter. Sums are exact on the grid.

    Parameters
    ----------
    at : places of the pairs in `pairs`
    expected : one per place
        About how many flips will be listed; bounds the memory, and does not change the result.

    Examples
    --------
    >>> scores = GridScores.of(np.array([[0.5, 0.2], [0.7, 0.5], [0.1, 0.3], [0.4, 0.4]]))
    >>> pair = Pairs(np.array([0]), np.array([1]))
    >>> enumerated_p(scores, pair, np.array([0]), np.array([3.0]), "two-sided").tolist()
    [0.75]
    """
    order = np.argsort(expected, kind="stable")
    filled = np.cumsum(np.maximum(expected[order], scores.n_topics)) // _HELD
    stretches = np.split(order, np.flatnonzero(np.diff(filled)) + 1) if len(order) else []

    def enumerate_(places: NDArray[np.intp]) -> Array:
        own = magnitudes(scores, pairs.a[at[places]], pairs.b[at[places]])
        tail, atom = _listed(own)
        return sided(tail, own.direction, alternative, atom)

    return in_stretches(enumerate_, stretches, np.empty(len(at)), workers)


def in_stretches(
    work: Callable[[_Places], Array], stretches: Sequence[_Places], out: Array, workers: int | None
) -> Array:
    """`out` filled stretch by stretch, on threads where there is more than one: each is some milliseconds of work."""
    done = map_in_order(work, stretches, executor="threads", workers=workers if len(stretches) > 1 else 1)
    for places, values in zip(stretches, done, strict=True):
        out[places] = values
    return out


def _listed(pairs: Magnitudes) -> tuple[Array, Array]:
    """P(F ≤ lesser) and P(F = lesser) for every pair."""
    owner = np.arange(len(pairs.each), dtype=np.int32)
    room = pairs.lesser + pairs.tolerance
    # Large ones first: most sets have no room for them, so the list grows late.
    for sizes in -np.sort(-pairs.each, axis=1).T:
        sizes = np.where(sizes > 0, sizes, np.inf)
        left = room - sizes[owner]
        joins = np.flatnonzero(left >= 0)
        if len(joins):
            owner = np.concatenate([owner, owner[joins]])
            room = np.concatenate([room, left[joins]])
    full = owner[room <= 2 * pairs.tolerance[owner]]
    share: Array = np.ldexp(1.0, -pairs.n_nonzero)
    tail = np.bincount(owner, minlength=len(share)).astype(np.float64) * share
    atom = np.bincount(full, minlength=len(share)).astype(np.float64) * share
    return tail, atom


def saddlepoint(scores: GridScores, pairs: Pairs, alternative: Alternative, workers: int | None = None) -> Array:
    """The p-value of Fisher's randomisation test by saddlepoint approximation, for every pair.

    Under random signs the sum of the differences dᵢ has the cumulant generating function K(t) = Σ log cosh(t·dᵢ). Let
    K′(t̂) = |Σdᵢ|, r = √(2(t̂·|Σdᵢ| − K(t̂))), q = t̂·√K″(t̂) and r* = r + log(q/r)/r. The one-sided p is Φ(−r*), the
    two-sided p twice that (Robinson, JRSS B 44, 1982; Davison & Hinkley, Biometrika 75, 1988). The error is relative,
    so a p-value of 1e-15 is as good as one of .05: some 1% at 50 topics, at 18 topics 6% at most and below 1% in the
    median where a thousand flips reach the observed sum. Where fewer do, p moves in steps that an approximation by a
    continuous distribution smooths over; there `enumerated_p` is exact and cheap.

    Differences of one sign have p = 2⁻ⁿ exactly, n the number of differences that are not zero, and no p-value is
    below that. No randomness, so no seed.

    Examples
    --------
    The ten folds of Arguello (INLS 509), one-sided: 208 of the 1,024 flips reach the observed difference, .203.

    >>> a = [.2, .3, .1, .4, 1, .8, .3, .1, 0, .9]
    >>> b = [.5, .3, .1, .4, 1, .9, .1, .2, .5, .8]
    >>> pair = Pairs(np.array([1]), np.array([0]))
    >>> saddlepoint(GridScores.of(np.array([a, b]).T), pair, "greater").round(2).tolist()
    [0.15]
    """

    def approximate(at: slice) -> Array:
        own = magnitudes(scores, pairs.a[at], pairs.b[at])
        return sided(tail(own), own.direction, alternative)

    stretches = [at for at, _, _ in pairs.chunks(2 * scores.n_topics)]
    return in_stretches(approximate, stretches, np.empty(len(pairs)), workers)


def tail(pairs: Magnitudes) -> Array:
    """P(sum of randomly signed differences ≥ |observed sum|), for every pair; ½ where the differences cancel.

    >>> float(tail(Magnitudes.of(np.ones((1, 10))))[0]) * 1024
    1.0
    """
    smallest = np.ldexp(1.0, -pairs.n_nonzero)
    out = np.where(pairs.direction == 0, 0.5, smallest)
    inner = np.flatnonzero((pairs.direction != 0) & ~pairs.one_sided)
    if len(inner):
        out[inner] = np.maximum(np.exp(_log_tail(pairs[inner])), smallest[inner])
    return out


def _log_tail(pairs: Magnitudes) -> Array:
    a, total, gap = pairs.each, pairs.total, 2 * pairs.lesser
    squares = np.einsum("ij,ij->i", a, a)
    t = _solve(a, total, gap, squares)
    x = t[:, None] * a
    x *= -2
    e = np.exp(x)
    share = e / (1 + e)
    curvature = np.einsum("ij,ij,ij->i", a, a, 4 * share * (1 - share))
    # t̂·s − K(t̂) with s = A − gap and log cosh x = x + log1p(½·expm1(−2x)), written so that nothing large cancels.
    exponent = -np.log1p(np.expm1(x, out=x) / 2).sum(axis=1) - t * gap
    r = np.sqrt(2 * np.maximum(exponent, 0.0))
    q = t * np.sqrt(curvature)
    # r → 0: log(q/r)/r → r·κ₄/8 with κ₄ = −2Σa⁴/(Σa²)², the standardised fourth cumulant.
    fourth = -2 * np.einsum("ij,ij,ij,ij->i", a, a, a, a) / squares**2
    usual = (r > _NEAR_CENTRE) & (q > 0)
    safe = np.where(usual, r, 1.0)
    bend = np.where(usual, np.log(np.where(usual, q, 1.0) / safe) / safe, r * fourth / 8)
    return np.asarray(special.log_ndtr(-np.maximum(r + bend, 0.0)))


def _solve(a: Array, total: Array, gap: Array, squares: Array) -> Array:
    """t̂ with Σ aᵢ·tanh(t̂·aᵢ) = s for every pair, s = A − gap > 0, gap > 0.

    tanh is concave on the positive side, so by Jensen's inequality Σ(aᵢ/A)·tanh(t·aᵢ) ≤ tanh(t·Σaᵢ²/A): the solution
    is at least A/Σaᵢ² · artanh(s/A), which is where the search starts. It is at most log(2A/gap)/(2·min aᵢ). Newton's
    method on artanh(K′/A), nearly a straight line, ends in a few steps; a step that leaves the bracket becomes its
    middle, so the search always ends.
    """
    aim = _artanh(total - gap, gap)
    low = total / squares * aim
    smallest = np.min(a, axis=1, where=a > 0, initial=np.inf)
    high = np.maximum(np.log(2 * total / gap) / (2 * smallest), low)
    t = low.copy()
    open_pairs = np.arange(len(t))
    own = a
    for _ in range(_STEPS):
        now = t[open_pairs]
        e = np.exp(-2 * now[:, None] * own)
        share = e / (1 + e)
        left = 2 * np.einsum("ij,ij->i", own, share)
        share *= 1 - share
        curvature = 4 * np.einsum("ij,ij,ij->i", own, own, share)
        size, wanted = total[open_pairs], aim[open_pairs]
        off = wanted - _artanh(size - left, left)
        low[open_pairs] = np.where(off >= 0, np.maximum(now, low[open_pairs]), low[open_pairs])
        high[open_pairs] = np.where(off <= 0, np.minimum(now, high[open_pairs]), high[open_pairs])
        # d artanh(K′/A)/dt = A·K″/(A² − K′²) = A·K″/(left·(2A − left))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            following = now + off * left * (2 * size - left) / (size * curvature)
        bottom, top = low[open_pairs], high[open_pairs]
        inside = (following >= bottom) & (following <= top)
        following = np.where(inside, following, bottom + (top - bottom) / 2)
        t[open_pairs] = following
        # Newton converges quadratically: once a step is below 1e-7 of t, what is left is below 1e-13.
        going = np.abs(following - now) > 1e-7 * following
        if not going.any():
            break
        if going.mean() < 0.7:
            open_pairs, own = open_pairs[going], own[going]
        # else: a few more pairs than needed take the step, which is cheaper than copying them.
    return t


def _artanh(value: Array, left: Array) -> Array:
    """artanh(value/A) where A = value + left, exact however close value is to A or to 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log1p(2 * value / left) / 2)
