"""`design_anova`: how many topics let an analysis of variance see a difference among m systems."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from cranfield.defaults import ALPHA, DESIGN_METHOD, LOW_EPSILON, DesignMethod
from cranfield.design.grid import Array, Numbers, Variance, Variances, cross, inherited, missing, numbers, variances
from cranfield.design.jackknife import blocked_interval, past_scores
from cranfield.design.power import BLOCKED, ONE_WAY, exact_power, normal_power
from cranfield.design.question import Given, design_of
from cranfield.design.result import Design
from cranfield.design.search import MOST_TOPICS
from cranfield.design.solve import (
    COLUMN,
    Cells,
    PowerRule,
    achieved_power,
    check_solved,
    column,
    origin,
    real,
    solve_with_interval,
)
from cranfield.errors import ArgumentError, DataError, UnknownNameError, notify
from cranfield.light_table import LightColumn, LightTable
from cranfield.sentences import design as say

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
    published: bool = False,
    blocked: bool | None = None,
    epsilon: float | Literal["past"] | None = None,
    estimator: str | None = None,
) -> Design:
    r"""How many topics until one F-test tells that m systems differ, best and worst by `min_diff`? Or turned round.

    All systems share the topics and the test takes topics out (two-way F), unless `published`: the papers' one-way
    design, as if every system had topics of its own.

    Leave out one of `n_topics`, `n_systems`, `min_diff` and (when the others are given) `power`; that one is found:
    the fewest topics, the most systems, the smallest difference, or the power. An argument may be a list: the
    rows are then all combinations.

    With φ_A = m − 1, φ_E = (m − 1)(n − 1) and λ = n·minD²/(2σ²) (least favourable: best and worst at ±minD/2, the
    others at the mean) the power is P(F′(φ_A, φ_E, λ) ≥ F_α(φ_A, φ_E)); φ_E = m(n − 1) in the one-way design.

    Parameters
    ----------
    variance : float, VarianceEstimate, or several; or past scores
        σ²: for shared topics the residual variance V_E2 (the matching estimate is `residual`), for the papers' one-way
        design that of a system's score over topics (`within`). Past scores (a
        `ScoreMatrix`, `Scores`, or a mapping of collections, which are pooled) give one design per measure, and
        ``by_estimator`` says what every other estimator would ask for.
    n_systems, min_diff, n_topics, power, alpha : float or several
        `power` is 0.80 unless given or sought.
    method : {"exact", "published", "approximate"}
        Non-central F; the normal approximation of the papers' spreadsheet, with its minus sign; the same with
        the correct plus sign. ``achieved_power`` is exact for all three.
    published : bool
        The papers' one-way design. `method` "published" asks for it too, unless `blocked` says otherwise.
    blocked : bool, optional
        The opposite of `published`, for those who prefer to say it that way.
    epsilon : float or "past", optional
        Shared topics only: design for the F-test with degrees of freedom multiplied by this ε. ``"past"`` is the
        unbiased ε of the past scores the variance came from, and the default where there are past scores; 1 is the
        plain F-test, and the default for a typed variance.
    estimator : str, optional
        For past scores: how to estimate the variance, when not by the matching estimate.

    Notes
    -----
    The one-way design promises its power for m *independent* groups of n topics. Systems of a real comparison share
    their topics, and there the one-way F has much less power. One F-test says that some systems differ, not which;
    `design_all_pairs` is for the comparison that does.

    References
    ----------
    EVIA 2014 §3.1 and Tables 4–7; AIRS 2016 Table 2. ε in power: after Muller and Barton, JASA 84 (1989).

    Examples
    --------
    AIRS 2016 Table 2 (I)(a), m = 2, minD = .02 prints 2301; the exact power takes 2360.

    >>> design_anova(0.0601, 2, 0.02, method="published").n_topics
    2301
    >>> design_anova(0.0601, 2, 0.02, published=True).n_topics
    2360

    On shared topics, 20 systems with a residual variance of .0125:

    >>> design_anova(0.0125, 20, 0.10).n_topics
    53
    >>> round(design_anova(0.0125, 20, n_topics=50).min_diff, 3)
    0.102
    """
    if published and blocked:
        raise ArgumentError("`published` is the one-way design and `blocked` the other; leave one of them out.")
    one_way = published or method == "published" if blocked is None else not blocked
    design = design_of(
        "anova", "published" if one_way else None, variance, estimator=estimator, alpha=alpha, method=method,
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
    blocked: bool = True,
    epsilon: float | Literal["past"] | None = None,
) -> Design:
    """The design for variances that are known; see `design_anova`."""
    if method not in RULES:
        raise UnknownNameError("design method", method, RULES)
    if epsilon is not None and not blocked:
        raise ArgumentError("`epsilon` belongs to the design for shared topics; leave out `published`, or `epsilon`.")
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
    cells["epsilon"], plain, said = _epsilon(epsilon, given, cells["n_systems"], blocked)
    from_past = epsilon == "past" or (epsilon is None and plain is not None)
    test, rule = (BLOCKED if blocked else ONE_WAY), RULES[method]
    solved, lower, upper = solve_with_interval(test, rule, cells, unknown, given)
    if from_past and unknown == "n_topics" and rule is exact_power and lower is not None and upper is not None:
        solved, lower, upper = _with_epsilon(given, cells, solved, lower, upper)
    known = ~np.isnan(cells["epsilon"])
    asked = {name: values[known] for name, values in cells.items()}
    warnings = (*said, *check_solved(solved[known], unknown, test, asked))
    cells[unknown] = solved
    achieved = achieved_power(test, cells)
    columns = [
        *origin(given),
        LightColumn("method", [method] * len(given), str),
        LightColumn("blocked", [blocked] * len(given), bool),
        *(column(name, cells[name]) for name in ("variance", "n_systems", "min_diff", "alpha", "power", "n_topics")),
        real(achieved).alias("achieved_power"),
    ]
    if lower is not None and upper is not None:
        columns += [
            column(unknown, end).alias(f"{COLUMN.get(unknown, unknown)}_{side}")
            for end, side in ((lower, "lower"), (upper, "upper"))
        ]
    if epsilon is not None or plain is not None:
        columns.append(real(cells["epsilon"]).alias("epsilon"))
    if plain is not None:
        columns.append(real(plain).alias("epsilon_gg"))
    if from_past:
        warnings += _sphericity_warning(cells["epsilon"], cells["n_systems"], given)
    warnings += _estimator_warning(given, blocked)
    return Design(
        "blocked (two-way) ANOVA" if blocked else "one-way ANOVA",
        COLUMN.get(unknown, unknown),
        LightTable(columns),
        {"method": method} | ({"epsilon": "past"} if from_past else {} if epsilon is None else {"epsilon": epsilon}),
        (*inherited(given), *warnings),
    )


def _epsilon(
    epsilon: float | str | None, given: list[Variance], n_systems: Array, blocked: bool
) -> tuple[Array, Array | None, tuple[str, ...]]:
    """ε in every cell; where it is that of past scores, Greenhouse–Geisser's beside it; and what to say of it."""
    ones = np.ones(len(given))
    estimated = [one.estimate is not None for one in given]
    if epsilon is None and (not blocked or not any(estimated)):
        return ones, None, ()
    if np.isnan(n_systems).any():
        if epsilon is not None:
            raise ArgumentError("`epsilon` belongs to a number of systems; give `n_systems` with it.")
        return (
            ones,
            None,
            (say.UPPER_BOUND(),),
        )
    if epsilon == "past" and not all(estimated):
        raise ArgumentError("`epsilon` 'past' needs a variance estimated from scores; give scores, or a number.")
    if epsilon is None or epsilon == "past":
        return _past_epsilon(given, n_systems)
    fewest = float(n_systems.min())  # their bound is the narrowest
    if isinstance(epsilon, str) or not 1 / (fewest - 1) <= epsilon <= 1:
        raise ArgumentError(
            f"`epsilon` must be 'past' or between 1/(m-1) = {1 / (fewest - 1):.4g} and 1 for {fewest:.0f} systems; "
            f"got {epsilon if isinstance(epsilon, str) else format(epsilon, 'g')}."
        )
    return np.full(len(given), epsilon), None, ()


