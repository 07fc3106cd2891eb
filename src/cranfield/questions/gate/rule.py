"""The rule of the gate for one series of differences: bounds, p-values of passing and failing, and topics needed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from cranfield.core.defaults import Verdict
from cranfield.questions.compare.classical import hall, hall_inverse
from cranfield.questions.compare.corrections import at_most

Array = NDArray[np.float64]
TINY = float(np.finfo(np.float64).tiny)
"""No p-value is smaller: none is 0."""
MOST_TOPICS = 10_000_000
"""More topics than this are no advice."""
_SAME = 1e-12
"""Spread, relative to the scores, that rounding alone can leave."""


@dataclass(frozen=True)
class Differences:
    """Mean, spread, number and skewness mean((d − d̄)³)/s³ of the differences of two systems, topic by topic."""

    mean: float
    sd: float
    n: int
    skewness: float = 0.0

    @classmethod
    def of(cls, candidate: Array, baseline: Array) -> Differences:
        """Of two systems' scores on the same topics; what rounding alone spreads counts as no spread."""
        each = candidate - baseline
        mean = math.fsum(each) / len(each)
        sd = math.sqrt(math.fsum((each - mean) ** 2) / (len(each) - 1))
        scale = max(float(np.abs(candidate).max()), float(np.abs(baseline).max()))
        if sd <= _SAME * scale:
            return cls(mean, 0.0, len(each))
        return cls(mean, sd, len(each), math.fsum(((each - mean) / sd) ** 3) / len(each))

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


def hall_values(each: Differences, threshold: float) -> tuple[float, float]:
    """The p-values that belong to the bounds of `hall_bounds`: the larger of the t-test's and Hall's, on either side.

    Hall's statistic (`hall`) is used as t with n − 1 degrees of freedom. It rises with the mean, so p ≤ α exactly where
    the bound reaches the threshold.

    >>> above, below = hall_values(Differences(mean=0.0, sd=0.05, n=50, skewness=-3.0), threshold=-0.01)
    >>> round(above, 4), round(below, 4)
    (0.1428, 0.9182)
    """
    above, below = t_values(each, threshold)
    effect = each.above(threshold)
    if each.sd == 0.0 or effect == 0.0:
        return above, below
    t = hall(effect / each.sd * math.sqrt(each.n), each.skewness, each.n)
    return max(above, float(special.stdtr(each.n - 1, -t))), max(below, float(special.stdtr(each.n - 1, t)))


def bounds(each: Differences, alpha: float) -> tuple[float, float]:
    """The one-sided t bounds of the mean difference, each at level 1 − alpha: d̄ ∓ t(n − 1; 1 − α)·s/√n.

    For alpha above one half a bound would pass the difference itself; there it stays at it.
    """
    half = _half(each, alpha) * each.sd
    return each.mean - half, each.mean + half


def hall_bounds(each: Differences, alpha: float) -> tuple[float, float]:
    """One-sided bounds of the mean difference that allow for skewness: the wider of the t bound and Hall's.

    With y = t(n − 1; 1 − α) and h its `hall_inverse`, the lower one is d̄ − s/√n·max(y, h(y)), the upper one
    d̄ + s/√n·max(y, −h(−y)).

    >>> each = Differences(mean=0.0, sd=0.05, n=50, skewness=-3.0)
    >>> [round(one, 4) for one in (*bounds(each, 0.05), *hall_bounds(each, 0.05))]
    [-0.0119, 0.0119, -0.0181, 0.0119]
    """
    lower, upper = bounds(each, alpha)
    root = math.sqrt(each.n)
    y = _half(each, alpha) * root
    low, high = (each.sd / root * float(hall_inverse(one, each.skewness, each.n)) for one in (y, -y))
    return min(lower, each.mean - low), max(upper, each.mean - high)


def _half(each: Differences, alpha: float) -> float:
    """Half the width of a t interval in standard deviations, at least 0."""
    return max(0.0, float(special.stdtrit(each.n - 1, 1 - alpha))) / math.sqrt(each.n)


def verdict_of(p: float, p_fail: float, alpha: float) -> Verdict:
    """What the two p-values decide."""
    return "pass" if at_most(p, alpha) else "fail" if at_most(p_fail, alpha) else "undecided"


def absent_share(n: int, alpha: float) -> float:
    """The share of topics below which a sample of n misses them all with probability above alpha: 1 − α^(1/n).

    >>> round(absent_share(50, 0.05), 4)
    0.0582
    """
    return float(-math.expm1(math.log(alpha) / n))


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
