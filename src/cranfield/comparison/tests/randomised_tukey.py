"""Tukey's HSD by randomisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.tests import TESTS, SignificanceTest, Size

if TYPE_CHECKING:
    from cranfield.comparison.grid import GridScores
    from cranfield.comparison.pairs import Pairs
    from cranfield.comparison.resampled import Resampled, Resampling


def run(scores: GridScores, pairs: Pairs, how: Resampling, alpha: float) -> Resampled:
    """Permute the systems within every topic, and compare each pair with the widest difference of the permutation."""
    from cranfield.comparison.randomisation import randomised_tukey

    return randomised_tukey(scores, pairs, how, alpha)


def work(size: Size) -> float:
    """Scores permuted within every topic."""
    return 1.2e-8 * size.n_resamples * size.n_topics * size.n_systems


RANDOMISED_TUKEY = TESTS.register(
    SignificanceTest(
        name="randomised-tukey",
        title="randomised Tukey HSD",
        summary="Tukey's HSD by permuting systems within topics; adjusts for all pairs by itself",
        assumes="if no systems differ, all of them might be swapped on any topic",
        run=run,
        any_statistic=True,
        corrects_family=True,
        resamples=True,
        work=work,
        rank=100,
    )
)
