"""The exact randomisation test where few flips matter: they are listed, and the others never looked at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.flips import Magnitudes, magnitudes, sided
from cranfield.comparison.grid import GridScores
from cranfield.comparison.pairs import Pairs
from cranfield.defaults import Alternative
from cranfield.executors import map_in_order

Array = NDArray[np.float64]
_HELD = 2**17
"""Flips listed together, over all pairs of a stretch."""


def enumerated_p(
    scores: GridScores,
    pairs: Pairs,
    at: NDArray[np.intp],
    expected: Array,
    alternative: Alternative,
    workers: int | None = None,
) -> Array:
    """The exact p-value of the randomisation test of some pairs, by a list of the flips that reach what was observed.

    These are the sets of topics whose magnitudes add up to no more than N, the sum of those that spoke against (see
    `flips`). Starting from the empty set, each topic in turn joins every set that has room for it. A set that has
    no room is dropped for good, because magnitudes only add; so the list is never longer than the count itself, and
    a p-value of k/2ⁿ costs about k·n steps, however large n. Topics without difference do not matter. Sums are
    exact on the grid.

    Parameters
    ----------
    at : places of the pairs in `pairs`
    expected : one per place
        About how many flips will be listed; bounds the memory, and does not change the result.

    Examples
    --------
    >>> scores = GridScores.of(np.array([[0.5, 0.2], [0.7, 0.5], [0.1, 0.3], [0.4, 0.4]]))
    >>> pair = Pairs(np.array([0]), np.array([1]))
    >>> enumerated_p(scores, pair, np.array([0]), np.array([3.0]), "two-sided").tolist()
    [0.75]
    """
    p = np.empty(len(at))
    order = np.argsort(expected, kind="stable")
    filled = np.cumsum(np.maximum(expected[order], scores.n_topics)) // _HELD
    stretches = np.split(order, np.flatnonzero(np.diff(filled)) + 1) if len(order) else []

    def enumerate_(places: NDArray[np.intp]) -> Array:
        own = magnitudes(scores, pairs.a[at[places]], pairs.b[at[places]])
        tail, atom = _listed(own)
        return sided(tail, own.direction, alternative, atom)

    done = map_in_order(enumerate_, stretches, executor="threads", workers=workers if len(stretches) > 1 else 1)
    for places, values in zip(stretches, done, strict=True):
        p[places] = values
    return p


def _listed(pairs: Magnitudes) -> tuple[Array, Array]:
    """P(F ≤ lesser) and P(F = lesser) for every pair."""
    owner = np.arange(len(pairs.each), dtype=np.int32)
    room = pairs.lesser + pairs.tolerance
    # Large ones first: most sets have no room for them, so the list grows late.
    for sizes in -np.sort(-pairs.each, axis=1).T:
        sizes = np.where(sizes > 0, sizes, np.inf)
        left = room - sizes[owner]
        joins = np.flatnonzero(left >= 0)
        if len(joins):
            owner = np.concatenate([owner, owner[joins]])
            room = np.concatenate([room, left[joins]])
    full = owner[room <= 2 * pairs.tolerance[owner]]
    share: Array = np.ldexp(1.0, -pairs.n_nonzero)
    tail = np.bincount(owner, minlength=len(share)).astype(np.float64) * share
    atom = np.bincount(full, minlength=len(share)).astype(np.float64) * share
    return tail, atom
