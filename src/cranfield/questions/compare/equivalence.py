"""Equivalence: which pairs are shown to differ by less than a margin, and which systems are shown alike.

Two one-sided tests (Schuirmann 1987): a pair is shown equivalent when the interval of its difference lies within
±margin. The interval has level 1 − 2·alpha for one pair. For a family it is the simultaneous one of level 1 − alpha.
Then all claims of equivalence are right at once with probability about 1 − alpha (docs/validation.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranfield.questions.compare.groups import indistinguishable

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
DIFFERS, EQUIVALENT, BOTH, OPEN = "differs", "equivalent", "both", "open"
_MOST = 0.99
"""The level of an interval is at least 1 − this, also where 2·alpha is more."""


def is_alone(family: int, correction: str, corrects_family: bool) -> bool:
    """Whether every pair is decided by itself: there is one, or nothing adjusts for the others."""
    return family == 1 or (correction == "none" and not corrects_family)


def margin_level(alpha: float, alone: bool) -> float:
    """One minus the level of the interval that must lie within the margin.

    >>> margin_level(0.05, alone=True), margin_level(0.05, alone=False)
    (0.1, 0.05)
    """
    return min(2 * alpha, max(alpha, _MOST)) if alone else alpha


def shown_within(lower: Array, upper: Array, margin: float) -> Bools:
    """Where an interval lies within ±margin.

    >>> shown_within(np.array([-0.01, -0.01]), np.array([0.01, 0.03]), 0.02).tolist()
    [True, False]
    """
    return np.asarray((lower > -margin) & (upper < margin))


def verdicts(significant: Bools, equivalent: Bools) -> list[str]:
    """What is shown of every pair: it differs, is equivalent, both (it differs by less than the margin), or neither.

    >>> verdicts(np.array([True, False, True, False]), np.array([False, True, True, False]))
    ['differs', 'equivalent', 'both', 'open']
    """
    names = np.array([[OPEN, EQUIVALENT], [DIFFERS, BOTH]])
    return [str(name) for name in names[significant.astype(int), equivalent.astype(int)]]


def alike(equivalent: Bools) -> list[list[int]]:
    """Groups of two or more systems in which every pair is shown equivalent; every such pair shares a group.

    Parameters
    ----------
    equivalent : systems × systems, symmetric

    Examples
    --------
    Alike is not transitive: the first and the third of these are not shown to be.

    >>> near = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]], dtype=bool)
    >>> alike(near)
    [[0, 1], [1, 2]]
    """
    return [group for group in indistinguishable(~equivalent) if len(group) > 1]
