"""Settings of `reliability`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError
from cranfield.core.options import setting
from cranfield.core.question import HelpGroup, Page, Place, Question, Takes

if TYPE_CHECKING:
    from cranfield.questions.reliability.reliability import Reliability


def _share_to_drop(name: str, value: Any) -> None:
    if not 0 <= value < 1:
        raise ArgumentError(f"`{name}` must be a share from 0 to below 1; got {value:g}. Write 0.25.")


@dataclass(frozen=True, kw_only=True)
class ReliabilityQuestion(Question):
    """Reliability of the ranking (Eρ²) and the scores (Φ) of a collection, and topics needed for a target.

    In generalisability theory, systems and topics are samples; reliability is stability over other topics. Several
    tables are pooled. Bad systems make any collection look reliable; see --drop.

    \b
    Examples:
      cranfield reliability trec8.AP.csv --topics 25 --topics 50 --target 0.95
      cranfield reliability trec8.AP.csv --show views --topics 25 --topics 50 --topics 100
    """

    command: ClassVar[str] = "reliability"
    group: ClassVar[HelpGroup] = "Design"
    aliases: ClassVar[tuple[str, ...]] = ("generalisability", "gtheory")
    brief: ClassVar[str] = "Reliability of rankings and scores (Eρ², Φ), and topics for a target."
    takes: ClassVar[Takes] = "collections"
    by_one_measure: ClassVar[bool] = True
    place: ClassVar[int] = 142
    page = Page(
        name="reliability",
        title="Reliability",
        place=Place.COLLECTION,
        order=10,
        heading="Is the collection reliable?",
        lead="Would other topics give the same ranking (Eρ²) and the same scores (Φ)? Power and interval width of the "
        "same topics stand beside it. Several collections are pooled.",
        button="Study",
        doing="Studying the reliability of",
        brief="Reliability of ranking and scores by number of topics; `tables` has components, targets and views.",
    )

    n_topics: tuple[int, ...] = setting(
        (), "Number of topics for both coefficients; repeatable.", metavar="N", usual="the data's own",
        least=1, most=10_000_000,
    )  # fmt: skip
    target: tuple[float, ...] = setting(
        (), "Target reliability; repeatable.", metavar="T", check=shared.share,
        usual=f"{defaults.RELIABILITY_TARGET:g}",
    )  # fmt: skip
    drop: float = setting(
        0.0, "Share of the worst systems to drop first.", metavar="SHARE", check=_share_to_drop,
        label="Share of worst systems to drop",
    )  # fmt: skip
    alpha: float = shared.alpha("Intervals have confidence 1 - alpha.")
    intervals: defaults.ReliabilityIntervals = setting(
        defaults.RELIABILITY_INTERVALS, "Intervals of Eρ²: jackknife, or normal (Feldt), exact for normal effects."
    )
    measure: str | None = shared.one_measure()
    system: tuple[str, ...] | None = shared.systems(shared.ONLY_SYSTEMS)
    missing: str = shared.missing()
    show: defaults.ReliabilityShow = shared.show(
        "coefficients",
        "Table to show: coefficients (Eρ² and Φ), variance components, targets, views (power, interval width, "
        "reliability), or expected tau with another topic set.",
    )
    min_diff: float = setting(
        defaults.VIEW_MIN_DIFF, "Difference to detect, for the power in views.", metavar="D", part="view",
        label="Difference to detect", check=shared.positive,
    )  # fmt: skip
    n_resamples: int = setting(
        defaults.HALVINGS,
        "Number of random halvings of the topics for tau.",
        least=1,
        most=1_000_000,
        part="view",
        more=True,
    )
    seed: int = setting(
        defaults.SEED, "Seed of the halvings.", least=0, most=shared.LARGEST_SEED, part="view", more=True
    )

    @staticmethod
    def verb() -> Callable[..., Reliability]:
        """The public function that answers it."""
        from cranfield.questions.reliability.reliability import reliability

        return reliability
