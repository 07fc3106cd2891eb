"""Welch's two-sample t-test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.tests import TESTS, TWO_SAMPLE_INTERVAL, SignificanceTest
from cranfield.comparison.tests.unpaired_t import two_sample_intervals

if TYPE_CHECKING:
    from cranfield.comparison.classical import Differences
    from cranfield.comparison.grid import GridScores
    from cranfield.comparison.pairs import Pairs
    from cranfield.comparison.resampled import Resampled, Resampling
    from cranfield.comparison.tests import Intervals


def run(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> Resampled:
    """Two independent means of unequal variances, Welch–Satterthwaite degrees of freedom."""
    from cranfield.comparison.classical import unpaired_t
    from cranfield.comparison.resampled import Resampled

    return Resampled(unpaired_t(scores, pairs, how.alternative, pooled=False), 0.0, exact=False, n_resamples=0)


def intervals(scores: GridScores, pairs: Pairs, each: Differences, alpha: float) -> Intervals:
    """Mean difference ± t times the standard error of two independent means of unequal variances."""
    return two_sample_intervals(scores, pairs, each, alpha, pooled=False)


WELCH = TESTS.register(
    SignificanceTest(
        name="welch",
        title="unpaired t-test (Welch)",
        summary="Welch's two-sample t-test; ignores that systems share topics",
        assumes="independent topics per system and nearly normal means",
        run=run,
        interval=TWO_SAMPLE_INTERVAL,
        intervals=intervals,
        rank=80,
    )
)
