"""The solver of all power designs: finds the missing quantity in all cells at once.

The searches ask `reached(candidates, cells)`: for each of the numbered cells, does this candidate reach the target?
Only cells still undecided are asked again. NaN marks a cell that no candidate reaches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from cranfield.questions.design.grid import Array, Cells, Grid, left_empty
from cranfield.questions.design.power import FTest, critical_f, effective_epsilon, exact_power, spread_shares
from cranfield.questions.design.result import Design

PowerRule = Callable[[Array, Array, Array, Array], Array]
"""Power from (degrees of freedom between, of the error, noncentrality, critical value)."""
Reached = Callable[[Array, NDArray[np.intp]], NDArray[np.bool_]]

Solved = tuple[Array, Array | None, Array | None]
"""What was missing, with its ends where the variance has an interval."""

SHOWN = ("variance", "spread", "n_systems", "comparisons", "min_diff", "alpha", "power", "n_topics")
"""The columns of a power design, in this order."""
TWO = np.full(1, 2.0)
"""Systems of a design that does not ask for their number."""
MOST_TOPICS = 1_000_000_000
MOST_SYSTEMS = 1_000_000
DENSE = 64
"""Sizes tried one by one where a power function is not monotone for the very small ones."""
_LARGEST_EFFECT = 1e100


def power_at(test: FTest, rule: PowerRule, cells: Cells) -> Array:
    """Power of the test in every cell.

    ε multiplies the degrees of freedom of the central F. The two systems that differ are unknown in advance, so the
    noncentral statistic uses an average direction of the effect; see `effective_epsilon`.
    """
    n, m = cells["n_topics"], cells.get("n_systems", TWO)
    epsilon = cells.get("epsilon", np.ones(1))
    noncentrality = test.noncentrality(n) * _squared_effect(cells)
    if "spread" in cells:  # the mean over variances that differ
        noncentrality = noncentrality / spread_shares(cells["spread"])
    between, error = test.between(n, m), epsilon * test.error(n, m)
    critical = critical_f(epsilon * between, error, cells["alpha"] / test.comparisons(m))
    effective = effective_epsilon(epsilon, between, noncentrality) if (epsilon < 1).any() else epsilon
    power = rule(effective * between, error, effective * noncentrality, critical)
    return np.asarray(power.mean(axis=0)) if "spread" in cells else power


def achieved_power(test: FTest, cells: Cells) -> Array:
    """The exact power of every cell; NaN where the number of topics or systems is infinite."""
    known = np.isfinite(cells["n_topics"]) & np.isfinite(cells.get("n_systems", TWO))
    return np.where(known, power_at(test, exact_power, cells), np.nan)


def _squared_effect(cells: Cells) -> Array:
    """minD²/σ², held below what would overflow: the power is 1 long before."""
    with np.errstate(over="ignore"):
        return np.minimum(np.square(cells["min_diff"] / np.sqrt(cells["variance"])), _LARGEST_EFFECT)


def solve(cells: Cells, unknown: str, test: FTest, rule: PowerRule) -> Array:
    """The missing quantity in every cell; NaN where there is none, infinity where there is no limit."""
    if unknown == "power":
        return power_at(test, rule, cells)

    def reached(candidates: Array, index: NDArray[np.intp]) -> NDArray[np.bool_]:
        at = {name: values[index] for name, values in cells.items()} | {unknown: candidates}
        return np.asarray(power_at(test, rule, at) >= at["power"])

    if unknown == "n_systems":
        return largest(reached, len(cells["power"]))
    if unknown == "min_diff":
        return smallest_real(reached, np.sqrt(cells["variance"]))
    # λ of the one-degree-of-freedom test, stretched for more systems: close enough to start from.
    z = ndtri(cells["power"]) - ndtri(cells["alpha"] / 2)
    systems = np.nan_to_num(cells.get("n_systems", TWO), nan=2.0)
    per_topic = test.noncentrality(np.ones(1)) * _squared_effect(cells)
    with np.errstate(divide="ignore", over="ignore"):  # an effect too small for any number of topics
        guess = np.maximum(z, 0.1) ** 2 * np.sqrt((systems + 1) / 3) / per_topic
    return smallest(reached, guess, dense=0 if rule is exact_power else DENSE)


def solve_grid(grid: Grid, test: FTest, rule: PowerRule) -> Solved:
    """The missing quantity in every cell, and its ends at both ends of the variance's interval."""
    solved, *ends = grid.solved(solve, test, rule)
    return (solved, None, None) if ends[0] is None else (solved, np.minimum(*ends), np.maximum(*ends))


def power_design(
    grid: Grid,
    test: FTest,
    found: Solved,
    settings: Mapping[str, Any],
    *,
    first: Mapping[str, Any],
    last: Mapping[str, Any] | None = None,
    warnings: Iterable[str] = (),
) -> Design:
    """The design of a grid: what was found for it (see `solve_grid`), and its power.

    `first` and `last` are further columns.
    """
    cells = grid.cells
    solved, lower, upper = found
    known = np.isfinite(cells.get("epsilon", cells["variance"]))
    asked = {name: values[known] for name, values in cells.items()}
    said = (*check_solved(solved[known], grid.unknown, test, asked), *warnings)
    cells[grid.unknown] = solved
    if test.comparisons is not np.ones_like:
        cells["comparisons"] = test.comparisons(cells["n_systems"])
    columns = {
        **first,
        **grid.shown(*(name for name in SHOWN if name in cells)),
        "achieved_power": achieved_power(test, cells),
        **grid.end_columns(lower, upper),
        **(last or {}),
    }
    return grid.design(test.title, columns, settings, said)


def check_solved(solution: Array, unknown: str, test: FTest, cells: Cells) -> tuple[str, ...]:
    """No warning if every cell has a solution; an error if none has; otherwise a warning with their number."""
    nothing = np.isnan(solution) | np.isinf(solution)
    if not nothing.any():
        return ()
    first = int(np.flatnonzero(nothing)[0])
    at = {name: values[first : first + 1] for name, values in cells.items()}
    n, wanted = at["n_topics"][0], at["power"][0]
    if unknown == "n_topics":
        min_diff = at["min_diff"][0]
        reason = f"more than {MOST_TOPICS:,} topics would be needed. Check `min_diff` = {min_diff:g}."
    elif unknown == "n_systems" and np.isinf(solution[first]):
        reason = f"with {n:.0f} topics, any number of systems up to {MOST_SYSTEMS:,} reaches power {wanted:g}."
    elif unknown == "n_systems":
        two = float(power_at(test, exact_power, {**at, "n_systems": np.asarray([2.0])})[0])
        reason = (
            f"with {n:.0f} topics, no number of systems reaches power {wanted:g} (two systems: {two:.3f}). "
            "Use more topics, a larger `min_diff` or less power."
        )
    else:
        reason = f"no `{unknown}` reaches power {wanted:g} with {n:.0f} topics. Use more topics or less power."
    return left_empty(nothing, reason)


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