def _past_epsilon(given: list[Variance], n_systems: Array) -> tuple[Array, Array, tuple[str, ...]]:
    """ε of the past scores and Greenhouse–Geisser's; 1 for a typed variance, nothing where the past cannot say."""
    known: dict[tuple[int, float], tuple[float, float]] = {}
    refused: list[DataError] = []
    for one, m in zip(given, n_systems, strict=True):
        key = (id(one.estimate), m)
        if key in known:
            continue
        if one.estimate is None:
            known[key] = (1.0, np.nan)
            continue
        try:
            known[key] = one.estimate.epsilon(int(m)), one.estimate.greenhouse_geisser(int(m))
        except DataError as error:
            refused.append(error)
            known[key] = (np.nan, np.nan)
    both = np.asarray([known[id(one.estimate), m] for one, m in zip(given, n_systems, strict=True)])
    if np.isnan(both[:, 0]).all():
        raise DataError(f"{refused[0]}, or give `epsilon` yourself")
    said = (f"some designs are left empty: {refused[0]}.",) if refused else ()
    return both[:, 0], both[:, 1], said


def _with_epsilon(
    given: list[Variance], cells: Cells, solved: Array, lower: Array, upper: Array
) -> tuple[Array, Array, Array]:
    """The interval of the topics with the uncertainty of ε in it; none where past topics are too few to tell."""
    lower, upper = lower.copy(), upper.copy()
    for at, one in enumerate(given):
        strata = () if one.estimate is None else one.estimate.strata
        if one.estimate is None or one.estimate.estimator != "residual" or np.isnan(solved[at]):
            continue
        k = int(cells["n_systems"][at])
        ends = None
        if k > 2 and min(stratum.n_topics for stratum in strata) > 3:
            past = past_scores([stratum.scores for stratum in strata], k)
            asked = {name: float(cells[name][at]) for name in ("min_diff", "power", "alpha")}
            ends = blocked_interval(past, k, confidence=1 - one.estimate.alpha, **asked)
        if ends is not None and ends[1] <= MOST_TOPICS:
            lower[at] = min(max(np.ceil(ends[0]), 2), solved[at])
            upper[at] = max(np.ceil(ends[1]), solved[at])
        elif k > 2:
            lower[at] = upper[at] = np.nan
    return solved, lower, upper


def _sphericity_warning(past: Array, n_systems: Array, given: list[Variance]) -> tuple[str, ...]:
    low = past < LOW_EPSILON
    if not low.any():
        return ()
    at = int(np.nanargmin(past))
    estimate = given[at].estimate
    measure = "the" if estimate is None else estimate.measure
    return (say.NOT_SPHERICAL(measure=measure, epsilon=past[at], systems=n_systems[at]),)


def _estimator_warning(given: list[Variance], blocked: bool) -> tuple[str, ...]:
    used = {one.estimate.estimator for one in given if one.estimate is not None}
    if not blocked and "residual" in used:
        return (say.ONE_WAY_RESIDUAL(),)
    return ()
