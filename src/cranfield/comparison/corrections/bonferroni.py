"""Bonferroni's correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.corrections import CORRECTIONS, Correction

if TYPE_CHECKING:
    from cranfield.comparison.corrections import Array


def adjust_sorted(p: Array) -> Array:
    """Times the size of the family."""
    return p * p.size


BONFERRONI = CORRECTIONS.register(
    Correction(
        name="bonferroni",
        title="Bonferroni-adjusted",
        summary="p times the number of comparisons; never more powerful than holm",
        controls="family-wise error",
        adjust_sorted=adjust_sorted,
        at_least=lambda family: family,
        rank=20,
    )
)
