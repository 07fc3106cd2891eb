"""The array layer of the ANOVA design: numbers in, numbers out, broadcast as numpy does.

Made for the papers' tables, and so one-way unless `blocked`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cranfield.defaults import ALPHA, DESIGN_METHOD, POWER, DesignMethod
from cranfield.design.anova import RULES
from cranfield.design.power import BLOCKED, ONE_WAY, Array
from cranfield.design.solve import power_at, solve

_NAMES = ("variance", "n_systems", "min_diff", "alpha", "power", "n_topics", "epsilon")


def anova_power(
    n_topics: ArrayLike,
    n_systems: ArrayLike,
    min_diff: ArrayLike,
    variance: ArrayLike,
    *,
    alpha: ArrayLike = ALPHA,
    method: DesignMethod = DESIGN_METHOD,
    blocked: bool = False,
    epsilon: ArrayLike = 1.0,
) -> Array:
    """Power of the F-test for arrays of designs; see `design_anova`, which checks its arguments.

    EVIA 2014 Table 4 prints 166 topics for AP, ten systems, minD = .10, α = .05 and power .80:

    >>> float(anova_power(166, 10, 0.10, 0.0530).round(4))
    0.7978
    """
    cells, shape = _cells(variance, n_systems, min_diff, alpha, np.nan, n_topics, epsilon)
    return power_at(BLOCKED if blocked else ONE_WAY, RULES[method], cells).reshape(shape)


def anova_topics(
    variance: ArrayLike,
    n_systems: ArrayLike,
    min_diff: ArrayLike,
    *,
    alpha: ArrayLike = ALPHA,
    power: ArrayLike = POWER,
    method: DesignMethod = DESIGN_METHOD,
    blocked: bool = False,
    epsilon: ArrayLike = 1.0,
) -> Array:
    """Topics needed for arrays of designs (NaN beyond 10⁹); see `design_anova`, which checks its arguments.

    >>> anova_topics([0.0530, 0.0538], [10, 100], 0.10, method="published").tolist()
    [166.0, 435.0]
    """
    cells, shape = _cells(variance, n_systems, min_diff, alpha, power, np.nan, epsilon)
    return solve(BLOCKED if blocked else ONE_WAY, RULES[method], cells, "n_topics").reshape(shape)


def _cells(*values: ArrayLike) -> tuple[dict[str, Array], tuple[int, ...]]:
    arrays = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in values))
    return {name: array.ravel() for name, array in zip(_NAMES, arrays, strict=True)}, arrays[0].shape
