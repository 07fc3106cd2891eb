"""P-values of the randomisation test without a single flip: the saddlepoint approximation, for all pairs at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from cranfield.comparison.flips import Magnitudes, magnitudes, sided
from cranfield.comparison.grid import GridScores
from cranfield.comparison.pairs import Pairs
from cranfield.defaults import Alternative
from cranfield.executors import map_in_order

Array = NDArray[np.float64]
_STEPS = 100
_NEAR_CENTRE = 1e-3
"""Below this r the limit of log(q/r)/r is used: its own error is of the order r³, that of the quotient ε/r²."""


def saddlepoint(scores: GridScores, pairs: Pairs, alternative: Alternative, workers: int | None = None) -> Array:
    """The p-value of Fisher's randomisation test by saddlepoint approximation, for every pair.

    Under random signs the sum of the differences dᵢ has the cumulant generating function K(t) = Σ log cosh(t·dᵢ).
    With K′(t̂) = |Σdᵢ|, r = √(2(t̂·|Σdᵢ| − K(t̂))), q = t̂·√K″(t̂) and r* = r + log(q/r)/r, the one-sided p is Φ(−r*)
    and the two-sided p twice that (Robinson, JRSS B 44, 1982; Davison & Hinkley, Biometrika 75, 1988). The error is
    relative, so a p-value of 1e-15 is as good as one of .05: some 1% at 50 topics, at 18 topics 6% at most and below 1%
    in the median where a thousand flips reach the observed sum. Where fewer do, p moves in steps that an approximation
    by a continuous distribution smooths over; there `enumerated_p` is exact and cheap.

    Differences of one sign have p = 2⁻ⁿ exactly, n the number of differences that are not zero, and no p-value is
    below that. No randomness, so no seed.

    Examples
    --------
    The ten folds of INLS 509, one-sided: 208 of the 1,024 flips reach the observed difference, .203.

    >>> a = [.2, .3, .1, .4, 1, .8, .3, .1, 0, .9]
    >>> b = [.5, .3, .1, .4, 1, .9, .1, .2, .5, .8]
    >>> pair = Pairs(np.array([1]), np.array([0]))
    >>> saddlepoint(GridScores.of(np.array([a, b]).T), pair, "greater").round(2).tolist()
    [0.15]
    """
    p = np.empty(len(pairs))
    # Threads gain only where there is much to do: a block is some milliseconds of work.
    blocks = list(pairs.chunks(2 * scores.n_topics))
    done = map_in_order(
        lambda block: _p_of(magnitudes(scores, block[1], block[2]), alternative),
        blocks,
        executor="threads",
        workers=workers if len(blocks) > 1 else 1,
    )
    for (at, _, _), values in zip(blocks, done, strict=True):
        p[at] = values
    return p


def _p_of(pairs: Magnitudes, alternative: Alternative) -> Array:
    return sided(tail(pairs), pairs.direction, alternative)


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
