"""Student's paired t-test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.tests import TESTS, SignificanceTest

if TYPE_CHECKING:
    from cranfield.comparison.grid import GridScores
    from cranfield.comparison.pairs import Pairs
    from cranfield.comparison.resampled import Resampled, Resampling


def run(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> Resampled:
    """t = mean(d)/(sd(d)/√n) with n − 1 degrees of freedom."""
    from cranfield.comparison.classical import paired_t
    from cranfield.comparison.resampled import Resampled

    return Resampled(paired_t(scores, pairs, how.alternative))


T = TESTS.register(
    SignificanceTest(
        name="t",
        title="paired t-test",
        summary="Student's paired t-test; no resamples",
        assumes="the mean difference is nearly normal",
        run=run,
        rank=40,
    )
)
