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

    Array = NDArray[np.float64]
    Errors = tuple[Array, Array | float]

T_INTERVAL = "paired t interval"
TWO_SAMPLE_INTERVAL = "two-sample t interval"
PERCENTILE = "bootstrap percentile interval"


def paired_errors(scores: GridScores, pairs: Pairs, each: Differences) -> Errors:
    """The standard error of every mean difference, and n − 1 degrees of freedom."""
    return each.error, float(scores.n_topics - 1)


def no_cautions(result: Comparison, each: Differences) -> list[str]:
    """Nothing to warn of."""
    return []


@dataclass(frozen=True)
class Size:
    """How large a comparison is."""

    n_topics: int
    n_systems: int
    n_pairs: int
    n_resamples: int
    on_means: bool


def no_resamples(size: Size) -> float:
    """The seconds of a test that draws no resamples: its formula for every pair."""
    return 1e-8 * size.n_topics * size.n_pairs


def statistic_of_pairs(size: Size) -> float:
    """The seconds of a test that has to compute a statistic other than the mean for every pair and resample."""
    return 7e-8 * size.n_resamples * size.n_topics * size.n_pairs


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
    run_families : families of one size and the pairs in each → families × pairs p-values, if that is quicker than one
        family after the other
    resamples : whether it draws resamples
    interval : what the t intervals of its differences are called
    errors : the standard errors and degrees of freedom behind them
    cautions : warnings of its own about a result
    work : seconds of processor time of its resamples, about
    rank : its place in lists
    """

    name: str
    title: str
    summary: str
    assumes: str
    run: Callable[[GridScores, Pairs, Resampling, float], Resampled]
    any_statistic: bool = False
    corrects_family: bool = False
    run_families: Callable[[list[GridScores], Pairs], Array] | None = None
    resamples: bool = False
    interval: str = T_INTERVAL
    errors: Callable[[GridScores, Pairs, Differences], Errors] = paired_errors
    cautions: Callable[[Comparison, Differences], list[str]] = no_cautions
    work: Callable[[Size], float] = no_resamples
    rank: int = 1000


ALIASES = {
    **dict.fromkeys(("paired-t", "t-test", "ttest", "paired-ttest", "paired-t-test", "student", "students-t"), "t"),
    **dict.fromkeys(("students-t-test", "student-t", "student-t-test", "ttest-rel", "t-test-rel"), "t"),
    **dict.fromkeys(("t-test-paired", "t-paired", "ttest-paired", "students-paired-t", "dependent-t"), "t"),
    **dict.fromkeys(("permutation", "fisher", "randomization", "sign-flip", "fishers-randomisation"), "randomisation"),
    **dict.fromkeys(("permutation-test", "randomisation-test", "randomization-test"), "randomisation"),
    **dict.fromkeys(("paired-permutation", "paired-randomisation", "paired-randomization"), "randomisation"),
    **dict.fromkeys(("wilcoxon-signed-rank", "signed-rank", "wilcoxon-test"), "wilcoxon"),
    **dict.fromkeys(("sign-test", "binomial"), "sign"),
    **dict.fromkeys(("independent-t", "two-sample-t", "ttest-ind", "t-test-ind", "pooled-t"), "unpaired-t"),
    **dict.fromkeys(("unpaired-t-test", "unpaired-ttest", "t-test-unpaired", "ttest-unpaired"), "unpaired-t"),
    **dict.fromkeys(("welch-t", "welchs-t", "welch-test", "welch-t-test", "welchs-t-test"), "welch"),
    **dict.fromkeys(("tukey-hsd", "hsd", "tukeys-hsd"), "tukey"),
    **dict.fromkeys(("randomized-tukey", "randomised-tukey-hsd", "randomized-tukey-hsd"), "randomised-tukey"),
    **dict.fromkeys(("bootstrap-shift", "shift"), "bootstrap"),
    **dict.fromkeys(("studentised-bootstrap", "studentized-bootstrap"), "bootstrap-t"),
}
"""Other names of tests, as other programs and papers have them."""
TESTS: Registry[SignificanceTest] = Registry("test", __name__, ALIASES)


def any_statistic_names() -> tuple[str, ...]:
    """The tests that take any statistic."""
    return tuple(name for name, test in TESTS.items() if test.any_statistic)


def table() -> list[tuple[str, str, str]]:
    """Name, summary and assumption of every test: the rows of the documentation."""
    return [(test.name, test.summary, test.assumes) for test in TESTS.values()]
