"""`design_all_pairs`: topics needed to compare all systems, or all with a baseline, after correction."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, DESIGN_METHOD, PAIRS_VARIANCE
from cranfield.core.errors import ArgumentError
from cranfield.questions.design.asked import Given, design_of
from cranfield.questions.design.grid import Array, Grid, Numbers, Variances
from cranfield.questions.design.power import ALL_PAIRS, WITH_BASELINE, exact_power
from cranfield.questions.design.question import PairsQuestion
from cranfield.questions.design.result import Design, DesignKind, Variant
from cranfield.questions.design.solve import power_design, solve_grid
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
    r"""How many topics detect a difference of `min_diff` between two of k systems, after correction for all pairs?

    Most experiments test every pair on the same topics and correct p-values for the number of pairs. A pair that is
    `min_diff` apart is then tested at about α/C. C is k(k−1)/2 for all pairs, or k − 1 with a baseline. The power is
    that of the two-sided paired t-test at this level: non-central t with n − 1 degrees of freedom and λ = √n·minD/σ_t.
    Holm's correction has at least this power; it gains little while the other systems lie between the two.

    Leave out one of `n_topics`, `n_systems`, `min_diff` and (when the others are given) `power`; it is solved for.
    Lists give grids.

    Parameters
    ----------
    variance_of_difference : float, VarianceEstimate, or several; or past scores
        σ_t², the variance over topics of the difference of two systems. The matching estimate is `residual`, the
        average pair (2·V_E2); `percentile95` stands for nearly every pair. Past scores as in `design_anova`.
    variance : the same
        σ², the variance of a system's score over topics, instead: σ_t² = 2σ².
    n_systems, min_diff, n_topics, power, alpha : float or several
        `n_systems` includes the baseline. `power` is 0.80 unless given or solved for.
    baseline : bool
        Compare all systems with one named system only.
    spread : float, optional
        Coefficient of variation of the pairs' variances. The power is then the mean over pairs, because the best and
        the worst system are unknown in advance. 0 means equal variances; real scores have about .4, which costs one to
        three topics. The default is `design_spread` of the past scores for the `residual` estimate, and otherwise 0.
    estimator : str, optional
        For past scores: the variance estimator, if not the matching one.

    References
    ----------
    Holm, Scandinavian Journal of Statistics 6 (1979); power of the paired t-test as in Sakai (2014a), §3.1.

    Examples
    --------
    >>> design_all_pairs(0.02, 20, 0.10).n_topics
    47
    >>> design_all_pairs(0.02, 20, 0.10, baseline=True).n_topics
    35
    >>> design_all_pairs(0.02, n_topics=50, min_diff=0.10).n_systems
    26
    """
    check_arguments(design_all_pairs, locals())
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
            f"`spread` must be 0 or more and below 10; got {spread:g}. Write 0 if all pairs have the same variance."
        )
    grid = Grid.of_power("variance_of_difference", variance_of_difference, n_systems=n_systems, **asked)
    spreads = _spreads(grid.estimates) if spread is None else np.full(len(grid.estimates), float(spread))
    if spreads.any():
        grid.cells["spread"] = spreads
    test = WITH_BASELINE if baseline else ALL_PAIRS
    found = solve_grid(grid, test, exact_power)
    return power_design(grid, test, found, {"baseline": baseline}, first={"method": "exact"})


PAIRS = DesignKind(
    "pairs",
    "topics to compare all systems, or all with a baseline, after correction",
    asks=("n_systems", "min_diff", "n_topics", "power"),
    methods=("exact",),
    variants=(
        Variant(
            ALL_PAIRS.title,
            "Valid for paired t-tests of all pairs on shared topics with Holm's correction. Power is the mean over "
            "pairs.",
            PAIRS_VARIANCE, True, solve_all_pairs,
        ),
        Variant(
            WITH_BASELINE.title,
            "Valid for paired t-tests with the baseline on shared topics with Holm's correction. Power is the mean "
            "over systems.",
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
    """The `spread` that `design_all_pairs` uses: of the pairs, and of the variance estimate itself.

    Both the relevant pair and the variance are unknown: s² = (spread of the pairs)² + (standard error of the log
    variance)². The design averages power over both.

    >>> from cranfield import ScoreMatrix, estimate_variance
    >>> rng = np.random.default_rng(1)
    >>> x = ScoreMatrix(rng.normal(0.4, 0.1, (40, 5)), map(str, range(40)), "abcde", "AP")
    >>> round(design_spread(estimate_variance(x, "residual")), 2)
    0.24
    """
    error = 0.0 if estimate.error is None else estimate.error.size
    return min(math.hypot(pair_spread(stratum.scores for stratum in estimate.strata), error), MOST_SPREAD)
