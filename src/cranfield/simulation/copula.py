"""Pairs of systems from fitted margins and copulas, as Urbano, Lima & Hanjalic (SIGIR 2019) simulate them."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import ArgumentError, DataError
from cranfield.executors import map_in_order
from cranfield.resampling import generator
from cranfield.settings.simulate import copulas_there
from cranfield.simulation.margins import Margin, fit_margin
from cranfield.simulation.moving import moved_quantile, solve_tilt
from cranfield.simulation.population import Drawn, Population

if TYPE_CHECKING:
    from cranfield.simulation.trials import Plan

Array = NDArray[np.float64]
CLUSTER = 8
"""Trials that share a fitted pair."""
PAIRS = 123
"""The stream of random numbers of the pairs that are fitted."""


@dataclass(frozen=True, eq=False)
class FittedCopula:
    """The copula of two systems.

    Attributes
    ----------
    bicop : pyvinecopulib's copula
    exchangeable : whether both systems could be swapped: not so for Tawn's, non-parametric and quarter-turned ones
    """

    bicop: Any
    exchangeable: bool


@dataclass(frozen=True, eq=False)
class PairCopulas:
    """Fitted pairs to draw from; both systems of a pair have the margin of the first.

    Attributes
    ----------
    pairs : pairs × 2, positions of systems
    copulas : one per pair
    margins : by system
    """

    population: Population
    pairs: NDArray[np.int64]
    copulas: tuple[FittedCopula, ...]
    margins: dict[int, Margin]
    per_block: int

    @classmethod
    def of(
        cls, population: Population, plan: Plan, workers: int | None = None, executor: Executor | None = None
    ) -> PairCopulas:
        """Fit as many pairs as the trials of a plan need, `CLUSTER` trials each."""
        from cranfield.simulation.trials import BLOCK

        library()
        low, high = float(population.values.min()), float(population.values.max())
        if low < 0 or high > 1:
            raise DataError(
                f"{population.measure}: margins are fitted to scores between 0 and 1; there are scores from {low:g} to "
                f"{high:g}. Use mode 'resample'."
            )
        per_block = BLOCK // CLUSTER
        rng = generator(plan.seed, PAIRS)
        keys = rng.random((len(plan.blocks) * per_block, population.n_systems))
        pairs = np.argsort(keys, axis=1)[:, :2]
        distinct = np.unique(pairs, axis=0)
        done = map_in_order(partial(fit_pair, population.values), distinct, executor=executor, workers=workers)
        by_pair = {tuple(pair): copula for pair, copula in zip(distinct.tolist(), done, strict=True)}
        support = np.unique(population.values)
        firsts = np.unique(pairs[:, 0]).tolist()
        margins = {j: fit_margin(population.values[:, j], support) for j in firsts}
        return cls(population, pairs, tuple(by_pair[tuple(pair)] for pair in pairs.tolist()), margins, per_block)

    def draw(
        self,
        rng: np.random.Generator,
        size: int,
        n_topics: int,
        shifts: Array,
        *,
        block: int = 0,
        exchangeable: bool = False,
    ) -> Drawn:
        """The trials of one block, from the pairs that are its own."""
        own = slice(block * self.per_block, (block + 1) * self.per_block)
        scores = np.empty((self.per_block, CLUSTER, n_topics, 2))
        for at, (pair, copula) in enumerate(zip(self.pairs[own], self.copulas[own], strict=True)):
            margin = self.margins[int(pair[0])]
            u = copula.bicop.sample(CLUSTER * n_topics, seeds=rng.integers(2**31 - 1, size=5).tolist())
            scores[at, :, :, 0] = margin.at(u[:, 0]).reshape(CLUSTER, n_topics)
            scores[at, :, :, 1] = self._moved(margin, u[:, 1], float(shifts[1])).reshape(CLUSTER, n_topics)
        alike = np.repeat([copula.exchangeable for copula in self.copulas[own]], CLUSTER)
        systems = np.repeat(self.pairs[own], CLUSTER, axis=0)
        return Drawn(scores.reshape(-1, n_topics, 2)[:size], systems[:size], alike[:size])

    def _moved(self, margin: Margin, u: Array, difference: float) -> Array:
        """Quantiles of the margin, moved by composing it with a Beta distribution function."""
        if difference == 0:
            return margin.at(u)
        target = margin.quantiles.mean() + difference
        if target >= margin.quantiles.max():
            raise ArgumentError(
                f"`difference` {difference:g} is more than a margin with mean {margin.quantiles.mean():.3f} can be "
                "moved; write a smaller one."
            )
        tilt = solve_tilt(margin.quantiles[None], np.array([target]))
        return margin.at(moved_quantile(u, tilt))


def fit_pair(values: Array, pair: NDArray[np.int64]) -> FittedCopula:
    """The copula of two systems, chosen by AIC among all families of pyvinecopulib, on pseudo-observations."""
    vines = library()
    u = vines.to_pseudo_obs(values[:, pair])
    controls = vines.FitControlsBicop(selection_criterion="aic", num_threads=1)
    bicop = vines.Bicop.from_data(u, controls=controls)
    symmetric = bicop.family not in (vines.BicopFamily.tawn, vines.BicopFamily.tll)
    return FittedCopula(bicop, bool(symmetric and bicop.rotation in (0, 180)))


def library() -> Any:
    """pyvinecopulib, or how to get it."""
    copulas_there("mode", "copula")
    import pyvinecopulib

    return pyvinecopulib
