"""`design_interval` and `design_two_sample_interval`: topics needed for a confidence interval of a given width."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, ANOVA_VARIANCE, DESIGN_METHOD, PAIRED_VARIANCE
from cranfield.core.errors import ArgumentError
from cranfield.questions.design.asked import Given, design_of
from cranfield.questions.design.grid import Array, Cells, Grid, Numbers, Variances, left_empty
from cranfield.questions.design.power import expected_width
from cranfield.questions.design.question import IntervalQuestion
from cranfield.questions.design.result import Design, DesignKind, Variant
from cranfield.questions.design.solve import MOST_TOPICS, smallest

TITLES = {False: "interval of a paired difference", True: "two-sample interval"}
"""Of one sample of pairs, and of two samples."""


def design_interval(
    variance_of_difference: Given | None = None,
    width: Numbers | None = None,
    *,
    variance: Given | None = None,
    n_topics: Numbers | None = None,
    alpha: Numbers = ALPHA,
    two_sample: bool = False,
    estimator: str | None = None,
) -> Design:
    r"""How many topics does the interval of a paired difference need for an expected width of at most `width`?

    The smallest n with E(2·MOE) = 2·t(n−1; α)·√2·Γ(n/2)/(√(n(n−1))·Γ((n−1)/2))·σ_t ≤ width (Sakai 2014b, eq. 9), where
    the half-width is MOE = t(n−1; α)·√(V/n). Given `n_topics` and no `width`: the expected width. Lists give grids.

    Parameters
    ----------
    variance_of_difference : float, VarianceEstimate, or several; or past scores
        σ_t²; the matching estimate is `percentile95`. Past scores as in `design_anova`.
    variance : the same
        σ², the variance of a system's score over topics, instead: σ_t² = 2σ².
    width, n_topics, alpha : float or several
        The interval has confidence 1 − alpha.
    two_sample : bool
        The two systems have different topics; see `design_two_sample_interval`.
    estimator : str, optional
        For past scores: the variance estimator, if not the matching one.

    References
    ----------
    Sakai (2014b), §3.1 and Table 3; Sakai (2014a), §3.2 and Table 8.

    Examples
    --------
    Sakai (2014b), Table 3 (a1): AP, σ_t = .21, δ = .10 takes 70 topics. Beyond the spreadsheet's reach (343 topics):

    >>> design_interval(0.21**2, 0.10).n_topics
    70
    >>> design_interval(0.42**2, 0.05).n_topics
    1087
    """
    check_arguments(design_interval, locals())
    return design_of(
        INTERVAL, INTERVAL.variants[two_sample], variance, variance_of_difference, estimator, alpha=alpha, width=width,
        n_topics=n_topics,
    )  # fmt: skip


def design_two_sample_interval(variance: Given, width: Numbers | None = None, **question: Any) -> Design:
    r"""How many topics *per group* until the interval of an unpaired difference is no wider than `width`?

    As `design_interval`, for two systems scored on different topics: 2(n − 1) degrees of freedom and a difference
    of means with variance 2σ²/n.

    Examples
    --------
    >>> design_two_sample_interval(0.0470, 0.10).n_topics
    146
    """
    return design_interval(None, width, variance=variance, two_sample=True, **question)


def solve_interval(
    variance: Variances, *, width: Numbers | None = None, n_topics: Numbers | None = None, alpha: Numbers = ALPHA,
    method: str = DESIGN_METHOD, two_sample: bool = False,
) -> Design:  # fmt: skip
    """The design for variances that are known, of a difference unless for two samples; see `design_interval`.

    The width is exact, so there is no method to choose.
    """
    groups, name = (2, "variance") if two_sample else (1, "variance_of_difference")
    if width is None and n_topics is None:
        raise ArgumentError("`width` and `n_topics` are missing; give one of them.")
    if width is not None and n_topics is not None:
        raise ArgumentError("nothing to solve for: `width` and `n_topics` are both given. Leave one of them out.")
    unknown = "n_topics" if n_topics is None else "width"
    grid = Grid.of(name, variance, unknown, width=width, alpha=alpha, n_topics=n_topics)

    def expected(n: Array, cells: Cells) -> Array:
        return expected_width(n, cells["variance"] * groups, cells["alpha"], groups * (n - 1))

    def solve(cells: Cells, unknown: str) -> Array:
        if unknown == "width":
            return expected(cells["n_topics"], cells)

        def reached(candidates: Array, index: NDArray[np.intp]) -> NDArray[np.bool_]:
            at = {name: values[index] for name, values in cells.items()}
            return np.asarray(expected(candidates, at) <= at["width"])

        # Sakai (2014b), eq. 10: the size if the variance were known, too small by a topic or two.
        with np.errstate(over="ignore"):  # a width of next to nothing is found to be out of reach
            deviation = np.sqrt(cells["variance"] * groups)
            guess = np.square(2 * ndtri(cells["alpha"] / 2) * deviation / cells["width"])
        return smallest(reached, guess)

    cells = grid.cells
    sizes, *ends = grid.solved(solve)
    nothing = np.isnan(sizes)
    warnings: tuple[str, ...] = ()
    if nothing.any():
        wanted = cells["width"][nothing][0]
        reason = f"more than {MOST_TOPICS:,} topics would be needed. Check `width` = {wanted:g}."
        warnings = left_empty(nothing, reason)
    cells[unknown] = sizes
    columns = grid.shown("variance", "width", "alpha", "n_topics")
    columns |= {"expected_width": expected(cells["n_topics"], cells), **grid.end_columns(*ends)}
    return grid.design(TITLES[two_sample], columns, {}, warnings)


INTERVAL = DesignKind(
    "interval",
    "topics for a confidence interval of a difference with a given expected width",
    asks=("width", "n_topics"),
    methods=("exact",),
    variants=(
        Variant(
            TITLES[False], "Both systems are scored on the same topics.", PAIRED_VARIANCE, True,
            solve_interval,
        ),
        Variant(
            TITLES[True], "Topics are per group.", ANOVA_VARIANCE, False,
            partial(solve_interval, two_sample=True), "two_sample",
        ),
    ),
    question=IntervalQuestion,
    rank=30,
    label="estimate a difference",
)  # fmt: skip
