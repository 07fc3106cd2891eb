"""Fisher's randomisation test, by sign flips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.tests import TESTS, SignificanceTest, Size, statistic_of_pairs
from cranfield.demand import flipped_sums

if TYPE_CHECKING:
    from cranfield.comparison.grid import GridScores
    from cranfield.comparison.pairs import Pairs
    from cranfield.comparison.resampled import Resampled, Resampling


def run(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> Resampled:
    """Flip the signs of the differences; for means each pair by the method that resolves its p-value."""
    from cranfield.comparison.randomisation import randomisation
    from cranfield.comparison.resampled import Resampled
    from cranfield.comparison.resolved import resolved

    if not how.on_means:
        return randomisation(scores, pairs, how)
    result = resolved(scores, pairs, how)
    every = scores.n_topics < 63 and 2**scores.n_topics <= how.n_resamples
    exact = not {"monte carlo", "saddlepoint"} & set(result.counts())
    total = 2**scores.n_topics if every else 0 if exact else how.n_resamples
    return Resampled(result.p, result.smallest, exact, total, method=result.methods)


def work(size: Size) -> float:
    """Flips, and for means a saddlepoint of every pair."""
    if not size.on_means:
        return statistic_of_pairs(size)
    return flipped_sums(size.n_topics, size.n_systems, size.n_resamples) + 4e-8 * size.n_topics * size.n_pairs


RANDOMISATION = TESTS.register(
    SignificanceTest(
        name="randomisation",
        title="randomisation test",
        summary="Fisher's randomisation test, by sign flips; resolves p-values of any size",
        assumes="if two systems do not differ, their scores might be swapped on any topic",
        run=run,
        any_statistic=True,
        resamples=True,
        work=work,
        rank=10,
    )
)
