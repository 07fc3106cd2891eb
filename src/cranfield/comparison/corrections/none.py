"""No correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.corrections import CORRECTIONS, Correction

if TYPE_CHECKING:
    from cranfield.comparison.corrections import Array


def adjust_sorted(p: Array) -> Array:
    """The p-values as they are."""
    return p.copy()


NONE = CORRECTIONS.register(
    Correction(
        name="none",
        title="uncorrected",
        summary="p-values as they are; right for one comparison fixed beforehand",
        controls="nothing",
        adjust_sorted=adjust_sorted,
        at_least=lambda family: 1,
        rank=10,
    )
)
