"""`design_ttest` and `design_two_sample_ttest`: how many topics let a t-test see a difference of two systems."""

from __future__ import annotations

import numpy as np
import polars as pl

from cranfield.defaults import ALPHA, DESIGN_METHOD, DesignMethod
from cranfield.design.grid import Numbers, Variances, cross, inherited, missing, numbers, variances
from cranfield.design.power import PAIRED, TWO_SAMPLE, FTest, exact_power, published_t_power
from cranfield.design.result import Design
from cranfield.design.solve import COLUMN, PowerRule, check_solved, column, origin, power_at, real, solve_with_interval
from cranfield.errors import ArgumentError, notify

RULES: dict[str, PowerRule] = {"exact": exact_power, "published": published_t_power}


def design_ttest(
    variance_of_difference: Variances,
    min_diff: Numbers | None = None,
    *,
    n_topics: Numbers | None = None,
    power: Numbers | None = None,
    alpha: Numbers = ALPHA,
    method: DesignMethod = DESIGN_METHOD,
) -> Design:
    r"""How many topics to see a difference of `min_diff` between two systems by a paired t-test? Or turned round.

    Leave out one of `n_topics`, `min_diff` and (when both are given) `power`; that one is found. Lists give grids.
    The exact power is that of the two-sided t-test, both tails: non-central t with n − 1 degrees of freedom and
    λ = √n·minD/σ_t. `published` is the papers' normal approximation
    Φ((−w(1−1/(4φ))−λ)/s) + 1 − Φ((w(1−1/(4φ))−λ)/s) with w = t_{α/2}(φ) and s = √(1 + w²/(2φ)).

    Parameters
    ----------
    variance_of_difference : float, VarianceEstimate, or several
        σ_t², the variance over topics of the difference of two systems. The matching estimate is `percentile95`.
    min_diff, n_topics, power, alpha : float or several
        `power` is 0.80 unless given or sought.
    method : {"exact", "published"}

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
    return _design(
        "paired t-test",
        PAIRED,
        "variance_of_difference",
        variance_of_difference,
        min_diff,
        n_topics,
        power,
        alpha,
        method,
    )


def design_two_sample_ttest(
    variance: Variances,
    min_diff: Numbers | None = None,
    *,
    n_topics: Numbers | None = None,
    power: Numbers | None = None,
    alpha: Numbers = ALPHA,
    method: DesignMethod = DESIGN_METHOD,
) -> Design:
    r"""How many topics *per group* when the two systems are scored on different topics (unpaired t-test)?

    As `design_ttest`, with 2(n − 1) degrees of freedom and λ = √(n/2)·minD/σ, σ² the variance of a system's score
    over topics (the matching estimate is `within`). Systems compared on the same topics need far fewer: pair them.

    Examples
    --------
    With two systems the one-way ANOVA is this test.

    >>> design_two_sample_ttest(0.0601, 0.02).n_topics
    2360
    """
    return _design("two-sample t-test", TWO_SAMPLE, "variance", variance, min_diff, n_topics, power, alpha, method)


def _design(
    what: str,
    test: FTest,
    name: str,
    variance: Variances,
    min_diff: Numbers | None,
    n_topics: Numbers | None,
    power: Numbers | None,
    alpha: Numbers,
    method: DesignMethod,
) -> Design:
    if method not in RULES:
        raise ArgumentError(f"`method` of a t-test design must be exact or published; got {method!r}.")
    unknown, power = missing(power, n_topics=n_topics, min_diff=min_diff)
    given, cells = cross(
        variances(name, variance, of_difference=test is PAIRED),
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
    found, lower, upper = solve_with_interval(test, RULES[method], cells, unknown, given)
    warnings = check_solved(found, unknown, test, cells)
    cells[unknown] = found
    columns = [
        *origin(given),
        pl.Series("method", [method] * len(given)),
        real(cells["variance"]).alias(name),
        *(column(key, cells[key]) for key in ("min_diff", "alpha", "power", "n_topics")),
        real(power_at(test, exact_power, cells)).alias("achieved_power"),
    ]
    if lower is not None and upper is not None:
        found_name = COLUMN.get(unknown, unknown)
        columns += [
            column(unknown, lower).alias(f"{found_name}_lower"),
            column(unknown, upper).alias(f"{found_name}_upper"),
        ]
    if test is TWO_SAMPLE and any(one.estimate is not None and one.estimate.estimator == "residual" for one in given):
        warnings += (
            "the residual variance leaves out what topics differ by, but two groups of different topics need it: "
            "the size is far too small. Use within, or pair the systems.",
        )
    design = Design(
        what, COLUMN.get(unknown, unknown), pl.DataFrame(columns), {"method": method}, (*inherited(given), *warnings)
    )
    notify(design.warnings, stacklevel=4)
    return design
