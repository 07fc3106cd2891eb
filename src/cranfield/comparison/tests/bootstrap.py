"""The bootstrap-shift test: topics drawn with replacement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.tests import TESTS, SignificanceTest, Size
from cranfield.demand import resampled_sums
from cranfield.labels import summary
from cranfield.sentences import comparison as say

if TYPE_CHECKING:
    from cranfield.comparison.classical import Differences
    from cranfield.comparison.comparison import Comparison
    from cranfield.comparison.grid import GridScores
    from cranfield.comparison.pairs import Pairs
    from cranfield.comparison.resampled import Resampled, Resampling


FEW_TOPICS = 50
"""Below so many topics a bootstrap-shift test at .05 rejects more than .06 of true hypotheses (docs/simulate.md)."""


def run(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> Resampled:
    """Resample topics, shifted to a difference of 0."""
    from cranfield.comparison.bootstrap import bootstrap_shift

    return bootstrap_shift(scores, pairs, how, alpha)


def cautions(result: Comparison, each: Differences) -> list[str]:
    """No spread, or too few topics."""
    texts = without_spread(result, each)
    if result.n_topics < FEW_TOPICS:
        texts.append(say.BOOTSTRAP_FEW(topics=result.n_topics))
    return texts


def without_spread(result: Comparison, each: Differences) -> list[str]:
    """A warning about differences that are the same on every topic, shared by the bootstrap tests."""
    import numpy as np

    constant = np.flatnonzero((each.sd == 0) & (each.mean != 0))
    if not len(constant):
        return []
    names = [f"{result.system_a[i]} − {result.system_b[i]}" for i in constant]
    return [say.NO_SPREAD_BOOTSTRAP(test=TESTS[result.test].title, pairs=summary(names))]


def work(size: Size) -> float:
    """Topics drawn, and sums over them; any other statistic costs more."""
    if not size.on_means:
        return 2e-7 * size.n_resamples * size.n_topics * size.n_systems
    return resampled_sums(size.n_topics, size.n_systems, size.n_resamples)


BOOTSTRAP = TESTS.register(
    SignificanceTest(
        name="bootstrap",
        title="bootstrap-shift test",
        summary="bootstrap-shift test: topics drawn with replacement, differences shifted to 0",
        assumes="enough topics (30 or more) for their spread to stand for that of all topics",
        run=run,
        any_statistic=True,
        resamples=True,
        cautions=cautions,
        work=work,
        rank=20,
    )
)
