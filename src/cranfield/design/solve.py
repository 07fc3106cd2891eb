"""The common course of every power design: find the missing quantity, carry the uncertainty, lay out the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from cranfield.design.grid import Array, Variance
from cranfield.design.power import FTest, critical_f, effective_epsilon, exact_power, spread_shares
from cranfield.design.search import DENSE, MOST_SYSTEMS, MOST_TOPICS, largest, smallest, smallest_real
from cranfield.errors import ArgumentError
from cranfield.light_table import LightColumn
from cranfield.sentences import design as say

Cells = Mapping[str, Array]
PowerRule = Callable[[Array, Array, Array, Array], Array]
"""Power from (degrees of freedom between, of the error, noncentrality, critical value)."""

_LARGEST_EFFECT = 1e100

COLUMN = {"n_topics": "topics", "n_systems": "systems"}
"""Columns that are named more shortly than their argument."""


def power_at(test: FTest, rule: PowerRule, cells: Cells) -> Array:
    """Power of the test in every cell.

    ε multiplies the degrees of freedom of the central F that the test refers to. The effect lies between two systems
    nobody knows beforehand, so the statistic varies by what an average direction does; `effective_epsilon` sees to it.
    """
    n, m, epsilon = cells["n_topics"], cells["n_systems"], cells["epsilon"]
    noncentrality = test.noncentrality(n) * _squared_effect(cells)
    if "spread" in cells:  # the mean over variances that differ
        noncentrality = noncentrality / spread_shares(cells["spread"])
    between, error = test.between(n, m), epsilon * test.error(n, m)
    critical = critical_f(epsilon * between, error, cells["alpha"] / test.comparisons(m))
    effective = effective_epsilon(epsilon, between, noncentrality) if (epsilon < 1).any() else epsilon
    power = rule(effective * between, error, effective * noncentrality, critical)
    return np.asarray(power.mean(axis=0)) if "spread" in cells else power


def achieved_power(test: FTest, cells: Cells) -> Array:
    """The exact power of every cell; none where any number of topics or systems will do, which is infinite."""
    known = np.isfinite(cells["n_topics"]) & np.isfinite(cells["n_systems"])
    return np.where(known, power_at(test, exact_power, cells), np.nan)


def _squared_effect(cells: Cells) -> Array:
    """minD²/σ², held below what would overflow: the power is 1 long before."""
    with np.errstate(over="ignore"):
        return np.minimum(np.square(cells["min_diff"] / np.sqrt(cells["variance"])), _LARGEST_EFFECT)


def solve(test: FTest, rule: PowerRule, cells: Cells, unknown: str) -> Array:
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
    systems = np.nan_to_num(cells["n_systems"], nan=2.0)
    per_topic = test.noncentrality(np.ones(1)) * _squared_effect(cells)
    with np.errstate(divide="ignore", over="ignore"):  # an effect too small for any number of topics
        guess = np.maximum(z, 0.1) ** 2 * np.sqrt((systems + 1) / 3) / per_topic
    return smallest(reached, guess, dense=0 if rule is exact_power else DENSE)


def solve_with_interval(
    test: FTest, rule: PowerRule, cells: Cells, unknown: str, variance: Sequence[Variance]
) -> tuple[Array, Array | None, Array | None]:
    """The missing quantity, and what it would be at both ends of the variance's interval, smaller first."""
    solution = solve(test, rule, cells, unknown)
    if all(one.lower is None for one in variance):
        return solution, None, None
    ends = []
    for end in ("lower", "upper"):
        known = np.asarray([np.nan if getattr(one, end) is None else getattr(one, end) for one in variance])
        values = np.full(len(known), np.nan)
        some = ~np.isnan(known)
        at = {name: values_[some] for name, values_ in cells.items()} | {"variance": known[some]}
        values[some] = solve(test, rule, at, unknown)
        ends.append(values)
    return solution, np.minimum(*ends), np.maximum(*ends)


def check_solved(solution: Array, unknown: str, test: FTest, cells: Cells) -> tuple[str, ...]:
    """Nothing if every cell has an answer; an error if none has; otherwise a warning that says how many."""
    nothing = np.isnan(solution) | np.isinf(solution)
    if not nothing.any():
        return ()
    first = int(np.flatnonzero(nothing)[0])
    at = {name: values[first : first + 1] for name, values in cells.items()}
    n, wanted = at["n_topics"][0], at["power"][0]
    if unknown == "n_topics":
        min_diff = at["min_diff"][0]
        reason = f"more than {MOST_TOPICS:,} topics would be needed; is `min_diff` = {min_diff:g} what you mean?"
    elif unknown == "n_systems" and np.isinf(solution[first]):
        reason = f"with {n:.0f} topics even {MOST_SYSTEMS:,} systems reach power {wanted:g}: any number will do."
    elif unknown == "n_systems":
        two = float(power_at(test, exact_power, {**at, "n_systems": np.asarray([2.0])})[0])
        reason = (
            f"with {n:.0f} topics no number of systems reaches power {wanted:g} (two systems: {two:.3f}); "
            "allow more topics, a larger `min_diff` or less power."
        )
    else:
        reason = f"no `{unknown}` reaches power {wanted:g} with {n:.0f} topics; allow more topics or less power."
    if nothing.all():
        raise ArgumentError(reason)
    return (say.LEFT_EMPTY(count=int(nothing.sum()), designs=len(solution), reason=reason),)


def whole(values: Array) -> LightColumn:
    """Counts as integers, empty where there is none."""
    return LightColumn("", [int(v) if np.isfinite(v) else None for v in values], int)


def real(values: Array) -> LightColumn:
    """Numbers, empty where there is none."""
    return LightColumn("", [float(v) if np.isfinite(v) else None for v in values], float)


def column(name: str, values: Array) -> LightColumn:
    """A quantity of the design as a column of its table."""
    made = whole(values) if name in COLUMN else real(values)
    return made.alias(COLUMN.get(name, name))


def origin(variance: Sequence[Variance]) -> list[LightColumn]:
    """Measure and estimator of each variance, when any came from scores."""
    if all(one.estimate is None for one in variance):
        return []
    return [
        LightColumn("measure", [None if v.estimate is None else v.estimate.measure for v in variance], str),
        LightColumn("estimator", [None if v.estimate is None else v.estimate.estimator for v in variance], str),
    ]
