"""Systems from fitted margins and copulas, as in Urbano et al. (2019).

Pairs have a copula; families and whole matrices have a vine copula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.executors import map_in_order
from cranfield.core.labels import summary
from cranfield.core.resampling import generator
from cranfield.questions.simulate.margins import EDGE, Margin, fit_margin, inside, support_of
from cranfield.questions.simulate.population import Drawn, Population, halves, moved_quantile, solve_tilt
from cranfield.questions.simulate.question import copulas_there

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
CLUSTER = 8
"""Trials that share a fitted pair or family."""
PAIRS = 123
"""The stream of random numbers of the systems that are fitted."""
BASELINES = 0.75
"""Share of the systems, from the worst, that can be the first of a pair with a difference."""
NEAREST = 10
"""Number of systems nearest to the target mean, one of which is moved there."""
TREES = 10
"""Most trees of a vine; dependence beyond them is ignored."""


@dataclass(frozen=True, eq=False)
class FittedCopula:
    """The copula of two systems.

    Attributes
    ----------
    bicop : pyvinecopulib's copula
    exchangeable : whether it is symmetric; Tawn's, non-parametric and quarter-turned copulas are not
    """

    bicop: Any
    exchangeable: bool


@dataclass(frozen=True, eq=False)
class PairCopulas:
    """Fitted pairs to draw from.

    Without a true difference, both systems of a pair have the margin of the first. With one, the first is from the
    lower three quarters. The second is one of the ten with means nearest to the target, and its margin is moved there.

    Attributes
    ----------
    margins : one per system
    copulas : by pair, the earlier system first
    """

    population: Population
    margins: tuple[Margin, ...]
    copulas: dict[tuple[int, ...], FittedCopula]
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
        copulas = _fit_distinct(partial(fit or fit_pair, population.values), chosen, workers, executor)
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
                f"`difference` {difference:g} is not possible between two fitted margins, which range from "
                f"{every.min():.3g} to {every.max():.3g}. Write a smaller one, or drop systems whose scores are far "
                "from the others'."
            )
        chosen = [(firsts[int(one * len(firsts))], other) for one, other in keys[:, :2]]
        pairs = [(first, partners[first][int(other * len(partners[first]))]) for first, other in chosen]
        return np.array(pairs, dtype=np.int64)

    def _partners(self, difference: float) -> dict[int, list[int]]:
        """For every first system, those that can be moved to its mean plus the difference."""
        means = np.array([margin.mean for margin in self.margins])
        ends = np.array([(margin.quantiles.min(), margin.quantiles.max()) for margin in self.margins])
        best = round((1 - BASELINES) * len(means)) if len(means) > 2 else 0
        partners = {}
        for first in np.argsort(-means, kind="stable")[best:].tolist():
            target = means[first] + difference
            near = [j for j in np.argsort(np.abs(means - target), kind="stable").tolist() if j != first][:NEAREST]
            if able := [j for j in near if ends[j, 0] < target < ends[j, 1]]:
                partners[first] = able
        return partners

    def draw(
        self, rng: Generator, size: int, n_topics: int, shifts: Array, *, block: int = 0, exchangeable: bool = False
    ) -> Drawn:
        """The trials of one block, from its pairs."""
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
        vines = _fit_distinct(partial(fit_vine, population.values), chosen, workers, executor)
        return cls(population, bare.margins, vines, seed, n_systems)

    def families(self, block: int, size: int) -> Indices:
        """The families of one block of trials: positions of systems, the one whose margin all have first."""
        keys = generator(self.seed, PAIRS, block).random((size // CLUSTER, self.population.n_systems))
        return np.argsort(keys, axis=1)[:, : self.n_systems]

    def draw(
        self, rng: Generator, size: int, n_topics: int, shifts: Array, *, block: int = 0, exchangeable: bool = False
    ) -> Drawn:
        """The trials of one block, from its families."""
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


def _fit_distinct(
    fit: Callable[[Indices], Any], chosen: list[Indices], workers: int | None, executor: Executor | None
) -> dict[tuple[int, ...], Any]:
    """What is fitted to every set of systems among those chosen, by their positions in ascending order."""
    distinct = np.unique(np.sort(np.concatenate(chosen), axis=1), axis=0) if chosen else np.empty((0, 2), np.int64)
    done = map_in_order(fit, distinct, executor=executor, workers=workers)
    return {tuple(systems.tolist()): copula for systems, copula in zip(distinct, done, strict=True)}


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
            f"{population.measure}: systems with all scores within {EDGE:g} of 0 or 1 cannot be fitted: "
            f"{summary([population.systems[j] for j in crowded])}. Drop them, or use mode 'resample'."
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
    """A copula of this kind on the scores of these systems; fitting fails with few, tied scores."""
    try:
        return kind.from_data(pseudo_observations(values, systems), controls=controls)
    except RuntimeError as error:
        raise DataError(
            f"no copula can be fitted to the scores of {len(systems)} systems on {len(values)} topics ({error}). Give "
            "the scores of more topics, or use mode 'resample'."
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


def reachable_mean(margin: Margin, shift: float) -> float:
    """The mean of a margin plus a shift, which must be below its highest score."""
    target = margin.mean + shift
    if shift and target >= margin.quantiles.max():
        raise ArgumentError(
            f"`difference` {shift:g} is too large for a margin with mean {margin.mean:.3f} and highest score "
            f"{margin.quantiles.max():.3f}. Write a smaller one."
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
    population: Population, rng: Generator, n_topics: int, n_systems: int, difference: float | None
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
