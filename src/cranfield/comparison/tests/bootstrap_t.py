"""The studentised bootstrap test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.tests import TESTS, SignificanceTest, Size
from cranfield.comparison.tests.bootstrap import without_spread

if TYPE_CHECKING:
    from cranfield.comparison.grid import GridScores
    from cranfield.comparison.pairs import Pairs
    from cranfield.comparison.resampled import Resampled, Resampling


def run(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> Resampled:
    """Resample topics, each difference divided by its standard error."""
    from cranfield.comparison.bootstrap import bootstrap_t

    return bootstrap_t(scores, pairs, how, alpha)


def work(size: Size) -> float:
    """Sums of differences and of their squares, of every pair."""
    return 3e-10 * size.n_resamples * size.n_topics * size.n_pairs


BOOTSTRAP_T = TESTS.register(
    SignificanceTest(
        name="bootstrap-t",
        title="bootstrap-t test",
        summary="studentised bootstrap test; cautious with heavy tails",
        assumes="enough topics for their spread to stand for that of all topics",
        run=run,
        resamples=True,
        cautions=without_spread,
        work=work,
        rank=30,
    )
)
