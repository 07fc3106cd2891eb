"""How many topics? The settings of the designs, of `recommend` and of `cost`."""

from __future__ import annotations

from typing import Any, ClassVar

from cranfield import defaults
from cranfield.errors import ArgumentError
from cranfield.records import record
from cranfield.settings import shared
from cranfield.settings.base import REQUIRED, Settings, setting
from cranfield.settings.variance import estimators

VARIANCE = "Variance of a system's score over topics."
VARIANCE_OF_DIFFERENCE = "Variance over topics of the difference of two systems."
BASELINE = "Systems are only compared with one of them, the baseline."
PUBLISHED = "The papers' one-way design: as if every system had topics of its own."
BLOCKED = "All systems share the topics: the default."


@record(kw_only=True)
class DesignSettings(Settings):
    """What all designs have in common: the variance is typed, or estimated from past scores."""

    takes: ClassVar[str] = "past"

    more: tuple[str, ...] = setting(
        (), "Further files of --scores.", argument=True, metavar="[SCORES]...", part="source", on_page=False
    )
    scores: tuple[str, ...] | None = setting(
        None, "Past score files to estimate the variance from; several are pooled.", metavar="FILE", part="source",
        on_page=False,
    )  # fmt: skip
    measure: str | None = shared.measure("Which measure of the scores to use.")
    missing: str = shared.missing()
    estimator: str | None = setting(
        None, "How to estimate the variance from scores.", choices=estimators, usual="as the design needs it"
    )
    alpha: tuple[float, ...] = setting(
        (defaults.ALPHA,), "Significance level; intervals have 1 - alpha.", metavar="A", check=shared.share,
        label="Significance level (α)",
    )  # fmt: skip
    n_topics: tuple[int, ...] | None = setting(
        None, "Topics you have: find what they can detect instead.", metavar="N", check=shared.whole
    )

    @property
    def files(self) -> list[str]:
        """The files of past scores."""
        return [*(self.scores or ()), *self.more]

    def ask(self, *data: Any, **more: Any) -> Any:
        """The design for the variance typed, or for past scores."""
        values = self.values("question", "run")
        typed = [name for name in ("variance_of_difference", "variance") if name in values]
        given = [*(["scores"] if data else []), *(name for name in typed if values[name] is not None)]
        if len(given) != 1:
            got = ", ".join(f"`{name}`" for name in given) or "none"
            raise ArgumentError(f"give one of {', '.join(f'`{name}`' for name in ('scores', *typed))}; got {got}.")
        if data:
            values = {name: value for name, value in values.items() if name not in typed}
        return self.function()(*data, **values, **more)


def further_looks() -> Any:
    """Planned looks, beside a design with one."""
    return setting(
        None, "Also the topics needed at most, and to expect, with so many planned looks; see `design looks`.",
        metavar="K", part="view", usual="one look", least=1, most=100, on_page=False,
    )  # fmt: skip


@record(kw_only=True)
class PowerDesignSettings(DesignSettings):
    """Designs by power."""

    min_diff: tuple[float, ...] | None = shared.min_diff()
    power: tuple[float, ...] | None = shared.power(None, f"{defaults.POWER:.2f}, unless sought")
    method: str = shared.method()


@record(kw_only=True)
class PairsSettings(DesignSettings):
    """Topics for comparing all systems with each other, or with a baseline, after correction.

    Give all but one of --systems, --min-diff, --topics and --power; that one is computed. This is what most experiments
    run: paired tests of all pairs on the same topics, corrected for their number. --variance V stands for
    --variance-of-difference 2V.

    \b
    Examples:
      cranfield design pairs --scores past.AP.csv --systems 20 --min-diff 0.10
      cranfield design pairs --variance-of-difference 0.02 --systems 20 --min-diff 0.10 --baseline
      cranfield design pairs --scores past.AP.csv --systems 20 --topics 50
      cranfield design pairs --scores past.AP.csv --systems 20 --min-diff 0.10 --looks 5
    """

    command: ClassVar[str] = "design pairs"
    brief: ClassVar[str] = "Topics for comparing all systems, or all with a baseline, after correction."
    answered_by: ClassVar[str] = "cranfield.design:design_all_pairs"
    place: ClassVar[int] = 149

    variance_of_difference: tuple[float, ...] | None = setting(
        None, VARIANCE_OF_DIFFERENCE, metavar="V", check=shared.positive
    )
    variance: tuple[float, ...] | None = setting(None, VARIANCE, metavar="V", check=shared.positive)
    n_systems: tuple[int, ...] | None = setting(
        None, "How many systems will be compared, the baseline included.", metavar="M", check=shared.whole
    )
    min_diff: tuple[float, ...] | None = shared.min_diff()
    power: tuple[float, ...] | None = shared.power(None, f"{defaults.POWER:.2f}, unless sought")
    baseline: bool = setting(False, BASELINE)
    spread: float | None = setting(
        None, "How unequal the variances of pairs are: sd over mean.", metavar="S", on_page=False, least=0, most=1000,
        usual="that of the past scores; 0 for a typed variance",
    )  # fmt: skip
    looks: int | None = further_looks()


