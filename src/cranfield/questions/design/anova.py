"""`design_anova`: topics needed to detect a difference among m systems by analysis of variance."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import (
    ALPHA,
    ANOVA_VARIANCE,
    BLOCKED_VARIANCE,
    DESIGN_METHOD,
    LOW_EPSILON,
    POWER,
    DesignMethod,
)
from cranfield.core.errors import ArgumentError, DataError, UnknownNameError
from cranfield.questions.design.asked import Given, design_of
from cranfield.questions.design.grid import Array, Grid, Numbers, Variances
from cranfield.questions.design.jackknife import Size, blocked_size, past_scores
from cranfield.questions.design.power import BLOCKED, ONE_WAY, FTest, exact_power, normal_power
from cranfield.questions.design.question import AnovaQuestion
from cranfield.questions.design.result import Design, DesignKind, Variant
from cranfield.questions.design.solve import MOST_TOPICS, PowerRule, Solved, power_at, power_design, solve, solve_grid
from cranfield.questions.variance.estimate import VarianceEstimate

RULES: dict[DesignMethod, PowerRule] = {
    "exact": exact_power,
    "published": partial(normal_power, sign=-1),
    "approximate": partial(normal_power, sign=1),
}
UPPER_BOUND = sentence(
    "design.upper-bound-systems",
    "the number of systems is an upper bound: the F-test is not corrected for unequal variances.",
    "the number of systems is the unknown of a blocked ANOVA from past scores",
)
NOT_SPHERICAL = sentence(
    "design.not-spherical",
    "past {measure} scores violate sphericity (ε = {epsilon:.2f} for {systems:.0f} systems), so a plain blocked F-test "
    "rejects too often. The size is for the test with degrees of freedom multiplied by ε.",
    "ε of the past scores is low (below .75), and the blocked design allows for it",
)
ONE_WAY_RESIDUAL = sentence(
    "design.one-way-residual",
    "the residual variance excludes topic variance, so this one-way size is far too small. Use within, or leave out "
    "`published`.",
    "the papers' one-way design is fed with the residual variance",
)


def design_anova(
    variance: Given | None = None,
    n_systems: Numbers | None = None,
    min_diff: Numbers | None = None,
    *,
    n_topics: Numbers | None = None,
    power: Numbers | None = None,
    alpha: Numbers = ALPHA,
    method: DesignMethod | None = None,
    published: bool = False,
    blocked: bool | None = None,
    epsilon: float | Literal["past"] | None = None,
    estimator: str | None = None,
) -> Design:
    r"""How many topics does one F-test need to detect a difference of `min_diff` among m systems?

    The design can also solve for another quantity. All systems share the topics and the test removes topic effects
    (two-way F). With `published`, every system has separate topics: the one-way design of the papers.

    Leave out one of `n_topics`, `n_systems`, `min_diff` and (when the others are given) `power`; it is solved for:
    the fewest topics, the most systems, the smallest difference, or the power. An argument may be a list: the
    rows are then all combinations.

    With φ_A = m − 1, φ_E = (m − 1)(n − 1) and λ = n·minD²/(2σ²) (least favourable: best and worst at ±minD/2, the
    others at the mean) the power is P(F′(φ_A, φ_E, λ) ≥ F_α(φ_A, φ_E)); φ_E = m(n − 1) in the one-way design.

    Parameters
    ----------
    variance : float, VarianceEstimate, or several; or past scores
        σ²: for shared topics the residual variance V_E2 (estimator `residual`); for the one-way design the variance of
        a system's score over topics (`within`). Past scores are a `ScoreMatrix`, `Scores`, or a mapping of
        collections, which are pooled. They give one design per measure; ``by_estimator`` has those of all estimators.
    n_systems, min_diff, n_topics, power, alpha : float or several
        `power` is 0.80 unless given or solved for.
    method : {"exact", "published", "approximate"}
        Non-central F (the default); the normal approximation of the papers' spreadsheet, with its minus sign (the
        default with `published`); the same with the correct plus sign. ``achieved_power`` is exact for all three.
    published : bool
        The papers' one-way design, by their method. `method` "published" asks for it too, unless `blocked` says
        otherwise.
    blocked : bool, optional
        Whether all systems share the topics. False is the one-way design by the exact method.
    epsilon : float or "past", optional
        Shared topics only: design for the F-test with degrees of freedom multiplied by this ε. ``"past"`` is the
        unbiased ε of the past scores the variance came from, and the default where there are past scores; 1 is the
        plain F-test, and the default for a typed variance.
    estimator : str, optional
        For past scores: the variance estimator, if not the matching one.

    Notes
    -----
    The one-way design has its power for m *independent* groups of n topics. Real systems share their topics, and then
    the one-way F has much less power. An F-test shows that some systems differ, not which; see `design_all_pairs`.

    References
    ----------
    Sakai (2014a), §3.1 and Tables 4–7; Sakai (2016), Table 2. ε in power: after Muller and Barton, JASA 84 (1989).

    Examples
    --------
    Sakai (2016), Table 2 (I)(a), m = 2, minD = .02 prints 2301; the exact power takes 2360.

    >>> design_anova(0.0601, 2, 0.02, published=True).n_topics
    2301
    >>> design_anova(0.0601, 2, 0.02, blocked=False).n_topics
    2360

    On shared topics, 20 systems with a residual variance of .0125:

    >>> design_anova(0.0125, 20, 0.10).n_topics
    53
    >>> round(design_anova(0.0125, 20, n_topics=50).min_diff, 3)
    0.102
    """
    check_arguments(design_anova, locals())
    if published and blocked:
        raise ArgumentError("`published` and `blocked` exclude each other. Leave one of them out.")
    one_way = published or method == "published" if blocked is None else not blocked
    method = anova_method(method, published)
    return design_of(
        ANOVA, ANOVA.variants[one_way], variance, None, estimator, alpha=alpha, method=method, n_systems=n_systems,
        min_diff=min_diff, n_topics=n_topics, power=power, epsilon=epsilon,
    )  # fmt: skip


def anova_method(method: DesignMethod | None, published: bool) -> DesignMethod:
    """The method asked for, or that of the design.

    >>> anova_method(None, True), anova_method("exact", True), anova_method(None, False)
    ('published', 'exact', 'exact')
    """
    return method or ("published" if published else DESIGN_METHOD)


def solve_anova(
    variance: Variances, *, n_systems: Numbers | None = None, method: DesignMethod = DESIGN_METHOD,
    blocked: bool = True, epsilon: float | Literal["past"] | None = None, **asked: Any,
) -> Design:  # fmt: skip
    """The design for variances that are known; see `design_anova`."""
    if method not in RULES:
        raise UnknownNameError("design method", method, RULES)
    if epsilon is not None and not blocked:
        raise ArgumentError("`epsilon` is for shared topics only. Leave out `published` or `epsilon`.")
    grid = Grid.of_power("variance", variance, n_systems=n_systems, **asked)
    cells, test, rule = grid.cells, (BLOCKED if blocked else ONE_WAY), RULES[method]
    cells["epsilon"], plain, warnings = _epsilon(epsilon, grid.estimates, cells["n_systems"], blocked)
    from_past = epsilon == "past" or (epsilon is None and plain is not None)
    if from_past and (cells["epsilon"] < LOW_EPSILON).any():
        at = int(np.nanargmin(cells["epsilon"]))
        measure = getattr(grid.estimates[at], "measure", "")
        warnings += (NOT_SPHERICAL(measure=measure, epsilon=cells["epsilon"][at], systems=cells["n_systems"][at]),)
    if not blocked and grid.of_residuals:
        warnings += (ONE_WAY_RESIDUAL(),)
    settings: dict[str, Any] = {"method": method}
    if from_past or epsilon is not None:
        settings["epsilon"] = "past" if from_past else epsilon
    found = solve_grid(grid, test, rule)
    if from_past and grid.unknown == "n_topics" and rule is exact_power:
        found = _with_epsilon(grid, *found)
    return power_design(
        grid, test, found, settings, first={"method": method, "blocked": blocked}, warnings=warnings,
        last={
            **({"epsilon": cells["epsilon"]} if epsilon is not None or plain is not None else {}),
            **({} if plain is None else {"epsilon_gg": plain}),
        },
    )  # fmt: skip


ANOVA = DesignKind(
    "anova",
    "topics to detect by analysis of variance that m systems differ",
    asks=("n_systems", "min_diff", "n_topics", "power"),
    methods=tuple(RULES),
    variants=(
        Variant(
            BLOCKED.title, "Valid for the two-way F-test on shared topics.", BLOCKED_VARIANCE, False,
            solve_anova,
        ),
        Variant(
            ONE_WAY.title,
            "Valid for separate topics per system, as in the papers. Shared topics need the blocked design and a "
            "blocked test.",
            ANOVA_VARIANCE, False, partial(solve_anova, blocked=False), "published",
        ),
    ),
    pairwise=False,
    extras=("epsilon",),
    question=AnovaQuestion,
    rank=10,
    label="test whether any differ",
)  # fmt: skip


def _epsilon(
    epsilon: float | str | None, estimates: list[VarianceEstimate | None], n_systems: Array, blocked: bool
) -> tuple[Array, Array | None, tuple[str, ...]]:
    """ε in every cell, the Greenhouse–Geisser ε of past scores if used, and warnings."""
    ones = np.ones(len(estimates))
    estimated = [one is not None for one in estimates]
    if epsilon is None and (not blocked or not any(estimated)):
        return ones, None, ()
    if np.isnan(n_systems).any():
        if epsilon is not None:
            raise ArgumentError("`epsilon` needs a number of systems. Give `n_systems`.")
        return ones, None, (UPPER_BOUND(),)
    if epsilon == "past" and not all(estimated):
        raise ArgumentError("`epsilon` 'past' needs a variance estimated from scores. Give scores, or a number.")
    if epsilon is None or epsilon == "past":
        return _past_epsilon(estimates, n_systems)
    fewest = float(n_systems.min())  # their bound is the narrowest
    if isinstance(epsilon, str) or not 1 / (fewest - 1) <= epsilon <= 1:
        raise ArgumentError(
            f"`epsilon` must be 'past' or between 1/(m-1) = {1 / (fewest - 1):.4g} and 1 for {fewest:.0f} systems; "
            f"got {epsilon if isinstance(epsilon, str) else format(epsilon, 'g')}."
        )
    return np.full(len(estimates), epsilon), None, ()


def _past_epsilon(estimates: list[VarianceEstimate | None], n_systems: Array) -> tuple[Array, Array, tuple[str, ...]]:
    """ε of the past scores and the Greenhouse–Geisser ε; 1 for a typed variance, NaN where ε cannot be estimated."""
    known: dict[tuple[int, float], tuple[float, float]] = {}
    refused: list[DataError] = []
    for one, m in zip(estimates, n_systems, strict=True):
        if (id(one), m) in known:
            continue
        try:
            both = (1.0, np.nan) if one is None else (one.epsilon(int(m)), one.greenhouse_geisser(int(m)))
        except DataError as error:
            refused.append(error)
            both = (np.nan, np.nan)
        known[id(one), m] = both
    of_cells = np.asarray([known[id(one), m] for one, m in zip(estimates, n_systems, strict=True)])
    if np.isnan(of_cells[:, 0]).all():
        raise DataError(f"{refused[0]}, or give `epsilon` yourself")
    said = (f"some designs are empty: {refused[0]}.",) if refused else ()
    return of_cells[:, 0], of_cells[:, 1], said


def _with_epsilon(grid: Grid, solved: Array, lower: Array | None, upper: Array | None) -> Solved:
    """The uncertainty of ε in the interval of the topics too; no interval with too few past topics."""
    if lower is None or upper is None:
        return solved, None, None
    for at, one in enumerate(grid.estimates):
        k = int(grid.cells["n_systems"][at])
        if k == 2 or one is None or one.estimator != "residual" or np.isnan(solved[at]):
            continue
        asked = {name: float(grid.cells[name][at]) for name in ("min_diff", "power", "alpha")}
        size, half = size_with_epsilon(one, k, **asked), one.alpha / 2
        lower[at] = upper[at] = np.nan
        if size is not None and size.at(1 - half) <= MOST_TOPICS:
            lower[at] = min(max(np.ceil(size.at(half)), 2), solved[at])
            upper[at] = max(np.ceil(size.at(1 - half)), solved[at])
    return solved, lower, upper


def size_with_epsilon(estimate: VarianceEstimate, n_systems: int, **asked: float) -> Size | None:
    """The size of a blocked ANOVA with the past ε and its error; None with too few past topics."""
    strata = estimate.strata
    if min(stratum.n_topics for stratum in strata) <= 3:
        return None
    past = past_scores([one.scores for one in strata], n_systems, [one.teams for one in strata])
    return blocked_size(past, n_systems, **asked)


def anova_power(
    n_topics: ArrayLike, n_systems: ArrayLike, min_diff: ArrayLike, variance: ArrayLike, **how: Any
) -> Array:
    """Power of the F-test for arrays of designs; see `design_anova`, which checks its arguments.

    Sakai (2014a), Table 4 prints 166 topics for AP, ten systems, minD = .10, α = .05 and power .80:

    >>> float(anova_power(166, 10, 0.10, 0.0530).round(4))
    0.7978
    """
    test, rule, cells, shape = _arrays(n_topics, n_systems, min_diff, variance, **how)
    return power_at(test, rule, cells).reshape(shape)


def anova_topics(variance: ArrayLike, n_systems: ArrayLike, min_diff: ArrayLike, **how: Any) -> Array:
    """Topics needed for arrays of designs (NaN beyond 10⁹); see `design_anova`, which checks its arguments.

    >>> anova_topics([0.0530, 0.0538], [10, 100], 0.10, method="published").tolist()
    [166.0, 435.0]
    """
    test, rule, cells, shape = _arrays(np.nan, n_systems, min_diff, variance, **how)
    return solve(cells, "n_topics", test, rule).reshape(shape)


def _arrays(
    n_topics: ArrayLike, n_systems: ArrayLike, min_diff: ArrayLike, variance: ArrayLike, *, alpha: ArrayLike = ALPHA,
    power: ArrayLike = POWER, method: DesignMethod = DESIGN_METHOD, blocked: bool = False, epsilon: ArrayLike = 1.0,
) -> tuple[FTest, PowerRule, dict[str, Array], tuple[int, ...]]:  # fmt: skip
    """The test, the rule of its power, and the designs as flat arrays by name, with the shape they had."""
    names = ("n_topics", "n_systems", "min_diff", "variance", "alpha", "power", "epsilon")
    arrays = np.broadcast_arrays(n_topics, n_systems, min_diff, variance, alpha, power, epsilon)
    cells = {name: array.ravel().astype(np.float64) for name, array in zip(names, arrays, strict=True)}
    return BLOCKED if blocked else ONE_WAY, RULES[method], cells, arrays[0].shape
