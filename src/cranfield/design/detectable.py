"""What a number of topics can detect: among all systems, between two of them, and how wide an interval is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from cranfield.design.anova import design_anova
from cranfield.design.interval import design_interval
from cranfield.design.ttest import design_ttest

if TYPE_CHECKING:
    from cranfield.variance import VarianceEstimate


def detectable_differences(
    residual: VarianceEstimate,
    pair: VarianceEstimate,
    n_systems: int,
    n_topics: Sequence[int],
    *,
    power: float,
    alpha: float,
    epsilon: float | None = None,
) -> pl.DataFrame:
    """One row per number of topics: what so many can detect with the given power at level alpha.

    Parameters
    ----------
    residual : the variance of the blocked design, for all systems together
    pair : the variance of the paired design, for two systems named beforehand
    n_systems, n_topics : how many systems are compared, and the numbers of topics
    epsilon : Greenhouse–Geisser ε to correct the F-test by; none unless given

    Returns
    -------
    polars frame
        topics; ``min_diff``, the smallest range among all systems; ``min_diff_pair``, the smallest difference of two;
        ``interval_width``, the width to expect of the interval of a difference.

    Examples
    --------
    >>> from cranfield import estimate_variance, make_scores
    >>> x = make_scores(30, 5, seed=1)
    >>> one, two = estimate_variance(x, "residual"), estimate_variance(x, "percentile95")
    >>> detectable_differences(one, two, 5, [25, 100], power=0.8, alpha=0.05).columns
    ['topics', 'min_diff', 'min_diff_pair', 'interval_width']
    """
    sizes = list(n_topics)
    among = design_anova(
        residual.variance, n_systems, n_topics=sizes, power=power, alpha=alpha, blocked=True, epsilon=epsilon
    )
    two = design_ttest(pair, n_topics=sizes, power=power, alpha=alpha)
    width = design_interval(pair, n_topics=sizes, alpha=alpha)
    return pl.DataFrame(
        {
            "topics": sizes,
            "min_diff": among.rows["min_diff"],
            "min_diff_pair": two.rows["min_diff"],
            "interval_width": width.rows["width"],
        }
    )
