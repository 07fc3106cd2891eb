"""Which systems differ over several collections or seeds? The settings of `across`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError
from cranfield.core.options import REQUIRED, setting
from cranfield.core.question import Bar, Files, HelpGroup, Page, Place, Question, Takes

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


def weights_of(texts: Sequence[str] | None) -> dict[str, float]:
    """The weight of each collection, from texts ``NAME=W``.

    >>> weights_of(["nq=2", "fever=0.5"])
    {'nq': 2.0, 'fever': 0.5}
    """
    found: dict[str, float] = {}
    for text in texts or ():
        name, _, number = str(text).rpartition("=")
        try:
            weight = float(number)
        except ValueError:
            weight = math.nan
        if not name or not 0 < weight < 1e6:
            raise ArgumentError(f"`weights` must be NAME=W with a weight W above 0; got {text!r}. Write nq=2.")
        if name in found:
            raise ArgumentError(f"`weights` names {name!r} twice. Name it once.")
        found[name] = weight
    return found


AcrossShow = Literal["pairs", "leaderboard", "components", "collections", "views", "table"]
Scale = Literal["raw", "standardised", "borda"]


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
        "How to treat missing results. zero, drop-topic: a missing topic of a system. drop-collection, drop-system: "
        "a system without scores on a collection.",
        choices=defaults.names(MissingCells), part="source", on_page=False,
    )  # fmt: skip

    def read(self, files: Files, bar: Bar) -> tuple[Parts, str]:
        """The scores by collection, and what missing ones mean."""
        from cranfield.questions.across.files import read_parts

        return read_parts(list(files["scores"]), self, bar), self.missing


@dataclass(frozen=True, kw_only=True)
class AcrossQuestion(CollectedQuestion):
    """Compare systems over several collections, or over several training seeds.

    Give one score file per collection, or a long table with a column `collection` or `seed`. Result files of MTEB, BEIR
    and ranx work too.

    Each claim has its own test. these: the same collections with other topics. like_these: other collections of this
    kind. trained: these trained systems. recipe: the same systems trained with other seeds.

    \b
    Examples:
      cranfield across robust2003.AP.csv robust2004.AP.csv trec8.AP.csv
      cranfield across robust2003.AP.csv robust2004.AP.csv --baseline bm25 --claim these
    """

    command: ClassVar[str] = "across"
    group: ClassVar[HelpGroup] = "Compare"
    aliases: ClassVar[tuple[str, ...]] = ("collections", "seeds", "beir", "mteb")
    brief: ClassVar[str] = "Comparison of systems over several collections or seeds."
    place: ClassVar[int] = 97
    instead: ClassVar[str] = "collections"

    collections: str | None = setting(
        None, "File of lines `name judgments runs`, as for evaluate; instead of score files.", metavar="FILE",
        part="source", on_page=False,
    )  # fmt: skip
    page = Page(
        name="across",
        title="Across",
        place=Place.TOOLS,
        order=40,
        heading="Do differences hold over collections and seeds?",
        lead="Choose data: one score file per collection, a table with a column collection or seed, or results of "
        "MTEB, BEIR or ranx. A claim generalises to other topics (these, trained), also seeds (recipe), "
        "or also collections (like_these).",
        button="Compare",
        doing="Comparing over the collections of",
        brief="Systems over several collections or training seeds; `tables` has leaderboard and components.",
    )

    claim: tuple[str, ...] | None = setting(
        None, "What to generalise to; repeatable.", choices=defaults.names(ClaimName),
        usual="all that the data support",
        often=True,
    )  # fmt: skip
    baseline: tuple[str, ...] | None = setting(
        None, "Compare every other system with this one; repeatable.", "--baseline", "-b", usual="all pairs",
        metavar="SYSTEM",
        often=True,
    )  # fmt: skip
    deterministic: tuple[str, ...] | None = setting(
        None, "System that needs no seeds, such as BM25; repeatable.", metavar="SYSTEM", usual="none"
    )
    scale: str = setting(
        "raw", "What is compared: scores, scores standardised per collection, or systems beaten (Borda).",
        choices=defaults.names(Scale),
    )  # fmt: skip
    weights: tuple[str, ...] | None = setting(
        None, "Weight of a collection; repeatable. Others have weight 1. Excludes the claim like_these.",
        metavar="NAME=W", usual="equal", check=lambda name, value: weights_of((value,)), on_page=False,
    )  # fmt: skip
    topic_groups: Path | None = shared.topic_groups(group="Statistics")
    alpha: float = shared.alpha()
    n_resamples: int | None = shared.n_resamples(None, usual="9999; for one collection as in compare")
    seed: int = shared.seed()
    show: str = setting(
        "pairs",
        "pairs: one row per claim and pair. leaderboard: one row per system. components: sources of variance. "
        "collections: the leader on each collection, and the leader without it. views: other means. "
        "table: for a paper.",
        choices=defaults.names(AcrossShow), part="view", on_page=False,
    )  # fmt: skip

    @staticmethod
    def verb() -> Callable[..., Across]:
        """The public function that answers it."""
        from cranfield.questions.across.across import across

        return across


@dataclass(frozen=True, kw_only=True)
class DesignAcrossQuestion(CollectedQuestion):
    """Collections, topics and seeds needed to detect a difference over collections.

    Estimates interaction, topic and seed variance from past scores by topic on several collections. More topics reduce
    only the topic variance. Claims about collections like these need more collections; claims about recipes need more
    seeds.

    Example: cranfield design across robust2003.AP.csv robust2004.AP.csv --min-diff 0.05
    """

    command: ClassVar[str] = "design across"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Collections, topics and seeds needed to detect a difference."
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
    seed_cost: float | None = setting(
        None, "Cost of training a system once, as a number of judged topics; adds the cost of recipes.", metavar="C",
        check=shared.not_negative, on_page=False,
    )  # fmt: skip
    topic_groups: Path | None = shared.topic_groups()

    @staticmethod
    def verb() -> Callable[..., DesignAcross]:
        """The public function that answers it."""
        from cranfield.questions.across.design import design_across

        return design_across
