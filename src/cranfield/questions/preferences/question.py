"""Settings of `preferences`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.options import setting
from cranfield.core.question import Bar, Files, HelpGroup, Question

if TYPE_CHECKING:
    from cranfield.questions.preferences.preferences import PreferenceRanking


@dataclass(frozen=True, kw_only=True)
class PreferencesQuestion(Question):
    """Rank systems by pairwise preferences: Bradley–Terry strengths, with topics as clusters.

    Each row of FILE has a topic, two systems and the preferred one (columns topic, system_a, system_b, preferred: a
    name, a, b or tie). FILE is a table with a header, or JSON lines. Columns of chatbot
    arenas work too.

    Comparisons on one topic depend on each other. The topic is therefore the unit of every interval.

    Example: cranfield preferences battles.tsv
    """

    command: ClassVar[str] = "preferences"
    group: ClassVar[HelpGroup] = "Compare"
    aliases: ClassVar[tuple[str, ...]] = ("bradley-terry", "arena", "battles", "elo")
    brief: ClassVar[str] = "Rank systems by pairwise preferences."
    place: ClassVar[int] = 95

    comparisons: tuple[str, ...] = setting(
        help="Comparisons: topic, system_a, system_b, preferred.", argument=True, metavar="FILE...", part="source"
    )
    alpha: float = shared.alpha("Intervals have confidence 1 - alpha; ranks hold for all systems at once.")
    show: defaults.PreferencesShow = shared.show("ranking", "Table to show: the ranking, or every pair.", often=True)

    @staticmethod
    def verb() -> Callable[..., PreferenceRanking]:
        """The public function that answers it."""
        from cranfield.questions.preferences.preferences import preferences

        return preferences

    def read(self, files: Files, bar: Bar) -> tuple[Any, ...]:
        """The comparisons of all files."""
        return (list(self.comparisons),)