@record(kw_only=True)
class AnovaSettings(PowerDesignSettings):
    """Topics for telling by one analysis of variance that m systems differ.

    Give all but one of --systems, --min-diff, --topics and --power; that one is computed. All systems share the topics,
    unless --published: the papers' one-way design, as if every system had topics of its own. Which systems differ is
    another question: see design pairs.

    \b
    Examples:
      cranfield design anova --scores past.AP.csv --systems 20 --min-diff 0.10
      cranfield design anova --variance 0.0125 --systems 20 --topics 50
      cranfield design anova --published --variance 0.0530 --systems 10 --min-diff 0.10
    """

    command: ClassVar[str] = "design anova"
    brief: ClassVar[str] = "Topics for telling by one analysis of variance that m systems differ."
    answered_by: ClassVar[str] = "cranfield.design:design_anova"
    place: ClassVar[int] = 150

    variance: tuple[float, ...] | None = setting(
        None,
        "Residual variance, topics taken out; with --published that of a system's score over topics.",
        metavar="V",
        check=shared.positive,
    )
    n_systems: tuple[int, ...] | None = setting(
        None, "How many systems will be compared.", metavar="M", check=shared.whole
    )
    published: bool = setting(False, PUBLISHED)
    blocked: bool | None = setting(None, BLOCKED, on_page=False)
    epsilon: str | None = shared.epsilon()


@record(kw_only=True)
class TtestSettings(PowerDesignSettings):
    """Topics for detecting a difference between two systems by a t-test, paired unless --two-sample.

    Give all but one of --min-diff, --topics and --power; that one is computed. --variance V stands for
    --variance-of-difference 2V, and the other way round.

    \b
    Examples:
      cranfield design ttest --variance-of-difference 0.0429 --min-diff 0.05
      cranfield design ttest --scores past.AP.csv --topics 50
      cranfield design ttest --variance-of-difference 0.0429 --min-diff 0.05 --looks 5
    """

    command: ClassVar[str] = "design ttest"
    brief: ClassVar[str] = "Topics for detecting a difference between two systems by a t-test."
    answered_by: ClassVar[str] = "cranfield.design:design_ttest"
    place: ClassVar[int] = 151

    variance_of_difference: tuple[float, ...] | None = setting(
        None, VARIANCE_OF_DIFFERENCE, metavar="V", check=shared.positive
    )
    variance: tuple[float, ...] | None = setting(None, VARIANCE, metavar="V", check=shared.positive)
    two_sample: bool = setting(False, "The two systems have different topics; sizes are per group.")
    looks: int | None = further_looks()

    def ask(self, *data: Any, **more: Any) -> Any:
        """The design; looks are for paired tests only."""
        if self.looks is not None and self.two_sample:
            raise ArgumentError("`looks` is for paired tests; leave out `looks` or `two_sample`.")
        return super().ask(*data, **more)


@record(kw_only=True)
class IntervalSettings(DesignSettings):
    """Topics for a confidence interval of a difference that is expected to be no wider than --width.

    With --topics instead: the width to expect. --variance V stands for --variance-of-difference 2V.

    Example: cranfield design interval --variance-of-difference 0.0441 --width 0.10
    """

    command: ClassVar[str] = "design interval"
    brief: ClassVar[str] = "Topics for an interval of a difference no wider than --width."
    answered_by: ClassVar[str] = "cranfield.design:design_interval"
    place: ClassVar[int] = 152

    variance_of_difference: tuple[float, ...] | None = setting(
        None, VARIANCE_OF_DIFFERENCE, metavar="V", check=shared.positive
    )
    variance: tuple[float, ...] | None = setting(None, VARIANCE, metavar="V", check=shared.positive)
    width: tuple[float, ...] | None = setting(
        None, "Largest expected width of the interval.", metavar="W", check=shared.positive
    )
    two_sample: bool = setting(False, "The two systems have different topics; sizes are per group.")


