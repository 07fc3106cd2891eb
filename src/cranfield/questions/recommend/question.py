"""How many topics, in plain words? The settings of `design recommend`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.page import Page
from cranfield.core.question import REQUIRED, HelpGroup, Question, Takes, setting
from cranfield.questions.design.question import BASELINE

if TYPE_CHECKING:
    from cranfield.questions.recommend.recommend import Recommendation


@dataclass(frozen=True, kw_only=True)
class RecommendQuestion(Question):
    """A recommendation in plain words, from past scores: how many topics, and what other ways of asking say.

    The number is for paired tests of all pairs of systems after correction, or of all with a baseline. Prints Markdown
    to paste into an overview; --format table, json or csv gives the numbers. topics_assured is the size whose true
    power is as wanted with --assurance, past topics and systems being samples.

    \b
    Examples:
      cranfield design recommend past.AP.csv --systems 20 --min-diff 0.10
      cranfield design recommend past.AP.csv --systems 20 --min-diff 0.10 --baseline
      cranfield design recommend past.AP.csv --systems 20 --min-diff 0.10 --assurance 0.9
    """

    command: ClassVar[str] = "design recommend"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "A recommendation in plain words, from past scores."
    takes: ClassVar[Takes] = "collections"
    by_one_measure: ClassVar[bool] = True
    place: ClassVar[int] = 153
    page = Page(
        name="recommend",
        title="Recommend",
        place=15,
        heading="What should the next collection be like?",
        lead="A recommendation from past scores: how many topics for comparing all pairs of systems after correction, "
        "what other ways of asking say, and what other numbers of topics would do.",
        button="Recommend",
        doing="Designing from",
        brief="How many topics the next collection should have, from past scores; what other numbers do is in "
        "`tables`.",
        example={"systems": f"{defaults.NEXT_SYSTEMS}", "min_diff": f"{defaults.NEXT_MIN_DIFF:.2f}"},
    )

    n_systems: int = shared.n_systems(REQUIRED)
    min_diff: float = shared.min_diff(REQUIRED, "Smallest best-to-worst difference worth detecting.")
    baseline: bool = setting(False, BASELINE)
    power: float = shared.power()
    assurance: float = shared.assurance()
    alpha: float = shared.alpha("Significance level.")
    measure: str | None = shared.one_measure("Which measure of the scores to use.")
    teams: Path | None = shared.teams("Teams, left out in place of systems: a file of lines `system team`.")
    missing: str = shared.missing()

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers it."""
        from cranfield.questions.recommend.recommend import recommend

        return recommend

    def text(self, result: Recommendation, to: Path | None, format: str | None) -> tuple[str, str] | None:
        """Words to paste, unless numbers are asked for."""
        in_words = to is None or format is not None or to.suffix in (".md", ".txt")
        return (f"{result.text}\n{result.signature}\n", "") if in_words and format in (None, "markdown") else None
