"""The total variance by two-way ANOVA."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.variance.estimators import ESTIMATORS, Estimator

if TYPE_CHECKING:
    from cranfield.variance.squares import Array, Squares


def of_squares(s: Squares) -> Array:
    """(m−1)/(mn)·(V_A − V_E2) + (V_B − V_E2)/m + V_E2 (EVIA 2014 eq. 7)."""
    systems = (s.m - 1) / (s.m * s.n) * (s.mean_between_systems - s.mean_residual)
    topics = (s.mean_between_topics - s.mean_residual) / s.m
    return systems + topics + s.mean_residual


TWO_WAY = ESTIMATORS.register(
    Estimator(
        name="two_way",
        summary="the same as one_way by two-way ANOVA, the papers' choice",
        formula="(m−1)/(mn)·(V_A − V_E2) + (V_B − V_E2)/m + V_E2, EVIA 2014 eq. 7",
        holds_topics=True,
        of_squares=of_squares,
        rank=30,
    )
)
