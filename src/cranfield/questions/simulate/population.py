"""Scores with known true means, drawn from past scores: topics with replacement, margins moved to target means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from cranfield.core.answer import sentence
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.labels import plural, summary
from cranfield.scores.doors import ScoresLike, as_matrix
from cranfield.scores.matrix import ScoreMatrix

Array = NDArray[np.float64]
BOTTOM = 0.1
"""Share of the worst systems that is dropped, as in the published simulations."""
FEWEST_TOPICS = 5
"""Fewest topics to draw from."""
_WIDEST = 40.0
"""Bound on log a: the mean is then within 1e-15 of the smallest or largest score."""
_STEPS = 100
"""More than bisection alone needs; Newton's method takes about six."""
_TOGETHER = 1 << 20
"""Numbers per step, to bound memory."""
COPIES = sentence(
    "simulation.copies",
    "The simulation drops {systems} with the same scores as another.",
    "that many systems have the scores of an earlier one on every topic",
)


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

        >>> from cranfield.scores.synthetic import make_scores
        >>> Population.of(make_scores(20, 12)).values.shape
        (20, 11)
        """
        matrix = past_scores(scores)
        x = np.asarray(matrix.values)
        constant = [matrix.systems[j] for j in np.flatnonzero(np.ptp(x, axis=0) == 0)]
        if constant:
            raise DataError(
                f"{matrix.measure}: systems with the same score on every topic cannot be simulated: "
                f"{summary(constant)}. Drop them."
            )
        kept, said = _kept(x, bottom)
        if len(kept) < 2:
            raise DataError(f"{matrix.measure}: all systems have the same scores. Give at least 2 that differ.")
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
            raise ArgumentError(f"`n_systems` is {n_systems}, but there are {self.n_systems} to draw from. Draw fewer.")

    def admit(self, n_systems: int, difference: float) -> None:
        """Refuse impossible draws."""
        self.enough(n_systems)
        own = self.reachable(difference)
        if not (own.sum(axis=1) >= n_systems).any():
            remedy = "Write a smaller one." if difference else "Drop systems whose scores are far from the others'."
            raise ArgumentError(
                f"`difference` {difference:g} is not possible between {n_systems} systems with scores from "
                f"{self.values.min():g} to {self.values.max():g}. {remedy}"
            )

    def draw(
        self, rng: Generator, size: int, n_topics: int, shifts: Array, *, block: int = 0, exchangeable: bool = False
    ) -> Drawn:
        """`size` collections of random systems, each with the mean of the first plus its shift.

        A trial draws systems without and topics with replacement. The margin F of every system is composed with a Beta
        distribution function (`moved_quantile`). Its mean then is that of the first one plus its shift. A score x
        is replaced by the moved quantile at u, where u is uniform between F(x−) and F(x). The order of topics within a
        system is kept except for neighbours. Every score is one of that system, so scores stay within [0, 1] and
        measures with few values keep them.

        Parameters
        ----------
        shifts : one per system
            The true means, beyond that of the first system.
        block : ignored; sources with fitted systems have different ones for every block
        exchangeable : whether the two scores of a pair with equal means are swapped at random, topic by topic
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

    def _choose(self, rng: Generator, size: int, m: int, difference: float) -> NDArray[np.int64]:
        """Distinct systems of every trial; all can reach the mean of the first."""
        fits = self.reachable(difference)
        firsts = np.flatnonzero((fits.sum(axis=1) >= m) & np.diagonal(fits))
        if not len(firsts):
            raise ArgumentError(f"`difference` {difference:g} is too large for these scores. Write a smaller one.")
        first = rng.choice(firsts, size)
        keys = rng.random((size, self.n_systems))
        keys[~fits[first]] = 2.0
        keys[np.arange(size), first] = -1.0
        return np.argsort(keys, axis=1, kind="stable")[:, :m]


def past_scores(scores: ScoresLike) -> ScoreMatrix:
    """Scores by one measure on enough topics to draw from, in byte order of their labels."""
    matrix = as_matrix(scores).require(what="a simulation").canonical()
    if matrix.n_topics < FEWEST_TOPICS:
        raise DataError(
            f"{matrix.measure}: a simulation needs at least {FEWEST_TOPICS} topics; there are {matrix.n_topics}. "
            "Give the scores of more topics."
        )
    return matrix


