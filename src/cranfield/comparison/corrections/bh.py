"""Benjamini and Hochberg's step-up correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.corrections import CORRECTIONS, Correction

if TYPE_CHECKING:
    from cranfield.comparison.corrections import Array


def adjust_sorted(p: Array) -> Array:
    """The k-th smallest times n/k, and never above the one after."""
    return step_up(p, 1.0)


def step_up(p: Array, penalty: float) -> Array:
    """The k-th smallest times n·penalty/k, and never above the one after."""
    import numpy as np

    stepped = p * (p.size * penalty / np.arange(1, p.size + 1))
    return np.asarray(np.minimum.accumulate(stepped[::-1])[::-1])


BH = CORRECTIONS.register(
    Correction(
        name="bh",
        title="BH-adjusted",
        summary="under independence or positive dependence (Benjamini & Hochberg 1995)",
        controls="false discovery rate",
        adjust_sorted=adjust_sorted,
        at_least=lambda family: 1,
        level=lambda alpha, family, significant: alpha * significant / family,
        rank=40,
    )
)
