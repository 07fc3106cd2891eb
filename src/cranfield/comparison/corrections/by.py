"""Benjamini and Yekutieli's step-up correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.corrections import CORRECTIONS, Correction, harmonic
from cranfield.comparison.corrections.bh import step_up

if TYPE_CHECKING:
    from cranfield.comparison.corrections import Array


def adjust_sorted(p: Array) -> Array:
    """As `bh`, times 1 + 1/2 + … + 1/n."""
    return step_up(p, harmonic(p.size))


BY = CORRECTIONS.register(
    Correction(
        name="by",
        title="BY-adjusted",
        summary="under any dependence, at the price of 1 + 1/2 + … + 1/n (Benjamini & Yekutieli 2001)",
        controls="false discovery rate",
        adjust_sorted=adjust_sorted,
        at_least=harmonic,
        level=lambda alpha, family, significant: alpha * significant / (family * harmonic(family)),
        rank=50,
    )
)
