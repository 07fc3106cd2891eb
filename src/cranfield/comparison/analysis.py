"""`compare`: from scores and a question to a `Comparison` by every measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from cranfield.collection.doors import QrelsLike
from cranfield.comparison import classical
from cranfield.comparison.best import best_set
from cranfield.comparison.board_flips import board_flips
from cranfield.comparison.bootstrap import percentile_intervals, rank_intervals, value_intervals
from cranfield.comparison.comparison import Comparison
from cranfield.comparison.corrections import CORRECTIONS, adjust
from cranfield.comparison.grid import GridScores, tied_ranks
from cranfield.comparison.intervals import Basis, bootstrap_errors, interval_text, pair_intervals
from cranfield.comparison.measures import MeasureComparisons
from cranfield.comparison.messages import comparison_signature, find_warnings, too_few_resamples
from cranfield.comparison.pairs import Pairs, against, all_pairs
from cranfield.comparison.rank_intervals import marginal_ranks
from cranfield.comparison.resampled import Resampled, Resampling
from cranfield.comparison.resamples import board_resamples, enough_resamples
from cranfield.comparison.statistics import Statistic, find_statistic
from cranfield.comparison.studentised_range import residual_variance
from cranfield.comparison.tests import TESTS, SignificanceTest, Size, any_statistic_names, no_resamples
from cranfield.defaults import (
    ALPHA,
    ALTERNATIVE,
    CORRECTION,
    INTERVALS,
    LIBRARIES_MB,
    MEMORY_MB,
    SEED,
    STATISTIC,
    TEST,
    Alternative,
    IntervalKind,
    StatisticName,
)
from cranfield.demand import Demand, flipped_sums
from cranfield.errors import ArgumentError, notify, quietly
from cranfield.executors import Progress, available_workers
from cranfield.labels import positions
from cranfield.measures.doors import scores_or_evaluated
from cranfield.resampling import BLOCK, check_resamples, signed_bytes
from cranfield.scores import ScoreMatrix
from cranfield.scores.doors import ScoresLike
from cranfield.settings.compare import ComparisonSettings

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


def compare(
    scores: ScoresLike,
    *,
    qrels: QrelsLike | None = None,
    measure: str | Sequence[str] | None = None,
    across_measures: bool = False,
    test: str = TEST,
    baseline: str | Sequence[str] | None = None,
    correction: str | None = None,
    alternative: Alternative = ALTERNATIVE,
    statistic: StatisticName | Statistic = STATISTIC,
    alpha: float = ALPHA,
    n_resamples: int | None = None,
    intervals: IntervalKind = INTERVALS,
    seed: int = SEED,
    workers: int | None = None,
    executor: Executor | None = None,
    memory: float = MEMORY_MB,
    progress: Progress | None = None,
) -> Any:
    """Which systems differ? Every pair of systems, or every system against baselines, in one call.

    Parameters
    ----------
    scores : ScoreMatrix, Scores, or whatever `as_scores` takes
        At least two topics and two systems, all systems scored on the same topics. With `qrels`, runs in any form
        that `evaluate` takes, such as ``{"bm25": run, "ours": run}``.
    qrels : optional
        Judgments, in any form that `evaluate` takes: the runs are evaluated first.
    measure : str or several, optional
        By which measures: those to evaluate, or to take of the scores; for scores without a name, their name.
    across_measures : bool
        For scores by several measures: correct over the comparisons of all measures as one family.
    test : str
        ``randomisation`` (Fisher's, by sign flips; the default), ``bootstrap`` (shift), ``bootstrap-t``
        (studentised), ``t`` (paired), ``wilcoxon``, ``sign``, ``unpaired-t`` (pooled variance), ``welch``,
        ``tukey`` (studentised range, topics as blocks) or ``randomised-tukey``. docs/compare.md says which when.
    baseline : str or several, optional
        Compare every other system with these; all pairs are compared when left out. With a baseline, `system_a`
        is the system and `system_b` the baseline; without, `system_a` is the one with the higher mean.
    correction : {"holm", "bonferroni", "westfall-young", "bh", "by", "none"}
        Adjustment for the number of comparisons (see `adjust`). The Tukey tests need and take none;
        ``westfall-young`` goes with randomisation and t.
    alternative : {"two-sided", "greater", "less"}
        ``greater``: system_a is better. For all pairs that is the observed direction, whose level is 2·alpha.
    statistic : {"mean", "median", "geometric-mean"} or function of (values, axis)
        What systems are judged by; other than the mean only for randomisation, bootstrap and randomised-tukey.
    alpha : float
        Significance level; intervals have level 1 − alpha.
    n_resamples : int, optional
        How many resamples; by default 100,000, and for the bootstrap tests as many as the family needs (a million at
        most). The randomisation test of means resolves any p-value whatever the number: `Comparison.p_method`
        says by which method.
    intervals : {"simultaneous", "pairwise"}
        Intervals of the differences: for the whole family, so that one leaves out 0 exactly when its pair is
        significant; or each pair for itself.
    seed : int
        Where the randomness of resamples starts.
    workers, executor, memory, progress
        How many threads, or any `concurrent.futures.Executor`; about how many megabytes of memory; a callback. None
        of them changes a result.

    Returns
    -------
    Comparison
        For scores by several measures a `MeasureComparisons`, which holds one for each.

    Notes
    -----
    Topics and systems are put in byte order of their names and scores on an exact grid before anything random,
    so a seed gives the same result for any order of the input. Monte-Carlo p = (b + 1)/(B + 1), never 0.

    Examples
    --------
    The ten folds of INLS 509, "Fisher's Randomization Test": 208 of all 1,024 sign flips.

    >>> from cranfield import ScoreMatrix
    >>> a = [.2, .3, .1, .4, 1, .8, .3, .1, 0, .9]
    >>> b = [.5, .3, .1, .4, 1, .9, .1, .2, .5, .8]
    >>> folds = ScoreMatrix(np.array([a, b]).T, [str(i) for i in range(1, 11)], ["A", "B"], "P@10")
    >>> float(compare(folds, baseline="A", alternative="greater").p[0])
    0.203125

    Runs and judgments, evaluated on the way:

    >>> qrels = {str(topic): {"d1": 1, "d2": 0} for topic in range(6)}
    >>> good = {topic: {"d1": 2.0, "d2": 1.0} for topic in qrels}
    >>> bad = {topic: {"d1": 1.0 + 2 * (topic == "0"), "d2": 2.0} for topic in qrels}
    >>> float(compare({"good": good, "bad": bad}, qrels=qrels, measure="RR").p[0])
    0.0625
    """
    with quietly():
        result = compare_measures(
            scores,
            qrels=qrels,
            measure=measure,
            across_measures=across_measures,
            test=test,
            baseline=baseline,
            correction=correction,
            alternative=alternative,
            statistic=statistic,
            alpha=alpha,
            n_resamples=n_resamples,
            intervals=intervals,
            seed=seed,
            workers=workers,
            executor=executor,
            memory=memory,
            progress=progress,
        )
    notify(result.warnings)
    return result if len(result) > 1 else result.comparisons[0]


def compare_measures(
    scores: ScoresLike,
    *,
    qrels: QrelsLike | None = None,
    measure: str | Sequence[str] | None = None,
    across_measures: bool = False,
    test: str = TEST,
    baseline: str | Sequence[str] | None = None,
    correction: str | None = None,
    alternative: Alternative = ALTERNATIVE,
    statistic: StatisticName | Statistic = STATISTIC,
    alpha: float = ALPHA,
    n_resamples: int | None = None,
    intervals: IntervalKind = INTERVALS,
    seed: int = SEED,
    workers: int | None = None,
    executor: Executor | None = None,
    memory: float = MEMORY_MB,
    progress: Progress | None = None,
) -> MeasureComparisons:
    """Compare the systems by every measure there is; see `compare` for the parameters.

    With ``across_measures=True`` the comparisons of all measures are one family: the correction counts them all (for
    the Tukey tests, which adjust for the pairs of one measure, p is multiplied by the number of measures). Claiming
    "better by AP or by nDCG" needs that; claims about one measure fixed in advance do not.

    >>> from cranfield import ScoreMatrix, Scores
    >>> ap = ScoreMatrix([[.2, .5], [.3, .4], [.1, .3], [.2, .6]], "1234", ["a", "b"], "AP")
    >>> rr = ScoreMatrix([[.5, 1], [.5, 1], [1, 1], [.2, .5]], "1234", ["a", "b"], "RR")
    >>> compare_measures(Scores([ap, rr]), test="t", across_measures=True).to_frame()["p_adjusted"].round(3).to_list()
    [0.061, 0.071]
    """
    if n_resamples is not None:
        check_resamples(n_resamples)
    asked = ComparisonSettings(
        test=test,
        correction=correction,
        alternative=alternative,
        alpha=alpha,
        n_resamples=n_resamples,
        intervals=intervals,
        seed=seed,
    )
    correction = asked.correction
    name, function = find_statistic(statistic)
    check(asked.test, correction, alternative, name)
    given = scores_or_evaluated(scores, qrels, measure, workers=workers)
    several = len(given) if across_measures else 1
    if several > 1 and correction and CORRECTIONS[correction].of_scores:
        raise ArgumentError(
            f"`correction` {correction!r} corrects over the pairs of one measure, and `across_measures` asks for one "
            "family of all measures. Use 'holm', or leave `across_measures` out."
        )
    how = Resampling(1, seed, alternative, function, workers, memory, progress, executor)
    each = [_analyse(matrix, asked, baseline, how, name, several) for matrix in given.values()]
    if qrels is not None:  # what evaluation had to say belongs to the result
        said = given.warnings
        each = [replace(one, warnings=tuple(dict.fromkeys([*said, *one.warnings]))) for one in each]
    if several > 1:
        each = _one_family(each)
    result = MeasureComparisons(tuple(each), across_measures)
    notify(result.warnings)
    return result


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


def _analyse(
    matrix: ScoreMatrix,
    asked: ComparisonSettings,
    baseline: str | Sequence[str] | None,
    how: Resampling,
    statistic: str,
    n_measures: int,
) -> Comparison:
    """`compare` by one measure, for a checked question, without issuing the warnings.

    `n_resamples` is what was asked for, if anything was; that of `how` is not looked at. `n_measures` counts the
    measures that one family is made of.
    """
    test, alpha, n_resamples = asked.test, asked.alpha, asked.n_resamples
    intervals = cast("IntervalKind", asked.intervals)
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
    scores = GridScores(np.asfortranarray(scores.values[:, order]), scores.step)  # pairs are taken by systems
    baselines = tuple(dict.fromkeys([baseline] if isinstance(baseline, str) else baseline or ()))
    if baselines:
        pairs = against(positions("system", baselines, systems), len(systems))
    else:
        pairs = all_pairs(len(systems))
    correction = "none" if entry.corrects_family else asked.correction or CORRECTION
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
        asked=asked,
    )
    result = with_intervals(result)
    notes = find_warnings(result, each, classical.identical(scores, pairs))
    return replace(result, signature=comparison_signature(result), warnings=(*matrix.warnings, *notes))


def _one_family(several: list[Comparison]) -> list[Comparison]:
    """The comparisons with p adjusted over the pairs of all of them, and intervals to match."""
    if TESTS[several[0].test].corrects_family:
        adjusted = [np.minimum(1.0, each.p * len(several)) for each in several]
    else:
        pooled = adjust(np.concatenate([each.p for each in several]), several[0].correction)
        adjusted = np.split(pooled, np.cumsum([len(each.p) for each in several])[:-1])
    family = sum(len(each.p) for each in several)
    selected = sum(int((p <= several[0].alpha).sum()) for p in adjusted)
    joined = []
    for each, p_adjusted in zip(several, adjusted, strict=True):
        wider = with_intervals(replace(each, p_adjusted=p_adjusted, family=family, across_measures=True), selected)
        kept = tuple(text for text in each.warnings if text != too_few_resamples(each))
        few = too_few_resamples(wider)
        joined.append(replace(wider, signature=comparison_signature(wider), warnings=(few, *kept) if few else kept))
    return joined


def _demand(test: SignificanceTest, correction: str, scores: GridScores, n_pairs: int, how: Resampling) -> Demand:
    """What a comparison will take: its test, and flips for rank intervals, the set of the best and the correction."""
    n, m = scores.values.shape
    seconds = test.work(Size(n, m, n_pairs, how.n_resamples, how.on_means))
    seconds += flipped_sums(n, m, board_resamples(m, how)) + no_resamples(Size(n, m, m * (m - 1) // 2, 0, True))
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
    flips = board_flips(scores, how)
    ranks = marginal_ranks(scores, how, alpha, flips)
    return ranks.lower, ranks.upper, best_set(scores, how, alpha, flips).member, np.empty((0, 0))


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
