"""The rule of the gate for one series of differences: p-values of passing and failing, bounds, and topics needed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from cranfield.comparison.corrections import at_most
from cranfield.defaults import Verdict

Array = NDArray[np.float64]
TINY = float(np.finfo(np.float64).tiny)
"""No p-value is smaller: none is 0."""
MOST_TOPICS = 10_000_000
"""More topics than this are no advice."""
_SAME = 1e-12
"""Spread, relative to the scores, that rounding alone can leave."""


@dataclass(frozen=True)
class Differences:
    """Mean, spread and number of the differences of two systems, topic by topic."""

    mean: float
    sd: float
    n: int

    @classmethod
    def of(cls, candidate: Array, baseline: Array) -> Differences:
        """Of two systems' scores on the same topics; what rounding alone spreads counts as no spread."""
        each = candidate - baseline
        mean = math.fsum(each) / len(each)
        sd = math.sqrt(math.fsum((each - mean) ** 2) / (len(each) - 1))
        scale = max(float(np.abs(candidate).max()), float(np.abs(baseline).max()))
        return cls(mean, sd if sd > _SAME * scale else 0.0, len(each))

    def above(self, threshold: float) -> float:
        """How far the mean is above the threshold; what rounding alone leaves is 0."""
        effect = self.mean - threshold
        return 0.0 if abs(effect) <= _SAME * max(abs(self.mean), abs(threshold)) else effect


def t_values(each: Differences, threshold: float) -> tuple[float, float]:
    """The p-values of the one-sided paired t-tests of "at most" and "at least" the threshold.

    t = (d̄ − threshold)/(s/√n) with n − 1 degrees of freedom. When all differences are equal there is no spread to
    divide by; then p is that of the sign flips, 2⁻ⁿ, on the side of the difference.

    >>> t_values(Differences(mean=0.0, sd=0.0, n=5), threshold=-0.01)
    (0.03125, 1.0)
    """
    effect = each.above(threshold)
    if each.sd == 0.0:
        if effect == 0.0:
            return 1.0, 1.0
        small = max(0.5**each.n, TINY)
        return (small, 1.0) if effect > 0 else (1.0, small)
    t = effect / (each.sd / math.sqrt(each.n))
    above, below = (float(special.stdtr(each.n - 1, side)) for side in (-t, t))
    return max(above, TINY), max(below, TINY)


def bounds(each: Differences, alpha: float) -> tuple[float, float]:
    """The one-sided bounds of the mean difference, each at level 1 − alpha: d̄ ∓ t(n − 1; 1 − α)·s/√n.

    For alpha above one half a bound would pass the difference itself; there it stays at it.
    """
    half = max(0.0, float(special.stdtrit(each.n - 1, 1 - alpha))) * each.sd / math.sqrt(each.n)
    return each.mean - half, each.mean + half


def verdict_of(p: float, p_fail: float, alpha: float) -> Verdict:
    """What the two p-values decide."""
    return "pass" if at_most(p, alpha) else "fail" if at_most(p_fail, alpha) else "undecided"


def topics_for(effect: float, sd: float, alpha: float, power: float) -> int | None:
    """The fewest topics on which a one-sided paired t-test sees a true effect with this power; None for too many.

    P(t′(n − 1, λ) > t(n − 1; 1 − α)) ≥ power with λ = √n·|effect|/sd (Julious, Statistics in Medicine 23, 2004,
    §6, in its exact form). Without spread it is the number of equal signs that makes p = 2⁻ⁿ ≤ α.

    >>> topics_for(0.01, 0.05, 0.05, 0.80)
    156
    >>> topics_for(0.0, 0.05, 0.05, 0.80) is None, topics_for(1e-300, 0.05, 0.05, 0.80) is None
    (True, True)
    """
    if effect == 0.0:
        return None
    if sd == 0.0:
        return max(2, math.ceil(-math.log2(alpha) - 1e-12))
    ratio = abs(effect) / sd
    z = float(special.ndtri(1 - alpha) + special.ndtri(power))
    if max(z, 0.0) > ratio * math.sqrt(MOST_TOPICS):
        return None
    n = max(2, math.ceil((max(z, 0.0) / ratio) ** 2))
    while _power(n, ratio, alpha) < power:
        n += 1
    while n > 2 and _power(n - 1, ratio, alpha) >= power:
        n -= 1
    return n


def _power(n: int, ratio: float, alpha: float) -> float:
    """Power of the one-sided paired t-test with n topics, for an effect of `ratio` standard deviations."""
    shift = math.sqrt(n) * ratio
    critical = float(special.stdtrit(n - 1, 1 - alpha))
    power = 1 - float(special.nctdtr(n - 1, shift, critical))
    return power if math.isfinite(power) else float(special.ndtr(shift - critical))
