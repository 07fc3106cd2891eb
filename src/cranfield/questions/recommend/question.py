"""Settings of `design recommend`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from cranfield.core import options as shared
from cranfield.core.options import REQUIRED, setting
from cranfield.core.question import HelpGroup, Question, Takes
from cranfield.questions.design.question import BASELINE

if TYPE_CHECKING:
    from cranfield.questions.recommend.recommend import Recommendation


@dataclass(frozen=True, kw_only=True)
class RecommendQuestion(Question):
    """Recommend a number of topics from past scores; list other designs beside it.

    The number is for all pairs of systems, or all with a baseline: by max-t for more than 20 comparisons, otherwise by
    paired t-tests after correction. topics_assured is the number whose true power reaches --power with a probability
    of about --assurance; past topics and systems count as samples. --format markdown writes a text for a track
    overview.

    \b
    Examples:
      cranfield design recommend past.AP.csv --systems 20 --min-diff 0.10
      cranfield design recommend past.AP.csv --systems 20 --min-diff 0.10 --baseline
      cranfield design recommend past.AP.csv --systems 20 --min-diff 0.10 --assurance 0.9
      cranfield design recommend past.AP.csv --systems 20 --min-diff 0.10 --budget 15000
    """

    command: ClassVar[str] = "design recommend"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Recommended number of topics, from past scores."
    takes: ClassVar[Takes] = "collections"
    by_one_measure: ClassVar[bool] = True
    place: ClassVar[int] = 153
    n_systems: int = shared.n_systems(REQUIRED)
    min_diff: float = shared.min_diff(REQUIRED, "Smallest best-to-worst difference to detect.")
    baseline: bool = setting(False, BASELINE)
    power: float = shared.power()
    assurance: float = shared.assurance()
    alpha: float = shared.alpha("Significance level.")
    budget: int | None = setting(
        None, "Judgments available; adds how many each topic gets. `cost` also chooses the depth.",
        metavar="B", least=1, most=10**12,
    )  # fmt: skip
    measure: str | None = shared.one_measure("Measure to use.")
    teams: Path | None = shared.teams("File of lines `system team`; the interval leaves out teams instead of systems.")
    seed: int = shared.seed()
    topic_groups: Path | None = shared.topic_groups(part="source")
    missing: str = shared.missing()

    @staticmethod
    def verb() -> Callable[..., Recommendation]:
        """The public function that answers it."""
        from cranfield.questions.recommend.recommend import recommend

        return recommend
