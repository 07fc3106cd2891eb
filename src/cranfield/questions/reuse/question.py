"""Are the judgments reusable for new systems? The settings of `reuse`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.options import setting
from cranfield.core.question import HelpGroup, Page, Place, Takes
from cranfield.measures.options import Scoring
from cranfield.questions.pool.question import contributing

if TYPE_CHECKING:
    from cranfield.questions.reuse.reuse import Reuse


@dataclass(frozen=True, kw_only=True)
class ReuseQuestion(Scoring):
    """Are these judgments fair to systems that did not contribute to the pool?

    Leaves out the judgments that only one team contributed, scores all runs again, and reports how many ranks the
    team's runs lose. Repeats this for every team and pool depth, also by measures that ignore unjudged documents
    (bpref, condensed lists). --contributing names the runs that built the pool. The headline is for the deepest pool
    that is at least 90% judged.

    \b
    Examples:
      cranfield reuse qrels.txt runs/ --teams teams.txt -m AP --depth 10 --depth 50
      cranfield reuse qrels.txt runs/ --teams teams.txt -m AP --depth 7 --contributing pooled.txt
    """

    command: ClassVar[str] = "reuse"
    group: ClassVar[HelpGroup] = "Collection"
    aliases: ClassVar[tuple[str, ...]] = ("reusability",)
    brief: ClassVar[str] = "Are the judgments reusable for new systems?"
    takes: ClassVar[Takes] = "runs"
    place: ClassVar[int] = 172
    page = Page(
        name="reuse",
        title="Reuse",
        place=Place.COLLECTION,
        order=20,
        heading="Are the judgments reusable for new systems?",
        lead="Judgments that only one team contributed are left out, and its runs are scored again. Needs runs and "
        "judgments.",
        button="Leave teams out",
        doing="Leaving teams out of",
        brief="Ranks that runs lose without the judgments that only their team contributed; needs runs.",
    )

    teams: Path | None = shared.teams()
    team_prefix: str | None = shared.team_prefix()
    best_per_team: str | None = shared.best_per_team()
    contributing: Path | None = contributing()
    measures: tuple[str, ...] = setting(
        defaults.MEASURES, "Measure, such as AP or nDCG@10; repeatable.", "--measure", "-m", metavar="NAME",
        label="Measures",
    )  # fmt: skip
    depths: tuple[int, ...] = setting(
        defaults.REPORT_DEPTHS, "Pool depth; repeatable.", "--depth", metavar="D", label="Pool depths",
        least=1, most=10_000_000,
    )  # fmt: skip
    leave_out: tuple[str, ...] | None = setting(
        None, "Team to leave out; repeatable.", metavar="TEAM", usual="each in turn"
    )
    cutoff: int = setting(
        defaults.JUDGED_CUTOFF,
        "Depth at which the judged share is counted.",
        metavar="K",
        least=1,
        most=10_000_000,
        more=True,
    )
    p: float = setting(
        defaults.PERSISTENCE, "Persistence p of RBP, for its residual.", label="RBP's p", check=shared.share, more=True
    )
    alpha: float = shared.alpha("Level of the decisions; intervals have level 1 - alpha.")
    n_resamples: int = shared.n_resamples(defaults.REUSE_RESAMPLES, "Topic resamples for the interval of tau.")
    seed: int = shared.seed()
    show: defaults.ReuseShow = shared.show(
        "teams",
        "teams: one row per measure, depth and team. worst: the team with the largest loss. systems: judged share "
        "of each run, with and without its team.",
    )

    @staticmethod
    def verb() -> Callable[..., Reuse]:
        """The public function that answers it."""
        from cranfield.questions.reuse.reuse import reuse

        return reuse
