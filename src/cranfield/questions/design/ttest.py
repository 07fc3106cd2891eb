"""`design_ttest` and `design_two_sample_ttest`: topics needed to detect a difference between two systems."""

from __future__ import annotations

from functools import partial
from typing import Any

from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, ANOVA_VARIANCE, DESIGN_METHOD, PAIRED_VARIANCE, DesignMethod
from cranfield.core.errors import ArgumentError
from cranfield.questions.design.asked import Given, design_of
from cranfield.questions.design.grid import Grid, Numbers, Variances
from cranfield.questions.design.power import PAIRED, TWO_SAMPLE, exact_power, published_t_power
from cranfield.questions.design.question import TtestQuestion
from cranfield.questions.design.result import Design, DesignKind, Variant
from cranfield.questions.design.solve import PowerRule, power_design, solve_grid

RULES: dict[str, PowerRule] = {"exact": exact_power, "published": published_t_power}
UNPAIRED_RESIDUAL = sentence(
    "design.unpaired-residual",
    "the residual variance excludes topic variance, so this two-sample size is far too small. Use within, or pair the "
    "systems.",
    "a two-sample design is fed with the residual variance",
)


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
    r"""How many topics does a paired t-test need to detect a difference of `min_diff` between two systems?

    Leave out one of `n_topics`, `min_diff` and (when both are given) `power`; it is solved for. Lists give grids.
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
        `power` is 0.80 unless given or solved for.
    method : {"exact", "published"}
    two_sample : bool
        The two systems have different topics; see `design_two_sample_ttest`.
    estimator : str, optional
        For past scores: the variance estimator, if not the matching one.

    References
    ----------
    Sakai (2014a), §3.1 (the paired t-test tool); Nagata, "How to design the sample size" (2003).

    Examples
    --------
    >>> design_ttest(0.042941, 0.05).n_topics
    137
    >>> design_ttest(0.042941, n_topics=137).min_diff <= 0.05
    True
    """
    check_arguments(design_ttest, locals())
    return design_of(
        TTEST, TTEST.variants[two_sample], variance, variance_of_difference, estimator, alpha=alpha, method=method,
        min_diff=min_diff, n_topics=n_topics, power=power,
    )  # fmt: skip


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
    variance: Variances, *, method: DesignMethod = DESIGN_METHOD, two_sample: bool = False, **asked: Any
) -> Design:
    """The design for variances that are known, of a difference unless for two samples; see `design_ttest`."""
    test, name = (TWO_SAMPLE, "variance") if two_sample else (PAIRED, "variance_of_difference")
    if method not in RULES:
        raise ArgumentError(f"`method` of a t-test design must be exact or published; got {method!r}.")
    grid = Grid.of_power(name, variance, **asked)
    warnings = [UNPAIRED_RESIDUAL()] if two_sample and grid.of_residuals else []
    found = solve_grid(grid, test, RULES[method])
    return power_design(grid, test, found, {"method": method}, first={"method": method}, warnings=warnings)


TTEST = DesignKind(
    "ttest",
    "topics to detect a difference between two systems by a t-test",
    asks=("min_diff", "n_topics", "power"),
    methods=tuple(RULES),
    variants=(
        Variant(PAIRED.title, "Both systems are scored on the same topics.", PAIRED_VARIANCE, True, solve_ttest),
        Variant(
            TWO_SAMPLE.title, "Topics are per group.", ANOVA_VARIANCE, False, partial(solve_ttest, two_sample=True),
            "two_sample",
        ),
    ),
    question=TtestQuestion,
    rank=20,
    label="compare two systems",
)  # fmt: skip
