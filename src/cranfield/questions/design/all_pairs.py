"""`design_all_pairs`: how many topics to compare all systems with each other, or with a baseline, after correction."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from cranfield.core.defaults import ALPHA, DESIGN_METHOD, PAIRS_VARIANCE
from cranfield.core.errors import ArgumentError
from cranfield.questions.design.asked import Given, design_of
from cranfield.questions.design.grid import Array, Grid, Numbers, Variances
from cranfield.questions.design.power import ALL_PAIRS, WITH_BASELINE, exact_power
from cranfield.questions.design.question import PairsQuestion
from cranfield.questions.design.result import Design, DesignKind, Variant
from cranfield.questions.design.solve import power_design
from cranfield.questions.variance.estimate import VarianceEstimate
from cranfield.questions.variance.sphericity import pair_spread

MOST_SPREAD = 9.0


def design_all_pairs(
    variance_of_difference: Given | None = None,
    n_systems: Numbers | None = None,
    min_diff: Numbers | None = None,
    *,
    variance: Given | None = None,
    n_topics: Numbers | None = None,
    power: Numbers | None = None,
    alpha: Numbers = ALPHA,
    baseline: bool = False,
    spread: float | None = None,
    estimator: str | None = None,
) -> Design:
    r"""How many topics until a difference of `min_diff` is seen among all pairs of k systems after correction?

    This is what most experiments run: every pair tested on the same topics, p-values corrected for the number of
    pairs. A pair that is `min_diff` apart is then tested at about α/C, with C = k(k−1)/2 pairs, or C = k − 1 with a
    baseline, and the power is that of the two-sided paired t-test at this level: non-central t with n − 1 degrees of
    freedom and λ = √n·minD/σ_t. Holm's correction never does worse, and hardly better while the other systems lie
    between the two.

    Leave out one of `n_topics`, `n_systems`, `min_diff` and (when the others are given) `power`; that one is found.
    Lists give grids.

    Parameters
    ----------
    variance_of_difference : float, VarianceEstimate, or several; or past scores
        σ_t², the variance over topics of the difference of two systems. The matching estimate is `residual`, the
        average pair (2·V_E2); `percentile95` stands for nearly every pair. Past scores as in `design_anova`.
    variance : the same
        σ², the variance of a system's score over topics, instead: σ_t² = 2σ².
    n_systems, min_diff, n_topics, power, alpha : float or several
        `n_systems` counts the baseline too. `power` is 0.80 unless given or sought.
    baseline : bool
        Only comparisons with one named system are made.
    spread : float, optional
        How unequal the variances of the pairs are: their standard deviation over their mean. The power is then the mean
        over pairs, since nobody knows which systems will be best and worst. 0 makes all pairs alike; real scores have
        about .4, which costs one to three topics. Unless given it is that of the past scores (`design_spread`) for the
        `residual` estimate, and 0 for a typed variance and for every other estimate.
    estimator : str, optional
        For past scores: how to estimate the variance, when not by the matching estimate.

    References
    ----------
    Holm, Scandinavian Journal of Statistics 6 (1979); power of the paired t-test as in EVIA 2014 §3.1.

    Examples
    --------
    >>> design_all_pairs(0.02, 20, 0.10).n_topics
    47
    >>> design_all_pairs(0.02, 20, 0.10, baseline=True).n_topics
    35
    >>> design_all_pairs(0.02, n_topics=50, min_diff=0.10).n_systems
    26
    """
    return design_of(
        PAIRS, PAIRS.variants[baseline], variance, variance_of_difference, estimator, alpha=alpha, n_systems=n_systems,
        min_diff=min_diff, n_topics=n_topics, power=power, spread=spread,
    )  # fmt: skip


def solve_all_pairs(
    variance_of_difference: Variances, *, n_systems: Numbers | None = None, method: str = DESIGN_METHOD,
    baseline: bool = False, spread: float | None = None, **asked: Any,
) -> Design:  # fmt: skip
    """The design for variances of a difference that are known, always exact; see `design_all_pairs`."""
    if spread is not None and not 0 <= spread < 10:
        raise ArgumentError(
            f"`spread` must be 0 or more, and is rarely above 1; got {spread:g}. Write 0 if all pairs are alike."
        )
    grid = Grid.of_power("variance_of_difference", variance_of_difference, n_systems=n_systems, **asked)
    spreads = _spreads(grid.estimates) if spread is None else np.full(len(grid.estimates), float(spread))
    if spreads.any():
        grid.cells["spread"] = spreads
    test = WITH_BASELINE if baseline else ALL_PAIRS
    return power_design(grid, test, exact_power, {"baseline": baseline}, first={"method": "exact"})


PAIRS = DesignKind(
    "pairs",
    "topics for comparing all systems, or all with a baseline, after correction",
    asks=("n_systems", "min_diff", "n_topics", "power"),
    methods=("exact",),
    variants=(
        Variant(
            ALL_PAIRS.title,
            "Holds for paired t-tests of all pairs on shared topics, with Holm's correction; on average over which two "
            "systems are min_diff apart.",
            PAIRS_VARIANCE, True, solve_all_pairs,
        ),
        Variant(
            WITH_BASELINE.title,
            "Holds for paired t-tests with the baseline on shared topics, with Holm's correction; on average over "
            "which system is min_diff from it.",
            PAIRS_VARIANCE, True, partial(solve_all_pairs, baseline=True), "baseline",
        ),
    ),
    extras=("spread",),
    question=PairsQuestion,
    rank=5,
    label="compare many systems",
)  # fmt: skip


def _spreads(estimates: list[VarianceEstimate | None]) -> Array:
    """Of the past scores, where the variance is that of their average pair."""
    each = {id(one): one for one in estimates if one is not None and one.estimator == "residual"}
    known = {key: design_spread(one) for key, one in each.items()}
    return np.asarray([known.get(id(one), 0.0) for one in estimates])


def design_spread(estimate: VarianceEstimate) -> float:
    """The `spread` that `design_all_pairs` needs for its promise to hold: of the pairs, and of the estimate itself.

    Which pair will matter is unknown, and so is the variance: s² = (spread of the pairs)² + (standard error of the log
    variance)². Power averaged over both is what a designer can expect.

    >>> from cranfield import ScoreMatrix, estimate_variance
    >>> rng = np.random.default_rng(1)
    >>> x = ScoreMatrix(rng.normal(0.4, 0.1, (40, 5)), map(str, range(40)), "abcde", "AP")
    >>> round(design_spread(estimate_variance(x, "residual")), 2)
    0.24
    """
    error = 0.0 if estimate.error is None else estimate.error.size
    return min(math.hypot(pair_spread(stratum.scores for stratum in estimate.strata), error), MOST_SPREAD)
