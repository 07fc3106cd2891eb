"""The variance of a difference that covers 95% of the pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.variance.estimators import ESTIMATORS, Estimator

if TYPE_CHECKING:
    from cranfield.variance.squares import Array

PERCENTILE = 95


def of_scores(scores: Array) -> float:
    """Half the 95th percentile of σ_j² + σ_k² − 2σ_jk over all pairs (RD-003 §3.2; EVIA 2014 eq. 1).

    Thousands of systems have many pairs, so only the largest variances are kept: those from the percentile upwards.
    """
    import numpy as np

    from cranfield.resampling import cross_product_rows

    n, m = scores.shape
    pairs = m * (m - 1) // 2
    place = (pairs - 1) * (PERCENTILE / 100)
    many = pairs - int(place)
    own, largest, least = np.empty(m), np.empty(0), -np.inf
    for first, rows in cross_product_rows(scores - scores.mean(axis=0)):
        rows /= n - 1
        own[first : first + len(rows)] = np.diag(rows)
        rows *= -2
        rows += own[first:] + own[first : first + len(rows), None]
        found = rows[np.triu_indices_from(rows, 1)]
        largest = np.concatenate([largest, found[found > least]])
        if len(largest) > 2 * many or first == 0:
            largest = np.partition(largest, len(largest) - many)[-many:]
            least = largest[0]
    largest.partition(range(min(many, 2)))
    return float(np.quantile(largest[:2], place - int(place))) / 2


PERCENTILE95 = ESTIMATORS.register(
    Estimator(
        name="percentile95",
        summary="the variance of a difference that covers 95% of the pairs, halved",
        formula="95th percentile of the variances of all pairwise differences, /2, RD-003 §3.2",
        holds_topics=False,
        of_scores=of_scores,
        rank=50,
    )
)
