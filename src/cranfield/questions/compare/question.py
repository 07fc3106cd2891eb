"""Which systems differ? The settings of `compare` and `leaderboard`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.page import Page
from cranfield.core.question import Bar, Files, Takes, setting
from cranfield.measures.options import RunsOrScores
from cranfield.questions.tune import question as tuning

if TYPE_CHECKING:
    from cranfield.core.answer import Answer
    from cranfield.core.registry import Registry
    from cranfield.questions.compare.corrections import Correction
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
    test: str | None = setting(
        None,
        "Which test; `cranfield help tests` says when to use which.",
        registry=tests,
        usual=f"{defaults.TEST}; {defaults.FAMILY_TEST} for more than {defaults.FEW_COMPARISONS} comparisons",
    )
    baseline: tuple[str, ...] | None = setting(
        None, "Compare every system with this one; repeatable.", "--baseline", "-b", usual="all pairs", metavar="SYSTEM"
    )
    correction: str | None = setting(
        None,
        "Adjustment for many comparisons; max-t and the Tukey tests have their own.",
        registry=corrections,
        usual=defaults.CORRECTION,
    )
    across_measures: bool = setting(False, "Correct over the comparisons of all measures as one family.")
    alpha: float = shared.alpha()
    n_resamples: int | None = shared.n_resamples(None, usual="100000, or what the family needs")
    seed: int = shared.seed()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()
    memory: float = shared.memory()


@dataclass(frozen=True, kw_only=True)
class ComparisonQuestion(FamilyQuestion):
    """What `compare` and `leaderboard` have in common."""

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

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers it."""
        from cranfield.questions.compare.compare import compare

        return compare


@dataclass(frozen=True, kw_only=True)
class CompareQuestion(ComparisonQuestion):
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
    page = Page(
        name="compare",
        title="Compare",
        place=20,
        heading="Which systems differ?",
        button="Compare",
        doing="Comparing the systems of",
        brief="Which systems differ: every pair, or every system against baselines; the leaderboard is in `tables`.",
        live=True,
        template="compare.html",
    )

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

    def read(self, files: Files, bar: Bar) -> tuple[Tuning] | None:
        """With --tune: families, tuned."""
        if not self.tune:
            return None
        from cranfield.questions.tune.tune import tune

        done = tune(tuning.read_families(files["scores"], self, bar), **self.splitting)
        if len(done.families) < 2:
            raise DataError(
                f"`tune` compares families, and there is one, {done.families[0].name!r}; "
                "name a second, or see what tuning makes of it with `cranfield tune`"
            )
        return (done,)

    def ask(self, *data: Any, **more: Any) -> Any:
        """The comparison, of tuned families by their held-out scores."""
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
        if not self.tune and (set(self.changed()) & {*self.splitting, "pattern", "one_family"}) - {"seed"}:
            raise ArgumentError("`folds`, `holdout` and the other options of tuning need `tune`; add it")
        if self.tune and self.measure is not None and len(self.measure) > 1:
            raise ArgumentError(f"`tune` tunes for one measure; got {len(self.measure)}. Name one with `measure`.")
