"""What the resampling tests share: their settings, and what they find."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.grid import GridScores
from cranfield.comparison.pairs import Pairs
from cranfield.comparison.statistics import Statistic, mean
from cranfield.defaults import ALTERNATIVE, MEMORY_MB, RESAMPLES, SEED, Alternative
from cranfield.executors import Progress

Array = NDArray[np.float64]


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
    """Whether a bootstrap test gives percentile intervals of the differences, too."""

    @property
    def settings_alone(self) -> Resampling:
        """The same without what belongs to this process: what travels with a unit of work."""
        return replace(self, workers=1, progress=None, executor=None)

    @property
    def on_means(self) -> bool:
        """Whether sums over topics serve, by one matrix product for all systems."""
        return self.statistic is mean


@dataclass(frozen=True)
class Resampled:
    """P-values of a test, one per pair; of a test by formula they are all there is to say.

    Parameters
    ----------
    p : the p-values
    smallest : the smallest p-value the test could have given
    exact : whether every possibility was enumerated, not a sample drawn
    n_resamples : how many were enumerated or drawn
    lower, upper : ends of intervals, where the test itself gives them
    method : how each p-value was found, where not all alike
    """

    p: Array
    smallest: float = 0.0
    exact: bool = False
    n_resamples: int = 0
    lower: Array | None = None
    upper: Array | None = None
    method: Sequence[str] = ()


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
