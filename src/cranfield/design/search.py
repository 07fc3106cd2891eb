"""Finding the size that just suffices, for all cells of a grid at once.

Every function asks `reached(candidates, cells)`: for each of the numbered cells, does this candidate reach the
target? Only cells still undecided are asked again. NaN marks a cell that no candidate reaches.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Reached = Callable[[Array, NDArray[np.intp]], NDArray[np.bool_]]

MOST_TOPICS = 1_000_000_000
MOST_SYSTEMS = 1_000_000
DENSE = 64
"""Sizes tried one by one where a power function is not monotone for the very small ones."""


def smallest(reached: Reached, guess: Array, least: int = 2, most: int = MOST_TOPICS, dense: int = 0) -> Array:
    """The smallest whole number that reaches the target, searched around a guess.

    `reached` has to be monotone above `least + dense`; the numbers below are tried one by one.

    >>> smallest(lambda x, cells: x >= 17, np.array([3.0, 1000.0])).tolist()
    [17.0, 17.0]
    """
    cells = np.arange(len(guess))
    low = np.full(len(guess), float(least - 1))  # the largest number known not to reach
    high = np.full(len(guess), np.nan)  # the smallest number known to reach
    for candidate in range(least, least + dense):
        todo = cells[np.isnan(high)]
        hit = reached(np.full(len(todo), float(candidate)), todo)
        high[todo[hit]] = candidate
        low[todo[~hit]] = candidate
    low = np.where(np.isnan(high), low, high - 1)
    # Widen around the guess until every cell is between a number that fails and one that reaches.
    trial = np.clip(np.nan_to_num(np.floor(guess), nan=least, posinf=most), low + 1, most)
    todo, factor = cells[np.isnan(high)], 1.25
    while len(todo):
        hit = reached(trial[todo], todo)
        high[todo[hit]] = trial[todo[hit]]
        low[todo[~hit]] = trial[todo[~hit]]
        todo = todo[~hit & (low[todo] < most)]
        trial[todo] = np.clip(np.ceil(trial[todo] * factor), low[todo] + 1, most)
        factor *= factor
    step, todo = 1.25, cells[high - low > 1]
    while len(todo):  # downwards from a guess that was too large
        trial[todo] = np.clip(np.floor(high[todo] / step), low[todo] + 1, high[todo] - 1)
        hit = reached(trial[todo], todo)
        high[todo[hit]] = trial[todo[hit]]
        low[todo[~hit]] = trial[todo[~hit]]
        todo = todo[hit & (high[todo] - low[todo] > 1)]
        step *= step
    return _halve(reached, low, high)


def _halve(reached: Reached, low: Array, high: Array) -> Array:
    """Bisection over whole numbers: `high` reaches, `low` does not."""
    todo = np.flatnonzero(high - low > 1)
    while len(todo):
        middle = np.floor((low[todo] + high[todo]) / 2)
        hit = reached(middle, todo)
        high[todo[hit]] = middle[hit]
        low[todo[~hit]] = middle[~hit]
        todo = todo[high[todo] - low[todo] > 1]
    return high


def largest(reached: Reached, count: int, least: int = 2, most: int = MOST_SYSTEMS) -> Array:
    """The largest whole number that still reaches the target; it need not be monotone up to `DENSE`.

    Infinity where even `most` reaches it.

    >>> largest(lambda x, cells: x <= 1234, 1).tolist()
    [1234.0]
    """
    cells = np.arange(count)
    best = np.full(count, np.nan)
    fails = np.full(count, float(most + 1))
    ladder = [*range(least, least + DENSE), *(DENSE * 2**k for k in range(1, 60) if DENSE * 2**k < most), most]
    for candidate in ladder:
        hit = reached(np.full(count, float(candidate)), cells)
        best[hit], fails[hit] = candidate, most + 1
        fails[~hit & (fails > most)] = candidate
    solved = ~np.isnan(best)
    # `_halve` looks for the first number that fails, between the last that reaches and the first that fails.
    ends = np.where(solved, fails, 1.0)
    starts = np.where(solved, best, 0.0)
    starts[best == most] = most
    first_failing = _halve(lambda x, todo: ~reached(x, todo), starts, ends)
    return np.where(best == most, np.inf, np.where(solved, first_failing - 1, np.nan))


def smallest_real(reached: Reached, guess: Array, largest_factor: float = 1e12) -> Array:
    """The smallest positive real number that reaches the target, to a relative 1e-12.

    >>> round(float(smallest_real(lambda x, cells: x >= 0.3, np.array([7.0]))[0]), 9)
    0.3
    """
    cells = np.arange(len(guess))
    low, high = guess.copy(), guess.copy()
    todo = cells[~reached(high, cells)]
    while len(todo):
        low[todo] = high[todo]
        high[todo] *= 2
        todo = todo[~reached(high[todo], todo) & (high[todo] < guess[todo] * largest_factor)]
    todo = cells[reached(low, cells)]
    while len(todo):
        high[todo] = low[todo]
        low[todo] /= 2
        todo = todo[reached(low[todo], todo) & (low[todo] > guess[todo] / largest_factor)]
    unreached = ~reached(high, cells)
    for _ in range(50):
        middle = (low + high) / 2
        hit = reached(middle, cells)
        high, low = np.where(hit, middle, high), np.where(hit, low, middle)
    return np.where(unreached, np.nan, high)
