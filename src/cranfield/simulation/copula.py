"""Pairs of systems from fitted margins and copulas, as Urbano, Lima & Hanjalic (SIGIR 2019) simulate them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import ArgumentError, DataError
from cranfield.executors import map_in_order
from cranfield.labels import summary
from cranfield.resampling import generator
from cranfield.settings.simulate import copulas_there
from cranfield.simulation.margins import EDGE, Margin, fit_margin, inside
from cranfield.simulation.moving import moved_quantile, solve_tilt
from cranfield.simulation.population import Drawn, Population
from cranfield.simulation.support import support_of

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
CLUSTER = 8
"""Trials that share a fitted pair or family."""
PAIRS = 123
"""The stream of random numbers of the systems that are fitted."""
BASELINES = 0.75
"""Share of the systems, from the worst, that a better one is put beside."""
NEAREST = 10
"""Systems nearest to the wanted mean, of which one is moved there."""


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
    """Fitted pairs to draw from.

    Without a true difference, both systems of a pair have the margin of the first. With one, the first is of the lower
    three quarters, and the second one of the ten whose means are nearest to the one wanted, its own margin moved there.

    Attributes
    ----------
    margins : one per system
    copulas : by pair, the earlier system first
    """

    population: Population
    margins: tuple[Margin, ...]
    copulas: dict[tuple[int, int], FittedCopula]
    seed: int

    @classmethod
    def of(
        cls,
        population: Population,
        seed: int,
        per_block: int,
        blocks: Iterable[int],
        differences: Iterable[float],
        workers: int | None = None,
        executor: Executor | None = None,
        fit: Callable[[Array, Indices], FittedCopula] | None = None,
        margins: tuple[Margin, ...] | None = None,
    ) -> PairCopulas:
        """Fit the pairs that so many blocks of trials need.

        Parameters
        ----------
        per_block : trials of a block, `CLUSTER` of which share a pair
        blocks : those that will be drawn
        differences : the true differences that will be drawn
        fit : gives the copula of two systems; `fit_pair` unless given
        margins : one per system; fitted (`fit_margins`) unless given
        """
        library()
        bare = cls(population, margins or fit_margins(population, workers, executor), {}, seed)
        blocks = list(blocks)
        chosen = [bare.pairs(block, per_block, difference) for difference in differences for block in blocks]
        distinct = np.unique(np.sort(np.concatenate([np.empty((0, 2), dtype=np.int64), *chosen]), axis=1), axis=0)
        done = map_in_order(partial(fit or fit_pair, population.values), distinct, executor=executor, workers=workers)
        copulas = {(int(a), int(b)): copula for (a, b), copula in zip(distinct, done, strict=True)}
        return cls(population, bare.margins, copulas, seed)

    def pairs(self, block: int, size: int, difference: float) -> Indices:
        """The pairs of one block of trials: positions of systems, the one with the higher true mean last."""
        keys = generator(self.seed, PAIRS, block).random((size // CLUSTER, self.population.n_systems + 2))
        if difference == 0:
            return np.argsort(keys[:, 2:], axis=1)[:, :2]
        partners = self._partners(difference)
        firsts = sorted(partners)
        if not firsts:
            every = np.concatenate([margin.quantiles for margin in self.margins])
            raise ArgumentError(
                f"`difference` {difference:g} cannot be put between two of the fitted margins, which lie between "
                f"{every.min():.3g} and {every.max():.3g}. Write a smaller one, or leave out systems whose scores "
                "never come near the others'."
            )
        out = []
        for one, other in keys[:, :2]:
            first = firsts[int(one * len(firsts))]
            out.append((first, partners[first][int(other * len(partners[first]))]))
        return np.array(out, dtype=np.int64)

    def _partners(self, difference: float) -> dict[int, list[int]]:
        """For every first system, those that can be moved to its mean plus the difference."""
        means = np.array([margin.mean for margin in self.margins])
        lowest = np.array([margin.quantiles.min() for margin in self.margins])
        highest = np.array([margin.quantiles.max() for margin in self.margins])
        best = round((1 - BASELINES) * len(means)) if len(means) > 2 else 0
        partners = {}
        for first in np.argsort(-means, kind="stable")[best:].tolist():
            target = means[first] + difference
            near = [j for j in np.argsort(np.abs(means - target), kind="stable").tolist() if j != first][:NEAREST]
            if able := [j for j in near if lowest[j] < target < highest[j]]:
                partners[first] = able
        return partners

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
        difference = float(shifts[1])
        pairs = self.pairs(block, size, difference)
        scores = np.empty((len(pairs), CLUSTER, n_topics, 2))
        alike = np.empty(len(pairs), dtype=np.bool_)
        for at, (a, b) in enumerate(pairs.tolist()):
            copula = self.copulas[min(a, b), max(a, b)]
            u = copula.bicop.sample(CLUSTER * n_topics, seeds=rng.integers(2**31 - 1, size=5).tolist())
            if b < a:
                u = u[:, ::-1]
            first = self.margins[a]
            second = self.margins[a if difference == 0 else b]
            both = first.at(u[:, 0]), moved(second, u[:, 1], first.mean + difference)
            scores[at] = np.stack(both, axis=1).reshape(CLUSTER, n_topics, 2)
            alike[at] = copula.exchangeable
        return Drawn(scores.reshape(-1, n_topics, 2), np.repeat(pairs, CLUSTER, axis=0), np.repeat(alike, CLUSTER))


def moved(margin: Margin, u: Array, target: float) -> Array:
    """Quantiles of a margin, moved to another mean by composing it with a Beta distribution function."""
    if target == margin.mean:
        return margin.at(u)
    return margin.at(moved_quantile(u, solve_tilt(margin.quantiles[None], np.array([target]))))


def fit_margins(
    population: Population, workers: int | None = None, executor: Executor | None = None
) -> tuple[Margin, ...]:
    """The margin of every system, each chosen by AIC."""
    support = support_of(population.measure, population.values)
    crowded = np.flatnonzero(np.ptp(inside(population.values), axis=0) == 0)
    if support is None and len(crowded):
        raise DataError(
            f"{population.measure}: all scores within {EDGE:g} of 0 or of 1 leave no distribution to fit: "
            f"{summary([population.systems[j] for j in crowded])}. Leave such systems out, or resample the topics."
        )
    fit = partial(fit_margin, support=support)
    return tuple(map_in_order(fit, list(population.values.T), executor=executor, workers=workers))


def fit_pair(values: Array, pair: Indices) -> FittedCopula:
    """The copula of two systems, chosen by AIC among all families of pyvinecopulib, on pseudo-observations.

    Ties, which a copula of continuous margins cannot have, are broken at random.
    """
    vines = library()
    controls = vines.FitControlsBicop(selection_criterion="aic", num_threads=1)
    bicop = fitted(vines.Bicop, values, pair, controls)
    symmetric = bicop.family not in (vines.BicopFamily.tawn, vines.BicopFamily.tll)
    return FittedCopula(bicop, bool(symmetric and bicop.rotation in (0, 180)))


def fitted(kind: Any, values: Array, systems: Indices, controls: Any) -> Any:
    """A copula of this kind on the scores of these systems; the library gives up on some that are few and tied."""
    try:
        return kind.from_data(pseudo_observations(values, systems), controls=controls)
    except RuntimeError as error:
        raise DataError(
            f"no copula can be fitted to the scores of {len(systems)} systems on {len(values)} topics ({error}). Give "
            "the scores of more topics, or resample the topics."
        ) from None


def pseudo_observations(values: Array, systems: Indices) -> Array:
    """Ranks within every system divided by one more than the topics; ties broken at random, by the systems' places."""
    seeds = [int(j) + 1 for j in systems]
    return np.asarray(library().to_pseudo_obs(values[:, systems], ties_method="random", seeds=seeds))


def library() -> Any:
    """pyvinecopulib, or how to get it."""
    copulas_there("mode", "copula")
    import pyvinecopulib

    return pyvinecopulib
