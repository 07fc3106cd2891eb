"""The residual variance of one-way ANOVA."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.variance.estimators import ESTIMATORS, Estimator

if TYPE_CHECKING:
    from cranfield.variance.squares import Array, Squares


def of_squares(s: Squares) -> Array:
    """V_E1 (AIRS 2016 eq. 1)."""
    return s.mean_within


WITHIN = ESTIMATORS.register(
    Estimator(
        name="within",
        summary="a system's variance over topics, unbiased for the one-way model",
        formula="V_E1 = Σ(x_ij − x̄_j)²/(m(n−1)), AIRS 2016 eq. 1",
        holds_topics=True,
        of_squares=of_squares,
        rank=10,
    )
)
