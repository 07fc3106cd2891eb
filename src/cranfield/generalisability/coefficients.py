"""The D-study: Eρ² and Φ for any number of topics, their intervals, and the topics a target takes.

Both coefficients are n·r/(1 + n·r) for a ratio r of components: σ²_s/σ²_e for Eρ² and σ²_s/(σ²_q + σ²_e) for Φ.
So an interval for the ratio gives one for the coefficient at any n, and one for the topics needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from cranfield.generalisability.components import Components

Coefficient = Literal["erho2", "phi"]
COEFFICIENTS: Final[tuple[Coefficient, ...]] = ("erho2", "phi")


@dataclass(frozen=True)
class Ratio:
    """A ratio of variance components with its interval; none of the three is below 0."""

    value: float
    lower: float
    upper: float

    def at(self, n_topics: float) -> tuple[float, float, float]:
        """The coefficient n·r/(1 + n·r) with its interval, with `n_topics` topics."""
        value, lower, upper = (n_topics * r / (1 + n_topics * r) for r in (self.value, self.lower, self.upper))
        return value, lower, upper

    def topics_for(self, target: float) -> tuple[int | None, int | None, int | None]:
        """Topics that reach the target: ⌈π/((1 − π)·r)⌉, fewest and most; None where no number does (up to 2⁵³)."""
        needed, most, fewest = (_topics(target, r) for r in (self.value, self.lower, self.upper))
        return needed, fewest, most


def _topics(target: float, ratio: float) -> int | None:
    if ratio <= 0:
        return None
    needed = target / (1 - target) / ratio
    return max(1, math.ceil(needed * (1 - 1e-12))) if needed <= 2**53 else None


def ratio(coefficient: Coefficient, components: Components, alpha: float) -> Ratio:
    """The ratio behind a coefficient: estimate and two-sided interval at confidence 1 − alpha.

    Eρ² (Feldt 1965): x = (MS_s/(MS_e·F_{1−a; m−1, (m−1)(n−1)}) − 1)/n at a = α/2 and 1 − α/2; exact for normal scores.

    Φ (Arteaga, Jeyaratnam & Franklin 1982), approximate: with F_∞, F_e and F_q the quantiles for m − 1 and ∞,
    (m − 1)(n − 1) and n − 1 degrees of freedom,
    x = m·(MS_s² − F_∞·MS_s·MS_e + (F_∞ − F_e)·F_e·MS_e²) / (n·((m − 1)·F_∞·MS_s·MS_e + F_q·MS_s·MS_q)).

    Examples
    --------
    Brennan's example (10 persons, 12 items): 80% intervals .729 [.541, .876] and .672 [.457, .845].

    >>> book = Components(0.6258, 0.8840, 2.7872, 12, 10, 9, 11, 99)
    >>> [[round(x, 3) for x in ratio(name, book, 0.20).at(12)] for name in COEFFICIENTS]
    [[0.729, 0.541, 0.876], [0.672, 0.457, 0.845]]
    """
    noise = components.residual + (components.topics if coefficient == "phi" else 0.0)
    value = components.systems / noise
    limit = _arteaga if coefficient == "phi" else _feldt
    lower, upper = (max(0.0, limit(components, at)) for at in (1 - alpha / 2, alpha / 2))
    return Ratio(value, min(lower, value), max(upper, value))


def _feldt(c: Components, probability: float) -> float:
    ms_s, _, ms_e = c.mean_squares
    return (ms_s / (ms_e * _f_quantile(probability, c.df_systems, c.df_residual)) - 1) / c.n_topics


def _arteaga(c: Components, probability: float) -> float:
    ms_s, ms_q, ms_e = c.mean_squares
    f_inf = _f_quantile(probability, c.df_systems, math.inf)
    f_e = _f_quantile(probability, c.df_systems, c.df_residual)
    f_q = _f_quantile(probability, c.df_systems, c.df_topics)
    if ms_s <= f_e * ms_e:  # where the formula passes 0, as Feldt's does; further down it turns round
        return 0.0
    s, q = ms_s / ms_e, ms_q / ms_e  # both parts divided by MS_s·MS_e: no product of tiny or huge scores is left
    above = s - f_inf + (f_inf - f_e) * f_e / s
    below = (c.n_systems - 1) * f_inf + f_q * q
    return c.n_systems * above / (c.n_topics * below)


def _f_quantile(probability: float, between: float, error: float) -> float:
    from scipy.special import chdtri, fdtri

    if math.isinf(error):
        return float(chdtri(between, 1 - probability)) / between
    return float(fdtri(between, error, probability))
