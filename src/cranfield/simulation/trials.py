"""A block of simulated collections through every test: which true and false hypotheses are rejected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.analysis import run_test
from cranfield.comparison.corrections import CORRECTIONS, adjust, at_most
from cranfield.comparison.grid import GridScores
from cranfield.comparison.lattice import WIDEST_COARSE, find_lattice, lattice_p
from cranfield.comparison.pairs import Pairs, all_pairs
from cranfield.comparison.resampled import Resampling
from cranfield.comparison.saddlepoint import saddlepoint
from cranfield.comparison.tests import TESTS
from cranfield.resampling import generator
from cranfield.simulation.population import Drawn, halves

Array = NDArray[np.float64]
Truths = NDArray[np.bool_]
SIMULATION = 120
"""The stream of random numbers of simulated collections."""
BLOCK = 256
"""Trials drawn from one generator; they share the resamples of a test that draws any."""
SMOOTH = 20
"""From so many topics on, the randomisation test draws no flips: exact on a coarse lattice, else a saddlepoint."""
COARSE = 200
"""Steps of the largest difference up to which scores lie on a coarse lattice, such as that of P@10 or P@100."""


class Source(Protocol):
    """Whatever simulated collections are drawn from."""

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
        """So many collections, the true means being that of the first system plus a shift each."""


@dataclass(frozen=True)
class Plan:
    """What every block of trials does."""

    n_topics: tuple[int, ...]
    difference: tuple[float, ...]
    tests: tuple[str, ...]
    alpha: tuple[float, ...]
    n_systems: int
    correction: str | None
    n_resamples: int
    n_trials: int
    seed: int
    exchangeable: bool
    """Whether pairs of equal means are drawn once more with their scores swapped by a coin."""

    @property
    def cells(self) -> list[tuple[int, float, bool]]:
        """Topics, difference, and whether swapped by a coin."""
        exchangeable = [(n, 0.0, True) for n in self.n_topics] if self.exchangeable and 0.0 in self.difference else []
        return [(n, d, False) for n in self.n_topics for d in self.difference] + exchangeable

    def shifts(self, difference: float) -> Array:
        """The true means beyond that of the first system."""
        return halves(self.n_systems, difference)

    @property
    def blocks(self) -> range:
        """The numbers of the blocks."""
        return range(-(-self.n_trials // BLOCK))

    def size(self, block: int) -> int:
        """Trials of a block."""
        return min(BLOCK, self.n_trials - block * BLOCK)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the tests said in one cell of a plan.

    Attributes
    ----------
    rejected : tests × levels × trials × pairs
    wrong : trials × pairs
        Whether the observed difference has not the sign of the true one, where there is one.
    exchangeable : one per trial
    """

    rejected: Truths
    wrong: Truths
    exchangeable: Truths


def run_block(source: Source, plan: Plan, block: int) -> list[Outcome]:
    """Every cell of a plan for one block of trials; the same for any worker that does it."""
    return [_run_cell(source, plan, block, *cell) for cell in plan.cells]


def _run_cell(source: Source, plan: Plan, block: int, n_topics: int, difference: float, swapped: bool) -> Outcome:
    rng, drawn = draw_cell(source, plan, block, n_topics, difference, swapped)
    return outcome_of(drawn, plan, difference, seed=int(rng.integers(2**62)))


def draw_cell(
    source: Source, plan: Plan, block: int, n_topics: int, difference: float, swapped: bool
) -> tuple[np.random.Generator, Drawn]:
    """The trials of a block in one cell, and the generator they came from."""
    # Always a whole block, so that fewer trials are the first of more.
    rng = generator(plan.seed, SIMULATION, n_topics, int(swapped), block)
    drawn = source.draw(rng, BLOCK, n_topics, plan.shifts(difference), block=block, exchangeable=swapped)
    size = plan.size(block)
    return rng, Drawn(drawn.scores[:size], drawn.systems[:size], drawn.exchangeable[:size])


def outcome_of(drawn: Drawn, plan: Plan, difference: float, seed: int) -> Outcome:
    """What the tests of a plan say about simulated collections; `seed` is that of tests that resample."""
    size, m = len(drawn.scores), plan.n_systems
    values = np.concatenate(list(drawn.scores), axis=1)
    scores, inside = GridScores.of(values), all_pairs(m)
    start = np.repeat(np.arange(size) * m, len(inside))
    # The better system first: a true difference is positive.
    pairs = Pairs(start + np.tile(inside.b, size), start + np.tile(inside.a, size))
    how = Resampling(plan.n_resamples, seed=seed, workers=1, percentiles=False)
    rejected = np.stack([_rejections(scores, pairs, test, plan, how, size) for test in plan.tests])
    shifts = plan.shifts(difference)
    truth = shifts[inside.b] - shifts[inside.a]
    wrong = (pairs.of(scores.sums).reshape(size, -1) < 0) & (truth > 0)
    return Outcome(rejected, wrong, drawn.exchangeable)


def _rejections(scores: GridScores, pairs: Pairs, test: str, plan: Plan, how: Resampling, size: int) -> Truths:
    """Levels × trials × pairs."""
    correction = plan.correction or "none"
    if TESTS[test].corrects_family or CORRECTIONS[correction].of_scores:
        m, inside = plan.n_systems, all_pairs(plan.n_systems)
        families = [
            GridScores(np.ascontiguousarray(scores.values[:, at * m : (at + 1) * m]), scores.step) for at in range(size)
        ]
        p = _family_p(families, Pairs(inside.b, inside.a), test, plan, how)
    elif test == "randomisation" and scores.n_topics >= SMOOTH:
        p = _randomisation(scores, pairs).reshape(size, -1)
    else:
        p = run_test(scores, pairs, test, plan.alpha[0], how).p.reshape(size, -1)
    if correction != "none" and CORRECTIONS[correction].adjust_sorted and not TESTS[test].corrects_family:
        p = np.stack([adjust(row, correction) for row in p])
    return np.stack([at_most(p, level) for level in plan.alpha])


def _randomisation(scores: GridScores, pairs: Pairs) -> Array:
    """The p-values of the randomisation test without a single flip, as `compare` finds them (`comparison.resolved`)."""
    lattice = find_lattice(scores)
    if lattice is None or np.ptp(lattice.values, axis=1).max() > COARSE:
        return saddlepoint(scores, pairs, "two-sided", workers=1)
    p = lattice_p(lattice, pairs, "two-sided", widest=WIDEST_COARSE, workers=1)
    wide = np.flatnonzero(np.isnan(p))
    p[wide] = saddlepoint(scores, Pairs(pairs.a[wide], pairs.b[wide]), "two-sided", workers=1)
    return p


def _family_p(families: list[GridScores], pairs: Pairs, test: str, plan: Plan, how: Resampling) -> Array:
    """Trials × pairs: the p-values where the whole family is needed."""
    entry, level = TESTS[test], plan.alpha[0]
    if entry.run_families is not None:
        return entry.run_families(families, pairs)
    p = np.stack([run_test(own, pairs, test, level, how).p for own in families])
    of_scores = None if plan.correction is None else CORRECTIONS[plan.correction].of_scores
    if of_scores is None or entry.corrects_family:
        return p
    return np.maximum(p, np.stack([of_scores(own, pairs, how, level)[0] for own in families]))
