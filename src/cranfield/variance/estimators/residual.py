"""The residual variance of two-way ANOVA."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.variance.estimators import ESTIMATORS, Estimator

if TYPE_CHECKING:
    from cranfield.variance.squares import Array, Squares


def of_squares(s: Squares) -> Array:
    """V_E2 (EVIA 2014 eq. 6)."""
    return s.mean_residual


RESIDUAL = ESTIMATORS.register(
    Estimator(
        name="residual",
        summary="what is left when topics are taken out",
        formula="V_E2 = Σ(x_ij − x̄_i − x̄_j + x̄)²/((m−1)(n−1)), EVIA 2014 eq. 6",
        holds_topics=False,
        of_squares=of_squares,
        rank=40,
    )
)
