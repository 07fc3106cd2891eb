"""Intervals that agree with the decisions: for every correction, 0 is inside exactly when a pair is not significant.

The idea: a confidence set is the set of values that a family of tests does not reject. Each value may have its own
test, if every test keeps its level (Neyman 1937; for stepwise procedures Strassburger & Bretz 2008, Guilbaud 2008). The
value 0 is tested by the test and the correction that the user chose; every other value by Student's t, or by the
randomisation test itself (`inverted`), at the level of the single-step form of that correction. So the interval is

    d̄ ± t(1 − α′/2)·se,

and where it and the decision about 0 disagree, the end next to 0 is set to 0, never beyond.

===============  =========================  ===========================================================================
correction       α′                         what holds
===============  =========================  ===========================================================================
none             α                          each interval covers with 1 − α
bonferroni       α/m                        all m intervals cover at once with 1 − α
holm             α/m, 0 tested by Holm      the same; error at most α + α·(share of true differences), see below
westfall-young   max-T in one step          as Holm, by the flips' own critical value
bh               α·R/m                      false coverage rate α over the R selected (Benjamini & Yekutieli 2005)
by               α·R/(m·(1 + … + 1/m))      the same under any dependence
===============  =========================  ===========================================================================

Holm and Westfall–Young: an error needs one of two events. A true 0 is rejected, with probability at most α; or the t
interval of a pair that truly differs misses, at most α times the share of those. The sum can pass α on paper; both
bounds are far from reached when pairs share systems (simulated coverage: see the tests).

The randomisation test is inverted without a search. A flip reverses the differences of some topics, the set A. Subtract
the true difference δ. The flipped sum is then as large as the observed one exactly when the mean difference over A is
at most δ. The one-sided test at level a therefore rejects the values below the ⌊a·2ⁿ⌋-th smallest of the means over
sets of topics ("typical values": Hartigan, JASA 64, 1969). With B random flips it is the ⌊a·(B + 1)⌋-th smallest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from cranfield.core.defaults import Alternative
from cranfield.core.resampling import SIGNS, Block, all_signs, pieces, product, rows_within, signed_bytes, signed_sums
from cranfield.questions.compare.corrections import at_most, interval_level
from cranfield.questions.compare.family import GridScores, Pairs
from cranfield.questions.compare.resampled import Resampling

Array = NDArray[np.float64]
MOST_FLIPS = 40_000
"""Random flips behind an interval."""
LEAST_BEYOND = 10
"""Random flips that must lie beyond an end; with fewer the end is luck."""


class Intervals(NamedTuple):
    """Both ends of the interval of every difference; an end is infinite for a one-sided alternative."""

    lower: Array
    upper: Array


def simultaneous_intervals(
    difference: Array,
    error: Array,
    df: Array | float,
    p_adjusted: Array,
    *,
    correction: str,
    alpha: float,
    alternative: Alternative = "two-sided",
    critical: float | None = None,
    family: int | None = None,
    selected: int | None = None,
) -> Intervals:
    """Intervals of the differences of a family of pairs, consistent with the significance of each.

    0 is inside a pair's interval exactly when its adjusted p-value is above alpha; the difference always is.
    The module's text says what is covered and why. One exception remains: a test of ranks or signs may call a pair
    significant whose mean difference is 0, or has the other sign. No interval agrees with both, so it is not moved.

    Parameters
    ----------
    difference : one per pair, the estimate
    error, df : its standard error and degrees of freedom, of the paired or of the two-sample t
    p_adjusted : one per pair, from whatever test and correction
    correction : which correction that was
    alpha : the family's level
    alternative : for ``greater`` and ``less`` the interval is one-sided, open towards the alternative
    critical : multiple of the error
        Instead of Student's t: the critical value of the procedure (``westfall-young``, Tukey).
    family, selected : how many comparisons there are, and how many are significant, where these pairs are not all

    Examples
    --------
    Three pairs under Holm at .05. The second is significant only because Holm steps down (.02 ≤ .05/2); the t
    interval at .05/3 holds 0, so its lower end is set to 0.

    >>> result = simultaneous_intervals(
    ...     np.array([0.2, 0.1, 0.05]), np.array([0.04, 0.041, 0.04]), 49,
    ...     np.array([0.0003, 0.04, 0.2]), correction="holm", alpha=0.05)
    >>> result.lower.round(4).tolist()
    [0.1008, 0.0, -0.0492]
    """
    difference, error = np.asarray(difference, dtype=np.float64), np.asarray(error, dtype=np.float64)
    significant = at_most(p_adjusted, alpha)
    sides = 2 if alternative == "two-sided" else 1
    if critical is None:
        many = len(difference) if family is None else family
        level = interval_level(correction, alpha, many, int(significant.sum()) if selected is None else selected)
        quantile = np.asarray(-special.stdtrit(df, level / sides))
    else:
        quantile = np.full(len(difference), critical)
    # 0·∞ is 0: a difference that never varies has no width.
    half = np.where(error > 0, quantile * np.where(error > 0, error, 1.0), 0.0)
    lower, upper = difference - half, difference + half
    if alternative == "greater":
        upper = np.full_like(upper, np.inf)
    elif alternative == "less":
        lower = np.full_like(lower, -np.inf)
    return agreed(lower, upper, difference, significant, alternative)


def agreed(
    lower: Array, upper: Array, difference: Array, significant: NDArray[np.bool_], alternative: Alternative
) -> Intervals:
    """The intervals in agreement with the decisions about 0: where they disagree, the end next to 0 is set to 0."""
    positive = difference > 0
    outside = (lower > 0) | (upper < 0)
    towards = {"two-sided": difference != 0, "greater": positive, "less": difference < 0}[alternative]
    wrong = (significant & ~outside & towards) | (~significant & outside)
    ends = np.where(wrong & positive, 0.0, lower), np.where(wrong & ~positive, 0.0, upper)
    return Intervals(*ends)


@dataclass(frozen=True)
class Basis:
    """What the intervals of a comparison are made of.

    Attributes
    ----------
    error, df : standard error of every difference, and its degrees of freedom
    critical : multiple of the error, where the test or the correction gives one
    percentile : both ends by the bootstrap, for intervals per pair
    inverted : whether the ends are those of the randomisation test itself (see `inverted`)
    """

    error: Array
    df: Array | float
    critical: float | None = None
    percentile: tuple[Array, Array] | None = None
    inverted: bool = False


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


def can_invert(n_topics: int, n_resamples: int, level: float, alternative: Alternative) -> bool:
    """Whether there are enough flips for intervals of level 1 − `level`.

    >>> [can_invert(n, 100_000, 0.05, "two-sided") for n in (5, 6, 50)], can_invert(50, 199, 0.05, "two-sided")
    ([False, True, True], False)
    """
    listed = _listed(n_topics, n_resamples)
    total = 2.0**n_topics if listed else min(n_resamples, MOST_FLIPS) + 1
    return _beyond(level, alternative, total) >= (1 if listed else LEAST_BEYOND)


def inverted(
    scores: GridScores, pairs: Pairs, how: Resampling, level: float, sizes: Array | None = None
) -> tuple[Array, Array]:
    """Both ends of the interval of every mean difference, level 1 − `level` for each pair by itself.

    All sets of topics are listed where 2ⁿ ≤ B; else 40,000 of them at most are drawn, with the flips of the test.

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    pairs : the comparisons
    how : resamples, seed, alternative (one-sided: the interval is open on one side); `can_invert` must allow it
    level : one minus the level of an interval
    sizes : one per row of the scores, where rows are groups of topics: its topics relative to the average group

    Examples
    --------
    Six differences: the two-sided test at .05 rejects what is beyond the smallest and the largest mean of a set.

    >>> d = np.array([[0.1, 0.3, 0.2, 0.4, 0.2, 0.6]]).T
    >>> scores = GridScores.of(np.hstack([d, np.zeros((6, 1))]))
    >>> [end.round(4).tolist() for end in inverted(scores, Pairs(np.array([0]), np.array([1])), Resampling(), 0.05)]
    [[0.1], [0.6]]
    """
    n = scores.n_topics
    listed = _listed(n, how.n_resamples)
    total = 2**n if listed else min(how.n_resamples, MOST_FLIPS)
    k = _beyond(level, how.alternative, total + (not listed))
    # The signed sum of ones tells how many topics a set has.
    columns = np.vstack([scores.values.T, np.ones(n) if sizes is None else sizes])
    sums = np.concatenate(
        [found for _, found in how.over_blocks(_sums_of_block, columns, listed, total=total)], axis=1
    )  # fmt: skip
    size = n - sums[-1]
    some = size > 1e-9
    lower, upper = np.empty(len(pairs)), np.empty(len(pairs))
    observed = scores.sums
    for at, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        means = (observed[a] - observed[b] - (sums[a] - sums[b]))[some] / size[some]
        ordered = np.partition(means, [k - 1, len(means) - k])
        lower[at], upper[at] = ordered[k - 1], ordered[len(means) - k]
    if how.alternative == "greater":
        upper[:] = np.inf
    elif how.alternative == "less":
        lower[:] = -np.inf
    return lower, upper


def _listed(n_topics: int, n_resamples: int) -> bool:
    return n_topics < 63 and 2**n_topics <= n_resamples


def _beyond(level: float, alternative: Alternative, total: float) -> int:
    """How many means of sets lie beyond an end, with the end itself."""
    return math.floor(level / (2 if alternative == "two-sided" else 1) * total + 1e-9)


def _sums_of_block(columns: Array, listed: bool, how: Resampling, block: Block) -> Array:
    """Sums of every column with the signs of a block of flips: columns × flips."""
    n = columns.shape[1]
    if listed:
        return np.asarray(product(columns, all_signs(block.start, block.stop, n).T))
    rng = block.generator(how.seed, SIGNS)
    rows = rows_within(how.memory, signed_bytes(len(columns), n), how.workers)
    parts = [signed_sums(columns, rng, stop - start) for start, stop in pieces(block, rows)]
    return np.concatenate(parts, axis=1)
