"""`design_all_pairs`: how many topics to compare all systems with each other, or with a baseline, after correction."""

from __future__ import annotations

import numpy as np
import polars as pl

from cranfield.defaults import ALPHA
from cranfield.design.grid import Numbers, Variances, cross, missing, numbers, variances
from cranfield.design.power import ALL_PAIRS, WITH_BASELINE, exact_power
from cranfield.design.result import Design
from cranfield.design.solve import COLUMN, check_solved, column, origin, power_at, real, solve_with_interval
from cranfield.errors import ArgumentError, notify


def design_all_pairs(
    variance_of_difference: Variances,
    n_systems: Numbers | None = None,
    min_diff: Numbers | None = None,
    *,
    n_topics: Numbers | None = None,
    power: Numbers | None = None,
    alpha: Numbers = ALPHA,
    baseline: bool = False,
    spread: float = 0.0,
) -> Design:
    r"""How many topics until a difference of `min_diff` is seen among all pairs of k systems after correction?

    This is what most experiments run: every pair tested on the same topics, p-values corrected for the number of
    pairs. A pair that is `min_diff` apart is then tested at about α/C, with C = k(k−1)/2 pairs, or C = k − 1 with a
    baseline, and the power is that of the two-sided paired t-test at this level: non-central t with n − 1 degrees of
    freedom and λ = √n·minD/σ_t. Holm's correction never does worse, and hardly better while the other systems lie
    between the two.

    Leave out one of `n_topics`, `n_systems`, `min_diff` and (when the others are given) `power`; that one is found.
    Lists give grids.

    Parameters
    ----------
    variance_of_difference : float, VarianceEstimate, or several
        σ_t², the variance over topics of the difference of two systems. An estimate by `residual` stands for the
        average pair (2·V_E2), one by `percentile95` for nearly every pair.
    n_systems, min_diff, n_topics, power, alpha : float or several
        `n_systems` counts the baseline too. `power` is 0.80 unless given or sought.
    baseline : bool
        Only comparisons with one named system are made.
    spread : float
        How unequal the variances of the pairs are: their standard deviation over their mean, from `pair_spread`. The
        power is then the mean over pairs, since nobody knows which systems will be best and worst. 0 makes all pairs
        alike; real scores have about .4, which costs one to three topics.

    References
    ----------
    Holm, Scandinavian Journal of Statistics 6 (1979); power of the paired t-test as in EVIA 2014 §3.1.

    Examples
    --------
    >>> design_all_pairs(0.02, 20, 0.10).n_topics
    47
    >>> design_all_pairs(0.02, 20, 0.10, baseline=True).n_topics
    35
    >>> design_all_pairs(0.02, n_topics=50, min_diff=0.10).n_systems
    26
    """
    if not 0 <= spread < 10:
        raise ArgumentError(
            f"`spread` must be 0 or more, and is rarely above 1; got {spread:g}. Write 0 if all pairs are alike."
        )
    unknown, power = missing(power, n_topics=n_topics, n_systems=n_systems, min_diff=min_diff)
    given, cells = cross(
        variances("variance_of_difference", variance_of_difference, of_difference=True),
        {
            "n_systems": numbers("n_systems", n_systems),
            "min_diff": numbers("min_diff", min_diff),
            "alpha": numbers("alpha", alpha),
            "power": numbers("power", power),
            "n_topics": numbers("n_topics", n_topics),
        },
    )
    cells["variance"] = np.asarray([one.value for one in given])
    cells["epsilon"] = np.ones(len(given))
    if spread > 0:
        cells["spread"] = np.full(len(given), float(spread))
    test = WITH_BASELINE if baseline else ALL_PAIRS
    solution, lower, upper = solve_with_interval(test, exact_power, cells, unknown, given)
    warnings = check_solved(solution, unknown, test, cells)
    cells[unknown] = solution
    columns = [
        *origin(given),
        pl.Series("method", ["exact"] * len(given)),
        real(cells["variance"]).alias("variance_of_difference"),
        column("n_systems", cells["n_systems"]),
        pl.Series("comparisons", [int(c) if np.isfinite(c) else None for c in test.comparisons(cells["n_systems"])]),
        *(column(name, cells[name]) for name in ("min_diff", "alpha", "power", "n_topics")),
        real(power_at(test, exact_power, cells)).alias("achieved_power"),
    ]
    if lower is not None and upper is not None:
        name = COLUMN.get(unknown, unknown)
        columns += [column(unknown, lower).alias(f"{name}_lower"), column(unknown, upper).alias(f"{name}_upper")]
    design = Design(
        "comparisons with a baseline, corrected" if baseline else "all pairs, corrected",
        COLUMN.get(unknown, unknown),
        pl.DataFrame(columns),
        {"baseline": baseline} | ({"spread": round(spread, 4)} if spread else {}),
        warnings,
    )
    notify(design.warnings)
    return design
