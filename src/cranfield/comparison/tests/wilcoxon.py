"""Wilcoxon's signed-rank test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.tests import TESTS, SignificanceTest, Size

if TYPE_CHECKING:
    from cranfield.comparison.classical import Differences
    from cranfield.comparison.comparison import Comparison
    from cranfield.comparison.grid import GridScores
    from cranfield.comparison.pairs import Pairs
    from cranfield.comparison.resampled import Resampled, Resampling


def run(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> Resampled:
    """Signed ranks of the differences; the smallest p is that of all signs alike."""
    from cranfield.comparison.classical import wilcoxon
    from cranfield.comparison.resampled import Resampled

    smallest = 2.0**-scores.n_topics * (2 if how.alternative == "two-sided" else 1)
    return Resampled(wilcoxon(scores, pairs, how.alternative), smallest, exact=False, n_resamples=0)


def cautions(result: Comparison, each: Differences) -> list[str]:
    """Differences that are far from symmetric."""
    from cranfield.comparison.asymmetry import asymmetry_caution

    return asymmetry_caution(result, each, "Wilcoxon's test")


def work(size: Size) -> float:
    """Every pair's differences put in order."""
    return 1.5e-7 * size.n_topics * size.n_pairs


WILCOXON = TESTS.register(
    SignificanceTest(
        name="wilcoxon",
        title="Wilcoxon signed-rank test (zeros dropped)",
        summary="Wilcoxon's signed-rank test; zero differences are dropped",
        assumes="differences are symmetric about 0 if the systems do not differ; it is about ranks, not about means",
        run=run,
        cautions=cautions,
        work=work,
        rank=50,
    )
)
