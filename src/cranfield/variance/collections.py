"""Variances of several past collections at once, pooled by measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cranfield.defaults import ALPHA, VarianceMethod
from cranfield.scores import Scores
from cranfield.variance.estimate import VarianceEstimate, estimate_variance, pool_variances


def collection_variances(
    collections: Mapping[str, Scores], method: VarianceMethod, *, alpha: float = ALPHA
) -> dict[str, list[VarianceEstimate]]:
    """For every measure: the estimate of each collection that has it, in the order given."""
    found: dict[str, list[VarianceEstimate]] = {}
    for name, scores in collections.items():
        for measure, matrix in scores.items():
            found.setdefault(measure, []).append(estimate_variance(matrix, method, alpha=alpha, collection=name))
    return found


def pooled_variances(
    collections: Mapping[str, Scores], methods: Sequence[VarianceMethod], *, alpha: float = ALPHA
) -> dict[VarianceMethod, list[VarianceEstimate]]:
    """For every method: one estimate a measure, pooled over the collections that have it."""
    return {
        method: [pool_variances(several) for several in collection_variances(collections, method, alpha=alpha).values()]
        for method in methods
    }
