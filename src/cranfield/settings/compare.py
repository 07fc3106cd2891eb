"""Which systems differ? The settings of `compare` and `leaderboard`."""

from __future__ import annotations

from typing import Any, ClassVar

from cranfield import defaults
from cranfield.errors import ArgumentError
from cranfield.records import record
from cranfield.settings import shared, tuning
from cranfield.settings.base import known_as, registered, setting
from cranfield.settings.evaluate import RunsOrScores

_TESTS, _CORRECTIONS = "cranfield.comparison.tests:TESTS", "cranfield.comparison.corrections:CORRECTIONS"
TESTS = registered(_TESTS)
CORRECTIONS = registered(_CORRECTIONS)


@record(kw_only=True)
class ComparisonSettings(RunsOrScores):
    """What `compare` and `leaderboard` have in common."""

    takes: ClassVar[str] = "scores"
    answered_by: ClassVar[str] = "cranfield.comparison:compare"
    gives: ClassVar[tuple[str, ...]] = ("Comparison", "MeasureComparisons")
    counts: ClassVar[str] = "resamples"

    measure: tuple[str, ...] | None = shared.measures()
    system: tuple[str, ...] | None = shared.systems()
    test: str = setting(
        defaults.TEST,
        "Which test; `cranfield help tests` says when to use which.",
        choices=TESTS,
        read=known_as(_TESTS),
    )
    baseline: tuple[str, ...] | None = setting(
        None, "Compare every system with this one; repeatable.", "--baseline", "-b", usual="all pairs", metavar="SYSTEM"
    )
    correction: str | None = setting(
        None,
        "Adjustment for many comparisons; the Tukey tests have their own.",
        choices=CORRECTIONS,
        usual=defaults.CORRECTION,
        read=known_as(_CORRECTIONS),
    )
    intervals: str = setting(
        defaults.INTERVALS,
        "Intervals of differences: for all comparisons at once, as the decisions, or each pair for itself.",
        choices=defaults.names(defaults.IntervalKind),
        more=True,
    )
    alternative: str = setting(
        defaults.ALTERNATIVE,
        "greater: system_a is better (for all pairs: the observed direction).",
        choices=defaults.names(defaults.Alternative),
        more=True,
    )
    statistic: str = setting(
        defaults.STATISTIC,
        "What systems are judged by; anything but the mean needs a resampling test.",
        choices=defaults.names(defaults.StatisticName),
        label="Judged by",
        more=True,
    )
    across_measures: bool = setting(False, "Correct over the comparisons of all measures as one family.", on_page=False)
    alpha: float = shared.alpha()
    n_resamples: int | None = shared.n_resamples(None, usual="100000, or what the family needs")
    seed: int = shared.seed()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()
    memory: float = shared.memory()


@record(kw_only=True)
class CompareSettings(ComparisonSettings):
    """Test which systems differ: all pairs at once, or every system against baselines.

    Differences come with intervals, effect sizes, p-values and p-values adjusted for the number of comparisons.

    \b
    Examples:
      cranfield compare scores.csv --baseline bm25 --test randomisation
      cranfield compare qrels.txt runs/ -m AP --system bm25 --system ours
    """

    command: ClassVar[str] = "compare"
    brief: ClassVar[str] = "Which systems differ: tests for all pairs at once."
    place: ClassVar[int] = 80

    tune: bool = setting(
        False, "The systems are settings: choose them on training topics, compare families on held-out ones.",
        part="source", on_page=False,
    )  # fmt: skip
    folds: int | None = tuning.folds(part="source", on_page=False)
    leave_one_out: bool = tuning.leave_one_out(part="source", on_page=False)
    holdout: float | None = tuning.holdout(part="source", on_page=False)
    n_repeats: int | None = tuning.n_repeats(part="source", on_page=False)
    stratified: bool = tuning.stratified(part="source", on_page=False)
    pattern: str | None = tuning.pattern(on_page=False)
    one_family: bool = tuning.one_family(on_page=False)
    effect_size: str = setting(
        defaults.EFFECT_SIZE,
        "Divide the difference by its own sd, or by the residual sd of two-way ANOVA.",
        choices=defaults.names(defaults.EffectSize),
        part="view",
        on_page=False,
    )
    show: str = setting(
        "pairs",
        "pairs: one row per pair. power: how many pairs each measure separates. "
        "curve: every p, largest first (achieved significance levels). "
        "topics: wins, ties and losses of a pair, and the topics that differ most.",
        choices=("pairs", "power", "curve", "topics"),
        part="view",
        on_page=False,
    )

    @property
    def splitting(self) -> dict[str, Any]:
        """How topics are held out, as `tune` takes it."""
        names = ("folds", "leave_one_out", "holdout", "n_repeats", "stratified", "seed")
        return {name: getattr(self, name) for name in names}

    def check_together(self) -> None:
        """Tuning is asked for as a whole, and for one measure."""
        if not self.tune and (set(self.changed()) & {*self.splitting, "pattern", "one_family"}) - {"seed"}:
            raise ArgumentError("`folds`, `holdout` and the other options of tuning need `tune`; add it")
        if self.tune and self.measure is not None and len(self.measure) > 1:
            raise ArgumentError(f"`tune` tunes for one measure; got {len(self.measure)}. Name one with `measure`.")


@record(kw_only=True)
class LeaderboardSettings(ComparisonSettings):
    """Rank the systems: means with intervals, rank intervals, groups, and which systems may be the best.

    Two systems share a letter exactly when they are not shown to differ; of more than 30 systems the ranks are named
    that each is not separated from. With baselines, marks († ‡ …) say which of them a system differs from.

    Example: cranfield leaderboard scores.csv --format latex
    """

    command: ClassVar[str] = "leaderboard"
    brief: ClassVar[str] = "Who leads, and who may be the best."
    place: ClassVar[int] = 70

    letters: bool = setting(
        False, "Groups as letters, however many systems.", part="view", on_page=False, usual="up to 30 systems"
    )
