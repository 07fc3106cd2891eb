"""Welch's two-sample t-test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.tests import TESTS, TWO_SAMPLE_INTERVAL, SignificanceTest

if TYPE_CHECKING:
    from cranfield.comparison.classical import Differences
    from cranfield.comparison.grid import GridScores
    from cranfield.comparison.pairs import Pairs
    from cranfield.comparison.resampled import Resampled, Resampling
    from cranfield.comparison.tests import Errors


def run(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> Resampled:
    """Two independent means of unequal variances, Welch–Satterthwaite degrees of freedom."""
    from cranfield.comparison.classical import unpaired_t
    from cranfield.comparison.resampled import Resampled

    return Resampled(unpaired_t(scores, pairs, how.alternative, pooled=False))


def errors(scores: GridScores, pairs: Pairs, each: Differences) -> Errors:
    """The standard error of the difference of two independent means, and Welch's degrees of freedom."""
    from cranfield.comparison.classical import two_samples

    sample = two_samples(scores, pairs, pooled=False)
    return sample.error, sample.df


WELCH = TESTS.register(
    SignificanceTest(
        name="welch",
        title="unpaired t-test (Welch)",
        summary="Welch's two-sample t-test; ignores that systems share topics",
        assumes="independent topics per system and nearly normal means",
        run=run,
        interval=TWO_SAMPLE_INTERVAL,
        errors=errors,
        rank=80,
    )
)
