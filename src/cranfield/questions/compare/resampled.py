"""What resampling tests share: what systems are judged by, how to resample, and how many resamples suffice."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from cranfield.core.defaults import (
    ALTERNATIVE,
    MAX_T_RESAMPLES,
    MEMORY_MB,
    MOST_MAX_T_RESAMPLES,
    RANK_RESAMPLES,
    RESAMPLES,
    SEED,
    Alternative,
    StatisticName,
)
from cranfield.core.errors import ArgumentError, DataError, UnknownNameError
from cranfield.core.executors import Progress, map_in_order
from cranfield.core.resampling import (
    Block,
    blocks,
)
from cranfield.questions.compare.corrections import CORRECTIONS, resamples_needed
from cranfield.questions.compare.family import GridScores, Pairs

if TYPE_CHECKING:
    from cranfield.questions.compare.tests import SignificanceTest

Array = NDArray[np.float64]
_Result = TypeVar("_Result")
Statistic = Callable[..., Any]
"""Takes an array and ``axis``, and summarises along that axis, as ``numpy.median`` does."""

GEOMETRIC_FLOOR = 1e-5
"""Scores below it count as it in a geometric mean, as in trec_eval's gm_map."""


def mean(values: Array, axis: int) -> Array:
    """The arithmetic mean."""
    return np.asarray(np.sum(values, axis=axis) / values.shape[axis])


def median(values: Array, axis: int) -> Array:
    """The median (of an even number of scores: the mean of the middle two)."""
    return np.asarray(np.median(values, axis=axis))


def geometric_mean(values: Array, axis: int) -> Array:
    """exp of the mean logarithm, with scores below .00001 counted as .00001 (trec_eval's gm_map).

    >>> float(geometric_mean(np.array([0.0, 0.1]), 0).round(12))
    0.001
    """
    # Logarithms on a grid, so that the same scores in another order give the same sum to the last bit.
    logs = np.ldexp(np.rint(np.ldexp(np.log(np.maximum(values, GEOMETRIC_FLOOR)), 36)), -36)
    return np.asarray(np.exp(np.sum(logs, axis=axis) / values.shape[axis]))


_NAMED: dict[str, Statistic] = {"mean": mean, "median": median, "geometric-mean": geometric_mean}


def find_statistic(statistic: StatisticName | Statistic) -> tuple[str, Statistic]:
    """The name and the function of a statistic, tried once on a small array."""
    if isinstance(statistic, str):
        if statistic not in _NAMED:
            raise UnknownNameError("statistic", statistic, get_args(StatisticName))
        return statistic, _NAMED[statistic]
    name = getattr(statistic, "__name__", type(statistic).__name__)
    if not callable(statistic):
        raise ArgumentError(f"`statistic` must be a name or a function of (values, axis); got {statistic!r}")
    try:
        shape = np.shape(statistic(np.full((2, 3, 4), 0.5), axis=1))
    except TypeError as error:
        raise ArgumentError(f"`statistic` {name} must take (values, axis): {error}") from None
    if shape != (2, 4):
        raise ArgumentError(
            f"`statistic` {name} must summarise along `axis`: from a (2, 3, 4) array along axis 1 it made {shape}, "
            "expected (2, 4)"
        )
    return name, FiniteStatistic(name, statistic)


@dataclass(frozen=True)
class FiniteStatistic:
    """A statistic refused as soon as it gives no number: NaN is never as extreme as anything, so p would be tiny."""

    name: str
    function: Statistic

    def __call__(self, values: Array, axis: int) -> Array:
        """The statistic along an axis."""
        statistics = np.asarray(self.function(values, axis=axis), dtype=np.float64)
        if not np.isfinite(statistics).all():
            wrong = statistics[~np.isfinite(statistics)].flat[0]
            raise DataError(
                f"`statistic` {self.name} gave {wrong} for some of the scores; it must give a number for all"
            )
        return statistics


@dataclass(frozen=True)
class Resampling:
    """How to resample. Workers, executor and memory never change a result."""

    n_resamples: int = RESAMPLES
    seed: int = SEED
    alternative: Alternative = ALTERNATIVE
    statistic: Statistic = mean
    workers: int | None = None
    memory: float = MEMORY_MB
    progress: Progress | None = None
    executor: Executor | None = None
    percentiles: bool = True
    """Whether a bootstrap test also gives intervals per pair."""
    most: int | None = None
    """Resamples up to which max-t goes on until its critical value is precise; None: `n_resamples` are all."""

    @property
    def settings_alone(self) -> Resampling:
        """The same without what belongs to this process: what travels with a unit of work."""
        return replace(self, workers=1, progress=None, executor=None)

    @property
    def on_means(self) -> bool:
        """Whether sums over topics serve, by one matrix product for all systems."""
        return self.statistic is mean

    def over_blocks(
        self, work: Callable[..., _Result], *settings: Any, total: int | None = None
    ) -> Iterator[tuple[Block, _Result]]:
        """Every block of resamples, in order, and what `work` makes of it: called with `settings`, these, the block."""
        todo = blocks(self.n_resamples if total is None else total)
        done = map_in_order(
            partial(work, *settings, self.settings_alone),
            todo,
            executor=self.executor,
            workers=self.workers,
            progress=self.progress,
            weight=len,
        )
        return zip(todo, done, strict=True)


