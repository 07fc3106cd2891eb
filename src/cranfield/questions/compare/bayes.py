"""The Bayesian view of a comparison: how probable it is that one system is better than another by more than a margin.

Two-way random effects: the true means of systems are draws from one normal population of variance σ²_s. Let d be the
observed difference of a pair and v its error variance. The true difference is normal with mean ω·d and variance ω·v, ω
= 2σ²_s/(2σ²_s + v). The variance of a pair is moderated as in `max_t`: v = (s² + κ·v0)/((1 + κ)·n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special

from cranfield.core.errors import ArgumentError
from cranfield.questions.compare.max_t import KAPPA
from cranfield.questions.reliability.components import ratio, variance_components
from cranfield.scores.matrix import ScoreMatrix

if TYPE_CHECKING:
    from cranfield.questions.compare.comparison import Comparison

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Posterior:
    """What is probable of every pair, given the scores and a population of systems.

    Attributes
    ----------
    margin : largest difference that does not matter; 0 unless given
    better, within, worse : one per pair: the probability that `system_a` is better by more than the margin, that the
        difference lies within the margin, and that it is worse by more. They add up to 1
    better_lower, better_upper : range of `better` over the interval of the standard deviation of systems
    systems_sd : σ_s, the standard deviation of the true means of systems
    systems_sd_lower, systems_sd_upper : its interval at level 1 − alpha
    """

    margin: float
    better: Array
    within: Array
    worse: Array
    better_lower: Array
    better_upper: Array
    systems_sd: float
    systems_sd_lower: float
    systems_sd_upper: float

    @property
    def likely(self) -> NDArray[np.bool_]:
        """Pairs of which one system is better by more than the margin with a probability of .95 or more."""
        return np.asarray(np.maximum(self.better, self.worse) >= LIKELY)

    def columns(self) -> dict[str, pl.Series]:
        """The probabilities as columns beside the pairs, to as many digits as such a model can mean."""
        names = {
            "prob_better": self.better, "prob_within": self.within, "prob_worse": self.worse,
            "prob_better_lower": self.better_lower, "prob_better_upper": self.better_upper,
        }  # fmt: skip
        return {name: pl.Series(name, values.round(_DIGITS)) for name, values in names.items()}


_DIGITS = 4
LIKELY = 0.95
"""Probability from which on a statement is counted as likely."""


def probabilities(d: Array, v: Array, systems: float, margin: float) -> tuple[Array, Array, Array]:
    """P(better by more than the margin), P(within ±margin) and P(worse by more), for σ²_s = `systems`.

    Without variance between systems the true difference is 0.

    >>> better, within, worse = probabilities(np.array([0.02]), np.array([1e-4]), 5e-5, 0.0)
    >>> round(float(better[0]), 4), float(within[0]), round(float(worse[0]), 4)
    (0.9214, 0.0, 0.0786)
    """
    share = np.divide(2 * systems, 2 * systems + v, out=np.ones_like(v), where=2 * systems + v > 0)
    centre, spread = share * d, np.sqrt(share * v)
    sure = spread == 0
    scale = np.where(sure, 1.0, spread)
    better = np.where(sure, centre > margin, special.ndtr((centre - margin) / scale))
    worse = np.where(sure, centre < -margin, special.ndtr((-centre - margin) / scale))
    return better, np.clip(1 - better - worse, 0.0, 1.0), worse


def posterior(comparison: Comparison) -> Posterior:
    """The probabilities of a comparison of means, with σ²_s from the same scores (`variance_components`).

    References
    ----------
    Normal hierarchical model: Gelman et al., Bayesian Data Analysis, 3rd ed., section 5.4; variance components:
    Brennan, Generalizability Theory, 2001.
    """
    if comparison.statistic != "mean":
        raise ArgumentError(f"`bayes` speaks of means, not of the {comparison.statistic}. Leave `statistic` out.")
    components = variance_components(_units(comparison))
    found = ratio("erho2", components, comparison.alpha)
    low, usual, high = (one * components.residual for one in (found.lower, found.value, found.upper))
    d, v = comparison.difference, _variances(comparison, components.residual)
    margin = comparison.margin or 0.0
    better, within, worse = probabilities(d, v, usual, margin)
    ends = np.stack([better, *(probabilities(d, v, one, margin)[0] for one in (low, high))])
    sd = [float(np.sqrt(one)) for one in (usual, low, high)]
    return Posterior(margin, better, within, worse, ends.min(axis=0), ends.max(axis=0), *sd)


def _units(comparison: Comparison) -> ScoreMatrix:
    """The scores, of grouped topics with the variance of groups."""
    scores = comparison.scores
    if comparison.clusters is None:
        return scores
    values = comparison.clusters.spread(scores.values)
    return ScoreMatrix(values, [f"{i:09}" for i in range(len(values))], scores.systems, scores.measure)


def _variances(comparison: Comparison, residual: float) -> Array:
    """The moderated error variance of every difference; v0 is twice the residual variance."""
    units = _units(comparison)
    place = {name: j for j, name in enumerate(units.systems)}
    order = [place[name] for name in comparison.systems]
    x = units.values[:, order]
    variance = np.empty(len(comparison.p))
    for at, a, b in comparison.pairs.chunks(len(x)):
        variance[at] = (x[:, a] - x[:, b]).var(axis=0, ddof=1)
    return np.asarray((variance + KAPPA * 2 * residual) / ((1 + KAPPA) * len(x)))