def halves(n_systems: int, difference: float) -> Array:
    """The true means minus that of the first system: the second half of the systems is better.

    >>> halves(5, 0.1).tolist()
    [0.0, 0.0, 0.0, 0.1, 0.1]
    """
    return np.where(np.arange(n_systems) >= (n_systems + 1) // 2, difference, 0.0)


def _kept(x: Array, bottom: float) -> tuple[NDArray[np.intp], list[str]]:
    """The systems that stay: without duplicates and the worst."""
    _, first = np.unique(x, axis=1, return_index=True)
    own = np.sort(first)
    said = []
    if len(own) < x.shape[1]:
        said.append(COPIES(systems=plural(x.shape[1] - len(own), "system")))
    worst = min(int(bottom * len(own)), len(own) - 2)
    if worst > 0:
        order = np.argsort(x[:, own].mean(axis=0), kind="stable")
        own = np.sort(own[order[worst:]])
    return own, said


def moved_quantile(u: Array, tilt: Array) -> Array:
    """Where in the old margin the quantile u of the moved one lies.

    The moved distribution is B(F(x)). For a tilt log a > 0, B = Beta(a, 1), which raises the mean. For a tilt below 0,
    B = Beta(1, 1/a), which lowers it. A tilt of 0 moves nothing. So the quantile is Q(B⁻¹(u)), with
    B⁻¹(u) = u^(1/a), or 1 − (1 − u)^a.

    >>> moved_quantile(np.array([0.25, 0.25]), np.array([np.log(2), 0.0])).tolist()
    [0.5, 0.25]
    """
    with np.errstate(under="ignore"):
        raised = u ** np.exp(-np.maximum(tilt, 0.0))
        lowered = 1 - (1 - u) ** np.exp(np.minimum(tilt, 0.0))
    return np.asarray(np.where(tilt > 0, raised, lowered))


def solve_tilt(ordered: Array, target: Array) -> Array:
    """The tilt at which the margin has the wanted mean, one per row.

    With scores x₁ ≤ … ≤ x_T the mean is x_T − Σ B(k/T)(x_{k+1} − x_k) over k < T. Lowering a mean is the mirror image
    of raising it, so B(s) = s^a. log a is found by Newton's method, with bisection outside the bracket.

    Parameters
    ----------
    ordered : rows × topics
        A system's scores in ascending order.
    target : one per row
        The mean wanted, strictly between the smallest and the largest score.

    >>> tilt = solve_tilt(np.array([[0.0, 0.2, 0.7]]), np.array([0.5]))
    >>> below = np.array([0, 1 / 3, 2 / 3, 1]) ** np.exp(tilt)
    >>> bool(np.isclose(np.diff(below) @ [0.0, 0.2, 0.7], 0.5))
    True
    """
    tilt = np.zeros(len(ordered))
    means = ordered.mean(axis=1)
    # A margin that already has the target mean is not changed.
    away = np.flatnonzero(np.abs(means - target) > 1e-12 * (ordered[:, -1] - ordered[:, 0]))
    size = max(1, _TOGETHER // ordered.shape[1])
    for start in range(0, len(away), size):
        rows = away[start : start + size]
        gaps = np.diff(ordered[rows], axis=1)
        raised = target[rows] > means[rows]
        gaps = np.where(raised[:, None], gaps, gaps[:, ::-1])
        left = np.where(raised, ordered[rows, -1] - target[rows], target[rows] - ordered[rows, 0])
        tilt[rows] = np.where(raised, 1, -1) * _raise(gaps, left)
    return tilt


def _raise(gaps: Array, left: Array) -> Array:
    """log a ≥ 0 at which Σ (k/T)^a gap_k, which decreases with a, equals `left`, the distance to the largest score."""
    topics = gaps.shape[1] + 1
    logs = np.log(np.arange(1, topics) / topics)
    low, high = np.zeros(len(gaps)), np.full(len(gaps), _WIDEST)
    at, open_ = low.copy(), np.arange(len(gaps))
    with np.errstate(under="ignore", over="ignore"):
        for _ in range(_STEPS):
            here = at[open_]
            powers = np.exp(here)[:, None] * logs
            terms = np.exp(powers) * gaps[open_]
            total = terms.sum(axis=1)
            slope = np.einsum("ij,ij->i", terms, powers)
            above = total > left[open_]
            low[open_] = np.where(above, here, low[open_])
            high[open_] = np.where(above, high[open_], here)
            # Newton's step for the logarithm of the sum, which is closer to linear than the sum.
            there = slope < 0  # if all terms are 0 there is no Newton step, only bisection
            some, falls = np.where(there, total, 1.0), np.where(there, slope, -1.0)
            step = np.where(there, here - np.log(some / left[open_]) * some / falls, np.inf)
            inside = (step > low[open_]) & (step < high[open_])
            at[open_] = np.where(inside, step, (low[open_] + high[open_]) / 2)
            open_ = open_[np.abs(at[open_] - here) > 1e-13 * np.maximum(1.0, here)]
            if not len(open_):
                break
    return at
