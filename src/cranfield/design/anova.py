"""`design_anova`: how many topics let an analysis of variance see a difference among m systems."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
import polars as pl

from cranfield.defaults import ALPHA, DESIGN_METHOD, LOW_EPSILON, DesignMethod
from cranfield.design.grid import Array, Numbers, Variance, Variances, cross, inherited, missing, numbers, variances
from cranfield.design.power import BLOCKED, ONE_WAY, exact_power, normal_power
from cranfield.design.question import Given, design_of
from cranfield.design.result import Design
from cranfield.design.solve import (
    COLUMN,
    PowerRule,
    check_solved,
    column,
    origin,
    power_at,
    real,
    solve,
    solve_with_interval,
)
from cranfield.errors import ArgumentError, UnknownNameError, notify

RULES: dict[DesignMethod, PowerRule] = {
    "exact": exact_power,
    "published": partial(normal_power, sign=-1),
    "approximate": partial(normal_power, sign=1),
}


def design_anova(
    variance: Given | None = None,
    n_systems: Numbers | None = None,
    min_diff: Numbers | None = None,
    *,
    n_topics: Numbers | None = None,
    power: Numbers | None = None,
    alpha: Numbers = ALPHA,
    method: DesignMethod = DESIGN_METHOD,
    blocked: bool = False,
    epsilon: float | Literal["past"] | None = None,
    estimator: str | None = None,
) -> Design:
    r"""How many topics to tell m systems apart when best and worst differ by `min_diff`? Or the question turned round.

    Leave out one of `n_topics`, `n_systems`, `min_diff` and (when the others are given) `power`; that one is found:
    the fewest topics, the most systems, the smallest difference, or the power. An argument may be a list: the
    rows are then all combinations.

    With φ_A = m − 1, φ_E = m(n − 1) and λ = n·minD²/(2σ²) (least favourable: best and worst at ±minD/2, the others
    at the mean) the power is P(F′(φ_A, φ_E, λ) ≥ F_α(φ_A, φ_E)).

    Parameters
    ----------
    variance : float, VarianceEstimate, or several; or past scores
        σ². For the one-way design `within` is the matching estimate, for the blocked one `residual`. Past scores (a
        `ScoreMatrix`, `Scores`, or a mapping of collections, which are pooled) give one design per measure, and
        ``by_estimator`` says what every other estimator would ask for.
    n_systems, min_diff, n_topics, power, alpha : float or several
        `power` is 0.80 unless given or sought.
    method : {"exact", "published", "approximate"}
        Non-central F; the normal approximation of the papers' spreadsheet, with its minus sign; the same with
        the correct plus sign. ``achieved_power`` is exact for all three.
    blocked : bool
        All systems share the topics and the test takes topics out (two-way F): φ_E = (m − 1)(n − 1) and σ² = V_E2.
    epsilon : float or "past", optional
        Blocked only: design for the F-test with degrees of freedom multiplied by this ε (Greenhouse–Geisser);
        ``"past"`` takes the ε of the past scores the variance came from. Without it that ε is reported beside the
        size it would ask for (``topics_adjusted``), and a low one is warned of.
    estimator : str, optional
        For past scores: how to estimate the variance, when not by the matching estimate.

    Notes
    -----
    The one-way design promises its power for m *independent* groups of n topics. Systems of a real comparison share
    their topics, and there the one-way F has much less power: design blocked, and test blocked.

    References
    ----------
    EVIA 2014 §3.1 and Tables 4–7; AIRS 2016 Table 2. ε in power: after Muller and Barton, JASA 84 (1989).

    Examples
    --------
    AIRS 2016 Table 2 (I)(a), m = 2, minD = .02 prints 2301; the exact power takes 2360.

    >>> design_anova(0.0601, 2, 0.02, method="published").n_topics
    2301
    >>> design_anova(0.0601, 2, 0.02).n_topics
    2360
    >>> round(design_anova(0.0601, 2, n_topics=50).min_diff, 3)
    0.139
    """
    design = design_of(
        "anova", "blocked" if blocked else None, variance, estimator=estimator, alpha=alpha, method=method,
        n_systems=n_systems, min_diff=min_diff, n_topics=n_topics, power=power, epsilon=epsilon,
    )  # fmt: skip
    notify(design.warnings)
    return design


def solve_anova(
    variance: Variances,
    *,
    n_systems: Numbers | None = None,
    min_diff: Numbers | None = None,
    n_topics: Numbers | None = None,
    power: Numbers | None = None,
    alpha: Numbers = ALPHA,
    method: DesignMethod = DESIGN_METHOD,
    blocked: bool = False,
    epsilon: float | Literal["past"] | None = None,
) -> Design:
    """The design for variances that are known; see `design_anova`."""
    if method not in RULES:
        raise UnknownNameError("design method", method, RULES)
    if epsilon is not None and not blocked:
        raise ArgumentError("`epsilon` belongs to the blocked design; pass blocked=True with it.")
    unknown, power = missing(power, n_topics=n_topics, n_systems=n_systems, min_diff=min_diff)
    given, cells = cross(
        variances("variance", variance),
        {
            "n_systems": numbers("n_systems", n_systems),
            "min_diff": numbers("min_diff", min_diff),
            "alpha": numbers("alpha", alpha),
            "power": numbers("power", power),
            "n_topics": numbers("n_topics", n_topics),
        },
    )
    cells["variance"] = np.asarray([one.value for one in given])
    cells["epsilon"] = _epsilon(epsilon, given, cells["n_systems"])
    test, rule = (BLOCKED if blocked else ONE_WAY), RULES[method]
    solved, lower, upper = solve_with_interval(test, rule, cells, unknown, given)
    warnings = check_solved(solved, unknown, test, cells)
    cells[unknown] = solved
    achieved = power_at(test, exact_power, cells)
    columns = [
        *origin(given),
        pl.Series("method", [method] * len(given)),
        pl.Series("blocked", [blocked] * len(given)),
        *(column(name, cells[name]) for name in ("variance", "n_systems", "min_diff", "alpha", "power", "n_topics")),
        real(achieved).alias("achieved_power"),
    ]
    if lower is not None and upper is not None:
        columns += [
            column(unknown, end).alias(f"{COLUMN.get(unknown, unknown)}_{side}")
            for end, side in ((lower, "lower"), (upper, "upper"))
        ]
    if epsilon is not None:
        columns.append(real(cells["epsilon"]).alias("epsilon"))
    elif blocked and any(one.estimate is not None for one in given):
        past = _past_epsilon(given, cells["n_systems"])
        columns.append(real(past).alias("epsilon"))
        if unknown != "n_systems":
            adjusted = solve(test, rule, {**cells, unknown: np.full(len(given), np.nan), "epsilon": past}, unknown)
            columns.append(column(unknown, adjusted).alias(f"{COLUMN.get(unknown, unknown)}_adjusted"))
        warnings += _sphericity_warning(past, cells["n_systems"], given)
    warnings += _estimator_warning(given, blocked)
    return Design(
        "blocked (two-way) ANOVA" if blocked else "one-way ANOVA",
        COLUMN.get(unknown, unknown),
        pl.DataFrame(columns),
        {"method": method} | ({} if epsilon is None else {"epsilon": epsilon}),
        (*inherited(given), *warnings),
    )


def _epsilon(epsilon: float | str | None, given: list[Variance], n_systems: Array) -> Array:
    if epsilon is None:
        return np.ones(len(given))
    if np.isnan(n_systems).any():
        raise ArgumentError("`epsilon` belongs to a number of systems; give `n_systems` with it.")
    if epsilon == "past":
        if any(one.estimate is None for one in given):
            raise ArgumentError("`epsilon` 'past' needs a variance estimated from scores; give scores, or a number.")
        return _past_epsilon(given, n_systems)
    fewest = float(n_systems.min())  # their bound is the narrowest
    if isinstance(epsilon, str) or not 1 / (fewest - 1) <= epsilon <= 1:
        raise ArgumentError(
            f"`epsilon` must be 'past' or between 1/(m-1) = {1 / (fewest - 1):.4g} and 1 for {fewest:.0f} systems; "
            f"got {epsilon if isinstance(epsilon, str) else format(epsilon, 'g')}."
        )
    return np.full(len(given), epsilon)


def _past_epsilon(given: list[Variance], n_systems: Array) -> Array:
    known: dict[tuple[int, float], float] = {}
    for one, m in zip(given, n_systems, strict=True):
        if one.estimate is not None and (id(one.estimate), m) not in known:
            known[id(one.estimate), m] = one.estimate.epsilon(int(m)) if np.isfinite(m) else np.nan
    return np.asarray([known.get((id(one.estimate), m), np.nan) for one, m in zip(given, n_systems, strict=True)])


def _sphericity_warning(past: Array, n_systems: Array, given: list[Variance]) -> tuple[str, ...]:
    low = past < LOW_EPSILON
    if not low.any():
        return ()
    at = int(np.nanargmin(past))
    estimate = given[at].estimate
    measure = "the" if estimate is None else estimate.measure
    systems = f"{n_systems[at]:.0f} systems"
    if estimate is not None and estimate.n_systems and n_systems[at] > estimate.n_systems:
        systems = f"the {estimate.n_systems} past systems, and lower still for {systems}"
    return (
        f"the blocked F-test assumes that all differences between systems vary equally; {measure} scores of the past "
        f"do not (Greenhouse–Geisser ε = {past[at]:.2f} for {systems}), so it rejects too often. "
        "Test with degrees of freedom multiplied by ε and take the size adjusted for it (epsilon='past'), or use a "
        "randomisation test.",
    )


def _estimator_warning(given: list[Variance], blocked: bool) -> tuple[str, ...]:
    used = {one.estimate.estimator for one in given if one.estimate is not None}
    if not blocked and "residual" in used:
        return (
            "the residual variance leaves out what topics differ by, but the one-way design needs it: "
            "the size is far too small. Use within, or design blocked.",
        )
    return ()
