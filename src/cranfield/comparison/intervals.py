"""Which intervals the differences of a comparison get: for the family together, or each pair for itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from cranfield.comparison.corrections import CORRECTIONS
from cranfield.comparison.simultaneous import simultaneous_intervals
from cranfield.comparison.tests import PERCENTILE, TESTS

if TYPE_CHECKING:
    from cranfield.comparison.comparison import Comparison
    from cranfield.comparison.pairs import Pairs

Array = NDArray[np.float64]
STANDARD_ERROR = "bootstrap t interval"
"""The interval of a statistic other than the mean: its standard error is that of the resamples of topics."""


@dataclass(frozen=True)
class Basis:
    """What the intervals of a comparison are made of.

    Attributes
    ----------
    error, df : standard error of every difference, and its degrees of freedom
    critical : multiple of the error, where the test or the correction has one of its own
    percentile : both ends by the bootstrap, for intervals of each pair for itself
    """

    error: Array
    df: Array | float
    critical: float | None = None
    percentile: tuple[Array, Array] | None = None


def pair_intervals(result: Comparison, selected: int | None = None) -> tuple[Array, Array]:
    """Both ends of the interval of every difference.

    ``simultaneous``: an interval leaves out 0 exactly when its pair is significant (see `simultaneous_intervals`).
    ``pairwise``: level 1 − alpha for each pair by itself; percentile intervals for the bootstrap tests.

    Parameters
    ----------
    selected : how many pairs of the whole family are significant, where it is larger than this comparison
    """
    basis, own = result.basis, TESTS[result.test].corrects_family
    if result.intervals == "pairwise":
        if basis.percentile is not None:
            return basis.percentile
        if own:
            half = -special.stdtrit(basis.df, result.alpha / 2) * basis.error
            return result.difference - half, result.difference + half
        p, p_adjusted, correction, critical, family = result.p, result.p, "none", None, len(result.p)
    else:
        p, p_adjusted, correction, critical = result.p, result.p_adjusted, result.correction, basis.critical
        family = result.family
    ends = simultaneous_intervals(
        result.difference,
        basis.error,
        basis.df,
        p,
        p_adjusted,
        correction=correction,
        alpha=result.alpha,
        alternative=result.alternative,
        critical=critical,
        family=family,
        selected=selected,
    )
    return ends.lower, ends.upper


def interval_text(result: Comparison) -> str:
    """What the intervals are, in a few words."""
    test = TESTS[result.test]
    kind = test.interval if result.statistic == "mean" else STANDARD_ERROR
    if result.intervals == "pairwise":
        return f"{PERCENTILE if result.basis.percentile is not None else kind}, each pair for itself"
    if test.corrects_family:
        return f"simultaneous interval of {test.title}"
    if result.correction == "none" or result.family == 1:
        return kind
    controls = CORRECTIONS[result.correction].controls
    those = "the significant of" if controls == "false discovery rate" else "all"
    return f"{kind} for {those} {result.family} comparisons at once ({CORRECTIONS[result.correction].title})"


def bootstrap_errors(values: Array, pairs: Pairs) -> Array:
    """The standard deviation of the resampled differences of every pair.

    Parameters
    ----------
    values : systems × resamples
    """
    error = np.empty(len(pairs))
    for at, a, b in pairs.chunks(values.shape[1]):
        error[at] = (values[a] - values[b]).std(axis=1)
    return error
