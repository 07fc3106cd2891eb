"""`design_interval` and `design_two_sample_interval`: how many topics make a confidence interval narrow enough."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from cranfield.defaults import ALPHA
from cranfield.design.grid import Array, Numbers, Variances, cross, inherited, numbers, variances
from cranfield.design.power import expected_width
from cranfield.design.question import Given, design_of
from cranfield.design.result import Design
from cranfield.design.search import MOST_TOPICS, smallest
from cranfield.design.solve import COLUMN, column, origin, real
from cranfield.errors import ArgumentError, notify
from cranfield.light_table import LightTable
from cranfield.sentences import design as say


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
    r"""How many topics until the interval of a paired difference is expected to be no wider than `width`?

    The smallest n with E(2·MOE) = 2·t(n−1; α)·√2·Γ(n/2)/(√(n(n−1))·Γ((n−1)/2))·σ_t ≤ width (RD-003 eq. 9), where
    the half-width is MOE = t(n−1; α)·√(V/n). Given `n_topics` and no `width`, the width to expect. Lists give grids.

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
        For past scores: how to estimate the variance, when not by the matching estimate.

    References
    ----------
    RD-003 §3.1 and Table 3; EVIA 2014 §3.2 and Table 8.

    Examples
    --------
    RD-003 Table 3 (a1): AP, σ_t = .21, δ = .10 takes 70 topics. Beyond the spreadsheet's reach (343 topics):

    >>> design_interval(0.21**2, 0.10).n_topics
    70
    >>> design_interval(0.42**2, 0.05).n_topics
    1087
    """
    design = design_of(
        "interval", "two_sample" if two_sample else None, variance, variance_of_difference, estimator=estimator,
        alpha=alpha, width=width, n_topics=n_topics,
    )  # fmt: skip
    notify(design.warnings)
    return design


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
    variance: Variances,
    *,
    width: Numbers | None = None,
    n_topics: Numbers | None = None,
    alpha: Numbers = ALPHA,
    two_sample: bool = False,
) -> Design:
    """The design for variances that are known, of a difference unless for two samples; see `design_interval`."""
    groups, name = (2, "variance") if two_sample else (1, "variance_of_difference")
    if width is None and n_topics is None:
        raise ArgumentError("`width` and `n_topics` are missing; give one of them.")
    if width is not None and n_topics is not None:
        raise ArgumentError("nothing to find: `width` and `n_topics` are both given. Leave one of them out.")
    unknown = "n_topics" if n_topics is None else "width"
    given, cells = cross(
        variances(name, variance, of_difference=not two_sample),
        {
            "width": numbers("width", width),
            "alpha": numbers("alpha", alpha),
            "n_topics": numbers("n_topics", n_topics),
        },
    )

    def expected(variance: Array, n: Array, alpha: Array) -> Array:
        return expected_width(n, variance * groups, alpha, groups * (n - 1))

    def solved(variance: Array) -> Array:
        if unknown == "width":
            return expected(variance, cells["n_topics"], cells["alpha"])

        def reached(candidates: Array, index: NDArray[np.intp]) -> NDArray[np.bool_]:
            return np.asarray(expected(variance[index], candidates, cells["alpha"][index]) <= cells["width"][index])

        # RD-003 eq. 10: the size if the variance were known, too small by a topic or two.
        with np.errstate(over="ignore"):  # a width of next to nothing is found to be out of reach
            guess = np.square(2 * ndtri(cells["alpha"] / 2) * np.sqrt(variance * groups) / cells["width"])
        return smallest(reached, guess)

    values = np.asarray([one.value for one in given])
    sizes = solved(values)
    nothing = np.isnan(sizes)
    warnings: tuple[str, ...] = ()
    if nothing.any():
        width = cells["width"][nothing][0]
        reason = f"more than {MOST_TOPICS:,} topics would be needed; is `width` = {width:g} what you mean?"
        if nothing.all():
            raise ArgumentError(reason)
        warnings = (say.LEFT_EMPTY(count=int(nothing.sum()), designs=len(sizes), reason=reason),)
    cells[unknown] = sizes
    columns = [
        *origin(given),
        real(values).alias(name),
        *(column(key, cells[key]) for key in ("width", "alpha", "n_topics")),
        real(expected(values, cells["n_topics"], cells["alpha"])).alias("expected_width"),
    ]
    if any(one.lower is not None for one in given):
        for side in ("lower", "upper"):
            ends = np.asarray([np.nan if getattr(one, side) is None else getattr(one, side) for one in given])
            known = np.where(np.isnan(ends), values, ends)
            columns.append(
                column(unknown, np.where(np.isnan(ends), np.nan, solved(known))).alias(
                    f"{COLUMN.get(unknown, unknown)}_{side}"
                )
            )
    what = "two-sample interval" if two_sample else "interval of a paired difference"
    return Design(what, COLUMN.get(unknown, unknown), LightTable(columns), {}, (*inherited(given), *warnings))
