"""The two-sample t-test with pooled variance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.tests import TESTS, TWO_SAMPLE_INTERVAL, SignificanceTest

if TYPE_CHECKING:
    from cranfield.comparison.classical import Differences
    from cranfield.comparison.grid import GridScores
    from cranfield.comparison.pairs import Pairs
    from cranfield.comparison.resampled import Resampled, Resampling
    from cranfield.comparison.tests import Intervals


def run(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> Resampled:
    """Two independent means of one variance, 2(n − 1) degrees of freedom."""
    from cranfield.comparison.classical import unpaired_t
    from cranfield.comparison.resampled import Resampled

    return Resampled(unpaired_t(scores, pairs, how.alternative, pooled=True), 0.0, exact=False, n_resamples=0)


def intervals(scores: GridScores, pairs: Pairs, each: Differences, alpha: float) -> Intervals:
    """Mean difference ± t(2(n − 1)) times the standard error of two independent means."""
    return two_sample_intervals(scores, pairs, each, alpha, pooled=True)


def two_sample_intervals(
    scores: GridScores, pairs: Pairs, each: Differences, alpha: float, *, pooled: bool
) -> Intervals:
    """Intervals of the difference of two independent means."""
    from scipy.special import stdtrit

    from cranfield.comparison.classical import two_samples

    sample = two_samples(scores, pairs, pooled)
    half = stdtrit(sample.df, 1 - alpha / 2) * sample.error
    return each.mean - half, each.mean + half


UNPAIRED_T = TESTS.register(
    SignificanceTest(
        name="unpaired-t",
        title="unpaired t-test (pooled variance)",
        summary="two-sample t-test with pooled variance; ignores that systems share topics",
        assumes="independent topics per system, nearly normal means, equal variances",
        run=run,
        interval=TWO_SAMPLE_INTERVAL,
        intervals=intervals,
        rank=70,
    )
)
