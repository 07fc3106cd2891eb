"""The two-sample t-test with pooled variance."""

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
    """Two independent means of one variance, 2(n − 1) degrees of freedom."""
    from cranfield.comparison.classical import unpaired_t
    from cranfield.comparison.resampled import Resampled

    return Resampled(unpaired_t(scores, pairs, how.alternative, pooled=True))


def errors(scores: GridScores, pairs: Pairs, each: Differences) -> Errors:
    """The standard error of the difference of two independent means, and 2(n − 1) degrees of freedom."""
    from cranfield.comparison.classical import two_samples

    sample = two_samples(scores, pairs, pooled=True)
    return sample.error, sample.df


UNPAIRED_T = TESTS.register(
    SignificanceTest(
        name="unpaired-t",
        title="unpaired t-test (pooled variance)",
        summary="two-sample t-test with pooled variance; ignores that systems share topics",
        assumes="independent topics per system, nearly normal means, equal variances",
        run=run,
        interval=TWO_SAMPLE_INTERVAL,
        errors=errors,
        rank=70,
    )
)
