"""The significance tests, one file each; a file that registers a `SignificanceTest` here is a test everywhere.

The files import nothing numerical at the top, because help texts list the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cranfield.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cranfield.comparison.classical import Differences
    from cranfield.comparison.comparison import Comparison
    from cranfield.comparison.grid import GridScores
    from cranfield.comparison.pairs import Pairs
    from cranfield.comparison.resampled import Resampled, Resampling

    Intervals = tuple[NDArray[np.float64], NDArray[np.float64]]

T_INTERVAL = "paired t interval of the mean difference"
TWO_SAMPLE_INTERVAL = "two-sample t interval"
PERCENTILE = "bootstrap percentile interval"
SIMULTANEOUS = "simultaneous interval"


def paired_t_intervals(scores: GridScores, pairs: Pairs, each: Differences, alpha: float) -> Intervals:
    """Mean difference ± t(n − 1) times its standard error, for every pair."""
    from scipy.special import stdtrit

    half = stdtrit(scores.n_topics - 1, 1 - alpha / 2) * each.error
    return each.mean - half, each.mean + half


def no_cautions(result: Comparison, each: Differences) -> list[str]:
    """Nothing to warn of."""
    return []


@dataclass(frozen=True)
class SignificanceTest:
    """A significance test of pairs of systems.

    Parameters
    ----------
    name : how it is asked for
    title : what it is called in a signature
    summary : one line for help and documentation
    assumes : one sentence: what must hold for its p-values to be right
    run : scores, pairs, settings and alpha → p-values (with intervals where the test itself gives them)
    any_statistic : whether it can test another statistic than the mean
    corrects_family : whether its p-values are adjusted for all pairs already; such a test is two-sided
    resamples : whether it draws resamples
    interval : what the intervals of its differences are called
    intervals : makes them for means, unless `run` does
    cautions : warnings of its own about a result
    rank : its place in lists
    """

    name: str
    title: str
    summary: str
    assumes: str
    run: Callable[[GridScores, Pairs, Resampling, float], Resampled]
    any_statistic: bool = False
    corrects_family: bool = False
    resamples: bool = False
    interval: str = T_INTERVAL
    intervals: Callable[[GridScores, Pairs, Differences, float], Intervals] = paired_t_intervals
    cautions: Callable[[Comparison, Differences], list[str]] = no_cautions
    rank: int = 1000


TESTS: Registry[SignificanceTest] = Registry("test", __name__)


def any_statistic_names() -> tuple[str, ...]:
    """The tests that take any statistic."""
    return tuple(name for name, test in TESTS.items() if test.any_statistic)


def table() -> list[tuple[str, str, str]]:
    """Name, summary and assumption of every test: the rows of the documentation."""
    return [(test.name, test.summary, test.assumes) for test in TESTS.values()]
