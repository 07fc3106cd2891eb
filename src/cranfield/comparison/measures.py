"""Several measures at once: one comparison each, one family if asked, and which measure separates most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.collection.doors import QrelsLike
from cranfield.comparison.analysis import analyse, check, with_intervals
from cranfield.comparison.comparison import Comparison
from cranfield.comparison.corrections import CORRECTIONS, adjust
from cranfield.comparison.messages import comparison_signature, too_few_resamples
from cranfield.comparison.resampled import Resampling
from cranfield.comparison.statistics import Statistic, find_statistic
from cranfield.comparison.tests import TESTS
from cranfield.defaults import (
    ALPHA,
    ALTERNATIVE,
    INTERVALS,
    MEMORY_MB,
    SEED,
    STATISTIC,
    TEST,
    Alternative,
    IntervalKind,
    StatisticName,
)
from cranfield.errors import ArgumentError, notify, quietly
from cranfield.executors import Progress
from cranfield.measures.doors import scores_or_evaluated
from cranfield.resampling import check_resamples
from cranfield.results import Result
from cranfield.scores.doors import ScoresLike
from cranfield.settings.compare import ComparisonSettings

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class MeasureComparisons(Result, Mapping[str, Comparison]):
    """The comparisons of the same systems by several measures: measure name → `Comparison`.

    Attributes
    ----------
    comparisons : the comparisons, in the order of the measures
    across_measures : whether the corrections count the comparisons of all measures as one family
    """

    comparisons: tuple[Comparison, ...]
    across_measures: bool

    def __getitem__(self, measure: str) -> Comparison:
        for comparison in self.comparisons:
            if comparison.measure == measure:
                return comparison
        raise KeyError(measure)

    def __iter__(self) -> Iterator[str]:
        return (comparison.measure for comparison in self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        first = self.comparisons[0]
        if len(self) == 1:
            return first.signature
        return first.signature.replace(f"measure {first.measure}", f"measures {', '.join(self)}", 1)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of every comparison, with its measure where there are several."""
        if len(self) == 1:
            return self.comparisons[0].warnings
        each: dict[str, list[str]] = {}
        for comparison in self.comparisons:
            for text in comparison.warnings:
                each.setdefault(text, []).append(comparison.measure)
        return tuple(f"{', '.join(measures)}: {text}" for text, measures in each.items())

    def to_frame(self) -> pl.DataFrame:
        """One row per measure and pair, as `Comparison.to_frame`."""
        import polars as pl

        return pl.concat([comparison.to_frame() for comparison in self.comparisons])

    def leaderboard(self, letters: bool | None = None) -> pl.DataFrame:
        """One row per measure and system: `Comparison.leaderboard` with the measure first."""
        return self._stack([comparison.leaderboard(letters) for comparison in self.comparisons])

    def discriminative_power(self) -> pl.DataFrame:
        """One row per measure: how many pairs it separates, corrected and not, and the smallest difference it took.

        A measure that separates more pairs of the same systems on the same topics discriminates better (Sakai,
        SIGIR 2006); whether it measures the right thing is another question.
        """
        import polars as pl

        counts = {"uncorrected": pl.Int64, "share_uncorrected": pl.Float64, "smallest_difference": pl.Float64}
        return pl.DataFrame([comparison.power_row() for comparison in self.comparisons], schema_overrides=counts)

    def asl_curves(self) -> pl.DataFrame:
        """The achieved significance levels of every measure (see `Comparison.asl_curve`)."""
        return self._stack([comparison.asl_curve() for comparison in self.comparisons])

    def _stack(self, frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
        import polars as pl

        named = [
            frame.select(pl.lit(measure).alias("measure"), pl.all())
            for measure, frame in zip(self, frames, strict=True)
        ]
        return pl.concat(named)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force; the measure's name becomes the list of measures."""
        first = {name: value for name, value in self.comparisons[0].settings.items() if name != "measure"}
        return {"measures": list(self), **first, "across_measures": self.across_measures}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: every comparison by its measure, settings, signature and warnings."""
        return {
            "signature": self.signature,
            "settings": self.settings,
            "comparisons": {comparison.measure: comparison.to_dict() for comparison in self.comparisons},
            "warnings": list(self.warnings),
        }

    def summary(self) -> str:
        """How many pairs differ, by every measure."""
        return "; ".join(comparison.summary() for comparison in self.comparisons)

    def __repr__(self) -> str:
        lines = "\n".join(f"  {comparison.summary()}" for comparison in self.comparisons)
        return f"MeasureComparisons({len(self)} measures)\n{lines}"


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
    test, correction = asked.test, asked.correction
    name, function = find_statistic(statistic)
    check(test, correction, alternative, name)
    given = scores_or_evaluated(scores, qrels, measure, workers=workers)
    several = len(given) if across_measures else 1
    if several > 1 and correction and CORRECTIONS[correction].of_scores:
        raise ArgumentError(
            f"`correction` {correction!r} corrects over the pairs of one measure, and `across_measures` asks for one "
            "family of all measures. Use 'holm', or leave `across_measures` out."
        )
    how = Resampling(1, seed, alternative, function, workers, memory, progress, executor)
    each = [
        analyse(matrix, test, baseline, correction, alpha, how, name, intervals, n_resamples, several)
        for matrix in given.values()
    ]
    if qrels is not None:  # what evaluation had to say belongs to the result
        said = given.warnings
        each = [replace(one, warnings=tuple(dict.fromkeys([*said, *one.warnings]))) for one in each]
    if several > 1:
        each = _one_family(each)
    result = MeasureComparisons(tuple(each), across_measures)
    notify(result.warnings)
    return result


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
