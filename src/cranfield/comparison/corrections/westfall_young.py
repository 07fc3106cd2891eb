"""Westfall and Young's step-down maximum over the sign flips themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.corrections import CORRECTIONS, Correction

if TYPE_CHECKING:
    from cranfield.comparison.corrections import Array
    from cranfield.comparison.grid import GridScores
    from cranfield.comparison.pairs import Pairs
    from cranfield.comparison.resampled import Resampling


def of_scores(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> tuple[Array, float]:
    """P-values adjusted by the largest t over the family, and the critical t of intervals of all differences."""
    from cranfield.comparison.westfall_young import interval_critical_t, westfall_young

    return westfall_young(scores, pairs, how).p_adjusted, interval_critical_t(scores, pairs, how, alpha)


WESTFALL_YOUNG = CORRECTIONS.register(
    Correction(
        name="westfall-young",
        title="Westfall–Young-adjusted",
        summary="largest t of all pairs over common sign flips, step-down (Westfall & Young 1993)",
        controls="family-wise error",
        adjust_sorted=None,
        at_least=lambda family: 1,
        of_scores=of_scores,
        fits=("randomisation", "t"),
        rank=35,
    )
)
