"""Who leads, and who may be the best? The settings of `leaderboard`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from cranfield.core.options import setting
from cranfield.core.question import HelpGroup
from cranfield.questions.compare.question import ComparisonQuestion

if TYPE_CHECKING:
    from cranfield.questions.leaderboard.leaderboard import Leaderboard


@dataclass(frozen=True, kw_only=True)
class LeaderboardQuestion(ComparisonQuestion):
    """Rank the systems: means with intervals, rank intervals, and which systems may be the best.

    With --show-groups, systems that share a letter do not differ significantly; for more than 30 systems the group is
    a range of ranks. With baselines, marks († ‡ …) show which of them a system differs from.

    Example: cranfield leaderboard scores.csv --format latex
    """

    command: ClassVar[str] = "leaderboard"
    group: ClassVar[HelpGroup] = "Compare"
    aliases: ClassVar[tuple[str, ...]] = ("rank", "ranking")
    brief: ClassVar[str] = "Ranking with intervals, and the confidence set of the best system."
    place: ClassVar[int] = 70

    show_groups: bool = setting(
        False, "Add the group column: systems without significant differences.", part="view", on_page=False
    )
    letters: bool = setting(
        False, "Show groups as letters for any number of systems.", part="view", on_page=False, usual="up to 30 systems"
    )

    @staticmethod
    def verb() -> Callable[..., Leaderboard]:
        """The public function that answers it."""
        from cranfield.questions.leaderboard.leaderboard import leaderboard

        return leaderboard
