"""The steps of a comparison: its family, the test, adjusted p-values, intervals, and the result."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from cranfield.core.defaults import FAMILY_TEST, FEW_COMPARISONS, LIBRARIES_MB, TEST, IntervalKind
from cranfield.core.errors import ArgumentError
from cranfield.core.executors import available_workers
from cranfield.core.labels import positions
from cranfield.core.resampling import BLOCK, signed_bytes
from cranfield.core.resources import Demand, flipped_sums
from cranfield.questions.compare.bootstrap import percentile_intervals, quantiles, rank_intervals
from cranfield.questions.compare.cautions import find_warnings
from cranfield.questions.compare.clusters import Clusters
from cranfield.questions.compare.comparison import Comparison
from cranfield.questions.compare.corrections import CORRECTIONS, adjust, at_most, interval_level
from cranfield.questions.compare.equivalence import is_alone, margin_level
from cranfield.questions.compare.family import (
    Differences,
    GridScores,
    Pairs,
    against,
    all_pairs,
    differences,
    identical,
    residual_variance,
    tied_ranks,
)
from cranfield.questions.compare.intervals import (
    Basis,
    agreed,
    bootstrap_errors,
    can_invert,
    inverted,
    simultaneous_intervals,
)
from cranfield.questions.compare.max_t import rank_intervals_by_max_t, rank_resamples
from cranfield.questions.compare.resampled import Resampling, board_resamples, enough_resamples
from cranfield.questions.compare.tests import TESTS, PValues, SignificanceTest, Size, no_resamples
from cranfield.scores.matrix import ScoreMatrix

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Plan:
    """The question, checked; `n_measures` counts the measures that one family is made of."""

    test: SignificanceTest
    correction: str
    baselines: tuple[str, ...]
    statistic: str
    alpha: float
    n_resamples: int | None
    intervals: IntervalKind
    how: Resampling
    n_measures: int
    margin: float | None = None
    of_teams: bool = False
    topic_groups: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Family:
    """The systems by one measure, best first, and which of them are compared."""

    matrix: ScoreMatrix
    scores: GridScores
    systems: tuple[str, ...]
    value: Array
    rank: Integers
    pairs: Pairs
    flips: GridScores
    """What sign flips reverse: of grouped topics the sums of groups."""
    topics: GridScores
    """The scores of topics, also where these are grouped."""
    clusters: Clusters | None = None


def find_family(matrix: ScoreMatrix, plan: Plan) -> Family:
    """The systems in order of merit, on the exact grid, and the pairs that the question is about."""
    matrix = matrix.require(what="a comparison of systems").canonical()
    scores = GridScores.of(matrix.values)
    rank = _ranks(scores, plan.how)
    order = np.lexsort((np.arange(len(rank)), rank))
    systems = tuple(matrix.systems[j] for j in order)
    if plan.baselines:
        pairs = against(positions("system", plan.baselines, systems), len(systems))
    else:
        pairs = all_pairs(len(systems))
    by_rank = GridScores(np.asfortranarray(scores.values[:, order]), scores.step)  # pairs are taken by systems
    spread = flips = by_rank
    clusters = Clusters.of(matrix.topics, plan.topic_groups)
    if clusters is not None:
        spread, flips = (
            GridScores.of(np.asfortranarray(make(by_rank.values))) for make in (clusters.spread, clusters.sums)
        )
    value = _values(matrix.values, plan.how)[order]
    return Family(matrix, spread, systems, value, rank[order], pairs, flips, by_rank, clusters)


@dataclass(frozen=True)
class TestedFamily:
    """What the test found, and the leaderboard: all that no other measure changes."""

    family: Family
    n_resamples: int
    outcome: PValues
    of_scores: Array | None
    basis: Basis
    each: Differences
    board: Board


def tested_family(family: Family, plan: Plan) -> TestedFamily:
    """The test of every pair, what the intervals will be made of, and the leaderboard."""
    scores, pairs, test, alpha = family.scores, family.pairs, plan.test, plan.alpha
    n_resamples = plan.n_resamples
    if n_resamples is None:
        n_resamples = enough_resamples(
            test, plan.correction, len(pairs) * plan.n_measures, alpha, scores.n_topics, plan.how.on_means
        )
    # Measures that are one family need the same resamples, so none of them stops before the others.
    most = n_resamples if plan.n_resamples is None and plan.n_measures == 1 else None
    how = replace(plan.how, n_resamples=n_resamples, percentiles=plan.intervals == "pairwise", most=most)
    _demand(test, plan.correction, scores, len(pairs), how).foretell()
    # An interval per pair has level 1 − alpha, whatever the family.
    level = alpha if plan.intervals == "pairwise" else alpha / plan.n_measures
    outcome = test.run(family.flips if test.name == TEST else scores, pairs, how, level)
    quiet = replace(how, progress=None)
    apart = None if outcome.maximum is None else outcome.maximum.apart
    board = _board(family, alpha, replace(quiet, alternative="two-sided"), apart)
    each = differences(scores, pairs)
    of_scores, critical = None, None
    if find := CORRECTIONS[plan.correction].of_scores:
        of_scores, critical = find(scores, pairs, quiet, alpha)
    basis = _basis(family, plan, outcome, each, board.resampled, critical)
    return TestedFamily(family, n_resamples, outcome, of_scores, basis, each, board)


def _basis(
    family: Family, plan: Plan, outcome: PValues, each: Differences, resampled: Array, critical: float | None
) -> Basis:
    scores, pairs = family.scores, family.pairs
    own = None if outcome.lower is None or outcome.upper is None else (outcome.lower, outcome.upper)
    if outcome.maximum is not None:
        return Basis(outcome.maximum.error, float(scores.n_topics - 1), percentile=own)
    if plan.how.on_means:
        error, df = plan.test.errors(scores, pairs, each)
    else:
        error, df = bootstrap_errors(resampled, pairs), float(scores.n_topics - 1)
    if plan.intervals == "simultaneous":
        return Basis(error, df, critical) if own is None else Basis((own[1] - own[0]) / 2, df, critical or 1.0)
    if plan.test.corrects_family:
        return Basis(error, df, critical)
    if own is None and not plan.how.on_means:
        own = percentile_intervals(resampled, pairs, plan.alpha, plan.how.workers, plan.how.alternative)
    return Basis(error, df, critical, own)


@dataclass(frozen=True)
class Board:
    """Intervals of every system's value and rank."""

    value_lower: Array
    value_upper: Array
    rank_lower: Integers
    rank_upper: Integers
    n_resamples: int
    resampled: Array
    """Of another statistic than the mean: systems × resamples."""


