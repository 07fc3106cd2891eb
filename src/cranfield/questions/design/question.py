"""How many topics? The settings of the designs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError
from cranfield.core.question import HelpGroup, Question, Takes, group, setting
from cranfield.questions.variance.question import estimators

group(
    "design",
    "How many topics? Or: what can mine detect?",
    "How many topics? Or, with --topics: what can they detect? Repeat an option to get a grid.",
    aliases=("power", "topics", "sample-size"),
)
VARIANCE = "Variance of a system's score over topics."
VARIANCE_OF_DIFFERENCE = "Variance over topics of the difference of two systems."
BASELINE = "Systems are only compared with one of them, the baseline."
PUBLISHED = "The papers' one-way design: as if every system had topics of its own."
BLOCKED = "All systems share the topics: the default."
TWO_SAMPLE = "The two systems have different topics; sizes are per group."


@dataclass(frozen=True, kw_only=True)
class DesignQuestion(Question):
    """What all designs have in common: the variance is typed, or estimated from past scores."""

    takes: ClassVar[Takes] = "past"

    more: tuple[str, ...] = setting(
        (), "Further files of --scores.", argument=True, metavar="[SCORES]...", part="source", on_page=False
    )
    scores: tuple[str, ...] | None = setting(
        None, "Past score files to estimate the variance from; several are pooled.", metavar="FILE", part="source",
        on_page=False, often=True,
    )  # fmt: skip
    measure: str | None = shared.measure("Which measure of the scores to use.")
    missing: str = shared.missing()
    estimator: str | None = setting(
        None, "How to estimate the variance from scores.", registry=estimators, usual="as the design needs it"
    )
    alpha: tuple[float, ...] = setting(
        (defaults.ALPHA,), "Significance level; intervals have 1 - alpha.", metavar="A", check=shared.share,
        label="Significance level (α)", group="Statistics",
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
        return self.verb()(*data, **values, **more)


def typed_variance(help: str) -> Any:
    """A variance typed, or several."""
    return setting(None, help, metavar="V", check=shared.positive)


def further_looks() -> Any:
    """Planned looks, beside a design with one."""
    return setting(
        None, "Also the topics needed at most, and to expect, with so many planned looks; see `design looks`.",
        metavar="K", part="view", usual="one look", least=1, most=100, on_page=False,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PowerDesignQuestion(DesignQuestion):
    """Designs by power."""

    min_diff: tuple[float, ...] | None = shared.min_diff()
    power: tuple[float, ...] | None = shared.power(None, f"{defaults.POWER:.2f}, unless sought")
    method: str = shared.method()


@dataclass(frozen=True, kw_only=True)
class PairsQuestion(DesignQuestion):
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
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Topics for comparing all systems, or all with a baseline, after correction."
    place: ClassVar[int] = 149

    variance_of_difference: tuple[float, ...] | None = typed_variance(VARIANCE_OF_DIFFERENCE)
    variance: tuple[float, ...] | None = typed_variance(VARIANCE)
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

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers it."""
        from cranfield.questions.design.all_pairs import design_all_pairs

        return design_all_pairs


@dataclass(frozen=True, kw_only=True)
class AnovaQuestion(PowerDesignQuestion):
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
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Topics for telling by one analysis of variance that m systems differ."
    place: ClassVar[int] = 150

    variance: tuple[float, ...] | None = typed_variance(
        "Residual variance, topics taken out; with --published that of a system's score over topics."
    )
    n_systems: tuple[int, ...] | None = setting(
        None, "How many systems will be compared.", metavar="M", check=shared.whole
    )
    published: bool = setting(False, PUBLISHED)
    blocked: bool | None = setting(None, BLOCKED, on_page=False)
    epsilon: str | None = shared.epsilon()

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers it."""
        from cranfield.questions.design.anova import design_anova

        return design_anova


@dataclass(frozen=True, kw_only=True)
class TtestQuestion(PowerDesignQuestion):
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
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Topics for detecting a difference between two systems by a t-test."
    place: ClassVar[int] = 151

    variance_of_difference: tuple[float, ...] | None = typed_variance(VARIANCE_OF_DIFFERENCE)
    variance: tuple[float, ...] | None = typed_variance(VARIANCE)
    two_sample: bool = setting(False, TWO_SAMPLE)
    looks: int | None = further_looks()

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers it."""
        from cranfield.questions.design.ttest import design_ttest

        return design_ttest

    def ask(self, *data: Any, **more: Any) -> Any:
        """The design; looks are for paired tests only."""
        if self.looks is not None and self.two_sample:
            raise ArgumentError("`looks` is for paired tests; leave out `looks` or `two_sample`.")
        return super().ask(*data, **more)


@dataclass(frozen=True, kw_only=True)
class IntervalQuestion(DesignQuestion):
    """Topics for a confidence interval of a difference that is expected to be no wider than --width.

    With --topics instead: the width to expect. --variance V stands for --variance-of-difference 2V.

    \b
    Examples:
      cranfield design interval --variance-of-difference 0.0441 --width 0.10
      cranfield design interval --scores past.AP.csv --topics 50
    """

    command: ClassVar[str] = "design interval"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Topics for an interval of a difference no wider than --width."
    place: ClassVar[int] = 152

    variance_of_difference: tuple[float, ...] | None = typed_variance(VARIANCE_OF_DIFFERENCE)
    variance: tuple[float, ...] | None = typed_variance(VARIANCE)
    width: tuple[float, ...] | None = setting(
        None, "Largest expected width of the interval.", metavar="W", check=shared.positive, often=True
    )
    two_sample: bool = setting(False, TWO_SAMPLE)

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers it."""
        from cranfield.questions.design.interval import design_interval

        return design_interval
