"""`design_ttest` and `design_two_sample_ttest`: how many topics let a t-test see a difference of two systems."""

from __future__ import annotations

from typing import Any

import numpy as np

from cranfield.defaults import ALPHA, DESIGN_METHOD, DesignMethod
from cranfield.design.grid import Numbers, Variances, cross, inherited, missing, numbers, variances
from cranfield.design.power import PAIRED, TWO_SAMPLE, exact_power, published_t_power
from cranfield.design.question import Given, design_of
from cranfield.design.result import Design
from cranfield.design.solve import (
    COLUMN,
    PowerRule,
    achieved_power,
    check_solved,
    column,
    origin,
    real,
    solve_with_interval,
)
from cranfield.errors import ArgumentError, notify
from cranfield.light_table import LightColumn, LightTable
from cranfield.sentences import design as say

RULES: dict[str, PowerRule] = {"exact": exact_power, "published": published_t_power}


def design_ttest(
    variance_of_difference: Given | None = None,
    min_diff: Numbers | None = None,
    *,
    variance: Given | None = None,
    n_topics: Numbers | None = None,
    power: Numbers | None = None,
    alpha: Numbers = ALPHA,
    method: DesignMethod = DESIGN_METHOD,
    two_sample: bool = False,
    estimator: str | None = None,
) -> Design:
    r"""How many topics to see a difference of `min_diff` between two systems by a paired t-test? Or turned round.

    Leave out one of `n_topics`, `min_diff` and (when both are given) `power`; that one is found. Lists give grids.
    The exact power is that of the two-sided t-test, both tails: non-central t with n − 1 degrees of freedom and
    λ = √n·minD/σ_t. `published` is the papers' normal approximation
    Φ((−w(1−1/(4φ))−λ)/s) + 1 − Φ((w(1−1/(4φ))−λ)/s) with w = t_{α/2}(φ) and s = √(1 + w²/(2φ)).

    Parameters
    ----------
    variance_of_difference : float, VarianceEstimate, or several; or past scores
        σ_t², the variance over topics of the difference of two systems. The matching estimate is `percentile95`. Past
        scores as in `design_anova`.
    variance : the same
        σ², the variance of a system's score over topics, instead: σ_t² = 2σ².
    min_diff, n_topics, power, alpha : float or several
        `power` is 0.80 unless given or sought.
    method : {"exact", "published"}
    two_sample : bool
        The two systems have different topics; see `design_two_sample_ttest`.
    estimator : str, optional
        For past scores: how to estimate the variance, when not by the matching estimate.

    References
    ----------
    EVIA 2014 §3.1 (the paired t-test tool); Nagata, "How to design the sample size" (2003).

    Examples
    --------
    >>> design_ttest(0.042941, 0.05).n_topics
    137
    >>> design_ttest(0.042941, n_topics=137).min_diff <= 0.05
    True
    """
    design = design_of(
        "ttest", "two_sample" if two_sample else None, variance, variance_of_difference, estimator=estimator,
        alpha=alpha, method=method, min_diff=min_diff, n_topics=n_topics, power=power,
    )  # fmt: skip
    notify(design.warnings)
    return design


def design_two_sample_ttest(variance: Given, min_diff: Numbers | None = None, **question: Any) -> Design:
    r"""How many topics *per group* when the two systems are scored on different topics (unpaired t-test)?

    As `design_ttest`, with 2(n − 1) degrees of freedom and λ = √(n/2)·minD/σ, σ² the variance of a system's score
    over topics (the matching estimate is `within`). Systems compared on the same topics need far fewer: pair them.

    Examples
    --------
    With two systems the one-way ANOVA is this test.

    >>> design_two_sample_ttest(0.0601, 0.02).n_topics
    2360
    """
    return design_ttest(None, min_diff, variance=variance, two_sample=True, **question)


def solve_ttest(
    variance: Variances,
    *,
    min_diff: Numbers | None = None,
    n_topics: Numbers | None = None,
    power: Numbers | None = None,
    alpha: Numbers = ALPHA,
    method: DesignMethod = DESIGN_METHOD,
    two_sample: bool = False,
) -> Design:
    """The design for variances that are known, of a difference unless for two samples; see `design_ttest`."""
    test, name = (TWO_SAMPLE, "variance") if two_sample else (PAIRED, "variance_of_difference")
    if method not in RULES:
        raise ArgumentError(f"`method` of a t-test design must be exact or published; got {method!r}.")
    unknown, power = missing(power, n_topics=n_topics, min_diff=min_diff)
    given, cells = cross(
        variances(name, variance, of_difference=not two_sample),
        {
            "min_diff": numbers("min_diff", min_diff),
            "alpha": numbers("alpha", alpha),
            "power": numbers("power", power),
            "n_topics": numbers("n_topics", n_topics),
        },
    )
    cells["variance"] = np.asarray([one.value for one in given])
    cells["n_systems"] = np.full(len(given), 2.0)
    cells["epsilon"] = np.ones(len(given))
    solved, lower, upper = solve_with_interval(test, RULES[method], cells, unknown, given)
    warnings = check_solved(solved, unknown, test, cells)
    cells[unknown] = solved
    columns = [
        *origin(given),
        LightColumn("method", [method] * len(given), str),
        real(cells["variance"]).alias(name),
        *(column(key, cells[key]) for key in ("min_diff", "alpha", "power", "n_topics")),
        real(achieved_power(test, cells)).alias("achieved_power"),
    ]
    if lower is not None and upper is not None:
        columns += [
            column(unknown, end).alias(f"{COLUMN.get(unknown, unknown)}_{side}")
            for end, side in ((lower, "lower"), (upper, "upper"))
        ]
    if two_sample and any(one.estimate is not None and one.estimate.estimator == "residual" for one in given):
        warnings += (say.UNPAIRED_RESIDUAL(),)
    what = "two-sample t-test" if two_sample else "paired t-test"
    return Design(
        what, COLUMN.get(unknown, unknown), LightTable(columns), {"method": method}, (*inherited(given), *warnings)
    )
