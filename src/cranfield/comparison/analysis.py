"""`compare`: from scores and a question to a `Comparison`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from scipy import special

from cranfield.comparison import classical
from cranfield.comparison.bootstrap import (
    bootstrap_shift,
    bootstrap_t,
    percentile_intervals,
    rank_intervals,
    value_intervals,
)
from cranfield.comparison.comparison import Comparison
from cranfield.comparison.corrections import adjust
from cranfield.comparison.grid import GridScores, tied_ranks
from cranfield.comparison.messages import comparison_signature, find_warnings
from cranfield.comparison.pairs import Pairs, against, all_pairs
from cranfield.comparison.randomisation import randomisation, randomised_tukey
from cranfield.comparison.resampled import Resampled, Resampling
from cranfield.comparison.statistics import Statistic, find_statistic
from cranfield.comparison.studentised_range import critical_value, residual_variance, studentised_range_tail
from cranfield.defaults import (
    ALPHA,
    ALTERNATIVE,
    CORRECTION,
    MEMORY_MB,
    RANK_RESAMPLES,
    RESAMPLES,
    SEED,
    STATISTIC,
    TEST,
    Alternative,
    Correction,
    StatisticName,
    TestName,
)
from cranfield.errors import ArgumentError, UnknownNameError, notify
from cranfield.executors import Progress
from cranfield.labels import positions
from cranfield.resampling import check_resamples
from cranfield.scores import ScoreMatrix, Scores

Array = NDArray[np.float64]
TUKEY = ("tukey", "randomised-tukey")
ANY_STATISTIC = ("randomisation", "bootstrap", "randomised-tukey")
T_INTERVAL = "paired t interval of the mean difference"
PERCENTILE = "bootstrap percentile interval"


def compare(
    scores: ScoreMatrix | Scores,
    *,
    test: TestName = TEST,
    baseline: str | Sequence[str] | None = None,
    correction: Correction | None = None,
    alternative: Alternative = ALTERNATIVE,
    statistic: StatisticName | Statistic = STATISTIC,
    alpha: float = ALPHA,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    workers: int | None = None,
    executor: Executor | None = None,
    memory: float = MEMORY_MB,
    progress: Progress | None = None,
) -> Comparison:
    """Which systems differ? Every pair of systems, or every system against baselines, in one call.

    Parameters
    ----------
    scores : ScoreMatrix, or Scores with one measure
        At least two topics and two systems, all systems scored on the same topics.
    test : str
        ``randomisation`` (Fisher's, by sign flips; the default), ``bootstrap`` (shift), ``bootstrap-t``
        (studentised), ``t`` (paired), ``wilcoxon``, ``sign``, ``unpaired-t`` (pooled variance), ``welch``,
        ``tukey`` (studentised range, topics as blocks) or ``randomised-tukey``. docs/compare.md says which when.
    baseline : str or several, optional
        Compare every other system with these; all pairs are compared when left out. With a baseline, `system_a`
        is the system and `system_b` the baseline; without, `system_a` is the one with the higher mean.
    correction : {"holm", "bonferroni", "bh", "by", "none"}
        Adjustment for the number of comparisons (see `adjust`). The Tukey tests need and take none.
    alternative : {"two-sided", "greater", "less"}
        ``greater``: system_a is better. For all pairs that is the observed direction, whose level is 2·alpha.
    statistic : {"mean", "median", "geometric-mean"} or function of (values, axis)
        What systems are judged by; other than the mean only for randomisation, bootstrap and randomised-tukey.
    alpha : float
        Significance level; intervals have level 1 − alpha, each for itself (simultaneous for the Tukey tests).
    n_resamples, seed
        How many resamples, and where their randomness starts. A randomisation test enumerates all 2ⁿ sign flips
        when they are no more than `n_resamples`.
    workers, executor, memory, progress
        How many threads, or any `concurrent.futures.Executor`; about how many megabytes of memory; a callback. None
        of them changes a result.

    Returns
    -------
    Comparison

    Notes
    -----
    Topics and systems are put in byte order of their names and scores on an exact grid before anything random,
    so a seed gives the same result for any order of the input. Monte-Carlo p = (b + 1)/(B + 1), never 0.

    Examples
    --------
    The ten folds of INLS 509, "Fisher's Randomization Test": 208 of all 1,024 sign flips.

    >>> a = [.2, .3, .1, .4, 1, .8, .3, .1, 0, .9]
    >>> b = [.5, .3, .1, .4, 1, .9, .1, .2, .5, .8]
    >>> folds = ScoreMatrix(np.array([a, b]).T, [str(i) for i in range(1, 11)], ["A", "B"], "P@10")
    >>> float(compare(folds, baseline="A", alternative="greater").p[0])
    0.203125
    """
    check(test, correction, alternative, alpha)
    name, function = find_statistic(statistic)
    how = Resampling(check_resamples(n_resamples), seed, alternative, function, workers, memory, progress, executor)
    matrix = scores.only() if isinstance(scores, Scores) else scores
    if not isinstance(matrix, ScoreMatrix):
        raise ArgumentError(
            f"`scores` must be a ScoreMatrix; got {type(scores).__name__}. "
            "Write read_scores(path), ScoreMatrix.from_wide(frame) or ScoreMatrix.from_long(frame)."
        )
    result = analyse(matrix, test, baseline, correction, alpha, how, name)
    notify(result.warnings)
    return result


def check(test: str, correction: str | None, alternative: str, alpha: float) -> None:
    """Refuse names that do not exist and combinations that make no sense."""
    for kind, name, known in [("test", test, TestName), ("alternative", alternative, Alternative)]:
        if name not in get_args(known):
            raise UnknownNameError(kind, str(name), get_args(known))
    if correction is not None and correction not in get_args(Correction):
        raise UnknownNameError("correction", str(correction), get_args(Correction))
    if not 0 < alpha < 1:
        hint = f" Write {alpha / 100:g}." if 1 < alpha < 100 else ""
        raise ArgumentError(f"`alpha` must be between 0 and 1; got {alpha:g}.{hint}")
    if test in TUKEY and correction not in (None, "none"):
        raise ArgumentError(
            f"`correction` {correction!r} cannot be added to {test}: its p-values are already adjusted for all "
            "pairs. Leave the correction out."
        )
    if test in TUKEY and alternative != "two-sided":
        raise ArgumentError(f"{test} is two-sided by construction; got alternative {alternative!r}. Leave it out.")


def analyse(
    matrix: ScoreMatrix,
    test: TestName,
    baseline: str | Sequence[str] | None,
    correction: Correction | None,
    alpha: float,
    how: Resampling,
    statistic: str,
) -> Comparison:
    """`compare` for checked arguments, without issuing the warnings."""
    if not how.on_means and test not in ANY_STATISTIC:
        raise ArgumentError(
            f"test {test!r} compares means only; for statistic {statistic!r} use one of: {', '.join(ANY_STATISTIC)}"
        )
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

    found = run_test(scores, pairs, test, alpha, how)
    board = replace(how, n_resamples=RANK_RESAMPLES, progress=None)
    rank_lower, rank_upper, resampled = rank_intervals(scores, alpha, board)
    each = classical.differences(scores, pairs)
    if how.on_means:
        half = special.stdtrit(scores.n_topics - 1, 1 - alpha / 2) * scores.values.std(axis=0, ddof=1)
        half /= np.sqrt(scores.n_topics)
        value_lower, value_upper = value - half, value + half
    else:
        value_lower, value_upper = value_intervals(resampled, alpha)
    lower, upper, interval = _pair_intervals(scores, pairs, test, alpha, how, found, each, resampled)
    residual = np.sqrt(residual_variance(scores))
    correction = "none" if test in TUKEY else correction or CORRECTION
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
        p=found.p,
        p_adjusted=adjust(found.p, correction),
        family=len(pairs),
        smallest_p=found.smallest,
        n_resamples=found.n_resamples or None,
        exact=found.exact,
        seed=how.seed,
    )
    notes = find_warnings(result, each, classical.identical(scores, pairs))
    return replace(result, signature=comparison_signature(result), warnings=notes)


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


def run_test(scores: GridScores, pairs: Pairs, test: TestName, alpha: float, how: Resampling) -> Resampled:
    """P-values of every pair by the named test."""
    if test == "randomisation":
        return randomisation(scores, pairs, how)
    if test == "randomised-tukey":
        return randomised_tukey(scores, pairs, how, alpha)
    if test == "bootstrap":
        return bootstrap_shift(scores, pairs, how, alpha)
    if test == "bootstrap-t":
        return bootstrap_t(scores, pairs, how, alpha)
    if test == "tukey":
        return tukey(scores, pairs, alpha)
    if test == "t":
        p = classical.paired_t(scores, pairs, how.alternative)
    elif test == "wilcoxon":
        p = classical.wilcoxon(scores, pairs, how.alternative)
    elif test == "sign":
        p = classical.sign(scores, pairs, how.alternative)
    else:
        p = classical.unpaired_t(scores, pairs, how.alternative, pooled=test == "unpaired-t")
    signs = 2.0**-scores.n_topics * (2 if how.alternative == "two-sided" else 1)
    return Resampled(p, signs if test in ("sign", "wilcoxon") else 0.0, exact=False, n_resamples=0)


def tukey(scores: GridScores, pairs: Pairs, alpha: float) -> Resampled:
    """Tukey's HSD with topics as blocks: q = |difference|/√(V_E2/n), m means, (m−1)(n−1) degrees of freedom.

    Controls the family-wise error over all pairs under normal errors of one variance; with very unequal variances
    it rises (to .12 in simulation, docs/compare.md). For two systems it is the paired t-test.
    """
    n, m = scores.values.shape
    error = np.sqrt(residual_variance(scores) / n)
    difference = pairs.of(scores.sums) / n
    df = float((m - 1) * (n - 1))
    if error == 0:
        p = np.where(np.abs(difference) <= 2 * scores.step, 1.0, 0.0)
        return Resampled(p, 0.0, False, 0, difference, difference)
    p = np.maximum(studentised_range_tail(np.abs(difference) / error, m, df), classical.TINY)
    half = critical_value(alpha, m, df) * error
    return Resampled(p, 0.0, False, 0, difference - half, difference + half)


def _pair_intervals(
    scores: GridScores,
    pairs: Pairs,
    test: TestName,
    alpha: float,
    how: Resampling,
    found: Resampled,
    each: classical.Differences,
    resampled: Array,
) -> tuple[Array, Array, str]:
    """Intervals of the differences, and what they are."""
    if found.lower is not None and found.upper is not None:
        return found.lower, found.upper, "simultaneous interval" if test in TUKEY else PERCENTILE
    if not how.on_means:
        lower, upper = percentile_intervals(resampled, pairs, alpha, how.workers)
        return lower, upper, PERCENTILE
    if test in ("unpaired-t", "welch"):
        sample = classical.two_samples(scores, pairs, pooled=test == "unpaired-t")
        half = special.stdtrit(sample.df, 1 - alpha / 2) * sample.error
        return each.mean - half, each.mean + half, "two-sample t interval"
    half = special.stdtrit(scores.n_topics - 1, 1 - alpha / 2) * each.error
    return each.mean - half, each.mean + half, T_INTERVAL


def _ratio(mean: Array, sd: Array) -> Array:
    """mean/sd; 0/0 is no effect, and a constant difference an infinite one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean / sd)
