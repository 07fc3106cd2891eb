"""Tukey's honestly significant differences, topics as blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.tests import TESTS, SignificanceTest

if TYPE_CHECKING:
    from cranfield.comparison.grid import GridScores
    from cranfield.comparison.pairs import Pairs
    from cranfield.comparison.resampled import Resampled, Resampling
    from cranfield.comparison.tests import Array


def run(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> Resampled:
    """The studentised range of all systems, with the residual variance of two-way ANOVA."""
    from cranfield.comparison.studentised_range import tukey

    return tukey(scores, pairs, alpha)


def run_families(families: list[GridScores], pairs: Pairs) -> Array:
    """The p-values of many families of one size."""
    from cranfield.comparison.studentised_range import tukey_of_families

    return tukey_of_families(families, pairs)


TUKEY = TESTS.register(
    SignificanceTest(
        name="tukey",
        title="Tukey HSD, topics as blocks",
        summary="Tukey's HSD with topics as blocks; adjusts for all pairs by itself",
        assumes="nearly normal residuals of one variance for all systems",
        run=run,
        corrects_family=True,
        run_families=run_families,
        rank=90,
    )
)
