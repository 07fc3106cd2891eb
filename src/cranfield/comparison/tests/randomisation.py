"""Fisher's randomisation test, by sign flips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.tests import TESTS, SignificanceTest

if TYPE_CHECKING:
    from cranfield.comparison.grid import GridScores
    from cranfield.comparison.pairs import Pairs
    from cranfield.comparison.resampled import Resampled, Resampling


def run(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> Resampled:
    """Flip the signs of the differences at random, or in all 2ⁿ ways when they are no more than the resamples."""
    from cranfield.comparison.randomisation import randomisation

    return randomisation(scores, pairs, how)


RANDOMISATION = TESTS.register(
    SignificanceTest(
        name="randomisation",
        title="randomisation test",
        summary="Fisher's randomisation test, by sign flips; exact with few topics",
        assumes="if two systems do not differ, their scores might be swapped on any topic",
        run=run,
        any_statistic=True,
        resamples=True,
        rank=10,
    )
)
