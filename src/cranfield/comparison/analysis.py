"""`compare`: from scores and a question to a `Comparison`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from cranfield.comparison import classical
from cranfield.comparison.best import best_set
from cranfield.comparison.bootstrap import percentile_intervals, rank_intervals, value_intervals
from cranfield.comparison.comparison import Comparison
from cranfield.comparison.corrections import CORRECTIONS, adjust
from cranfield.comparison.grid import GridScores, tied_ranks
from cranfield.comparison.intervals import Basis, bootstrap_errors, interval_text, pair_intervals
from cranfield.comparison.messages import comparison_signature, find_warnings
from cranfield.comparison.pairs import Pairs, against, all_pairs
from cranfield.comparison.rank_intervals import marginal_ranks
from cranfield.comparison.resampled import Resampled, Resampling
from cranfield.comparison.resamples import board_resamples, enough_resamples
from cranfield.comparison.studentised_range import residual_variance
from cranfield.comparison.tests import TESTS, SignificanceTest, Size, any_statistic_names
from cranfield.defaults import CORRECTION, IntervalKind
from cranfield.demand import Demand, resampled_sums
from cranfield.errors import ArgumentError, DataError
from cranfield.labels import positions
from cranfield.scores import ScoreMatrix

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
_SMALLEST = 1e-300
"""Scores that are all smaller have no room left for standard errors."""


def check(test: str, correction: str | None, alternative: str, statistic: str = "mean") -> None:
    """Refuse combinations that make no sense."""
    entry = TESTS[test]
    if entry.corrects_family and correction not in (None, "none"):
        raise ArgumentError(
            f"`correction` {correction!r} cannot be added to {test}: its p-values are already adjusted for all "
            "pairs. Leave the correction out."
        )
    if entry.corrects_family and alternative != "two-sided":
        raise ArgumentError(f"{test} is two-sided by construction; got alternative {alternative!r}. Leave it out.")
    if correction is None:
        return
    fits = CORRECTIONS[correction].fits
    if fits and (test not in fits or statistic != "mean"):
        asked = f"test {test!r}" if test not in fits else f"statistic {statistic!r}"
        raise ArgumentError(
            f"`correction` {correction!r} goes with the mean and the tests {' and '.join(fits)} only, whose sign "
            f"flips it shares; got {asked}. Use 'holm'."
        )


def analyse(
    matrix: ScoreMatrix,
    test: str,
    baseline: str | Sequence[str] | None,
    correction: str | None,
    alpha: float,
    how: Resampling,
    statistic: str,
    intervals: IntervalKind = "simultaneous",
    n_resamples: int | None = None,
    n_measures: int = 1,
) -> Comparison:
    """`compare` for checked arguments, without issuing the warnings.

    `n_resamples` is what was asked for, if anything was; that of `how` is not looked at. `n_measures` counts the
    measures that one family is made of.
    """
    entry = TESTS[test]
    if not how.on_means and not entry.any_statistic:
        others = ", ".join(any_statistic_names())
        raise ArgumentError(f"test {test!r} compares means only; for statistic {statistic!r} use one of: {others}")
    matrix = matrix.require(what="a comparison of systems").canonical()
    if 0 < (largest := float(np.abs(matrix.values).max())) < _SMALLEST:
        raise DataError(
            f"{matrix.measure}: the largest score in size is {largest:g}, too small for a double to divide by; "
            "scale the scores first"
        )
    scores = GridScores.of(matrix.values)
    rank = _ranks(scores, how)
    order = np.lexsort((np.arange(len(rank)), rank))
    rank = rank[order]
    systems = tuple(matrix.systems[j] for j in order)
    value = _values(matrix.values, how)[order]
    scores = GridScores(np.ascontiguousarray(scores.values[:, order]), scores.step)
    baselines = tuple(dict.fromkeys([baseline] if isinstance(baseline, str) else baseline or ()))
    if baselines:
        pairs = against(positions("system", baselines, systems), len(systems))
    else:
        pairs = all_pairs(len(systems))
    correction = "none" if entry.corrects_family else correction or CORRECTION
    family = len(pairs) * n_measures
    if n_resamples is None:
        n_resamples = enough_resamples(entry, correction, family, alpha, scores.n_topics, how.on_means)
    how = replace(how, n_resamples=n_resamples, percentiles=intervals == "pairwise")

    _demand(entry, correction, scores, len(pairs), how).foretell()
    outcome = entry.run(scores, pairs, how, alpha / n_measures)
    board = replace(how, n_resamples=board_resamples(len(systems), how), progress=None, alternative="two-sided")
    rank_lower, rank_upper, may_be_best, resampled = _board(scores, alpha, board)
    each = classical.differences(scores, pairs)
    if how.on_means:
        half = special.stdtrit(scores.n_topics - 1, 1 - alpha / 2) * scores.values.std(axis=0, ddof=1)
        half /= np.sqrt(scores.n_topics)
        value_lower, value_upper = value - half, value + half
        error, df = entry.errors(scores, pairs, each)
    else:
        value_lower, value_upper = _around(value, *value_intervals(resampled, alpha))
        error, df = bootstrap_errors(resampled, pairs), float(scores.n_topics - 1)
    difference = pairs.of(value)
    critical, percentile = None, None
    if intervals == "pairwise" and not entry.corrects_family:
        if outcome.lower is not None and outcome.upper is not None:
            percentile = (outcome.lower, outcome.upper)
        elif not how.on_means:
            percentile = percentile_intervals(resampled, pairs, alpha, how.workers)
    elif intervals == "simultaneous" and outcome.lower is not None and outcome.upper is not None:
        error, critical = (outcome.upper - outcome.lower) / 2, 1.0
    p_adjusted = outcome.p
    if of_scores := CORRECTIONS[correction].of_scores:
        adjusted, critical = of_scores(scores, pairs, replace(how, progress=None), alpha)
        p_adjusted = np.maximum(outcome.p, adjusted)
    elif n_measures == 1:
        p_adjusted = adjust(outcome.p, correction)
    residual = np.sqrt(residual_variance(scores))
    usual = "formula" if not outcome.n_resamples else "enumerated" if outcome.exact else "monte carlo"
    result = Comparison(
        measure=matrix.measure,
        test=test,
        alternative=how.alternative,
        correction=correction,
        alpha=alpha,
        statistic=statistic,
        systems=systems,
        n_topics=scores.n_topics,
        baselines=baselines,
        pairs=pairs,
        value=value,
        value_lower=value_lower,
        value_upper=value_upper,
        rank=rank,
        rank_lower=rank_lower,
        rank_upper=rank_upper,
        best=may_be_best,
        rank_resamples=board.n_resamples,
        difference=difference,
        lower=difference,
        upper=difference,
        intervals=intervals,
        interval="",
        basis=Basis(error, df, critical, percentile),
        effect_size=_ratio(each.mean, each.sd),
        effect_size_residual=_ratio(each.mean, np.full(len(pairs), residual)),
        p=outcome.p,
        p_method=tuple(outcome.method) or (usual,) * len(pairs),
        p_adjusted=p_adjusted,
        family=len(pairs),
        smallest_p=outcome.smallest,
        n_resamples=outcome.n_resamples or (n_resamples if CORRECTIONS[correction].of_scores else None),
        exact=outcome.exact,
        seed=how.seed,
        scores=matrix,
    )
    result = with_intervals(result)
    notes = find_warnings(result, each, classical.identical(scores, pairs))
    return replace(result, signature=comparison_signature(result), warnings=(*matrix.warnings, *notes))


def _demand(test: SignificanceTest, correction: str, scores: GridScores, n_pairs: int, how: Resampling) -> Demand:
    """What a comparison will take: its test, and flips for rank intervals, the set of the best and the correction."""
    n, m = scores.values.shape
    seconds = test.work(Size(n, m, n_pairs, how.n_resamples, how.on_means))
    seconds += resampled_sums(n, m, 2 * board_resamples(m, how))
    less = "fewer resamples, a baseline instead of all pairs, or the t-test" if test.resamples else "fewer systems"
    if CORRECTIONS[correction].of_scores:
        seconds += resampled_sums(n, m, how.n_resamples)
        less = "another correction, " + less if test.resamples else "fewer resamples, another correction, or " + less
    return Demand(
        f"comparing {m:,} systems on {n:,} topics ({test.title})",
        seconds,
        how.memory + 8e-6 * (6 * n * m + 20 * n_pairs),
        f"{less} would take less",
    )


def with_intervals(result: Comparison, selected: int | None = None) -> Comparison:
    """The comparison with intervals that follow from its p-values; `selected` counts what the family found."""
    lower, upper = _around(result.difference, *pair_intervals(result, selected))
    return replace(result, lower=lower, upper=upper, interval=interval_text(result))


def _board(
    scores: GridScores, alpha: float, how: Resampling
) -> tuple[Integers, Integers, NDArray[np.bool_] | None, Array]:
    """Rank intervals, which systems may be the best (of means), and the resampled values (of other statistics)."""
    if not how.on_means:
        lower, upper, resampled = rank_intervals(scores, alpha, how)
        return lower, upper, None, resampled
    ranks = marginal_ranks(scores, how, alpha)
    return ranks.lower, ranks.upper, best_set(scores, how, alpha).member, np.empty((0, 0))


def _values(scores: Array, how: Resampling) -> Array:
    """Every system's statistic, of the scores as they are; means are correctly rounded."""
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


def run_test(scores: GridScores, pairs: Pairs, test: str, alpha: float, how: Resampling) -> Resampled:
    """P-values of every pair by the named test."""
    return TESTS[test].run(scores, pairs, how, alpha)


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
