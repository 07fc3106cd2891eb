"""Holm's step-down correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.corrections import CORRECTIONS, Correction

if TYPE_CHECKING:
    from cranfield.comparison.corrections import Array


def adjust_sorted(p: Array) -> Array:
    """The k-th smallest times what is left of the family, n − k + 1, and never below the one before."""
    import numpy as np

    return np.asarray(np.maximum.accumulate(p * np.arange(p.size, 0, -1)))


HOLM = CORRECTIONS.register(
    Correction(
        name="holm",
        title="Holm-adjusted",
        summary="step-down Bonferroni, under any dependence (Holm 1979)",
        controls="family-wise error",
        adjust_sorted=adjust_sorted,
        at_least=lambda family: family,
        rank=30,
    )
)
