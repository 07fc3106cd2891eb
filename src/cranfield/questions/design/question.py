"""How many topics? The settings of the designs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError
from cranfield.core.options import setting
from cranfield.core.question import HelpGroup, Question, Takes, group
from cranfield.questions.variance.question import estimators

if TYPE_CHECKING:
    from cranfield.questions.design.result import Design

group(
    "design",
    "Number of topics needed, or what a given number can detect.",
    "Number of topics needed; with --topics, what they can detect. Repeat an option for a grid.",
    aliases=("power", "topics", "sample-size"),
)
VARIANCE = "Variance of a system's score over topics."
VARIANCE_OF_DIFFERENCE = "Variance over topics of the difference between two systems."
BASELINE = "Compare all systems with one baseline only."
PUBLISHED = "Design and method of the papers: one-way, with separate topics for each system."
BLOCKED = "Shared topics for all systems, the default."
TWO_SAMPLE = "Different topics for the two systems; sizes are per group."


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
    measure: str | None = shared.measure("Measure to use.")
    topic_groups: Path | None = shared.topic_groups(part="source")
    missing: str = shared.missing()
    estimator: str | None = setting(
        None, "Variance estimator for past scores.", registry=estimators, usual="the one that matches the design"
    )
    alpha: tuple[float, ...] = setting(
        (defaults.ALPHA,), "Significance level; intervals have confidence 1 - alpha.", metavar="A", check=shared.share,
        label="Significance level (α)", group="Statistics",
    )  # fmt: skip
    n_topics: tuple[int, ...] | None = setting(
        None, "Number of topics available; solves for what they can detect.", metavar="N", check=shared.whole
    )

    @property
    def files(self) -> list[str]:
        """The files of past scores."""
        return [*(self.scores or ()), *self.more]

    def ask(self, *data: Any, **more: Any) -> Design:
        """The design for the variance typed, or for past scores."""
        values = self.values("question", "run")
        typed = [name for name in ("variance_of_difference", "variance") if name in values]
        given = [*(["scores"] if data else []), *(name for name in typed if values[name] is not None)]
        if len(given) != 1:
            got = ", ".join(f"`{name}`" for name in given) or "none"
            raise ArgumentError(f"give one of {', '.join(f'`{name}`' for name in ('scores', *typed))}; got {got}.")
        if data:
            values = {name: value for name, value in values.items() if name not in typed}
        design: Design = self.verb()(*data, **values, **more)
        return design


def typed_variance(help: str) -> Any:
    """A variance typed, or several."""
    return setting(None, help, metavar="V", check=shared.positive)


def further_looks() -> Any:
    """Planned looks, beside a design with one."""
    return setting(
        None, "Planned looks; adds the maximum and the expected number of topics. See `design looks`.",
        metavar="K", part="view", usual="one look", least=1, most=100, on_page=False,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PowerDesignQuestion(DesignQuestion):
    """Designs by power."""

    min_diff: tuple[float, ...] | None = shared.min_diff()
    power: tuple[float, ...] | None = shared.power(None, f"{defaults.POWER:.2f}, unless solved for")
    method: str = shared.method()


@dataclass(frozen=True, kw_only=True)
class PairsQuestion(DesignQuestion):
    """Topics needed to compare all systems with each other, or with a baseline, after correction.

    Give all but one of --systems, --min-diff, --topics and --power; the missing one is computed. The tests are paired
    and use the same topics, as in most experiments. --variance V means --variance-of-difference 2V.

    \b
    Examples:
      cranfield design pairs --scores past.AP.csv --systems 20 --min-diff 0.10
      cranfield design pairs --variance-of-difference 0.02 --systems 20 --min-diff 0.10 --baseline
      cranfield design pairs --scores past.AP.csv --systems 20 --topics 50
      cranfield design pairs --scores past.AP.csv --systems 20 --min-diff 0.10 --looks 5
    """

    command: ClassVar[str] = "design pairs"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Topics needed to compare all systems, or all with a baseline, after correction."
    place: ClassVar[int] = 149

    variance_of_difference: tuple[float, ...] | None = typed_variance(VARIANCE_OF_DIFFERENCE)
    variance: tuple[float, ...] | None = typed_variance(VARIANCE)
    n_systems: tuple[int, ...] | None = setting(
        None, "Number of systems to compare, including the baseline.", metavar="M", check=shared.whole
    )
    min_diff: tuple[float, ...] | None = shared.min_diff()
    power: tuple[float, ...] | None = shared.power(None, f"{defaults.POWER:.2f}, unless solved for")
    baseline: bool = setting(False, BASELINE)
    spread: float | None = setting(
        None, "Coefficient of variation of the pairs' variances.", metavar="S", on_page=False, least=0, most=1000,
        usual="that of the past scores; 0 for a typed variance",
    )  # fmt: skip
    looks: int | None = further_looks()

    @staticmethod
    def verb() -> Callable[..., Design]:
        """The public function that answers it."""
        from cranfield.questions.design.all_pairs import design_all_pairs

        return design_all_pairs


@dataclass(frozen=True, kw_only=True)
class AnovaQuestion(PowerDesignQuestion):
    """Topics needed to detect a difference among m systems by analysis of variance.

    Give all but one of --systems, --min-diff, --topics and --power; the missing one is computed. All systems share the
    topics. With --published, each system has separate topics, as in the papers. ANOVA does not tell which systems
    differ; see design pairs.

    \b
    Examples:
      cranfield design anova --scores past.AP.csv --systems 20 --min-diff 0.10
      cranfield design anova --variance 0.0125 --systems 20 --topics 50
      cranfield design anova --published --variance 0.0530 --systems 10 --min-diff 0.10
    """

    command: ClassVar[str] = "design anova"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Topics needed to detect a difference among m systems by analysis of variance."
    place: ClassVar[int] = 150

    variance: tuple[float, ...] | None = typed_variance(
        "Residual variance; with --published, variance of a system's score over topics."
    )
    n_systems: tuple[int, ...] | None = setting(None, "Number of systems to compare.", metavar="M", check=shared.whole)
    method: str | None = shared.method(None)  # type: ignore[assignment]
    published: bool = setting(False, PUBLISHED)
    blocked: bool | None = setting(None, BLOCKED, on_page=False)
    epsilon: str | None = shared.epsilon()

    @staticmethod
    def verb() -> Callable[..., Design]:
        """The public function that answers it."""
        from cranfield.questions.design.anova import design_anova

        return design_anova


@dataclass(frozen=True, kw_only=True)
class TtestQuestion(PowerDesignQuestion):
    """Topics needed to detect a difference between two systems by a t-test, paired unless --two-sample.

    Give all but one of --min-diff, --topics and --power; the missing one is computed. --variance V means
    --variance-of-difference 2V, and vice versa.

    \b
    Examples:
      cranfield design ttest --variance-of-difference 0.0429 --min-diff 0.05
      cranfield design ttest --scores past.AP.csv --topics 50
      cranfield design ttest --variance-of-difference 0.0429 --min-diff 0.05 --looks 5
    """

    command: ClassVar[str] = "design ttest"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Topics needed to detect a difference between two systems by a t-test."
    place: ClassVar[int] = 151

    variance_of_difference: tuple[float, ...] | None = typed_variance(VARIANCE_OF_DIFFERENCE)
    variance: tuple[float, ...] | None = typed_variance(VARIANCE)
    two_sample: bool = setting(False, TWO_SAMPLE)
    looks: int | None = further_looks()

    @staticmethod
    def verb() -> Callable[..., Design]:
        """The public function that answers it."""
        from cranfield.questions.design.ttest import design_ttest

        return design_ttest

    def ask(self, *data: Any, **more: Any) -> Design:
        """The design; looks are for paired tests only."""
        if self.looks is not None and self.two_sample:
            raise ArgumentError("`looks` is for paired tests; leave out `looks` or `two_sample`.")
        return super().ask(*data, **more)


@dataclass(frozen=True, kw_only=True)
class IntervalQuestion(DesignQuestion):
    """Topics needed for a confidence interval of a difference with expected width of at most --width.

    With --topics, the expected width is computed instead. --variance V means --variance-of-difference 2V.

    \b
    Examples:
      cranfield design interval --variance-of-difference 0.0441 --width 0.10
      cranfield design interval --scores past.AP.csv --topics 50
    """

    command: ClassVar[str] = "design interval"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Topics needed for a confidence interval no wider than --width."
    place: ClassVar[int] = 152

    variance_of_difference: tuple[float, ...] | None = typed_variance(VARIANCE_OF_DIFFERENCE)
    variance: tuple[float, ...] | None = typed_variance(VARIANCE)
    width: tuple[float, ...] | None = setting(
        None, "Maximum expected width of the interval.", metavar="W", check=shared.positive, often=True
    )
    two_sample: bool = setting(False, TWO_SAMPLE)

    @staticmethod
    def verb() -> Callable[..., Design]:
        """The public function that answers it."""
        from cranfield.questions.design.interval import design_interval

        return design_interval
