"""How many resamples a comparison takes when nobody says: enough for its family, within reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.corrections import CORRECTIONS, resamples_needed
from cranfield.defaults import RANK_RESAMPLES, RESAMPLES

if TYPE_CHECKING:
    from cranfield.comparison.resampled import Resampling
    from cranfield.comparison.tests import SignificanceTest

MOST_RESAMPLES = 1_000_000
_WORK = 4_000_000_000
"""Pairs times resamples, about, that a test may take unless told otherwise."""
_BOARD_WORK = 2_000_000_000
"""Pairs of systems times flips, about, for rank intervals and the set of systems that may be the best."""


def enough_resamples(
    test: SignificanceTest, correction: str, family: int, alpha: float, n_topics: int, on_means: bool
) -> int:
    """Resamples for a family of comparisons: 100,000, and more where the family could not be decided with these.

    The smallest p-value of a bootstrap test is 1/(B + 1), and Holm multiplies it by the family, so B is twice the least
    with which a pair could be significant; at most a million, and no more than about a minute's work. The
    randomisation test of means resolves p-values of any size with 100,000, and so do tests that correct by themselves.
    Corrections from the scores count their own maximum, for which 10,000 suffice in a large family.

    >>> from cranfield.comparison.tests import TESTS
    >>> [enough_resamples(TESTS[name], "holm", 8256, 0.05, 50, True) for name in ("randomisation", "bootstrap")]
    [100000, 330238]
    """
    entry = CORRECTIONS[correction]
    if entry.of_scores is not None:
        return int(min(RESAMPLES, max(RANK_RESAMPLES, _BOARD_WORK / 20 / family)))
    if test.corrects_family or not test.resamples or (on_means and test.name == "randomisation"):
        return RESAMPLES
    needed = 2 * resamples_needed(entry.at_least(family), alpha)
    affordable = _WORK / family / (1 if on_means else n_topics)
    return int(max(RESAMPLES, min(needed, affordable, MOST_RESAMPLES)))


def board_resamples(n_systems: int, how: Resampling) -> int:
    """Flips for rank intervals and the set of the best: 10,000, and fewer for many hundreds of systems.

    >>> from cranfield.comparison.resampled import Resampling
    >>> [board_resamples(m, Resampling()) for m in (143, 1000)]
    [10000, 2000]
    """
    return int(min(RANK_RESAMPLES, max(1_000, _BOARD_WORK / n_systems**2)))
