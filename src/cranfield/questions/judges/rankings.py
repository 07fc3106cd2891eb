"""How alike two judges rank the systems, and whether one judge is nearer to the reference than another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.core import resampling
from cranfield.scores.rank_coefficients import rank_correlations
from cranfield.scores.tau_interval import RankedScores, TopicNoise, corrected_tau, hull

Array = NDArray[np.float64]

MARGIN = 0.10
"""How much lower a machine's τ may be than a second person's. .05 is hopeless with 50 topics."""


class Ranking(NamedTuple):
    """τ of a judge with the reference, the same without topic noise, and both over resamples of topics."""

    value: float
    corrected: float
    drawn: Array
    drawn_corrected: Array
    lower: float | None
    upper: float | None


class TauDifference(NamedTuple):
    """Δ = τ of one judge minus the mean τ of others, on the same topics, with its hull interval."""

    value: float
    corrected: float
    lower: float
    upper: float


def rankings(
    reference: Array, judges: Sequence[Array], *, alpha: float, n_resamples: int, seed: int, coefficient: str = "tau_b"
) -> list[Ranking]:
    """τ_b of every judge with the reference, over resamples of topics that all of them share.

    Parameters
    ----------
    reference, judges : topics × systems each, the same topics and systems in the same order
    """
    sides = [RankedScores.of(values) for values in (reference, *judges)]
    noises = [TopicNoise.of(sides[0].grid, side.grid, True) for side in sides[1:]]
    n = len(reference)
    drawn: list[list[Array]] = [[] for _ in judges]
    factors: list[list[Array]] = [[] for _ in judges]
    for block in resampling.blocks(n_resamples):
        weights = resampling.draw_weights(block.generator(seed, resampling.TOPICS), len(block), n)
        sums = [np.ascontiguousarray(resampling.product(side.grid.T, weights.T).T) for side in sides]
        for at, noise in enumerate(noises):
            tolerances = (sides[0].tolerance, sides[at + 1].tolerance)
            drawn[at].append(rank_correlations(sums[0], sums[at + 1], tolerances)[coefficient])
            factors[at].append(noise.factors((sums[0], sums[at + 1]), (weights, weights)))
    found = []
    for at, noise in enumerate(noises):
        side = sides[at + 1]
        both = (sides[0].totals[None], side.totals[None])
        tau = float(rank_correlations(*both, (sides[0].tolerance, side.tolerance))[coefficient][0])
        factor = float(noise.factors(both)[0])
        of_draws, of_factors = np.concatenate(drawn[at]), np.concatenate(factors[at])
        ends = hull(tau, factor, of_draws, of_factors, n, alpha)
        middle = float(corrected_tau(np.array([tau]), np.array([factor]))[0])
        found.append(Ranking(tau, middle, of_draws, corrected_tau(of_draws, of_factors), ends.lower, ends.upper))
    return found


def tau_difference(judge: Ranking, others: Sequence[Ranking], n_topics: int, alpha: float) -> TauDifference | None:
    """The hull of Δ: the bootstrap around Δ joined with that around Δ without topic noise. None where all systems tie.

    Let Δ* be over resamples, h = max(Δ − q, q′ − Δ) of its quantiles, and s_d the standard deviation of the corrected
    Δ*. With H = max(h, t·s_d): [min(Δ, Δ_d) − H, max(Δ, Δ_d) + H], t with n − 1 degrees of freedom. The narrow form of
    `hull` would call judges just beyond the margin *not worse* in more than .05 of simulations with 43 topics.
    """

    def minus(own: Array | float, rest: Sequence[Array | float]) -> Array:
        return np.asarray(own - np.mean(np.asarray(rest), axis=0))

    value = float(minus(judge.value, [one.value for one in others]))
    corrected = float(minus(judge.corrected, [one.corrected for one in others]))
    drawn = minus(judge.drawn, [one.drawn for one in others])
    cleared = minus(judge.drawn_corrected, [one.drawn_corrected for one in others])
    known = np.isfinite(drawn) & np.isfinite(cleared)  # all systems tie in the other resamples
    if not np.isfinite([value, corrected]).all() or known.sum() < 2:
        return None
    drawn, spread = drawn[known], float(cleared[known].std(ddof=1))
    low, high = np.quantile(drawn, [alpha / 2, 1 - alpha / 2])
    reach = max(value - float(low), float(high) - value, float(stdtrit(n_topics - 1, 1 - alpha / 2)) * spread)
    lower, upper = min(value, corrected) - reach, max(value, corrected) + reach
    return TauDifference(value, corrected, max(lower, -2.0), min(upper, 2.0))


def decisions(human: Array, machine: Array, alpha: float, *, holm: bool) -> Array:
    """Signed decisions of all pairs under both judgments: 2 × pairs, +1 first better, −1 second better, 0 open.

    Paired t-tests; with Holm's correction over all pairs, or unadjusted.
    """
    from scipy.special import stdtr

    n, m = human.shape
    a, b = np.triu_indices(m, 1)
    decided = np.zeros((2, len(a)))
    for row, values in enumerate((human, machine)):
        mean = values.mean(axis=0)
        covariance = np.cov(values, rowvar=False)
        variance = np.maximum(np.diag(covariance)[a] + np.diag(covariance)[b] - 2 * covariance[a, b], 0)
        difference = mean[a] - mean[b]
        error = np.sqrt(variance / n)
        clear = error > 1e-12
        t = np.divide(difference, error, out=np.zeros(len(a)), where=clear)
        p = np.where(clear, 2 * stdtr(n - 1, -np.abs(t)), 1.0)
        if holm:
            order = np.argsort(p, kind="stable")
            p[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
        decided[row] = np.where(p <= alpha, np.sign(difference), 0)
    return decided


def count_decisions(decided: Array) -> dict[str, int]:
    """How many pairs are decided by both, by one, in opposite directions, or by neither.

    >>> count_decisions(np.array([[1, 1, 0, 0, -1], [1, 0, 1, 0, 1]]))
    {'both': 1, 'only_human': 1, 'only_machine': 1, 'opposite': 1, 'neither': 1}
    """
    h, m = decided
    return {
        "both": int(((h == m) & (h != 0)).sum()),
        "only_human": int(((h != 0) & (m == 0)).sum()),
        "only_machine": int(((h == 0) & (m != 0)).sum()),
        "opposite": int((h * m < 0).sum()),
        "neither": int(((h == 0) & (m == 0)).sum()),
    }


def effective_judges(errors: Sequence[Array]) -> float | None:
    """K/(1 + (K − 1)·max(r̄, 0)), r̄ the mean correlation of the judges' errors (machine minus human, by topic).

    None where a judge makes the same error on every topic, so that nothing correlates with it.

    >>> effective_judges([np.array([0.1, 0.2, 0.4]), np.array([0.1, 0.2, 0.4]), np.array([0.1, 0.2, 0.4])])
    1.0
    """
    k = len(errors)
    if min(float(np.ptp(error)) for error in errors) == 0:
        return None
    r = np.corrcoef([error.ravel() for error in errors])
    mean = round((float(r.sum()) - k) / (k * (k - 1)), 12)
    return k / (1 + (k - 1) * max(mean, 0.0))
