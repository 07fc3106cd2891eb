"""Which systems differ over several collections or seeds? The settings of `across`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.question import REQUIRED, Bar, Files, HelpGroup, Question, Takes, setting

if TYPE_CHECKING:
    from cranfield.questions.across.across import Across
    from cranfield.questions.across.design import DesignAcross
    from cranfield.questions.across.files import Parts

ClaimName = Literal["these", "like_these", "trained", "recipe"]
MissingCells = Literal["error", "zero", "drop-topic", "drop-collection", "drop-system"]
COLLECTIONS = (3, 5, 8, 12, 20, 30)
"""Numbers of collections that a design considers."""
SEEDS = (2, 3, 5, 10)
"""Numbers of seeds that a design considers."""
AcrossShow = Literal["pairs", "leaderboard", "components", "collections"]


@dataclass(frozen=True, kw_only=True)
class CollectedQuestion(Question):
    """What `across` and `design across` read."""

    takes: ClassVar[Takes] = "collections"

    measure: tuple[str, ...] | None = shared.measures()
    system: tuple[str, ...] | None = shared.systems()
    names: tuple[str, ...] | None = setting(
        None, "Name of a collection, one per score file in order; repeatable.", "--names", metavar="NAME",
        usual="the file names", part="source", on_page=False,
    )  # fmt: skip
    missing: str = setting(
        "error",
        "What to do with missing results. zero and drop-topic: a topic of a system. drop-collection and drop-system: "
        "a system without scores on a collection.",
        choices=defaults.names(MissingCells), part="source", on_page=False,
    )  # fmt: skip

    def read(self, files: Files, bar: Bar) -> tuple[Parts, str]:
        """The scores by collection, and what missing ones mean."""
        from cranfield.questions.across.files import read_parts

        return read_parts(list(files["scores"]), self), self.missing


@dataclass(frozen=True, kw_only=True)
class AcrossQuestion(CollectedQuestion):
    """Compare systems over several collections, or over several training seeds.

    Give one score file per collection, or a long table with a column `collection` or `seed`. A folder of MTEB results
    works too (MODEL/REVISION/TASK.json).

    Claims are never mixed. these: the same collections with other topics. like_these: other collections of this kind.
    trained: these trained systems. recipe: the same systems trained with other seeds.

    \b
    Examples:
      cranfield across robust2003.AP.csv robust2004.AP.csv trec8.AP.csv
      cranfield across robust2003.AP.csv robust2004.AP.csv --baseline bm25 --claim these
    """

    command: ClassVar[str] = "across"
    group: ClassVar[HelpGroup] = "Compare"
    aliases: ClassVar[tuple[str, ...]] = ("collections", "seeds", "beir", "mteb")
    brief: ClassVar[str] = "Which systems differ over several collections or seeds?"
    place: ClassVar[int] = 97

    claim: tuple[str, ...] | None = setting(
        None, "Claim to test; repeatable.", choices=defaults.names(ClaimName), usual="all that the data support",
        often=True,
    )  # fmt: skip
    baseline: tuple[str, ...] | None = setting(
        None, "Baseline for every other system; repeatable.", "--baseline", "-b", usual="all pairs", metavar="SYSTEM",
        often=True,
    )  # fmt: skip
    deterministic: tuple[str, ...] | None = setting(
        None, "System that needs no seeds, such as BM25; repeatable.", metavar="SYSTEM", usual="none"
    )
    alpha: float = shared.alpha()
    n_resamples: int | None = shared.n_resamples(None, usual="9999; for one collection as in compare")
    seed: int = shared.seed()
    show: str = setting(
        "pairs",
        "pairs: one row per claim and pair. leaderboard: one row per system. components: sources of variance. "
        "collections: the leader of each collection, and without it.",
        choices=defaults.names(AcrossShow), part="view", on_page=False,
    )  # fmt: skip

    @staticmethod
    def verb() -> Callable[..., Across]:
        """The public function that answers it."""
        from cranfield.questions.across.across import across

        return across


@dataclass(frozen=True, kw_only=True)
class DesignAcrossQuestion(CollectedQuestion):
    """How many collections, and topics on each, show a difference?

    Estimates interaction, topic and seed variance from past scores by topic on several collections. More topics reduce
    the topic variance alone; collections like these need more collections, recipes more seeds.

    Example: cranfield design across robust2003.AP.csv robust2004.AP.csv --min-diff 0.05
    """

    command: ClassVar[str] = "design across"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Collections, topics and seeds needed to show a difference over collections."
    place: ClassVar[int] = 155

    min_diff: float = shared.min_diff(REQUIRED, "Difference between two systems to detect.")
    power: float = shared.power()
    alpha: float = shared.alpha()
    n_collections: tuple[int, ...] = setting(
        COLLECTIONS, "Number of collections; repeatable.", metavar="K", least=2, most=10_000
    )
    n_seeds: tuple[int, ...] = setting(
        SEEDS, "Number of training seeds per system; repeatable.", metavar="R", least=2, most=10_000
    )

    @staticmethod
    def verb() -> Callable[..., DesignAcross]:
        """The public function that answers it."""
        from cranfield.questions.across.design import design_across

        return design_across
