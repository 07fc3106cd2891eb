"""Can I stop adding topics? The settings of `monitor` and `design looks`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.options import setting
from cranfield.core.question import HelpGroup, Page, Place, Question, Takes
from cranfield.questions.design.question import VARIANCE_OF_DIFFERENCE

if TYPE_CHECKING:
    from cranfield.questions.monitor.monitor import Monitoring
    from cranfield.questions.monitor.planned import SequentialDesign


def looks(help: str) -> Any:
    """How many looks are planned."""
    return setting(defaults.LOOKS, help, metavar="K", label="Planned looks", least=1, most=100)


def spending() -> Any:
    """How the looks share the level."""
    return setting(
        defaults.SPENDING, "How the looks share the level: mostly at the end, or evenly.",
        choices=defaults.names(defaults.Spending), label="Spending of the level",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class MonitorQuestion(Question):
    """Test pairs of systems as topics arrive in batches, and decide when to stop.

    Give one table per batch, in order, or one table and --per-look. Stopping at the first significant test inflates
    type I error: .142 with five looks at .05. Planned looks keep the level for normal differences, and --anytime keeps
    it for unplanned looks. With skewed differences the error is larger.

    \b
    Examples:
      cranfield monitor day1.csv day2.csv --looks 5
      cranfield monitor scores.csv --per-look 10 --max-topics 50 --show plan
    """

    command: ClassVar[str] = "monitor"
    group: ClassVar[HelpGroup] = "Design"
    aliases: ClassVar[tuple[str, ...]] = ("sequential",)
    brief: ClassVar[str] = "Test pairs as topics arrive in batches; decide when to stop."
    takes: ClassVar[Takes] = "batches"
    by_one_measure: ClassVar[bool] = True
    place: ClassVar[int] = 144
    page = Page(
        name="monitor",
        title="Monitor",
        place=Place.PLAN,
        order=30,
        heading="Can I stop adding topics?",
        lead="Every score file is a batch of topics, in the order of the upload, or one table is cut into looks. "
        "Repeated looks stay valid if they are planned.",
        button="Look",
        doing="Looking at",
        brief="Which pairs are decided after each batch of topics; `tables` has plan, forecast and every look.",
    )

    per_look: int | None = setting(
        None, "Cut one table into batches of N topics, in its order.", metavar="N", label="Topics per look",
        least=1, most=10_000_000,
    )  # fmt: skip
    looks: int = looks("Number of planned looks, each as large as the first batch.")
    max_topics: int | None = setting(
        None, "Number of topics at the last planned look.", metavar="N", usual="looks times the first batch",
        least=2, most=10_000_000,
    )  # fmt: skip
    spending: str = spending()
    anytime: bool = setting(False, "Use confidence sequences, valid for unplanned looks.", label="Unplanned looks")
    alpha: float = shared.alpha("Family-wise level over all looks and pairs.")
    baseline: str | None = setting(None, "Compare every system only with this one.", metavar="SYSTEM")
    correction: defaults.FamilyCorrection = setting(defaults.FAMILY_CORRECTION, "How pairs share the level.", more=True)
    system: tuple[str, ...] | None = shared.systems("System to use, besides the baseline; repeatable.")
    measure: str | None = shared.one_measure()
    missing: str = shared.missing()
    show: defaults.MonitorShow = shared.show(
        "looks",
        "looks: every pair at every look. last: the last look. forecast: topics that undecided pairs may need. "
        "plan: the boundary at every look. reestimate: topics needed by the blinded variance.",
    )
    min_diff: float = setting(
        defaults.VIEW_MIN_DIFF, "Difference to detect, for re-estimation.", metavar="D",
        part="view", label="Difference to detect", more=True, check=shared.positive,
    )  # fmt: skip
    power: float = setting(
        defaults.POWER, "Power for that difference, for re-estimation.", metavar="P", part="view",
        label="Power (1 − β)", check=shared.share, more=True,
    )  # fmt: skip

    @staticmethod
    def verb() -> Callable[..., Monitoring]:
        """The public function that answers it."""
        from cranfield.questions.monitor.monitor import monitor

        return monitor


@dataclass(frozen=True, kw_only=True)
class LooksQuestion(Question):
    """Maximum and expected topics of a design with several looks, compared with one look.

    The test is a paired t-test of two systems, which stops once it is significant.

    Example: cranfield design looks --variance-of-difference 0.04 --min-diff 0.07 --looks 5
    """

    command: ClassVar[str] = "design looks"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Topics of a paired comparison with several looks."
    place: ClassVar[int] = 154

    variance_of_difference: float = setting(help=VARIANCE_OF_DIFFERENCE, metavar="V", check=shared.positive)
    min_diff: float = setting(
        help="Smallest difference worth detecting.", metavar="D", label="Smallest difference", check=shared.positive
    )
    looks: int = looks("Number of planned looks.")
    spending: str = spending()
    power: float = shared.power()
    alpha: float = shared.alpha()
    show: str = shared.show(
        "price", "price: maximum and expected topics. looks: every look with its boundary.", choices=("price", "looks")
    )

    @staticmethod
    def verb() -> Callable[..., SequentialDesign]:
        """The public function that answers it."""
        from cranfield.questions.monitor.planned import design_looks

        return design_looks