def board_of(family: Family, plan: Plan) -> Board:
    """The leaderboard of systems, whatever comparisons are made among them."""
    return _board(family, plan.alpha, replace(plan.how, progress=None, alternative="two-sided", most=None), None)


def _board(family: Family, alpha: float, how: Resampling, apart: Array | None) -> Board:
    scores, value = family.scores, family.value
    how = replace(how, n_resamples=board_resamples(scores.n_systems, how))
    if not how.on_means:
        lower, upper, resampled = rank_intervals(scores, alpha, how)
        # The median of a resample is seldom that of the topics: a rank can lie outside its percentiles.
        lower, upper = np.minimum(lower, family.rank), np.maximum(upper, family.rank)
        ends = _around(value, *quantiles(resampled.copy(), alpha))
        return Board(*ends, lower, upper, how.n_resamples, resampled)
    low, high, drawn = rank_intervals_by_max_t(scores, how, alpha, apart)
    half = special.stdtrit(scores.n_topics - 1, 1 - alpha / 2) * scores.values.std(axis=0, ddof=1)
    half /= np.sqrt(scores.n_topics)
    return Board(value - half, value + half, low, high, drawn, np.empty((0, 0)))


def conclude(several: list[TestedFamily], plan: Plan, said: tuple[str, ...]) -> list[Comparison]:
    """The comparisons whose pairs, taken together, are one family."""
    several = _one_maximum(several, plan)
    adjusted = _adjusted(several, plan)
    size = sum(map(len, adjusted))
    selected = sum(int(at_most(p, plan.alpha).sum()) for p in adjusted)
    return [_result(one, p, size, selected, plan, said) for one, p in zip(several, adjusted, strict=True)]


def _one_maximum(several: list[TestedFamily], plan: Plan) -> list[TestedFamily]:
    """Of a test that adjusts by the largest statistic: that over all of these, and its critical value."""
    own = [one.outcome.maximum for one in several if one.outcome.maximum is not None]
    if not own:
        return several
    if len({one.family.matrix.topics for one in several}) > 1:
        raise ArgumentError(
            f"`across_measures` with {plan.test.name} needs the same topics by all measures. "
            f"Choose common topics, or use test {TEST!r}."
        )
    maxima = np.maximum.reduce([one.maxima for one in own])
    together = [replace(one, maxima=maxima) for one in own]
    critical = together[0].critical(plan.alpha)
    return [
        replace(one, outcome=replace(one.outcome, maximum=maximum), basis=replace(one.basis, critical=critical))
        for one, maximum in zip(several, together, strict=True)
    ]


