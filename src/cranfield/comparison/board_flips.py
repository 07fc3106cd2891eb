"""Sign flips of all systems at once, which rank intervals and the set of the best share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.grid import GridScores
from cranfield.comparison.resampled import Resampling
from cranfield.comparison.westfall_young import pair_scale
from cranfield.executors import map_in_order
from cranfield.resampling import SIGNS, Block, blocks, pieces, signed_sums

Array = NDArray[np.float64]
_ROWS = 128
"""Flips handled together; a system's statistics against all others then stay in the processor's cache."""


@dataclass(frozen=True)
class BoardFlips:
    """What chance alone makes of every system's differences to the others.

    With u_ji = Σ(x_j − x_i)/√Σ(x_j − x_i)² over topics:

    Attributes
    ----------
    scale : systems × systems, 1/√Σ(x_j − x_i)², 0 where two do not differ
    ahead : systems × flips, the largest u_ji over all j: how far some other system is ahead of system i
    apart : systems × flips, the largest |u_ji|
    """

    scale: Array
    ahead: Array
    apart: Array


def board_flips(scores: GridScores, how: Resampling) -> BoardFlips:
    """The flips of a leaderboard: every topic's scores change sign together, for all systems.

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    how : resamples, seed; the statistic must be the mean

    Examples
    --------
    >>> flips = board_flips(GridScores.of([[0.0, 3.0], [0.0, 4.0]]), Resampling(n_resamples=4))
    >>> bool((flips.apart == np.abs(flips.apart)).all()), flips.ahead.shape
    (True, (2, 4))
    """
    listed = blocks(how.n_resamples)
    scale = pair_scale(scores)
    systems = np.ascontiguousarray(scores.values.T)
    ahead, apart = np.empty((2, len(systems), how.n_resamples))
    drawn = map_in_order(
        partial(_of_block, systems, scale, how.seed),
        listed,
        executor=how.executor,
        workers=how.workers,
        progress=how.progress,
        weight=len,
    )
    for block, (its_ahead, its_apart) in zip(listed, drawn, strict=True):
        ahead[:, block.start : block.stop] = its_ahead
        apart[:, block.start : block.stop] = its_apart
    return BoardFlips(scale, ahead, apart)


def _of_block(systems: Array, scale: Array, seed: int, block: Block) -> tuple[Array, Array]:
    """`ahead` and `apart` of the flips of a block."""
    rng = block.generator(seed, SIGNS)
    ahead, apart = np.empty((2, len(systems), len(block)))
    for start, stop in pieces(block, _ROWS):
        values = signed_sums(systems, rng, stop - start)
        work = np.empty_like(values)
        own = slice(start - block.start, stop - block.start)
        for i, row in enumerate(scale):
            np.subtract(values, values[i], out=work)
            work *= row[:, None]
            work.max(axis=0, out=ahead[i, own])
            np.maximum(ahead[i, own], -work.min(axis=0), out=apart[i, own])
    return ahead, apart
