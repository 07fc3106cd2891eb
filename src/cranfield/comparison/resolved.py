"""The randomisation test that keeps deciding: for every pair the method that resolves its p-value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.classical import TINY
from cranfield.comparison.enumeration import enumerated_p
from cranfield.comparison.grid import GridScores
from cranfield.comparison.lattice import WIDEST, WIDEST_COARSE, find_lattice, lattice_p
from cranfield.comparison.pairs import Pairs, tally
from cranfield.comparison.resampled import Resampling
from cranfield.comparison.saddlepoint import saddlepoint
from cranfield.defaults import Alternative
from cranfield.executors import map_in_order
from cranfield.resampling import (
    BLOCK,
    SIGNS,
    Block,
    blocks,
    check_resamples,
    pieces,
    rows_within,
    signed_bytes,
    signed_sums,
)

Array = NDArray[np.float64]

Method = Literal["enumerated", "exact lattice", "monte carlo", "saddlepoint"]
METHODS: tuple[Method, ...] = get_args(Method)
ENOUGH = 200
"""Flips that Monte Carlo must count for its p-value to stand: a relative standard error of 1/√200, 7%."""
PLENTY = 5000
"""Flips beyond which counting more is idle: a relative standard error of 1/√5000, 1.4%."""
MOST_WORK = 2_000_000_000
"""Flips counted over all pairs together, about, before every pair is given fewer; reached by 250 systems or more."""
FEW = 1024
"""Flips that are listed one by one instead, for a p-value without error."""


@dataclass(frozen=True)
class Resolved:
    """P-values of the randomisation test, and how each was found.

    Attributes
    ----------
    p : one per pair
    method : one per pair, the position of its method in `METHODS`
    n_resamples : the most flips drawn for a pair; 0 when none were
    smallest : the smallest p-value the test can give with so many topics
    """

    p: Array
    method: NDArray[np.int8]
    n_resamples: int
    smallest: float

    @property
    def methods(self) -> list[Method]:
        """The method of every pair, in words."""
        return [METHODS[at] for at in self.method]

    def counts(self) -> dict[Method, int]:
        """How many pairs each method served, those that served none left out.

        >>> Resolved(np.array([1.0, 0.5]), np.array([3, 3], dtype=np.int8), 0, 0.25).counts()
        {'saddlepoint': 2}
        """
        number = np.bincount(self.method, minlength=len(METHODS))
        return {name: int(count) for name, count in zip(METHODS, number, strict=True) if count}


def resolved(scores: GridScores, pairs: Pairs, how: Resampling) -> Resolved:
    """Fisher's randomisation test of the mean, for every pair by the method that resolves its p-value.

    With B = `n_resamples`, n the number of topics on which the two systems differ, and p̃ the saddlepoint value:

    1. ``enumerated``: all flips, where 2ⁿ ≤ B; and where no more than about 1,024 flips reach the observed sum,
       these alone (p = k/2ⁿ, exact, at any depth).
    2. ``exact lattice``: the exact distribution by convolution, where the scores lie on a lattice and that is cheap.
    3. ``monte carlo``: (b + 1)/(B′ + 1), where b ≥ 200 flips reached the observed sum, a relative standard error of
       7% at most. B′ = min(B, 5,000/p̃) in whole blocks: every pair counts about 5,000 flips or sees all B (with
       hundreds of systems fewer, but 400 at least). Nothing random decides B′, so each of these is a valid
       Monte-Carlo p-value.
    4. ``saddlepoint``: the rest, whose p-values are below what B flips resolve.

    P-values rise across the seam between 3 and 4: Monte Carlo stands only with b ≥ 200, so its values are at least
    201/(B + 1), and a saddlepoint value is held below 201/(B + 1). Only flips can change with the seed, so p-values
    under the seam, which decide large families, do not.

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    pairs : the comparisons
    how : resamples, seed, alternative; the statistic must be the mean

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> values = rng.beta(1, 3, (40, 4)) + [0, 0.02, 0.1, 0.4]
    >>> from cranfield.comparison.pairs import all_pairs
    >>> result = resolved(GridScores.of(values), all_pairs(4), Resampling(n_resamples=5000))
    >>> result.counts()
    {'enumerated': 1, 'monte carlo': 2, 'saddlepoint': 3}
    """
    most = check_resamples(how.n_resamples)
    seam = (ENOUGH + 1) / (most + 1)
    rough = saddlepoint(scores, pairs, how.alternative, how.workers)
    method = np.full(len(pairs), METHODS.index("saddlepoint"), dtype=np.int8)
    p = np.minimum(rough, np.nextafter(seam, 0))

    # In powers of two, because 2ⁿ is too large for a double from 1,024 topics on.
    nonzero = differing_topics(scores, pairs)
    one_side = rough / 2 if how.alternative == "two-sided" else np.clip(np.minimum(rough, 1 - rough), TINY, None)
    reach = np.log2(one_side) + nonzero
    listed = (nonzero <= np.log2(most)) | (reach <= np.log2(FEW))
    at = np.flatnonzero(listed)
    if len(at):
        p[at] = enumerated_p(scores, pairs, at, 2 ** reach[at], how.alternative, how.workers)
        method[at] = METHODS.index("enumerated")

    rest = np.flatnonzero(~listed)
    lattice = find_lattice(scores) if len(rest) else None
    if lattice is not None:
        for widest in (WIDEST, WIDEST_COARSE) if lattice.coarse else (WIDEST,):
            # What flips can resolve is left to them; only what they cannot is worth a wide convolution.
            at = rest if widest == WIDEST else rest[rough[rest] < seam]
            chosen = Pairs(pairs.a[at], pairs.b[at])
            exact = lattice_p(lattice, chosen, how.alternative, widest=widest, workers=how.workers)
            narrow = ~np.isnan(exact)
            p[at[narrow]] = exact[narrow]
            method[at[narrow]] = METHODS.index("exact lattice")
            rest = rest[method[rest] == METHODS.index("saddlepoint")]

    # Half the seam and above: which side of it a pair is on is for the flips to say, not for an approximation.
    rest = rest[rough[rest] >= seam / 2]
    drawn = 0
    if len(rest):
        counts, flips = count_flips(scores, Pairs(pairs.a[rest], pairs.b[rest]), rough[rest], how)
        enough = (counts >= ENOUGH) | (flips < most)
        stands = rest[enough]
        p[stands] = np.maximum((counts[enough] + 1) / (flips[enough] + 1), seam)
        method[stands] = METHODS.index("monte carlo")
        drawn = int(flips.max())
    return Resolved(p, method, drawn, resolution(scores.n_topics, how.alternative))


def differing_topics(scores: GridScores, pairs: Pairs) -> NDArray[np.int64]:
    """On how many topics the two systems of every pair differ by more than rounding."""
    count = np.empty(len(pairs), dtype=np.int64)
    for at, a, b in pairs.chunks(scores.n_topics):
        count[at] = (np.abs(scores.values[:, a] - scores.values[:, b]) > 2 * scores.step).sum(axis=0)
    return count


def flips_for(p: Array, n_resamples: int) -> NDArray[np.int64]:
    """How many flips a pair with about this p-value is given: enough to count 5,000, in whole blocks, at most B.

    >>> flips_for(np.array([1.0, 0.5, 0.05, 0.01]), 100_000).tolist()
    [5120, 10240, 100000, 100000]
    """

    def given(plenty: float) -> NDArray[np.int64]:
        return np.asarray(np.minimum(np.ceil(plenty / p / BLOCK) * BLOCK, n_resamples), dtype=np.int64)

    flips = given(PLENTY)
    for plenty in (PLENTY / 2, PLENTY / 4, PLENTY / 8, 2 * ENOUGH):
        if flips.sum() <= MOST_WORK:
            break
        flips = given(plenty)
    return flips


def count_flips(
    scores: GridScores, pairs: Pairs, rough: Array, how: Resampling
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many random flips reach the observed sum, and how many were drawn, for every pair.

    Parameters
    ----------
    rough : about the p-value of every pair; decides how many flips it is given (`flips_for`)

    Returns
    -------
    counts, flips : one of each per pair
    """
    n = scores.n_topics
    flips = flips_for(rough, how.n_resamples)
    # Pairs that need most come first, so that every block serves a leading stretch of them.
    order = np.argsort(-flips, kind="stable")
    ordered = Pairs(pairs.a[order], pairs.b[order])
    observed = ordered.of(scores.sums)
    needed = flips[order]
    systems = np.ascontiguousarray(scores.values.T)
    rows = rows_within(how.memory, signed_bytes(len(systems), n), how.workers)
    work = partial(_count_block, systems, ordered, observed, needed, scores.tolerance, rows, how.settings_alone)
    done = map_in_order(
        work,
        blocks(int(needed[0])),
        executor=how.executor,
        workers=how.workers,
        progress=how.progress,
        weight=len,
    )
    counts = np.zeros(len(pairs), dtype=np.int64)
    for reached in done:
        counts[: len(reached)] += reached
    back = np.empty_like(counts)
    back[order] = counts
    return back, flips


def _count_block(
    systems: Array,
    pairs: Pairs,
    observed: Array,
    needed: NDArray[np.int64],
    tolerance: float,
    rows: int,
    how: Resampling,
    block: Block,
) -> NDArray[np.int64]:
    """How many flips of a block reach the observed sum, for the leading pairs that need this block."""
    many = int(np.searchsorted(-needed, -block.start, side="left"))
    own = Pairs(pairs.a[:many], pairs.b[:many])
    reached = np.zeros(many, dtype=np.int64)
    rng = block.generator(how.seed, SIGNS)
    for start, stop in pieces(block, rows):
        sums = signed_sums(systems, rng, stop - start)
        reached += tally(sums, own, observed[:many], how.alternative, tolerance)
    return reached


def resolution(n_topics: int, alternative: Alternative) -> float:
    """The smallest p-value the test can give: one arrangement of signs (two, two-sided) of all 2ⁿ.

    >>> resolution(10, "two-sided") * 1024
    2.0
    """
    return float(np.ldexp(2.0 if alternative == "two-sided" else 1.0, -min(n_topics, 1022)))
