"""`compare`: from scores and a question to a `Comparison`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from cranfield.comparison import classical
from cranfield.comparison.bootstrap import percentile_intervals, rank_intervals, value_intervals
from cranfield.comparison.comparison import Comparison
from cranfield.comparison.corrections import adjust
from cranfield.comparison.grid import GridScores, tied_ranks
from cranfield.comparison.messages import comparison_signature, find_warnings
from cranfield.comparison.pairs import Pairs, against, all_pairs
from cranfield.comparison.resampled import Resampled, Resampling
from cranfield.comparison.studentised_range import residual_variance
from cranfield.comparison.tests import PERCENTILE, TESTS, SignificanceTest, any_statistic_names
from cranfield.defaults import (
    CORRECTION,
    RANK_RESAMPLES,
)
from cranfield.errors import ArgumentError
from cranfield.labels import positions
from cranfield.scores import ScoreMatrix

Array = NDArray[np.float64]


def check(test: str, correction: str | None, alternative: str) -> None:
    """Refuse combinations that make no sense."""
    entry = TESTS[test]
    if entry.corrects_family and correction not in (None, "none"):
        raise ArgumentError(
            f"`correction` {correction!r} cannot be added to {test}: its p-values are already adjusted for all "
            "pairs. Leave the correction out."
        )
    if entry.corrects_family and alternative != "two-sided":
        raise ArgumentError(f"{test} is two-sided by construction; got alternative {alternative!r}. Leave it out.")


def analyse(
    matrix: ScoreMatrix,
    test: str,
    baseline: str | Sequence[str] | None,
    correction: str | None,
    alpha: float,
    how: Resampling,
    statistic: str,
) -> Comparison:
    """`compare` for checked arguments, without issuing the warnings."""
    entry = TESTS[test]
    if not how.on_means and not entry.any_statistic:
        others = ", ".join(any_statistic_names())
        raise ArgumentError(f"test {test!r} compares means only; for statistic {statistic!r} use one of: {others}")
    matrix = matrix.require(what="a comparison of systems").canonical()
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

    outcome = entry.run(scores, pairs, how, alpha)
    board = replace(how, n_resamples=RANK_RESAMPLES, progress=None)
    rank_lower, rank_upper, resampled = rank_intervals(scores, alpha, board)
    each = classical.differences(scores, pairs)
    if how.on_means:
        half = special.stdtrit(scores.n_topics - 1, 1 - alpha / 2) * scores.values.std(axis=0, ddof=1)
        half /= np.sqrt(scores.n_topics)
        value_lower, value_upper = value - half, value + half
    else:
        value_lower, value_upper = value_intervals(resampled, alpha)
    lower, upper, interval = _pair_intervals(scores, pairs, entry, alpha, how, outcome, each, resampled)
    residual = np.sqrt(residual_variance(scores))
    correction = "none" if entry.corrects_family else correction or CORRECTION
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
        difference=pairs.of(value),
        lower=lower,
        upper=upper,
        interval=interval,
        effect_size=_ratio(each.mean, each.sd),
        effect_size_residual=_ratio(each.mean, np.full(len(pairs), residual)),
        p=outcome.p,
        p_adjusted=adjust(outcome.p, correction),
        family=len(pairs),
        smallest_p=outcome.smallest,
        n_resamples=outcome.n_resamples or None,
        exact=outcome.exact,
        seed=how.seed,
        scores=matrix,
    )
    notes = find_warnings(result, each, classical.identical(scores, pairs))
    return replace(result, signature=comparison_signature(result), warnings=(*matrix.warnings, *notes))


def _values(scores: Array, how: Resampling) -> Array:
    """Every system's statistic, of the scores as they are; means are correctly rounded."""
    if how.on_means:
        return np.array([math.fsum(column) / len(column) for column in scores.T])
    return np.asarray(how.statistic(scores, axis=0), dtype=np.float64)


def _ranks(scores: GridScores, how: Resampling) -> NDArray[np.int64]:
    """Every system's rank by the statistic; systems that tie share the best of their ranks."""
    if how.on_means:
        best, _ = tied_ranks(scores.sums[:, None], scores.tolerance)
    else:
        best, _ = tied_ranks(np.asarray(how.statistic(scores.values, axis=0))[:, None], scores.step)
    return best[:, 0]


def run_test(scores: GridScores, pairs: Pairs, test: str, alpha: float, how: Resampling) -> Resampled:
    """P-values of every pair by the named test."""
    return TESTS[test].run(scores, pairs, how, alpha)


def _pair_intervals(
    scores: GridScores,
    pairs: Pairs,
    test: SignificanceTest,
    alpha: float,
    how: Resampling,
    outcome: Resampled,
    each: classical.Differences,
    resampled: Array,
) -> tuple[Array, Array, str]:
    """Intervals of the differences, and what they are."""
    if outcome.lower is not None and outcome.upper is not None:
        return outcome.lower, outcome.upper, test.interval
    if not how.on_means:
        return *percentile_intervals(resampled, pairs, alpha, how.workers), PERCENTILE
    return *test.intervals(scores, pairs, each, alpha), test.interval


def _ratio(mean: Array, sd: Array) -> Array:
    """mean/sd; 0/0 is no effect, and a constant difference an infinite one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean / sd)
