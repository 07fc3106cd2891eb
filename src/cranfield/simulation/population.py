"""Scores with known truth, drawn from past scores: topics with replacement, margins moved to the means wanted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import ArgumentError, DataError
from cranfield.labels import plural, summary
from cranfield.scores.doors import ScoresLike, as_matrix
from cranfield.sentences import simulation as say
from cranfield.simulation.moving import moved_quantile, solve_tilt

Array = NDArray[np.float64]
BOTTOM = 0.1
"""Share of the systems left out, the worst ones, as in the published simulations."""
FEWEST_TOPICS = 5
"""With fewer topics there is hardly a distribution to draw from."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Simulated collections.

    Attributes
    ----------
    scores : trials × topics × systems
    systems : trials × systems
        Which system of the population each one is made from.
    exchangeable : one per trial
        Whether the two systems of a pair could be swapped without changing their joint distribution.
    """

    scores: Array
    systems: NDArray[np.int64]
    exchangeable: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Population:
    """Past scores to draw from, systems in byte order of their names.

    Attributes
    ----------
    values : topics × systems
    systems : names of the columns
    measure : what the scores are
    ordered : systems × topics
        Every system's scores in ascending order.
    below, upto : topics × systems
        How many of a system's scores are smaller than this one, and how many are no larger.
    warnings : what was left out
    """

    values: Array
    systems: tuple[str, ...]
    measure: str
    ordered: Array
    below: NDArray[np.int64]
    upto: NDArray[np.int64]
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, scores: ScoresLike, bottom: float = BOTTOM) -> Population:
        """From past scores by one measure, without copies and without the worst systems.

        Parameters
        ----------
        bottom : share of the systems left out, from the worst; at least 2 systems stay

        >>> from cranfield.scores import make_scores
        >>> Population.of(make_scores(20, 12)).values.shape
        (20, 11)
        """
        matrix = as_matrix(scores).require(what="a simulation").canonical()
        if matrix.n_topics < FEWEST_TOPICS:
            raise DataError(
                f"{matrix.measure}: a simulation draws from at least {FEWEST_TOPICS} topics; there are "
                f"{matrix.n_topics}. Give the scores of more topics."
            )
        x = np.asarray(matrix.values)
        constant = [matrix.systems[j] for j in np.flatnonzero(np.ptp(x, axis=0) == 0)]
        if constant:
            raise DataError(
                f"{matrix.measure}: the same score on every topic leaves nothing to draw from: {summary(constant)}. "
                "Leave such systems out."
            )
        kept, said = _kept(x, bottom)
        if len(kept) < 2:
            raise DataError(f"{matrix.measure}: all systems are copies of one another; at least 2 must differ.")
        x = np.ascontiguousarray(x[:, kept])
        ordered = np.sort(x, axis=0).T
        below = np.stack([np.searchsorted(row, x[:, j], "left") for j, row in enumerate(ordered)], axis=1)
        upto = np.stack([np.searchsorted(row, x[:, j], "right") for j, row in enumerate(ordered)], axis=1)
        names = tuple(matrix.systems[j] for j in kept)
        texts = (*matrix.warnings, *(f"{matrix.measure}: {text}" for text in said))
        return cls(x, names, matrix.measure, np.ascontiguousarray(ordered), below, upto, texts)

    @property
    def n_systems(self) -> int:
        """How many systems can be drawn."""
        return len(self.systems)

    @property
    def means(self) -> Array:
        """The true mean of every system."""
        return np.asarray(self.values.mean(axis=0))

    def reachable(self, difference: float) -> NDArray[np.bool_]:
        """Whether system j can have the mean of system i and that mean plus the difference: i × j."""
        smallest, largest = self.ordered[:, 0], self.ordered[:, -1]
        mean = self.means[:, None]
        fits = (smallest[None] < mean) & (mean + difference < largest[None])
        fits[np.diag_indices_from(fits)] = mean[:, 0] + difference < largest
        return np.asarray(fits)

    def enough(self, n_systems: int) -> None:
        """Refuse more systems than there are."""
        if n_systems > self.n_systems:
            raise ArgumentError(f"`n_systems` is {n_systems}, but there are {self.n_systems} to draw from; draw fewer.")

    def admit(self, n_systems: int, difference: float) -> None:
        """Refuse what cannot be drawn."""
        self.enough(n_systems)
        own = self.reachable(difference)
        if not (own.sum(axis=1) >= n_systems).any():
            remedy = (
                "Write a smaller one." if difference else "Leave out systems whose scores never come near the others'."
            )
            raise ArgumentError(
                f"`difference` {difference:g} cannot be put between {n_systems} systems whose scores lie between "
                f"{self.values.min():g} and {self.values.max():g}. {remedy}"
            )

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
        """So many collections: systems at random, the mean of the first for all, plus a shift each.

        A trial draws systems without and topics with replacement. The margin F of every system is moved to the mean
        of the first one plus its shift by composing it with a Beta distribution function (`moved_quantile`). A score x
        stands for a u drawn evenly between F(x−) and F(x), and becomes the moved quantile at u: the order of topics
        within a system is kept but for neighbours, and every score is one that the system really had, so scores stay
        within [0, 1] and measures with few values keep them.

        Parameters
        ----------
        shifts : one per system
            The true means, beyond that of the first system.
        block : not looked at; a source that fits its systems beforehand has some of its own for every block
        exchangeable : whether the two scores of a pair with equal means are swapped by a coin, topic by topic
        """
        m = len(shifts)
        chosen = self._choose(rng, size, m, float(shifts.max()))
        topics = rng.integers(len(self.values), size=(size, n_topics))
        target = self.means[chosen[:, :1]] + shifts
        tilt = solve_tilt(self.ordered[chosen.ravel()], target.ravel()).reshape(size, 1, m)
        at = (topics[:, :, None], chosen[:, None, :])
        low = self.below[at]
        u = (low + rng.random((size, n_topics, m)) * (self.upto[at] - low)) / len(self.values)
        place = np.minimum((moved_quantile(u, tilt) * len(self.values)).astype(np.int64), len(self.values) - 1)
        scores = np.where(tilt == 0, self.values[at], self.ordered[chosen[:, None, :], place])
        if exchangeable:
            swapped = rng.random((size, n_topics, 1)) < 0.5
            scores = np.where(swapped, scores[:, :, ::-1], scores)
        return Drawn(scores, chosen, np.full(size, exchangeable))

    def _choose(self, rng: np.random.Generator, size: int, m: int, difference: float) -> NDArray[np.int64]:
        """Systems of every trial, none twice; the first one sets the mean that the others can reach."""
        fits = self.reachable(difference)
        firsts = np.flatnonzero((fits.sum(axis=1) >= m) & np.diagonal(fits))
        if not len(firsts):
            raise ArgumentError(f"`difference` {difference:g} is beyond what these scores can reach; write a smaller.")
        first = rng.choice(firsts, size)
        keys = rng.random((size, self.n_systems))
        keys[~fits[first]] = 2.0
        keys[np.arange(size), first] = -1.0
        return np.argsort(keys, axis=1, kind="stable")[:, :m]


def halves(n_systems: int, difference: float) -> Array:
    """The true means beyond that of the first system: the second half of the systems, one of two, are better.

    >>> halves(5, 0.1).tolist()
    [0.0, 0.0, 0.0, 0.1, 0.1]
    """
    return np.where(np.arange(n_systems) >= (n_systems + 1) // 2, difference, 0.0)


def _kept(x: Array, bottom: float) -> tuple[NDArray[np.intp], list[str]]:
    """Which systems stay: not those that copy an earlier one, nor the worst."""
    _, first = np.unique(x, axis=1, return_index=True)
    own = np.sort(first)
    said = []
    if len(own) < x.shape[1]:
        said.append(say.COPIES(systems=plural(x.shape[1] - len(own), "system")))
    worst = min(int(bottom * len(own)), len(own) - 2)
    if worst > 0:
        order = np.argsort(x[:, own].mean(axis=0), kind="stable")
        own = np.sort(own[order[worst:]])
    return own, said
