"""When may one stop adding topics? The settings of `monitor` and `design looks`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.page import Page
from cranfield.core.question import HelpGroup, Question, Takes, setting
from cranfield.questions.design.question import VARIANCE_OF_DIFFERENCE


def looks(help: str) -> Any:
    """How many looks are planned."""
    return setting(defaults.LOOKS, help, metavar="K", label="Planned looks", least=1, most=100)


def spending() -> Any:
    """How the looks share the level."""
    return setting(
        defaults.SPENDING, "How the looks share the level: nearly all at the end, or evenly.",
        choices=defaults.names(defaults.Spending), label="Spending of the level",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class MonitorQuestion(Question):
    """Topics come in batches: which pairs of systems are decided, and may one stop?

    One table per batch, in the order they came, or one table cut by --per-look. Stopping at the first significant test
    rejects true nulls far too often (.142 of the time with five looks at .05); planned looks keep the level, and
    --anytime keeps it for looks that nobody planned.

    \b
    Examples:
      cranfield monitor day1.csv day2.csv --looks 5
      cranfield monitor scores.csv --per-look 10 --max-topics 50 --show plan
    """

    command: ClassVar[str] = "monitor"
    group: ClassVar[HelpGroup] = "Design"
    aliases: ClassVar[tuple[str, ...]] = ("sequential",)
    brief: ClassVar[str] = "Topics in batches: which pairs are decided, and may one stop?"
    takes: ClassVar[Takes] = "batches"
    by_one_measure: ClassVar[bool] = True
    place: ClassVar[int] = 144
    page = Page(
        name="monitor",
        title="Monitor",
        place=34,
        heading="May I stop adding topics?",
        lead="Every score file of the data is a batch of topics, in the order of the upload; or one table is cut into "
        "looks. Looking again and again keeps its promise when it is planned, or made for looks that nobody planned.",
        button="Look",
        doing="Looking at",
        brief="Which pairs are decided after each batch of topics; plan, forecast and every look are in `tables`.",
    )

    per_look: int | None = setting(
        None, "Cut one table into batches of so many topics, in its order.", metavar="N", label="Topics per look",
        least=1, most=10_000_000,
    )  # fmt: skip
    looks: int = looks("Planned looks, each as large as the first batch, unless their topics are given.")
    max_topics: int | None = setting(
        None, "Topics at which the last look is planned.", metavar="N", usual="looks times the first batch",
        least=2, most=10_000_000,
    )  # fmt: skip
    spending: str = spending()
    anytime: bool = setting(False, "For looks that nobody planned: confidence sequences.", label="Unplanned looks")
    alpha: float = shared.alpha("Level of all looks and pairs together.")
    baseline: str | None = setting(None, "Compare every system with this one only.", metavar="SYSTEM")
    correction: str = setting(
        defaults.FAMILY_CORRECTION, "How pairs share the level.", choices=defaults.names(defaults.FamilyCorrection),
        more=True,
    )  # fmt: skip
    system: tuple[str, ...] | None = shared.systems("Use these systems only, and the baseline; repeatable.")
    measure: str | None = shared.one_measure()
    missing: str = shared.missing()
    show: str = setting(
        "looks",
        "looks: every pair at every look. last: at the last. forecast: topics the undecided pairs may take. plan: the "
        "boundary at every look, made and to come. reestimate: topics by the variance so far, blind to who is ahead.",
        choices=defaults.names(defaults.MonitorShow), part="view", on_page=False,
    )  # fmt: skip
    min_diff: float = setting(
        defaults.VIEW_MIN_DIFF, "Difference to detect, for the topics that the variance so far asks for.", metavar="D",
        part="view", label="Difference to detect", more=True, check=shared.positive,
    )  # fmt: skip
    power: float = setting(
        defaults.POWER, "Wanted power, for the same.", metavar="P", part="view", label="Power (1 − β)",
        check=shared.share, more=True,
    )  # fmt: skip

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers it."""
        from cranfield.questions.monitor.monitor import monitor

        return monitor


@dataclass(frozen=True, kw_only=True)
class LooksQuestion(Question):
    """What looking several times costs and saves: topics at most, topics to expect, and the price against one look.

    For a paired t-test of two systems that is stopped as soon as it is decided.

    Example: cranfield design looks --variance-of-difference 0.04 --min-diff 0.07 --looks 5
    """

    command: ClassVar[str] = "design looks"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Topics when a paired comparison is looked at several times."
    place: ClassVar[int] = 154

    variance_of_difference: float = setting(help=VARIANCE_OF_DIFFERENCE, metavar="V", check=shared.positive)
    min_diff: float = setting(
        help="Smallest difference worth detecting.", metavar="D", label="Smallest difference", check=shared.positive
    )
    looks: int = looks("Planned looks.")
    spending: str = spending()
    power: float = shared.power()
    alpha: float = shared.alpha()
    show: str = setting(
        "price", "price: topics at most and to expect. looks: every look with its boundary.",
        choices=("price", "looks"), part="view", on_page=False,
    )  # fmt: skip

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers it."""
        from cranfield.questions.monitor.planned import design_looks

        return design_looks
