"""The total variance by one-way ANOVA."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.variance.estimators import ESTIMATORS, Estimator

if TYPE_CHECKING:
    from cranfield.variance.squares import Array, Squares


def of_squares(s: Squares) -> Array:
    """(m−1)/(mn)·(V_A − V_E1) + V_E1 (EVIA 2014 eq. 4)."""
    between = (s.m - 1) / (s.m * s.n) * (s.mean_between_systems - s.mean_within)
    return between + s.mean_within


ONE_WAY = ESTIMATORS.register(
    Estimator(
        name="one_way",
        summary="the same plus the variance between systems; on the large side",
        formula="(m−1)/(mn)·(V_A − V_E1) + V_E1, EVIA 2014 eq. 4",
        holds_topics=True,
        of_squares=of_squares,
        rank=20,
    )
)
