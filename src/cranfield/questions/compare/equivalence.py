"""Which systems are alike: not shown to differ (letters and marks of a leaderboard), or shown equivalent.

Two systems share a letter exactly when they are not significantly different. Equivalence takes two one-sided tests
(Schuirmann 1987): a pair is shown equivalent when the interval of its difference lies within ±margin. The interval has
level 1 − 2·alpha for one pair. For a family it is the simultaneous one of level 1 − alpha. Then all claims of
equivalence are right at once with probability about 1 − alpha (docs/validation.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MARKS = "†‡§¶"
"""Marks for baselines, in the order papers use them; after the fourth they are doubled, tripled …"""

ALIKE = "≈"
"""Stands before the marks or letters of systems shown equivalent."""
Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
DIFFERS, EQUIVALENT, BOTH, OPEN = "differs", "equivalent", "both", "open"
_MOST = 0.99
"""The level of an interval is at least 1 − this, also where 2·alpha is more."""


def mark(number: int) -> str:
    """The mark of a baseline, counting from 0.

    >>> [mark(i) for i in (0, 1, 4, 9)]
    ['†', '‡', '††', '‡‡‡']
    """
    return MARKS[number % len(MARKS)] * (number // len(MARKS) + 1)


def letter(number: int) -> str:
    """a, b, …, z, aa, ab, …

    >>> [letter(i) for i in (0, 25, 26, 27, 701, 702)]
    ['a', 'z', 'aa', 'ab', 'zz', 'aaa']
    """
    text = ""
    number += 1
    while number:
        number, place = divmod(number - 1, 26)
        text = chr(ord("a") + place) + text
    return text


def indistinguishable(separated: NDArray[np.bool_]) -> list[list[int]]:
    """Groups of systems in which no two are separated, such that every two systems not separated share a group.

    A compact letter display is a cover of the graph of non-separated pairs by cliques (Gramm et al., 2007). The
    cover is greedy: the first pair not yet covered is grown to a clique that cannot be enlarged, and groups that
    others make superfluous are dropped. Small, though not always the smallest possible; its size never explodes.

    Parameters
    ----------
    separated : systems × systems, symmetric, best system first

    Examples
    --------
    Three systems, only the first and the last are separated: two overlapping groups.

    >>> separated = np.zeros((3, 3), dtype=bool)
    >>> separated[0, 2] = separated[2, 0] = True
    >>> indistinguishable(separated)
    [[0, 1], [1, 2]]
    """
    m = len(separated)
    # Sets of systems as the bits of integers.
    near = [sum(1 << j for j in range(m) if j != i and not separated[i, j]) for i in range(m)]
    covered = [0] * m
    cliques: list[int] = []
    for i in range(m):
        while open_ := near[i] & ~covered[i]:
            clique = 1 << i
            candidates = near[i]
            # Partners not yet covered with i come first, in order of rank; then whoever still fits.
            for pool in (open_, near[i]):
                while here := pool & candidates:
                    j = (here & -here).bit_length() - 1
                    clique |= 1 << j
                    candidates &= near[j]
            for j in _bits(clique):
                covered[j] |= clique
            cliques.append(clique)
        if not near[i]:
            cliques.append(1 << i)
    return sorted(list(_bits(clique)) for clique in _needed(cliques, m))


def _bits(mask: int) -> list[int]:
    positions = []
    while mask:
        low = mask & -mask
        positions.append(low.bit_length() - 1)
        mask ^= low
    return positions


def _needed(cliques: list[int], m: int) -> list[int]:
    """The cliques without those whose every pair is in another."""
    times = np.zeros((m, m), dtype=np.int64)
    members = [np.array(_bits(clique)) for clique in cliques]
    for inside in members:
        times[np.ix_(inside, inside)] += 1
    kept = []
    # Smallest first: a small group is the likeliest to be superfluous.
    for at in sorted(range(len(cliques)), key=lambda k: len(members[k])):
        block = np.ix_(members[at], members[at])
        if (times[block] > 1).all():
            times[block] -= 1
        else:
            kept.append(cliques[at])
    return kept


def letters(separated: NDArray[np.bool_]) -> list[str]:
    """The letters of every system, best system first; beyond 26 groups they are set apart by spaces.

    >>> separated = np.zeros((3, 3), dtype=bool)
    >>> separated[0, 2] = separated[2, 0] = True
    >>> letters(separated)
    ['a', 'ab', 'b']
    """
    groups = indistinguishable(separated)
    names: list[list[str]] = [[] for _ in range(len(separated))]
    for number, group in enumerate(groups):
        for system in group:
            names[system].append(letter(number))
    return [("" if len(groups) <= 26 else " ").join(own) for own in names]


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