def monte_carlo(counts: NDArray[np.int64], n_resamples: int) -> Array:
    """(b + 1)/(B + 1): what was observed is one more arrangement, so p is never 0."""
    return (counts + 1) / (n_resamples + 1)


def extreme(resampled: Array, observed: float, alternative: Alternative, tolerance: float = 0.0) -> int:
    """How many resampled statistics are at least as extreme as the observed one.

    >>> extreme(np.array([-0.2, 0.1, 0.2]), 0.2, "two-sided")
    2
    """
    if alternative == "two-sided":
        return int((np.abs(resampled) >= abs(observed) - tolerance).sum())
    if alternative == "greater":
        return int((resampled >= observed - tolerance).sum())
    return int((resampled <= observed + tolerance).sum())


def pairwise(scores: GridScores, pairs: Pairs, how: Resampling) -> Array:
    """What was observed for every pair, on the scale on which the resamples are compared.

    Sums for means (exact on the grid), else the statistic.
    """
    if how.on_means:
        return pairs.of(scores.sums)
    return pairs.of(np.asarray(how.statistic(scores.values, axis=0), dtype=np.float64))


MOST_RESAMPLES = 1_000_000
_WORK = 4_000_000_000
"""Pairs times resamples, about, that a test may take unless told otherwise."""
_BOARD_WORK = 2_000_000_000
"""Pairs of systems times resamples, about, for rank intervals."""


def enough_resamples(
    test: SignificanceTest, correction: str, family: int, alpha: float, n_topics: int, on_means: bool
) -> int:
    """Resamples for a family of comparisons: 100,000, and more where the family could not be decided with these.

    The smallest p-value of a bootstrap test is 1/(B + 1), and Holm multiplies it by the family. So B is twice the least
    with which a pair could be significant; at most a million, and about a minute of work. The randomisation test of
    means resolves p-values of any size with 100,000, and so do tests that correct by themselves. Max-t stops earlier,
    at 9,999 or 10,000 more, once its critical value is precise. Corrections from the scores count their own maximum,
    for which 10,000 suffice in a large family.

    >>> from cranfield.questions.compare.tests import TESTS
    >>> [enough_resamples(TESTS[name], "holm", 8256, 0.05, 50, True) for name in ("randomisation", "bootstrap")]
    [100000, 330238]
    """
    entry = CORRECTIONS[correction]
    if test.by_maximum:
        # In whole stages of 10,000; of a family so large that they would take minutes, the first stage alone.
        stages = min((MOST_MAX_T_RESAMPLES + 1) // (MAX_T_RESAMPLES + 1), int(_BOARD_WORK / family / MAX_T_RESAMPLES))
        return max(stages, 1) * (MAX_T_RESAMPLES + 1) - 1
    if entry.of_scores is not None:
        return int(min(RESAMPLES, max(RANK_RESAMPLES, _BOARD_WORK / 20 / family)))
    if test.corrects_family or not test.resamples or (on_means and test.name == "randomisation"):
        return RESAMPLES
    needed = 2 * resamples_needed(entry.at_least(family), alpha)
    affordable = _WORK / family / (1 if on_means else n_topics)
    return int(max(RESAMPLES, min(needed, affordable, MOST_RESAMPLES)))


def board_resamples(n_systems: int, how: Resampling) -> int:
    """Resamples for rank intervals: 10,000, and fewer for many hundreds of systems.

    >>> [board_resamples(m, Resampling()) for m in (143, 1000)]
    [10000, 2000]
    """
    return int(min(RANK_RESAMPLES, max(1_000, _BOARD_WORK / n_systems**2)))


def resolution(n_topics: int, alternative: Alternative) -> float:
    """The smallest p-value the test can give: one arrangement of signs (two, two-sided) of all 2ⁿ.

    >>> resolution(10, "two-sided") * 1024
    2.0
    """
    return float(np.ldexp(2.0 if alternative == "two-sided" else 1.0, -min(n_topics, 1022)))


def critical_value(maxima: Array, alpha: float) -> float:
    """The largest maximum that is not significant: p ≤ alpha exactly for statistics above it; infinite for too few.

    Parameters
    ----------
    maxima : ascending

    >>> critical_value(np.arange(1.0, 100.0), 0.05)
    95.0
    """
    # p = (1 + b)/(B + 1); the small addend undoes rounding in alpha·(B + 1).
    allowed = math.floor(alpha * (len(maxima) + 1) + 1e-9) - 1
    return float(maxima[-1 - allowed]) if 0 <= allowed < len(maxima) else math.inf
