"""The variance of a difference that covers 95% of the pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.variance.estimators import ESTIMATORS, Estimator

if TYPE_CHECKING:
    from cranfield.variance.squares import Array

PERCENTILE = 95


def of_covariance(covariance: Array) -> float:
    """Half the 95th percentile of σ_j² + σ_k² − 2σ_jk over all pairs (RD-003 §3.2; EVIA 2014 eq. 1)."""
    import numpy as np

    own = np.diag(covariance)
    rows = (own[j] + own[j + 1 :] - 2 * covariance[j, j + 1 :] for j in range(len(covariance) - 1))
    return float(np.percentile(np.concatenate(list(rows)), PERCENTILE, overwrite_input=True)) / 2


PERCENTILE95 = ESTIMATORS.register(
    Estimator(
        name="percentile95",
        summary="the variance of a difference that covers 95% of the pairs, halved",
        formula="95th percentile of the variances of all pairwise differences, /2, RD-003 §3.2",
        holds_topics=False,
        of_covariance=of_covariance,
        rank=50,
    )
)
