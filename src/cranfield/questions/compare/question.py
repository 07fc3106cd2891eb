"""Which systems differ? The settings of `compare` and `leaderboard`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.options import setting
from cranfield.core.question import Bar, Files, HelpGroup, Page, Place, Takes
from cranfield.measures.options import RunsOrScores
from cranfield.questions.tune import question as tuning

if TYPE_CHECKING:
    from cranfield.core.answer import Answer
    from cranfield.core.registry import Registry
    from cranfield.questions.compare.comparison import Comparison
    from cranfield.questions.compare.corrections import Correction
    from cranfield.questions.compare.measures import MeasureComparisons
    from cranfield.questions.compare.tests import SignificanceTest
    from cranfield.questions.tune.tune import Tuning


def tests() -> Registry[SignificanceTest]:
    """The significance tests there are."""
    from cranfield.questions.compare.tests import TESTS

    return TESTS


def corrections() -> Registry[Correction]:
    """The corrections for many comparisons there are."""
    from cranfield.questions.compare.corrections import CORRECTIONS

    return CORRECTIONS


@dataclass(frozen=True, kw_only=True)
class FamilyQuestion(RunsOrScores):
    """Which comparisons are made, and how: what `compare`, `leaderboard` and `table` have in common."""

    takes: ClassVar[Takes] = "scores"
    counts: ClassVar[str] = "resamples"

    measure: tuple[str, ...] | None = shared.measures()
    system: tuple[str, ...] | None = shared.systems()
    teams: Path | None = shared.teams(part="source")
    team_prefix: str | None = shared.team_prefix(
        "Regular expression that finds the team at the start of a system's name.", part="source"
    )
    best_per_team: str | None = shared.best_per_team()
    test: str | None = setting(
        None,
        "Significance test; `cranfield help tests` explains the choice.",
        registry=tests,
        usual=f"{defaults.TEST}; {defaults.FAMILY_TEST} for more than {defaults.FEW_COMPARISONS} comparisons",
        group="Statistics",
        often=True,
    )
    baseline: tuple[str, ...] | None = setting(
        None, "Compare every other system with this one; repeatable.", "--baseline", "-b", usual="all pairs",
        metavar="SYSTEM",
        often=True,
    )  # fmt: skip
    correction: str | None = setting(
        None,
        "Correction for many comparisons; max-t and the Tukey tests include their own.",
        registry=corrections,
        usual=defaults.CORRECTION,
        group="Statistics",
    )
    across_measures: bool = setting(False, "Treat the comparisons of all measures as one family.", group="Statistics")
    alpha: float = shared.alpha()
    n_resamples: int | None = shared.n_resamples(None, usual="100000, or what the family needs")
    seed: int = shared.seed()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()
    memory: float = shared.memory()
    margin: float | None = setting(
        None,
        "Largest difference that does not matter, in units of the measure: shows which systems are equivalent.",
        metavar="D",
        check=shared.positive,
        example=0.01,
        more=True,
        group="Statistics",
    )
    topic_groups: Path | None = shared.topic_groups(group="Statistics")


@dataclass(frozen=True, kw_only=True)
class ComparisonQuestion(FamilyQuestion):
    """What `compare` and `leaderboard` have in common."""

    intervals: defaults.IntervalKind = setting(
        defaults.INTERVALS, "Intervals of differences: simultaneous (matching the decisions) or per pair.", more=True
    )
    alternative: defaults.Alternative = setting(
        defaults.ALTERNATIVE, "Direction of the test; greater: system_a is better.", more=True
    )
    statistic: defaults.StatisticName = setting(
        defaults.STATISTIC,
        "Statistic to compare; all but the mean need a resampling test.",
        label="Judged by",
        more=True,
    )
    across_measures: bool = setting(False, "Treat the comparisons of all measures as one family.", on_page=False)
    unjudged: defaults.Unjudged | None = setting(
        None, "Add the smallest and largest means and differences that ranked unjudged documents allow.",
        part="source", group="Statistics", on_page=False,
    )  # fmt: skip

    @staticmethod
    def verb() -> Callable[..., Comparison | MeasureComparisons]:
        """The public function that answers it."""
        from cranfield.questions.compare.compare import compare

        return compare

    def check_together(self) -> None:
        """Equivalence has two sides."""
        if self.margin is not None and self.alternative != defaults.ALTERNATIVE:
            raise ArgumentError(
                f"`margin` needs alternative 'two-sided'; got {self.alternative!r}. For one candidate and one "
                "direction use `gate`."
            )


@dataclass(frozen=True, kw_only=True)
class CompareQuestion(ComparisonQuestion):
    """Test which systems differ: all pairs, or every system against baselines.

    Differences have intervals, effect sizes, p-values, and p-values adjusted for the number of comparisons.

    \b
    Examples:
      cranfield compare scores.csv --baseline bm25 --test randomisation
      cranfield compare qrels.txt runs/ -m AP --system bm25 --system ours
    """

    command: ClassVar[str] = "compare"
    group: ClassVar[HelpGroup] = "Compare"
    aliases: ClassVar[tuple[str, ...]] = ("significance", "test", "t-test", "diff")
    brief: ClassVar[str] = "Significance tests for all pairs of systems, or against baselines."
    place: ClassVar[int] = 80
    page = Page(
        name="compare",
        title="Compare",
        place=Place.RESULT,
        order=10,
        heading="Which systems differ?",
        button="Compare",
        doing="Comparing the systems of",
        brief="Significance tests for all pairs or against baselines; the leaderboard is in `tables`.",
        live=True,
        template="compare.html",
    )

    tune: bool = setting(
        False, "Treat systems as settings: choose on training topics, compare families on held-out topics.",
        part="source", on_page=False,
    )  # fmt: skip
    folds: int | None = tuning.folds(part="source", on_page=False)
    leave_one_out: bool = tuning.leave_one_out(part="source", on_page=False)
    holdout: float | None = tuning.holdout(part="source", on_page=False)
    n_repeats: int | None = tuning.n_repeats(part="source", on_page=False)
    stratified: bool = tuning.stratified(part="source", on_page=False)
    pattern: str | None = tuning.pattern(on_page=False)
    one_family: bool = tuning.one_family(on_page=False)
    effect_size: defaults.EffectSize = setting(
        defaults.EFFECT_SIZE,
        "Denominator: standard deviation of the difference, or of the residuals of two-way ANOVA.",
        part="view",
        on_page=False,
    )
    show: str = shared.show(
        "pairs",
        "pairs: one row per pair. power: pairs that each measure separates. "
        "curve: all p-values, largest first (achieved significance levels). "
        "topics: wins, ties, losses, and differences by topic.",
        choices=("pairs", "power", "curve", "topics"),
    )
    bayes: bool = setting(
        False,
        "Add the probability of a difference beyond the margin, assuming normally distributed system means.",
        part="view",
        on_page=False,
    )

    within_teams: bool = setting(
        False, "Compare the systems of each team, one family per team; for variants of one system.", on_page=False,
        group="Statistics",
    )  # fmt: skip
    teams: Path | None = shared.teams()
    team_prefix: str | None = shared.team_prefix(
        "Regular expression that finds the team at the start of a system's name."
    )

    def read(self, files: Files, bar: Bar) -> tuple[Tuning] | None:
        """With --tune: families, tuned."""
        if not self.tune:
            return None
        from cranfield.questions.tune.tune import tune

        done = tune(tuning.read_families(files["scores"], self, bar), **self.splitting, alpha=self.alpha)
        if len(done.families) < 2:
            raise DataError(
                f"`tune` needs two families; found one, {done.families[0].name!r}. "
                "Name a second, or run `cranfield tune`."
            )
        return (done,)

    def ask(self, *data: Any, **more: Any) -> Comparison | MeasureComparisons:
        """The comparison, of tuned families by their held-out scores."""
        if self.best_per_team is not None:  # the teams chose the systems when the files were read
            more = {"teams": None, "team_prefix": None, **more}
        if not self.tune:
            return super().ask(*data, **more)
        from cranfield.scores.matrix import Scores

        return super().ask(Scores([data[0].held_out]), **{"measure": None, **more})

    def answer(self, result: Any, *data: Any) -> Answer:
        """What the comparison says, and what the tuning before it has to say."""
        said = super().answer(result)
        if not self.tune:
            return said
        from cranfield.questions.tune.answer import introduced

        return introduced(said, data[0])

    @property
    def splitting(self) -> dict[str, Any]:
        """How topics are held out, as `tune` takes it."""
        names = ("folds", "leave_one_out", "holdout", "n_repeats", "stratified", "seed")
        return {name: getattr(self, name) for name in names}

    def check_together(self) -> None:
        """Tuning is asked for as a whole, and for one measure."""
        super().check_together()
        if self.within_teams and self.best_per_team:
            raise ArgumentError("`best_per_team` leaves one run of each team, and `within_teams` needs several.")
        if not (self.within_teams or self.best_per_team) and (self.teams is not None or self.team_prefix is not None):
            raise ArgumentError("`teams` and `team_prefix` need `within_teams` or `best_per_team`. Add one.")
        if self.within_teams and self.baseline:
            raise ArgumentError("`within_teams` compares all pairs of a team. Leave `baseline` out.")
        if self.within_teams and self.across_measures:
            raise ArgumentError("`within_teams` has one family per team and measure. Leave `across_measures` out.")
        if not self.tune and (set(self.changed()) & {*self.splitting, "pattern", "one_family"}) - {"seed"}:
            raise ArgumentError("`folds`, `holdout` and the other tuning options need `tune`. Add it.")
        if self.tune and self.measure is not None and len(self.measure) > 1:
            raise ArgumentError(f"`tune` tunes for one measure; got {len(self.measure)}. Name one with `measure`.")