def _adjusted(several: list[TestedFamily], plan: Plan) -> list[Array]:
    """P-values adjusted over the pairs of all of these."""
    p = [one.outcome.p for one in several]
    if plan.test.by_maximum:
        return [one.outcome.of_family for one in several]
    if plan.test.corrects_family:
        return [np.minimum(1.0, each * len(several)) for each in p]
    if several[0].of_scores is not None:
        return [np.maximum(p[0], several[0].of_scores)]
    return np.split(adjust(np.concatenate(p), plan.correction), np.cumsum([len(each) for each in p])[:-1])


def _result(
    tested: TestedFamily, p_adjusted: Array, size: int, selected: int, plan: Plan, said: tuple[str, ...]
) -> Comparison:
    family, outcome, board, each = tested.family, tested.outcome, tested.board, tested.each
    difference = family.pairs.of(family.value)
    if tested.of_scores is None and not plan.test.corrects_family:
        inverts = _inverts(tested, size, plan, _own_level(size, selected, plan))
        tested = replace(tested, basis=replace(tested.basis, inverted=inverts))
    lower, upper = _around(difference, *_intervals(tested, difference, p_adjusted, size, selected, plan))
    usual = "formula" if not outcome.n_resamples else "enumerated" if outcome.exact else "monte carlo"
    drawn = outcome.n_resamples or (tested.n_resamples if tested.of_scores is not None else None)
    by_topic = each if family.clusters is None else differences(family.topics, family.pairs)
    residual = np.sqrt(residual_variance(family.topics))
    result = Comparison(
        measure=family.matrix.measure,
        test=plan.test.name,
        alternative=plan.how.alternative,
        correction=plan.correction,
        alpha=plan.alpha,
        statistic=plan.statistic,
        systems=family.systems,
        n_topics=family.topics.n_topics,
        baselines=plan.baselines,
        pairs=family.pairs,
        value=family.value,
        value_lower=board.value_lower,
        value_upper=board.value_upper,
        rank=family.rank,
        rank_lower=board.rank_lower,
        rank_upper=board.rank_upper,
        rank_resamples=board.n_resamples,
        difference=difference,
        lower=lower,
        upper=upper,
        intervals=plan.intervals,
        basis=tested.basis,
        effect_size=_ratio(by_topic.mean, by_topic.sd),
        effect_size_residual=_ratio(by_topic.mean, np.full(len(family.pairs), residual)),
        p=outcome.p,
        p_method=tuple(outcome.method) or (usual,) * len(family.pairs),
        p_adjusted=p_adjusted,
        family=size,
        smallest_p=outcome.smallest,
        n_resamples=drawn,
        exact=outcome.exact,
        seed=plan.how.seed,
        scores=family.matrix,
        across_measures=plan.n_measures > 1,
        clusters=family.clusters,
        margin=plan.margin,
        within=None if plan.margin is None else _around(difference, *_within(tested, difference, size, plan)),
    )
    notes = find_warnings(result, each, identical(family.topics, family.pairs))
    return replace(result, warnings=tuple(dict.fromkeys([*said, *family.matrix.warnings, *notes])))


def _intervals(
    tested: TestedFamily, difference: Array, p_adjusted: Array, size: int, selected: int, plan: Plan
) -> tuple[Array, Array]:
    """Both ends of the interval of every difference.

    ``simultaneous``: 0 is inside exactly when the pair is not significant (see `simultaneous_intervals`).
    ``pairwise``: level 1 − alpha for each pair by itself; percentile intervals for the bootstrap tests.
    """
    basis, p = tested.basis, tested.outcome.p
    together = plan.intervals == "simultaneous"
    if basis.percentile is not None:
        return basis.percentile
    if tested.outcome.maximum is not None and basis.critical is not None:
        return tested.outcome.maximum.intervals(difference, basis.critical, plan.how.alternative)
    if plan.test.corrects_family and not together:
        half = -special.stdtrit(basis.df, plan.alpha / 2) * basis.error
        return difference - half, difference + half
    if basis.inverted:
        level = _own_level(size, selected, plan)
        ends = _around(difference, *_inverted(tested, plan, level))
        significant = at_most(p_adjusted if together else p, plan.alpha)
        return agreed(*ends, difference, significant, plan.how.alternative)
    return simultaneous_intervals(
        difference,
        basis.error,
        basis.df,
        p_adjusted if together else p,
        correction=plan.correction if together else "none",
        alpha=plan.alpha,
        alternative=plan.how.alternative,
        critical=basis.critical if together else None,
        family=size if together else len(p),
        selected=selected,
    )


def _own_level(size: int, selected: int, plan: Plan) -> float:
    """One minus the level of a single interval."""
    if plan.intervals == "pairwise":
        return plan.alpha
    return interval_level(plan.correction, plan.alpha, size, selected)


