"""Will the collection serve systems not yet built? The settings of `reuse`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.page import Page
from cranfield.core.question import HelpGroup, Takes, setting
from cranfield.measures.options import Scoring


@dataclass(frozen=True, kw_only=True)
class ReuseQuestion(Scoring):
    """Would these judgments be fair to systems that did not help to make them?

    Leaves out the judgments that each team alone brought into the pool, scores its runs as if they had come later, and
    says how far they fall: at every pool depth, by the measures asked for and by ones that pass over unjudged
    documents (bpref, condensed lists).

    Example: cranfield reuse qrels.txt runs/ --teams teams.txt -m AP --depth 10 --depth 50
    """

    command: ClassVar[str] = "reuse"
    group: ClassVar[HelpGroup] = "Collection"
    aliases: ClassVar[tuple[str, ...]] = ("reusability",)
    brief: ClassVar[str] = "Will the judgments serve systems not yet built?"
    takes: ClassVar[Takes] = "runs"
    place: ClassVar[int] = 172
    page = Page(
        name="reuse",
        title="Reuse",
        place=42,
        heading="Will it serve systems not yet built?",
        lead="What a team alone brought into the pool is taken away, and its runs are scored as if they had come "
        "later. Needs runs and judgments.",
        button="Leave teams out",
        doing="Leaving teams out of",
        nothing="This takes a little while: choose data and run it.",
        brief="How far runs fall without the judgments that their team alone brought; needs runs.",
        waits=True,
    )

    teams: Path | None = shared.teams()
    team_prefix: str | None = setting(
        None, "Or a regular expression: what it matches at the start of the run tag.", metavar="PATTERN", on_page=False
    )
    measures: tuple[str, ...] = setting(
        defaults.MEASURES, "A measure such as AP or nDCG@10; repeatable.", "--measure", "-m", metavar="NAME",
        label="Measures",
    )  # fmt: skip
    depths: tuple[int, ...] = setting(
        defaults.REPORT_DEPTHS, "Pool depth; repeatable.", "--depth", metavar="D", label="Pool depths",
        least=1, most=10_000_000,
    )  # fmt: skip
    leave_out: tuple[str, ...] | None = setting(
        None, "Leave out this team only; repeatable.", metavar="TEAM", usual="each in turn"
    )
    cutoff: int = setting(
        defaults.JUDGED_CUTOFF, "Depth of the share judged.", metavar="K", least=1, most=10_000_000, more=True
    )
    p: float = setting(
        defaults.PERSISTENCE, "RBP's persistence, for its residual.", label="RBP's p", check=shared.share, more=True
    )
    alpha: float = shared.alpha("Level of the decisions; intervals have level 1 - alpha.")
    n_resamples: int = shared.n_resamples(defaults.REUSE_RESAMPLES, "Resamples of topics behind an interval of tau.")
    seed: int = shared.seed()
    show: str = setting(
        "teams",
        "teams: one row per measure, depth and team. worst: the team that loses most of each. systems: how much of "
        "each run is judged, with and without its team.",
        choices=defaults.names(defaults.ReuseShow), part="view", on_page=False,
    )  # fmt: skip

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers it."""
        from cranfield.questions.reuse.reuse import reuse

        return reuse
