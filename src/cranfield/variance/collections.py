"""Variances of several past collections at once, pooled by measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cranfield.defaults import ALPHA
from cranfield.scores import Scores
from cranfield.variance.estimate import VarianceEstimate, estimate_variance, pool_variances


def collection_variances(
    collections: Mapping[str, Scores], estimator: str, *, alpha: float = ALPHA
) -> dict[str, list[VarianceEstimate]]:
    """For every measure: the estimate of each collection that has it, in the order given."""
    estimates: dict[str, list[VarianceEstimate]] = {}
    for name, scores in collections.items():
        for measure, matrix in scores.items():
            estimates.setdefault(measure, []).append(estimate_variance(matrix, estimator, alpha=alpha, collection=name))
    return estimates


def pooled_variances(
    collections: Mapping[str, Scores], estimators: Sequence[str], *, alpha: float = ALPHA
) -> dict[str, list[VarianceEstimate]]:
    """For every estimator: one estimate a measure, pooled over the collections that have it."""
    return {
        estimator: [
            pool_variances(several) for several in collection_variances(collections, estimator, alpha=alpha).values()
        ]
        for estimator in estimators
    }
