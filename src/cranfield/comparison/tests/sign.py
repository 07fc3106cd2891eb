"""The sign test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.tests import TESTS, SignificanceTest

if TYPE_CHECKING:
    from cranfield.comparison.classical import Differences
    from cranfield.comparison.comparison import Comparison
    from cranfield.comparison.grid import GridScores
    from cranfield.comparison.pairs import Pairs
    from cranfield.comparison.resampled import Resampled, Resampling


def run(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> Resampled:
    """Topics won against topics lost; the smallest p is that of all signs alike."""
    from cranfield.comparison.classical import sign
    from cranfield.comparison.resampled import Resampled

    smallest = 2.0**-scores.n_topics * (2 if how.alternative == "two-sided" else 1)
    return Resampled(sign(scores, pairs, how.alternative), smallest, exact=False, n_resamples=0)


def cautions(result: Comparison, each: Differences) -> list[str]:
    """Differences that are far from symmetric."""
    from cranfield.comparison.asymmetry import asymmetry_caution

    return asymmetry_caution(result, each, "the sign test")


SIGN = TESTS.register(
    SignificanceTest(
        name="sign",
        title="sign test (ties dropped)",
        summary="sign test; only the direction on each topic counts, ties are dropped",
        assumes="topics are independent; it is about topics won and lost, not about means",
        run=run,
        cautions=cautions,
        rank=60,
    )
)
