"""Who leads, and who may be the best? The settings of `leaderboard`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from cranfield.core.question import HelpGroup, setting
from cranfield.questions.compare.question import ComparisonQuestion

if TYPE_CHECKING:
    from cranfield.questions.leaderboard.leaderboard import Leaderboard


@dataclass(frozen=True, kw_only=True)
class LeaderboardQuestion(ComparisonQuestion):
    """Rank the systems: means with intervals, rank intervals, groups, and which systems may be the best.

    Two systems share a letter exactly when they are not shown to differ; of more than 30 systems the ranks are named
    that each is not separated from. With baselines, marks († ‡ …) say which of them a system differs from.

    Example: cranfield leaderboard scores.csv --format latex
    """

    command: ClassVar[str] = "leaderboard"
    group: ClassVar[HelpGroup] = "Compare"
    aliases: ClassVar[tuple[str, ...]] = ("rank", "ranking")
    brief: ClassVar[str] = "Who leads, and who may be the best."
    place: ClassVar[int] = 70

    letters: bool = setting(
        False, "Groups as letters, however many systems.", part="view", on_page=False, usual="up to 30 systems"
    )

    @staticmethod
    def verb() -> Callable[..., Leaderboard]:
        """The public function that answers it."""
        from cranfield.questions.leaderboard.leaderboard import leaderboard

        return leaderboard
