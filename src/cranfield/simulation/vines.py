"""Whole matrices of systems from fitted margins and vine copulas."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cranfield.errors import ArgumentError
from cranfield.executors import map_in_order
from cranfield.resampling import generator
from cranfield.simulation.copula import CLUSTER, PAIRS, Array, Indices, fit_margins, fitted, library, moved
from cranfield.simulation.margins import Margin
from cranfield.simulation.population import Drawn, Population, halves

TREES = 10
"""Trees of a vine; what systems have in common beyond so many others is taken for nothing."""


@dataclass(frozen=True, eq=False)
class VineFamilies:
    """Fitted families to draw from: all systems have the margin of the first, half of them moved by the difference.

    Attributes
    ----------
    margins : one per system of the population
    vines : by family, the positions of its systems in ascending order
    """

    population: Population
    margins: tuple[Margin, ...]
    vines: dict[tuple[int, ...], Any]
    seed: int
    n_systems: int

    @classmethod
    def of(
        cls,
        population: Population,
        n_systems: int,
        seed: int,
        per_block: int,
        blocks: Iterable[int],
        workers: int | None = None,
        executor: Executor | None = None,
    ) -> VineFamilies:
        """Fit the families that so many blocks of trials need, `CLUSTER` trials each."""
        library()
        bare = cls(population, fit_margins(population, workers, executor), {}, seed, n_systems)
        chosen = [bare.families(block, per_block) for block in blocks]
        every = np.concatenate([np.empty((0, n_systems), dtype=np.int64), *chosen])
        distinct = np.unique(np.sort(every, axis=1), axis=0)
        done = map_in_order(partial(fit_vine, population.values), distinct, executor=executor, workers=workers)
        vines = {tuple(family.tolist()): vine for family, vine in zip(distinct, done, strict=True)}
        return cls(population, bare.margins, vines, seed, n_systems)

    def families(self, block: int, size: int) -> Indices:
        """The families of one block of trials: positions of systems, the one whose margin all have first."""
        keys = generator(self.seed, PAIRS, block).random((size // CLUSTER, self.population.n_systems))
        return np.argsort(keys, axis=1)[:, : self.n_systems]

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
        """The trials of one block, from the families that are its own."""
        families = self.families(block, size)
        scores = np.empty((len(families), CLUSTER, n_topics, self.n_systems))
        for at, family in enumerate(families):
            order = np.argsort(family)
            vine = self.vines[tuple(family[order].tolist())]
            u = np.empty((CLUSTER * n_topics, self.n_systems))
            u[:, order] = vine.sample(len(u), seeds=rng.integers(2**31 - 1, size=5).tolist())
            margin = self.margins[int(family[0])]
            for column, shift in enumerate(shifts.tolist()):
                target = reachable_mean(margin, shift)
                scores[at, :, :, column] = moved(margin, u[:, column], target).reshape(CLUSTER, n_topics)
        systems = np.repeat(families, CLUSTER, axis=0)
        return Drawn(scores.reshape(-1, n_topics, self.n_systems), systems, np.zeros(len(systems), dtype=np.bool_))


def reachable_mean(margin: Margin, shift: float) -> float:
    """The mean of a margin plus a shift, which must be below its highest score."""
    target = margin.mean + shift
    if shift and target >= margin.quantiles.max():
        raise ArgumentError(
            f"`difference` {shift:g} is more than a margin with mean {margin.mean:.3f} and highest score "
            f"{margin.quantiles.max():.3f} can be moved. Write a smaller one."
        )
    return target


def fit_vine(values: Array, systems: Indices) -> Any:
    """The vine copula of several systems: structure and families by AIC, on pseudo-observations, at most `TREES` trees.

    References
    ----------
    Dißmann, Brechmann, Czado & Kurowicka, "Selecting and estimating regular vine copulae" (CSDA 59, 2013).
    """
    vines = library()
    controls = vines.FitControlsVinecop(
        selection_criterion="aic", trunc_lvl=min(TREES, len(systems) - 1), num_threads=1
    )
    return fitted(vines.Vinecop, values, systems, controls)


def draw_matrix(
    population: Population, rng: np.random.Generator, n_topics: int, n_systems: int, difference: float | None
) -> tuple[Indices, Array, Array]:
    """One matrix: which systems it is made from, its scores, and the true means.

    Without a difference every system has its own fitted margin; with one, all have that of the first, which is moved
    for the better half.
    """
    population.enough(n_systems)
    chosen = rng.permutation(population.n_systems)[:n_systems]
    if difference is None:
        chosen = np.sort(chosen)
    order = np.argsort(chosen)
    u = np.empty((n_topics, n_systems))
    u[:, order] = fit_vine(population.values, chosen[order]).sample(
        n_topics, seeds=rng.integers(2**31 - 1, size=5).tolist()
    )
    margins = fit_margins(population)
    if difference is None:
        own = [margins[j] for j in chosen]
        means = np.array([margin.mean for margin in own])
    else:
        own = [margins[int(chosen[0])]] * n_systems
        means = np.array([reachable_mean(own[0], shift) for shift in halves(n_systems, difference).tolist()])
    columns = [moved(margin, u[:, j], mean) for j, (margin, mean) in enumerate(zip(own, means.tolist(), strict=True))]
    return chosen, np.stack(columns, axis=1), means