@record(kw_only=True)
class RecommendSettings(Settings):
    """A recommendation in plain words, from past scores: how many topics, and what other ways of asking say.

    The number is for paired tests of all pairs of systems after correction, or of all with a baseline. Prints Markdown
    to paste into an overview; --format table, json or csv gives the numbers.

    \b
    Examples:
      cranfield design recommend past.AP.csv --systems 20 --min-diff 0.10
      cranfield design recommend past.AP.csv --systems 20 --min-diff 0.10 --baseline
    """

    command: ClassVar[str] = "design recommend"
    brief: ClassVar[str] = "A recommendation in plain words, from past scores."
    takes: ClassVar[str] = "collections"
    by_one_measure: ClassVar[bool] = True
    answered_by: ClassVar[str] = "cranfield.design:recommend"
    place: ClassVar[int] = 153

    n_systems: int = shared.n_systems(REQUIRED)
    min_diff: float = shared.min_diff(REQUIRED, "Smallest best-to-worst difference worth detecting.")
    baseline: bool = setting(False, BASELINE)
    power: float = shared.power()
    alpha: float = shared.alpha("Significance level.")
    measure: str | None = shared.one_measure("Which measure of the scores to use.")
    missing: str = shared.missing()


@record(kw_only=True)
class CostSettings(Settings):
    """Topics and judgments for each pool depth and measure.

    Judgments are cut to each depth, runs evaluated anew, variances estimated (and pooled over collections), and the
    design priced: topics × (documents in the pool of a topic × document cost + topic cost). ratio is the cost of the
    deepest pool divided by this one. Topics are for comparing all pairs after correction (as design pairs and design
    recommend), for an analysis of variance with --blocked or --published, or for an interval with --width.

    \b
    Examples:
      cranfield cost qrels.txt runs/ -m AP --depth 10 --depth 100 --width 0.15
      cranfield cost qrels.txt runs/ -m AP --depth 10 --systems 10 --min-diff 0.15
      cranfield cost qrels.txt runs/ -m AP --depth 10 --systems 10 --budget 10000
      cranfield cost --collection q03 runs03/ --collection q04 runs04/ \\
                     -m AP --depth 10 --depth 100 --width 0.15
    """

    command: ClassVar[str] = "cost"
    brief: ClassVar[str] = "How deep to judge, how many topics, at what cost."
    takes: ClassVar[str] = "judged"
    answered_by: ClassVar[str] = "cranfield.design:cost"
    counts: ClassVar[str] = "judging shallower"
    place: ClassVar[int] = 160

    files: tuple[str, ...] = setting(
        (), "Judgments, then the runs that were pooled.", argument=True, metavar="QRELS RUN...", part="source"
    )
    collection: tuple[str, ...] | None = setting(
        None, "Judgments and a directory of runs; repeat it to pool several collections.", metavar="QRELS RUNS",
        part="source",
    )  # fmt: skip
    depths: tuple[int, ...] = setting(
        help="Pool depth to consider; repeatable.", flags=("--depth",), metavar="D", least=1, most=10_000_000
    )
    measures: tuple[str, ...] = setting(
        help="Measure to evaluate by; repeatable.", flags=("--measure", "-m"), metavar="NAME"
    )
    n_systems: int | None = shared.n_systems(None, "Systems to compare.")
    min_diff: float | None = shared.min_diff(None, "Smallest difference worth detecting.")
    width: float | None = setting(
        None, "Largest expected width of an interval, instead.", metavar="W", check=shared.positive
    )
    power: float | None = shared.power(None, f"{defaults.POWER:.2f}")
    alpha: float = shared.alpha()
    method: str = shared.method()
    published: bool = setting(False, PUBLISHED)
    blocked: bool = setting(False, "Topics for one F-test on shared topics, instead of all pairs.")
    epsilon: str | None = shared.epsilon()
    estimator: str | None = setting(None, "How to estimate variances.", choices=estimators)
    document_cost: float = setting(1.0, "Cost of judging a document.", check=shared.not_negative)
    topic_cost: float = setting(0.0, "Cost of setting up a topic.", check=shared.not_negative)
    budget: float | None = setting(
        None, "What may be spent: find the best design it buys.", metavar="B", check=shared.positive
    )
    order: str = setting(defaults.ORDER, "How documents are ordered.", choices=defaults.names(defaults.RankingOrder))