def _inverts(tested: TestedFamily, size: int, plan: Plan, level: float) -> bool:
    """Whether the randomisation test itself gives the intervals: it decides on a small family, with enough flips."""
    if plan.test.name != TEST or not plan.how.on_means or size > FEW_COMPARISONS or tested.of_scores is not None:
        return False
    return can_invert(tested.family.scores.n_topics, tested.n_resamples, level, plan.how.alternative)


def _inverted(tested: TestedFamily, plan: Plan, level: float) -> tuple[Array, Array]:
    how = replace(plan.how, n_resamples=tested.n_resamples, progress=None)
    family = tested.family
    sizes = None if family.clusters is None else family.clusters.relative
    return inverted(family.flips, family.pairs, how, level, sizes)


def _within(tested: TestedFamily, difference: Array, size: int, plan: Plan) -> tuple[Array, Array]:
    """The two-sided intervals that decide on equivalence, of level `margin_level` (two one-sided tests)."""
    outcome, basis = tested.outcome, tested.basis
    alone = not plan.of_teams and is_alone(size, plan.correction, plan.test.corrects_family)
    level = margin_level(plan.alpha, alone)
    if outcome.maximum is not None:
        return outcome.maximum.intervals(difference, outcome.maximum.critical(level), "two-sided")
    if plan.test.corrects_family and outcome.lower is not None and outcome.upper is not None:
        return outcome.lower, outcome.upper
    own = level / (1 if alone else size)
    if _inverts(tested, size, plan, own):
        return _inverted(tested, plan, own)
    critical = None if alone else basis.critical
    quantile = -special.stdtrit(basis.df, own / 2) if critical is None else critical
    half = np.where(basis.error > 0, quantile * basis.error, 0.0)
    return difference - half, difference + half


def _demand(test: SignificanceTest, correction: str, scores: GridScores, n_pairs: int, how: Resampling) -> Demand:
    """What a comparison will take: its test, the rank intervals and the correction."""
    n, m = scores.values.shape
    seconds = test.work(Size(n, m, n_pairs, how.n_resamples, how.on_means))
    seconds += no_resamples(Size(n, m, m * (m - 1) // 2, 0, True))
    if how.on_means and not (test.by_maximum and n_pairs == m * (m - 1) // 2 and how.alternative == "two-sided"):
        ranks = Size(n, m, m * (m - 1) // 2, rank_resamples(m, how), True)
        seconds += TESTS[FAMILY_TEST].work(ranks)  # the rank intervals have their own resamples
    flipped = not test.resamples or (how.on_means and test.name == "randomisation")
    row = signed_bytes(m, n) if flipped else 24 * n
    at_once = how.workers or available_workers()
    less = "fewer resamples, a baseline instead of all pairs, or the t-test" if test.resamples else "fewer systems"
    if CORRECTIONS[correction].of_scores:
        seconds += 2 * flipped_sums(n, m, how.n_resamples) + 7e-9 * how.n_resamples * n_pairs  # p-values and intervals
        less = "another correction, " + less if test.resamples else "fewer resamples, another correction, or " + less
    return Demand(
        f"comparing {m:,} systems on {n:,} topics ({test.title})",
        seconds,
        LIBRARIES_MB + 8e-6 * (6 * n * m + 20 * n_pairs) + min(how.memory, 1e-6 * at_once * BLOCK * row),
        f"{less} would take less",
    )


def _values(scores: Array, how: Resampling) -> Array:
    """Every system's statistic of the original scores; means are correctly rounded."""
    if how.on_means:
        return np.array([math.fsum(column) / len(column) for column in scores.T])
    return np.asarray(how.statistic(scores, axis=0), dtype=np.float64)


def _ranks(scores: GridScores, how: Resampling) -> Integers:
    """Every system's rank by the statistic; systems that tie share the best of their ranks."""
    if how.on_means:
        best, _ = tied_ranks(scores.sums[:, None], scores.tolerance)
    else:
        best, _ = tied_ranks(np.asarray(how.statistic(scores.values, axis=0))[:, None], scores.step)
    return best[:, 0]


def _around(estimate: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Interval ends that hold the estimate: a percentile interval of sparse scores, or rounding, can leave it out.

    The interval only grows, so it covers no less often.
    """
    return np.minimum(lower, estimate), np.maximum(upper, estimate)


def _ratio(mean: Array, sd: Array) -> Array:
    """mean/sd; 0/0 is no effect. NaN, not defined: a difference without spread, or one that dwarfs it."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(mean == 0, 0.0, mean / sd)
    return np.where(np.isfinite(ratio), ratio, np.nan)
