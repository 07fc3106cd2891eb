"""`compare`: from scores and a question to a `Comparison` by every measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack, cast, overload

from cranfield.collection.doors import QrelsLike, RunsLike
from cranfield.core import defaults
from cranfield.core.arguments import check_arguments
from cranfield.core.errors import ArgumentError, notify, quietly
from cranfield.core.executors import Progress
from cranfield.core.labels import repr_of
from cranfield.core.resampling import check_resamples
from cranfield.measures.doors import scores_or_evaluated
from cranfield.questions.compare.analysis import Plan, conclude, find_family, tested_family
from cranfield.questions.compare.clusters import TopicGroups, groups_of
from cranfield.questions.compare.comparison import Comparison
from cranfield.questions.compare.corrections import CORRECTIONS
from cranfield.questions.compare.family import GridScores, Pairs
from cranfield.questions.compare.measures import MeasureComparisons
from cranfield.questions.compare.question import CompareQuestion, ComparisonQuestion
from cranfield.questions.compare.resampled import Resampling, Statistic, find_statistic
from cranfield.questions.compare.tests import TESTS, PValues, any_statistic_names
from cranfield.questions.compare.within_teams import compare_within, find_teams, members_of
from cranfield.questions.variance.estimate import Teams
from cranfield.scores.doors import ScoresLike
from cranfield.scores.matrix import ScoreMatrix, Scores

GROUPED = ("max-t", "randomisation", "t")
"""Tests that can take groups of topics as a whole."""


class FamilyOptions(TypedDict, total=False):
    """What `compare` and `table` can be told besides their data and measures."""

    across_measures: bool
    test: defaults.TestName | str | None
    baseline: str | Sequence[str] | None
    correction: defaults.CorrectionName | str | None
    alpha: float
    n_resamples: int | None
    seed: int
    workers: int | None
    executor: Executor | None
    memory: float
    progress: Progress | None
    margin: float | None
    topic_groups: TopicGroups | None


class Options(FamilyOptions, total=False):
    """What `compare` can be told besides its data and measures."""

    alternative: defaults.Alternative
    statistic: defaults.StatisticName | Statistic
    intervals: defaults.IntervalKind


class CompareOptions(Options, total=False):
    """What `compare` alone can be told."""

    within_teams: bool
    teams: Teams | None
    team_prefix: str | None


@overload
def compare(scores: ScoreMatrix, **options: Unpack[CompareOptions]) -> Comparison: ...


@overload
def compare(
    scores: ScoresLike | QrelsLike | None = None,
    runs: RunsLike | None = None,
    *,
    qrels: QrelsLike | None = None,
    measure: str,
    **options: Unpack[CompareOptions],
) -> Comparison: ...


@overload
def compare(
    scores: ScoresLike | QrelsLike | None = None,
    runs: RunsLike | None = None,
    *,
    qrels: QrelsLike | None = None,
    measure: Sequence[str] | None = None,
    **options: Unpack[CompareOptions],
) -> Comparison | MeasureComparisons: ...


def compare(
    scores: ScoresLike | QrelsLike | None = None,
    runs: RunsLike | None = None,
    *,
    qrels: QrelsLike | None = None,
    measure: str | Sequence[str] | None = None,
    across_measures: bool = False,
    test: defaults.TestName | str | None = None,
    baseline: str | Sequence[str] | None = None,
    correction: defaults.CorrectionName | str | None = None,
    alternative: defaults.Alternative = defaults.ALTERNATIVE,
    statistic: defaults.StatisticName | Statistic = defaults.STATISTIC,
    alpha: float = defaults.ALPHA,
    n_resamples: int | None = None,
    intervals: defaults.IntervalKind = defaults.INTERVALS,
    seed: int = defaults.SEED,
    workers: int | None = None,
    executor: Executor | None = None,
    memory: float = defaults.MEMORY_MB,
    progress: Progress | None = None,
    margin: float | None = None,
    topic_groups: TopicGroups | None = None,
    within_teams: bool = False,
    teams: Teams | None = None,
    team_prefix: str | None = None,
) -> Comparison | MeasureComparisons:
    """Which systems differ? Every pair of systems, or every system against baselines, in one call.

    Parameters
    ----------
    scores : ScoreMatrix, Scores, or whatever `as_scores` takes
        At least two topics and two systems, all systems scored on the same topics. With `runs`, the judgments.
    runs : optional
        Runs in any form that `evaluate` takes, such as ``{"bm25": run, "ours": run}``, which are evaluated first:
        ``compare(qrels, runs)``.
    qrels : optional
        The judgments by name; the runs are then the first argument, or `runs`.
    measure : str or several, optional
        By which measures: those to evaluate, or to take of the scores; for scores without a name, their name.
    across_measures : bool
        For scores by several measures: correct over the comparisons of all measures as one family.
    test : str, optional
        Default: ``max-t`` (largest studentised difference, moderated variance; adjusts by itself) for more than 20
        comparisons. Otherwise, or with a correction or another statistic than the mean: ``randomisation`` (Fisher's, by
        sign flips). Others: ``bootstrap`` (shift), ``bootstrap-t`` (studentised), ``t`` (paired), ``wilcoxon``,
        ``sign``. Also ``unpaired-t`` (pooled variance), ``welch``, ``tukey`` (studentised range, topics as blocks) and
        ``randomised-tukey``. docs/compare.md explains the choice.
    baseline : str or several, optional
        Compare every other system with these; all pairs are compared when left out. With a baseline, `system_a`
        is the system and `system_b` the baseline; without, `system_a` is the one with the higher mean.
    correction : {"holm", "bonferroni", "westfall-young", "bh", "by", "none"}
        Adjustment for the number of comparisons (see `adjust`). max-t and the Tukey tests need and take none;
        ``westfall-young`` goes with randomisation and t.
    alternative : {"two-sided", "greater", "less"}
        ``greater``: system_a is better. For all pairs that is the observed direction, whose level is 2·alpha.
    statistic : {"mean", "median", "geometric-mean"} or function of (values, axis)
        Statistic to compare; other than the mean only for randomisation, bootstrap and randomised-tukey.
    alpha : float
        Significance level; intervals have level 1 − alpha.
    n_resamples : int, optional
        Number of resamples, by default 100,000. Max-t draws 9,999 to 39,999, until its critical value has a standard
        error below .25%. Bootstrap tests draw as many as the family needs, at most a million. The randomisation test of
        means resolves any p-value; `Comparison.p_method` names the method.
    intervals : {"simultaneous", "pairwise"}
        Intervals of the differences: simultaneous, so that 0 is inside exactly when the pair is not significant; or per
        pair.
    seed : int
        Seed of the resamples.
    workers, executor, memory, progress
        How many threads, or any `concurrent.futures.Executor`; about how many megabytes of memory; a callback. None
        of them changes a result.
    margin : float, optional
        Largest difference that does not matter. A pair is shown equivalent when the interval of its difference lies
        within ±margin (see `Comparison.equivalent`); only for a two-sided test.
    topic_groups : mapping from topic to group, or a file that `read_topic_groups` reads, optional
        Topics that belong together: variants of a query, turns of a conversation, topics of a user. Flips, resamples
        and variances are then those of whole groups; the means stay those of topics. For max-t, randomisation and t.
    within_teams : bool
        Compare the systems of each team only, one family per team, with the mean variance of the team's pairs: for
        variants of one system, which max-t hardly separates in a large family.
    teams : mapping from system to team, or a file that `read_teams` reads; or instead
    team_prefix : str
        A regular expression: the team is what it matches at the start of a system's name.

    Returns
    -------
    Comparison
        For scores by several measures a `MeasureComparisons`, which holds one for each.

    Notes
    -----
    Topics and systems are sorted by name, and scores are rounded to an exact grid, before anything random. So a seed
    gives the same result for any order of the input. Monte-Carlo p = (b + 1)/(B + 1), never 0.

    Examples
    --------
    The ten folds of Arguello (INLS 509): 208 of all 1,024 sign flips.

    >>> from cranfield import ScoreMatrix
    >>> a = [.2, .3, .1, .4, 1, .8, .3, .1, 0, .9]
    >>> b = [.5, .3, .1, .4, 1, .9, .1, .2, .5, .8]
    >>> folds = ScoreMatrix(list(zip(a, b)), [str(i) for i in range(1, 11)], ["A", "B"], "P@10")
    >>> float(compare(folds, baseline="A", alternative="greater").p[0])
    0.203125

    Runs and judgments, evaluated on the way:

    >>> qrels = {str(topic): {"d1": 1, "d2": 0} for topic in range(6)}
    >>> good = {topic: {"d1": 2.0, "d2": 1.0} for topic in qrels}
    >>> bad = {topic: {"d1": 1.0 + 2 * (topic == "0"), "d2": 2.0} for topic in qrels}
    >>> float(compare(qrels, {"good": good, "bad": bad}, measure="RR").p[0])
    0.0625
    """
    check_arguments(compare, locals())
    if n_resamples is not None:
        check_resamples(n_resamples)
    asked = ComparisonQuestion(
        test=test, correction=correction, alternative=alternative, alpha=alpha, n_resamples=n_resamples,
        intervals=intervals, seed=seed, margin=margin,
    )  # fmt: skip
    several = isinstance(baseline, Iterable) and not isinstance(baseline, str)
    listed: tuple[str, ...] = () if baseline is None else tuple(baseline) if several else (cast("str", baseline),)
    if not all(isinstance(one, str) for one in listed):
        raise ArgumentError(f"`baseline` must be the name of a system, or several; got {repr_of(baseline)}.")
    CompareQuestion(
        within_teams=within_teams, teams=None if teams is None else Path("teams"), team_prefix=team_prefix,
        baseline=listed or None, across_measures=across_measures and within_teams,
    )  # fmt: skip
    name, function = find_statistic(statistic)
    check(asked.test or defaults.TEST, asked.correction, alternative, name)
    how = Resampling(1, seed, alternative, function, workers, memory, progress, executor)
    if not how.on_means and not TESTS[asked.test or defaults.TEST].any_statistic:
        others = ", ".join(any_statistic_names())
        raise ArgumentError(f"test {asked.test!r} compares means only. For statistic {name!r} use one of: {others}.")
    given, said = judged(scores, runs, qrels, measure, workers)
    one_family = across_measures and len(given) > 1
    groups = groups_of(topic_groups)
    baselines = tuple(dict.fromkeys(listed))
    systems = [*dict.fromkeys(s for one in given.values() for s in one.systems)]
    known = find_teams(systems, teams, team_prefix) if within_teams else {}
    sizes = _family_sizes(given, len(baselines), known)
    chosen = TESTS[asked.test or _usual_test(sizes, asked.correction, how, one_family)]
    plan = Plan(
        chosen,
        "none" if chosen.corrects_family else asked.correction or defaults.CORRECTION,
        baselines,
        name,
        alpha,
        n_resamples,
        intervals,
        how,
        len(given) if one_family else 1,
        margin,
        topic_groups=groups,
    )
    if groups is not None:
        _check_grouped(plan)
    if one_family and CORRECTIONS[plan.correction].of_scores:
        raise ArgumentError(
            f"`correction` {plan.correction!r} covers the pairs of one measure, not `across_measures`. Use 'holm', or "
            "leave `across_measures` out."
        )
    if within_teams:
        found = [compare_within(one, known, plan, said) for one in given.values()]
        return _concluded([replace(one, team_prefix=team_prefix) for one in found], across_measures)
    tested = [tested_family(find_family(matrix, plan), plan) for matrix in given.values()]
    families = [tested] if one_family else [[each] for each in tested]
    found = [result for family in families for result in conclude(family, plan, said)]
    return _concluded(found, across_measures)


def _check_grouped(plan: Plan) -> None:
    """Refuse tests that cannot treat groups of topics as a whole."""
    if plan.test.name not in GROUPED or not plan.how.on_means or CORRECTIONS[plan.correction].of_scores:
        names = ", ".join(GROUPED)
        raise ArgumentError(f"`topic_groups` needs the mean, a test of {names}, and no westfall-young.")


def _concluded(found: list[Comparison], across_measures: bool) -> Comparison | MeasureComparisons:
    result = MeasureComparisons(tuple(found), across_measures)
    notify(result.warnings, stacklevel=4)
    return result if len(result) > 1 else result.first


def _family_sizes(given: Scores, n_baselines: int, teams: Mapping[str, str]) -> list[int]:
    """Comparisons by every measure; within teams those of the largest."""
    if teams:
        systems = [max(map(len, members_of(matrix, teams).values())) for matrix in given.values()]
    else:
        systems = [matrix.n_systems for matrix in given.values()]
    # Pairs of all systems, without those among the systems that are no baseline.
    return [m * (m - 1) // 2 - (rest * (rest - 1) // 2 if (rest := m - n_baselines) < m else 0) for m in systems]


def _usual_test(sizes: list[int], correction: str | None, how: Resampling, one_family: bool) -> str:
    """The test when none is named: max-t for the means of a large family, randomisation for all others."""
    if correction is not None or not how.on_means:
        return defaults.TEST
    return (
        defaults.FAMILY_TEST if (sum(sizes) if one_family else max(sizes)) > defaults.FEW_COMPARISONS else defaults.TEST
    )


def compare_measures(
    scores: ScoresLike | QrelsLike | None = None,
    runs: RunsLike | None = None,
    *,
    qrels: QrelsLike | None = None,
    measure: str | Sequence[str] | None = None,
    **options: Unpack[Options],
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
    with quietly():
        found: Comparison | MeasureComparisons = compare(scores, runs, qrels=qrels, measure=measure, **options)
    if isinstance(found, Comparison):
        found = MeasureComparisons((found,), options.get("across_measures", False))
    notify(found.warnings)
    return found


def judged(
    scores: ScoresLike | QrelsLike | None,
    runs: RunsLike | None,
    qrels: QrelsLike | None,
    measure: str | Sequence[str] | None,
    workers: int | None,
) -> tuple[Scores, tuple[str, ...]]:
    """The scores to compare, and what evaluation had to say: ``(scores)``, ``(qrels, runs)``, ``(runs, qrels=…)``."""
    if runs is None and scores is None:
        raise ArgumentError("nothing to compare. Write compare(scores), or compare(qrels, runs).")
    if runs is not None and scores is not None and qrels is not None:
        raise ArgumentError("`qrels` is given twice. Write compare(qrels, runs).")
    given, judgments = cast("Any", scores), cast("Any", qrels)
    if runs is not None:
        given, judgments = runs, given if judgments is None else judgments
    found = scores_or_evaluated(given, judgments, measure, workers=workers)
    return found, () if judgments is None else found.warnings


def check(test: str, correction: str | None, alternative: str, statistic: str = "mean") -> None:
    """Refuse combinations that make no sense."""
    entry = TESTS[test]
    if entry.corrects_family and correction not in (None, "none"):
        raise ArgumentError(
            f"`correction` {correction!r} cannot be added to {test}: its p-values are already adjusted. Leave the "
            "correction out."
        )
    if entry.two_sided and alternative != "two-sided":
        raise ArgumentError(f"{test} is two-sided by construction; got alternative {alternative!r}. Leave it out.")
    if correction is None:
        return
    fits = CORRECTIONS[correction].fits
    if fits and (test not in fits or statistic != "mean"):
        asked = f"test {test!r}" if test not in fits else f"statistic {statistic!r}"
        raise ArgumentError(
            f"`correction` {correction!r} needs the mean and test {' or '.join(fits)}; got {asked}. Use 'holm'."
        )


def run_test(scores: GridScores, pairs: Pairs, test: str, alpha: float, how: Resampling) -> PValues:
    """P-values of every pair by the named test."""
    return TESTS[test].run(scores, pairs, how, alpha)
